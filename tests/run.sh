#!/bin/sh
# SPDX-License-Identifier: MIT
#
#   sh tests/run.sh [--all]
#
# Installs what is missing (Debian, as root), builds kedge and runs every test:
#   .build        gcc, release, warnings are errors
# With --all it goes on with
#   .build-clang  clang, warnings are errors: builds
#   .build-asan   gcc with address and undefined-behaviour sanitizers: unit
#                 tests, and what is not slow of cli, fuzz and faults
#   .build-tsan   gcc with the thread sanitizer: the test of threads
# The last line counts: "N passed, N failed". A build counts as one. The exit
# code is 0 when nothing failed.
set -u

case ${1-} in
    --all) all=true ;;
    '') all=false ;;
    *)
        printf 'usage: sh tests/run.sh [--all]\n' >&2
        exit 2
        ;;
esac
root=$(cd "$(dirname "$0")/.." && pwd)
cd "$root" || exit 1
# Tests write and sync thousands of stores: in memory, where that can be.
if [ -z "${TMPDIR-}" ] && [ -w /dev/shm ]; then
    TMPDIR=$(mktemp -d /dev/shm/kedge-XXXXXX) || exit 1
    chmod 755 "$TMPDIR" # some tests go there as nobody
    export TMPDIR
    trap 'rm -rf "$TMPDIR"' EXIT
    trap 'exit 1' HUP INT TERM
fi
# shellcheck source=tests/tools/packages.sh
. tests/tools/packages.sh

passed=0
failed=0
logs=''
targets='' # of a build; none: all

heading() {
    printf '\n== %s\n' "$*"
}

note() {
    if [ "$1" -eq 0 ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        printf 'FAILED: %s\n' "$2"
    fi
}

# configure DIR OPTION...: sets it up, or sets it up anew.
configure() {
    dir=$1
    shift
    if [ -f "$dir/build.ninja" ]; then
        meson setup --reconfigure "$dir" "$@"
    else
        rm -rf "$dir"
        meson setup "$dir" "$@"
    fi
}

# build DIR COMPILER OPTION...
build() {
    dir=$1
    compiler=$2
    shift 2
    heading "Build in $dir with $compiler"
    CC=$compiler configure "$dir" "$@" >"$dir.log" 2>&1 || {
        cat "$dir.log"
        rm -f "$dir.log"
        return 1
    }
    rm -f "$dir.log"
    # shellcheck disable=SC2086  # a list of names, or none for all
    ninja -C "$dir" $targets
}

# check_all DIR OPTION...: runs tests and keeps their log for the summary.
check_all() {
    dir=$1
    shift
    heading "Tests in $dir"
    rm -f "$dir/meson-logs/testlog.json"
    meson test -C "$dir" --no-rebuild --print-errorlogs "$@"
    logs="$logs $dir/meson-logs/testlog.json"
}

release() {
    build .build gcc --buildtype=release --werror
    status=$?
    note $status 'the release build'
    [ $status -ne 0 ] || check_all .build
}

sanitized() {
    build .build-asan gcc --buildtype=debugoptimized -Doptimization=1 \
        -Db_sanitize=address,undefined -Db_ndebug=false
    status=$?
    note $status 'the build with sanitizers'
    [ $status -ne 0 ] || sanitized_tests
}

sanitized_tests() {
    ASAN_OPTIONS=halt_on_error=1:abort_on_error=1:detect_leaks=1
    UBSAN_OPTIONS=halt_on_error=1:abort_on_error=1:print_stacktrace=1
    CK_TIMEOUT_MULTIPLIER=5
    export ASAN_OPTIONS UBSAN_OPTIONS CK_TIMEOUT_MULTIPLIER
    check_all .build-asan --timeout-multiplier 5 --no-suite slow \
        --suite unit --suite cli --suite fuzz --suite faults
    unset ASAN_OPTIONS UBSAN_OPTIONS CK_TIMEOUT_MULTIPLIER
}

threaded() {
    targets=tests/flow/threads
    build .build-tsan gcc --buildtype=debugoptimized -Db_sanitize=thread \
        -Db_lundef=false
    status=$?
    targets=''
    note $status 'the build with the thread sanitizer'
    [ $status -ne 0 ] || TSAN_OPTIONS=halt_on_error=1 \
        check_all .build-tsan --timeout-multiplier 5 threads
}

clang_too() {
    build .build-clang clang --buildtype=release --werror
    note $? 'the build with clang'
}

# shellcheck disable=SC2154,SC2086  # a list of words, from packages.sh
if ! install_missing $packages_test; then
    printf '0 passed, 1 failed\n'
    exit 1
fi
release
if $all; then
    clang_too
    sanitized
    threaded
fi
# shellcheck disable=SC2086  # a list of words
python3 tests/tools/summary.py "$passed" "$failed" $logs
