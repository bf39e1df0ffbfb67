/* SPDX-License-Identifier: MIT */
/*
 * Partial selection: `out` is a heap of the best rows so far with the last of
 * them on top. Most rows lose against the top at once, so a topic costs one
 * walk over its column; in the end the heap is emptied from its far end, which
 * sorts it.
 */
#include "metrics/ranking.h"

#include <math.h>
#include <stdbool.h>

void ranking_mix(const double *b, const double *share, size_t rows,
                 size_t topics, double *mix)
{
    for (size_t i = 0; i < rows; i++) {
        double sum = 0;
        for (size_t l = 0; l < topics; l++)
            sum += b[i * topics + l] * share[l];
        mix[i] = sum;
    }
}

kedge_ranked_word ranking_word(const ranking *r, size_t topic, double lambda,
                               size_t row)
{
    const size_t at = row * r->topics + topic;
    const double p = r->b[at];
    const double mix = r->mix[row];
    const double own = mix > 0 ? p * r->share[topic] / mix : 0;
    const double w = r->weighted != NULL ? r->weighted[at] : p;
    const double relevance =
        own > 0 ? pow(p, 2 * lambda) * pow(own, 2 - 2 * lambda) : 0;

    return (kedge_ranked_word){row, p, relevance, w};
}

static double value(const kedge_ranked_word *w, kedge_rank by)
{
    return by == KEDGE_RANK_RELEVANCE  ? w->relevance
           : by == KEDGE_RANK_WEIGHTED ? w->weighted
                                       : w->probability;
}

static bool comes_before(const kedge_ranked_word *x,
                         const kedge_ranked_word *y, kedge_rank by)
{
    const double a = value(x, by);
    const double b = value(y, by);

    if (a > b)
        return true;
    return !(a < b) && x->row < y->row;
}

static void swap(kedge_ranked_word *x, kedge_ranked_word *y)
{
    const kedge_ranked_word t = *x;

    *x = *y;
    *y = t;
}

static void heap_rise(kedge_ranked_word *heap, size_t at, kedge_rank by)
{
    while (at > 0) {
        const size_t parent = (at - 1) / 2;
        if (!comes_before(&heap[parent], &heap[at], by))
            break;
        swap(&heap[parent], &heap[at]);
        at = parent;
    }
}

static void heap_sink(kedge_ranked_word *heap, size_t size, kedge_rank by)
{
    size_t at = 0, child;

    while ((child = 2 * at + 1) < size) {
        if (child + 1 < size &&
            comes_before(&heap[child], &heap[child + 1], by))
            child++;
        if (!comes_before(&heap[at], &heap[child], by))
            break;
        swap(&heap[at], &heap[child]);
        at = child;
    }
}

size_t ranking_top(const ranking *r, size_t topic, ranking_order order,
                   kedge_ranked_word *out, size_t count)
{
    const bool bounded = order.by == KEDGE_RANK_RELEVANCE && order.lambda > 0;
    double least = 0;
    size_t size = 0;

    for (size_t i = 0; i < r->rows && count > 0; i++) {
        const double p = r->b[i * r->topics + topic];
        if (!(p > 0) || p < least)
            continue;
        const kedge_ranked_word w = ranking_word(r, topic, order.lambda, i);
        if (size < count) {
            out[size++] = w;
            heap_rise(out, size - 1, order.by);
        } else if (comes_before(&w, &out[0], order.by)) {
            out[0] = w;
            heap_sink(out, size, order.by);
        } else {
            continue;
        }
        /* a row that is less probable cannot come before the last one by
         * relevance, which is p^2l at most; a little less, for roundings */
        if (size == count && bounded)
            least = pow(out[0].relevance, 0.5 / order.lambda) * (1 - 1e-9);
    }
    for (size_t end = size; end > 1; end--) {
        swap(&out[0], &out[end - 1]);
        heap_sink(out, end - 1, order.by);
    }
    return size;
}

double ranking_exclusivity(const ranking *r, size_t topic)
{
    const ranking_order order = {KEDGE_RANK_RELEVANCE, KEDGE_LAMBDA};
    kedge_ranked_word first[KEDGE_EXCLUSIVITY_WORDS];
    const size_t count = ranking_top(r, topic, order, first,
                                     KEDGE_EXCLUSIVITY_WORDS);
    double sum = 0;

    for (size_t i = 0; i < count; i++)
        if (r->mix[first[i].row] > 0)
            sum += first[i].probability * r->share[topic] /
                   r->mix[first[i].row];
    return count > 0 ? sum / (double)count : 0;
}

/* A large topic cannot meet itself twice as often as by chance: what counts for
 * it is how far it is from chance on the way to keeping to itself. */
bool ranking_background(const ranking *r, const double *a, size_t topic)
{
    const size_t k = r->topics;
    double all = 0, own = 0, itself, chance;

    for (size_t i = 0; i < k * k; i++) {
        all += a[i];
        own += i / k == topic ? a[i] : 0;
    }
    own /= all;
    itself = a[topic * k + topic] / all;
    chance = own * own;
    return ranking_exclusivity(r, topic) < KEDGE_BACKGROUND ||
           (itself < KEDGE_SPREAD * chance &&
            itself - chance < KEDGE_OWN_WAY * (own - chance));
}
