/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include "base/fail.h"

TEST(statuses_keep_their_numbers)
{
    ck_assert_int_eq(KEDGE_OK, 0);
    ck_assert_int_eq(KEDGE_EINVAL, 1);
    ck_assert_int_eq(KEDGE_EMISUSE, 2);
    ck_assert_int_eq(KEDGE_ENOMEM, 3);
    ck_assert_int_eq(KEDGE_EBUDGET, 4);
    ck_assert_int_eq(KEDGE_EIO, 5);
    ck_assert_int_eq(KEDGE_EFORMAT, 6);
    ck_assert_int_eq(KEDGE_ECORRUPT, 7);
    ck_assert_int_eq(KEDGE_EVERSION, 8);
    ck_assert_int_eq(KEDGE_ENUMERIC, 9);
    ck_assert_int_eq(KEDGE_ECANCELED, 10);
    ck_assert_int_eq(KEDGE_ENOTFOUND, 11);
    ck_assert_int_eq(KEDGE_EBUSY, 12);
}

TEST(every_status_has_words_of_its_own)
{
    for (int a = 0; a <= KEDGE_EBUSY; a++) {
        const char *text = kedge_status_text((kedge_status)a);
        ck_assert_uint_gt(strlen(text), 5);
        ck_assert_str_ne(text, kedge_status_text((kedge_status)99));
        for (int b = 0; b < a; b++)
            ck_assert_str_ne(text, kedge_status_text((kedge_status)b));
    }
    ck_assert_str_eq(kedge_status_text((kedge_status)-1), "unknown status");
}

TEST(failures_say_what_they_are_given)
{
    kedge_error err = {0};

    ck_assert_int_eq(kedge_fail(&err, KEDGE_EIO, "%s:%d", "file", 7),
                     KEDGE_EIO);
    ck_assert_int_eq(err.status, KEDGE_EIO);
    ck_assert_str_eq(err.text, "file:7");
    kedge_fail_context(&err, "while %s %d", "reading", 3);
    ck_assert_str_eq(err.text, "while reading 3: file:7");
    ck_assert_int_eq(err.status, KEDGE_EIO);
    kedge_fail_context(&err, "first");
    ck_assert_str_eq(err.text, "first: while reading 3: file:7");
}

TEST(nobody_has_to_listen)
{
    ck_assert_int_eq(kedge_fail(NULL, KEDGE_EBUSY, "%d", 1), KEDGE_EBUSY);
    kedge_fail_context(NULL, "%d", 1);
}

TEST(long_texts_are_cut)
{
    char text[3000];
    kedge_error err = {0};

    memset(text, 'm', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    ck_assert_int_eq(kedge_fail(&err, KEDGE_EIO, "%s", text), KEDGE_EIO);
    ck_assert_uint_eq(strlen(err.text), sizeof err.text - 1);
    kedge_fail_context(&err, "where");
    ck_assert_uint_eq(strlen(err.text), sizeof err.text - 1);
    ck_assert_int_eq(strncmp(err.text, "where: mmm", 10), 0);
    memset(text, 'y', sizeof text - 1);
    kedge_fail_context(&err, "%s", text);
    ck_assert_uint_eq(strlen(err.text), sizeof err.text - 1);
    ck_assert_ptr_nonnull(strstr(err.text, "yyy: where: mmm"));
}

static kedge_status step(kedge_status status, int *steps)
{
    ++*steps;
    return status;
}

static kedge_status walk(kedge_status second, int *steps)
{
    kedge_status st = KEDGE_OK;

    TRY(step(KEDGE_OK, steps));
    TRY(step(second, steps));
    TRY(step(KEDGE_OK, steps));
out:
    KEEP_FIRST(st, step(KEDGE_EIO, steps));
    return st;
}

static kedge_status take(const void *memory, kedge_error *err)
{
    kedge_status st = KEDGE_OK;

    TRY_MEM(memory);
out:
    return st;
}

TEST(the_first_failure_counts)
{
    int steps = 0;
    kedge_error err = {0};

    ck_assert_int_eq(walk(KEDGE_EBUSY, &steps), KEDGE_EBUSY);
    ck_assert_int_eq(steps, 3);
    steps = 0;
    ck_assert_int_eq(walk(KEDGE_OK, &steps), KEDGE_EIO);
    ck_assert_int_eq(steps, 4);
    ck_assert_int_eq(take(&steps, &err), KEDGE_OK);
    ck_fails(take(NULL, &err), KEDGE_ENOMEM, err, "out of memory (take)");
}
