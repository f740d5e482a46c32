// A PKCS#11 module with one private key, whose calls hang when a test asks for it. The key is real: what a call
// returns after it was released is right. These functions control it; tests find them with dlsym(3).

#pragma once

// Loads the private key, EC on P-256 or RSA of 2048 bits, from a file in PEM. Returns 0, or -1.
int HangingModule_useKey(const char *path);

// Lets calls of the named function hang from now on; "CKA_VALUE" means C_GetAttributeValue once it has written
// the derived secret. NULL releases all. Returns 0, or -1 for a name that is not known.
int HangingModule_hang(const char *function);

// How many calls of the named function there were; -1 for a name that is not known.
int HangingModule_calls(const char *function);

// How many calls hang now.
int HangingModule_hanging(void);

// How many operations were begun in a session in which a call had hung, or while another call was in it.
int HangingModule_misuses(void);

// Writes the last derived secret, 32 bytes, with every bit inverted.
void HangingModule_invertedSecret(unsigned char *bytes);
