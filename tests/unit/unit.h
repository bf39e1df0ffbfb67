/* SPDX-License-Identifier: MIT */
#ifndef TESTS_UNIT_UNIT_H
#define TESTS_UNIT_UNIT_H
/*
 * What unit tests share. A test file defines its cases with START_TEST, lists
 * them in a NULL-terminated array and ends with UNIT_MAIN(name, array). Each
 * case runs in a process of its own, unless CK_FORK=no.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include <kedge/status.h>

static inline int unit_run(const char *name, const TTest *const *tests)
{
    Suite *suite = suite_create(name);
    SRunner *runner;
    int failed;

    for (size_t i = 0; tests[i] != NULL; i++) {
        TCase *tc = tcase_create(tests[i]->name);
        tcase_set_timeout(tc, 120);
        tcase_add_test(tc, tests[i]);
        suite_add_tcase(suite, tc);
    }
    runner = srunner_create(suite);
    srunner_set_tap(runner, "-");
    srunner_run_all(runner, CK_SILENT);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

#define UNIT_MAIN(name, tests)         \
    int main(void)                     \
    {                                  \
        return unit_run(name, tests);  \
    }

/* Asserts KEDGE_OK and shows the error's text when it is not. */
#define ck_ok(expr, err)                                                  \
    do {                                                                  \
        const kedge_status ck_status_ = (expr);                           \
        ck_assert_msg(ck_status_ == KEDGE_OK, "%s: %d %s", #expr,         \
                      (int)ck_status_, (err).text);                       \
    } while (0)

/* Asserts a failure of this status whose text contains `part`. */
#define ck_fails(expr, expected, err, part)                               \
    do {                                                                  \
        const kedge_status ck_status_ = (expr);                           \
        ck_assert_msg(ck_status_ == (expected), "%s: status %d, not %d",  \
                      #expr, (int)ck_status_, (int)(expected));           \
        ck_assert_msg(strstr((err).text, part) != NULL,                   \
                      "%s: \"%s\" does not say \"%s\"", #expr,            \
                      (err).text, part);                                  \
    } while (0)

#endif
