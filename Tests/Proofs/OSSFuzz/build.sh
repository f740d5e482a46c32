#!/bin/bash -eu
# Builds the fuzz targets for OSS-Fuzz, which runs the script in the checkout, with SRC, OUT, WORK, SANITIZER and CFLAGS. OUT receives
# a program for each target, its seeds, its options and its dictionary.

# Sets SWIFTFLAGS.
. precompile_swift

# The program has a main function, which starts libFuzzer, so that main.swift is not parsed as a library. The machines that
# run the targets have only the libraries in OUT.
# shellcheck disable=SC2016,SC2086
swift build -c release --product fuzz --scratch-path "$WORK/build" ${SWIFTFLAGS/-Xswiftc -parse-as-library/} \
    -Xswiftc -DFUZZING -Xswiftc -use-ld=lld -Xlinker '-rpath=$ORIGIN/lib'
fuzz=$WORK/build/release/fuzz
mkdir -p "$OUT/lib"
ldd "$fuzz" | awk '$1 ~ /^lib(crypto|ssl|sqlite3)\./ { print $3 }' | xargs cp -Lt "$OUT/lib"

ASAN_OPTIONS=detect_leaks=0 "$fuzz" seeds "$WORK/seeds"
for seeds in "$WORK"/seeds/*; do
    target=$(basename "$seeds")
    cp "$fuzz" "$OUT/$target"
    (cd "$seeds" && zip -qr "$OUT/${target}_seed_corpus.zip" .)
    printf '[libfuzzer]\nmax_len = 4096\n' > "$OUT/$target.options"
    dictionary=$(grep -l "^# Targets:.* $target\b" Tests/Proofs/OSSFuzz/*.dict || true)
    [ -z "$dictionary" ] || cp "$dictionary" "$OUT/$target.dict"
done
