/* SPDX-License-Identifier: MIT */
/*
 * Shares below a limit become 0, the others are scaled to the sum one again and
 * rounded to units by largest remainders: each gets the whole units of its
 * share, and the units that are left go to those that lost most, lower topics
 * first where they lost the same. The limit is 1 / 4096, or a quarter of an
 * even share where topics are many: some topic has an even share, so one stays,
 * and less than a quarter of a document is given away whatever it is of. All
 * arithmetic is in the order of topics.
 */
#include "infer/rounding.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/fail.h"
#include "base/mem.h"

#define LEAST (1.0 / 4096)

typedef struct lost {
    double left;
    size_t place; /* among those that stay */
} lost;

struct rounding {
    size_t topics;
    double limit;
    lost *rest;
};

kedge_status rounding_create(size_t topics, rounding **out, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    rounding *r = NULL;

    *out = NULL;
    if (topics == 0 || topics > ROUNDING_TOPICS)
        return kedge_fail(err, KEDGE_EINVAL, "proportions of %zu topics cannot "
                                             "be saved: at most %d can",
                          topics, ROUNDING_TOPICS);
    TRY_MEM(r = mem_new(1, sizeof *r));
    TRY_MEM(r->rest = mem_new(topics, sizeof *r->rest));
    r->topics = topics;
    r->limit = fmin(LEAST, 0.25 / (double)topics);
    *out = r;
    r = NULL;
out:
    rounding_free(r);
    return st;
}

void rounding_free(rounding *r)
{
    if (r == NULL)
        return;
    mem_free_all(r->rest, r);
}

static int compare_remainders(const void *left, const void *right)
{
    const lost *const a = left, *const b = right;

    if (a->left != b->left)
        return (a->left < b->left) - (a->left > b->left);
    return (a->place > b->place) - (a->place < b->place);
}

size_t rounding_take(rounding *r, const double *shares, uint32_t *topic,
                     uint32_t *units, double *moved)
{
    double sum = 0;
    uint32_t left = ROUNDING_UNITS;
    size_t count = 0, next = 0;

    for (size_t t = 0; t < r->topics; t++)
        if (shares[t] >= r->limit) {
            topic[count++] = (uint32_t)t;
            sum += shares[t];
        }
    assert(count > 0 && sum > 0);
    for (size_t i = 0; i < count; i++) {
        const double exact = shares[topic[i]] / sum * ROUNDING_UNITS;
        units[i] = (uint32_t)exact;
        left -= units[i];
        r->rest[i] = (lost){exact - units[i], i};
    }
    assert(left <= count);
    qsort(r->rest, count, sizeof *r->rest, compare_remainders);
    for (; left > 0; left--)
        units[r->rest[next++].place]++;
    *moved = 0;
    next = 0;
    for (size_t t = 0; t < r->topics; t++) {
        const bool stays = next < count && topic[next] == t;
        const double now = stays ? (double)units[next] / ROUNDING_UNITS : 0;
        *moved += fabs(shares[t] - now);
        next += stays;
    }
    return count;
}
