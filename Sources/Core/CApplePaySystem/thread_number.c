#include "CApplePaySystem.h"

#include <stdatomic.h>

static atomic_uint started;
static _Thread_local unsigned int number;

unsigned int CApplePaySystem_thread_number(void) {
    if (number == 0) number = atomic_fetch_add_explicit(&started, 1, memory_order_relaxed) + 1;
    return number;
}
