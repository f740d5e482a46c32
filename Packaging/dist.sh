#!/usr/bin/env bash
# Creates the packages of a release for this machine's architecture, and their SHA-256 sums.
#
#   dist.sh PAYTOKEN FOLDER
#
# PAYTOKEN is a release build with a static standard library. FOLDER receives paytoken_VERSION_ARCHITECTURE.deb,
# paytoken-VERSION-linux-MACHINE.tar.gz and SHA256SUMS. All times in them are SOURCE_DATE_EPOCH, by default the time of
# the commit, so the same binary always gives the same packages.
set -euo pipefail
umask 022
paytoken=$1
mkdir -p "$2"
dist=$(cd "$2" && pwd)
packaging=$(cd "$(dirname "$0")" && pwd)

fail() {
    printf 'dist.sh: %s\n' "$*" >&2
    exit 1
}
for program in dpkg-deb dpkg-shlibdeps strip; do
    command -v "$program" > /dev/null || fail "$program is missing; install dpkg-dev and binutils"
done
! ldd "$paytoken" | grep -q libswiftCore || fail "$paytoken needs Swift's libraries; build it with --static-swift-stdlib"

SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git -C "$packaging" log -1 --format=%ct)}
export SOURCE_DATE_EPOCH
version=$("$paytoken" --version | sed -n '1s/^paytoken \([^ ]*\) .*/\1/p')
architecture=$(dpkg --print-architecture)
name=paytoken-$version-linux-$(uname -m)
deb=paytoken_${version}_$architecture.deb
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
strip -o "$work/paytoken" "$paytoken"

# The archive contains bin and share, and can be unpacked into /usr/local.
"$packaging/install.sh" "$work/paytoken" "$work/$name"
tar -C "$work" --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner --format=ustar -cf - "$name" |
    gzip -9n > "$dist/$name.tar.gz"

# The package, with files where Debian expects them.
root=$work/root
share=$root/usr/share
"$packaging/install.sh" "$work/paytoken" "$root/usr"
mv "$share/zsh/site-functions" "$share/zsh/vendor-completions"
mv "$share/doc/paytoken/CHANGELOG.md" "$share/doc/paytoken/changelog"
rm "$share/doc/paytoken/LICENSE"
install -m 644 "$packaging/copyright" "$share/doc/paytoken/copyright"
gzip -9n "$share/doc/paytoken/changelog" "$share"/man/man1/*

# dpkg-shlibdeps finds the packages of the libraries that the binary links; it wants a source package's control file.
mkdir "$work/debian" "$root/DEBIAN"
printf 'Source: paytoken\n\nPackage: paytoken\nArchitecture: any\n' > "$work/debian/control"
depends=$(cd "$work" && dpkg-shlibdeps -O root/usr/bin/paytoken | sed -n 's/^shlibs:Depends=//p')
case "$depends" in *libssl3*) ;; *) fail "no dependency on libssl3: $depends" ;; esac
cat > "$root/DEBIAN/control" <<CONTROL
Package: paytoken
Version: $version
Architecture: $architecture
Maintainer: $(git -C "$packaging" log -1 --format='%an <%ae>')
Installed-Size: $(du -sk --apparent-size "$root/usr" | cut -f 1)
Depends: $depends
Section: utils
Priority: optional
Description: verifies and decrypts Apple Pay payment tokens
 paytoken verifies that an Apple Pay payment token comes from Apple, is
 fresh and is meant for the merchant. It decrypts the token with the
 merchant's key, claims its transaction once, writes the requests of ten
 payment gateways, and reads their answers.
CONTROL
(cd "$root" && find usr -type f -print0 | LC_ALL=C sort -z | xargs -0 md5sum) > "$root/DEBIAN/md5sums"
find "$root" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +
# One thread, because the output of xz depends on their number.
DPKG_DEB_THREADS_MAX=1 dpkg-deb --root-owner-group -Zxz --build "$root" "$dist/$deb" > /dev/null

(cd "$dist" && sha256sum "$deb" "$name.tar.gz" | tee SHA256SUMS)
