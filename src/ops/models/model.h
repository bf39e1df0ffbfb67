/* SPDX-License-Identifier: MIT */
#ifndef OPS_MODELS_MODEL_H
#define OPS_MODELS_MODEL_H
/*
 * A model in memory, and its record in the store: a header of the fields below
 * and arrays of doubles. What is in it is a function of documents, options and
 * seed; times and machines are not.
 */
#include <kedge/fit.h>
#include <kedge/model.h>

#include "base/words.h"
#include "ops/models/naming.h"
#include "store/store.h"
#include "topics/law.h"

struct kedge_model {
    char name[64];
    uint64_t topics, words;
    /* how it was made */
    uint64_t serial;     /* the later fitted, the larger; not exported */
    uint64_t blocks;     /* of documents that its sketch held */
    store_view view;     /* of what it was fitted */
    uint64_t view_place; /* its number in the store, plus 1; 0: not known */
    uint64_t digest[2];  /* of the documents in the store */
    uint64_t vocabulary_digest;
    uint64_t refined, polished; /* passes */
    uint64_t rectify, correlations_kind; /* kedge_rectify, ... */
    law_ways ways; /* without the seed, which is the view's */
    uint64_t cooccurrence;    /* kedge_cooccurrence */
    uint64_t rounds_asked;
    double tolerance;
    uint64_t keep_spectrum;
    uint64_t weight;          /* kedge_term_weight */
    uint64_t ncut;            /* 1: documents weigh by the normalised cut */
    kedge_fit_result figures; /* seconds and memory are not kept */
    uint64_t characteristic_count;
    uint64_t names_size; /* bytes of the names in the header, */
    uint64_t rule_size;  /* and of the view's rule */
    /* arrays; see kedge/model.h */
    double *probabilities, *correlations, *word_probability, *tf, *df;
    double *eigenvectors, *rectified, *eigenvalues; /* or NULL */
    double *weights;     /* words: normalised, or NULL: none */
    double *ids;         /* words: each row's word in the store */
    double *small;       /* anchors, residuals, characteristic: see model.c */
    topic_name *names;   /* topics, or NULL: none has one */
    /* derived when loaded */
    uint64_t *anchors;
    double *residuals;   /* topics: of the pivoted QR */
    uint64_t *characteristic; /* topics x characteristic_count */
    double *shares;
    double *alpha;       /* topics, or NULL: see topics/law.h */
    double *mix;         /* words: see metrics/ranking.h */
    double *weighted;    /* words x topics, or NULL: no weights */
    struct words text;   /* in the rows' order */
};

/* The fields of the header. */
extern const struct schema model_schema;

/* Writes header and arrays. */
kedge_status model_put(store_txn *txn, const kedge_model *m, kedge_error *err);

/* Writes the header alone, with the topics' names: all else stays. */
kedge_status model_put_header(store_txn *txn, const kedge_model *m,
                              kedge_error *err);

/* The header's bytes, as the store has them; the caller's to free. */
kedge_status model_write_header(const kedge_model *m, uint8_t **bytes,
                                size_t *size, kedge_error *err);

/* Back, of a model of no more words than that; out's arrays and names are
 * NULL. ECORRUPT where they are not what was written. */
kedge_status model_read_header(const uint8_t *header, size_t size,
                               const char *name, uint64_t words_most,
                               kedge_model *out, kedge_error *err);

/* The header alone; out's arrays are NULL. */
kedge_status model_get_header(store_txn *txn, const char *name,
                              kedge_model *out, kedge_error *err);

/* The header and the topics' names, of the model fitted last where `name` is
 * NULL. */
kedge_status model_open(store_txn *txn, const char *name, kedge_model **out,
                        kedge_error *err);

/* What tells topics apart and no more: header, names, probabilities and
 * anchors. */
kedge_status model_open_topics(store_txn *txn, const char *name,
                               kedge_model **out, kedge_error *err);

/* What finds topics in documents and no more: header, names, probabilities,
 * correlations, p(word) and ids. */
kedge_status model_open_composing(store_txn *txn, const char *name,
                                  kedge_model **out, kedge_error *err);

/* What tells which words it has and no more: header, names of topics and ids. */
kedge_status model_open_ids(store_txn *txn, const char *name, kedge_model **out,
                            kedge_error *err);

/* The rows' words, of a model that has their ids. */
kedge_status model_load_words(store_txn *txn, kedge_model *m, kedge_error *err);

/* The ids of the rows' words, below `all`; the caller's to free. */
kedge_status model_order(const kedge_model *m, size_t all, uint32_t **order,
                         kedge_error *err);

/* ECORRUPT: the word of a row is none of `all` in the store. */
kedge_status model_bad_row(const kedge_model *m, size_t row, size_t all,
                           kedge_error *err);

/* What the model is, as one number: options, figures and arrays, free of when
 * and into which store it was fitted, of the topics' names and of how the words
 * were chosen, for the words themselves are in it. In the open
 * transaction; one array at a time is in memory. */
kedge_status model_digest(store_txn *txn, const char *name, uint64_t *digest,
                          kedge_error *err);


/* Bytes of a loaded model, whose words' text has so many. */
uint64_t model_memory(const kedge_model *m, uint64_t word_bytes);

#endif
