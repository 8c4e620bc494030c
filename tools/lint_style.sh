#!/bin/sh
# Fails on what STYLE forbids and a search can find: unsafe functions outside base/, functions over 80
# lines, files over 500, nesting over three levels, file-scope variables, SQL outside db/.
set -eu
cd "$(dirname "$0")/.."
status=0

forbid() {
    what=$1
    pattern=$2
    shift 2
    if grep -nE "$pattern" "$@" 2>/dev/null; then
        echo "^ $what" >&2
        status=1
    fi
}

code='core/*.[ch] db/*.[ch] importers/*.[ch] server/*.[ch] api/*.[ch] cli/*.[ch]'
# shellcheck disable=SC2086  # patterns are expanded on purpose
{
    forbid 'use buf_* and num_parse_*' \
        '\b(strcpy|strcat|sprintf|vsprintf|gets|strtok|atoi|atof|atol|strto[dlu]+l?|sscanf|alloca)\(' $code
    forbid 'a struct is never a typedef' '^typedef struct' base/*.[ch] $code
    forbid 'SQL lives in db/ and migrations/' \
        '"(SELECT|INSERT|UPDATE|DELETE|CREATE|PRAGMA) ' core/*.c importers/*.c server/*.c api/*.c cli/*.c
    forbid 'mutable file-scope state' \
        '^static [a-z_ ]*[a-z_]+(\[[^]]*\])?( =.*)?;$' base/*.c $code
}

awk '
FNR == 1 { start = 0 }
FNR > 500 && !told[FILENAME]++ { print FILENAME ": over 500 lines"; bad = 1 }
/^{$/ { start = FNR }
/^}$/ && start { if (FNR - start - 1 > 80) { print FILENAME ":" start ": a function over 80 lines"; bad = 1 } start = 0 }
/^                    [^ *]/ && start && /^ +(if|for|while|switch) .*[{]?$/ { print FILENAME ":" FNR ": nested over three levels"; bad = 1 }
END { exit bad }
' base/*.c core/*.c db/*.c importers/*.c server/*.c api/*.c cli/*.c || status=1
exit $status
