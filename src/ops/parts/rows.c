/* SPDX-License-Identifier: MIT */
#include "ops/parts/parts.h"

#include <assert.h>
#include <inttypes.h>

#include "base/bytes.h"
#include "base/fail.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/run.h"
#include "cooccur/statistic.h"

#define SUM_LIMIT (INT64_C(1) << 62) /* as in a sketch */

static kedge_status read_chunk(row_reader *r, size_t chunk, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const size_t left = r->rows - chunk * STORE_CHUNK_ROWS;
    const size_t rows = left < STORE_CHUNK_ROWS ? left : STORE_CHUNK_ROWS;
    const uint8_t *bytes;
    size_t size;

    if (r->values == NULL)
        TRY_MEM(r->values = mem_new2(STORE_CHUNK_ROWS, 1 + r->width,
                                     sizeof *r->values));
    if (r->parcel != NULL) {
        assert(chunk == r->chunks);
        TRY(parcel_next_rows(r->parcel, rows, r->width, r->values, err));
    } else {
        TRY(store_get_rows(*r->txn, r->number, chunk, &bytes, &size, err));
        TRY(store_rows_decode(r->shared != NULL ? r->shared : &r->scratch,
                              bytes, size, rows, r->width, r->values, err));
    }
    r->chunks = chunk + 1;
out:
    return st;
}

kedge_status row_reader_get(row_reader *r, size_t row, int64_t **values,
                            kedge_error *err)
{
    const size_t chunk = row / STORE_CHUNK_ROWS;

    if (row >= r->rows)
        return kedge_fail(err, KEDGE_ECORRUPT,
                          "a sketch has more words than rows (%zu)", r->rows);
    if (chunk + 1 != r->chunks)
        PASS(read_chunk(r, chunk, err));
    *values = r->values + row % STORE_CHUNK_ROWS * (1 + r->width);
    r->at = row + 1;
    return KEDGE_OK;
}

kedge_status row_reader_next(row_reader *r, int64_t **values, kedge_error *err)
{
    return row_reader_get(r, r->at, values, err);
}

void row_reader_free(row_reader *r)
{
    store_rows_free(&r->scratch);
    mem_free(r->values);
    r->values = NULL;
}

static kedge_status write_chunk(row_writer *w, kedge_error *err)
{
    PASS(store_rows_encode(&w->frame, w->values, w->held, w->width, err));
    if (w->parcel != NULL) {
        PASS(parcel_put_rows(w->parcel, &w->frame, err));
    } else {
        PASS(store_put_rows(*w->txn, w->number, w->chunks, &w->frame, err));
        if ((w->chunks + 1) % ROW_WRITER_TOGETHER == 0) {
            PASS(store_commit(w->txn, err));
            PASS(store_begin_write(w->s, w->txn, err));
        }
    }
    w->chunks++;
    w->held = 0;
    return KEDGE_OK;
}

kedge_status row_writer_next(row_writer *w, int64_t **values, kedge_error *err)
{
    kedge_status st = KEDGE_OK;

    if (w->values == NULL)
        TRY_MEM(w->values = mem_new2(STORE_CHUNK_ROWS, 1 + w->width,
                                     sizeof *w->values));
    if (w->held == STORE_CHUNK_ROWS)
        TRY(write_chunk(w, err));
    *values = w->values + w->held++ * (1 + w->width);
out:
    return st;
}

kedge_status row_writer_end(row_writer *w, kedge_error *err)
{
    return w->held > 0 ? write_chunk(w, err) : KEDGE_OK;
}

void row_writer_free(row_writer *w)
{
    store_rows_free(&w->frame);
    mem_free(w->values);
    w->values = NULL;
}

/* Modulo 2^64: that sums are in range means that the whole row is. */
kedge_status row_add(int64_t *to, const int64_t *row, size_t width,
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

kedge_status rows_digest(store_txn *txn, const words *all,
                         const uint32_t *order, uint32_t number,
                         const store_index *v, const kedge_control *control,
                         uint64_t *digest, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const stage progress = stage_begin(control, "sketch", v->words, "rows");
    row_reader from = {.rows = v->words, .width = v->width, .txn = &txn,
                       .number = v->rows};
    statistic_sum sum = {0};
    uint8_t *held = NULL, *bytes = NULL;
    uint64_t count = 0, made = 0;
    int64_t *row;

    *digest = 0;
    if (!store_index_has_rows(v)) /* declared, but nothing was ever saved */
        return KEDGE_OK;
    TRY_MEM(held = mem_new(all->count, sizeof *held));
    TRY_MEM(bytes = mem_new2(1 + v->width, 8, 1));
    TRY(part_mark_rows(txn, number, v, all->count, 1, held, err));
    for (size_t id = 0; id < all->count; id++)
        count += held[id];
    if (count != v->words)
        TRY(kedge_fail(err, KEDGE_ECORRUPT,
                       "index %" PRIu32 " has %" PRIu64 " rows for %" PRIu64
                       " words", number, v->words, count));
    for (size_t r = 0; r < all->count; r++) {
        const uint32_t id = order[r];
        int64_t any = 0;
        if (!held[id])
            continue;
        TRY(row_reader_next(&from, &row, err));
        TRY(stage_reach(&progress, from.at, err));
        for (size_t l = 0; l <= v->width; l++) {
            any |= row[l];
            put_u64(bytes + 8 * l, (uint64_t)row[l]);
        }
        if (any == 0)
            continue;
        statistic_add(&sum, row[0]);
        made = hash_bytes(made, words_get(all, id), words_size(all, id));
        made = hash_bytes(made, bytes, 8 * (1 + v->width));
    }
    if (statistic_damped(v->statistic) && statistic_total(&sum) != v->total)
        TRY(kedge_fail(err, KEDGE_ECORRUPT,
                       "the rows of index %" PRIu32 " sum to %g, not to %g",
                       number, statistic_total(&sum), v->total));
    *digest = made;
out:
    row_reader_free(&from);
    mem_free(bytes);
    mem_free(held);
    return st;
}
