#!/usr/bin/env bash
# Compares the ledgers' claims and payments per second with those of C programs that run the same statements, in turns. Takes
# the folder of ledger-race and paytoken, built for release with PostgreSQL.
# With `growth` as second argument, it measures claims and `prune` with ledgers of increasing size.
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

# Prints the medians of columns, each over all lines.
medians() {
    awk '{ for (i = 1; i <= NF; i++) column[i, NR] = $i }
        function median(i,   copy, j, k, t) {
            for (j = 1; j <= NR; j++) copy[j] = column[i, j]
            for (j = 1; j <= NR; j++) for (k = j + 1; k <= NR; k++) if (copy[k] < copy[j]) { t = copy[j]; copy[j] = copy[k]; copy[k] = t }
            return copy[int((NR + 1) / 2)]
        }
        END { for (i = 1; i <= NF; i++) printf "%.2f ", median(i) }'
}

$race present "$file" 1000
$race present "$database" 1000
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
    read -r ours theirs ratio <<< "$(awk 'NF == 2 { print $1, $2, $1 / $2 }' <<< "$values" | medians)"
    printf '%-32s %12.0f %12.0f %8s\n' "$kind, $tasks at a time" "$ours" "$theirs" "$ratio"
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

# Two processes with 64 claims or payments at a time each, in turns with one; the longest wait is that of all rounds.
shares=
printf '\n%-32s %12s %12s %12s %8s\n' 'with 64 at a time each' 'one process' 'two together' 'the slower' 'wait, ms'
for kind in claims attempts; do
    mode=waits
    if [ "$kind" = attempts ]; then mode=payment-waits; fi
    values=
    for _ in $(seq "$rounds"); do
        one=$($race $mode "$file" 64 "$seconds")
        $race $mode "$file" 64 "$seconds" > "$work/first" &
        second=$($race $mode "$file" 64 "$seconds")
        wait $!
        values+="$one $(< "$work/first") $second"$'\n'
    done
    read -r one sum least together share <<< "$(awk 'NF == 6 { sum = $3 + $5; least = $3 < $5 ? $3 : $5; print $1, sum, least, sum / $1, least / sum }' <<< "$values" | medians)"
    longest=$(awk '$4 > n { n = $4 } $6 > n { n = $6 } END { print n }' <<< "$values")
    printf '%-32s %12.0f %12.0f %12.0f %8.0f\n' "$kind-sqlite" "$one" "$sum" "$least" "$longest"
    shares+="together-$kind-sqlite $together"$'\n'"share-$kind-sqlite $share"$'\n'"wait-$kind-sqlite $longest"$'\n'
done
while read -r line; do printf 'ratio %s\n' "$line"; done <<< "${shares%$'\n'}"
