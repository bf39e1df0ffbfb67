/* SPDX-License-Identifier: MIT */
#include "bench/alias.h"

#include <math.h>

#include "base/gate.h"
#include "base/hash.h"
#include "unit.h"

enum { MOST = 1000 };

/* What the cells say by themselves: no draws are needed. */
static double chance_of(const alias_cell *cells, size_t count, uint32_t item)
{
    double sum = 0;

    for (size_t i = 0; i < count; i++) {
        const double own = ldexp((double)cells[i].share + 1, -32);
        sum += cells[i].own == item ? own : 0;
        sum += cells[i].other == item ? 1 - own : 0;
    }
    return sum / (double)count;
}

START_TEST(cells_have_the_weights)
{
    static const size_t counts[] = {1, 2, 3, 64, MOST};
    uint32_t item[MOST];
    double weight[MOST], before[MOST];
    alias_cell cells[MOST];
    kedge_error err = {0};

    for (size_t c = 0; c < 5; c++) {
        const size_t count = counts[c];
        double sum = 0;
        for (size_t i = 0; i < count; i++) {
            item[i] = (uint32_t)(7 * i + 5);
            weight[i] = i % 4 == 1 ? 0 : pow((double)i + 1, -1.5);
            sum += before[i] = weight[i];
        }
        ck_ok(alias_build(item, weight, count, cells, &err), err);
        for (size_t i = 0; i < count; i++)
            ck_assert_double_eq_tol(chance_of(cells, count, item[i]),
                                    before[i] / sum, 1e-9);
    }
}
END_TEST

START_TEST(draws_are_as_the_cells_say)
{
    uint32_t item[] = {3, 8, 1, 4};
    double weight[] = {0.1, 0.2, 0.3, 0.4};
    int got[9] = {0};
    alias_cell cells[4];
    kedge_error err = {0};
    const int draws = 200000;

    ck_ok(alias_build(item, weight, 4, cells, &err), err);
    for (int i = 0; i < draws; i++)
        got[alias_draw(cells, 4, hash_stream(1, (uint64_t)i))]++;
    ck_assert_double_eq_tol(got[3], 0.1 * draws, 600);
    ck_assert_double_eq_tol(got[8], 0.2 * draws, 800);
    ck_assert_double_eq_tol(got[1], 0.3 * draws, 900);
    ck_assert_double_eq_tol(got[4], 0.4 * draws, 900);
    ck_assert_uint_lt(alias_draw(cells, 4, UINT64_MAX), 9);
}
END_TEST

START_TEST(without_memory_it_fails)
{
    uint32_t item = 1;
    double weight = 1;
    alias_cell cell;
    kedge_error err = {0};

    gate_allow(0);
    ck_fails(alias_build(&item, &weight, 1, &cell, &err), KEDGE_ENOMEM, err,
             "out of memory");
    gate_open();
}
END_TEST

UNIT_SUITE("alias",
    cells_have_the_weights,
    draws_are_as_the_cells_say,
    without_memory_it_fails)
