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
           "the page; replaced if it exists", .letter = 'o', .main = true),
    OPTION_OF_MODEL(AT(name)),
    OPTION(COUNT, "documents", AT(opts.documents), "D",
           "typical documents of each topic",
           .most = KEDGE_REPORT_DOCUMENTS_MOST, .main = true),
    OPTION(FLAG, "quick", AT(quick), NULL,
           "no measures, so no pass over the store", .main = true),
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
    kedge_saved_info kept;
    kedge_status st;

    st = kedge_model_load(store, r->name, control, &model, err);
    if (st != KEDGE_OK)
        return st;
    snprintf(r->model, sizeof r->model, "%s", kedge_model_name(model));
    if (!r->job.common.quiet &&
        kedge_saved_get_info(store, r->model, &kept, NULL) == KEDGE_OK)
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
    if (!r->result.doc_topics)
        complain("after 'kedge infer STORE --save' a report also has typical "
                 "documents");
}

const command command_report = {
    .name = "report",
    .group = GROUP_SHARE,
    .summary = "write a model as a web page",
    .operands = "STORE -o FILE.html",
    .least = 1,
    .most = 1,
    .purpose =
        "Writes a model as one HTML file that needs no network: a map of the "
        "topics, their words, a search, topic co-occurrence and measures. "
        "After 'kedge infer --save' it has typical documents, with several "
        "batches the topics over batches, and after 'kedge sweep' curves over "
        "the number of topics.",
    .examples = "  kedge report news -o news.html\n"
                "  kedge report news --model k50 -o k50.html --documents 10\n",
    .options = options,
    .size = sizeof(reporting),
    .begin = begin,
    .check = check,
    .mode = KEDGE_OPEN_READ,
    .work = work,
    .tell = tell,
};
