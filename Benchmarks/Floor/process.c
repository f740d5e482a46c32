#define _GNU_SOURCE
#include "floor.h"

#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;
static long peak;

static uint64_t nanoseconds(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

uint64_t Floor_now(void) { return nanoseconds(CLOCK_MONOTONIC); }

uint64_t Floor_thread_now(void) { return nanoseconds(CLOCK_THREAD_CPUTIME_ID); }

uint64_t Floor_process_now(void) { return nanoseconds(CLOCK_PROCESS_CPUTIME_ID); }

uint64_t Floor_run(char *const *words) {
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    pid_t child;
    uint64_t start = Floor_now();
    int failed = posix_spawn(&child, words[0], &actions, NULL, words, environ);
    posix_spawn_file_actions_destroy(&actions);
    int status = 0;
    struct rusage usage;
    if (failed || wait4(child, &status, 0, &usage) != child) return 0;
    uint64_t end = Floor_now();
    peak = usage.ru_maxrss;
    return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? end - start : 0;
}

long Floor_run_peak(void) { return peak; }

long Floor_resident(void) {
    FILE *file = fopen("/proc/self/statm", "r");
    long size = 0, resident = 0;
    if (!file) return 0;
    if (fscanf(file, "%ld %ld", &size, &resident) != 2) resident = 0;
    fclose(file);
    return resident * (sysconf(_SC_PAGESIZE) / 1024);
}
