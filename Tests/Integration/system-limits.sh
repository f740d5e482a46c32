#!/usr/bin/env bash
# Shows that paytoken ends with a sentence where the system permits it no further thread, or has no /proc.
#
#   system-limits.sh PAYTOKEN
set -euo pipefail
paytoken=$(realpath "$1")
vectors=$(cd "$(dirname "$0")/../../TestVectors/synthetic" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
    printf 'system-limits.sh: %s\n' "$*" >&2
    exit 1
}
if [ "$(id -u)" -ne 0 ]; then
    echo 'system-limits.sh: skipped, because it needs root'
    exit
fi

if unshare --mount true 2> /dev/null; then
    status=0
    # shellcheck disable=SC2016
    unshare --mount sh -c 'umount --lazy /proc && exec "$1" --version' sh "$paytoken" 2> "$work/said" || status=$?
    grep -q 'the arguments cannot be read, because /proc is not mounted here' "$work/said" || fail "without /proc: $(cat "$work/said")"
    [ "$status" = 3 ] || fail "without /proc: exit $status"
else
    echo 'system-limits.sh: nothing can be unmounted here, so the test without /proc is skipped'
fi

# The limit does not bind root, and counts the processes of a user: this one should have no others.
chmod 755 "$work"
cp "$paytoken" "$work/paytoken"
cp -R "$vectors" "$work/vectors"
mkdir "$work/ledgers"
chown 54321 "$work/ledgers"
limited() {
    timeout 60 setpriv --reuid=54321 --regid=54321 --clear-groups prlimit --nproc="$1" "$work/paytoken" "${@:2}"
}
limited 64 ledger init --window 300 --ledger "$work/ledgers/ledger" > /dev/null 2> "$work/said" || {
    echo "system-limits.sh: another user cannot run paytoken, so the test of threads is skipped: $(cat "$work/said")"
    exit
}
paid=
for threads in 1 2 3 4 5 6 7 8 12 16; do
    status=0
    limited "$threads" decrypt "$work/vectors/demo-token.json" --keys "$work/vectors/keys" \
        --test-trust-anchor "$work/vectors/pki/root.pem" --any-age --ledger "$work/ledgers/ledger" \
        > "$work/answer" 2> "$work/said" || status=$?
    case $status in
        0) paid=$threads ;;
        *) grep -Eq 'raise the limit on processes' "$work/said" || fail "$threads threads, exit $status: $(cat "$work/said")" ;;
    esac
    echo "$threads threads: exit $status"
    [ -z "$paid" ] || break
done
[ -n "$paid" ] || fail '16 threads are not enough'
[ "$paid" -gt 1 ] || fail 'no limit was noticed'
# Only the command that succeeded has claimed the transaction: after any other one, it would have been refused.
transaction=$(sed -n 's/.*"transactionId":"\([0-9a-f]*\)".*/\1/p' "$work/answer")
limited 64 ledger show "$transaction" --ledger "$work/ledgers/ledger" > "$work/answer"
grep -q '"claimed":true' "$work/answer" || fail "the transaction is not claimed: $(cat "$work/answer")"
echo 'system-limits.sh: done'
