#!/usr/bin/env bash
# Pays orders on one machine, with gateway-sandbox as the gateway: one is paid, one is killed and found again, and one is
# captured and refunded in parts.
#
#   Tests/Integration/demo.sh FOLDER
#
# FOLDER contains the programs paytoken, paytoken-testing and gateway-sandbox.
set -euo pipefail

programs=$1
work=$(mktemp -d)
sandbox=
finish() {
	[ -z "$sandbox" ] || kill "$sandbox" 2>/dev/null || true
	rm -rf "$work"
}
trap finish EXIT

# Each program's messages go to a file, which is shown if the program fails.
paytoken() {
	"$programs/paytoken" "$@" 2>"$work/notes" || { status=$?; cat "$work/notes" >&2; return $status; }
}

# Starts the sandbox, which writes a file for each gateway; its first line is its address.
mkfifo "$work/address"
"$programs/gateway-sandbox" --port 0 --files "$work/gateways" >"$work/address" &
sandbox=$!
read -r origin <"$work/address"

# A merchant with keys, and a ledger.
"$programs/paytoken-testing" pki --out "$work/pki" >"$work/notes"
keys=(--keys "$work/pki/merchants" --test-trust-anchor "$work/pki/root.pem")
paytoken ledger init --window 300 --ledger "$work/ledger" >"$work/notes"
# bePaid's account; and the same one, which first only reserves the amount.
account=(--gateway "$work/gateways/bepaid.json" --ledger "$work/ledger")
sed 's/^{/{"payment":{"kind":"authorization"},/' "$work/gateways/bepaid.json" >"$work/gateways/reserving.json"
reserving=(--gateway "$work/gateways/reserving.json" --ledger "$work/ledger")

# Writes an order and a token that pays it.
order() {
	echo "{\"reference\":\"$1\",\"amount\":$2,\"currency\":\"EUR\",\"description\":\"Demo\"}" >"$work/$1.json"
	"$programs/paytoken-testing" token --pki "$work/pki" --for "$work/pki/merchants/one.cert.pem" --amount "$2" \
		--currency EUR >"$work/$1.token" 2>"$work/notes"
	payment=("$work/$1.token" --order "$work/$1.json" "${keys[@]}")
}
member() { sed -n "s/.*\"$1\":\"\([^\"]*\)\".*/\1/p" <<<"$2"; }
expect() {
	[ "$(member "$1" "$3")" = "$2" ] || { echo "$1 is not $2: $3" >&2; exit 1; }
}

echo "verified   $(paytoken verify TestVectors/apple-signed/bepaid-documented.json --at 2020-02-19T08:27:00Z)"

order demo-1 71929
echo "decrypted  $(paytoken decrypt "${payment[@]}")"
paid=$(paytoken pay "${payment[@]}" "${account[@]}")
echo "paid       $paid"
expect outcome paid "$paid"
# The customer taps again, with another token: nothing is sent.
order demo-1 71929
again=$(paytoken pay "${payment[@]}" "${account[@]}")
echo "again      $again"
expect paymentId "$(member paymentId "$paid")" "$again"

# The gateway books this amount and never answers; the program is killed while it waits.
order demo-2 40800
"$programs/paytoken" pay "${payment[@]}" "${account[@]}" >"$work/killed" 2>&1 &
payer=$!
until curl -q --silent --fail "$origin/sandbox/payments" | grep -q demo-2; do sleep 0.1; done
{ kill -KILL "$payer" && wait "$payer"; } 2>"$work/notes" || echo "killed     demo-2, after the gateway had booked it"
found=$(paytoken payments show demo-2 "${account[@]}")
echo "recovered  $found"
expect outcome paid "$found"

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
for amounts in '"captured":71929,"refunded":0,"requests":1' '"captured":40800,"refunded":0,"requests":1' \
	'"captured":50000,"refunded":10000,"requests":1'; do
	[[ $books == *"$amounts"* ]] || { echo "the books do not have $amounts" >&2; exit 1; }
done
