/* SPDX-License-Identifier: MIT */
#ifndef KEDGE_REPORT_H
#define KEDGE_REPORT_H
/*
 * A model as one HTML page, for people.
 *
 * The file contains everything that it needs and opens in any browser without a
 * network. Words, ids and labels of the corpus are escaped, never markup. The
 * same store and options give the same bytes: the page has no times, and no
 * paths except those of sources, in the names of documents without an id.
 */
#include <kedge/control.h>
#include <kedge/model.h>
#include <kedge/store.h>

#ifdef __cplusplus
extern "C" {
#endif

#define KEDGE_REPORT_DOCUMENTS_MOST 50

typedef struct kedge_report_opts {
    bool measures;      /* make a pass over the stored documents for the
                           measures of kedge_eval: for each topic, for the
                           model, and for models with other numbers of topics
                           that were fitted with the same options. False: only
                           measures that need no documents. Default true */
    uint64_t documents; /* typical documents of each topic, if the store has
                           saved topic proportions (kedge/saved.h): 0 to
                           KEDGE_REPORT_DOCUMENTS_MOST; default 5 */
} kedge_report_opts;

KEDGE_API void kedge_report_opts_init(kedge_report_opts *opts);

typedef struct kedge_report_result {
    uint64_t bytes;    /* size of the page */
    uint64_t words;    /* words of the model that its search finds */
    uint64_t models;   /* models with other numbers of topics in it */
    bool doc_topics;   /* the store has saved topic proportions */
} kedge_report_result;

/*
 * Writes the page of `model`, which is from this store, to the file `path`. The
 * file appears whole or not at all. Reads the store and does not change it.
 * `out` may be NULL.
 * EINVAL, EBUDGET, ECORRUPT, ECANCELED, ENUMERIC, EIO, ENOMEM.
 */
KEDGE_API KEDGE_CHECKED kedge_status
kedge_report(kedge_store *store, const kedge_model *model, const char *path,
             const kedge_report_opts *opts, const kedge_control *control,
             kedge_report_result *out, kedge_error *err);

#ifdef __cplusplus
}
#endif
#endif
