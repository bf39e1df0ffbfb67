/* SPDX-License-Identifier: MIT */
#ifndef PIPELINE_VIEWS_VIEWS_H
#define PIPELINE_VIEWS_VIEWS_H
/*
 * Which view a model is made of. A rule chooses its words, what is usual where
 * none is asked for, by the counts as they are now: where they are those of a
 * view that is there, it is that one, else a new one, which is written down
 * without a sketch. Where documents came with a vocabulary it is the view of
 * all words. A view that is named and the words of a model that are to be kept
 * stay as they are.
 */
#include <kedge/fit.h>

#include "base/pool.h"
#include "base/words.h"
#include "pipeline/plan.h"
#include "store/store.h"

typedef struct views_choice {
    uint32_t number;
    bool fresh;      /* the view is new: views_keep or views_drop follows */
    kedge_vocabulary how; /* the words were chosen */
    uint64_t asked;  /* the rule, as in store_view; 0: none */
    uint64_t before; /* words of the rule's last view, where they are others;
                        0: there was none */
} views_choice;

/* `all`: the store's words, which get the phrases that are found. `model`: the
 * one whose words are kept; NULL: no words are. No transaction may be open, in
 * all of these. EBUDGET where there are too many words to choose from. */
kedge_status views_choose(store *s, words *all, const kedge_fit_opts *opts,
                          const char *model, const kedge_control *control,
                          views_choice *out, kedge_error *err);

/* The same where the documents of all parts are at hand, in other stores that
 * make the sketch: it may be any view. */
kedge_status views_choose_together(store *s, words *all,
                                   const kedge_fit_opts *opts,
                                   const char *model,
                                   const kedge_control *control,
                                   views_choice *out, kedge_error *err);

/* A model was made of the chosen view, which has its sketch: views that the
 * rule gave before go, and those of kept words that no model is made of any
 * more. One that models still need for its phrases stays without its sketch. */
kedge_status views_keep(store *s, const views_choice *choice,
                        kedge_error *err);

/* A view with its list and its rows; no effect when there is none. That of all
 * words does not come again. */
kedge_status views_drop(store *s, uint32_t number, kedge_error *err);

/* Brings the sketch of one up to date, or makes it; EBUDGET when it does not
 * fit. */
kedge_status views_follow_one(store *s, const words *all, uint32_t number,
                              const store_view *record,
                              const kedge_control *control, pool *p,
                              kedge_error *err);

/* EBUDGET, naming the view, when its sketch does not fit. */
kedge_status views_plan_one(const words *all, const store_totals *totals,
                            uint32_t number,
                            const store_view *record,
                            const kedge_control *control, ingest_plan *plan,
                            kedge_error *err);

/* Brings the sketches of all views but `except` up to date, one after another;
 * one that does not fit the budget is left to the next fit, with a word. */
kedge_status views_follow(store *s, const words *all, uint32_t except,
                          const kedge_control *control, pool *p,
                          kedge_error *err);

#define VIEWS_ALL UINT32_MAX /* except none */

/* Entries that the stored documents have together; 0: not known, where some of
 * them were removed. */
uint64_t views_entries(const store_totals *totals);

#endif
