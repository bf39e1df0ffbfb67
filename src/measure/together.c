/* SPDX-License-Identifier: MIT */
/*
 * An index from rows to the places that they have in lists. Of a document the
 * places of its words are sorted into their lists, and of a list with two or
 * more of them all pairs are counted: most documents touch few lists, and these
 * with few words. Each thread has counts of its own, which are added up in the
 * end.
 */
#include "measure/together.h"

#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"
#include "sketch/basket.h"

#define CHUNK 256 /* documents of a task */
#define UNIT 40   /* bits of fraction */
#define CELLS (TOGETHER_MOST * TOGETHER_MOST)

/* What of a list a document has. */
typedef struct hit {
    size_t count;
    uint8_t slot[TOGETHER_MOST];
    double x[TOGETHER_MOST];
} hit;

typedef struct place {
    uint32_t *documents; /* lists x CELLS */
    uint64_t *weight;    /* likewise */
    uint64_t covered;
    hit *hit;            /* lists; all empty between documents */
    uint32_t *touched;   /* lists that are not */
    size_t touches;
    basket basket;
} place;

struct together {
    size_t rows, lists, lead;
    pool *p;
    uint32_t *first; /* rows + 1: of each row's places, */
    uint32_t *list;  /* which list, */
    uint8_t *slot;   /* and where in it */
    place *place;    /* by worker; the first has the sums in the end */
    const docs *d;   /* of the task: */
    const window *w;
    size_t *begin;   /* of each document of the window */
    size_t begins, capacity;
};

void together_free(together *t)
{
    if (t == NULL)
        return;
    for (unsigned i = 0; t->place != NULL && i < pool_threads(t->p); i++) {
        mem_free(t->place[i].documents);
        mem_free(t->place[i].weight);
        mem_free(t->place[i].hit);
        mem_free(t->place[i].touched);
        basket_free(&t->place[i].basket);
    }
    mem_free(t->place);
    mem_free(t->first);
    mem_free(t->list);
    mem_free(t->slot);
    mem_free(t->begin);
    mem_free(t);
}

/* Counting sort of the lists' words by row. */
static kedge_status together_index(together *t, const together_input *in,
                                   kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const size_t most = in->lists * TOGETHER_MOST;

    TRY_MEM(t->first = mem_new(in->rows + 2, sizeof *t->first));
    TRY_MEM(t->list = mem_new(most, sizeof *t->list));
    TRY_MEM(t->slot = mem_new(most, sizeof *t->slot));
    for (size_t l = 0; l < in->lists; l++)
        for (size_t i = 0; i < in->count[l]; i++)
            t->first[in->word[l * TOGETHER_MOST + i] + 2]++;
    for (size_t r = 2; r < in->rows + 2; r++)
        t->first[r] += t->first[r - 1];
    for (size_t l = 0; l < in->lists; l++)
        for (size_t i = 0; i < in->count[l]; i++) {
            const uint32_t at =
                t->first[in->word[l * TOGETHER_MOST + i] + 1]++;
            t->list[at] = (uint32_t)l;
            t->slot[at] = (uint8_t)i;
        }
out:
    return st;
}

static kedge_status together_places(together *t, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const unsigned threads = pool_threads(t->p);

    TRY_MEM(t->place = mem_new(threads, sizeof *t->place));
    for (unsigned i = 0; i < threads; i++) {
        place *const at = &t->place[i];
        TRY_MEM(at->documents = mem_new2(t->lists, CELLS,
                                         sizeof *at->documents));
        TRY_MEM(at->weight = mem_new2(t->lists, CELLS, sizeof *at->weight));
        TRY_MEM(at->hit = mem_new(t->lists, sizeof *at->hit));
        TRY_MEM(at->touched = mem_new(t->lists, sizeof *at->touched));
        TRY(basket_create(t->rows, &at->basket, err));
    }
out:
    return st;
}

kedge_status together_create(const together_input *in, together **out,
                             kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    together *t = NULL;

    *out = NULL;
    TRY_MEM(t = mem_new(1, sizeof *t));
    t->rows = in->rows;
    t->lists = in->lists;
    t->lead = in->lead;
    t->p = in->p;
    TRY(together_places(t, err));
    TRY(together_index(t, in, err));
    t->capacity = WINDOW_DOCUMENTS;
    TRY_MEM(t->begin = mem_new(t->capacity, sizeof *t->begin));
    *out = t;
    t = NULL;
out:
    together_free(t);
    return st;
}

/* ---- a document ---------------------------------------------------------- */

static void together_meet(const together *t, place *at, uint32_t row, double x)
{
    for (uint32_t i = t->first[row]; i < t->first[row + 1]; i++) {
        hit *const h = &at->hit[t->list[i]];
        if (h->count == 0)
            at->touched[at->touches++] = t->list[i];
        h->x[h->count] = x;
        h->slot[h->count++] = t->slot[i];
    }
}

static size_t together_cell(size_t i, size_t j)
{
    return i < j ? i * TOGETHER_MOST + j : j * TOGETHER_MOST + i;
}

static void together_count(const together *t, place *at)
{
    bool covered = false;

    for (size_t n = 0; n < at->touches; n++) {
        hit *const h = &at->hit[at->touched[n]];
        uint32_t *const cell = at->documents + at->touched[n] * (size_t)CELLS;
        size_t leading = 0;
        for (size_t i = 0; i < h->count; i++) {
            leading += h->slot[i] < t->lead;
            for (size_t j = 0; j <= i; j++)
                cell[together_cell(h->slot[i], h->slot[j])]++;
        }
        covered |= leading >= 2;
        h->count = 0;
    }
    at->covered += covered;
    at->touches = 0;
}

static void together_sum(place *at)
{
    const double unit = ldexp(at->basket.weight, UNIT);

    for (size_t n = 0; n < at->touches; n++) {
        hit *const h = &at->hit[at->touched[n]];
        uint64_t *const cell = at->weight + at->touched[n] * (size_t)CELLS;
        for (size_t i = 0; i < h->count; i++)
            for (size_t j = 0; j < i; j++)
                cell[together_cell(h->slot[i], h->slot[j])] +=
                    (uint64_t)llrint(unit * h->x[i] * h->x[j]);
        h->count = 0;
    }
    at->touches = 0;
}

/* ---- many ---------------------------------------------------------------- */

static void together_add_chunk(void *data, size_t chunk, unsigned worker)
{
    const together *const t = data;
    const docs *const d = t->d;
    const size_t end = (chunk + 1) * CHUNK;

    for (size_t m = chunk * CHUNK; m < end && m < d->count; m++) {
        for (size_t e = d->start[m]; e < d->start[m + 1]; e++)
            together_meet(t, &t->place[worker], d->word[e], 0);
        together_count(t, &t->place[worker]);
    }
}

void together_add(together *t, const docs *d)
{
    t->d = d;
    pool_run(t->p, (d->count + CHUNK - 1) / CHUNK, together_add_chunk, t);
}

static void together_weigh_chunk(void *data, size_t chunk, unsigned worker)
{
    const together *const t = data;
    place *const at = &t->place[worker];
    const size_t end = (chunk + 1) * CHUNK;

    for (size_t m = chunk * CHUNK; m < end && m < t->begins; m++) {
        basket_read(&at->basket, t->w, t->begin[m]);
        for (size_t i = 0; i < at->basket.count; i++)
            together_meet(t, at, at->basket.row[i], at->basket.x[i]);
        together_sum(at);
    }
}

static void together_weigh_portion(together *t)
{
    pool_run(t->p, (t->begins + CHUNK - 1) / CHUNK, together_weigh_chunk, t);
    t->begins = 0;
}

void together_weigh(together *t, const window *w)
{
    t->w = w;
    t->begins = 0;
    for (size_t m = 0; m < w->documents; m += w->parts[m]) {
        t->begin[t->begins++] = m;
        if (t->begins == t->capacity)
            together_weigh_portion(t);
    }
    together_weigh_portion(t);
}

void together_finish(together *t)
{
    place *const to = &t->place[0];

    for (unsigned i = 1; i < pool_threads(t->p); i++) {
        place *const from = &t->place[i];
        for (size_t c = 0; c < t->lists * CELLS; c++) {
            to->documents[c] += from->documents[c];
            to->weight[c] += from->weight[c];
            from->documents[c] = 0;
            from->weight[c] = 0;
        }
        to->covered += from->covered;
        from->covered = 0;
    }
}

uint64_t together_documents(const together *t, size_t list, size_t i, size_t j)
{
    return t->place[0].documents[list * CELLS + together_cell(i, j)];
}

double together_weight(const together *t, size_t list, size_t i, size_t j)
{
    return ldexp((double)t->place[0].weight[list * CELLS +
                                            together_cell(i, j)], -UNIT);
}

uint64_t together_covered(const together *t)
{
    return t->place[0].covered;
}
