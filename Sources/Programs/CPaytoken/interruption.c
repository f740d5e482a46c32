#define _GNU_SOURCE
#include "CPaytoken.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

// Milliseconds after the signal. Work ends first, so that its results can be written; then output.
enum { WORK_LIMIT = 250, OUTPUT_LIMIT = 400, PROCESS_LIMIT = 900 };

static atomic_int noted;
static atomic_bool postponed;
// Which came first: a signal, or the program's word that it finishes its work whatever comes.
enum { NOTHING, SIGNAL, HOLD };
static atomic_int first;
// Written before `noted` is set, and read after it is checked.
static struct timespec noted_at;
// Readable from the first signal on, because it is never read.
static int event = -1;
static int end_status;
static sigset_t signals;

static void *wait_for_signal(void *unused) {
    int number;
    // sigwait(3) fails only for a set with an invalid signal.
    if (sigwait(&signals, &number) != 0) return unused;
    int found = NOTHING;
    // Without this thread, the signals stay blocked.
    if (!atomic_compare_exchange_strong(&first, &found, SIGNAL)) return unused;
    clock_gettime(CLOCK_MONOTONIC, &noted_at);
    atomic_store(&noted, number);
    // Either this thread sees that the end is postponed, or the postponing thread sees the signal.
    if (!atomic_load(&postponed) || eventfd_write(event, 1) != 0) _exit(end_status);
    struct timespec rest = {.tv_nsec = PROCESS_LIMIT * 1000000L};
    while (clock_nanosleep(CLOCK_MONOTONIC, 0, &rest, &rest) == EINTR) {
    }
    _exit(end_status);
}

int CPaytoken_watch_interruptions(int status) {
    end_status = status;
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (event < 0) return -1;
    // All later threads inherit this mask, so a signal never interrupts a call, for example in a
    // device's module.
    if (pthread_sigmask(SIG_BLOCK, &signals, NULL) != 0) return -1;
    pthread_t thread;
    if (pthread_create(&thread, NULL, wait_for_signal, NULL) != 0) {
        pthread_sigmask(SIG_UNBLOCK, &signals, NULL);
        return -1;
    }
    return pthread_detach(thread) == 0 ? 0 : -1;
}

int CPaytoken_postpone_interruptions(void) {
    atomic_store(&postponed, 1);
    return atomic_load(&noted) == 0;
}

int CPaytoken_hold_interruptions(void) {
    int found = NOTHING;
    return atomic_compare_exchange_strong(&first, &found, HOLD) || found == HOLD;
}

int CPaytoken_interruption(void) { return atomic_load(&noted); }

// Returns the milliseconds left until this time after the signal; -1 before the first signal.
static int time_left(int limit) {
    if (atomic_load(&noted) == 0) return -1;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    long passed = (now.tv_sec - noted_at.tv_sec) * 1000 + (now.tv_nsec - noted_at.tv_nsec) / 1000000;
    return passed < limit ? (int)(limit - passed) : 0;
}

int CPaytoken_work_is_over(void) { return time_left(WORK_LIMIT) == 0; }

int CPaytoken_wait_for_input(int descriptor) {
    struct pollfd waiting[2] = {{.fd = descriptor, .events = POLLIN}, {.fd = event, .events = POLLIN}};
    while (atomic_load(&noted) == 0 && poll(waiting, 2, -1) < 0) {
        if (errno != EINTR) return 1;  // The read that follows reports the error.
    }
    return atomic_load(&noted) == 0;
}

int CPaytoken_wait_for_output(int descriptor) {
    struct pollfd waiting[2] = {{.fd = descriptor, .events = POLLOUT}, {.fd = event, .events = POLLIN}};
    for (;;) {
        int left = time_left(OUTPUT_LIMIT);
        if (left == 0) return 0;
        // After the signal, poll only the descriptor, with a time limit.
        int count = poll(waiting, left < 0 ? 2 : 1, left);
        // The write that follows reports the error.
        if (waiting[0].revents != 0 || (count < 0 && errno != EINTR)) return 1;
    }
}
