#!/usr/bin/env bash
# Pays orders on one machine, with gateway-sandbox as the gateway: one with the commands of paytoken-testing quickstart, one
# whose payer is killed, and one that is captured and refunded in parts.
#
#   Tests/Integration/demo.sh FOLDER
#
# FOLDER contains the programs paytoken, paytoken-testing and gateway-sandbox.
set -euo pipefail

PATH=$(cd "$1" && pwd):$PATH
token=$PWD/TestVectors/apple-signed/bepaid-documented.json
work=$(mktemp -d)
cd "$work"
finish() {
	[ ! -s shop/sandbox.pid ] || kill "$(cat shop/sandbox.pid)" 2>/dev/null || true
	rm -rf "$work"
}
trap finish EXIT

# The messages go to a file, which is shown if the program fails.
paytoken() {
	command paytoken "$@" 2>notes || { status=$?; cat notes >&2; return $status; }
}

echo "verified   $(paytoken verify "$token" --at 2020-02-19T08:27:00Z)"
echo

# The quick start: each of its commands is shown before it runs.
paytoken-testing quickstart shop >quickstart
sh -euv quickstart 2>&1
echo

# Other orders in the same shop. One account charges at once; the other first reserves the amount.
keys=(--keys shop/pki/merchants --test-trust-anchor shop/pki/root.pem)
account=(--gateway shop/gateways/bepaid.json --ledger shop/ledger)
sed 's/^{/{"payment":{"kind":"authorization"},/' shop/gateways/bepaid.json >reserving.json
reserving=(--gateway reserving.json --ledger shop/ledger)
origin=$(cat shop/address)

# Writes an order and a token that pays it.
order() {
	echo "{\"reference\":\"$1\",\"amount\":$2,\"currency\":\"EUR\",\"description\":\"Demo\"}" >"$1.json"
	paytoken-testing token --pki shop/pki --for shop/pki/merchants/one.cert.pem --amount "$2" \
		--currency EUR >"$1.token"
	payment=("$1.token" --order "$1.json" "${keys[@]}")
}
member() { sed -n "s/.*\"$1\":\"\([^\"]*\)\".*/\1/p" <<<"$2"; }
expect() {
	[ "$(member "$1" "$3")" = "$2" ] || { echo "$1 is not $2: $3" >&2; exit 1; }
}

# The gateway books this amount and never answers; the program is killed while it waits.
order demo-2 40800
command paytoken pay "${payment[@]}" "${account[@]}" >killed 2>&1 &
payer=$!
until curl -q --silent --fail "$origin/sandbox/payments" | grep -q demo-2; do sleep 0.1; done
{ kill -KILL "$payer" && wait "$payer"; } 2>notes || echo "killed     demo-2, after the gateway had booked it"
found=$(paytoken payments show demo-2 "${account[@]}")
echo "recovered  $found"
expect outcome paid "$found"
# The customer taps again, with another token: nothing is sent.
order demo-2 40800
again=$(paytoken pay "${payment[@]}" "${account[@]}")
echo "again      $again"
expect paymentId "$(member paymentId "$found")" "$again"

# An amount that is only reserved is captured and refunded in parts (exit status 6: not paid as a whole).
order demo-3 71929
echo "reserved   $(paytoken pay "${payment[@]}" "${reserving[@]}" --accept authorized)"
captured=$(paytoken payments capture demo-3 --amount 50000 "${reserving[@]}")
echo "captured   $captured"
expect outcome done "${captured/\"operation\"/\"outcome\"}"
refunded=$(paytoken payments refund demo-3 --amount 10000 --reason returned "${reserving[@]}")
echo "refunded   $refunded"
left=$(paytoken payments show demo-3 "${reserving[@]}") || [ $? -eq 6 ]
echo "left       $left"
expect outcome partly-returned "$left"

# The gateway's own books: each order was charged once.
books=$(curl -q --silent --fail "$origin/sandbox/payments")
echo "books      $books"
for amounts in '"captured":1099,"refunded":500,"requests":1' '"captured":40800,"refunded":0,"requests":1' \
	'"captured":50000,"refunded":10000,"requests":1'; do
	[[ $books == *"$amounts"* ]] || { echo "the books do not have $amounts" >&2; exit 1; }
done
