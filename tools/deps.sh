#!/bin/sh
# Installs the Debian packages that are missing: tools/deps.sh build|test|image|lint ...
# Asks dpkg first, so that a machine that has them all waits for nothing.
set -eu

build='gcc libc6-dev pkg-config libmicrohttpd-dev libgnutls28-dev libsqlite3-dev libjansson-dev libyaml-dev
libcurl4-openssl-dev zlib1g-dev nettle-dev'
test='clang libclang-rt-14-dev libcmocka-dev curl jq python3 python3-jsonschema python3-yaml procps
locales prometheus nginx-light openssl binutils'
image='buildah debootstrap curl python3'
lint='clang-format clang-tidy cppcheck shellcheck'

wanted=''
for group in "$@"; do
    case $group in
    build) wanted="$wanted $build" ;;
    test) wanted="$wanted $test" ;;
    image) wanted="$wanted $image" ;;
    lint) wanted="$wanted $lint" ;;
    *) echo "deps.sh: $group is none of build, test, image, lint" >&2; exit 2 ;;
    esac
done

missing=''
for package in $wanted; do
    state=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)
    [ "$state" = installed ] || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

as_root=''
if [ "$(id -u)" -ne 0 ]; then
    if command -v sudo >/dev/null && sudo -n true 2>/dev/null; then
        as_root='sudo'
    else
        cat >&2 <<EOF
These Debian packages are missing, and installing them needs root rights:
   $missing
Run this once, then the same make command again:
    su -c 'apt-get update && apt-get install -y --no-install-recommends$missing'
EOF
        exit 1
    fi
fi

echo "installing:$missing"
export DEBIAN_FRONTEND=noninteractive
# shellcheck disable=SC2086  # the lists are split into words on purpose
$as_root apt-get update -qq
# shellcheck disable=SC2086
$as_root apt-get install -y -qq --no-install-recommends $missing >/dev/null
