#!/bin/sh
# Fails if an object file has mutable data: state lives in a struct that main makes and passes down.
#   tools/lint_state.sh OBJECT...
# Tables of pointers are filled in by the loader and then made read-only (.data.rel.ro), so they pass.
set -eu
found=$(objdump -t "$@" | awk '
    /file format/ { object = $1 }
    NF >= 5 && $(NF - 2) ~ /^\.(t?data|t?bss|\*COM\*)(\.|$)/ && $(NF - 2) !~ /^\.data\.rel\.ro/ && $NF !~ /^\./ {
        print object " " $NF ": mutable file-scope data" }')
[ -z "$found" ] || { echo "$found" >&2; exit 1; }
