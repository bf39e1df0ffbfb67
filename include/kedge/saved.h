/* SPDX-License-Identifier: MIT */
#ifndef KEDGE_SAVED_H
#define KEDGE_SAVED_H
/*
 * Topic proportions that are saved in the store with their model, one set per
 * model, made by kedge_infer with opts.save.
 *
 * They can be read document by document, or as the most typical documents of
 * each topic. Documents removed since then are skipped, documents added since
 * then are not in the set; kedge_saved_info counts both.
 *
 *   kedge_saved_open(store, NULL, &control, &saved, &err);
 *   while (kedge_saved_next(saved, &d, &err) == KEDGE_OK && d != NULL)
 *       printf("%s %g\n", d->id, d->proportions[0]);
 *   kedge_saved_close(saved);
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
    uint64_t documents; /* in the set */
    uint64_t removed;   /* of these, removed from the store since */
    uint64_t later;     /* added to the store since, not in the set */
    bool current;       /* removed and later are both 0 */
    char method[32];    /* "linear-bayes", ...: kedge_infer_method_name */
    char options[128];  /* of the method, for people */
    uint64_t proportions; /* stored numbers: those that are not 0 */
    uint64_t bytes;     /* size in the store */
    double error;       /* largest sum of the changes that saving made to a
                           document's proportions: small ones become 0, the
                           others are rounded to 1/65536, and the sum stays 1 */
} kedge_saved_info;

/*
 * Describes the set of the model `model` (NULL: the model fitted last).
 * ENOTFOUND (no such model, or it has no set; the message says which),
 * ECORRUPT, EIO, ENOMEM.
 */
KEDGE_API KEDGE_CHECKED kedge_status
kedge_saved_get_info(kedge_store *store, const char *model,
                     kedge_saved_info *out, kedge_error *err);

typedef struct kedge_saved kedge_saved;

typedef struct kedge_saved_document {
    const char *id; /* as in kedge_document; zero-terminated */
    size_t id_size;
    uint64_t tokens; /* occurrences of the model's words in the document */
    kedge_doc_flag flag;
    const double *proportions; /* p(topic | document): >= 0, sum 1 */
    uint64_t topics;
} kedge_saved_document;

/*
 * Opens the set of `model` (NULL: the model fitted last) for reading, in the
 * order of the store, as kedge_documents has it. The result belongs to the
 * caller (kedge_saved_close); until then the store handle must not be used for
 * anything else. Uses `memory` and `stop` of `control`, which must stay valid
 * until kedge_saved_close.
 * ENOTFOUND (as kedge_saved_get_info), EBUDGET, ECORRUPT, EIO, ENOMEM.
 */
KEDGE_API KEDGE_CHECKED kedge_status
kedge_saved_open(kedge_store *store, const char *model,
                 const kedge_control *control, kedge_saved **out,
                 kedge_error *err);

/* The set when it was opened; valid until kedge_saved_close. */
KEDGE_API const kedge_saved_info *kedge_saved_about(const kedge_saved *kept);

/*
 * The next document, valid until the next call; NULL after the last.
 * ECORRUPT, ECANCELED, EIO, ENOMEM.
 */
KEDGE_API KEDGE_CHECKED kedge_status
kedge_saved_next(kedge_saved *kept, const kedge_saved_document **out,
                 kedge_error *err);

/* Frees; accepts NULL. */
KEDGE_API void kedge_saved_close(kedge_saved *kept);

/* ---- typical documents --------------------------------------------------- */

typedef struct kedge_typical_document {
    const char *id; /* as in kedge_document; strings end with a zero */
    size_t id_size;
    const char *label; /* "": none */
    size_t label_size;
    const char *text; /* its first words, as the tokenizer made them; "": the
                         store has no order of words */
    size_t text_size;
    double proportion; /* of the topic in the document */
    double at_least;   /* the rank: see kedge_typical_find */
    uint64_t tokens;   /* occurrences of the model's words in it */
} kedge_typical_document;

typedef struct kedge_typical kedge_typical;

#define KEDGE_TYPICAL_MOST 1000 /* documents per topic */

/*
 * Finds the `count` (1 to KEDGE_TYPICAL_MOST) most typical documents of each
 * topic of `model` (NULL: the model fitted last) in its saved proportions.
 *
 * The proportion alone would favour documents of three words. So documents are
 * ranked by Wilson's lower bound of the proportion p at two standard
 * deviations, for n tokens:
 *
 *   (p + 2/n - 2 sqrt(p (1 - p) / n + 1/n²)) / (1 + 4/n)
 *
 * Ties: the longer document first, then the earlier in the store. Left out are
 * documents without a word of the model and proportions below 0.005. Among the
 * first `count` + 20, documents with fewer than five different words come last.
 *
 * The result belongs to the caller (kedge_typical_free) and is independent of
 * the store. EINVAL, ENOTFOUND (as kedge_saved_get_info), EBUDGET, ECORRUPT,
 * ECANCELED, EIO, ENOMEM.
 */
KEDGE_API KEDGE_CHECKED kedge_status
kedge_typical_find(kedge_store *store, const char *model, uint64_t count,
                   const kedge_control *control, kedge_typical **out,
                   kedge_error *err);

/* The set that the documents are from; valid until kedge_typical_free. */
KEDGE_API const kedge_saved_info *
kedge_typical_about(const kedge_typical *typical);

/* The number of documents found for a topic, from 0: at most the `count` of
 * kedge_typical_find; 0 if there is no such topic. */
KEDGE_API uint64_t kedge_typical_count(const kedge_typical *typical,
                                       uint64_t topic);

/* The i-th document of a topic; NULL past the end. Valid until
 * kedge_typical_free. */
KEDGE_API const kedge_typical_document *
kedge_typical_get(const kedge_typical *typical, uint64_t topic, uint64_t i);

/* Accepts NULL. */
KEDGE_API void kedge_typical_free(kedge_typical *typical);

#ifdef __cplusplus
}
#endif
#endif
