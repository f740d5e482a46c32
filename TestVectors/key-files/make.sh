#!/usr/bin/env bash
# Creates the files of this folder from the keys of ../synthetic/keys with the openssl command (3.0 or later, with its
# legacy provider) and a C compiler. Salts are random, so the encrypted bytes differ each time, but not the keys in them.
# All encrypted files have the passphrase "apple-pay".
set -euo pipefail
cd "$(dirname "$0")"
keys=../synthetic/keys
pass=pass:apple-pay
rm -rf accepted bare refused
mkdir -p accepted refused
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# As Keychain does: certificates encrypted with RC2-40, keys with 3DES, and a MAC with SHA-1.
keychain=(-legacy -macalg sha1 -certpbe PBE-SHA1-RC2-40 -keypbe PBE-SHA1-3DES)
p12() { # NAME OUT PASSPHRASE OPTIONS…
    openssl pkcs12 -export -inkey "$keys/$1.key.pem" -in "$keys/$1.cert.pem" -out "$2" -passout "$3" "${@:4}"
}
p12 one accepted/one.keychain.p12 $pass "${keychain[@]}" -name 'Apple Pay Payment Processing:one' -iter 2048
p12 one accepted/one.keychain-one-iteration.p12 $pass "${keychain[@]}" -iter 1 -nomaciter
p12 one accepted/one.keychain-with-authority.p12 $pass "${keychain[@]}" -certfile ../synthetic/pki/root.pem
p12 one accepted/one.empty-passphrase.p12 pass: "${keychain[@]}"
p12 one accepted/one.openssl-3.p12 $pass
p12 one accepted/one.without-mac.p12 $pass -nomac
p12 two accepted/two.keychain.pfx $pass "${keychain[@]}"
openssl pkcs12 -export -nocerts -inkey $keys/two.key.pem -out accepted/two.key-only.p12 -passout $pass "${keychain[@]}"

# An absent passphrase, which derives other keys than an empty one; the openssl command does not support it.
cat > "$work/absent.c" <<'C'
#include <openssl/pem.h>
#include <openssl/pkcs12.h>
#include <openssl/provider.h>
int main(int count, char **words) {
    OSSL_PROVIDER_load(NULL, "default");
    OSSL_PROVIDER_load(NULL, "legacy");
    EVP_PKEY *key = PEM_read_bio_PrivateKey(BIO_new_file(words[1], "r"), NULL, NULL, NULL);
    X509 *certificate = PEM_read_bio_X509(BIO_new_file(words[2], "r"), NULL, NULL, NULL);
    PKCS12 *file = PKCS12_create(NULL, NULL, key, certificate, NULL, NID_pbe_WithSHA1And40BitRC2_CBC,
        NID_pbe_WithSHA1And3_Key_TripleDES_CBC, 2048, 1, 0);
    return count != 4 || file == NULL || i2d_PKCS12_bio(BIO_new_file(words[3], "w"), file) != 1;
}
C
cc -o "$work/absent" "$work/absent.c" -lcrypto
"$work/absent" $keys/one.key.pem $keys/one.cert.pem accepted/one.absent-passphrase.p12

with_certificate() { # NAME FILE: appends the certificate in PEM
    cat "$keys/$1.cert.pem" >> "$2"
}
openssl pkey -in $keys/one.key.pem -aes256 -passout $pass -out accepted/one.pkcs8-aes256.pem
openssl pkcs8 -topk8 -in $keys/one.key.pem -v1 PBE-SHA1-3DES -passout $pass -out accepted/one.pkcs8-3des.pem
openssl pkcs8 -topk8 -in $keys/one.key.pem -v1 PBE-MD5-DES -provider legacy -provider default \
    -passout $pass -out accepted/one.pkcs8-md5-des.pem
openssl pkcs8 -topk8 -in $keys/one.key.pem -scrypt -passout $pass -out accepted/one.pkcs8-scrypt.pem
openssl ec -in $keys/one.key.pem -aes128 -passout $pass -out accepted/one.sec1-aes128.pem
openssl ec -in $keys/one.key.pem -des -provider legacy -provider default -passout $pass -out accepted/one.sec1-des.pem
openssl ec -in $keys/one.key.pem -out "$work/one.sec1.pem"
{ openssl ecparam -name prime256v1; cat "$work/one.sec1.pem"; } > accepted/one.sec1.pem
openssl ec -in $keys/one.key.pem -conv_form compressed -out accepted/one.sec1-compressed.pem
openssl ec -in $keys/one.key.pem -param_enc explicit -out accepted/one.sec1-explicit-parameters.pem
openssl rsa -in $keys/two.key.pem -traditional -out accepted/two.pkcs1.pem
openssl rsa -in $keys/two.key.pem -traditional -des3 -passout $pass -out accepted/two.pkcs1-3des.pem
openssl pkcs12 -in accepted/one.keychain.p12 -legacy -passin $pass -nodes -out accepted/one.bag-attributes.pem
for file in accepted/one.pkcs8-*.pem accepted/one.sec1*.pem; do with_certificate one "$file"; done
cat $keys/one.key.pem $keys/one.cert.pem > "$work/one.pem"
{ printf '\357\273\277'; sed 's/$/\r/' "$work/one.pem"; } > accepted/one.bom-crlf.pem
awk '{ printf "%s\\n", $0 }' "$work/one.pem" > accepted/one.literal-newlines.pem
sed 's/^/    /' "$work/one.pem" > accepted/one.indented.pem
base64 -w 0 "$work/one.pem" > accepted/one.base64-of-pem.key
base64 accepted/one.keychain.p12 > accepted/one.base64-of-p12.key
openssl rsa -in $keys/two.key.pem -traditional -outform der 2>/dev/null | base64 > accepted/two.base64-of-der.key
openssl rsa -in $keys/two.key.pem -traditional -outform der -out accepted/two.pkcs1.der
# The DER of an EC key without a certificate, short enough for a length of one byte; tests state the merchant identifier.
mkdir -p bare
openssl ec -in $keys/one.key.pem -outform der -out bare/one.sec1.der
openssl ec -in $keys/one.key.pem -outform der -no_public -out bare/one.sec1-no-public.der
openssl pkcs8 -topk8 -nocrypt -in $keys/one.key.pem -outform der -out bare/one.pkcs8.der
openssl ec -in $keys/one.key.pem -outform der | base64 -w 0 > bare/one.base64-of-sec1.key
openssl pkcs8 -topk8 -in $keys/two.key.pem -outform der -passout $pass -out accepted/two.pkcs8-encrypted.der

openssl pkcs8 -topk8 -in $keys/one.key.pem -iter 1000001 -passout $pass -out refused/costly-iterations.pem
p12 one refused/costly-mac.p12 $pass -macalg sha256 -iter 1000001 -keypbe NONE -certpbe NONE
# An empty file whose MAC is PBMAC1 (RFC 9579) with 2,147,483,647 iterations of PBKDF2, which OpenSSL writes only since 3.4.
base64 -d > refused/costly-pbmac1.p12 <<'END'
MIGWAgEDMBEGCSqGSIb3DQEHAaAEBAIwADB+MG8wSwYJKoZIhvcNAQUOMD4wLgYJKoZIhvcNAQUM
MCEECHNhbHRzYWx0AgR/////AgEgMAwGCCqGSIb3DQIJBQAwDAYIKoZIhvcNAgkFAAQgAAAAAAAA
AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAECE5PVCBVU0VEAgEB
END
openssl pkcs8 -topk8 -in $keys/one.key.pem -scrypt -scrypt_N 16384 -scrypt_r 8 -scrypt_p 129 -passout $pass \
    -out refused/costly-scrypt.pem
openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:secp384r1 -out refused/p384.pem
openssl genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:3072 -out refused/rsa3072.pem
openssl genpkey -algorithm ED25519 -out refused/ed25519.pem
openssl pkey -in $keys/one.key.pem -aes256 -passout pass:another -out refused/another-passphrase.pem
openssl ec -in $keys/one.key.pem -aes128 -passout pass:another -out refused/another-passphrase-sec1.pem
p12 one refused/another-passphrase.p12 pass:another "${keychain[@]}"
cat > "$work/identity.cnf" <<'CNF'
[req]
prompt = no
distinguished_name = name
x509_extensions = extensions
[name]
UID = merchant.example.two
CN = Apple Pay Merchant Identity:merchant.example.two
[extensions]
basicConstraints = critical, CA:FALSE
keyUsage = critical, digitalSignature
extendedKeyUsage = clientAuth
1.2.840.113635.100.6.46 = DER:0500
CNF
openssl req -x509 -new -key $keys/two.key.pem -days 760 -config "$work/identity.cnf" -out "$work/identity.pem"
cat $keys/two.key.pem "$work/identity.pem" > refused/identity.pem
openssl x509 -in "$work/identity.pem" -outform der -out refused/identity.cer
sed -i '/extendedKeyUsage/d; /100.6.46/d' "$work/identity.cnf"
openssl req -x509 -new -key $keys/two.key.pem -days 760 -config "$work/identity.cnf" -outform der \
    -out refused/identity-by-name.cer
head -c 900 accepted/one.keychain.p12 > refused/truncated.p12
sed '/END PRIVATE KEY/,$d' "$work/one.pem" > refused/without-end.pem
sed '3s/./!/' "$work/one.pem" > refused/not-base64.pem
openssl ecparam -name prime256v1 -out refused/parameters-only.pem
printf -- '-----%s CERTIFICATE-----\n' BEGIN END > refused/empty.pem
base64 -w 0 accepted/one.base64-of-pem.key > refused/base64-twice.key
# 1266 bytes and a newline: the base64 ends with Cg==, and replacing g by h sets a bit that does not encode anything.
{ cat "$work/one.pem"; echo; } | base64 -w 0 | sed 's/Cg==$/Ch==/' > refused/base64-unused-bits.key
