#!/usr/bin/env bash
# Builds the packages of the current commit twice, at different times under different circumstances, and compares all bytes.
#
#   reproducible.sh FOLDER
#
# FOLDER, which is replaced and which every user must be able to reach, receives two clones and their builds. What differs: path
# and its depth, environment, home, time, time zone, umask, locale, processors; if root runs this, user and group; and the
# machine's name, where root may change it. TRAITS=PostgreSQL builds paytoken-postgresql. Changes that are not committed are not
# built. Uses diffoscope if it is installed.
set -euo pipefail
project=$(cd "$(dirname "$0")/../.." && pwd)

fail() {
    printf 'reproducible.sh: %s\n' "$*" >&2
    exit 1
}
[ $# = 1 ] || fail 'name a folder for two builds'
rm -rf "$1"
mkdir -p "$1"
folder=$(cd "$1" && pwd)
first=$folder/first/paytoken
second=$folder/second/in/deeper/folders/clone

# prepare CLONE: a clone, a home and a folder for temporary files.
prepare() {
    git clone --quiet --no-hardlinks "$project" "$1"
    mkdir "${1%/*}/home" "${1%/*}/temporary"
}
# build CLONE PROGRAM...: runs make through a program that changes the circumstances.
build() {
    local clone=$1
    shift
    (cd "$clone" && "$@" env HOME="${clone%/*}/home" TMPDIR="${clone%/*}/temporary" make dist) > "$folder/log" 2>&1 ||
        { cat "$folder/log"; fail "no build in $clone"; }
}
umask 022
prepare "$first"
LC_ALL=C.UTF-8 TZ=UTC build "$first" env

# A language in which the small letter of I is another one.
mkdir "$folder/locales"
localedef -i tr_TR -f UTF-8 "$folder/locales/tr_TR.UTF-8"
[ "$(LOCPATH=$folder/locales LC_ALL=tr_TR.UTF-8 locale decimal_point)" = , ] || fail 'the Turkish locale does not work'
umask 077
prepare "$second"
chmod 755 "$folder/second"
another=(env "LOCPATH=$folder/locales" LC_ALL=tr_TR.UTF-8 LANGUAGE=tr TZ=Asia/Tokyo)
another+=(taskset --cpu-list "$(taskset --cpu-list --pid $$ | sed 's/.*: *//; s/[,-].*//')")
if [ "$(id -u)" != 0 ]; then
    echo 'reproducible.sh: the same user builds both, because only root can change the user'
else
    if unshare --uts true 2> /dev/null; then
        another+=(unshare --uts sh -c 'echo another > /proc/sys/kernel/hostname; exec "$@"' sh)
    fi
    # A user without a name, who owns the clone.
    chown -R 12345:12345 "$folder/second"
    another+=(setpriv --reuid=12345 --regid=12345 --clear-groups)
fi
build "$second" "${another[@]}"

cat "$first/dist/SHA256SUMS"
[ "$(ls "$first/dist")" = "$(ls "$second/dist")" ] || fail "these are not the same files: $(ls "$first/dist" "$second/dist")"
different=
for file in "$first/dist"/*; do
    cmp "$file" "$second/dist/${file##*/}" || different=1
done
if command -v diffoscope > /dev/null; then
    diffoscope --exclude-directory-metadata=yes "$first/dist" "$second/dist" || different=1
fi
[ -z "$different" ] || fail 'the packages differ'
echo "reproducible.sh: the same $(find "$first/dist" -type f | wc -l) files twice"
