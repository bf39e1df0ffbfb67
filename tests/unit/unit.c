/* SPDX-License-Identifier: MIT */
/* Runs the suites of all files that are linked into this program. */
#include "unit.h"

static SRunner *runner; /* made by the first suite */

void unit_add(const char *name, const TTest *const *tests)
{
    Suite *const suite = suite_create(name);

    for (size_t i = 0; tests[i] != NULL; i++) {
        TCase *const tc = tcase_create(tests[i]->name);
        tcase_set_timeout(tc, 120);
        tcase_add_test(tc, tests[i]);
        suite_add_tcase(suite, tc);
    }
    if (runner == NULL)
        runner = srunner_create(suite);
    else
        srunner_add_suite(runner, suite);
}

int main(void)
{
    srunner_set_tap(runner, "-");
    srunner_run_all(runner, CK_SILENT);
    const int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
