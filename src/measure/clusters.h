/* SPDX-License-Identifier: MIT */
#ifndef MEASURE_CLUSTERS_H
#define MEASURE_CLUSTERS_H
/*
 * Whether documents of one class are near each other: k-means on the square
 * roots of their shares of topics, as many clusters as there are classes, and
 * how the two go together. Roots of shares have the length one, and their
 * distance is that of Hellinger.
 */
#include <stddef.h>
#include <stdint.h>

#include "base/pool.h"

typedef struct clusters clusters;

kedge_status clusters_create(size_t k, pool *p, clusters **out,
                             kedge_error *err);
void clusters_free(clusters *c); /* accepts NULL */

/* A document: its shares (k), and its class. */
kedge_status clusters_add(clusters *c, const double *shares, uint32_t class,
                          kedge_error *err);
size_t clusters_count(const clusters *c);

/*
 * table[i * classes + j]: documents of cluster i and class j. The best of
 * several starts by k-means++; the same for the same documents in the same
 * order, `seed` and any number of threads.
 */
kedge_status clusters_find(clusters *c, size_t classes, uint64_t seed,
                           uint64_t *table, kedge_error *err);

/* Normalised mutual information of the rows and the columns of such a table:
 * mutual information over the mean of both entropies; 0 to 1, and NAN where
 * neither has two. */
double clusters_information(const uint64_t *table, size_t classes);

#endif
