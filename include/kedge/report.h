/* SPDX-License-Identifier: MIT */
#ifndef KEDGE_REPORT_H
#define KEDGE_REPORT_H
/*
 * A model as one page for people: a file of HTML that holds all it needs, opens
 * in any browser and asks nothing of a network. Words, ids and names of the
 * corpus are data in it and never markup. The bytes are a function of the
 * store's content and of the options: there are no times in it, and no paths
 * but of sources, by which documents without an id are called.
 */
#include <kedge/control.h>
#include <kedge/model.h>
#include <kedge/store.h>

#ifdef __cplusplus
extern "C" {
#endif

#define KEDGE_REPORT_DOCUMENTS_MOST 50

typedef struct kedge_report_opts {
    bool measures;      /* a pass over the stored documents for kedge_eval's
                           measures, of each topic and of the model, and of
                           models of other numbers of topics that were fitted
                           alike; default true. Without it: those that follow
                           from the models alone */
    uint64_t documents; /* typical ones of each topic, where compositions are
                           kept: 0 to KEDGE_REPORT_DOCUMENTS_MOST; default 5 */
} kedge_report_opts;

KEDGE_API void kedge_report_opts_init(kedge_report_opts *opts);

typedef struct kedge_report_result {
    uint64_t bytes;    /* of the page */
    uint64_t words;    /* that its search finds, of those of the model */
    uint64_t models;   /* of other numbers of topics that it compares with */
    bool doc_topics;   /* kept ones were there */
} kedge_report_result;

/*
 * Writes the page of a model of this store to the file `path`, which appears
 * whole or not at all. The store is only read, and nothing else is done with
 * the handle meanwhile; `opts` and `control` may be NULL: the defaults. `out`
 * may be NULL. The same for any number of threads.
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
