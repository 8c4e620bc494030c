#!/bin/sh
# Fails on what STYLE forbids and a search can find. Checks the tree that it is started in; what
# needs a compiler is left to clang-tidy and to lint_state.sh.
set -eu
status=0

complain() {
    echo "$1" >&2
    status=1
}

# forbid WHAT PATTERN FILE...: no line of the files may match; files may be absent.
forbid() {
    what=$1
    pattern=$2
    shift 2
    matches=$(grep -nE "$pattern" "$@" 2>/dev/null || true)
    [ -z "$matches" ] || complain "$matches
^ $what"
}

above_base='core/*.[ch] db/*.[ch] importers/*.[ch] server/*.[ch] api/*.[ch] cli/*.[ch]'
tests='tests/*/*.[ch]'
# shellcheck disable=SC2086  # patterns are expanded on purpose
{
    forbid 'use buf_* and num_parse_*' \
        '\b(strcpy|strcat|sprintf|vsprintf|gets|strtok|ato[ifl]|atoll|strto(l|ul|ll|ull|d|f|ld)|sscanf|alloca)\(' \
        $above_base
    forbid 'a struct is never a typedef' '^typedef struct' base/*.[ch] $above_base $tests
    forbid 'SQL lives in db/ and migrations/' \
        '"(SELECT|INSERT|UPDATE|DELETE|CREATE|PRAGMA) ' core/*.c importers/*.c server/*.c api/*.c cli/*.c
    forbid 'work that is not done' '\b(TODO|FIXME|XXX|HACK)\b' base/*.[ch] $above_base $tests
    forbid 'no analyser or compiler is silenced' \
        'NOLINT|cppcheck-suppress|#pragma (GCC|clang) diagnostic|no_sanitize' base/*.[ch] $above_base $tests
    forbid 'a switch over an enum names every value' '^ +default: *(abort|assert)' base/*.c $above_base
}

# Every file says what it is for; files, functions and nesting have their limits; in a header, what
# follows an empty line is a comment, or has one above it.
for file in base/*.[ch] core/*.[ch] db/*.[ch] importers/*.[ch] server/*.[ch] api/*.[ch] cli/*.[ch] \
    tests/*/*.[ch]; do
    [ -e "$file" ] || continue
    awk '
    function tell(text) { print FILENAME ":" FNR ": " text; bad = 1 }
    FNR == 1 && !/^\/\*/ { tell("starts without a comment that says what the file is for") }
    FNR == 501 { tell("over 500 lines") }
    /^{$/ { start = FNR }
    /^}/ && start { if (FNR - start - 1 > 80) tell("a function over 80 lines"); start = 0 }
    start && /^                +(if|for|while|switch|do) .*/ { tell("nested over three levels") }
    FILENAME ~ /\.h$/ && before == "" && /^[a-z]/ && !/^(enum|struct [a-z_0-9]+;)/ { tell("has no comment") }
    { before = $0 }
    END { exit bad }
    ' "$file" >&2 || status=1
done
exit $status
