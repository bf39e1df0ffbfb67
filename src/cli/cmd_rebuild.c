/* SPDX-License-Identifier: MIT */
/* kedge rebuild: what follows from the documents is made again. */
#include <kedge/kedge.h>

#include "command.h"

typedef struct rebuild {
    job job;
    kedge_rebuild_result result;
} rebuild;

static const option options[] = {OPTION_SUMMARY, {.name = NULL}};

static kedge_status work(void *data, kedge_store *store,
                         const kedge_control *control, kedge_error *err)
{
    return kedge_rebuild(store, control, &((rebuild *)data)->result, err);
}

const command command_rebuild = {
    .writes = true,
    .name = "rebuild",
    .summary = "make counts and sketches again from the documents",
    .operands = "STORE",
    .least = 1,
    .most = 1,
    .purpose =
        "Everything in STORE that follows from its documents is made again "
        "from them: the counts of words, the totals, where each id is, and "
        "every sketch. This mends damage to any of these; an undamaged store "
        "is the same afterwards, to the last bit. Models stay: fit them again "
        "if they are damaged. A damaged record of how texts are cut into "
        "words is given up: the next texts settle it anew. Damage to the "
        "documents themselves cannot be mended; it is told by its block, and "
        "nothing is changed. A store with documents that are elsewhere cannot "
        "be made again: import its parts into a new one. Stopped or killed, "
        "it can be run again.",
    .output =
        "Nothing on standard output, except with --format json: documents "
        "that were read, sketches (views) made, whether counts had been "
        "wrong, seconds. Otherwise a summary on standard error.",
    .examples =
        "  kedge rebuild news\n"
        "  kedge rebuild news --format json\n",
    .options = options,
    .size = sizeof(rebuild),
    .mode = KEDGE_OPEN_WRITE,
    .work = work,
    .result = "kedge_rebuild_result",
    .result_at = offsetof(rebuild, result),
};
