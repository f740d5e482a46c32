#!/bin/sh
# help.sh PAYTOKEN: prints every page of the command's help; help.txt contains them, so that a change of the command's
# words is visible in a review. `make docs-tables` writes the file again.
set -eu
page() {
    echo "\$ paytoken${*:+ $*} --help"
    "$paytoken" "$@" --help
    echo
}
paytoken=$1
page
for command in decrypt verify inspect 'keys list' 'keys new' 'keys csr' 'keys hash' 'ledger init' 'ledger show' \
    'ledger confirm' 'ledger release' 'ledger prune' 'ledger repair' conform request answer doctor completions manual; do
    # shellcheck disable=SC2086
    page $command
done
for gateway in worldline-direct worldline-connect bepaid dintero rbs intergiro cybersource checkout adyen paypal; do
    page request "$gateway"
done
