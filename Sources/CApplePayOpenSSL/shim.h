// The system's libcrypto, as Swift sees it.

#pragma once

// Deprecated declarations stay invisible, so none can be called (openssl_user_macros(7)).
#define OPENSSL_API_COMPAT 30000
#define OPENSSL_NO_DEPRECATED

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
#include <openssl/pem.h>
#include <openssl/rsa.h>
#include <openssl/x509.h>
#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>

// A macro made of casts is not imported either.
static const unsigned long CApplePayOpenSSL_XN_FLAG_RFC2253 = XN_FLAG_RFC2253;

// OpenSSL spells its ways to free memory and typed-stack access as macros, which Swift cannot import.

static inline void CApplePayOpenSSL_free(void *pointer) {
    OPENSSL_free(pointer);
}

static inline void CApplePayOpenSSL_clear_free(void *pointer, size_t count) {
    OPENSSL_clear_free(pointer, count);
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

// Frees the stack, not the certificates in it.
static inline void CApplePayOpenSSL_sk_X509_free(STACK_OF(X509) *certificates) {
    sk_X509_free(certificates);
}
