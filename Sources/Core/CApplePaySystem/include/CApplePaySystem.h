// C functions that Swift cannot import directly.

#pragma once

#include "CApplePayPKCS11.h"

// Returns a unique number of the calling thread, counted from 1 in the order of the threads' first
// calls.
unsigned int CApplePaySystem_thread_number(void);
