// The minimum cost of claims: makes the system calls of a FileLedger, or sends the statement of a PostgreSQLLedger
// through libpq, from C.
//
//   ledger-floor files LEDGER GROUP SECONDS          GROUP claims share two syncs, as in FileClaims+Claiming.swift
//   ledger-floor postgresql LOCATION GROUP SECONDS   GROUP claims share a statement, as in ClaimGroup.swift
//
// Prints claims per second, and ends at the first failure.
#include <errno.h>
#include <fcntl.h>
#include <libpq-fe.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { LIMIT = 64, PATH = 4096 };

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

static void read_file(const char *path) {
    char buffer[16384];
    int file = open(path, O_RDONLY | O_CLOEXEC);
    check(file >= 0, path);
    while (read(file, buffer, sizeof buffer) > 0) {
    }
    close(file);
}

static void expect_missing(const char *path) {
    check(open(path, O_RDONLY | O_CLOEXEC) < 0 && errno == ENOENT, path);
}

static void claim_files(const char *ledger, int group) {
    char file[PATH], path[PATH], text[LIMIT * 128];
    long seconds = time(NULL);
    size_t count = 0;
    sprintf(path, "%s/horizon", ledger);
    read_file(path);
    for (int index = 0; index < group; index++) {
        sprintf(path, "%.2000s/claims/%.2s/%.64s", ledger, transactions[index], transactions[index]);
        expect_missing(path);
        sprintf(path, "%.2000s/open/%.64s", ledger, transactions[index]);
        expect_missing(path);
        count += (size_t)sprintf(text + count, "%s %s o e %ld\n", transactions[index], serials[index], seconds);
    }
    sprintf(file, "%s/new/%ld.%s", ledger, seconds, serials[0]);
    int descriptor = open(file, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    check(descriptor >= 0, file);
    check(write(descriptor, text, count) == (ssize_t)count && fsync(descriptor) == 0, file);
    close(descriptor);
    sprintf(path, "%s/expiring/%ld", ledger, (seconds + 86400 + 600) / 3600);
    check(mkdir(path, 0700) == 0 || errno == EEXIST, path);
    sprintf(path + strlen(path), "/%ld.%s", seconds, serials[0]);
    check(link(file, path) == 0, path);
    for (int index = 0; index < group; index++) {
        sprintf(path, "%.2000s/open/%.64s", ledger, transactions[index]);
        check(link(file, path) == 0, path);
        sprintf(path, "%.2000s/claims/%.2s/%.64s", ledger, transactions[index], transactions[index]);
        check(link(file, path) == 0, path);
    }
    sprintf(path, "%s/open", ledger);
    descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    check(descriptor >= 0 && fsync(descriptor) == 0, path);
    close(descriptor);
    read_file(file);
    sprintf(path, "%s/horizon", ledger);
    read_file(path);
    check(unlink(file) == 0, file);
}

static const char *statement =
    "WITH claimed AS (INSERT INTO apple_pay_claims AS held (transaction_id, serial, state, signed_at, expires) "
    "SELECT r.transaction_id, r.serial, 'claimed', r.signed_at, r.expires "
    "FROM unnest($1::bytea[], $2::text[], $3::bigint[], $4::boolean[]) AS r (transaction_id, serial, signed_at, expires) "
    "WHERE clock_timestamp() <= to_timestamp($6::double precision) AND (NOT r.expires "
    "OR floor(extract(epoch FROM clock_timestamp()))::bigint - r.signed_at <= $5::bigint "
    "AND r.signed_at > (SELECT forgotten_to FROM apple_pay_ledger)) "
    "AND NOT EXISTS (SELECT FROM apple_pay_claims AS other WHERE other.transaction_id = r.transaction_id "
    "AND other.state <> 'released' AND other.serial <> r.serial) ORDER BY r.transaction_id "
    "ON CONFLICT (transaction_id) DO UPDATE SET serial = EXCLUDED.serial, state = EXCLUDED.state, "
    "signed_at = EXCLUDED.signed_at, expires = EXCLUDED.expires "
    "WHERE held.state = 'released' OR held.state = 'claimed' AND held.serial = EXCLUDED.serial RETURNING serial) "
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
    int isFiles = count == 5 && strcmp(words[1], "files") == 0;
    if (count != 5 || (!isFiles && strcmp(words[1], "postgresql") != 0)) return 2;
    int group = atoi(words[3]);
    if (group < 1 || group > LIMIT) return 2;
    if (!isFiles) {
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
        if (isFiles) {
            claim_files(words[2], group);
        } else {
            claim_rows(group);
        }
    }
    printf("%.1f\n", (double)total / (now() - start));
    if (!isFiles) PQfinish(connection);
    return 0;
}
