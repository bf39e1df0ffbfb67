/* SPDX-License-Identifier: MIT */
#include "infer/rounding.h"

#include "base/chance.h"
#include "base/gate.h"
#include "unit.h"

UNIT_END(rounding, rounding, rounding_free)

enum { MOST = 3000 };

/* Shares of the sum one: nearly even, or the more uneven the larger `power`. */
static void make_shares(chance *c, size_t k, double power, double *shares)
{
    double sum = 0;

    for (size_t t = 0; t < k; t++)
        sum += shares[t] = pow(chance_unit(c), power);
    for (size_t t = 0; t < k; t++)
        shares[t] /= sum;
}

/* The same, one unit after the other to whoever is owed most. */
static void naive(const double *shares, size_t k, uint32_t *units)
{
    const double limit = k > 1024 ? 0.25 / (double)k : 1.0 / 4096;
    double sum = 0;
    uint32_t given = 0;

    for (size_t t = 0; t < k; t++)
        sum += shares[t] >= limit ? shares[t] : 0;
    for (size_t t = 0; t < k; t++) {
        const double exact = shares[t] / sum * ROUNDING_UNITS;
        units[t] = shares[t] >= limit ? (uint32_t)floor(exact) : 0;
        given += units[t];
    }
    while (given++ < ROUNDING_UNITS) {
        size_t best = k;
        double owed = -1;
        for (size_t t = 0; t < k; t++) {
            const double exact = shares[t] / sum * ROUNDING_UNITS;
            if (shares[t] >= limit && exact - units[t] > owed) {
                owed = exact - units[t];
                best = t;
            }
        }
        ck_assert_uint_lt(best, k);
        units[best]++;
    }
}

static void check(rounding *r, const double *shares, size_t k)
{
    static uint32_t topic[MOST], units[MOST], wanted[MOST];
    double moved, wanted_moved = 0;
    uint64_t sum = 0;
    size_t count, at = 0;

    count = rounding_take(r, shares, topic, units, &moved);
    naive(shares, k, wanted);
    ck_assert_uint_ge(count, 1);
    for (size_t t = 0; t < k; t++) {
        wanted_moved += fabs(shares[t] - wanted[t] / 65536.0);
        if (wanted[t] == 0)
            continue;
        ck_assert_uint_lt(at, count);
        ck_assert_uint_eq(topic[at], t);
        ck_assert_uint_eq(units[at], wanted[t]);
        sum += units[at++];
    }
    ck_assert_uint_eq(at, count);
    ck_assert_uint_eq(sum, ROUNDING_UNITS);
    ck_assert_double_eq(moved, wanted_moved);
}

TEST(shares_are_rounded_as_by_a_naive_twin)
{
    static const size_t sizes[] = {1, 2, 3, 7, 50, 256, 257, 1024, 1025, MOST};
    static double shares[MOST];
    kedge_error err = {0};

    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        const size_t k = sizes[i];
        OWN(rounding_end) rounding *r = NULL;
        ck_ok(rounding_create(k, &r, &err), err);
        for (uint64_t seed = 0; seed < (k < 100 ? 200 : 4); seed++) {
            chance c = {.key = seed};
            make_shares(&c, k, (double)(seed % 20), shares);
            check(r, shares, k);
        }
    }
}

TEST(equal_remainders_go_to_the_first)
{
    const double shares[] = {1.0 / 3, 1.0 / 3, 1.0 / 3};
    uint32_t topic[3], units[3];
    kedge_error err = {0};
    double moved;
    OWN(rounding_end) rounding *r = NULL;

    ck_ok(rounding_create(3, &r, &err), err);
    ck_assert_uint_eq(rounding_take(r, shares, topic, units, &moved), 3);
    ck_assert_uint_eq(units[0], 21846);
    ck_assert_uint_eq(units[1], 21845);
    ck_assert_uint_eq(units[2], 21845);
    ck_assert_double_lt(moved, 2.0 / ROUNDING_UNITS);
}

TEST(one_topic_is_whole_and_small_ones_leave)
{
    double shares[100];
    uint32_t topic[100], units[100];
    kedge_error err = {0};
    double moved;
    OWN(rounding_end) rounding *r = NULL;

    ck_ok(rounding_create(100, &r, &err), err);
    for (size_t t = 0; t < 100; t++)
        shares[t] = t == 42 ? 1 - 99e-4 : 1e-4;
    ck_assert_uint_eq(rounding_take(r, shares, topic, units, &moved), 1);
    ck_assert_uint_eq(topic[0], 42);
    ck_assert_uint_eq(units[0], ROUNDING_UNITS);
    ck_assert_double_eq_tol(moved, 2 * 99e-4, 1e-12);
}

TEST(what_cannot_be_is_refused)
{
    kedge_error err = {0};
    rounding *r;

    ck_fails(rounding_create(0, &r, &err), KEDGE_EINVAL, err, "0 topics");
    ck_assert_ptr_null(r);
    ck_fails(rounding_create(ROUNDING_TOPICS + 1, &r, &err), KEDGE_EINVAL, err,
             "proportions of 16385 topics cannot be saved: at most 16384 can");
    for (long n = 0; n < 2; n++) {
        gate_allow(n);
        ck_fails(rounding_create(5, &r, &err), KEDGE_ENOMEM, err, "memory");
        gate_open();
        ck_assert_ptr_null(r);
    }
    rounding_free(NULL);
}
