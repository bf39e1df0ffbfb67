#!/bin/sh
# SPDX-License-Identifier: MIT
#
#   sh examples/parts/parallel.sh VOCAB FOLDER SHARD...
#
# Reads each shard in its own process into its own store in FOLDER, JOBS at a
# time (default: the number of processors), with GNU parallel or else xargs.
# Then adds their counts and sketches in FOLDER/all, ready for kedge fit. Run
# again, also with more shards, it continues where it stopped.
set -eu

# One process.
if [ "$1" = --one ]; then
    name=$3/$(basename "$4")
    kedge ingest "$name.store" "$4" --vocab "$2" --threads 1 --quiet
    kedge sketch export "$name.store" -o "$name.sketch" --quiet
    exit
fi

vocab=$1 folder=$2
shift 2
mkdir -p "$folder"
jobs=${JOBS:-$(getconf _NPROCESSORS_ONLN)}
if command -v parallel > /dev/null; then
    parallel -j "$jobs" --halt now,fail=1 \
        sh "$0" --one "$vocab" "$folder" ::: "$@"
else
    printf '%s\0' "$@" |
        xargs -0 -n 1 -P "$jobs" sh "$0" --one "$vocab" "$folder"
fi
kedge sketch import "$folder/all" "$folder"/*.sketch
