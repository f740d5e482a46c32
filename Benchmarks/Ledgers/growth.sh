#!/usr/bin/env bash
# Measures ledgers of increasing size: claims one at a time and 64 at a time, `show` of 10 open claims, and PostgreSQL's
# prune of 5,000 rows. bench.sh calls it. Prints one line per size, as JSON.
set -euo pipefail
products=$1 files=$2 database=$3
race=$products/ledger-race paytoken=$products/paytoken
seconds=${LEDGER_BENCH_SECONDS:-3}
milliseconds() {
    local start end
    start=$(date +%s%N)
    "$@" > /dev/null
    end=$(date +%s%N)
    awk -v n=$((end - start)) 'BEGIN { printf "%.1f", n / 1e6 }'
}
query() { psql -qAt "$database" -c "$1"; }
present=0
for size in ${LEDGER_GROWTH_SIZES:-1000 10000 100000 1000000}; do
    for location in "$files" "$database"; do
        open=0
        if [ "$present" -eq 0 ]; then open=10; fi
        # The ledger also contains the claims of the earlier rate measurements, which are few in comparison.
        $race present "$location" $((size - present)) "$open"
        kind=files
        if [ "$location" = "$database" ]; then kind=postgresql; query 'VACUUM ANALYZE apple_pay_claims'; fi
        show=$(milliseconds "$paytoken" ledger show --ledger "$location")
        one=$($race rate "$location" 1 "$seconds")
        many=$($race rate "$location" 64 "$seconds")
        printf '{"ledger":"%s","claims":%s,"perSecond1":%.0f,"perSecond64":%.0f,"showMilliseconds":%s}\n' \
            "$kind" "$size" "$one" "$many" "$show"
        # The claims of the rate measurements are closed, so that show finds the same 10 open claims.
        if [ "$kind" = postgresql ]; then
            query "UPDATE apple_pay_claims SET state = 'confirmed' WHERE state = 'claimed' AND signed_at > (
                SELECT signed_at FROM apple_pay_claims WHERE state = 'claimed' ORDER BY signed_at OFFSET 9 LIMIT 1)"
        fi
    done
    present=$size
done
rows=${LEDGER_GROWTH_ROWS:-10000000}
query "TRUNCATE apple_pay_claims" > /dev/null
query "INSERT INTO apple_pay_claims SELECT decode(md5(i::text) || md5((-i)::text), 'hex'), md5(i::text), 'confirmed',
    extract(epoch FROM now())::bigint - CASE WHEN i <= 5000 THEN 1000000 ELSE i % 80000 END, true
    FROM generate_series(1, $rows) AS i" > /dev/null
query 'VACUUM ANALYZE apple_pay_claims'
printf '{"ledger":"postgresql","rows":%s,"prune5000Milliseconds":%s}\n' "$rows" \
    "$(milliseconds "$paytoken" ledger prune --ledger "$database")"
