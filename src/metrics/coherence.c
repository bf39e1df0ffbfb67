/* SPDX-License-Identifier: MIT */
/*
 * An index from rows to the places that they have in lists. Of a document the
 * places of its words are sorted into their lists, and of a list with two or
 * more of them all pairs are counted: most documents touch few lists, and these
 * with few words. Each thread has counts of its own, which are added up in the
 * end.
 */
#include "metrics/measure.h"

#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"

#define CHUNK 256 /* documents of a task */
#define UNIT 40   /* bits of fraction */
#define CELLS (LIST_MOST * LIST_MOST)
#define UMASS_EPSILON 0.01
#define CV_EPSILON 1e-12

/* What of a list a document has. */
typedef struct hit {
    size_t count;
    uint8_t slot[LIST_MOST];
    double x[LIST_MOST];
} hit;

typedef struct place {
    uint32_t *documents; /* lists x CELLS */
    uint64_t *weight;    /* lists x CELLS */
    uint64_t covered;
    hit *hit;            /* lists; all empty between documents */
    uint32_t *touched;   /* lists that are not */
    size_t touches;
    basket basket;
} place;

struct paircounts {
    size_t lists, lead;
    pool *p;
    uint32_t *first; /* rows + 1: of each row's places, */
    uint32_t *list;  /* which list, */
    uint8_t *slot;   /* and where in it */
    place *place;    /* by worker; the first has the sums in the end */
    const docs *d;   /* of the task: */
    const window *w;
};

void paircounts_free(paircounts *t)
{
    if (t == NULL)
        return;
    for (unsigned i = 0; t->place != NULL && i < pool_threads(t->p); i++) {
        mem_free_all(t->place[i].documents, t->place[i].weight,
                     t->place[i].hit, t->place[i].touched);
        basket_free(&t->place[i].basket);
    }
    mem_free_all(t->place, t->first, t->list, t->slot, t);
}

kedge_status paircounts_create(const word_lists *in, size_t lead, pool *p,
                               paircounts **out, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const size_t lists = in->lists, most = lists * LIST_MOST;
    paircounts *t = NULL;

    *out = NULL;
    TRY_MEM(t = mem_new(1, sizeof *t));
    t->lists = lists;
    t->lead = lead;
    t->p = p;
    TRY_MEM(t->place = mem_new(pool_threads(p), sizeof *t->place));
    for (unsigned i = 0; i < pool_threads(p); i++) {
        place *const at = &t->place[i];
        TRY_MEM(at->documents = mem_new2(lists, CELLS, sizeof *at->documents));
        TRY_MEM(at->weight = mem_new2(lists, CELLS, sizeof *at->weight));
        TRY_MEM(at->hit = mem_new(lists, sizeof *at->hit));
        TRY_MEM(at->touched = mem_new(lists, sizeof *at->touched));
        TRY(basket_create(in->rows, &at->basket, err));
    }
    TRY_MEM(t->first = mem_new(in->rows + 2, sizeof *t->first));
    TRY_MEM(t->list = mem_new(most, sizeof *t->list));
    TRY_MEM(t->slot = mem_new(most, sizeof *t->slot));
    /* counting sort of the lists' words by row */
    for (size_t l = 0; l < lists; l++)
        for (size_t i = 0; i < in->count[l]; i++)
            t->first[in->word[l * LIST_MOST + i] + 2]++;
    for (size_t r = 2; r < in->rows + 2; r++)
        t->first[r] += t->first[r - 1];
    for (size_t l = 0; l < lists; l++)
        for (size_t i = 0; i < in->count[l]; i++) {
            const uint32_t at = t->first[in->word[l * LIST_MOST + i] + 1]++;
            t->list[at] = (uint32_t)l;
            t->slot[at] = (uint8_t)i;
        }
    *out = t;
    t = NULL;
out:
    paircounts_free(t);
    return st;
}

/* ---- a document ---------------------------------------------------------- */

static void paircounts_meet(const paircounts *t, place *at, uint32_t row,
                            double x)
{
    for (uint32_t i = t->first[row]; i < t->first[row + 1]; i++) {
        hit *const h = &at->hit[t->list[i]];
        if (h->count == 0)
            at->touched[at->touches++] = t->list[i];
        h->x[h->count] = x;
        h->slot[h->count++] = t->slot[i];
    }
}

static size_t paircounts_cell(size_t i, size_t j)
{
    return i < j ? i * LIST_MOST + j : j * LIST_MOST + i;
}

static void paircounts_count(const paircounts *t, place *at)
{
    bool covered = false;

    for (size_t n = 0; n < at->touches; n++) {
        hit *const h = &at->hit[at->touched[n]];
        uint32_t *const cell = at->documents + at->touched[n] * (size_t)CELLS;
        size_t leading = 0;
        for (size_t i = 0; i < h->count; i++) {
            leading += h->slot[i] < t->lead;
            for (size_t j = 0; j <= i; j++)
                cell[paircounts_cell(h->slot[i], h->slot[j])]++;
        }
        covered |= leading >= 2;
        h->count = 0;
    }
    at->covered += covered;
    at->touches = 0;
}

static void paircounts_sum(place *at)
{
    const double unit = ldexp(at->basket.weight, UNIT);

    for (size_t n = 0; n < at->touches; n++) {
        hit *const h = &at->hit[at->touched[n]];
        uint64_t *const cell = at->weight + at->touched[n] * (size_t)CELLS;
        for (size_t i = 0; i < h->count; i++)
            for (size_t j = 0; j < i; j++)
                cell[paircounts_cell(h->slot[i], h->slot[j])] +=
                    (uint64_t)llrint(unit * h->x[i] * h->x[j]);
        h->count = 0;
    }
    at->touches = 0;
}

/* ---- many ---------------------------------------------------------------- */

static void paircounts_add_chunk(void *data, size_t chunk, unsigned worker)
{
    const paircounts *const t = data;
    const docs *const d = t->d;
    const size_t end = (chunk + 1) * CHUNK;

    for (size_t m = chunk * CHUNK; m < end && m < d->count; m++) {
        for (size_t e = d->start[m]; e < d->start[m + 1]; e++)
            paircounts_meet(t, &t->place[worker], d->word[e], 0);
        paircounts_count(t, &t->place[worker]);
    }
}

void paircounts_add(paircounts *t, const docs *d)
{
    t->d = d;
    pool_run(t->p, (d->count + CHUNK - 1) / CHUNK, paircounts_add_chunk, t);
}

static void paircounts_weigh_chunk(void *data, size_t chunk, unsigned worker)
{
    const paircounts *const t = data;
    place *const at = &t->place[worker];
    const size_t end = (chunk + 1) * CHUNK;

    for (size_t m = chunk * CHUNK; m < end && m < t->w->documents; m++) {
        if (t->w->parts[m] == 0) /* of a document that began before */
            continue;
        basket_read(&at->basket, t->w, m);
        for (size_t i = 0; i < at->basket.count; i++)
            paircounts_meet(t, at, at->basket.row[i], at->basket.x[i]);
        paircounts_sum(at);
    }
}

void paircounts_weigh(paircounts *t, const window *w)
{
    t->w = w;
    pool_run(t->p, (w->documents + CHUNK - 1) / CHUNK, paircounts_weigh_chunk,
             t);
}

void paircounts_finish(paircounts *t)
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

uint64_t paircounts_documents(const paircounts *t, size_t list, size_t i,
                              size_t j)
{
    return t->place[0].documents[list * CELLS + paircounts_cell(i, j)];
}

double paircounts_weight(const paircounts *t, size_t list, size_t i,
                         size_t j)
{
    return ldexp((double)t->place[0].weight[list * CELLS +
                                            paircounts_cell(i, j)], -UNIT);
}

uint64_t paircounts_covered(const paircounts *t)
{
    return t->place[0].covered;
}

/* ---- coherence ----------------------------------------------------------- */

double coherence_umass(const paircounts *t, size_t list, size_t count)
{
    double sum = 0;

    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < count; j++) {
            const double both = (double)paircounts_documents(t, list, i, j);
            const double one = (double)paircounts_documents(t, list, j, j);
            if (i != j)
                sum += log((both + UMASS_EPSILON) / fmax(one, 1));
        }
    return sum;
}

/* Of two words with p(i, j) = both, p(i) p(j) = product. */
static double normalised(double both, double product)
{
    if (!(both > 0))
        return -1;
    return both < 1 ? log(both / product) / -log(both) : 0;
}

double coherence_npmi(const paircounts *t, size_t list, size_t count,
                      uint64_t documents)
{
    const double m = (double)documents;
    double sum = 0;

    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < i; j++)
            sum += normalised(
                (double)paircounts_documents(t, list, i, j) / m,
                (double)paircounts_documents(t, list, i, i) / m *
                    ((double)paircounts_documents(t, list, j, j) / m));
    return count < 2 ? NAN : sum / ((double)(count * (count - 1)) / 2);
}

/* With the epsilon that the measure was published with. */
static double cv_entry(const paircounts *t, size_t list, size_t i, size_t j,
                       double m)
{
    const double a = (double)paircounts_documents(t, list, i, i) / m;
    const double b = (double)paircounts_documents(t, list, j, j) / m;
    const double p =
        (double)paircounts_documents(t, list, i, j) / m + CV_EPSILON;

    if (!(a > 0 && b > 0) || !(p < 1))
        return 0;
    return log(p / (a * b)) / -log(p);
}

double coherence_cv(const paircounts *t, size_t list, size_t count,
                    uint64_t documents)
{
    double v[LIST_MOST][LIST_MOST], all[LIST_MOST] = {0};
    double sum = 0, length = 0;

    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < count; j++)
            all[j] += v[i][j] = cv_entry(t, list, i, j, (double)documents);
    for (size_t j = 0; j < count; j++)
        length += all[j] * all[j];
    for (size_t i = 0; i < count; i++) {
        double dot = 0, own = 0;
        for (size_t j = 0; j < count; j++) {
            dot += v[i][j] * all[j];
            own += v[i][j] * v[i][j];
        }
        sum += own > 0 && length > 0 ? dot / sqrt(own * length) : 0;
    }
    return count < 2 ? NAN : sum / (double)count;
}

/* Prim's: the nearest word outside of the tree is the next one in it. */
double coherence_tree(const paircounts *t, size_t list, const size_t *slot,
                      size_t count, double mass, const double *sums)
{
    double near[LIST_MOST], length = 0;
    size_t last = 0;

    for (size_t i = 0; i < count; i++)
        near[i] = INFINITY;
    for (size_t joined = 1; joined < count; joined++) {
        size_t next = count;
        near[last] = -1;
        for (size_t i = 0; i < count; i++) {
            if (near[i] < 0)
                continue;
            const double both =
                mass > 0 ? paircounts_weight(t, list, slot[last], slot[i]) /
                               mass
                         : 0;
            const double product = sums[slot[last]] * sums[slot[i]];
            near[i] = fmin(near[i],
                           fmax((1 - normalised(both, product)) / 2, 0));
            if (next == count || near[i] < near[next])
                next = i;
        }
        length += near[next];
        last = next;
    }
    return length;
}

/* ---- lists that are the same --------------------------------------------- */

/* With n(w) the lists that have word w: a word is in n (n - 1) / 2 pairs. */
kedge_status overlap_find(const word_lists *l, const size_t *count,
                          overlap *out, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    uint32_t *n = NULL;
    size_t places = 0, alone = 0, distinct = 0, shared = 0;

    *out = (overlap){0};
    TRY_MEM(n = mem_new(l->rows, sizeof *n));
    for (size_t t = 0; t < l->lists; t++)
        for (size_t i = 0; i < count[t]; i++)
            shared += n[l->word[t * LIST_MOST + i]]++;
    for (size_t r = 0; r < l->rows; r++) {
        places += n[r];
        distinct += n[r] > 0;
        alone += n[r] == 1;
    }
    out->alone = l->lists > 0 ? (double)alone / (double)l->lists : 0;
    out->shared = (double)shared;
    out->distinct = places > 0 ? (double)distinct / (double)places : 0;
out:
    mem_free(n);
    return st;
}
