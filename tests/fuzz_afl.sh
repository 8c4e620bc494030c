#!/bin/bash
# Runs AFL++ over `openrecipes check -` for FUZZ_SECONDS: tests/fuzz_afl.sh OUT, where
# OUT/openrecipes was built by afl-clang-fast, and OUT/keys.dict is there.
#
# The seeds are the recipes and the broken ones of tests/invalid. What is found goes to OUT/afl, where
# the next run goes on from. Fails if an input crashes or hangs the program.
set -eu

out=$1

# No setting of the system's need be changed for this.
export AFL_I_DONT_CARE_ABOUT_MISSING_CRASHES=1 AFL_SKIP_CPUFREQ=1 AFL_NO_UI=1 AFL_NO_AFFINITY=1
export AFL_AUTORESUME=1 AFL_QUIET=1 AFL_FAST_CAL=1
export UBSAN_OPTIONS=abort_on_error=1:symbolize=0:halt_on_error=1

# Value of a name in the statistics.
stat() {
    awk -F' *: *' -v name="$1" '$1 == name { print $2 }' "$out/afl/default/fuzzer_stats"
}

rm -rf "$out/seeds"
mkdir -p "$out/seeds"
cp recipes/*/*/*.yaml tests/invalid/*.yaml "$out/seeds"
afl-fuzz -i "$out/seeds" -o "$out/afl" -x "$out/keys.dict" -m none -t 2000 -V "${FUZZ_SECONDS:-600}" \
    -- "$out/openrecipes" check - >"$out/afl.log" 2>&1 || {
    tail -n 20 "$out/afl.log"
    exit 1
}
printf '%-12s %12s executions %7s edges %5s inputs found  crashes: %s, hangs: %s\n' check \
    "$(stat execs_done)" "$(stat edges_found)" "$(stat corpus_found)" "$(stat saved_crashes)" \
    "$(stat saved_hangs)"
[ "$(stat saved_crashes)" = 0 ] && [ "$(stat saved_hangs)" = 0 ]
