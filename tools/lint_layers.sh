#!/bin/sh
# Fails if a file includes a layer that it may not know, a library outside its one home, or anything
# before its own header. Checks the tree that it is started in.
#   cli -> api -> importers -> db -> core -> base;  api -> server -> base
set -eu
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

# What a file includes between quotes, one a line.
ours() {
    sed -n 's/^ *# *include *"\(.*\)".*/\1/p' "$1"
}

for layer in base core db importers server api cli; do
    allowed=" $(may_include $layer) "
    for file in "$layer"/*.[ch]; do
        [ -e "$file" ] || continue
        for header in $(ours "$file"); do
            [ "$header" = generated_version.h ] && continue
            case $header in
            */*) ;;
            *) complain "$file: \"$header\" is named without its folder" ;;
            esac
            case $allowed in
            *" ${header%%/*} "*) ;;
            *) complain "$file: $layer may not include $header" ;;
            esac
        done
    done
    for file in "$layer"/*.c; do
        own=${file%.c}.h
        [ -e "$own" ] || continue
        first=$(sed -n 's/^ *# *include *//p' "$file" | head -n 1)
        [ "$first" = "\"$own\"" ] || complain "$file: includes $first before its own header"
    done
done

# home_of HEADER FILES: the header is included only in these files; both are patterns of grep.
home_of() {
    header=$1
    files=$2
    found=$(grep -l "^ *# *include *<$header>" base/*.[ch] core/*.[ch] db/*.[ch] importers/*.[ch] \
        server/*.[ch] api/*.[ch] cli/*.[ch] 2>/dev/null || true)
    for file in $found; do
        echo "$file" | grep -qx "$files" || complain "$file: <$header> belongs in $files"
    done
}

home_of 'microhttpd.h' 'server/mhd.*'
home_of 'gnutls/.*' 'server/tls.[ch]'
home_of 'sqlite3.h' 'db/.*'
home_of 'yaml.h' 'importers/yaml_tree.c'
home_of 'curl/.*' 'importers/fetch.c'
home_of 'jansson.h' 'base/json_read.[ch]'
home_of 'nettle/.*' 'base/\(hash\|base64\).c'
home_of 'zlib.h' 'server/gzip.c'
exit $status
