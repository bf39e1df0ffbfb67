/* SPDX-License-Identifier: MIT */
#include "infer/linear.h"

#include "base/gate.h"
#include "infer/priors.h"

#define ROWS 3000

/* Topics, as a table, and a document. */
typedef struct setting {
    size_t k, stride;
    float *table;
    uint32_t row[ROWS], tally[ROWS];
    bag g;
} setting;

static setting make_setting(size_t k, size_t words, uint32_t most,
                            uint64_t seed)
{
    setting o = {.k = k, .stride = prior_stride(k)};
    chance c = {.key = seed ^ 77};

    o.table = mem_new2(ROWS, o.stride, sizeof *o.table);
    for (size_t i = 0; i < ROWS; i++)
        for (size_t t = 0; t < k; t++)
            o.table[i * o.stride + t] =
                (float)pow(chance_unit(&c), i % 3 == t % 3 ? 2 : 12);
    for (size_t i = 0; i < words; i++) {
        o.row[i] = (uint32_t)(i * (ROWS / words) + chance_below(&c, 1 + ROWS /
                              words / 2));
        o.tally[i] = 1 + (uint32_t)chance_below(&c, most);
        o.g.tokens += o.tally[i];
    }
    o.g.count = words;
    return o;
}

static bag bag_of(const setting *o)
{
    return (bag){o->row, o->tally, o->g.count, o->g.tokens};
}

static linear *make_linear(size_t k)
{
    kedge_error err = {0};
    linear *l;

    ck_ok(linear_create(k, &l, &err), err);
    return l;
}

static void solve(const setting *o, const prior *p, double tolerance, float *w)
{
    linear *const l = make_linear(o->k);
    const linear_opts opts = {100000, tolerance};
    const bag g = bag_of(o);
    double sum = 0;
    bool settled;

    ck_assert_uint_gt(linear_solve(l, p, o->table, &g, &opts, w, &settled),
                      0);
    ck_assert(settled);
    for (size_t t = 0; t < o->stride; t++) {
        ck_assert(t < o->k ? w[t] > 0 : w[t] == 0);
        sum += (double)w[t];
    }
    ck_assert_double_eq_tol(sum, 1, 1e-5);
    linear_free(l);
}

/* ---- twins --------------------------------------------------------------- */

/* CVB0: γ_ik ∝ B_ik (N_k - γ_ik + α_k), and w ∝ N + α. */
static void twin_cvb0(const setting *o, const double *mean, double total,
                      double *w)
{
    const size_t k = o->k, words = o->g.count;
    double *const gamma = dense_new(words, k), *const n = dense_new(k, 1);
    double *const next = dense_new(k, 1);

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
    free(gamma);
    free(n);
    free(next);
}

static double distance(const float *w, const double *wanted, size_t k)
{
    double sum = 0;

    for (size_t t = 0; t < k; t++)
        sum += fabs((double)w[t] - wanted[t]);
    return sum;
}

TEST(of_a_dirichlet_it_is_cvb0)
{
    for (uint64_t seed = 0; seed < 40; seed++) {
        const size_t k = 2 + seed % 20, words = 1 + seed * seed % 70;
        const double total = 0.5 * (double)k;
        setting o = make_setting(k, words, 4, seed);
        double *const a = priors_dirichlet(k, total, seed);
        prior *const p = priors_make(a, k, MANY);
        double w[32];
        _Alignas(64) float got[32];
        twin_cvb0(&o, p->mean, total, w);
        solve(&o, p, 1e-6, got);
        if (!(distance(got, w, k) < 1e-3))
            ck_abort_msg("seed %u: off by %g", (unsigned)seed,
                         distance(got, w, k));
        prior_free(p);
        free(a);
        mem_free(o.table);
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
    double *const before = priors_gain(p->a, k, n - 1);
    double *const after = priors_gain(p->a, k, n), sum = 0;
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
    free(before);
    free(after);
    free(w.gamma);
    free(w.n);
    free(w.base);
    free(w.own);
}

TEST(it_is_what_its_derivation_says)
{
    for (uint64_t seed = 0; seed < 40; seed++) {
        const size_t k = 2 + seed % 20, words = 1 + seed * seed % 90;
        setting o = make_setting(k, words, 1 + (uint32_t)(seed % 5), seed);
        double *const a = priors_correlated(k, seed);
        prior *const p = priors_make(a, k, 10 * seed * seed);
        double w[32];
        _Alignas(64) float got[32];
        twin_solve(&o, p, w);
        solve(&o, p, 1e-6, got);
        if (!(distance(got, w, k) < 2e-3))
            ck_abort_msg("seed %u, %zu words: off by %g", (unsigned)seed,
                         words, distance(got, w, k));
        prior_free(p);
        free(a);
        mem_free(o.table);
    }
}

/* Beyond the words whose γ is kept. */
TEST(many_words_are_as_good)
{
    setting o = make_setting(12, 2900, 3, 5);
    double *const a = priors_correlated(12, 5);
    prior *const p = priors_make(a, 12, 1000);
    double w[12];
    _Alignas(64) float got[16];

    twin_solve(&o, p, w);
    solve(&o, p, 1e-6, got);
    ck_assert_double_lt(distance(got, w, 12), 2e-3);
    prior_free(p);
    free(a);
    mem_free(o.table);
}

TEST(words_of_no_topic_are_passed_over)
{
    setting o = make_setting(7, 30, 4, 9), less = o;
    double *const a = priors_correlated(7, 9);
    prior *const p = priors_make(a, 7, 1000);
    _Alignas(64) float one[16], other[16];

    memset(o.table + o.row[4] * o.stride, 0, o.stride * sizeof *o.table);
    less.g.tokens = o.g.tokens -= o.tally[4];
    less.g.count--;
    memmove(less.row + 4, less.row + 5, 25 * sizeof *less.row);
    memmove(less.tally + 4, less.tally + 5, 25 * sizeof *less.tally);
    solve(&o, p, 1e-6, one);
    solve(&less, p, 1e-6, other);
    for (size_t t = 0; t < 16; t++) /* others are taken together */
        ck_assert_float_eq_tol(one[t], other[t], 1e-5F);
    prior_free(p);
    free(a);
    mem_free(o.table);
}

/* A row's own number is of no account. */
TEST(proportions_count)
{
    setting o = make_setting(7, 30, 4, 9);
    double *const a = priors_correlated(7, 9);
    prior *const p = priors_make(a, 7, 1000);
    _Alignas(64) float one[16], other[16];

    solve(&o, p, 1e-4, one);
    for (size_t i = 0; i < ROWS * o.stride; i++)
        o.table[i] *= i / o.stride % 2 == 0 ? 0x1p-60F : 0x1p20F;
    solve(&o, p, 1e-4, other);
    ck_assert_mem_eq(one, other, sizeof one);
    prior_free(p);
    free(a);
    mem_free(o.table);
}

TEST(steps_can_be_too_few)
{
    setting o = make_setting(20, 80, 2, 3);
    double *const a = priors_correlated(20, 3);
    prior *const p = priors_make(a, 20, 1000);
    linear *const l = make_linear(20);
    const bag g = bag_of(&o);
    _Alignas(64) float w[32];
    bool settled = true;

    for (size_t steps = 1; steps < 6; steps++) {
        const linear_opts opts = {steps, 1e-9};
        float sum = 0;
        ck_assert_uint_eq(linear_solve(l, p, o.table, &g, &opts, w, &settled),
                          steps);
        ck_assert(!settled);
        for (size_t t = 0; t < 20; t++)
            sum += w[t];
        ck_assert_float_eq_tol(sum, 1, 1e-5F);
    }
    linear_free(l);
    prior_free(p);
    free(a);
    mem_free(o.table);
}

TEST(no_memory_is_survived)
{
    kedge_error err = {0};
    linear *l;

    GATE_LOOP {
        GATE_TRY(linear_create(50, &l, &err));
        ck_assert((l == NULL) == (gate_status != KEDGE_OK));
        linear_free(l);
    }
}
