// The minimum cost of claims: runs the statements of an SQLiteLedger, or sends the statement of a PostgreSQLLedger through
// libpq, from C.
//
//   ledger-floor sqlite LEDGER GROUP SECONDS         GROUP claims share a transaction, as in SQLiteWriter.swift
//   ledger-floor attempts LEDGER GROUP SECONDS       GROUP payments share three transactions: claim, sending, answer
//   ledger-floor postgresql LOCATION GROUP SECONDS   GROUP claims share a statement, as in ClaimRows.swift
//
// Prints claims or payments per second, and ends at the first failure.
#include <libpq-fe.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

enum { LIMIT = 64 };

static char transactions[LIMIT][65], serials[LIMIT][33];

static void check(int isRight, const char *what) {
    if (isRight) return;
    perror(what);
    exit(1);
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void digits(char *text, int count) {
    unsigned char bytes[32];
    check(getrandom(bytes, (size_t)count / 2, 0) == count / 2, "getrandom");
    for (int index = 0; index < count / 2; index++) sprintf(text + 2 * index, "%02x", bytes[index]);
}

static void new_group(int group) {
    for (int index = 0; index < group; index++) {
        digits(transactions[index], 64);
        digits(serials[index], 32);
    }
}

static sqlite3 *database;
static sqlite3_stmt *begin, *horizon, *insert, *latest, *commit;
static int log_pages;

static void expect_result(int isRight) {
    if (isRight) return;
    fprintf(stderr, "%s\n", sqlite3_errmsg(database));
    exit(1);
}

static int note_pages(void *context, sqlite3 *connection, const char *name, int count) {
    (void)context, (void)connection, (void)name;
    log_pages = count;
    return SQLITE_OK;
}

static sqlite3_stmt *prepared(const char *text) {
    sqlite3_stmt *result;
    expect_result(sqlite3_prepare_v3(database, text, -1, SQLITE_PREPARE_PERSISTENT, &result, NULL) == SQLITE_OK);
    return result;
}

static void open_sqlite(const char *ledger) {
    expect_result(sqlite3_open_v2(ledger, &database, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL) == SQLITE_OK);
    expect_result(sqlite3_exec(database, "PRAGMA synchronous = FULL; PRAGMA cache_size = -16384", NULL, NULL, NULL) == SQLITE_OK);
    sqlite3_wal_hook(database, note_pages, NULL);
    begin = prepared("BEGIN IMMEDIATE");
    horizon = prepared("SELECT forgotten_to FROM apple_pay_ledger");
    insert = prepared(
        "INSERT INTO apple_pay_claims (transaction_id, serial, signed_at, expires) "
        "VALUES (?1, ?2, ?3, ?4) ON CONFLICT (transaction_id) DO NOTHING");
    latest = prepared(
        "SELECT max(signed_at) FROM (SELECT signed_at FROM apple_pay_claims WHERE expires AND signed_at < ?1 "
        "ORDER BY signed_at LIMIT ?2)");
    commit = prepared("COMMIT");
}

static sqlite3_stmt *attempts, *can_begin, *attempt, *change;

// The statements of SQLiteWriter+Attempts.swift.
static void prepare_attempts(void) {
    attempts = prepared(
        "SELECT serial, version, reference, gateway, account, mode, begun_at, changed_at, state, listing, payment_id, "
        "session_id, question_at, contents, number FROM apple_pay_attempts "
        "WHERE number IN (SELECT number FROM apple_pay_attempts WHERE reference = ?1 ORDER BY number DESC LIMIT ?2) "
        "OR number IN (SELECT number FROM apple_pay_attempts WHERE reference = ?1 AND (state <> 'released' OR listing = 2) "
        "ORDER BY number DESC LIMIT ?2) ORDER BY number");
    can_begin = prepared(
        "SELECT (SELECT max(number) FROM apple_pay_attempts WHERE reference = ?1), "
        "(SELECT number FROM apple_pay_attempts WHERE serial = ?2 AND version = ?3), "
        "EXISTS (SELECT 1 FROM apple_pay_attempts "
        "WHERE reference = ?1 AND state IN ('claimed', 'sending', 'open', 'paid')) "
        "OR EXISTS (SELECT 1 FROM apple_pay_attempts WHERE serial = ?4)");
    attempt = prepared(
        "INSERT INTO apple_pay_attempts (serial, version, reference, gateway, account, mode, begun_at, changed_at, state, "
        "listing, payment_id, session_id, question_at, contents) "
        "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)");
    change = prepared(
        "UPDATE apple_pay_attempts SET version = ?3, changed_at = ?4, state = ?5, listing = ?6, payment_id = ?7, "
        "session_id = ?8, question_at = ?9, contents = ?10 WHERE serial = ?1 AND version = ?2 AND (?11 = 0 OR NOT EXISTS ("
        "SELECT 1 FROM apple_pay_attempts "
        "WHERE reference = ?12 AND serial <> ?1 AND state IN ('claimed', 'sending', 'open', 'paid')))");
}

static void step(sqlite3_stmt *statement) {
    int result;
    while ((result = sqlite3_step(statement)) == SQLITE_ROW) {
    }
    expect_result(result == SQLITE_DONE && sqlite3_reset(statement) == SQLITE_OK);
}

static void bind_text(sqlite3_stmt *statement, int index, const char *text) {
    sqlite3_bind_text(statement, index, text, -1, SQLITE_TRANSIENT);
}

static void bind_transaction(sqlite3_stmt *statement, int index, int payment) {
    unsigned char bytes[32];
    for (int byte = 0; byte < 32; byte++) {
        unsigned value;
        sscanf(transactions[payment] + 2 * byte, "%2x", &value);
        bytes[byte] = (unsigned char)value;
    }
    sqlite3_bind_blob(statement, index, bytes, 32, SQLITE_TRANSIENT);
}

static void begin_group(void) {
    step(begin);
    step(horizon);
}

static void insert_claim(int index, long seconds) {
    bind_transaction(insert, 1, index);
    bind_text(insert, 2, serials[index]);
    sqlite3_bind_int64(insert, 3, seconds);
    sqlite3_bind_int(insert, 4, 1);
    step(insert);
    expect_result(sqlite3_changes(database) == 1);
}

static void forget(int group, long seconds) {
    sqlite3_bind_int64(latest, 1, seconds - 87000);
    sqlite3_bind_int(latest, 2, 2 * group);
    step(latest);
}

static void commit_group(void) {
    step(commit);
    if (log_pages < 1000) return;
    expect_result(sqlite3_wal_checkpoint_v2(database, NULL, SQLITE_CHECKPOINT_PASSIVE, NULL, NULL) == SQLITE_OK);
    log_pages = 0;
}

static void claim_in_sqlite(int group) {
    long seconds = time(NULL);
    begin_group();
    for (int index = 0; index < group; index++) insert_claim(index, seconds);
    forget(group, seconds);
    commit_group();
}

static char references[LIMIT][39], versions[LIMIT][33], contents[401];

static void begin_attempt(int index, long seconds) {
    bind_text(can_begin, 1, references[index]);
    bind_text(can_begin, 4, serials[index]);
    step(can_begin);
    insert_claim(index, seconds);
    digits(versions[index], 32);
    bind_text(attempt, 1, serials[index]);
    bind_text(attempt, 2, versions[index]);
    bind_text(attempt, 3, references[index]);
    bind_text(attempt, 4, "sandbox");
    bind_text(attempt, 5, "");
    bind_text(attempt, 6, "test");
    sqlite3_bind_int64(attempt, 7, seconds);
    sqlite3_bind_int64(attempt, 8, seconds);
    bind_text(attempt, 9, "claimed");
    sqlite3_bind_int(attempt, 10, 1);
    bind_text(attempt, 14, contents);
    step(attempt);
}

static void change_attempt(int index, long seconds, const char *next, int listing, const char *payment) {
    bind_text(change, 1, serials[index]);
    bind_text(change, 2, versions[index]);
    digits(versions[index], 32);
    bind_text(change, 3, versions[index]);
    sqlite3_bind_int64(change, 4, seconds);
    bind_text(change, 5, next);
    sqlite3_bind_int(change, 6, listing);
    sqlite3_bind_text(change, 7, payment, -1, SQLITE_TRANSIENT);
    bind_text(change, 10, contents);
    sqlite3_bind_int(change, 11, 1);
    bind_text(change, 12, references[index]);
    step(change);
    expect_result(sqlite3_changes(database) == 1);
}

static void pay_in_sqlite(int group) {
    long seconds = time(NULL);
    for (int index = 0; index < group; index++) {
        sprintf(references[index], "order-%.32s", transactions[index]);
        bind_text(attempts, 1, references[index]);
        sqlite3_bind_int(attempts, 2, 100);
        step(attempts);
    }
    begin_group();
    for (int index = 0; index < group; index++) begin_attempt(index, seconds);
    forget(group, seconds);
    commit_group();
    begin_group();
    for (int index = 0; index < group; index++) change_attempt(index, seconds, "sending", 1, NULL);
    commit_group();
    begin_group();
    for (int index = 0; index < group; index++) change_attempt(index, seconds, "paid", 0, transactions[index] + 32);
    commit_group();
}

static const char *statement =
    "WITH claimed AS (INSERT INTO apple_pay_claims AS held (transaction_id, serial, signed_at, expires) "
    "SELECT r.transaction_id, r.serial, r.signed_at, r.expires "
    "FROM unnest($1::bytea[], $2::text[], $3::bigint[], $4::boolean[]) AS r (transaction_id, serial, signed_at, expires) "
    "WHERE clock_timestamp() <= to_timestamp($6::double precision) AND (NOT r.expires "
    "OR floor(extract(epoch FROM clock_timestamp()))::bigint - r.signed_at <= $5::bigint "
    "AND r.signed_at > (SELECT forgotten_to FROM apple_pay_ledger)) "
    "AND NOT EXISTS (SELECT FROM apple_pay_claims AS other WHERE other.transaction_id = r.transaction_id "
    "AND other.serial <> r.serial) AND r.transaction_id IS NOT NULL ORDER BY r.transaction_id "
    "ON CONFLICT (transaction_id) DO UPDATE SET signed_at = EXCLUDED.signed_at "
    "WHERE held.serial = EXCLUDED.serial RETURNING serial) "
    "SELECT string_agg(serial, ' '), apple_pay_forgotten_to(), floor(extract(epoch FROM clock_timestamp()))::bigint "
    "FROM claimed";

static PGconn *connection;

static void expect(PGresult *result, ExecStatusType status) {
    if (PQresultStatus(result) != status) {
        fprintf(stderr, "%s\n", PQerrorMessage(connection));
        exit(1);
    }
}

static void claim_rows(int group) {
    static char ids[LIMIT * 80], names[LIMIT * 40], times[LIMIT * 24], flags[LIMIT * 4], end[32];
    char *id = ids, *name = names, *signing = times, *flag = flags;
    for (int index = 0; index < group; index++) {
        char separator = index == 0 ? '{' : ',';
        id += sprintf(id, "%c\\\\x%s", separator, transactions[index]);
        name += sprintf(name, "%c%s", separator, serials[index]);
        signing += sprintf(signing, "%c%ld", separator, time(NULL));
        flag += sprintf(flag, "%ct", separator);
    }
    strcpy(id, "}"), strcpy(name, "}"), strcpy(signing, "}"), strcpy(flag, "}");
    sprintf(end, "%ld", time(NULL) + 60);
    const char *values[] = {ids, names, times, flags, "86700", end};
    PGresult *result = PQexecPrepared(connection, "claim", 6, values, NULL, NULL, 0);
    expect(result, PGRES_TUPLES_OK);
    check((int)strlen(PQgetvalue(result, 0, 0)) == 33 * group - 1, "not all were granted");
    PQclear(result);
}

int main(int count, char **words) {
    int makesPayments = count == 5 && strcmp(words[1], "attempts") == 0;
    int isSQLite = makesPayments || (count == 5 && strcmp(words[1], "sqlite") == 0);
    if (count != 5 || (!isSQLite && strcmp(words[1], "postgresql") != 0)) return 2;
    int group = atoi(words[3]);
    if (group < 1 || group > LIMIT) return 2;
    if (isSQLite) {
        open_sqlite(words[2]);
        if (makesPayments) prepare_attempts();
        memset(contents, 'x', sizeof contents - 1);
    } else {
        connection = PQconnectdb(words[2]);
        check(PQstatus(connection) == CONNECTION_OK, PQerrorMessage(connection));
        PGresult *result = PQprepare(connection, "claim", statement, 0, NULL);
        expect(result, PGRES_COMMAND_OK);
        PQclear(result);
    }
    double start = now(), end = start + atof(words[4]);
    long total = 0;
    for (; now() < end; total += group) {
        new_group(group);
        if (makesPayments) {
            pay_in_sqlite(group);
        } else if (isSQLite) {
            claim_in_sqlite(group);
        } else {
            claim_rows(group);
        }
    }
    printf("%.1f\n", (double)total / (now() - start));
    if (!isSQLite) PQfinish(connection);
    return 0;
}
