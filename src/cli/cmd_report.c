/* SPDX-License-Identifier: MIT */
/* kedge report: a model as one page. */
#include <stdio.h>
#include <string.h>

#include <kedge/kedge.h>

#include "command.h"

typedef struct reporting {
    job job;
    const char *name, *path;
    kedge_report_opts opts;
    bool quick;
    kedge_report_result result;
    char model[64];
} reporting;

#define AT(member) offsetof(reporting, member)

static const option options[] = {
    OPTION(TEXT, "output", AT(path), "FILE.html",
           "The page; replaced when there is one. Needed.", .letter = 'o'),
    OPTION_OF_MODEL(AT(name)),
    OPTION(COUNT, "documents", AT(opts.documents), "D",
           "Typical documents of each topic, where 'kedge infer --keep' keeps "
           "compositions; 0: none.", .most = KEDGE_REPORT_DOCUMENTS_MOST),
    OPTION(FLAG, "quick", AT(quick), NULL,
           "Without the pass over the stored documents that measures topics "
           "and models."),
    {.name = NULL},
};

static void begin(void *data)
{
    kedge_report_opts_init(&((reporting *)data)->opts);
}

static int check(void *data)
{
    reporting *const r = data;

    if (r->path == NULL)
        return complain_usage("report",
                              "report needs a file, as in -o report.html");
    if (strcmp(r->path, "-") == 0)
        return complain_usage("report",
                              "the page goes to a file, not to standard "
                              "output: name one, as in -o report.html");
    r->opts.measures = !r->quick;
    return GO_ON;
}

static kedge_status work(void *data, kedge_store *store,
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
    if (!r->job.common.quiet &&
        kedge_kept_get_info(store, r->model, &kept, NULL) == KEDGE_OK)
        keptset_warn(&kept);
    st = kedge_report(store, model, r->path, &r->opts, control, &r->result,
                      err);
    kedge_model_free(model);
    return st;
}

static void tell(void *data)
{
    const reporting *const r = data;
    figure bytes;

    if (r->job.common.quiet)
        return;
    complain("report of model %s written to %s, %s; any browser opens it",
             r->model, r->path, figure_bytes(&bytes, r->result.bytes));
    if (!r->result.compositions)
        complain("with compositions kept ('kedge infer STORE --keep') it also "
                 "has typical documents");
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
    .output =
        "FILE.html. Nothing on standard output.",
    .examples =
        "  kedge report news -o news.html\n"
        "  kedge report news --model k50 -o k50.html --documents 10\n",
    .options = options,
    .size = sizeof(reporting),
    .begin = begin,
    .check = check,
    .mode = KEDGE_OPEN_READ,
    .work = work,
    .tell = tell,
};
