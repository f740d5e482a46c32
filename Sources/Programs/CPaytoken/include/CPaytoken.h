// C functions of the command: its version, signals, core dumps, the clock, and the confinement of services.

#pragma once

// The commit that the command was built from, such as "1a2b3c4d5e6f", or why it is not known.
const char *CPaytoken_commit(void);

// Disables core dumps of this process, and access to its memory through ptrace and /proc
// (prctl(2), PR_SET_DUMPABLE). Returns 0, or -1 with errno set.
int CPaytoken_disable_core_dumps(void);

// Sends this process SIGTERM when the thread that started it ends (prctl(2), PR_SET_PDEATHSIG). Returns 0, or -1 with errno
// set.
int CPaytoken_end_with_parent(void);

// Starts a thread that waits for SIGINT and SIGTERM. The first signal ends the process with this
// status: immediately, or 900 ms later if the end is postponed; later signals are ignored. Call
// this before starting any other thread. Returns 0, or -1 if the thread could not be started; then
// both signals have their default effect.
int CPaytoken_watch_interruptions(int status);

// Lets the process continue for 900 ms after a signal. Returns 1, or 0 if a signal has already
// arrived.
int CPaytoken_postpone_interruptions(void);

// Ignores SIGINT and SIGTERM from now on. Returns 1, or 0 if a signal has already arrived, which then ends the process.
int CPaytoken_hold_interruptions(void);

// Returns the number of the first signal received; 0 if there was none, or if they are ignored.
int CPaytoken_interruption(void);

// Returns whether a signal arrived at least 250 ms ago, so that no more work may begin.
int CPaytoken_work_is_over(void);

// Returns whether the kernel considers the clock synchronized (adjtimex(2)): 1 or 0; -1 if that cannot be determined.
int CPaytoken_clock_is_synchronized(void);

// Waits until a read from the descriptor would not block; returns 0 if a signal arrived instead.
int CPaytoken_wait_for_input(int descriptor);

// Waits until a write of up to PIPE_BUF bytes to a pipe would not block; returns 0 if a signal
// arrived at least 400 ms ago.
int CPaytoken_wait_for_output(int descriptor);

// Forbids that an execve gives this process more privileges (prctl(2), PR_SET_NO_NEW_PRIVS), for ever. Returns 0, or -1
// with errno set.
int CPaytoken_forbid_new_privileges(void);

// Gives up all capabilities (capabilities(7)): root's process then has the rights of an ordinary user. Returns 0, or -1 with
// errno set.
int CPaytoken_drop_capabilities(void);

// Keeps this process's memory out of swap space (mlockall(2)), if RLIMIT_MEMLOCK is unlimited. Returns 0, or -1 with errno
// set.
int CPaytoken_lock_memory(void);

// Begins rules (landlock(7)) that allow no file at first and, where the kernel can, refuse to bind TCP sockets, to connect them
// without has_network, to connect abstract sockets, and to send other processes signals. Returns a descriptor, or -1 with errno
// set if this kernel has no such rules.
int CPaytoken_begin_rules(int has_network);

// Returns whether the kernel's rules also refuse abstract sockets and signals, which implies TCP: 1 or 0.
int CPaytoken_rules_scope_sockets(void);

// Adds a rule that allows to read a file or all files of a folder, or to read, write, create and remove regular files. Never
// allows to execute one. Returns 0, or -1 with errno set.
int CPaytoken_allow_files(int rules, const char *path, int writing);

// Applies the rules to this thread and those that it starts, for ever. Returns 0, or -1 with errno set.
int CPaytoken_apply_rules(int rules);

// Permits the system calls that a process of the service needs after its start (seccomp(2)), in all threads until the process
// ends: to write the files of a ledger, to connect Unix sockets, to use TCP, UDP and netlink. With a device's module all calls
// are permitted but those that start programs or processes, read other processes, or change the system. Returns 0, or another
// value with errno set.
int CPaytoken_filter_system_calls(int has_device, int has_files, int has_local_sockets, int has_network);

// Accepts a connection that does not block, and that no other program inherits. Returns its descriptor, or -1 with errno set.
int CPaytoken_accept(int listener);

// Finds the user, the group and the process at the other end of a Unix socket (SO_PEERCRED, unix(7)). Returns 0, or -1 with
// errno set.
int CPaytoken_peer(int descriptor, unsigned *user, unsigned *group, int *process);

// Finds the other groups of that process (SO_PEERGROUPS). Returns their number, or -1 with errno set. If it is greater than
// count, no group was written.
int CPaytoken_peer_groups(int descriptor, unsigned *groups, unsigned count);

// Limits the parts of memory from which threads allocate (M_ARENA_MAX, mallopt(3)), each of which keeps what its threads freed.
// Returns 0, or -1 if the C library refuses.
int CPaytoken_limit_arenas(int count);
