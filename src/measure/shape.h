/* SPDX-License-Identifier: MIT */
#ifndef MEASURE_SHAPE_H
#define MEASURE_SHAPE_H
/* What topics and correlations are like by themselves. */
#include <kedge/status.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The mean over topics of KL(B_k || u), where u is what `sums` (rows) are of
 * their total. Words that u has not are left out. */
double shape_specificity(const double *b, size_t rows, size_t k,
                         const double *sums);

/* The mean over topics of (√N - |B_k|_1 / |B_k|_2) / (√N - 1), N rows: 0 of an
 * even topic, 1 of a single word. NAN of one row. */
double shape_sparsity(const double *b, size_t rows, size_t k);

typedef struct correlations {
    double dominancy; /* mean of the diagonal, */
    double relative;  /* and over |A| */
    double sum, negative, least; /* of all, of negative entries, and the least
                                    eigenvalue */
    bool legal;       /* symmetric, as good as not negative, semidefinite and
                         of the sum one: see shape.c */
} correlations;

kedge_status shape_correlations(const double *a, size_t k, correlations *out,
                                kedge_error *err);

/*
 * ln of how many times larger the hull of the anchors is than that of as many
 * words by chance, on average: -ln mean |det Q|, where a row of Q is p(topic |
 * word) of a word by chance. Words are drawn among those that some topic has.
 * INFINITY where no draw has a volume.
 */
kedge_status shape_volume(const double *b, size_t rows, size_t k,
                          const double *share, uint64_t seed, double *out,
                          kedge_error *err);

#endif
