/* SPDX-License-Identifier: MIT */
#ifndef EXPORT_EXPORT_H
#define EXPORT_EXPORT_H
/* An export while it is written, and what others take of it (kedge/export.h
 * says what is in each of the files). */
#include <kedge/export.h>
#include <kedge/saved.h>

#include "export/newfile.h"
#include "ops/models/model.h"

typedef struct export {
    const kedge_model *m;
    const char *directory;
    const kedge_export_opts *opts;
    const kedge_control *control;
    kedge_saved_info kept; /* where there is */
    bool composed;        /* a set of compositions of all documents */
    newfile file; /* that is being written; discarded with the export */
} export;

/* topic_cooccurrence.graphml and topic_cooccurrence.csv, where they are asked
 * for. */
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

/* ---- model.json --------------------------------------------------------- */

/* What a model is, of what, how made and how good: a function of documents,
 * options and seed: no times, paths, threads or store's numbers. */

/* Files are there for one of these reasons each. */
enum export_part { ALWAYS, WEIGHTS, SPECTRUM, KEPT, NAMED, DENSE, SPARSE,
                   GRAPHML, CSV, COUNTS, PYLDAVIS, MALLET, EXPORT_PARTS };

/* All files that an export can have. */
typedef struct export_file {
    const char *name;
    enum export_part part;
    bool array;
    const char *meaning;  /* or NULL: model.json does not tell */
    const char *weighted; /* the same where words were weighted, or NULL */
} export_file;

extern const export_file export_files[];
extern const size_t export_file_count;

/* Those of an export: `kept`, with compositions. */
void export_find_parts(const kedge_model *m, const kedge_export_opts *opts,
                       bool kept, bool has[EXPORT_PARTS]);

/* The list of arrays has what the options ask for, and unless `kept` is NULL
 * the compositions, of which it tells. `stored`: with the number of the index
 * in the store: indexes are numbered as they come, so another store of the same
 * documents may have other numbers. ENOMEM. `out` is empty before, and after a
 * failure. */
kedge_status summary_write(const kedge_model *m, const kedge_export_opts *opts,
                           bool stored, const kedge_saved_info *kept,
                           textbuf *out, kedge_error *err);

/* All that it says of the model itself, as members of the object that is open.
 */
void summary_put_model(jsontext *j, const kedge_model *m, bool stored);

#endif
