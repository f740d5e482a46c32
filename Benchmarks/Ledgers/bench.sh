#!/usr/bin/env bash
# Compares the ledgers' claims per second with those of C programs that make the same system calls, or send the same
# statement through libpq, in turns. Takes the folder of ledger-race and paytoken, built for release with PostgreSQL.
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
cc -O2 -Wall -Wextra -Werror -I"$(pg_config --includedir)" "$here/floor.c" -L"$(pg_config --libdir)" -lpq -o "$work/floor"
make_server "$work/server"
database="postgresql://ledger@/postgres?host=$work/server"
files=$work/files
seconds=${LEDGER_BENCH_SECONDS:-3}
rounds=${LEDGER_BENCH_ROUNDS:-5}

if [ "${2:-}" = growth ]; then
    "$here/growth.py" "$products" "$files" "postgresql://ledger@/DATABASE?host=$work/server" "$here/growth.json"
    exit
fi

$race present "$files" 1000 10
$race present "$database" 1000 10
printf '%-24s %12s %12s %8s\n' 'claims per second' ours C ratio
lowest=
for setting in files:1 files:8 files:64 postgresql:1 postgresql:8 postgresql:64; do
    kind=${setting%:*} tasks=${setting#*:}
    location=$database
    if [ "$kind" = files ]; then location=$files; fi
    values=
    for _ in $(seq "$rounds"); do
        ours=$($race rate "$location" "$tasks" "$seconds")
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
    printf '%-24s %12s %12s %8s\n' "$kind, $tasks at a time" "$ours" "$theirs" "$ratio"
    case $setting in
        files:*) lowest=$(awk -v a="${lowest:-9}" -v b="$ratio" 'BEGIN { print a < b ? a : b }') ;;
        postgresql:1) one=$ratio ;;
        postgresql:64) many=$ratio ;;
    esac
done
# For files, the lowest of the three ratios counts.
printf 'ratio claims-files %s\nratio claims-postgresql-1 %s\nratio claims-postgresql-64 %s\n' "$lowest" "$one" "$many"
