/* SPDX-License-Identifier: MIT */
#include "metrics/measure.h"

#include <math.h>

#include "unit.h"

TEST(the_largest_is_the_first_of_equals)
{
    const double y[] = {NAN, 1, 3, 2, 3, NAN}, none[] = {NAN, NAN};

    ck_assert_uint_eq(elbow_largest(y, 6), 2);
    ck_assert_uint_eq(elbow_largest(y, 2), 1);
    ck_assert_uint_eq(elbow_largest(none, 2), ELBOW_NONE);
    ck_assert_uint_eq(elbow_largest(y, 0), ELBOW_NONE);
}

TEST(a_bend_is_far_below_the_line)
{
    const uint64_t x[] = {5, 10, 20, 30, 40};
    const double bent[] = {1, 0.4, 0.3, 0.2, 0.1};
    const double late[] = {1, 0.9, 0.8, 0.15, 0.1};
    const double line[] = {0.8, 0.7, 0.5, 0.3, 0.1};
    const double rising[] = {0.1, 0.2, 0.3, 0.4, 0.5};
    const double holes[] = {NAN, 0.4, NAN, 0.1, 0};

    ck_assert_uint_eq(elbow_bend(x, bent, 5, 0.05), 1);
    ck_assert_uint_eq(elbow_bend(x, late, 5, 0.05), 3);
    ck_assert_uint_eq(elbow_bend(x, line, 5, 0.05), ELBOW_NONE);
    ck_assert_uint_eq(elbow_bend(x, rising, 5, 0.05), ELBOW_NONE);
    ck_assert_uint_eq(elbow_bend(x, holes, 5, 0.05), 3);
    ck_assert_uint_eq(elbow_bend(x, bent, 2, 0.05), ELBOW_NONE);
    ck_assert_uint_eq(elbow_bend(x, bent, 1, 0.05), ELBOW_NONE);
    ck_assert_uint_eq(elbow_bend(x, holes, 1, 0.05), ELBOW_NONE);
}

TEST(a_plateau_is_where_most_is_gained)
{
    const double rising[] = {-8, -7.5, -7.05, -7, -7.2};
    const double falling[] = {-7, -7.5, -8};
    const double holes[] = {NAN, -8, NAN, -7};

    ck_assert_uint_eq(elbow_plateau(rising, 5, 0.9), 2);
    ck_assert_uint_eq(elbow_plateau(rising, 5, 0.5), 1);
    ck_assert_uint_eq(elbow_plateau(rising, 5, 1), 3);
    ck_assert_uint_eq(elbow_plateau(falling, 3, 0.9), ELBOW_NONE);
    ck_assert_uint_eq(elbow_plateau(holes, 4, 0.9), 3);
    ck_assert_uint_eq(elbow_plateau(holes, 1, 0.9), ELBOW_NONE);
}
