#pragma once
#include <errno.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <sys/vfs.h>

#ifndef F_OFD_SETLKW
#define F_OFD_SETLKW 38
#endif

// SQLITE_TRANSIENT is a macro with a cast, which Swift cannot import: SQLite copies the value.
static inline int CSQLite_bind_text(sqlite3_stmt *statement, int index, const char *text, int count) {
    return sqlite3_bind_text(statement, index, text, count, SQLITE_TRANSIENT);
}

static inline int CSQLite_bind_blob(sqlite3_stmt *statement, int index, const void *bytes, int count) {
    return sqlite3_bind_blob(statement, index, bytes, count, SQLITE_TRANSIENT);
}

// Swift cannot call functions with variable arguments: no checkpoint when the connection is closed.
static inline int CSQLite_keep_wal(sqlite3 *connection) {
    return sqlite3_db_config(connection, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, (int *)0);
}

// Neither schema nor SQL can damage the file, or call functions with side effects.
static inline int CSQLite_be_defensive(sqlite3 *connection) {
    int result = sqlite3_db_config(connection, SQLITE_DBCONFIG_DEFENSIVE, 1, (int *)0);
    return result ? result : sqlite3_db_config(connection, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, (int *)0);
}

// Locks or unlocks the first byte of an open file, waiting for it if necessary; the lock belongs to the open file, not to the
// process (fcntl(2), "Open file description locks"). Returns 0, or the error number.
static inline int CSQLite_lock_byte(int descriptor, int is_locked) {
    struct flock range = {.l_type = (short)(is_locked ? F_WRLCK : F_UNLCK), .l_whence = SEEK_SET, .l_start = 0, .l_len = 1};
    return fcntl(descriptor, F_OFD_SETLKW, &range) == 0 ? 0 : errno;
}

// Returns the type of the file system of a path (statfs(2)), or -1.
static inline long CSQLite_file_system(const char *path) {
    struct statfs status;
    return statfs(path, &status) == 0 ? (long)status.f_type : -1;
}
