#!/bin/sh
# Tests the lint scripts: each bad example below must be complained about, and the good one not.
set -eu
tools=$(cd "$(dirname "$0")" && pwd)
tree=$(mktemp -d "${TMPDIR:-/tmp}/openrecipes-lint.XXXXXX")
trap 'rm -rf "$tree"' EXIT
status=0

# A small tree that has nothing wrong with it.
plant() {
    rm -rf "${tree:?}"/*
    mkdir -p "$tree/base" "$tree/core" "$tree/server"
    cat >"$tree/base/good.h" <<'EOF'
/* An example. */
#ifndef BASE_GOOD_H
#define BASE_GOOD_H

struct good;

/* Give one. */
int good_one(void);
int good_two(void);

#endif
EOF
    cat >"$tree/base/good.c" <<'EOF'
/* An example. */
#include "base/good.h"

#include <stdio.h>

static const int table[] = {1, 2};
static const char *const names[] = {"one", "two"};

int good_one(void)
{
    for (int i = 0; i < 2; i++)
        if (names[i])
            while (0)
                puts(names[i]);
    return table[0];
}
EOF
}

# expect SCRIPT WORDS: the script fails in the tree and says these words.
expect() {
    script=$1
    words=$2
    shift 2
    if said=$(cd "$tree" && "$tools/$script" "$@" 2>&1); then
        echo "lint_test.sh: $script found nothing, not \"$words\"" >&2
        status=1
        return
    fi
    case $said in
    *"$words"*) ;;
    *) echo "lint_test.sh: $script said \"$said\", not \"$words\"" >&2; status=1 ;;
    esac
}

expect_clean() {
    script=$1
    shift
    if ! said=$(cd "$tree" && "$tools/$script" "$@" 2>&1) || [ -n "$said" ]; then
        echo "lint_test.sh: $script complained about a good tree: $said" >&2
        status=1
    fi
}

# try SCRIPT WORDS FILE: with standard input added to a file of the good tree.
try() {
    plant
    mkdir -p "$(dirname "$tree/$3")"
    [ -e "$tree/$3" ] || echo '/* An example. */' >"$tree/$3"
    cat >>"$tree/$3"
    expect "$1" "$2"
}

plant
expect_clean lint_layers.sh
expect_clean lint_style.sh
gcc -I"$tree" -fPIE -c "$tree/base/good.c" -o "$tree/good.o"
expect_clean lint_state.sh "$tree/good.o"

echo '#include "core/x.h"' | try lint_layers.sh 'base/good.c: base may not include core/x.h' base/good.c
echo '#include "server/x.h"' | try lint_layers.sh 'core may not include server/x.h' core/x.c
echo '#include "core/x.h"' | try lint_layers.sh 'server may not include core/x.h' server/x.h
echo '#include "tests/support/x.h"' | try lint_layers.sh 'may not include tests/support/x.h' cli/x.c
echo '#include "good.h"' | try lint_layers.sh '"good.h" is named without its folder' base/other.c
echo '#include <sqlite3.h>' | try lint_layers.sh '<sqlite3.h> belongs in db/.*' core/x.c
echo '#  include <curl/curl.h>' | try lint_layers.sh '<curl/.*> belongs in importers/fetch.c' base/x.c
plant
sed -i 's/#include "base.*/#include <stddef.h>\n&/' "$tree/base/good.c"
expect lint_layers.sh 'base/good.c: includes <stddef.h> before its own header'

echo 'int x = atoi("1");' | try lint_style.sh 'use buf_* and num_parse_*' core/x.c
echo 'int x = strtoul("1", 0, 10);' | try lint_style.sh 'use buf_* and num_parse_*' cli/x.c
echo 'typedef struct x { int y; } x;' | try lint_style.sh 'never a typedef' base/x.c
echo 'const char *x = "SELECT 1";' | try lint_style.sh 'SQL lives in db/' api/x.c
echo '/* TODO: all of it. */' | try lint_style.sh 'work that is not done' base/x.c
echo 'int x; // NOLINT' | try lint_style.sh 'is silenced' tests/unit/x.c
echo '# shellcheck disable=SC2086' | try lint_style.sh 'shellcheck is not silenced' tools/x.sh
printf '\nint good_three(void);\n' | try lint_style.sh 'base/good.h:13: has no comment' base/good.h
yes '' | head -n 500 | try lint_style.sh 'base/x.c:501: over 500 lines' base/x.c
{ printf 'int x(void)\n{\n'; yes '    ;' | head -n 81; printf '}\n'; } |
    try lint_style.sh 'a function over 80 lines' base/x.c
printf 'int x(void)\n{\n                if (1)\n                    ;\n}\n' |
    try lint_style.sh 'base/x.c:4: nested over three levels' base/x.c
plant
sed -i 1d "$tree/base/good.c"
expect lint_style.sh 'base/good.c:1: starts without a comment'

for bad in 'static int x;' 'int x = 1;' 'static const char *x = "y";' 'static int x[3];' '_Thread_local int x;'; do
    printf '%s\nint *y(void);\nint *y(void) { return (int *)&x; }\n' "$bad" >"$tree/bad.c"
    gcc -fPIE -w -c "$tree/bad.c" -o "$tree/bad.o"
    expect lint_state.sh 'x: mutable file-scope data' "$tree/bad.o"
done
printf 'int *y(void);\nint *y(void) { static int x; return &x; }\n' >"$tree/bad.c"
gcc -fPIE -c "$tree/bad.c" -o "$tree/bad.o"
expect lint_state.sh 'mutable file-scope data' "$tree/bad.o"
exit $status
