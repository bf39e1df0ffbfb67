/* SPDX-License-Identifier: MIT */
/*
 * Long lists are columns of numbers with the few digits that can be seen: an
 * object a word would be several times as long.
 */
#include "report/pagedata.h"

#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "report/jsontext.h"
#include "report/summary.h"

#define DIGITS 5  /* of what is ordered by, */
#define COARSE 3  /* and of what is only shown */

/* ---- words --------------------------------------------------------------- */

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

    jsontext_key(j, "words");
    jsontext_open(j, '{');
    jsontext_key(j, "text");
    jsontext_open(j, '[');
    for (size_t i = 0; i < w->count; i++)
        jsontext_string(j, words_get(&m->text, w->row[i]),
                        words_size(&m->text, w->row[i]));
    jsontext_close(j, ']');
    jsontext_key(j, "df");
    jsontext_open(j, '[');
    for (size_t i = 0; i < w->count; i++)
        jsontext_count(j, (uint64_t)m->df[w->row[i]]);
    jsontext_close(j, ']');
    jsontext_key(j, "topics");
    jsontext_open(j, '[');
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

    jsontext_key(j, "words");
    jsontext_open(j, '[');
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
    jsontext_key(j, "characteristic");
    jsontext_open(j, '[');
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

    jsontext_key(j, "documents");
    jsontext_open(j, '[');
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
    jsontext_key(j, "topics");
    jsontext_open(j, '[');
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
    jsontext_key(j, key);
    jsontext_open(j, '[');
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
    jsontext_key(j, "order");
    jsontext_open(j, '[');
    for (size_t t = 0; t < k; t++)
        jsontext_count(j, map->order[t]);
    jsontext_close(j, ']');
    jsontext_key_bool(j, "spectrum_of_statistics", map->of_statistics);
    jsontext_key(j, "eigenvalues");
    jsontext_open(j, '[');
    for (size_t t = 0; t < k && map->eigenvalues != NULL; t++)
        jsontext_rounded(j, map->eigenvalues[t], DIGITS);
    jsontext_close(j, ']');
}

/* ---- models -------------------------------------------------------------- */

static void put_glossary(jsontext *j)
{
    jsontext_key(j, "glossary");
    jsontext_open(j, '[');
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
    jsontext_key(j, "models");
    jsontext_open(j, '[');
    for (size_t i = 0; i < d->sibling_count; i++) {
        const sibling *const it = &d->siblings[i];
        jsontext_open(j, '{');
        jsontext_key_text(j, "name", it->name);
        jsontext_key_count(j, "topics", it->topics);
        jsontext_key_rounded(j, "error", it->eigenspace_error, DIGITS);
        jsontext_key_rounded(j, "sum", it->sum_correlations, DIGITS);
        jsontext_key(j, "measures");
        jsontext_open(j, '[');
        for (size_t v = 0; d->eval != NULL && v < KEDGE_MEASURES; v++)
            jsontext_rounded(j, d->eval[i].value[v], DIGITS);
        jsontext_close(j, ']');
        jsontext_close(j, '}');
    }
    jsontext_close(j, ']');
}

/* ---- compositions -------------------------------------------------------- */

static void put_batches(jsontext *j, const pagedata *d)
{
    const batchshares *const b = &d->batches;

    jsontext_key(j, "batches");
    jsontext_open(j, '[');
    for (size_t i = 0; i < b->count; i++) {
        jsontext_open(j, '{');
        jsontext_key_text(j, "name", b->name[i]);
        jsontext_key_count(j, "documents", b->documents[i]);
        jsontext_key(j, "shares");
        jsontext_open(j, '[');
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
    jsontext_key(j, "kept");
    jsontext_open(j, '{');
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
    jsontext_key(&j, "about");
    jsontext_open(&j, '{');
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
