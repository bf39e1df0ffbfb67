/* SPDX-License-Identifier: MIT */
#ifndef REPORT_VISROWS_H
#define REPORT_VISROWS_H
/* What pyLDAvis.prepare takes, beside compositions.npy and vocab.txt. */
#include <kedge/control.h>
#include <kedge/model.h>

/* topic_term_dists.npy, doc_lengths.npy and term_frequency.npy, by one pass
 * over the store, of the documents that compositions are kept of: fails as
 * showing_check. `control`: NULL for the usual. EBUDGET, ECANCELED, ECORRUPT,
 * EIO, ENOMEM. */
kedge_status visrows_write(kedge_store *s, const kedge_model *m,
                           const kedge_control *control, const char *directory,
                           kedge_error *err);

#endif
