#!/bin/sh
# SPDX-License-Identifier: MIT
#
#   sh examples/parts/pipe.sh VOCAB OUT OPTION... < DOCUMENTS
#
# A step of a pipeline that hands its documents over line by line, as pipe() of
# Spark and Hadoop's streaming do: reads them from standard input, and keeps
# none. OPTION... are kedge ingest's, as --from jsonl. OUT is -, for the sketch
# on standard output, or a folder that all machines see: the sketch becomes a
# file in it, whose name is printed, since Spark takes lines of text alone. A
# partition without documents gives nothing.
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
kedge ingest "$store" - --vocab "$vocab" --threads 1 --quiet "$@"
if kedge info "$store" --format json | grep -q '"documents": 0,'; then
    exit
fi
if [ "$out" = - ]; then
    kedge sketch export "$store" -o - --quiet
else
    kedge sketch export "$store" -o "$out/$(basename "$store").sketch" --quiet
    printf '%s\n' "$out/$(basename "$store").sketch"
fi
