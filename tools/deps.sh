#!/bin/bash
# Installs the Debian packages that are missing: tools/deps.sh build|test|image|lint|fuzz|bench ...
# Asks dpkg first, so that a machine that has them all waits for nothing.
set -eu

build=(gcc libc6-dev pkg-config libmicrohttpd-dev libgnutls28-dev libsqlite3-dev libjansson-dev
    libyaml-dev libcurl4-openssl-dev zlib1g-dev nettle-dev curl jq)
test=(clang libclang-rt-14-dev libcmocka-dev python3 python3-jsonschema python3-yaml procps
    locales nodejs npm chromium fonts-dejavu-core python3-pandas prometheus nginx-light openssl
    binutils)
image=(buildah debootstrap curl python3)
lint=(clang-format clang-tidy cppcheck shellcheck)
fuzz=(afl++)
bench=(nginx-light nodejs npm procps python3 time util-linux)

wanted=()
for group in "$@"; do
    case $group in
    build) wanted+=("${build[@]}") ;;
    test) wanted+=("${test[@]}") ;;
    image) wanted+=("${image[@]}") ;;
    lint) wanted+=("${lint[@]}") ;;
    fuzz) wanted+=("${fuzz[@]}") ;;
    bench) wanted+=("${bench[@]}") ;;
    *) echo "deps.sh: $group is none of build, test, image, lint, fuzz, bench" >&2; exit 2 ;;
    esac
done

missing=()
for package in "${wanted[@]}"; do
    # A Node.js from elsewhere brings npm with it, and refuses Debian's.
    [ "$package" != npm ] || ! command -v npm >/dev/null || continue
    state=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)
    [ "$state" = installed ] || missing+=("$package")
done
[ "${#missing[@]}" -gt 0 ] || exit 0

as_root=()
if [ "$(id -u)" -ne 0 ]; then
    if command -v sudo >/dev/null && sudo -n true 2>/dev/null; then
        as_root=(sudo)
    else
        cat >&2 <<EOF
These Debian packages are missing, and installing them needs root rights:
    ${missing[*]}
Run this once, then the same make command again:
    su -c 'apt-get update && apt-get install -y --no-install-recommends ${missing[*]}'
EOF
        exit 1
    fi
fi

echo "installing: ${missing[*]}"
export DEBIAN_FRONTEND=noninteractive
"${as_root[@]}" apt-get update -qq
"${as_root[@]}" apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
