/* SPDX-License-Identifier: MIT */
/* kedge info: what a store holds. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <kedge/kedge.h>

#include "command.h"
#include "keptset.h"
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
    kedge_store_info totals;
} info;

#define AT(member) offsetof(info, member)

static const option options[] = {
    OPTION(TEXT, "model", AT(name), "NAME",
           "Tell about this model instead: options, seed, versions, digests, "
           "figures, and the view that it was made of."),
    OPTION(FLAG, "batches", AT(batches), NULL,
           "Tell about the batches, and the sources of each, instead."),
    OPTION(FLAG, "sources", AT(sources), NULL,
           "Name every source in the table. Without this, more than 10 are "
           "summed by batch, and the newest are named."),
    OPTION_FORMAT("table|json"),
    {.name = NULL},
};

/* Things of a kind, of which a store tells by their number. */
typedef union thing {
    kedge_view_info view;
    kedge_model_info model;
    kedge_part_info part;
    kedge_source_info source;
} thing;

typedef enum kind { VIEWS, MODELS, PARTS, SOURCES } kind;

static const struct {
    const char *key, *result;
} kinds[] = {
    [VIEWS] = {"views", "kedge_view_info"},
    [MODELS] = {"models", "kedge_model_info"},
    [PARTS] = {"parts", "kedge_part_info"},
    [SOURCES] = {"sources", "kedge_source_info"},
};

static uint64_t thing_count(const info *n, kind what)
{
    const kedge_store_info *const t = &n->totals;
    const uint64_t count[] = {[VIEWS] = t->views, [MODELS] = t->models,
                              [PARTS] = t->parts, [SOURCES] = t->sources};

    return count[what];
}

static kedge_status thing_get(const info *n, kind what, uint64_t i, thing *out,
                              kedge_error *err)
{
    switch (what) {
    case VIEWS:
        return kedge_store_get_view(n->store, i, &out->view, err);
    case MODELS:
        return kedge_store_get_model(n->store, i, &out->model, err);
    case PARTS:
        return kedge_store_get_part(n->store, i, &out->part, err);
    default:
        return kedge_store_get_source(n->store, i, &out->source, err);
    }
}

/* Whether compositions are kept with a model, and which. */
static kedge_status find_kept(const info *n, const char *model, bool *is,
                              kedge_kept_info *out, kedge_error *err)
{
    const kedge_status st = kedge_kept_get_info(n->store, model, out, err);

    *is = st == KEDGE_OK;
    return st == KEDGE_ENOTFOUND ? KEDGE_OK : st;
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
    kedge_source_info *sources;
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

static kedge_status batches_load(const info *n, batches *b, kedge_error *err)
{
    kedge_status st = KEDGE_OK;

    b->source_count = n->totals.sources;
    b->sources = claim(b->source_count, sizeof *b->sources);
    b->of = claim(b->source_count, sizeof *b->of);
    b->all = claim(b->source_count, sizeof *b->all);
    for (uint64_t i = 0; i < b->source_count && st == KEDGE_OK; i++)
        st = kedge_store_get_source(n->store, i, &b->sources[i], err);
    if (st == KEDGE_OK)
        gather(b);
    return st;
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
static kedge_status print_batches(const info *n, kedge_error *err)
{
    batches b = {0};
    const kedge_status st = batches_load(n, &b, err);
    const bool all = n->sources || n->batches || b.source_count <= MOST_NAMED;

    if (st == KEDGE_OK && n->job.format == SUMMARY_JSON) {
        json_batches(&b);
    } else if (st == KEDGE_OK && b.source_count > 0) {
        if (n->batches || !all) {
            table_batches(&b, n->batches || b.count < MOST_NAMED
                                  ? 0
                                  : b.count - MOST_NAMED);
            putchar('\n');
        }
        table_sources(&b, all ? 0 : b.source_count - NEWEST_NAMED);
    }
    free(b.sources);
    free(b.of);
    free(b.all);
    return st;
}

/* ---- the table ----------------------------------------------------------- */

/* "  view 1: words in 5 documents or more, ..." */
/* "  view 1: words in 5 documents or more, ..." */
static void view_rule(uint64_t number, bool listed, const char *rule,
                      const char *note)
{
    flow f = {.out = stdout, .indent = 4, .width = text_flow(stdout)};

    f.column = printf("  view %" PRIu64 ": ", number);
    flow_text(&f, !listed           ? "all words"
                  : rule[0] != '\0' ? "words"
                                    : "a list of words");
    flow_text(&f, rule);
    flow_text(&f, note);
    flow_end(&f);
}

/* "(frozen: --freeze, --view) (2 spectra are kept for later fits, in 39.8 MB)"
 */
static void view_kept(const kedge_view_info *v, char *out, size_t size)
{
    figure f, g;

    snprintf(out, size, "%s", v->frozen ? "(frozen: --freeze, --view)" : "");
    if (v->spectra > 0)
        snprintf(out + strlen(out), size - strlen(out),
                 "%s(%s %s kept for later fits, in %s)",
                 v->frozen ? " " : "",
                 v->spectra == 1 ? "a" : figure_count(&f, v->spectra),
                 figure_noun(v->spectra, "spectrum is", "spectra are"),
                 figure_bytes(&g, v->spectra_bytes));
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

/* What there is to tell of one beside its line. */
static kedge_status table_note(const info *n, kind what, const thing *one,
                               kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    kedge_kept_info kept;
    char text[160];
    bool is = false;

    if (what == VIEWS) {
        view_kept(&one->view, text, sizeof text);
        view_rule(one->view.number, one->view.listed, one->view.rule, text);
    } else if (what == MODELS) {
        model_ways(&one->model);
        st = find_kept(n, one->model.name, &is, &kept, err);
    }
    if (is)
        keptset_print(&kept);
    return st;
}

static kedge_status table_things(const info *n, kind what, kedge_error *err)
{
    const uint64_t count = thing_count(n, what);
    kedge_status st = KEDGE_OK;
    table t = {0};
    thing one;

    if (count == 0)
        return KEDGE_OK;
    putchar('\n');
    table_head(&t, kinds[what].result, NULL);
    for (uint64_t i = 0; i < count && st == KEDGE_OK; i++) {
        st = thing_get(n, what, i, &one, err);
        if (st == KEDGE_OK)
            table_row(&t, kinds[what].result, &one, NULL);
    }
    if (st == KEDGE_OK)
        table_print(&t, stdout);
    table_free(&t);
    for (uint64_t i = 0; i < count && st == KEDGE_OK; i++) {
        st = thing_get(n, what, i, &one, err);
        if (st == KEDGE_OK)
            st = table_note(n, what, &one, err);
    }
    return st;
}

static kedge_status print_table(const info *n, kedge_error *err)
{
    kedge_status st = KEDGE_OK;

    table_path(stdout, "store ", n->job.store);
    summary_fields(stdout, "kedge_store_info", &n->totals, ALL_PARTS);
    if (n->totals.cut.texts)
        summary_fields(stdout, "kedge_cut_info", &n->totals.cut, ALL_PARTS);
    for (kind what = VIEWS; what <= PARTS && st == KEDGE_OK; what++)
        st = table_things(n, what, err);
    if (st == KEDGE_OK && n->totals.sources > 0) {
        putchar('\n');
        st = print_batches(n, err);
    }
    return st;
}

/* ---- JSON ---------------------------------------------------------------- */

/* The view that a model was made of is not known of all. */
static kedge_status json_model(jsonout *j, const info *n,
                               const kedge_model_info *m, kedge_error *err)
{
    kedge_kept_info kept;
    kedge_status st;
    bool is;

    json_fields(j, "kedge_model_info", m,
                m->view != KEDGE_NO_VIEW ? ALL_PARTS : ALL_PARTS & ~PART(1));
    st = find_kept(n, m->name, &is, &kept, err);
    if (st == KEDGE_OK && is)
        json_object(j, "kept", "kedge_kept_info", &kept);
    return st;
}

static kedge_status json_things(jsonout *j, const info *n, kind what,
                                kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    thing one;

    json_key_begin(j, kinds[what].key, '[');
    for (uint64_t i = 0; i < thing_count(n, what) && st == KEDGE_OK; i++) {
        st = thing_get(n, what, i, &one, err);
        if (st != KEDGE_OK)
            break;
        json_begin(j, '{');
        if (what == MODELS)
            st = json_model(j, n, &one.model, err);
        else
            json_fields(j, kinds[what].result, &one, ALL_PARTS);
        json_close(j, '}');
    }
    json_close(j, ']');
    return st;
}

static kedge_status print_json(const info *n, kedge_error *err)
{
    static const kind order[] = {SOURCES, PARTS, VIEWS, MODELS};
    jsonout j = json_document(stdout, 2);
    kedge_status st = KEDGE_OK;

    json_key_text(&j, "store", n->job.store);
    json_fields(&j, "kedge_store_info", &n->totals, ALL_PARTS);
    if (n->totals.cut.texts)
        json_object(&j, "cut", "kedge_cut_info", &n->totals.cut);
    for (size_t i = 0; i < sizeof order / sizeof *order && st == KEDGE_OK; i++)
        st = json_things(&j, n, order[i], err);
    json_finish(&j);
    return st;
}

/* ---- one model ----------------------------------------------------------- */

static kedge_status table_model(const info *n, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    kedge_kept_info k;
    thing one;
    bool is;

    for (uint64_t i = 0; st == KEDGE_OK; i++) {
        st = thing_get(n, MODELS, i, &one, err);
        if (st == KEDGE_OK && strcmp(one.model.name, n->name) == 0)
            break;
    }
    if (st != KEDGE_OK)
        return st;
    fputs("model ", stdout);
    text_put(stdout, one.model.name, TEXT_WHOLE);
    putchar('\n');
    summary_fields(stdout, "kedge_model_info", &one, ALL_PARTS & ~PART(3));
    model_ways(&one.model);
    if (one.model.view != KEDGE_NO_VIEW)
        view_rule(one.model.view, one.model.listed, one.model.rule,
                  one.model.view_stays ? "" : "(forgotten since)");
    st = find_kept(n, one.model.name, &is, &k, err);
    if (st == KEDGE_OK && is)
        keptset_print(&k);
    return st;
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
        st = table_model(n, err);
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

static kedge_status show(info *n, kedge_error *err)
{
    kedge_status st = kedge_store_get_info(n->store, &n->totals, err);

    if (st != KEDGE_OK)
        return st;
    if (n->name != NULL)
        return print_model(n, err);
    if (n->batches)
        return print_batches(n, err);
    return n->job.format == SUMMARY_JSON ? print_json(n, err)
                                         : print_table(n, err);
}

static int run(void *data)
{
    info *const n = data;
    kedge_error *const err = &n->job.err;
    kedge_status st =
        kedge_store_open(n->job.store, KEDGE_OPEN_READ, &n->store, err);

    if (st == KEDGE_OK)
        st = show(n, err);
    kedge_store_close(n->store);
    return complain_status(st, err);
}

const command command_info = {
    .name = "info",
    .summary = "tell what is in a store",
    .operands = "STORE",
    .least = 1,
    .most = 1,
    .purpose =
        "Tells what a store holds: totals, the views with their rules and "
        "sketches, the models fitted, with the compositions that are kept "
        "beside them, and the sources that were read; or the batches that its "
        "sources came in. A fit keeps spectra with the view that it is made "
        "of: what most of its time went into, for fits with another number of "
        "topics. They are told with their size; compact gives their room "
        "back.",
    .output = "The figures, on standard output. The JSON has every source; its "
              "keys are stable, the table is not.",
    .examples = "  kedge info news\n"
                "  kedge info news --format json\n"
                "  kedge info news --batches\n"
                "  kedge info news --model k50 --format json\n",
    .options = options,
    .size = sizeof(info),
    .run = run,
};
