/* SPDX-License-Identifier: MIT */
#ifndef KEDGE_BENCH_H
#define KEDGE_BENCH_H
/*
 * Synthetic corpora of any size, to measure with: words as frequent as those of
 * texts, documents of their lengths and as full of repetitions, and topics that
 * are planted in them, some of which go together.
 *
 * A document is a function of the options and of its number alone. So any part
 * of a corpus can be made by itself, and what is made is the same again.
 */
#include <stdint.h>

#include <kedge/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Collections whose measures a corpus can have. */
typedef enum kedge_shape {
    KEDGE_SHAPE_NYTIMES = 0, /* articles: 300,000 documents, 102,660 words,
                                332 tokens a document, 232 of them different */
    KEDGE_SHAPE_PUBMED = 1,  /* abstracts: 8,200,000 documents, 141,043 words,
                                90 tokens a document, 59 of them different */
} kedge_shape;

typedef struct kedge_corpus_opts {
    uint64_t documents;  /* that the collection has. Documents do not depend on
                            it, and more of them can be made */
    uint64_t vocabulary; /* words: 32 for each topic or more, up to 2^24 */
    uint64_t topics;     /* planted: 2 to 2000 */
    uint64_t seed;       /* default 1 */
    double tokens;       /* of a document on average, 1 to 100,000 */
    double spread;       /* standard deviation of their logarithm, 0 to 2 */
    double exponent;     /* the word of rank r has a share of tokens like */
    double shift;        /* (r + shift)^-exponent; 0.1 to 5, and 0 to 1e6 */
    double repeat;       /* chance that a word which was drawn comes once more,
                            0 to 0.9: without it a document's words would be
                            far more different than those of texts */
    uint64_t memory;     /* resident bytes at most; 0, the default: any */
} kedge_corpus_opts;

/* What a shape has, with 100 topics. */
KEDGE_API void kedge_corpus_opts_init(kedge_corpus_opts *opts,
                                      kedge_shape shape);

typedef struct kedge_corpus kedge_corpus;

/* Bytes that a program which makes this corpus takes at most: some 40 for each
 * word, and room for a document. The options are valid. */
KEDGE_API uint64_t kedge_corpus_memusage(const kedge_corpus_opts *opts);

/* Prepares the words and a document's worth of room; one thread at a time may
 * use it. EINVAL, EBUDGET where opts->memory is too little, ENOMEM. */
KEDGE_API KEDGE_CHECKED kedge_status
kedge_corpus_create(const kedge_corpus_opts *opts, kedge_corpus **out,
                    kedge_error *err);
KEDGE_API void kedge_corpus_free(kedge_corpus *corpus); /* accepts NULL */

/*
 * The word of a number from 0, written into `out`; "" past the last. It tells
 * what is planted: w17 is a general word, the 17th most frequent of all,
 * t3w204 is of topic 3, and t3t40w98 of topics 3 and 40. Topics are numbered
 * from 1.
 */
enum { KEDGE_CORPUS_WORD = 32 };
KEDGE_API const char *kedge_corpus_word(const kedge_corpus *corpus,
                                        uint64_t number,
                                        char out[KEDGE_CORPUS_WORD]);

/*
 * Writes lines into `out`, of the documents *next, *next + 1, ... below `end`,
 * as long as there is room for another one whatever its length, and moves
 * *next on; gives the bytes. A line is "entries word:count ...", words by
 * number and rising: KEDGE_FORMAT_LDAC. A document has a word at least.
 * With room for kedge_corpus_line bytes or more, there is always a line.
 */
KEDGE_API uint64_t kedge_corpus_lines(kedge_corpus *corpus, uint64_t *next,
                                      uint64_t end, char *out, uint64_t room);
KEDGE_API uint64_t kedge_corpus_line(const kedge_corpus *corpus);

#ifdef __cplusplus
}
#endif
#endif
