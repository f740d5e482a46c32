// Imports the system's libssl for Swift.

#pragma once

// Hides deprecated declarations, so that none can be called (openssl_user_macros(7)).
#define OPENSSL_API_COMPAT 30000
#define OPENSSL_NO_DEPRECATED

#include <openssl/err.h>
#include <openssl/obj_mac.h>
#include <openssl/ssl.h>
#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>

// OpenSSL defines these as macros with casts, which Swift cannot import.

static const unsigned long long CApplePayTLS_OPTIONS =
    SSL_OP_NO_COMPRESSION | SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_TICKET | SSL_OP_CLEANSE_PLAINTEXT;

static inline int CApplePayTLS_set_versions(SSL_CTX *context) {
    return SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION)
        && SSL_CTX_set_max_proto_version(context, TLS1_3_VERSION);
}

static inline int CApplePayTLS_set_server_name(SSL *connection, const char *name) {
    return SSL_set_tlsext_host_name(connection, name) == 1;
}

// An empty memory BIO is a reason to wait for more bytes, not the end of the connection.
static inline void CApplePayTLS_set_retry(BIO *memory) {
    BIO_set_mem_eof_return(memory, -1);
}

// Appends a certificate to those that are sent after the client's own.
static inline int CApplePayTLS_add_certificate(SSL_CTX *context, const unsigned char *der, long count) {
    X509 *certificate = d2i_X509(NULL, &der, count);
    int isAdded = certificate != NULL && SSL_CTX_add1_chain_cert(context, certificate);
    X509_free(certificate);
    return isAdded;
}

// Without this mode, libssl would complete the client's certificates with trusted authorities.
static inline void CApplePayTLS_send_only_added_certificates(SSL_CTX *context) {
    SSL_CTX_set_mode(context, SSL_MODE_NO_AUTO_CHAIN);
}
