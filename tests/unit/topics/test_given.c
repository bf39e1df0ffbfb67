/* SPDX-License-Identifier: MIT */
#include "topics/law.h"

#include "base/gate.h"
#include "linalg/blas.h"
#include "linalg/dense.h"

/* Positive statistics C = YY' with all that given_points is told of them. */
typedef struct setting {
    size_t n, k;
    double *y, *x, *root, *d, *c; /* c: C̄, n x n */
} setting;

static setting setting_make(size_t n, size_t k, uint64_t seed)
{
    setting s = {.n = n, .k = k, .y = dense_new(n, k), .d = dense_new(n, 1)};
    chance r = {.key = seed};
    kedge_error err = {0};

    for (size_t i = 0; i < n * k; i++)
        s.y[i] = pow(chance_unit(&r), 2);
    s.root = dense_times(dense_turned(s.y, k), dense_as(s.y, k), k, n, k);
    ck_ok(embed_root(s.root, k, &err), err);
    s.x = dense_times(dense_as(s.y, k), dense_as(s.root, k), n, k, k);
    s.c = dense_times(dense_as(s.y, k), dense_turned(s.y, k), n, k, n);
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++)
            s.d[i] += s.c[i * n + j];
        for (size_t j = 0; j < n; j++)
            s.c[i * n + j] /= s.d[i];
        for (size_t j = 0; j < k; j++)
            s.x[i * k + j] /= s.d[i];
    }
    return s;
}

static void setting_free(setting *s)
{
    free(s->y);
    free(s->x);
    free(s->root);
    free(s->d);
    free(s->c);
}

static given_rows rows_of(const setting *s)
{
    return (given_rows){s->n, s->k, s->y, s->x, s->root, s->d};
}

/* The topic's row, all of it. */
static void whole_row(const setting *s, const given *g, size_t topic,
                      double *row)
{
    const size_t words = given_words(g, topic);
    double sum = 0;

    for (size_t j = 0; j < s->n; j++) {
        double inverse = 0;
        for (size_t w = g->begin[topic]; w < g->begin[topic + 1]; w++)
            inverse += 1 / s->c[g->row[w] * s->n + j];
        sum += row[j] = (double)words / inverse;
    }
    for (size_t j = 0; j < s->n; j++)
        row[j] /= words > 1 ? sum : 1;
}

static double product(const double *a, const double *b, size_t n)
{
    double sum = 0;

    for (size_t i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

/* Products with all words' rows, and with each other, are those of whole
 * rows. */
TEST(points_stand_for_whole_rows)
{
    kedge_error err = {0};

    blas_begin(4, NULL);
    for (uint64_t seed = 0; seed < 8; seed++) {
        const size_t n = 500 + 90 * seed, k = 6;
        size_t begin[] = {0, 1, 4, 5, 7, 9};
        uint64_t row[] = {3, 40, 41, 77, 9, 400, 2, 100, 8};
        const given g = {5, begin, row};
        OWN(setting_free) setting s = setting_make(n, k, seed);
        const given_rows r = rows_of(&s);
        double *whole = dense_new(5, n), point[36], gram[36];
        ck_assert(given_several(&g));
        ck_assert_uint_eq(given_tandem(&g, 40), 1);
        ck_assert_uint_eq(given_tandem(&g, 41), GIVEN_NONE);
        ck_ok(given_points(&g, &r, point, gram, &err), err);
        for (size_t t = 0; t < 5; t++)
            whole_row(&s, &g, t, whole + t * n);
        for (size_t t = 0; t < 5; t++) {
            for (size_t i = 0; i < n; i += 17)
                ck_assert_double_eq_tol(
                    product(s.x + i * k, point + t * k, k),
                    product(s.c + i * n, whole + t * n, n), 1e-10);
            for (size_t l = 0; l < 5; l++)
                ck_assert_double_eq_tol(gram[t * k + l],
                                        product(whole + t * n, whole + l * n,
                                                n), 1e-10);
        }
        free(whole);
    }
}

TEST(single_words_are_their_rows)
{
    kedge_error err = {0};
    size_t begin[] = {0, 1, 2};
    uint64_t row[] = {7, 3};
    const given g = {2, begin, row};
    OWN(setting_free) setting s = setting_make(20, 3, 1);
    const given_rows r = rows_of(&s);
    double point[9], gram[9];

    blas_begin(4, NULL);
    ck_assert(!given_several(&g));
    ck_assert_uint_eq(given_tandem(&g, 3), GIVEN_NONE);
    ck_ok(given_points(&g, &r, point, gram, &err), err);
    ck_assert_mem_eq(point, s.x + 7 * 3, 24);
    ck_assert_mem_eq(point + 3, s.x + 3 * 3, 24);
    ck_assert_double_eq_tol(gram[1], product(point, point + 3, 3), 1e-14);
    ck_assert_double_eq(gram[1], gram[3]);
}

TEST(words_that_never_meet_are_refused)
{
    kedge_error err = {0};
    size_t begin[] = {0, 1, 3};
    uint64_t row[] = {0, 1, 2};
    const given g = {2, begin, row};
    double y[] = {1, 1, 1, 0, 0, 1, 1, 0}, x[8] = {0}, d[] = {1, 1, 1, 1};
    double root[] = {1, 0, 0, 1}, point[4], gram[4];
    const given_rows r = {4, 2, y, x, root, d};

    blas_begin(4, NULL);
    ck_ok(given_points(&g, &r, point, gram, &err), err); /* both meet 0 */
    y[0] = y[1] = 0;
    ck_fails(given_points(&g, &r, point, gram, &err), KEDGE_ENUMERIC, err,
             "all 2 anchors of topic 2");
}

TEST(no_memory_is_survived)
{
    kedge_error err = {0};
    size_t begin[] = {0, 2};
    uint64_t row[] = {1, 2};
    const given g = {1, begin, row};
    OWN(setting_free) setting s = setting_make(20, 3, 1);
    const given_rows r = rows_of(&s);
    double point[9], gram[9];

    blas_begin(4, NULL);
    GATE_LOOP {
        GATE_TRY(given_points(&g, &r, point, gram, &err));
    }
}
