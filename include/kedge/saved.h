/* SPDX-License-Identifier: MIT */
#ifndef KEDGE_SAVED_H
#define KEDGE_SAVED_H
/*
 * Compositions that are kept in the store beside their model: made by
 * kedge_infer with opts.keep, one set a model. They are told document by
 * document, or by the most typical documents of each topic. What was removed
 * from the store since is not told any more, and what came since is not in the
 * set: the set says of how many documents this is so, until it is made again.
 *
 *   kedge_saved_open(store, NULL, &control, &kept, &err);
 *   while (kedge_saved_next(kept, &d, &err) == KEDGE_OK && d != NULL)
 *       printf("%s %g\n", d->id, d->shares[0]);
 *   kedge_saved_close(kept);
 */
#include <kedge/control.h>
#include <kedge/infer.h>
#include <kedge/store.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct kedge_saved_info {
    char model[64];
    uint64_t topics;
    uint64_t documents; /* that the set was made of; of these */
    uint64_t removed;   /* left the store since, */
    uint64_t later;     /* and so many came to the store since */
    bool current;       /* none of either */
    char method[32];    /* that found them: "linear-bayes", ... */
    char options[128];  /* of it, for people */
    uint64_t proportions; /* of a topic in a document, that are not 0 */
    uint64_t bytes;     /* as they are stored */
    double error;       /* by so much at most keeping changed the shares of a
                           document, all added up: small ones are left out,
                           the others rounded to 1/65536 and of the sum one */
} kedge_saved_info;

/*
 * What is kept with the model `model` (NULL: the one fitted last). ENOTFOUND
 * when there is no such model, or no set with it; the text says which.
 * ENOTFOUND, ECORRUPT, EIO, ENOMEM.
 */
KEDGE_API KEDGE_CHECKED kedge_status
kedge_saved_get_info(kedge_store *store, const char *model,
                     kedge_saved_info *out, kedge_error *err);

typedef struct kedge_saved kedge_saved;

typedef struct kedge_saved_document {
    const char *id; /* as in kedge_document; a zero at the end */
    size_t id_size;
    uint64_t tokens; /* that topics were found by */
    kedge_doc_flag flag;
    const double *proportions; /* of the topics: not negative, of the sum one */
    uint64_t topics;
} kedge_saved_document;

/*
 * Begins with the first document of the set that is still there; they come in
 * the order of the store, as kedge_documents gives them. Until
 * kedge_saved_close nothing else may be done with the handle. Of `control`,
 * memory and `stop` count. ENOTFOUND (as above), EBUDGET, ECORRUPT, EIO,
 * ENOMEM; *out is NULL then.
 */
KEDGE_API KEDGE_CHECKED kedge_status
kedge_saved_open(kedge_store *store, const char *model,
                 const kedge_control *control, kedge_saved **out,
                 kedge_error *err);

/* As of when it was opened; lives as long as the handle. */
KEDGE_API const kedge_saved_info *kedge_saved_about(const kedge_saved *kept);

/*
 * The next document, which lasts until the next call; NULL after the last.
 * ECORRUPT, ECANCELED, EIO, ENOMEM.
 */
KEDGE_API KEDGE_CHECKED kedge_status
kedge_saved_next(kedge_saved *kept, const kedge_saved_document **out,
                 kedge_error *err);

/* Accepts NULL. */
KEDGE_API void kedge_saved_close(kedge_saved *kept);

/* ---- typical documents --------------------------------------------------- */

typedef struct kedge_typical_document {
    const char *id; /* as in kedge_document; texts end with a zero */
    size_t id_size;
    const char *label; /* "": it has none */
    size_t label_size;
    const char *text; /* its first words, as they were cut; "": the order of
                         words is not stored */
    size_t text_size;
    double proportion; /* that the topic has of it */
    double at_least;   /* what it is ranked by; see kedge_typical_find */
    uint64_t tokens;   /* that topics were found by */
} kedge_typical_document;

typedef struct kedge_typical kedge_typical;

#define KEDGE_TYPICAL_MOST 1000 /* documents of a topic */

/*
 * The `count` most typical documents of each topic, 1 to KEDGE_TYPICAL_MOST. A
 * document of three words can be of one topic alone and tell nothing of it. So
 * documents are in the order of what their share is at least, were their
 * tokens drawn one by one: Wilson's lower bound at two standard deviations, for
 * a share p of n tokens
 *
 *   (p + 2/n - 2 sqrt(p (1 - p) / n + 1/n²)) / (1 + 4/n)
 *
 * Those without a token that the model knows are not there, nor those with a
 * share below 0.005, which would be told as none. Of equal ones the longer
 * comes first, then the earlier in the store. Documents of fewer than five
 * different words, a word a thousand times over, come after all others of the
 * first `count` + 20.
 *
 * The result is independent of the store and belongs to the caller
 * (kedge_typical_free). EINVAL, ENOTFOUND (as kedge_saved_get_info), EBUDGET,
 * ECORRUPT, ECANCELED, EIO, ENOMEM; *out is NULL then.
 */
KEDGE_API KEDGE_CHECKED kedge_status
kedge_typical_find(kedge_store *store, const char *model, uint64_t count,
                   const kedge_control *control, kedge_typical **out,
                   kedge_error *err);

/* The set that they are of. */
KEDGE_API const kedge_saved_info *
kedge_typical_about(const kedge_typical *typical);

/* How many a topic has: fewer than asked for where there are no more; 0 of a
 * topic that is not there. */
KEDGE_API uint64_t kedge_typical_count(const kedge_typical *typical,
                                       uint64_t topic);

/* The i-th of a topic, which lives as long as the result; NULL past the end. */
KEDGE_API const kedge_typical_document *
kedge_typical_get(const kedge_typical *typical, uint64_t topic, uint64_t i);

/* Accepts NULL. */
KEDGE_API void kedge_typical_free(kedge_typical *typical);

#ifdef __cplusplus
}
#endif
#endif
