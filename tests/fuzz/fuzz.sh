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
# their own (hostile.c) and go on after what breaks them.
set -eu
cd "$(dirname "$0")/../.."

seconds=${1:-600}
[ $# -eq 0 ] || shift
targets=tests/fuzz/targets.txt
# shellcheck disable=SC2046  # a list of words
[ $# -gt 0 ] || set -- $(cut -d ' ' -f 1 "$targets") records pages

build=.build-fuzz
checks=address,undefined
if [ ! -d "$build" ]; then
    CC=clang meson setup "$build" --buildtype=debugoptimized \
        -Db_lundef=false \
        -Dc_args="-fsanitize=fuzzer-no-link,$checks -fno-sanitize-recover=all"
fi
ninja -C "$build" src/libkedge-internal.a src/cli/libkedge-commands.a

libraries=$(pkg-config --libs lmdb libzstd zlib libutf8proc lapacke openblas)

# TARGET SANITIZERS SOURCE...
build_target() {
    target=$1 sanitizers=$2
    shift 2
    # shellcheck disable=SC2086  # a list of words
    clang -g -O1 -std=c11 -D_GNU_SOURCE "-fsanitize=$sanitizers" \
        -fno-sanitize-recover=all -Isrc -Iinclude -Isrc/cli "$@" \
        "$build/src/libkedge-internal.a" -o "$build/fuzz_$target" \
        $libraries -lstemmer -lpthread -ldl -lm
}

for target in "$@"
do
    case $target in
    records | pages)
        build_target "$target" "$checks" "tests/fuzz/fuzz_$target.c" \
            tests/fuzz/commands.c tests/fuzz/hostile.c tests/fuzz/mutate.c \
            tests/fuzz/stores.c "$build/src/cli/libkedge-commands.a"
        ;;
    *)
        line=$(grep "^$target " "$targets")
        format=$(echo "$line" | cut -s -d ' ' -f 3)
        build_target "$target" "fuzzer,$checks" \
            "tests/fuzz/$(echo "$line" | cut -d ' ' -f 2)" \
            ${format:+"-DFUZZ_FORMAT=$format"}
        ;;
    esac
done
for target in "$@"
do
    case $target in
    records | pages)
        "$build/fuzz_$target" --cases 1000000000 --until "$seconds" \
            --seed "$(date +%s)"
        ;;
    *)
        mkdir -p "$build/$target"
        "$build/fuzz_$target" -max_total_time="$seconds" -timeout=30 \
            -rss_limit_mb=4096 -print_final_stats=1 -verbosity=0 \
            -artifact_prefix="$build/" "$build/$target" "tests/fuzz/$target"
        ;;
    esac
done
