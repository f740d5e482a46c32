#!/usr/bin/env bash
# Compiles all C of Sources for Linux on ARM64 (aarch64), with the toolchain's clang and the headers of Debian's packages for
# that architecture, and checks that the filter of system calls is for it. Links and runs nothing: a Swift toolchain for one
# architecture has no standard library of another.
#
#   aarch64.sh FOLDER
#
# apt downloads the headers with its configuration and caches inside FOLDER, as Packaging/private-apt.sh explains.
set -euo pipefail
mkdir -p "$1"
folder=$(realpath "$1")
project=$(cd "$(dirname "$0")/../.." && pwd)

fail() {
    printf 'aarch64.sh: %s\n' "$*" >&2
    exit 1
}
. "$project/Packaging/private-apt.sh"

swift=$(realpath "$(command -v swift)")
clang=${swift%/*}/clang
[ -x "$clang" ] || fail "there is no clang beside $swift"
private_apt "$folder/apt" "$(system_release)" arm64 deb
download_packages "$folder/apt" libc6-dev linux-libc-dev libssl-dev libsqlite3-dev libpq-dev
root=$folder/root
unpack_packages "$folder/apt" "$root"

compile() { # SOURCE OBJECT
    "$clang" --target=aarch64-linux-gnu --sysroot="$root" -isystem "$root/usr/include/aarch64-linux-gnu" \
        -isystem "$root/usr/include/postgresql" \
        -I "$project/Sources/Core/CApplePayOpenSSL" -I "$project/Sources/Core/CApplePaySystem/include" \
        -I "$project/Sources/Programs/CPaytoken/include" \
        -std=gnu17 -O2 -Wall -Wextra -Werror -c "$1" -o "$2"
}

objects=$folder/objects
rm -rf "$objects"
mkdir "$objects"
count=0
while read -r source; do
    object=$objects/$(basename "$source" .c).o
    compile "$source" "$object"
    # ELF's machine is at the offset 18; 183 is AArch64.
    machine=$(od -An -t u2 -j 18 -N 2 "$object" | tr -d ' ')
    [ "$machine" = 183 ] || fail "$object is for the machine $machine"
    count=$((count + 1))
done < <(find "$project/Sources" -name '*.c' | sort)
# The modules of the system's libraries have headers only, with functions in them.
while read -r header; do
    printf '#include "%s"\n' "$header" > "$objects/header.c"
    compile "$objects/header.c" "$objects/header.o"
    count=$((count + 1))
done < <(find "$project/Sources" -name '*.h' ! -path '*/include/*' ! -name commit.h | sort)
[ "$count" -ge 10 ] || fail "only $count files"

# Without this definition, the filter of system calls would be left out.
definitions=$("$clang" --target=aarch64-linux-gnu --sysroot="$root" -isystem "$root/usr/include/aarch64-linux-gnu" \
    -I "$project/Sources/Programs/CPaytoken/include" -dM -E "$project/Sources/Programs/CPaytoken/system_calls.c")
grep -qx '#define THIS_ARCHITECTURE AUDIT_ARCH_AARCH64' <<< "$definitions" || fail 'there is no filter of system calls for aarch64'
echo "$count files compile for aarch64"
