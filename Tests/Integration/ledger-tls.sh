#!/usr/bin/env bash
# Checks when a ledger's connection to PostgreSQL must be encrypted and prove the server: to another machine, unless the location
# chooses otherwise. Also checks that a service, which may open few files, reads libpq's. Takes the folder of paytoken, built with
# PostgreSQL; needs PostgreSQL's server programs, openssl and curl. false-database.py tries servers that are not genuine.
set -euo pipefail
products=$(realpath "$1")
# shellcheck source=/dev/null
. "$(dirname "$0")/postgresql-server.sh"
open_work
server=$work/server
# Without certificates of its user.
mkdir "$work/nobody"
export HOME=$work/nobody

port=$(free_port)
make_server "$server" "listen_addresses = '127.0.0.1'" "port = $port" "log_connections = on"
# This address leads to this machine as well, but paytoken takes it for another one.
elsewhere="postgresql://ledger@0.0.0.0:$port/postgres"
here="postgresql://ledger@127.0.0.1:$port/postgres"
init() { "$products/paytoken" ledger init --window 86400 --ledger "$1" > /dev/null 2> "$work/errors"; }
certificate() {
    openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=ledger -addext subjectAltName=IP:0.0.0.0 \
        -keyout "$work/$1.key" -out "$work/$1.crt" 2> /dev/null
    chown "$somebody" "$work/$1.key" "$work/$1.crt"
}

# Connects, and expects that the server saw a connection with TLS (yes) or without (no).
expect() {
    local log=$server/log lines encrypted=no
    lines=$(wc -l < "$log")
    if ! init "$2"; then
        cat "$work/errors"
        exit 1
    fi
    if ! tail -n "+$((lines + 1))" "$log" | grep 'connection authorized: .*application_name=paytoken' > "$work/authorized"; then
        printf 'the server logged no connection\n'
        exit 1
    fi
    if grep -q 'SSL enabled' "$work/authorized"; then encrypted=yes; fi
    # The one setting is for all connections of a call.
    if [ "$encrypted" = yes ] && grep -qv 'SSL enabled' "$work/authorized"; then encrypted=mixed; fi
    printf '%s: encrypted: %s\n' "${2#*@}" "$encrypted"
    [ "$encrypted" = "$1" ]
}

# Expects an error that contains a text.
refuse() {
    if init "$2"; then
        printf '%s was not refused\n' "$2"
        exit 1
    fi
    printf '%s: ' "${2#*@}"
    grep -F "$1" "$work/errors"
}

title "A server without TLS"
refuse 'server does not support SSL, but SSL was required' "$elsewhere"
PGSSLMODE=prefer refuse 'server does not support SSL, but SSL was required' "$elsewhere"
# Only an address in its usual form is this machine's own, not every name that begins like one.
refuse 'server does not support SSL, but SSL was required' "postgresql://ledger@127.1:$port/postgres"
expect no "postgresql://ledger@127.255.0.1:$port/postgres?hostaddr=127.0.0.1"
refuse 'server does not support SSL, but SSL was required' "$elsewhere?sslmode=verify-full&sslrootcert=/dev/null"
expect no "$elsewhere?sslmode=prefer"
expect no "$elsewhere?sslmode=disable"
expect no "$here"
expect no "postgresql://ledger@/postgres?host=$server&port=$port"

title "A server with a certificate that it made itself"
certificate server
certificate other
as_somebody "$programs/psql" -q "postgresql://ledger@/postgres?host=$server&port=$port" \
    -c "ALTER SYSTEM SET ssl_cert_file = '$work/server.crt'" -c "ALTER SYSTEM SET ssl_key_file = '$work/server.key'" \
    -c "ALTER SYSTEM SET ssl = on" -c "SELECT pg_reload_conf()" > /dev/null
for _ in $(seq 100); do
    if init "$elsewhere?sslmode=require"; then break; fi
    sleep 0.1
done
refuse "$HOME/.postgresql/root.crt\" does not exist; name the file" "$elsewhere"
expect yes "$elsewhere?sslmode=require"
expect yes "$elsewhere?sslrootcert=$work/server.crt"
PGSSLROOTCERT=$work/server.crt expect yes "$elsewhere"
refuse 'certificate verify failed' "$elsewhere?sslrootcert=$work/other.crt"
refuse "does not match host name" "postgresql://ledger@other:$port/postgres?hostaddr=0.0.0.0&sslrootcert=$work/server.crt"
expect no "$elsewhere?sslmode=disable"
expect yes "$elsewhere?sslmode=verify-full&sslrootcert=$work/server.crt"
PGSSLMODE=verify-full PGSSLROOTCERT=$work/server.crt expect yes "$elsewhere"
refuse 'certificate verify failed' "$elsewhere?sslmode=verify-full&sslrootcert=$work/other.crt"
PGSSLMODE=verify-full PGSSLROOTCERT=$work/other.crt refuse 'certificate verify failed' "$elsewhere"
expect no "postgresql://ledger@/postgres?host=$server&port=$port"

title "A service, whose process may open few files"
as_somebody "$programs/psql" -q "postgresql://ledger@/postgres?host=$server&port=$port" \
    -c "ALTER ROLE ledger PASSWORD 'a password'" > /dev/null
printf 'local all all trust\nhost all all 127.0.0.1/32 scram-sha-256\n' > "$server/data/pg_hba.conf"
as_somebody "$programs/psql" -qAt "postgresql://ledger@/postgres?host=$server&port=$port" -c "SELECT pg_reload_conf()" > /dev/null

# To this machine, a password makes TLS necessary, unless libpq can insist on SCRAM without it (version 16).
with_password="postgresql://ledger:a%20password@127.0.0.1:$port/postgres"
expect yes "$with_password"
expect no "$with_password?sslmode=disable&channel_binding=prefer"

mkdir "$work/run" "$work/home" "$work/home/.postgresql" "$work/elsewhere"
printf '*:*:*:ledger:a password\n' > "$work/home/.pgpass"
chmod 600 "$work/home/.pgpass"
cp "$work/server.crt" "$work/home/.postgresql/root.crt"

# Starts a service with settings for libpq, and expects that its ledger answers (200) or does not (503).
serve() { # STATUS LEDGER SETTING...
    local status=$1 ledger=$2 found=000
    shift 2
    env "$@" "$products/paytokend" --socket "$work/run/socket" --ledger "$ledger" > /dev/null 2> "$work/errors" &
    local process=$!
    for _ in $(seq 100); do
        found=$(curl -s -o "$work/answer" -w '%{http_code}' --unix-socket "$work/run/socket" -H 'Paytoken-Request: true' \
            http://localhost/readyz) && break
        kill -0 $process 2> /dev/null || break
        sleep 0.1
    done
    kill $process 2> /dev/null || true
    wait $process || true
    printf '%s, %s: %s\n' "${ledger#*@}" "$*" "$found"
    [ "$found" = "$status" ] || { cat "$work/answer" "$work/errors"; exit 1; }
}
serve 200 "$elsewhere" HOME="$work/home"
mv "$work/home/.pgpass" "$work/elsewhere/password"
mv "$work/home/.postgresql/root.crt" "$work/elsewhere/root"
serve 200 "$elsewhere?sslmode=verify-full&passfile=${work//\//%2F}%2Felsewhere%2Fpassword&sslrootcert=$work/elsewhere/root" HOME="$work/home"
serve 200 "$elsewhere?sslmode=verify-full" HOME="$work/home" PGPASSFILE="$work/elsewhere/password" PGSSLROOTCERT="$work/elsewhere/root"
