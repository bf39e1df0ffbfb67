/* SPDX-License-Identifier: MIT */
#include <kedge/eval.h>

#include <ctype.h>

#include "unit.h"

TEST(every_measure_is_explained)
{
    for (int m = 0; m < KEDGE_MEASURES; m++) {
        const kedge_measure_info *const info =
            kedge_measure_get((kedge_measure)m);
        ck_assert_ptr_nonnull(info);
        ck_assert_ptr_nonnull(info->key);
        for (const char *c = info->key; *c != '\0'; c++)
            ck_assert(islower((unsigned char)*c) || *c == '_');
        ck_assert_uint_gt(strlen(info->formula), 10);
        ck_assert_uint_gt(strlen(info->paper), 5);
        ck_assert_uint_gt(strlen(info->group), 5);
        ck_assert(info->better >= -1 && info->better <= 1);
        for (int o = 0; o < m; o++)
            ck_assert_str_ne(info->key,
                             kedge_measure_get((kedge_measure)o)->key);
    }
}

TEST(there_are_no_others)
{
    ck_assert_ptr_null(kedge_measure_get(KEDGE_MEASURES));
    ck_assert_ptr_null(kedge_measure_get((kedge_measure)-1));
}
