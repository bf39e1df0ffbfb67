/* SPDX-License-Identifier: MIT */
#ifndef TOPICS_ANCHORS_H
#define TOPICS_ANCHORS_H
/*
 * Anchor words: the rows that span the others best. There are several methods:
 * pivoted QR and SPA (anchors.c), FastAnchorWords (farthest.c), SNPA and XRAY
 * (hull.c), and pivoted QR of the statistics as they were counted (counted.c).
 * Each is a row of the table in anchors.c.
 */
#include <kedge/fit.h>

#include <stdbool.h>
#include <stdint.h>

#include "base/pool.h"

/* The statistics themselves, C or D C D, rows x rows, where they are there. */
typedef struct anchors_matrix {
    size_t rows;
    const double *sums; /* of the rows */
    void *data;         /* of what follows */
    /* The squared length of each row. */
    void (*squares)(void *data, double *squares);
    /* out = C x, both rows x k, the same on any number of threads */
    kedge_status (*apply)(void *data, const double *x, size_t k, double *out,
                          kedge_error *err);
    /* One row, in `room` for it unless it stands somewhere. */
    const double *(*row)(void *data, size_t row, double *room);
} anchors_matrix;

typedef struct anchors_input {
    kedge_anchors kind;
    size_t k;        /* of a row, and anchors to be chosen */
    const double *x; /* rows of k: distances between them are those between
                        normalised rows of the statistics */
    const anchors_matrix *counted; /* for COUNTED, which does not read x */
    const uint64_t *candidate; /* rows that can be anchors */
    size_t candidates;
    size_t from; /* the row that candidate 0 counts from: what is chosen has
                    this added. Several processes choose together by pivoted
                    QR, each of its own rows */
    double *scratch; /* candidates x k: for SNPA and XRAY; all rows x k for
                        COUNTED */
    const stage *stage; /* hears of each that is found, or NULL */
} anchors_input;

/*
 * chosen[]: rows, all different. residual[]: how far each sticks out, as the
 * way that chose it has it. The same for any number of threads; ties go to the
 * first. ENUMERIC when the candidates do not hold so many.
 */
kedge_status anchors_find(pool *p, const anchors_input *in, uint64_t *chosen,
                          double *residual, kedge_error *err);

/*
 * Completes anchors that are given, by pivoted QR: the first `known` of k stand
 * at point (known x k); chosen[] and residual[] get the others from there on,
 * and residual[] of those given what of them is outside the span of those
 * before. ENUMERIC when one given adds nothing, or too few are left.
 */
kedge_status anchors_complete(pool *p, const anchors_input *in,
                              const double *point, size_t known,
                              uint64_t *chosen, double *residual,
                              kedge_error *err);

/* ---- methods ------------------------------------------------------------ */

/* As anchors_find. residual[]: the part outside the span of those chosen
 * before, of spa and counted; how far the row was from the hull of those, and
 * zero, of snpa; how far the row that is farthest from their cone was from it,
 * of xray. Counted is of in->counted: what is as long as the longest up to 1e-9
 * is a tie, and rows of no sum are no anchors. */
typedef kedge_status anchors_method(pool *p, const anchors_input *in,
                                    uint64_t *chosen, double *residual,
                                    kedge_error *err);
anchors_method snpa_find, xray_find, counted_find;

/* Reports that so many anchors are found; ECANCELED when the stage is to
 * stop. */
kedge_status anchors_reach(const anchors_input *in, size_t found,
                           kedge_error *err);

/* ENUMERIC, as there are only `a` anchors, where residual[a] is not more than
 * `floor` of the first one. */
kedge_status anchors_check(const anchors_input *in, const double *residual,
                           size_t a, double floor, kedge_error *err);

/* along[i]: the product of candidate i's row and the direction. */
void anchors_along(pool *p, const anchors_input *in, const double *direction,
                   double *along);

/* The place of the largest, the first of several. */
size_t anchors_largest(const double *value, size_t count);

double anchors_dot(const double *restrict a, const double *restrict b,
                   size_t k);

/* The part of the point outside the first `count` rows of `basis` (rows of k,
 * of unit length and orthogonal), at unit length as the next row; how long it
 * was. */
double anchors_outside(double *basis, size_t count, const double *point,
                       size_t k);

/*
 * The clean-up phase: each of the k anchors, in their order, gives its place to
 * the candidate that is farthest from the span of all others, if that is
 * farther. residual[] becomes that distance, in the end.
 * ENUMERIC when the anchors do not span k dimensions.
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

/* Anchors that were given: of a topic one word, or several, which are taken
 * together ("tandem anchors"). */
typedef struct given {
    size_t topics;     /* that anchors are given for: the first so many */
    size_t *begin;     /* topics + 1: topic t has the words begin[t] .. */
    uint64_t *row;     /* .. begin[t + 1] - 1 of these */
} given;

void given_free(given *g);

static inline size_t given_words(const given *g, size_t topic)
{
    return g->begin[topic + 1] - g->begin[topic];
}

/* Whether some topic has several. */
bool given_several(const given *g);

/* The topic of several words whose first this is, or GIVEN_NONE; g may be
 * NULL. */
#define GIVEN_NONE SIZE_MAX
size_t given_tandem(const given *g, uint64_t row);

/* The rows of the statistics that words stand for, and what makes them: the
 * row of word i is y_i Y' / d_i, and X_i = y_i R' / d_i. */
typedef struct given_rows {
    size_t rows, k;
    const double *y;    /* rows x k */
    const double *x;    /* rows x k */
    const double *root; /* k x k: R', lower triangular, R'R = Y'Y */
    const double *d;    /* rows: positive for all words that are given */
} given_rows;

/* The row of a topic of several words, not scaled: the `count` entries from the
 * column `from` on, into out. `scratch` has the topic's words times `count`. */
void given_values(const given *g, size_t topic, const given_rows *r,
                  size_t from, size_t count, double *scratch, double *out);

/*
 * point (topics x k): of each topic what stands for its row in inner products
 * with X. gram (k x k): products of the topics' rows with each other, in its
 * first topics x topics entries. A topic's row is that of its word, or the
 * harmonic mean of its words' rows, scaled to sum to one. ENUMERIC where that
 * is zero.
 */
kedge_status given_points(const given *g, const given_rows *r, double *point,
                          double *gram, kedge_error *err);

/* ---- how near words came ------------------------------------------------ */

/*
 * How near words came to be anchors, when these were chosen by pivoted QR: at
 * each step, how far a word's row stood out of the span of the anchors before,
 * beside the one that was chosen there.
 */
typedef struct standing {
    uint64_t row;  /* that is asked about */
    uint64_t rank; /* its best among the candidates, from 1; 0: there was no
                      step */
    size_t step;   /* at which it was that, the first */
    double share;  /* how far it stood out there, of how far the anchor did */
} standing;

/* Fills in all but the rows. x (rows x k), of embed_rows, is destroyed;
 * `candidate` has rows, and `anchor` k rows in the order in which they were
 * chosen. */
kedge_status standing_find(pool *p, size_t rows, size_t k, double *x,
                           const bool *candidate, const uint64_t *anchor,
                           standing *asked, size_t count, kedge_error *err);

#endif
