/* SPDX-License-Identifier: MIT */
#ifndef REPORT_COUNTROWS_H
#define REPORT_COUNTROWS_H
/* How often each document has each word of a model, as a file. */
#include <kedge/control.h>
#include <kedge/model.h>

#include <stdbool.h>

/* counts.mtx, documents x words in the coordinates of Matrix Market, by one
 * pass over the store; and documents.txt beside it, unless the compositions
 * that are `kept` come with it already: then it is of the same documents, or
 * fails as showing_check. `control`: NULL for the usual. EBUDGET, ECANCELED,
 * ECORRUPT, EIO, ENOMEM. */
kedge_status countrows_write(kedge_store *s, const kedge_model *m,
                             const kedge_control *control,
                             const char *directory, bool kept,
                             kedge_error *err);

#endif
