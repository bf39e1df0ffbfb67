/* SPDX-License-Identifier: MIT */
#include "topics/convex.h"
#include "topics/simplices.h"

static double along(const simplices *s, const double *rest, size_t row)
{
    double sum = 0;

    for (size_t c = 0; c < s->k; c++)
        sum += rest[c] * s->x[row * s->k + c];
    return sum;
}

/* What is left of each row, by trying all supports. SNPA takes the row of which
 * most is left; XRAY that which is farthest along what is left of it. */
static void choose_plainly(const simplices *s, bool xray, uint64_t *chosen,
                           double *residual)
{
    const active_sum sum = xray ? ACTIVE_ANY : ACTIVE_MOST_ONE;
    convex c = {.d = s->k, .rows = s->rows, .v = s->x,
                .u = dense_new(s->k, s->k)};
    double best[8], *rest = dense_new(s->k, 1);

    for (size_t a = 0; a < s->k; a++) {
        size_t away = 0;
        residual[a] = -1;
        c.k = a;
        c.gram = dense_times(dense_as(c.u, c.d), dense_turned(c.u, c.d), a,
                             c.d, a);
        c.products = dense_times(dense_as(c.v, c.d), dense_turned(c.u, c.d),
                                 c.rows, c.d, a);
        for (size_t i = 0; i < s->rows; i++) {
            const double left = sqrt(convex_least(&c, i, sum, best));
            if (left > residual[a]) {
                residual[a] = left;
                away = i;
            }
        }
        convex_least(&c, away, sum, best);
        memcpy(rest, s->x + away * s->k, s->k * sizeof *rest);
        for (size_t t = 0; t < a; t++)
            for (size_t l = 0; l < s->k; l++)
                rest[l] -= best[t] * c.u[t * s->k + l];
        chosen[a] = xray ? 0 : away;
        for (size_t i = 1; xray && i < s->rows; i++)
            if (along(s, rest, i) > along(s, rest, chosen[a]))
                chosen[a] = i;
        memcpy(c.u + a * s->k, s->x + chosen[a] * s->k,
               s->k * sizeof *c.u);
        free(c.gram);
        free(c.products);
    }
    free(c.u);
    free(rest);
}

TEST(anchors_are_those_of_the_plain_way)
{
    kedge_error err = {0};

    for (uint64_t seed = 0; seed < 30; seed++) {
        const size_t k = 2 + seed % 5;
        const bool xray = seed >= 15;
        simplices s = seed % 2 == 0 ? simplices_cloud(k, 60 + seed, seed)
                                    : simplices_make(k, k, 70 + seed, seed);
        const anchors_input in = simplices_input(
            &s, xray ? KEDGE_ANCHORS_XRAY : KEDGE_ANCHORS_SNPA);
        uint64_t chosen[8], plain[8];
        double residual[8], expected[8];
        pool *p = dense_pool(1 + (unsigned)seed % 3);
        ck_ok(anchors_find(p, &in, chosen, residual, &err), err);
        choose_plainly(&s, xray, plain, expected);
        for (size_t a = 0; a < k; a++) {
            ck_assert_uint_eq(chosen[a], plain[a]);
            ck_assert_double_eq_tol(residual[a], expected[a],
                                    1e-7 * expected[0]);
        }
        pool_free(p);
        simplices_free(&s);
    }
}
