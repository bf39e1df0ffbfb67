/* SPDX-License-Identifier: MIT */
#ifndef KEDGE_WORD_H
#define KEDGE_WORD_H
/*
 * Words in a model: their topics, similar words, counts, and whether they are
 * anchor words or could be.
 *
 *   kedge_words_ask(store, texts, 1, NULL, NULL, &answer, &err);
 *   printf("%s %g\n", kedge_words_get(answer, 0)->word,
 *          kedge_words_get(answer, 0)->probability);
 *   kedge_words_free(answer);
 */
#include <kedge/control.h>
#include <kedge/model.h>
#include <kedge/store.h>
#include <kedge/wordlist.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct kedge_word_opts {
    const char *model;  /* name; NULL (default): the model fitted last */
    uint64_t near;      /* most similar words to list; default 10 */
    uint64_t spellings; /* most spelling suggestions for an unknown word;
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
    double likeness; /* cosine of the co-occurrence rows of the two words: 1 if
                        they co-occur with the same words */
} kedge_word_near;

/* Whether a word of the model is an anchor word, or could be one. */
typedef enum kedge_word_anchor {
    KEDGE_WORD_ANCHOR = 0,    /* the anchor of `anchor_topic` */
    KEDGE_WORD_CANDIDATE = 1, /* could be an anchor. Words of anchor_ban too:
                                 the model does not store that list, see
                                 kedge_words_banned */
    KEDGE_WORD_RARE = 2,      /* in fewer documents than anchor_min_df */
    KEDGE_WORD_ALONE = 3,     /* hardly co-occurs with others: its row is empty,
                                 or the sum of its row is not positive */
} kedge_word_anchor;

/* The answer for one word. Members below `row` are from the model, and zero if
 * the word is not in it. */
typedef struct kedge_word_answer {
    const char *asked; /* the text that was passed */
    const char *word;  /* as the store has it; for an unknown word the output
                          of the tokenizer, which may be "" */
    uint64_t tf, df;   /* occurrences, and documents with the word, in the store
                          now; both 0: unknown, or a phrase of the model */
    const char *const *spellings; /* of an unknown word: words of the store with
                                     similar spelling, nearest first */
    uint64_t spelling_count;
    uint64_t row;      /* in the model; KEDGE_NO_WORD: not in it */
    uint64_t model_tf, model_df;    /* tf and df when the model was fitted */
    double probability;             /* p(word) */
    const kedge_word_topic *topics; /* all topics, by falling p(topic | word) */
    const kedge_word_near *near;    /* by falling likeness */
    uint64_t near_count;
    kedge_word_anchor anchor;
    uint64_t anchor_topic; /* for an anchor its topic; otherwise the topic at
                              whose step it had the best `rank`;
                              KEDGE_NO_TOPIC if rank is 0 */
    uint64_t rank;     /* best rank, from 1, that the word had among the
                          candidates at any step of the anchor selection, by
                          distance from the span of the anchors before. 0 if the
                          anchors were not chosen by pivoted QR alone */
    double stands_out; /* that distance, divided by the chosen anchor's */
} kedge_word_answer;

typedef struct kedge_words_answer kedge_words_answer;

/*
 * Looks up `count` texts, each a word as the store or the model has it. Other
 * texts go through the store's tokenizer (case, stems) and can give several
 * words, each with its own answer. An unknown word is an answer, not an error.
 *
 * Similar words are found by the rows of the rectified co-occurrence if the
 * model has it (kedge_fit_opts.save_spectrum), otherwise by the rows of B A B'.
 *
 * The result belongs to the caller (kedge_words_free) and is independent of the
 * store.
 * EINVAL, ENOTFOUND (no such model), EBUDGET, ECANCELED, ECORRUPT, ENUMERIC,
 * EIO, ENOMEM.
 */
KEDGE_API KEDGE_CHECKED kedge_status
kedge_words_ask(kedge_store *store, const char *const *texts, size_t count,
                const kedge_word_opts *opts, const kedge_control *control,
                kedge_words_answer **out, kedge_error *err);
KEDGE_API void kedge_words_free(kedge_words_answer *answer); /* accepts NULL */

KEDGE_API uint64_t kedge_words_count(const kedge_words_answer *answer);

/* The i-th answer, in the order of the texts; NULL past the end. Valid until
 * kedge_words_free. */
KEDGE_API const kedge_word_answer *
kedge_words_get(const kedge_words_answer *answer, uint64_t i);

/* The model of the answers. Valid until kedge_words_free. */
KEDGE_API const kedge_model *
kedge_words_model(const kedge_words_answer *answer);

/* Whether similar words were found by the rectified co-occurrence; the
 * anchor_min_df of the fit; the number of anchor candidates; whether the fit
 * had an anchor_ban. */
KEDGE_API int kedge_words_rectified(const kedge_words_answer *answer);
KEDGE_API uint64_t kedge_words_anchor_floor(const kedge_words_answer *answer);
KEDGE_API uint64_t kedge_words_candidates(const kedge_words_answer *answer);
KEDGE_API int kedge_words_banned(const kedge_words_answer *answer);

#ifdef __cplusplus
}
#endif
#endif
