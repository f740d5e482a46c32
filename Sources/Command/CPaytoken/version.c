#include "CPaytoken.h"

// Written by make, since SwiftPM caches what a manifest knows about Git.
#if __has_include("commit.h")
#include "commit.h"
#else
#define PAYTOKEN_COMMIT "unknown"
#endif

const char *CPaytoken_commit(void) { return PAYTOKEN_COMMIT; }
