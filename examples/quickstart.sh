#!/bin/sh
# SPDX-License-Identifier: MIT
#
#   sh examples/quickstart.sh [FOLDER]
#
# From a fresh clone to topics: installs what is missing (Debian, as root),
# builds kedge, reads the corpus in fixtures/ into a store in FOLDER, finds
# twelve topics, shows them and writes a page about them. FOLDER is a new one
# under /tmp when none is given. A second run on the same FOLDER finds the
# documents there already.
#
# KEDGE_BUILD names the folder to build in; default: .build in the clone.
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=tests/tools/packages.sh
. "$root/tests/tools/packages.sh"

folder() {
    if [ $# -gt 0 ]; then
        mkdir -p "$1"
        (cd "$1" && pwd)
    else
        mktemp -d "${TMPDIR:-/tmp}/kedge-quickstart-XXXXXX"
    fi
}

build() {
    if [ ! -f "$1/build.ninja" ]; then
        meson setup "$1" --buildtype=release
    fi
    ninja -C "$1" src/cli/kedge
}

# A command as one would type it.
typed() {
    for argument in "$@"; do
        case $argument in
            *[!A-Za-z0-9._/=,-]*) printf " '%s'" "$argument" ;;
            *) printf ' %s' "$argument" ;;
        esac
    done
}

# say WORDS COMMAND...: says why, shows the command and runs it.
say() {
    printf '\n%s\n' "$1"
    shift
    printf '$%s\n\n' "$(typed "$@")"
    "$@"
}

folder=$(folder "$@")
store=$folder/harbour.kedge
cd "$root"
build=${KEDGE_BUILD:-.build}

printf 'Looking for the packages that kedge is built with.\n'
# shellcheck disable=SC2154,SC2086  # a list of words, from packages.sh
install_missing $packages_build
printf 'Building in %s.\n' "$build"
build "$build"
PATH=$(cd "$build/src/cli" && pwd):$PATH
export PATH

say '1. Read 3,000 made-up newspaper articles, as word counts, into a store.' \
    kedge ingest "$store" fixtures/docword.harbour.txt.zst \
    --vocab fixtures/vocab.harbour.txt
say '2. Find twelve topics. The summary says how exact the model is.' \
    kedge fit "$store" -k 12
say '3. Show each topic: its number, its share of the corpus, its first words.' \
    kedge topics "$store" -n 8
say '4. Write a page about the model, for a browser.' \
    kedge report "$store" -o "$folder/harbour.html"

printf '\nTo go on from here, with examples/manual.md:\n\n'
printf "  PATH='%s':\$PATH\n" "$(dirname "$(command -v kedge)")"
printf "  kedge word '%s' judge\n" "$store"
printf "  kedge sweep '%s' -k 4:20:4\n" "$store"
