#!/usr/bin/env bash
# Compares the ledgers' claims and payments per second with those of C programs that run the same statements, in turns. Takes the folder of ledger-race and paytoken, built for release with PostgreSQL.
# With `growth` as second argument, it measures claims, `show` and `prune` with ledgers of increasing size.
set -euo pipefail
products=$(realpath "$1")
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=/dev/null
. "$here/../../Tests/Integration/postgresql-server.sh"
race=$products/ledger-race
work=$(mktemp -d "${LEDGER_BENCH_FOLDER:-${TMPDIR:-/tmp}}/bench.XXXXXX")
chmod 755 "$work"
trap 'stop_server "$work/server"; rm -rf "$work"' EXIT
cc -O2 -Wall -Wextra -Werror -I"$(pg_config --includedir)" "$here/floor.c" -L"$(pg_config --libdir)" -lpq -lsqlite3 -o "$work/floor"
make_server "$work/server"
database="postgresql://ledger@/postgres?host=$work/server"
mkdir -m 700 "$work/sqlite"
file=$work/sqlite/ledger
seconds=${LEDGER_BENCH_SECONDS:-3}
rounds=${LEDGER_BENCH_ROUNDS:-5}

if [ "${2:-}" = growth ]; then
    "$here/growth.py" "$products" "$file" "postgresql://ledger@/DATABASE?host=$work/server" "$here/growth.json"
    exit
fi

$race present "$file" 1000 10
$race present "$database" 1000 10
printf '%-32s %12s %12s %8s\n' 'claims or payments per second' ours C ratio
for setting in sqlite:1 sqlite:8 sqlite:64 attempts:1 attempts:8 attempts:64 postgresql:1 postgresql:8 postgresql:64; do
    kind=${setting%:*} tasks=${setting#*:}
    location=$database
    if [ "$kind" != postgresql ]; then location=$file; fi
    mode=rate
    # Payments: each with an attempt to pay an order, which changes twice after it begins.
    if [ "$kind" = attempts ]; then mode=payments; fi
    values=
    for _ in $(seq "$rounds"); do
        ours=$($race $mode "$location" "$tasks" "$seconds")
        theirs=$("$work/floor" "$kind" "$location" "$tasks" "$seconds")
        values+="$ours $theirs"$'\n'
    done
    # Print the median of the rounds' ratios, and those of the rates.
    line=$(awk 'NF == 2 { ours[++n] = $1; theirs[n] = $2; ratio[n] = $1 / $2 }
        function median(values,   copy, i, j, t) {
            for (i = 1; i <= n; i++) copy[i] = values[i]
            for (i = 1; i <= n; i++) for (j = i + 1; j <= n; j++) if (copy[j] < copy[i]) { t = copy[i]; copy[i] = copy[j]; copy[j] = t }
            return copy[int((n + 1) / 2)]
        }
        END { printf "%.0f %.0f %.2f", median(ours), median(theirs), median(ratio) }' <<< "$values")
    read -r ours theirs ratio <<< "$line"
    printf '%-32s %12s %12s %8s\n' "$kind, $tasks at a time" "$ours" "$theirs" "$ratio"
    case $setting in
        sqlite:1) sqlite_one=$ratio ;;
        sqlite:64) sqlite_many=$ratio ;;
        attempts:1) attempts_one=$ratio ;;
        attempts:64) attempts_many=$ratio ;;
        postgresql:1) one=$ratio ;;
        postgresql:64) many=$ratio ;;
    esac
done
printf 'ratio %s\n' "claims-sqlite-1 $sqlite_one" "claims-sqlite-64 $sqlite_many" "attempts-sqlite-1 $attempts_one" \
    "attempts-sqlite-64 $attempts_many" "claims-postgresql-1 $one" "claims-postgresql-64 $many"
