#!/usr/bin/env bash
# Feeds a gateway with the card data of a token, then pays orders at gateway-sandbox: one with this token, which is
# refused for another order, one whose payer is killed, and one that is captured and refunded in parts.
#
#   Tests/Integration/demo.sh FOLDER
#
# FOLDER contains the programs paytoken, paytoken-testing and gateway-sandbox.
set -euo pipefail

PATH=$(cd "$1" && pwd):$PATH
work=$(mktemp -d)
cd "$work"
finish() {
	[ ! -s sandbox.pid ] || kill "$(cat sandbox.pid)" 2>/dev/null || true
	rm -rf "$work"
}
trap finish EXIT

# Prints a command, runs it, checks its exit status, and prints the members of its answer that matter here.
#
#   step STATUS LINE… COMMAND
step() {
	local status=0 line
	printf '%s\n' "${@:2}"
	eval "${*: -1}" >answer 2>notes || status=$?
	[ "$status" = "$1" ] || { cat answer notes >&2; exit 1; }
	while IFS= read -r line; do
		grep -oE '"(decryptedPaymentData":\{[^}]*\}|('"$shown"')":("[^"]*"|[0-9]+))' <<<"$line" | paste -sd ' '
	done < <(sed '$a\' answer)
	echo
}
shown='reference|outcome|operation|stage|code|amount|authorized|captured|refunded|requests'

# Checks members of the last answer.
expect() {
	for member; do
		grep -qF "$member" answer || { echo "there is no $member: $(cat answer)" >&2; exit 1; }
	done
}

# Returns the card data in a body, with all digits of its number but the last four, and its cryptogram masked.
masked() {
	grep -o '"decryptedPaymentData":{[^}]*}' |
		sed -E 's/("dpan":")[0-9]+([0-9]{4}")/\1••••••••••••\2/; s/("cryptogram":")[^"]+/\1••••••••/'
}

# Writes an order and a token that pays it.
order() {
	echo "{\"reference\":\"$1\",\"amount\":$2,\"currency\":\"EUR\",\"description\":\"Demo\"}" >"$1.json"
	paytoken-testing token --pki pki --for pki/merchants/one.cert.pem --amount "$2" --currency EUR >"$1.token"
}

# The keys of a test merchant, gateways on this machine, which move no money, and a ledger.
paytoken-testing pki --out pki
(gateway-sandbox --files gateways & echo $! >sandbox.pid) | head -n 1 >address
sed 's/^{/{"payment":{"kind":"authorization"},/' gateways/bepaid.json >reserving.json
paytoken ledger init --window 300 --ledger ledger >answer
order demo-1 1099
order demo-2 1099

keys='--keys pki/merchants --test-trust-anchor pki/root.pem'
account='--gateway gateways/bepaid.json --ledger ledger'
printf '%s\n' "keys='$keys'" "account='$account'" ''

step 0 '# The card data of a token, as Worldline wants it from your own client. Here it is masked.' \
	'paytoken request demo-1.token --order demo-1.json --gateway gateways/worldline-direct.json $keys | masked'
expect '"dpan":"••••••••••••' '"cryptogram":"••••••••"' '"expiryDate":"1249"' '"eci":7'

step 0 '# Or pay the order, here at bePaid.' 'paytoken pay demo-1.token --order demo-1.json $keys $account'
expect '"outcome":"paid"' '"captured":1099'

step 1 '# The same token for another order.' 'paytoken pay demo-1.token --order demo-2.json $keys $account'
expect '"stage":"replay"' '"code":"already-claimed"'

step 0 '# The customer sends a part back.' 'paytoken payments refund demo-1 --amount 500 --reason returned $account'
expect '"operation":"done"' '"amount":500'

# The gateway books this amount and never answers.
order demo-3 40800
pay='paytoken pay demo-3.token --order demo-3.json $keys $account'
printf '%s\n' '# The payer of another order is killed after the gateway has booked it.' "$pay"
eval "$pay" >killed 2>&1 &
payer=$!
until curl -q --silent --fail "$(cat address)/sandbox/payments" | grep -q demo-3; do sleep 0.1; done
{ kill -KILL "$payer" && wait "$payer"; } 2>notes || [ $? = 137 ]
step 0 'paytoken payments show demo-3 $account'
expect '"outcome":"paid"'
found=$(grep -o '"paymentId":"[^"]*"' answer)
order demo-3 40800
step 0 '# The customer taps again, with another token: it pays nothing a second time.' "$pay"
expect '"outcome":"paid"' "$found"

order demo-4 71929
account='--gateway reserving.json --ledger ledger'
step 6 '# Another account only reserves the amount.' "account='$account'" \
	'paytoken pay demo-4.token --order demo-4.json $keys $account'
expect '"outcome":"authorized"' '"authorized":71929'
step 0 'paytoken payments capture demo-4 --amount 50000 $account'
expect '"operation":"done"' '"amount":50000'
step 0 'paytoken payments refund demo-4 --amount 10000 --reason returned $account'
expect '"operation":"done"' '"amount":10000'
step 6 'paytoken payments show demo-4 $account'
expect '"outcome":"partly-returned"'

step 0 "# The gateway's own books: each order was charged once, and the one with a used token was not." \
	'curl -q --silent --fail "$(cat address)/sandbox/payments" | sed "s/},{/},\n{/g"'
[ "$(grep -c '"requests":1' answer)" = 3 ] || { echo "there are other payments: $(cat answer)" >&2; exit 1; }
expect '"captured":1099,"refunded":500,"requests":1' '"captured":40800,"refunded":0,"requests":1' \
	'"captured":50000,"refunded":10000,"requests":1'
