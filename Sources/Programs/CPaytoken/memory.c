#include "CPaytoken.h"

#include <malloc.h>

int CPaytoken_limit_arenas(int count) { return mallopt(M_ARENA_MAX, count) == 1 ? 0 : -1; }
