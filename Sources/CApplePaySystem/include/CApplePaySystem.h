// C calls that Swift cannot see.

#pragma once

#include "CApplePayPKCS11.h"

// Switches core dumps of this process off, and with them reading its memory through ptrace
// and /proc (prctl(2), PR_SET_DUMPABLE). Returns 0, or -1 with errno set.
int CApplePaySystem_disable_core_dumps(void);

// Starts a thread that waits for SIGINT and SIGTERM. The first of them ends the process with this status: at once, or
// 900 ms later if the end is postponed; later ones change nothing. To be called before any other thread is started.
// Returns 0, or -1 when there is no such thread; then both signals do what they usually do.
int CApplePaySystem_watch_interruptions(int status);

// From now on the process goes on for 900 ms after a signal. Returns 0 if a signal was noted already, otherwise 1.
int CApplePaySystem_postpone_interruptions(void);

// The number of the signal that was noted; 0 if none was.
int CApplePaySystem_interruption(void);

// Whether a signal was noted 250 ms ago or earlier, so that no more work may begin.
int CApplePaySystem_work_is_over(void);

// Waits until a read from the descriptor would not block; returns 0 when a signal was noted instead.
int CApplePaySystem_wait_for_input(int descriptor);

// Waits until a write of up to PIPE_BUF bytes to a pipe would not block; returns 0 when a signal was noted 400 ms ago or
// earlier.
int CApplePaySystem_wait_for_output(int descriptor);

// A number of the calling thread's own, counted from 1 in the order in which threads first ask.
unsigned int CApplePaySystem_thread_number(void);
