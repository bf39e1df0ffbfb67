/* SPDX-License-Identifier: MIT */
#ifndef METRICS_MEASURE_H
#define METRICS_MEASURE_H
/* Measures of models, computed from plain counts and matrices. glossary.c has
 * their formulas and papers. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/docs.h"
#include "base/pool.h"
#include "cooccur/probe.h"
#include "cooccur/window.h"

/* The parts of a model that measures need. */
typedef struct plain_model {
    size_t rows, k;
    const double *b;        /* rows x k: p(word | topic) */
    const double *a;        /* k x k */
    const double *share;    /* k: p(topic) */
    const uint64_t *anchor; /* k rows */
    const double *tf;       /* rows: occurrences of each word */
} plain_model;

/* ---- approximation ------------------------------------------------------- */

/*
 * The errors of B A B' as an approximation of the documents' co-occurrence C,
 * and of mixtures of the anchors' rows of C as approximations of all rows.
 * Takes one pass over the documents, in windows.
 */

typedef struct approximation approximation;

typedef struct approximation_found {
    double norm;          /* |C|; all norms are Frobenius */
    double error;         /* |C - B A B'|, an estimate, */
    double spread;        /* and its standard error */
    double off_norm, off_error; /* the same without the diagonals */
    double recovery;      /* mean of |row i of C - Σ_k p(k | i) row s_k of C|,
                             rows divided by their sums */
    double rows_norm;     /* |C| with its rows divided by their sums */
} approximation_found;

kedge_status approximation_create(const plain_model *m, pool *p,
                                  approximation **out, kedge_error *err);
void approximation_free(approximation *c); /* accepts NULL */

/* The words of the documents must be rows of the model. */
void approximation_add(approximation *c, const window *w);

/* `z` must have seen the same windows. All results are NAN if no document had
 * two words. ENOMEM. */
kedge_status approximation_finish(approximation *c, const probe *z,
                                  approximation_found *out, kedge_error *err);

/* ---- pairs of words ------------------------------------------------------ */

/*
 * For each pair of words of the same list (a short list for each topic): the
 * number of documents with both, and their co-occurrence. All sums are
 * integers.
 */
#define LIST_MOST 64 /* words of a list */

typedef struct word_lists {
    size_t rows, lists;
    const uint32_t *word; /* lists x LIST_MOST: rows, no two of a list the
                             same */
    const size_t *count;  /* lists: words of each */
} word_lists;

typedef struct paircounts paircounts;

/* `lead`: the words of each list that count for paircounts_covered. */
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

/* Documents with the i-th and the j-th word of the list; i may be j. */
uint64_t paircounts_documents(const paircounts *t, size_t list, size_t i,
                              size_t j);
/* Their co-occurrence, before it is divided by C's total; i is not j. */
double paircounts_weight(const paircounts *t, size_t list, size_t i,
                         size_t j);
/* Documents with two of the first `lead` words of any list. */
uint64_t paircounts_covered(const paircounts *t);

/* ---- coherence ----------------------------------------------------------- */

/*
 * Coherence of the first `count` words of a list. D(i, j): documents with both
 * words; D(i): documents with the word; M: all documents.
 */

/* UMass: Σ over i != j, both orders, of ln ((D(i, j) + 0.01) / D(j)). */
double coherence_umass(const paircounts *t, size_t list, size_t count);

/* NPMI: the mean over pairs of ln (p(i, j) / p(i) p(j)) / -ln p(i, j), with
 * p = D / M. -1: never in one document, 0: chance, 1: always together. NAN for
 * fewer than two words. */
double coherence_npmi(const paircounts *t, size_t list, size_t count,
                      uint64_t documents);

/* C_V: each word's vector is its NPMI with every word of the list; the mean of
 * the cosines between these and their sum. */
double coherence_cv(const paircounts *t, size_t list, size_t count,
                    uint64_t documents);

/*
 * The length of the minimum spanning tree of the words slot[0 .. count) of the
 * list, with (1 - NPMI) / 2 as the distance of two words. The NPMI is that of
 * the co-occurrence: p(i, j) = weight / mass, p(i) = sums[i], by place in the
 * list.
 */
double coherence_tree(const paircounts *t, size_t list, const size_t *slot,
                      size_t count, double mass, const double *sums);

/* ---- overlap of the topics' words ---------------------------------------- */

typedef struct overlap {
    double alone;    /* words of a list that no other list has, on average */
    double shared;   /* common words of two lists, summed over all pairs */
    double distinct; /* share of different words in all lists together */
} overlap;

/* For the first count[l] words of each list. */
kedge_status overlap_find(const word_lists *l, const size_t *count,
                          overlap *out, kedge_error *err);

/* ---- topics and topic co-occurrence -------------------------------------- */

/* q (k) = p(topic | word), from the word's row of B. False, with zeros, if no
 * topic has the word. */
bool shape_topics(const double *b, const double *share, size_t k, double *q);

/* The mean over topics of KL(B_k || u), with u = `sums` (rows) over their
 * total. Words with u = 0 are left out. */
double shape_specificity(const double *b, size_t rows, size_t k,
                         const double *sums);

/* The mean over topics of (√N - |B_k|_1 / |B_k|_2) / (√N - 1), N rows: 0 for a
 * uniform topic, 1 for a single word. NAN for one row. */
double shape_sparsity(const double *b, size_t rows, size_t k);

typedef struct correlations {
    double dominancy; /* mean of A's diagonal */
    double relative;  /* the same over |A| */
    double sum, negative, least; /* sums of all and of the negative entries;
                                    the least eigenvalue */
    bool legal;       /* could be the second moment of proportions, with some
                         tolerance: see shape.c */
} correlations;

kedge_status shape_correlations(const double *a, size_t k, correlations *out,
                                kedge_error *err);

/*
 * The log of the volume of the anchors' hull over the mean volume of the hulls
 * of k random words: -ln mean |det Q|, where a row of Q is p(topic | word) of a
 * random word that some topic has. INFINITY if no draw has a volume.
 */
kedge_status shape_volume(const double *b, size_t rows, size_t k,
                          const double *share, uint64_t seed, double *out,
                          kedge_error *err);

/* ---- document completion ------------------------------------------------- */

/*
 * How well a model predicts one half of a document from the other. Tokens go to
 * one of the halves at random; the topic proportions are inferred from the
 * first half, and the likelihood is that of the second.
 */

/* The halves of a random `share` of the documents of a batch. The choice
 * depends only on `key` and a document's position. Documents with an empty half
 * are left out. */
typedef struct halves {
    docs first, second; /* with the same number of documents */
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
    /* during completion_add */
    double *part;    /* by document */
    const docs *d;
    size_t from, count;
    const double *shares;
} completion;

kedge_status completion_create(const plain_model *m, pool *p, completion **out,
                               kedge_error *err);
void completion_free(completion *c); /* accepts NULL */

/* Adds the second halves of documents from .. from + count - 1, whose topic
 * proportions are `shares` (count x k). */
void completion_add(completion *c, const docs *second, size_t from,
                    size_t count, const double *shares);

/* The mean ln p of a token. p is that of the model with the weight 1 -
 * COMPLETION_UNIGRAM plus the unigram with the weight COMPLETION_UNIGRAM, so
 * that no word has p = 0. NAN without tokens. */
#define COMPLETION_UNIGRAM 1e-3
double completion_likelihood(const completion *c);

/* ---- clusters and classes ------------------------------------------------ */

/*
 * k-means clusters of documents, as many as there are classes, to compare with
 * the classes. The points are the square roots of the topic proportions: they
 * have length 1, and their distance is Hellinger's.
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

/* Adds a document: its topic proportions (k) and its class. */
kedge_status clusters_add(clusters *c, const double *shares, uint32_t class,
                          kedge_error *err);

/*
 * table[i * classes + j]: the number of documents of cluster i and class j, for
 * the best of several k-means++ starts. Depends on the documents, their order
 * and `seed`, not on the threads.
 */
kedge_status clusters_find(clusters *c, size_t classes, uint64_t seed,
                           uint64_t *table, kedge_error *err);

/* Normalised mutual information of the rows and columns of such a table: the
 * mutual information over the mean of both entropies, 0 to 1; NAN if both
 * entropies are 0. */
double clusters_information(const uint64_t *table, size_t classes);

/* ---- curves -------------------------------------------------------------- */

/* Points where a curve stands out, or ELBOW_NONE. NAN values are skipped. */

#define ELBOW_NONE SIZE_MAX

/* The largest value; the first of equal ones. */
size_t elbow_largest(const double *y, size_t count);

/*
 * The bend of a falling curve: the point farthest below the line from the first
 * to the last point, both axes scaled to 1, if it is below by more than
 * `least`.
 */
size_t elbow_bend(const uint64_t *x, const double *y, size_t count,
                  double least);

/* The first point of a rising curve that has `share` of the gain from the first
 * value to the largest. ELBOW_NONE if the first is the largest. */
size_t elbow_plateau(const double *y, size_t count, double share);

#endif
