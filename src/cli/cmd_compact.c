/* SPDX-License-Identifier: MIT */
/* kedge compact: the room of what left a store is given back. */
#include <kedge/kedge.h>

#include "command.h"

typedef struct compact {
    job job;
    kedge_compact_result result;
} compact;

static const option options[] = {OPTION_SUMMARY, {.name = NULL}};

static kedge_status work(void *data, kedge_store *store,
                         const kedge_control *control, kedge_error *err)
{
    return kedge_compact(store, control, &((compact *)data)->result, err);
}

const command command_compact = {
    .writes = true,
    .name = "compact",
    .summary = "give back the disk space of what left a store",
    .operands = "STORE",
    .least = 1,
    .most = 1,
    .purpose =
        "Documents that were removed, or replaced by newer ones, still take "
        "their room in STORE. This takes them out of its blocks, brings the "
        "sketches up to date first, and writes the data file anew without its "
        "holes. Topics, counts and exported files stay the same to the last "
        "bit; what a fit left for the next one goes, and is made again by "
        "that. It takes as much free disk as the store is large in the end; "
        "where that runs out, the store stays as it was. Killed, it leaves a "
        "whole store, and the same command goes on. Readers are not "
        "disturbed: they keep the old file, and its room, until they look "
        "again.",
    .output =
        "Nothing on standard output, except with --format json: bytes before "
        "and after, documents whose room was given back, seconds. Otherwise a "
        "summary on standard error.",
    .examples =
        "  kedge remove news --batch 2026-11-18\n"
        "  kedge compact news\n",
    .options = options,
    .size = sizeof(compact),
    .mode = KEDGE_OPEN_WRITE,
    .work = work,
    .result = "kedge_compact_result",
    .result_at = offsetof(compact, result),
};
