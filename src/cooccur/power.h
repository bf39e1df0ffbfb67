/* SPDX-License-Identifier: MIT */
#ifndef COOCCUR_POWER_H
#define COOCCUR_POWER_H
/*
 * One pass of C times a dense block Q, window by window, by integers: like the
 * sketch's, the result does not depend on the order of documents nor on
 * threads.
 *
 *   power_create → power_set for every word → (power_tile for every tile) for
 *   every window → power_get for every word
 */
#include "base/pool.h"
#include "cooccur/window.h"

typedef struct power power;

/* `largest`: no word's Σ_m a_im Σ_j x_jm is more, its row's sum and own term
 * together (window.h), which bounds what can add up. ENUMERIC when that leaves
 * 64 bits. */
kedge_status power_create(size_t words, size_t columns, double largest,
                          unsigned threads, power **out, kedge_error *err);
void power_free(power *p); /* accepts NULL */

/* Row `id` of Q, entries within -1 .. 1; rounded to 30 bits, and *row becomes
 * the rounded one, of which the product is exact. Clears the word's sums. */
void power_set(power *p, size_t id, double *row);

/* Makes room for a window, adds its own terms; then every tile, on any
 * thread. */
kedge_status power_begin(power *p, const window *w, kedge_error *err);
size_t power_tiles(const power *p);
void power_tile(power *p, const window *w, size_t tile, unsigned worker);

/* Row `id` of C Q; `scale` takes C from the sketch's integers to its own
 * units. */
void power_get(const power *p, size_t id, double scale, double *row);

#endif
