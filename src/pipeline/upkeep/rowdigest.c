/* SPDX-License-Identifier: MIT */
#include "pipeline/upkeep/rowdigest.h"

#include "base/bytes.h"
#include "base/fail.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/run.h"
#include "sketch/statistic.h"

/* One on its way. */
typedef struct walk {
    const rowdigest *r;
    const store_view *v;
    uint32_t *id;     /* of each row's word */
    int64_t *values;  /* of a chunk; and after it a row's bytes */
    store_rows scratch;
    uint64_t digest;
    statistic_sum sum;
} walk;

/* The view's words, in the order of its rows. */
static kedge_status walk_order(walk *w, uint32_t number, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const words *const all = w->r->all;
    store_list list = {0};
    bool *held = NULL;
    size_t rows = 0;

    TRY_MEM(held = mem_new(all->count, sizeof *held));
    if (w->v->listed)
        TRY(store_get_list(w->r->txn, number, &list, err));
    for (size_t i = 0; i < list.count; i++)
        if (list.ids[i] < all->count)
            held[list.ids[i]] = true;
    for (size_t id = 0; !w->v->listed && id < all->count; id++)
        held[id] = id < w->v->words;
    TRY_MEM(w->id = mem_new(all->count, sizeof *w->id));
    for (size_t k = 0; k < all->count; k++)
        if (held[w->r->order[k]])
            w->id[rows++] = w->r->order[k];
    if (rows != w->v->words)
        st = kedge_fail(err, KEDGE_ECORRUPT,
                        "view %u has %llu rows for %zu words", number,
                        (unsigned long long)w->v->words, rows);
out:
    store_list_free(&list);
    mem_free(held);
    return st;
}

static void walk_row(walk *w, uint32_t id, const int64_t *row)
{
    const words *const all = w->r->all;
    const size_t stride = 1 + w->v->width;
    uint8_t *const bytes = (uint8_t *)(w->values + STORE_CHUNK_ROWS * stride);
    int64_t any = 0;

    for (size_t l = 0; l < stride; l++) {
        any |= row[l];
        put_u64(bytes + 8 * l, (uint64_t)row[l]);
    }
    if (any == 0)
        return;
    statistic_add(&w->sum, row[0]);
    w->digest =
        hash_bytes(w->digest, words_get(all, id), words_size(all, id));
    w->digest = hash_bytes(w->digest, bytes, 8 * stride);
}

static kedge_status walk_chunk(walk *w, size_t chunk, size_t rows,
                               kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const size_t first = chunk * STORE_CHUNK_ROWS;
    const uint8_t *bytes;
    size_t size;

    TRY(store_get_rows(w->r->txn, w->v->rows, chunk, &bytes, &size, err));
    TRY(store_rows_decode(&w->scratch, bytes, size, rows, w->v->width,
                          w->values, err));
    for (size_t i = 0; i < rows; i++)
        walk_row(w, w->id[first + i], w->values + i * (1 + w->v->width));
out:
    return st;
}

kedge_status rowdigest_make(const rowdigest *r, uint32_t number,
                            const store_view *v, uint64_t *digest,
                            kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const stage told = stage_begin(r->control, "sketch", v->words, "rows");
    walk w = {.r = r, .v = v};

    *digest = 0;
    if (!store_view_has_rows(v)) /* declared, but nothing was ever saved */
        return KEDGE_OK;
    TRY(walk_order(&w, number, err));
    TRY_MEM(w.values = mem_new2(STORE_CHUNK_ROWS + 1, 1 + v->width,
                                sizeof *w.values));
    for (size_t c = 0; c * STORE_CHUNK_ROWS < v->words; c++) {
        const size_t left = v->words - c * STORE_CHUNK_ROWS;
        const size_t rows = left < STORE_CHUNK_ROWS ? left : STORE_CHUNK_ROWS;
        TRY(walk_chunk(&w, c, rows, err));
        TRY(stage_reach(&told, c * STORE_CHUNK_ROWS + rows, err));
    }
    if (statistic_damped(v->statistic) && statistic_total(&w.sum) != v->total)
        TRY(kedge_fail(err, KEDGE_ECORRUPT,
                       "the rows of view %u add up to %g, not to %g", number,
                       statistic_total(&w.sum), v->total));
    *digest = w.digest;
out:
    store_rows_free(&w.scratch);
    mem_free(w.values);
    mem_free(w.id);
    return st;
}
