#!/bin/bash
# Fails on what STYLE forbids and a search can find. Checks the tree that it is started in; what
# needs a compiler is left to clang-tidy and to lint_state.sh.
set -eu
status=0

complain() {
    echo "$1" >&2
    status=1
}

# forbid WHAT PATTERN FILE...: no line of the files may match; there may be none.
forbid() {
    what=$1
    pattern=$2
    shift 2
    matches=$(grep -nE "$pattern" "$@" /dev/null || true)
    [ -z "$matches" ] || complain "$matches
^ $what"
}

shopt -s nullglob
above_base=({core,db,importers,server,api,cli}/*.[ch])
program=(base/*.[ch] "${above_base[@]}")
all=("${program[@]}" tests/*/*.[ch])
scripts=({tools,tests,docker}/*.sh)

forbid 'use buf_* and num_parse_*' \
    '\b(strcpy|strcat|sprintf|vsprintf|gets|strtok|ato[ifl]|atoll|strto(l|ul|ll|ull|d|f|ld)|sscanf|alloca)\(' \
    "${above_base[@]}"
forbid 'a struct is never a typedef' '^typedef struct' "${all[@]}"
forbid 'SQL lives in db/ and migrations/' '"(SELECT|INSERT|UPDATE|DELETE|CREATE|PRAGMA) ' \
    {core,importers,server,api,cli}/*.c
forbid 'work that is not done' '\b(TODO|FIXME|XXX|HACK)\b' "${all[@]}"
forbid 'no analyser or compiler is silenced' \
    'NOLINT|cppcheck-suppress|#pragma (GCC|clang) diagnostic|no_sanitize' "${all[@]}"
forbid 'shellcheck is not silenced' '^ *# *shellcheck +disable' "${scripts[@]}"
forbid 'a switch over an enum names every value' '^ +default: *(abort|assert)' "${program[@]}"

# Every file says what it is for; files, functions and nesting have their limits; in a header, what
# follows an empty line is a comment, or has one above it.
for file in "${all[@]}"; do
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
