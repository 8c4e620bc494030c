#!/bin/bash
# Builds the image of docker/Dockerfile without Docker, and tries what is in it: it imports, its health
# check passes, its server answers, as a user who is not root.
#
#   sudo tools/image.sh
#
# Needs root, buildah, debootstrap and curl. The base is a bare Debian 12 made by debootstrap, which is
# committed under the Dockerfile's base name; build/fresh/bare.tar is taken if tools/fresh_machine.sh
# left it. The Debian mirror, proxies and certificates are those of this machine. All is kept below
# build/image, and removed at the end but for the log.
set -eu
cd "$(dirname "$0")/.."

release=bookworm
base=docker.io/library/debian:12-slim
log=$PWD/build/image.log
work=$PWD/build/image
bare=build/fresh/bare.tar
child=''
export BUILDAH_ISOLATION=chroot

say() {
    printf '== %s\n' "$*"
}

die() {
    printf 'image.sh: %s; see %s\n' "$*" "$log" >&2
    exit 1
}

buildah_here() {
    buildah --root "$work/storage" --runroot "$work/run" --storage-driver vfs "$@"
}

clean_up() {
    [ -z "$child" ] || kill -TERM "$child" 2>/dev/null || true
    buildah_here umount --all >/dev/null 2>&1 || true
    rm -rf --one-file-system "$work"
}
trap clean_up EXIT
trap 'exit 130' INT TERM HUP

# Put the way to the network that this machine has into the base: the mirror, proxies, certificates.
connect_base() {
    local root=$1
    apt-get indextargets --format "deb \$(REPO_URI) \$(RELEASE) main" 'Created-By: Packages' \
        'Origin: Debian' 'Component: main' 2>/dev/null | grep " $release" | sort -u \
        >"$root/etc/apt/sources.list.new" || true
    [ ! -s "$root/etc/apt/sources.list.new" ] ||
        cp "$root/etc/apt/sources.list.new" "$root/etc/apt/sources.list"
    rm -f "$root/etc/apt/sources.list.new"
    apt-config dump | grep -iE '^Acquire::.*proxy' >"$root/etc/apt/apt.conf.d/90proxy" || true
    cp -L /etc/resolv.conf "$root/etc/"
    cp -L /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/" 2>/dev/null || true
}

make_base() {
    local container root
    container=$(buildah_here from scratch)
    root=$(buildah_here mount "$container")
    if [ -e "$bare" ]; then
        tar -C "$root" -xf "$bare"
    else
        debootstrap --variant=minbase --include=ca-certificates "$release" "$root" >>"$log" 2>&1
    fi
    connect_base "$root"
    buildah_here umount "$container" >/dev/null
    buildah_here commit -q --rm "$container" "$base" >>"$log" 2>&1
}

# What is committed, and nothing that lies about.
build_image() {
    mkdir -p "$work/context"
    git archive HEAD | tar -C "$work/context" -xf -
    buildah_here bud -q --format docker --pull-never -f docker/Dockerfile -t openrecipes "$work/context" \
        >>"$log" 2>&1 || die 'the build failed'
}

# Run a command in a container of the image, on this machine's network.
in_image() {
    local container=$1
    shift
    buildah_here run --user openrecipes "$container" -- "$@"
}

free_port() {
    python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'
}

try_image() {
    local container checker port command start=$SECONDS
    container=$(buildah_here from --pull-never openrecipes)
    checker=$(buildah_here from --pull-never openrecipes)
    in_image "$checker" id -u | grep -vqx 0 || die 'it runs as root'
    port=$(free_port)
    in_image "$container" sh -c "openrecipes import --prune /usr/share/openrecipes/catalog \
        /usr/share/openrecipes/recipes && exec openrecipes serve --listen 127.0.0.1:$port" \
        >>"$log" 2>&1 &
    child=$!
    until curl --noproxy '*' -fsS "http://127.0.0.1:$port/readyz" 2>/dev/null; do
        kill -0 "$child" 2>/dev/null || die 'the server ended'
        [ $((SECONDS - start)) -lt 300 ] || die 'the server does not answer'
        sleep 0.5
    done
    curl --noproxy '*' -fsS "http://127.0.0.1:$port/models/gemma-4-31b/h100" >build/image-answer.json
    grep -q '"recipe":"attune-tp2-pp4-split13"' build/image-answer.json || die 'the answer is wrong'
    # The health check of the Dockerfile, at this port; and at one where nobody is, it must fail.
    command=$(sed -n 's/^ *"exec 3<>\(.*\)"\]$/exec 3<>\1/p' docker/Dockerfile | sed 's/\\\\/\\/g')
    [ -n "$command" ] || die 'the Dockerfile has no health check that is known here'
    in_image "$checker" bash -c "${command//8080/$port}" || die 'the health check fails'
    ! in_image "$checker" bash -c "${command//8080/$(free_port)}" 2>/dev/null ||
        die 'the health check never fails'
    kill -TERM "$(pgrep -f "^openrecipes serve --listen 127.0.0.1:$port" | head -n 1)"
    wait "$child" || die 'the server did not end well'
    child=''
    say "an import, /readyz, a ranking and the health check inside of it took $((SECONDS - start)) s"
}

[ "$(id -u)" -eq 0 ] || die 'needs root'
rm -rf --one-file-system "$work"
mkdir -p "$work"
: >"$log"
say "the base: a bare Debian 12 as $base"
make_base
say 'buildah bud --pull-never -f docker/Dockerfile'
build_image
buildah_here images
try_image
