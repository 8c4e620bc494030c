#!/bin/sh
# Names the sources that are built: their commit, and a hash of what differs from it. Texts that an
# import made are trusted by the program with the same name only.
set -eu
id=$(git describe --always --dirty 2>/dev/null) || id=unknown
case $id in
*-dirty)
    changes=$({
        git diff HEAD
        git ls-files --others --exclude-standard -z | xargs -0r cat
    } | sha256sum | cut -c 1-8)
    id=$id-$changes
    ;;
esac
echo "$id"
