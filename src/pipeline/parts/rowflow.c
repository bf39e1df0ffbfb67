/* SPDX-License-Identifier: MIT */
#include "pipeline/parts/rowflow.h"

#include <assert.h>
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"

#define SUM_LIMIT (INT64_C(1) << 62) /* as in a sketch */

kedge_status rowflow_next(rowflow *f, int64_t **row, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const size_t place = f->at % STORE_CHUNK_ROWS;

    assert(f->at < f->rows);
    if (f->values == NULL)
        TRY_MEM(f->values = mem_new2(STORE_CHUNK_ROWS, 1 + f->width,
                                     sizeof *f->values));
    if (place == 0) {
        const size_t left = f->rows - f->at;
        TRY(f->fetch(f->data, f->at / STORE_CHUNK_ROWS,
                     left < STORE_CHUNK_ROWS ? left : STORE_CHUNK_ROWS,
                     f->values, err));
    }
    *row = f->values + place * (1 + f->width);
    f->at++;
out:
    return st;
}

void rowflow_free(rowflow *f)
{
    mem_free(f->values);
    f->values = NULL;
}

kedge_status rowstore_fetch(void *data, size_t chunk, size_t rows,
                            int64_t *values, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    rowstore *const r = data;
    const uint8_t *bytes;
    size_t size;

    TRY(store_get_rows(r->txn, r->number, chunk, &bytes, &size, err));
    TRY(store_rows_decode(&r->scratch, bytes, size, rows, r->width, values,
                          err));
out:
    return st;
}

static kedge_status rowsink_send(rowsink *k, kedge_error *err)
{
    kedge_status st = KEDGE_OK;

    TRY(store_rows_encode(&k->frame, k->values, k->held, k->width, err));
    TRY(k->put(k->data, k->chunks, &k->frame, err));
    k->chunks++;
    k->held = 0;
out:
    return st;
}

kedge_status rowsink_row(rowsink *k, int64_t **row, kedge_error *err)
{
    kedge_status st = KEDGE_OK;

    if (k->values == NULL)
        TRY_MEM(k->values = mem_new2(STORE_CHUNK_ROWS, 1 + k->width,
                                     sizeof *k->values));
    if (k->held == STORE_CHUNK_ROWS)
        TRY(rowsink_send(k, err));
    *row = k->values + k->held++ * (1 + k->width);
out:
    return st;
}

kedge_status rowsink_end(rowsink *k, kedge_error *err)
{
    return k->held > 0 ? rowsink_send(k, err) : KEDGE_OK;
}

void rowsink_free(rowsink *k)
{
    store_rows_free(&k->frame);
    mem_free(k->values);
    k->values = NULL;
}

/* Modulo 2^64: that sums are in range means that the whole row is. */
kedge_status rowflow_add(int64_t *to, const int64_t *row, size_t width,
                         kedge_error *err)
{
    if (row[0] < 0 || row[0] >= SUM_LIMIT || to[0] >= SUM_LIMIT - row[0])
        return kedge_fail(err, KEDGE_ENUMERIC,
                          "a word occurs in too many documents for the "
                          "sketch's 64-bit sums");
    for (size_t i = 0; i <= width; i++)
        to[i] = (int64_t)((uint64_t)to[i] + (uint64_t)row[i]);
    return KEDGE_OK;
}
