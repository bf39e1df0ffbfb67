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
    OPTION(TEXT, "model", AT(model), "NAME",
           "This model; kedge info lists them.", .unset = "none"),
    OPTION(COUNTS, "view", AT(views), "N",
           "The view of this number, with its sketch; kedge info has the "
           "numbers.", .most = UINT32_MAX),
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

const command command_forget = {
    .writes = true,
    .name = "forget",
    .summary = "take a model, or a view with its sketch, out of a store",
    .operands = "STORE",
    .least = 1,
    .most = 1,
    .purpose =
        "Takes a model out of STORE, or a view: the choice of words that "
        "models are made of, and its sketch. Models that were made of a view "
        "stay as they are, and documents are not touched. View 0, which is "
        "made of all words while documents are read with --vocab, does not "
        "come back with later ones: from then on they are stored, the other "
        "views follow them, and fit chooses words as in a store of texts. (A "
        "new view of all words is made by kedge fit --min-df 1 --max-df 1 "
        "--stopwords none.) The phrases of a view keep their places among the "
        "words that kedge info counts, for models may be made of them; kedge "
        "vocab lists them no more, and a later view that finds them has them "
        "there. The room on the disk is used again by what comes, or given "
        "back by kedge compact.",
    .output =
        "Nothing on standard output; on standard error, what is gone.",
    .examples =
        "  kedge forget news --model k50\n"
        "  kedge forget news --view 2\n",
    .options = options,
    .size = sizeof(forgetting),
    .check = check,
    .mode = KEDGE_OPEN_WRITE,
    .work = work,
    .tell = tell,
};
