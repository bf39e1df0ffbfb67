/* SPDX-License-Identifier: MIT */
#ifndef PIPELINE_VIEWS_VIEWS_H
#define PIPELINE_VIEWS_VIEWS_H
/*
 * Which view a model is made of: the one that is named, the one used last, one
 * that is there with the words that are asked for, or a new one, which is
 * written down without a sketch.
 */
#include <kedge/fit.h>

#include "base/pool.h"
#include "base/words.h"
#include "pipeline/plan.h"
#include "store/store.h"

/* `all`: the store's words, which get the phrases that are found. *fresh: the
 * view is new; views_keep or views_drop is to follow. No transaction may be
 * open, in all of these. EBUDGET where there are too many words to choose
 * from. */
kedge_status views_choose(store *s, words *all,
                          const kedge_fit_opts *opts,
                          const kedge_control *control, uint32_t *number,
                          bool *fresh, kedge_error *err);

/* The same where the documents of all parts are at hand, in other stores that
 * make the sketch: it may be any view. */
kedge_status views_choose_together(store *s, words *all,
                                   const kedge_fit_opts *opts,
                                   const kedge_control *control,
                                   uint32_t *number, bool *fresh,
                                   kedge_error *err);

/* Bytes that it takes at most beside the store's words, of which there are so
 * many; phrases are planned by themselves. */
uint64_t views_choose_memusage(const kedge_fit_opts *opts, uint64_t all);

/* The new view has its sketch: those that came of the same rule, when the
 * counts were others, go. */
kedge_status views_keep(store *s, const kedge_fit_opts *opts, uint32_t number,
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

#endif
