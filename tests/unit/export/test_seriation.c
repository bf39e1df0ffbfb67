/* SPDX-License-Identifier: MIT */
#include "export/page.h"

#include <math.h>

#include "base/chance.h"
#include "base/gate.h"

#define MOST 60

typedef struct row {
    double distance[MOST * MOST];
    size_t order[MOST], group[MOST];
} row;

static void find(row *r, const double *x, size_t n, size_t groups)
{
    kedge_error err = {0};

    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            r->distance[i * n + j] = fabs(x[i] - x[j]);
    ck_ok(seriation_find(r->distance, n, groups, r->order, r->group, &err),
          err);
}

/* Everything once; groups are stretches, numbered as they come. */
static void check(const row *r, size_t n, size_t groups)
{
    bool seen[MOST] = {false};
    size_t last = 0;

    for (size_t i = 0; i < n; i++) {
        const size_t g = r->group[r->order[i]];
        ck_assert_uint_lt(r->order[i], n);
        ck_assert(!seen[r->order[i]]);
        seen[r->order[i]] = true;
        ck_assert(i == 0 ? g == 0 : g == last || g == last + 1);
        last = g;
    }
    ck_assert_uint_eq(last + 1, n < groups ? n : groups);
}

TEST(points_of_a_line_come_out_in_its_order)
{
    static row r;
    chance c = {.key = 3};
    double x[MOST];

    for (size_t n = 1; n <= MOST; n += n < 10 ? 1 : 10) {
        for (size_t i = 0; i < n; i++)
            x[i] = chance_unit(&c);
        for (size_t groups = 1; groups < 10; groups += 4) {
            find(&r, x, n, groups);
            check(&r, n, groups);
            for (size_t i = 2; i < n; i++)
                ck_assert((x[r.order[1]] > x[r.order[0]]) ==
                          (x[r.order[i]] > x[r.order[i - 1]]));
        }
    }
}

TEST(planted_groups_are_found)
{
    static row r;
    chance c = {.key = 5};
    double x[MOST];

    for (size_t i = 0; i < MOST; i++)
        x[i] = 100 * (double)(i * 7 % 5) + chance_unit(&c);
    find(&r, x, MOST, 5);
    check(&r, MOST, 5);
    for (size_t i = 0; i < MOST; i++)
        for (size_t j = 0; j < MOST; j++)
            ck_assert((r.group[i] == r.group[j]) == (i * 7 % 5 == j * 7 % 5));
}

TEST(equal_distances_are_no_trouble)
{
    static row r;
    const double x[MOST] = {0};

    find(&r, x, MOST, 8);
    check(&r, MOST, 8);
    find(&r, x, 1, 8);
    ck_assert_uint_eq(r.order[0], 0);
}

static kedge_status without_memory(void *data, kedge_error *err)
{
    row *const r = data;

    return seriation_find(r->distance, 12, 3, r->order, r->group, err);
}

TEST(memory_may_end_anywhere)
{
    static row r;

    gate_starve(without_memory(&r, NULL));
}
