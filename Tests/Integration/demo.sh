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

# The order, which each answer is compared with, and the token that pays for it. Each program's messages go to a file, which is shown if the program fails.
echo '{"reference":"demo-1","amount":71929,"currency":"USD"}' >"$work/order.json"
order=(--order "$work/order.json")
token=("$synthetic/demo-token.json" --keys "$synthetic/keys" --at 2026-05-04T09:30:00Z
	--test-trust-anchor "$synthetic/pki/root.pem")
paytoken() {
	"$programs/paytoken" "$@" 2>"$work/notes" || { status=$?; cat "$work/notes" >&2; return $status; }
}

# Starts the sandbox, which writes a file for each gateway; its first line is its address.
mkfifo "$work/address"
"$programs/gateway-sandbox" --port 0 --files "$work/gateways" >"$work/address" &
sandbox=$!
read -r origin <"$work/address"

# The file names the merchant's account and the file with the secret that signs every request.
account=(--gateway "$work/gateways/worldline-direct.json" "${order[@]}")

# Sends a request with curl, which reads it from standard input, so that arguments do not contain secrets. The answer is
# in the file `answer`; after a timeout it is incomplete or empty, and paytoken answer reports that the outcome is
# unknown.
send() {
	paytoken request "$@" "${account[@]}" --curl | curl -q -i --config - >"$work/answer" || true
}
member() { sed -n "s/.*\"$1\":\"\([^\"]*\)\".*/\1/p" <<<"$2"; }

echo "verified   $(paytoken verify TestVectors/apple-signed/bepaid-documented.json --at 2020-02-19T08:27:00Z)"

paytoken ledger init --window 300 --ledger "$work/ledger" >"$work/ledger.json"
opened=$(paytoken decrypt "${token[@]}" "${order[@]}" --ledger "$work/ledger")
transaction=$(member transactionId "$opened")
serial=$(member serial "$opened")
echo "decrypted  $opened"
echo "claimed    $(paytoken ledger show "$transaction" --ledger "$work/ledger")"
if "$programs/paytoken" decrypt "${token[@]}" "${order[@]}" --ledger "$work/ledger" >"$work/again" 2>"$work/notes"; then
	echo 'the same token was accepted twice' >&2
	exit 1
fi
echo "again      $(cat "$work/again")"

# The gateway's key for the payment is derived from the reference, so a repetition charges once.
echo "requested  $(paytoken request payment "${token[@]}" "${account[@]}")"
send payment "${token[@]}"
echo "received   $(head -n 1 "$work/answer" | tr -d '\r') $(tail -n 1 "$work/answer" | head -c 100)…"
# The exit status is 0 only if this order is paid, in full and in its currency.
outcome=$(paytoken answer payment "$work/answer" "${account[@]}")
echo "answered   $outcome"
id=$(member paymentId "$outcome")
echo "confirmed  $(paytoken ledger confirm "$transaction" --serial "$serial" --ledger "$work/ledger")"

send refund --payment-id "$id" --operation refund-1
# The gateway executes the refund later (exit status 4).
outcome=$(paytoken answer refund "$work/answer" "${account[@]}") || [ $? -eq 4 ]
echo "refunded   $outcome"
send status --payment-id "$id"
# All of the money was given back (exit status 1).
outcome=$(paytoken answer status "$work/answer" "${account[@]}") || [ $? -eq 1 ]
echo "status     $outcome"
[[ $outcome == '{"outcome":"returned",'*'"refunded":71929,'* ]]

# The gateway's own books: the order was charged once, and refunded.
books=$(curl -q --silent --fail "$origin/sandbox/payments")
echo "books      $books"
[[ $books == *'"reference":"demo-1","currency":"USD","authorized":0,"captured":71929,"refunded":71929,"requests":1}]'* ]]
