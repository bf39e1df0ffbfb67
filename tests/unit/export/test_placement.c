/* SPDX-License-Identifier: MIT */
#include "export/page.h"

#include <math.h>

#include "base/chance.h"
#include "base/gate.h"

#define MOST 120

typedef struct plane {
    size_t n;
    double distance[MOST * MOST], share[MOST], height;
    size_t order[MOST];
    placed at[MOST];
} plane;

/* Two crowds far from each other, of shares by chance. */
static void crowd(plane *p, size_t n)
{
    chance c = {.key = n};
    double sum = 0;

    p->n = n;
    for (size_t i = 0; i < n; i++) {
        p->order[i] = i;
        sum += p->share[i] = chance_unit(&c);
        for (size_t j = 0; j < i; j++)
            p->distance[i * n + j] = p->distance[j * n + i] =
                (i % 2 == j % 2 ? 0.5 : 0.9) + 0.1 * chance_unit(&c);
        p->distance[i * n + i] = 0;
    }
    for (size_t i = 0; i < n; i++)
        p->share[i] /= sum;
}

static kedge_status place(void *data, kedge_error *err)
{
    plane *const p = data;

    return placement_find(p->distance, p->order, p->share, p->n, p->at,
                          &p->height, err);
}

static double apart(const plane *p, size_t i, size_t j)
{
    return hypot(p->at[i].x - p->at[j].x, p->at[i].y - p->at[j].y);
}

static void check_circles(const plane *p)
{
    double left = 1, right = 0;

    for (size_t i = 0; i < p->n; i++) {
        const placed *const a = &p->at[i];
        left = fmin(left, a->x - a->r);
        right = fmax(right, a->x + a->r);
        ck_assert_double_ge(a->y - a->r, -1e-9);
        ck_assert_double_le(a->y + a->r, p->height + 1e-9);
        ck_assert_double_eq_tol(a->r * a->r * p->share[0],
                                p->at[0].r * p->at[0].r * p->share[i], 1e-9);
        for (size_t j = 0; j < i; j++)
            ck_assert_double_ge(apart(p, i, j), a->r + p->at[j].r - 1e-9);
    }
    ck_assert_double_eq_tol(left, 0, 1e-9);
    ck_assert_double_eq_tol(right, 1, 1e-9);
}

/* Mean distance of pairs of the same crowd, or of the two. */
static double mean_apart(const plane *p, bool same)
{
    double sum = 0, count = 0;

    for (size_t i = 0; i < p->n; i++)
        for (size_t j = 0; j < i; j++)
            if ((i % 2 == j % 2) == same) {
                sum += apart(p, i, j);
                count++;
            }
    return sum / count;
}

TEST(circles_do_not_overlap_and_fill_the_plane)
{
    static plane p;
    kedge_error err = {0};

    for (size_t n = 1; n <= MOST; n = n * 3 + 1) {
        crowd(&p, n);
        ck_ok(place(&p, &err), err);
        check_circles(&p);
    }
}

TEST(what_is_near_is_placed_near)
{
    static plane p;
    kedge_error err = {0};

    crowd(&p, 40);
    ck_ok(place(&p, &err), err);
    ck_assert_double_lt(1.3 * mean_apart(&p, true), mean_apart(&p, false));
}

TEST(places_are_the_same_each_time)
{
    static plane p, q;
    kedge_error err = {0};

    crowd(&p, 40);
    ck_ok(place(&p, &err), err);
    q = p;
    ck_ok(place(&q, &err), err);
    ck_assert_mem_eq(p.at, q.at, sizeof p.at);
}

TEST(equal_things_and_those_without_a_share_are_placed)
{
    static plane p;
    kedge_error err = {0};

    crowd(&p, 13);
    for (size_t i = 0; i < 13 * 13; i++)
        p.distance[i] = 0;
    p.share[5] = 0;
    ck_ok(place(&p, &err), err);
    check_circles(&p);
    ck_assert_double_eq(p.at[5].r, 0);
}

TEST(memory_may_end_anywhere)
{
    static plane p;

    crowd(&p, 9);
    gate_starve(place(&p, NULL));
}
