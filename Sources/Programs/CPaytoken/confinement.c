#define _GNU_SOURCE
#include "CPaytoken.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/landlock.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
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

// What the headers of Linux 6.1 lack (landlock(7)): rights to move, truncate and control files, since the versions 2, 3 and 5;
// to bind and connect TCP, since 4; and the scopes of abstract sockets and signals, since 6.
enum { REFER = 1 << 13, TRUNCATE = 1 << 14, CONTROL_DEVICE = 1 << 15 };
enum { BIND_TCP = 1 << 0, CONNECT_TCP = 1 << 1 };
enum { ABSTRACT_SOCKETS = 1 << 0, SIGNALS = 1 << 1 };
struct ruleset {
    __u64 files, network, scopes;
};

// The rights of the first version: everything with files and folders but moving and truncating.
static const __u64 first_rights = (1 << 13) - 1;

static const __u64 reading = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR;

// Regular files, without folders, links, pipes, sockets and devices.
static const __u64 writing_files = LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_MAKE_REG | LANDLOCK_ACCESS_FS_REMOVE_FILE;

static long version(void) { return syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION); }

int CPaytoken_rules_scope_sockets(void) { return version() >= 6; }

int CPaytoken_begin_rules(int has_network) {
    long known = version();
    if (known < 0) return -1;
    struct ruleset rules = {.files = first_rights | (known >= 2 ? REFER : 0) | (known >= 3 ? TRUNCATE : 0)
                                     | (known >= 5 ? CONTROL_DEVICE : 0),
                            .network = known < 4 ? 0 : BIND_TCP | (has_network ? 0 : CONNECT_TCP),
                            .scopes = known < 6 ? 0 : ABSTRACT_SOCKETS | SIGNALS};
    return (int)syscall(SYS_landlock_create_ruleset, &rules, sizeof rules, 0);
}

int CPaytoken_allow_files(int rules, const char *path, int writing) {
    int descriptor = open(path, O_PATH | O_CLOEXEC);
    if (descriptor < 0) return -1;
    struct stat status;
    int result = fstat(descriptor, &status);
    if (result == 0) {
        __u64 access = reading | (writing ? writing_files | (version() >= 3 ? TRUNCATE : 0) : 0);
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

int CPaytoken_apply_rules(int rules) { return (int)syscall(SYS_landlock_restrict_self, rules, 0); }
