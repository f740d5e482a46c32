// C functions that Swift cannot import directly.

#pragma once

#include "CApplePayPKCS11.h"

// Returns a unique number of the calling thread, counted from 1 in the order of the threads' first
// calls.
unsigned int CApplePaySystem_thread_number(void);

// Returns the kernel's number of the calling thread (gettid(2)).
int CApplePaySystem_kernel_thread(void);

// Waits until the kernel no longer lists a thread of this process that was joined: pthread_join(3) returns a moment earlier.
void CApplePaySystem_await_removal(int thread);
