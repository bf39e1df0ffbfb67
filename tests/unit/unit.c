/* SPDX-License-Identifier: MIT */
/* Runs the suites of all files that are linked into this program. */
#include "unit.h"

static SRunner *runner; /* made by the first suite */

/* Cases of a file come one after the other: the first one makes its suite. */
void unit_add(const TTest *test)
{
    static const char *file;
    static Suite *suite;
    TCase *const one = tcase_create(test->name);

    if (suite == NULL || strcmp(file, test->file) != 0) {
        const char *const base = strrchr(test->file, '/') + 1;
        char name[64];

        snprintf(name, sizeof name, "%.*s", (int)strlen(base + 5) - 2,
                 base + 5); /* test_<name>.c */
        suite = suite_create(name);
        file = test->file;
        if (runner == NULL)
            runner = srunner_create(suite);
        else
            srunner_add_suite(runner, suite);
    }
    tcase_set_timeout(one, 120);
    tcase_add_test(one, test);
    suite_add_tcase(suite, one);
}

int main(void)
{
    srunner_set_tap(runner, "-");
    srunner_run_all(runner, CK_SILENT);
    const int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
