/* SPDX-License-Identifier: MIT */
/* kedge info: what a store holds. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <kedge/kedge.h>

#include "command.h"
#include "plaintext.h"
#include "progress.h"

/* More sources than MOST_NAMED are summed by batch, and only the newest are
 * named. */
enum { MOST_NAMED = 10, NEWEST_NAMED = 5, BATCH_COLUMNS = 10 };

typedef struct info {
    job job;
    const char *name;
    bool batches, sources;
    kedge_store *store;
    kedge_store_info totals; /* and each of what it has: */
    kedge_index_info *index;
    kedge_model_info *model;
    kedge_saved_info *kept; /* by model; one without a name is none */
    kedge_part_info *part;
    kedge_source_info *source;
} info;

#define AT(member) offsetof(info, member)

static const option options[] = {
    OPTION(TEXT, "model", AT(name), "NAME",
           "options, digests and figures of a model", .main = true),
    OPTION(FLAG, "batches", AT(batches), NULL,
           "the batches with their sources", .main = true),
    OPTION(FLAG, "sources", AT(sources), NULL,
           "all sources, not only ten", .main = true),
    OPTION_FORMAT("table|json"),
    {.name = NULL},
};

static kedge_status load(info *n, kedge_error *err)
{
    const kedge_store_info *const t = &n->totals;
    kedge_status st = kedge_store_get_info(n->store, &n->totals, err);

    n->index = claim(t->indexes, sizeof *n->index);
    n->model = claim(t->models, sizeof *n->model);
    n->kept = claim(t->models, sizeof *n->kept);
    n->part = claim(t->parts, sizeof *n->part);
    n->source = claim(t->sources, sizeof *n->source);
    for (uint64_t i = 0; i < t->indexes && st == KEDGE_OK; i++)
        st = kedge_store_get_index(n->store, i, &n->index[i], err);
    for (uint64_t i = 0; i < t->parts && st == KEDGE_OK; i++)
        st = kedge_store_get_part(n->store, i, &n->part[i], err);
    for (uint64_t i = 0; i < t->sources && st == KEDGE_OK; i++)
        st = kedge_store_get_source(n->store, i, &n->source[i], err);
    for (uint64_t i = 0; i < t->models && st == KEDGE_OK; i++) {
        st = kedge_store_get_model(n->store, i, &n->model[i], err);
        if (st == KEDGE_OK)
            st = kedge_saved_get_info(n->store, n->model[i].name, &n->kept[i],
                                      err);
        if (st == KEDGE_ENOTFOUND)
            st = KEDGE_OK;
    }
    return st;
}

/* ---- batches ------------------------------------------------------------- */

/* A batch: its sources added up. */
typedef struct batch {
    char name[64];
    uint64_t sources, documents, tokens, removed, when;
    uint64_t gone; /* sources that were taken out */
    bool interrupted;
} batch;

typedef struct batches {
    const kedge_source_info *sources;
    size_t *of; /* by source: its batch */
    batch *all;
    uint64_t source_count, count;
} batches;

static const char *state_text(bool removed, bool interrupted)
{
    return removed ? "removed" : interrupted ? "interrupted" : "complete";
}

static void add_source(batch *b, const kedge_source_info *s)
{
    b->sources++;
    b->documents += s->documents;
    b->tokens += s->tokens;
    b->interrupted |= !s->removed && !s->complete;
    b->removed += s->removed_documents;
    b->gone += s->removed;
    if (s->when > b->when)
        b->when = s->when;
}

/* Batches are numbered by their first sources. One is most often that of the
 * source before. */
static void gather(batches *b)
{
    for (uint64_t i = 0; i < b->source_count; i++) {
        const kedge_source_info *const s = &b->sources[i];
        uint64_t at = b->count;

        while (at > 0 && strcmp(b->all[at - 1].name, s->batch) != 0)
            at--;
        if (at == 0) {
            at = ++b->count;
            memcpy(b->all[at - 1].name, s->batch, sizeof s->batch);
        }
        b->of[i] = at - 1;
        add_source(&b->all[at - 1], s);
    }
}

/* "  and 2,488 more before these: --sources lists all" */
static void table_earlier(uint64_t more, const char *lists)
{
    figure f;

    if (more > 0)
        printf("  and %s more before %s: %s lists all\n",
               figure_count(&f, more), more == 1 ? "it" : "these", lists);
}

static void table_sources(const batches *b, uint64_t from)
{
    table t = {.paths = true, .most[1] = BATCH_COLUMNS};

    table_head(&t, "kedge_source_info", "state");
    for (uint64_t i = from; i < b->source_count; i++)
        table_row(&t, "kedge_source_info", &b->sources[i],
                  state_text(b->sources[i].removed, !b->sources[i].complete));
    table_print(&t, stdout);
    table_free(&t);
    table_earlier(from, "--sources");
}

static void table_batches(const batches *b, uint64_t from)
{
    table t = {.columns = 7};

    table_add(&t, (const char *const[]){"batches", "sources", "documents",
                                        "tokens", "removed", "written (UTC)",
                                        "state"});
    for (uint64_t i = from; i < b->count; i++) {
        const batch *const one = &b->all[i];
        figure f[5];

        table_add(&t, (const char *const[]){
                          one->name[0] != '\0' ? one->name : "no batch",
                          figure_count(&f[0], one->sources),
                          figure_count(&f[1], one->documents),
                          figure_count(&f[2], one->tokens),
                          figure_count(&f[3], one->removed),
                          figure_date(&f[4], one->when),
                          state_text(one->gone == one->sources,
                                     one->interrupted)});
    }
    table_print(&t, stdout);
    table_free(&t);
    table_earlier(from, "--batches");
}

static void json_batches(const batches *b)
{
    jsonout j = json_document(stdout, 4);

    json_key_begin(&j, "batches", '[');
    for (uint64_t number = 0; number < b->count; number++) {
        const batch *const one = &b->all[number];

        json_begin(&j, '{');
        json_key_text(&j, "name", one->name);
        json_key_count(&j, "documents", one->documents);
        json_key_count(&j, "tokens", one->tokens);
        json_key_count(&j, "when", one->when);
        json_key_bool(&j, "removed", one->gone == one->sources);
        json_key_count(&j, "removed_documents", one->removed);
        json_key_begin(&j, "sources", '[');
        for (uint64_t i = 0; i < b->source_count; i++)
            if (b->of[i] == number)
                json_object(&j, NULL, "kedge_source_info", &b->sources[i]);
        json_close(&j, ']');
        json_close(&j, '}');
    }
    json_close(&j, ']');
    json_finish(&j);
}

/* All batches with all sources; or of many the newest. */
static void print_batches(const info *n)
{
    const uint64_t count = n->totals.sources;
    batches b = {.sources = n->source, .source_count = count,
                 .of = claim(count, sizeof *b.of),
                 .all = claim(count, sizeof *b.all)};
    const bool all = n->sources || n->batches || count <= MOST_NAMED;

    gather(&b);
    if (n->job.format == SUMMARY_JSON) {
        json_batches(&b);
    } else if (count > 0) {
        if (n->batches || !all) {
            table_batches(&b, n->batches || b.count < MOST_NAMED
                                  ? 0
                                  : b.count - MOST_NAMED);
            putchar('\n');
        }
        table_sources(&b, all ? 0 : count - NEWEST_NAMED);
    }
    free(b.of);
    free(b.all);
}

/* ---- the table ----------------------------------------------------------- */

/* "  index 1: words in 5 documents or more, ...", which may go on. */
static flow index_rule(uint64_t number, bool listed, const char *rule)
{
    flow f = {.out = stdout, .indent = 4, .width = text_flow(stdout)};

    f.column = printf("  index %" PRIu64 ": ", number);
    flow_text(&f, !listed           ? "all words"
                  : rule[0] != '\0' ? "words"
                                    : "a list of words");
    flow_text(&f, rule);
    return f;
}

/* "(frozen: --freeze, --index) (2 spectra are kept for later fits, in 39.8 MB)"
 */
static void table_index(const kedge_index_info *v)
{
    flow f = index_rule(v->number, v->listed, v->rule);
    figure g, h;

    if (v->frozen)
        flow_text(&f, "(frozen: --freeze, --index)");
    if (v->spectra > 0)
        flow_print(&f, "(%s %s kept for later fits, in %s)",
                   v->spectra == 1 ? "a" : figure_count(&g, v->spectra),
                   figure_noun(v->spectra, "spectrum is", "spectra are"),
                   figure_bytes(&h, v->spectra_bytes));
    flow_end(&f);
}

/* "  k12: rectify ap, anchors xray" */
static void model_ways(const kedge_model_info *m)
{
    flow f = {.out = stdout, .indent = 4, .width = text_flow(stdout)};

    if (m->ways[0] == '\0')
        return;
    fputs("  ", stdout);
    f.column = 4 + text_put(stdout, m->name, 40);
    fputs(": ", stdout);
    flow_text(&f, m->ways);
    flow_end(&f);
}

static void table_model(const info *n, uint64_t i)
{
    model_ways(&n->model[i]);
    if (n->kept[i].model[0] != '\0')
        keptset_print(&n->kept[i]);
}

static void print_table(const info *n)
{
    const kedge_store_info *const t = &n->totals;

    table_path(stdout, "store ", n->job.store);
    summary_fields(stdout, "kedge_store_info", t, ALL_PARTS);
    if (t->tokenizer.texts)
        summary_fields(stdout, "kedge_tokenizer_info", &t->tokenizer,
                       ALL_PARTS);
    table_all("kedge_index_info", n->index, t->indexes);
    for (uint64_t i = 0; i < t->indexes; i++)
        table_index(&n->index[i]);
    table_all("kedge_model_info", n->model, t->models);
    for (uint64_t i = 0; i < t->models; i++)
        table_model(n, i);
    table_all("kedge_part_info", n->part, t->parts);
    if (t->sources > 0)
        putchar('\n');
    print_batches(n);
}

/* ---- JSON ---------------------------------------------------------------- */

/* The index that a model was made of is not known of all. */
static void json_models(jsonout *j, const info *n)
{
    json_key_begin(j, "models", '[');
    for (uint64_t i = 0; i < n->totals.models; i++) {
        const kedge_model_info *const m = &n->model[i];

        json_begin(j, '{');
        json_fields(j, "kedge_model_info", m,
                    m->index != KEDGE_NO_INDEX ? ALL_PARTS
                                             : ALL_PARTS & ~PART(1));
        if (n->kept[i].model[0] != '\0')
            json_object(j, "saved", "kedge_saved_info", &n->kept[i]);
        json_close(j, '}');
    }
    json_close(j, ']');
}

static void print_json(const info *n)
{
    const kedge_store_info *const t = &n->totals;
    jsonout j = json_document(stdout, 2);

    json_key_text(&j, "store", n->job.store);
    json_fields(&j, "kedge_store_info", t, ALL_PARTS);
    if (t->tokenizer.texts)
        json_object(&j, "tokenizer", "kedge_tokenizer_info", &t->tokenizer);
    json_array(&j, "sources", "kedge_source_info", n->source, t->sources);
    json_array(&j, "parts", "kedge_part_info", n->part, t->parts);
    json_array(&j, "indexes", "kedge_index_info", n->index, t->indexes);
    json_models(&j, n);
    json_finish(&j);
}

/* ---- one model ----------------------------------------------------------- */

static void print_figures(const info *n)
{
    const kedge_model_info *m;
    uint64_t i = 0;

    while (i < n->totals.models && strcmp(n->model[i].name, n->name) != 0)
        i++;
    if (i == n->totals.models)
        return;
    m = &n->model[i];
    fputs("model ", stdout);
    text_put(stdout, m->name, TEXT_WHOLE);
    putchar('\n');
    summary_fields(stdout, "kedge_model_info", m, ALL_PARTS & ~PART(3));
    table_model(n, i);
    if (m->index != KEDGE_NO_INDEX) {
        flow f = index_rule(m->index, m->listed, m->rule);
        flow_text(&f, m->index_stays ? "" : "(deleted since)");
        flow_end(&f);
    }
}

static kedge_status print_model(const info *n, kedge_error *err)
{
    kedge_model *model;
    kedge_status st;
    char *text;
    watch w;

    watch_begin(&w, &n->job.common);
    st = kedge_model_load(n->store, n->name, &w.control, &model, err);
    st = watch_end(&w, st, err);
    if (st != KEDGE_OK)
        return st;
    if (n->job.format == SUMMARY_TABLE) {
        print_figures(n);
    } else {
        st = kedge_model_stored_json(model, &text, err);
        if (st == KEDGE_OK) {
            const size_t size = strlen(text);

            fwrite(text, 1, size, stdout);
            if (size == 0 || text[size - 1] != '\n')
                putchar('\n');
            kedge_free(text);
        }
    }
    kedge_model_free(model);
    return st;
}

/* ---- the command --------------------------------------------------------- */

static int run(void *data)
{
    info *const n = data;
    kedge_error *const err = &n->job.err;
    kedge_status st =
        kedge_store_open(n->job.store, KEDGE_OPEN_READ, &n->store, err);

    if (st == KEDGE_OK)
        st = load(n, err);
    if (st == KEDGE_OK && n->name != NULL)
        st = print_model(n, err);
    else if (st == KEDGE_OK && n->batches)
        print_batches(n);
    else if (st == KEDGE_OK && n->job.format == SUMMARY_JSON)
        print_json(n);
    else if (st == KEDGE_OK)
        print_table(n);
    kedge_store_close(n->store);
    return complain_status(st, err);
}

static void end(void *data)
{
    info *const n = data;

    free(n->index);
    free(n->model);
    free(n->kept);
    free(n->part);
    free(n->source);
}

const command command_info = {
    .name = "info",
    .group = GROUP_LOOK,
    .summary = "show what is in a store",
    .operands = "STORE",
    .least = 1,
    .most = 1,
    .purpose =
        "Shows what a store holds: totals, indexes with their words and "
        "sketches, models with their saved proportions, and sources. Spectra "
        "are kept for faster fits; 'kedge compact' frees them. The JSON lists "
        "all sources.",
    .examples = "  kedge info news\n"
                "  kedge info news --model k50 --format json\n",
    .options = options,
    .size = sizeof(info),
    .run = run,
    .end = end,
};
