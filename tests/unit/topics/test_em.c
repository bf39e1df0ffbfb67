/* SPDX-License-Identifier: MIT */
#include "linalg/dense.h"

#include "base/gate.h"
#include "topics/em.h"

/* Documents of two topics each, which have their own words for the most part,
 * and topics to begin with. */
typedef struct corpus {
    size_t rows, k;
    docs d;
    double *b, *share;
    uint64_t tokens;
} corpus;

static void make_document(corpus *o, chance *r, size_t m)
{
    const size_t first = chance_below(r, o->k), other = chance_below(r, o->k);
    OWNED uint32_t *tally = calloc(o->rows, sizeof *tally);

    for (size_t t = 3 + chance_below(r, 40); t > 0; t--) {
        const size_t topic = chance_below(r, 3) == 0 ? other : first;
        const size_t place = chance_below(r, o->rows);
        const size_t own = place / o->k * o->k + topic;
        tally[chance_below(r, 5) == 0 || own >= o->rows ? place : own]++;
    }
    ck_assert(docs_begin(&o->d, m + 1));
    for (uint32_t i = 0; i < o->rows; i++)
        if (tally[i] > 0)
            ck_assert(docs_push(&o->d, i, tally[i]));
    o->tokens += o->d.length[m];
}

static corpus corpus_make(size_t rows, size_t k, size_t documents,
                          uint64_t seed)
{
    chance r = {.key = seed};
    corpus o = {.rows = rows, .k = k, .b = dense_new(rows, k),
                .share = dense_new(k, 1)};

    for (size_t i = 0; i < rows * k; i++)
        o.b[i] = chance_below(&r, 4) == 0 ? 0 : 0.1 + chance_unit(&r);
    for (size_t c = 0; c < k; c++) {
        o.b[c * k + c] = 1;
        o.share[c] = chance_unit(&r);
    }
    if (seed % 3 == 1) /* shares as they should not be */
        o.share[0] = seed % 2 == 0 ? 0 : -0.01;
    dense_columns_to_one(o.b, rows, k);
    for (size_t m = 0; m < documents; m++)
        make_document(&o, &r, m);
    return o;
}

static void corpus_free(corpus *o)
{
    docs_free(&o->d);
    free(o->b);
    free(o->share);
}

/* ---- the twin ------------------------------------------------------------ */

static double twin_p(const corpus *o, const double *theta, size_t word)
{
    double p = 0;

    for (size_t c = 0; c < o->k; c++)
        p += theta[c] * o->b[word * o->k + c];
    return p;
}

static void twin_shares(const corpus *o, double *share)
{
    double sum = 0, all = 0;

    for (size_t c = 0; c < o->k; c++)
        sum += fmax(o->share[c], 0);
    for (size_t c = 0; c < o->k; c++)
        all += share[c] = fmax(fmax(o->share[c], 0) / sum,
                               0.001 / (double)o->k);
    for (size_t c = 0; c < o->k; c++)
        share[c] /= all;
}

/* The topics of document m after 20 steps. */
static void twin_topics(const corpus *o, size_t m, double *theta)
{
    const size_t k = o->k;
    double share[16], more[16];

    twin_shares(o, share);
    memcpy(theta, share, k * sizeof *theta);
    for (int step = 0; step < 20; step++) {
        double sum = 0;
        memcpy(more, share, sizeof more);
        for (size_t e = o->d.start[m]; e < o->d.start[m + 1]; e++) {
            const double p = twin_p(o, theta, o->d.word[e]);
            for (size_t c = 0; c < k && p > 0; c++)
                more[c] += theta[c] * o->d.tally[e] *
                           o->b[o->d.word[e] * k + c] / p;
        }
        for (size_t c = 0; c < k; c++)
            sum += more[c];
        for (size_t c = 0; c < k; c++)
            theta[c] = more[c] / sum;
    }
}

/* The likelihood before, and the B that follows, of a pass. */
static double twin(const corpus *o, uint64_t min_tokens, double *b)
{
    const size_t k = o->k;
    double loglik = 0, tokens = 0, theta[16];

    for (size_t i = 0; i < o->rows * k; i++)
        b[i] = 0.01 * o->b[i];
    for (size_t m = 0; m < o->d.count; m++) {
        if (o->d.length[m] < min_tokens)
            continue;
        twin_topics(o, m, theta);
        for (size_t e = o->d.start[m]; e < o->d.start[m + 1]; e++) {
            const size_t word = o->d.word[e];
            const double p = twin_p(o, theta, word), h = o->d.tally[e];
            if (p == 0)
                continue;
            loglik += h * log(p);
            tokens += h;
            for (size_t c = 0; c < k; c++)
                b[word * k + c] += h * theta[c] * o->b[word * k + c] / p;
        }
    }
    dense_columns_to_one(b, o->rows, k);
    return loglik / tokens;
}

/* ---- passes -------------------------------------------------------------- */

/* One pass over all documents in portions of so many; the corpus's B moves. */
static double pass(corpus *o, unsigned threads, size_t portion,
                   uint64_t min_tokens, bool learning)
{
    kedge_error err = {0};
    OWN(pool_end) pool *p = dense_pool(threads);
    const em_input in = {.rows = o->rows, .k = o->k, .b = o->b,
                             .share = o->share, .tokens = o->tokens,
                             .min_tokens = min_tokens, .p = p};
    em *work;
    docs some = {0};
    double likelihood;

    ck_ok(em_create(&in, &work, &err), err);
    em_begin(work);
    for (size_t m = 0; m < o->d.count; m++) {
        ck_assert(docs_append(&some, &o->d, m));
        if (some.count < portion && m + 1 < o->d.count)
            continue;
        em_add(work, &some, learning);
        docs_clear(&some);
    }
    likelihood = em_likelihood(work);
    if (learning)
        em_learn(work);
    docs_free(&some);
    em_free(work);
    return likelihood;
}

TEST(a_pass_is_that_of_the_plain_sums)
{
    for (uint64_t seed = 0; seed < 40; seed++) {
        const size_t k = 2 + seed % 13, rows = 20 + 11 * (seed % 9);
        const uint64_t min_tokens = seed % 4 * 4;
        OWN(corpus_free) corpus o = corpus_make(rows, k, 5 + 7 * seed, seed);
        OWNED double *b = dense_new(rows, k);
        const double expected = twin(&o, min_tokens, b);
        const double measured = pass(&o, 2, 1000, min_tokens, false);
        const double got = pass(&o, 1 + (unsigned)seed % 3, 1 + seed * 3,
                                min_tokens, true);
        ck_assert_double_eq(measured, got);
        ck_assert_double_eq_tol(got, expected, 1e-9);
        for (size_t i = 0; i < rows * k; i++) {
            if (!(fabs(o.b[i] - b[i]) < 1e-9))
                ck_abort_msg("seed %u, B %zu: %.17g, not %.17g",
                             (unsigned)seed, i, o.b[i], b[i]);
            ck_assert((o.b[i] == 0) == (b[i] == 0));
        }
    }
}

TEST(documents_become_likelier_with_each_pass)
{
    for (uint64_t seed = 0; seed < 30; seed++) {
        OWN(corpus_free) corpus o = corpus_make(60, 3 + seed % 8, 150, seed);
        double before = pass(&o, 2, 50, 0, true);
        const double first = before;
        for (int n = 0; n < 8; n++) {
            const double now = pass(&o, 2, 50, 0, true);
            ck_assert_double_gt(now, before);
            before = now;
        }
        ck_assert_double_gt(before, first + 0.02);
    }
}

/* Documents from last to first, in other portions, on other threads. */
TEST(order_portions_and_threads_leave_no_trace)
{
    for (uint64_t seed = 0; seed < 12; seed++) {
        const size_t rows = 200, k = 3 + seed;
        OWN(corpus_free) corpus one = corpus_make(rows, k, 120, seed);
        const double likelihood = pass(&one, 1, 1000, 5, true);
        for (unsigned threads = 1; threads <= 3; threads++) {
            OWN(corpus_free) corpus o = corpus_make(rows, k, 120, seed);
            docs turned = {0};
            for (size_t m = o.d.count; m-- > 0;)
                ck_assert(docs_append(&turned, &o.d, m));
            docs_free(&o.d);
            o.d = turned;
            ck_assert(pass(&o, threads, 1 + 30 * (threads - 1), 5, true) ==
                      likelihood);
            ck_assert_mem_eq(o.b, one.b, rows * k * sizeof *o.b);
        }
    }
}

/* With so many topics a window ends after a thousand documents. */
TEST(windows_leave_no_trace)
{
    OWN(corpus_free) corpus one = corpus_make(2000, 2000, 1200, 5);
    OWN(corpus_free) corpus other = corpus_make(2000, 2000, 1200, 5);

    ck_assert(pass(&one, 2, 1200, 0, true) == pass(&other, 2, 77, 0, true));
    ck_assert_mem_eq(one.b, other.b, one.rows * one.k * sizeof *one.b);
}

TEST(words_without_a_topic_are_left_out)
{
    OWN(corpus_free) corpus o = corpus_make(40, 4, 60, 3);
    OWN(corpus_free) corpus less = corpus_make(40, 4, 60, 3);
    docs kept = {0};

    for (size_t c = 0; c < 4; c++)
        less.b[20 * 4 + c] = o.b[20 * 4 + c] = 0;
    for (size_t m = 0; m < o.d.count; m++) {
        ck_assert(docs_begin(&kept, m + 1));
        for (size_t e = o.d.start[m]; e < o.d.start[m + 1]; e++)
            if (o.d.word[e] != 20)
                ck_assert(docs_push(&kept, o.d.word[e], o.d.tally[e]));
    }
    docs_free(&less.d);
    less.d = kept;
    ck_assert_uint_lt(docs_entries(&kept), docs_entries(&o.d));
    ck_assert(pass(&o, 1, 100, 0, true) == pass(&less, 1, 100, 0, true));
    ck_assert_mem_eq(o.b, less.b, 160 * sizeof *o.b);
    ck_assert_double_eq(o.b[20 * 4], 0);
}

/* Nothing to learn from: topics stay. */
TEST(without_documents_nothing_moves)
{
    OWN(corpus_free) corpus o = corpus_make(40, 4, 20, 8);
    OWNED double *b = dense_copy(o.b, 160);

    ck_assert_double_eq(pass(&o, 1, 100, 1000, true), 0);
    for (size_t i = 0; i < 160; i++)
        ck_assert_double_eq_tol(o.b[i], b[i], 1e-15);
}

TEST(the_largest_counts_have_room)
{
    OWN(corpus_free) corpus o = corpus_make(40, 4, 50, 2);
    double last = -100;

    o.tokens = 0;
    for (size_t m = 0; m < o.d.count; m++) {
        o.d.length[m] = 0;
        for (size_t e = o.d.start[m]; e < o.d.start[m + 1]; e++)
            o.d.length[m] += o.d.tally[e] = UINT32_MAX - o.d.word[e];
        o.tokens += o.d.length[m];
    }
    for (int n = 0; n < 4; n++) {
        const double now = pass(&o, 1, 100, 0, true);
        ck_assert_double_gt(now, last);
        ck_assert_double_lt(now, 0);
        last = now;
    }
    for (size_t c = 0; c < 4; c++) {
        double sum = 0;
        for (size_t i = 0; i < 40; i++)
            sum += o.b[i * 4 + c];
        ck_assert_double_eq_tol(sum, 1, 1e-12);
    }
}

TEST(no_memory_is_survived)
{
    OWN(corpus_free) corpus o = corpus_make(40, 4, 1, 8);
    OWN(pool_end) pool *p = dense_pool(2);
    const em_input in = {.rows = o.rows, .k = o.k, .b = o.b,
                             .share = o.share, .p = p};
    kedge_error err = {0};

    GATE_LOOP {
        em *work;
        GATE_TRY(em_create(&in, &work, &err));
        ck_assert((work == NULL) == (gate_status != KEDGE_OK));
        em_free(work);
    }
}
