#!/usr/bin/env bash
# Checks attempts in PostgreSQL on a server in a temporary folder: many connections at once, rows of other programs, an
# upgrade, poolers, standbys that do not answer, and users whose search paths differ.
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
# Waits until a query has an answer.
await() {
    for _ in $(seq 100); do
        if [ "$(query "$1" "$2")" = "$3" ]; then return; fi
        sleep 0.1
    done
    fail "$2 is $(query "$1" "$2"), not $3"
}

title "What every ledger of attempts promises, and races between connections"
shop=$(database shop)
create "$shop"
race attempts "$shop" 200

title "An attempt that another program stores at the same time"
# The insertion waits for the other transaction, conflicts with its row, and is repeated.
query shop "BEGIN; INSERT INTO apple_pay_attempts (serial, version, reference, gateway, transaction_id, begun_at,
    changed_at, state, late, contents) VALUES ('other', 'other', 'order-conflict', 'other', decode(repeat('00', 32), 'hex'),
    0, 0, 'open', false, '{}'); SELECT pg_sleep(1); COMMIT" > /dev/null &
other=$!
sleep 0.5
says "begun: false" race begin "$shop" order-conflict 1 0
wait "$other"
[ "$(query shop "SELECT count(*) FROM apple_pay_attempts WHERE reference = 'order-conflict'")" -eq 1 ] || fail "two are live"
race free "$shop" 1

title "Tables of version 2"
old=$(database old)
create "$old"
race repeat "$old" 1 10 10
query old "DROP TABLE apple_pay_attempts; ALTER TABLE apple_pay_ledger DROP COLUMN restored_at;
    UPDATE apple_pay_ledger SET version = 2"
says "upgrade them with paytoken ledger init and the same window" race attempts "$old" 1
create "$old"
race repeat "$old" 1 10 0
race attempts "$old" 5

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
    CREATE TRIGGER note AFTER INSERT OR UPDATE ON apple_pay_claims EXECUTE FUNCTION note();
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
query postgres "ALTER SYSTEM SET synchronous_standby_names = 'nobody'"
query postgres "SELECT pg_reload_conf()" > /dev/null
await sync "SHOW synchronous_standby_names" nobody
race begin "$sync" order-late 1 30 > "$work/begun" 2>&1 &
late=$!
sleep 1
[ "$(query postgres "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep'")" -eq 1 ] || fail "it does not wait"
# The caller gets an error, and the server's process does not wait any longer: it commits without the standby.
await postgres "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep'" 0
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
query sync "DELETE FROM apple_pay_attempts WHERE reference <> 'order-late'"
# The attempt was stored nevertheless, and the ledger releases it together with its claim.
await sync "SELECT a.state || ' ' || c.state FROM apple_pay_attempts AS a JOIN apple_pay_claims AS c USING (serial)" \
    "released released"
kill "$late" 2> /dev/null || true
wait "$late" 2> /dev/null || true

title "A backup that was restored"
restored=$(database restored)
create "$restored"
says "begun: true" race begin "$restored" order-before 1 0
# The statement that the documentation prints.
query restored "$(sed -n '/^UPDATE apple_pay_ledger SET/,/;/p' "$root/Sources/Payments/ApplePayLedger/Docs.docc/AcceptOnce.md")"
says "refused: The transaction is claimed so late" race begin "$restored" order-after 2 0
race missing "$restored" yes
race missing "$shop" no
# A server that may lose commits may lack attempts at any time.
query postgres "ALTER SYSTEM SET full_page_writes = off"
query postgres "SELECT pg_reload_conf()" > /dev/null
await shop "SHOW full_page_writes" off
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
race repeat "$(path anna)" 1 10 10
race repeat "$(path bert)" 1 10 0
race attempts "$(path bert)" 5
create "$(path bert "&options=-csearch_path%3Dbert")"
says "the database has ledgers in several schemas (anna, bert)" command ledger show --ledger "$(path anna)"
says "schema anna" command doctor --keys "$vectors/keys" --ledger "$(path anna)"
command ledger show --ledger "$(path bert "&options=-csearch_path%3Dbert")" > "$work/answer" 2>&1
if grep -q "several schemas" "$work/answer"; then fail "the URI names the schema"; fi
