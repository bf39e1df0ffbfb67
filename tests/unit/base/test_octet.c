/* SPDX-License-Identifier: MIT */
#include "base/octet.h"

#include "linalg/dense.h"

TEST(products_are_those_one_after_another)
{
    for (size_t count = 0; count < 70; count++) {
        OWNED double *x = dense_random(count + 1, 1, count);
        OWNED double *y = dense_random(count + 1, 1, count + 100);
        double sum = 0, sizes = 0;
        x[count] = y[count] = NAN; /* not of them */
        for (size_t i = 0; i < count; i++) {
            sum += x[i] * y[i];
            sizes += fabs(x[i] * y[i]);
        }
        ck_assert_double_le(fabs(octet_dot(x, y, count) - sum), 1e-14 * sizes);
    }
}

TEST(what_is_left_is_filled_up)
{
    const double x[] = {1, 2, 3, 4, 5, 6, 7, 8};
    octet out;

    for (size_t count = 0; count <= OCTET; count++) {
        octet_rest(x, count, -3, &out);
        for (size_t i = 0; i < OCTET; i++)
            ck_assert_double_eq(out[i], i < count ? x[i] : -3);
        ck_assert_double_eq(octet_total(&out),
                            (double)(count * (count + 1)) / 2 -
                                3 * (double)(OCTET - count));
    }
}

TEST(the_largest_has_no_sign)
{
    for (size_t at = 0; at < OCTET; at++) {
        octet most = {0}, x = {1, -1, 1, -1, 1, -1, 1, -1}, less = x / 2;
        x[at] *= 3;
        octet_most(&most, &x);
        octet_most(&most, &less);
        ck_assert_double_eq(octet_largest(&most), 3);
        ck_assert_double_eq(most[(at + 1) % OCTET], 1);
    }
}
