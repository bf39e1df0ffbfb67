/* SPDX-License-Identifier: MIT */
#ifndef REPORT_DOCUMENTROWS_H
#define REPORT_DOCUMENTROWS_H
/* The compositions that are kept with a model, as files. */
#include <kedge/kept.h>
#include <kedge/model.h>

#include <stdbool.h>

/* compositions.npy and documents.txt; *written is false, and there are none,
 * where no set is kept, or one that is not of all documents, or of another
 * model of the name. `control`: NULL for the usual. `kept`: the set, when
 * written. */
kedge_status documentrows_write(kedge_store *s, const kedge_model *m,
                                const kedge_control *control,
                                const char *directory, kedge_kept_info *kept,
                                bool *written, kedge_error *err);

#endif
