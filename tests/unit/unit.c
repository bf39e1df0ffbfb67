/* SPDX-License-Identifier: MIT */
/* Runs the suites of all files that are linked into this program. */
#include "unit.h"

static SRunner *runner; /* made by the first suite */

static Suite *begin(const char *name)
{
    Suite *const suite = suite_create(name);

    if (runner == NULL)
        runner = srunner_create(suite);
    else
        srunner_add_suite(runner, suite);
    return suite;
}

static void add(Suite *suite, const TTest *test)
{
    TCase *const tc = tcase_create(test->name);

    tcase_set_timeout(tc, 120);
    tcase_add_test(tc, test);
    suite_add_tcase(suite, tc);
}

void unit_add(const char *name, const TTest *const *tests)
{
    Suite *const suite = begin(name);

    for (size_t i = 0; tests[i] != NULL; i++)
        add(suite, tests[i]);
}

/* Cases of a file come one after the other. */
void unit_add_case(const TTest *test)
{
    static const char *file;
    static Suite *suite;

    if (suite == NULL || strcmp(file, test->file) != 0) {
        const char *const base = strrchr(test->file, '/') + 1;
        char name[64];

        snprintf(name, sizeof name, "%.*s", (int)strlen(base + 5) - 2,
                 base + 5); /* test_<name>.c */
        suite = begin(name);
        file = test->file;
    }
    add(suite, test);
}

int main(void)
{
    srunner_set_tap(runner, "-");
    srunner_run_all(runner, CK_SILENT);
    const int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
