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
    .name = "compact",
    .group = GROUP_REPAIR,
    .summary = "free disk space",
    .operands = "STORE",
    .least = 1,
    .most = 1,
    .purpose =
        "Frees the disk space of removed and replaced documents and of "
        "spectra kept for faster fits. Topics, counts and exports stay the "
        "same to the last bit. It needs as much free disk as the store has in "
        "the end. Interrupted, it leaves a whole store, and the same command "
        "continues.",
    .examples = "  kedge remove news --batch 2026-11-18\n"
                "  kedge compact news\n",
    .writes = true,
    .options = options,
    .size = sizeof(compact),
    .mode = KEDGE_OPEN_WRITE,
    .work = work,
    .result = "kedge_compact_result",
    .result_at = offsetof(compact, result),
};
