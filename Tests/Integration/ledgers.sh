#!/usr/bin/env bash
# Tests a ledger in SQLite, and then one in PostgreSQL, with concurrent claims, kills and broken connections; the
# server runs in a temporary folder. Takes the folder of ledger-race and paytoken, built with PostgreSQL; needs
# PostgreSQL's server programs.
set -euo pipefail
products=$(realpath "$1")
race_program=$products/ledger-race
race="timeout ${RACE_TIMEOUT:-480} $race_program"
# The transactions of each race, which is repeated until so many seconds have passed.
race_count=${RACE_COUNT:-4000}
race_seconds=${RACE_SECONDS:-0}
rounds_of_sqlite=${ROUNDS_OF_SQLITE:-30}
rounds_of_postgresql=${ROUNDS_OF_POSTGRESQL:-12}
# shellcheck source=/dev/null
. "$(dirname "$0")/postgresql-server.sh"
open_work
server=$work/server
skip() { printf 'skipped: %s\n' "$*"; }

title "A ledger in memory"
$race threads 10000

title "A ledger in SQLite"
file=$work/ledger
$race contract "$file"
$race race "$file" "$race_count" "$race_seconds"
$race crash "$file" "$rounds_of_sqlite" 200
$race fair "$file" 5

title "A ledger in SQLite on a full disk"
mkdir "$work/full"
if mount -t tmpfs -o size=1m,mode=700 tmpfs "$work/full" 2> /dev/null; then
    $race fill "$work/full/ledger"
    # Nothing is lost and nothing can be written until there is space again.
    dd if=/dev/zero of="$work/full/filler" bs=1k 2> /dev/null || true
    mapfile -t open < <("$products/paytoken" ledger show --ledger "$work/full/ledger" |
        sed -n 's/.*"transactionId":"\([0-9a-f]*\)","state":"claimed","serial":"\([0-9a-f]*\)".*/\1 --serial \2/p' | head -n 2)
    # Each is three words.
    # shellcheck disable=SC2086
    if "$products/paytoken" ledger confirm ${open[0]} --ledger "$work/full/ledger"; then exit 1; fi
    rm "$work/full/filler"
    mount -o remount,size=8m "$work/full"
    # shellcheck disable=SC2086
    "$products/paytoken" ledger confirm ${open[0]} --ledger "$work/full/ledger" | grep '"state":"confirmed"'
    # shellcheck disable=SC2086
    "$products/paytoken" ledger release ${open[1]} --ledger "$work/full/ledger" | grep '"state":"released"'
    $race contract "$work/full/ledger"
else
    skip "a small file system cannot be mounted here"
fi

title "A ledger in SQLite that may not be written"
mkdir "$work/locked"
cp "$products/ledger-race" "$work/ledger-race"
as_owner() { "$@"; }
if [ "$(id -u)" -eq 0 ]; then
    # Root may write everywhere.
    chown "$somebody" "$work/locked"
    as_owner() { as_somebody "$@"; }
fi
if as_owner "$work/ledger-race" contract "$work/locked/ledger"; then
    chmod -R a-w "$work/locked"
    as_owner "$work/ledger-race" refused "$work/locked/ledger" 2 1
    chmod -R u+w "$work/locked"
    if mount --bind "$work/locked" "$work/locked" 2> /dev/null; then
        mount -o remount,ro,bind "$work/locked"
        as_owner "$work/ledger-race" refused "$work/locked/ledger" 2 1
        umount "$work/locked"
    else
        skip "nothing can be mounted read-only here"
    fi
    as_owner "$work/ledger-race" free "$work/locked/ledger" 1
else
    skip "$somebody cannot run programs of this toolchain"
fi

title "A ledger in SQLite whose disk hangs"
disk=$work/disk.image
mkdir "$work/disk"
truncate -s 16m "$disk"
if command -v mkfs.ext4 > /dev/null && mkfs.ext4 -q "$disk" && mount -o loop "$disk" "$work/disk" 2> /dev/null; then
    chmod 700 "$work/disk"
    $race contract "$work/disk/ledger"
    # The library gives up after ten seconds; the claim may be made when the disk thaws, and is then released again.
    fsfreeze -f "$work/disk"
    (sleep 14; fsfreeze -u "$work/disk") &
    thaw=$!
    $race refused "$work/disk/ledger" 11 1
    wait "$thaw"
    $race free "$work/disk/ledger" 1
    umount "$work/disk"
else
    skip "no file system can be mounted from a file here"
fi

title "A backup of a ledger in SQLite"
if command -v sqlite3 > /dev/null; then
    mkdir -m 700 "$work/restored"
    "$race_program" repeat "$file" 77 1 1
    sqlite3 -readonly "$file" "VACUUM INTO '$work/restored/ledger'"
    "$race_program" repeat "$file" 78 1 1
    chmod 600 "$work/restored/ledger"
    if "$products/paytoken" ledger show --ledger "$work/restored/ledger"; then exit 1; fi
    "$products/paytoken" ledger init --window 86400 --ledger "$work/restored/ledger"
    # The claim in the backup is there, and the one that is not cannot be made again.
    "$products/paytoken" ledger show --ledger "$work/restored/ledger" | grep claimed > /dev/null
    for group in 77 78; do
        if "$race_program" repeat "$work/restored/ledger" $group 1 1; then exit 1; fi
    done
    [ "$(sqlite3 -readonly "$work/restored/ledger" "PRAGMA integrity_check")" = ok ]
else
    skip "the sqlite3 shell is not installed"
fi

title "A server that refuses, and one that never answers"
mkfifo "$work/port"
python3 -c '
import socket, time
server = socket.create_server(("127.0.0.1", 0), backlog=64)
print(server.getsockname()[1], flush=True)
time.sleep(600)' > "$work/port" &
listener=$!
read -r port < "$work/port"
$race refused "postgresql://nobody@127.0.0.1:$port/nowhere" 2 1
$race responsive "postgresql://nobody@127.0.0.1:$port/nowhere"
$race responsive "$file"
kill "$listener"
wait "$listener" 2> /dev/null || true
$race refused "postgresql://nobody@127.0.0.1:$port/nowhere" 2 1

title "Connection strings that cannot be read, and whose password nobody may see"
# The output must not contain any four consecutive characters of the password.
password=Zq7Kw9Xv2PmTj4
expect_secret() {
    local output=$1 start
    for start in $(seq 0 $((${#password} - 4))); do
        if grep -qF -- "${password:start:4}" <<< "$output"; then
            printf 'a piece of the password is printed: %s\n' "$output"
            exit 1
        fi
    done
}
head=${password:0:7}
tail=${password:7}
strings=()
for character in '%' '%zz' '/' '/12/' '@' '#' '?' ' ' '[' ']' ':' '=' '&' "'" '"' '\' ';' ','; do
    strings+=("postgresql://shop:$head$character$tail@127.0.0.1:$port/pay")
done
strings+=("postgresql://shop:$password" "postgresql://shop:$password/pay" "postgresql://shop:$head/$tail/pay"
    "postgresql://shop:12/$password@127.0.0.1:$port/pay" "postgresql://shop@[$password/pay"
    "postgresql://shop@[::1]$password/pay" "postgresql://[shop:$password@::1]/pay"
    "postgresql://127.0.0.1:$port/pay?pasword=$password" "postgresql://127.0.0.1:$port/pay?$password"
    "postgresql://127.0.0.1:$port/pay?password=$head&$tail" "postgresql://127.0.0.1:$port/pay?password=$password%"
    "postgresql://127.0.0.1:$port/pay?port=$password" "postgresql://127.0.0.1:$port/pay?sslmode=$password"
    "postgresql://shop:$password@127.0.0.1:$port/pay")
for string in "${strings[@]}"; do
    if output=$("$products/paytoken" ledger show --ledger "$string" 2>&1); then exit 1; fi
    expect_secret "$output"
done
pairs=("host=127.0.0.1 port=$port password='$head $tail" "host=127.0.0.1 port=$port password=$head $tail"
    "host=127.0.0.1 port=$port password='$head'$tail'" "host=127.0.0.1 port=$port password='$password'"
    "host=127.0.0.1 port=$port pasword='$password'" "host=127.0.0.1 port=$password"
    "host=127.0.0.1 port=$port sslmode=$password" "dbname=postgresql://shop:$head/$tail@127.0.0.1:$port/pay")
for string in "${pairs[@]}"; do
    # The command does not accept such a string as a ledger; the library reports a ledger that cannot be reached.
    if output=$("$products/paytoken" ledger show --ledger "$string" 2>&1); then exit 1; fi
    expect_secret "$output"
    output=$($race refused "$string" 2 1 2>&1)
    expect_secret "$output"
done
printf '%s connection strings\n' $((${#strings[@]} + ${#pairs[@]}))

title "A server that asks for the password and repeats it"
"$(dirname "$0")/echoing-server.py" > "$work/port" &
listener=$!
read -r port < "$work/port"
output=$($race refused "postgresql://shop:$password@127.0.0.1:$port/pay" 2 1 2>&1)
expect_secret "$output"
grep "because it contains the password" <<< "$output"
kill "$listener"
wait "$listener" 2> /dev/null || true

title "A ledger in PostgreSQL"
mkdir "$server"
is_small=
if mount -t tmpfs -o size=192m tmpfs "$server" 2> /dev/null; then umount "$server"; is_small=yes; fi
make_ledger_server() { make_server "$server" "min_wal_size = 32MB" "max_wal_size = 48MB"; }
make_ledger_server
database="postgresql://ledger@/postgres?host=$server"
cat > "$work/restart" <<SCRIPT
#!/usr/bin/env bash
set -euo pipefail
# The server runs longer than this script, and must not keep inherited files open.
for descriptor in \$(ls /proc/\$\$/fd); do
    if [ "\$descriptor" -gt 2 ] && [ "\$descriptor" -ne 255 ]; then eval "exec \$descriptor>&-"; fi
done
$(declare -f as_somebody start_server)
somebody=$somebody programs=$programs server=$server
kill -KILL "\$(head -n 1 "\$server/data/postmaster.pid")"
start_server "\$server"
SCRIPT
chmod +x "$work/restart"
makers=()
for _ in 1 2 3 4; do
    "$products/paytoken" ledger init --window 86400 --ledger "$database" > /dev/null &
    makers+=($!)
done
for maker in "${makers[@]}"; do wait "$maker"; done
$race contract "$database"
$race race "$database" "$race_count" "$race_seconds"
$race crash "$database" "$rounds_of_postgresql" 200 4 "$work/restart"

title "Connections that are cut at random bytes"
"$(dirname "$0")/connection-cuts.py" "$products" "$server" "${CONNECTION_CUTS:-100}"

title "The command, with PostgreSQL"
vectors=$(cd "$(dirname "$0")/../../TestVectors/synthetic" && pwd)
decrypt() {
    "$products/paytoken" decrypt "$vectors/demo-token.json" --keys "$vectors/keys" --ledger "$database" \
        --test-trust-anchor "$vectors/pki/root.pem" --at 2026-05-04T09:30:00Z 2> /dev/null
}
ledger() { "$products/paytoken" ledger "$@" --ledger "$database"; }
serial=$(decrypt | grep -o '"serial":"[0-9a-f]*"' | cut -d '"' -f 4)
if decrypt > "$work/answer"; then exit 1; fi
grep already-claimed "$work/answer"
transaction=$("$products/paytoken" inspect --json "$vectors/demo-token.json" | grep -o '"transactionId":"[0-9a-f]*"')
transaction=$(cut -d '"' -f 4 <<< "$transaction")
ledger show "$transaction"
if ledger confirm "$transaction" --serial 00000000000000000000000000000000; then exit 1; fi
ledger confirm "$transaction" --serial "$serial"
if decrypt > "$work/answer"; then exit 1; fi
grep already-confirmed "$work/answer"
if ledger init --window 1; then exit 1; fi
query() { as_somebody "$programs/psql" -qAt "$database" -c "$1"; }
kept=$(query "SELECT count(*) FROM apple_pay_claims WHERE NOT expires")
expiring=$(query "SELECT count(*) FROM apple_pay_claims WHERE expires")
query "UPDATE apple_pay_claims SET signed_at = signed_at - 100000"
ledger prune | grep "\"pruned\":$expiring}"
[ "$(query "SELECT count(*) FROM apple_pay_claims")" -eq "$kept" ]

title "Tables of version 1 are upgraded, and those of a later version are left alone"
query "DROP TABLE apple_pay_claims, apple_pay_attempts, apple_pay_ledger; DROP FUNCTION apple_pay_forgotten_to"
query "CREATE TABLE apple_pay_ledger (
    only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
    version integer NOT NULL,
    window_seconds bigint NOT NULL CHECK (window_seconds >= 0));
CREATE TABLE apple_pay_claims (
    transaction_id bytea PRIMARY KEY CHECK (octet_length(transaction_id) = 32),
    serial text NOT NULL,
    state text NOT NULL CHECK (state IN ('claimed', 'confirmed', 'released')),
    signed_at bigint NOT NULL,
    expires boolean NOT NULL);
CREATE INDEX apple_pay_claims_expiring ON apple_pay_claims (signed_at) WHERE expires;
INSERT INTO apple_pay_ledger (version, window_seconds) VALUES (1, 86400);
INSERT INTO apple_pay_claims VALUES (decode('$transaction', 'hex'), '0123456789abcdef0123456789abcdef', 'claimed',
    extract(epoch FROM now())::bigint, false)" > /dev/null
if decrypt > /dev/null; then exit 1; fi
if ledger show 2> "$work/errors"; then exit 1; fi
grep 'upgrade them with paytoken ledger init and the same window' "$work/errors"
ledger init --window 86400
[ "$(query "SELECT version FROM apple_pay_ledger")" -eq 3 ]
[ "$(query "SELECT count(*) FROM pg_indexes WHERE indexname = 'apple_pay_claims_open'")" -eq 1 ]
if decrypt > "$work/answer"; then exit 1; fi
grep already-claimed "$work/answer"
ledger show "$transaction" | grep '"state":"claimed"'
$race contract "$database"
# An open connection continues; each new one checks the version.
$race refused "$database" 2 1 "$programs/psql -qAt '$database' -c 'UPDATE apple_pay_ledger SET version = 4' \
    -c 'SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE pid <> pg_backend_pid()' > /dev/null" |
    tee "$work/answer"
grep 'upgrade ApplePayToken' "$work/answer"
query "UPDATE apple_pay_ledger SET version = 3"
$race free "$database" 1

title "A server that stops answering, and a table that is locked"
postmaster=$(head -n 1 "$server/data/postmaster.pid")
kill -STOP "$postmaster"
$race refused "$database" 2 1
kill -CONT "$postmaster"
$race free "$database" 1
# The server's processes resume after the caller has given up, and must not make a claim that is past its deadline.
# The server must not start others either: the claim may come from a thread that is not connected yet.
$race refused "$database" 2 1 "kill -STOP $postmaster; pkill -STOP -P $postmaster"
pkill -CONT -P "$postmaster"
kill -CONT "$postmaster"
sleep 1
$race free "$database" 1
as_somebody "$programs/psql" -q "$database" -c \
    "BEGIN; LOCK apple_pay_claims; SELECT pg_sleep(5)" > /dev/null &
locker=$!
sleep 0.5
$race refused "$database" 2 2
wait "$locker"
$race free "$database" 2

title "A server that is gone"
as_somebody "$programs/pg_ctl" -D "$server/data" -m immediate -w stop > /dev/null
$race refused "$database" 2 1

title "A server on a full disk"
if [ -n "$is_small" ]; then
    rm -rf "$server"/*
    mount -t tmpfs -o size=192m tmpfs "$server"
    make_ledger_server
    $race contract "$database"
    as_somebody dd if=/dev/zero of="$server/filler" bs=1M 2> /dev/null || true
    $race fill "$database" "rm $server/filler; $work/restart"
else
    skip "a small file system cannot be mounted here"
fi
