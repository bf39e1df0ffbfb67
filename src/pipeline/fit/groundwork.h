/* SPDX-License-Identifier: MIT */
#ifndef PIPELINE_FIT_GROUNDWORK_H
#define PIPELINE_FIT_GROUNDWORK_H
/*
 * What all models of a fit share: view, words, rows of the sketch and their
 * spectrum, and the plan of memory; made once, in the order of the functions
 * below. Where several processes work together, each has all of the words and
 * its own rows of what is tall (linalg/tall.h).
 */
#include "linalg/tall.h"
#include "pipeline/fit/anchoring.h"
#include "pipeline/fit/eigenpairs.h"
#include "pipeline/fit/fit.h"
#include "pipeline/plan.h"
#include "pipeline/fit/fitwords.h"
#include "pipeline/fit/ncut.h"
#include "pipeline/fit/refine.h"
#include "pipeline/fit/sketchrows.h"
#include "pipeline/index/index.h"

typedef struct fit {
    store *s;                /* NULL of a process that stores no models */
    const fit_wish *wish;
    const kedge_fit_opts *opts; /* of that */
    const kedge_control *control;
    pool *p;
    store_totals totals;
    store_view view;
    team *team;              /* or NULL: this process alone */
    uint64_t dealing;        /* bytes for bringing its words and rows
                                together */
    uint64_t heard;          /* by that, up to here, */
    kedge_team_traffic *traffic; /* as it is told */
    words all;               /* the store's */
    uint32_t number;         /* of the view */
    index_choice choice;     /* how it was chosen */
    bool sketched;           /* it was made or followed for this fit */
    uint64_t stored_words;   /* that documents have */
    uint64_t absent_words;   /* of the view's, that none has */
    uint64_t phrases;        /* of the view */
    double tokens_left_out;  /* share of tokens that are of other words */
    uint64_t most;           /* topics of the largest model */
    size_t fitted;           /* models that are in the store */
    double *values;          /* eigenvalues that the caller wants, before */
                             /* that total; or NULL */
    filter filter;
    const words *list;       /* the view's */
    const sketch *dealt;     /* rows come from it: the own ones of the team's */
    uint32_t *place;         /* by row: where that is in it */
    fitwords w;              /* of the models: rows of all of this */
    double *weight;          /* by rank, or NULL: none */
    double total;            /* of what weights make of C, before that */
    double *sums;            /* of one model's D C D, normalised, or NULL */
    fit_shape shape;
    fit_plan plan;
    sketchrows z;
    ncut *ncut;              /* or NULL: documents weigh as the view has it */
    spectrum spectrum;
    anchoring anchoring;
    refine *refined;
    exact *exact;            /* or NULL: C is known by its sketch */
    double spectrum_seconds; /* of what all models share */
} fit;

/* "k20", or what it is called by the options, where `count` are fitted. */
void groundwork_name(const fit *f, uint64_t k, size_t count, char name[64]);

/* The model whose numbers the topics of this one keep; without topics where
 * there is none. */
kedge_status groundwork_like(fit *f, uint64_t k, size_t count,
                             kedge_model *like, kedge_error *err);

/* Which view it is to be, with the store's words. */
kedge_status groundwork_choose(fit *f, kedge_error *err);

/* Plans the memory of models with so many topics. */
kedge_status groundwork_plan(fit *f, const uint64_t *topics, size_t count,
                             kedge_error *err);

/* Brings the sketch up to date when an interruption or --no-sketch left it
 * behind the documents. */
kedge_status groundwork_follow(fit *f, kedge_error *err);

/* Words, rows, weights and spectrum. */
kedge_status groundwork_lay(fit *f, kedge_error *err);

/* The same where rows were dealt out: view, words, list and counts are
 * there. */
kedge_status groundwork_lay_dealt(fit *f, kedge_error *err);

/* A read transaction, for rows and documents, and its end; of no store none. */
kedge_status groundwork_begin(fit *f, kedge_error *err);
void groundwork_end(fit *f);

/* What came to this process since the last time was for that. */
void groundwork_count(fit *f, uint64_t *what);

/* The rows that this process works on. */
tall_part groundwork_own(const fit *f);

/* One eigenvalue more than the most topics, where the caller wants them: they
 * are divided by what weights make of C when a model tells that. */
kedge_status groundwork_values(fit *f, kedge_error *err);

/* What all models' eigenpairs come from. */
eigenpairs_source groundwork_pairs(const fit *f);

/* A pass over all documents. */
pass_input groundwork_pass(fit *f, const char *name);

void groundwork_free(fit *f);

#endif
