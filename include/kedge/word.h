/* SPDX-License-Identifier: MIT */
#ifndef KEDGE_WORD_H
#define KEDGE_WORD_H
/*
 * What words mean to a model: their topics, the words that are most like them,
 * how often they occur, and how near they are to being anchors.
 */
#include <kedge/control.h>
#include <kedge/model.h>
#include <kedge/store.h>
#include <kedge/wordlist.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct kedge_word_opts {
    const char *model;  /* default NULL: the one fitted last */
    uint64_t near;      /* words that are like each, at most; default 10 */
    uint64_t spellings; /* offered for a word that is unknown, at most;
                           default 5 */
} kedge_word_opts;

KEDGE_API void kedge_word_opts_init(kedge_word_opts *opts);

typedef struct kedge_word_topic {
    uint64_t topic;           /* from 0 */
    double topic_probability; /* p(topic | word) */
    double probability;       /* p(word | topic) */
} kedge_word_topic;

typedef struct kedge_word_near {
    const char *word;
    double likeness; /* the cosine of the two words' rows: 1 where they go
                        together with others in the same way */
} kedge_word_near;

/* Whether a word of the model is one of its anchors, or could be. */
typedef enum kedge_word_anchor {
    KEDGE_WORD_ANCHOR = 0,    /* it is, of `anchor_topic` */
    KEDGE_WORD_CANDIDATE = 1, /* it could be; a list of banned words that the
                                 fit was given is not kept, see
                                 kedge_words_banned */
    KEDGE_WORD_RARE = 2,      /* it is in fewer documents than the floor */
    KEDGE_WORD_ALONE = 3,     /* it hardly goes with others: its row is empty
                                 or its sum is not above 0 */
} kedge_word_anchor;

/* A word that was asked for. What stands below `row` is of the model, and
 * zero where the word is not in it. */
typedef struct kedge_word_answer {
    const char *asked; /* the text that it came from */
    const char *word;  /* as the store has it; where it has none such, as texts
                          are cut, or "" where that leaves nothing of it */
    uint64_t tf, df;   /* in the documents that are in the store now; both 0:
                          it is unknown, or a phrase of the model */
    const char *const *spellings; /* words of the store that are spelt like one
                                     that is unknown, the nearest first */
    uint64_t spelling_count;
    uint64_t row;      /* KEDGE_NO_WORD: not in the model */
    uint64_t model_tf, model_df;    /* when it was fitted */
    double probability;             /* p(word) */
    const kedge_word_topic *topics; /* all of them, by falling share */
    const kedge_word_near *near;    /* by falling likeness */
    uint64_t near_count;
    kedge_word_anchor anchor;
    uint64_t anchor_topic; /* of an anchor; of another word the topic whose
                              anchor it came nearest to being; KEDGE_NO_TOPIC
                              where rank is 0 */
    uint64_t rank;     /* among the candidates by how far they stand out of the
                          anchors chosen before, from 1: the best of all steps.
                          0 where anchors were not chosen by pivoted QR from
                          the words alone */
    double stands_out; /* how far it did there, of how far the one chosen did */
} kedge_word_answer;

typedef struct kedge_words_answer kedge_words_answer;

/*
 * Looks `count` texts up, each a word as the store or the model has it; one
 * that they do not have is cut as the store's texts were (case, stems) and may
 * come to several words, each with an answer of its own. Rows are those of the
 * rectified co-occurrence where the model keeps its spectrum, else of what the
 * model makes of it, B A B'. A word that is unknown is an answer, no error.
 * The result belongs to the caller and is independent of the store.
 * `opts` may be NULL.
 * EINVAL, ENOTFOUND (no such model), EBUDGET, ECANCELED, ECORRUPT, ENUMERIC,
 * EIO, ENOMEM.
 */
KEDGE_API KEDGE_CHECKED kedge_status
kedge_words_ask(kedge_store *store, const char *const *texts, size_t count,
                const kedge_word_opts *opts, const kedge_control *control,
                kedge_words_answer **out, kedge_error *err);
KEDGE_API void kedge_words_free(kedge_words_answer *answer); /* accepts NULL */

KEDGE_API uint64_t kedge_words_count(const kedge_words_answer *answer);

/* The i-th answer, in the order of the texts; NULL past the end. It lives as
 * long as the whole. */
KEDGE_API const kedge_word_answer *
kedge_words_get(const kedge_words_answer *answer, uint64_t i);

/* The model that was asked, which lives as long. */
KEDGE_API const kedge_model *
kedge_words_model(const kedge_words_answer *answer);

/* Whether rows were the rectified ones; the floor of an anchor's documents,
 * and how many words could be anchors; and whether the fit was given words
 * that could not. */
KEDGE_API int kedge_words_rectified(const kedge_words_answer *answer);
KEDGE_API uint64_t kedge_words_anchor_floor(const kedge_words_answer *answer);
KEDGE_API uint64_t kedge_words_candidates(const kedge_words_answer *answer);
KEDGE_API int kedge_words_banned(const kedge_words_answer *answer);

#ifdef __cplusplus
}
#endif
#endif
