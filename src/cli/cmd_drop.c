/* SPDX-License-Identifier: MIT */
/* kedge drop: a model, or an index with its sketch, out of a store. */
#include <inttypes.h>

#include <kedge/kedge.h>

#include "command.h"

typedef struct dropping {
    job job;
    const char *model;
    counts indexes;
} dropping;

#define AT(member) offsetof(dropping, member)

static const option options[] = {
    OPTION(TEXT, "model", AT(model), "NAME", "this model", .main = true),
    OPTION(COUNTS, "index", AT(indexes), "N",
           "the index of this number, with its sketch", .most = UINT32_MAX,
           .main = true),
    {.name = NULL},
};

static int check(void *data)
{
    const dropping *const f = data;

    if ((f->model != NULL) + f->indexes.count != 1)
        return complain_usage("drop", "drop takes one thing at a time: "
                              "--model NAME or --index N");
    return GO_ON;
}

static kedge_status work(void *data, kedge_store *store,
                         const kedge_control *control, kedge_error *err)
{
    const dropping *const f = data;

    (void)control;
    return f->model != NULL
               ? kedge_drop_model(store, f->model, err)
               : kedge_drop_index(store, f->indexes.values[0], err);
}

static void tell(void *data)
{
    const dropping *const f = data;

    if (f->job.common.quiet)
        return;
    if (f->model != NULL)
        complain("model %.63s is deleted", f->model);
    else
        complain("index %" PRIu64 " is deleted", f->indexes.values[0]);
}

const command command_drop = {
    .name = "drop",
    .group = GROUP_CHANGE,
    .summary = "delete a model or an index",
    .operands = "STORE",
    .least = 1,
    .most = 1,
    .purpose =
        "Deletes a model, or an index with its sketch. Models that were made "
        "of the index stay, and so do the documents. 'kedge info' lists "
        "models and indexes; 'kedge compact' frees the disk space.",
    .examples = "  kedge drop news --model k50\n"
                "  kedge drop news --index 2\n",
    .see = "words",
    .writes = true,
    .options = options,
    .size = sizeof(dropping),
    .check = check,
    .mode = KEDGE_OPEN_WRITE,
    .work = work,
    .tell = tell,
};
