/* SPDX-License-Identifier: MIT */
#ifndef OPS_INDEX_INDEX_H
#define OPS_INDEX_INDEX_H
/*
 * An index is a vocabulary, a term weighting, a sketch size and a seed, with a
 * watermark of the documents that its sketch has seen. A store has several.
 *
 * Index 0, of all words, is sketched while reading, where documents came with a
 * vocabulary; others are chosen by a rule that is applied to the counts as they
 * are now, and synced from the stored documents. Losing a sketch loses nothing
 * but time.
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

/* Each index has two numbers for its rows, which take turns: what a saving
 * leaves half done is never under the one that the record has. */
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

/* Its record; NULL: there is no index of this number. */
const store_index *index_list_find(const index_list *l, uint64_t number);

/* ---- choosing and declaring ---------------------------------------------- */

/* Whether the options ask for a vocabulary of their own. */
bool index_asks_for_words(const kedge_fit_opts *opts);

/* Whether a rule chooses words by lists alone, and not by counts or phrases:
 * then a part of a corpus gives the same words as the whole. */
bool index_rule_is_fixed(const char *rule);

/* The record of a new index of all words; 0 is the usual width, seed or
 * number of tokens. */
store_index index_record(uint32_t kind, uint64_t width, uint64_t seed,
                         uint64_t min_tokens);

/* EINVAL where the record's sketch was made in another way than is asked for; 0
 * asks for nothing. `what` names the sketch, `advice` what can be done. */
kedge_status index_check_sketch(const store_index *record, uint64_t width,
                                uint64_t seed, uint64_t min_tokens,
                                const char *what, const char *advice,
                                kedge_error *err);

/* What is usual for a store of texts, wherever the options say nothing; a list
 * to keep is all that is asked for. */
void selection_usual(const store_totals *totals, kedge_fit_opts *opts);

/* What words are selected from. */
typedef struct selection_input {
    const words *all;
    const uint64_t *tf, *df; /* by id */
    uint64_t documents;
    const store_settings *settings; /* how texts were cut; NULL: no texts */
} selection_input;

/* The words that the options leave, the rule in words, and a digest of what is
 * on the lists that it names. EFORMAT, EIO for files that cannot be read,
 * EINVAL when nothing is left. */
kedge_status selection_list(const selection_input *in,
                            const kedge_fit_opts *opts, store_list *out,
                            char rule[160], uint64_t *lists, kedge_error *err);

typedef struct index_choice {
    uint32_t number;
    bool fresh;      /* it is new: index_keep or index_drop follows */
    kedge_vocabulary how; /* its words were chosen */
    uint64_t asked;  /* digest of the rule, as in store_index; 0: none */
    uint64_t before; /* words of the last index of this rule, where they were
                        others; 0: there was none */
} index_choice;

/*
 * Finds the index that a model is made of, or declares it, without a sketch:
 * the one that opts->index names, or one of the words of `model` (NULL: none),
 * or else of the words that the rule of the options, or the usual one, chooses
 * by the counts as they are now.
 *
 * `all`: the store's words, which get the phrases that are found. `together`:
 * other processes have the documents of all parts, so that any index can be
 * sketched. No transaction may be open here and in the functions below. EBUDGET
 * where there are too many words to choose from.
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

/* Brings the sketch of an index up to date, or makes it. EBUDGET. */
kedge_status index_sync(store *s, const words *all, uint32_t number,
                        const store_index *record, const kedge_control *control,
                        pool *p, kedge_error *err);

/* Brings the sketches of all indexes but `except` up to date, one after
 * another; one that does not fit the budget is left to the next fit, which is
 * logged. `*planned`, unless NULL, grows to the largest plan. */
kedge_status index_sync_all(store *s, const words *all, uint32_t except,
                            const kedge_control *control, pool *p,
                            uint64_t *planned, kedge_error *err);

#define INDEX_NONE UINT32_MAX /* no index */

/* ---- one pass ------------------------------------------------------------ */

/* Over the documents in the store, as an index sees and weighs them, a window
 * at a time. */
typedef struct pass_input {
    store_txn *txn;
    const store_index *index;
    filter *filter;            /* what the index sees */
    const uint32_t *order;     /* rank → number in its words */
    const degrees *degrees;    /* of documents, or NULL */
    const kedge_control *control;
    const char *stage;         /* for progress, */
    uint64_t number, passes;   /* as above: this one, and all of them */
    double start;              /* of the first */
} pass_input;

typedef kedge_status pass_take(void *data, const window *w, kedge_error *err);

/* Calls `take` for each window, in the order of documents. ECANCELED when it is
 * to stop. */
kedge_status pass_run(const pass_input *in, pass_take *take, void *data,
                      kedge_error *err);

/* Those before `number` were all, though more were expected: reports so. */
kedge_status pass_finish(const pass_input *in, kedge_error *err);

/* ---- an index whose sketch is in memory ---------------------------------- */

typedef struct open_index {
    store *s;
    const kedge_control *control;
    pool *p;
    const words *vocabulary; /* the store's */
    uint32_t number;
    store_index index; /* as it will be saved */
    filter filter;   /* its index of documents */
    statistic statistic; /* its term weighting */
    uint32_t *rank;  /* by id: the word's place in the order of bytes */
    uint64_t saved_blocks, saved_removals; /* in the saved sketch */
    bool exists;     /* in the store */
    sketch *z;
    bool idle;       /* there is no sketch: documents are stored only */
    /* Weights of documents, in a sketch that is never saved; NULL: none. */
    const degrees *degrees;
    /* The same without these documents (index_hold_out); NULL: of all. */
    const holdout *out;
    double save_every; /* seconds between two savings, at least; 0: as usual */
    double save_at;    /* the time of the next saving */
    unsigned halvings; /* of a batch (batch_limits_of) */
} open_index;

/* Loads the stored index and its sketch; where there is none, begins the index
 * of x->index. The caller has filled s, control, p, vocabulary, number, index
 * and halvings. `spill`: the sketch lives in a file-backed mapping. */
kedge_status index_open(open_index *x, bool spill, kedge_error *err);
void index_close(open_index *x);

/* The words that there are rows for. */
const words *index_words(const open_index *x);

/* Makes the window of a batch whose documents are there; nothing where there is
 * no sketch. */
kedge_status index_window(open_index *x, doc_batch *b, kedge_error *err);

/* A batch is added to the sketch by tiles, all of them at once and with
 * whatever else there is to do: the caller runs index_tile for each of so many
 * in its pool. Then index_finish counts the batch, and adds those of its
 * documents that had no room in the window. */
kedge_status index_begin(open_index *x, const doc_batch *b, size_t *tiles,
                         kedge_error *err);
void index_tile(open_index *x, const doc_batch *b, size_t tile,
                unsigned worker);
kedge_status index_finish(open_index *x, doc_batch *b, kedge_error *err);

/* Subtracts what was removed since, and adds the blocks that the sketch lacks.
 * Now and then the sketch is saved: an interrupted run goes on there. */
kedge_status index_catch_up(open_index *x, kedge_error *err);

/* Takes the documents that x->out holds out from a sketch that was opened up to
 * date: it is then what it would be if the store had never had them. */
kedge_status index_hold_out(open_index *x, kedge_error *err);

/* Whether the sketch differs from the saved one. */
bool index_is_ahead(const open_index *x);

/* Writes sketch and record; durable when OK. */
kedge_status index_save(open_index *x, kedge_error *err);

/* The same, where it is time for it: savings take a small share of a long run's
 * time, and an interrupted run does not begin again. */
kedge_status index_save_at_times(open_index *x, kedge_error *err);

#endif
