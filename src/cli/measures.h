/* SPDX-License-Identifier: MIT */
#ifndef CLI_MEASURES_H
#define CLI_MEASURES_H
/* Measures of models: as tables, for programs, and what they are. */
#include <kedge/eval.h>

#include "figures.h"
#include "jsonout.h"
#include "options.h"

/* Options that say how models are measured. The choice is the place in
 * MEASURES_RANKS, for measures_set_rank. */
typedef struct measuring {
    kedge_eval_opts opts;
    unsigned rank, statistic;
} measuring;

enum { MEASURING_OPTIONS = 7 };

/* Sets the defaults, and writes MEASURING_OPTIONS options. */
void measuring_init(measuring *m);
void measuring_options(measuring *m, option *out);
/* After the options were read. */
void measuring_finish(measuring *m);

/* "-", where it is not defined. */
const char *measure_figure(figure *out, double value);

/* A table of all measures, a column for each model; and what they are of. */
void measures_table(const kedge_eval_result *results, size_t count);
void measures_tsv(const kedge_eval_result *results, size_t count);
/* Members of an object, for one model. */
void measures_json(jsonout *j, const kedge_eval_result *r);

/* What each measure is: a list, below helptopics' words on it; or JSON. */
void measures_explain(void);
void measures_explain_json(void);

#endif
