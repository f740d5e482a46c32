// C calls that Swift cannot see.

#pragma once

#include "CApplePayPKCS11.h"

// Switches core dumps of this process off, and with them reading its memory through ptrace
// and /proc (prctl(2), PR_SET_DUMPABLE). Returns 0, or -1 with errno set.
int CApplePaySystem_disable_core_dumps(void);
