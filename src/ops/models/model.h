/* SPDX-License-Identifier: MIT */
#ifndef OPS_MODELS_MODEL_H
#define OPS_MODELS_MODEL_H
/*
 * A model in memory, and its record in the store: a header of the fields below,
 * and arrays of doubles. It depends only on documents, options and seed, not on
 * time or machine.
 */
#include <kedge/fit.h>
#include <kedge/model.h>

#include "base/pool.h"
#include "base/words.h"
#include "store/store.h"
#include "topics/law.h"
#include "topics/match.h"

typedef struct topic_name {
    char text[KEDGE_LABEL_MOST + 1]; /* "": none */
} topic_name;

#define MODEL_SWEPT (UINT64_C(1) << 63) /* in its serial: a sweep made it */

struct kedge_model {
    char name[64];
    uint64_t topics, words;
    /* how it was made */
    uint64_t serial;     /* rises with each fit, and MODEL_SWEPT; not
                            exported */
    uint64_t blocks;     /* of documents in its sketch */
    store_index index;     /* that it was fitted to */
    uint64_t index_place; /* number of the index plus 1; 0: unknown */
    uint64_t digest[2];  /* of the documents in the store */
    uint64_t vocabulary_digest;
    uint64_t correlations_kind; /* kedge_topic_cooccurrence */
    law_ways ways;       /* without the seed, which is the index's */
    uint64_t rounds_asked;
    double tolerance;
    uint64_t keep_spectrum;
    kedge_fit_result figures; /* without seconds and memory */
    uint64_t characteristic_count;
    uint64_t names_size; /* bytes of the labels in the header */
    uint64_t rule_size;  /* bytes of the index's rule in the header */
    /* arrays; see kedge/model.h */
    double *probabilities, *correlations, *word_probability, *tf, *df;
    double *eigenvectors, *rectified, *eigenvalues; /* or NULL */
    double *weights;     /* words: normalised, or NULL: none */
    double *ids;         /* words: each row's word in the store */
    double *small;       /* anchors, residuals, characteristic: see model.c */
    topic_name *names;   /* topics, or NULL: no labels */
    /* derived when loaded */
    uint64_t *anchors;
    double *residuals;   /* topics: see kedge_model_residuals */
    uint64_t *characteristic; /* topics x characteristic_count */
    double *shares;
    double *alpha;       /* topics, or NULL: see topics/law.h */
    double *mix;         /* words: see metrics/ranking.h */
    double *weighted;    /* words x topics, or NULL: no weights */
    struct words text;   /* in the rows' order */
};

/* ---- in the store -------------------------------------------------------- */

/* The fields of the header. */
extern const struct schema model_schema;

/* Write header and arrays; write the header only. */
kedge_status model_put(store_txn *txn, const kedge_model *m, kedge_error *err);
kedge_status model_put_header(store_txn *txn, const kedge_model *m,
                              kedge_error *err);

/* The bytes of the header in the store; the caller frees them. */
kedge_status model_write_header(const kedge_model *m, uint8_t **bytes,
                                size_t *size, kedge_error *err);

/* Reads these bytes, of a model of at most `words_most` words; arrays and
 * labels of *out are NULL. ECORRUPT. */
kedge_status model_read_header(const uint8_t *header, size_t size,
                               const char *name, uint64_t words_most,
                               kedge_model *out, kedge_error *err);

/* Reads the header; the arrays of *out are NULL. */
kedge_status model_get_header(store_txn *txn, const char *name,
                              kedge_model *out, kedge_error *err);

/* Which arrays model_open loads, besides header and labels. */
enum {
    MODEL_HEADER = 0,
    MODEL_TOPICS = 1,    /* to match topics: probabilities, anchors, ids */
    MODEL_COMPOSING = 2, /* to infer proportions: probabilities, topic
                            co-occurrence, p(word), ids */
    MODEL_IDS = 4,       /* for its words: ids */
};

/* Fails with ENOTFOUND, and names the models that there are. */
kedge_status model_missing(store_txn *txn, const char *name, kedge_error *err);

/* Loads the model `name` (NULL: the model fitted last). ENOTFOUND. */
kedge_status model_open(store_txn *txn, const char *name, unsigned use,
                        kedge_model **out, kedge_error *err);

/* Loads the words of the rows; the model needs its ids. */
kedge_status model_load_words(store_txn *txn, kedge_model *m, kedge_error *err);

/* The ids of the rows' words, below `all`; the caller frees them. */
kedge_status model_order(const kedge_model *m, size_t all, uint32_t **order,
                         kedge_error *err);

/* Fails with ECORRUPT: the row's id is not below `all`, the words of the
 * store. */
kedge_status model_bad_row(const kedge_model *m, size_t row, size_t all,
                           kedge_error *err);

/* A digest of options, figures, arrays and words, without time, store, labels
 * and the rule that chose the words. Reads in the open transaction, with one
 * array in memory at a time. */
kedge_status model_digest(store_txn *txn, const char *name, uint64_t *digest,
                          kedge_error *err);

/* Bytes of a loaded model; `word_bytes`: of the text of its words. */
uint64_t model_memory(const kedge_model *m, uint64_t word_bytes);

/* ---- labels of topics ---------------------------------------------------- */

/* EINVAL unless `name` is valid as a label (kedge_label_topic), a model's or a
 * batch's name, which `what` says; "" is valid. */
kedge_status naming_check(const char *what, const char *name,
                          kedge_error *err);

/* What a shell needs around the name: a quotation mark, or "". */
const char *naming_quote(const char *name);

/* Bytes of the labels of `topics` topics in a header; 0 if no topic has one or
 * `names` is NULL. */
size_t naming_size(const topic_name *names, size_t topics);
void naming_write(const topic_name *names, size_t topics, uint8_t *to);
/* false unless the bytes are the labels of so many topics. */
bool naming_read(topic_name *names, size_t topics, const uint8_t *from,
                 size_t size);

/* ---- methods ------------------------------------------------------------- */

#define METHODS_BYTES 7

/* The methods of a fit as bytes of the header (FORMAT.md); defaults are zeros.
 * Without the seed. */
void methods_pack(const law_ways *w, uint8_t bytes[METHODS_BYTES]);

/* false for an unknown method or undefined bits. */
bool methods_unpack(const uint8_t bytes[METHODS_BYTES], law_ways *w);

/* Whether all methods are the defaults. */
bool methods_plain(const law_ways *w);

typedef enum method_option {
    METHOD_PRESET,
    METHOD_RECTIFY,
    METHOD_COOCCURRENCE,
    METHOD_WEIGHT,
    METHOD_ANCHORS,
    METHOD_SOLVER,
    METHOD_RECOVER,
    METHOD_TOPIC_COOCCURRENCE,
} method_option;

/* The name of a method in options. */
const char *methods_name(method_option what, uint64_t value);

#define METHODS_TEXT 256 /* room for the longest description */

/* The methods that are not the defaults: "anchors fast, recover kl", or "". */
void methods_describe(const kedge_model *m, char text[METHODS_TEXT]);

/* ---- words as points ----------------------------------------------------- */

/* Points by embed_rows (topics/law.h) from the rectified Y if the model has it,
 * else from B A B'; with term weights if the model has them. */
typedef struct wordspace {
    double *x;       /* words x topics */
    bool *candidate; /* words: could be anchors; banned words are unknown */
    bool rectified;  /* x is of Y */
} wordspace;

kedge_status wordspace_make(pool *p, const kedge_model *m, wordspace *out,
                            kedge_error *err);
void wordspace_free(wordspace *w);

/* The cosine of two words; 0 if the point of one is zero. */
double wordspace_cosine(const wordspace *w, size_t k, size_t a, size_t b);

/* ---- two models ---------------------------------------------------------- */

/* The words of two models as one list, and their matching topics
 * (topics/match.h). */
#define MODELMATCH_ABSENT UINT32_MAX

/* A model. Row r is the word with id order[r], or with id r if `order` is NULL;
 * rows are in the order of the words' bytes. */
typedef struct modelmatch_side {
    const words *text;
    const uint32_t *order;
    size_t rows, k;
    const double *b;        /* rows x k: p(word | topic) */
    const uint64_t *anchor; /* k rows */
} modelmatch_side;

typedef struct modelmatch {
    /* for the words of both, in the order of their bytes: the row in the left
     * and in the right model, or MODELMATCH_ABSENT */
    uint32_t *row[2];
    size_t words;
    double *distance; /* left x right: total variation of the topics */
    size_t *partner;  /* the right topic of each left one, or MATCH_NONE */
    size_t matched;   /* number of pairs */
    double mean;      /* of their distances; 0 without pairs */
} modelmatch;

kedge_status modelmatch_find(pool *p, const modelmatch_side *left,
                             const modelmatch_side *right, modelmatch *out,
                             kedge_error *err);
void modelmatch_free(modelmatch *k);

/* ---- comparable models --------------------------------------------------- */

#define COMPARABLE_MOST 32

typedef struct comparable {
    char name[64];
    uint64_t topics, serial;
    double sketch_error, sum_correlations;
} comparable;

/*
 * Finds the models of the same index, documents and options as `m`, and m
 * itself, by rising numbers of topics; for each number the model fitted last.
 * *count is at most COMPARABLE_MOST; the nearest to m are kept.
 * ECORRUPT, EIO, ENOMEM.
 */
kedge_status comparable_find(store *s, const kedge_model *m,
                             comparable out[COMPARABLE_MOST], size_t *count,
                             kedge_error *err);

#endif
