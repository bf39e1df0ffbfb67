/* SPDX-License-Identifier: MIT */
#ifndef METRICS_MEASURE_H
#define METRICS_MEASURE_H
/* Measures of models, each from plain counts and matrices. What each of them is
 * stands in glossary.c. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/docs.h"
#include "base/pool.h"
#include "cooccur/probe.h"
#include "cooccur/window.h"

/* A model, as far as it is measured. */
typedef struct plain_model {
    size_t rows, k;
    const double *b;        /* rows x k: p(word | topic) */
    const double *a;        /* k x k */
    const double *share;    /* k: p(topic) */
    const uint64_t *anchor; /* k rows */
    const double *tf;       /* rows: occurrences, of the words by themselves */
} plain_model;

/* ---- approximation ------------------------------------------------------- */

/*
 * How near a model is to the statistics of the documents themselves: how far
 * B A B' is from the co-occurrence C, and how well anchors' rows of C make up
 * the rows of all other words. The documents come by once, in windows.
 */

typedef struct approximation approximation;

typedef struct approximation_found {
    double norm;          /* |C|, Frobenius like all of them */
    double error;         /* |C - B A B'| */
    double spread;        /* standard error of `error`, for it is estimated */
    double off_norm, off_error; /* the same without the diagonals */
    double recovery;      /* mean of |row i of C - Σ_k p(k | i) row s_k of C|,
                             rows divided by their sums */
    double rows_norm;     /* |C| of such rows */
} approximation_found;

kedge_status approximation_create(const plain_model *m, pool *p,
                                  approximation **out, kedge_error *err);
void approximation_free(approximation *c); /* accepts NULL */

/* Words of documents are rows. */
void approximation_add(approximation *c, const window *w);

/* `z` has seen the same windows. All are NAN where no document had two words.
 * ENOMEM. */
kedge_status approximation_finish(approximation *c, const probe *z,
                                  approximation_found *out, kedge_error *err);

/* ---- words that come together -------------------------------------------- */

/*
 * How often the words of short lists come together, a list for each topic: in
 * how many documents two of a list are, and what their co-occurrence is. Words
 * of different lists are not counted. All sums are integers.
 */
#define LIST_MOST 64 /* words of a list */

typedef struct word_lists {
    size_t rows, lists;
    const uint32_t *word; /* lists x LIST_MOST: rows, no two of a list the
                             same */
    const size_t *count;  /* lists: words of each */
} word_lists;

typedef struct paircounts paircounts;

/* The first `lead` words of each list count for being covered. */
kedge_status paircounts_create(const word_lists *l, size_t lead, pool *p,
                               paircounts **out, kedge_error *err);
void paircounts_free(paircounts *t); /* accepts NULL */

/* Counts documents; words are rows. */
void paircounts_add(paircounts *t, const docs *d);

/* Adds up co-occurrence: w x_i x_j of each document of the window (basket), to
 * 2^-40. */
void paircounts_weigh(paircounts *t, const window *w);

/* After the last document. */
void paircounts_finish(paircounts *t);

/* Documents that hold the i-th and the j-th word of the list; i may be j. */
uint64_t paircounts_documents(const paircounts *t, size_t list, size_t i,
                              size_t j);
/* Their co-occurrence, before it is divided by C's total; i is not j. */
double paircounts_weight(const paircounts *t, size_t list, size_t i,
                         size_t j);
/* Documents that hold two of the first words of some list. */
uint64_t paircounts_covered(const paircounts *t);

/* ---- coherence ----------------------------------------------------------- */

/*
 * Whether the words of a list belong together, by how often they come together.
 * Each is of one list and its first words; D(i, j) are documents that hold both
 * words, D(i) those that hold one, of M in all.
 */

/* UMass: Σ over i != j, both orders, of ln ((D(i, j) + 0.01) / D(j)). */
double coherence_umass(const paircounts *t, size_t list, size_t count);

/* The mean over pairs of ln (p(i, j) / p(i) p(j)) / -ln p(i, j), with p =
 * D / M: -1 for words that never meet, 0 by chance, 1 for words that never
 * part. NAN of fewer than two words. */
double coherence_npmi(const paircounts *t, size_t list, size_t count,
                      uint64_t documents);

/* C_V: each word's vector is its NPMI with every word of the list; the mean of
 * the cosines between these and their sum. */
double coherence_cv(const paircounts *t, size_t list, size_t count,
                    uint64_t documents);

/*
 * The length of the shortest tree that joins the words slot[0 .. count) of the
 * list, where two words are (1 - NPMI) / 2 apart, with the NPMI of their
 * co-occurrence: p(i, j) = their weight / mass, p(i) = sums[i], by place in the
 * list.
 */
double coherence_tree(const paircounts *t, size_t list, const size_t *slot,
                      size_t count, double mass, const double *sums);

/* ---- lists that are the same --------------------------------------------- */

/* How far the lists of topics' words are the same. */

typedef struct overlap {
    double alone;    /* words of a list that no other has, on average */
    double shared;   /* words that two lists have, added up over all pairs */
    double distinct; /* different words, of all places in lists */
} overlap;

/* Of the first count[l] words of each list. */
kedge_status overlap_find(const word_lists *l, const size_t *count,
                          overlap *out, kedge_error *err);

/* ---- topics and correlations by themselves ------------------------------- */

/* q (k) = p(topic | word), from the word's row of B; zeros and false where no
 * topic has it. */
bool shape_topics(const double *b, const double *share, size_t k, double *q);

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

/* ---- document completion ------------------------------------------------- */

/*
 * How well a model predicts words of a document that it did not see, given the
 * others. Tokens of the documents that are taken go to one half or to the other
 * by a coin; what topics a document has is found from the first half, and the
 * second is measured.
 */

/* The halves of those documents of a batch that are taken, each with a chance
 * of `share`. `key` and a document's position decide, and nothing else.
 * Documents without a word in one of the halves are passed over. */
typedef struct halves {
    docs first, second; /* as many documents */
} halves;

kedge_status halves_split(halves *h, const docs *d, uint64_t key, double share,
                          kedge_error *err);
void halves_free(halves *h);

typedef struct completion {
    uint64_t tokens, documents; /* of second halves */
    double sum;      /* Σ ln p */
    plain_model in;
    pool *p;
    double *unigram; /* rows */
    double *part;    /* by document of the portion, */
    const docs *d;   /* which is of these: */
    size_t from, count;
    const double *shares;
} completion;

kedge_status completion_create(const plain_model *m, pool *p, completion **out,
                               kedge_error *err);
void completion_free(completion *c); /* accepts NULL */

/* Second halves of documents from .. from + count - 1, whose topics have the
 * shares in rows of k. */
void completion_add(completion *c, const docs *second, size_t from,
                    size_t count, const double *shares);

/* ln p of a token on average, of B mixed with COMPLETION_UNIGRAM of the words
 * by themselves, which none is without; NAN without tokens. */
#define COMPLETION_UNIGRAM 1e-3
double completion_likelihood(const completion *c);

/* ---- classes that are found ---------------------------------------------- */

/*
 * Whether documents of one class are near each other: k-means on the square
 * roots of their shares of topics, as many clusters as there are classes, and
 * how the two go together. Roots of shares have the length one, and their
 * distance is that of Hellinger.
 */

typedef struct clusters {
    size_t k, count; /* of documents */
    pool *p;
    float *root;     /* count x k */
    uint32_t *class; /* count */
    size_t root_capacity, class_capacity;
} clusters;

kedge_status clusters_create(size_t k, pool *p, clusters **out,
                             kedge_error *err);
void clusters_free(clusters *c); /* accepts NULL */

/* A document: its shares (k), and its class. */
kedge_status clusters_add(clusters *c, const double *shares, uint32_t class,
                          kedge_error *err);

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

/* ---- curves -------------------------------------------------------------- */

/* Where a curve stands out. Values that are NAN are passed over; each gives
 * ELBOW_NONE where there is none. */

#define ELBOW_NONE SIZE_MAX

/* The largest value; the first of equal ones. */
size_t elbow_largest(const double *y, size_t count);

/*
 * Of a curve that falls, where it bends most: the point that is farthest below
 * the straight line from the first to the last, both scaled to one. None where
 * no point is below it by more than `least`.
 */
size_t elbow_bend(const uint64_t *x, const double *y, size_t count,
                  double least);

/* Of a curve that rises, the first point that has come `share` of the way from
 * the first value to the largest. None where the first is the largest. */
size_t elbow_plateau(const double *y, size_t count, double share);

#endif
