/* SPDX-License-Identifier: MIT */
/*
 * Tiles of TILE rows against I: a single-precision product finds the entries
 * (their values need not be better than the sketch's sampling error, by far),
 * and what is kept is a column in I and a float, six bytes an entry.
 *
 * Applied to X, a tile gathers from the rows X_I and scatters into the rows
 * out_I, both in single precision and small enough for the L2 cache. Scattered
 * sums of FLUSH tiles at most go to one copy of out_I, in double precision, for
 * each of TALL_GROUPS groups of tiles, added up in order at the end: the result
 * does not depend on who did what.
 */
#include "rectify/negatives.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/clones.h"
#include "base/compare.h"
#include "base/fail.h"
#include "base/mem.h"
#include "linalg/blas.h"
#include "linalg/tall.h"

#define TILE 128
#define FLUSH 64
#define NOT_PICKED UINT32_MAX
#define ENTRY_BYTES (sizeof(float) + sizeof(uint16_t))

/* Sixteen numbers; a stripe of columns is some of them, held in registers while
 * a row's entries are walked through. */
typedef float lane __attribute__((vector_size(64), aligned(4)));

#define LANE 16
#define STRIPE (4 * LANE)
#define PADDED(k) (((k) + LANE - 1) / LANE * LANE)

/* Row r of the tile has entries start[r] .. start[r + 1] - 1. */
typedef struct tile_entries {
    uint32_t start[TILE + 1];
    uint16_t *column; /* place in I */
    float *value;
} tile_entries;

typedef struct tile {
    bool kept;
    size_t capacity;
    tile_entries e;
    double sum;     /* Σ of its entries, mirror images included */
    uint64_t count; /* entries */
} tile;

/* What a thread works with. */
typedef struct tile_scratch {
    float *product; /* TILE x picked */
    float *left;    /* TILE x k */
    tile_entries e; /* room for TILE x picked */
    float *mirror;  /* picked x PADDED(k): of tiles since the last flush */
} tile_scratch;

struct negatives {
    size_t rows, k, picked, tiles, share; /* share: entries a tile may keep */
    const double *y;
    uint32_t *pick;  /* I, by place */
    uint32_t *place; /* by row: place in I, or NOT_PICKED */
    double *norm;    /* by row */
    float *single;   /* Y_I */
    float *near;     /* X_I, rows padded with zeros to PADDED(k) */
    double *mirror;  /* TALL_GROUPS x picked x PADDED(k): for rows in I */
    double *cross;   /* k x k: Y'x */
    double *total;   /* k: e'x */
    tile *tile;
    unsigned threads;
    tile_scratch *scratch; /* by worker */
    atomic_bool failed;    /* a tile found no memory */
};

/* One call's arguments, for the tasks. */
typedef struct apply_job {
    negatives *e;
    const double *x;
    double *out;
    double shift;
} apply_job;

static size_t tile_rows(const negatives *e, size_t t)
{
    return e->rows - t * TILE < TILE ? e->rows - t * TILE : TILE;
}

static kedge_status scratch_create(negatives *e, kedge_error *err)
{
    kedge_status st = KEDGE_OK;

    TRY_MEM(e->scratch = mem_new(e->threads, sizeof *e->scratch));
    for (unsigned i = 0; i < e->threads; i++) {
        tile_scratch *s = &e->scratch[i];
        TRY_MEM(s->product = mem_new2(TILE, e->picked, sizeof(float)));
        TRY_MEM(s->left = mem_new2(TILE, e->k, sizeof(float)));
        TRY_MEM(s->e.column = mem_new2(TILE, e->picked, sizeof(uint16_t)));
        TRY_MEM(s->e.value = mem_new2(TILE, e->picked, sizeof(float)));
        TRY_MEM(s->mirror = mem_new2(e->picked, PADDED(e->k), sizeof(float)));
    }
out:
    return st;
}

kedge_status negatives_create(size_t rows, size_t k, size_t picked,
                              uint64_t budget, unsigned threads,
                              negatives **out, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    negatives *e = NULL;

    *out = NULL;
    if (picked > rows || picked > UINT16_MAX)
        return kedge_fail(err, KEDGE_EINVAL, "too many rows to look at: %zu",
                          picked);
    TRY_MEM(e = mem_new(1, sizeof *e));
    e->rows = rows;
    e->k = k;
    e->picked = picked;
    e->threads = threads;
    e->tiles = (rows + TILE - 1) / TILE;
    e->share = budget / ENTRY_BYTES / e->tiles;
    TRY_MEM(e->pick = mem_new(rows, sizeof *e->pick));
    TRY_MEM(e->place = mem_new(rows, sizeof *e->place));
    TRY_MEM(e->norm = mem_new(rows, sizeof *e->norm));
    TRY_MEM(e->single = mem_new2(picked, k, sizeof *e->single));
    TRY_MEM(e->near = mem_new2(picked, PADDED(k), sizeof *e->near));
    TRY_MEM(e->mirror =
                mem_new2(TALL_GROUPS, picked * PADDED(k), sizeof *e->mirror));
    TRY_MEM(e->cross = mem_new2(k, k, sizeof *e->cross));
    TRY_MEM(e->total = mem_new(k, sizeof *e->total));
    TRY_MEM(e->tile = mem_new(e->tiles, sizeof *e->tile));
    TRY(scratch_create(e, err));
    *out = e;
    e = NULL;
out:
    negatives_free(e);
    return st;
}

static void entries_free(tile_entries *e)
{
    mem_free(e->column);
    mem_free(e->value);
}

void negatives_free(negatives *e)
{
    if (e == NULL)
        return;
    for (size_t t = 0; e->tile != NULL && t < e->tiles; t++)
        entries_free(&e->tile[t].e);
    for (unsigned i = 0; e->scratch != NULL && i < e->threads; i++) {
        mem_free(e->scratch[i].product);
        mem_free(e->scratch[i].left);
        mem_free(e->scratch[i].mirror);
        entries_free(&e->scratch[i].e);
    }
    mem_free(e->scratch);
    mem_free(e->tile);
    mem_free(e->total);
    mem_free(e->cross);
    mem_free(e->mirror);
    mem_free(e->near);
    mem_free(e->single);
    mem_free(e->norm);
    mem_free(e->place);
    mem_free(e->pick);
    mem_free(e);
}

static void to_single(const double *from, size_t count, float *to)
{
    for (size_t i = 0; i < count; i++)
        to[i] = (float)from[i];
}

static int compare_norms(const void *left, const void *right, void *data)
{
    const double *norm = data;
    const uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;

    if (norm[a] != norm[b])
        return norm[a] > norm[b] ? -1 : 1;
    return compare_numbers(a, b);
}

/* I: the rows of largest norm, ties to the first. */
static void negatives_pick(negatives *e)
{
    for (size_t i = 0; i < e->rows; i++) {
        e->norm[i] = 0;
        for (size_t c = 0; c < e->k; c++)
            e->norm[i] += e->y[i * e->k + c] * e->y[i * e->k + c];
        e->pick[i] = (uint32_t)i;
        e->place[i] = NOT_PICKED;
    }
    qsort_r(e->pick, e->rows, sizeof *e->pick, compare_norms, e->norm);
    for (size_t a = 0; a < e->picked; a++) {
        e->place[e->pick[a]] = (uint32_t)a;
        to_single(e->y + e->pick[a] * e->k, e->k, e->single + a * e->k);
    }
}

/* Entries of one row: the negative products, without a branch for each. */
static uint32_t find_row(const float *product, size_t picked, uint32_t at,
                         tile_entries *e)
{
    for (size_t a = 0; a < picked; a++) {
        e->column[at] = (uint16_t)a;
        e->value[at] = -product[a];
        at += product[a] < 0;
    }
    return at;
}

/* All entries of a tile, into the thread's scratch. The row's last candidate
 * may be written one past the kept ones; start[] says what counts. */
static void find_tile(const negatives *e, size_t t, tile_scratch *s)
{
    const size_t n = tile_rows(e, t);
    const double *y = e->y + t * TILE * e->k;
    uint32_t at = 0;

    to_single(y, n * e->k, s->left);
    blas_gemm_single(false, true, n, e->picked, e->k, 1, s->left, e->k,
                     e->single, e->k, 0, s->product, e->picked);
    for (size_t r = 0; r < n; r++) {
        s->e.start[r] = at;
        at = find_row(s->product + r * e->picked, e->picked, at, &s->e);
    }
    s->e.start[n] = at;
}

static double sum_tile(const negatives *e, size_t t, const tile_entries *from)
{
    double sum = 0;

    for (size_t r = 0; r < tile_rows(e, t); r++) {
        double row = 0;
        for (uint32_t k = from->start[r]; k < from->start[r + 1]; k++)
            row += from->value[k];
        sum += e->place[t * TILE + r] == NOT_PICKED ? 2 * row : row;
    }
    return sum;
}

static bool keep_tile(tile *t, const tile_entries *from, size_t count)
{
    size_t columns = t->capacity, values = t->capacity;

    if (!mem_grow((void **)&t->e.column, &columns, count, sizeof(uint16_t)) ||
        !mem_grow((void **)&t->e.value, &values, count, sizeof(float)))
        return false;
    t->capacity = values;
    memcpy(t->e.start, from->start, sizeof from->start);
    if (count > 0) { /* else there may be no arrays yet */
        memcpy(t->e.column, from->column, count * sizeof(uint16_t));
        memcpy(t->e.value, from->value, count * sizeof(float));
    }
    return true;
}

static void find_task(void *data, size_t t, unsigned worker)
{
    negatives *e = data;
    tile_scratch *s = &e->scratch[worker];
    tile *into = &e->tile[t];

    find_tile(e, t, s);
    into->count = s->e.start[tile_rows(e, t)];
    into->sum = sum_tile(e, t, &s->e);
    into->kept = into->count <= e->share;
    if (into->kept && !keep_tile(into, &s->e, into->count))
        e->failed = true;
}

kedge_status negatives_find(negatives *e, pool *p, const double *y,
                            kedge_error *err)
{
    e->y = y;
    e->failed = false;
    negatives_pick(e);
    pool_run(p, e->tiles, find_task, e);
    if (e->failed)
        return kedge_fail(err, KEDGE_ENOMEM, "out of memory (ENN)");
    return KEDGE_OK;
}

double negatives_sum(const negatives *e)
{
    double sum = 0;

    for (size_t t = 0; t < e->tiles; t++)
        sum += e->tile[t].sum;
    return sum;
}

double negatives_share(const negatives *e)
{
    double count = 0;

    for (size_t t = 0; t < e->tiles; t++)
        count += (double)e->tile[t].count;
    return count / (double)e->rows / (double)e->picked;
}

#define INLINE static inline __attribute__((always_inline))

/* One row's entries on a stripe: out_r += Σ value x_I. */
INLINE void gather_lanes(float *restrict out, const float *restrict near,
                         const uint16_t *restrict column,
                         const float *restrict value, size_t count,
                         size_t stride, size_t lanes)
{
    lane sum[4] = {{0}};

    for (size_t i = 0; i < count; i++) {
        const lane *row = (const lane *)(near + column[i] * stride);
        const float v = value[i];
#pragma GCC unroll 4
        for (size_t c = 0; c < lanes; c++)
            sum[c] += v * row[c];
    }
#pragma GCC unroll 4
    for (size_t c = 0; c < lanes; c++)
        ((lane *)out)[c] += sum[c];
}

/* The mirror image of the same: mirror_I += value x_r. */
INLINE void scatter_lanes(float *restrict mirror, const float *restrict x,
                          const uint16_t *restrict column,
                          const float *restrict value, size_t count,
                          size_t stride, size_t lanes)
{
    lane held[4] = {{0}};

#pragma GCC unroll 4
    for (size_t c = 0; c < lanes; c++)
        held[c] = ((const lane *)x)[c];
    for (size_t i = 0; i < count; i++) {
        lane *row = (lane *)(mirror + column[i] * stride);
        const float v = value[i];
#pragma GCC unroll 4
        for (size_t c = 0; c < lanes; c++)
            row[c] += v * held[c];
    }
}

KERNEL_CLONES
static void gather_stripe(float *restrict out, const float *restrict near,
                          const uint16_t *restrict column,
                          const float *restrict value, size_t count,
                          size_t stride, size_t width)
{
    if (width == 4 * LANE)
        gather_lanes(out, near, column, value, count, stride, 4);
    else if (width == 3 * LANE)
        gather_lanes(out, near, column, value, count, stride, 3);
    else if (width == 2 * LANE)
        gather_lanes(out, near, column, value, count, stride, 2);
    else
        gather_lanes(out, near, column, value, count, stride, 1);
}

KERNEL_CLONES
static void scatter_stripe(float *restrict mirror, const float *restrict x,
                           const uint16_t *restrict column,
                           const float *restrict value, size_t count,
                           size_t stride, size_t width)
{
    if (width == 4 * LANE)
        scatter_lanes(mirror, x, column, value, count, stride, 4);
    else if (width == 3 * LANE)
        scatter_lanes(mirror, x, column, value, count, stride, 3);
    else if (width == 2 * LANE)
        scatter_lanes(mirror, x, column, value, count, stride, 2);
    else
        scatter_lanes(mirror, x, column, value, count, stride, 1);
}

/* A tile's entries on the columns from `at` on. Stripes go over all its rows
 * before the next begins: X_I and the mirror's stripe then stay in the cache.
 * Rows of x and out are copied to and from a stripe's width, so that no loop
 * has a rest. */
static void apply_stripe(const apply_job *j, size_t t, const tile_entries *from,
                         float *mirror, size_t at)
{
    const negatives *e = j->e;
    const size_t k = e->k, stride = PADDED(k);
    const size_t width = stride - at < STRIPE ? stride - at : STRIPE;
    const size_t used = k - at < width ? k - at : width;
    float in[STRIPE] = {0}, out[STRIPE];

    for (size_t r = 0; r < tile_rows(e, t); r++) {
        const size_t row = t * TILE + r, first = from->start[r];
        const size_t count = from->start[r + 1] - first;
        const uint16_t *column = from->column + first;
        const float *value = from->value + first;
        double *const sums = j->out + row * k + at;

        memset(out, 0, sizeof out);
        gather_stripe(out, e->near + at, column, value, count, stride, width);
        for (size_t c = 0; c < used; c++)
            sums[c] += out[c];
        if (e->place[row] != NOT_PICKED)
            continue;
        to_single(j->x + row * k + at, used, in);
        scatter_stripe(mirror + at, in, column, value, count, stride, width);
    }
}

static void apply_tile(const apply_job *j, size_t t, tile_scratch *s)
{
    const negatives *e = j->e;
    const size_t k = e->k, n = tile_rows(e, t), first = t * TILE;
    const tile_entries *from = &e->tile[t].e;

    if (!e->tile[t].kept) {
        find_tile(e, t, s);
        from = &s->e;
    }
    blas_gemm(false, false, n, k, k, 1, e->y + first * k, k, e->cross, k, 0,
              j->out + first * k, k);
    for (size_t r = 0; r < n; r++)
        for (size_t c = 0; c < k; c++)
            j->out[(first + r) * k + c] += j->shift * e->total[c];
    for (size_t at = 0; at < k; at += STRIPE)
        apply_stripe(j, t, from, s->mirror, at);
}

/* What was scattered since the last time, to the group's. */
static void apply_flush(const negatives *e, float *from, double *to)
{
    const size_t size = e->picked * PADDED(e->k);

    for (size_t i = 0; i < size; i++)
        to[i] += from[i];
    memset(from, 0, size * sizeof *from);
}

static void apply_group(void *data, size_t group, unsigned worker)
{
    const apply_job *j = data;
    negatives *e = j->e;
    tile_scratch *const s = &e->scratch[worker];
    const size_t size = e->picked * PADDED(e->k);
    const size_t from = e->tiles * group / TALL_GROUPS;
    const size_t end = e->tiles * (group + 1) / TALL_GROUPS;
    double *const mirror = e->mirror + group * size;

    memset(mirror, 0, size * sizeof *mirror);
    for (size_t t = from; t < end; t++) {
        apply_tile(j, t, s);
        if ((t - from + 1) % FLUSH == 0 || t + 1 == end)
            apply_flush(e, s->mirror, mirror);
    }
}

static void negatives_totals(negatives *e, const double *x)
{
    memset(e->total, 0, e->k * sizeof *e->total);
    for (size_t i = 0; i < e->rows; i++)
        for (size_t c = 0; c < e->k; c++)
            e->total[c] += x[i * e->k + c];
}

kedge_status negatives_apply(negatives *e, pool *p, double shift,
                             const double *x, double *out, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const size_t k = e->k, stride = PADDED(k);
    apply_job j = {.e = e, .x = x, .out = out, .shift = shift};

    TRY(tall_cross(p, e->rows, e->y, k, x, k, e->cross, err));
    negatives_totals(e, x);
    for (size_t a = 0; a < e->picked; a++)
        to_single(x + e->pick[a] * k, k, e->near + a * stride);
    pool_run(p, TALL_GROUPS, apply_group, &j);
    for (size_t g = 0; g < TALL_GROUPS; g++)
        for (size_t a = 0; a < e->picked; a++)
            for (size_t c = 0; c < k; c++)
                out[e->pick[a] * k + c] +=
                    e->mirror[(g * e->picked + a) * stride + c];
out:
    return st;
}

uint64_t negatives_memusage(size_t rows, size_t k, size_t picked,
                            unsigned threads)
{
    const uint64_t by_row = 4 + 4 + 8;
    const uint64_t padded = k + LANE;
    const uint64_t by_place = (TALL_GROUPS * 8 + 2 * 4) * padded;
    const uint64_t by_thread =
        TILE * picked * (4 + ENTRY_BYTES) + picked * padded * 4;

    return rows * by_row + picked * by_place + threads * by_thread +
           (rows / TILE + 1) * sizeof(tile);
}
