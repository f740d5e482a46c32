// C calls that Swift cannot see.

#pragma once

#include "CApplePayPKCS11.h"

// Switches core dumps of this process off, and with them reading its memory through ptrace
// and /proc (prctl(2), PR_SET_DUMPABLE). Returns 0, or -1 with errno set.
int CApplePaySystem_disable_core_dumps(void);

// From now on SIGINT and SIGTERM are only noted, each once; a second one ends the process as usual.
// Returns 0, or -1 with errno set.
int CApplePaySystem_catch_interruptions(void);

// The number of the signal that was noted; 0 if none was.
int CApplePaySystem_interruption(void);

// Waits until a read from the descriptor would not block; returns 0 when a signal was noted instead.
int CApplePaySystem_wait_for_input(int descriptor);

// A number of the calling thread's own, counted from 1 in the order in which threads first ask.
unsigned int CApplePaySystem_thread_number(void);
