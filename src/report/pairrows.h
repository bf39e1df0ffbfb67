/* SPDX-License-Identifier: MIT */
#ifndef REPORT_PAIRROWS_H
#define REPORT_PAIRROWS_H
/* The co-occurrence of a model's words, as a file. */
#include <kedge/export.h>

/* cooccurrence.npy, words x words, or cooccurrence.mtx, what of it is not zero
 * in the coordinates of Matrix Market. `control`: NULL for the usual. */
kedge_status pairrows_write(kedge_store *s, const kedge_model *m,
                            kedge_export_pairs pairs,
                            const kedge_control *control,
                            const char *directory, kedge_error *err);

#endif
