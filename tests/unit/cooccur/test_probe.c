/* SPDX-License-Identifier: MIT */
#include "cooccur/probe.h"

#include "cooccur/moments.h"

UNIT_END(probe, probe, probe_free)

#define WIDTH 128

static probe *probe_of(const moments *s, pool *p, uint64_t seed)
{
    kedge_error err = {0};
    probe *z;

    ck_ok(probe_create(&s->w, WIDTH, seed, p, &z, &err), err);
    ck_ok(probe_add(z, &s->window, &err), err);
    probe_finish(z);
    return z;
}

static void check(const moments *s, const probe *z, uint64_t seed)
{
    static double row[WIDTH], signs[WIDTH];

    ck_assert_double_eq_tol(z->mass, s->total, 1e-9 * s->total);
    for (size_t i = 0; i < s->rows; i++) {
        double sum = 0;
        for (size_t j = 0; j < s->rows; j++)
            sum += s->c[i * s->rows + j];
        ck_assert_double_eq_tol(z->sums[i], sum, 1e-7);
        ck_assert_double_eq_tol(z->diagonal[i], s->c[i * s->rows + i],
                                1e-9);
        probe_read(z, i, 1, row);
        probe_signs(z, i, 1, signs);
        for (size_t l = 0; l < WIDTH; l++) {
            double product = 0;
            for (size_t j = 0; j < s->rows; j++)
                product += s->c[i * s->rows + j] *
                           (double)corpus_sign(&s->w, j, seed, l);
            ck_assert_double_eq_tol(row[l], product, 1e-7);
            ck_assert_double_eq(signs[l],
                                (double)corpus_sign(&s->w, i, seed, l));
        }
    }
}

TEST(the_probe_is_c_times_its_signs)
{

    for (uint32_t kind = 0; kind < STATISTICS; kind++) {
        OWN(moments_free) moments s;
        moments_make(&s, 40, 90, kind, 9000);
        pool *p = dense_pool(1 + kind);
        OWN(probe_end) probe *z = probe_of(&s, p, 5 + kind);
        ck_assert_uint_eq(z->width, WIDTH);
        check(&s, z, 5 + kind);
        pool_free(p);
    }
}

TEST(of_nothing_there_is_nothing)
{
    double row[WIDTH];
    OWN(moments_free) moments s = {0};
    OWN(pool_end) pool *p = dense_pool(1);

    moments_fill(&s, 6, STATISTIC_JOINT);
    OWN(probe_end) probe *z = probe_of(&s, p, 1);
    ck_assert_double_eq(z->mass, 0);
    probe_read(z, 2, 1, row);
    for (size_t l = 0; l < WIDTH; l++)
        ck_assert_double_eq(row[l], 0);
    ck_assert_double_eq(z->sums[2], 0);
    ck_assert_double_eq(z->diagonal[2], 0);
}
