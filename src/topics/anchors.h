/* SPDX-License-Identifier: MIT */
#ifndef TOPICS_ANCHORS_H
#define TOPICS_ANCHORS_H
/*
 * Anchor words: the rows that span the others best. Methods: pivoted QR and SPA
 * (anchors.c), FastAnchorWords (farthest.c), SNPA and XRAY (hull.c), and
 * pivoted QR of the co-occurrence before rectification (counted.c). Each has a
 * row in the table of anchors.c.
 */
#include <kedge/fit.h>

#include <stdbool.h>
#include <stdint.h>

#include "base/pool.h"

/* The co-occurrence before rectification, C or D C D, rows x rows. */
typedef struct anchors_matrix {
    size_t rows;
    const double *sums; /* row sums */
    void *data;         /* first argument of the functions */
    /* Writes the squared length of each row. */
    void (*squares)(void *data, double *squares);
    /* out = C x, both rows x k, the same on any number of threads */
    kedge_status (*apply)(void *data, const double *x, size_t k, double *out,
                          kedge_error *err);
    /* Returns a row: `room`, filled in, or where it is in memory. */
    const double *(*row)(void *data, size_t row, double *room);
} anchors_matrix;

typedef struct anchors_input {
    kedge_anchors kind;
    size_t k;        /* length of a row, and number of anchors to choose */
    const double *x; /* rows of k, whose distances are those of the normalised
                        rows of the co-occurrence (embed_rows) */
    const anchors_matrix *counted; /* for COUNTED, which does not read x */
    const uint64_t *candidate; /* rows that can be anchors */
    size_t candidates;
    size_t from; /* added to the chosen rows: the number of this rank's first
                    row, if several processes choose together (QR) */
    double *scratch; /* candidates x k: for SNPA and XRAY; all rows x k for
                        COUNTED */
    const stage *stage; /* for progress; may be NULL */
} anchors_input;

/*
 * chosen[]: k different rows. residual[]: the distance of each from the others,
 * by the definition of the method. The same for any number of threads; ties go
 * to the first. ENUMERIC (the candidates do not have k anchors).
 */
kedge_status anchors_find(pool *p, const anchors_input *in, uint64_t *chosen,
                          double *residual, kedge_error *err);

/*
 * Completes given anchors by pivoted QR. The first `known` of k anchors are the
 * rows of point (known x k). chosen[known ..] and residual[known ..] get the
 * others; residual[0 ..] gets the distance of each given anchor from the span
 * of those before. ENUMERIC (a given anchor is in the span of those before, or
 * too few candidates are left).
 */
kedge_status anchors_complete(pool *p, const anchors_input *in,
                              const double *point, size_t known,
                              uint64_t *chosen, double *residual,
                              kedge_error *err);

/* ---- methods ------------------------------------------------------------ */

/* As anchors_find. residual[]: counted: distance from the span of the anchors
 * before; snpa: distance from the convex hull of these and zero; xray: distance
 * of the farthest row from the cone of these. counted_find uses in->counted;
 * lengths within 1e-9 are ties, and rows of sum 0 are no anchors. */
typedef kedge_status anchors_method(pool *p, const anchors_input *in,
                                    uint64_t *chosen, double *residual,
                                    kedge_error *err);
anchors_method snpa_find, xray_find, counted_find;

/* Reports that `found` anchors are found. ECANCELED. */
kedge_status anchors_reach(const anchors_input *in, size_t found,
                           kedge_error *err);

/* ENUMERIC (there are only `a` anchors) unless residual[a] is above `floor`
 * times the first. */
kedge_status anchors_check(const anchors_input *in, const double *residual,
                           size_t a, double floor, kedge_error *err);

/* along[i]: the inner product of candidate i's row and the direction. */
void anchors_along(pool *p, const anchors_input *in, const double *direction,
                   double *along);

/* The index of the largest value, the first of equal ones. */
size_t anchors_largest(const double *value, size_t count);

double anchors_dot(const double *restrict a, const double *restrict b,
                   size_t k);

/* Adds to the orthonormal rows of `basis` (of length k), of which there are
 * `count`, the part of `point` that is orthogonal to them, at length 1; returns
 * its length before. */
double anchors_outside(double *basis, size_t count, const double *point,
                       size_t k);

/*
 * The clean-up phase: replaces each of the k anchors, in their order, by the
 * candidate farthest from the span of all others, if that is farther.
 * residual[] becomes the final distances. ENUMERIC (the anchors do not span k
 * dimensions).
 */
kedge_status farthest_clean(pool *p, const anchors_input *in, uint64_t *anchor,
                            double *residual, kedge_error *err);

/*
 * gram (k x k) = Y'PP'Y / columns, where y is rows x k and P is a matrix of
 * random signs, rows x columns, a function of `seed` and place. With
 * gram = R'R, rows of diag(d)^-1 Y R' have the distances of projected rows.
 */
kedge_status farthest_project(pool *p, size_t rows, const double *y, size_t k,
                              size_t columns, uint64_t seed, double *gram,
                              kedge_error *err);

/* ---- anchors that are given --------------------------------------------- */

/* Given anchors: for each topic a word, or several that act as one ("tandem
 * anchors"). */
typedef struct given {
    size_t topics;     /* with given anchors: the first so many */
    size_t *begin;     /* topics + 1 */
    uint64_t *row;     /* of topic t: row[begin[t]] .. row[begin[t + 1] - 1] */
} given;

void given_free(given *g);

static inline size_t given_words(const given *g, size_t topic)
{
    return g->begin[topic + 1] - g->begin[topic];
}

/* Whether some topic has several words. */
bool given_several(const given *g);

/* The topic that has several words, with `row` as the first; GIVEN_NONE: there
 * is none. g may be NULL. */
#define GIVEN_NONE SIZE_MAX
size_t given_tandem(const given *g, uint64_t row);

/* The normalised rows of YY': the row of word i is y_i Y' / d_i, and its point
 * X_i = y_i R' / d_i. */
typedef struct given_rows {
    size_t rows, k;
    const double *y;    /* rows x k */
    const double *x;    /* rows x k */
    const double *root; /* k x k: R', lower triangular, R'R = Y'Y */
    const double *d;    /* rows: positive for all given words */
} given_rows;

/* Writes to `out` the `count` entries from column `from` of the row, unscaled,
 * of a topic with several words. `scratch` has room for words of the topic x
 * `count`. */
void given_values(const given *g, size_t topic, const given_rows *r,
                  size_t from, size_t count, double *scratch, double *out);

/*
 * point (topics x k): a point for each topic, whose inner products with X are
 * those of the topic's row. gram (k x k): inner products of the topics' rows,
 * in its first topics x topics entries. The row of a topic is that of its word,
 * or the harmonic mean of its words' rows, scaled to sum 1. ENUMERIC (that is
 * zero).
 */
kedge_status given_points(const given *g, const given_rows *r, double *point,
                          double *gram, kedge_error *err);

/* ---- how near words were to being anchors ------------------------------- */

/*
 * The best rank of a word over the steps of pivoted QR, by the distance of its
 * row from the span of the anchors before.
 */
typedef struct standing {
    uint64_t row;  /* of the word, set by the caller */
    uint64_t rank; /* best rank among the candidates, from 1; 0: no step */
    size_t step;   /* the first step with that rank */
    double share;  /* its distance there, divided by the anchor's */
} standing;

/* Fills in all members but `row` of the `count` entries of `asked`. Destroys x
 * (rows x k), of embed_rows. `candidate` is by row; `anchor` has the k anchors
 * in the order in which they were chosen. */
kedge_status standing_find(pool *p, size_t rows, size_t k, double *x,
                           const bool *candidate, const uint64_t *anchor,
                           standing *asked, size_t count, kedge_error *err);

#endif
