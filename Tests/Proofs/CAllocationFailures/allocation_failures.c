#include "allocation_failures.h"

#include <errno.h>
#include <openssl/crypto.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

// No lock is needed, because the program has one thread. Child processes share the count.
static long *count;
static long failing;
static bool fails_later;
static bool is_armed;

static bool fails(void) {
    if (!is_armed) return false;
    *count += 1;
    bool is_failing = fails_later ? *count >= failing : *count == failing;
    if (is_failing) errno = ENOMEM;  // as malloc(3) does
    return is_failing;
}

static void *failing_malloc(size_t size, const char *file, int line) {
    (void)file;
    (void)line;
    // CRYPTO_malloc(3) returns NULL for a size of 0.
    return size == 0 || fails() ? NULL : malloc(size);
}

static void *failing_realloc(void *pointer, size_t size, const char *file, int line) {
    (void)file;
    (void)line;
    return fails() ? NULL : realloc(pointer, size);
}

static void unfailing_free(void *pointer, const char *file, int line) {
    (void)file;
    (void)line;
    free(pointer);
}

bool allocation_failures_install(void) {
    void *page = mmap(NULL, sizeof *count, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED) return false;
    count = page;
    return CRYPTO_set_mem_functions(failing_malloc, failing_realloc, unfailing_free) == 1;
}

void allocation_failures_arm(long number, bool with_later) {
    *count = 0;
    failing = number;
    fails_later = with_later;
    is_armed = true;
}

void allocation_failures_disarm(void) {
    is_armed = false;
}

long allocation_failures_count(void) {
    return *count;
}

int allocation_failures_fork(void) {
    // Otherwise both processes would write the buffered output.
    fflush(NULL);
    return fork();
}

int allocation_failures_wait(int child) {
    int status;
    if (waitpid(child, &status, 0) != child || !WIFEXITED(status)) return -1;
    return WEXITSTATUS(status);
}
