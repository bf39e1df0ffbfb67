/* SPDX-License-Identifier: MIT */
#include "metrics/measure.h"

#include "base/gate.h"
#include "cooccur/corpus.h"

UNIT_END(completion, completion, completion_free)

#define ROWS 30

static docs documents(size_t count)
{
    docs d = {0};

    corpus_make(&d, &(corpus_opts){.seed = 2, .documents = count,
                                   .vocabulary = ROWS, .entries = 9,
                                   .tally = 200});
    return d;
}

static uint32_t tally_of(const docs *d, size_t m, uint32_t word)
{
    for (size_t e = d->start[m]; e < d->start[m + 1]; e++)
        if (d->word[e] == word)
            return d->tally[e];
    return 0;
}

/* Every token is in one half, about as many in each; of all documents that have
 * both. */
TEST(halves_are_the_whole)
{
    OWN(docs_free) docs d = documents(300);
    kedge_error err = {0};
    OWN(halves_free) halves h = {0};
    uint64_t first = 0, all = 0;
    size_t at = 0;

    ck_ok(halves_split(&h, &d, 7, 1, &err), err);
    ck_assert_uint_eq(h.first.count, h.second.count);
    for (size_t m = 0; m < d.count; m++) {
        if (at == h.first.count || h.first.position[at] != d.position[m]) {
            ck_assert_uint_lt(d.length[m], 30);
            continue;
        }
        for (uint32_t w = 0; w < ROWS; w++)
            ck_assert_uint_eq(tally_of(&d, m, w),
                              tally_of(&h.first, at, w) +
                                  tally_of(&h.second, at, w));
        ck_assert_uint_gt(h.first.length[at], 0);
        ck_assert_uint_gt(h.second.length[at], 0);
        first += h.first.length[at];
        all += d.length[m];
        at++;
    }
    ck_assert_uint_eq(at, h.first.count);
    ck_assert_double_eq_tol((double)first / (double)all, 0.5, 0.02);
}

TEST(a_share_of_documents_is_taken_by_their_positions)
{
    OWN(docs_free) docs d = documents(2000), tail = {0};
    kedge_error err = {0};
    OWN(halves_free) halves h = {0}, again = {0};

    ck_ok(halves_split(&h, &d, 7, 0.25, &err), err);
    ck_assert_double_eq_tol((double)h.first.count, 500, 80);
    for (size_t m = 1000; m < d.count; m++)
        corpus_copy(&tail, &d, m);
    ck_ok(halves_split(&again, &tail, 7, 0.25, &err), err);
    const size_t from = h.first.count - again.first.count;
    for (size_t m = 0; m < again.first.count; m++) {
        ck_assert_uint_eq(again.first.position[m],
                          h.first.position[from + m]);
        ck_assert_uint_eq(again.first.length[m], h.first.length[from + m]);
    }
    ck_ok(halves_split(&h, &d, 7, 0, &err), err);
    ck_assert_uint_eq(h.first.count, 0);
}

TEST(documents_of_one_token_have_no_halves)
{
    kedge_error err = {0};
    OWN(halves_free) halves h = {0};
    OWN(docs_free) docs d = {0};

    for (size_t m = 0; m < 40; m++)
        ck_assert(docs_begin(&d, m + 1) && docs_push(&d, 3, 1));
    ck_assert(docs_begin(&d, 41));
    ck_ok(halves_split(&h, &d, 1, 1, &err), err);
    ck_assert_uint_eq(h.first.count, 0);
}

TEST(likelihood_is_its_formula)
{
    OWN(docs_free) docs d = documents(9000);
    kedge_error err = {0};
    double b[ROWS * 3], tf[ROWS], sum = 0, want = 0, tokens = 0;
    OWNED double *shares = calloc(d.count * 3, sizeof *shares);
    chance r = {.key = 1};
    OWN(completion_end) completion *c = NULL;
    OWN(pool_end) pool *p = dense_pool(2);

    for (size_t i = 0; i < ROWS; i++) {
        tf[i] = (double)chance_below(&r, 100);
        sum += tf[i] + 1;
        for (size_t t = 0; t < 3; t++)
            b[3 * i + t] = i % 5 == 0 ? 0 : 2 * chance_unit(&r) / ROWS;
    }
    for (size_t i = 0; i < d.count * 3; i++)
        shares[i] = chance_unit(&r) / 2;
    ck_ok(completion_create(&(plain_model){.rows = ROWS, .k = 3, .b = b,
                                           .tf = tf}, p, &c, &err), err);
    ck_assert(isnan(completion_likelihood(c)));
    completion_add(c, &d, 0, 5, shares);
    completion_add(c, &d, 5, d.count - 5, shares + 15);
    for (size_t m = 0; m < d.count; m++)
        for (size_t e = d.start[m]; e < d.start[m + 1]; e++) {
            double q = 0;
            for (size_t t = 0; t < 3; t++)
                q += shares[3 * m + t] * b[3 * d.word[e] + t];
            q = 0.999 * q + 0.001 * (tf[d.word[e]] + 1) / sum;
            want += d.tally[e] * log(q);
            tokens += d.tally[e];
        }
    ck_assert_double_eq_tol(completion_likelihood(c), want / tokens, 1e-9);
    ck_assert_double_eq((double)c->tokens, tokens);
    ck_assert_uint_eq(c->documents, d.count);
}

TEST(no_memory_leaves_nothing)
{
    OWN(docs_free) docs d = documents(20);
    kedge_error err = {0};
    OWN(halves_free) halves h = {0};

    gate_starve(halves_split(&h, &d, 7, 1, &err));
}
