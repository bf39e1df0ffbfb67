/* SPDX-License-Identifier: MIT */
/* kedge report: a model as one page. */
#include <stdio.h>
#include <string.h>

#include <kedge/kedge.h>

#include "complain.h"
#include "figures.h"
#include "keptset.h"
#include "options.h"
#include "task.h"

typedef struct reporting {
    const char *name, *path;
    kedge_report_opts opts;
    bool quick;
    common common;
    kedge_report_result result;
    char model[64];
} reporting;

static int read_line(reporting *r, arguments *a, int argc, char **argv)
{
    const option options[] = {
        {.name = "output", .letter = 'o', .kind = OPTION_TEXT,
         .value = &r->path, .argument = "FILE.html",
         .help = "The page; replaced when there is one. Needed."},
        {.name = "model", .kind = OPTION_TEXT, .value = &r->name,
         .argument = "NAME", .unset = "the one fitted last",
         .help = "Which model; kedge info lists them."},
        {.name = "documents", .kind = OPTION_COUNT,
         .value = &r->opts.documents, .argument = "D",
         .most = KEDGE_REPORT_DOCUMENTS_MOST,
         .help = "Typical documents of each topic, where 'kedge infer --keep' "
                 "keeps compositions; 0: none."},
        {.name = "quick", .kind = OPTION_FLAG, .value = &r->quick,
         .help = "Without the pass over the stored documents that measures "
                 "topics and models."},
    };

    a->options = options;
    a->count = sizeof options / sizeof *options;
    return options_read(a, argc, argv);
}

static kedge_status make(void *data, kedge_store *store,
                         const kedge_control *control, kedge_error *err)
{
    reporting *const r = data;
    kedge_model *model = NULL;
    kedge_kept_info kept;
    kedge_status st;

    st = kedge_model_load(store, r->name, control, &model, err);
    if (st != KEDGE_OK)
        return st;
    snprintf(r->model, sizeof r->model, "%s", kedge_model_name(model));
    if (!r->common.quiet &&
        kedge_kept_get_info(store, r->model, &kept, NULL) == KEDGE_OK)
        keptset_warn(&kept);
    st = kedge_report(store, model, r->path, &r->opts, control, &r->result,
                      err);
    kedge_model_free(model);
    return st;
}

static void tell(const reporting *r)
{
    figure bytes;

    complain("report of model %s written to %s, %s; any browser opens it",
             r->model, r->path, figure_bytes(&bytes, r->result.bytes));
    if (!r->result.compositions)
        complain("with compositions kept ('kedge infer STORE --keep') it also "
                 "has typical documents");
}

static int report_run(const command *self, int argc, char **argv)
{
    reporting r = {0};
    arguments a = {.self = self, .common = &r.common};
    kedge_error err = {0};
    kedge_status st;
    int code;

    common_init(&r.common);
    kedge_report_opts_init(&r.opts);
    code = read_line(&r, &a, argc, argv);
    if (code != GO_ON)
        return code;
    if (r.path == NULL)
        return complain_usage(self->name,
                              "report needs a file, as in -o report.html");
    if (strcmp(r.path, "-") == 0)
        return complain_usage(self->name,
                              "the page goes to a file, not to standard "
                              "output: name one, as in -o report.html");
    r.opts.measures = !r.quick;
    st = task_run(a.operands[0], KEDGE_OPEN_READ, &r.common, make, &r, &err);
    if (st == KEDGE_OK && !r.common.quiet)
        tell(&r);
    return complain_status(st, &err);
}

const command command_report = {
    .name = "report",
    .summary = "write a page that shows a model",
    .operands = "STORE -o FILE.html",
    .least = 1,
    .most = 1,
    .purpose =
        "Writes a model as one page for a browser: a file that holds all it "
        "needs and asks nothing of a network, so it can be sent and kept. It "
        "has a map of the topics, their words with a slider from frequent to "
        "telling ones, a search for words, the correlations in an order that "
        "shows groups, measures of each topic, and how the model was made. "
        "Where compositions are kept ('kedge infer --keep'), also typical "
        "documents of each topic; where there are several batches, how large "
        "topics are in each; and where there are models of other numbers of "
        "topics that were fitted alike, as after 'kedge sweep', curves that "
        "compare them.",
    .details =
        "The page is a function of the store and the options: the same bytes "
        "each time. It can be used by keyboard and read aloud, on a phone and "
        "printed.",
    .output = "FILE.html. Nothing on standard output.",
    .examples =
        "  kedge report news -o news.html\n"
        "  kedge report news --model k50 -o k50.html --documents 10\n",
    .run = report_run,
};
