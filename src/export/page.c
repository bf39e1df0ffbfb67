/* SPDX-License-Identifier: MIT */
#include "export/page.h"

#include <math.h>
#include <string.h>
#include <sys/stat.h>

#include <kedge/report.h>

#include "base/fail.h"
#include "base/mem.h"
#include "base/run.h"
#include "export/export.h"

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

/* ---- measures ------------------------------------------------------------ */

/* Somebody may have fitted another model of the name meanwhile. */
static void take_topic(void *data, const kedge_eval_topic *t)
{
    pagedata *const d = data;

    if (strcmp(t->model, d->m->name) == 0 && t->topic < d->m->topics)
        d->each[t->topic] = *t;
}

/* All models that are compared, or where there is no room for them the one that
 * the page is of. What is of documents one by one is left to kedge eval, for it
 * takes longest. */
static kedge_status page_measure(pagedata *d, kedge_store *s,
                                 const kedge_control *control,
                                 kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const char *names[COMPARABLE_MOST];
    kedge_eval_opts opts;

    kedge_eval_opts_init(&opts);
    opts.completion = 0;
    opts.topic = take_topic;
    opts.topic_data = d;
    TRY_MEM(d->eval = mem_new(d->sibling_count, sizeof *d->eval));
    TRY_MEM(d->each = mem_new(d->m->topics, sizeof *d->each));
    for (size_t t = 0; t < d->m->topics; t++)
        d->each[t] = (kedge_eval_topic){.umass = NAN, .npmi = NAN,
                                        .c_v = NAN, .mst_incoherence = NAN};
    for (size_t i = 0; i < d->sibling_count; i++)
        names[i] = d->siblings[i].name;
    st = kedge_eval(s, names, d->sibling_count, &opts, control, d->eval, err);
    if (st == KEDGE_EBUDGET && d->sibling_count > 1) {
        run_log(control, "--memory is too small to measure %zu models: only "
                         "this one is measured", d->sibling_count);
        d->siblings[0] = d->siblings[d->own];
        d->own = 0;
        d->sibling_count = 1;
        names[0] = d->siblings[0].name;
        st = kedge_eval(s, names, 1, &opts, control, d->eval, err);
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
    jsontext_open(j, key, '[');
    for (size_t i = 0; i < count; i++)
        jsontext_rounded(j, NULL, values[i], digits);
    jsontext_close(j, ']');
}

static void put_words(jsontext *j, const pagedata *d)
{
    const kedge_model *const m = d->m;
    const pagewords *const w = &d->words;

    jsontext_open(j, "words", '{');
    jsontext_open(j, "text", '[');
    for (size_t i = 0; i < w->count; i++)
        jsontext_bytes(j, NULL, words_get(&m->text, w->row[i]),
                       words_size(&m->text, w->row[i]));
    jsontext_close(j, ']');
    jsontext_open(j, "df", '[');
    for (size_t i = 0; i < w->count; i++)
        jsontext_count(j, NULL, (uint64_t)m->df[w->row[i]]);
    jsontext_close(j, ']');
    jsontext_open(j, "topics", '[');
    for (size_t i = 0; i < w->count; i++) {
        scored_row holders[PAGE_TOPICS];
        const size_t count = pagewords_holders(m, w->row[i], holders);
        jsontext_open(j, NULL, '[');
        /* topic * 1000 + p(topic | word) in thousandths, at most 999 */
        for (size_t h = 0; h < count; h++)
            jsontext_count(j, NULL,
                           holders[h].row * 1000 +
                               (uint64_t)fmin(floor(holders[h].value * 1000 +
                                                    0.5), 999));
        jsontext_close(j, ']');
    }
    jsontext_close(j, ']');
    jsontext_open(j, "p", '['); /* p(word), of those that topics show */
    for (size_t i = 0; i < w->shown; i++)
        jsontext_rounded(j, NULL, m->mix[w->row[i]], DIGITS);
    jsontext_close(j, ']');
    jsontext_close(j, '}');
}

/* ---- topics -------------------------------------------------------------- */

static void put_topic_words(jsontext *j, const pagedata *d, size_t t)
{
    const kedge_model *const m = d->m;
    const pagewords *const w = &d->words;
    const size_t all = m->characteristic_count;
    const size_t few = all < PAGE_CHARACTERISTIC ? all : PAGE_CHARACTERISTIC;

    jsontext_open(j, "words", '[');
    for (uint64_t i = w->start[t]; i < w->start[t + 1]; i++)
        jsontext_count(j, NULL, w->word[i]);
    jsontext_close(j, ']');
    jsontext_open(j, "p", '['); /* p(word | topic) */
    for (uint64_t i = w->start[t]; i < w->start[t + 1]; i++)
        jsontext_rounded(
            j, NULL, m->probabilities[w->row[w->word[i]] * m->topics + t],
            DIGITS);
    jsontext_close(j, ']');
    jsontext_count(j, "anchor", w->place[m->anchors[t]]);
    jsontext_open(j, "characteristic", '[');
    for (size_t i = 0; i < few; i++)
        jsontext_count(j, NULL, w->place[m->characteristic[t * all + i]]);
    jsontext_close(j, ']');
}

static void put_documents(jsontext *j, const pagedata *d, size_t t)
{
    const uint64_t count =
        d->typical != NULL ? kedge_typical_count(d->typical, t) : 0;

    jsontext_open(j, "documents", '[');
    for (uint64_t i = 0; i < count; i++) {
        const kedge_typical_document *const it =
            kedge_typical_get(d->typical, t, i);
        jsontext_open(j, NULL, '{');
        jsontext_bytes(j, "id", it->id, it->id_size);
        jsontext_bytes(j, "label", it->label, it->label_size);
        jsontext_bytes(j, "text", it->text, it->text_size);
        jsontext_rounded(j, "share", it->proportion, COARSE);
        jsontext_count(j, "tokens", it->tokens);
        jsontext_close(j, '}');
    }
    jsontext_close(j, ']');
}

static void put_topics(jsontext *j, const pagedata *d)
{
    const kedge_model *const m = d->m;

    jsontext_open(j, "topics", '[');
    for (size_t t = 0; t < m->topics; t++) {
        const placed *const at = &d->map.place[t];
        const double own = m->correlations[t * m->topics + t];
        jsontext_open(j, NULL, '{');
        put_topic_words(j, d, t);
        jsontext_rounded(j, "x", at->x, DIGITS);
        jsontext_rounded(j, "y", at->y, DIGITS);
        jsontext_rounded(j, "r", at->r, DIGITS);
        jsontext_count(j, "group", d->map.group[t]);
        jsontext_rounded(j, "effective", d->map.effective[t], COARSE);
        jsontext_rounded(j, "specificity", d->map.specificity[t], COARSE);
        jsontext_rounded(j, "dominancy", own / m->shares[t], COARSE);
        if (d->each != NULL) {
            const kedge_eval_topic *const e = &d->each[t];
            jsontext_rounded(j, "umass", e->umass, DIGITS);
            jsontext_rounded(j, "npmi", e->npmi, COARSE);
            jsontext_rounded(j, "c_v", e->c_v, COARSE);
            jsontext_rounded(j, "mst_incoherence", e->mst_incoherence,
                             COARSE);
        }
        put_documents(j, d, t);
        jsontext_close(j, '}');
    }
    jsontext_close(j, ']');
}

/* Below the diagonal, row by row. */
static void put_half(jsontext *j, const char *key, const double *matrix,
                     size_t k)
{
    jsontext_open(j, key, '[');
    for (size_t t = 0; t < k; t++)
        for (size_t u = 0; u < t; u++)
            jsontext_rounded(j, NULL, matrix[t * k + u], COARSE);
    jsontext_close(j, ']');
}

static void put_map(jsontext *j, const pagedata *d)
{
    const topicmap *const map = &d->map;
    const size_t k = map->topics;

    jsontext_rounded(j, "height", map->height, DIGITS);
    put_half(j, "distance", map->distance, k);
    put_half(j, "coefficient", map->coefficient, k);
    put_half(j, "joint", d->m->correlations, k);
    jsontext_open(j, "order", '[');
    for (size_t t = 0; t < k; t++)
        jsontext_count(j, NULL, map->order[t]);
    jsontext_close(j, ']');
    jsontext_bool(j, "spectrum_of_statistics", map->of_statistics);
    put_numbers(j, "eigenvalues", map->eigenvalues,
                map->eigenvalues != NULL ? k : 0, DIGITS);
}

/* ---- models -------------------------------------------------------------- */

static void put_models(jsontext *j, const pagedata *d)
{
    jsontext_open(j, "glossary", '[');
    for (size_t i = 0; i < KEDGE_MEASURES; i++) {
        const kedge_measure_info *const it =
            kedge_measure_get((kedge_measure)i);
        jsontext_open(j, NULL, '{');
        jsontext_text(j, "key", it->key);
        jsontext_text(j, "group", it->group);
        jsontext_real(j, "better", it->better);
        jsontext_text(j, "formula", it->formula);
        jsontext_text(j, "paper", it->paper);
        jsontext_close(j, '}');
    }
    jsontext_close(j, ']');
    jsontext_count(j, "own", d->own);
    jsontext_open(j, "models", '[');
    for (size_t i = 0; i < d->sibling_count; i++) {
        const comparable *const it = &d->siblings[i];
        jsontext_open(j, NULL, '{');
        jsontext_text(j, "name", it->name);
        jsontext_count(j, "topics", it->topics);
        jsontext_rounded(j, "error", it->sketch_error, DIGITS);
        jsontext_rounded(j, "sum", it->sum_correlations, DIGITS);
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

    jsontext_open(j, "batches", '[');
    for (size_t i = 0; i < b->count; i++) {
        jsontext_open(j, NULL, '{');
        jsontext_text(j, "name", b->name[i]);
        jsontext_count(j, "documents", b->documents[i]);
        jsontext_open(j, "shares", '[');
        for (size_t t = 0; t < d->m->topics; t++)
            jsontext_rounded(j, NULL, batchshares_share(b, d->m->topics, i, t),
                             COARSE);
        jsontext_close(j, ']');
        jsontext_close(j, '}');
    }
    jsontext_close(j, ']');
}

kedge_status pagedata_write(const pagedata *d, textbuf *out, kedge_error *err)
{
    const kedge_saved_info *const kept = &d->batches.about;
    jsontext j = {.inside = true};

    jsontext_open(&j, NULL, '{');
    jsontext_open(&j, "about", '{');
    summary_put_model(&j, d->m, true);
    jsontext_close(&j, '}');
    jsontext_count(&j, "first", PAGE_FIRST);
    jsontext_count(&j, "lambdas", PAGE_LAMBDAS);
    put_words(&j, d);
    put_topics(&j, d);
    put_map(&j, d);
    put_models(&j, d);
    if (d->batches.there) {
        jsontext_open(&j, "kept", '{');
        jsontext_count(&j, "documents", kept->documents);
        jsontext_count(&j, "gone", kept->removed);
        jsontext_count(&j, "later", kept->later);
        jsontext_text(&j, "method", kept->method);
        jsontext_text(&j, "options", kept->options);
        jsontext_close(&j, '}');
    }
    put_batches(&j, d);
    jsontext_close(&j, '}');
    return jsontext_end(&j, "the page", out, err);
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
        return kedge_fail(err, KEDGE_EINVAL, "a report shows at most %d "
                                             "documents of a "
                                             "topic",
                          KEDGE_REPORT_DOCUMENTS_MOST);
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
    pagedata page = {.m = m}, *const d = &page;

    TRY(page_check(s, m, path, opts, err));
    TRY(batchshares_find(s, m, control, &d->batches, err));
    if (d->batches.there && opts->documents > 0)
        TRY(kedge_typical_find(s, m->name, opts->documents, control,
                               &d->typical, err));
    TRY(comparable_find(s, m, d->siblings, &d->sibling_count, err));
    while (strcmp(d->siblings[d->own].name, m->name) != 0)
        d->own++;
    if (opts->measures)
        TRY(page_measure(d, s, control, err));
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
            .doc_topics = d->batches.there};
out:
    newfile_discard(&file);
    textbuf_free(&text);
    pagewords_free(&d->words);
    topicmap_free(&d->map);
    batchshares_free(&d->batches);
    kedge_typical_free(d->typical);
    mem_free_all(d->eval, d->each);
    return api_leave(st, err);
}
