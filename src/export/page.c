/* SPDX-License-Identifier: MIT */
#include "export/page.h"

#include <math.h>
#include <string.h>
#include <sys/stat.h>

#include <kedge/report.h>

#include "base/fail.h"
#include "base/mem.h"
#include "base/run.h"
#include "export/jsontext.h"
#include "export/newfile.h"
#include "export/summary.h"

#define SEARCH_ROOM 2400000 /* bytes of the page for words of no topic's top */
#define DOCUMENTS_USUAL 5
#define DIGITS 5  /* of what is ordered by, */
#define COARSE 3  /* and of what is only shown */

void kedge_report_opts_init(kedge_report_opts *opts)
{
    if (opts == NULL)
        return;
    *opts = (kedge_report_opts){.measures = true,
                                .documents = DOCUMENTS_USUAL};
}

typedef struct page {
    kedge_store *s;
    const kedge_control *control;
    pagedata data;
} page;

/* ---- measures ------------------------------------------------------------ */

/* Somebody may have fitted another model of the name meanwhile. */
static void take_topic(void *data, const kedge_eval_topic *t)
{
    page *const p = data;

    if (strcmp(t->model, p->data.m->name) == 0 &&
        t->topic < p->data.m->topics)
        p->data.each[t->topic] = *t;
}

/* What is of documents one by one is left to kedge eval, for it takes longest.
 */
static kedge_status page_eval(page *p, kedge_error *err)
{
    const pagedata *const d = &p->data;
    const char *names[COMPARABLE_MOST];
    kedge_eval_opts opts;

    kedge_eval_opts_init(&opts);
    opts.held_out = 0;
    opts.topic = take_topic;
    opts.topic_data = p;
    for (size_t i = 0; i < d->sibling_count; i++)
        names[i] = d->siblings[i].name;
    return kedge_eval(p->s, names, d->sibling_count, &opts, p->control,
                      d->eval, err);
}

/* All models that are compared, or where there is no room for them the one that
 * the page is of. */
static kedge_status page_measure(page *p, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    pagedata *const d = &p->data;

    TRY_MEM(d->eval = mem_new(d->sibling_count, sizeof *d->eval));
    TRY_MEM(d->each = mem_new(d->m->topics, sizeof *d->each));
    for (size_t t = 0; t < d->m->topics; t++)
        d->each[t] = (kedge_eval_topic){.coherence = NAN, .npmi = NAN,
                                        .c_v = NAN, .mst_incoherence = NAN};
    st = page_eval(p, err);
    if (st == KEDGE_EBUDGET && d->sibling_count > 1) {
        run_log(p->control, "there is no room to measure %zu models at a time: "
                "one is", d->sibling_count);
        d->siblings[0] = d->siblings[d->own];
        d->own = 0;
        d->sibling_count = 1;
        st = page_eval(p, err);
    }
out:
    return st;
}

/* ---- the data as JSON ------------------------------------------------------
 *
 * Long lists are columns of numbers with the few digits that can be seen: an
 * object a word would be several times as long.
 */

/* ---- words --------------------------------------------------------------- */

static void put_numbers(jsontext *j, const char *key, const double *values,
                        size_t count, int digits)
{
    jsontext_enter(j, key, '[');
    for (size_t i = 0; i < count; i++)
        jsontext_rounded(j, values[i], digits);
    jsontext_close(j, ']');
}

/* topic * 1000 + p(topic | word) in thousandths, at most 999. */
static void put_holders(jsontext *j, const kedge_model *m, uint64_t row)
{
    pageholder holders[PAGE_TOPICS];
    const size_t count = pagewords_holders(m, row, holders);

    jsontext_open(j, '[');
    for (size_t i = 0; i < count; i++) {
        const double part = fmin(floor(holders[i].share * 1000 + 0.5), 999);
        jsontext_count(j, holders[i].topic * 1000 + (uint64_t)part);
    }
    jsontext_close(j, ']');
}

static void put_words(jsontext *j, const pagedata *d)
{
    const kedge_model *const m = d->m;
    const pagewords *const w = &d->words;

    jsontext_enter(j, "words", '{');
    jsontext_enter(j, "text", '[');
    for (size_t i = 0; i < w->count; i++)
        jsontext_string(j, words_get(&m->text, w->row[i]),
                        words_size(&m->text, w->row[i]));
    jsontext_close(j, ']');
    jsontext_enter(j, "df", '[');
    for (size_t i = 0; i < w->count; i++)
        jsontext_count(j, (uint64_t)m->df[w->row[i]]);
    jsontext_close(j, ']');
    jsontext_enter(j, "topics", '[');
    for (size_t i = 0; i < w->count; i++)
        put_holders(j, m, w->row[i]);
    jsontext_close(j, ']');
    jsontext_key(j, "p"); /* p(word), of those that topics show */
    jsontext_open(j, '[');
    for (size_t i = 0; i < w->shown; i++)
        jsontext_rounded(j, m->mix[w->row[i]], DIGITS);
    jsontext_close(j, ']');
    jsontext_close(j, '}');
}

/* ---- topics -------------------------------------------------------------- */

static void put_topic_words(jsontext *j, const pagedata *d, size_t t)
{
    const kedge_model *const m = d->m;
    const pagewords *const w = &d->words;

    jsontext_enter(j, "words", '[');
    for (uint64_t i = w->start[t]; i < w->start[t + 1]; i++)
        jsontext_count(j, w->word[i]);
    jsontext_close(j, ']');
    jsontext_key(j, "p"); /* p(word | topic) */
    jsontext_open(j, '[');
    for (uint64_t i = w->start[t]; i < w->start[t + 1]; i++)
        jsontext_rounded(j, m->probabilities[w->row[w->word[i]] * m->topics +
                                             t], DIGITS);
    jsontext_close(j, ']');
    jsontext_key_count(j, "anchor", w->place[m->anchors[t]]);
    jsontext_enter(j, "characteristic", '[');
    for (size_t i = 0; i < m->characteristic_count && i < PAGE_CHARACTERISTIC;
         i++)
        jsontext_count(
            j, w->place[m->characteristic[t * m->characteristic_count + i]]);
    jsontext_close(j, ']');
}

static void put_bytes(jsontext *j, const char *key, const char *bytes,
                      size_t size)
{
    jsontext_key(j, key);
    jsontext_string(j, bytes, size);
}

static void put_documents(jsontext *j, const pagedata *d, size_t t)
{
    const uint64_t count =
        d->typical != NULL ? kedge_typical_count(d->typical, t) : 0;

    jsontext_enter(j, "documents", '[');
    for (uint64_t i = 0; i < count; i++) {
        const kedge_typical_document *const it =
            kedge_typical_get(d->typical, t, i);
        jsontext_open(j, '{');
        put_bytes(j, "id", it->id, it->id_size);
        put_bytes(j, "label", it->label, it->label_size);
        put_bytes(j, "text", it->text, it->text_size);
        jsontext_key_rounded(j, "share", it->share, COARSE);
        jsontext_key_count(j, "tokens", it->tokens);
        jsontext_close(j, '}');
    }
    jsontext_close(j, ']');
}

static void put_topic_measures(jsontext *j, const pagedata *d, size_t t)
{
    const kedge_model *const m = d->m;
    const double own = m->correlations[t * m->topics + t];

    jsontext_key_rounded(j, "effective", d->map.effective[t], COARSE);
    jsontext_key_rounded(j, "specificity", d->map.specificity[t], COARSE);
    jsontext_key_rounded(j, "dominancy", own / m->shares[t], COARSE);
    if (d->each == NULL)
        return;
    jsontext_key_rounded(j, "coherence", d->each[t].coherence, DIGITS);
    jsontext_key_rounded(j, "npmi", d->each[t].npmi, COARSE);
    jsontext_key_rounded(j, "c_v", d->each[t].c_v, COARSE);
    jsontext_key_rounded(j, "mst_incoherence", d->each[t].mst_incoherence,
                         COARSE);
}

static void put_topics(jsontext *j, const pagedata *d)
{
    jsontext_enter(j, "topics", '[');
    for (size_t t = 0; t < d->m->topics; t++) {
        const placed *const at = &d->map.place[t];
        jsontext_open(j, '{');
        put_topic_words(j, d, t);
        jsontext_key_rounded(j, "x", at->x, DIGITS);
        jsontext_key_rounded(j, "y", at->y, DIGITS);
        jsontext_key_rounded(j, "r", at->r, DIGITS);
        jsontext_key_count(j, "group", d->map.group[t]);
        put_topic_measures(j, d, t);
        put_documents(j, d, t);
        jsontext_close(j, '}');
    }
    jsontext_close(j, ']');
}

/* Below the diagonal, row by row. */
static void put_half(jsontext *j, const char *key, const double *matrix,
                     size_t k)
{
    jsontext_enter(j, key, '[');
    for (size_t t = 0; t < k; t++)
        for (size_t u = 0; u < t; u++)
            jsontext_rounded(j, matrix[t * k + u], COARSE);
    jsontext_close(j, ']');
}

static void put_map(jsontext *j, const pagedata *d)
{
    const topicmap *const map = &d->map;
    const size_t k = map->topics;

    jsontext_key_rounded(j, "height", map->height, DIGITS);
    put_half(j, "distance", map->distance, k);
    put_half(j, "coefficient", map->coefficient, k);
    put_half(j, "joint", d->m->correlations, k);
    jsontext_enter(j, "order", '[');
    for (size_t t = 0; t < k; t++)
        jsontext_count(j, map->order[t]);
    jsontext_close(j, ']');
    jsontext_key_bool(j, "spectrum_of_statistics", map->of_statistics);
    put_numbers(j, "eigenvalues", map->eigenvalues,
                map->eigenvalues != NULL ? k : 0, DIGITS);
}

/* ---- models -------------------------------------------------------------- */

static void put_glossary(jsontext *j)
{
    jsontext_enter(j, "glossary", '[');
    for (size_t i = 0; i < KEDGE_MEASURES; i++) {
        const kedge_measure_info *const it =
            kedge_measure_get((kedge_measure)i);
        jsontext_open(j, '{');
        jsontext_key_text(j, "key", it->key);
        jsontext_key_text(j, "group", it->group);
        jsontext_key_real(j, "better", it->better);
        jsontext_key_text(j, "formula", it->formula);
        jsontext_key_text(j, "paper", it->paper);
        jsontext_close(j, '}');
    }
    jsontext_close(j, ']');
}

static void put_models(jsontext *j, const pagedata *d)
{
    jsontext_key_count(j, "own", d->own);
    jsontext_enter(j, "models", '[');
    for (size_t i = 0; i < d->sibling_count; i++) {
        const comparable *const it = &d->siblings[i];
        jsontext_open(j, '{');
        jsontext_key_text(j, "name", it->name);
        jsontext_key_count(j, "topics", it->topics);
        jsontext_key_rounded(j, "error", it->eigenspace_error, DIGITS);
        jsontext_key_rounded(j, "sum", it->sum_correlations, DIGITS);
        put_numbers(j, "measures", d->eval != NULL ? d->eval[i].value : NULL,
                    d->eval != NULL ? KEDGE_MEASURES : 0, DIGITS);
        jsontext_close(j, '}');
    }
    jsontext_close(j, ']');
}

/* ---- compositions -------------------------------------------------------- */

static void put_batches(jsontext *j, const pagedata *d)
{
    const batchshares *const b = &d->batches;

    jsontext_enter(j, "batches", '[');
    for (size_t i = 0; i < b->count; i++) {
        jsontext_open(j, '{');
        jsontext_key_text(j, "name", b->name[i]);
        jsontext_key_count(j, "documents", b->documents[i]);
        jsontext_enter(j, "shares", '[');
        for (size_t t = 0; t < d->m->topics; t++)
            jsontext_rounded(j, batchshares_share(b, d->m->topics, i, t),
                             COARSE);
        jsontext_close(j, ']');
        jsontext_close(j, '}');
    }
    jsontext_close(j, ']');
}

static void put_kept(jsontext *j, const pagedata *d)
{
    const kedge_kept_info *const k = &d->batches.about;

    if (!d->batches.there)
        return;
    jsontext_enter(j, "kept", '{');
    jsontext_key_count(j, "documents", k->documents);
    jsontext_key_count(j, "gone", k->gone);
    jsontext_key_count(j, "later", k->later);
    jsontext_key_text(j, "method", k->method);
    jsontext_key_text(j, "options", k->options);
    jsontext_close(j, '}');
}

kedge_status pagedata_write(const pagedata *d, textbuf *out, kedge_error *err)
{
    jsontext j = {.inside = true};

    *out = (textbuf){0};
    jsontext_open(&j, '{');
    jsontext_enter(&j, "about", '{');
    summary_put_model(&j, d->m, true);
    jsontext_close(&j, '}');
    jsontext_key_count(&j, "first", PAGE_FIRST);
    jsontext_key_count(&j, "lambdas", PAGE_LAMBDAS);
    put_words(&j, d);
    put_topics(&j, d);
    put_map(&j, d);
    put_glossary(&j);
    put_models(&j, d);
    put_kept(&j, d);
    put_batches(&j, d);
    jsontext_close(&j, '}');
    if (j.text.failed) {
        textbuf_free(&j.text);
        return kedge_fail(err, KEDGE_ENOMEM, "out of memory (the page)");
    }
    *out = j.text;
    return KEDGE_OK;
}

/* ---- the file ------------------------------------------------------------ */

static kedge_status page_check(kedge_store *s, const kedge_model *m,
                               const char *path, const kedge_report_opts *o,
                               kedge_error *err)
{
    const size_t size = path != NULL ? strlen(path) : 0;
    struct stat there;

    if (s == NULL || m == NULL || size == 0)
        return kedge_fail(err, KEDGE_EINVAL,
                          "a report needs a store, a model and a file");
    if (path[size - 1] == '/' ||
        (stat(path, &there) == 0 && S_ISDIR(there.st_mode)))
        return kedge_fail(err, KEDGE_EINVAL,
                          "%s is a directory: name a file in it", path);
    if (o->documents > KEDGE_REPORT_DOCUMENTS_MOST)
        return kedge_fail(err, KEDGE_EINVAL, "of a topic at most %d documents "
                          "are shown", KEDGE_REPORT_DOCUMENTS_MOST);
    return KEDGE_OK;
}

kedge_status kedge_report(kedge_store *s, const kedge_model *m,
                          const char *path, const kedge_report_opts *opts,
                          const kedge_control *control,
                          kedge_report_result *out, kedge_error *err)
{
    if (out != NULL)
        *out = (kedge_report_result){0};
    API_ENTER(err, {"store", s}, {"model", m}, {"path", path});
    API_USUAL(kedge_report_opts, opts);
    control = run_control(control);

    kedge_status st = KEDGE_OK;
    textbuf text = {0};
    newfile file = {0};
    page p = {.s = s, .control = control, .data.m = m};
    pagedata *const d = &p.data;

    TRY(page_check(s, m, path, opts, err));
    TRY(batchshares_find(s, m, control, &d->batches, err));
    if (d->batches.there && opts->documents > 0)
        TRY(kedge_typical_find(s, m->name, opts->documents, control,
                               &d->typical, err));
    TRY(comparable_find(s, m, d->siblings, &d->sibling_count, err));
    while (strcmp(d->siblings[d->own].name, m->name) != 0)
        d->own++;
    if (opts->measures)
        TRY(page_measure(&p, err));
    TRY(topicmap_make(m, &d->map, err));
    TRY(pagewords_find(m, SEARCH_ROOM, &d->words, err));
    TRY(pagedata_write(d, &text, err));
    TRY(newfile_open_path(&file, path, err));
    TRY(newfile_write(&file, page_head, page_head_size, err));
    TRY(newfile_write(&file, text.bytes, text.size, err));
    TRY(newfile_write(&file, page_tail, page_tail_size, err));
    TRY(newfile_commit(&file, err));
    if (out != NULL)
        *out = (kedge_report_result){
            .bytes = page_head_size + text.size + page_tail_size,
            .words = d->words.count,
            .models = d->sibling_count - 1,
            .compositions = d->batches.there};
out:
    newfile_discard(&file);
    textbuf_free(&text);
    pagewords_free(&d->words);
    topicmap_free(&d->map);
    batchshares_free(&d->batches);
    kedge_typical_free(d->typical);
    mem_free(d->eval);
    mem_free(d->each);
    return api_leave(st, err);
}
