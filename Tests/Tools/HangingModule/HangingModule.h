// A PKCS#11 module with one private key, whose calls hang, or refuse or falsify a key agreement, when
// a test requests it. The key is real: a call returns the right result after it is released. These
// functions control the module; tests find them with dlsym(3).

#pragma once

// Loads the private key, EC on P-256 or RSA of 2048 bits, from a file in PEM. Returns 0, or -1.
int HangingModule_useKey(const char *path);

// What a device refuses or falsifies; a set of these is the argument of HangingModule_play.
enum {
    REFUSES_SP800 = 1,        // CKD_SHA256_KDF_SP800: CKR_MECHANISM_PARAM_INVALID
    IGNORES_SHARED_DATA = 2,  // derives with CKD_SHA256_KDF_SP800 from the secret alone
    REFUSES_READABLE = 4,     // a derived key that is not sensitive: CKR_TEMPLATE_INCONSISTENT
    REFUSES_SENSITIVE = 8,    // a derived key that is sensitive: CKR_ATTRIBUTE_VALUE_INVALID
    REFUSES_NULL = 16,        // CKD_NULL: CKR_MECHANISM_PARAM_INVALID
    REFUSES_GCM = 32,         // CKM_AES_GCM: CKR_MECHANISM_INVALID
    IGNORES_TAG = 64,         // decrypts with CKM_AES_GCM without verifying the tag
    WANTS_OCTET_STRING = 128, // an ephemeral point that is not in an OCTET STRING: CKR_ARGUMENTS_BAD
    ANSWERS_STRANGELY = 256,  // C_DeriveKey: 0x80000001, which has no name
};

// Plays a device with these faults from now on.
void HangingModule_play(unsigned faults);

// Lets this many calls of the function that hangs return first.
void HangingModule_spare(int count);

// Makes calls of the named function hang from now on; "CKA_VALUE" means C_GetAttributeValue after
// it has written the derived secret. NULL releases all calls. Returns 0, or -1 for an unknown
// name.
int HangingModule_hang(const char *function);

// Returns the number of calls of the named function; -1 for an unknown name.
int HangingModule_calls(const char *function);

// Returns the number of calls that hang now.
int HangingModule_hanging(void);

// Returns the number of operations that began in a session with a hanging or concurrent call.
int HangingModule_misuses(void);

// Writes the last derived secret or key, 32 bytes, with every bit inverted.
void HangingModule_invertedSecret(unsigned char *bytes);
