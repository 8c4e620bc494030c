#!/bin/bash
# Runs fuzz targets that were built before: tests/fuzz.sh OUT TARGET..., each FUZZ_SECONDS long,
# FUZZ_JOBS of them at once.
#
# Starts from tests/fuzz/corpus/NAME and from what earlier runs found, with the words of
# OUT/keys.dict. New inputs go to
# OUT/found/NAME, what libFuzzer says to OUT/logs/NAME, inputs that crash, hang or leak to
# OUT/crashes/NAME-*. Prints a line for each target; fails if any crashed.
set -eu

out=$1
shift
export ASAN_OPTIONS=detect_leaks=1:abort_on_error=1:allocator_may_return_null=1
export UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1

# The number that the last line of a log which matches has behind a word.
last_number() {
    grep -oE "$2 *[0-9]+" "$1" | tail -n 1 | grep -oE '[0-9]+$' || echo 0
}

fuzz_one() {
    local target=$1 name=${1##*/fuzz_} code=0 crashes log
    log=$out/logs/$name
    mkdir -p "$out/found/$name" "$out/crashes" "$out/logs"
    "$target" -max_total_time="${FUZZ_SECONDS:-600}" -timeout=10 -rss_limit_mb=2048 \
        -print_final_stats=1 -dict="$out/keys.dict" -artifact_prefix="$out/crashes/$name-" \
        "$out/found/$name" "tests/fuzz/corpus/$name" >"$log" 2>&1 || code=$?
    crashes=$(find "$out/crashes" -name "$name-*" | wc -l)
    [ "$code" -eq 0 ] || [ "$crashes" -gt 0 ] || crashes="exit code $code, see $log"
    printf '%-12s %12s executions %7s edges %5s inputs found  crashes: %s\n' "$name" \
        "$(last_number "$log" number_of_executed_units:)" "$(last_number "$log" cov:)" \
        "$(find "$out/found/$name" -type f | wc -l)" "$crashes"
    [ "$crashes" = 0 ]
}

status=0
running=0
for target in "$@"; do
    if [ "$running" -ge "${FUZZ_JOBS:-1}" ]; then
        wait -n || status=1
        running=$((running - 1))
    fi
    fuzz_one "$target" &
    running=$((running + 1))
done
while [ "$running" -gt 0 ]; do
    wait -n || status=1
    running=$((running - 1))
done
exit $status
