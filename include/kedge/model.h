/* SPDX-License-Identifier: MIT */
#ifndef KEDGE_MODEL_H
#define KEDGE_MODEL_H
/*
 * A fitted model in memory: words, topics, topic co-occurrence, anchors.
 *
 *   kedge_model_load(store, NULL, NULL, &model, &err);
 *   kedge_model_top_words(model, 0, KEDGE_RANK_RELEVANCE, word, 8, &got, &err);
 *   puts(kedge_model_word(model, word[0].row));
 *
 * Words are rows 0 to words - 1, in the order of their bytes. Topics are
 * columns 0 to topics - 1; the program numbers them from 1. Topics are in the
 * order of falling prevalence, or have the numbers of an earlier model
 * (kedge_fit_opts.align).
 */
#include <kedge/fit.h>
#include <kedge/store.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct kedge_model kedge_model;

/*
 * `out` gets the name of the model that other functions take for NULL: the one
 * that kedge_fit made last. Models of kedge_sweep have to be named.
 * ENOTFOUND (none, or only those of sweeps: the error lists them), ECORRUPT,
 * EIO, ENOMEM.
 */
KEDGE_API KEDGE_CHECKED kedge_status
kedge_model_latest(kedge_store *store, char out[64], kedge_error *err);

/*
 * Loads the model `name` (NULL: the model fitted last). The handle belongs to
 * the caller (kedge_model_free) and is independent of the store. It never
 * changes, so any number of threads may read it. Of `control` only `memory` is
 * used: the limit for loading, the model included.
 * ENOTFOUND, EBUDGET, ECORRUPT, EIO, ENOMEM.
 */
KEDGE_API KEDGE_CHECKED kedge_status
kedge_model_load(kedge_store *store, const char *name,
                 const kedge_control *control, kedge_model **out,
                 kedge_error *err);
KEDGE_API void kedge_model_free(kedge_model *model);

/* Approximate size in memory, in bytes. */
KEDGE_API uint64_t kedge_model_memory(const kedge_model *model);

KEDGE_API const char *kedge_model_name(const kedge_model *model);
KEDGE_API uint64_t kedge_model_topics(const kedge_model *model);
KEDGE_API uint64_t kedge_model_words(const kedge_model *model);

/* The label of a topic, "" if it has none; NULL if there is no such topic.
 * Valid as long as the model. */
KEDGE_API const char *kedge_model_label(const kedge_model *model,
                                        uint64_t topic);

/*
 * Sets the label of a topic, from 0, of the model `model` (NULL: the model
 * fitted last) in the store, which must be open for writing. `name` is UTF-8
 * without control characters and line ends, at most KEDGE_LABEL_MOST bytes; ""
 * removes the label. Loaded models do not change.
 * EINVAL (the label, or no such topic), ENOTFOUND, ECORRUPT, EIO, ENOMEM.
 */
#define KEDGE_LABEL_MOST 63
KEDGE_API KEDGE_CHECKED kedge_status
kedge_label_topic(kedge_store *store, const char *model, uint64_t topic,
                  const char *name, kedge_error *err);

/* The word of a row, zero-terminated; NULL past the end. Valid as long as the
 * model, as all that follow. */
KEDGE_API const char *kedge_model_word(const kedge_model *model, uint64_t row);
/* Documents with the word, and its occurrences, when the model was fitted. */
KEDGE_API uint64_t kedge_model_df(const kedge_model *model, uint64_t row);
KEDGE_API uint64_t kedge_model_tf(const kedge_model *model, uint64_t row);

/* words x topics, row-major: p(word | topic). Columns sum to 1. Term weights
 * are divided out. */
KEDGE_API const double *kedge_model_probabilities(const kedge_model *model);
/* topics x topics, symmetric: A, p(topic, topic). Term weights are divided
 * out. */
KEDGE_API const double *
kedge_model_topic_cooccurrence(const kedge_model *model);
/* The term weight of the fit, and its weights (words), scaled so that the
 * weighted co-occurrence D C D sums to 1; NULL without weighting. */
KEDGE_API kedge_term_weight kedge_model_term_weight(const kedge_model *model);
KEDGE_API const double *kedge_model_term_weights(const kedge_model *model);
/* words x topics: p(word | topic) times the term weights, columns scaled to sum
 * 1; NULL without weighting. For ranking words and comparing topics. */
KEDGE_API const double *kedge_model_weighted(const kedge_model *model);
/* words: p(word), the exact row sums of the co-occurrence C. */
KEDGE_API const double *kedge_model_word_probability(const kedge_model *model);
/* topics: p(topic), from the row sums of A. */
KEDGE_API const double *kedge_model_prevalence(const kedge_model *model);
/* topics: alpha of the Dirichlet whose mean is the prevalence and whose second
 * moments are nearest to A; NULL if no Dirichlet is near A. */
KEDGE_API const double *kedge_model_alpha(const kedge_model *model);
/* topics: the row of each topic's anchor word. */
KEDGE_API const uint64_t *kedge_model_anchors(const kedge_model *model);

/* topics: the distance of each topic's anchor, when it was chosen, from the
 * span of the anchors before it: the diagonal of R in the pivoted QR. */
KEDGE_API const double *kedge_model_residuals(const kedge_model *model);

/* Eigenvectors (words x topics), the rectified Y with C ~ YY' (words x topics)
 * and eigenvalues (topics); of D C D if words were weighted. NULL unless the
 * fit had save_spectrum. */
KEDGE_API const double *kedge_model_eigenvectors(const kedge_model *model);
KEDGE_API const double *kedge_model_rectified(const kedge_model *model);
KEDGE_API const double *kedge_model_eigenvalues(const kedge_model *model);

/* The default lambda of relevance. */
#define KEDGE_LAMBDA 0.6

typedef enum kedge_rank {
    KEDGE_RANK_PROBABILITY = 0, /* p(word | topic) */
    KEDGE_RANK_RELEVANCE = 1,   /* kedge_model_relevant_words with
                                   KEDGE_LAMBDA */
    KEDGE_RANK_ANCHOR = 2,      /* p(word | anchor) in the rectified
                                   co-occurrence */
    KEDGE_RANK_WEIGHTED = 3,    /* kedge_model_weighted; without term weights
                                   p(word | topic) */
} kedge_rank;

typedef struct kedge_ranked_word {
    uint64_t row;
    double probability; /* p(word | topic) */
    double relevance;   /* with the lambda of the call, otherwise with
                           KEDGE_LAMBDA */
    double weighted;    /* as kedge_model_weighted; without term weights the
                           probability */
} kedge_ranked_word;

/*
 * The first `count` words of a topic, from 0, in the order `rank`, ties by the
 * words' bytes. *got is the number of words written to `out`: fewer than
 * `count` if fewer have a probability above 0, at most 40 for
 * KEDGE_RANK_ANCHOR.
 * EINVAL (no such topic or rank).
 */
KEDGE_API KEDGE_CHECKED kedge_status
kedge_model_top_words(const kedge_model *model, uint64_t topic,
                      kedge_rank rank, kedge_ranked_word *out, uint64_t count,
                      uint64_t *got, kedge_error *err);

/*
 * The same by relevance with a `lambda` from 0 to 1:
 *
 *   p(word | topic)^(2 lambda) p(topic | word)^(2 - 2 lambda)
 *
 * 1 orders words by p(word | topic), 0 by p(topic | word). The order is that of
 * Sievert and Shirley's (LDAvis's) relevance, lambda ln p(word | topic) +
 * (1 - lambda) ln(p(word | topic) / p(word)). EINVAL (no such topic, another
 * lambda).
 */
KEDGE_API KEDGE_CHECKED kedge_status
kedge_model_relevant_words(const kedge_model *model, uint64_t topic,
                           double lambda, kedge_ranked_word *out,
                           uint64_t count, uint64_t *got, kedge_error *err);

/*
 * The exclusivity of a topic, 0 to 1: the mean of p(topic | word) over its
 * first KEDGE_EXCLUSIVITY_WORDS words by relevance. NAN if there is no such
 * topic.
 */
#define KEDGE_EXCLUSIVITY_WORDS 10
#define KEDGE_BACKGROUND (1.0 / 3)
KEDGE_API double kedge_model_exclusivity(const kedge_model *model,
                                         uint64_t topic);

/*
 * Whether a topic is background, which hardly distinguishes documents:
 *
 *   - its words belong mostly to other topics (exclusivity below
 *     KEDGE_BACKGROUND), or
 *   - all documents have about the same share of it. With p = p(topic) and
 *     s = p(topic, topic), which is p^2 by chance and p if its documents have
 *     no other topic: s < KEDGE_SPREAD p^2 and
 *     s - p^2 < KEDGE_OWN_WAY (p - p^2).
 *
 * False if there is no such topic.
 */
#define KEDGE_SPREAD 2.0
#define KEDGE_OWN_WAY 0.2
KEDGE_API bool kedge_model_is_background(const kedge_model *model,
                                         uint64_t topic);

#ifdef __cplusplus
}
#endif
#endif
