/* SPDX-License-Identifier: MIT */
/* kedge info: what a store holds. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <kedge/kedge.h>

#include "batches.h"
#include "complain.h"
#include "figures.h"
#include "jsonout.h"
#include "keptset.h"
#include "options.h"
#include "plaintext.h"
#include "table.h"
#include "watch.h"

enum { FORMAT_TABLE, FORMAT_JSON };

typedef struct info {
    const char *path, *name;
    unsigned format;
    bool batches, sources;
    common common;
    kedge_store *store;
    kedge_store_info totals;
} info;

static int read_line(info *n, arguments *a, int argc, char **argv)
{
    const option options[] = {
        {.name = "model", .kind = OPTION_TEXT, .value = &n->name,
         .argument = "NAME",
         .help = "Tell about this model instead: options, seed, versions, "
                 "digests, figures, and the view that it was made of."},
        {.name = "batches", .kind = OPTION_FLAG, .value = &n->batches,
         .help = "Tell about the batches, and the sources of each, instead."},
        {.name = "sources", .kind = OPTION_FLAG, .value = &n->sources,
         .help = "Name every source in the table. Without this, more than 10 "
                 "are summed by batch, and the newest are named."},
        {.name = "format", .kind = OPTION_CHOICE, .value = &n->format,
         .argument = "table|json", .help = "What to print."},
    };

    a->options = options;
    a->count = sizeof options / sizeof *options;
    return options_read(a, argc, argv);
}

static const char *digest_text(figure *out, const uint64_t digest[2])
{
    snprintf(out->text, sizeof out->text, "%016" PRIx64 "%016" PRIx64,
             digest[0], digest[1]);
    return out->text;
}

/* ---- the table ----------------------------------------------------------- */

/* "letters, 2 to 64 characters; stemmed: english; stop words: ..." */
static void table_cut(const kedge_cut_info *c)
{
    flow f = {.out = stdout, .indent = 13, .width = text_flow(stdout)};
    char text[256];

    if (!c->texts)
        return;
    f.column = printf("  texts      ");
    snprintf(text, sizeof text,
             "cut into words of %" PRIu64 " to %" PRIu64
             " characters, %s digits, %s%s",
             c->shortest, c->longest, c->digits ? "with" : "without",
             c->stemmer[0] != '\0' ? "stemmed: " : "not stemmed",
             c->stemmer);
    flow_text(&f, text);
    if (c->stop_count > 0) {
        snprintf(text, sizeof text, ", without %" PRIu64 " stop %s: ",
                 c->stop_count, figure_noun(c->stop_count, "word", "words"));
        flow_text(&f, text + 1);
        flow_word(&f, c->stopwords);
    }
    flow_end(&f);
}

/* Documents that are elsewhere. */
static kedge_status table_parts(const info *n, kedge_error *err)
{
    static const char *const head[] = {"parts elsewhere", "documents",
                                       "tokens", "non-zeros"};
    table t = {.columns = 4};
    kedge_status st = KEDGE_OK;

    table_add(&t, head);
    for (uint64_t i = 0; i < n->totals.parts && st == KEDGE_OK; i++) {
        kedge_part_info p;
        figure f[3];

        st = kedge_store_get_part(n->store, i, &p, err);
        if (st == KEDGE_OK)
            table_add(&t, (const char *const[]){
                              p.name, figure_count(&f[0], p.documents),
                              figure_count(&f[1], p.tokens),
                              figure_count(&f[2], p.nonzeros)});
    }
    if (st == KEDGE_OK)
        table_print(&t, stdout);
    table_free(&t);
    return st;
}

static void table_totals(const info *n)
{
    const kedge_store_info *t = &n->totals;
    figure f;

    table_path(stdout, "store ", n->path);
    summary_line(stdout, "documents", figure_count(&f, t->documents), NULL);
    if (t->parts > 0)
        summary_line(stdout, "elsewhere", figure_count(&f, t->elsewhere),
                     figure_noun(t->elsewhere, "of them, in a part",
                                 "of them, in parts that came as sketches"));
    if (t->removed > 0)
        summary_line(stdout, "removed", figure_count(&f, t->removed),
                     figure_noun(t->removed,
                                 "document, since the store was made",
                                 "documents, since the store was made"));
    summary_line(stdout, "tokens", figure_count(&f, t->tokens), NULL);
    summary_line(stdout, "non-zeros", figure_count(&f, t->nonzeros),
                 figure_noun(t->nonzeros, "pair of a document and a word",
                             "pairs of a document and a word"));
    summary_line(stdout, "words", figure_count(&f, t->words), NULL);
    summary_line(stdout, "blocks", figure_count(&f, t->blocks), NULL);
    summary_line(stdout, "on disk", figure_bytes(&f, t->bytes), NULL);
    summary_line(stdout, "format", figure_count(&f, t->format), NULL);
    printf("  digest     %s\n", digest_text(&f, t->digest));
    table_cut(&t->cut);
}

static void add_view(table *t, const kedge_view_info *v)
{
    char name[48], seed[24];
    figure f[4];

    snprintf(name, sizeof name, "view %" PRIu64 ", %s", v->number,
             v->statistic);
    snprintf(seed, sizeof seed, "%" PRIu64, v->seed);
    table_add(t, (const char *const[]){
                     name, figure_count(&f[0], v->words),
                     figure_count(&f[1], v->width), seed,
                     figure_count(&f[2], v->documents),
                     figure_count(&f[3], v->skipped),
                     v->current ? "current" : "behind"});
}

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

static kedge_status table_rules(const info *n, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    kedge_view_info v;
    char kept[160];

    for (uint64_t i = 0; i < n->totals.views && st == KEDGE_OK; i++) {
        st = kedge_store_get_view(n->store, i, &v, err);
        if (st != KEDGE_OK)
            break;
        view_kept(&v, kept, sizeof kept);
        view_rule(v.number, v.listed, v.rule, kept);
    }
    return st;
}

static kedge_status table_views(const info *n, kedge_error *err)
{
    static const char *const head[] = {"sketches",  "words",   "width", "seed",
                                       "documents", "skipped", "state"};
    table t = {.columns = 7};
    kedge_status st = KEDGE_OK;

    table_add(&t, head);
    for (uint64_t i = 0; i < n->totals.views && st == KEDGE_OK; i++) {
        kedge_view_info v;

        st = kedge_store_get_view(n->store, i, &v, err);
        if (st == KEDGE_OK)
            add_view(&t, &v);
    }
    if (st == KEDGE_OK)
        table_print(&t, stdout);
    table_free(&t);
    return st == KEDGE_OK ? table_rules(n, err) : st;
}

/* Whether compositions are kept with a model, and which. */
static kedge_status find_kept(const info *n, const char *model, bool *is,
                              kedge_kept_info *out, kedge_error *err)
{
    const kedge_status st = kedge_kept_get_info(n->store, model, out, err);

    *is = st == KEDGE_OK;
    return st == KEDGE_ENOTFOUND ? KEDGE_OK : st;
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

/* What there is to tell of some models beside the table. */
static kedge_status table_notes(const info *n, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    kedge_model_info m;
    kedge_kept_info k;
    bool is;

    for (uint64_t i = 0; i < n->totals.models && st == KEDGE_OK; i++) {
        st = kedge_store_get_model(n->store, i, &m, err);
        if (st == KEDGE_OK) {
            model_ways(&m);
            st = find_kept(n, m.name, &is, &k, err);
        }
        if (st == KEDGE_OK && is)
            keptset_print(&k);
    }
    return st;
}

static kedge_status table_models(const info *n, kedge_error *err)
{
    static const char *const head[] = {"models",    "topics",   "words",
                                       "documents", "residual", "sum of A",
                                       "state"};
    table t = {.columns = 7};
    kedge_status st = KEDGE_OK;

    table_add(&t, head);
    for (uint64_t i = 0; i < n->totals.models && st == KEDGE_OK; i++) {
        kedge_model_info m;
        figure f[5];

        st = kedge_store_get_model(n->store, i, &m, err);
        if (st != KEDGE_OK)
            break;
        table_add(&t, (const char *const[]){
                          m.name, figure_count(&f[0], m.topics),
                          figure_count(&f[1], m.words),
                          figure_count(&f[2], m.documents),
                          figure_real(&f[3], m.eigenspace_error),
                          figure_real(&f[4], m.sum_correlations),
                          m.current ? "current" : "behind"});
    }
    if (st == KEDGE_OK)
        table_print(&t, stdout);
    table_free(&t);
    return st == KEDGE_OK ? table_notes(n, err) : st;
}

static kedge_status print_table(const info *n, kedge_error *err)
{
    kedge_status st = KEDGE_OK;

    table_totals(n);
    if (st == KEDGE_OK && n->totals.views > 0) {
        putchar('\n');
        st = table_views(n, err);
    }
    if (st == KEDGE_OK && n->totals.models > 0) {
        putchar('\n');
        st = table_models(n, err);
    }
    if (st == KEDGE_OK && n->totals.parts > 0) {
        putchar('\n');
        st = table_parts(n, err);
    }
    if (st == KEDGE_OK && n->totals.sources > 0) {
        putchar('\n');
        st = sources_print(n->store, n->sources, err);
    }
    return st;
}

/* ---- JSON ---------------------------------------------------------------- */

static void json_cut(jsonout *j, const kedge_cut_info *c)
{
    if (!c->texts)
        return;
    json_key(j, "cut");
    json_begin(j, '{');
    json_key_count(j, "shortest", c->shortest);
    json_key_count(j, "longest", c->longest);
    json_key_bool(j, "digits", c->digits);
    json_key_text(j, "stem", c->stemmer);
    json_key_text(j, "stopwords", c->stopwords);
    json_key_count(j, "stopword_count", c->stop_count);
    json_close(j, '}');
}

static kedge_status json_parts(jsonout *j, const info *n, kedge_error *err)
{
    json_key(j, "parts");
    json_begin(j, '[');
    for (uint64_t i = 0; i < n->totals.parts; i++) {
        kedge_part_info p;
        figure f;
        const kedge_status st = kedge_store_get_part(n->store, i, &p, err);

        if (st != KEDGE_OK)
            return st;
        json_begin(j, '{');
        json_key_text(j, "name", p.name);
        json_key_count(j, "documents", p.documents);
        json_key_count(j, "tokens", p.tokens);
        json_key_count(j, "nonzeros", p.nonzeros);
        json_key_text(j, "digest", digest_text(&f, p.digest));
        json_key_count(j, "when", p.when);
        json_close(j, '}');
    }
    json_close(j, ']');
    return KEDGE_OK;
}

static kedge_status json_sources(jsonout *j, const info *n, kedge_error *err)
{
    kedge_source_info s;
    kedge_status st;

    json_key(j, "sources");
    json_begin(j, '[');
    for (uint64_t i = 0; i < n->totals.sources; i++) {
        st = kedge_store_get_source(n->store, i, &s, err);
        if (st != KEDGE_OK)
            return st;
        json_source(j, &s);
    }
    json_close(j, ']');
    return KEDGE_OK;
}

static kedge_status json_views(jsonout *j, const info *n, kedge_error *err)
{
    kedge_view_info v;
    kedge_status st;

    json_key(j, "views");
    json_begin(j, '[');
    for (uint64_t i = 0; i < n->totals.views; i++) {
        st = kedge_store_get_view(n->store, i, &v, err);
        if (st != KEDGE_OK)
            return st;
        json_begin(j, '{');
        json_key_count(j, "number", v.number);
        json_key_bool(j, "listed", v.listed);
        json_key_bool(j, "frozen", v.frozen);
        json_key_text(j, "rule", v.rule);
        json_key_text(j, "statistic", v.statistic);
        json_key_count(j, "words", v.words);
        json_key_count(j, "width", v.width);
        json_key_count(j, "seed", v.seed);
        json_key_count(j, "documents", v.documents);
        json_key_count(j, "skipped", v.skipped);
        json_key_count(j, "tokens", v.tokens);
        json_key_count(j, "min_tokens", v.min_tokens);
        json_key_bool(j, "current", v.current);
        json_key_count(j, "spectra", v.spectra);
        json_key_count(j, "spectra_bytes", v.spectra_bytes);
        json_close(j, '}');
    }
    json_close(j, ']');
    return KEDGE_OK;
}

static kedge_status json_kept(jsonout *j, const info *n, const char *model,
                              kedge_error *err)
{
    kedge_kept_info k;
    kedge_status st;
    bool is;

    st = find_kept(n, model, &is, &k, err);
    if (st == KEDGE_OK && is) {
        json_key(j, "kept");
        keptset_json(j, &k);
    }
    return st;
}

static kedge_status json_models(jsonout *j, const info *n, kedge_error *err)
{
    kedge_model_info m;
    kedge_status st;

    json_key(j, "models");
    json_begin(j, '[');
    for (uint64_t i = 0; i < n->totals.models; i++) {
        st = kedge_store_get_model(n->store, i, &m, err);
        if (st != KEDGE_OK)
            return st;
        json_begin(j, '{');
        json_key_text(j, "name", m.name);
        json_key_count(j, "topics", m.topics);
        json_key_count(j, "words", m.words);
        json_key_count(j, "documents", m.documents);
        json_key_count(j, "seed", m.seed);
        if (m.view != KEDGE_NO_VIEW) {
            json_key_count(j, "view", m.view);
            json_key_bool(j, "view_stays", m.view_stays);
            json_key_bool(j, "listed", m.listed);
            json_key_text(j, "rule", m.rule);
        }
        json_key_real(j, "eigenspace_error", m.eigenspace_error);
        json_key_real(j, "sum_correlations", m.sum_correlations);
        json_key_bool(j, "ncut", m.ncut);
        json_key_text(j, "ways", m.ways);
        json_key_bool(j, "current", m.current);
        st = json_kept(j, n, m.name, err);
        if (st != KEDGE_OK)
            return st;
        json_close(j, '}');
    }
    json_close(j, ']');
    return KEDGE_OK;
}

static kedge_status print_json(const info *n, kedge_error *err)
{
    const kedge_store_info *t = &n->totals;
    jsonout j = {.out = stdout, .lines = 2};
    kedge_status st;
    figure f;

    json_begin(&j, '{');
    json_key_text(&j, "kedge", kedge_version());
    json_key_text(&j, "store", n->path);
    json_key_count(&j, "format", t->format);
    json_key_count(&j, "documents", t->documents);
    json_key_count(&j, "elsewhere", t->elsewhere);
    json_key_count(&j, "removed", t->removed);
    json_key_count(&j, "tokens", t->tokens);
    json_key_count(&j, "nonzeros", t->nonzeros);
    json_key_count(&j, "words", t->words);
    json_key_count(&j, "blocks", t->blocks);
    json_key_count(&j, "bytes", t->bytes);
    json_key_text(&j, "digest", digest_text(&f, t->digest));
    json_cut(&j, &t->cut);
    st = json_sources(&j, n, err);
    if (st == KEDGE_OK)
        st = json_parts(&j, n, err);
    if (st == KEDGE_OK)
        st = json_views(&j, n, err);
    if (st == KEDGE_OK)
        st = json_models(&j, n, err);
    if (st == KEDGE_OK)
        json_close(&j, '}');
    json_end(&j);
    return st;
}

/* ---- one model ----------------------------------------------------------- */

static kedge_status find_model(const info *n, kedge_model_info *m,
                               kedge_error *err)
{
    for (uint64_t i = 0;; i++) {
        const kedge_status st = kedge_store_get_model(n->store, i, m, err);

        if (st != KEDGE_OK || strcmp(m->name, n->name) == 0)
            return st;
    }
}

static kedge_status table_model(const info *n, kedge_error *err)
{
    kedge_status st;
    kedge_model_info m;
    kedge_kept_info k;
    char seed[24];
    figure f;
    bool is;

    st = find_model(n, &m, err);
    if (st != KEDGE_OK)
        return st;
    fputs("model ", stdout);
    text_put(stdout, m.name, TEXT_WHOLE);
    putchar('\n');
    snprintf(seed, sizeof seed, "%" PRIu64, m.seed);
    summary_line(stdout, "topics", figure_count(&f, m.topics), NULL);
    summary_line(stdout, "words", figure_count(&f, m.words), NULL);
    summary_line(stdout, "documents", figure_count(&f, m.documents),
                 m.current ? "all that are counted now"
                           : "more are counted by now: fit again");
    summary_line(stdout, "seed", seed, NULL);
    summary_line(stdout, "eigenspace residual",
                 figure_real(&f, m.eigenspace_error),
                 "of the eigenvalues' norm");
    summary_line(stdout, "sum of A", figure_real(&f, m.sum_correlations),
                 "should be 1");
    model_ways(&m);
    if (m.view != KEDGE_NO_VIEW)
        view_rule(m.view, m.listed, m.rule,
                  m.view_stays ? "" : "(forgotten since)");
    st = find_kept(n, m.name, &is, &k, err);
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

    watch_begin(&w, &n->common);
    st = kedge_model_load(n->store, n->name, &w.control, &model, err);
    st = watch_end(&w, st, err);
    if (st != KEDGE_OK)
        return st;
    if (n->format == FORMAT_TABLE) {
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

static kedge_status show_store(info *n, kedge_error *err)
{
    kedge_status st;

    st = kedge_store_open(n->path, KEDGE_OPEN_READ, &n->store, err);
    if (st != KEDGE_OK)
        return st;
    st = kedge_store_get_info(n->store, &n->totals, err);
    if (st == KEDGE_OK && n->name != NULL)
        st = print_model(n, err);
    else if (st == KEDGE_OK && n->batches)
        st = batches_print(n->store, n->format == FORMAT_JSON, err);
    else if (st == KEDGE_OK && n->format == FORMAT_JSON)
        st = print_json(n, err);
    else if (st == KEDGE_OK)
        st = print_table(n, err);
    kedge_store_close(n->store);
    return st;
}

static int info_run(const command *self, int argc, char **argv)
{
    info n = {0};
    arguments a = {.self = self, .common = &n.common};
    kedge_error err = {0};
    int code;

    common_init(&n.common);
    code = read_line(&n, &a, argc, argv);
    if (code != GO_ON)
        return code;
    n.path = a.operands[0];
    return complain_status(show_store(&n, &err), &err);
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
    .run = info_run,
};
