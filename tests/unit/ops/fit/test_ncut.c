/* SPDX-License-Identifier: MIT */
#include "ops/fit/fit.h"

#include "base/gate.h"
#include "linalg/blas.h"
#include "ops/laboratory.h"

#define SHARE 0.5 /* of the mean degree, the least */

static const char *const kinds[] = {"raw", "log", "sqrt"};

/* A store with the whole corpus. */
static void begin(planted *p, const char *counted)
{
    planted_begin(p, PLANTED_DOCUMENTS);
    p->o.tf = counted;
    planted_fill(p);
}

static kedge_fit_opts options(kedge_term_weight weight, uint64_t passes)
{
    kedge_fit_opts o = planted_opts();

    o.ncut = true;
    o.term_weight = weight;
    o.power_iter = passes;
    o.save_spectrum = true;
    o.fresh = true;
    o.name = "m";
    return o;
}

static kedge_model *fitted(planted *p, kedge_term_weight weight,
                           uint64_t passes)
{
    const kedge_fit_opts o = options(weight, passes);
    kedge_fit_result r;
    kedge_model *const m = planted_fit(p, TOPICS, &o, &r);

    ck_assert(r.ncut);
    return m;
}

/* ---- by hand ------------------------------------------------------------- */

/* Documents as rows of doubles, words by their ranks, and what is made of
 * them. */
typedef struct hand {
    size_t count;
    double x[PLANTED_DOCUMENTS][N]; /* unscaled */
    double square[PLANTED_DOCUMENTS], factor[PLANTED_DOCUMENTS];
    bool damped;
    double weight[N]; /* of words */
    double c[N * N];  /* over its total */
} hand;

static void hand_read(hand *h, const docs *d, uint32_t kind)
{
    *h = (hand){.damped = statistic_damped(kind)};
    for (size_t m = 0; m < d->count; m++) {
        double *const x = h->x[h->count], n = (double)d->length[m];
        if (d->length[m] < 5)
            continue;
        for (size_t k = d->start[m]; k < d->start[m + 1]; k++) {
            const size_t rank = d->word[k] * 37 % N;
            x[rank] = h->damped
                          ? (double)corpus_value(kind, d->tally[k], 5)
                          : (double)d->tally[k];
            h->square[h->count] += x[rank] * x[rank];
        }
        if (!h->damped)
            h->square[h->count] = n * (n - 1);
        h->factor[h->count++] = 1;
    }
}

static void hand_multiply(hand *h)
{
    double total = 0;

    memset(h->c, 0, sizeof h->c);
    for (size_t m = 0; m < h->count; m++)
        for (size_t i = 0; i < N; i++)
            for (size_t j = 0; j < N; j++) {
                double x = h->x[m][i] * h->x[m][j];
                if (i == j)
                    x -= h->damped ? x : h->x[m][i];
                h->c[i * N + j] += h->factor[m] * x / h->square[m];
            }
    for (size_t i = 0; i < N * N; i++)
        total += h->c[i];
    for (size_t i = 0; i < N * N; i++)
        h->c[i] /= total;
}

/* Row sums of C. */
static void hand_sums(const hand *h, double *sums)
{
    for (size_t i = 0; i < N; i++) {
        sums[i] = 0;
        for (size_t j = 0; j < N; j++)
            sums[i] += h->c[i * N + j];
    }
}

/* Those of roots are of statistics without the cut. */
static void hand_weigh(hand *h, const docs *d, kedge_term_weight weight)
{
    double df[N] = {0}, sums[N];

    hand_multiply(h);
    hand_sums(h, sums);
    for (size_t k = 0; k < docs_entries(d); k++)
        df[d->word[k] * 37 % N]++;
    for (size_t i = 0; i < N; i++)
        h->weight[i] = weight == KEDGE_TERM_WEIGHT_IDF
                           ? fmax(log((double)d->count / df[i]), 0.01)
                       : weight == KEDGE_TERM_WEIGHT_SQRT ? 1 / sqrt(sums[i])
                                                     : 1;
}

/* |D x|. */
static double hand_length(const hand *h, size_t m)
{
    double length = 0;

    for (size_t i = 0; i < N; i++) {
        const double y = h->x[m][i] * h->weight[i];
        length += h->damped ? y * y : y;
    }
    return h->damped ? sqrt(length) : length;
}

/* Every similarity of two documents, one by one. */
static void hand_cut(hand *h)
{
    double degree[PLANTED_DOCUMENTS] = {0}, mean = 0;
    double length[PLANTED_DOCUMENTS];

    for (size_t m = 0; m < h->count; m++)
        length[m] = hand_length(h, m);
    for (size_t m = 0; m < h->count; m++) {
        for (size_t j = 0; j < h->count; j++)
            for (size_t i = 0; i < N; i++)
                degree[m] += h->x[m][i] * h->x[j][i] * h->weight[i] *
                             h->weight[i] / length[m] / length[j];
        mean += degree[m] / (double)h->count;
    }
    for (size_t m = 0; m < h->count; m++)
        h->factor[m] = 1 / fmax(degree[m], SHARE * mean);
    hand_multiply(h);
}

/* The largest eigenvalues of D C D over its total, falling. */
static void hand_values(const hand *h, double values[TOPICS])
{
    double *const c = calloc(N * N, sizeof *c), all[N], total = 0;
    kedge_error err = {0};

    for (size_t i = 0; i < N * N; i++)
        total += c[i] = h->c[i] * h->weight[i / N] * h->weight[i % N];
    ck_ok(blas_eigen(c, N, all, &err), err);
    for (size_t j = 0; j < TOPICS; j++)
        values[j] = all[N - 1 - j] / total;
    free(c);
}

static void check_model(const hand *h, const kedge_model *m, double near)
{
    double values[TOPICS], sums[N];

    hand_sums(h, sums);
    hand_values(h, values);
    for (size_t i = 0; i < N; i++)
        ck_assert_double_eq_tol(kedge_model_word_probability(m)[i], sums[i],
                                1e-7);
    for (size_t j = 0; j < TOPICS; j++)
        ck_assert_double_eq_tol(kedge_model_eigenvalues(m)[j], values[j],
                                near * values[0]);
}

/* Refined in a space of all words, which makes it exact: so the passes see the
 * same documents as the sketch. One pass alone is near. */
TEST(eigenvalues_are_those_of_the_dense_cut)
{
    hand *const h = calloc(1, sizeof *h);

    blas_begin(4, NULL);
    for (uint32_t kind = 0; kind < STATISTICS; kind++) {
        OWN(planted_end) planted p;
        begin(&p, kinds[kind]);
        for (int w = KEDGE_TERM_WEIGHT_NONE; w <= KEDGE_TERM_WEIGHT_SQRT; w++) {
            const kedge_term_weight weight = (kedge_term_weight)w;
            hand_read(h, &p.d, kind);
            hand_weigh(h, &p.d, weight);
            hand_cut(h);
            OWN(model_end) kedge_model *full = fitted(&p, weight, 3);
            check_model(h, full, 1e-6);
            OWN(model_end) kedge_model *one = fitted(&p, weight, 0);
            check_model(h, one, 0.1);
        }
    }
    free(h);
}

/* ---- the sketch by itself ------------------------------------------------ */

/* All rows, in the order of the words' bytes. */
static int64_t *ncut_rows(fit *f)
{
    const size_t stride = 1 + f->index.width;
    int64_t *const rows = calloc(N * stride, sizeof *rows);
    kedge_error err = {0};
    ncut *n;

    ck_ok(ncut_create(f, &n, &err), err);
    ck_assert_uint_eq(n->degrees.words, N);
    for (size_t r = 0; r < N; r++)
        sketch_get_row(n->index.z, f->w.order[r], rows + r * stride);
    ncut_free(n);
    return rows;
}

/* In memory and on the disk, by large turns and small ones; and the store's own
 * sketch is as it was. */
TEST(the_sketch_is_the_same_wherever_it_is)
{
    bench b;
    int64_t *first = NULL;

    for (unsigned i = 0; i < 4; i++) {
        store_index after;
        bench_begin_with(&b, 1 + i % 3, 80, "log", false);
        bench_rest(&b);
        b.f.plan.spilled = i % 2 == 1;
        b.f.plan.halvings = i;
        int64_t *const rows = ncut_rows(&b.f);
        if (first != NULL)
            ck_assert_mem_eq(first, rows,
                             N * (1 + b.f.index.width) * sizeof *rows);
        free(first);
        first = rows;
        scene_read(&b.p.t);
        ck_ok(store_get_index_record(b.p.t.txn, 0, &after, &b.p.t.err),
              b.p.t.err);
        store_abort(&b.p.t.txn);
        ck_assert_mem_eq(&after, &b.f.index, sizeof after);
        bench_end(&b);
    }
    free(first);
}
