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
install_document "$project/Sources/Network/ApplePaySession/Docs.docc/OpenThePaymentSheet.md"
# Those above refer to these.
for article in AcceptOnce LedgerPromises; do
    install_document "$project/Sources/Payments/ApplePayLedger/Docs.docc/$article.md"
done
for article in "$project"/Sources/Payments/ApplePayGateways/Docs.docc/*.md; do
    [ "${article##*/}" = ApplePayGateways.md ] || install_document "$article"
done
# The clients of the service in seven languages, and a shop in PHP.
for file in "$project"/Examples/Service/* "$project"/Examples/Shop/*; do
    folder=${file%/*}
    install_output "$share/doc/paytoken/examples/$(basename "$folder" | tr '[:upper:]' '[:lower:]')/${file##*/}" cat "$file"
done
# The index has the title of each article, and the sentence below it.
index() {
    printf '# The documents of paytoken\n\n'
    for article in "$share"/doc/paytoken/*.md; do
        name=${article##*/}
        case $name in CHANGELOG.md | README.md) continue ;; esac
        awk -v name="$name" '/^# / && !title { title = substr($0, 3) } title && !/^#/ && NF { sub(/\. .*/, "."); print "- [" title "](" name "): " $0; exit }' "$article"
    done
    printf -- '- examples/service: clients of the service in seven languages, `pay` and `decrypt`\n'
    printf -- '- examples/shop: the page with the payment sheet, and a server for it in PHP\n'
    printf -- '- paytoken.rules.yml: alarms for Prometheus\n'
}
install_output "$share/doc/paytoken/README.md" index
# Alarms for Prometheus.
install_output "$share/doc/paytoken/paytoken.rules.yml" cat "$project/Packaging/prometheus/paytoken.rules.yml"
