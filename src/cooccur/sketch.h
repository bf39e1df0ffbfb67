/* SPDX-License-Identifier: MIT */
#ifndef COOCCUR_SKETCH_H
#define COOCCUR_SKETCH_H
/*
 * The sketch Z = C Ω, scaled by 2^S and not yet divided by C's total: integers,
 * so that it is an exact commutative group. With it come the row sums C·1,
 * which also bound every entry of their row.
 *
 * Rows live by word id in slabs of 4,096 words, each a tile of 64 columns after
 * the other, so that what a thread works on is 2 MiB in one piece and a growing
 * vocabulary only appends. Slabs lie in memory or in an unnamed file.
 */
#include <kedge/status.h>

#include "base/pool.h"
#include "base/words.h"
#include "cooccur/window.h"

#define SKETCH_SLAB_WORDS ((size_t)4096) /* whose rows are made at once */

typedef struct sketch sketch;

typedef struct sketch_opts {
    size_t width;
    uint64_t seed;
    unsigned threads;
    const char *spill; /* directory for a file-backed mapping; NULL: memory */
} sketch_opts;

kedge_status sketch_create(const sketch_opts *opts, sketch **out,
                           kedge_error *err);
void sketch_free(sketch *s); /* accepts NULL */

/* Zero rows for words from the first unknown one to the list's end. */
kedge_status sketch_add_words(sketch *s, const words *w, kedge_error *err);
/* Makes every page of an in-memory sketch resident, by all threads: what the
 * sketch takes is then a matter of its words, not of which documents came. */
void sketch_populate(sketch *s, pool *p);

size_t sketch_tiles(const sketch *s);

/* Adding a window: sketch_begin once, then sketch_tile for every tile, in any
 * order, on any thread (`worker` below opts.threads, one at a time each). All
 * tiles must be done before the next sketch_begin. */
kedge_status sketch_begin(sketch *s, const window *w, kedge_error *err);
void sketch_tile(sketch *s, const window *w, size_t tile, unsigned worker);

/* A row: its sum, then `width` integers. */
void sketch_get_row(const sketch *s, size_t id, int64_t *row);
void sketch_set_row(sketch *s, size_t id, const int64_t *row);

/* Of all rows' sums: the same for the same sums in any order. */
double sketch_total(const sketch *s);


#endif
