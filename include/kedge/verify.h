/* SPDX-License-Identifier: MIT */
#ifndef KEDGE_VERIFY_H
#define KEDGE_VERIFY_H
/*
 * Checks a store: reads every record, counts words and totals again from the
 * documents, and computes digests.
 *
 *   kedge_verify(store, NULL, NULL, &control, &result, &err);
 *   printf("%llu damaged\n", (unsigned long long)result.damaged);
 *   kedge_verify_free(&result);
 *
 * Two stores with the same content have the same digests, in whatever order the
 * documents came and whether others were removed. Ids, labels and sources are
 * not in the digests.
 */
#include <kedge/control.h>
#include <kedge/store.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct kedge_verified_index {
    uint64_t number;
    bool current;    /* as in kedge_index_info */
    uint64_t digest; /* of the words and rows of its sketch; empty rows are left
                        out */
} kedge_verified_index;

typedef struct kedge_verified_model {
    char name[64];
    uint64_t digest; /* of its options, figures and arrays; not of labels */
} kedge_verified_model;

typedef struct kedge_verify_result {
    uint64_t records; /* read */
    uint64_t damaged; /* findings; 0: the store is sound */
    bool counted;     /* the members below are valid: no record is damaged */
    uint64_t documents, tokens, nonzeros; /* counted again; the figures of
                           imported parts are added unchecked */
    uint64_t elsewhere; /* documents of these parts (kedge/parts.h) */
    uint64_t words;   /* that occur in documents */
    uint64_t documents_digest[2]; /* as in kedge_store_info */
    uint64_t vocabulary_digest;   /* of these words with tf and df */
    kedge_verified_index *indexes; /* by number */
    kedge_verified_model *models;  /* by name */
    uint64_t index_count, model_count;
    uint64_t planned_memory;
    double seconds;
    bool has_parts;   /* the store has imported parts, as far as can be read:
                         kedge_repair cannot make their counts and sketches
                         again, import the parts again */
} kedge_verify_result;

/* Receives each finding, on the calling thread: `what` names the record, `why`
 * is what is wrong with it. */
typedef void kedge_verify_found(void *data, const char *what, const char *why);

/*
 * Verifies the whole store, as it is at this moment. Damage is not a failure:
 * `found`, which may be NULL, receives each finding with `data`, and
 * out->damaged counts them. The result belongs to the caller
 * (kedge_verify_free). Calls `stop` only after all records were read.
 * EINVAL, EBUDGET, EIO, ECANCELED, ENOMEM.
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
