/* SPDX-License-Identifier: MIT */
#include <stdio.h>

#include "unit.h"

TEST(libraries_are_named_with_versions)
{
    static const char *const name[] = {"lmdb ", "zstd ", "zlib ",
                                       "openblas "};
    const char *const text = kedge_library_versions();

    for (size_t i = 0; i < sizeof name / sizeof *name; i++) {
        const char *const at = strstr(text, name[i]);
        ck_assert_msg(at != NULL, "\"%s\" lacks %s", text, name[i]);
        ck_assert_int_ge(at[strlen(name[i])], '0');
        ck_assert_int_le(at[strlen(name[i])], '9');
    }
    ck_assert_ptr_eq(text, kedge_library_versions());
}

TEST(the_version_is_three_numbers)
{
    unsigned major, minor, patch;
    char rest;

    ck_assert_int_eq(sscanf(kedge_version(), "%u.%u.%u%c", &major, &minor,
                            &patch, &rest),
                     3);
}
