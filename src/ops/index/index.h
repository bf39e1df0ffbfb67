/* SPDX-License-Identifier: MIT */
#ifndef OPS_INDEX_INDEX_H
#define OPS_INDEX_INDEX_H
/*
 * An index is a vocabulary, a term weighting, a sketch size and a seed, with a
 * watermark of the documents that its sketch has seen. A store has several.
 *
 * Index 0 has all words; its sketch is made while reading documents with a
 * vocabulary. The words of other indexes are chosen by a rule from the current
 * counts; their sketches are made from the stored documents. A lost sketch can
 * always be made again.
 */
#include <kedge/control.h>
#include <kedge/fit.h>

#include "base/pool.h"
#include "base/words.h"
#include "ops/batch.h"
#include "ops/index/filter.h"
#include "ops/plan.h"
#include "cooccur/degree.h"
#include "cooccur/sketch.h"
#include "store/store.h"

#define INDEX_ALL_WORDS 0 /* the number of the first one */

/* Each index has two numbers for its rows and saves them under the one that its
 * record does not have, so an interrupted save does no harm. */
static inline uint32_t index_first_rows(uint32_t number)
{
    return 2 * number;
}

static inline uint32_t index_other_rows(uint32_t rows)
{
    return rows ^ 1;
}

/* An index of the store. */
typedef struct index_entry {
    uint32_t number;
    store_index record;
} index_entry;

/* All indexes, in the order of their numbers. */
typedef struct index_list {
    index_entry *at;
    size_t count, capacity;
    uint32_t next; /* a number that is free */
    store_totals totals;
} index_list;

/* `l` is empty; the caller frees l->at, after a failure as well. */
kedge_status index_list_load(index_list *l, store_txn *txn, kedge_error *err);

/* The record of the index `number`; NULL: there is none. */
const store_index *index_list_find(const index_list *l, uint64_t number);

/* ---- choosing and declaring ---------------------------------------------- */

/* Whether the options ask for a vocabulary of their own. */
bool index_asks_for_words(const kedge_fit_opts *opts);

/* Whether a rule chooses words by lists alone, and not by counts or phrases:
 * then a part of a corpus gives the same words as the whole. */
bool index_rule_is_fixed(const char *rule);

/* The record of a new index of all words; 0 for the default width, seed or
 * min_tokens. */
store_index index_record(uint32_t kind, uint64_t width, uint64_t seed,
                         uint64_t min_tokens);

/* EINVAL if the sketch of the record has another width, seed or min_tokens; 0
 * accepts any. The message has `what`, the name of the sketch, and `advice`. */
kedge_status index_check_sketch(const store_index *record, uint64_t width,
                                uint64_t seed, uint64_t min_tokens,
                                const char *what, const char *advice,
                                kedge_error *err);

/* Sets the defaults of kedge_fit_opts for the vocabulary of a store of texts
 * where the options are not set; none of them with keep_words. */
void selection_usual(const store_totals *totals, kedge_fit_opts *opts);

/* The words to select from. */
typedef struct selection_input {
    const words *all;
    const uint64_t *tf, *df; /* by id */
    uint64_t documents;
    const store_settings *settings; /* of the tokenizer; NULL: no texts */
} selection_input;

/* Selects words by the options; `rule` describes them for people, and *lists is
 * a digest of the words on its lists. EFORMAT, EIO (files), EINVAL (no word is
 * left). */
kedge_status selection_list(const selection_input *in,
                            const kedge_fit_opts *opts, store_list *out,
                            char rule[160], uint64_t *lists, kedge_error *err);

typedef struct index_choice {
    uint32_t number;
    bool fresh;      /* a new index: index_keep or index_drop must follow */
    kedge_vocabulary how; /* how its words were chosen */
    uint64_t asked;  /* digest of the rule, as in store_index; 0: none */
    uint64_t before; /* number of words that this rule gave before, if they were
                        others; 0: none */
} index_choice;

/*
 * Finds the index for a fit, or declares a new one without a sketch: the index
 * opts->index, else one with the words of `model` (NULL: none), else one with
 * the words that the vocabulary options or their defaults choose from the
 * current counts.
 *
 * `all` has the store's words and gets the phrases found. `together`: other
 * processes have the documents of all parts, so any index can be sketched. No
 * transaction may be open, here and in the functions below. EBUDGET (too many
 * words to choose from).
 */
kedge_status index_choose(store *s, words *all, const kedge_fit_opts *opts,
                          const char *model, bool together,
                          const kedge_control *control, index_choice *out,
                          kedge_error *err);

/* Declares an index of all words for each of these term weightings (names
 * between commas), where the store has none; index_sync_all makes the sketches.
 * They have the width, seed and least tokens of index 0; without that one
 * nothing happens. */
kedge_status index_add_weightings(store *s, const char *statistics,
                                  kedge_error *err);

/* After a model was made of the chosen index: drops the indexes that the same
 * rule gave before, and indexes of kept words that no model is made of any
 * more. One whose phrases a model still needs stays, without its sketch. */
kedge_status index_keep(store *s, const index_choice *choice, kedge_error *err);

/* Drops an index with its list and its rows, if it is there. Index 0 is not
 * made again. */
kedge_status index_drop(store *s, uint32_t number, kedge_error *err);

/* ---- syncing ------------------------------------------------------------- */

/* Entries of all stored documents; 0: not known, as some were removed. */
uint64_t index_entries(const store_totals *totals);

/* EBUDGET, naming the index, when its sketch does not fit. */
kedge_status index_plan(const words *all, const store_totals *totals,
                        uint32_t number, const store_index *record,
                        const kedge_control *control, ingest_plan *plan,
                        kedge_error *err);

/* Makes the sketch of an index current: from the saved one, or anew.
 * EBUDGET. */
kedge_status index_sync(store *s, const words *all, uint32_t number,
                        const store_index *record, const kedge_control *control,
                        pool *p, kedge_error *err);

/* Makes the sketches of all indexes but `except` current, one after another. A
 * sketch that does not fit the budget is logged and left to the next fit.
 * *planned, unless NULL, becomes at least the largest plan. */
kedge_status index_sync_all(store *s, const words *all, uint32_t except,
                            const kedge_control *control, pool *p,
                            uint64_t *planned, kedge_error *err);

#define INDEX_NONE UINT32_MAX /* no index */

/* ---- one pass ------------------------------------------------------------ */

/* A pass over the stored documents as an index sees and weights them, in
 * windows. */
typedef struct pass_input {
    store_txn *txn;
    const store_index *index;
    filter *filter;            /* of documents by the words of the index */
    const uint32_t *order;     /* rank → number in its words */
    const degrees *degrees;    /* of documents, or NULL */
    const kedge_control *control;
    const char *stage;         /* progress: name of the stage, */
    uint64_t number, passes;   /* number of this pass and of all passes, */
    double start;              /* time when the first began */
} pass_input;

typedef kedge_status pass_take(void *data, const window *w, kedge_error *err);

/* Calls `take` for each window, in the order of the documents. ECANCELED. */
kedge_status pass_run(const pass_input *in, pass_take *take, void *data,
                      kedge_error *err);

/* Ends the progress of passes that were fewer than expected. */
kedge_status pass_finish(const pass_input *in, kedge_error *err);

/* ---- an index whose sketch is in memory ---------------------------------- */

typedef struct open_index {
    store *s;
    const kedge_control *control;
    pool *p;
    const words *vocabulary; /* the store's */
    uint32_t number;
    store_index index; /* as it will be saved */
    filter filter;   /* of documents by its words */
    statistic statistic; /* its term weighting */
    uint32_t *rank;  /* by id: the word's place in the order of bytes */
    uint64_t saved_blocks, saved_removals; /* in the saved sketch */
    bool exists;     /* in the store */
    sketch *z;
    bool idle;       /* there is no sketch: documents are stored only */
    /* Weights of documents, in a sketch that is never saved; NULL: none. */
    const degrees *degrees;
    double save_every; /* least seconds between two saves; 0: default */
    double save_at;    /* time of the next save */
    unsigned halvings; /* of a batch (batch_limits_of) */
} open_index;

/* Loads the stored index and its sketch, or begins a new one from x->index. The
 * caller sets s, control, p, vocabulary, number, index and halvings. `spill`:
 * the sketch is in a mapped file. */
kedge_status index_open(open_index *x, bool spill, kedge_error *err);
void index_close(open_index *x);

/* The words of the rows. */
const words *index_words(const open_index *x);

/* Makes the window of a batch from its documents; does nothing without a
 * sketch. */
kedge_status index_window(open_index *x, doc_batch *b, kedge_error *err);

/* Adds a batch to the sketch in tiles that can run in parallel, also with other
 * work: the caller runs index_tile for tiles 0 to *tiles - 1 in its pool. Then
 * index_finish counts the batch and adds its documents that had no room in the
 * window. */
kedge_status index_begin(open_index *x, const doc_batch *b, size_t *tiles,
                         kedge_error *err);
void index_tile(open_index *x, const doc_batch *b, size_t tile,
                unsigned worker);
kedge_status index_finish(open_index *x, doc_batch *b, kedge_error *err);

/* Subtracts documents removed since the sketch was saved, and adds the blocks
 * that it lacks. Saves the sketch from time to time, so that an interrupted run
 * continues there. */
kedge_status index_catch_up(open_index *x, kedge_error *err);

/* Whether the sketch differs from the saved one. */
bool index_is_ahead(const open_index *x);

/* Writes sketch and record; durable when OK. */
kedge_status index_save(open_index *x, kedge_error *err);

/* The same, but only if save_at is past. Saves take a small share of the time
 * of a long run. */
kedge_status index_save_at_times(open_index *x, kedge_error *err);

#endif
