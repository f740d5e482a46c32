#!/usr/bin/env bash
# Runs service.py and ledger-tls.sh with the C library, OpenSSL, SQLite and libpq of another release of Debian, whose functions
# make other system calls than this one's: the filters of the service's processes must permit them.
#
#   other-debian.sh FOLDER POSTGRESQL RELEASE WORK   with the programs, those that were built with PostgreSQL, and a release
#                                                    such as trixie, whose system is made in WORK; needs root
set -euo pipefail
programs=$(realpath "$1")
with_postgresql=$(realpath "$2")
root=$(realpath -m "$4")/$3
project=$(cd "$(dirname "$0")/../.." && pwd)
if [ "$(id -u)" -ne 0 ] || ! command -v debootstrap > /dev/null; then
    echo 'skipped: another release needs root and debootstrap'
    exit 0
fi
if [ ! -e "$root/complete" ]; then
    rm -rf "$root"
    debootstrap --variant=minbase --include=libsqlite3-0,libssl-dev,gcc,libc6-dev,python3,openssl,curl,procps,postgresql \
        "$3" "$root" > /dev/null
    touch "$root/complete"
fi
swift=$(ldd "$programs/paytokend" | sed -nE 's|.*=> (.*)/libswiftCore\.so.*|\1|p')
# The mounts end with the process that made them. Some tests replace files of /etc, which needs a root that is a mount.
unshare --mount bash -euo pipefail -s "$root" "$project" "$programs" "$with_postgresql" "$swift" << 'SCRIPT'
root=$1 project=$2
mount --bind "$root" "$root"
for folder in /proc /dev /sys "$project" ${5:+"$5"}; do
    mkdir -p "$root$folder"
    mount --rbind "$folder" "$root$folder"
done
run() { chroot "$root" env PYTHONDONTWRITEBYTECODE=1 "$@" < /dev/null; }
run ldd --version | sed -n 1p
run "$project/Tests/Integration/service.py" "$3"
run "$project/Tests/Integration/ledger-tls.sh" "$4"
SCRIPT
