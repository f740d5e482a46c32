#include "floor.h"

#include <openssl/cms.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/x509.h>
#include <string.h>

int Floor_plain_verify(const uint8_t *cms, size_t cms_count, const uint8_t *message, size_t message_count,
                       const uint8_t *root, size_t root_count, int64_t time) {
    CMS_ContentInfo *info = d2i_CMS_ContentInfo(NULL, &cms, (long)cms_count);
    X509 *anchor = d2i_X509(NULL, &root, (long)root_count);
    X509_STORE *store = X509_STORE_new();
    BIO *content = BIO_new_mem_buf(message, (int)message_count);
    int ok = 0;
    if (info && anchor && store && content && X509_STORE_add_cert(store, anchor) == 1) {
        X509_VERIFY_PARAM *parameters = X509_STORE_get0_param(store);
        X509_VERIFY_PARAM_set_time(parameters, (time_t)time);
        X509_VERIFY_PARAM_set_purpose(parameters, X509_PURPOSE_ANY);
        ok = CMS_verify(info, NULL, store, content, NULL, CMS_BINARY) == 1;
    }
    if (!ok) ERR_clear_error();
    BIO_free(content);
    X509_STORE_free(store);
    X509_free(anchor);
    CMS_ContentInfo_free(info);
    return ok;
}

size_t Floor_plain_open(const uint8_t *key, size_t key_count, const uint8_t *spki, size_t spki_count,
                        const uint8_t *merchant_hash, const uint8_t *data, size_t count, uint8_t *plaintext) {
    static const uint8_t zeros[16];
    EVP_PKEY *merchant = d2i_AutoPrivateKey(NULL, &key, (long)key_count), *peer = d2i_PUBKEY(NULL, &spki, (long)spki_count);
    EVP_PKEY_CTX *derive = EVP_PKEY_CTX_new(merchant, NULL);
    EVP_CIPHER_CTX *cipher = EVP_CIPHER_CTX_new();
    uint8_t input[4 + 32 + 14 + 5 + 32] = {0, 0, 0, 1}, content_key[32], tag[16];
    size_t secret = 32;
    int written = 0, rest = 0;
    memcpy(input + 36, "\x0Did-aes256-GCMApple", 19);
    memcpy(input + 55, merchant_hash, 32);
    memcpy(tag, data + count - 16, 16);
    int ok = merchant && peer && derive && cipher && EVP_PKEY_derive_init(derive) == 1
        && EVP_PKEY_derive_set_peer(derive, peer) == 1 && EVP_PKEY_derive(derive, input + 4, &secret) == 1
        && EVP_Digest(input, sizeof input, content_key, NULL, EVP_sha256(), NULL) == 1
        && EVP_DecryptInit_ex(cipher, EVP_aes_256_gcm(), NULL, NULL, NULL) == 1
        && EVP_CIPHER_CTX_ctrl(cipher, EVP_CTRL_AEAD_SET_IVLEN, 16, NULL) == 1
        && EVP_DecryptInit_ex(cipher, NULL, NULL, content_key, zeros) == 1
        && EVP_DecryptUpdate(cipher, plaintext, &written, data, (int)count - 16) == 1
        && EVP_CIPHER_CTX_ctrl(cipher, EVP_CTRL_AEAD_SET_TAG, 16, tag) == 1
        && EVP_DecryptFinal_ex(cipher, plaintext + written, &rest) == 1;
    if (!ok) ERR_clear_error();
    EVP_CIPHER_CTX_free(cipher);
    EVP_PKEY_CTX_free(derive);
    EVP_PKEY_free(peer);
    EVP_PKEY_free(merchant);
    return ok ? (size_t)(written + rest) : 0;
}
