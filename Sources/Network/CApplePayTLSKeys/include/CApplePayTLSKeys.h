// Keys of OpenSSL whose private operation is a function of the caller, for keys in devices.

#pragma once

#include <stddef.h>

struct evp_pkey_st;

// The private operation and its input.
enum {
    // RSASSA-PKCS1-v1_5 of a DER DigestInfo; writes 256 bytes.
    CApplePayTLSKeys_RSA_DIGEST_INFO,
    // The RSA operation on a block of 256 bytes, which is padded already; writes 256 bytes.
    CApplePayTLSKeys_RSA_PADDED_BLOCK,
    // ECDSA on P-256 of a digest of at most 32 bytes; writes r and s, 64 bytes.
    CApplePayTLSKeys_ECDSA_DIGEST,
};

// Signs `count` bytes; returns 1 after it has written the whole signature of `signatureCount` bytes, or 0.
typedef int CApplePayTLSKeys_Sign(
    void *signer, int operation, const unsigned char *bytes, size_t count, unsigned char *signature,
    size_t signatureCount);

// Sets the function that signs for all keys; call this once, before the first key is made. Returns 1, or 0 if memory
// ran out.
int CApplePayTLSKeys_start(CApplePayTLSKeys_Sign *sign);

// Makes a key for a public key on P-256 or RSA of 2048 bits, DER SubjectPublicKeyInfo. The caller frees it with
// EVP_PKEY_free; `signer` must exist until the last reference to the key is dropped. Returns NULL if OpenSSL fails.
struct evp_pkey_st *CApplePayTLSKeys_make(const unsigned char *der, long count, int isRSA, void *signer);
