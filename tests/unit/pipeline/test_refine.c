/* SPDX-License-Identifier: MIT */
#include "pipeline/refine.h"

#include "linalg/blas.h"
#include "pipeline/planted.h"
#include "pipeline/sketchrows.h"
#include "sketch/corpus.h"

#define N PLANTED_WORDS
#define TOPICS 4

typedef struct bench {
    planted p;
    words w;
    lens lens;
    uint32_t *order;
    store_view view;
    sketchrows z;
    spectrum spectrum;
    pool *threads;
    double weight[N]; /* by rank: 1, or those of bench_weigh */
} bench;

/* A weight for each word, from a tenth to nine. */
static void bench_weigh(bench *b)
{
    for (size_t i = 0; i < N; i++)
        b->weight[i] = 0.1 + (double)(i * 31 % 90) / 10;
    sketchrows_weigh(&b->z, b->weight);
}

/* The read transaction stays open. */
static void bench_begin_with(bench *b, unsigned threads, uint64_t width,
                             const char *counted, bool weighted)
{
    kedge_error err = {0};
    size_t twin;

    *b = (bench){0};
    blas_single_thread();
    planted_begin(&b->p, PLANTED_DOCUMENTS);
    b->p.o.width = width;
    b->p.o.statistics = counted;
    planted_fill(&b->p);
    scene_read(&b->p.t);
    ck_ok(pool_create(threads, &b->threads, &err), err);
    ck_ok(store_get_words(b->p.t.s, &b->w, &err), err);
    ck_ok(store_get_view_record(b->p.t.s, 0, &b->view, &err), err);
    ck_ok(lens_open(&b->lens, b->p.t.s, 0, &b->view, &b->w, &err), err);
    b->order = words_order(&b->w, &twin);
    ck_ok(sketchrows_create(&b->z, b->p.t.s, &b->view, &b->w, b->order,
                            threads, &err), err);
    for (size_t i = 0; i < N; i++)
        b->weight[i] = 1;
    if (weighted)
        bench_weigh(b);
    ck_ok(spectrum_gram(&b->z.rows, b->threads, &b->spectrum, &err), err);
    ck_ok(spectrum_solve(&b->spectrum, 0, &err), err);
}

static void bench_begin(bench *b, unsigned threads, uint64_t width)
{
    bench_begin_with(b, threads, width, NULL, false);
}

static void bench_end(bench *b)
{
    store_abort(b->p.t.s);
    spectrum_free(&b->spectrum);
    sketchrows_free(&b->z);
    pool_free(b->threads);
    mem_free(b->order);
    lens_close(&b->lens);
    words_free(&b->w);
    planted_end(&b->p);
}

static refine_input bench_input(bench *b, size_t block, size_t passes)
{
    return (refine_input){.s = b->p.t.s, .view = &b->view,
                          .lens = &b->lens, .order = b->order,
                          .spectrum = &b->spectrum, .rows = &b->z.rows,
                          .sums = b->z.sums, .scale = b->z.scale,
                          .block = block,
                          .passes = passes, .control = &b->p.c,
                          .p = b->threads};
}

static void bench_refine(bench *b, size_t block, size_t passes, size_t k,
                         double *vectors, double *values)
{
    const refine_input in = bench_input(b, block, passes);
    kedge_error err = {0};
    refine *r;

    ck_ok(refine_create(&in, &r, &err), err);
    ck_ok(refine_vectors(r, k, vectors, values, &err), err);
    refine_free(r);
}

/* C by ranks, of the planted documents. */
static void fill_joint(const bench *b, const size_t *rank, double *c)
{
    const docs *const d = &b->p.d;

    for (size_t m = 0; m < d->count; m++) {
        const double n = (double)d->length[m];
        const size_t from = d->start[m], to = d->start[m + 1];
        for (size_t i = from; n >= 5 && i < to; i++)
            for (size_t j = from; j < to; j++)
                c[rank[d->word[i]] * N + rank[d->word[j]]] +=
                    d->tally[i] * (d->tally[j] - (double)(i == j)) /
                    (n * (n - 1) * (double)b->view.documents);
    }
}

/* The same, of a damped statistic. */
static void fill_damped(const bench *b, const size_t *rank, double *c)
{
    const docs *const d = &b->p.d;
    double total = 0;

    for (size_t m = 0; m < d->count; m++) {
        double x[N] = {0}, squares = 0;
        for (size_t k = d->start[m]; k < d->start[m + 1]; k++) {
            const size_t r = rank[d->word[k]];
            x[r] = (double)corpus_value(b->view.statistic, d->tally[k], 5);
            squares += x[r] * x[r];
        }
        for (size_t i = 0; d->length[m] >= 5 && i < N; i++)
            for (size_t j = 0; j < N; j++)
                c[i * N + j] += i == j ? 0 : x[i] * x[j] / squares;
    }
    for (size_t i = 0; i < N * N; i++)
        total += c[i];
    for (size_t i = 0; i < N * N; i++)
        c[i] /= total;
}

/* D C D, by ranks. */
static double *dense(const bench *b)
{
    double *const c = calloc(N * N, sizeof *c);
    size_t rank[N];

    for (size_t r = 0; r < N; r++)
        rank[b->order[r]] = r;
    if (statistic_damped(b->view.statistic))
        fill_damped(b, rank, c);
    else
        fill_joint(b, rank, c);
    for (size_t i = 0; i < N * N; i++)
        c[i] *= b->weight[i / N] * b->weight[i % N];
    return c;
}

/* Of the dense C: value j is the j-th largest, row j its vector. */
static void exact(const bench *b, double *values, double *vectors)
{
    double *const c = dense(b);
    double all[N];
    kedge_error err = {0};

    ck_ok(blas_eigen(c, N, all, &err), err);
    for (size_t j = 0; j < TOPICS; j++) {
        values[j] = all[N - 1 - j];
        memcpy(vectors + j * N, c + (N - 1 - j) * N, N * sizeof *c);
    }
    free(c);
}

/* How far the vectors are from the exact ones, up to their signs. */
static double distance(const double *got, const double *vectors)
{
    double worst = 0;

    for (size_t j = 0; j < TOPICS; j++) {
        double dot = 0, rest = 0;
        for (size_t i = 0; i < N; i++)
            dot += got[i * TOPICS + j] * vectors[j * N + i];
        for (size_t i = 0; i < N; i++) {
            const double x = got[i * TOPICS + j] - dot * vectors[j * N + i];
            rest += x * x;
        }
        worst = fmax(worst, sqrt(rest) + fabs(fabs(dot) - 1));
    }
    return worst;
}

static const struct {
    size_t block, passes;
    double values, vectors; /* tolerances */
} cases[] = {
    {80, 2, 1e-8, 1e-7}, /* more columns than words */
    {80, 3, 1e-8, 1e-7}, {60, 3, 1e-8, 1e-7}, {40, 3, 1e-8, 1e-5},
    {20, 3, 1e-5, 1e-2},
};

/* `slower`: how much more the narrow blocks leave, where eigenvalues fall more
 * slowly. Products are as near as 30 bits of a column's largest entry: weights
 * that are far apart take some of them. */
static void check_eigenpairs(const char *counted, bool weighted, double slower)
{
    bench b;
    double values[TOPICS], vectors[TOPICS * N];
    double got_values[TOPICS], got[N * TOPICS];

    bench_begin_with(&b, 2, 100, counted, weighted);
    exact(&b, values, vectors);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const double slack = (cases[i].block < 60 ? slower : 1) *
                             (weighted ? 4 : 1);
        bench_refine(&b, cases[i].block, cases[i].passes, TOPICS, got,
                     got_values);
        for (size_t j = 0; j < TOPICS; j++)
            if (!(fabs(got_values[j] - values[j]) <=
                  slack * cases[i].values * values[0]))
                ck_abort_msg("case %zu: value %zu is %.17g, not %.17g", i, j,
                             got_values[j], values[j]);
        if (!(distance(got, vectors) <= fmin(slack * cases[i].vectors, 0.2)))
            ck_abort_msg("case %zu: vectors off by %g", i,
                         distance(got, vectors));
    }
    bench_end(&b);
}

START_TEST(eigenpairs_are_those_of_the_dense_matrix)
{
    check_eigenpairs("joint", false, 1);
    check_eigenpairs("log", false, 100);
    check_eigenpairs("sqrt", false, 100);
}
END_TEST

START_TEST(weighted_eigenpairs_are_those_of_the_dense_matrix)
{
    check_eigenpairs("joint", true, 1);
    check_eigenpairs("log", true, 100);
    check_eigenpairs("sqrt", true, 100);
}
END_TEST

START_TEST(weighted_sums_are_those_of_the_dense_matrix)
{
    static const char *const counted[] = {"joint", "log", "sqrt"};

    for (unsigned threads = 1; threads <= 3; threads++) {
        bench b;
        kedge_error err = {0};
        refine *r;
        bench_begin_with(&b, threads, 64, counted[threads - 1], true);
        double *const c = dense(&b);
        const refine_input in = bench_input(&b, 24, threads);
        ck_ok(refine_create(&in, &r, &err), err);
        for (size_t i = 0; i < N; i++) {
            double sum = 0;
            for (size_t j = 0; j < N; j++)
                sum += c[i * N + j];
            ck_assert_double_eq_tol(refine_sums(r)[i] / sum, 1, 1e-7);
        }
        refine_free(r);
        free(c);
        bench_end(&b);
    }
}
END_TEST

START_TEST(without_weights_there_are_no_sums)
{
    bench b;
    kedge_error err = {0};
    refine *r;

    bench_begin(&b, 1, 64);
    const refine_input in = bench_input(&b, 8, 1);
    ck_ok(refine_create(&in, &r, &err), err);
    ck_assert_ptr_null(refine_sums(r));
    ck_assert_uint_ge(refine_sums_memusage(1000), 8000);
    refine_free(r);
    bench_end(&b);
}
END_TEST

START_TEST(more_passes_are_closer)
{
    bench b;
    double values[TOPICS], vectors[TOPICS * N];
    double got_values[TOPICS], got[N * TOPICS], last = 1;

    bench_begin(&b, 2, 100);
    exact(&b, values, vectors);
    for (size_t passes = 1; passes <= 5; passes++) {
        bench_refine(&b, 16, passes, TOPICS, got, got_values);
        ck_assert_double_lt(distance(got, vectors), last);
        last = distance(got, vectors);
    }
    ck_assert_double_lt(last, 1e-4);
    bench_end(&b);
}
END_TEST

START_TEST(threads_do_not_matter)
{
    double first[N * TOPICS], again[N * TOPICS], values[2][TOPICS];

    for (unsigned run = 0; run < 8; run++) {
        const unsigned threads = run % 4 + 1;
        bench b;
        bench_begin_with(&b, threads, 64, NULL, run >= 4);
        bench_refine(&b, 24, 2, TOPICS, threads == 1 ? first : again,
                     values[threads > 1]);
        bench_end(&b);
        if (threads == 1)
            continue;
        ck_assert_int_eq(memcmp(first, again, sizeof first), 0);
        ck_assert_int_eq(memcmp(values[0], values[1], sizeof values[0]), 0);
    }
}
END_TEST

START_TEST(too_many_topics_are_refused)
{
    bench b;
    kedge_error err = {0};
    refine *r;
    static double vectors[N * N], values[N];

    bench_begin(&b, 1, 64);
    const refine_input in = bench_input(&b, 8, 2);
    ck_ok(refine_create(&in, &r, &err), err);
    ck_ok(refine_vectors(r, 16, vectors, values, &err), err);
    ck_fails(refine_vectors(r, 17, vectors, values, &err), KEDGE_EINVAL, err,
             "17 topics");
    refine_free(r);
    refine_free(NULL);
    bench_end(&b);
}
END_TEST

static int stop_at_once(void *data)
{
    (void)data;
    return 1;
}

START_TEST(a_refinement_can_be_stopped)
{
    bench b;
    kedge_error err = {0};
    refine *r;

    bench_begin(&b, 2, 64);
    const refine_input in = bench_input(&b, 16, 2);
    b.p.c.stop = stop_at_once;
    ck_assert_int_eq(refine_create(&in, &r, &err), KEDGE_ECANCELED);
    ck_assert_ptr_null(r);
    bench_end(&b);
}
END_TEST

START_TEST(refining_without_memory)
{
    bench b;
    kedge_error err = {0};
    refine *r;
    double vectors[N * TOPICS], values[TOPICS];

    bench_begin_with(&b, 1, 64, NULL, true);
    const refine_input in = bench_input(&b, 16, 2);
    scene_starve(refine_create(&in, &r, &err), err);
    scene_starve(refine_vectors(r, TOPICS, vectors, values, &err), err);
    refine_free(r);
    bench_end(&b);
}
END_TEST

START_TEST(the_block_fits_the_budget)
{
    const refine_shape s = {.rows = 100000, .k = 50, .passes = 2,
                            .threads = 4};
    const refine_shape few = {.rows = 30, .k = 20, .passes = 2, .threads = 4};
    refine_shape other = s;
    size_t last = 1000;

    for (uint64_t budget = UINT64_C(4) << 30; budget > 0; budget /= 2) {
        const size_t block = refine_block(&s, 1000, budget);
        ck_assert_uint_le(block, last);
        last = block;
        if (block == 0)
            continue;
        ck_assert_uint_ge(block, 100);
        ck_assert_uint_le(refine_memusage(&s, block), budget);
    }
    ck_assert_uint_eq(last, 0);
    ck_assert_uint_eq(refine_block(&s, 1000, UINT64_MAX), 1000);
    ck_assert_uint_eq(refine_block(&few, 1000, UINT64_MAX), 30);
    ck_assert_uint_eq(refine_block(&few, 1000, 1000), 0);
    /* down to two columns a topic, where just that fits */
    other.k = 49;
    ck_assert_uint_eq(refine_block(&other, 1000, refine_memusage(&other, 98)),
                      98);
    other.damped = true;
    ck_assert_uint_gt(refine_memusage(&other, 98),
                      refine_memusage(&s, 98));
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        eigenpairs_are_those_of_the_dense_matrix,
        weighted_eigenpairs_are_those_of_the_dense_matrix,
        weighted_sums_are_those_of_the_dense_matrix,
        without_weights_there_are_no_sums,
        more_passes_are_closer,
        threads_do_not_matter,
        too_many_topics_are_refused,
        a_refinement_can_be_stopped,
        refining_without_memory,
        the_block_fits_the_budget,
        NULL,
    };

    return unit_run("refine", tests);
}
