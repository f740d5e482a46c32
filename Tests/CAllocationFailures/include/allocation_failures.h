// Makes libcrypto's allocations fail, one after the other.

#pragma once

#include <stdbool.h>

/// Puts functions that can fail in the place of libcrypto's malloc and realloc.
///
/// Returns false when libcrypto has allocated before: CRYPTO_set_mem_functions(3) must come first.
bool allocation_failures_install(void);

/// Counts allocations from here on, and fails the one with this number, from 1: it alone, or with it
/// every later one. A failure does not set errno, since the allocator of a host program may not either.
void allocation_failures_arm(long number, bool with_later);

/// Fails nothing more, and counts nothing more.
void allocation_failures_disarm(void);

/// How many allocations there were since the last arming, in this process or in a child that has ended.
long allocation_failures_count(void);

/// fork(2), which Swift does not import; for a process of one thread.
int allocation_failures_fork(void);

/// Waits for a child and returns the status with which it exited; -1 when a signal ended it.
int allocation_failures_wait(int child);
