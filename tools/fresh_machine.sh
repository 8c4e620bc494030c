#!/bin/bash
# Tries the README on a machine that has nothing: a bare Debian 12 in a folder, with a fresh clone of
# HEAD, where `make run` must serve and `make test` must pass.
#
#   sudo tools/fresh_machine.sh [run] [test]      both, unless one is named
#
# Needs root, debootstrap, curl and util-linux. The Debian mirror, proxies, certificates and name
# servers are those of this machine. The bare root is kept as build/fresh/bare.tar for the next time;
# all else is removed at the end, and what runs in it dies with this script.
set -eu
cd "$(dirname "$0")/.."

release=bookworm
cache=build/fresh/bare.tar
mkdir -p build/fresh
root=$(mktemp -d "$PWD/build/fresh/root.XXXXXX")
child=''

# End what in_root runs in the background: its shell waits for unshare, and all dies with that one.
end_child() {
    [ -n "$child" ] || return 0
    pkill -KILL -P "$child" || true
    wait "$child" 2>/dev/null || true
    child=''
}

clean_up() {
    end_child
    rm -rf --one-file-system "$root"
}
trap clean_up EXIT
trap 'exit 130' INT TERM HUP

say() {
    printf '== %s\n' "$*"
}

die() {
    printf 'fresh_machine.sh: %s\n' "$*" >&2
    exit 1
}

# Run a command in the root, in namespaces of its own, so that no mount and no process outlives it.
# It has processes, terminals and shared memory, as every machine has.
in_root() {
    local script
    script=$(
        cat <<'EOF'
mount -t proc proc "$0/proc" && mount -t devpts -o newinstance,ptmxmode=0666 devpts "$0/dev/pts" &&
    mount --bind "$0/dev/pts/ptmx" "$0/dev/ptmx" && mount -t tmpfs tmpfs "$0/dev/shm" && root=$0 && exec chroot "$root" /usr/bin/env -C /srv/openrecipes \
    PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root "$@"
EOF
    )
    unshare --mount --pid --fork --kill-child -- sh -c "$script" "$root" "$@"
}

# The Debian archives that this machine uses, each as "URI suite"; nothing where apt knows none.
debian_archives() {
    apt-get indextargets --format "\$(REPO_URI) \$(RELEASE)" 'Created-By: Packages' 'Origin: Debian' \
        'Component: main' 2>/dev/null | grep " $release" | sort -u || true
}

make_bare_root() {
    local bare="$root.bare" mirror
    mirror=$(debian_archives | awk -v suite="$release" '$2 == suite { print $1; exit }')
    say "debootstrap $release ${mirror:-from its default mirror}"
    debootstrap --variant=minbase --include=git,make,ca-certificates "$release" "$bare" ${mirror:+"$mirror"} \
        >build/fresh/debootstrap.log 2>&1 || die "see build/fresh/debootstrap.log"
    rm -rf "$bare"/var/cache/apt/archives/*.deb
    tar -C "$bare" -cf "$cache.new" .
    mv "$cache.new" "$cache"
    rm -rf --one-file-system "$bare"
}

# Give the root the way to the network that this machine has.
connect_root() {
    debian_archives | while read -r uri suite; do
        echo "deb $uri $suite main"
    done >"$root/etc/apt/sources.list.new"
    [ ! -s "$root/etc/apt/sources.list.new" ] ||
        mv "$root/etc/apt/sources.list.new" "$root/etc/apt/sources.list"
    rm -f "$root/etc/apt/sources.list.new"
    apt-config dump | grep -iE '^Acquire::.*proxy' >"$root/etc/apt/apt.conf.d/90proxy" || true
    cp -L /etc/resolv.conf /etc/hosts "$root/etc/"
    if [ -d /usr/local/share/ca-certificates ]; then
        cp -RL /usr/local/share/ca-certificates "$root/usr/local/share/"
        in_root update-ca-certificates >/dev/null 2>&1
    fi
}

# `make run` for one who may not install: it must say what to do, and fail.
try_without_rights() {
    local out=build/fresh/nobody.log
    if in_root setpriv --reuid=65534 --regid=65534 --clear-groups make run >"$out" 2>&1; then
        die "make run without rights succeeded, with nothing installed"
    fi
    grep -q 'apt-get install' "$out" || die "make run without rights does not say what to install"
    say "make run as nobody:"
    cat "$out"
}

# `make run` until it answers, on a port that the system gives.
try_run() {
    local out=build/fresh/run.log url='' start=$SECONDS
    : >"$out"
    in_root LISTEN=127.0.0.1:0 make run >"$out" 2>&1 &
    child=$!
    while [ -z "$url" ]; do
        kill -0 "$child" 2>/dev/null || { tail -n 40 "$out"; die 'make run ended'; }
        [ $((SECONDS - start)) -lt 1200 ] || { tail -n 40 "$out"; die 'make run takes too long'; }
        sleep 0.2
        url=$(sed -n 's/^listening on //p' "$out")
    done
    curl --noproxy '*' -fsS "$url/models/gemma-4-31b/h100" >build/fresh/answer.json
    say "make run answered after $((SECONDS - start)) s:"
    tail -n 12 "$out"
    head -c 400 build/fresh/answer.json
    echo
    end_child
}

try_test() {
    local out=build/fresh/test.log start=$SECONDS code=0
    in_root make test >"$out" 2>&1 || code=$?
    say "make test ended with $code after $((SECONDS - start)) s:"
    grep -v '^\(gcc\|clang\|ar\) ' "$out" | tail -n 60
    return "$code"
}

[ "$(id -u)" -eq 0 ] || die 'needs root'
[ $# -gt 0 ] || set -- run test
[ -e "$cache" ] || make_bare_root
tar -C "$root" -xf "$cache"
git clone -q --no-hardlinks "file://$PWD" "$root/srv/openrecipes"
git -C "$root/srv/openrecipes" checkout -q --detach "$(git rev-parse HEAD)"
connect_root
for step in "$@"; do
    case $step in
    run)
        try_without_rights
        try_run
        try_run
        ;;
    test) try_test ;;
    *) die "$step is neither run nor test" ;;
    esac
done
