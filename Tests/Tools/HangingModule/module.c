#include "HangingModule.h"

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/kdf.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "CApplePayPKCS11.h"
#include "calls.h"

enum {
    SESSIONS = 4096,
    PRIVATE_KEY = 1,
    DERIVED = 2,

    OK = 0,
    ARGUMENTS_BAD = 0x07,
    FUNCTION_FAILED = 0x06,
    ATTRIBUTE_SENSITIVE = 0x11,
    ATTRIBUTE_TYPE_INVALID = 0x12,
    ATTRIBUTE_VALUE_INVALID = 0x13,
    BUFFER_TOO_SMALL = 0x150,
    MECHANISM_INVALID = 0x70,
    MECHANISM_PARAM_INVALID = 0x71,
    TEMPLATE_INCONSISTENT = 0xD1,
    ENCRYPTED_DATA_INVALID = 0x40,
    SESSION_HANDLE_INVALID = 0xB3,
    SESSION_COUNT = 0xB1,
    ALREADY_INITIALIZED = 0x191,
};

typedef struct {
    Use use;
    int isOpen;
    CK_ULONG foundClass;
    CK_BYTE secret[32];
    CK_BYTE isSensitive;
    int decryptsGCM;
} Session;

// The mutex protects the variables below, except the key and the faults, which are set before a test begins.
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int isInitialized;
static CK_BYTE inverted[32];
static Session sessions[SESSIONS];
static CK_ULONG opened;
static EVP_PKEY *key;
static unsigned faults;

void HangingModule_play(unsigned played) { faults = played; }

static Session *sessionOf(CK_ULONG handle) {
    pthread_mutex_lock(&mutex);
    Session *session = handle > 0 && handle <= opened && sessions[handle - 1].isOpen ? &sessions[handle - 1] : NULL;
    pthread_mutex_unlock(&mutex);
    return session;
}

int HangingModule_useKey(const char *path) {
    FILE *file = fopen(path, "r");
    if (file == NULL) return -1;
    EVP_PKEY *read = PEM_read_PrivateKey(file, NULL, NULL, NULL);
    fclose(file);
    if (read == NULL) return -1;
    EVP_PKEY_free(key);
    key = read;
    return 0;
}

void HangingModule_invertedSecret(unsigned char *bytes) {
    pthread_mutex_lock(&mutex);
    memcpy(bytes, inverted, sizeof inverted);
    pthread_mutex_unlock(&mutex);
}

static CK_RV initialize(void *arguments) {
    (void)arguments;
    enter(INITIALIZE, NULL);
    if (key == NULL) return FUNCTION_FAILED;
    pthread_mutex_lock(&mutex);
    CK_RV result = isInitialized ? ALREADY_INITIALIZED : OK;
    isInitialized = 1;
    pthread_mutex_unlock(&mutex);
    return result;
}

static CK_RV getSlotList(CK_BYTE tokenPresent, CK_ULONG *slots, CK_ULONG *count) {
    (void)tokenPresent;
    enter(GET_SLOT_LIST, NULL);
    if (slots != NULL && *count < 1) return BUFFER_TOO_SMALL;
    if (slots != NULL) slots[0] = 0;
    *count = 1;
    return OK;
}

static CK_RV getTokenInfo(CK_ULONG slot, CK_TOKEN_INFO *info) {
    (void)slot;
    enter(GET_TOKEN_INFO, NULL);
    memset(info, 0, sizeof *info);
    memset(info->label, ' ', sizeof info->label);
    memcpy(info->label, "hanging", 7);
    info->flags = CKF_TOKEN_INITIALIZED;
    return OK;
}

static CK_RV openSession(CK_ULONG slot, CK_ULONG flags, void *application, void *notify, CK_ULONG *handle) {
    (void)slot, (void)application, (void)notify;
    enter(OPEN_SESSION, NULL);
    if ((flags & CKF_SERIAL_SESSION) == 0) return ARGUMENTS_BAD;
    pthread_mutex_lock(&mutex);
    CK_RV result = opened < SESSIONS ? OK : SESSION_COUNT;
    if (result == OK) {
        sessions[opened].isOpen = 1;
        *handle = ++opened;
    }
    pthread_mutex_unlock(&mutex);
    return result;
}

static CK_RV closeSession(CK_ULONG handle) {
    Session *session = sessionOf(handle);
    if (session == NULL) return SESSION_HANDLE_INVALID;
    enter(CLOSE_SESSION, &session->use);
    pthread_mutex_lock(&mutex);
    OPENSSL_cleanse(session->secret, sizeof session->secret);
    session->isOpen = 0;
    pthread_mutex_unlock(&mutex);
    return OK;
}

static CK_RV login(CK_ULONG handle, CK_ULONG user, const CK_BYTE *pin, CK_ULONG count) {
    Session *session = sessionOf(handle);
    if (session == NULL) return SESSION_HANDLE_INVALID;
    enter(LOGIN, &session->use);
    return user == CKU_USER && count == 4 && memcmp(pin, "2468", 4) == 0 ? OK : 0xA0;
}

static CK_RV findObjectsInit(CK_ULONG handle, CK_ATTRIBUTE *template, CK_ULONG count) {
    Session *session = sessionOf(handle);
    if (session == NULL) return SESSION_HANDLE_INVALID;
    enter(FIND_OBJECTS_INIT, &session->use);
    session->foundClass = (CK_ULONG)-1;
    for (CK_ULONG index = 0; index < count; index++) {
        if (template[index].type == CKA_CLASS) memcpy(&session->foundClass, template[index].pValue, sizeof(CK_ULONG));
    }
    return OK;
}

static CK_RV findObjects(CK_ULONG handle, CK_ULONG *objects, CK_ULONG limit, CK_ULONG *count) {
    Session *session = sessionOf(handle);
    if (session == NULL) return SESSION_HANDLE_INVALID;
    enter(FIND_OBJECTS, &session->use);
    *count = session->foundClass == CKO_PRIVATE_KEY && limit > 0;
    if (*count > 0) objects[0] = PRIVATE_KEY;
    return OK;
}

static CK_RV findObjectsFinal(CK_ULONG handle) {
    return sessionOf(handle) == NULL ? SESSION_HANDLE_INVALID : OK;
}

// Writes an attribute of the private key; returns its length, or 0 if the key lacks it.
static size_t privateAttribute(CK_ULONG type, CK_BYTE *value, size_t limit) {
    static const CK_BYTE curve[] = {0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07};
    int isEC = EVP_PKEY_is_a(key, "EC");
    size_t count = 0;
    switch (type) {
    case CKA_KEY_TYPE: {
        CK_ULONG kind = isEC ? CKK_EC : CKK_RSA;
        memcpy(value, &kind, sizeof kind);
        return sizeof kind;
    }
    case CKA_DERIVE:
    case CKA_DECRYPT:
        value[0] = isEC == (type == CKA_DERIVE);
        return 1;
    case CKA_ALWAYS_AUTHENTICATE:
        value[0] = 0;
        return 1;
    case CKA_EC_PARAMS:
        if (!isEC) return 0;
        memcpy(value, curve, sizeof curve);
        return sizeof curve;
    case CKA_EC_POINT:
        value[0] = 0x04;
        value[1] = 0x41;
        if (!isEC || !EVP_PKEY_get_octet_string_param(key, OSSL_PKEY_PARAM_PUB_KEY, value + 2, limit - 2, &count)) return 0;
        return count == 0x41 ? count + 2 : 0;
    case CKA_MODULUS:
    case CKA_PUBLIC_EXPONENT: {
        BIGNUM *number = NULL;
        const char *name = type == CKA_MODULUS ? OSSL_PKEY_PARAM_RSA_N : OSSL_PKEY_PARAM_RSA_E;
        if (isEC || !EVP_PKEY_get_bn_param(key, name, &number)) return 0;
        if ((size_t)BN_num_bytes(number) <= limit) count = (size_t)BN_bn2bin(number, value);
        BN_free(number);
        return count;
    }
    default:
        return 0;
    }
}

static CK_RV getAttributeValue(CK_ULONG handle, CK_ULONG object, CK_ATTRIBUTE *template, CK_ULONG count) {
    Session *session = sessionOf(handle);
    if (session == NULL) return SESSION_HANDLE_INVALID;
    enter(GET_ATTRIBUTE_VALUE, &session->use);
    if (count != 1) return ARGUMENTS_BAD;
    CK_BYTE value[512];
    int isSecret = object == DERIVED && template->type == CKA_VALUE;
    if (isSecret && session->isSensitive) return ATTRIBUTE_SENSITIVE;
    size_t length = isSecret ? sizeof session->secret : privateAttribute(template->type, value, sizeof value);
    if (length == 0) {
        template->ulValueLen = (CK_ULONG)-1;
        return ATTRIBUTE_TYPE_INVALID;
    }
    if (template->pValue != NULL && template->ulValueLen < length) return BUFFER_TOO_SMALL;
    if (template->pValue != NULL) memcpy(template->pValue, isSecret ? session->secret : value, length);
    template->ulValueLen = length;
    if (isSecret) enter(VALUE_WRITTEN, &session->use);
    return OK;
}

// Computes ECDH with the point in the mechanism's parameters, raw or in an OCTET STRING.
static int derive(const CK_ECDH1_DERIVE_PARAMS *parameters, CK_BYTE *secret) {
    const CK_BYTE *point = parameters->pPublicData;
    size_t count = parameters->ulPublicDataLen, written = 32;
    if ((faults & WANTS_OCTET_STRING) && count != 67) return 0;
    if (count == 67) point += 2, count -= 2;
    EVP_PKEY *peer = EVP_PKEY_new();
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_pkey(NULL, key, NULL);
    int derived = peer != NULL && context != NULL && EVP_PKEY_copy_parameters(peer, key) == 1
        && EVP_PKEY_set1_encoded_public_key(peer, point, count) == 1 && EVP_PKEY_derive_init(context) == 1
        && EVP_PKEY_derive_set_peer(context, peer) == 1 && EVP_PKEY_derive(context, secret, &written) == 1
        && written == 32;
    EVP_PKEY_CTX_free(context);
    EVP_PKEY_free(peer);
    return derived;
}

// Derives 32 bytes from Z and OtherInfo with libcrypto's implementation of the single-step function (SSKDF).
static int applyKDF(CK_BYTE *secret, CK_BYTE *otherInfo, size_t count) {
    EVP_KDF *function = EVP_KDF_fetch(NULL, "SSKDF", NULL);
    EVP_KDF_CTX *context = EVP_KDF_CTX_new(function);
    CK_BYTE derived[32];
    OSSL_PARAM parameters[] = {
        OSSL_PARAM_construct_utf8_string(OSSL_KDF_PARAM_DIGEST, "SHA2-256", 0),
        OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_KEY, secret, sizeof derived),
        OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_INFO, otherInfo, count),
        OSSL_PARAM_construct_end(),
    };
    int isDerived = context != NULL && EVP_KDF_derive(context, derived, sizeof derived, parameters) == 1;
    EVP_KDF_CTX_free(context);
    EVP_KDF_free(function);
    memcpy(secret, derived, sizeof derived);
    OPENSSL_cleanse(derived, sizeof derived);
    return isDerived;
}

static CK_RV deriveKey(
    CK_ULONG handle, CK_MECHANISM *mechanism, CK_ULONG base, CK_ATTRIBUTE *template, CK_ULONG count,
    CK_ULONG *derived) {
    Session *session = sessionOf(handle);
    if (session == NULL) return SESSION_HANDLE_INVALID;
    enter(DERIVE_KEY, &session->use);
    // Read and write the caller's memory only after the call was released.
    CK_ULONG length = 0;
    CK_BYTE isSensitive = 1;
    for (CK_ULONG index = 0; index < count; index++) {
        if (template[index].type == CKA_VALUE_LEN) memcpy(&length, template[index].pValue, sizeof length);
        if (template[index].type == CKA_SENSITIVE) memcpy(&isSensitive, template[index].pValue, 1);
    }
    if (faults & ANSWERS_STRANGELY) return 0x80000001;
    if (base != PRIVATE_KEY || length != sizeof session->secret) return ARGUMENTS_BAD;
    if (mechanism->mechanism != CKM_ECDH1_DERIVE) return MECHANISM_INVALID;
    const CK_ECDH1_DERIVE_PARAMS *parameters = mechanism->pParameter;
    int isNull = parameters->kdf == CKD_NULL;
    if (!isNull && parameters->kdf != CKD_SHA256_KDF_SP800) return MECHANISM_PARAM_INVALID;
    if (isNull && (parameters->pSharedData != NULL || parameters->ulSharedDataLen != 0)) return MECHANISM_PARAM_INVALID;
    if (faults & (isNull ? REFUSES_NULL : REFUSES_SP800)) return MECHANISM_PARAM_INVALID;
    if (!isSensitive && (faults & REFUSES_READABLE)) return TEMPLATE_INCONSISTENT;
    if (isSensitive && (faults & REFUSES_SENSITIVE)) return ATTRIBUTE_VALUE_INVALID;
    CK_BYTE secret[32];
    if (!derive(parameters, secret)) return faults & WANTS_OCTET_STRING ? ARGUMENTS_BAD : FUNCTION_FAILED;
    size_t sharedCount = faults & IGNORES_SHARED_DATA ? 0 : parameters->ulSharedDataLen;
    if (!isNull && !applyKDF(secret, parameters->pSharedData, sharedCount)) return FUNCTION_FAILED;
    session->isSensitive = isSensitive;
    pthread_mutex_lock(&mutex);
    for (size_t index = 0; index < sizeof secret; index++) {
        session->secret[index] = secret[index];
        inverted[index] = (CK_BYTE)~secret[index];
    }
    pthread_mutex_unlock(&mutex);
    OPENSSL_cleanse(secret, sizeof secret);
    *derived = DERIVED;
    return OK;
}

static CK_RV destroyObject(CK_ULONG handle, CK_ULONG object) {
    Session *session = sessionOf(handle);
    if (session == NULL) return SESSION_HANDLE_INVALID;
    enter(DESTROY_OBJECT, &session->use);
    if (object != DERIVED) return ARGUMENTS_BAD;
    OPENSSL_cleanse(session->secret, sizeof session->secret);
    return OK;
}

static CK_RV decryptInit(CK_ULONG handle, CK_MECHANISM *mechanism, CK_ULONG object) {
    Session *session = sessionOf(handle);
    if (session == NULL) return SESSION_HANDLE_INVALID;
    enter(DECRYPT_INIT, &session->use);
    session->decryptsGCM = mechanism->mechanism == CKM_AES_GCM && !(faults & REFUSES_GCM);
    if (session->decryptsGCM) {
        static const CK_BYTE zeros[16];
        const CK_GCM_PARAMS *gcm = mechanism->pParameter;
        int isApple = mechanism->ulParameterLen == sizeof *gcm && gcm->ulIvLen == 16 && gcm->ulIvBits == 128
            && memcmp(gcm->pIv, zeros, 16) == 0 && gcm->ulAADLen == 0 && gcm->ulTagBits == 128;
        return isApple && object == DERIVED ? OK : ARGUMENTS_BAD;
    }
    if (mechanism->mechanism != CKM_RSA_PKCS_OAEP) return MECHANISM_INVALID;
    const CK_RSA_PKCS_OAEP_PARAMS *parameters = mechanism->pParameter;
    return object == PRIVATE_KEY && parameters->hashAlg == CKM_SHA256 ? OK : ARGUMENTS_BAD;
}

// Decrypts with AES-256-GCM and the session's derived key.
static CK_RV decryptGCM(const CK_BYTE *key, const CK_BYTE *data, CK_ULONG dataCount, CK_BYTE *result, CK_ULONG *count) {
    static const CK_BYTE iv[16];
    if (dataCount < 16) return ENCRYPTED_DATA_INVALID;
    if (*count < dataCount - 16) return BUFFER_TOO_SMALL;
    *count = dataCount - 16;
    CK_BYTE tag[16], rest[16];
    memcpy(tag, data + *count, sizeof tag);
    int written = 0;
    EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
    int decrypted = context != NULL && EVP_DecryptInit_ex2(context, EVP_aes_256_gcm(), NULL, NULL, NULL) == 1
        && EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_IVLEN, sizeof iv, NULL) == 1
        && EVP_DecryptInit_ex2(context, NULL, key, iv, NULL) == 1
        && EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, sizeof tag, tag) == 1
        && EVP_DecryptUpdate(context, result, &written, data, (int)*count) == 1;
    int isAuthentic = EVP_DecryptFinal_ex(context, rest, &written) == 1 || (faults & IGNORES_TAG);
    EVP_CIPHER_CTX_free(context);
    return decrypted && isAuthentic ? OK : ENCRYPTED_DATA_INVALID;
}

static CK_RV decrypt(CK_ULONG handle, const CK_BYTE *data, CK_ULONG dataCount, CK_BYTE *result, CK_ULONG *count) {
    Session *session = sessionOf(handle);
    if (session == NULL) return SESSION_HANDLE_INVALID;
    enter(DECRYPT, &session->use);
    if (session->decryptsGCM) return decryptGCM(session->secret, data, dataCount, result, count);
    size_t written = *count;
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_pkey(NULL, key, NULL);
    int decrypted = context != NULL && EVP_PKEY_decrypt_init(context) == 1
        && EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_OAEP_PADDING) == 1
        && EVP_PKEY_CTX_set_rsa_oaep_md_name(context, "SHA2-256", NULL) == 1
        && EVP_PKEY_CTX_set_rsa_mgf1_md_name(context, "SHA2-256", NULL) == 1
        && EVP_PKEY_decrypt(context, result, &written, data, dataCount) == 1;
    EVP_PKEY_CTX_free(context);
    *count = written;
    return decrypted ? OK : ENCRYPTED_DATA_INVALID;
}

static const CK_FUNCTION_LIST functions = {
    .version = {2, 40},
    .C_Initialize = initialize,
    .C_GetSlotList = getSlotList,
    .C_GetTokenInfo = getTokenInfo,
    .C_OpenSession = openSession,
    .C_CloseSession = closeSession,
    .C_Login = login,
    .C_FindObjectsInit = findObjectsInit,
    .C_FindObjects = findObjects,
    .C_FindObjectsFinal = findObjectsFinal,
    .C_GetAttributeValue = getAttributeValue,
    .C_DeriveKey = deriveKey,
    .C_DestroyObject = destroyObject,
    .C_DecryptInit = decryptInit,
    .C_Decrypt = decrypt,
};

CK_RV C_GetFunctionList(const CK_FUNCTION_LIST **list) {
    // For tests of the command, which cannot call functions in its process.
    const char *path = getenv("HANGING_PKCS11_KEY"), *name = getenv("HANGING_PKCS11_FUNCTION");
    const char *spared = getenv("HANGING_PKCS11_SPARED");
    if (spared != NULL) HangingModule_spare(atoi(spared));
    if (path != NULL && HangingModule_useKey(path) != 0) return FUNCTION_FAILED;
    if (name != NULL && HangingModule_hang(name) != 0) return FUNCTION_FAILED;
    *list = &functions;
    return OK;
}
