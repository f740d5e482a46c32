// Imports the system's libcrypto for Swift.

#pragma once

// Hides deprecated declarations, so that none can be called (openssl_user_macros(7)).
#define OPENSSL_API_COMPAT 30000
#define OPENSSL_NO_DEPRECATED

// Leaves the path of this file, which OpenSSL's macros would pass on for error messages, out of programs.
#define OPENSSL_NO_FILENAMES

#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/obj_mac.h>
#include <openssl/objects.h>
#include <openssl/param_build.h>
#include <openssl/params.h>
#include <openssl/pem.h>
#include <openssl/pkcs12.h>
#include <openssl/provider.h>
#include <openssl/rsa.h>
#include <openssl/x509.h>
#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>

// Swift does not import macros that consist of casts or of other macros.
static const int CApplePayOpenSSL_PUBLIC_KEY = EVP_PKEY_PUBLIC_KEY;
static const int CApplePayOpenSSL_KEYPAIR = EVP_PKEY_KEYPAIR;
static const unsigned long CApplePayOpenSSL_XN_FLAG_RFC2253 = XN_FLAG_RFC2253;

// OpenSSL defines memory allocation and typed-stack access as macros, which Swift cannot import.

static inline void *CApplePayOpenSSL_malloc(size_t count) {
    return OPENSSL_malloc(count);
}

static inline void CApplePayOpenSSL_free(void *pointer) {
    OPENSSL_free(pointer);
}

// Also correct for memory outside the secure heap, which this library does not set up.
static inline void CApplePayOpenSSL_secure_clear_free(void *pointer, size_t count) {
    OPENSSL_secure_clear_free(pointer, count);
}

static inline STACK_OF(X509) *CApplePayOpenSSL_sk_X509_new_null(void) {
    return sk_X509_new_null();
}

static inline int CApplePayOpenSSL_sk_X509_push(STACK_OF(X509) *certificates, X509 *certificate) {
    return sk_X509_push(certificates, certificate);
}

static inline int CApplePayOpenSSL_sk_X509_num(const STACK_OF(X509) *certificates) {
    return sk_X509_num(certificates);
}

static inline X509 *CApplePayOpenSSL_sk_X509_value(const STACK_OF(X509) *certificates, int index) {
    return sk_X509_value(certificates, index);
}

// Frees the stack, but not the certificates in it.
static inline void CApplePayOpenSSL_sk_X509_free(STACK_OF(X509) *certificates) {
    sk_X509_free(certificates);
}

static inline int CApplePayOpenSSL_sk_PKCS7_num(const STACK_OF(PKCS7) *parts) {
    return sk_PKCS7_num(parts);
}

static inline PKCS7 *CApplePayOpenSSL_sk_PKCS7_value(const STACK_OF(PKCS7) *parts, int index) {
    return sk_PKCS7_value(parts, index);
}

// Frees the stack and its elements.
static inline void CApplePayOpenSSL_sk_PKCS7_free(STACK_OF(PKCS7) *parts) {
    sk_PKCS7_pop_free(parts, PKCS7_free);
}

static inline int CApplePayOpenSSL_sk_PKCS12_SAFEBAG_num(const STACK_OF(PKCS12_SAFEBAG) *bags) {
    return sk_PKCS12_SAFEBAG_num(bags);
}

static inline PKCS12_SAFEBAG *CApplePayOpenSSL_sk_PKCS12_SAFEBAG_value(
    const STACK_OF(PKCS12_SAFEBAG) *bags, int index) {
    return sk_PKCS12_SAFEBAG_value(bags, index);
}

// Frees the stack and its elements.
static inline void CApplePayOpenSSL_sk_PKCS12_SAFEBAG_free(STACK_OF(PKCS12_SAFEBAG) *bags) {
    sk_PKCS12_SAFEBAG_pop_free(bags, PKCS12_SAFEBAG_free);
}

// ERR_R_ codes are macros with arithmetic, which Swift does not import.

// Returns whether an error reports a missing algorithm, which distinguishes an obsolete cipher
// from a wrong passphrase.
static inline int CApplePayOpenSSL_is_unsupported(unsigned long code) {
    int reason = ERR_GET_REASON(code);
    if (reason == ERR_R_UNSUPPORTED) return 1;
    if (ERR_GET_LIB(code) == ERR_LIB_PKCS12) return reason == PKCS12_R_UNKNOWN_DIGEST_ALGORITHM;
    return ERR_GET_LIB(code) == ERR_LIB_EVP
        && (reason == EVP_R_UNKNOWN_PBE_ALGORITHM || reason == EVP_R_UNSUPPORTED_ALGORITHM
            || reason == EVP_R_UNKNOWN_CIPHER || reason == EVP_R_UNSUPPORTED_CIPHER
            || reason == EVP_R_UNSUPPORTED_KEY_DERIVATION_FUNCTION
            || reason == EVP_R_UNSUPPORTED_PRF);
}

// Returns whether an error reports only that a provider did not decrypt or verify, as OpenSSL 3.5 adds to the cause, or reports
// alone for a wrong signature: EVP_R_PROVIDER_ASYM_CIPHER_FAILURE and EVP_R_PROVIDER_SIGNATURE_FAILURE, which 3.0 lacks.
static inline int CApplePayOpenSSL_is_provider_failure(unsigned long code) {
    int reason = ERR_GET_REASON(code);
    return ERR_GET_LIB(code) == ERR_LIB_EVP && (reason == 232 || reason == 234);
}

// Returns whether a common error reports only the library that the cause came from (a code below
// 256, or ASN.1), or that libcrypto found encrypted bytes but was given no passphrase.
static inline int CApplePayOpenSSL_is_origin(unsigned long code) {
    int reason = ERR_GET_REASON(code);
    return (reason & ~ERR_RFLAG_COMMON) < 256 || reason == ERR_R_NESTED_ASN1_ERROR
        || reason == ERR_R_MISSING_ASN1_EOS || reason == ERR_R_PASSED_INVALID_ARGUMENT;
}

// The builder keeps the pointers to its names, so these must be C literals.
static inline int CApplePayOpenSSL_push_rsa(
    OSSL_PARAM_BLD *builder, const BIGNUM *modulus, const BIGNUM *publicExponent,
    const BIGNUM *privateExponent) {
    return OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_RSA_N, modulus)
        && OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_RSA_E, publicExponent)
        && (privateExponent == NULL
            || OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_RSA_D, privateExponent));
}
