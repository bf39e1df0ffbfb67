/* SPDX-License-Identifier: MIT */
#include "cooccur/corpus.h"

#include "base/gate.h"
#include "linalg/dense.h"
#include "cooccur/pairsums.h"

UNIT_END(pairsums, pairsums, pairsums_free)

typedef struct scenario {
    words w;
    docs d;
    statistic statistic;
    uint32_t *rank;  /* words: not in the order of ids */
    int64_t *naive;  /* words x words, by id: straight from the formula */
} scenario;

static void scenario_begin(scenario *s, uint64_t seed, uint32_t kind)
{
    const corpus_opts o = {seed, 60, 90, 30, seed % 2 ? 3 : 400};
    const size_t n = o.vocabulary;
    chance c = {.key = seed};

    *s = (scenario){0};
    statistic_open(&s->statistic, kind);
    corpus_words(&s->w, n);
    corpus_make(&s->d, &o);
    for (uint32_t i = 0; i < 3; i++) /* split, or in parts */
        corpus_long(&s->d, &c, n - i, 1 + i * 20000);
    s->naive = corpus_square(&s->d, &s->w, kind, 5);
    s->rank = calloc(n, sizeof *s->rank);
    for (size_t i = 0; i < n; i++)
        s->rank[i] = (uint32_t)(i * 37 % n);
}

static void scenario_end(scenario *s)
{
    words_free(&s->w);
    docs_free(&s->d);
    free(s->naive);
    free(s->rank);
}

static void run_task(void *data, size_t task, unsigned worker)
{
    pairsums_task(data, task, worker);
}

/* Documents from either end, `cut` to a window, on some threads. */
static kedge_status add_documents(pairsums *m, const scenario *s, size_t cut,
                                  bool backwards, pool *p, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    OWN(docs_free) docs batch = {0};
    OWN(window_free) window w = {.statistic = &s->statistic};

    for (size_t i = 0; i < s->d.count && st == KEDGE_OK; i++) {
        corpus_copy(&batch, &s->d, backwards ? s->d.count - 1 - i : i);
        if (batch.count < cut && i + 1 < s->d.count)
            continue;
        ck_ok(window_fill(&w, &batch, s->w.count, 5, err), *err);
        st = pairsums_begin(m, &w, err);
        if (st == KEDGE_OK)
            pool_run(p, pairsums_tasks(m), run_task, m);
        docs_clear(&batch);
    }
    return st;
}

static pairsums *make(const scenario *s, size_t cut, bool backwards,
                      unsigned threads)
{
    kedge_error err = {0};
    OWN(pool_end) pool *p = dense_pool(threads);
    pairsums *m;

    ck_ok(pairsums_create(s->rank, s->w.count, threads, false, &m, &err), err);
    ck_ok(add_documents(m, s, cut, backwards, p, &err), err);
    return m;
}

/* The same without zeros: all windows twice. */
static pairsums *make_sparse(const scenario *s, size_t cut, unsigned threads)
{
    kedge_error err = {0};
    OWN(pool_end) pool *p = dense_pool(threads);
    pairsums *m;

    ck_ok(pairsums_create(s->rank, s->w.count, threads, true, &m, &err), err);
    ck_ok(add_documents(m, s, cut, false, p, &err), err);
    ck_assert_uint_gt(pairsums_pairs(m), 0);
    ck_ok(pairsums_look_again(m, &err), err);
    ck_ok(add_documents(m, s, cut + 2, true, p, &err), err);
    return m;
}

/* scale d_i d_j (C_ij + C_ji) / 2 of the formula's integers, to the bit. */
TEST(every_entry_is_that_of_the_formula)
{
    for (uint64_t seed = 0; seed < 9; seed++) {
        const unsigned threads = 1 + (unsigned)seed % 3;
        const double scale = 0x1p-40;
        OWN(scenario_end) scenario s;
        scenario_begin(&s, seed, (uint32_t)(seed % STATISTICS));
        const size_t n = s.w.count;
        OWNED double *weight = dense_random(n, 1, seed);
        OWN(pairsums_end) pairsums *m = make(&s, 1 + seed * 5, seed % 2 == 0,
                                             threads);
        OWN(pool_end) pool *p = dense_pool(threads);
        pairsums_finish(m, p, scale, seed % 2 == 0 ? NULL : weight);
        const double *const c = pairsums_entries(m, 0, NULL);
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < n; j++) {
                const double d = seed % 2 == 0 ? 1 : weight[s.rank[i]] *
                                                         weight[s.rank[j]];
                const double mean = ((double)s.naive[i * n + j] +
                                     (double)s.naive[j * n + i]) / 2;
                ck_assert_double_eq(c[s.rank[i] * n + s.rank[j]],
                                    scale * d * mean);
            }
    }
}

TEST(documents_are_taken_out_again)
{
    OWN(scenario_end) scenario s;
    kedge_error err = {0};
    OWN(window_free) window w = {.negative = true};

    scenario_begin(&s, 3, STATISTIC_LOG);
    w.statistic = &s.statistic;
    OWN(pairsums_end) pairsums *m = make(&s, 9, false, 1);
    OWN(pool_end) pool *p = dense_pool(1);
    corpus_window(&w, &s.d, s.w.count, 5);
    ck_ok(pairsums_begin(m, &w, &err), err);
    pool_run(p, pairsums_tasks(m), run_task, m);
    pairsums_finish(m, p, 1, NULL);
    for (size_t i = 0; i < s.w.count * s.w.count; i++)
        ck_assert_double_eq(pairsums_entries(m, 0, NULL)[i], 0);
}

/* out (rows x k) is m x, of which `whole` has the entries. */
static void check_product(const pairsums *m, const pairsums *whole, size_t n,
                          size_t k, pool *p)
{
    OWNED double *x = dense_random(n, k, k), *y = dense_new(n, k);

    pairsums_multiply(m, p, x, k, y);
    for (size_t i = 0; i < n; i++)
        for (size_t c = 0; c < k; c++) {
            const double *const row = pairsums_entries(whole, i, NULL);
            double sum = 0, most = 0;
            for (size_t j = 0; j < n; j++) {
                sum += row[j] * x[j * k + c];
                most += fabs(row[j]);
            }
            ck_assert_double_eq_tol(y[i * k + c], sum, 1e-13 * most + 1e-300);
        }
}

/* Both have the squared lengths of the rows, and the same ones. */
static void check_squares(const pairsums *m, const pairsums *whole, size_t n,
                          pool *p)
{
    OWNED double *squares = dense_new(n, 1), *others = dense_new(n, 1);

    pairsums_squares(m, p, squares);
    pairsums_squares(whole, p, others);
    for (size_t i = 0; i < n; i++) {
        const double length = dense_norm(pairsums_entries(whole, i, NULL), n);
        ck_assert_double_eq_tol(squares[i], length * length,
                                1e-14 * squares[i] + 1e-300);
        ck_assert_double_eq_tol(others[i], squares[i],
                                1e-14 * squares[i] + 1e-300);
    }
}

/* Sparse, every entry is that of the matrix to the last bit, and products are
 * those of naive sums. */
TEST(sparse_sums_are_the_same)
{
    for (unsigned run = 0; run < 6; run++) {
        OWN(scenario_end) scenario s;
        scenario_begin(&s, run, run % STATISTICS);
        const size_t n = s.w.count;
        OWNED double *weight = dense_random(n, 1, run), *room = dense_new(n, 1);
        OWN(pairsums_end) pairsums *m = make(&s, 7, false, 1);
        OWN(pairsums_end) pairsums *thin = make_sparse(&s, 1 + run,
                                                       1 + run % 3);
        OWN(pool_end) pool *p = dense_pool(1 + run % 3);
        size_t met = 0;
        pairsums_finish(m, p, 0x1p-40, weight);
        pairsums_finish(thin, p, 0x1p-40, weight);
        for (size_t i = 0; i < n; i++) {
            const double *const row = pairsums_entries(m, i, NULL);
            ck_assert_mem_eq(pairsums_entries(thin, i, room), row,
                             n * sizeof *row);
            for (size_t j = 0; j < n; j++)
                met += row[j] != 0;
        }
        check_product(thin, m, n, 3, p);
        check_product(thin, m, n, 1, p);
        check_squares(thin, m, n, p);
        ck_assert_uint_ge(pairsums_pairs(thin), met);
        ck_assert_uint_le(pairsums_pairs(thin), met + n);
    }
}

TEST(no_memory_is_survived)
{
    OWN(scenario_end) scenario s;
    kedge_error err = {0};
    OWN(pairsums_end) pairsums *m = NULL, *thin = NULL;
    OWN(window_free) window w = {0};

    scenario_begin(&s, 1, STATISTIC_LOG);
    w.statistic = &s.statistic;
    gate_starve(pairsums_create(s.rank, s.w.count, 1, false, &m, &err));
    gate_starve(pairsums_create(s.rank, s.w.count, 1, true, &thin, &err));
    corpus_window(&w, &s.d, s.w.count, 5);
    gate_starve(pairsums_begin(m, &w, &err));
}
