// Preloaded. While the first byte of the file HANGING_WHEN is not 0, calls that open or examine HANGING_FOLDER, or a file in it,
// do not return, as on a network file system whose server is away.
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *folder;
static const volatile char *is_hanging;

// The process may not open the file later.
__attribute__((constructor)) static void begin(void) {
    const char *file = getenv("HANGING_WHEN");
    folder = getenv("HANGING_FOLDER");
    int descriptor = file == NULL ? -1 : open(file, O_RDONLY | O_CLOEXEC);
    if (folder == NULL || descriptor < 0) abort();
    is_hanging = mmap(NULL, 1, PROT_READ, MAP_SHARED, descriptor, 0);
    if (is_hanging == MAP_FAILED) abort();
    close(descriptor);
}

static void reach(const char *path) {
    if (folder == NULL || is_hanging == NULL || strncmp(path, folder, strlen(folder)) != 0 || !*is_hanging) return;
    // Reports to the test that the program called this function.
    (void)!write(2, "hanging\n", 8);
    while (*is_hanging) usleep(20000);
}

int open(const char *path, int flags, ...) {
    va_list arguments;
    va_start(arguments, flags);
    mode_t mode = va_arg(arguments, mode_t);
    va_end(arguments);
    reach(path);
    return ((int (*)(const char *, int, ...))dlsym(RTLD_NEXT, "open"))(path, flags, mode);
}

DIR *opendir(const char *path) {
    reach(path);
    return ((DIR * (*)(const char *)) dlsym(RTLD_NEXT, "opendir"))(path);
}

int stat(const char *restrict path, struct stat *restrict status) {
    reach(path);
    return ((int (*)(const char *, struct stat *))dlsym(RTLD_NEXT, "stat"))(path, status);
}

int lstat(const char *restrict path, struct stat *restrict status) {
    reach(path);
    return ((int (*)(const char *, struct stat *))dlsym(RTLD_NEXT, "lstat"))(path, status);
}

int faccessat(int from, const char *path, int mode, int flags) {
    reach(path);
    return ((int (*)(int, const char *, int, int))dlsym(RTLD_NEXT, "faccessat"))(from, path, mode, flags);
}
