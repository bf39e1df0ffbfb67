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
    OPTION(CHOICE, "on-duplicate", AT(duplicate), "error|skip|replace",
           "What to do with a document whose id OUT has: stop, keep the "
           "earlier one, or keep the later one."),
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
    .writes = true,
    .name = "merge",
    .summary = "put stores together, exactly",
    .operands = "OUT STORE...",
    .least = 2,
    .most = SIZE_MAX,
    .purpose =
        "Adds the documents of stores that were built apart to OUT, which is "
        "made when absent, with their ids, labels, sources and batches. The "
        "result is that of one store that had read them all: the same counts, "
        "the same sketch, the same models, to the last bit. A source that OUT "
        "has already is not added twice. Stores whose texts were cut into "
        "words in different ways (kedge ingest --stem and the like) are "
        "refused. Sketches of all words by other statistics are made where "
        "all stores have them. Stores whose documents are all elsewhere "
        "(kedge sketch import) are added up as well. Models do not come "
        "along, nor do the views that fits made with vocabularies of their "
        "own: fit OUT again. The stores are only read.",
    .output =
        "Nothing on standard output, except with --format json; a summary on "
        "standard error.",
    .examples =
        "  kedge merge all north south\n"
        "  kedge merge all update --on-duplicate replace\n",
    .options = options,
    .size = sizeof(merging),
    .mode = KEDGE_OPEN_CREATE,
    .work = work,
    .result = "kedge_merge_result",
    .result_at = AT(result),
    .done_at = AT(result.documents),
};
