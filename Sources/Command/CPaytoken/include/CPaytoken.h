// C functions of the command: its version, signals, core dumps and the clock.

#pragma once

// The commit that the command was built from, such as "1a2b3c4d5e6f", or why it is not known.
const char *CPaytoken_commit(void);

// Disables core dumps of this process, and access to its memory through ptrace and /proc
// (prctl(2), PR_SET_DUMPABLE). Returns 0, or -1 with errno set.
int CPaytoken_disable_core_dumps(void);

// Starts a thread that waits for SIGINT and SIGTERM. The first signal ends the process with this
// status: immediately, or 900 ms later if the end is postponed; later signals are ignored. Call
// this before starting any other thread. Returns 0, or -1 if the thread could not be started; then
// both signals have their default effect.
int CPaytoken_watch_interruptions(int status);

// Lets the process continue for 900 ms after a signal. Returns 1, or 0 if a signal has already
// arrived.
int CPaytoken_postpone_interruptions(void);

// Ignores SIGINT and SIGTERM from now on. Returns 1, or 0 if a signal has already arrived, which then ends the process.
int CPaytoken_hold_interruptions(void);

// Returns the number of the first signal received; 0 if there was none, or if they are ignored.
int CPaytoken_interruption(void);

// Returns whether a signal arrived at least 250 ms ago, so that no more work may begin.
int CPaytoken_work_is_over(void);

// Returns whether a signal arrived at least 850 ms ago, so that the process ends within 50 ms.
int CPaytoken_end_is_near(void);

// Returns whether the kernel considers the clock synchronized (adjtimex(2)): 1 or 0; -1 if that cannot be determined.
int CPaytoken_clock_is_synchronized(void);

// Waits until a read from the descriptor would not block; returns 0 if a signal arrived instead.
int CPaytoken_wait_for_input(int descriptor);

// Waits until a write of up to PIPE_BUF bytes to a pipe would not block; returns 0 if a signal
// arrived at least 400 ms ago.
int CPaytoken_wait_for_output(int descriptor);
