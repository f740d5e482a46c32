#!/usr/bin/env bash
# Creates the packages of a release for this machine's architecture, the files about them, and their SHA-256 sums.
#
#   dist.sh PROGRAMS FOLDER
#
# PROGRAMS is the folder of release builds, with a static standard library, of paytoken, paytokend, paytoken-testing and
# gateway-sandbox.
# FOLDER receives NAME_VERSION_ARCHITECTURE.deb and NAME-VERSION-linux-MACHINE.tar.gz for two NAMEs, the files of inventory.py
# about them, and SHA256SUMS of all that it contains. One NAME is paytoken-testing; the other is paytoken, or with the ledger in
# PostgreSQL paytoken-postgresql. All times are SOURCE_DATE_EPOCH, by default the time of the commit. The same commit, toolchain
# and packages of Debian always give the same bytes (Tests/Integration/reproducible.sh).
set -euo pipefail
umask 022
export LC_ALL=C
programs=$(cd "$1" && pwd)
mkdir -p "$2"
dist=$(cd "$2" && pwd)
packaging=$(cd "$(dirname "$0")" && pwd)
project=$(dirname "$packaging")

fail() {
    printf 'dist.sh: %s\n' "$*" >&2
    exit 1
}
for program in dpkg-deb dpkg-shlibdeps objcopy objdump python3 strings; do
    command -v "$program" > /dev/null || fail "$program is missing; install dpkg-dev, binutils and python3"
done
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git -C "$packaging" log -1 --format=%ct)}
export SOURCE_DATE_EPOCH
maintainer=$(git -C "$packaging" log -1 --format='%an <%ae>')
version=$("$programs/paytoken" --version | sed -n '1s/^paytoken \([^ ]*\) .*/\1/p')
architecture=$(dpkg --print-architecture)
machine=$(uname -m)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

mkdir "$work/bin"
for program in paytoken paytokend paytoken-testing gateway-sandbox; do
    ldd "$programs/$program" > "$work/libraries"
    ! grep -q libswiftCore "$work/libraries" || fail "$program needs Swift's libraries; build it with --static-swift-stdlib"
    # The interfaces of the modules, for debuggers, and hashes of the modules depend on the paths of the build. The hashes are
    # overwritten: without their section, the program would lose the protection of its relocations (GNU_RELRO).
    objcopy --dump-section ".swift_modhash=$work/hashes" "$programs/$program" "$work/copy"
    head -c "$(stat -c %s "$work/hashes")" /dev/zero > "$work/zeros"
    objcopy --strip-all --remove-section=.swift_ast --update-section ".swift_modhash=$work/zeros" "$programs/$program" "$work/bin/$program"
    strings -a "$work/bin/$program" > "$work/strings"
    ! grep -F -e "$project/" -e "$programs/" "$work/strings" || fail "$program contains these paths of the build"
done

# A function in C with an array on the stack checks whether something was written beyond it.
objdump --disassemble=CPaytoken_filter_system_calls "$programs/paytokend" | grep __stack_chk_fail > /dev/null ||
    fail 'paytokend is built without a stack protector: build it with -Xcc -fstack-protector-strong'

# archive NAME: the files below $work/NAME, which can be unpacked into /usr/local.
archive() {
    local name=$1-$version-linux-$machine
    install -D -m 644 -t "$work/$1/share/doc/${1%-postgresql}" "$packaging/copyright"
    mv "$work/$1" "$work/$name"
    tar -C "$work" --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner --format=ustar -cf - "$name" |
        gzip -9n > "$dist/$name.tar.gz"
}

# The dependencies of the programs below $work/root. dpkg-shlibdeps wants a source package's control file.
mkdir "$work/debian"
printf 'Source: paytoken\n\nPackage: paytoken\nArchitecture: any\n' > "$work/debian/control"
dependencies() {
    (cd "$work" && dpkg-shlibdeps -O root/usr/bin/* | sed -n 's/^shlibs:Depends=//p')
}

# installed_size FOLDER: the KiB of its files; du would also count folders, whose sizes depend on the file system.
installed_size() {
    find "$1" -type f -printf '%s\n' | awk '{ sum += int(($1 + 1023) / 1024) } END { print sum }'
}

# deb NAME: the package of the files below $work/root; standard input has more fields of its control file.
deb() {
    local root=$work/root
    local documents=$root/usr/share/doc/$1
    install -D -m 644 "$packaging/copyright" "$documents/copyright"
    install -m 644 "$project/CHANGELOG.md" "$documents/changelog"
    gzip -9n "$documents/changelog" "$root"/usr/share/man/man1/*
    mkdir -p "$root/DEBIAN"
    {
        printf 'Package: %s\nVersion: %s\nArchitecture: %s\n' "$1" "$version" "$architecture"
        printf 'Maintainer: %s\nInstalled-Size: %s\n' "$maintainer" "$(installed_size "$root/usr")"
        printf 'Section: utils\nPriority: optional\n'
        cat
    } > "$root/DEBIAN/control"
    (cd "$root" && find usr -type f -print0 | LC_ALL=C sort -z | xargs -0 md5sum) > "$root/DEBIAN/md5sums"
    find "$root" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +
    # One thread, because the output of xz depends on their number.
    DPKG_DEB_THREADS_MAX=1 dpkg-deb --root-owner-group -Zxz --build "$root" "$dist/$1_${version}_$architecture.deb" > /dev/null
    rm -rf "$root"
}

# paytoken: the files of `make install` where Debian expects them, and the units of systemd with the scripts that create their users.
root=$work/root
"$packaging/install.sh" "$work/bin" "$root/usr"
depends=$(dependencies)
for library in libssl3 libsqlite3-0; do
    case "$depends" in *$library*) ;; *) fail "no dependency on $library: $depends" ;; esac
done
case "$depends" in
*libpq5*)
    name=paytoken-postgresql
    others=$(printf '%s: paytoken\n' Conflicts Replaces && echo "Provides: paytoken (= $version)")
    ledgers='an SQLite or a PostgreSQL'
    ;;
*)
    name=paytoken
    others=$(printf '%s: paytoken-postgresql\n' Conflicts Replaces)
    ledgers='an SQLite'
    ;;
esac
"$packaging/install.sh" "$work/bin" "$work/$name"
archive "$name"
mv "$root/usr/share/zsh/site-functions" "$root/usr/share/zsh/vendor-completions"
rm "$root/usr/share/doc/paytoken/LICENSE" "$root/usr/share/doc/paytoken/CHANGELOG.md"
install -D -m 644 -t "$root/usr/lib/systemd/system" "$packaging"/systemd/*.service "$packaging"/systemd/*.socket "$packaging"/systemd/*.timer
install -D -m 644 "$packaging/systemd/paytoken.sysusers" "$root/usr/lib/sysusers.d/paytoken.conf"
install -D -m 755 -t "$root/DEBIAN" "$packaging/preinst" "$packaging/postinst" "$packaging/prerm" "$packaging/postrm"
deb "$name" <<CONTROL
Depends: $depends, adduser
Recommends: ca-certificates
$others
Description: verifies, decrypts and charges Apple Pay payment tokens
 paytoken verifies that an Apple Pay payment token comes from Apple, is
 fresh and is meant for the merchant. It decrypts the token with the
 merchant's key, claims its transaction once in $ledgers
 ledger, charges the order at one of ten payment gateways, and recovers
 payments whose answers were lost. As a service it does so for programs
 in every language.
CONTROL

# paytoken-testing: what takes the place of Apple and of a gateway in tests.
"$packaging/install-program.sh" "$work/bin/paytoken-testing" "$root/usr"
install -D -m 755 -t "$root/usr/bin" "$work/bin/gateway-sandbox"
install -D -m 644 -t "$root/usr/share/man/man1" "$packaging/gateway-sandbox.1"
cp -R "$root/usr" "$work/paytoken-testing"
mv "$root/usr/share/zsh/site-functions" "$root/usr/share/zsh/vendor-completions"
install -D -m 644 -t "$work/paytoken-testing/share/doc/paytoken-testing" "$project/LICENSE"
archive paytoken-testing
deb paytoken-testing <<CONTROL
Depends: $(dependencies)
Recommends: paytoken
Description: makes Apple Pay test tokens and simulates payment gateways
 paytoken-testing makes certificates and payment tokens that no production
 verifier trusts, and judges verifiers. gateway-sandbox answers the requests of ten payment
 gateways on this machine. Together they let a shop that uses paytoken be
 tested without Apple and without a gateway.
CONTROL

"$packaging/inventory.py" "$programs" "$dist" "$name" paytoken-testing
"$packaging/sums.sh" "$dist"
