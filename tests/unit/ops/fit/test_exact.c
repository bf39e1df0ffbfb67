/* SPDX-License-Identifier: MIT */
#include "ops/laboratory.h"
#include "topics/squarematrix.h"

static const char *const kinds[] = {"raw", "log", "sqrt"};

TEST(it_is_that_of_the_documents)
{
    for (unsigned run = 0; run < 6; run++) {
        OWN(bench_end) bench b;
        bench_begin_with(&b, 1 + run % 3, 64, kinds[run / 2], run % 2 == 1);
        exact *e = bench_exact(&b, false);
        double *const c = dense(&b);
        for (size_t i = 0; i < N; i++) {
            double sum = 0;
            for (size_t j = 0; j < N; j++) {
                const double got = exact_matrix(e)[i * N + j];
                ck_assert_double_eq_tol(got, c[i * N + j],
                                        1e-6 * c[i * N + j] + 1e-12);
                sum += got;
            }
            ck_assert_double_eq_tol(e->sums[i] / sum, 1, 1e-12);
        }
        free(c);
        exact_free(e);
    }
}

/* Entries and sums to the last bit; products, which add up in another order,
 * nearly. */
TEST(sparse_it_is_the_same)
{
    static double x[N * TOPICS], expected[N * TOPICS], got[N * TOPICS];

    for (unsigned run = 0; run < 6; run++) {
        OWN(bench_end) bench b;
        kedge_error err = {0};
        double room[N];
        exact *sparse;
        uint64_t pairs = 0;
        bench_begin_with(&b, 1 + run % 3, 64, kinds[run / 2], run % 2 == 1);
        exact *e = bench_exact(&b, false);
        sparse = bench_exact(&b, true);
        ck_assert_mem_eq(sparse->sums, e->sums, sizeof room);
        for (size_t i = 0; i < N; i++) {
            const double *const row = exact_matrix(e) + i * N;
            ck_assert_mem_eq(exact_row(sparse, i, room), row, sizeof room);
            for (size_t j = 0; j < N; j++)
                pairs += row[j] > 0;
        }
        ck_assert_uint_ge(sparse->pairs, pairs);
        ck_assert_uint_le(sparse->pairs, pairs + N);
        for (size_t i = 0; i < N * TOPICS; i++)
            x[i] = (double)(i * 7 % 11) - 5;
        ck_ok(exact_apply(e, x, TOPICS, expected, &err), err);
        ck_ok(exact_apply(sparse, x, TOPICS, got, &err), err);
        for (size_t i = 0; i < N * TOPICS; i++)
            ck_assert_double_eq_tol(got[i], expected[i],
                                    1e-13 * e->sums[i / TOPICS]);
        exact_free(sparse);
        exact_free(e);
    }
}

/* Of all words: 2 TOPICS anchors. */
static void find_anchors(const anchors_matrix *c, uint64_t *chosen)
{
    double residual[2 * TOPICS], scratch[N * 2 * TOPICS];
    uint64_t all[N];
    const anchors_input in = {.kind = KEDGE_ANCHORS_COUNTED, .k = 2 * TOPICS,
                              .counted = c, .candidate = all,
                              .candidates = N, .scratch = scratch};
    kedge_error err = {0};

    for (size_t i = 0; i < N; i++)
        all[i] = i;
    ck_ok(counted_find(NULL, &in, chosen, residual, &err), err);
}

/* Sparse or not, and in the same matrix that was made by hand. */
TEST(anchors_are_found_in_it)
{
    for (unsigned run = 0; run < 12; run++) {
        OWN(bench_end) bench b;
        uint64_t expected[2 * TOPICS], chosen[2 * TOPICS];
        const bool weighted = run % 4 > 1;
        exact *e;
        bench_begin_with(&b, 1 + run % 3, 64, kinds[run / 4], weighted);
        e = bench_exact(&b, run % 2 == 1);
        squarematrix m = squarematrix_of(dense(&b), N);
        const anchors_matrix plain = squarematrix_counted(&m);
        find_anchors(&plain, expected);
        find_anchors(&e->counted, chosen);
        for (size_t a = 0; a < 2 * TOPICS; a++)
            ck_assert_uint_eq(chosen[a], expected[a]);
        squarematrix_free(&m);
        exact_free(e);
    }
}

TEST(eigenpairs_are_those_of_lapack)
{
    for (unsigned run = 0; run < 6; run++) {
        OWN(bench_end) bench b;
        kedge_error err = {0};
        double values[TOPICS], vectors[TOPICS * N];
        double got_values[TOPICS], got[N * TOPICS];
        bench_begin_with(&b, 2, 100, kinds[run / 2], run % 2 == 1);
        exact *e = bench_exact(&b, false);
        double *all = malloc(N * N * sizeof *all), every[N];
        memcpy(all, exact_matrix(e), N * N * sizeof *all);
        ck_ok(blas_eigen(all, N, every, &err), err);
        for (size_t j = 0; j < TOPICS; j++) {
            values[j] = every[N - 1 - j];
            memcpy(vectors + j * N, all + (N - 1 - j) * N, N * sizeof *all);
        }
        ck_ok(exact_vectors(e, TOPICS, got,
                            got_values, &err), err);
        for (size_t j = 0; j < TOPICS; j++)
            ck_assert_double_eq_tol(got_values[j], values[j],
                                    1e-13 * values[0]);
        ck_assert_double_lt(distance(got, vectors), 1e-6);
        free(all);
        exact_free(e);
    }
}

/* Every one of them, from a sketch that knows but few. */
TEST(as_many_as_there_are_words)
{
    BENCH(b, 2, 64);
    kedge_error err = {0};
    static double vectors[N * N], values[N], product[N * N];

    exact *e = bench_exact(&b, false);
    ck_ok(exact_vectors(e, N, vectors, values, &err),
          err);
    ck_ok(exact_apply(e, vectors, N, product, &err), err);
    for (size_t i = 0; i < N * N; i++)
        ck_assert_double_eq_tol(product[i], values[i % N] * vectors[i],
                                1e-12 * values[0]);
    for (size_t c = 1; c < N; c++)
        ck_assert_double_ge(values[c - 1], values[c]);
    exact_free(e);
}

/* ---- that of a model ----------------------------------------------------- */

/* Dense and, to the last bit the same, sparse. */
TEST(a_models_is_that_of_the_documents)
{
    for (unsigned threads = 1; threads <= 2; threads++) {
        BENCH(b, threads, 80);
        fit c, s;
        double sum = 0, room[N];
        kedge_error err = {0};
        bench_rest(&b);
        OWN(model_end) kedge_model *m = planted_fit(&b.p, 4, NULL, NULL);
        double *const expected = dense(&b);
        ck_ok(fit_open_cooccurrence(&c, b.p.t.s, m, false, &b.p.c, &err), err);
        ck_assert_uint_eq(c.index.words, N);
        for (size_t i = 0; i < N * N; i++) {
            const double got = exact_matrix(c.exact)[i];
            ck_assert_double_eq_tol(got, expected[i],
                                    1e-6 * expected[i] + 1e-14);
            sum += got;
        }
        ck_assert_double_eq_tol(sum, 1, 1e-6);
        ck_ok(fit_open_cooccurrence(&s, b.p.t.s, m, true, &b.p.c, &err), err);
        for (size_t i = 0; i < N; i++)
            ck_assert_mem_eq(exact_row(s.exact, i, room),
                             exact_matrix(c.exact) + i * N, sizeof room);
        fit_free(&s);
        fit_free(&c);
        free(expected);
    }
}

TEST(what_is_not_the_models_is_refused)
{
    PLANTED_STORE(p);
    fit c;
    kedge_fit_opts o = planted_opts();

    o.ncut = true;
    OWN(model_end) kedge_model *cut = planted_fit(&p, 3, &o, NULL);
    ck_fails(fit_open_cooccurrence(&c, p.t.s, cut, false, &p.c, &p.t.err),
             KEDGE_EINVAL, p.t.err, "normalised cut");
    OWN(model_end) kedge_model *m = planted_fit(&p, 4, NULL, NULL);
    p.c.memory = UINT64_C(40) << 20;
    ck_fails(fit_open_cooccurrence(&c, p.t.s, m, false, &p.c, &p.t.err),
             KEDGE_EBUDGET, p.t.err,
             "the co-occurrence of all pairs of words takes");
    ck_fails(fit_open_cooccurrence(&c, p.t.s, m, true, &p.c, &p.t.err),
             KEDGE_EBUDGET, p.t.err,
             "the co-occurrence of words that meet takes");
    kedge_control_init(&p.c);
    planted_make(&p.d, 99, 30);
    planted_write(p.source, &p.d, 0, 30, false);
    ck_ok(planted_ingest(&p, p.source), p.t.err);
    ck_fails(fit_open_cooccurrence(&c, p.t.s, m, false, &p.c, &p.t.err),
             KEDGE_EINVAL, p.t.err, "fit the model again");
    ck_assert_ptr_null(c.exact);
}
