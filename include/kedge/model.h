/* SPDX-License-Identifier: MIT */
#ifndef KEDGE_MODEL_H
#define KEDGE_MODEL_H
/*
 * A fitted model, loaded whole: topics, correlations, anchors and words.
 *
 * Words are rows 0..words-1 in the order of their bytes; topics are columns
 * 0..topics-1 (people count them from 1): in order of falling share, or with
 * the numbers that they had in an earlier model (kedge_fit_opts.like).
 */
#include <kedge/fit.h>
#include <kedge/store.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct kedge_model kedge_model;

/*
 * The name of the model that other functions take where they get NULL: the one
 * that kedge_fit made last. Models of kedge_sweep have to be named.
 * ENOTFOUND (none, or only those of sweeps: the error lists them), ECORRUPT,
 * EIO, ENOMEM.
 */
KEDGE_API KEDGE_CHECKED kedge_status
kedge_model_latest(kedge_store *store, char name[64], kedge_error *err);

/*
 * Loads the model `name`, or the one fitted last where name is NULL. The
 * handle is independent of the store and belongs to the caller; it never
 * changes, so any number of threads may read it. `control` NULL: as
 * kedge_control_init has it; its memory is what loading may take, and with it
 * the model.
 * ENOTFOUND, EBUDGET, ECORRUPT, EIO, ENOMEM.
 */
KEDGE_API KEDGE_CHECKED kedge_status
kedge_model_load(kedge_store *store, const char *name,
                 const kedge_control *control, kedge_model **out,
                 kedge_error *err);
KEDGE_API void kedge_model_free(kedge_model *model);

/* Bytes that it takes, about. */
KEDGE_API uint64_t kedge_model_memory(const kedge_model *model);

KEDGE_API const char *kedge_model_name(const kedge_model *model);
KEDGE_API uint64_t kedge_model_topics(const kedge_model *model);
KEDGE_API uint64_t kedge_model_words(const kedge_model *model);

/* The name that a topic was given, "" where it has none; lives as long as the
 * model. NULL for a topic that is not there. */
KEDGE_API const char *kedge_model_label(const kedge_model *model,
                                        uint64_t topic);

/*
 * Gives a topic of the model `model` (NULL: the one fitted last) a name, in the
 * store; "" takes it away. A name is UTF-8 without control characters and line
 * ends, at most KEDGE_LABEL_MOST bytes. Models that are loaded stay as they
 * are. Needs a store opened for writing.
 * EINVAL (the name, or no such topic), ENOTFOUND, ECORRUPT, EIO, ENOMEM.
 */
#define KEDGE_LABEL_MOST 63
KEDGE_API KEDGE_CHECKED kedge_status
kedge_label_topic(kedge_store *store, const char *model, uint64_t topic,
                  const char *name, kedge_error *err);

/* UTF-8, zero-terminated; lives as long as the model. NULL past the end. */
KEDGE_API const char *kedge_model_word(const kedge_model *model, uint64_t row);
/* Documents that hold the word, and its occurrences, when fitted. */
KEDGE_API uint64_t kedge_model_df(const kedge_model *model, uint64_t row);
KEDGE_API uint64_t kedge_model_tf(const kedge_model *model, uint64_t row);

/* words x topics, row-major: p(word | topic). Columns sum to 1. Words' weights
 * are divided out. */
KEDGE_API const double *kedge_model_probabilities(const kedge_model *model);
/* topics x topics, symmetric: A, p(topic, topic), as above. */
KEDGE_API const double *
kedge_model_topic_cooccurrence(const kedge_model *model);
/* What words were weighted by; and the weights (words), such that the weighted
 * co-occurrence D C D adds up to one, or NULL where there were none. */
KEDGE_API kedge_term_weight kedge_model_term_weight(const kedge_model *model);
KEDGE_API const double *kedge_model_term_weights(const kedge_model *model);
/* words x topics: the topics of the weighted co-occurrence, that is the
 * probabilities times the words' weights, columns scaled to 1: for showing
 * words and for comparing topics. NULL where there were no weights. */
KEDGE_API const double *kedge_model_weighted(const kedge_model *model);
/* words: p(word), the exact row sums of the co-occurrence. */
KEDGE_API const double *kedge_model_word_probability(const kedge_model *model);
/* topics: p(topic), from the row sums of A. */
KEDGE_API const double *kedge_model_prevalence(const kedge_model *model);
/* topics: parameters of the Dirichlet that has these shares as its mean, and
 * second moments as near to A as can be; NULL where no Dirichlet comes near,
 * for topics vary less or more than any. */
KEDGE_API const double *kedge_model_alpha(const kedge_model *model);
/* topics: the row of each topic's anchor word. */
KEDGE_API const uint64_t *kedge_model_anchors(const kedge_model *model);

/* topics: how far each topic's anchor stood out when it was chosen, beyond what
 * those chosen before make up: the diagonal of R, of the pivoted QR. */
KEDGE_API const double *kedge_model_residuals(const kedge_model *model);

/* words x topics, or NULL where the fit did not keep the spectrum:
 * eigenvectors, and the rectified Y with C ~ YY'. And topics eigenvalues. All
 * of D C D, where words were weighted. */
KEDGE_API const double *kedge_model_eigenvectors(const kedge_model *model);
KEDGE_API const double *kedge_model_rectified(const kedge_model *model);
KEDGE_API const double *kedge_model_eigenvalues(const kedge_model *model);

/* Of relevance: what shows words of a topic that belong together and that its
 * documents have. */
#define KEDGE_LAMBDA 0.6

typedef enum kedge_rank {
    KEDGE_RANK_PROBABILITY = 0, /* p(word | topic) */
    KEDGE_RANK_RELEVANCE = 1,   /* p(word | topic) and p(topic | word), mixed
                                   by KEDGE_LAMBDA as below */
    KEDGE_RANK_ANCHOR = 2,      /* co-occurrence with the anchor, p(word |
                                   anchor) in the rectified statistics */
    KEDGE_RANK_WEIGHTED = 3,    /* kedge_model_weighted; p(word | topic) where
                                   words were not weighted */
} kedge_rank;

typedef struct kedge_ranked_word {
    uint64_t row;
    double probability; /* p(word | topic) */
    double relevance;   /* by the lambda that they are ranked with */
    double weighted;    /* weighted p(word | topic); the probability where words
                           were not weighted */
} kedge_ranked_word;

/*
 * The first `count` words of a topic in that order, ties by the words' bytes;
 * *got is how many there are: fewer than `count` in a small vocabulary, and at
 * most 40 characteristic ones. EINVAL for a topic that is not there.
 */
KEDGE_API KEDGE_CHECKED kedge_status
kedge_model_top_words(const kedge_model *model, uint64_t topic,
                      kedge_rank rank, kedge_ranked_word *out, uint64_t count,
                      uint64_t *got, kedge_error *err);

/*
 * The same by relevance with a `lambda` from 0 to 1: by
 * p(word | topic)^(2 lambda) p(topic | word)^(2 - 2 lambda), which `relevance`
 * has. 1 orders words as they are probable, 0 by how much they are the topic's,
 * and KEDGE_LAMBDA is KEDGE_RANK_RELEVANCE. The order is that of the relevance
 * of Sievert and Shirley: lambda ln p(word | topic) + (1 - lambda)
 * ln(p(word | topic) / p(word)). EINVAL for another lambda.
 */
KEDGE_API KEDGE_CHECKED kedge_status
kedge_model_relevant_words(const kedge_model *model, uint64_t topic,
                           double lambda, kedge_ranked_word *out,
                           uint64_t count, uint64_t *got, kedge_error *err);

/*
 * How much a topic's words are its own: the mean of p(topic | word) over its
 * first KEDGE_EXCLUSIVITY_WORDS words by relevance, from 0 to 1. NaN for a
 * topic that is not there.
 */
#define KEDGE_EXCLUSIVITY_WORDS 10
#define KEDGE_BACKGROUND (1.0 / 3)
KEDGE_API double kedge_model_exclusivity(const kedge_model *model,
                                         uint64_t topic);

/*
 * Whether a topic tells documents apart by little: its words occur mostly in
 * other topics (exclusivity below KEDGE_BACKGROUND), or it is in all documents
 * alike, as chatter is: p(topic and the same topic) is less than KEDGE_SPREAD
 * times p(topic) squared, which it would be by chance, and less than
 * KEDGE_OWN_WAY of the way from there to p(topic), which it is where no
 * document has another topic. False for a topic that is not there.
 */
#define KEDGE_SPREAD 2.0
#define KEDGE_OWN_WAY 0.2
KEDGE_API bool kedge_model_is_background(const kedge_model *model,
                                         uint64_t topic);

#ifdef __cplusplus
}
#endif
#endif
