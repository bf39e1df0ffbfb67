#!/bin/sh
# SPDX-License-Identifier: MIT
#
#   archive.sh OUT OBJCOPY AR INTERNAL COMPILER...
#
# A static library of one object, in which only the public functions can be
# seen: what the library calls its own (mem_free, docs_begin, ...) is as hidden
# as in the shared one, and does not clash with what a program calls so.
set -eu

out=$1
objcopy=$2
ar=$3
internal=$4
shift 4

rm -f "$out"
"$@" -r -nostdlib -o "$out.o" \
    -Wl,--whole-archive "$internal" -Wl,--no-whole-archive
"$objcopy" --localize-hidden "$out.o"
"$ar" rcs "$out" "$out.o"
rm -f "$out.o"
