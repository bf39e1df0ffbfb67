/* SPDX-License-Identifier: MIT */
#ifndef REPORT_SUMMARY_H
#define REPORT_SUMMARY_H
/*
 * model.json: what a model is, of what, how made and how good. A function of
 * documents, options and seed: no times, paths, threads or store's numbers.
 */
#include <kedge/export.h>
#include <kedge/kept.h>

#include "pipeline/models/model.h"
#include "report/jsontext.h"

/* The list of arrays has what the options ask for, and unless `kept` is NULL
 * the compositions, of which it tells. `stored`: with the number of the view in
 * the store: views are numbered as they come, so another store of the same
 * documents may have other numbers. ENOMEM. `out` is empty before, and after a
 * failure. */
kedge_status summary_write(const kedge_model *m, const kedge_export_opts *opts,
                           bool stored, const kedge_kept_info *kept,
                           textbuf *out, kedge_error *err);

/* All that it says of the model itself, as members of the object that is open.
 */
void summary_put_model(jsontext *j, const kedge_model *m, bool stored);

#endif
