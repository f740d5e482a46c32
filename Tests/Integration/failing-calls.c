// A library for LD_PRELOAD that affects the FAULT_CALL-th system call on a path below FAULT_FOLDER: the call fails or
// is incomplete, or the process is killed before or after it, or the disk is full from this call on, so that nothing can
// be written there (FAULT_KIND: fail, short, before, after or full). With the kind hang, the first synchronization of a
// file takes 12 seconds, for which a ledger does not wait. With FAULT_COUNT, it writes the number of such calls to that
// file when the process ends.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *folder, *kind, *count_file;
static long chosen;
static atomic_long calls;
static atomic_char watched[1024];

__attribute__((constructor)) static void start(void) {
    folder = getenv("FAULT_FOLDER");
    kind = getenv("FAULT_KIND");
    count_file = getenv("FAULT_COUNT");
    const char *call = getenv("FAULT_CALL");
    chosen = call ? atol(call) : 0;
}

__attribute__((destructor)) static void end(void) {
    FILE *file = count_file ? fopen(count_file, "w") : NULL;
    if (!file) return;
    fprintf(file, "%ld\n", atomic_load(&calls));
    fclose(file);
}

static int is_below(const char *path) { return folder && path && strncmp(path, folder, strlen(folder)) == 0; }

enum { ORDINARY, FAIL, SHORT, AFTER, FULL };

// Returns how to treat a call; does not return if the process must end before the call.
static int verdict(int is_watched) {
    if (!is_watched || !kind) return ORDINARY;
    long call = atomic_fetch_add(&calls, 1) + 1;
    if (strcmp(kind, "full") == 0) return call >= chosen ? FULL : ORDINARY;
    if (call != chosen) return ORDINARY;
    if (strcmp(kind, "before") == 0) kill(getpid(), SIGKILL);
    if (strcmp(kind, "after") == 0) return AFTER;
    return strcmp(kind, "short") == 0 ? SHORT : FAIL;
}

static void finish(int verdict) {
    if (verdict == AFTER) kill(getpid(), SIGKILL);
}

static void hang(int is_watched) {
    static atomic_flag has_hung = ATOMIC_FLAG_INIT;
    if (is_watched && kind && strcmp(kind, "hang") == 0 && !atomic_flag_test_and_set(&has_hung)) sleep(12);
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))
#define FAIL_WITH(number) do { if (verdict_ == FAIL || verdict_ == SHORT) { errno = number; return -1; } } while (0)

static int open_common(const char *name, const char *path, int flags, mode_t mode) {
    int verdict_ = verdict(is_below(path));
    FAIL_WITH(EIO);
    int (*real)(const char *, int, ...) = (int (*)(const char *, int, ...))dlsym(RTLD_NEXT, name);
    int result = real(path, flags, mode);
    if (result >= 0 && result < 1024) atomic_store(&watched[result], is_below(path));
    finish(verdict_);
    return result;
}

int open(const char *path, int flags, ...) {
    va_list arguments;
    va_start(arguments, flags);
    mode_t mode = flags & O_CREAT ? va_arg(arguments, mode_t) : 0;
    va_end(arguments);
    return open_common("open", path, flags, mode);
}

int open64(const char *path, int flags, ...) {
    va_list arguments;
    va_start(arguments, flags);
    mode_t mode = flags & O_CREAT ? va_arg(arguments, mode_t) : 0;
    va_end(arguments);
    return open_common("open64", path, flags, mode);
}

static int is_watched(int descriptor) { return descriptor >= 0 && descriptor < 1024 && atomic_load(&watched[descriptor]); }

ssize_t write(int descriptor, const void *bytes, size_t count) {
    int verdict_ = verdict(is_watched(descriptor));
    if (verdict_ == FAIL || verdict_ == FULL) { errno = ENOSPC; return -1; }
    ssize_t result = REAL(write)(descriptor, bytes, verdict_ == SHORT && count > 1 ? count / 2 : count);
    finish(verdict_);
    return result;
}

ssize_t pwrite(int descriptor, const void *bytes, size_t count, off_t offset) {
    int verdict_ = verdict(is_watched(descriptor));
    if (verdict_ == FAIL || verdict_ == FULL) { errno = verdict_ == FULL ? ENOSPC : EIO; return -1; }
    ssize_t result = REAL(pwrite)(descriptor, bytes, verdict_ == SHORT && count > 1 ? count / 2 : count, offset);
    finish(verdict_);
    return result;
}

ssize_t pwrite64(int descriptor, const void *bytes, size_t count, off64_t offset) {
    return pwrite(descriptor, bytes, count, offset);
}

ssize_t read(int descriptor, void *bytes, size_t count) {
    int verdict_ = verdict(is_watched(descriptor));
    if (verdict_ == FAIL) { errno = EIO; return -1; }
    ssize_t result = REAL(read)(descriptor, bytes, verdict_ == SHORT && count > 1 ? count / 2 : count);
    finish(verdict_);
    return result;
}

ssize_t pread(int descriptor, void *bytes, size_t count, off_t offset) {
    int verdict_ = verdict(is_watched(descriptor));
    if (verdict_ == FAIL) { errno = EIO; return -1; }
    ssize_t result = REAL(pread)(descriptor, bytes, verdict_ == SHORT && count > 1 ? count / 2 : count, offset);
    finish(verdict_);
    return result;
}

ssize_t pread64(int descriptor, void *bytes, size_t count, off64_t offset) { return pread(descriptor, bytes, count, offset); }

int fsync(int descriptor) {
    int verdict_ = verdict(is_watched(descriptor));
    FAIL_WITH(EIO);
    hang(is_watched(descriptor));
    int result = REAL(fsync)(descriptor);
    finish(verdict_);
    return result;
}

int fdatasync(int descriptor) {
    int verdict_ = verdict(is_watched(descriptor));
    FAIL_WITH(EIO);
    hang(is_watched(descriptor));
    int result = REAL(fdatasync)(descriptor);
    finish(verdict_);
    return result;
}

int ftruncate(int descriptor, off_t size) {
    int verdict_ = verdict(is_watched(descriptor));
    FAIL_WITH(EIO);
    int result = REAL(ftruncate)(descriptor, size);
    finish(verdict_);
    return result;
}

int ftruncate64(int descriptor, off64_t size) { return ftruncate(descriptor, size); }

int flock(int descriptor, int operation) {
    int verdict_ = verdict(is_watched(descriptor));
    FAIL_WITH(ENOLCK);
    int result = REAL(flock)(descriptor, operation);
    finish(verdict_);
    return result;
}

static int fcntl_common(const char *name, int descriptor, int command, void *argument) {
    int isLock = command == F_SETLK || command == F_SETLKW || command == F_OFD_SETLKW;
    int verdict_ = verdict(isLock && is_watched(descriptor));
    FAIL_WITH(ENOLCK);
    int (*real)(int, int, ...) = (int (*)(int, int, ...))dlsym(RTLD_NEXT, name);
    int result = real(descriptor, command, argument);
    finish(verdict_);
    return result;
}

// All arguments of fcntl(2) fit into a pointer.
int fcntl(int descriptor, int command, ...) {
    va_list arguments;
    va_start(arguments, command);
    void *argument = va_arg(arguments, void *);
    va_end(arguments);
    return fcntl_common("fcntl", descriptor, command, argument);
}

int fcntl64(int descriptor, int command, ...) {
    va_list arguments;
    va_start(arguments, command);
    void *argument = va_arg(arguments, void *);
    va_end(arguments);
    return fcntl_common("fcntl64", descriptor, command, argument);
}

static void *mmap_common(void *address, size_t size, int protection, int flags, int descriptor, off64_t offset) {
    int verdict_ = verdict(is_watched(descriptor));
    if (verdict_ == FAIL || verdict_ == SHORT) { errno = ENOMEM; return MAP_FAILED; }
    void *result = REAL(mmap64)(address, size, protection, flags, descriptor, offset);
    finish(verdict_);
    return result;
}

void *mmap(void *address, size_t size, int protection, int flags, int descriptor, off_t offset) {
    return mmap_common(address, size, protection, flags, descriptor, offset);
}

void *mmap64(void *address, size_t size, int protection, int flags, int descriptor, off64_t offset) {
    return mmap_common(address, size, protection, flags, descriptor, offset);
}

int close(int descriptor) {
    int isWatched = is_watched(descriptor);
    int verdict_ = verdict(isWatched);
    if (descriptor >= 0 && descriptor < 1024) atomic_store(&watched[descriptor], 0);
    int result = REAL(close)(descriptor);
    FAIL_WITH(EIO);
    finish(verdict_);
    return result;
}

int unlink(const char *path) {
    int verdict_ = verdict(is_below(path));
    FAIL_WITH(EIO);
    int result = REAL(unlink)(path);
    finish(verdict_);
    return result;
}
