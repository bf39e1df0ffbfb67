/* SPDX-License-Identifier: MIT */
#include "base/gate.h"
#include "cooccur/moments.h"

/* The baskets' w (x x' - D), added up. */
static void gather(const moments *s, double *c, double *mass)
{
    kedge_error err = {0};
    OWN(basket_free) basket b;
    size_t m = 0;

    ck_ok(basket_create(s->rows, &b, &err), err);
    *mass = 0;
    while (m < s->window.documents) {
        m = basket_read(&b, &s->window, m);
        *mass += b.mass;
        for (size_t i = 0; i < b.count; i++) {
            for (size_t j = 0; j < b.count; j++)
                c[b.row[i] * s->rows + b.row[j]] +=
                    b.weight * b.x[i] * b.x[j];
            c[b.row[i] * s->rows + b.row[i]] -= b.weight * basket_own(&b, i);
        }
    }
    ck_assert_uint_eq(m, s->window.documents);
}

TEST(baskets_add_up_to_the_statistics)
{
    static const uint32_t longest[] = {0, 9000};

    for (uint32_t kind = 0; kind < STATISTICS; kind++)
        for (size_t i = 0; i < 2; i++) {
            OWN(moments_free) moments s;
            double mass;
            moments_make(&s, 30, 50, kind, longest[i]);
            OWNED double *c = calloc(s.rows * s.rows, sizeof *c);
            gather(&s, c, &mass);
            ck_assert_double_eq_tol(mass, s.total, 1e-9 * s.total);
            for (size_t e = 0; e < s.rows * s.rows; e++)
                ck_assert_double_eq_tol(c[e] / mass, s.c[e], 1e-12);
        }
}

TEST(a_document_of_one_word_tells_nothing)
{
    kedge_error err = {0};
    OWN(moments_free) moments s = {0};
    OWN(basket_free) basket b;

    ck_assert(docs_begin(&s.d, 1) && docs_push(&s.d, 3, 7));
    moments_fill(&s, 5, STATISTIC_LOG);
    ck_ok(basket_create(5, &b, &err), err);
    ck_assert_uint_eq(basket_read(&b, &s.window, 0), 1);
    ck_assert_uint_eq(b.count, 1);
    ck_assert_uint_eq(b.row[0], 3);
    ck_assert_double_eq(b.mass, 0);
}

TEST(no_memory_leaves_nothing)
{
    OWN(basket_free) basket b;

    gate_starve(basket_create(5, &b, NULL));
}
