#!/usr/bin/env bash
# A merchant's package, elsewhere: depends on the tag 0.1.0 of a clone of this repository, uses each of its products, pays
# at its own gateway with its own HTTP client, tests that gateway, and runs the unit test and the shell commands that the page
# Sources/Testing/ApplePayTokenTesting/Docs.docc/ApplePayTokenTesting.md prints, and pays orders with a program of 25 lines, one
# with the program and the commands of README.md, and those of a subscription.
#
#   consumer.sh [debug|release]
#
# The clone has what is committed, and nothing else. Needs libpq-dev.
set -euo pipefail
configuration=${1:-debug}
project=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
sandbox=
finish() {
    [ -z "$sandbox" ] || kill "$sandbox" 2> /dev/null || true
    [ ! -s "$work/reader/shop/demo/sandbox.pid" ] || kill "$(cat "$work/reader/shop/demo/sandbox.pid")" || true
    rm -rf "$work"
}
trap finish EXIT

fail() {
    printf 'consumer.sh: %s\n' "$*" >&2
    exit 1
}

git clone --quiet "$project" "$work/ApplePayToken"
git -C "$work/ApplePayToken" tag --force 0.1.0 > /dev/null
export APPLEPAYTOKEN_URL="file://$work/ApplePayToken"

cp -R "$project/Tests/Integration/Consumer" "$work/shop"
mkdir -p "$work/shop/Tests/shopTests"
python3 - "$project" "$work" <<'PYTHON'
import pathlib
import sys

sys.path.insert(0, f"{sys.argv[1]}/Tests/Tools/Documentation")
from documents import blocks

page = blocks("Sources/Testing/ApplePayTokenTesting/Docs.docc/ApplePayTokenTesting.md")
[test] = [block.text for block in page if "import Testing" in block.text]
[commands] = [block.text for block in page if "--fault" in block.text]
assert len(test.splitlines()) < 30, "the unit test must have less than 30 lines"
work = pathlib.Path(sys.argv[2])
(work / "shop/Tests/shopTests/PaymentTests.swift").write_text(test)
(work / "commands").write_text(commands)
[first] = [block.text for block in blocks("README.md") if "Examples/FirstPayment" in block.text]
(work / "first").write_text(first)
PYTHON

cd "$work/shop"
options=(--configuration "$configuration" --cache-path "$work/cache")
build() {
    swift build "${options[@]}" "$@"
}
build --build-tests
swift test "${options[@]}" --skip-build --disable-xctest
for product in paytoken paytoken-testing gateway-sandbox; do build --product $product; done
programs=$(build --show-bin-path)

# A program that depends on the core alone needs OpenSSL's libcrypto, and nothing else that is not the system's or Swift's.
[ "$(echo '{}' | "$programs/verifier")" = 'refused field/missing-member' ] || fail 'a program with the core alone does not verify'
readelf --dynamic "$programs/verifier" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' > "$work/needed"
grep -q libcrypto "$work/needed" || fail "the core does not need libcrypto: $(cat "$work/needed")"
! grep -E 'libssl|libsqlite3|libpq|libcurl' "$work/needed" || fail 'the core needs the libraries above'

# The page's commands create the test PKI `pki`, decrypt one token, and refuse five.
cd "$work"
PATH=$programs:$PATH sh -eu commands > answers 2> /dev/null || fail 'the commands of the page failed'
[ "$(grep -c '"status":"ok"' answers) $(grep -c '"status":"error"' answers)" = '1 5' ] || fail "$(cat answers)"

pki=$work/pki
# The token's amount, and one that the sandbox declines.
for amount in 1099 40200; do
    "$programs/paytoken-testing" token --pki "$pki" --for "$pki/merchants/one.cert.pem" --amount $amount --currency EUR \
        --account-number 4000001234567890 > "$work/token-$amount.json"
done

mkfifo "$work/address"
"$programs/gateway-sandbox" --port 0 > "$work/address" &
sandbox=$!
read -r origin < "$work/address"
printf '{"secretKey":"sandbox-secret","webhookKey":"webhook-key","origin":"%s"}' "$origin" > "$work/account.json"
"$programs/shop" "$work/token-1099.json" "$work/token-40200.json" "$pki/merchants" "$pki/root.pem" "$work/account.json" \
    "host=$work user=nobody" > "$work/output"
diff - "$work/output" <<'OUTPUT' || fail 'the shop printed something else'
report accepted 9
order-1 authorized true 
order-1 paid true 
report accepted 9
order-2 replay/already-claimed
report accepted 9
order-3 refused true 20005
order-4 gateway/unsupported-amount
asked paid
message 200 paid
message 400 
bepaid order/reference-changed
file true
database true
OUTPUT

lines=$(grep -cvE '^ *(//.*)?$|^import ' "$work/shop/Sources/integrator/main.swift")
[ "$lines" -le 25 ] || fail "the integrator's program has $lines lines"
"$project/Tests/Integration/integrator.py" "$programs" "$programs/integrator"

# README's first payment, in a clone whose programs are built already.
git clone --quiet "$work/ApplePayToken" "$work/reader/ApplePayToken"
mkdir "$work/reader/ApplePayToken/.build"
ln -s "$programs" "$work/reader/ApplePayToken/.build/debug"
# The last command ends the sandbox.
(cd "$work/reader/ApplePayToken" && sed '$d' "$work/first" | sh -eu) > "$work/shown" || fail 'the commands of README.md failed'
[ "$(tail -n 1 "$work/shown")" = ship ] || fail "$(cat "$work/shown")"
curl -q --silent --fail "$(cat "$work/reader/shop/demo/address")/sandbox/payments" |
    grep -qE '"reference":"order-1002(\.[0-9a-f]{10})?","currency":"EUR","authorized":0,"captured":1099' || fail 'the order of README.md is not paid'
# The subscription beside it: begun with a token, then charged for a month by the stored card, once.
(
    cd "$work/reader/shop"
    origin=$(cat demo/address)
    "$programs/paytoken-testing" token --pki demo/pki --for demo/pki/merchants/one.cert.pem --amount 1099 --currency EUR |
        .build/debug/subscription "$origin" start member-1
    .build/debug/subscription "$origin" renew member-1 2026-12
    .build/debug/subscription "$origin" renew member-1 2026-12
    ! .build/debug/subscription "$origin" renew member-2 2026-12
) > "$work/shown" || fail 'the subscription failed'
[ "$(tr '\n' ' ' < "$work/shown")" = 'paid paid paid ' ] || fail "$(cat "$work/shown")"
curl -q --silent --fail "$(cat "$work/reader/shop/demo/address")/sandbox/payments" | tr '{' '\n' |
    grep -cE '"reference":"member-1(-2026-12)?(\.[0-9a-f]{10})?"' | grep -qx 2 || fail 'the subscription is not charged twice'
(cd "$work/reader/shop" && tail -n 1 "$work/first" | sh -eu) || fail 'the last command of README.md failed'
echo "consumer.sh: done ($configuration)"
