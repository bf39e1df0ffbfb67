#!/bin/sh
# SPDX-License-Identifier: MIT
#
#   sh examples/parts/pipe.sh VOCAB OUT OPTION... < DOCUMENTS
#
# A step of a pipeline that passes documents as lines, like Spark's pipe() and
# Hadoop streaming. Reads documents from standard input, keeps none of them,
# and writes their counts and sketch: with OUT - to standard output, otherwise
# to a file in the folder OUT, which all machines share, and prints the file's
# name (Spark accepts only lines of text). OPTION... are options of kedge
# ingest, like --from jsonl. A partition without documents writes nothing.
#
#   step = 'sh pipe.sh vocab.txt /shared --from jsonl'
#   names = documents.pipe(step).collect()
#   subprocess.run(['kedge', 'sketch', 'import', 'all', *names], check=True)
set -eu

vocab=$1 out=$2
shift 2
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT
store=$work/$(uname -n).$$.$(basename "$work")
kedge ingest "$store" - --vocab "$vocab" --threads 1 --quiet --allow-empty "$@"
if kedge info "$store" --format json | grep -q '"documents": 0,'; then
    exit
fi
if [ "$out" = - ]; then
    kedge sketch export "$store" -o - --quiet
else
    kedge sketch export "$store" -o "$out/$(basename "$store").sketch" --quiet
    printf '%s\n' "$out/$(basename "$store").sketch"
fi
