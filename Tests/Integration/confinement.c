// Preloaded into a process of the service: a thread that starts with the first accepted connection, so after the process was
// confined, tries what must fail, and writes a line for each to the file FORBIDDEN_RESULTS.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

static int results = -1, passed = -1;

static void report(const char *name, long result) {
    char line[160];
    int count = snprintf(line, sizeof line, "%s %s\n", name, result < 0 ? strerrorname_np(errno) : "possible");
    if (write(results, line, (size_t)count) != count) abort();
}

// What a call with these arguments gives, if it is permitted; a filter refuses it before the kernel looks at them.
static long try_call(long number, long first, long second, long third) { return syscall(number, first, second, third, 0, 0, 0); }

// Tries to connect a Unix socket that has a name, and no file.
static long connect_abstract(void) {
    int descriptor = socket(AF_UNIX, SOCK_STREAM, 0);
    if (descriptor < 0) return -1;
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    const char *name = getenv("FORBIDDEN_SOCKET");
    size_t length = name ? strlen(name) : 0;
    memcpy(address.sun_path + 1, name, length);
    return connect(descriptor, (struct sockaddr *)&address, (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + length));
}

// Tries to make what is no regular file in a folder, and a regular file, which is removed.
static void make_files(const char *folder) {
    char path[4096];
    snprintf(path, sizeof path, "%s/made", folder);
    report("pipe", mknodat(AT_FDCWD, path, S_IFIFO | 0600, 0));
    report("link", symlinkat("/etc/passwd", AT_FDCWD, path));
    report("folder", mkdirat(AT_FDCWD, path, 0700));
    report("mode", fchmodat(AT_FDCWD, folder, 0777, 0));
    int descriptor = open(path, O_WRONLY | O_CREAT, 0600);
    report("regular", descriptor);
    if (descriptor >= 0) unlink(path);
}

static void *attempt(void *unused) {
    char *arguments[] = {"true", NULL};
    report("exec", execve("/bin/true", arguments, NULL));
    report("execveat", syscall(SYS_execveat, AT_FDCWD, "/bin/true", arguments, NULL, 0));
    pid_t child = fork();
    if (child == 0) _exit(0);
    report("fork", child);
    if (child > 0) waitpid(child, NULL, 0);
    child = (pid_t)syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL);
    if (child == 0) _exit(0);
    report("clone", child);
    if (child > 0) waitpid(child, NULL, 0);
    report("clone3", syscall(SYS_clone3, NULL, 0));
    int descriptor = socket(AF_INET, SOCK_STREAM, 0);
    report("tcp", descriptor);
    report("local", socket(AF_UNIX, SOCK_STREAM, 0));
    report("udp", socket(AF_INET6, SOCK_DGRAM, 0));
    report("packets", socket(AF_PACKET, SOCK_RAW, 0));
    const char *parent = getenv("FORBIDDEN_PROCESS");
    pid_t other = parent ? atoi(parent) : getppid();
    report("ptrace", ptrace(PTRACE_ATTACH, other, NULL, NULL));
    char byte;
    struct iovec own = {&byte, 1}, theirs = {&byte, 1};
    report("memory", process_vm_readv(other, &own, 1, &theirs, 1, 0));
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/environ", other);
    report("environment", open(path, O_RDONLY));
    const char *file = getenv("FORBIDDEN_FILE");
    report("file", open(file ? file : "/etc/shadow", O_RDONLY));
    report("settings", open("/etc", O_RDONLY | O_DIRECTORY));
    report("users", open("/etc/passwd", O_RDONLY));
    report("passwords", open("/etc/shadow", O_RDONLY));
    report("resolver", open("/etc/resolv.conf", O_RDONLY));
    report("hosts", open("/etc/hosts", O_RDONLY));
    struct addrinfo *found;
    errno = EACCES;
    report("names", getaddrinfo("localhost", "443", NULL, &found) == 0 ? 0 : -1);
    report("write", open("/usr/paytoken-test", O_WRONLY | O_CREAT, 0600));
    report("truncate", truncate(file ? file : "/etc/shadow", 0));
    report("memfd", syscall(SYS_memfd_create, "x", 0));
    report("unshare", unshare(CLONE_NEWNS));
    report("uring", syscall(SYS_io_uring_setup, 1, NULL));
    void *memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    report("writable-code", memory == MAP_FAILED ? -1 : 0);
    memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    report("written-code", mprotect(memory, 4096, PROT_READ | PROT_EXEC));
    report("pkey-code", try_call(SYS_pkey_mprotect, (long)memory, 4096, PROT_READ | PROT_EXEC));
    report("signal", kill(other, 0));
    report("thread-signal", try_call(SYS_tgkill, other, other, 0));
    report("own-signal", try_call(SYS_tgkill, getpid(), syscall(SYS_gettid), 0));
    report("abstract", connect_abstract());
    struct sockaddr_in any = {.sin_family = AF_INET};
    report("bind", bind(descriptor, (struct sockaddr *)&any, sizeof any));
    report("listen", listen(descriptor, 1));
    any.sin_port = 1;
    report("passed", connect(passed, (struct sockaddr *)&any, sizeof any));
    report("terminal", ioctl(0, TIOCSTI, ""));
    report("dumpable", prctl(PR_SET_DUMPABLE, 1, 0, 0, 0));
    report("limits", try_call(SYS_prlimit64, other, 0, 0));
    report("ipc", try_call(SYS_shmget, 0, 4096, 0600));
    report("secret", try_call(SYS_memfd_secret, 0, 0, 0));
    report("handle", try_call(SYS_name_to_handle_at, AT_FDCWD, (long)"/", 0));
    report("mount", try_call(SYS_mount_setattr, AT_FDCWD, (long)"/", 0));
    report("fanotify", try_call(SYS_fanotify_init, 0, 0, 0));
    report("newer", try_call(451, 0, 0, 0));
    report("filter", try_call(SYS_seccomp, 1, 0, 0));
    const char *folder = getenv("FORBIDDEN_FOLDER");
    if (folder) make_files(folder);
    report("end", 0);
    return unused;
}

// Opens the results, and a socket as if it had been passed to the process, before that is confined.
__attribute__((constructor)) static void prepare(void) {
    const char *path = getenv("FORBIDDEN_RESULTS");
    if (!path) return;
    results = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    passed = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
}

int accept4(int listener, struct sockaddr *address, socklen_t *length, int flags) {
    static int has_begun;
    if (!has_begun && results >= 0) {
        has_begun = 1;
        pthread_t thread;
        if (pthread_create(&thread, NULL, attempt, NULL) != 0) abort();
        pthread_detach(thread);
    }
    return (int)syscall(SYS_accept4, listener, address, length, flags);
}
