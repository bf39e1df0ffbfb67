/* SPDX-License-Identifier: MIT */
/*
 * Turns: in the i-th, each process sends the i-th piece of its rows to every
 * other one, as zeros where it has none, and gets what they have of the i-th
 * piece of its own. To whom next to itself first, so that no one is sent to by
 * all at once. With N rows of L columns and P processes that have rows, each
 * sends N (1 - 1/P) (1 + L) 8 bytes, or N (1 + L) 8 where it has none.
 */
#include "pipeline/team/dealing.h"

#include <string.h>

#include "base/fail.h"
#include "base/mem.h"
#include "base/run.h"
#include "linalg/tall.h"
#include "pipeline/parts/rowflow.h"

#define PIECE 256 /* rows that travel together */
#define RELEASED 8 /* pieces, after which a mapped file's pages go */

/* The store's rows on their way to one process: its chunk at hand. */
typedef struct cursor {
    size_t chunk; /* SIZE_MAX: none */
    int64_t *values;
} cursor;

typedef struct dealing {
    const dealing_input *in;
    store_txn *txn;     /* that rows are read in */
    size_t stride;      /* integers of a row, its sum first */
    cursor *at;         /* by process */
    int64_t *out, *got; /* PIECE rows each */
    store_rows scratch;
    sketch *sums;
} dealing;

static void dealing_free(dealing *d)
{
    for (unsigned r = 0; d->at != NULL && r < d->in->t->size; r++)
        mem_free(d->at[r].values);
    mem_free(d->at);
    mem_free(d->out);
    mem_free(d->got);
    store_rows_free(&d->scratch);
    sketch_free(d->sums);
}

/* Rows for these words, all zero. */
static kedge_status dealing_begin(dealing *d, const tall_part *own,
                                  kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const dealing_input *const in = d->in;
    words mine = {0};

    TRY_MEM(d->at = mem_new(in->t->size, sizeof *d->at));
    TRY_MEM(d->out = mem_new2(PIECE, d->stride, sizeof *d->out));
    TRY_MEM(d->got = mem_new2(PIECE, d->stride, sizeof *d->got));
    for (unsigned r = 0; r < in->t->size; r++)
        d->at[r].chunk = SIZE_MAX;
    for (size_t i = own->from; i < own->from + own->count; i++)
        if (!words_add(&mine, words_get(in->list, in->order[i]),
                       words_size(in->list, in->order[i])))
            TRY_MEM(NULL);
    TRY(sketch_create(&(sketch_opts){.width = d->stride - 1,
                                     .seed = in->view->seed, .threads = 1,
                                     .spill = in->spill},
                      &d->sums, err));
    TRY(sketch_add_words(d->sums, &mine, err));
out:
    words_free(&mine);
    return st;
}

/* ---- rows that are here ------------------------------------------------- */

static kedge_status cursor_seek(dealing *d, cursor *c, size_t chunk,
                                kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const store_view *const v = d->in->view;
    const size_t left = v->words - chunk * STORE_CHUNK_ROWS;
    const uint8_t *bytes;
    size_t size;

    if (c->chunk == chunk)
        return KEDGE_OK;
    if (c->values == NULL)
        TRY_MEM(c->values = mem_new2(STORE_CHUNK_ROWS, d->stride,
                                     sizeof *c->values));
    TRY(store_get_rows(d->txn, v->rows, chunk, &bytes, &size, err));
    TRY(store_rows_decode(&d->scratch, bytes, size,
                          left < STORE_CHUNK_ROWS ? left : STORE_CHUNK_ROWS,
                          d->stride - 1, c->values, err));
    c->chunk = chunk;
out:
    return st;
}

/* Rows from .. from+count-1 of all, as far as they are here. */
static kedge_status dealing_look(dealing *d, cursor *c, size_t from,
                                 size_t count, int64_t *out, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const size_t row = d->stride * sizeof *out;

    memset(out, 0, count * row);
    for (size_t i = 0; i < count; i++) {
        const size_t place = d->in->place[from + i];
        if (place == DEALING_NONE)
            continue;
        TRY(cursor_seek(d, c, place / STORE_CHUNK_ROWS, err));
        memcpy(out + i * d->stride,
               c->values + place % STORE_CHUNK_ROWS * d->stride, row);
    }
out:
    return st;
}

/* ---- sums ---------------------------------------------------------------- */

static kedge_status add_rows(const dealing *d, int64_t *to,
                             const int64_t *rows, size_t count,
                             kedge_error *err)
{
    kedge_status st = KEDGE_OK;

    for (size_t i = 0; i < count; i++)
        TRY(rowflow_add(to + i * d->stride, rows + i * d->stride,
                        d->stride - 1, err));
out:
    return st;
}

/* What a process has: nothing, where it is none of the holders. */
static tall_part part_of(const dealing_input *in, unsigned rank)
{
    return rank < in->holders ? tall_of(in->rows, rank, in->holders)
                              : (tall_part){.rows = in->rows};
}

/* Rows of a process's piece; 0 where it has no such piece. */
static size_t piece_rows(const tall_part *part, size_t piece)
{
    const size_t at = piece * PIECE;

    if (at >= part->count)
        return 0;
    return part->count - at < PIECE ? part->count - at : PIECE;
}

/* One piece of everybody's. */
static kedge_status dealing_turn(dealing *d, const tall_part *own,
                                 size_t piece, int64_t *sums, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const dealing_input *const in = d->in;
    const unsigned rank = in->t->rank, size = in->t->size;
    const size_t row = d->stride * sizeof *sums, mine = piece_rows(own, piece);

    TRY(dealing_look(d, &d->at[rank], own->from + piece * PIECE, mine, sums,
                     err));
    for (unsigned s = 1; s < size; s++) {
        const unsigned to = (rank + s) % size, from = (rank + size - s) % size;
        const tall_part other = part_of(in, to);
        const size_t theirs = piece_rows(&other, piece);
        TRY(dealing_look(d, &d->at[to], other.from + piece * PIECE, theirs,
                         d->out, err));
        team_trade(in->t, d->out, theirs * row, to, d->got, mine * row, from);
        TRY(add_rows(d, sums, d->got, mine, err));
    }
    for (size_t i = 0; i < mine; i++)
        sketch_set_row(d->sums, piece * PIECE + i, sums + i * d->stride);
out:
    return st;
}

static size_t most_pieces(const dealing_input *in)
{
    size_t most = 0;

    for (unsigned r = 0; r < in->holders; r++) {
        const size_t count = part_of(in, r).count;
        most = count > most ? count : most;
    }
    return (most + PIECE - 1) / PIECE;
}

static kedge_status dealing_turns(dealing *d, const tall_part *own,
                                  statistic_sum *total, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const size_t pieces = most_pieces(d->in);
    const stage told =
        stage_begin(d->in->control, "adding up", pieces, "pieces");
    int64_t *sums = NULL;

    TRY_MEM(sums = mem_new2(PIECE, d->stride, sizeof *sums));
    for (size_t i = 0; i < pieces; i++) {
        TRY(dealing_turn(d, own, i, sums, err));
        for (size_t r = 0; r < piece_rows(own, i); r++)
            statistic_add(total, sums[r * d->stride]);
        if (i % RELEASED == RELEASED - 1)
            sketch_release(d->sums);
        TRY(stage_reach(&told, i + 1, err));
    }
out:
    mem_free(sums);
    return st;
}

static void add_total(void *data, void *value)
{
    const statistic_sum *const own = data;
    statistic_sum *const sum = value;

    sum->high += own->high;
    sum->low += own->low;
}

kedge_status dealing_run(const dealing_input *in, sketch **out,
                         statistic_sum *total, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const tall_part own = part_of(in, in->t->rank);
    dealing d = {.in = in, .stride = 1 + in->view->width};
    statistic_sum mine = {0};

    *out = NULL;
    *total = (statistic_sum){0};
    TRY(dealing_begin(&d, &own, err));
    TRY(store_begin_read(in->own, &d.txn, err));
    TRY(dealing_turns(&d, &own, &mine, err));
    team_fold(in->t, total, sizeof *total, add_total, &mine);
    sketch_release(d.sums);
    *out = d.sums;
    d.sums = NULL;
out:
    store_abort(&d.txn);
    dealing_free(&d);
    return st;
}
