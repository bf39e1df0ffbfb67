/* SPDX-License-Identifier: MIT */
#include "ops/index/phrases.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/again.h"
#include "base/compare.h"
#include "base/fail.h"
#include "base/hash.h"
#include "base/mem.h"

#define FIRST_SLOTS ((size_t)1 << 12)
#define RUN_BUFFER ((size_t)1 << 12) /* counts of a run in memory, at most */

struct pairs {
    pair_count *slot; /* tf 0: nothing here */
    size_t slots, used, most; /* powers of two */
    const char *directory;
    int file;      /* of the runs, or -1 */
    uint64_t *end; /* of each run, in counts */
    size_t runs, end_capacity;
};

kedge_status pairs_create(uint64_t bytes, const char *directory, pairs **out,
                          kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    pairs *p = NULL;

    *out = NULL;
    TRY_MEM(p = mem_new(1, sizeof *p));
    *p = (pairs){.directory = directory, .file = -1, .slots = FIRST_SLOTS,
                 .most = FIRST_SLOTS};
    while (2 * p->most * sizeof *p->slot <= bytes)
        p->most *= 2;
    TRY_MEM(p->slot = mem_new(p->slots, sizeof *p->slot));
    *out = p;
    p = NULL;
out:
    pairs_free(p);
    return st;
}

void pairs_free(pairs *p)
{
    if (p == NULL)
        return;
    if (p->file >= 0)
        close(p->file);
    mem_free(p->slot);
    mem_free(p->end);
    mem_free(p);
}

/* ---- the table ----------------------------------------------------------- */

static uint32_t add_up(uint32_t a, uint32_t b)
{
    return a > UINT32_MAX - b ? UINT32_MAX : a + b;
}

/* Where the pair is, or is to be. */
static pair_count *find(const pairs *p, uint64_t pair)
{
    size_t at = (size_t)hash_mix(pair) & (p->slots - 1);

    while (p->slot[at].tf != 0 && p->slot[at].pair != pair)
        at = (at + 1) & (p->slots - 1);
    return &p->slot[at];
}

static bool grow(pairs *p)
{
    pair_count *const old = p->slot;
    const size_t slots = p->slots;
    pair_count *const bigger = mem_new(2 * slots, sizeof *bigger);

    if (bigger == NULL)
        return false;
    p->slot = bigger;
    p->slots = 2 * slots;
    for (size_t i = 0; i < slots; i++)
        if (old[i].tf != 0)
            *find(p, old[i].pair) = old[i];
    mem_free(old);
    return true;
}

static int compare_pairs(const void *left, const void *right)
{
    const pair_count *const a = left, *const b = right;

    return compare_numbers(a->pair, b->pair);
}

/* The table's counts side by side and in order: it is no table any more. */
static void sort_table(pairs *p)
{
    size_t n = 0;

    for (size_t i = 0; i < p->slots; i++)
        if (p->slot[i].tf != 0)
            p->slot[n++] = p->slot[i];
    qsort(p->slot, n, sizeof *p->slot, compare_pairs);
}

/* ---- runs ---------------------------------------------------------------- */

static kedge_status fail_file(const pairs *p, const char *what,
                              kedge_error *err)
{
    return kedge_fail(err, KEDGE_EIO, "%s: cannot %s the file of pairs: %s",
                      p->directory, what, strerror(errno));
}

/* The table becomes a run. */
static kedge_status spill(pairs *p, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const uint64_t at = p->runs == 0 ? 0 : p->end[p->runs - 1];

    if (p->file < 0)
        p->file = again_open_nameless(p->directory);
    if (p->file < 0)
        TRY(fail_file(p, "make", err));
    TRY_GROW(p->end, p->end_capacity, p->runs + 1);
    sort_table(p);
    if (!again_write_at(p->file, p->slot, p->used * sizeof *p->slot,
                        at * sizeof *p->slot))
        TRY(fail_file(p, "write", err));
    p->end[p->runs++] = at + p->used;
    memset(p->slot, 0, p->slots * sizeof *p->slot);
    p->used = 0;
out:
    return st;
}

kedge_status pairs_add(pairs *p, uint64_t pair, uint32_t tf, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    pair_count *one;

    if (p->used >= p->slots / 4 * 3) {
        if (p->slots >= p->most)
            TRY(spill(p, err));
        else
            TRY_MEM(grow(p));
    }
    one = find(p, pair);
    p->used += one->tf == 0;
    *one = (pair_count){pair, add_up(one->tf, tf), add_up(one->df, 1)};
out:
    return st;
}

/* ---- merging ------------------------------------------------------------- */

typedef kedge_status (*visitor)(void *data, const pair_count *count,
                                kedge_error *err);

/* A run as it is read. */
typedef struct cursor {
    uint64_t next, end; /* of what is not in memory */
    pair_count *count;
    size_t at, size, room;
} cursor;

static kedge_status cursor_fill(const pairs *p, cursor *c, kedge_error *err)
{
    const uint64_t left = c->end - c->next;

    if (c->at < c->size)
        return KEDGE_OK;
    c->at = 0;
    c->size = left < c->room ? (size_t)left : c->room;
    if (!again_read_at(p->file, c->count, c->size * sizeof *c->count,
                       c->next * sizeof *c->count))
        return fail_file(p, "read", err);
    c->next += c->size;
    return KEDGE_OK;
}

/* The least pair of all runs and its counts; false when all have ended. */
static bool merge_least(const cursor *c, size_t runs, pair_count *out)
{
    bool any = false;

    for (size_t i = 0; i < runs; i++) {
        const pair_count *const one = c[i].count + c[i].at;
        if (c[i].at == c[i].size || (any && one->pair > out->pair))
            continue;
        if (!any || one->pair < out->pair)
            *out = (pair_count){.pair = one->pair};
        any = true;
        out->tf = add_up(out->tf, one->tf);
        out->df = add_up(out->df, one->df);
    }
    return any;
}

static kedge_status merge(const pairs *p, visitor visit, void *data,
                          kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const size_t share = p->slots / p->runs + 1;
    const size_t room = share < RUN_BUFFER ? share : RUN_BUFFER;
    pair_count *buffers = NULL, least;
    cursor *c = NULL;

    TRY_MEM(c = mem_new(p->runs, sizeof *c));
    TRY_MEM(buffers = mem_new2(p->runs, room, sizeof *buffers));
    for (size_t i = 0; i < p->runs; i++) {
        c[i] = (cursor){.next = i == 0 ? 0 : p->end[i - 1], .end = p->end[i],
                        .count = buffers + i * room, .room = room};
        TRY(cursor_fill(p, &c[i], err));
    }
    while (merge_least(c, p->runs, &least)) {
        TRY(visit(data, &least, err));
        for (size_t i = 0; i < p->runs; i++) {
            if (c[i].at == c[i].size ||
                c[i].count[c[i].at].pair != least.pair)
                continue;
            c[i].at++;
            TRY(cursor_fill(p, &c[i], err));
        }
    }
out:
    mem_free(buffers);
    mem_free(c);
    return st;
}

kedge_status pairs_drain(pairs *p, visitor visit, void *data, kedge_error *err)
{
    if (p->runs > 0) {
        PASS(spill(p, err));
        mem_free(p->slot); /* the runs' buffers take its place */
        p->slot = NULL;
        PASS(merge(p, visit, data, err));
    } else {
        sort_table(p);
        for (size_t i = 0; i < p->used; i++)
            PASS(visit(data, &p->slot[i], err));
    }
    return KEDGE_OK;
}
