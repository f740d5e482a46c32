#define _GNU_SOURCE
#include "CPaytoken.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

int CPaytoken_end_with_parent(void) { return prctl(PR_SET_PDEATHSIG, SIGTERM, 0, 0, 0); }

int CPaytoken_forbid_new_privileges(void) { return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); }

int CPaytoken_drop_capabilities(void) {
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = {{0}};
    return (int)syscall(SYS_capset, &header, none);
}

int CPaytoken_lock_memory(void) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_MEMLOCK, &limit) != 0) return -1;
    // Under a limit, memory that is allocated later could not be had at all.
    if (limit.rlim_cur != RLIM_INFINITY) {
        errno = EPERM;
        return -1;
    }
    return mlockall(MCL_CURRENT | MCL_FUTURE | MCL_ONFAULT);
}

// Rights of Landlock that the headers of Linux 6.1 lack (landlock(7)).
enum { REFER = 1 << 13, TRUNCATE = 1 << 14 };

// The rights of the first version: everything with files and folders but moving and truncating.
static const __u64 first_rights = (1 << 13) - 1;

static const __u64 reading = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR;

static __u64 rights(void) {
    long version = syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
    if (version < 0) return 0;
    return first_rights | (version >= 2 ? REFER : 0) | (version >= 3 ? TRUNCATE : 0);
}

int CPaytoken_begin_file_rules(void) {
    struct landlock_ruleset_attr attributes = {.handled_access_fs = rights()};
    if (attributes.handled_access_fs == 0) return -1;
    return (int)syscall(SYS_landlock_create_ruleset, &attributes, sizeof attributes, 0);
}

int CPaytoken_allow_files(int rules, const char *path, int writing) {
    int descriptor = open(path, O_PATH | O_CLOEXEC);
    if (descriptor < 0) return -1;
    struct stat status;
    int result = fstat(descriptor, &status);
    if (result == 0) {
        // Never to execute, and never to make devices.
        __u64 all = rights() & ~(__u64)(LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_MAKE_CHAR | LANDLOCK_ACCESS_FS_MAKE_BLOCK);
        __u64 access = writing ? all : reading;
        // A rule about a file cannot name the rights of folders.
        if (!S_ISDIR(status.st_mode)) {
            access &= LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_WRITE_FILE | TRUNCATE;
        }
        struct landlock_path_beneath_attr rule = {.allowed_access = access, .parent_fd = descriptor};
        result = (int)syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
    }
    int number = errno;
    close(descriptor);
    errno = number;
    return result;
}

int CPaytoken_apply_file_rules(int rules) { return (int)syscall(SYS_landlock_restrict_self, rules, 0); }

// Places in the filter's data.
#define NUMBER offsetof(struct seccomp_data, nr)
#define ARCHITECTURE offsetof(struct seccomp_data, arch)
// The lower half of the first argument, on little-endian machines.
#define FIRST_ARGUMENT offsetof(struct seccomp_data, args[0])

#if defined(__x86_64__)
#define THIS_ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define THIS_ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

#define LOAD(place) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, place)
#define RETURN(value) BPF_STMT(BPF_RET | BPF_K, value)
#define REFUSE(number) RETURN(SECCOMP_RET_ERRNO | (number))
// Continues with the next statement if the loaded value is equal, and otherwise skips it.
#define IF_EQUAL(value) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, 1)
#define IF_ANY_BIT(value) BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, value, 0, 1)
#define REFUSE_CALL(name) IF_EQUAL(__NR_##name), REFUSE(EPERM)

int CPaytoken_filter_system_calls(int has_local_sockets, int has_network) {
#ifndef THIS_ARCHITECTURE
    (void)has_local_sockets;
    (void)has_network;
    errno = ENOSYS;
    return -1;
#else
    const unsigned local = has_local_sockets ? SECCOMP_RET_ALLOW : SECCOMP_RET_ERRNO | EAFNOSUPPORT;
    const unsigned network = has_network ? SECCOMP_RET_ALLOW : SECCOMP_RET_ERRNO | EAFNOSUPPORT;
    struct sock_filter filter[] = {
        LOAD(ARCHITECTURE),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, THIS_ARCHITECTURE, 1, 0),
        RETURN(SECCOMP_RET_KILL_PROCESS),
        LOAD(NUMBER),
#ifdef __x86_64__
        // The calls of the x32 ABI have other numbers for the same functions.
        IF_ANY_BIT(0x40000000), REFUSE(ENOSYS),
#endif
        // Its flags are in memory, which a filter cannot read; glibc then uses clone.
        IF_EQUAL(__NR_clone3), REFUSE(ENOSYS),
        // Other programs and processes.
        REFUSE_CALL(execve), REFUSE_CALL(execveat),
#ifdef __NR_fork
        REFUSE_CALL(fork), REFUSE_CALL(vfork),
#endif
        // Other processes' memory, descriptors and calls.
        REFUSE_CALL(ptrace), REFUSE_CALL(process_vm_readv), REFUSE_CALL(process_vm_writev),
        REFUSE_CALL(pidfd_getfd), REFUSE_CALL(kcmp), REFUSE_CALL(process_madvise),
        // Ways around a filter or around Landlock, and interfaces with many past weaknesses.
        REFUSE_CALL(io_uring_setup), REFUSE_CALL(io_uring_enter), REFUSE_CALL(io_uring_register),
        REFUSE_CALL(bpf), REFUSE_CALL(perf_event_open), REFUSE_CALL(userfaultfd), REFUSE_CALL(keyctl),
        REFUSE_CALL(add_key), REFUSE_CALL(request_key), REFUSE_CALL(open_by_handle_at),
        REFUSE_CALL(memfd_create), REFUSE_CALL(personality),
        // Landlock forbids it only since Linux 6.2. Open files, such as the ledger's, are cut with ftruncate.
        REFUSE_CALL(truncate),
        // The system as a whole.
        REFUSE_CALL(mount), REFUSE_CALL(umount2), REFUSE_CALL(pivot_root), REFUSE_CALL(chroot),
        REFUSE_CALL(setns), REFUSE_CALL(unshare), REFUSE_CALL(open_tree), REFUSE_CALL(move_mount),
        REFUSE_CALL(fsopen), REFUSE_CALL(fsmount), REFUSE_CALL(init_module), REFUSE_CALL(finit_module),
        REFUSE_CALL(delete_module), REFUSE_CALL(kexec_load), REFUSE_CALL(reboot), REFUSE_CALL(swapon),
        REFUSE_CALL(swapoff), REFUSE_CALL(acct), REFUSE_CALL(settimeofday), REFUSE_CALL(clock_settime),
        REFUSE_CALL(syslog),
        // Sockets of these families only (socketpair, which no process needs, makes none that reaches others); a call of another
        // function continues after the ten statements.
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_socket, 0, 10),
        LOAD(FIRST_ARGUMENT),
        IF_EQUAL(AF_UNIX), RETURN(local),
        IF_EQUAL(AF_INET), RETURN(network),
        IF_EQUAL(AF_INET6), RETURN(network),
        // The resolver asks the kernel for the machine's addresses.
        IF_EQUAL(AF_NETLINK), RETURN(network),
        REFUSE(EAFNOSUPPORT),
        // Threads of this process, and no other process.
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_clone, 0, 3),
        LOAD(FIRST_ARGUMENT),
        BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, 0x00010000 /* CLONE_THREAD */, 1, 0),
        REFUSE(EPERM),
        RETURN(SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {.len = sizeof filter / sizeof *filter, .filter = filter};
    // Every thread gets the filter.
    return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program);
#endif
}
