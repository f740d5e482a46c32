// OpenSSL's CMS, for the tests only: the product has a CMS parser.
#pragma once

#define OPENSSL_API_COMPAT 30000
#define OPENSSL_NO_DEPRECATED

#include <openssl/bio.h>
#include <openssl/cms.h>
#include <openssl/x509_vfy.h>

// LeakSanitizer's functions, which exist only in programs that are built with it.
extern void __lsan_disable(void) __attribute__((weak));
extern void __lsan_enable(void) __attribute__((weak));

// Reads a CMS structure and verifies its detached content; returns 1 if the signature is valid.
static inline int CApplePayTokenTesting_verify(
    const unsigned char *signature, size_t signatureCount, const unsigned char *message,
    size_t messageCount, X509_STORE *store) {
    // CMS_verify leaks memory on some malformed messages; exclude its leaks from the check.
    if (__lsan_disable != NULL) __lsan_disable();
    const unsigned char *next = signature;
    CMS_ContentInfo *cms = d2i_CMS_ContentInfo(NULL, &next, (long)signatureCount);
    BIO *content = BIO_new_mem_buf(message, (int)messageCount);
    int result = cms != NULL && content != NULL
        && CMS_verify(cms, NULL, store, content, NULL, CMS_BINARY) == 1;
    BIO_free(content);
    CMS_ContentInfo_free(cms);
    if (__lsan_enable != NULL) __lsan_enable();
    return result;
}
