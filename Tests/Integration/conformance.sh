#!/bin/sh
# conformance.sh PAYTOKEN PAYTOKEN-TESTING: judges this project's own answers, then creates test tokens from a shell, and
# decrypts or refuses them.
set -eu
paytoken=$1
testing=$2
project=$(cd "$(dirname "$0")/../.." && pwd)
vectors=$project/TestVectors/synthetic
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
    echo "conformance.sh: $1" >&2
    exit 1
}

"$testing" conform "$vectors/cases.jsonl" --trust-anchor "$vectors/pki/root.pem" --keys "$vectors/keys" \
    > "$work/own.jsonl" 2> /dev/null
"$testing" conform "$vectors/cases.jsonl" --check "$work/own.jsonl" > "$work/own.findings" 2> /dev/null ||
    fail "our own answers fail: $(head -1 "$work/own.findings")"
[ "$(wc -l < "$work/own.findings")" = 1 ] || fail "our own answers have findings: $(head -1 "$work/own.findings")"

"$testing" faults | grep -q "^chain/no-path-to-anchor	EC_v1,RSA_v1	" || fail 'a fault is not listed'

"$testing" pki --out "$work/pki"
! "$testing" pki --out "$work/pki" 2> /dev/null || fail 'an existing folder was written over'
modes=$(find "$work/pki" \( -name '*.key.pem' -o -name seed \) ! -perm 600)
[ -z "$modes" ] || fail "readable by others: $modes"
[ -z "$(find "$work/pki/signing" -name '*.cert.pem')" ] || fail 'a signing certificate is named as a merchant certificate'
for merchant in one two; do
    "$testing" token --pki "$work/pki" --for "$work/pki/merchants/$merchant.cert.pem" --amount 1099 --currency EUR |
        "$paytoken" decrypt --keys "$work/pki/merchants" --test-trust-anchor "$work/pki/root.pem" 2> /dev/null |
        grep -q '"currencyCode":"978","transactionAmount":1099' || fail "the token for $merchant does not open"
done
for code in signature/message-digest-mismatch chain/no-path-to-anchor signing-time/too-old \
    key-selection/no-key-with-hash decrypt/decryption-failed; do
    "$testing" token --pki "$work/pki" --for "$work/pki/merchants/one.cert.pem" --amount 1 --currency EUR --fault $code |
        "$paytoken" decrypt --keys "$work/pki/merchants" --test-trust-anchor "$work/pki/root.pem" 2> /dev/null |
        grep -q "\"stage\":\"${code%/*}\",\"code\":\"${code#*/}\"" || fail "the fault $code is refused otherwise"
done
echo 'conformance.sh: done'
