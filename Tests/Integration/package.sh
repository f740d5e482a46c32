#!/usr/bin/env bash
# Installs the .deb into a bare Debian without Swift, and there runs the command, reads its manual and completes its words.
#
#   package.sh [DEB] [ROOT]
#
# DEB is by default the package that make dist created. ROOT is a bare system that debootstrap made, which is copied and
# not changed; without it, debootstrap downloads one of some 100 MB. Needs root, for chroot.
set -euo pipefail
project=$(cd "$(dirname "$0")/../.." && pwd)

fail() {
    printf 'package.sh: %s\n' "$*" >&2
    exit 1
}
[ "$(id -u)" = 0 ] || fail 'run this as root: it uses chroot'
deb=${1:-$(ls "$project"/dist/*.deb 2> /dev/null)} || fail 'run make dist first'
[ -f "$deb" ] || fail "there is no package '$deb': run make dist first"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
root=$work/root

# The package is complete, and its sums are right.
dpkg-deb --info "$deb"
dpkg-deb --extract "$deb" "$work/contents"
dpkg-deb --control "$deb" "$work/control"
(cd "$work/contents" && md5sum --quiet --check "$work/control/md5sums") || fail 'md5sums are wrong'
(cd "$(dirname "$deb")" && sha256sum --check --ignore-missing SHA256SUMS) || fail 'SHA256SUMS are wrong'
! readelf --sections "$work/contents/usr/bin/paytoken" | grep -q symtab || fail 'the binary is not stripped'

# A bare system: no Swift, no manual viewer, and not even OpenSSL.
if [ -n "${2:-}" ]; then
    cp -a "$2" "$root"
else
    debootstrap --variant=minbase "${DEBIAN_RELEASE:-bookworm}" "$root" "${DEBIAN_MIRROR:-http://deb.debian.org/debian}"
fi
! find "$root" -name 'libswift*' -o -name 'libcrypto*' | grep . || fail 'the bare system has Swift or OpenSSL'
cp "$deb" "$root/root/paytoken.deb"
cp -R "$project/TestVectors/synthetic" "$project/TestVectors/apple-signed" "$root/root"
cp /etc/resolv.conf "$root/etc/resolv.conf"
# Runs a program inside, with the mounts that shells need; they end with the program.
inside() {
    unshare --mount sh -ec '
        mount -t proc proc "$1/proc"
        mount -t devpts devpts "$1/dev/pts" -o newinstance,ptmxmode=0666
        ln -sfn pts/ptmx "$1/dev/ptmx"
        exec chroot "$@"' sh "$root" \
        env -i HOME=/root LANG=C.UTF-8 PATH=/usr/sbin:/usr/bin:/sbin:/bin TERM=xterm DEBIAN_FRONTEND=noninteractive "$@"
}
install() {
    inside apt-get -q -y --no-install-recommends install "$@" > "$work/apt" 2>&1 || { cat "$work/apt"; fail "apt does not install $*"; }
}
inside apt-get -q update > "$work/apt" 2>&1 || { cat "$work/apt"; fail 'apt does not reach its mirror'; }
install /root/paytoken.deb
grep '^Setting up' "$work/apt"

inside sh -euxc '
cd /root
! command -v swift
! ldd /usr/bin/paytoken | grep -E "swift|not found"
paytoken --version
paytoken verify apple-signed/bepaid-documented.json --at 2020-02-19T08:27:00Z
test="--keys synthetic/keys --test-trust-anchor synthetic/pki/root.pem --at 2026-05-04T09:30:00Z"
paytoken decrypt synthetic/demo-token.json $test
paytoken inspect synthetic/demo-token.json $test
paytoken decrypt apple-signed/bepaid-documented.json $test && exit 1
ls /usr/share/doc/paytoken
' || fail 'a command failed'

install bash-completion fish man-db zsh
inside sh -euxc '
export MANWIDTH=80
man paytoken | grep "verifies"
man --warnings paytoken-keys-list | grep -- --fail-within
whatis paytoken-decrypt
' || fail 'the manual does not work'

# The shells find the completions by themselves.
completed() {
    inside "$@" > "$work/proposals" 2>&1 || { cat "$work/proposals"; fail "$1 does not complete"; }
    grep -qx list "$work/proposals" || { cat "$work/proposals"; fail "$1 does not propose list"; }
    echo "$1 completes: $(tr '\n' ' ' < "$work/proposals")"
}
completed bash -ec '. /usr/share/bash-completion/bash_completion
_completion_loader paytoken || [ $? = 124 ]
COMP_WORDS=(paytoken keys l) COMP_CWORD=2 COMP_LINE="paytoken keys l" COMP_POINT=15
$(complete -p paytoken | sed "s/.* -F \([^ ]*\) .*/\1/") && printf "%s\n" "${COMPREPLY[@]}"'
completed fish -c 'complete --do-complete "paytoken keys l" | cut -f 1'

# zsh completes in a terminal only: the first tab must complete the word.
completed zsh -fc 'zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell "PROMPT=; autoload -Uz compinit && compinit -D"
zpty -w -n shell $'"'paytoken keys l\\t'"'
for (( waited = 0; waited < 60; waited++ )); do
    sleep 1
    while zpty -r -t shell more; do output+=$more; done
    [[ $output != *"paytoken keys list"* ]] || { print list; exit 0; }
done
print -r -- "${(V)output}"'

inside sh -ec 'apt-get -q -y purge paytoken > /dev/null; ! find /usr -name "*paytoken*" | grep .' || fail 'files remain after the removal'
echo 'package.sh: done'
