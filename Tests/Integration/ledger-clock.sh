#!/usr/bin/env bash
# Lets the clock jump by an hour both ways while 8 processes claim, send, release and prune, and 6 of them are killed:
# the clock of these processes for the ledger in SQLite, and that of the server for the one in PostgreSQL. Claims are
# forgotten meanwhile, and none may be granted again. Takes the folder of ledger-race, built with PostgreSQL; needs cc
# and PostgreSQL's server programs.
set -euo pipefail
products=$(realpath "$1")
here=$(dirname "$0")
rounds=${CLOCK_ROUNDS:-6}
race="timeout ${RACE_TIMEOUT:-240} $products/ledger-race"
# shellcheck source=/dev/null
. "$here/postgresql-server.sh"
open_work

cc -O1 -Wall -Wextra -Werror -shared -fPIC "$here/jumping-clock.c" -ldl -o "$work/jumping-clock.so"
offset=$work/offset
head -c 8 /dev/zero > "$offset"
# Runs a program with this clock.
with_clock() { env LD_PRELOAD="$work/jumping-clock.so" CLOCK_OFFSET="$offset" "$@"; }

title "A clock that jumps, and a ledger in SQLite"
# shellcheck disable=SC2086
with_clock $race clock "$work/sqlite" "$rounds" 200 "$offset"

title "A clock that jumps, and a ledger in PostgreSQL"
head -c 8 /dev/zero > "$offset"
make_server "$work/server"
stop_server "$work/server"
export LD_PRELOAD="$work/jumping-clock.so" CLOCK_OFFSET="$offset"
start_server "$work/server"
unset LD_PRELOAD CLOCK_OFFSET
# shellcheck disable=SC2086
with_clock $race clock "postgresql://ledger@/postgres?host=$work/server" "$rounds" 200 "$offset"
