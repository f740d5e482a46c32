// C functions that Swift cannot import directly.

#pragma once

#include "CApplePayPKCS11.h"

// Disables core dumps of this process, and access to its memory through ptrace and /proc
// (prctl(2), PR_SET_DUMPABLE). Returns 0, or -1 with errno set.
int CApplePaySystem_disable_core_dumps(void);

// Starts a thread that waits for SIGINT and SIGTERM. The first signal ends the process with this
// status: immediately, or 900 ms later if the end is postponed; later signals are ignored. Call
// this before starting any other thread. Returns 0, or -1 if the thread could not be started; then
// both signals have their default effect.
int CApplePaySystem_watch_interruptions(int status);

// Lets the process continue for 900 ms after a signal. Returns 1, or 0 if a signal has already
// arrived.
int CApplePaySystem_postpone_interruptions(void);

// Returns the number of the first signal received; 0 if there was none.
int CApplePaySystem_interruption(void);

// Returns whether a signal arrived at least 250 ms ago, so that no more work may begin.
int CApplePaySystem_work_is_over(void);

// Returns whether a signal arrived at least 850 ms ago, so that the process ends within 50 ms.
int CApplePaySystem_end_is_near(void);

// Returns whether the kernel considers the clock synchronized (adjtimex(2)): 1 or 0; -1 if that cannot be determined.
int CApplePaySystem_clock_is_synchronized(void);

// Waits until a read from the descriptor would not block; returns 0 if a signal arrived instead.
int CApplePaySystem_wait_for_input(int descriptor);

// Waits until a write of up to PIPE_BUF bytes to a pipe would not block; returns 0 if a signal
// arrived at least 400 ms ago.
int CApplePaySystem_wait_for_output(int descriptor);

// Returns a unique number of the calling thread, counted from 1 in the order of the threads' first
// calls.
unsigned int CApplePaySystem_thread_number(void);
