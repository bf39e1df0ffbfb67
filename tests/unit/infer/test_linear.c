/* SPDX-License-Identifier: MIT */
#include "infer/linear.h"

#include "base/mem.h"
#include "infer/priors.h"

UNIT_END(linear, linear, linear_free)

#define ROWS 3000

/* Topics, as a table, what is known of them, and a document. */
typedef struct setting {
    size_t k, stride;
    float *table;
    uint32_t row[ROWS], tally[ROWS];
    bag g;
    prior *prior;
} setting;

static void setting_free(setting *o)
{
    mem_free(o->table);
    prior_free(o->prior);
}

/* `total`: of a Dirichlet; 0: topics are correlated. */
static void setting_make(setting *o, size_t k, size_t words, uint32_t most,
                         uint64_t seed, double total, uint64_t documents)
{
    OWNED double *a = total > 0 ? priors_dirichlet(k, total, seed)
                                : priors_correlated(k, seed);
    chance c = {.key = seed ^ 77};

    *o = (setting){.k = k, .stride = prior_stride(k),
                   .prior = priors_make(a, k, documents)};
    o->g = (bag){o->row, o->tally, words, 0};
    o->table = mem_new2(ROWS, o->stride, sizeof *o->table);
    for (size_t i = 0; i < ROWS; i++)
        for (size_t t = 0; t < k; t++)
            o->table[i * o->stride + t] =
                (float)pow(chance_unit(&c), i % 3 == t % 3 ? 2 : 12);
    for (size_t i = 0; i < words; i++) {
        o->row[i] = (uint32_t)(i * (ROWS / words) +
                               chance_below(&c, 1 + ROWS / words / 2));
        o->tally[i] = 1 + (uint32_t)chance_below(&c, most);
        o->g.tokens += o->tally[i];
    }
}

/* w (stride) in so many steps; the steps that were taken. */
static size_t run(const setting *o, size_t steps, double tolerance, float *w,
                  bool *settled)
{
    OWN(linear_end) linear *l = NULL;
    kedge_error err = {0};
    double sum = 0;

    ck_ok(linear_create(o->k, &l, &err), err);
    steps = linear_solve(l, o->prior, o->table, &o->g, steps, tolerance, w,
                         settled);
    for (size_t t = 0; t < o->stride; t++) {
        ck_assert(t < o->k ? w[t] > 0 : w[t] == 0);
        sum += (double)w[t];
    }
    ck_assert_double_eq_tol(sum, 1, 1e-5);
    return steps;
}

static void solve(const setting *o, double tolerance, float *w)
{
    bool settled;

    ck_assert_uint_gt(run(o, 100000, tolerance, w, &settled), 0);
    ck_assert(settled);
}

/* ---- twins --------------------------------------------------------------- */

/* CVB0: γ_ik ∝ B_ik (N_k - γ_ik + α_k), and w ∝ N + α. */
static void twin_cvb0(const setting *o, const double *mean, double total,
                      double *w)
{
    const size_t k = o->k, words = o->g.count;
    OWNED double *gamma = dense_new(words, k), *n = dense_new(k, 1);
    OWNED double *next = dense_new(k, 1);

    for (int step = 0; step < 3000; step++) {
        memset(next, 0, k * sizeof *next);
        for (size_t e = 0; e < words; e++) {
            double sum = 0, *const own = gamma + e * k;
            for (size_t t = 0; t < k; t++)
                sum += own[t] = (double)o->table[o->row[e] * o->stride + t] *
                                (n[t] - own[t] + total * mean[t]);
            for (size_t t = 0; t < k; t++)
                next[t] += o->tally[e] * (own[t] /= sum);
        }
        memcpy(n, next, k * sizeof *n);
    }
    for (size_t t = 0; t < k; t++)
        w[t] = (n[t] + total * mean[t]) / ((double)o->g.tokens + total);
}

static double distance(const float *w, const double *wanted, size_t k)
{
    double sum = 0;

    for (size_t t = 0; t < k; t++)
        sum += fabs((double)w[t] - wanted[t]);
    return sum;
}

/* What linear.c finds is near `wanted` (k). */
static void check(const setting *o, const double *wanted, double most)
{
    _Alignas(64) float got[32];

    solve(o, 1e-6, got);
    if (!(distance(got, wanted, o->k) < most))
        ck_abort_msg("%zu topics, %zu words: off by %g", o->k, o->g.count,
                     distance(got, wanted, o->k));
}

TEST(of_a_dirichlet_it_is_cvb0)
{
    for (uint64_t seed = 0; seed < 40; seed++) {
        const size_t k = 2 + seed % 20;
        OWN(setting_free) setting o;
        double w[32];
        setting_make(&o, k, 1 + seed * seed % 70, 4, seed, 0.5 * (double)k,
                     MANY);
        twin_cvb0(&o, o.prior->mean, 0.5 * (double)k, w);
        check(&o, w, 1e-3);
    }
}

/* The head of linear.c word by word, in plain steps. */
typedef struct twin {
    const setting *o;
    const prior *p;
    double *gamma, *n, *base, *own;
} twin;

static void twin_step(twin *w)
{
    const setting *const o = w->o;
    const size_t k = o->k;

    memset(w->n, 0, k * sizeof *w->n);
    for (size_t e = 0; e < o->g.count; e++) {
        double sum = 0, *const gamma = w->gamma + e * k;
        for (size_t t = 0; t < k; t++)
            sum += gamma[t] =
                (double)o->table[o->row[e] * o->stride + t] *
                fmax(w->base[t] - w->own[t] * gamma[t], 1e-3 * w->p->mean[t]);
        for (size_t t = 0; t < k; t++)
            w->n[t] += o->tally[e] * (gamma[t] /= sum);
    }
}

/* out = μ + G (N - nμ) */
static void twin_mean(const twin *w, const double *gain, double *out)
{
    const size_t k = w->o->k;
    const double tokens = (double)w->o->g.tokens;

    for (size_t t = 0; t < k; t++) {
        out[t] = w->p->mean[t];
        for (size_t l = 0; l < k; l++)
            out[t] += gain[t * k + l] * (w->n[l] - tokens * w->p->mean[l]);
    }
}

static void twin_own(twin *w, const double *gain)
{
    const size_t k = w->o->k;

    for (size_t t = 0; t < k; t++) {
        double others = 0;
        for (size_t l = 0; l < k; l++)
            others += l != t ? gain[t * k + l] : 0;
        w->own[t] = fmax(gain[t * k + t] - others / (double)(k - 1), 0);
    }
}

static void twin_solve(const setting *o, const prior *p, double *out)
{
    const size_t k = o->k;
    const double n = (double)o->g.tokens;
    OWNED double *before = priors_gain(p->a, k, n - 1);
    OWNED double *after = priors_gain(p->a, k, n);
    double sum = 0;
    twin w = {o, p, dense_new(o->g.count, k), dense_new(k, 1),
              dense_copy(p->mean, k), dense_new(k, 1)};

    for (int step = 0; step < 3000 && (n > 1 || step == 0); step++) {
        twin_step(&w);
        twin_own(&w, before);
        twin_mean(&w, before, w.base);
        for (size_t t = 0; t < k; t++)
            w.base[t] += w.own[t] * p->mean[t];
    }
    twin_mean(&w, after, out);
    for (size_t t = 0; t < k; t++)
        sum += out[t] = fmax(out[t], 1e-3 * p->mean[t]);
    for (size_t t = 0; t < k; t++)
        out[t] /= sum;
    free(w.gamma);
    free(w.n);
    free(w.base);
    free(w.own);
}

TEST(it_is_what_its_derivation_says)
{
    for (uint64_t seed = 0; seed <= 40; seed++) {
        const bool long_one = seed == 40; /* beyond the words whose γ is kept */
        const size_t words = long_one ? 2900 : 1 + seed * seed % 90;
        OWN(setting_free) setting o;
        double w[32];
        setting_make(&o, 2 + seed % 20, words, 1 + (uint32_t)(seed % 5), seed,
                     0, 10 * seed * seed);
        twin_solve(&o, o.prior, w);
        check(&o, w, 2e-3);
    }
}

TEST(words_of_no_topic_are_passed_over)
{
    OWN(setting_free) setting o;
    _Alignas(64) float one[16], other[16];

    setting_make(&o, 7, 30, 4, 9, 0, 1000);
    memset(o.table + o.row[4] * o.stride, 0, o.stride * sizeof *o.table);
    o.g.tokens -= o.tally[4];
    solve(&o, 1e-6, one);
    o.g.count--;
    memmove(o.row + 4, o.row + 5, 25 * sizeof *o.row);
    memmove(o.tally + 4, o.tally + 5, 25 * sizeof *o.tally);
    solve(&o, 1e-6, other);
    for (size_t t = 0; t < 16; t++) /* other words are in a step with others */
        ck_assert_float_eq_tol(one[t], other[t], 1e-5F);
}

/* A row's own number is of no account. */
TEST(proportions_count)
{
    OWN(setting_free) setting o;
    _Alignas(64) float one[16], other[16];

    setting_make(&o, 7, 30, 4, 9, 0, 1000);
    solve(&o, 1e-4, one);
    for (size_t i = 0; i < ROWS * o.stride; i++)
        o.table[i] *= i / o.stride % 2 == 0 ? 0x1p-60F : 0x1p20F;
    solve(&o, 1e-4, other);
    ck_assert_mem_eq(one, other, sizeof one);
}

TEST(steps_can_be_too_few)
{
    OWN(setting_free) setting o;
    _Alignas(64) float w[32];
    bool settled = true;

    setting_make(&o, 20, 80, 2, 3, 0, 1000);
    for (size_t steps = 1; steps < 6; steps++) {
        ck_assert_uint_eq(run(&o, steps, 1e-9, w, &settled), steps);
        ck_assert(!settled);
    }
}
