/* SPDX-License-Identifier: MIT */
/*
 * In the i-th step, each rank sends the i-th piece of its rows to every other
 * one, as zeros where it has none, and gets what they have of the i-th piece of
 * its own. To the rank next to itself first, so that no one is sent to by all
 * at once. With N rows of L columns and P ranks that have rows, each sends
 * N (1 - 1/P) (1 + L) 8 bytes, or N (1 + L) 8 where it has none.
 */
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"
#include "base/run.h"
#include "linalg/tall.h"
#include "ops/ranks/ranks.h"

#define PIECE 256 /* rows that travel together */

typedef struct rowsum {
    const rowsum_input *in;
    size_t stride;      /* integers of a row, its sum first */
    row_reader *to;     /* the store's rows on their way, by rank */
    store_rows scratch; /* of all these */
    int64_t *sums, *out, *got; /* PIECE rows each */
    sketch *made;
} rowsum;

/* The rows of a rank: none, where it is no holder. */
static tall_part rows_of(const rowsum_input *in, unsigned rank)
{
    return rank < in->holders ? tall_of(in->rows, rank, in->holders)
                              : (tall_part){.rows = in->rows};
}

/* Rows of a rank's piece; 0 where it has no such piece. */
static size_t piece_rows(const tall_part *own, size_t piece)
{
    const size_t at = piece * PIECE;

    if (at >= own->count)
        return 0;
    return own->count - at < PIECE ? own->count - at : PIECE;
}

/* A piece of the rows of a rank, which the own store may have some of. */
static kedge_status read_piece(rowsum *s, unsigned rank, size_t piece,
                               int64_t *out, kedge_error *err)
{
    const tall_part theirs = rows_of(s->in, rank);
    const size_t count = piece_rows(&theirs, piece);
    const size_t bytes = s->stride * sizeof *out;
    int64_t *row;

    memset(out, 0, count * bytes);
    for (size_t i = 0; i < count; i++) {
        const uint32_t place = s->in->place[theirs.from + piece * PIECE + i];
        if (place == ROWSUM_NONE)
            continue;
        PASS(row_reader_get(&s->to[rank], place, &row, err));
        memcpy(out + i * s->stride, row, bytes);
    }
    return KEDGE_OK;
}

/* One piece of everybody's. */
static kedge_status add_piece(rowsum *s, size_t piece, statistic_sum *total,
                              kedge_error *err)
{
    communicator *const comm = s->in->comm;
    const unsigned rank = comm->rank, size = comm->size;
    const tall_part own = rows_of(s->in, rank);
    const size_t bytes = s->stride * sizeof *s->sums;
    const size_t mine = piece_rows(&own, piece);

    PASS(read_piece(s, rank, piece, s->sums, err));
    for (unsigned step = 1; step < size; step++) {
        const unsigned to = (rank + step) % size;
        const unsigned from = (rank + size - step) % size;
        const tall_part other = rows_of(s->in, to);
        PASS(read_piece(s, to, piece, s->out, err));
        comm_sendrecv(comm, s->out, piece_rows(&other, piece) * bytes, to,
                      s->got, mine * bytes, from);
        for (size_t i = 0; i < mine; i++)
            PASS(row_add(s->sums + i * s->stride, s->got + i * s->stride,
                         s->stride - 1, err));
    }
    for (size_t i = 0; i < mine; i++) {
        sketch_set_row(s->made, piece * PIECE + i, s->sums + i * s->stride);
        statistic_add(total, s->sums[i * s->stride]);
    }
    return KEDGE_OK;
}

static kedge_status add_pieces(rowsum *s, statistic_sum *total,
                               kedge_error *err)
{
    size_t pieces = 0;
    stage progress;

    for (unsigned r = 0; r < s->in->holders; r++) {
        const size_t rows = rows_of(s->in, r).count;
        if ((rows + PIECE - 1) / PIECE > pieces)
            pieces = (rows + PIECE - 1) / PIECE;
    }
    progress = stage_begin(s->in->control, "adding up", pieces, "pieces");
    for (size_t i = 0; i < pieces; i++) {
        PASS(add_piece(s, i, total, err));
        PASS(stage_reach(&progress, i + 1, err));
    }
    return KEDGE_OK;
}

/* Rows for the own words, all zero. */
static kedge_status make_rows(rowsum *s, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const rowsum_input *const in = s->in;
    const tall_part own = rows_of(in, in->comm->rank);
    words mine = {0};

    for (size_t i = own.from; i < own.from + own.count; i++)
        if (!words_add(&mine, words_get(in->list, in->order[i]),
                       words_size(in->list, in->order[i])))
            TRY_MEM(NULL);
    TRY(sketch_create(&(sketch_opts){.width = s->stride - 1,
                                     .seed = in->index->seed, .threads = 1,
                                     .spill = in->spill},
                      &s->made, err));
    TRY(sketch_add_words(s->made, &mine, err));
out:
    words_free(&mine);
    return st;
}

static void add_total(void *data, void *value)
{
    const statistic_sum *const own = data;
    statistic_sum *const sum = value;

    sum->high += own->high;
    sum->low += own->low;
}

kedge_status rowsum_make(const rowsum_input *in, sketch **out,
                         statistic_sum *total, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    rowsum s = {.in = in, .stride = 1 + in->index->width};
    statistic_sum mine = {0};
    store_txn *txn = NULL;

    *out = NULL;
    *total = (statistic_sum){0};
    TRY_MEM(s.to = mem_new(in->comm->size, sizeof *s.to));
    for (unsigned r = 0; r < in->comm->size; r++)
        s.to[r] = (row_reader){.rows = in->index->words,
                               .width = in->index->width, .txn = &txn,
                               .number = in->index->rows,
                               .shared = &s.scratch};
    TRY_MEM(s.sums = mem_new2(PIECE, s.stride, sizeof *s.sums));
    TRY_MEM(s.out = mem_new2(PIECE, s.stride, sizeof *s.out));
    TRY_MEM(s.got = mem_new2(PIECE, s.stride, sizeof *s.got));
    TRY(make_rows(&s, err));
    TRY(store_begin_read(in->own, &txn, err));
    TRY(add_pieces(&s, &mine, err));
    comm_reduce(in->comm, total, sizeof *total, add_total, &mine);
    *out = s.made;
    s.made = NULL;
out:
    store_abort(&txn);
    for (unsigned r = 0; s.to != NULL && r < in->comm->size; r++)
        row_reader_free(&s.to[r]);
    mem_free(s.to);
    store_rows_free(&s.scratch);
    mem_free(s.sums);
    mem_free(s.out);
    mem_free(s.got);
    sketch_free(s.made);
    return st;
}
