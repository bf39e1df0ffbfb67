#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Fuzzes the targets of this folder with clang's libFuzzer, ASan and UBSan:
#
#   sh tests/fuzz/fuzz.sh [SECONDS [TARGET...]]
#
# What they find new goes to .build-fuzz/TARGET; the folders here are what they
# begin with. Ends at the first input that breaks a target. Two targets, records
# and pages, make stores and run all commands on them; these have a driver of
# their own (hostile.c), any compiler, and go on after what breaks them.
set -eu
cd "$(dirname "$0")/../.."

seconds=${1:-600}
[ $# -eq 0 ] || shift
targets=tests/fuzz/targets.txt
# shellcheck disable=SC2046  # a list of words
[ $# -gt 0 ] || set -- $(cut -d ' ' -f 1 "$targets") records pages

build=.build-fuzz
stores=.build-asan
checks=address,undefined
if [ ! -d "$build" ]; then
    CC=clang meson setup "$build" --buildtype=debugoptimized \
        -Db_lundef=false \
        -Dc_args="-fsanitize=fuzzer-no-link,$checks -fno-sanitize-recover=all"
fi
ninja -C "$build" src/libkedge-internal.a

libraries=$(pkg-config --libs lmdb libzstd zlib libutf8proc lapacke openblas)
for target in "$@"
do
    case $target in
    records | pages)
        [ -d "$stores" ] ||
            meson setup "$stores" --buildtype=debugoptimized \
                -Db_sanitize="$checks" -Db_ndebug=false
        ninja -C "$stores" "tests/fuzz/fuzz-$target"
        continue
        ;;
    esac
    line=$(grep "^$target " "$targets")
    source=$(echo "$line" | cut -d ' ' -f 2)
    format=$(echo "$line" | cut -s -d ' ' -f 3)
    # shellcheck disable=SC2086  # a list of words
    clang -g -O1 -std=c11 -D_GNU_SOURCE "-fsanitize=fuzzer,$checks" \
        -fno-sanitize-recover=all -Isrc -Iinclude \
        ${format:+"-DFUZZ_FORMAT=$format"} "tests/fuzz/$source" \
        "$build/src/libkedge-internal.a" -o "$build/fuzz_$target" \
        $libraries -lstemmer -lpthread -lm
done
for target in "$@"
do
    case $target in
    records | pages)
        "$stores/tests/fuzz/fuzz-$target" --cases 1000000000 \
            --until "$seconds" --seed "$(date +%s)"
        continue
        ;;
    esac
    mkdir -p "$build/$target"
    "$build/fuzz_$target" -max_total_time="$seconds" -timeout=30 \
        -rss_limit_mb=4096 -print_final_stats=1 -verbosity=0 \
        -artifact_prefix="$build/" "$build/$target" "tests/fuzz/$target"
done
