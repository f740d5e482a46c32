// The smallest program that could decrypt a token: it loads libcrypto and reads one private key.
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <stdio.h>

int main(int count, char **words) {
    FILE *file = count == 2 ? fopen(words[1], "r") : NULL;
    if (!file) return 2;
    EVP_PKEY *key = PEM_read_PrivateKey(file, NULL, NULL, NULL);
    fclose(file);
    int ok = key != NULL;
    EVP_PKEY_free(key);
    return ok ? 0 : 1;
}
