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
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

static int results = -1;

static void report(const char *name, long result) {
    char line[160];
    int count = snprintf(line, sizeof line, "%s %s\n", name, result < 0 ? strerrorname_np(errno) : "possible");
    if (write(results, line, (size_t)count) != count) abort();
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
    report("end", 0);
    return unused;
}

// Opens the results before the process is confined.
__attribute__((constructor)) static void prepare(void) {
    const char *path = getenv("FORBIDDEN_RESULTS");
    if (path) results = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
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
