#!/usr/bin/env bash
# Installs the packages into a bare Debian without Swift, and there runs the commands of the page InstallAndOperate.md, from the
# installation to the removal, reads the manual and completes words.
#
#   package.sh [FOLDER [ROOT]]
#
# FOLDER contains the packages that make dist created, by default dist; with paytoken-postgresql, that is tried, too. ROOT is a
# bare system that debootstrap made, which is copied and not changed; without it, debootstrap downloads one of some 100 MB from
# DEBIAN_MIRROR. Needs root, for chroot, and Python 3 with pip.
set -euo pipefail
project=$(cd "$(dirname "$0")/../.." && pwd)

fail() {
    printf 'package.sh: %s\n' "$*" >&2
    exit 1
}
[ "$(id -u)" = 0 ] || fail 'run this as root: it uses chroot'
dist=$(cd "${1:-$project/dist}" 2> /dev/null && pwd) || fail 'run make dist first'
work=$(mktemp -d)
root=$work/root
sandbox=
finish() {
    [ -z "$sandbox" ] || kill -- "-$sandbox" 2> /dev/null || true
    rm -rf "$work"
}
trap finish EXIT

# The packages are complete, and their sums are right. Programs are protected as far as the compiler and the linker can, find no
# library in other folders than the system's, and name no path of the build.
one() {
    if [ $# != 1 ] || [ ! -f "$1" ]; then fail "there must be one package $1: remove the others, and run make dist"; fi
    echo "$1"
}
debs=$(one "$dist"/paytoken_*.deb && one "$dist"/paytoken-testing_*.deb)
[ -z "$(find "$dist" -name 'paytoken-postgresql_*.deb')" ] || debs+=" $(one "$dist"/paytoken-postgresql_*.deb)"
(cd "$dist" && sha256sum --check SHA256SUMS) || fail 'SHA256SUMS are wrong'
"$project/Tests/Integration/inventory.py" "$dist" "$project/.build-sbom" || fail 'the files about the packages are wrong'
for deb in $debs; do
    dpkg-deb --info "$deb"
    rm -rf "$work/contents" "$work/control"
    dpkg-deb --extract "$deb" "$work/contents"
    dpkg-deb --control "$deb" "$work/control"
    (cd "$work/contents" && md5sum --quiet --check "$work/control/md5sums") || fail "$deb: md5sums are wrong"
    for program in "$work/contents"/usr/bin/*; do
        readelf --wide --sections --program-headers --dynamic "$program" > "$work/elf"
        ! grep -qE 'symtab|swift_ast|build-id' "$work/elf" || fail "$program is not stripped of what differs between builds"
        grep -q 'FLAGS_1.* PIE' "$work/elf" || fail "$program is not position-independent"
        grep -q 'FLAGS_1.* NOW' "$work/elf" || fail "$program binds functions late"
        grep -q GNU_RELRO "$work/elf" || fail "$program can change its relocations"
        grep -qE 'GNU_STACK.* RW +0x' "$work/elf" || fail "$program has an executable stack"
        ! grep -E 'RPATH|RUNPATH' "$work/elf" || fail "$program looks for libraries in other folders"
        ! strings -a "$program" | grep -F "$project/" || fail "$program names paths of the build"
    done
    if command -v lintian > /dev/null; then lintian --allow-root --fail-on error "$deb" || fail "$deb: lintian reports errors"; fi
done

# A bare system: no Swift, no manual viewer, and not even OpenSSL.
if [ -n "${2:-}" ]; then
    cp -a "$2" "$root"
else
    debootstrap --variant=minbase "${DEBIAN_RELEASE:-bookworm}" "$root" "${DEBIAN_MIRROR:-http://deb.debian.org/debian}"
fi
! find "$root" -name 'libswift*' -o -name 'libcrypto*' | grep . || fail 'the bare system has Swift or OpenSSL'
cp -R "$project/TestVectors/synthetic" "$project/TestVectors/apple-signed" "$root/root"
cp /etc/resolv.conf "$root/etc/resolv.conf"
echo 'APT::Get::Assume-Yes "true";' > "$root/etc/apt/apt.conf.d/yes"
# Runs a program inside, with the mounts that shells need; they end with the program. systemd does not run there, so systemctl
# enables units, but ignores commands to start them.
inside() {
    unshare --mount sh -ec '
        mount -t proc proc "$1/proc"
        mount -t devpts devpts "$1/dev/pts" -o newinstance,ptmxmode=0666
        ln -sfn pts/ptmx "$1/dev/ptmx"
        exec chroot "$@"' sh "$root" \
        env -i HOME=/root LANG=C.UTF-8 PATH=/usr/sbin:/usr/bin:/sbin:/bin TERM=xterm DEBIAN_FRONTEND=noninteractive \
        SYSTEMD_OFFLINE=1 "$@"
}
install() {
    inside apt-get -q --no-install-recommends install "$@" > "$work/apt" 2>&1 || { cat "$work/apt"; fail "apt does not install $*"; }
}
# check TEXT: runs a test inside.
check() {
    inside sh -euc "$1" || fail "this is not so: $1"
}
inside apt-get -q update > "$work/apt" 2>&1 || { cat "$work/apt"; fail 'apt does not reach its mirror'; }

# The page's blocks of commands, in files such as "Add a key 1".
mkdir "$work/page"
python3 - "$project" "$work/page" << 'SCRIPT'
import pathlib, sys
project, folder = map(pathlib.Path, sys.argv[1:])
sys.path.insert(0, str(project / "Tests/Tools/Documentation"))
from documents import blocks

heading, number = "", 0
for block in blocks("Sources/Core/ApplePayToken/Docs.docc/InstallAndOperate.md"):
    headings = [line[3:] for line in block.section.splitlines() if line.startswith("## ")]
    heading, number = (headings[-1], 0) if headings else (heading, number)
    if block.directive == "run by Tests/Integration/package.sh":
        number += 1
        (folder / f"{heading} {number}").write_text(block.text)
SCRIPT
# page BLOCK: runs one of them in root's folder, and prints what it prints.
page() {
    mv "$work/page/$1" "$root/root/.block" || fail "the page has no block of commands \"$1\""
    echo "--- $1"
    inside sh -c 'cd && sh -eux .block 2>&1' > "$work/transcript" || { cat "$work/transcript"; fail "$1 fails"; }
    cat "$work/transcript"
}
printed() {
    grep -qE -e "$1" "$work/transcript" || fail "the page's commands do not print $1"
}
# offered DEB: what a merchant downloads, with its sums.
offered() {
    rm -f "$root"/root/*.deb
    cp "$@" "$root/root"
    (cd "$root/root" && sha256sum -- *.deb > SHA256SUMS)
}

# An earlier version, which is upgraded later.
paytoken=$(one "$dist"/paytoken_*.deb)
testing=$(one "$dist"/paytoken-testing_*.deb)
version=$(dpkg-deb --field "$paytoken" Version)
dpkg-deb --raw-extract "$paytoken" "$work/earlier"
sed -i 's/^Version: .*/Version: 0.0.1/' "$work/earlier/DEBIAN/control"
dpkg-deb --root-owner-group -Znone --build "$work/earlier" "$work/paytoken_0.0.1_all.deb" > /dev/null
offered "$work/paytoken_0.0.1_all.deb" "$testing"

start=$SECONDS
page 'Install 1'
check '[ "$(stat -c "%n %U %G %a" /etc/paytoken /etc/paytoken/keys /var/lib/paytoken)" = "/etc/paytoken root paytoken 750
/etc/paytoken/keys root paytoken 750
/var/lib/paytoken paytoken paytoken 700" ]'
page 'Create the ledger 1'
check '[ "$(stat -c "%U %G %a" /var/lib/paytoken/ledger)" = "paytoken paytoken 600" ]'
page 'Add a key 1'
page 'Add a key 2'
printed 'merchant.example.shop'
mv "$work/page/Add a gateway 1" "$root/root/.sandbox" || fail 'the page does not start the sandbox'
# In a process group, with which it ends.
set -m
inside sh -c 'cd && exec sh -eu .sandbox' > "$work/sandbox" 2>&1 &
sandbox=$!
set +m
for ((waited = 0; waited < 300; waited++)); do
    ! grep -q '^http' "$work/sandbox" || break
    sleep 0.1
done
grep '^http' "$work/sandbox" || { cat "$work/sandbox"; fail 'gateway-sandbox does not start'; }
page 'Add a gateway 2'
page 'Check the installation 1'
printed '^Ready, with'
page 'Pay the first order 1'
printed '"outcome":"paid"'
echo "package.sh: from the package to a paid order in $((SECONDS - start)) s"

# A payment whose process is killed while the gateway does not answer, which the timer's service has to find later.
inside sh -euc '
cd
echo "{\"reference\":\"order-1002\",\"amount\":40800,\"currency\":\"EUR\",\"description\":\"A book\"}" > lost.json
paytoken-testing token --pki pki --for /etc/paytoken/keys/2026.cer --amount 40800 --currency EUR > lost.token
timeout --signal KILL 5 paytoken pay lost.token --order lost.json --gateway /etc/paytoken/bepaid.json \
    --keys /etc/paytoken/keys --ledger /var/lib/paytoken/ledger --test-trust-anchor pki/root.pem || [ $? = 137 ]
' || fail 'the payment was not killed'

# The units: systemd finds no mistake, and their commands work as their user, in an empty environment.
install systemd
page 'Start the timers 1'
check 'cd /etc/systemd/system/timers.target.wants && ls -l paytoken-recover@bepaid.timer paytoken-doctor.timer'
inside systemd-analyze verify --man=no paytoken-recover@bepaid.service paytoken-recover@bepaid.timer paytoken-doctor.service \
    paytoken-doctor.timer || fail 'systemd finds mistakes in the units'
for unit in paytoken-recover@bepaid.service paytoken-doctor.service; do
    inside systemd-analyze security --no-pager --offline=yes --threshold=20 $unit > "$work/exposure" || { cat "$work/exposure"; fail "$unit is exposed"; }
    tail -1 "$work/exposure"
done
# run UNIT: runs the unit's command as systemd would, without the restrictions.
run() {
    inside sh -euc '
    unit=/usr/lib/systemd/system/$1
    user=$(sed -n "s/^User=//p" "$unit")
    variables=$(sed -n "s/^Environment=//p" "$unit" | tr "\n" " "; cat /etc/paytoken/environment 2> /dev/null | tr "\n" " ")
    command=$(sed -e ":join" -e "/\\\\$/N; s/\\\\\n//; tjoin" "$unit" | sed -n "s/^ExecStart=//p" | sed "s/%i/${2:-}/g; s/\\$\\$/\$/g")
    cd /
    runuser -u "$user" -- env -i $variables sh -c "$command"
    ' sh "$@"
}
run paytoken-recover@.service bepaid > "$work/transcript" || { cat "$work/transcript"; fail 'payments are not recovered'; }
printed '"failed":0'
run paytoken-doctor.service > "$work/transcript" || { cat "$work/transcript"; fail 'doctor finds faults'; }
cat "$work/transcript"
printed 'gateway +.* bepaid'
check 'echo DOCTOR_OPTIONS=--strict > /etc/paytoken/environment'
! run paytoken-doctor.service > "$work/transcript" || fail 'the service ignores DOCTOR_OPTIONS'
check 'echo LEDGER=/var/lib/paytoken/none > /etc/paytoken/environment'
! run paytoken-recover@.service bepaid > "$work/transcript" 2>&1 || fail 'the service ignores LEDGER'
check 'rm /etc/paytoken/environment; [ -z "$(find /var/lib/paytoken ! -user paytoken)" ]'

page 'Back up 1'
page 'Restore 1'
# Until five minutes later, a token may be one whose claim the backup lacks.
inside sh -euc '
cd
echo "{\"reference\":\"order-1003\",\"amount\":1099,\"currency\":\"EUR\",\"description\":\"A book\"}" > late.json
paytoken-testing token --pki pki --for /etc/paytoken/keys/2026.cer --amount 1099 --currency EUR > late.token
paytoken pay late.token --order late.json --gateway /etc/paytoken/bepaid.json --keys /etc/paytoken/keys \
    --ledger /var/lib/paytoken/ledger --test-trust-anchor pki/root.pem || [ $? = 1 ]
' > "$work/transcript"
printed '"stage":"replay","code":"too-late"'
check 'paytoken payments show order-1001 --gateway /etc/paytoken/bepaid.json --ledger /var/lib/paytoken/ledger | grep "\"outcome\":\"paid\""'

# The upgrade changes neither rights that the merchant changed nor the ledger.
check 'chmod 700 /etc/paytoken/keys; chgrp root /etc/paytoken/keys'
offered "$paytoken" "$testing"
page 'Upgrade 1'
grep -q "Unpacking paytoken ($version) over (0.0.1)" "$work/transcript" || fail 'the package was not upgraded'
check '[ "$(stat -c "%U %G %a" /etc/paytoken/keys)" = "root root 700" ]; chmod 750 /etc/paytoken/keys; chgrp paytoken /etc/paytoken/keys'
check 'paytoken payments show order-1001 --gateway /etc/paytoken/bepaid.json --ledger /var/lib/paytoken/ledger | grep "\"outcome\":\"paid\""'
page 'Rotate a key 1'
printed '^\{"status":"ok"'
page 'Rotate a key 2'
check '! paytoken keys list --keys /etc/paytoken/keys | grep 2026; paytoken keys list --keys /etc/paytoken/keys | grep 2027'

# The command judges tokens of Apple's, and finds no library of Swift.
inside sh -euxc '
cd /root
! command -v swift
! ldd /usr/bin/paytoken | grep -E "swift|not found"
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
man --warnings gateway-sandbox | grep -- --files
whatis paytoken-decrypt paytoken-testing
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

# The service of the timer asks about the killed payment once its owner had 150 seconds to do so.
for ((waited = 0; waited < 36; waited++)); do
    run paytoken-recover@.service bepaid > "$work/transcript" || { cat "$work/transcript"; fail 'payments are not recovered'; }
    ! grep -q '"asked":1' "$work/transcript" || break
    sleep 5
done
printed '"asked":1,"released":0,"changed":1,"failed":0'
check 'paytoken payments list --ledger /var/lib/paytoken/ledger > left && [ ! -s left ]'

# paytoken-postgresql takes over all that paytoken used, also after paytoken is purged.
links='ls /etc/systemd/system/timers.target.wants/paytoken-recover@bepaid.timer /etc/paytoken/bepaid.json /etc/paytoken/keys/2027.key.pem /var/lib/paytoken/ledger'
for deb in "$dist"/paytoken-postgresql_*.deb; do
    [ -f "$deb" ] || continue
    cp "$deb" "$root/root/.postgresql.deb"
    install /root/.postgresql.deb
    check 'dpkg --purge paytoken'
    check "$links"
    check 'paytoken ledger show --ledger /var/lib/paytoken/ledger'
    inside paytoken ledger show --ledger postgresql://127.0.0.1:1/none > "$work/transcript" 2>&1 || true
    printed 'onnection'
    install "/root/${paytoken##*/}"
    check 'dpkg --purge paytoken-postgresql'
    check "$links"
done

# The removal deletes nothing of the merchant's. Without such files, nothing remains but the user.
page 'Uninstall 1'
check 'ls /etc/paytoken/bepaid.json /etc/paytoken/keys/2027.key.pem /var/lib/paytoken/ledger && getent passwd paytoken'
remaining() {
    inside find / -xdev -name '*paytoken*' ! -path '/proc/*' ! -path '/root/*' ! -path '/tmp/*' ! -path '/var/cache/*' ! -path '/var/log/*'
}
page 'Uninstall 2'
[ -z "$(remaining)" ] || { remaining; fail 'files remain'; }
check '! getent passwd paytoken && ! getent group paytoken'
install "/root/${paytoken##*/}"
check 'apt-get -q purge paytoken'
[ -z "$(remaining)" ] || { remaining; fail 'files remain after an installation that was not used'; }

blocks=$(ls "$work/page")
[ -z "$blocks" ] || fail "these blocks of the page were not run: $blocks"
echo 'package.sh: done'
