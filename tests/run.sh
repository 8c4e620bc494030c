#!/bin/bash
# Runs tests that were built before, and counts: tests/run.sh SUITE...
#
#   release/unit                 every tests/unit/test_*.c, as built in build/release
#   release/contract             every tests/contract/test_*.py, against the binary of build/release
#   release/browser              every tests/browser/test_*.js, likewise; screenshots go to build/screenshots
#   asan/fuzz                    every tests/fuzz/fuzz_*.c, fed its corpus
#   release/unit/test_base_num   one program
#
# A program speaks TAP on standard output. It runs from the project's root in a scratch folder of its
# own ($TMPDIR), without standard input, with OPENRECIPES_BIN naming the binary of its variant. It has
# failed if it prints no plan, or fewer results than planned; if it ends with an error or by a signal,
# is not done after TEST_SECONDS, or leaves a process behind; and a skipped test is a failed one.
# The last line is `N passed, N failed`; the exit code is 0 only if something ran and all of it passed.
set -u
cd "$(dirname "$0")/.." || exit 2

jobs=${TEST_JOBS:-$(nproc)}
seconds=${TEST_SECONDS:-1500}
shown=40

export CMOCKA_MESSAGE_OUTPUT=TAP
# The allocators answer NULL to what cannot be had, as the C library does: we handle that.
export ASAN_OPTIONS=detect_leaks=1:abort_on_error=1:allocator_may_return_null=1
ASAN_OPTIONS+=:detect_stack_use_after_return=1:strict_string_checks=1
export UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1
export TSAN_OPTIONS=halt_on_error=1:allocator_may_return_null=1:second_deadlock_stack=1
unset CMOCKA_XML_FILE CMOCKA_TEST_FILTER

work=$(mktemp -d "${TMPDIR:-/tmp}/openrecipes-test.XXXXXX") || exit 2
passed=0
failed=0
declare -A running=() # process id of a program's `timeout` -> its name

clean_up() {
    for pid in "${!running[@]}"; do
        kill -KILL -- "-$pid" 2>/dev/null
    done
    rm -rf "$work"
}
trap clean_up EXIT
trap 'exit 130' INT TERM HUP

# Name the programs of one suite, one a line.
programs_of() {
    local variant=${1%%/*} rest=${1#*/} source
    case $rest in
    */*) echo "$1" ;;
    contract) for source in tests/contract/test_*.py; do
        [ -e "$source" ] && echo "$variant/contract/$(basename "$source")"
    done ;;
    browser) for source in tests/browser/test_*.js; do
        [ -e "$source" ] && echo "$variant/browser/$(basename "$source")"
    done ;;
    fuzz) for source in tests/fuzz/fuzz_*.c; do
        [ -e "$source" ] && echo "$variant/fuzz/replay_$(basename "$source" .c | cut -c6-)"
    done ;;
    *) for source in tests/"$rest"/test_*.c; do
        [ -e "$source" ] && echo "$variant/$rest/$(basename "$source" .c)"
    done ;;
    esac
}

# ThreadSanitizer needs its shadow memory where address randomisation may have put something else.
fixed_addresses=()
if setarch -R true 2>/dev/null; then
    fixed_addresses=(setarch -R)
fi

start() {
    local name=$1 variant=${1%%/*} kind
    local -a command
    local scratch="$work/$1"
    kind=${name#*/}
    kind=${kind%%/*}
    mkdir -p "$scratch/tmp"
    case $kind in
    contract) command=(/usr/bin/python3 "tests/$kind/${name##*/}") ;;
    browser) command=(node "tests/$kind/${name##*/}") ;;
    *) command=("build/$variant/tests/$kind/${name##*/}") ;;
    esac
    [ "$variant" = tsan ] && command=("${fixed_addresses[@]}" "${command[@]}")
    TMPDIR="$scratch/tmp" OPENRECIPES_BIN="$PWD/build/$variant/openrecipes" \
        timeout -k 10 "$seconds" "${command[@]}" </dev/null >"$scratch/out" 2>"$scratch/err" &
    running[$!]=$name
}

# Say in words why a program that ended with this code failed; nothing if its tests tell all.
reason_of() {
    local code=$1 planned=$2 seen=$3 not_ok=$4
    if [ "$code" -eq 124 ]; then
        echo "not done after $seconds seconds"
    elif [ "$code" -gt 128 ]; then
        echo "ended by signal $((code - 128))"
    elif [ "$planned" -eq 0 ]; then
        echo "planned no tests (exit code $code)"
    elif [ "$seen" -lt "$planned" ]; then
        echo "gave $seen results of $planned (exit code $code)"
    elif [ "$code" -ne 0 ] && [ "$not_ok" -eq 0 ]; then
        echo "exit code $code"
    fi
}

finish() {
    local pid=$1 code=$2 name=${running[$1]} scratch planned ok not_ok reason
    scratch="$work/$name"
    unset "running[$pid]"
    planned=$(awk -F. '/^1\.\.[0-9]+$/ { n += $3 } END { print n + 0 }' "$scratch/out")
    not_ok=$(grep -cE '^not ok|^ok .*# *[Ss][Kk][Ii][Pp]' "$scratch/out")
    ok=$(($(grep -cE '^(not )?ok' "$scratch/out") - not_ok))
    reason=$(reason_of "$code" "$planned" $((ok + not_ok)) "$not_ok")
    # The group is that of `timeout`, so what still runs in it was started by the program. What has
    # ended and waits for a careless init to notice does not count.
    if pgrep --pgroup "$pid" --runstates D,R,S,T,t >/dev/null; then
        reason="${reason:-left a process behind}"
        kill -KILL -- "-$pid"
    fi
    if [ -n "$reason" ]; then
        local missing=$((planned - ok - not_ok))
        not_ok=$((not_ok + (missing > 0 ? missing : 1)))
    fi
    passed=$((passed + ok))
    failed=$((failed + not_ok))
    if [ "$not_ok" -eq 0 ]; then
        printf 'ok    %-44s %4d\n' "$name" "$ok"
    else
        printf 'FAIL  %-44s %4d passed, %d failed%s\n' "$name" "$ok" "$not_ok" "${reason:+: $reason}"
        tail -n "$shown" "$scratch/out" | sed 's/^/      | /'
        tail -n "$shown" "$scratch/err" | sed 's/^/      ! /'
    fi
    rm -rf "$scratch"
}

wait_for_one() {
    local pid code
    wait -n -p pid
    code=$?
    finish "$pid" "$code"
}

for suite in "$@"; do
    names=$(programs_of "$suite")
    if [ -z "$names" ]; then
        echo "FAIL  $suite: no such tests"
        failed=$((failed + 1))
    fi
    for name in $names; do
        [ "${#running[@]}" -ge "$jobs" ] && wait_for_one
        start "$name"
    done
done
while [ "${#running[@]}" -gt 0 ]; do
    wait_for_one
done

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
