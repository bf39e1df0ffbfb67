/* SPDX-License-Identifier: MIT */
#ifndef EXPORT_EXPORT_H
#define EXPORT_EXPORT_H
/* An export while it is written, and what others take of it (kedge/export.h
 * says what is in each of the files). */
#include <kedge/export.h>
#include <kedge/saved.h>

#include "ops/models/model.h"
#include "export/newfile.h"

typedef struct export {
    const kedge_model *m;
    const char *directory;
    const kedge_export_opts *opts;
    const kedge_control *control;
    kedge_saved_info kept; /* where there is */
    bool composed;        /* a set of compositions of all documents */
    newfile file; /* that is being written; discarded with the export */
} export;

/* topic_cooccurrence.graphml and topic_cooccurrence.csv, where they are asked for. */
kedge_status export_relations(export *e, kedge_error *err);

/*
 * What is of the documents, by one walk over the store: doc_topics.npy and
 * documents.txt where the export is composed, counts.mtx with documents.txt,
 * and what pyLDAvis and MALLET take. EBUDGET, ECANCELED, ECORRUPT, EIO, ENOMEM;
 * EINVAL where compositions are not of all documents any more.
 */
kedge_status export_documents(export *e, kedge_error *err);

/* What an export can have of documents, which is to be of all of them: finds
 * whether it is composed, and fails where it has to be. */
kedge_status export_find_compositions(export *e, kedge_error *err);

#endif
