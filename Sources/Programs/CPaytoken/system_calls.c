#define _GNU_SOURCE
#include "CPaytoken.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#define THIS_ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define THIS_ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

// The processes that a row is for: one with all of its calls permitted by name, and one in which a device's module runs.
enum { LISTED = 1, FILES = 2, LOCAL = 4, NETWORK = 8, DEVICE = 16 };

// A call that is permitted, if the bits of the mask in one of its arguments have a value.
struct permission {
    int call;
    int processes;
    int argument;
    unsigned mask;
    unsigned value;
};

#define PERMIT(name, processes) {__NR_##name, processes, 0, 0, 0}
#define PERMIT_IF(name, processes, argument, mask, value) {__NR_##name, processes, argument, mask, value}
#define ALL_BITS 0xffffffffU

// What a process needs after its start, with the C libraries of Debian 12 and 13, whose functions use different calls. Those of
// x86-64 that have no number on ARM64 have successors there.
static const struct permission permissions[] = {
    // Memory that is not both written and executed.
    PERMIT(brk, LISTED), PERMIT(munmap, LISTED), PERMIT(mremap, LISTED), PERMIT(madvise, LISTED),
    PERMIT_IF(mmap, LISTED, 2, PROT_WRITE, 0), PERMIT_IF(mmap, LISTED, 2, PROT_EXEC, 0),
    PERMIT_IF(mprotect, LISTED, 2, PROT_EXEC, 0),
    // Threads, and no other process; Swift's runtime sets their names and priorities.
    PERMIT_IF(clone, LISTED | DEVICE, 0, CLONE_THREAD, CLONE_THREAD),
    PERMIT(futex, LISTED), PERMIT(set_robust_list, LISTED), PERMIT(rseq, LISTED), PERMIT(gettid, LISTED),
    PERMIT(sched_yield, LISTED), PERMIT(sched_getaffinity, LISTED), PERMIT(getcpu, LISTED), PERMIT(setpriority, LISTED), PERMIT(exit, LISTED),
    PERMIT(exit_group, LISTED), PERMIT(membarrier, LISTED), PERMIT_IF(prctl, LISTED, 0, ALL_BITS, PR_SET_NAME),
    // The clock, and waiting.
    PERMIT(clock_gettime, LISTED), PERMIT(clock_getres, LISTED), PERMIT(gettimeofday, LISTED),
    PERMIT(clock_nanosleep, LISTED), PERMIT(nanosleep, LISTED), PERMIT(ppoll, LISTED), PERMIT(pselect6, LISTED), PERMIT(epoll_create1, LISTED),
    PERMIT(epoll_ctl, LISTED), PERMIT(epoll_pwait, LISTED), PERMIT(eventfd2, LISTED), PERMIT(timerfd_create, LISTED),
    PERMIT(timerfd_settime, LISTED),
    // Signals to itself (the filter adds tgkill).
    PERMIT(rt_sigaction, LISTED), PERMIT(rt_sigprocmask, LISTED), PERMIT(rt_sigreturn, LISTED),
    PERMIT(rt_sigpending, LISTED), PERMIT(rt_sigtimedwait, LISTED), PERMIT(sigaltstack, LISTED), PERMIT(restart_syscall, LISTED),
    // Its own facts, and those of the system.
    PERMIT(getpid, LISTED), PERMIT(getppid, LISTED), PERMIT(getuid, LISTED), PERMIT(geteuid, LISTED),
    PERMIT(getgid, LISTED), PERMIT(getegid, LISTED), PERMIT(getrandom, LISTED), PERMIT(uname, LISTED),
    PERMIT(sysinfo, LISTED), PERMIT(getrusage, LISTED), PERMIT_IF(prlimit64, LISTED, 0, ALL_BITS, 0),
    // Files that Landlock and their modes permit; writing to files that are open, such as the journal.
    PERMIT(openat, LISTED), PERMIT(close, LISTED), PERMIT(read, LISTED), PERMIT(readv, LISTED), PERMIT(pread64, LISTED),
    PERMIT(write, LISTED), PERMIT(writev, LISTED), PERMIT(lseek, LISTED), PERMIT(fstat, LISTED),
    PERMIT(newfstatat, LISTED), PERMIT(statfs, LISTED), PERMIT(fstatfs, LISTED), PERMIT(faccessat, LISTED),
    PERMIT(faccessat2, LISTED), PERMIT(readlinkat, LISTED), PERMIT(getdents64, LISTED), PERMIT(getcwd, LISTED),
    PERMIT(fcntl, LISTED), PERMIT(dup, LISTED), PERMIT(dup3, LISTED), PERMIT_IF(ioctl, LISTED, 1, ALL_BITS, TCGETS),
    PERMIT_IF(ioctl, LISTED, 1, ALL_BITS, FIONREAD), PERMIT_IF(ioctl, LISTED, 1, ALL_BITS, FIONBIO),
    // The files of a ledger (SQLite).
    PERMIT(pwrite64, FILES), PERMIT(ftruncate, FILES), PERMIT(fallocate, FILES), PERMIT(fsync, FILES),
    PERMIT(fdatasync, FILES), PERMIT(flock, FILES), PERMIT(unlinkat, FILES), PERMIT(fchmod, FILES), PERMIT(fchown, FILES),
    // Connections that clients begin.
    PERMIT(accept4, LISTED), PERMIT(recvfrom, LISTED), PERMIT(recvmsg, LISTED), PERMIT(sendto, LISTED),
    PERMIT(sendmsg, LISTED), PERMIT(shutdown, LISTED), PERMIT(getsockopt, LISTED), PERMIT(setsockopt, LISTED),
    PERMIT(getsockname, LISTED), PERMIT(getpeername, LISTED),
    // Connections that it begins. The resolver binds a socket with which it asks the kernel for the machine's addresses, and
    // asks two questions in one call; a socket pair makes two ends in one process.
    PERMIT(connect, LOCAL | NETWORK), PERMIT(bind, NETWORK), PERMIT(sendmmsg, NETWORK), PERMIT(socketpair, NETWORK),
    PERMIT_IF(socket, LOCAL | DEVICE, 0, ALL_BITS, AF_UNIX), PERMIT_IF(socket, NETWORK | DEVICE, 0, ALL_BITS, AF_INET),
    PERMIT_IF(socket, NETWORK | DEVICE, 0, ALL_BITS, AF_INET6), PERMIT_IF(socket, NETWORK | DEVICE, 0, ALL_BITS, AF_NETLINK),
#ifdef __x86_64__
    PERMIT(open, LISTED), PERMIT(stat, LISTED), PERMIT(lstat, LISTED), PERMIT(access, LISTED), PERMIT(readlink, LISTED),
    PERMIT(dup2, LISTED), PERMIT(poll, LISTED), PERMIT(select, LISTED), PERMIT(epoll_wait, LISTED), PERMIT(time, LISTED), PERMIT(unlink, FILES),
#endif
};

// What a process in which a device's module runs may not do; nobody knows which other calls the module needs.
static const int refusals[] = {
    // Other programs and processes.
    __NR_execve, __NR_execveat, __NR_clone,
#ifdef __x86_64__
    __NR_fork, __NR_vfork,
#endif
    // Other processes' memory, descriptors and calls.
    __NR_ptrace, __NR_process_vm_readv, __NR_process_vm_writev, __NR_pidfd_getfd, __NR_kcmp, __NR_process_madvise,
    // Ways around a filter, and interfaces with many past weaknesses.
    __NR_io_uring_setup, __NR_io_uring_enter, __NR_io_uring_register, __NR_bpf, __NR_perf_event_open, __NR_userfaultfd,
    __NR_keyctl, __NR_add_key, __NR_request_key, __NR_open_by_handle_at, __NR_memfd_create, __NR_personality, __NR_truncate,
    // The system as a whole.
    __NR_mount, __NR_umount2, __NR_pivot_root, __NR_chroot, __NR_setns, __NR_unshare, __NR_open_tree, __NR_move_mount,
    __NR_fsopen, __NR_fsmount, __NR_init_module, __NR_finit_module, __NR_delete_module, __NR_kexec_load, __NR_reboot,
    __NR_swapon, __NR_swapoff, __NR_acct, __NR_settimeofday, __NR_clock_settime, __NR_syslog,
    // Sockets of other families than those that are permitted above.
    __NR_socket,
};

// Calls that the C library replaces by older ones, if the kernel seems not to have them: one whose flags are in memory, which a
// filter cannot read, and others that are not needed then.
static const int unknown[] = {__NR_clone3, __NR_close_range, __NR_statx, __NR_openat2, __NR_epoll_pwait2};

// The newest call that was considered, set_mempolicy_home_node of Linux 5.17. The C library replaces later ones, too, and the
// numbers of the x32 ABI, which stand for the same functions, are higher.
#define NEWEST 450

// The filter takes 2 to 6 statements for each call.
#define COUNT(rows) (sizeof(rows) / sizeof *(rows))
#define MOST_STATEMENTS (16 + 6 * COUNT(permissions) + 2 * (COUNT(refusals) + COUNT(unknown)))

struct filter {
    unsigned short count;
    struct sock_filter statements[MOST_STATEMENTS];
};

static void add(struct filter *filter, struct sock_filter statement) { filter->statements[filter->count++] = statement; }

static void load(struct filter *filter, size_t place) {
    add(filter, (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (unsigned)place));
}

// Skips a number of statements unless the loaded value is equal.
static void skip_unless(struct filter *filter, unsigned value, unsigned char statements) {
    add(filter, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, statements));
}

static void end(struct filter *filter, unsigned result) { add(filter, (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, result)); }

static void fail_call(struct filter *filter, int call, int number) {
    skip_unless(filter, (unsigned)call, 1);
    end(filter, SECCOMP_RET_ERRNO | (unsigned)number);
}

static void permit(struct filter *filter, struct permission row) {
    skip_unless(filter, (unsigned)row.call, row.mask == 0 ? 1 : 5);
    if (row.mask != 0) {
        // The lower half of the argument, on little-endian machines.
        load(filter, offsetof(struct seccomp_data, args) + sizeof(__u64) * (size_t)row.argument);
        add(filter, (struct sock_filter)BPF_STMT(BPF_ALU | BPF_AND | BPF_K, row.mask));
        skip_unless(filter, row.value, 1);
    }
    end(filter, SECCOMP_RET_ALLOW);
    if (row.mask != 0) load(filter, offsetof(struct seccomp_data, nr));
}

int CPaytoken_filter_system_calls(int has_device, int has_files, int has_local_sockets, int has_network) {
#ifndef THIS_ARCHITECTURE
    (void)has_device;
    (void)has_files;
    (void)has_local_sockets;
    (void)has_network;
    errno = ENOSYS;
    return -1;
#else
    int process = has_device ? DEVICE
                             : LISTED | (has_files ? FILES : 0) | (has_local_sockets ? LOCAL : 0) | (has_network ? NETWORK : 0);
    struct filter filter = {0};
    load(&filter, offsetof(struct seccomp_data, arch));
    add(&filter, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, THIS_ARCHITECTURE, 1, 0));
    end(&filter, SECCOMP_RET_KILL_PROCESS);
    load(&filter, offsetof(struct seccomp_data, nr));
    add(&filter, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JGT | BPF_K, NEWEST, 0, 1));
    end(&filter, SECCOMP_RET_ERRNO | ENOSYS);
    for (size_t i = 0; i < COUNT(unknown); i++) fail_call(&filter, unknown[i], ENOSYS);
    for (size_t i = 0; i < COUNT(permissions); i++) {
        if (permissions[i].processes & process) permit(&filter, permissions[i]);
    }
    if (has_device) {
        for (size_t i = 0; i < COUNT(refusals); i++) fail_call(&filter, refusals[i], EPERM);
        end(&filter, SECCOMP_RET_ALLOW);
    } else {
        permit(&filter, (struct permission)PERMIT_IF(tgkill, LISTED, 0, ALL_BITS, (unsigned)getpid()));
        end(&filter, SECCOMP_RET_ERRNO | EPERM);
    }
    struct sock_fprog program = {.len = filter.count, .filter = filter.statements};
    // Every thread gets the filter.
    return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program);
#endif
}
