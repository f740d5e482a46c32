// The part of PKCS#11 that decrypts tokens: OASIS, PKCS #11 Base Specification v3.0, §3 (types),
// §4 (objects), §5 (functions); Current Mechanisms v3.0, §2.1.8 (RSA OAEP), §2.3.10 (ECDH), §2.11.3
// (AES-GCM). On Linux the structures are not packed.

#pragma once

#include <stddef.h>

typedef unsigned long CK_ULONG;
typedef unsigned char CK_BYTE;
typedef CK_ULONG CK_RV;

typedef struct {
    CK_BYTE major;
    CK_BYTE minor;
} CK_VERSION;

typedef struct {
    CK_BYTE label[32];
    CK_BYTE manufacturerID[32];
    CK_BYTE model[16];
    CK_BYTE serialNumber[16];
    CK_ULONG flags;
    CK_ULONG counts[10];
    CK_VERSION hardwareVersion;
    CK_VERSION firmwareVersion;
    CK_BYTE utcTime[16];
} CK_TOKEN_INFO;

typedef struct {
    CK_ULONG type;
    void *pValue;
    CK_ULONG ulValueLen;
} CK_ATTRIBUTE;

typedef struct {
    CK_ULONG mechanism;
    void *pParameter;
    CK_ULONG ulParameterLen;
} CK_MECHANISM;

typedef struct {
    CK_ULONG kdf;
    CK_ULONG ulSharedDataLen;
    CK_BYTE *pSharedData;
    CK_ULONG ulPublicDataLen;
    CK_BYTE *pPublicData;
} CK_ECDH1_DERIVE_PARAMS;

typedef struct {
    CK_ULONG hashAlg;
    CK_ULONG mgf;
    CK_ULONG source;
    void *pSourceData;
    CK_ULONG ulSourceDataLen;
} CK_RSA_PKCS_OAEP_PARAMS;

typedef struct {
    CK_BYTE *pIv;
    CK_ULONG ulIvLen;
    CK_ULONG ulIvBits;
    CK_BYTE *pAAD;
    CK_ULONG ulAADLen;
    CK_ULONG ulTagBits;
} CK_GCM_PARAMS;

typedef struct {
    void *CreateMutex;
    void *DestroyMutex;
    void *LockMutex;
    void *UnlockMutex;
    CK_ULONG flags;
    void *pReserved;
} CK_C_INITIALIZE_ARGS;

// The functions in the order of §5.2; unused functions are void pointers.
typedef struct {
    CK_VERSION version;
    CK_RV (*C_Initialize)(void *arguments);
    CK_RV (*C_Finalize)(void *reserved);
    void *getInfoAndGetFunctionList[2];
    CK_RV (*C_GetSlotList)(CK_BYTE tokenPresent, CK_ULONG *slots, CK_ULONG *count);
    void *getSlotInfo;
    CK_RV (*C_GetTokenInfo)(CK_ULONG slot, CK_TOKEN_INFO *info);
    void *getMechanismListToSetPIN[5];
    CK_RV (*C_OpenSession)(CK_ULONG slot, CK_ULONG flags, void *application, void *notify, CK_ULONG *session);
    CK_RV (*C_CloseSession)(CK_ULONG session);
    CK_RV (*C_CloseAllSessions)(CK_ULONG slot);
    void *getSessionInfoToSetOperationState[3];
    CK_RV (*C_Login)(CK_ULONG session, CK_ULONG user, const CK_BYTE *pin, CK_ULONG count);
    void *logoutToCopyObject[3];
    CK_RV (*C_DestroyObject)(CK_ULONG session, CK_ULONG object);
    void *getObjectSize;
    CK_RV (*C_GetAttributeValue)(CK_ULONG session, CK_ULONG object, CK_ATTRIBUTE *template_, CK_ULONG count);
    void *setAttributeValue;
    CK_RV (*C_FindObjectsInit)(CK_ULONG session, CK_ATTRIBUTE *template_, CK_ULONG count);
    CK_RV (*C_FindObjects)(CK_ULONG session, CK_ULONG *objects, CK_ULONG limit, CK_ULONG *count);
    CK_RV (*C_FindObjectsFinal)(CK_ULONG session);
    void *encryptInitToEncryptFinal[4];
    CK_RV (*C_DecryptInit)(CK_ULONG session, CK_MECHANISM *mechanism, CK_ULONG key);
    CK_RV (*C_Decrypt)(CK_ULONG session, const CK_BYTE *data, CK_ULONG dataCount, CK_BYTE *result, CK_ULONG *count);
    void *decryptUpdateToUnwrapKey[27];
    CK_RV (*C_DeriveKey)(CK_ULONG session, CK_MECHANISM *mechanism, CK_ULONG key, CK_ATTRIBUTE *template_,
        CK_ULONG count, CK_ULONG *derived);
    void *seedRandomToWaitForSlotEvent[5];
} CK_FUNCTION_LIST;

// Loads a module and reads its function list. Returns NULL if the module cannot be loaded, with
// the loader's message in *reason, or if it is not a PKCS#11 module, with NULL in *reason. A
// module stays loaded until the process ends.
const CK_FUNCTION_LIST *CApplePaySystem_load_pkcs11(const char *path, const char **reason);

enum {
    CKF_OS_LOCKING_OK = 0x2,
    CKF_SERIAL_SESSION = 0x4,
    CKF_TOKEN_INITIALIZED = 0x400,
    CKU_USER = 1,

    CKO_CERTIFICATE = 1,
    CKO_PUBLIC_KEY = 2,
    CKO_PRIVATE_KEY = 3,
    CKO_SECRET_KEY = 4,

    CKK_RSA = 0,
    CKK_EC = 3,
    CKK_GENERIC_SECRET = 0x10,
    CKK_AES = 0x1F,

    CKA_CLASS = 0x0,
    CKA_TOKEN = 0x1,
    CKA_LABEL = 0x3,
    CKA_VALUE = 0x11,
    CKA_KEY_TYPE = 0x100,
    CKA_ID = 0x102,
    CKA_SENSITIVE = 0x103,
    CKA_DECRYPT = 0x105,
    CKA_DERIVE = 0x10C,
    CKA_MODULUS = 0x120,
    CKA_PUBLIC_EXPONENT = 0x122,
    CKA_VALUE_LEN = 0x161,
    CKA_EXTRACTABLE = 0x162,
    CKA_EC_PARAMS = 0x180,
    CKA_EC_POINT = 0x181,
    CKA_ALWAYS_AUTHENTICATE = 0x202,

    CKM_RSA_X_509 = 0x3,
    CKM_RSA_PKCS_OAEP = 0x9,
    CKM_SHA256 = 0x250,
    CKM_ECDH1_DERIVE = 0x1050,
    CKM_AES_GCM = 0x1087,
    CKG_MGF1_SHA256 = 2,
    CKZ_DATA_SPECIFIED = 1,
    CKD_NULL = 0x1,
    CKD_SHA256_KDF_SP800 = 0x10,
};
