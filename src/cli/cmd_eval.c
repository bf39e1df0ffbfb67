/* SPDX-License-Identifier: MIT */
/* kedge eval: how good models are. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <kedge/kedge.h>

#include "command.h"
#include "help.h"
#include "measures.h"

typedef struct eval {
    job job;
    measuring measuring;
    const char *models;
    char *names; /* a copy of it, cut at its commas */
    const char *name[KEDGE_EVAL_MODELS_MOST];
    size_t count;
    bool explain;
    kedge_eval_result *results;
} eval;

#define AT(member) offsetof(eval, member)

static const option options[] = {
    OPTION(TEXT, "model", AT(models), "NAME[,NAME...]",
           "models to measure, side by side", .unset = "last fitted",
           .main = true),
    OPTIONS_OF(measuring_options, AT(measuring)),
    OPTION(FLAG, "explain", AT(explain), NULL,
           "formula and source of each measure", .main = true),
    OPTION_FORMAT("table|tsv|json"),
    {.name = NULL},
};

static void begin(void *data)
{
    measuring_begin(&((eval *)data)->measuring);
}

/* One model of several; GO_ON, or what was complained of. */
static int take_name(eval *e, const char *name)
{
    if (e->count == KEDGE_EVAL_MODELS_MOST)
        return complain_usage("eval", "--model: up to %d models at a time",
                              KEDGE_EVAL_MODELS_MOST);
    if (*name == '\0')
        return complain_usage("eval", "--model: an empty name is no name");
    for (size_t i = 0; i < e->count; i++)
        if (strcmp(e->name[i], name) == 0)
            return complain_usage("eval", "--model: '%s' is named twice",
                                  name);
    e->name[e->count++] = name;
    return GO_ON;
}

static int cut_names(eval *e)
{
    char *rest;
    int code = GO_ON;

    if (e->models == NULL) {
        e->count = 1;
        return GO_ON;
    }
    rest = e->names = claim_text(e->models);
    while (rest != NULL && code == GO_ON) {
        char *const name = rest, *const comma = strchr(rest, ',');
        rest = comma != NULL ? comma + 1 : NULL;
        if (comma != NULL)
            *comma = '\0';
        code = take_name(e, name);
    }
    return code;
}

/* A model of a time when names could have commas. */
static void mend_names(eval *e, kedge_store *store)
{
    kedge_model_info m;

    for (uint64_t i = 0; e->count > 1; i++) {
        if (kedge_store_get_model(store, i, &m, NULL) != KEDGE_OK)
            break;
        if (strcmp(m.name, e->models) != 0)
            continue;
        e->name[0] = e->models;
        e->count = 1;
    }
}

static int check(void *data)
{
    eval *const e = data;

    if (e->explain && e->job.operand_count > 0)
        return complain_usage("eval", "eval --explain takes no STORE: what "
                                      "is '%s'?", e->job.store);
    if (e->explain)
        return GO_ON;
    if (e->job.operand_count == 0)
        return complain_usage("eval", "eval needs STORE");
    measuring_take(&e->measuring);
    e->results = claim(KEDGE_EVAL_MODELS_MOST, sizeof *e->results);
    return cut_names(e);
}

static void print_json(const eval *e)
{
    jsonout j = json_document(stdout, 4);

    json_key_begin(&j, "models", '[');
    for (size_t i = 0; i < e->count; i++) {
        json_begin(&j, '{');
        measures_json(&j, &e->results[i]);
        json_close(&j, '}');
    }
    json_close(&j, ']');
    json_finish(&j);
}

static void tell(void *data)
{
    const eval *const e = data;

    if (e->job.format == FORMAT_JSON)
        print_json(e);
    else if (e->job.format == FORMAT_TSV)
        measures_tsv(e->results, e->count);
    else
        measures_table(e->results, e->count);
}

static kedge_status work(void *data, kedge_store *store,
                         const kedge_control *control, kedge_error *err)
{
    eval *const e = data;

    mend_names(e, store);
    return kedge_eval(store, e->name, e->count, &e->measuring.opts, control,
                      e->results, err);
}

static int run(void *data)
{
    eval *const e = data;
    nearest unused = {0};

    if (!e->explain)
        return job_work(&e->job);
    if (e->job.format == FORMAT_JSON) {
        jsonout j = json_document(stdout, 2);
        measures_explain_json(&j);
        json_finish(&j);
    } else {
        help_topic("measures", &unused);
    }
    return EXIT_OK;
}

static void end(void *data)
{
    eval *const e = data;

    free(e->results);
    free(e->names);
}

const command command_eval = {
    .name = "eval",
    .group = GROUP_LOOK,
    .summary = "measure models",
    .operands = "STORE",
    .least = 0,
    .most = 1,
    .purpose =
        "Measures one model, or several side by side, in one pass over the "
        "store: coherence, topic diversity, document completion, how well the model "
        "approximates the co-occurrence, and clustering where documents have "
        "labels. 'kedge help measures' explains each.",
    .examples = "  kedge eval news\n"
                "  kedge eval news --model k20,k50 --format json\n",
    .see = "measures",
    .options = options,
    .size = sizeof(eval),
    .begin = begin,
    .check = check,
    .run = run,
    .mode = KEDGE_OPEN_READ,
    .work = work,
    .tell = tell,
    .end = end,
};
