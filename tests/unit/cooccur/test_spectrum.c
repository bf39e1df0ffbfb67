/* SPDX-License-Identifier: MIT */
#include "linalg/dense.h"

#include "base/threadranks.h"
#include "linalg/blas.h"
#include "linalg/tall.h"
#include "cooccur/sign.h"
#include "cooccur/spectrum.h"

/* An explicit symmetric C = V diag(values) V' and its sketch. */
typedef struct scene {
    size_t n, width;
    double *c;     /* n x n */
    double *omega; /* n x width */
    double *z;     /* n x width */
    uint64_t *key;
    const double *weight; /* or NULL */
    double ridge;
    size_t fail_at; /* reading this row fails */
    tall_part own;  /* of one process among several */
} scene;

static kedge_status scene_read(void *data, size_t from, size_t count,
                               unsigned worker, double *z, kedge_error *err)
{
    const scene *s = data;

    ck_assert_uint_lt(worker, 4);
    ck_assert_uint_eq(from / SPECTRUM_PIECE,
                      (from + count - 1) / SPECTRUM_PIECE);
    if (s->own.rows > 0) /* and no others' */
        ck_assert(from >= s->own.from &&
                  from + count <= s->own.from + s->own.count);
    if (s->fail_at >= from && s->fail_at < from + count) {
        if (err != NULL) {
            err->status = KEDGE_EIO;
            strcpy(err->text, "row not there");
        }
        return KEDGE_EIO;
    }
    memcpy(z, s->z + from * s->width, count * s->width * sizeof *z);
    return KEDGE_OK;
}

static spectrum_rows scene_rows(scene *s)
{
    return (spectrum_rows){.rows = s->n, .width = s->width, .key = s->key,
                           .weight = s->weight, .data = s,
                           .read = scene_read};
}

/* Keys from the seed and the row; Z = C Ω for the C that is there. */
static void scene_sketch(scene *s, size_t width, uint64_t seed)
{
    s->width = width;
    s->key = calloc(s->n, sizeof *s->key);
    s->omega = dense_new(s->n, width);
    s->fail_at = SIZE_MAX;
    for (size_t i = 0; i < s->n; i++) {
        s->key[i] = sign_key(seed, (const char *)&i, sizeof i);
        for (size_t l = 0; l < width; l++)
            s->omega[i * width + l] =
                sign_at(sign_bits(s->key[i], l / 64), (unsigned)(l % 64));
    }
    s->z = dense_times(dense_as(s->c, s->n), dense_as(s->omega, width), s->n,
                       s->n, width);
}

static void scene_free(scene *s)
{
    free(s->omega);
    free(s->z);
    free(s->key);
    free(s->c);
}

/* Rank m with these values; the vectors are rows of *v when asked for. */
static scene scene_make(size_t n, const double *values, size_t m,
                        uint64_t seed, double **v)
{
    scene s = {.n = n};
    double *q = dense_orthonormal(m, n, seed);

    s.c = dense_compose(q, values, m, n);
    if (v != NULL)
        *v = q;
    else
        free(q);
    return s;
}

/* Gram, core and the first `count` vectors (all for SIZE_MAX). */
static spectrum solve_by(pool *p, scene *s, size_t count, double **v)
{
    const spectrum_rows rows = scene_rows(s);
    kedge_error err = {0};
    spectrum out;

    blas_begin(4, NULL);
    ck_ok(spectrum_gram(&rows, p, &out, &err), err);
    ck_ok(spectrum_solve(&out, s->ridge, &err), err);
    count = count < out.count ? count : out.count;
    *v = dense_new(s->n, count);
    ck_ok(spectrum_vectors(&out, &rows, count, p, *v, &err), err);
    return out;
}

static spectrum solve(scene *s, size_t count, unsigned threads, double **v)
{
    OWN(pool_end) pool *p = dense_pool(threads);
    const spectrum out = solve_by(p, s, count, v);

    return out;
}

/* ||C V - V Λ|| in Frobenius' norm. */
static double residual(const scene *s, const double *v, const double *values,
                       size_t k)
{
    OWNED double *cv = dense_times(dense_as(s->c, s->n), dense_as(v, k), s->n,
                                   s->n, k);

    for (size_t i = 0; i < s->n * k; i++)
        cv[i] -= v[i] * values[i % k];
    const double norm = dense_norm(cv, s->n * k);
    return norm;
}

/* ||C - V Λ V'||. */
static double rest(const scene *s, const double *v, const double *values,
                   size_t k)
{
    OWNED double *turned = dense_new(k, s->n), *c = NULL;

    for (size_t i = 0; i < s->n * k; i++)
        turned[i % k * s->n + i / k] = v[i];
    c = dense_compose(turned, values, k, s->n);
    const double distance = dense_distance(s->c, c, s->n * s->n);
    return distance;
}

TEST(both_matrices_are_what_they_say)
{
    static const double values[] = {5, 3, 2, 1, -1, 0.5};
    /* rows beyond one tile; widths within, at and beyond panels and words */
    static const size_t sizes[][2] = {{2100, 70}, {300, 64}, {257, 130},
                                      {256, 20},  {40, 12},  {150, 150}};

    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        const size_t n = sizes[i][0], l = sizes[i][1];
        OWN(scene_free) scene s = scene_make(n, values, 6, i, NULL);
        scene_sketch(&s, l, i);
        OWNED double *zz = dense_times(dense_turned(s.z, l), dense_as(s.z, l),
                                       l, n, l);
        OWNED double *zo = dense_times(dense_turned(s.z, l), dense_as(s.omega,
                                                                      l), l, n,
                                       l);
        OWNED double *v = NULL;
        spectrum out = solve(&s, 0, 2, &v);
        ck_assert_uint_eq(out.width, l);
        ck_assert_double_lt(dense_distance(out.zz, zz, l * l),
                            1e-12 * dense_norm(zz, l * l));
        ck_assert_double_lt(dense_distance(out.zo, zo, l * l),
                            1e-11 * dense_norm(zo, l * l));
        for (size_t a = 0; a < l; a++)
            for (size_t b = 0; b < a; b++)
                if (out.zz[a * l + b] != out.zz[b * l + a] ||
                    out.zo[a * l + b] != out.zo[b * l + a])
                    ck_abort_msg("not symmetric");
        spectrum_free(&out);
        ck_assert_ptr_null(out.zz);
    }
}

TEST(widths_are_cut_as_they_were)
{
    ck_assert_uint_eq(spectrum_limit(1000), 328);
    ck_assert_uint_eq(spectrum_limit(160), 48);
    ck_assert_uint_eq(spectrum_limit(100), 30);
    ck_assert_uint_eq(spectrum_limit(20), 6);
    ck_assert_uint_eq(spectrum_limit(11), 3);
}

/* Weights of a scene; s->z becomes D Z, and s->c D C D. */
static double *scene_weigh(scene *s, uint64_t seed)
{
    double *const d = dense_new(s->n, 1);
    chance r = {.key = seed};

    for (size_t i = 0; i < s->n; i++) {
        d[i] = 0.25 + 3 * chance_unit(&r);
        for (size_t l = 0; l < s->width; l++)
            s->z[i * s->width + l] *= d[i];
    }
    for (size_t i = 0; i < s->n * s->n; i++)
        s->c[i] *= d[i / s->n] * d[i % s->n];
    s->weight = d;
    return d;
}

/* A C of a rank within the limit is recovered, whatever its signs; and D C D
 * from a sketch of C alone. */
TEST(low_rank_is_exact)
{
    static const double values[] = {9, 7, 4, 3.9, 1, 0.5, -0.7, -3};

    for (uint64_t seed = 0; seed < 10; seed++) {
        const bool weighted = seed >= 5;
        OWNED double *vectors = NULL, *v = NULL, *d = NULL;
        OWN(scene_free) scene s = scene_make(250, values, 8, seed, &vectors);
        scene_sketch(&s, 60 + 20 * (seed % 5), seed + 7);
        if (weighted)
            d = scene_weigh(&s, seed + 40);
        OWN(spectrum_free) spectrum out = solve(&s, SIZE_MAX,
                                                1 + (unsigned)seed % 3, &v);
        const double near = 1e-7 * (weighted ? out.values[0] : 1);
        ck_assert_uint_eq(out.count, 8);
        for (size_t j = 0; j < 8 && !weighted; j++) {
            double along = 0;
            ck_assert_double_eq_tol(out.values[j], values[j], 1e-8);
            for (size_t i = 0; i < s.n; i++)
                along += v[i * 8 + j] * vectors[j * s.n + i];
            ck_assert_double_eq_tol(fabs(along), 1, 1e-8);
        }
        ck_assert_double_lt(dense_skew(v, s.n, 8), 1e-8);
        ck_assert_double_lt(residual(&s, v, out.values, 8), near);
        ck_assert_double_lt(rest(&s, v, out.values, 8), near);
    }
}

/* Values of a C that decays slowly, as those of text do. */
static double *slow_values(size_t m)
{
    double *values = dense_new(m, 1);

    for (size_t i = 0; i < m; i++)
        values[i] = (i % 9 == 8 ? -0.3 : 1) / pow((double)(i + 1), 0.9);
    return values;
}

/* Least squares for symmetric B in B M = R by conjugate gradients on
 * B X + X B = R M' + M R', X = M M': no eigenbasis of X. */
static void core_naive(const double *x, const double *right, size_t r,
                       double *b)
{
    const size_t n = r * r;
    OWNED double *d = dense_copy(right, n), *e = dense_copy(right, n);
    double square = dense_norm(e, n) * dense_norm(e, n);
    const double stop = 1e-30 * square;

    memset(b, 0, n * sizeof *b);
    for (int step = 0; step < 5000 && square > stop; step++) {
        OWNED double *xd = dense_times(dense_as(x, r), dense_as(d, r), r, r, r);
        double along = 0, next = 0;
        for (size_t i = 0; i < n; i++)
            along += d[i] * (xd[i] + xd[i % r * r + i / r]);
        for (size_t i = 0; i < n; i++) {
            b[i] += square / along * d[i];
            e[i] -= square / along * (xd[i] + xd[i % r * r + i / r]);
            next += e[i] * e[i];
        }
        for (size_t i = 0; i < n; i++)
            d[i] = e[i] + next / square * d[i];
        square = next;
    }
}

/* The same algorithm from the SVD of Z, with Q in full. */
static void spectrum_naive(const scene *s, size_t used, size_t r,
                           double *values, double *vectors)
{
    double *z = dense_new(s->n, used), *o = dense_new(s->n, used);
    double *q = dense_new(s->n, r), *sv = dense_new(used, 1);
    double *right = dense_new(used, used), *core = dense_new(r, r);
    double trace = 0;

    for (size_t i = 0; i < s->n * used; i++) {
        z[i] = s->z[i / used * s->width + i % used];
        o[i] = s->omega[i / used * s->width + i % used];
    }
    double *us = dense_copy(z, s->n * used);
    dense_svd(us, s->n, used, sv, right);
    for (size_t i = 0; i < s->n; i++)
        for (size_t j = 0; j < r; j++)
            q[i * r + j] = us[i * used + j] / sv[j];
    double *m = dense_times(dense_turned(q, r), dense_as(o, used), r, s->n,
                            used);
    double *qz = dense_times(dense_turned(q, r), dense_as(z, used), r, s->n,
                             used);
    double *mm = dense_times(dense_as(m, used), dense_turned(m, used), r,
                             used, r);
    double *rm = dense_times(dense_as(qz, used), dense_turned(m, used), r,
                             used, r);
    for (size_t i = 0; i < r; i++)
        for (size_t j = 0; j <= i; j++)
            rm[i * r + j] = rm[j * r + i] = rm[i * r + j] + rm[j * r + i];
    for (size_t i = 0; i < r; i++)
        trace += mm[i * r + i];
    for (size_t i = 0; i < r; i++)
        mm[i * r + i] += s->ridge * trace / (double)r;
    core_naive(mm, rm, r, core);
    double *e = dense_new(r, r);
    dense_eigen(core, r, values, e);
    double *v = dense_times(dense_as(q, r), dense_turned(e, r), s->n, r, r);
    memcpy(vectors, v, s->n * r * sizeof *v);
    double *const all[] = {z, o, q, sv, right, core, us, m, qz, mm, rm, e, v};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
}

TEST(slow_decay_is_what_the_plain_way_gives)
{
    OWNED double *values = slow_values(250);

    for (uint64_t seed = 0; seed < 4; seed++) {
        OWN(scene_free) scene s = scene_make(300, values, 250, seed, NULL);
        OWNED double *v = NULL, *c = NULL, *expected = NULL;
        scene_sketch(&s, 64 + 26 * (seed / 2), seed + 1);
        s.ridge = seed % 2 == 0 ? 0 : SPECTRUM_RIDGE;
        OWN(spectrum_free) spectrum out = solve(&s, SIZE_MAX, 2, &v);
        const size_t r = spectrum_limit(s.width);
        OWNED double *plain = dense_new(r, 1), *u = dense_new(s.n, r);
        ck_assert_uint_eq(out.count, r);
        spectrum_naive(&s, out.used, r, plain, u);
        for (size_t j = 0; j < r; j++)
            ck_assert_double_eq_tol(out.values[j], plain[j], 1e-8);
        ck_assert_double_lt(dense_skew(v, s.n, r), 1e-9);
        /* V Λ V' of both, whatever the signs of the vectors */
        for (size_t i = 0; i < s.n * r; i++) {
            v[i] *= sqrt(fabs(out.values[i % r]));
            u[i] *= sqrt(fabs(plain[i % r]));
        }
        c = dense_times(dense_as(v, r), dense_turned(v, r), s.n, r, s.n);
        expected = dense_times(dense_as(u, r), dense_turned(u, r), s.n, r,
                               s.n);
        ck_assert_double_lt(dense_distance(c, expected, s.n * s.n), 1e-7);
    }
}

TEST(measuring_is_estimating_of_vectors_from_elsewhere)
{
    OWNED double *values = slow_values(100);
    double *v;
    OWN(scene_free) scene s = scene_make(2200, values, 100, 3, NULL);
    kedge_error err = {0};
    spectrum_error guess, measured;

    scene_sketch(&s, 66, 5);
    const spectrum_rows rows = scene_rows(&s);
    OWN(pool_end) pool *p = dense_pool(2);
    for (size_t count = 1; count <= 15; count += 7) {
        OWN(spectrum_free) spectrum out = solve(&s, count, 2, &v);
        ck_ok(spectrum_estimate(&out, count, &guess, &err), err);
        ck_ok(spectrum_measure(&out, &rows, count, v, out.values, p,
                               &measured, &err), err);
        ck_assert_double_eq_tol(guess.residual, measured.residual, 1e-9);
        ck_assert_double_eq_tol(guess.gap, measured.gap, 1e-7);
        ck_assert_double_eq_tol(guess.eigenspace, measured.eigenspace, 1e-9);
        ck_assert_double_eq_tol(guess.unexplained, measured.unexplained,
                                1e-9);
        free(v);
    }
}

TEST(weights_of_one_are_none)
{
    OWNED double *values = slow_values(60), *v = NULL, *plain = NULL;
    OWN(scene_free) scene s = scene_make(300, values, 60, 3, NULL);
    OWNED double *ones = dense_new(300, 1);
    spectrum_error e, weighted;
    kedge_error err = {0};

    scene_sketch(&s, 70, 5);
    OWN(spectrum_free) spectrum none = solve(&s, 20, 1, &plain);
    for (size_t i = 0; i < s.n; i++)
        ones[i] = 1;
    s.weight = ones;
    OWN(spectrum_free) spectrum one = solve(&s, 20, 2, &v);
    ck_assert(one.weighted && !none.weighted);
    ck_assert_mem_eq(one.zz, none.zz, 70 * 70 * sizeof *v);
    ck_assert_mem_eq(one.zo, none.zo, 70 * 70 * sizeof *v);
    ck_assert_mem_eq(v, plain, 300 * 20 * sizeof *v);
    ck_ok(spectrum_estimate(&none, 20, &e, &err), err);
    ck_ok(spectrum_estimate(&one, 20, &weighted, &err), err);
    ck_assert_double_eq(e.unexplained, weighted.unexplained);
    ck_assert_double_eq_tol(e.gap / weighted.gap, 1, 0.3);
}

/* Rows divided by their weights. */
static double *unweigh(const scene *s, const double *a, size_t columns)
{
    double *const out = dense_copy(a, s->n * columns);

    for (size_t i = 0; s->weight != NULL && i < s->n * columns; i++)
        out[i] /= s->weight[i / columns];
    return out;
}

/* ||D^-1 (C V - V Λ)|| with the length of D^-1 V taken out, by the values. */
static double true_residual(const scene *s, const double *v,
                            const double *values, size_t k)
{
    OWNED double *cv = dense_times(dense_as(s->c, s->n), dense_as(v, k), s->n,
                                   s->n, k);
    OWNED double *inside = NULL, *own = unweigh(s, v, k);
    double length = 0, norm = 0;

    for (size_t i = 0; i < s->n * k; i++) {
        cv[i] -= v[i] * values[i % k];
        length += values[i % k] * values[i % k] * own[i] * own[i];
    }
    for (size_t j = 0; j < k; j++)
        norm += values[j] * values[j];
    inside = unweigh(s, cv, k);
    return dense_norm(inside, s->n * k) * sqrt(norm / length);
}

/* ||D^-1 (C - V Λ V')|| over ||D^-1 C||. */
static double true_rest(const scene *s, const double *v, const double *values,
                        size_t k)
{
    OWNED double *turned = dense_new(k, s->n), *low = NULL, *a = NULL;
    OWNED double *b = unweigh(s, s->c, s->n);

    for (size_t i = 0; i < s->n * k; i++)
        turned[i % k * s->n + i / k] = v[i];
    low = dense_compose(turned, values, k, s->n);
    a = unweigh(s, low, s->n);
    return dense_distance(a, b, s->n * s->n) / dense_norm(b, s->n * s->n);
}

/* E of the estimates' squares is the true error, over sketches; with weights,
 * in their norm. */
static void check_estimates(bool weighted)
{
    enum { count = 6, sketches = 60, n = 150 };
    OWNED double *values = slow_values(100);
    OWN(scene_free) scene s = scene_make(n, values, 100, 3, NULL);
    OWNED double *plain = dense_copy(s.c, n * n);
    double said = 0, is = 0, said_rest = 0, is_rest = 0;
    kedge_error err = {0};

    for (uint64_t seed = 0; seed < sketches; seed++) {
        OWNED double *v = NULL, *d = NULL;
        spectrum_error e;
        double norm = 0;
        scene_free(&s);
        s.c = dense_copy(plain, n * n);
        s.weight = NULL;
        scene_sketch(&s, 80, seed);
        if (weighted)
            d = scene_weigh(&s, 9);
        OWN(spectrum_free) spectrum out = solve(&s, count, 1, &v);
        ck_ok(spectrum_estimate(&out, count, &e, &err), err);
        const double inside = true_residual(&s, v, out.values, count);
        const double outside = true_rest(&s, v, out.values, count);
        for (size_t j = 0; j < count; j++)
            norm += out.values[j] * out.values[j];
        ck_assert_double_eq_tol(e.eigenspace, e.residual / sqrt(norm), 1e-12);
        ck_assert_double_eq_tol(e.gap, e.residual / out.values[count - 1],
                                1e-12);
        said += e.residual * e.residual / sketches;
        is += inside * inside / sketches;
        said_rest += e.unexplained * e.unexplained / sketches;
        is_rest += outside * outside / sketches;
    }
    ck_assert_double_eq_tol(said / is, 1, 0.1);
    ck_assert_double_eq_tol(said_rest / is_rest, 1, 0.08);
}

TEST(estimates_have_no_bias)
{
    check_estimates(false);
    check_estimates(true);
}

typedef struct among {
    const scene *s;
    spectrum one;
    const double *first; /* vectors */
} among;

static void solve_among(void *data, communicator *t)
{
    const among *const a = data;
    scene s = *a->s;
    OWN(pool_end) pool *p = dense_pool(1 + t->rank % 3);
    OWNED double *v = NULL;

    pool_set_comm(p, t);
    s.own = tall_own(p, s.n);
    OWN(spectrum_free) spectrum out = solve_by(p, &s, 20, &v);
    ck_assert_mem_eq(out.zz, a->one.zz, 140 * 140 * sizeof *v);
    ck_assert_mem_eq(out.zo, a->one.zo, 140 * 140 * sizeof *v);
    ck_assert_mem_eq(v, a->first + s.own.from * 20,
                     s.own.count * 20 * sizeof *v);
}

TEST(processes_and_threads_leave_no_trace)
{
    OWNED double *values = slow_values(60), *first = NULL;
    OWN(scene_free) scene s = scene_make(2300, values, 60, 3, NULL);

    scene_sketch(&s, 140, 5);
    among a = {.s = &s, .one = solve(&s, 20, 1, &first), .first = first};
    for (unsigned size = 1; size <= THREADRANKS_MOST; size += size < 5 ? 1 : 5)
        threadranks_run(size, solve_among, &a);
    spectrum_free(&a.one);
}

/* Fewer vectors are the first of more. */
TEST(counts_do_not_change_vectors)
{
    OWNED double *values = slow_values(60), *few = NULL, *many = NULL;
    OWN(scene_free) scene s = scene_make(150, values, 60, 3, NULL);

    scene_sketch(&s, 70, 5);
    OWN(spectrum_free) spectrum a = solve(&s, 4, 1, &few);
    OWN(spectrum_free) spectrum b = solve(&s, 15, 1, &many);
    for (size_t i = 0; i < 150; i++)
        for (size_t j = 0; j < 4; j++)
            ck_assert_double_eq_tol(few[i * 4 + j], many[i * 15 + j], 1e-13);
}

TEST(too_many_topics_are_refused)
{
    static const double values[] = {3, 2, 1};
    OWN(scene_free) scene s = scene_make(100, values, 3, 1, NULL);
    kedge_error err = {0};
    OWNED double *v = NULL, *more = dense_new(100, 4);

    scene_sketch(&s, 40, 5);
    OWN(spectrum_free) spectrum out = solve(&s, SIZE_MAX, 1, &v);
    const spectrum_rows rows = scene_rows(&s);
    OWN(pool_end) pool *p = dense_pool(1);
    ck_assert_uint_eq(out.count, 3);
    ck_fails(spectrum_vectors(&out, &rows, 4, p, more, &err), KEDGE_EINVAL,
             err, "4 topics");
}

TEST(failures_to_read_come_through)
{
    static const double values[] = {3, 2, 1};
    OWN(scene_free) scene s = scene_make(2100, values, 3, 1, NULL);
    kedge_error err = {0};
    OWNED double *v = NULL, *again = dense_new(2100, 2);
    spectrum_error e;
    spectrum bad;

    scene_sketch(&s, 40, 5);
    OWN(spectrum_free) spectrum out = solve(&s, 2, 1, &v);
    const spectrum_rows rows = scene_rows(&s);
    OWN(pool_end) pool *p = dense_pool(2);
    s.fail_at = 2080;
    ck_fails(spectrum_gram(&rows, p, &bad, &err), KEDGE_EIO, err,
             "row not there");
    ck_assert_ptr_null(bad.zz);
    ck_fails(spectrum_vectors(&out, &rows, 2, p, again, &err), KEDGE_EIO, err,
             "row not there");
    ck_fails(spectrum_measure(&out, &rows, 2, v, out.values, p, &e, &err),
             KEDGE_EIO, err, "row not there");
}

/* The range of Z: orthonormal, and all of a C of low rank. */
TEST(the_range_is_that_of_the_sketch)
{
    static const double values[] = {4, 3, 2, 1, -1};
    OWN(scene_free) scene s = scene_make(120, values, 5, 1, NULL);
    kedge_error err = {0};
    double *v, *q = dense_new(120, 30);
    size_t count = 30;

    scene_sketch(&s, 50, 5);
    OWN(spectrum_free) spectrum out = solve(&s, 0, 1, &v);
    const spectrum_rows rows = scene_rows(&s);
    OWN(pool_end) pool *p = dense_pool(2);
    ck_ok(spectrum_range_vectors(&out, &rows, &count, p, q, &err), err);
    ck_assert_uint_eq(count, 5);
    ck_assert_double_lt(dense_skew(q, 120, 5), 1e-9);
    double *cq = dense_times(dense_as(s.c, 120), dense_as(q, 5), 120, 120, 5);
    double *qcq = dense_times(dense_turned(q, 5), dense_as(cq, 5), 5, 120, 5);
    double *back = dense_times(dense_as(q, 5), dense_as(qcq, 5), 120, 5, 5);
    ck_assert_double_lt(dense_distance(cq, back, 600), 1e-8);
    for (size_t i = 0; i < 5; i++)
        free((double *[]){v, q, cq, qcq, back}[i]);
}
