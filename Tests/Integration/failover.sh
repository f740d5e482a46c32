#!/usr/bin/env bash
# Checks which claims and attempts survive a failover to a standby: all of them with synchronous replication; without
# it, the command must warn. Takes the folder of ledger-race and paytoken, built with PostgreSQL; needs PostgreSQL's
# server programs.
set -euo pipefail
products=$(realpath "$1")
claims=${FAILOVER_CLAIMS:-200}
# shellcheck source=/dev/null
. "$(dirname "$0")/postgresql-server.sh"
race="timeout 240 $products/ledger-race"
open_work
primary="postgresql://ledger@/postgres?host=$work/primary"
both="postgresql://ledger@/postgres?host=$work/primary,$work/standby"
warning='transactions can be claimed twice after a failover'

# Expects that ledger-race prints an answer.
answers() {
    local answer=$1
    shift
    $race "$@" | tee "$work/answer"
    grep -qF -- "$answer" "$work/answer"
}

make_servers() {
    rm -rf "$work/primary" "$work/standby"
    make_server "$work/primary"
    "$products/paytoken" ledger init --window 86400 --ledger "$primary" > "$work/answer" 2>&1
    if grep "$warning" "$work/answer"; then exit 1; fi
    add_standby
}

title "A standby that is not waited for"
make_servers
for verb in "init --window 86400" show; do
    # shellcheck disable=SC2086
    "$products/paytoken" ledger $verb --ledger "$both" 2>&1 > /dev/null | tee "$work/answer"
    grep -q "$warning" "$work/answer"
done
# A standby that was disconnected is promoted: it grants all claims again, as the warning predicts.
stop_server "$work/standby"
$race repeat "$both" 1 "$claims" "$claims"
kill -KILL "$(head -n 1 "$work/primary/data/postmaster.pid")"
sleep 1
rm -f "$work/primary/data/postmaster.pid"
start_server "$work/standby"
as_somebody "$programs/pg_ctl" -D "$work/standby/data" -w promote > /dev/null
$race repeat "$both" 1 "$claims" "$claims"
stop_server "$work/standby"

title "A standby that is waited for"
make_servers
make_primary_wait
"$products/paytoken" ledger show --ledger "$both" > "$work/answer" 2>&1
if grep "$warning" "$work/answer"; then exit 1; fi
$race repeat "$both" 2 "$claims" "$claims"
answers "begun: true" begin "$both" order 1 0
answers "begun: true" begin "$both" released 2 0
answers "changed: true" change "$both" released released 2
fail_over
$race repeat "$both" 2 "$claims" 0
answers "begun: false" begin "$both" order 3 0
answers "refused: The transaction was claimed before" begin "$both" other 1 0
answers "begun: true" begin "$both" other 2 0
stop_server "$work/standby"

title "A commit that was not replicated as requested"
make_servers
make_primary_wait
kill -STOP "$(head -n 1 "$work/standby/data/postmaster.pid")"
pkill -STOP -P "$(head -n 1 "$work/standby/data/postmaster.pid")" || true
$race refused "$primary" 10 7 > "$work/answer" &
claimer=$!
for _ in $(seq 80); do
    cancelled=$(query_primary "SELECT count(pg_cancel_backend(pid)) FROM pg_stat_activity WHERE wait_event = 'SyncRep'")
    if [ "$cancelled" -gt 0 ]; then break; fi
    sleep 0.1
done
wait "$claimer"
cat "$work/answer"
grep -q 'PostgreSQL warned' "$work/answer"
# The claim is on this server, so the transaction is not granted again.
answers "refused: The transaction was claimed before" claim "$primary" 7 0
pkill -CONT -P "$(head -n 1 "$work/standby/data/postmaster.pid")" || true
kill -CONT "$(head -n 1 "$work/standby/data/postmaster.pid")"
