// A PKCS#11 module with one private key, whose calls hang when a test requests it. The key is
// real: a call returns the right result after it is released. These functions control the module;
// tests find them with dlsym(3).

#pragma once

// Loads the private key, EC on P-256 or RSA of 2048 bits, from a file in PEM. Returns 0, or -1.
int HangingModule_useKey(const char *path);

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

// Writes the last derived secret, 32 bytes, with every bit inverted.
void HangingModule_invertedSecret(unsigned char *bytes);
