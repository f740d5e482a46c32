#include "CApplePayTLSKeys.h"

// RSA_METHOD and EC_KEY_METHOD are deprecated in OpenSSL 3. Their successor, a provider, would need several times this code,
// and its own library context, so that it does not change what other users of libcrypto in the process get.
#define OPENSSL_SUPPRESS_DEPRECATED

#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/rsa.h>
#include <openssl/x509.h>

static CApplePayTLSKeys_Sign *sign;
static RSA_METHOD *rsaMethod;
static EC_KEY_METHOD *ecMethod;

// Index 0 of a key's application data is not given to others (CRYPTO_get_ex_new_index(3)).
enum { SIGNER = 0, COORDINATE = 32 };

static int signRSA(int count, const unsigned char *bytes, unsigned char *signature, RSA *key, int padding) {
    if (padding != RSA_PKCS1_PADDING && padding != RSA_NO_PADDING) return -1;
    int operation =
        padding == RSA_PKCS1_PADDING ? CApplePayTLSKeys_RSA_DIGEST_INFO : CApplePayTLSKeys_RSA_PADDED_BLOCK;
    int length = RSA_size(key);
    return sign(RSA_get_ex_data(key, SIGNER), operation, bytes, (size_t)count, signature, (size_t)length) ? length : -1;
}

static ECDSA_SIG *signECDSA(
    const unsigned char *digest, int count, const BIGNUM *inverse, const BIGNUM *precomputed, EC_KEY *key) {
    (void)inverse, (void)precomputed;
    unsigned char numbers[2 * COORDINATE];
    // ECDSA uses as many bits of a longer digest as the group's order has (FIPS 186-5 §6.4.1).
    size_t used = count < COORDINATE ? (size_t)count : COORDINATE;
    void *signer = EC_KEY_get_ex_data(key, SIGNER);
    if (!sign(signer, CApplePayTLSKeys_ECDSA_DIGEST, digest, used, numbers, sizeof numbers)) return NULL;
    ECDSA_SIG *signature = ECDSA_SIG_new();
    BIGNUM *r = BN_bin2bn(numbers, COORDINATE, NULL), *s = BN_bin2bn(numbers + COORDINATE, COORDINATE, NULL);
    if (signature != NULL && r != NULL && s != NULL && ECDSA_SIG_set0(signature, r, s)) return signature;
    BN_free(r);
    BN_free(s);
    ECDSA_SIG_free(signature);
    return NULL;
}

int CApplePayTLSKeys_start(CApplePayTLSKeys_Sign *function) {
    sign = function;
    rsaMethod = RSA_meth_dup(RSA_PKCS1_OpenSSL());
    ecMethod = EC_KEY_METHOD_new(EC_KEY_OpenSSL());
    if (rsaMethod == NULL || ecMethod == NULL) return 0;
    // The default method encodes what signECDSA returns.
    int (*encode)(int, const unsigned char *, int, unsigned char *, unsigned int *, const BIGNUM *, const BIGNUM *, EC_KEY *);
    int (*setUp)(EC_KEY *, BN_CTX *, BIGNUM **, BIGNUM **);
    EC_KEY_METHOD_get_sign(ecMethod, &encode, &setUp, NULL);
    EC_KEY_METHOD_set_sign(ecMethod, encode, setUp, signECDSA);
    return RSA_meth_set_priv_enc(rsaMethod, signRSA);
}

EVP_PKEY *CApplePayTLSKeys_make(const unsigned char *der, long count, int isRSA, void *signer) {
    EVP_PKEY *key = EVP_PKEY_new();
    int isMade;
    if (isRSA) {
        RSA *rsa = d2i_RSA_PUBKEY(NULL, &der, count);
        isMade = key != NULL && rsa != NULL && RSA_set_method(rsa, rsaMethod) && RSA_set_ex_data(rsa, SIGNER, signer)
            && EVP_PKEY_set1_RSA(key, rsa);
        RSA_free(rsa);
    } else {
        EC_KEY *ec = d2i_EC_PUBKEY(NULL, &der, count);
        isMade = key != NULL && ec != NULL && EC_KEY_set_method(ec, ecMethod) && EC_KEY_set_ex_data(ec, SIGNER, signer)
            && EVP_PKEY_set1_EC_KEY(key, ec);
        EC_KEY_free(ec);
    }
    if (isMade) return key;
    EVP_PKEY_free(key);
    return NULL;
}
