/* SPDX-License-Identifier: MIT */
/*
 * Tiles of TILE rows of a group against I: a single-precision product finds the
 * entries (their values need not be better than the sketch's sampling error, by
 * far), and what is kept is a column in I and a float, six bytes an entry.
 *
 * Applied to X, a tile gathers from the rows X_I and scatters into the rows
 * out_I, both in single precision and small enough for the L2 cache. Scattered
 * sums of FLUSH tiles at most go to one copy of out_I, in double precision, for
 * each of TALL_GROUPS groups of tiles, added up in order at the end: the result
 * does not depend on who did what.
 */
#include "rectify/negatives.h"

#include <float.h>
#include <math.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/clones.h"
#include "base/fail.h"
#include "base/mem.h"
#include "linalg/blas.h"
#include "linalg/tall.h"

#define TILE NEGATIVES_TILE
#define FLUSH 64
#define NOT_PICKED UINT32_MAX

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

/* Of entries and their squares, mirror images included; how many there are. */
typedef struct tile_sums {
    double sum, square, count;
} tile_sums;

typedef struct tile {
    size_t from, rows; /* of the own rows */
    bool kept;
    tile_entries e;
    tile_sums sums;
} tile;

/* What a thread works with. */
typedef struct tile_scratch {
    float *product; /* TILE x picked */
    float *left;    /* TILE x k */
    tile_entries e; /* room for TILE x picked */
    float *mirror;  /* picked x PADDED(k): of tiles since the last flush */
} tile_scratch;

/* A row and its squared length. */
typedef struct candidate {
    double norm;
    uint64_t row;
} candidate;

struct negatives {
    pool *p;
    tall_part own; /* of the rows: those of all that has a value by row */
    size_t k, picked, tiles;
    size_t room;         /* for entries of tiles that are kept, */
    atomic_size_t taken; /* and what of it these take */
    size_t *begin;   /* by own group: its first tile; one more at the end */
    const double *y;
    candidate *pick; /* I, by place */
    candidate *merged; /* scratch for them */
    candidate *longest; /* own rows, the longest first */
    uint32_t *place; /* by row: place in I, or NOT_PICKED */
    float *single;   /* Y_I */
    float *near;     /* X_I, rows padded with zeros to PADDED(k) */
    double *mirror;  /* own groups x picked x PADDED(k): for rows in I */
    double *images;  /* picked x PADDED(k): all of these */
    double *cross;   /* k x k: Y'x */
    double *total;   /* k: e'x */
    tile *tile;
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

kedge_status negatives_create(pool *p, size_t rows, size_t k, size_t picked,
                              uint64_t budget, negatives **out,
                              kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const tall_part own = tall_own(p, rows);
    const size_t groups = own.end - own.first, padded = PADDED(k);
    negatives *e = NULL;

    *out = NULL;
    if (picked > rows || picked > UINT16_MAX)
        return kedge_fail(err, KEDGE_EINVAL, "too many rows to look at: %zu",
                          picked);
    TRY_MEM(e = mem_new(1, sizeof *e));
    e->p = p;
    e->own = own;
    e->k = k;
    e->picked = picked;
    e->tiles = tall_tiles(&own, TILE);
    TRY_MEM(e->begin = mem_new(groups + 1, sizeof *e->begin));
    TRY_MEM(e->tile = mem_new(e->tiles, sizeof *e->tile));
    for (size_t t = 0; t < e->tiles; t++)
        e->tile[t].from = tall_tile(&own, TILE, t, &e->tile[t].rows);
    /* no tile has rows of two groups: whose they are does not change them */
    for (size_t g = 0, t = 0; g <= groups; g++) {
        while (t < e->tiles &&
               e->tile[t].from < tall_at(&own, own.first + g))
            t++;
        e->begin[g] = t;
    }
    e->room = budget / NEGATIVES_ENTRY;
    TRY_MEM(e->pick = mem_new(picked, sizeof *e->pick));
    TRY_MEM(e->merged = mem_new(picked, sizeof *e->merged));
    TRY_MEM(e->longest = mem_new(own.count, sizeof *e->longest));
    TRY_MEM(e->place = mem_new(own.count, sizeof *e->place));
    TRY_MEM(e->single = mem_new2(picked, k, sizeof *e->single));
    TRY_MEM(e->near = mem_new2(picked, padded, sizeof *e->near));
    TRY_MEM(e->mirror = mem_new2(groups, picked * padded, sizeof *e->mirror));
    TRY_MEM(e->images = mem_new2(picked, padded, sizeof *e->images));
    TRY_MEM(e->cross = mem_new2(k, k, sizeof *e->cross));
    TRY_MEM(e->total = mem_new(k, sizeof *e->total));
    TRY_MEM(e->scratch = mem_new(pool_threads(p), sizeof *e->scratch));
    for (unsigned i = 0; i < pool_threads(p); i++) {
        tile_scratch *s = &e->scratch[i];
        TRY_MEM(s->product = mem_new2(TILE, picked, sizeof(float)));
        TRY_MEM(s->left = mem_new2(TILE, k, sizeof(float)));
        TRY_MEM(s->e.column = mem_new2(TILE, picked, sizeof(uint16_t)));
        TRY_MEM(s->e.value = mem_new2(TILE, picked, sizeof(float)));
        TRY_MEM(s->mirror = mem_new2(picked, padded, sizeof(float)));
    }
    *out = e;
    e = NULL;
out:
    negatives_free(e);
    return st;
}

void negatives_free(negatives *e)
{
    if (e == NULL)
        return;
    for (size_t t = 0; e->tile != NULL && t < e->tiles; t++)
        mem_free_all(e->tile[t].e.column, e->tile[t].e.value);
    for (unsigned i = 0; e->scratch != NULL && i < pool_threads(e->p); i++) {
        const tile_scratch *const s = &e->scratch[i];
        mem_free_all(s->product, s->left, s->mirror, s->e.column, s->e.value);
    }
    mem_free_all(e->scratch, e->begin, e->tile, e->total, e->cross, e->images,
                 e->mirror, e->near, e->single, e->place, e->longest,
                 e->merged, e->pick, e);
}

static void to_single(const double *from, size_t count, float *to)
{
    for (size_t i = 0; i < count; i++)
        to[i] = (float)from[i];
}

static bool is_longer(const candidate *a, const candidate *b)
{
    return a->norm != b->norm ? a->norm > b->norm : a->row < b->row;
}

static int compare_candidates(const void *left, const void *right)
{
    return is_longer(left, right) ? -1 : 1;
}

/* Of those that others found and the own ones: as many as I has. A norm below
 * zero is none. */
static void pick_merge(void *data, void *value)
{
    negatives *const e = data;
    const candidate *theirs = value, *own = e->longest;
    const candidate *const end = own + e->own.count;

    for (size_t a = 0; a < e->picked; a++)
        e->merged[a] = own == end || is_longer(theirs, own) ? *theirs++
                                                            : *own++;
    memcpy(value, e->merged, e->picked * sizeof *e->merged);
}

/* Whether the a-th of I is an own row: which of them. */
static bool is_own(const negatives *e, size_t a, size_t *row)
{
    *row = (size_t)(e->pick[a].row - e->own.from);
    return e->pick[a].row >= e->own.from && *row < e->own.count;
}

/* Y_I: the own rows of it. */
static void pick_rows(void *data, void *value)
{
    const negatives *const e = data;
    float *const single = value;
    size_t row;

    for (size_t a = 0; a < e->picked; a++)
        if (is_own(e, a, &row))
            to_single(e->y + row * e->k, e->k, single + a * e->k);
}

/* I: the rows of largest norm, ties to the first. */
static void negatives_pick(negatives *e)
{
    communicator *const t = pool_comm(e->p);
    size_t row;

    for (size_t i = 0; i < e->own.count; i++) {
        e->longest[i] = (candidate){0, e->own.from + i};
        for (size_t c = 0; c < e->k; c++)
            e->longest[i].norm += e->y[i * e->k + c] * e->y[i * e->k + c];
        e->place[i] = NOT_PICKED;
    }
    qsort(e->longest, e->own.count, sizeof *e->longest, compare_candidates);
    for (size_t a = 0; a < e->picked; a++)
        e->pick[a] = (candidate){-1, UINT64_MAX};
    comm_reduce(t, e->pick, e->picked * sizeof *e->pick, pick_merge, e);
    for (size_t a = 0; a < e->picked; a++)
        if (is_own(e, a, &row))
            e->place[row] = (uint32_t)a;
    comm_reduce(t, e->single, e->picked * e->k * sizeof *e->single, pick_rows,
                e);
}

/* All entries of a tile, into the thread's scratch: the negative products,
 * without a branch for each. The row's last candidate may be written one past
 * the kept ones; start[] says what counts. */
static void find_tile(const negatives *e, size_t t, tile_scratch *s)
{
    const size_t n = e->tile[t].rows;
    const double *y = e->y + e->tile[t].from * e->k;
    uint32_t at = 0;

    to_single(y, n * e->k, s->left);
    blas_gemm_single(false, true, n, e->picked, e->k, 1, s->left, e->k,
                     e->single, e->k, 0, s->product, e->picked);
    for (size_t r = 0; r < n; r++) {
        const float *const product = s->product + r * e->picked;
        s->e.start[r] = at;
        for (size_t a = 0; a < e->picked; a++) {
            s->e.column[at] = (uint16_t)a;
            s->e.value[at] = -product[a];
            at += product[a] < 0;
        }
    }
    s->e.start[n] = at;
}

static void sum_tile(const negatives *e, tile *t, const tile_entries *from)
{
    t->sums = (tile_sums){.count = from->start[t->rows]};
    for (size_t r = 0; r < t->rows; r++) {
        const int images = e->place[t->from + r] == NOT_PICKED ? 2 : 1;
        double row = 0, square = 0;
        for (uint32_t k = from->start[r]; k < from->start[r + 1]; k++) {
            row += from->value[k];
            square += (double)from->value[k] * from->value[k];
        }
        t->sums.sum += images * row;
        t->sums.square += images * square;
    }
}

/* In arrays of just that size: what they take is what was planned. */
static bool keep_tile(tile *t, const tile_entries *from, size_t count)
{
    t->e.column = mem_new(count, sizeof(uint16_t));
    t->e.value = mem_new(count, sizeof(float));
    if (t->e.column == NULL || t->e.value == NULL)
        return false;
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
    size_t count;

    find_tile(e, t, s);
    sum_tile(e, into, &s->e);
    count = s->e.start[into->rows];
    into->kept = atomic_fetch_add(&e->taken, count) + count <= e->room;
    if (!into->kept)
        atomic_fetch_sub(&e->taken, count);
    if (into->kept && !keep_tile(into, &s->e, count))
        e->failed = true;
}

/* What the own tiles add. */
static void add_tiles(void *data, void *value)
{
    const negatives *const e = data;
    tile_sums *const all = value;

    for (size_t t = 0; t < e->tiles; t++) {
        all->sum += e->tile[t].sums.sum;
        all->square += e->tile[t].sums.square;
        all->count += e->tile[t].sums.count;
    }
}

kedge_status negatives_find(negatives *e, const double *y,
                            negatives_found *out, kedge_error *err)
{
    tile_sums all = {0};

    e->y = y;
    e->failed = false;
    /* tiles of the round before go, before any of this one come */
    for (size_t t = 0; t < e->tiles; t++) {
        mem_free_all(e->tile[t].e.column, e->tile[t].e.value);
        e->tile[t].e.column = NULL;
        e->tile[t].e.value = NULL;
    }
    atomic_store(&e->taken, 0);
    negatives_pick(e);
    pool_run(e->p, e->tiles, find_task, e);
    if (e->failed)
        return kedge_fail(err, KEDGE_ENOMEM, "out of memory (ENN)");
    comm_reduce(pool_comm(e->p), &all, sizeof all, add_tiles, e);
    *out = (negatives_found){
        .sum = all.sum,
        .share = all.count / (double)e->own.rows / (double)e->picked,
        .noise = (double)FLT_EPSILON * sqrt((double)e->k * all.square)};
    return KEDGE_OK;
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

/* The number of lanes is known to the compiler. */
#define STRIPE_FUNCTION(name, of)                                            \
    KERNEL_CLONES                                                            \
    static void name(float *restrict to, const float *restrict from,         \
                     const uint16_t *restrict column,                        \
                     const float *restrict value, size_t count,              \
                     size_t stride, size_t lanes)                            \
    {                                                                        \
        if (lanes == 4)                                                      \
            of(to, from, column, value, count, stride, 4);                   \
        else if (lanes == 3)                                                 \
            of(to, from, column, value, count, stride, 3);                   \
        else if (lanes == 2)                                                 \
            of(to, from, column, value, count, stride, 2);                   \
        else                                                                 \
            of(to, from, column, value, count, stride, 1);                   \
    }

STRIPE_FUNCTION(gather_stripe, gather_lanes)
STRIPE_FUNCTION(scatter_stripe, scatter_lanes)

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
    const size_t lanes = width / LANE;
    const size_t used = k - at < width ? k - at : width;
    float in[STRIPE] = {0}, out[STRIPE];

    for (size_t r = 0; r < e->tile[t].rows; r++) {
        const size_t row = e->tile[t].from + r, first = from->start[r];
        const size_t count = from->start[r + 1] - first;
        const uint16_t *column = from->column + first;
        const float *value = from->value + first;
        double *const sums = j->out + row * k + at;

        memset(out, 0, sizeof out);
        gather_stripe(out, e->near + at, column, value, count, stride, lanes);
        for (size_t c = 0; c < used; c++)
            sums[c] += out[c];
        if (e->place[row] != NOT_PICKED)
            continue;
        to_single(j->x + row * k + at, used, in);
        scatter_stripe(mirror + at, in, column, value, count, stride, lanes);
    }
}

static void apply_tile(const apply_job *j, size_t t, tile_scratch *s)
{
    const negatives *e = j->e;
    const size_t k = e->k, n = e->tile[t].rows, first = e->tile[t].from;
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

static void apply_group(void *data, size_t group, unsigned worker)
{
    const apply_job *j = data;
    negatives *e = j->e;
    tile_scratch *const s = &e->scratch[worker];
    const size_t size = e->picked * PADDED(e->k), g = group - e->own.first;
    const size_t from = e->begin[g], end = e->begin[g + 1];
    double *const mirror = e->mirror + g * size;

    if (from == end)
        memset(mirror, 0, size * sizeof *mirror);
    for (size_t t = from; t < end; t++) {
        const bool first = t - from < FLUSH;
        apply_tile(j, t, s);
        if ((t - from + 1) % FLUSH != 0 && t + 1 < end)
            continue;
        /* what was scattered since the last time, to the group's */
        for (size_t i = 0; i < size; i++)
            mirror[i] = first ? s->mirror[i] : mirror[i] + s->mirror[i];
        memset(s->mirror, 0, size * sizeof *s->mirror);
    }
}

/* X_I: the own rows of it. */
static void apply_near(void *data, void *value)
{
    const apply_job *const j = data;
    const size_t k = j->e->k, stride = PADDED(k);
    float *const near = value;
    size_t row;

    for (size_t a = 0; a < j->e->picked; a++)
        if (is_own(j->e, a, &row))
            to_single(j->x + row * k, k, near + a * stride);
}

/* What was scattered: what the own groups add. */
static void apply_images(void *data, void *value)
{
    const negatives *const e = ((const apply_job *)data)->e;
    const size_t size = e->picked * PADDED(e->k);
    double *const images = value;

    for (size_t g = e->own.first; g < e->own.end; g++) {
        const double *const mirror = e->mirror + (g - e->own.first) * size;
        for (size_t i = 0; i < size; i++)
            images[i] = g == 0 ? mirror[i] : images[i] + mirror[i];
    }
}

kedge_status negatives_apply(negatives *e, double shift, const double *x,
                             double *out, kedge_error *err)
{
    communicator *const t = pool_comm(e->p);
    const size_t k = e->k, stride = PADDED(k), size = e->picked * stride;
    apply_job j = {.e = e, .x = x, .out = out, .shift = shift};
    size_t row;

    PASS(tall_cross(e->p, e->own.rows, e->y, k, x, k, e->cross, err));
    tall_sums(e->p, e->own.rows, x, k, e->total);
    comm_reduce(t, e->near, size * sizeof *e->near, apply_near, &j);
    tall_run(e->p, &e->own, apply_group, &j);
    comm_reduce(t, e->images, size * sizeof *e->images, apply_images, &j);
    for (size_t a = 0; a < e->picked; a++)
        for (size_t c = 0; is_own(e, a, &row) && c < k; c++)
            out[row * k + c] += e->images[a * stride + c];
    return KEDGE_OK;
}
