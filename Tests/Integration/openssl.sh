#!/usr/bin/env bash
# Compares the verdicts of paytoken-testing, and what paytoken reads, with this system's OpenSSL and with the OpenSSL of another Debian release:
# on every conformance case, and on every key file of the test vectors, byte for byte.
#
#   openssl.sh PROGRAMS FOLDER
#
# apt downloads the release's C library and libcrypto, with its configuration and caches inside FOLDER, and the script
# unpacks them there, without changing this system. Packaging/private-apt.sh explains which mirror it uses. DEBIAN_RELEASE
# and OPENSSL_RELEASE set the release, and the version of OpenSSL that it must contain.
set -euo pipefail
programs=$(realpath "$1")
mkdir -p "$2"
folder=$(realpath "$2")
release=${DEBIAN_RELEASE:-trixie}
expected=${OPENSSL_RELEASE:-3.5}
packages=(libssl3t64 openssl-provider-legacy libsqlite3-0 libc6 libstdc++6 libgcc-s1 zlib1g libzstd1)
project=$(cd "$(dirname "$0")/../.." && pwd)

fail() {
    printf 'openssl.sh: %s\n' "$*" >&2
    exit 1
}
. "$project/Packaging/private-apt.sh"
apt=$folder/apt
private_apt "$apt" "$release" "$(dpkg --print-architecture)" deb
download_packages "$apt" "${packages[@]}"
root=$folder/root
unpack_packages "$apt" "$root"
(cd "$apt/packages" && ls)

libcrypto=$(echo "$root"/usr/lib/*/libcrypto.so.3)
libraries=${libcrypto%/*}
[ -e "$libcrypto" ] || fail "the packages of $release contain no libcrypto.so.3"
loader=$(echo "$libraries"/ld-linux*.so.*)
[ -e "$loader" ] || fail "the packages of $release contain no loader"

here() { "$programs/$1" "${@:2}"; }
there() {
    OPENSSL_MODULES=$libraries/ossl-modules OPENSSL_CONF=/dev/null \
        "$loader" --library-path "$libraries" "$programs/$1" "${@:2}"
}

# Writes the verdicts on a folder of conformance cases, and a list of the objects that the loader loaded for them.
answers=$folder/answers
rm -rf "$answers"
mkdir "$answers"
judge() { # here|there, FOLDER OF CASES, NAME
    LD_DEBUG=libs LD_DEBUG_OUTPUT=$answers/$3.$1.loader "$1" paytoken-testing conform "$2/cases.jsonl" \
        --trust-anchor "$2/pki/root.pem" --keys "$2/keys" > "$answers/$3.$1"
    sed -n 's/.*calling init: //p' "$answers/$3.$1".loader.* | sort -u > "$answers/$3.$1.objects"
}

# Writes the results of reading each key file: standard output, the messages, and the exit status.
read_keys() { # here|there
    printf 'apple-pay\n' > "$folder/passphrase"
    local file code
    for file in "$project"/TestVectors/key-files/*/*.*; do
        code=0
        "$1" paytoken keys list --json --at 2026-05-04T09:30:00Z --keys "$file" --passphrase-file "$folder/passphrase" 2>&1 || code=$?
        printf '%s: exit %s\n' "${file##*/}" "$code"
    done > "$answers/key-files.$1"
}

# Prints the path of the loaded libcrypto, and the version that it reports.
loaded() { grep -E '/libcrypto\.so\.3$' "$1" || fail "no libcrypto was loaded"; }
version() { grep -aoE 'OpenSSL [0-9]+\.[0-9]+\.[0-9]+[^ ]* [0-9]{1,2} [A-Z][a-z]{2} [0-9]{4}' "$1" | head -n 1; }

status=0
compare() { # NAME
    local count
    count=$(wc -l < "$answers/$1.here")
    [ "$count" -gt 0 ] || fail "$1: no answers"
    if cmp -s "$answers/$1.here" "$answers/$1.there"; then
        printf '%-12s %5d lines, all equal\n' "$1" "$count"
    else
        printf '%-12s %5d lines here, %d there; they differ:\n' "$1" "$count" "$(wc -l < "$answers/$1.there")"
        diff "$answers/$1.here" "$answers/$1.there" | cut -c 1-200 | head -n 20 || true
        status=1
    fi
}

sets=(synthetic)
judge here "$project/TestVectors/synthetic" synthetic
judge there "$project/TestVectors/synthetic" synthetic
shared=$project/../shared/conformance
if [ -e "$shared/cases.jsonl" ]; then
    sets+=(shared)
    judge here "$shared" shared
    judge there "$shared" shared
fi
read_keys here
read_keys there

objects=$(loaded "$answers/synthetic.here.objects")
printf 'here:  %s from %s\n' "$(version "$objects")" "$objects"
for name in "${sets[@]}"; do
    if grep -v "^$root/" "$answers/$name.there.objects"; then
        fail "the objects above were loaded from this system, not from $release"
    fi
    objects=$(loaded "$answers/$name.there.objects")
    found=$(version "$objects")
done
printf 'there: %s from %s\n' "$found" "$objects"
case $found in
    "OpenSSL $expected."*) ;;
    *) fail "the libcrypto of $release is $found, not OpenSSL $expected" ;;
esac
for name in "${sets[@]}" key-files; do compare "$name"; done
[ -e "$shared/cases.jsonl" ] || echo 'skipped: ../shared/conformance is not here'
exit "$status"
