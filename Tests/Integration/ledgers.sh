#!/usr/bin/env bash
# Tests a ledger in SQLite, and then one in PostgreSQL, with concurrent claims, kills and broken connections; the
# server runs in a temporary folder. Takes the folder of ledger-race and paytoken, built with PostgreSQL; needs
# PostgreSQL's server programs.
set -euo pipefail
products=$(realpath "$1")
race="timeout ${RACE_TIMEOUT:-480} $products/ledger-race"
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
# Expects that ledger-race prints an answer.
answers() {
    local answer=$1 found
    shift
    found=$($race "$@")
    printf '%s\n' "$found"
    grep -qF -- "$answer" <<< "$found"
}

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
    "$products/paytoken" ledger init --window 86400 --ledger "$work/full/ledger"
    answers "begun: true" begin "$work/full/ledger" order 1 0
    $race fill "$work/full/ledger"
    # Nothing is lost and nothing can be written until there is space again.
    dd if=/dev/zero of="$work/full/filler" bs=1k 2> /dev/null || true
    answers "refused: The ledger cannot be used" change "$work/full/ledger" order released 1
    answers "refused: The ledger cannot be used" begin "$work/full/ledger" other 2 0
    rm "$work/full/filler"
    mount -o remount,size=8m "$work/full"
    answers "refused: The transaction was claimed before" claim "$work/full/ledger" 1 0
    answers "changed: true" change "$work/full/ledger" order released 1
    answers "begun: true" begin "$work/full/ledger" other 2 0
    answers "begun: true" begin "$work/full/ledger" order-again 1 0
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

title "A ledger in SQLite in whose place is a link"
if [ "$(id -u)" -eq 0 ]; then
    mkdir "$work/linked" "$work/roots"
    : > "$work/roots/file"
    ln -s "$work/roots/file" "$work/linked/ledger"
    ln -s "$work/roots" "$work/linked/folder"
    chown -h "$somebody" "$work/linked" "$work/linked/ledger" "$work/linked/folder"
    chmod 700 "$work/roots"
    # Root becomes the user who made the links, and cannot write behind them.
    refuse_link() {
        if "$products/paytoken" ledger init --window 86400 --ledger "$work/linked/$1" 2> "$work/said"; then exit 1; fi
        grep -F "$2" "$work/said"
    }
    refuse_link ledger "ledger is not a file"
    refuse_link folder/file "cannot be read: Permission denied; this program runs as the user "
    [ ! -s "$work/roots/file" ] && [ "$(ls "$work/roots")" = file ]
else
    skip "links to root's files need root"
fi

title "A ledger in SQLite whose disk hangs"
disk=$work/disk.image
mkdir "$work/disk"
truncate -s 16m "$disk"
if command -v mkfs.ext4 > /dev/null && mkfs.ext4 -q "$disk" && mount -o loop "$disk" "$work/disk" 2> /dev/null; then
    chmod 700 "$work/disk"
    $race contract "$work/disk/ledger"
    # The library gives up after ten seconds, and this process ends, so that no claim is made when the disk thaws.
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
    answers "claimed: true" claim "$file" 77 0
    sqlite3 -readonly "$file" "VACUUM INTO '$work/restored/ledger'"
    answers "claimed: true" claim "$file" 78 0
    chmod 600 "$work/restored/ledger"
    if "$products/paytoken" ledger show --ledger "$work/restored/ledger"; then exit 1; fi
    "$products/paytoken" ledger init --window 86400 --ledger "$work/restored/ledger"
    # The claim in the backup is there, and the one that is not cannot be made again.
    if $race free "$work/restored/ledger" 77 2> "$work/errors"; then exit 1; fi
    grep 'the transaction is claimed' "$work/errors"
    $race free "$work/restored/ledger" 78
    for number in 77 78; do
        answers "refused: The transaction is claimed so late" claim "$work/restored/ledger" $number 0
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
output=$($race refused "postgresql://shop:$password@127.0.0.1:$port/pay?channel_binding=prefer" 2 1 2>&1)
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

title "Tables that a later version upgrades"
query() { as_somebody "$programs/psql" -qAt "$database" -c "$1"; }
# An open connection continues; each new one checks the version.
$race refused "$database" 2 1 "$programs/psql -qAt '$database' -c 'UPDATE apple_pay_ledger SET version = 5' \
    -c 'SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE pid <> pg_backend_pid()' > /dev/null" |
    tee "$work/answer"
grep 'upgrade ApplePayToken' "$work/answer"
query "UPDATE apple_pay_ledger SET version = 4"
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
