#!/usr/bin/env bash
# Sets up SoftHSM2 in a temporary folder with the keys of the test vectors, and runs the given command with the
# environment variables that the PKCS#11 tests need. Requires softhsm2 and opensc (pkcs11-tool).
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
keys=$here/../../TestVectors/synthetic/keys
module=
for file in /usr/lib/softhsm/libsofthsm2.so /usr/lib/*/softhsm/libsofthsm2.so /usr/lib64/pkcs11/libsofthsm2.so; do
    if [ -e "$file" ]; then module=$file; fi
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

mkdir "$work/tokens"
printf 'directories.tokendir = %s\nobjectstore.backend = file\nlog.level = ERROR\n' "$work/tokens" > "$work/softhsm2.conf"
export SOFTHSM2_CONF=$work/softhsm2.conf
printf '24680\n' > "$work/pin"
printf '13579\n' > "$work/wrong-pin"

softhsm2-util --init-token --free --label payments --so-pin 97531 --pin 24680 > /dev/null
softhsm2-util --init-token --free --label twins --so-pin 97531 --pin 24680 > /dev/null
softhsm2-util --init-token --free --label twins --so-pin 97531 --pin 24680 > /dev/null
tool() { pkcs11-tool --module "$module" --token-label payments --login --pin 24680 "$@" > /dev/null 2>&1; }

import() { # LABEL ID KEY.pem USAGE: the private key and the public one beside it
    openssl pkey -in "$3" -outform der -out "$work/key.der"
    openssl pkey -in "$3" -pubout -outform der -out "$work/public.der"
    tool --write-object "$work/key.der" --type privkey --id "$2" --label "$1" "$4"
    tool --write-object "$work/public.der" --type pubkey --id "$2" --label "$1"
}
certificate() { # LABEL ID CERTIFICATE.pem
    openssl x509 -in "$3" -outform der -out "$work/certificate.der"
    tool --write-object "$work/certificate.der" --type cert --id "$2" --label "$1"
}
import one 01 "$keys/one.key.pem" --usage-derive
certificate one 01 "$keys/one.cert.pem"
import two 02 "$keys/two.key.pem" --usage-decrypt
certificate two 02 "$keys/two.cert.pem"
import bare 03 "$keys/three.key.pem" --usage-derive
import sign-only 04 "$keys/past.key.pem" --usage-sign
openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:secp384r1 -out "$work/p384.pem" 2> /dev/null
import p384 05 "$work/p384.pem" --usage-derive
openssl genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:3072 -out "$work/rsa3072.pem" 2> /dev/null
import rsa3072 06 "$work/rsa3072.pem" --usage-decrypt
import double 07 "$keys/one.key.pem" --usage-derive
import double 08 "$keys/two.key.pem" --usage-decrypt

export APPLEPAYTOKEN_PKCS11_MODULE=$module
export APPLEPAYTOKEN_PKCS11_PIN_FILE=$work/pin
export APPLEPAYTOKEN_PKCS11_WRONG_PIN_FILE=$work/wrong-pin
"$@"
