/* SPDX-License-Identifier: MIT */
/* kedge forget: a model, or a view with its sketch, out of a store. */
#include <inttypes.h>

#include <kedge/kedge.h>

#include "command.h"

typedef struct forgetting {
    job job;
    const char *model;
    counts views;
} forgetting;

#define AT(member) offsetof(forgetting, member)

static const option options[] = {
    OPTION(TEXT, "model", AT(model), "NAME", "this model", .main = true),
    OPTION(COUNTS, "index", AT(views), "N",
           "the index of this number, with its sketch", .most = UINT32_MAX,
           .main = true),
    {.name = NULL},
};

static int check(void *data)
{
    const forgetting *const f = data;

    if ((f->model != NULL) + f->views.count != 1)
        return complain_usage("forget", "forget takes one thing at a time: "
                              "--model NAME or --view N");
    return GO_ON;
}

static kedge_status work(void *data, kedge_store *store,
                         const kedge_control *control, kedge_error *err)
{
    const forgetting *const f = data;

    (void)control;
    return f->model != NULL
               ? kedge_forget_model(store, f->model, err)
               : kedge_forget_view(store, f->views.values[0], err);
}

static void tell(void *data)
{
    const forgetting *const f = data;

    if (f->job.common.quiet)
        return;
    if (f->model != NULL)
        complain("model %.63s is forgotten", f->model);
    else
        complain("view %" PRIu64 " is forgotten", f->views.values[0]);
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
    .size = sizeof(forgetting),
    .check = check,
    .mode = KEDGE_OPEN_WRITE,
    .work = work,
    .tell = tell,
};
