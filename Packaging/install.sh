#!/bin/sh
# Installs paytoken and paytokend with their manual pages, completions and documents.
#
#   install.sh PROGRAMS FOLDER
#
# PROGRAMS is the folder that contains both, and FOLDER the prefix, such as /usr/local, with DESTDIR before it.
set -eu
umask 022
share=$2/share
project=$(cd "$(dirname "$0")/.." && pwd)

. "$(dirname "$0")/install-output.sh"

for program in paytoken paytokend; do
    "$project/Packaging/install-program.sh" "$1/$program" "$2"
done

# Documents link each other by their files, and have no pictures, and no comments for the scripts that check them.
install_document() {
    install_output "$share/doc/paytoken/${1##*/}" \
        sed -e '/^ *<!--.*-->$/d' -e '/^ *<!--/,/-->/d' -e '/^!\[/d' -e 's|](Sources/[^)]*/\([A-Za-z]*\.md\)|](\1|g' \
        -e 's/<doc:\([A-Za-z]*\)[^>]*>/[\1.md](\1.md)/g' \
        -e 's/\*\(Pay an order once\)\*/[\1](AcceptOnce.md)/g' -e 's/\*\(Know the state of an order\)\*/[\1](Outcomes.md)/g' "$1"
}
for document in CHANGELOG.md SECURITY.md LICENSE; do
    install_document "$project/$document"
done
for article in BrokenVerifier Command Environments ForEveryLanguage InstallAndOperate KeysAndCertificates Limits OperateService Operators \
    PCIDSS Refusals SecretsInMemory SecurityReview Server ServiceProcesses ThreatModel VerificationRules; do
    install_document "$project/Sources/Core/ApplePayToken/Docs.docc/$article.md"
done
# Those above refer to these.
for article in AcceptOnce LedgerPromises; do
    install_document "$project/Sources/Payments/ApplePayLedger/Docs.docc/$article.md"
done
for article in "$project"/Sources/Payments/ApplePayGateways/Docs.docc/*.md; do
    [ "${article##*/}" = ApplePayGateways.md ] || install_document "$article"
done
# Alarms for Prometheus.
install_output "$share/doc/paytoken/paytoken.rules.yml" cat "$project/Packaging/prometheus/paytoken.rules.yml"
