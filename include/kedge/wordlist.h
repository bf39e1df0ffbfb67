/* SPDX-License-Identifier: MIT */
#ifndef KEDGE_WORDLIST_H
#define KEDGE_WORDLIST_H
/*
 * The words of a store with their counts and indexes. Words that no document
 * has any more are left out.
 *
 *   kedge_wordlist_load(store, NULL, NULL, &list, &err);
 *   for (uint64_t i = 0; i < kedge_wordlist_count(list); i++)
 *       puts(kedge_wordlist_get(list, i).word);
 */
#include <kedge/control.h>
#include <kedge/store.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct kedge_wordlist kedge_wordlist;

/* Ties are in the order of the words' bytes. */
typedef enum kedge_word_order {
    KEDGE_ORDER_TFIDF = 0, /* falling */
    KEDGE_ORDER_TF = 1,    /* falling */
    KEDGE_ORDER_DF = 2,    /* falling */
    KEDGE_ORDER_WORD = 3,  /* rising, by bytes */
} kedge_word_order;

typedef struct kedge_wordlist_opts {
    kedge_word_order order; /* default TFIDF */
    uint64_t min_df;        /* least number of documents of a word; default 1 */
    uint64_t index;         /* number of an index: only its words; default
                               KEDGE_NO_INDEX: all words of the store */
} kedge_wordlist_opts;

KEDGE_API void kedge_wordlist_opts_init(kedge_wordlist_opts *opts);

typedef struct kedge_word_info {
    const char *word; /* any bytes, zero-terminated; valid until free */
    uint64_t tf;      /* occurrences */
    uint64_t df;      /* documents with the word */
    double tf_idf;    /* tf ln(documents / df) */
} kedge_word_info;

/*
 * Loads the words that `opts` selects. The list belongs to the caller
 * (kedge_wordlist_free), is independent of the store and never changes.
 * EINVAL, ENOTFOUND (no such index), EBUDGET, ECORRUPT, EIO, ENOMEM.
 */
KEDGE_API KEDGE_CHECKED kedge_status
kedge_wordlist_load(kedge_store *store, const kedge_wordlist_opts *opts,
                    const kedge_control *control, kedge_wordlist **out,
                    kedge_error *err);
KEDGE_API void kedge_wordlist_free(kedge_wordlist *list); /* accepts NULL */

KEDGE_API uint64_t kedge_wordlist_count(const kedge_wordlist *list);

/* The i-th word in the order of opts; `i` is below the count. */
KEDGE_API kedge_word_info kedge_wordlist_get(const kedge_wordlist *list,
                                             uint64_t i);

/* The position of a word in the list; KEDGE_NO_WORD: not there. */
#define KEDGE_NO_WORD UINT64_MAX
KEDGE_API uint64_t kedge_wordlist_find(const kedge_wordlist *list,
                                       const char *word);

/* Writes the numbers of the indexes with the i-th word, rising, into `out`, at
 * most `room` of them. Returns how many indexes have the word. */
KEDGE_API uint64_t kedge_wordlist_indexes(const kedge_wordlist *list,
                                          uint64_t i, uint64_t *out,
                                          uint64_t room);

/* The same for the indexes with this phrase, which need not be in the list:
 * only indexes have phrases, documents have words. */
KEDGE_API uint64_t kedge_wordlist_phrase_indexes(const kedge_wordlist *list,
                                                 const char *phrase,
                                                 uint64_t *out, uint64_t room);

#ifdef __cplusplus
}
#endif
#endif
