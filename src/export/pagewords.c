/* SPDX-License-Identifier: MIT */
/*
 * Relevance orders words as l ln p(word | topic) + (1 - l) ln p(topic | word)
 * does (metrics/ranking.h). Both logarithms are taken once a topic, and the
 * first words by each l are kept in order while going through the rows.
 */
#include "export/page.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"

#define MOST (PAGE_FIRST * PAGE_LAMBDAS)
#define WORD_BYTES 16  /* of a word on the page, beside its text, */
#define HOLDER_BYTES 7 /* and of each topic that holds it */

typedef struct choosing {
    const kedge_model *m;
    double *often, *own; /* rows: the logarithms */
    bool *taken;         /* rows: by the topic at hand */
    uint64_t *found;     /* topics x MOST: rows */
    size_t *count;       /* topics */
    pagewords *out;
} choosing;

/* The first words by relevance; how many. */
static size_t rank_words(const choosing *c, double lambda, scored_row *best)
{
    size_t count = 0;

    for (size_t i = 0; i < c->m->words; i++) {
        const double score = lambda * c->often[i] + (1 - lambda) * c->own[i];
        if (!isinf(c->own[i]) && !isinf(score))
            count = scored_keep(best, count, PAGE_FIRST, score, i);
    }
    return count;
}

static void choose_topic(choosing *c, size_t topic)
{
    const kedge_model *const m = c->m;
    scored_row best[PAGE_FIRST];

    for (size_t i = 0; i < m->words; i++) {
        const double b = m->probabilities[i * m->topics + topic];
        c->often[i] = b > 0 ? log(b) : -INFINITY;
        c->own[i] = b > 0 && m->mix[i] > 0
                        ? log(b * m->shares[topic] / m->mix[i])
                        : -INFINITY;
    }
    for (int l = 0; l < PAGE_LAMBDAS; l++) {
        const size_t n = rank_words(c, (double)l / (PAGE_LAMBDAS - 1), best);
        for (size_t i = 0; i < n; i++) {
            if (c->taken[best[i].row])
                continue;
            c->taken[best[i].row] = true;
            c->found[topic * MOST + c->count[topic]++] = best[i].row;
        }
    }
    for (size_t i = 0; i < c->count[topic]; i++)
        c->taken[c->found[topic * MOST + i]] = false;
}

/* ---- numbers ------------------------------------------------------------- */

/* Rows in falling df, those that are taken or those that are not. */
static void add_sorted(choosing *c, const scored_row *sorted, bool taken,
                       uint64_t room)
{
    pagewords *const w = c->out;

    for (size_t i = 0; i < c->m->words; i++) {
        const uint64_t row = sorted[i].row;
        scored_row holders[PAGE_TOPICS];
        const uint64_t bytes =
            taken ? 0 : words_size(&c->m->text, row) + WORD_BYTES +
                        HOLDER_BYTES * pagewords_holders(c->m, row, holders);
        if (c->taken[row] != taken)
            continue;
        if (bytes > room)
            return;
        room -= bytes;
        w->place[row] = (uint32_t)w->count;
        w->row[w->count++] = row;
    }
}

static kedge_status number_words(choosing *c, uint64_t room,
                                 kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const kedge_model *const m = c->m;
    const size_t all = m->characteristic_count;
    const size_t shown = all < PAGE_CHARACTERISTIC ? all : PAGE_CHARACTERISTIC;
    scored_row *sorted = NULL;

    TRY_MEM(sorted = mem_new(m->words, sizeof *sorted));
    for (size_t i = 0; i < m->words; i++) {
        sorted[i] = (scored_row){m->df[i], i};
        c->out->place[i] = PAGE_NOWHERE;
    }
    qsort(sorted, m->words, sizeof *sorted, compare_scored_rows);
    for (size_t t = 0; t < m->topics; t++) {
        for (size_t i = 0; i < c->count[t]; i++)
            c->taken[c->found[t * MOST + i]] = true;
        c->taken[m->anchors[t]] = true; /* and what else is shown of it */
        for (size_t i = 0; i < shown; i++)
            c->taken[m->characteristic[t * m->characteristic_count + i]] =
                true;
    }
    add_sorted(c, sorted, true, 0);
    c->out->shown = c->out->count;
    add_sorted(c, sorted, false, room);
out:
    mem_free(sorted);
    return st;
}

/* Each topic's words, by falling p(word | topic). */
static kedge_status list_topics(choosing *c, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const kedge_model *const m = c->m;
    pagewords *const w = c->out;
    scored_row *sorted = NULL;
    size_t all = 0;

    for (size_t t = 0; t < m->topics; t++)
        all += c->count[t];
    TRY_MEM(sorted = mem_new(MOST, sizeof *sorted));
    TRY_MEM(w->start = mem_new(m->topics + 1, sizeof *w->start));
    TRY_MEM(w->word = mem_new(all, sizeof *w->word));
    for (size_t t = 0; t < m->topics; t++) {
        for (size_t i = 0; i < c->count[t]; i++) {
            const uint64_t row = c->found[t * MOST + i];
            sorted[i] =
                (scored_row){m->probabilities[row * m->topics + t], row};
        }
        qsort(sorted, c->count[t], sizeof *sorted, compare_scored_rows);
        w->start[t + 1] = w->start[t] + c->count[t];
        for (size_t i = 0; i < c->count[t]; i++)
            w->word[w->start[t] + i] = w->place[sorted[i].row];
    }
out:
    mem_free(sorted);
    return st;
}

/* ---- the whole ----------------------------------------------------------- */

kedge_status pagewords_find(const kedge_model *m, uint64_t room,
                            pagewords *out, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const size_t n = m->words;
    choosing c = {.m = m, .out = out};

    *out = (pagewords){0};
    TRY_MEM(c.often = mem_new(n, sizeof *c.often));
    TRY_MEM(c.own = mem_new(n, sizeof *c.own));
    TRY_MEM(c.taken = mem_new(n, sizeof *c.taken));
    TRY_MEM(c.found = mem_new2(m->topics, MOST, sizeof *c.found));
    TRY_MEM(c.count = mem_new(m->topics, sizeof *c.count));
    TRY_MEM(out->row = mem_new(n, sizeof *out->row));
    TRY_MEM(out->place = mem_new(n, sizeof *out->place));
    for (size_t t = 0; t < m->topics; t++)
        choose_topic(&c, t);
    TRY(number_words(&c, room, err));
    TRY(list_topics(&c, err));
out:
    mem_free_all(c.often, c.own, c.taken, c.found, c.count);
    if (st != KEDGE_OK)
        pagewords_free(out);
    return st;
}

void pagewords_free(pagewords *w)
{
    mem_free_all(w->row, w->start, w->word, w->place);
    *w = (pagewords){0};
}

size_t pagewords_holders(const kedge_model *m, uint64_t row,
                         scored_row out[PAGE_TOPICS])
{
    size_t count = 0;

    for (size_t t = 0; t < m->topics && m->mix[row] > 0; t++) {
        const double p = m->probabilities[row * m->topics + t] *
                         m->shares[t] / m->mix[row];
        if (p >= PAGE_HOLDS)
            count = scored_keep(out, count, PAGE_TOPICS, p, t);
    }
    return count;
}
