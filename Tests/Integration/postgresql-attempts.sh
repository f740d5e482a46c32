#!/usr/bin/env bash
# Checks attempts in PostgreSQL on a server in a temporary folder: many connections at once, rows of other programs,
# poolers, standbys that do not answer, and users whose search paths and rights differ.
#
# usage: postgresql-attempts.sh FOLDER   with ledger-race and paytoken, built with PostgreSQL; needs PostgreSQL's server
# programs, and pgbouncer for the part about poolers
set -euo pipefail
products=$(realpath "$1")
# shellcheck source=/dev/null
. "$(dirname "$0")/postgresql-server.sh"
root=$(cd "$(dirname "$0")/../.." && pwd)
vectors=$root/TestVectors/synthetic
open_work
server=$work/server

fail() {
    printf 'postgresql-attempts.sh: %s\n' "$*" >&2
    exit 1
}
race() { timeout 120 "$products/ledger-race" "$@"; }
command() { timeout 60 "$products/paytoken" "$@"; }
# Expects a sentence in the output of a command.
says() {
    local sentence=$1
    shift
    "$@" > "$work/answer" 2>&1 || true
    grep -qF -- "$sentence" "$work/answer" || fail "\"$sentence\" is not in: $(cat "$work/answer")"
}

make_server "$server"
query() { as_somebody "$programs/psql" -qAt "postgresql://ledger@/$1?host=$server" -c "$2"; }
database() {
    query postgres "CREATE DATABASE $1"
    printf 'postgresql://ledger@/%s?host=%s' "$1" "$server"
}
create() { command ledger init --window 86400 --ledger "$1" > /dev/null; }
# Waits until a command prints an answer.
await() {
    local answer=$1
    shift
    for _ in $(seq 100); do
        if [ "$("$@")" = "$answer" ]; then return; fi
        sleep 0.1
    done
    fail "$* prints $("$@"), not $answer"
}

title "What every ledger of attempts promises, and races between connections"
shop=$(database shop)
create "$shop"
race attempts "$shop" 200

title "An attempt that another program stores at the same time"
# The insertion waits for the other transaction, conflicts with its row, and is repeated.
query shop "BEGIN; INSERT INTO apple_pay_attempts (serial, version, reference, gateway, account, mode, begun_at,
    changed_at, state, listing, contents)
    VALUES ('other', 'other', 'order-conflict', 'other', '', 'live', 0, 0, 'open', 1, '{}');
    SELECT pg_sleep(1); COMMIT" > /dev/null &
other=$!
sleep 0.5
says "begun: false" race begin "$shop" order-conflict 1 0
wait "$other"
[ "$(query shop "SELECT count(*) FROM apple_pay_attempts WHERE reference = 'order-conflict'")" -eq 1 ] || fail "two are live"
race free "$shop" 1

title "A claim that another program makes at the same time"
# The transaction with the number 0.
zero="decode(repeat('00', 32), 'hex')"
for end in COMMIT ROLLBACK; do
    # The attempt waits until the other program commits its claim, or takes it back.
    query shop "BEGIN; INSERT INTO apple_pay_claims VALUES ($zero, 'other', 2000000000, false);
        SELECT pg_sleep(1); $end" > /dev/null &
    other=$!
    sleep 0.5
    race begin "$shop" "order-$end" 0 0 > "$work/begun"
    wait "$other"
    claim=$(query shop "SELECT serial FROM apple_pay_claims WHERE transaction_id = $zero")
    attempt=$(query shop "SELECT serial FROM apple_pay_attempts WHERE reference = 'order-$end'")
    if [ "$end" = COMMIT ]; then
        grep -q "refused: The transaction was claimed before" "$work/begun" || fail "$(cat "$work/begun")"
        [ "$claim $attempt" = "other " ] || fail "claims and attempts are $claim, $attempt"
        query shop "DELETE FROM apple_pay_claims WHERE serial = 'other'"
    else
        grep -q "begun: true" "$work/begun" || fail "$(cat "$work/begun")"
        [ -n "$claim" ] && [ "$claim" = "$attempt" ] || fail "claims and attempts are $claim, $attempt"
    fi
done

title "An attempt that frees its transaction in the same transaction"
says "begun: true" race begin "$shop" order-freed 10 0
query shop "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
        \$\$ BEGIN RAISE EXCEPTION 'no row may be deleted'; END \$\$;
    CREATE TRIGGER refuse BEFORE DELETE ON apple_pay_claims EXECUTE FUNCTION refuse()"
says "refused: The ledger cannot be used, so nothing may be charged: PostgreSQL refused: no row may be deleted" \
    race change "$shop" order-freed released 10
# Prints an order's state, and the number of claims of its attempt.
state() {
    query "$1" "SELECT state || ' ' || (SELECT count(*) FROM apple_pay_claims AS c WHERE c.serial = a.serial)
        FROM apple_pay_attempts AS a WHERE reference = '$2'"
}
[ "$(state shop order-freed)" = "claimed 1" ] || fail "the attempt was released, and its transaction was not freed"
query shop "DROP TRIGGER refuse ON apple_pay_claims"
says "changed: true" race change "$shop" order-freed released
[ "$(state shop order-freed)" = "released 1" ] || fail "a state freed the transaction"
says "changed: true" race change "$shop" order-freed released 10
[ "$(state shop order-freed)" = "released 0" ] || fail "the transaction was not freed"
says "claimed: true" race claim "$shop" 10 0

title "A user for whom warnings are hidden"
hidden=$(database hidden)
create "$hidden"
query hidden "ALTER DATABASE hidden SET client_min_messages = error;
    CREATE FUNCTION warn() RETURNS trigger LANGUAGE plpgsql AS
        \$\$ BEGIN RAISE WARNING 'not replicated'; RETURN NULL; END \$\$;
    CREATE TRIGGER warn AFTER INSERT ON apple_pay_claims EXECUTE FUNCTION warn()"
says 'PostgreSQL warned "not replicated"' race refused "$hidden" 2 1

title "A server that answers before a commit is on the disk"
lazy=$(database lazy)
query lazy "ALTER DATABASE lazy SET synchronous_commit = off; ALTER DATABASE lazy SET statement_timeout = 60000;
    ALTER DATABASE lazy SET default_transaction_isolation = serializable"
create "$lazy"
# Each change records the settings of its transaction.
query lazy "CREATE TABLE settings (name text, value text);
    CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS \$\$ BEGIN
        INSERT INTO settings SELECT name, setting FROM pg_settings WHERE name IN
            ('synchronous_commit', 'statement_timeout', 'transaction_isolation', 'client_min_messages');
        RETURN NULL; END \$\$;
    CREATE TRIGGER note AFTER INSERT OR UPDATE OR DELETE ON apple_pay_claims EXECUTE FUNCTION note();
    CREATE TRIGGER note AFTER INSERT OR UPDATE ON apple_pay_attempts EXECUTE FUNCTION note()"
expected="client_min_messages=warning statement_timeout=4500 synchronous_commit=on transaction_isolation=read committed"
check_settings() {
    race attempts "$1" 20
    [ "$(query lazy "
        SELECT string_agg(name || '=' || value, ' ') FROM (SELECT DISTINCT name, value FROM settings ORDER BY 1, 2) AS s")" = \
        "$expected" ] || fail "$(query lazy "SELECT DISTINCT name, value FROM settings")"
}
check_settings "$lazy"

title "A pooler that pools transactions"
if bouncer=$(PATH=$PATH:/usr/sbin type -P pgbouncer); then
    pooler=$work/pooler
    mkdir "$pooler"
    printf '"ledger" ""\n' > "$pooler/users"
    printf '%s\n' "[databases]" "* = host=$server" "[pgbouncer]" "unix_socket_dir = $pooler" "listen_port = 6432" \
        "auth_type = trust" "auth_file = $pooler/users" "pool_mode = transaction" "default_pool_size = 3" > "$pooler/settings"
    chown -R "$somebody" "$pooler"
    as_somebody "$bouncer" "$pooler/settings" > "$pooler/log" 2>&1 &
    for _ in $(seq 100); do
        if [ -S "$pooler/.s.PGSQL.6432" ]; then break; fi
        sleep 0.1
    done
    query lazy "TRUNCATE settings"
    pooled="postgresql://ledger@/lazy?host=$pooler&port=6432"
    race contract "$pooled"
    check_settings "$pooled"
    race race "$pooled" 200
else
    printf 'skipped: pgbouncer is not installed\n'
fi

title "A standby that does not answer"
sync=$(database sync)
create "$sync"
wait_for_nobody() {
    query postgres "ALTER SYSTEM SET synchronous_standby_names = 'nobody'"
    query postgres "SELECT pg_reload_conf()" > /dev/null
    await nobody query sync "SHOW synchronous_standby_names"
}
waiting="SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep'"
wait_for_nobody
race begin "$sync" order-late 1 30 > "$work/begun" 2>&1 &
late=$!
await 1 query postgres "$waiting"
# The caller gets an error, and the server's process does not wait any longer: it commits without the standby.
await 0 query postgres "$waiting"
grep -q "did not answer within 2 seconds" "$work/begun" || fail "$(cat "$work/begun")"
# An attempt whose answer is lost is recognized when it is sent again, but its commit waits for the standby again.
race begin "$sync" order-lost 2 0 > "$work/begun" 2>&1 &
lost=$!
for _ in $(seq 100); do
    ended=$(query postgres "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE wait_event = 'SyncRep'")
    if [ "$ended" -gt 0 ]; then break; fi
    sleep 0.02
done
wait "$lost"
grep -q "refused: " "$work/begun" || fail "$(cat "$work/begun")"
race begin "$sync" order-repeated 3 0 > "$work/begun" 2>&1 &
lost=$!
for _ in $(seq 100); do
    ended=$(query postgres "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE wait_event = 'SyncRep'")
    if [ "$ended" -gt 0 ]; then break; fi
    sleep 0.02
done
query postgres "ALTER SYSTEM RESET synchronous_standby_names"
query postgres "SELECT pg_reload_conf()" > /dev/null
wait "$lost"
grep -q "begun: true" "$work/begun" || fail "$(cat "$work/begun")"
# The attempt was stored nevertheless, and the ledger releases it and frees its transaction.
await "released 0" state sync order-late
kill "$late" 2> /dev/null || true
wait "$late" 2> /dev/null || true
# A claim without an attempt is withdrawn, too. If its process ends before, the claim stays, and no other is granted.
# Its row may be gone before anybody looks, so a trigger notes that it was made.
query sync "CREATE TABLE made (number int);
    CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS
        'BEGIN INSERT INTO made VALUES (get_byte(NEW.transaction_id, 31)); RETURN NEW; END';
    CREATE TRIGGER note AFTER INSERT ON apple_pay_claims FOR EACH ROW EXECUTE FUNCTION note()"
wait_for_nobody
race claim "$sync" 5 0 > "$work/kept" || true
race claim "$sync" 4 30 > "$work/withdrawn" &
withdrawn=$!
for _ in $(seq 600); do
    if [ -s "$work/withdrawn" ]; then break; fi
    sleep 0.05
done
for answer in kept withdrawn; do
    grep -q "refused: .*did not answer within 2 seconds" "$work/$answer" || fail "$answer: $(cat "$work/$answer")"
done
query postgres "ALTER SYSTEM RESET synchronous_standby_names"
query postgres "SELECT pg_reload_conf()" > /dev/null
await "4 5" query sync "SELECT string_agg(DISTINCT number::text, ' ') FROM made"
await "nothing was claimed" race free "$sync" 4 2> /dev/null
says "claimed: true" race claim "$sync" 4 0
says "refused: The transaction was claimed before" race claim "$sync" 5 0
kill "$withdrawn" 2> /dev/null || true
wait "$withdrawn" 2> /dev/null || true

title "A backup that was restored"
restored=$(database restored)
create "$restored"
says "begun: true" race begin "$restored" order-before 1 0
race missing "$restored" no
race restored "$restored" "$products/paytoken ledger init --restored --window 86400 --ledger '$restored'"
says "refused: The transaction is claimed so late" race begin "$restored" order-after 2 0
race missing "$restored" yes
race missing "$shop" no
# One that replaces a lost ledger.
lost=$(database lost)
command ledger init --restored --window 86400 --ledger "$lost" > /dev/null
race missing "$lost" yes
says "refused: The transaction is claimed so late" race begin "$lost" order 1 0
# A server that may lose commits may lack attempts at any time.
query postgres "ALTER SYSTEM SET full_page_writes = off"
query postgres "SELECT pg_reload_conf()" > /dev/null
await off query shop "SHOW full_page_writes"
race missing "$shop" yes
query postgres "ALTER SYSTEM RESET full_page_writes"
query postgres "SELECT pg_reload_conf()" > /dev/null

title "Two users with different search paths"
query postgres "CREATE ROLE anna LOGIN; CREATE ROLE bert LOGIN"
database two > /dev/null
query two "CREATE SCHEMA anna AUTHORIZATION anna; CREATE SCHEMA bert AUTHORIZATION bert"
path() { printf 'postgresql://%s@/two?host=%s%s' "$1" "$server" "${2:-}"; }
create "$(path anna)"
says "the database has a ledger in the schema anna" command ledger init --window 86400 --ledger "$(path bert)"
[ "$(query two "SELECT count(*) FROM pg_class WHERE relname = 'apple_pay_ledger'")" -eq 1 ] || fail "a second ledger"
query two "GRANT USAGE ON SCHEMA anna TO bert; GRANT SELECT ON anna.apple_pay_ledger TO bert;
    GRANT SELECT, INSERT, UPDATE, DELETE ON anna.apple_pay_claims TO bert;
    GRANT SELECT, INSERT, UPDATE, DELETE ON anna.apple_pay_attempts TO bert;
    ALTER ROLE bert IN DATABASE two SET search_path = anna"
says "the user lacks rights, which the tables' owner must grant: UPDATE on apple_pay_ledger." \
    command ledger show --ledger "$(path bert)"
if command doctor --ledger "$(path bert)" > "$work/answer"; then fail "ready without a right"; fi
grep -q "GRANT SELECT, UPDATE ON apple_pay_ledger" "$work/answer" || fail "$(cat "$work/answer")"
query two "REVOKE SELECT ON anna.apple_pay_ledger FROM bert"
says "the rights that the tables' owner grants: SELECT, UPDATE on apple_pay_ledger" command ledger show --ledger "$(path bert)"
says "Check that the server runs and accepts writes, and the host" command ledger show --ledger "postgresql://bert@/two?host=/nowhere"
query two "GRANT SELECT ON anna.apple_pay_ledger TO bert"
query two "GRANT UPDATE ON anna.apple_pay_ledger TO bert"
command ledger show --ledger "$(path bert)" > "$work/answer" 2>&1
if grep -q "lacks rights" "$work/answer"; then fail "$(cat "$work/answer")"; fi
for right in {SELECT,INSERT,UPDATE,DELETE}' on apple_pay_claims' {SELECT,INSERT,UPDATE}' on apple_pay_attempts'; do
    query two "REVOKE ${right/ on / ON anna.} FROM bert"
    says "the user lacks rights, which the tables' owner must grant: $right." \
        command ledger show --ledger "$(path bert)"
    query two "GRANT ${right/ on / ON anna.} TO bert"
done
race repeat "$(path anna)" 1 10 10
race repeat "$(path bert)" 1 10 0
race attempts "$(path bert)" 5
create "$(path bert "&options=-csearch_path%3Dbert")"
says "the database has ledgers in several schemas (anna, bert)" command ledger show --ledger "$(path anna)"
says "schema anna" command doctor --keys "$vectors/keys" --ledger "$(path anna)"
command ledger show --ledger "$(path bert "&options=-csearch_path%3Dbert")" > "$work/answer" 2>&1
if grep -q "several schemas" "$work/answer"; then fail "the URI names the schema"; fi
