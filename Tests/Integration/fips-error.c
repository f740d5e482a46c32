// Preloaded into a program whose OpenSSL uses the FIPS provider: before the first call of the function that FAIL_BEFORE names,
// one of the provider's self-tests fails, so that the provider refuses everything from then on (OSSL_PROVIDER-FIPS(7)).
#define _GNU_SOURCE
#include <dlfcn.h>
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/self_test.h>
#include <openssl/x509_vfy.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Has OpenSSL falsify the result of each self-test (OSSL_SELF_TEST_new(3)).
static int corrupt(const OSSL_PARAM parameters[], void *unused) {
    (void)unused;
    const OSSL_PARAM *phase = OSSL_PARAM_locate_const(parameters, OSSL_PROV_PARAM_SELF_TEST_PHASE);
    return phase == NULL || strcmp(phase->data, OSSL_SELF_TEST_PHASE_CORRUPT) != 0;
}

static void fail_before(const char *function) {
    static int is_done;
    const char *wanted = getenv("FAIL_BEFORE");
    if (is_done || wanted == NULL || strcmp(wanted, function) != 0) return;
    is_done = 1;
    OSSL_SELF_TEST_set_callback(NULL, corrupt, NULL);
    // The provider tests each new key.
    EVP_PKEY *key = EVP_EC_gen("P-256");
    if (key != NULL) {
        fprintf(stderr, "fips-error.c: no self-test failed\n");
        abort();
    }
    // The provider reports only the first errors of this kind.
    for (int count = 0; count < 20; count++) {
        unsigned char digest[EVP_MAX_MD_SIZE];
        EVP_Q_digest(NULL, "SHA2-256", NULL, "", 0, digest, NULL);
    }
    ERR_clear_error();
}

#define REPLACE(function, parameters, arguments) \
    int function parameters { \
        static int(*original) parameters; \
        if (original == NULL) original = (int(*) parameters)dlsym(RTLD_NEXT, #function); \
        fail_before(#function); \
        return original arguments; \
    }

REPLACE(EVP_PKEY_verify,
        (EVP_PKEY_CTX *context, const unsigned char *signature, size_t count, const unsigned char *digest, size_t digest_count),
        (context, signature, count, digest, digest_count))
REPLACE(EVP_PKEY_derive, (EVP_PKEY_CTX *context, unsigned char *secret, size_t *count), (context, secret, count))
REPLACE(EVP_PKEY_decrypt,
        (EVP_PKEY_CTX *context, unsigned char *output, size_t *count, const unsigned char *input, size_t input_count),
        (context, output, count, input, input_count))
REPLACE(EVP_DecryptFinal_ex, (EVP_CIPHER_CTX *context, unsigned char *output, int *count), (context, output, count))
REPLACE(X509_verify_cert, (X509_STORE_CTX *context), (context))
