#include "CPaytoken.h"

#include <sys/timex.h>

int CPaytoken_clock_is_synchronized(void) {
    struct timex clock = {.modes = 0};
    if (adjtimex(&clock) < 0) return -1;
    // The kernel raises the estimated error of a clock that nothing corrects up to 16 s (timedatectl(1) uses the same limit).
    return clock.maxerror < 16000000;
}
