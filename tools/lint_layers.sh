#!/bin/sh
# Fails if a file includes a layer that it may not know, or a library outside its one home.
#   cli -> api -> importers -> db -> core -> base;  api -> server -> base
set -eu
cd "$(dirname "$0")/.."
status=0

may_include() {
    case $1 in
    base) echo 'base' ;;
    core) echo 'core base' ;;
    db) echo 'db core base' ;;
    importers) echo 'importers db core base' ;;
    server) echo 'server base' ;;
    api) echo 'api server importers db core base' ;;
    cli) echo 'cli api server importers db core base' ;;
    esac
}

complain() {
    echo "$1" >&2
    status=1
}

for layer in base core db importers server api cli; do
    allowed=" $(may_include $layer) "
    for file in "$layer"/*.[ch]; do
        [ -e "$file" ] || continue
        for other in $(sed -n 's/^#include "\([a-z]*\)\/.*/\1/p' "$file" | sort -u); do
            case $allowed in
            *" $other "*) ;;
            *) complain "$file: $layer may not include $other" ;;
            esac
        done
    done
done

home_of() {
    header=$1
    shift
    found=$(grep -l "^#include <$header>" base/*.[ch] core/*.[ch] db/*.[ch] importers/*.[ch] \
        server/*.[ch] api/*.[ch] cli/*.[ch] 2>/dev/null || true)
    for file in $found; do
        # shellcheck disable=SC2254  # the homes are patterns
        case " $* " in
        *" $file "*) ;;
        *) case $file in $1) ;; *) complain "$file: <$header> belongs in $*" ;; esac ;;
        esac
    done
}

home_of microhttpd.h server/mhd.c
home_of sqlite3.h 'db/*'
home_of yaml.h importers/yaml_tree.c
home_of curl/curl.h importers/fetch.c
home_of jansson.h base/json_read.c base/json_read.h
home_of 'nettle/[a-z0-9]*.h' base/hash.c base/base64.c
home_of zlib.h server/gzip.c
exit $status
