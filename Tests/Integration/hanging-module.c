// A PKCS#11 module with one EC key, whose certificate is in the file CERTIFICATE, and whose PEM is in the file KEY. The
// two calls that try the key when it is loaded succeed. After them, deriving with the key never returns, or, if DELAY is
// defined, fails after DELAY microseconds.
#define _GNU_SOURCE
#include "CApplePayPKCS11.h"

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum {
    PRIVATE_KEY = 1,
    CERTIFICATE_OBJECT = 2,
    SECRET = 3,
    CKR_FUNCTION_FAILED = 0x6,
    CKR_ATTRIBUTE_TYPE_INVALID = 0x12,
    CKR_MECHANISM_PARAM_INVALID = 0x71,
};

static CK_BYTE certificate[4096];
static CK_ULONG certificate_count;
static CK_ULONG sought;
static CK_BYTE secret[32];
static int derivations;

static CK_RV initialize(void *arguments) {
    (void)arguments;
    FILE *file = fopen(CERTIFICATE, "rb");
    if (file == NULL) return 5;
    certificate_count = fread(certificate, 1, sizeof certificate, file);
    fclose(file);
    return 0;
}

static CK_RV get_slot_list(CK_BYTE present, CK_ULONG *slots, CK_ULONG *count) {
    (void)present;
    if (slots != NULL) slots[0] = 0;
    *count = 1;
    return 0;
}

static CK_RV get_token_info(CK_ULONG slot, CK_TOKEN_INFO *info) {
    (void)slot;
    memset(info, 0, sizeof *info);
    memset(info->label, ' ', sizeof info->label);
    memcpy(info->label, "hanging", 7);
    info->flags = CKF_TOKEN_INITIALIZED;
    return 0;
}

static CK_RV open_session(CK_ULONG slot, CK_ULONG flags, void *application, void *notify, CK_ULONG *session) {
    (void)slot, (void)flags, (void)application, (void)notify;
    *session = 1;
    return 0;
}

static CK_RV close_session(CK_ULONG session) { return (void)session, 0; }

static CK_RV find_init(CK_ULONG session, CK_ATTRIBUTE *attributes, CK_ULONG count) {
    (void)session;
    sought = 0;
    for (CK_ULONG index = 0; index < count; index++) {
        if (attributes[index].type != CKA_CLASS) continue;
        CK_ULONG class = *(CK_ULONG *)attributes[index].pValue;
        sought = class == CKO_PRIVATE_KEY ? PRIVATE_KEY : class == CKO_CERTIFICATE ? CERTIFICATE_OBJECT : 0;
    }
    return 0;
}

static CK_RV find(CK_ULONG session, CK_ULONG *objects, CK_ULONG limit, CK_ULONG *count) {
    (void)session, (void)limit;
    *count = sought != 0;
    if (sought != 0) objects[0] = sought;
    sought = 0;
    return 0;
}

static CK_RV find_final(CK_ULONG session) { return (void)session, 0; }

static CK_RV get_value(CK_ULONG session, CK_ULONG object, CK_ATTRIBUTE *attribute, CK_ULONG count) {
    (void)session, (void)count;
    static const CK_ULONG type = CKK_EC;
    static const CK_BYTE yes = 1, no = 0;
    const void *value = NULL;
    CK_ULONG length = 1;
    if (object == CERTIFICATE_OBJECT && attribute->type == CKA_VALUE) {
        value = certificate;
        length = certificate_count;
    } else if (object == SECRET && attribute->type == CKA_VALUE) {
        value = secret;
        length = sizeof secret;
    } else if (object == PRIVATE_KEY && attribute->type == CKA_KEY_TYPE) {
        value = &type;
        length = sizeof type;
    } else if (object == PRIVATE_KEY && (attribute->type == CKA_DERIVE || attribute->type == CKA_ID)) {
        value = &yes;
    } else if (object == PRIVATE_KEY && attribute->type == CKA_ALWAYS_AUTHENTICATE) {
        value = &no;
    }
    if (value == NULL) {
        attribute->ulValueLen = (CK_ULONG)-1;
        return CKR_ATTRIBUTE_TYPE_INVALID;
    }
    if (attribute->pValue != NULL) memcpy(attribute->pValue, value, length);
    attribute->ulValueLen = length;
    return 0;
}

#ifndef DELAY
static volatile char is_hanging;

// As modules that wait for their own threads when the process exits.
__attribute__((destructor)) static void unload(void) {
    while (is_hanging) pause();
}
#endif

// Computes ECDH with the key in the file KEY.
static int agree(const CK_BYTE *point, CK_ULONG count) {
    FILE *file = fopen(KEY, "r");
    EVP_PKEY *key = file == NULL ? NULL : PEM_read_PrivateKey(file, NULL, NULL, NULL), *peer = EVP_PKEY_new();
    if (file != NULL) fclose(file);
    EVP_PKEY_CTX *context = key == NULL ? NULL : EVP_PKEY_CTX_new(key, NULL);
    size_t length = sizeof secret;
    int agreed = context != NULL && EVP_PKEY_copy_parameters(peer, key) == 1
        && EVP_PKEY_set1_encoded_public_key(peer, point, count) == 1 && EVP_PKEY_derive_init(context) == 1
        && EVP_PKEY_derive_set_peer(context, peer) == 1 && EVP_PKEY_derive(context, secret, &length) == 1;
    EVP_PKEY_CTX_free(context);
    EVP_PKEY_free(peer);
    EVP_PKEY_free(key);
    return agreed;
}

static CK_RV derive(CK_ULONG session, CK_MECHANISM *mechanism, CK_ULONG key, CK_ATTRIBUTE *attributes, CK_ULONG count,
    CK_ULONG *derived) {
    (void)session, (void)key, (void)attributes, (void)count;
    const CK_ECDH1_DERIVE_PARAMS *parameters = mechanism->pParameter;
    if (parameters->kdf != CKD_NULL) return CKR_MECHANISM_PARAM_INVALID;
    if (derivations < 2) {
        derivations++;
        *derived = SECRET;
        return agree(parameters->pPublicData, parameters->ulPublicDataLen) ? 0 : CKR_FUNCTION_FAILED;
    }
    // Reports to the test that the command called this function.
    (void)!write(2, "hanging\n", 8);
#ifdef DELAY
    usleep(DELAY);
#else
    is_hanging = 1;
    while (pause() != 0) {
    }
#endif
    return CKR_FUNCTION_FAILED;
}

static CK_RV destroy(CK_ULONG session, CK_ULONG object) { return (void)session, (void)object, 0; }

CK_RV C_GetFunctionList(const CK_FUNCTION_LIST **list) {
    static const CK_FUNCTION_LIST functions = {
        .version = {2, 40},
        .C_Initialize = initialize,
        .C_GetSlotList = get_slot_list,
        .C_GetTokenInfo = get_token_info,
        .C_OpenSession = open_session,
        .C_CloseSession = close_session,
        .C_DestroyObject = destroy,
        .C_FindObjectsInit = find_init,
        .C_FindObjects = find,
        .C_FindObjectsFinal = find_final,
        .C_GetAttributeValue = get_value,
        .C_DeriveKey = derive,
    };
    *list = &functions;
    return 0;
}
