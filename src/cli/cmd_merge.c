/* SPDX-License-Identifier: MIT */
/* kedge merge: stores that were built apart become one. */
#include <stdint.h>

#include <kedge/kedge.h>

#include "command.h"

typedef struct merging {
    job job;
    kedge_on_duplicate duplicate;
    kedge_merge_result result;
} merging;

#define AT(member) offsetof(merging, member)

static const option options[] = {
    OPTION(CHOICE, "on-duplicate", AT(duplicate), "ACTION",
           "when OUT has the id of a "
           "document", .choices = "error|skip|replace",
           .main = true),
    OPTION_SUMMARY,
    {.name = NULL},
};

static kedge_status work(void *data, kedge_store *store,
                         const kedge_control *control, kedge_error *err)
{
    merging *const m = data;

    return kedge_merge(store, m->job.rest, m->job.rest_count, m->duplicate,
                       control, &m->result, err);
}

const command command_merge = {
    .name = "merge",
    .group = GROUP_SHARE,
    .summary = "combine stores, exactly",
    .operands = "OUT STORE...",
    .least = 2,
    .most = SIZE_MAX,
    .purpose =
        "Adds the documents of STOREs to OUT, which is made if it does not "
        "exist, with ids, labels, sources and batches. The result is that of "
        "one store that read everything, to the last bit. Sources that OUT has "
        "are not added twice. Stores whose texts were split differently "
        "(--stem and the like) are refused. Models and indexes of chosen words "
        "are not copied: fit OUT again.",
    .examples = "  kedge merge all monday tuesday\n"
                "  kedge fit all -k 50\n",
    .see = "updates, machines",
    .writes = true,
    .options = options,
    .size = sizeof(merging),
    .mode = KEDGE_OPEN_CREATE,
    .work = work,
    .result = "kedge_merge_result",
    .result_at = AT(result),
    .done_at = AT(result.documents),
};
