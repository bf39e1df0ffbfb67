/* SPDX-License-Identifier: MIT */
#include "pipeline/team/tallies.h"

#include <string.h>

#include "base/bytes.h"
#include "base/compare.h"
#include "base/fail.h"
#include "base/hash.h"
#include "base/mem.h"
#include "pipeline/plan.h"

void tallies_free(tallies *t)
{
    words_free(&t->w);
    mem_free(t->tf);
    mem_free(t->df);
    *t = (tallies){0};
}

static kedge_status tallies_room(tallies *t, size_t count, kedge_error *err)
{
    kedge_status st = KEDGE_OK;

    TRY_MEM(t->tf = mem_new(count, sizeof *t->tf));
    TRY_MEM(t->df = mem_new(count, sizeof *t->df));
out:
    return st;
}

/* There is room for its counts. */
static bool tallies_add(tallies *t, const words *from, size_t id, uint64_t tf,
                        uint64_t df)
{
    t->tf[t->w.count] = tf;
    t->df[t->w.count] = df;
    return words_add(&t->w, words_get(from, id), words_size(from, id));
}

kedge_status tallies_of(store_txn *txn, const words *all, tallies *out,
                        kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const size_t n = all->count;
    uint64_t *tf = NULL, *df = NULL;
    uint32_t *order = NULL;
    size_t twin;

    TRY(tallies_room(out, n, err));
    TRY_MEM(tf = mem_new(n, sizeof *tf));
    TRY_MEM(df = mem_new(n, sizeof *df));
    TRY_MEM(order = words_order(all, &twin));
    TRY(store_get_counts(txn, tf, df, n, err));
    for (size_t r = 0; r < n; r++) {
        const uint32_t id = order[r];
        if (df[id] > 0 && !tallies_add(out, all, id, tf[id], df[id]))
            TRY_MEM(NULL);
    }
out:
    mem_free(tf);
    mem_free(df);
    mem_free(order);
    return st;
}

/* ---- merging ------------------------------------------------------------- */

/* Of a's next word and b's: below zero where a's comes first. */
static int tallies_compare(const tallies *a, size_t i, const tallies *b,
                           size_t j)
{
    if (i == a->w.count || j == b->w.count)
        return i == a->w.count ? j < b->w.count : -1;
    return compare_bytes(words_get(&a->w, i), words_size(&a->w, i),
                         words_get(&b->w, j), words_size(&b->w, j));
}

kedge_status tallies_merge(const tallies *a, const tallies *b, tallies *out,
                           kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    size_t i = 0, j = 0;

    TRY(tallies_room(out, a->w.count + b->w.count, err));
    while (i < a->w.count || j < b->w.count) {
        const int order = tallies_compare(a, i, b, j);
        const tallies *const from = order <= 0 ? a : b;
        const size_t at = order <= 0 ? i : j;
        uint64_t tf = from->tf[at], df = from->df[at];
        if (order == 0) {
            tf += b->tf[j];
            df += b->df[j];
        }
        if (!tallies_add(out, &from->w, at, tf, df))
            TRY_MEM(NULL);
        i += order <= 0;
        j += order >= 0;
    }
out:
    return st;
}

/* ---- travelling ---------------------------------------------------------- */

/* How many words, and the bytes of their text: room is made for so many, and
 * so a hash goes with the two. */
typedef struct heading {
    uint64_t words, bytes;
} heading;

enum { HEADING_SIZE = 24, HEADING_SEED = 1 };

static heading heading_of(const tallies *t)
{
    return (heading){t->w.count, words_bytes(&t->w)};
}

static void heading_put(heading h, uint8_t out[HEADING_SIZE])
{
    put_u64(out, h.words);
    put_u64(out + 8, h.bytes);
    put_u64(out + 16, hash_bytes(HEADING_SEED, out, 16));
}

static kedge_status damaged(kedge_error *err)
{
    return kedge_fail(err, KEDGE_ECORRUPT,
                      "words that came from another rank are damaged");
}

static kedge_status heading_get(const uint8_t from[HEADING_SIZE],
                                heading *out, kedge_error *err)
{
    *out = (heading){get_u64(from), get_u64(from + 8)};
    return get_u64(from + 16) == hash_bytes(HEADING_SEED, from, 16)
               ? KEDGE_OK
               : damaged(err);
}

/* What came is words, one after another. */
static kedge_status tallies_check(const tallies *t, heading h,
                                  kedge_error *err)
{
    const size_t *const offset = t->w.offset;
    bool fine = h.words == 0 ||
                (offset[0] == 0 && offset[h.words] == h.bytes);

    for (size_t i = 0; fine && i < h.words; i++)
        fine = offset[i] < offset[i + 1] && offset[i + 1] <= h.bytes &&
               t->w.bytes[offset[i + 1] - 1] == '\0';
    return fine ? KEDGE_OK : damaged(err);
}

/* For what comes. */
static kedge_status tallies_prepare(tallies *t, heading h, kedge_error *err)
{
    kedge_status st = KEDGE_OK;

    TRY(tallies_room(t, h.words, err));
    TRY_MEM(t->w.offset = mem_new(h.words + 1, sizeof *t->w.offset));
    TRY_MEM(t->w.bytes = mem_new(h.bytes, 1));
    t->w.count = t->w.capacity = h.words;
    t->w.byte_capacity = h.bytes;
out:
    return st;
}

/* What follows the heading, in its order. */
typedef struct array {
    void *bytes;
    size_t size;
} array;

enum { ARRAYS = 4 };

static void tallies_arrays(const tallies *t, array out[ARRAYS])
{
    const size_t n = t->w.count;

    out[0] = (array){t->w.offset, (n + 1) * sizeof *t->w.offset};
    out[1] = (array){t->w.bytes, words_bytes(&t->w)};
    out[2] = (array){t->tf, n * sizeof *t->tf};
    out[3] = (array){t->df, n * sizeof *t->df};
}

static void tallies_hand(team *t, const tallies *own, unsigned to)
{
    const heading h = heading_of(own);
    uint8_t told[HEADING_SIZE];
    array a[ARRAYS];

    heading_put(h, told);
    team_hand(t, told, sizeof told, to);
    tallies_arrays(own, a);
    for (size_t i = 0; h.words > 0 && i < ARRAYS; i++)
        team_hand(t, a[i].bytes, a[i].size, to);
}

/* Beside the own store's words, which are among those here. */
static kedge_status tallies_plan(heading here, heading coming,
                                 const kedge_control *control,
                                 kedge_error *err)
{
    const uint64_t n = here.words + coming.words;
    const uint64_t bytes = here.bytes + coming.bytes;
    uint64_t total;

    return plan_walk(&(walk_shape){.what = "bringing words together",
                                   .threads = 1, .vocabulary = here.words,
                                   .word_bytes = here.bytes,
                                   .more = memory_tallies(n, bytes)},
                     control, &total, err);
}

static kedge_status tallies_take(team *t, const tallies *own, unsigned from,
                                 const kedge_control *control, tallies *out,
                                 kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    uint8_t told[HEADING_SIZE];
    array a[ARRAYS];
    heading h;

    team_take(t, told, sizeof told, from);
    TRY(heading_get(told, &h, err));
    TRY(tallies_plan(heading_of(own), h, control, err));
    TRY(tallies_prepare(out, h, err));
    tallies_arrays(out, a);
    a[1].size = h.bytes; /* the offsets are not there yet */
    for (size_t i = 0; h.words > 0 && i < ARRAYS; i++)
        team_take(t, a[i].bytes, a[i].size, from);
    TRY(tallies_check(out, h, err));
out:
    return st;
}

static kedge_status tallies_take_in(team *t, tallies *own, unsigned from,
                                    const kedge_control *control,
                                    kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    tallies other = {0}, both = {0};

    TRY(tallies_take(t, own, from, control, &other, err));
    TRY(tallies_merge(own, &other, &both, err));
    tallies_free(own);
    *own = both;
    both = (tallies){0};
out:
    tallies_free(&other);
    tallies_free(&both);
    return st;
}

kedge_status tallies_join(team *t, tallies *own, const kedge_control *control,
                          kedge_error *err)
{
    kedge_status st = KEDGE_OK;

    for (unsigned step = 1; step < t->size; step *= 2) {
        if (t->rank % (2 * step) == step) {
            tallies_hand(t, own, t->rank - step);
            tallies_free(own);
            break;
        }
        if (t->rank + step < t->size)
            TRY(tallies_take_in(t, own, t->rank + step, control, err));
    }
out:
    return st;
}

kedge_status tallies_spread(team *t, tallies *x, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    heading h = heading_of(x);
    uint8_t told[HEADING_SIZE];
    array a[ARRAYS];

    heading_put(h, told);
    team_spread(t, told, sizeof told, 0);
    if (team_rank(t) > 0) {
        TRY(heading_get(told, &h, err));
        TRY(tallies_prepare(x, h, err));
    }
    tallies_arrays(x, a);
    a[1].size = h.bytes;
    for (size_t i = 0; h.words > 0 && i < ARRAYS; i++)
        team_spread(t, a[i].bytes, a[i].size, 0);
    TRY(tallies_check(x, h, err));
out:
    return st;
}
