/* SPDX-License-Identifier: MIT */
#include "cooccur/sketch.h"

#include <assert.h>
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/again.h"
#include "base/fail.h"
#include "base/mem.h"
#include "cooccur/kernel.h"

#define SLAB_WORDS SKETCH_SLAB_WORDS
#define SLAB_VALUES (SLAB_WORDS * SIGN_TILE)
#define SLAB_BYTES (SLAB_VALUES * sizeof(int64_t)) /* 2 MiB */
#define PREFETCH 4 /* rows */
#define SUM_LIMIT (INT64_C(1) << 62)

struct sketch {
    size_t width, tiles, words;
    uint64_t seed;
    unsigned threads;
    int file; /* of the mapping, -1: in memory */
    size_t slabs, slab_capacity;
    int64_t **slab;  /* each `tiles` x SLAB_VALUES */
    size_t key_capacity, sum_capacity;
    uint64_t *key;   /* by id: the word's row of Ω */
    int64_t *sum;    /* by id: C·1 */
    accumulate_scratch *scratch; /* by worker */
};

static size_t sketch_slab_bytes(const sketch *s)
{
    return s->tiles * SLAB_BYTES;
}

/* The 64 accumulators of a word in a tile. */
static int64_t *sketch_cells(const sketch *s, size_t id, size_t tile)
{
    return s->slab[id / SLAB_WORDS] + tile * SLAB_VALUES +
           id % SLAB_WORDS * SIGN_TILE;
}

kedge_status sketch_create(const sketch_opts *opts, sketch **out,
                           kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    sketch *s = NULL;

    *out = NULL;
    if (opts->width < 1 || opts->threads < 1)
        return kedge_fail(err, KEDGE_EINVAL, "a sketch needs columns");
    TRY_MEM(s = mem_new(1, sizeof *s));
    s->file = -1;
    s->width = opts->width;
    s->tiles = (opts->width + SIGN_TILE - 1) / SIGN_TILE;
    s->seed = opts->seed;
    s->threads = opts->threads;
    TRY_MEM(s->scratch = mem_new(opts->threads, sizeof *s->scratch));
    if (opts->spill != NULL &&
        (s->file = again_open_nameless(opts->spill)) < 0)
        TRY(kedge_fail(err, KEDGE_EIO,
                       "%s: cannot make a file for the sketch: %s",
                       opts->spill, strerror(errno)));
    *out = s;
    s = NULL;
out:
    sketch_free(s);
    return st;
}

void sketch_free(sketch *s)
{
    if (s == NULL)
        return;
    for (size_t i = 0; i < s->slabs; i++)
        munmap(s->slab[i], sketch_slab_bytes(s));
    for (unsigned i = 0; s->scratch != NULL && i < s->threads; i++)
        accumulate_free(&s->scratch[i]);
    if (s->file >= 0)
        close(s->file);
    mem_free_all(s->scratch, s->slab, s->key, s->sum, s);
}

/* Huge pages where the system has them: rows are visited at random, and each
 * small page would cost a fault on its first read and another, with a flush of
 * all processors' TLBs, on its first write. They need their own alignment. */
static void *sketch_map_memory(size_t bytes)
{
    char *map = mmap(NULL, bytes + SLAB_BYTES, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    size_t head;

    if (map == MAP_FAILED)
        return MAP_FAILED;
    head = -(uintptr_t)map % SLAB_BYTES;
    if (head > 0)
        munmap(map, head);
    munmap(map + head + bytes, SLAB_BYTES - head);
    madvise(map + head, bytes, MADV_HUGEPAGE);
    return map + head;
}

/* Space on the disk is taken at once: a full disk is an error here and not a
 * SIGBUS in the middle of the kernel. */
static kedge_status sketch_map_slab(sketch *s, kedge_error *err)
{
    const size_t bytes = sketch_slab_bytes(s);
    const off_t at = (off_t)(s->slabs * bytes);
    void *map;

    if (!mem_grow((void **)&s->slab, &s->slab_capacity, s->slabs + 1,
                  sizeof(int64_t *)))
        return kedge_fail(err, KEDGE_ENOMEM, "out of memory (sketch)");
    if (s->file >= 0) {
        int code;
        do
            code = posix_fallocate(s->file, at, (off_t)bytes);
        while (code == EINTR);
        if (code != 0)
            return kedge_fail(err, KEDGE_EIO,
                              "no room on disk for the sketch's file: %s; free "
                              "some space, or use a smaller --sketch-size",
                              strerror(code));
        map = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, s->file,
                   at);
    } else {
        map = sketch_map_memory(bytes);
    }
    if (map == MAP_FAILED)
        return kedge_fail(err, KEDGE_ENOMEM,
                          "out of memory (sketch rows for %zu words)",
                          (s->slabs + 1) * SLAB_WORDS);
    s->slab[s->slabs++] = map;
    return KEDGE_OK;
}

kedge_status sketch_add_words(sketch *s, const words *w, kedge_error *err)
{
    kedge_status st = KEDGE_OK;

    TRY_GROW(s->key, s->key_capacity, w->count);
    TRY_GROW(s->sum, s->sum_capacity, w->count);
    while (s->slabs * SLAB_WORDS < w->count)
        TRY(sketch_map_slab(s, err));
    for (; s->words < w->count; s->words++) {
        s->sum[s->words] = 0;
        s->key[s->words] = sign_key(s->seed, words_get(w, s->words),
                                    words_size(w, s->words));
    }
out:
    return st;
}

static void sketch_populate_task(void *data, size_t task, unsigned worker)
{
    const sketch *s = data;
    int64_t *piece = s->slab[task / s->tiles] + task % s->tiles * SLAB_VALUES;

    (void)worker;
#ifdef MADV_POPULATE_WRITE
    if (madvise(piece, SLAB_BYTES, MADV_POPULATE_WRITE) == 0)
        return;
#endif
    for (size_t i = 0; i < SLAB_VALUES; i += 512) /* a value of each page */
        ((volatile int64_t *)piece)[i] = piece[i];
}

void sketch_populate(sketch *s, pool *p)
{
    if (s->file < 0)
        pool_run(p, s->slabs * s->tiles, sketch_populate_task, s);
}

size_t sketch_tiles(const sketch *s)
{
    return s->tiles;
}

/* |Σ a_im (s_ml - x_im Ω_il)| <= Σ a_im (Σ_j x_jm - x_im), so a sum in range
 * means that the whole row is. */
kedge_status sketch_begin(sketch *s, const window *w, kedge_error *err)
{
    kedge_status st = KEDGE_OK;

    for (unsigned i = 0; i < s->threads; i++)
        TRY(accumulate_reserve(&s->scratch[i], w, err));
    for (size_t i = 0; i < w->words; i++) {
        const int64_t sum = s->sum[w->id[i]] + w->sum[i];
        if (sum >= SUM_LIMIT)
            return kedge_fail(err, KEDGE_ENUMERIC,
                              "word %u occurs in too many documents for the "
                              "sketch's 64-bit sums",
                              w->id[i]);
        s->sum[w->id[i]] = sum;
    }
out:
    return st;
}

static void sketch_give_back(const sketch *s, size_t slab, size_t tile)
{
    if (s->file >= 0)
        madvise(s->slab[slab] + tile * SLAB_VALUES, SLAB_BYTES,
                MADV_DONTNEED);
}

/* Words of a window rise, so the slabs are met one after the other. Their rows
 * are further apart than the processor foresees, and are not looked at again
 * before the next window. */
void sketch_tile(sketch *s, const window *w, size_t tile, unsigned worker)
{
    accumulate_scratch *scratch = &s->scratch[worker];
    size_t slab = 0;

    assert(tile < s->tiles && worker < s->threads);
    accumulate_dots(scratch, w, s->key, tile);
    for (size_t i = 0; i < w->words; i++) {
        const size_t id = w->id[i];
        if (id / SLAB_WORDS != slab) {
            sketch_give_back(s, slab, tile);
            slab = id / SLAB_WORDS;
        }
        for (size_t c = 0; i + PREFETCH < w->words && c < SIGN_TILE; c += 8)
            __builtin_prefetch(sketch_cells(s, w->id[i + PREFETCH], tile) + c,
                               1, 0);
        accumulate_row(scratch, w, i, sign_bits(s->key[id], tile),
                       sketch_cells(s, id, tile));
    }
    sketch_give_back(s, slab, tile);
}

/* How many columns of a row are in tile t. */
static size_t sketch_tile_columns(const sketch *s, size_t t)
{
    const size_t left = s->width - t * SIGN_TILE;

    return left < SIGN_TILE ? left : SIGN_TILE;
}

/* Where columns of a row are in the file. */
static off_t sketch_place(const sketch *s, size_t id, size_t tile)
{
    const size_t slab = id / SLAB_WORDS;
    const char *const cells = (const char *)sketch_cells(s, id, tile);

    return (off_t)(slab * sketch_slab_bytes(s) +
                   (size_t)(cells - (const char *)s->slab[slab]));
}

/* From the file itself where there is one, and into it: through the mapping
 * all that the system keeps together with a page, up to two megabytes, would
 * become resident for each that is looked at. */
void sketch_get_row(const sketch *s, size_t id, int64_t *row)
{
    row[0] = s->sum[id];
    for (size_t t = 0; t < s->tiles; t++) {
        const size_t bytes = sketch_tile_columns(s, t) * sizeof *row;
        int64_t *const to = row + 1 + t * SIGN_TILE;
        if (s->file < 0 || pread(s->file, to, bytes, sketch_place(s, id, t)) !=
                               (ssize_t)bytes)
            memcpy(to, sketch_cells(s, id, t), bytes);
    }
}

void sketch_set_row(sketch *s, size_t id, const int64_t *row)
{
    s->sum[id] = row[0];
    for (size_t t = 0; t < s->tiles; t++) {
        const size_t bytes = sketch_tile_columns(s, t) * sizeof *row;
        const int64_t *const from = row + 1 + t * SIGN_TILE;
        if (s->file < 0 || pwrite(s->file, from, bytes,
                                  sketch_place(s, id, t)) != (ssize_t)bytes)
            memcpy(sketch_cells(s, id, t), from, bytes);
    }
}

/* Halves of 32 bits add up exactly. */
double sketch_total(const sketch *s)
{
    statistic_sum total = {0};

    for (size_t i = 0; i < s->words; i++)
        statistic_add(&total, s->sum[i]);
    return statistic_total(&total);
}
