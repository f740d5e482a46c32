#!/usr/bin/env bash
# Takes an order from the token to the payment and the refund on one machine, with gateway-sandbox as the gateway.
#
#   Tests/Integration/demo.sh FOLDER
#
# FOLDER contains the programs paytoken and gateway-sandbox.
set -euo pipefail

programs=$1
synthetic=TestVectors/synthetic
work=$(mktemp -d)
sandbox=
finish() {
	[ -z "$sandbox" ] || kill "$sandbox" 2>/dev/null || true
	rm -rf "$work"
}
trap finish EXIT

# The order, and the token that pays for it. Each program's messages go to a file, which is shown if the program fails.
order=(--amount 71929 --currency USD)
token=("$synthetic/demo-token.json" --keys "$synthetic/keys" --at 2026-05-04T09:30:00Z
	--test-trust-anchor "$synthetic/pki/root.pem")
paytoken() {
	"$programs/paytoken" "$@" 2>"$work/notes" || { status=$?; cat "$work/notes" >&2; return $status; }
}

# Starts the sandbox; its first line is its address.
mkfifo "$work/address"
"$programs/gateway-sandbox" --port 0 >"$work/address" &
sandbox=$!
read -r origin <"$work/address"

# Every request is signed with this secret, which the sandbox accepts from every merchant.
export DEMO_SECRET=sandbox-secret
worldline=(worldline-direct --origin "$origin" --worldline-merchant-id demo
	--api-key-id demo-key --secret-api-key-env DEMO_SECRET)

# Sends a request with curl, which reads it from standard input, so that arguments do not contain secrets. The answer is
# in the file `answer`; after a timeout it is incomplete or empty, and paytoken answer reports that the outcome is
# unknown.
send() {
	paytoken request "${worldline[@]}" "$@" --curl | curl --silent --include --config - >"$work/answer" || true
}
member() { sed -n "s/.*\"$1\":\"\([^\"]*\)\".*/\1/p" <<<"$2"; }

echo "verified   $(paytoken verify TestVectors/apple-signed/bepaid-documented.json --at 2020-02-19T08:27:00Z)"

paytoken ledger init --window 300 --ledger "$work/ledger" >"$work/ledger.json"
opened=$(paytoken decrypt "${token[@]}" "${order[@]}" --ledger "$work/ledger")
transaction=$(member transactionId "$opened")
echo "decrypted  $opened"
echo "claimed    $(paytoken ledger show "$transaction" --ledger "$work/ledger")"
if "$programs/paytoken" decrypt "${token[@]}" "${order[@]}" --ledger "$work/ledger" >"$work/again" 2>"$work/notes"; then
	echo 'the same token was accepted twice' >&2
	exit 1
fi
echo "again      $(cat "$work/again")"

payment=("${token[@]}" "${order[@]}" --authorization-mode SALE --merchant-reference demo-1 --idempotence-key demo-1)
echo "requested  $(paytoken request "${worldline[@]}" "${payment[@]}")"
send "${payment[@]}"
id=$(sed -n 's/.*"payment":{"id":"\([^"]*\)".*/\1/p' "$work/answer")
echo "received   $(head -n 1 "$work/answer" | tr -d '\r') $(tail -n 1 "$work/answer" | head -c 100)…"
# The exit status is 0 only if the order is paid, in full and in its currency.
outcome=$(paytoken answer worldline-direct "${order[@]}" "$work/answer")
echo "answered   $outcome"
echo "confirmed  $(paytoken ledger confirm "$transaction" --ledger "$work/ledger")"

send --step refund --payment-id "$id" --authorized-amount 71929 --currency USD
# The gateway executes the refund later (exit status 4), and then reports it as done.
outcome=$(paytoken answer worldline-direct --step refund "${order[@]}" "$work/answer") || [ $? -eq 4 ]
echo "refunded   $outcome"
send --step get-payment --payment-id "$id"
outcome=$(paytoken answer worldline-direct --step get-payment "$work/answer") || true
echo "status     $outcome"
[[ $outcome == *'"status":"REFUNDED"'* ]]
