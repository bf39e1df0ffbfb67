/* SPDX-License-Identifier: MIT */
#ifndef CLI_MEASURES_H
#define CLI_MEASURES_H
/* Measures of models: as tables, as curves, for programs, and what they are. */
#include <kedge/eval.h>

#include "options.h"
#include "print.h"

/* How models are measured. The choices are places in lists of their own. */
typedef struct measuring {
    kedge_eval_opts opts;
    unsigned rank, statistic;
} measuring;

extern const option measuring_options[]; /* of such a struct */

void measuring_begin(measuring *m);
/* After the options were read. */
void measuring_take(measuring *m);

/* "-", where it is not defined. */
const char *measure_figure(figure *out, double value);

/* A table of all measures, a column for each model; and what they are of. */
void measures_table(const kedge_eval_result *results, size_t count);
void measures_tsv(const kedge_eval_result *results, size_t count);
/* Members of an object, for one model. */
void measures_json(jsonout *j, const kedge_eval_result *r);

/* What each measure is: a list, below the help's words on it; or a member. */
void measures_explain(void);
void measures_explain_json(jsonout *j);

/*
 * Values over their x, which are printed below as far as there is room: a title
 * and some ten lines in all, as wide as text that flows. Values that are NAN
 * have no point; nothing is printed where fewer than two have one.
 */
void curve_print(FILE *out, const char *title, const uint64_t *x,
                 const double *y, size_t count);

#endif
