/* SPDX-License-Identifier: MIT */
#ifndef KEDGE_VERIFY_H
#define KEDGE_VERIFY_H
/*
 * Whether a store is whole: every record is read and checked, the counts of
 * words and the totals are made again from the documents, and all is summed up
 * in digests by which two stores can be compared.
 *
 * Digests tell what is in a store and not how it came there: they are the same
 * for any order of the sources, for documents that were removed and for such
 * that never came, and do not depend on ids, labels and the ledger.
 */
#include <kedge/control.h>
#include <kedge/store.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct kedge_verified_index {
    uint64_t number;
    bool current;    /* as in kedge_index_info */
    uint64_t digest; /* of its sketch: words and rows, but empty rows */
} kedge_verified_index;

typedef struct kedge_verified_model {
    char name[64];
    uint64_t digest; /* of what was asked for, figures and arrays; not of the
                        topics' names */
} kedge_verified_model;

typedef struct kedge_verify_result {
    uint64_t records; /* looked at */
    uint64_t damaged; /* findings; 0: the store is whole */
    bool counted;     /* all that follows was found out; it is not where a
                         record is damaged */
    uint64_t documents, tokens, nonzeros; /* as counted now, */
    uint64_t elsewhere; /* but so many, of parts, which are added as they are
                           told (kedge/parts.h) */
    uint64_t words;   /* that a document holds */
    uint64_t documents_digest[2]; /* the same as in kedge_store_info */
    uint64_t vocabulary_digest;   /* of these words with tf and df */
    kedge_verified_index *indexes; /* by number */
    kedge_verified_model *models;  /* by name */
    uint64_t index_count, model_count;
    uint64_t planned_memory;
    double seconds;
    bool has_parts;   /* whose documents are elsewhere, as far as can be seen:
                         what is damaged then cannot be made again here
                         (kedge_repair), the parts have to come again */
} kedge_verify_result;

/* Is told of each finding, on the thread that called: `what` names the record,
 * `why` says what is wrong with it. */
typedef void kedge_verify_found(void *data, const char *what, const char *why);

/*
 * Looks at the whole store, in one snapshot. Damage is no failure: `found`,
 * which may be NULL, is told of it, and the result has its number. The result
 * belongs to the caller (kedge_verify_free); it is empty on failure. `stop` is
 * asked once all records were read, and from then on often.
 * EBUDGET, EIO, ECANCELED, ENOMEM.
 */
KEDGE_API KEDGE_CHECKED kedge_status
kedge_verify(kedge_store *store, kedge_verify_found *found, void *data,
             const kedge_control *control, kedge_verify_result *out,
             kedge_error *err);
KEDGE_API void kedge_verify_free(kedge_verify_result *result);

#ifdef __cplusplus
}
#endif
#endif
