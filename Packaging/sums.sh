#!/usr/bin/env bash
# Writes the SHA-256 sums of the packages in a folder and of the files about them to SHA256SUMS there, and signs them.
#
#   sums.sh FOLDER
#
# PAYTOKEN_SIGNING_KEY is the path of a private key in OpenSSH's form; ssh-keygen asks for its passphrase, and writes
# SHA256SUMS.sig. Without the variable the sums are not signed. SECURITY.md has the commands that check both.
set -euo pipefail
export LC_ALL=C
key=${PAYTOKEN_SIGNING_KEY:+$(realpath "$PAYTOKEN_SIGNING_KEY")}
cd "$1"
rm -f SHA256SUMS.sig
sha256sum -- *.deb *.tar.gz *.json | tee SHA256SUMS
if [ -n "$key" ]; then
    ssh-keygen -Y sign -n paytoken-release -f "$key" SHA256SUMS
else
    echo 'sums.sh: SHA256SUMS is not signed, because PAYTOKEN_SIGNING_KEY is not set' >&2
fi
