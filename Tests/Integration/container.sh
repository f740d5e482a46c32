#!/usr/bin/env bash
# Builds the image of Packaging/Containerfile from the package, and runs the service in a container with the commands of
# OperateService.md: it confines itself, pays for another container's user only, and completes a payment after SIGTERM.
#
#   container.sh [FOLDER [ROOT]]
#
# FOLDER contains the packages that make dist created, by default dist. ROOT is a bare system that debootstrap made, which becomes
# the image debian:12; without it, debootstrap downloads one from DEBIAN_MIRROR. Needs root, podman with crun, and Python 3.
set -euo pipefail
project=$(cd "$(dirname "$0")/../.." && pwd)

fail() {
    printf 'container.sh: %s\n' "$*" >&2
    exit 1
}
[ "$(id -u)" = 0 ] || fail 'run this as root'
command -v podman > /dev/null || fail 'install podman and crun'
dist=$(cd "${1:-$project/dist}" 2> /dev/null && pwd) || fail 'run make dist first'
# In mounts of its own, with one version of control groups, because crun refuses two, and with a /srv of its own.
if [ -z "${CONTAINER_MOUNTS:-}" ]; then
    exec env CONTAINER_MOUNTS=1 unshare --mount "$0" "$@"
fi
if [ -e /sys/fs/cgroup/unified ]; then
    umount --recursive /sys/fs/cgroup
    mount -t cgroup2 none /sys/fs/cgroup
fi
mount -t tmpfs none /srv
work=$(mktemp -d)
sandbox=
finish() {
    [ -z "$sandbox" ] || kill -KILL "$sandbox" 2> /dev/null || true
    wait 2> /dev/null
    podman rm --force --all > /dev/null 2>&1 || true
    umount "$work/storage/overlay" 2> /dev/null || true
    rm -rf "$work"
}
trap finish EXIT

# Images and containers are thrown away. They use this machine's network, where gateway-sandbox is, and no more than its limits.
export CONTAINERS_CONF=$work/containers.conf CONTAINERS_STORAGE_CONF=$work/storage.conf BUILDAH_ISOLATION=chroot
cat > "$CONTAINERS_CONF" << END
[containers]
netns = "host"
cgroups = "disabled"
default_ulimits = ["nofile=1024:1024", "nproc=1024:1024"]
END
cat > "$CONTAINERS_STORAGE_CONF" << END
[storage]
driver = "overlay"
graphroot = "$work/storage"
runroot = "$work/runroot"
END
if [ -z "${2:-}" ]; then
    debootstrap --variant=minbase bookworm "$work/bare" "${DEBIAN_MIRROR:-http://deb.debian.org/debian}"
fi
tar -C "${2:-$work/bare}" -c . | podman import --quiet - docker.io/library/debian:12 > /dev/null
dpkg-deb --extract "$dist"/paytoken-testing_*.deb "$work/testing"
dpkg-deb --extract "$dist"/paytoken_*.deb "$work/programs"
PATH=$work/testing/usr/bin:$work/programs/usr/bin:$PATH

# The article's blocks of commands: 1 builds the image, 2 makes folders, 3 runs the service.
python3 - "$project" "$work" << 'SCRIPT'
import pathlib, sys
project, folder = map(pathlib.Path, sys.argv[1:])
sys.path.insert(0, str(project / "Tests/Tools/Documentation"))
from documents import blocks

found = [block.text for block in blocks("Sources/Core/ApplePayToken/Docs.docc/OperateService.md")
         if block.directive == "run by Tests/Integration/container.sh"]
for number, text in enumerate(found, 1):
    (folder / f"block-{number}").write_text(text)
SCRIPT
block() {
    sh -eux "$work/block-$1" > "$work/transcript" 2>&1 || { cat "$work/transcript"; fail "the article's commands fail"; }
    cat "$work/transcript"
}
mkdir "$work/image"
cd "$work/image"
cp "$project/Packaging/Containerfile" "$dist"/paytoken_*.deb .
block 1
grep -q '^uid=100(paytoken) gid=101(paytoken)' "$work/transcript" || fail 'the numbers of the user are not those of the article'
printf 'FROM debian:12\nRUN apt-get update && apt-get install --yes --no-install-recommends curl\n' |
    podman build --quiet --tag shop --file - > /dev/null

# Keys and a gateway file, as InstallAndOperate.md describes.
block 2
cd "$work"
gateway-sandbox --files sandbox > sandbox.log &
sandbox=$!
paytoken-testing pki --out pki
etc=/srv/paytoken/etc
paytoken keys new --out $etc/keys/2026
paytoken keys csr --key $etc/keys/2026.key.pem --out $etc/keys/2026
paytoken-testing certificate --pki pki --csr $etc/keys/2026.csr.pem --merchant-id merchant.example.shop --out $etc/keys/2026.cer
install -g 101 -m 640 sandbox/bepaid.* pki/root.pem $etc
chgrp 101 $etc/keys/2026.key.pem
chmod 640 $etc/keys/2026.key.pem
sed -i 's|"file":"[^"]*/|"file":"/etc/paytoken/|g' $etc/bepaid.json
sed -i 's|--gateway /etc/paytoken/bepaid.json|& --test-trust-anchor /etc/paytoken/root.pem|' block-3
is_locked=passed
if ! prlimit --memlock=unlimited true 2> /dev/null; then
    echo 'skipped: memory cannot be locked on this machine'
    is_locked=warning
    sed -i 's/ --ulimit memlock=-1//' block-3
fi
block 3
podman exec paytoken paytoken doctor --json --socket /run/paytoken/socket > found
for check in service no-new-privileges system-call-filter file-rules network "locked-memory:$is_locked"; do
    result=${check#*:}
    [ "$result" != "$check" ] || result=passed
    grep -qF "{\"check\":\"${check%:*}\",\"result\":\"$result\"" found || { cat found; fail "$check is not so in the container"; }
done

# pay USER NUMBER: pays an order as a user of another container.
pay() {
    local token
    token=$(paytoken-testing token --pki pki --for $etc/keys/2026.cer --amount 1099 --currency EUR)
    echo "{\"token\":$token,\"order\":{\"reference\":\"order-$2\",\"amount\":1099,\"currency\":\"EUR\",\"description\":\"A book\"}}" |
        podman run --rm --interactive --user "$1" --volume /srv/paytoken/run:/run/paytoken shop curl --silent --show-error --data @- \
            --unix-socket /run/paytoken/socket -H 'Paytoken-Request: true' -H 'Content-Type: application/json' http://localhost/v1/pay
}
! pay 34:34 1001 > answer 2>&1 || fail 'everybody may pay'
grep -q "Couldn't connect" answer || { cat answer; fail 'another user is refused for another reason'; }
pay 33:33 1001 | tee answer
grep -q '"outcome":"paid"' answer || fail 'the order is not paid'

# SIGTERM while the gateway does not answer.
kill -STOP $sandbox
pay 33:33 1002 > answer &
payment=$!
until podman exec paytoken paytoken payments list --ledger /var/lib/paytoken/ledger | grep -q order-1002; do sleep 0.1; done
podman stop paytoken &
stop=$!
sleep 3
if [ -s answer ] || ! kill -0 $stop; then fail 'the payment or the container ended before the gateway answered'; fi
kill -CONT $sandbox
wait $payment || fail 'the payment has no answer'
wait $stop || fail 'the container does not stop'
grep '"outcome":"paid"' answer || { cat answer; fail 'the payment is not paid'; }
podman inspect --format '{{.State.ExitCode}}' paytoken > status
[ "$(cat status)" = 0 ] || { podman logs paytoken; fail "the service ends with $(cat status)"; }
echo 'container.sh: done'
