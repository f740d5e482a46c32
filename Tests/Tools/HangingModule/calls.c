#include "calls.h"

#include <pthread.h>
#include <stddef.h>
#include <string.h>

#include "HangingModule.h"

static const char *const names[] = {
    "C_Initialize", "C_GetSlotList", "C_GetTokenInfo", "C_OpenSession", "C_CloseSession", "C_Login",
    "C_FindObjectsInit", "C_FindObjects", "C_GetAttributeValue", "CKA_VALUE", "C_DeriveKey", "C_DestroyObject",
    "C_DecryptInit", "C_Decrypt",
};

// The mutex protects the variables below.
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t released = PTHREAD_COND_INITIALIZER;
static Function hangs = NONE;
static int spared;
static int calls[NONE];
static int hanging;
static int misuses;

static Function function(const char *name) {
    Function function = INITIALIZE;
    while (function != NONE && strcmp(names[function], name) != 0) function++;
    return function;
}

void enter(Function function, Use *use) {
    pthread_mutex_lock(&mutex);
    calls[function]++;
    if (use != NULL && function != CLOSE_SESSION) {
        int begins = function == LOGIN || function == FIND_OBJECTS_INIT || function == DERIVE_KEY
            || function == DECRYPT_INIT;
        if (use->callers > 0 || (begins && use->hasHung)) misuses++;
    }
    if (use != NULL) use->callers++;
    if (hangs == function && calls[function] > spared) {
        if (use != NULL) use->hasHung = 1;
        hanging++;
        while (hangs == function) pthread_cond_wait(&released, &mutex);
        hanging--;
    }
    if (use != NULL) use->callers--;
    pthread_mutex_unlock(&mutex);
}

int HangingModule_hang(const char *name) {
    Function found = name == NULL ? NONE : function(name);
    if (name != NULL && found == NONE) return -1;
    pthread_mutex_lock(&mutex);
    hangs = found;
    pthread_cond_broadcast(&released);
    pthread_mutex_unlock(&mutex);
    return 0;
}

void HangingModule_spare(int count) {
    pthread_mutex_lock(&mutex);
    spared = count;
    pthread_mutex_unlock(&mutex);
}

int HangingModule_calls(const char *name) {
    Function found = function(name);
    if (found == NONE) return -1;
    pthread_mutex_lock(&mutex);
    int count = calls[found];
    pthread_mutex_unlock(&mutex);
    return count;
}

int HangingModule_hanging(void) {
    pthread_mutex_lock(&mutex);
    int count = hanging;
    pthread_mutex_unlock(&mutex);
    return count;
}

int HangingModule_misuses(void) {
    pthread_mutex_lock(&mutex);
    int count = misuses;
    pthread_mutex_unlock(&mutex);
    return count;
}
