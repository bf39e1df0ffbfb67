/* SPDX-License-Identifier: MIT */
#include "pipeline/parts/rowflow.h"

#include "store/scene.h"

enum { WIDTH = 3, ROWS = 2 * STORE_CHUNK_ROWS + 17 };

static int64_t value(size_t row, size_t column)
{
    return column == 0 ? (int64_t)(row * 10 + WIDTH) /* the sum */
                       : (int64_t)(row * 10 + column) * (row % 2 == 0 ? 1 : -1);
}

static kedge_status put(void *data, size_t chunk, store_rows *r,
                        kedge_error *err)
{
    scene *const t = data;

    return store_put_rows(t->txn, 5, chunk, r, err);
}

static void fill(scene *t, size_t count)
{
    rowsink k = {.width = WIDTH, .put = put, .data = t};
    int64_t *row;

    for (size_t i = 0; i < count; i++) {
        ck_ok(rowsink_row(&k, &row, &t->err), t->err);
        for (size_t c = 0; c <= WIDTH; c++)
            row[c] = value(i, c);
    }
    ck_ok(rowsink_end(&k, &t->err), t->err);
    ck_assert_uint_eq(k.chunks, (count + STORE_CHUNK_ROWS - 1) /
                                    STORE_CHUNK_ROWS);
    rowsink_free(&k);
}

START_TEST(rows_come_back_one_by_one)
{
    static const size_t counts[] = {0, 1, STORE_CHUNK_ROWS, ROWS};
    scene t;

    scene_make(&t);
    scene_write(&t);
    for (size_t k = 0; k < 4; k++) {
        rowstore from = {.txn = t.txn, .number = 5, .width = WIDTH};
        rowflow f = {.rows = counts[k], .width = WIDTH,
                     .fetch = rowstore_fetch, .data = &from};
        int64_t *row;
        fill(&t, counts[k]);
        for (size_t i = 0; i < counts[k]; i++) {
            ck_ok(rowflow_next(&f, &row, &t.err), t.err);
            for (size_t c = 0; c <= WIDTH; c++)
                ck_assert_int_eq(row[c], value(i, c));
        }
        ck_assert_uint_eq(f.at, counts[k]);
        rowflow_free(&f);
        store_rows_free(&from.scratch);
        ck_ok(store_drop_rows(t.txn, 5, &t.err), t.err);
    }
    scene_end(&t);
}
END_TEST

START_TEST(rows_that_are_gone_are_told)
{
    scene t;

    scene_make(&t);
    scene_write(&t);
    fill(&t, STORE_CHUNK_ROWS);
    rowstore from = {.txn = t.txn, .number = 5, .width = WIDTH};
    rowflow f = {.rows = ROWS, .width = WIDTH, .fetch = rowstore_fetch,
                 .data = &from};
    int64_t *row;
    for (size_t i = 0; i < STORE_CHUNK_ROWS; i++)
        ck_ok(rowflow_next(&f, &row, &t.err), t.err);
    ck_fails(rowflow_next(&f, &row, &t.err), KEDGE_ENOTFOUND, t.err,
             "sketch chunk 1");
    rowflow_free(&f);
    store_rows_free(&from.scratch);
    scene_end(&t);
}
END_TEST

UNIT_SUITE("rowflow",
    rows_come_back_one_by_one,
    rows_that_are_gone_are_told)
