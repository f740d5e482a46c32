#define _GNU_SOURCE
#include "CApplePaySystem.h"

#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

static atomic_uint started;
static _Thread_local unsigned int number;

unsigned int CApplePaySystem_thread_number(void) {
    if (number == 0) number = atomic_fetch_add_explicit(&started, 1, memory_order_relaxed) + 1;
    return number;
}

int CApplePaySystem_kernel_thread(void) { return gettid(); }

void CApplePaySystem_await_removal(int thread) {
    while (tgkill(getpid(), thread, 0) == 0) sched_yield();
}
