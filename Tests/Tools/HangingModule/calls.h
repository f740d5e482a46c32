// Counts calls, and lets them hang.

#pragma once

typedef enum {
    INITIALIZE, GET_SLOT_LIST, GET_TOKEN_INFO, OPEN_SESSION, CLOSE_SESSION, LOGIN, FIND_OBJECTS_INIT, FIND_OBJECTS,
    GET_ATTRIBUTE_VALUE, VALUE_WRITTEN, DERIVE_KEY, DESTROY_OBJECT, DECRYPT_INIT, DECRYPT, NONE,
} Function;

// The use of a session.
typedef struct {
    int hasHung;
    int callers;
} Use;

// Counts a call, and blocks it for as long as it has to hang; use is NULL for a call without a
// session.
__attribute__((visibility("hidden"))) void enter(Function function, Use *use);
