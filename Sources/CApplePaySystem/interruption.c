#define _GNU_SOURCE
#include "CApplePaySystem.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

static volatile sig_atomic_t interrupted;
static int pipes[2] = {-1, -1};

static void interrupt(int signal) {
    int saved = errno;
    interrupted = signal;
    // The byte is never read: from now on the pipe is always readable.
    (void)!write(pipes[1], "", 1);
    errno = saved;
}

int CApplePaySystem_catch_interruptions(void) {
    struct sigaction action = {.sa_handler = interrupt, .sa_flags = SA_RESETHAND};
    if (pipes[0] < 0 && pipe2(pipes, O_CLOEXEC | O_NONBLOCK) != 0) return -1;
    sigemptyset(&action.sa_mask);
    // A program that was started by a thread with signals blocked begins with them blocked.
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    if (pthread_sigmask(SIG_UNBLOCK, &signals, NULL) != 0) return -1;
    return sigaction(SIGINT, &action, NULL) == 0 && sigaction(SIGTERM, &action, NULL) == 0 ? 0 : -1;
}

int CApplePaySystem_interruption(void) { return interrupted; }

int CApplePaySystem_wait_for_input(int descriptor) {
    struct pollfd waiting[2] = {{.fd = descriptor, .events = POLLIN}, {.fd = pipes[0], .events = POLLIN}};
    while (!interrupted && poll(waiting, 2, -1) < 0) {
        if (errno != EINTR) return 1;  // The read that follows says what is wrong.
    }
    return !interrupted;
}
