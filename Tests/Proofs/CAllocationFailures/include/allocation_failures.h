// Makes libcrypto's allocations fail, one at a time.

#pragma once

#include <stdbool.h>

/// Replaces libcrypto's malloc and realloc with functions that can fail.
///
/// Returns false if libcrypto has allocated before: CRYPTO_set_mem_functions(3) must be called
/// first.
bool allocation_failures_install(void);

/// Counts allocations from now on, and fails the one with this number, from 1: only that one, or
/// every later one too. A failure does not set errno, since a host program's allocator may not set
/// it either.
void allocation_failures_arm(long number, bool with_later);

/// Stops failing and counting allocations.
void allocation_failures_disarm(void);

/// Returns the number of allocations since the last call of allocation_failures_arm, in this
/// process or in a child that has ended.
long allocation_failures_count(void);

/// Calls fork(2), which Swift does not import; for single-threaded processes.
int allocation_failures_fork(void);

/// Waits for a child and returns its exit status; -1 if a signal ended it.
int allocation_failures_wait(int child);
