#include "CPaytoken.h"

// Written by make. SwiftPM caches a manifest's answers, so a manifest that asks Git would state an old commit.
#if __has_include("commit.h")
#include "commit.h"
#else
#define PAYTOKEN_COMMIT "not recorded; built without make"
#endif

const char *CPaytoken_commit(void) { return PAYTOKEN_COMMIT; }
