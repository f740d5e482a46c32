#!/bin/bash
# oss-fuzz.sh: runs build.sh as OSS-Fuzz does, then each fuzz target for a second, without the checkout's libraries and seeds.
#
# A script of OSS-Fuzz's container, precompile_swift, sets the flags; this one writes a precompile_swift with the same flags.
set -euo pipefail
project=$(cd "$(dirname "$0")/../../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
    echo "oss-fuzz.sh: $1" >&2
    exit 1
}

mkdir "$work/bin" "$work/out" "$work/work" "$work/run"
cat > "$work/bin/precompile_swift" <<'FLAGS'
export SWIFTFLAGS="-Xswiftc -parse-as-library -Xswiftc -static-stdlib --static-swift-stdlib"
SWIFTFLAGS="$SWIFTFLAGS -Xswiftc -sanitize=fuzzer,$SANITIZER --sanitize=$SANITIZER"
for flag in $CFLAGS; do SWIFTFLAGS="$SWIFTFLAGS -Xcc=$flag"; done
FLAGS
cd "$project"
PATH=$work/bin:$PATH SRC=$(dirname "$project") OUT=$work/out WORK=$work/work SANITIZER=address LIB_FUZZING_ENGINE=-fsanitize=fuzzer \
    CFLAGS='-O1 -fno-omit-frame-pointer -gline-tables-only -fsanitize=address -fsanitize-address-use-after-scope -fsanitize=fuzzer-no-link' \
    Tests/Proofs/OSSFuzz/build.sh

# The targets find their libraries beside them, and not in the folder of the build.
rm -rf "$work/work"
cd "$work/run"
targets=$(sed -n 's/^FUZZ_TARGETS = //p' "$project/Makefile")
for target in $targets; do
    program=$work/out/$target
    grep -q LLVMFuzzerTestOneInput "$program" || fail "OSS-Fuzz does not recognize $target"
    libraries=$(ldd "$program")
    [[ $libraries == *"libcrypto.so.3 => $work/out/lib/"* ]] || fail "$target has another libcrypto: $libraries"
    mkdir "$target" "$target/seeds" "$target/corpus"
    python3 -m zipfile -e "$work/out/${target}_seed_corpus.zip" "$target/seeds"
    count=$(find "$target/seeds" -type f | wc -l)
    options=(-max_len="$(sed -n 's/^max_len = //p' "$program.options")" -max_total_time=1 -print_final_stats=1)
    [ ! -e "$program.dict" ] || options+=(-dict="$program.dict")
    SWIFT_BACKTRACE=enable=no "$program" "${options[@]}" "$target/corpus" "$target/seeds" 2> "$target/log" ||
        fail "$target: $(cat "$target/log")"
    runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$target/log")
    [ "$runs" -gt "$count" ] || fail "$target ran $runs inputs, of which $count are seeds"
    echo "$target: $count seeds, $runs inputs"
done
[ "$(cd "$work/out" && find . -maxdepth 1 -type f ! -name '*.*' | wc -l)" = "$(wc -w <<< "$targets")" ] ||
    fail "other targets than those of the Makefile: $(ls "$work/out")"
