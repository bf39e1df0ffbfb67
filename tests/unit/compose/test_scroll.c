/* SPDX-License-Identifier: MIT */
#include "compose/scroll.h"

#include "unit.h"

#define WIDTH 7
#define ROWS 50

START_TEST(rows_come_back)
{
    kedge_error err = {0};
    scroll s = SCROLL_CLOSED;
    double rows[ROWS * WIDTH], back[ROWS * WIDTH];

    for (size_t i = 0; i < ROWS * WIDTH; i++)
        rows[i] = 1.5 * (double)i;
    ck_ok(scroll_open(&s, ".", WIDTH, &err), err);
    ck_ok(scroll_write(&s, 20, 30, rows + 20 * WIDTH, &err), err);
    ck_ok(scroll_write(&s, 0, 20, rows, &err), err);
    for (size_t first = 0; first < ROWS; first += 10)
        ck_ok(scroll_read(&s, first, 10, back + first * WIDTH, &err), err);
    ck_assert_mem_eq(rows, back, sizeof rows);
    scroll_close(&s);
    scroll_close(&s);
}
END_TEST

START_TEST(what_is_not_there_is_an_error)
{
    kedge_error err = {0};
    scroll s = SCROLL_CLOSED;
    double row[WIDTH] = {0};

    ck_fails(scroll_open(&s, "no/such/folder", WIDTH, &err), KEDGE_EIO, err,
             "no/such/folder: cannot make a file");
    scroll_close(&s);
    ck_ok(scroll_open(&s, ".", WIDTH, &err), err);
    ck_ok(scroll_write(&s, 0, 1, row, &err), err);
    ck_ok(scroll_read(&s, 0, 1, row, &err), err);
    ck_fails(scroll_read(&s, 1, 1, row, &err), KEDGE_EIO, err, "it ends");
    scroll_close(&s);
    ck_fails(scroll_write(&s, 0, 1, row, &err), KEDGE_EIO, err,
             "cannot write");
}
END_TEST

UNIT_SUITE("scroll",
    rows_come_back,
    what_is_not_there_is_an_error)
