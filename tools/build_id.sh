#!/bin/sh
# Names the sources that are built: their commit, and a hash of what differs from it; without git, as
# in an image's build, a hash of all. Texts that an import made are trusted by the program with the
# same name only.
set -eu
hash() {
    sha256sum | cut -c 1-8
}
if ! id=$(git describe --always --dirty 2>/dev/null); then
    echo "unknown-$(find . \( -name build -o -name var -o -name node_modules -o -name .git \) -prune \
        -o -type f -print0 | LC_ALL=C sort -z | xargs -0r sha256sum | hash)"
    exit
fi
case $id in
*-dirty)
    changes=$({
        git diff HEAD
        git ls-files --others --exclude-standard -z | xargs -0r cat
    } | hash)
    id=$id-$changes
    ;;
esac
echo "$id"
