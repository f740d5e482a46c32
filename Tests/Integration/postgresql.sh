#!/usr/bin/env bash
# Checks the rules of the ledger in PostgreSQL one by one, on a server in a temporary folder: what every ledger promises,
# versions of the tables, connection strings, encryption, warnings, clocks and time limits. ledgers.sh races and kills.
#
# usage: postgresql.sh FOLDER   with ledger-race and paytoken, built with PostgreSQL; needs PostgreSQL's server programs
set -euo pipefail
products=$(realpath "$1")
# shellcheck source=/dev/null
. "$(dirname "$0")/postgresql-server.sh"
vectors=$(cd "$(dirname "$0")/../../TestVectors/synthetic" && pwd)
open_work
server=$work/server

fail() {
    printf 'postgresql.sh: %s\n' "$*" >&2
    exit 1
}
race() { timeout 60 "$products/ledger-race" "$@"; }
command() { timeout 60 "$products/paytoken" "$@"; }
# Expects that a claim is refused within some seconds, with a sentence.
refused() {
    local sentence=$1
    shift
    race refused "$@" > "$work/answer" 2>&1 || fail "$(cat "$work/answer")"
    grep -qF -- "$sentence" "$work/answer" || fail "\"$sentence\" is not in: $(cat "$work/answer")"
}
# Expects that the command fails with a sentence.
fails() {
    local sentence=$1
    shift
    if command "$@" > "$work/answer" 2>&1; then fail "it did not fail: paytoken $*"; fi
    grep -qF -- "$sentence" "$work/answer" || fail "\"$sentence\" is not in: $(cat "$work/answer")"
}

port=$(free_port)
mkdir "$server"
openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=test -keyout "$server/key.pem" -out "$server/cert.pem" \
    2> /dev/null
chmod 600 "$server/key.pem"
chown "$somebody" "$server/key.pem" "$server/cert.pem"
make_server "$server" "listen_addresses = '127.0.0.1'" "port = $port" "ssl = on" \
    "ssl_cert_file = '$server/cert.pem'" "ssl_key_file = '$server/key.pem'" "fsync = off"
query() { as_somebody "$programs/psql" -qAt "postgresql://ledger@/$1?host=$server&port=$port" -c "$2"; }
# Unencrypted connections of "plain" are accepted, and only those.
query postgres "CREATE ROLE plain LOGIN SUPERUSER"
printf '%s\n' 'local all all trust' 'hostssl all plain 127.0.0.1/32 reject' 'host all all 127.0.0.1/32 trust' > \
    "$server/data/pg_hba.conf"
query postgres "SELECT pg_reload_conf()" > /dev/null
# A database for each part.
database() {
    query postgres "CREATE DATABASE $1"
    printf 'postgresql://ledger@/%s?host=%s&port=%s' "$1" "$server" "$port"
}

printf '# What every ledger promises\n'
claims=$(database claims)
fails "contains no ledger" ledger show --ledger "$claims"
race contract "$claims"
race race "$claims" 200
fails "which cannot be changed" ledger init --window 1 --ledger "$claims"
# A claim that another process made is final, until its token is too old.
decrypt() {
    command decrypt "$vectors/demo-token.json" --keys "$vectors/keys" --ledger "$1" \
        --test-trust-anchor "$vectors/pki/root.pem" --at 2026-05-04T09:30:00Z
}
decrypt "$claims" > "$work/answer" 2> /dev/null || fail "the demo token is not claimed"
grep -q '"claimed":true' "$work/answer" || fail "$(cat "$work/answer")"
transaction=$(sed -n 's/.*"transactionId":"\([0-9a-f]*\)".*/\1/p' "$work/answer")
if decrypt "$claims" > "$work/answer" 2> /dev/null; then fail "claimed twice"; fi
grep -q already-claimed "$work/answer" || fail "$(cat "$work/answer")"
serial=$(query claims "SELECT serial FROM apple_pay_claims WHERE transaction_id = decode('$transaction', 'hex')")
command ledger show "$transaction" --ledger "$claims" | grep -q '"claimed":true,"serial":"'"$serial"'"' || fail "show"
command ledger show "${transaction:1}0" --ledger "$claims" | grep -q '"claimed":false}' || fail "show"
expiring=$(query claims "SELECT count(*) FROM apple_pay_claims WHERE expires")
query claims "UPDATE apple_pay_claims SET signed_at = signed_at - 100000"
command ledger prune --ledger "$claims" | grep -q "\"pruned\":$expiring}" || fail "prune"
[ "$(query claims "SELECT count(*) FROM apple_pay_claims WHERE expires")" -eq 0 ] || fail "not forgotten"
[ "$(query claims "SELECT count(*) FROM apple_pay_claims WHERE serial = '$serial'")" -eq 1 ] || fail "forgotten"
command ledger prune --ledger "$claims" | grep -q '"pruned":0}' || fail "prune, again"

printf '# Versions of the tables\n'
newer='has version 5 of the tables, and this version of ApplePayToken reads only version 4; upgrade ApplePayToken'
older() {
    printf '%s (version %s of the tables, not 4), and cannot be used: keep it, and read it with that version' \
        'was made by a version of ApplePayToken that was never released' "$1"
}
for change in "5:$newer" "3:$(older 3)" "2:$(older 2)" "0:the ledger's settings are damaged"; do
    query claims "UPDATE apple_pay_ledger SET version = ${change%%:*}"
    fails "${change#*:}" ledger show --ledger "$claims"
    fails "${change#*:}" ledger init --window 86400 --ledger "$claims"
    refused "${change#*:}" "$claims" 2 1
    [ "$(query claims "SELECT version FROM apple_pay_ledger")" -eq "${change%%:*}" ] || fail "the version was changed"
done
query claims "UPDATE apple_pay_ledger SET version = 4"
race free "$claims" 1
# Tables of version 1.
old=$(database old)
query old "CREATE TABLE apple_pay_ledger (only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
        version integer NOT NULL, window_seconds bigint NOT NULL CHECK (window_seconds >= 0));
    CREATE TABLE apple_pay_claims (transaction_id bytea PRIMARY KEY, serial text NOT NULL, state text NOT NULL,
        signed_at bigint NOT NULL, expires boolean NOT NULL);
    INSERT INTO apple_pay_ledger (version, window_seconds) VALUES (1, 86400)"
fails "$(older 1)" ledger init --window 86400 --ledger "$old"
if decrypt "$old" > "$work/answer" 2>&1; then fail "claimed in tables of version 1"; fi
grep -qF "$(older 1)" "$work/answer" || fail "$(cat "$work/answer")"
[ "$(query old "SELECT count(*) FROM apple_pay_claims")" -eq 0 ] || fail "claimed in tables of version 1"
[ "$(query old "SELECT count(*) FROM pg_class WHERE relname LIKE 'apple_pay%' AND relkind = 'r'")" -eq 2 ] ||
    fail "tables were added to those of version 1"

printf '# Connection strings that cannot be read, and whose password may not be seen\n'
password=Zq7Kw9Xv2PmTj4
head=${password:0:7}
tail=${password:7}
here="host=127.0.0.1 port=$port"
for string in "postgresql://shop:$head/$tail@127.0.0.1:$port/pay" "postgresql://shop:$head@$tail@127.0.0.1:$port/pay" \
    "$here user=ledger dbname=pay@$password" "$here user=ledger dbname=http://$password" \
    "$here user=ledger port=$password" "$here user=ledger sslmode=$password"; do
    refused "the connection string cannot be read" "$string" 2 1
    if grep -qF -e "$head" -e "$tail" "$work/answer"; then fail "a part of the password: $(cat "$work/answer")"; fi
done

printf '# A server that repeats the password\n'
mkfifo "$work/port"
"$(dirname "$0")/echoing-server.py" > "$work/port" &
read -r echo < "$work/port"
refused "because it contains the password" \
    "postgresql://shop:$password@127.0.0.1:$echo/pay?channel_binding=prefer" 2 1

printf '# Encryption\n'
# To this machine it is not needed, also if a service names it; to another one, a service cannot do without. The address 0.0.0.0
# leads to this machine as well, but counts as another one.
race contract "postgresql://plain@127.0.0.1:$port/$(database plain > /dev/null && printf plain)"
service() { printf '[%s]\nhost=%s\nport=%s\ndbname=plain\nuser=plain\nsslrootcert=%s/none\n' "$1" "$2" "$port" "$work"; }
{ service here 127.0.0.1; service elsewhere 0.0.0.0; printf 'sslmode=disable\n'; } > "$work/services"
export PGSERVICEFILE=$work/services
race free service=here 1
refused "certificate file \"$work/none\" does not exist; name the file" service=elsewhere 2 1
unset PGSERVICEFILE

printf '# A warning, after which a claim counts for nothing\n'
warning=$(database warning)
command ledger init --window 86400 --ledger "$warning" > /dev/null
query warning "CREATE SEQUENCE warnings; CREATE FUNCTION warn() RETURNS trigger LANGUAGE plpgsql AS \$\$
    BEGIN IF nextval('warnings') = 1 THEN RAISE WARNING 'not replicated'; END IF; RETURN NULL; END \$\$;
    CREATE TRIGGER warn AFTER INSERT ON apple_pay_claims EXECUTE FUNCTION warn()"
refused "PostgreSQL warned \"not replicated\"" "$warning" 2 1
# The claim was made, and its process ended before it could take it back: the transaction is not granted again.
race claim "$warning" 1 0 > "$work/answer"
grep -q 'refused: The transaction was claimed before' "$work/answer" || fail "$(cat "$work/answer")"

printf '# A clock that runs away\n'
clock=$(database clock)
command ledger init --window 86400 --ledger "$clock" > /dev/null
query clock "CREATE SCHEMA shadow; CREATE SEQUENCE hours; CREATE FUNCTION shadow.clock_timestamp() RETURNS timestamptz
    LANGUAGE sql VOLATILE AS \$\$ SELECT pg_catalog.clock_timestamp() + nextval('public.hours') * interval '1 hour' \$\$;
    ALTER DATABASE clock SET search_path = shadow, public, pg_catalog"
refused "the clock of the PostgreSQL server was set forward" "$clock" 2 1
query clock "ALTER DATABASE clock RESET search_path"
race free "$clock" 1

printf '# Time limits\n'
limits=$(database limits)
command ledger init --window 86400 --ledger "$limits" > /dev/null
# Nothing is there: three attempts, long before the time is over.
race refused "postgresql://nobody@127.0.0.1:$(($port - 1))/nowhere" 4 1 > "$work/answer" || fail "$(cat "$work/answer")"
milliseconds=$(sed -n 's/^refused after \([0-9]*\) ms:.*/\1/p' "$work/answer")
[ "$milliseconds" -lt 3000 ] || fail "attempts go on: $(cat "$work/answer")"
query limits "BEGIN; LOCK apple_pay_claims; SELECT pg_sleep(4)" > /dev/null &
locker=$!
sleep 0.5
# The server ends the statement before the caller gives up.
refused "PostgreSQL refused: canceling statement due to statement timeout" "$limits" 2 1
wait "$locker"
race free "$limits" 1
postmaster=$(head -n 1 "$server/data/postmaster.pid")
kill -STOP "$postmaster"
refused "PostgreSQL did not answer within 1 seconds" "$limits" 1 1
kill -CONT "$postmaster"
race free "$limits" 1
