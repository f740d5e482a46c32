#!/usr/bin/env bash
# Installs the packages into a bare Debian without Swift. There it runs the commands of the page InstallAndOperate.md, from the
# installation to the removal, reads the manual and completes words. With systemd in a container, it runs the timers, and the
# service as OperateService.md describes, which pays while it is upgraded. In another bare Debian, it follows the installed page
# ForEveryLanguage.md from the packages to a paid order.
#
#   package.sh [FOLDER [ROOT]]
#
# FOLDER contains the packages that make dist created, by default dist; with paytoken-postgresql, that is tried, too. ROOT is a
# bare system that debootstrap made, which is copied and not changed; without it, debootstrap downloads one of some 100 MB from
# DEBIAN_MIRROR. Needs root, for chroot, systemd-nspawn (Debian's systemd-container), ssh-keygen and Python 3 with pip.
set -euo pipefail
project=$(cd "$(dirname "$0")/../.." && pwd)

fail() {
    printf 'package.sh: %s\n' "$*" >&2
    exit 1
}
[ "$(id -u)" = 0 ] || fail 'run this as root: it uses chroot'
command -v systemd-nspawn > /dev/null || fail 'install systemd-container: it runs systemd in a container'
command -v ssh-keygen > /dev/null || fail 'install openssh-client: it signs'
dist=$(cd "${1:-$project/dist}" 2> /dev/null && pwd) || fail 'run make dist first'
work=$(mktemp -d)
root=$work/root
sandbox=
container=
finish() {
    [ -z "$sandbox" ] || kill -KILL -- "-$sandbox" 2> /dev/null || true
    # The container, and what asks its service, too.
    jobs -p | xargs -r kill -KILL 2> /dev/null || true
    wait 2> /dev/null
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
        grep -qE 'GNU_STACK.* RW +0' "$work/elf" || fail "$program has an executable stack"
        ! grep -E 'RPATH|RUNPATH' "$work/elf" || fail "$program looks for libraries in other folders"
        ! strings -a "$program" | grep -F "$project/" || fail "$program names paths of the build"
    done
    if command -v lintian > /dev/null; then lintian --allow-root --fail-on error "$deb" || fail "$deb: lintian reports errors"; fi
done

# A bare system: no Swift, no manual viewer, no systemd, and not even OpenSSL.
if [ -n "${2:-}" ]; then
    cp -a "$2" "$work/bare"
else
    debootstrap --variant=minbase "${DEBIAN_RELEASE:-bookworm}" "$work/bare" "${DEBIAN_MIRROR:-http://deb.debian.org/debian}"
fi
! find "$work/bare" -name 'libswift*' -o -name 'libcrypto*' | grep . || fail 'the bare system has Swift or OpenSSL'
cp /etc/resolv.conf "$work/bare/etc/resolv.conf"
echo 'APT::Get::Assume-Yes "true";' > "$work/bare/etc/apt/apt.conf.d/yes"
# Runs a program inside: in the container with systemd once it runs, and before with the mounts that shells need, which end with
# the program.
inside() {
    set -- env -i HOME=/root LANG=C.UTF-8 PATH=/usr/sbin:/usr/bin:/sbin:/bin TERM=xterm DEBIAN_FRONTEND=noninteractive "$@"
    if [ -n "$container" ]; then
        nsenter --target "$init" --all "$@"
    else
        unshare --mount sh -ec '
            mount -t proc proc "$1/proc"
            mount -t devpts devpts "$1/dev/pts" -o newinstance,ptmxmode=0666
            ln -sfn pts/ptmx "$1/dev/ptmx"
            exec chroot "$@"' sh "$root" "$@"
    fi
}
# eventually SECONDS COMMAND...: waits until a command succeeds.
eventually() {
    local limit=$((SECONDS + $1))
    shift
    until "$@" > /dev/null 2>&1; do
        [ $SECONDS -lt $limit ] || fail "this does not succeed: $*"
        sleep 0.1
    done
}
# boot: starts systemd in a container, whose processes may confine themselves and lock memory, and waits until its units run.
boot() {
    systemd-nspawn --quiet --directory "$root" --register=no --keep-unit --resolv-conf=off --capability=CAP_IPC_LOCK,CAP_NET_ADMIN \
        --system-call-filter='landlock_create_ruleset landlock_add_rule landlock_restrict_self' \
        --boot --console=pipe < /dev/null > "$work/console" 2>&1 &
    container=$!
    eventually 30 grep . "/proc/$container/task/$container/children"
    init=$(tr -d ' ' < "/proc/$container/task/$container/children")
    eventually 60 inside sh -c 'systemctl is-system-running | grep -E "running|degraded"'
}
install() {
    inside apt-get -q --no-install-recommends install "$@" > "$work/apt" 2>&1 || { cat "$work/apt"; fail "apt does not install $*"; }
}
# check TEXT: runs a test inside.
check() {
    inside sh -euc "$1" || fail "this is not so: $1"
}
# The pages' blocks of commands, in files such as "Add a key 1".
mkdir "$work/page"
python3 - "$project" "$work/page" << 'SCRIPT'
import pathlib, sys
project, folder = map(pathlib.Path, sys.argv[1:])
sys.path.insert(0, str(project / "Tests/Tools/Documentation"))
from documents import blocks

for article in "InstallAndOperate.md", "ForEveryLanguage.md", "OperateService.md":
    heading, number = "", 0
    for block in blocks(f"Sources/Core/ApplePayToken/Docs.docc/{article}"):
        headings = [line[3:] for line in block.section.splitlines() if line.startswith("## ")]
        heading, number = (headings[-1], 0) if headings else (heading, number)
        if block.directive == "run by Tests/Integration/package.sh":
            number += 1
            (folder / f"{heading} {number}").write_text(block.text)
SCRIPT
# page BLOCK: runs one of them in root's folder, and prints what it prints. The shell has run paytoken before: bash remembers its path,
# also after the removal.
page() {
    mv "$work/page/$1" "$root/root/.block" || fail "the page has no block of commands \"$1\""
    echo "--- $1"
    inside bash -c 'cd && bash -euxc "hash -p /usr/bin/paytoken paytoken; . ./.block" 2>&1' > "$work/transcript" || { cat "$work/transcript"; fail "$1 fails"; }
    cat "$work/transcript"
}
printed() {
    grep -qE -e "$1" "$work/transcript" || fail "the page's commands do not print $1"
}
# offered DEB...: what a merchant downloads, with its sums, which a key of this test signs.
ssh-keygen -q -t ed25519 -N '' -C '' -f "$work/key"
offered() {
    rm -f "$root"/root/*.deb "$root/root/SHA256SUMS.sig"
    cp "$@" "$root/root"
    (cd "$root/root" && sha256sum -- *.deb > SHA256SUMS && ssh-keygen -q -Y sign -n paytoken-release -f "$work/key" SHA256SUMS)
    echo "paytoken namespaces=\"paytoken-release\" $(cat "$work/key.pub")" > "$root/root/paytoken.signers"
}

paytoken=$(one "$dist"/paytoken_*.deb)
testing=$(one "$dist"/paytoken-testing_*.deb)
version=$(dpkg-deb --field "$paytoken" Version)
cp -R "$project/TestVectors/synthetic" "$project/TestVectors/apple-signed" "$work/bare/root"
root=$work/bare
inside apt-get -q update > "$work/apt" 2>&1 || { cat "$work/apt"; fail 'apt does not reach its mirror'; }

# A newcomer with the packages, and their documents, pays orders with curl, Python and PHP, and runs the shop in PHP with the
# sandbox's webhooks. The scripts that run the page's
# commands come from here, and run only what the installed page prints.
root=$work/newcomer
cp -a "$work/bare" "$root"
install python3
offered "$paytoken" "$testing"
(cd "$project" && cp -R --parents Tests/Integration Tests/Tools/Documentation Sources/Core/ApplePayToken/Docs.docc "$root/opt")
inside useradd --create-home newcomer
start=$SECONDS
page 'Pay the first order in five minutes 1'
check 'cd /usr/share/doc/paytoken; grep -F "](ForEveryLanguage.md)" README.md; grep -F examples/shop README.md; ls examples/shop/webhook.php'
inside runuser -u newcomer -- python3 /opt/Tests/Integration/service-documents.py /usr/bin /usr/share/doc/paytoken ||
    fail 'the installed page cannot be followed'
echo "package.sh: from the packages to orders paid with curl, Python and PHP in $((SECONDS - start)) s"
[ $((SECONDS - start)) -lt 300 ] || fail 'this is not possible in five minutes'
rm -rf "$root"

# An earlier version, which is upgraded later.
root=$work/root
mv "$work/bare" "$root"
dpkg-deb --raw-extract "$paytoken" "$work/earlier"
sed -i 's/^Version: .*/Version: 0.0.1/' "$work/earlier/DEBIAN/control"
dpkg-deb --root-owner-group -Znone --build "$work/earlier" "$work/paytoken_0.0.1_all.deb" > /dev/null
offered "$work/paytoken_0.0.1_all.deb" "$testing"

check 'apt-get -q --simulate --no-install-recommends install /root/paytoken_*.deb | grep "^Inst libssl3 "'
install openssh-client
start=$SECONDS
page 'Install 1'
check '[ "$(stat -c "%n %U %G %a" /etc/paytoken /etc/paytoken/keys /etc/paytoken-send /var/lib/paytoken)" = "/etc/paytoken root paytoken 750
/etc/paytoken/keys root paytoken 750
/etc/paytoken-send root root 700
/var/lib/paytoken paytoken paytoken 700" ]'
check '[ "$(id -nG paytoken) $(id -nG paytoken-send)" = "paytoken paytoken-send" ]
    [ "$(getent passwd paytoken paytoken-send | cut -d : -f 1,6,7)" = "paytoken:/var/lib/paytoken:/usr/sbin/nologin
paytoken-send:/nonexistent:/usr/sbin/nologin" ]
    getent group paytoken-pay | grep ":$" && ! ls /etc/systemd/system/*/paytoken*'
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

# From here on, systemd runs. The users are those of sysusers.d, and systemd finds no mistake in the units.
install curl dbus systemd-sysv
boot
check 'cp /etc/passwd users; cp /etc/group groups; systemd-sysusers; diff users /etc/passwd; diff groups /etc/group; rm users groups'
inside sh -c 'systemd-analyze verify --man=no /usr/lib/systemd/system/paytoken*' > "$work/mistakes" 2>&1 || fail 'systemd finds mistakes in the units'
[ ! -s "$work/mistakes" ] || { cat "$work/mistakes"; fail 'systemd finds mistakes in the units'; }
page 'Start the timers 1'
check 'systemctl is-active paytoken-recover@bepaid.timer paytoken-doctor.timer'
for unit in paytoken-recover@bepaid.service paytoken-doctor.service; do
    inside systemd-analyze security --no-pager --offline=yes --threshold=20 $unit > "$work/exposure" || { cat "$work/exposure"; fail "$unit is exposed"; }
    tail -1 "$work/exposure"
done
# run UNIT: runs a unit to its end, and prints what its command prints.
run() {
    inside sh -euc '
    status=0
    systemctl start "$1" || status=$?
    journalctl --sync
    journalctl --quiet --output=cat "_SYSTEMD_INVOCATION_ID=$(systemctl show --property=InvocationID --value "$1")"
    exit $status
    ' sh "$@"
}
run paytoken-recover@bepaid.service > "$work/transcript" || { cat "$work/transcript"; fail 'payments are not recovered'; }
printed '"failed":0'
run paytoken-doctor.service > "$work/transcript" || { cat "$work/transcript"; fail 'doctor finds faults'; }
cat "$work/transcript"
printed 'gateway +.* bepaid'
check 'echo DOCTOR_OPTIONS=--strict > /etc/paytoken/environment'
! run paytoken-doctor.service > "$work/transcript" || fail 'the service ignores DOCTOR_OPTIONS'
check 'echo LEDGER=/var/lib/paytoken/none > /etc/paytoken/environment'
! run paytoken-recover@bepaid.service > "$work/transcript" 2>&1 || fail 'the service ignores LEDGER'
check 'echo RECOVER_OPTIONS=--none > /etc/paytoken/environment'
! run paytoken-recover@bepaid.service > "$work/transcript" 2>&1 || fail 'the service ignores RECOVER_OPTIONS'
printed '--none is not an option'
# A ledger in another folder needs the setting of OperateService.md, "Change a unit".
check 'install -d -o paytoken -g paytoken -m 700 /srv/paytoken
paytoken ledger init --window 300 --ledger /srv/paytoken/ledger
echo LEDGER=/srv/paytoken/ledger > /etc/paytoken/environment'
! run paytoken-recover@bepaid.service > "$work/transcript" 2>&1 || fail 'the unit may write to other folders'
check 'for unit in paytoken-recover@ paytoken-doctor; do
    mkdir /etc/systemd/system/$unit.service.d
    printf "[Service]\nReadWritePaths=/srv/paytoken\n" > /etc/systemd/system/$unit.service.d/override.conf
done
systemctl daemon-reload'
for unit in paytoken-recover@bepaid.service paytoken-doctor.service; do
    run $unit > "$work/transcript" 2>&1 || { cat "$work/transcript"; fail "$unit cannot use a ledger in another folder"; }
done
check 'rm -r /etc/systemd/system/paytoken-*.service.d /srv/paytoken; systemctl daemon-reload'
check 'rm /etc/paytoken/environment; [ -z "$(find /var/lib/paytoken ! -user paytoken)" ]'

# The service: with all its protections, it pays for members of its group, and for nobody else.
page 'With systemd 1'
page 'With systemd 2'
check 'paytoken doctor --json --socket /run/paytoken/socket > found; cat found
for name in service no-new-privileges system-call-filter file-rules network; do grep -F "\"check\":\"$name\",\"result\":\"passed\"" found; done'
# It can execute its program, and no other one.
for program in true paytoken sh; do
    check "! nsenter --target \"\$(systemctl show --property=MainPID --value paytokend.service)\" --mount /usr/bin/$program"
done
check 'systemctl reload paytokend.service
mv /etc/paytoken/bepaid.json /etc/paytoken/away
if systemctl reload paytokend.service; then exit 1; fi
systemctl is-active paytokend.service
mv /etc/paytoken/away /etc/paytoken/bepaid.json
systemctl reload paytokend.service'
# Either service that cannot start is listed as failed and reported, its clients do not wait, and it starts again by itself.
page 'With systemd 3'
check 'sed -i "s|^ExecStart=.*|ExecStart=/usr/bin/touch /run/%i|" /etc/systemd/system/paytoken-failed@.service
systemctl daemon-reload'
check 'echo SEND_OPTIONS=--none > /etc/paytoken-send/environment
mv /var/lib/paytoken /var/lib/away
install -d -o paytoken -g paytoken -m 700 /var/lib/paytoken
for name in paytokend paytokend-send; do
    if systemctl restart $name.service; then exit 1; fi
    systemctl --failed | grep -F $name.service
done
for socket in paytoken paytoken-send; do
    status=0
    timeout 2 curl -q --silent --unix-socket /run/$socket/socket http://localhost/ || status=$?
    [ $status = 7 ] || [ $status = 56 ]
done
systemctl --failed | grep -c "paytokend.*socket" | grep -x 2
rm -r /etc/systemd/system/paytoken*.service.d /etc/systemd/system/paytoken-failed@.service /run/paytokend.service /run/paytokend-send.service
systemctl daemon-reload
rmdir /var/lib/paytoken
mv /var/lib/away /var/lib/paytoken
rm /etc/paytoken-send/environment'
eventually 70 inside sh -c 'systemctl is-active paytokend.service paytokend-send.service && paytoken doctor --socket /run/paytoken/socket'
# The metrics are written as a whole, and a file that cannot be written anew stays.
check 'install -d /var/lib/prometheus/node-exporter'
page 'Metrics 1'
eventually 20 inside grep -q paytoken_open_attempts /var/lib/prometheus/node-exporter/paytoken.prom
check 'systemctl stop paytokend.socket paytokend.service
if systemctl start paytoken-metrics.service; then exit 1; fi
grep -q paytoken_open_attempts /var/lib/prometheus/node-exporter/paytoken.prom
systemctl start paytokend.socket paytokend.service
systemctl start paytoken-metrics.service
systemctl disable --now paytoken-metrics.timer
rm -r /var/lib/prometheus'
# A person who mended the cause does not wait, and a service that a person stopped stays so.
check 'echo "KEYS=/etc/paytoken/none" >> /etc/paytoken/environment
if systemctl restart paytokend.service; then exit 1; fi
sed -i /none/d /etc/paytoken/environment
systemctl start paytokend.service
systemctl is-active paytokend.timer
systemctl stop paytokend.socket paytokend.service
if systemctl is-active paytokend.timer; then exit 1; fi
systemctl start paytokend.socket paytokend.service'
# The unit of doctor may ask the service, which trusts a test root.
run paytoken-doctor.service > "$work/transcript" || { cat "$work/transcript"; fail 'doctor finds faults in the service'; }
printed 'trust-anchor'
# order NUMBER: writes the body of a payment for the web application.
order() {
    inside sh -euc 'cd
    token=$(paytoken-testing token --pki pki --for /etc/paytoken/keys/2026.cer --amount 1099 --currency EUR)
    echo "{\"token\":$token,\"order\":{\"reference\":\"order-$1\",\"amount\":1099,\"currency\":\"EUR\",\"description\":\"A book\"}}" > /tmp/$1.json
    ' sh "$1"
}
# ask PATH OPTION...: sends a request as the web application's user, and prints the answer.
ask() {
    local path=$1
    shift
    inside runuser -u www-data -- curl -q --silent --show-error --max-time 170 --unix-socket /run/paytoken/socket -H 'Paytoken-Request: true' \
        -H 'Content-Type: application/json' "http://localhost$path" "$@"
}
order 2001
! ask /v1/pay --data @/tmp/2001.json > "$work/transcript" 2>&1 || fail 'everybody may pay'
printed 'Permission denied|Couldn.t connect'
check 'usermod -aG paytoken-pay www-data'
ask /v1/pay --data @/tmp/2001.json | tee "$work/transcript"
printed '"outcome":"paid"'
page 'Upgrade, and back up 1'

# An upgrade while a payment waits for its gateway, which does not answer for a while: the process ends when the payment is
# complete, the next payment waits for the new process, and all questions get an answer. The new files are there before, because
# a gateway may take no more than 60 seconds.
check 'dpkg --unpack /root/paytoken_0.0.1_all.deb'
order 2002
order 2003
processes='systemctl show --property=MainPID --value paytokend.service paytokend-send.service'
inside sh -c "$processes" > "$work/before"
while [ ! -e "$work/upgraded" ]; do
    ask /v1/payments/order-2001 | grep '"outcome":"paid"' >> "$work/answers" || echo 'no answer' >> "$work/answers"
done &
asking=$!
kill -STOP -- "-$sandbox"
ask /v1/pay --data @/tmp/2002.json > "$work/2002" &
begun=$!
eventually 30 inside sh -c 'paytoken payments list --ledger /var/lib/paytoken/ledger | grep order-2002'
inside dpkg --configure paytoken &
upgrade=$!
eventually 30 inside sh -c 'systemctl is-active paytokend.service | grep deactivating'
ask /v1/pay --data @/tmp/2003.json > "$work/2003" &
waiting=$!
sleep 2
[ ! -s "$work/2003" ] || fail 'the payment did not wait'
kill -CONT -- "-$sandbox"
wait "$upgrade" || fail 'the upgrade fails'
wait "$begun" || fail 'a payment that was begun has no answer'
wait "$waiting" || fail 'a payment that waited has no answer'
touch "$work/upgraded"
wait "$asking"
grep '"outcome":"paid"' "$work/2002" || fail 'a payment that was begun is not paid'
grep '"outcome":"paid"' "$work/2003" || fail 'a payment that waited is not paid'
! grep 'no answer' "$work/answers" || fail 'questions were lost'
echo "package.sh: $(wc -l < "$work/answers") questions were answered during an upgrade"
inside sh -c "$processes" > "$work/after"
! grep -Fxf "$work/before" "$work/after" | grep . || fail 'a process was not replaced'
check '[ "$(systemctl show --property=NRestarts --value paytokend.service paytokend-send.service)" = "0

0" ]'

# is_active STATES WHEN: compares the states of the units.
states='systemctl is-active paytokend-send.socket paytokend-send.service paytokend.socket paytokend.service paytoken-recover@bepaid.timer paytoken-doctor.timer'
is_active() {
    [ "$(inside sh -c "$states" | tr '\n' ' ')" = "$1 " ] || { inside sh -c "$states"; fail "after $2, the units are not as they should be"; }
}
is_active 'active active active active active active' 'an upgrade'
check 'systemctl stop paytokend.socket paytokend.service'

# A payment whose process is killed while the gateway does not answer, which the timer's service has to find later.
inside sh -euc '
cd
echo "{\"reference\":\"order-1002\",\"amount\":40800,\"currency\":\"EUR\",\"description\":\"A book\"}" > lost.json
paytoken-testing token --pki pki --for /etc/paytoken/keys/2026.cer --amount 40800 --currency EUR > lost.token
timeout --signal KILL 5 paytoken pay lost.token --order lost.json --gateway /etc/paytoken/bepaid.json \
    --keys /etc/paytoken/keys --ledger /var/lib/paytoken/ledger --test-trust-anchor pki/root.pem || [ $? = 137 ]
' || fail 'the payment was not killed'

# If the disk is full, the last backup stays; without a good backup, the ledger stays.
cp "$work/page/Back up 1" "$root/root/.backup"
cp "$work/page/Restore 1" "$root/root/.restore"
page 'Back up 1'
check 'mount -t tmpfs -o size=40k,uid=$(id -u paytoken),mode=700 full /var/backups/paytoken
runuser -u paytoken -- sh -c "echo last > /var/backups/paytoken/ledger"
if sh -e /root/.backup; then echo "a full disk is no failure"; exit 1; fi
grep -x last /var/backups/paytoken/ledger
umount /var/backups/paytoken'
check 'cd /var/backups/paytoken
mv ledger good
stat -c %i /var/lib/paytoken/ledger > /tmp/before
for damage in true "runuser -u paytoken -- touch ledger" "cp -p good ledger; dd if=/dev/urandom of=ledger bs=4096 seek=4 count=6 conv=notrunc" \
    "ln -s /etc/shadow ledger"; do
    sh -ec "$damage"
    if sh -e /root/.restore; then echo "the ledger was restored from nothing good: $damage"; exit 1; fi
    stat -c %i /var/lib/paytoken/ledger | diff /tmp/before -
    rm -f ledger
done
mv good ledger'
page 'Restore 1'
# For a day, an order may be one whose payment the backup lacks; and until five minutes later, a token may be one whose claim it lacks.
inside sh -euc 'cd
echo "{\"reference\":\"order-1003\",\"amount\":1099,\"currency\":\"EUR\",\"description\":\"A book\"}" > late.json
paytoken-testing token --pki pki --for /etc/paytoken/keys/2026.cer --amount 1099 --currency EUR > late.token
common="--keys /etc/paytoken/keys --ledger /var/lib/paytoken/ledger --test-trust-anchor pki/root.pem"
status=0
paytoken pay late.token --order late.json --gateway /etc/paytoken/bepaid.json $common || status=$?
[ $status = 4 ]
status=0
paytoken decrypt $common < late.token || status=$?
[ $status = 1 ]' > "$work/transcript" || { cat "$work/transcript"; fail 'an order is paid after a restore'; }
printed '"reason":"restored: it can be paid from '
printed '"stage":"replay","code":"too-late"'
check 'paytoken payments show order-1001 --gateway /etc/paytoken/bepaid.json --ledger /var/lib/paytoken/ledger | grep "\"outcome\":\"paid\""'

# The upgrade changes neither rights that the merchant changed nor the ledger.
check 'chmod 700 /etc/paytoken/keys; chgrp root /etc/paytoken/keys'
offered "$paytoken" "$testing"
page 'Upgrade 1'
grep -q "Unpacking paytoken ($version) over (0.0.1)" "$work/transcript" || fail 'the package was not upgraded'
is_active 'active active inactive inactive active active' 'an upgrade of a stopped service'
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

# The timer asks about the killed payment once its owner had 150 seconds to do so.
recovered='journalctl --quiet --output=cat --unit=paytoken-recover@bepaid.service | grep -E "\"asked\":1,\"released\":0,\"changed\":1,\"failed\":0"'
eventually 240 inside sh -c "$recovered"
check 'paytoken payments list --ledger /var/lib/paytoken/ledger > left && [ ! -s left ]'

# A removal stops the units. Those that are enabled start again after an installation.
check 'apt-get -q remove paytoken && [ ! -e /usr/bin/paytoken ]'
is_active 'inactive inactive inactive inactive inactive inactive' 'a removal'
install "/root/${paytoken##*/}"
is_active 'active active active active active active' 'another installation'
ask /v1/payments/order-2003 | grep '"outcome":"paid"' || fail 'the service does not run after another installation'

# An installation that fails starts no unit that a person stopped. A removal that fails starts those that are enabled again.
sed -i 's/^Package: .*/&-postgresql/; s/^\(Conflicts\|Replaces\): .*/\1: paytoken/' "$work/earlier/DEBIAN/control"
dpkg-deb --root-owner-group -Znone --build "$work/earlier" "$root/root/.broken.deb" > /dev/null
truncate --size=-1000000 "$root/root/.broken.deb"
check "systemctl stop ${states#* is-active }
if dpkg --install /root/.broken.deb; then exit 1; fi"
is_active 'inactive inactive inactive inactive inactive inactive' 'an installation that failed'
check "systemctl start ${states#* is-active }"'
mv /usr/bin/deb-systemd-invoke /usr/bin/invoke
printf "#!/bin/sh\n/usr/bin/invoke \"\$@\"; [ \"\$1\" != stop ]\n" > /usr/bin/deb-systemd-invoke
chmod 755 /usr/bin/deb-systemd-invoke
if dpkg --remove paytoken; then exit 1; fi
mv /usr/bin/invoke /usr/bin/deb-systemd-invoke'
is_active 'active active active active active active' 'a removal that failed'

# paytoken-postgresql takes over all that paytoken used, also after paytoken is purged.
links='cd /etc/systemd/system; ls multi-user.target.wants/paytokend.service timers.target.wants/paytoken-recover@bepaid.timer /etc/paytoken/bepaid.json /etc/paytoken/keys/2027.key.pem /var/lib/paytoken/ledger'
for deb in "$dist"/paytoken-postgresql_*.deb; do
    [ -f "$deb" ] || continue
    cp "$deb" "$root/root/.postgresql.deb"
    install /root/.postgresql.deb
    check 'dpkg --purge paytoken'
    check "$links"
    is_active 'active active active active active active' 'a change to paytoken-postgresql'
    check 'paytoken ledger show --ledger /var/lib/paytoken/ledger'
    inside paytoken ledger show --ledger postgresql://127.0.0.1:1/none > "$work/transcript" 2>&1 || true
    printed 'onnection'
    install "/root/${paytoken##*/}"
    check 'dpkg --purge paytoken-postgresql'
    check "$links"
    is_active 'active active active active active active' 'a change to paytoken'
done

# The ledger's file is lost, and there is no backup: no order is charged again.
check 'rm /var/lib/paytoken/ledger'
page 'Without a backup 1'
again='cd; paytoken-testing token --pki pki --for /etc/paytoken/keys/2027.cer --amount 1099 --currency EUR > again.token
paytoken pay again.token --order order.json --gateway /etc/paytoken/bepaid.json --keys /etc/paytoken/keys \
    --ledger /var/lib/paytoken/ledger --test-trust-anchor pki/root.pem'
! inside sh -euc "$again" > "$work/transcript" || fail 'an order is paid again after its ledger was lost'
printed '"outcome":"pending".*"reason":"restored: it can be paid from '
check 'paytoken payments list --ledger /var/lib/paytoken/ledger > left && [ ! -s left ]'
books='curl -q --silent "$(sed "s/.*\"origin\":\"\([^\"]*\)\".*/\1/" /etc/paytoken/bepaid.json)/sandbox/payments" | tr "{" "\n" | grep "\"order-1001"'
id=$(inside sh -euc "$books" | sed 's/.*"id":"\([^"]*\)".*/\1/')
sed -i "s/ ID / $id /" "$work/page/Without a backup 2"
page 'Without a backup 2'
printed '"outcome":"paid"'
inside sh -euc "$again" > "$work/transcript" || { cat "$work/transcript"; fail 'an order that was found is not paid'; }
printed '"outcome":"paid"'
[ "$(inside sh -euc "$books" | grep -c .)" = 1 ] || fail 'an order was charged again after its ledger was lost'

# The removal stops and disables the units, and deletes nothing of the merchant's. Without such files, nothing remains but the users.
page 'Uninstall 1'
is_active 'inactive inactive inactive inactive inactive inactive' 'a purge'
check 'ls /etc/paytoken/bepaid.json /etc/paytoken/keys/2027.key.pem /var/lib/paytoken/ledger && getent passwd paytoken paytoken-send'
check '! find /etc/systemd /run/paytoken* | grep paytoken'
remaining() {
    inside find / -xdev -name '*paytoken*' ! -path '/proc/*' ! -path '/run/systemd/*' ! -path '/run/log/*' ! -path '/root/*' ! -path '/tmp/*' ! -path '/var/cache/*' ! -path '/var/log/*'
}
page 'Uninstall 2'
[ -z "$(remaining)" ] || { remaining; fail 'files remain'; }
check '! getent passwd paytoken paytoken-send && ! getent group paytoken paytoken-send paytoken-pay'
install "/root/${paytoken##*/}"
check 'apt-get -q purge paytoken'
[ -z "$(remaining)" ] || { remaining; fail 'files remain after an installation that was not used'; }

blocks=$(ls "$work/page")
[ -z "$blocks" ] || fail "these blocks of the page were not run: $blocks"
echo 'package.sh: done'
