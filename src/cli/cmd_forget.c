/* SPDX-License-Identifier: MIT */
/* kedge forget: a model, or a view with its sketch, out of a store. */
#include <inttypes.h>

#include <kedge/kedge.h>

#include "complain.h"
#include "task.h"

typedef struct forgetting {
    const char *model;
    counts views;
    common common;
} forgetting;

static int read_line(forgetting *f, arguments *a, int argc, char **argv)
{
    const option options[] = {
        {.name = "model", .kind = OPTION_TEXT, .value = &f->model,
         .argument = "NAME", .unset = "none",
         .help = "This model; kedge info lists them."},
        {.name = "view", .kind = OPTION_COUNTS, .value = &f->views,
         .argument = "N", .most = UINT32_MAX,
         .help = "The view of this number, with its sketch; kedge info has "
                 "the numbers."},
    };

    a->options = options;
    a->count = sizeof options / sizeof *options;
    return options_read(a, argc, argv);
}

static kedge_status forget_from(void *data, kedge_store *store,
                                const kedge_control *control, kedge_error *err)
{
    const forgetting *f = data;

    (void)control;
    return f->model != NULL
               ? kedge_forget_model(store, f->model, err)
               : kedge_forget_view(store, f->views.values[0], err);
}

static void tell(const forgetting *f)
{
    if (f->model != NULL)
        complain("model %.63s is forgotten", f->model);
    else
        complain("view %" PRIu64 " is forgotten", f->views.values[0]);
}

static int forget_run(const command *self, int argc, char **argv)
{
    forgetting f = {0};
    arguments a = {.self = self, .common = &f.common};
    kedge_error err = {0};
    kedge_status st;
    int code;

    common_init(&f.common);
    code = read_line(&f, &a, argc, argv);
    if (code != GO_ON)
        return code;
    if ((f.model != NULL) + f.views.count != 1)
        return complain_usage(self->name, "forget takes one thing at a time: "
                              "--model NAME or --view N");
    st = task_run(a.operands[0], KEDGE_OPEN_WRITE, &f.common, forget_from, &f,
                  &err);
    if (st == KEDGE_OK && !f.common.quiet)
        tell(&f);
    return complain_status(st, &err);
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
    .output = "Nothing on standard output; on standard error, what is gone.",
    .examples =
        "  kedge forget news --model k50\n"
        "  kedge forget news --view 2\n",
    .run = forget_run,
};
