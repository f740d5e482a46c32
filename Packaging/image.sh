#!/usr/bin/env bash
# Creates the files of a container image without a shell, from a package of `make dist` and Debian's packages.
#
#   image.sh DEB FOLDER
#
# DEB is paytoken_VERSION_ARCHITECTURE.deb or paytoken-postgresql_VERSION_ARCHITECTURE.deb, built on this release of Debian.
# FOLDER receives root.tar and a Containerfile, for `podman build FOLDER` or `docker build -f FOLDER/Containerfile FOLDER`, and
# packages.txt with the version of each package inside. apt downloads them, with its configuration and caches in FOLDER/apt, as
# private-apt.sh explains, and their scripts are not run. The same packages always give the same root.tar.
set -euo pipefail
umask 022
deb=$(realpath "$1")
mkdir -p "$2"
folder=$(realpath "$2")
packaging=$(cd "$(dirname "$0")" && pwd)

fail() {
    printf 'image.sh: %s\n' "$*" >&2
    exit 1
}
. "$packaging/private-apt.sh"

architecture=$(dpkg-deb --field "$deb" Architecture)
private_apt "$folder/apt" "$(system_release)" "$architecture" deb

# The libraries of the package and those that they need, and the authorities of TLS. debconf asks the person who installs, openssl
# is the command, and adduser creates the user, which this script does. base-files has the name of the release, for scanners.
wanted=$(dpkg-deb --field "$deb" Depends | tr ',' '\n' | sed -E 's/^ *([^ ]+).*/\1/' | grep -vx adduser)
# shellcheck disable=SC2086 # One word for each package.
packages=$(APT_CONFIG=$folder/apt/apt.conf apt-get --simulate install $wanted ca-certificates |
    sed -n 's/^Inst \([^ ]*\).*/\1/p' | grep -vxE 'debconf|openssl')
[ -n "$packages" ] || fail "apt finds no packages for: $wanted"
# shellcheck disable=SC2086
download_packages "$folder/apt" $packages base-files

root=$folder/root
rm -rf "$root"
mkdir -p "$root/usr/lib" "$root/usr/lib64"
ln -s usr/lib "$root/lib"
ln -s usr/lib64 "$root/lib64"
for package in "$folder"/apt/packages/*.deb; do
    files=(--exclude ./usr/bin --exclude ./usr/sbin)
    case ${package##*/} in base-files_*) files=(./etc/os-release ./usr/lib/os-release ./usr/share/doc/base-files/copyright) ;; esac
    dpkg-deb --fsys-tarfile "$package" | tar -C "$root" -x --keep-directory-symlink "${files[@]}"
done
mkdir -p "$root/etc/ssl/certs"
LC_ALL=C.UTF-8 cat "$root"/usr/share/ca-certificates/mozilla/*.crt > "$root/etc/ssl/certs/ca-certificates.crt"
# What remains are libraries, OpenSSL's modules, and the licenses.
rm -rf "${folder:?}/documents"
mv "$root/usr/share/doc" "$folder/documents"
rm -rf "${root:?}"/{usr/share,usr/lib/*/gconv,etc/ca-certificates,etc/ld.so.conf.d,var}
mkdir -p "$root/usr/share" "$root/var/lib/dpkg/status.d"
mv "$folder/documents" "$root/usr/share/doc"
dpkg-deb --fsys-tarfile "$deb" | tar -C "$root" -x ./usr/bin/paytoken ./usr/bin/paytokend ./usr/share/doc
find "$root/usr/share/doc" ! -type d ! -name copyright -delete
find "$root" -type d -empty -delete

# Scanners find the packages there, as in a system that dpkg manages.
mkdir -p "$root/var/lib/dpkg/status.d"
for package in "$deb" "$folder"/apt/packages/*.deb; do
    name=$(dpkg-deb --field "$package" Package)
    dpkg-deb --field "$package" > "$root/var/lib/dpkg/status.d/$name"
    dpkg-deb --show "$package"
done | LC_ALL=C sort > "$folder/packages.txt"

cat > "$root/etc/passwd" << 'USERS'
root:x:0:0:root:/:/nonexistent
paytoken:x:10001:10001:Apple Pay payments:/var/lib/paytoken:/nonexistent
paytoken-send:x:10002:10002:Requests of Apple Pay payments:/:/nonexistent
nobody:x:65534:65534:nobody:/:/nonexistent
USERS
cat > "$root/etc/group" << 'GROUPS'
root:x:0:
paytoken:x:10001:
paytoken-send:x:10002:
paytoken-pay:x:10003:
nogroup:x:65534:
GROUPS
printf 'passwd: files\ngroup: files\nhosts: files dns\n' > "$root/etc/nsswitch.conf"
# Where the runtime mounts its file systems and the volumes; the last two belong to paytoken.
mkdir -p "$root"/{dev,proc,sys,tmp,etc/paytoken/keys} "$root"/{run,var/lib}/paytoken
chmod 700 "$root/var/lib/paytoken"
chmod 1777 "$root/tmp"

owned=(./run/paytoken ./var/lib/paytoken)
archive() {
    tar -C "$root" --sort=name --format=ustar --numeric-owner \
        --mtime="@$(stat --format=%Y "$root/usr/bin/paytoken")" "$@" --file "$folder/root.tar"
}
rm -f "$folder/root.tar"
archive --create --owner=0 --group=0 "${owned[@]/#/--exclude=}" .
archive --append --owner=10001 --group=10001 --no-recursion "${owned[@]}"
install -m 644 "$packaging/Containerfile.scratch" "$folder/Containerfile"
rm -rf "$root"
cat "$folder/packages.txt"
(cd "$folder" && sha256sum root.tar)
