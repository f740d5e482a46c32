#include "floor.h"

#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/rsa.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>
#include <stdlib.h>
#include <string.h>

struct Floor {
    EVP_MD *md;
    EVP_MD_CTX *sha256;
    EVP_PKEY *signer, *merchant, *peer;
    EVP_PKEY_CTX *verify, *derive, *unwrap;
    EVP_CIPHER_CTX *aes256, *aes128;
};

static const uint8_t zeros[32];

static EVP_CIPHER_CTX *gcm(const char *name) {
    EVP_CIPHER *cipher = EVP_CIPHER_fetch(NULL, name, NULL);
    EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
    int ok = cipher && context && EVP_DecryptInit_ex2(context, cipher, NULL, NULL, NULL) == 1
        && EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_IVLEN, 16, NULL) == 1;
    EVP_CIPHER_free(cipher);
    if (ok) return context;
    EVP_CIPHER_CTX_free(context);
    return NULL;
}

Floor *Floor_new(const uint8_t *signer_spki, size_t signer_spki_count,
                 const uint8_t *merchant_key, size_t merchant_key_count, int is_rsa) {
    Floor *floor = calloc(1, sizeof *floor);
    if (!floor) return NULL;
    floor->md = EVP_MD_fetch(NULL, "SHA2-256", NULL);
    floor->sha256 = EVP_MD_CTX_new();
    floor->signer = d2i_PUBKEY(NULL, &signer_spki, (long)signer_spki_count);
    floor->merchant = d2i_AutoPrivateKey(NULL, &merchant_key, (long)merchant_key_count);
    floor->aes256 = gcm("AES-256-GCM");
    floor->aes128 = gcm("AES-128-GCM");
    int ok = floor->md && floor->sha256 && floor->signer && floor->merchant && floor->aes256 && floor->aes128
        && EVP_DigestInit_ex2(floor->sha256, floor->md, NULL) == 1
        && (floor->verify = EVP_PKEY_CTX_new_from_pkey(NULL, floor->signer, NULL))
        && EVP_PKEY_verify_init(floor->verify) == 1;
    if (ok && is_rsa) {
        ok = EVP_PKEY_CTX_set_rsa_padding(floor->verify, RSA_PKCS1_PADDING) == 1
            && (floor->unwrap = EVP_PKEY_CTX_new_from_pkey(NULL, floor->merchant, NULL))
            && EVP_PKEY_decrypt_init(floor->unwrap) == 1
            && EVP_PKEY_CTX_set_rsa_padding(floor->unwrap, RSA_PKCS1_OAEP_PADDING) == 1
            && EVP_PKEY_CTX_set_rsa_oaep_md(floor->unwrap, floor->md) == 1
            && EVP_PKEY_CTX_set_rsa_mgf1_md(floor->unwrap, floor->md) == 1;
    } else if (ok) {
        ok = (floor->peer = EVP_PKEY_new()) && EVP_PKEY_copy_parameters(floor->peer, floor->merchant) == 1
            && (floor->derive = EVP_PKEY_CTX_new_from_pkey(NULL, floor->merchant, NULL))
            && EVP_PKEY_derive_init(floor->derive) == 1;
    }
    ok = ok && EVP_PKEY_CTX_set_signature_md(floor->verify, floor->md) == 1;
    if (ok) return floor;
    Floor_free(floor);
    return NULL;
}

void Floor_free(Floor *floor) {
    if (!floor) return;
    EVP_CIPHER_CTX_free(floor->aes256);
    EVP_CIPHER_CTX_free(floor->aes128);
    EVP_PKEY_CTX_free(floor->verify);
    EVP_PKEY_CTX_free(floor->derive);
    EVP_PKEY_CTX_free(floor->unwrap);
    EVP_PKEY_free(floor->signer);
    EVP_PKEY_free(floor->merchant);
    EVP_PKEY_free(floor->peer);
    EVP_MD_CTX_free(floor->sha256);
    EVP_MD_free(floor->md);
    free(floor);
}

int Floor_sha256(Floor *floor, const uint8_t *bytes, size_t count, uint8_t *digest) {
    return EVP_DigestUpdate(floor->sha256, bytes, count) == 1 && EVP_DigestFinal_ex(floor->sha256, digest, NULL) == 1
        && EVP_DigestInit_ex2(floor->sha256, NULL, NULL) == 1;
}

int Floor_verify(Floor *floor, const uint8_t *digest, const uint8_t *signature, size_t count) {
    return EVP_PKEY_verify(floor->verify, signature, count, digest, 32);
}

int Floor_derive(Floor *floor, const uint8_t *point, uint8_t *secret) {
    size_t count = 32;
    return EVP_PKEY_set1_encoded_public_key(floor->peer, point, 65) == 1
        && EVP_PKEY_derive_set_peer_ex(floor->derive, floor->peer, 0) == 1
        && EVP_PKEY_derive(floor->derive, secret, &count) == 1;
}

int Floor_unwrap(Floor *floor, const uint8_t *wrapped, size_t count, uint8_t *key, size_t key_count) {
    uint8_t output[256];
    size_t written = sizeof output;
    if (EVP_PKEY_decrypt(floor->unwrap, output, &written, wrapped, count) != 1 || written != key_count) return 0;
    memcpy(key, output, key_count);
    return 1;
}

int Floor_open(Floor *floor, const uint8_t *key, size_t key_count, const uint8_t *data, size_t count, uint8_t *plaintext) {
    EVP_CIPHER_CTX *context = key_count == 32 ? floor->aes256 : floor->aes128;
    uint8_t tag[16];
    int written = 0;
    memcpy(tag, data + count - 16, 16);
    return EVP_DecryptInit_ex2(context, NULL, key, zeros, NULL) == 1
        && EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, 16, tag) == 1
        && EVP_DecryptUpdate(context, plaintext, &written, data, (int)count - 16) == 1
        && EVP_DecryptFinal_ex(context, plaintext + written, &written) == 1;
}

struct FloorCertificate {
    EVP_PKEY *key;
    EVP_PKEY_CTX *verify;
    uint8_t digest[32], *signature;
    size_t count;
};

FloorCertificate *FloorCertificate_new(const uint8_t *der, size_t count, const uint8_t *issuer, size_t issuer_count) {
    FloorCertificate *result = calloc(1, sizeof *result);
    X509 *certificate = d2i_X509(NULL, &der, (long)count), *authority = d2i_X509(NULL, &issuer, (long)issuer_count);
    const ASN1_BIT_STRING *signature = NULL;
    unsigned char *tbs = NULL;
    int tbs_count = certificate ? i2d_re_X509_tbs(certificate, &tbs) : 0;
    int ok = result && authority && tbs_count > 0 && (result->key = X509_get_pubkey(authority))
        && EVP_Q_digest(NULL, "SHA2-256", NULL, tbs, (size_t)tbs_count, result->digest, NULL) == 1
        && (result->verify = EVP_PKEY_CTX_new_from_pkey(NULL, result->key, NULL)) && EVP_PKEY_verify_init(result->verify) == 1;
    if (ok) {
        X509_get0_signature(&signature, NULL, certificate);
        result->count = (size_t)ASN1_STRING_length(signature);
        result->signature = malloc(result->count);
        if (result->signature) memcpy(result->signature, ASN1_STRING_get0_data(signature), result->count);
        ok = result->signature != NULL;
    }
    OPENSSL_free(tbs);
    X509_free(certificate);
    X509_free(authority);
    return ok ? result : NULL;
}

int FloorCertificate_verify(FloorCertificate *certificate) {
    return EVP_PKEY_verify(certificate->verify, certificate->signature, certificate->count, certificate->digest, 32);
}

int Floor_parse_certificate(const uint8_t *der, size_t count) {
    X509 *certificate = d2i_X509(NULL, &der, (long)count);
    int ok = certificate && X509_get0_pubkey(certificate) && X509_check_ca(certificate) >= 0;
    X509_free(certificate);
    return ok;
}
