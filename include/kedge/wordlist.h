/* SPDX-License-Identifier: MIT */
#ifndef KEDGE_WORDLIST_H
#define KEDGE_WORDLIST_H
/*
 * The words of a store with their counts, and which indexes hold them. Words
 * that no document holds any more are not there.
 */
#include <kedge/control.h>
#include <kedge/store.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct kedge_wordlist kedge_wordlist;

/* Words that are equal in it come in the order of their bytes. */
typedef enum kedge_word_order {
    KEDGE_ORDER_TFIDF = 0, /* falling, as the next two */
    KEDGE_ORDER_TF = 1,
    KEDGE_ORDER_DF = 2,
    KEDGE_ORDER_WORD = 3, /* rising by their bytes */
} kedge_word_order;

typedef struct kedge_wordlist_opts {
    kedge_word_order order; /* default TFIDF */
    uint64_t min_df;        /* of documents that hold it, default 1 */
    uint64_t index;         /* words of this one alone, by its number; default
                               KEDGE_NO_INDEX: all */
} kedge_wordlist_opts;

KEDGE_API void kedge_wordlist_opts_init(kedge_wordlist_opts *opts);

typedef struct kedge_word_info {
    const char *word; /* any bytes, zero-terminated; lives as the list does */
    uint64_t tf;      /* how often it occurs */
    uint64_t df;      /* documents that hold it */
    double tf_idf;    /* tf ln(documents / df) */
} kedge_word_info;

/*
 * Loads the words that `opts` leaves (NULL: the defaults). The list belongs to
 * the caller, is independent of the store and never changes.
 * EINVAL, ENOTFOUND (no such index), EBUDGET, ECORRUPT, EIO, ENOMEM.
 */
KEDGE_API KEDGE_CHECKED kedge_status
kedge_wordlist_load(kedge_store *store, const kedge_wordlist_opts *opts,
                    const kedge_control *control, kedge_wordlist **out,
                    kedge_error *err);
KEDGE_API void kedge_wordlist_free(kedge_wordlist *list); /* accepts NULL */

KEDGE_API uint64_t kedge_wordlist_count(const kedge_wordlist *list);

/* The i-th word in the order asked for; `i` is below the count. */
KEDGE_API kedge_word_info kedge_wordlist_get(const kedge_wordlist *list,
                                             uint64_t i);

/* Where it is in the list; KEDGE_NO_WORD when it is not. */
#define KEDGE_NO_WORD UINT64_MAX
KEDGE_API uint64_t kedge_wordlist_find(const kedge_wordlist *list,
                                       const char *word);

/* The numbers of the indexes that hold the i-th word, rising: the first `room`
 * of them into `out`. Gives how many there are. */
KEDGE_API uint64_t kedge_wordlist_indexes(const kedge_wordlist *list,
                                          uint64_t i, uint64_t *out,
                                          uint64_t room);

/* Likewise of the indexes that join neighbours to this phrase, which need not
 * be in the list: documents hold it as such an index sees them alone. */
KEDGE_API uint64_t kedge_wordlist_phrase_indexes(const kedge_wordlist *list,
                                                 const char *phrase,
                                                 uint64_t *out, uint64_t room);

#ifdef __cplusplus
}
#endif
#endif
