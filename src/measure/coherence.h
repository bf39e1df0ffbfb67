/* SPDX-License-Identifier: MIT */
#ifndef MEASURE_COHERENCE_H
#define MEASURE_COHERENCE_H
/*
 * Whether the words of a list belong together, by how often they come together.
 * Each is of one list and its first words; D(i, j) are documents that hold both
 * words, D(i) those that hold one, of M in all.
 */
#include "measure/together.h"

/* UMass: Σ over i != j, both orders, of ln ((D(i, j) + 0.01) / D(j)). */
double coherence_umass(const together *t, size_t list, size_t count);

/* The mean over pairs of ln (p(i, j) / p(i) p(j)) / -ln p(i, j), with p =
 * D / M: -1 for words that never meet, 0 by chance, 1 for words that never
 * part. NAN of fewer than two words. */
double coherence_npmi(const together *t, size_t list, size_t count,
                      uint64_t documents);

/* C_V: each word's vector is its NPMI with every word of the list; the mean of
 * the cosines between these and their sum. */
double coherence_cv(const together *t, size_t list, size_t count,
                    uint64_t documents);

/*
 * The length of the shortest tree that joins the words slot[0 .. count) of the
 * list, where two words are (1 - NPMI) / 2 apart, with the NPMI of their
 * co-occurrence: p(i, j) = their weight / mass, p(i) = sums[i], by place in the
 * list.
 */
double coherence_tree(const together *t, size_t list, const size_t *slot,
                      size_t count, double mass, const double *sums);

#endif
