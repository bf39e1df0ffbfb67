#!/bin/sh
# SPDX-License-Identifier: MIT
#
#   sh examples/parts/parallel.sh VOCAB FOLDER SHARD...
#
# Each shard is read by a process of its own into a store in FOLDER, as many at
# a time as there are processors (JOBS says otherwise), with GNU parallel where
# it is installed and xargs elsewhere. What they counted and sketched is then
# added up in FOLDER/all, ready for kedge fit. Run again, with more shards too,
# it goes on where it ended.
set -eu

# What one process does.
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
