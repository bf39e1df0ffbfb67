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
    uint64_t serial;     /* the later fitted, the larger, and MODEL_SWEPT; not
                            exported */
    uint64_t blocks;     /* of documents that its sketch held */
    store_index index;     /* of what it was fitted */
    uint64_t index_place; /* its number in the store, plus 1; 0: not known */
    uint64_t digest[2];  /* of the documents in the store */
    uint64_t vocabulary_digest;
    uint64_t correlations_kind; /* kedge_topic_cooccurrence */
    law_ways ways;       /* without the seed, which is the index's */
    uint64_t rounds_asked;
    double tolerance;
    uint64_t keep_spectrum;
    kedge_fit_result figures; /* seconds and memory are not kept */
    uint64_t characteristic_count;
    uint64_t names_size; /* bytes of the names in the header, */
    uint64_t rule_size;  /* and of the index's rule */
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

/* ---- in the store -------------------------------------------------------- */

/* The fields of the header. */
extern const struct schema model_schema;

/* Writes header and arrays; or the header alone, with the topics' names. */
kedge_status model_put(store_txn *txn, const kedge_model *m, kedge_error *err);
kedge_status model_put_header(store_txn *txn, const kedge_model *m,
                              kedge_error *err);

/* The header's bytes, as the store has them; the caller's to free. */
kedge_status model_write_header(const kedge_model *m, uint8_t **bytes,
                                size_t *size, kedge_error *err);

/* Reads them again, of a model of at most `words_most` words; out's arrays and
 * names are NULL. ECORRUPT where they are not what was written. */
kedge_status model_read_header(const uint8_t *header, size_t size,
                               const char *name, uint64_t words_most,
                               kedge_model *out, kedge_error *err);

/* The header alone; out's arrays are NULL. */
kedge_status model_get_header(store_txn *txn, const char *name,
                              kedge_model *out, kedge_error *err);

/* Which arrays are loaded with the header and the topics' names. */
enum {
    MODEL_HEADER = 0,
    MODEL_TOPICS = 1,    /* to tell topics apart: probabilities, anchors, ids */
    MODEL_COMPOSING = 2, /* to find topics in documents: probabilities,
                            correlations, p(word) and ids */
    MODEL_IDS = 4,       /* to know which words it has: ids */
};

/* Fails with ENOTFOUND, and names the models that there are. */
kedge_status model_missing(store_txn *txn, const char *name, kedge_error *err);

/* The model fitted last where `name` is NULL. ENOTFOUND. */
kedge_status model_open(store_txn *txn, const char *name, unsigned use,
                        kedge_model **out, kedge_error *err);

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

/* ---- names of topics ----------------------------------------------------- */

/* EINVAL unless `name` is UTF-8 without control characters and line ends and
 * not too long. The empty name will do. */
kedge_status naming_check(const char *name, kedge_error *err);

/* Bytes that the names of `topics` topics take in a header: none where no topic
 * has a name or `names` is NULL. */
size_t naming_size(const topic_name *names, size_t topics);
void naming_write(const topic_name *names, size_t topics, uint8_t *to);
/* false when the bytes are no names of so many topics. */
bool naming_read(topic_name *names, size_t topics, const uint8_t *from,
                 size_t size);

/* ---- methods ------------------------------------------------------------- */

#define METHODS_BYTES 7

/* The ways to topics as bytes of the header, as FORMAT.md has them: what is
 * usual becomes zeros. The seed is not among them. */
void methods_pack(const law_ways *w, uint8_t bytes[METHODS_BYTES]);

/* false for a way that there is not, or bits that mean nothing. */
bool methods_unpack(const uint8_t bytes[METHODS_BYTES], law_ways *w);

/* Whether all is as usual. */
bool methods_plain(const law_ways *w);

typedef enum method_option {
    METHOD_RECTIFY,
    METHOD_COOCCURRENCE,
    METHOD_WEIGHT,
    METHOD_ANCHORS,
    METHOD_SOLVER,
    METHOD_RECOVER,
} method_option;

/* As it is typed. */
const char *methods_name(method_option what, uint64_t value);

#define METHODS_TEXT 256 /* room for all that can be unusual */

/* What is not as usual, for people: "anchors fast, recover kl", or "". */
void methods_describe(const kedge_model *m, char text[METHODS_TEXT]);

/* ---- words as points ----------------------------------------------------- */

/* As embed_rows (topics/law.h) makes them: of the rectified Y where the model
 * keeps it, else of B A B', which is what the model makes of it; both of the
 * weighted words where they are weighted. */
typedef struct wordspace {
    double *x;       /* words x topics */
    bool *candidate; /* words: could be anchors, as far as the model tells */
    bool rectified;  /* x is of Y */
} wordspace;

kedge_status wordspace_make(pool *p, const kedge_model *m, wordspace *out,
                            kedge_error *err);
void wordspace_free(wordspace *w);

/* The cosine of two words; 0 where one of them is nowhere. */
double wordspace_cosine(const wordspace *w, size_t k, size_t a, size_t b);

/* ---- two models ---------------------------------------------------------- */

/* Their words as one list, and which topics are the same (topics/match.h). */
#define MODELMATCH_ABSENT UINT32_MAX

/* A model as far as it matters here. Row r is the word with id order[r], or r
 * itself where `order` is NULL; rows are in the order of the words' bytes. */
typedef struct modelmatch_side {
    const words *text;
    const uint32_t *order;
    size_t rows, k;
    const double *b;        /* rows x k: p(word | topic) */
    const uint64_t *anchor; /* k rows */
} modelmatch_side;

typedef struct modelmatch {
    /* the words of both, in the order of their bytes: the row of each in the
     * left and in the right model, or MODELMATCH_ABSENT */
    uint32_t *row[2];
    size_t words;
    double *distance; /* left x right: total variation of the topics */
    size_t *partner;  /* of each left topic: a right one, or MATCH_NONE */
    size_t matched;   /* pairs */
    double mean;      /* of their distances; 0 where there are none */
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
 * Models of the same index and documents and with the same options, one for
 * each number of topics (of several the one fitted last), and `m` itself among
 * them; by rising numbers. *count is at most COMPARABLE_MOST, the nearest ones
 * to m. ECORRUPT, EIO, ENOMEM.
 */
kedge_status comparable_find(store *s, const kedge_model *m,
                             comparable out[COMPARABLE_MOST], size_t *count,
                             kedge_error *err);

#endif
