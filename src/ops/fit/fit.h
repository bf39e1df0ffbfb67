/* SPDX-License-Identifier: MIT */
#ifndef OPS_FIT_FIT_H
#define OPS_FIT_FIT_H
/*
 * From a sketch to models. What documents give is made once for all numbers of
 * topics (fitprepare.c): the index and its words, rows of the sketch, their
 * spectrum, refined or not, or C itself. What options choose is checked before
 * (fitoptions.c). The rest is solved for each model (fitmodel.c).
 *
 * Where several processes work together, each has all of the words and its own
 * rows of what is tall (linalg/tall.h).
 */
#include <pthread.h>

#include <kedge/fit.h>

#include "base/pool.h"
#include "linalg/tall.h"
#include "ops/models/model.h"
#include "ops/plan.h"
#include "ops/index/filter.h"
#include "ops/index/index.h"
#include "cooccur/degree.h"
#include "cooccur/pairsums.h"
#include "cooccur/sketch.h"
#include "cooccur/spectrum.h"
#include "store/store.h"
#include "topics/law.h"

/* ---- what options choose ------------------------------------------------- */

/* EINVAL for none, too many, or one that comes twice. */
kedge_status fitcheck_topics(const uint64_t *topics, size_t count,
                             kedge_error *err);

/* EINVAL: an index of so many words, `rows`, with a sketch of so many columns,
 * does not have them. */
kedge_status fitcheck_most(uint64_t topics, size_t rows, size_t width,
                           kedge_error *err);

/* ENOTFOUND: a sketched index without documents that have words together. */
kedge_status fitcheck_index(const store_index *index, kedge_error *err);

/* ENOTFOUND where there are no documents; EINVAL where they are elsewhere, for
 * what passes over them. */
kedge_status fitcheck_totals(const store_totals *totals,
                             const kedge_fit_opts *opts, kedge_error *err);

/* EINVAL: options that make no sense, before anything is looked at, for so many
 * models. */
kedge_status fitcheck_opts(const kedge_fit_opts *o, size_t count,
                           kedge_error *err);

/* What is taken where nothing was said; of C, what was asked for needs, and
 * whether that is C itself. */
kedge_cooccurrence fitcheck_cooccurrence(const kedge_fit_opts *o);
bool fitcheck_exact(const kedge_fit_opts *o);
kedge_anchors fitcheck_anchors(const kedge_fit_opts *o);
kedge_solver fitcheck_solver(const kedge_fit_opts *o);
uint64_t fitcheck_rounds(const kedge_fit_opts *o);

/* All that a preset sets, as it is taken and typed. */
void fit_settings(const kedge_fit_opts *o, char text[KEDGE_PRESET_SETTINGS]);

/* ---- a fit --------------------------------------------------------------- */

struct fit;

typedef struct fit_wish {
    const uint64_t *topics; /* `count` numbers of them */
    size_t count;
    const kedge_fit_opts *opts;
    /* Asked once it is known what models will be like, before anything is
     * computed: `largest` has words, index and weights of all of them, and the
     * most topics. A failure is the fit's. Or NULL. */
    kedge_status (*foresee)(void *data, const kedge_model *largest,
                            kedge_error *err);
    /* The share of the documents that fit_held_out leaves out, by their words
     * and `seed`. fit_models checks that there is memory for that fit too. 0:
     * there will be none. */
    double held_out;
    uint64_t seed;
    /* Gets each model of fit_held_out, in the order of their topics. */
    kedge_status (*take)(void *data, struct fit *f, const kedge_model *m,
                         kedge_error *err);
    void *data; /* of both */
    bool sweep; /* none of these models is the one that commands take when they
                    are told of none */
} fit_wish;

/* As kedge_fit. */
kedge_status fit_models(kedge_store *s, const fit_wish *wish,
                        const kedge_control *control, kedge_fit_result *out,
                        kedge_error *err);

/*
 * Fits the same models to the index `number`, which is up to date, without the
 * held-out documents: byte for byte the models of a store that never had them,
 * with the words of this index. Passes each to wish->take and stores none.
 */
kedge_status fit_held_out(kedge_store *s, const fit_wish *wish,
                          uint32_t number, const kedge_control *control,
                          kedge_error *err);

/*
 * The words that models of an index have, in the order of their bytes, which is
 * that of the models' rows. They are those of the index's list; of an index of
 * all words, those that a document holds: a vocabulary that documents came with
 * may have any, and documents that left may have brought some, of which nothing
 * is to be seen.
 */
typedef struct fitwords {
    size_t rows;
    size_t stored;     /* rows that the index's sketch has */
    uint32_t *order;   /* by row: its number among the index's words, */
    uint32_t *ids;     /* its id in the store, */
    uint32_t *place;   /* which row of the sketch it is, rising, */
    uint64_t *tf, *df; /* and its counts, of words as the index joins them */
} fitwords;

/*
 * The saved sketch as a source of rows for the spectrum: decoded by many
 * threads, scaled to C's own units, in the order of the words' bytes; times the
 * words' weights where there are any. Some of the rows that the store has may
 * be left out.
 */
typedef struct sketchrows {
    spectrum_rows rows;
    store_txn *txn; /* of the caller, who sets it: rows are read in it */
    const store_index *index;
    unsigned threads;
    double *sums;          /* by rank: C·1, filled by the first sweep */
    double scale;          /* from the sketch's integers to C's own units */
    pthread_mutex_t lock;  /* the store is used by one thread at a time */
    store_rows *scratch;   /* by worker */
    int64_t *values;       /* by worker: a chunk */
    const uint32_t *place; /* by row: which of the store's it is; NULL: all */
    size_t stored;         /* rows that the store has, */
    int64_t *around;       /* and by worker: a chunk of them */
    const sketch *made;    /* rows come from it; NULL: from the store */
    const uint32_t *order; /* of `made`: rank → id */
    uint64_t *key;
} sketchrows;

/*
 * A sketch whose documents weigh by the normalised cut (cooccur/degree.h),
 * for one fit: made by two passes over the documents in the store, kept in
 * memory or in a nameless file, and gone with the fit.
 */
typedef struct ncut {
    degrees degrees;
    open_index index; /* its sketch is z */
} ncut;

/*
 * C itself, or D C D, made by one pass over the documents in the store, and its
 * leading eigenpairs: for vocabularies whose pairs fit into memory. A sparse
 * one is the same without the pairs that no document has together; which these
 * are takes a pass more.
 */
typedef struct exact {
    struct fit *f;
    size_t rows;
    bool sparse;
    double start;
    uint32_t *rank;
    pairsums *m;
    uint64_t pairs; /* of a sparse one: words that meet, both ways round */
    double *sums;   /* of rows, by rank */
    anchors_matrix counted; /* as anchors are looked for in it */
} exact;

typedef struct refine refine;

typedef struct fit {
    store *s;                /* NULL of a process that stores no models */
    const fit_wish *wish;
    const kedge_fit_opts *opts; /* of that */
    const kedge_control *control;
    pool *p;
    store_totals totals;
    store_index index;
    communicator *comm;      /* or NULL: this process alone */
    uint64_t dealing;        /* bytes for bringing its words and rows
                                together */
    uint64_t heard;          /* by that, up to here, */
    kedge_comm_traffic *traffic; /* what came of it */
    words all;               /* the store's */
    uint32_t number;         /* of the index */
    index_choice choice;     /* how it was chosen */
    bool sketched;           /* it was made or followed for this fit */
    uint64_t stored_words;   /* that documents have */
    uint64_t absent_words;   /* of the index's, that none has */
    uint64_t phrases;        /* of the index */
    double tokens_left_out;  /* share of tokens that are of other words */
    uint64_t most;           /* topics of the largest model */
    size_t fitted;           /* models that are in the store */
    double *values;          /* eigenvalues that the caller wants, not yet
                                divided by `total`; or NULL */
    filter filter;
    const words *list;       /* the index's */
    const sketch *dealt;     /* rows come from it: the own ones of the team's */
    uint32_t *place;         /* by row: where that is in it */
    fitwords w;              /* of the models: rows of all of this */
    double *weight;          /* by rank, or NULL: none */
    double total;            /* the sum of D C D, with weights D */
    double *sums;            /* of one model's D C D, normalised, or NULL */
    fit_shape shape;
    fit_plan plan;
    sketchrows z;
    ncut *ncut;              /* or NULL: documents weigh as the index has it */
    bool reduced;            /* documents are held out: */
    holdout holdout;         /* which, */
    open_index rest;         /* and the sketch of the others */
    spectrum spectrum;
    given given;             /* anchors, as rows; */
    bool *banned;            /* by row: is none; or NULL */
    refine *refined;
    exact *exact;            /* or NULL: C is known by its sketch */
    double spectrum_seconds; /* of what all models share */
} fit;

/* What all models share, in this order. Which index it is to be; with the
 * store's words. Where documents are held out, it is f->number. */
kedge_status fit_choose(fit *f, kedge_error *err);
kedge_status fit_choose_reduced(fit *f, kedge_error *err);

/* The memory of models with so many topics. */
kedge_status fit_plan_models(fit *f, const uint64_t *topics, size_t count,
                             kedge_error *err);

/* Brings the sketch up to date when an interruption or --no-sketch left it
 * behind the documents. */
kedge_status fit_follow(fit *f, kedge_error *err);

/* Words, rows, weights and spectrum; and the same where rows were dealt out:
 * index, words, list and counts are there. */
kedge_status fit_prepare(fit *f, kedge_error *err);
kedge_status fit_prepare_dealt(fit *f, kedge_error *err);

/* One model of k topics, of `count` that are fitted, into the store. */
kedge_status fit_model(fit *f, uint64_t k, size_t count, kedge_fit_result *r,
                       kedge_error *err);

void fit_free(fit *f);

/* The words of the index, in an open transaction. */
kedge_status fit_find_words(fit *f, store_txn *txn, kedge_error *err);

/* "k20", or what it is called by the options, where `count` are fitted. */
void fit_name(const fit *f, uint64_t k, size_t count, char name[64]);

/* A read transaction, for rows and documents, and its end; of no store none. */
kedge_status fit_begin(fit *f, kedge_error *err);
void fit_end(fit *f);

/* A pass over all documents. */
pass_input fit_pass(fit *f, const char *name);

/* What came to this process since the last time was for that. */
void fit_count(fit *f, uint64_t *what);

/* The rows that this process works on. */
tall_part fit_own(const fit *f);

/* ---- rows of the sketch -------------------------------------------------- */

/* `order`: rank → id. */
kedge_status sketchrows_create(sketchrows *r, const store_index *index,
                               const words *vocabulary, const uint32_t *order,
                               const kedge_control *control, kedge_error *err);
void sketchrows_free(sketchrows *r);

/* The index's words and `order` are some of those that the store has rows of:
 * `place` tells which of its `stored` rows, rising. It is the caller's and
 * stays. */
kedge_status sketchrows_pick(sketchrows *r, const uint32_t *place,
                             size_t stored, kedge_error *err);

/* From now on rows and sums are those of `made`, a sketch of the same words by
 * the same test matrix, times `scale`. It and `order` are the caller's and
 * stay. */
void sketchrows_take(sketchrows *r, const sketch *made, const uint32_t *order,
                     double scale);

/* From an index's integers to C's own units. */
double sketchrows_scale(const store_index *v);

/* The sums alone, before anything is read: all of them. */
kedge_status sketchrows_sums(sketchrows *r, pool *p, kedge_error *err);

/* A sweep found those of this process's rows; now everybody has all. */
void sketchrows_collect(sketchrows *r, pool *p);

/* Outside of any transaction. */
kedge_status ncut_create(fit *f, ncut **out, kedge_error *err);
void ncut_free(ncut *n); /* accepts NULL */

/* ---- eigenpairs ---------------------------------------------------------- */

/*
 * The spectrum of the index's sketch, which does not depend on the number of
 * topics and takes most of a fit's time: it is kept in the store by the first
 * fit, for those after it. It is taken from there when it is of exactly these
 * rows and weights, made by the same arithmetic, so that models are the same
 * bytes either way. Makes it, solved, and the sums of all rows. In transactions
 * of its own, in which rows are read as well. What cannot be kept, as the disk
 * is full, is made by the next fit again.
 */
kedge_status fit_make_spectrum(fit *f, kedge_error *err);

/* The first k eigenpairs of C, or D C D, from whatever is known best of it:
 * vectors rows x k, values falling, and what the held-out columns say about
 * them. Within fit_begin. */
kedge_status fit_eigenpairs(fit *f, size_t k, double *vectors, double *values,
                            spectrum_error *out, kedge_error *err);

/* Where the caller wants them, f->values: one eigenvalue more than the most
 * topics, NAN where there are fewer; but for the last digits they are those
 * that come with fewer vectors. They are divided by what weights make of C when
 * a model tells that. */
kedge_status fit_eigenvalues(fit *f, kedge_error *err);

/*
 * Refinement: power passes over the documents in the store, for eigenpairs that
 * are better than one pass can give. The passes make a block Krylov space that
 * serves every number of topics. Where the rows have weights, all of it is of
 * D C D. Makes all passes that the options ask for, within fit_begin.
 */
kedge_status refine_create(fit *f, refine **out, kedge_error *err);
void refine_free(refine *r); /* accepts NULL */

/* How many eigenpairs it has; and the k leading ones. */
size_t refine_dimensions(const refine *r);
kedge_status refine_vectors(refine *r, size_t k, double *vectors,
                            double *values, kedge_error *err);

/* By rank: the row sums of D C D, exactly, from the first pass; NULL where rows
 * have no weights. They live as long as r. */
const double *refine_sums(const refine *r);

/*
 * out = C q, both rows x k in the order of ranks, by one pass over the
 * documents; or D C D where words have weights, by rank. By integers
 * (cooccur/power.h), so that neither the order of documents nor threads matter.
 * The product is as near as 30 bits of a column's largest entry are. `plain`:
 * q, of entries within -1 .. 1, which are not scaled, and become what the
 * product is exact for: rounded to 30 bits; or NULL. `sums`, with weights: the
 * row sums of D C D; or NULL.
 */
kedge_status product_run(fit *f, const pass_input *pass, const double *weight,
                         const double *q, double *plain, size_t k, double *out,
                         double *sums, kedge_error *err);

/* C in two steps, sparse where f->shape has it so. Weights and scale are not
 * needed for the first, after which it is known how large it becomes. */
kedge_status exact_open(fit *f, store_txn *txn, exact **out, kedge_error *err);
kedge_status exact_make(exact *e, kedge_error *err);
void exact_free(exact *e); /* accepts NULL */

/* By rank, rows x rows, of one that is not sparse; a row of any, which where it
 * is sparse is in `room`. They live as long as e. */
const double *exact_matrix(const exact *e);
const double *exact_row(const exact *e, size_t rank, double *room);

/* out = C x, both rows x k; `data` is an exact. */
kedge_status exact_apply(void *data, const double *x, size_t k, double *out,
                         kedge_error *err);

/* The k leading eigenpairs: vectors rows x k, values falling. The sketch is
 * where the search begins. They do not depend on which other k are asked
 * for. */
kedge_status exact_vectors(exact *e, size_t k, double *vectors, double *values,
                           kedge_error *err);

/* The co-occurrence of a model's words in the documents that it was fitted to,
 * without words' weights, as f->exact. EINVAL where the store has no longer
 * what the model was fitted to, or weighs documents by the normalised cut;
 * EBUDGET with the figure where it is too large for the control's memory. There
 * is nothing to free after a failure. Outside of any transaction. */
kedge_status fit_open_cooccurrence(fit *f, store *s, const kedge_model *m,
                                   bool sparse, const kedge_control *control,
                                   kedge_error *err);

/* ---- what is solved ------------------------------------------------------ */

/* The files of anchors and banned words that the options name. ENOTFOUND, EIO,
 * EFORMAT of them; EINVAL for an anchor that is no word of the fit, or is
 * banned. */
kedge_status fit_read_anchors(fit *f, kedge_error *err);

/* The anchors of the earlier model are those that are given, where that is
 * asked for. Words that are not among the fit's, or are banned, are left to be
 * found, and logged. EINVAL for a model with several anchors a topic, and
 * where anchors are given for more than `k` topics, or are asked for
 * correlations or topics by their own rows where topics have several. */
kedge_status fit_keep_anchors(fit *f, uint64_t k, size_t count,
                              kedge_error *err);

/* The ways that the options ask for, with anchors like these. */
law_ways fit_ways(const fit *f);

/* The rectification that was asked for. m->rectified (own rows x k) comes in as
 * the eigenvectors of m->eigenvalues and becomes the rectified Y, or V Λ^1/2
 * where nothing was asked for. Outside of any transaction. */
kedge_status fit_rectify(fit *f, kedge_model *m, kedge_fit_result *r,
                         kedge_error *err);

/*
 * Polishing: passes of expectation and maximisation over the documents in the
 * store, block by block, from topics that were found in the statistics. The
 * order of documents, blocks and threads leave no trace. Moves the topics of
 * `out`; without passes nothing is done. Anchors and characteristic words stay
 * as they are; correlations follow (law_correlate), and the order of topics
 * with them. likelihood[n] is that of a token after n passes, ln p on average,
 * for n from 0 to the last: that is measured in one more pass over the
 * documents. A failure leaves `out` half moved.
 */
kedge_status fit_polish(fit *f, const law_input *law, law_output *out,
                        double *likelihood, kedge_error *err);

/* The header of the model whose numbers the topics of this one keep; without
 * topics where there is none. That which `like` names has to be there; the one
 * that is about to be replaced need not even be readable. */
kedge_status fit_like(fit *f, uint64_t k, size_t count, kedge_model *like,
                      kedge_error *err);

/* It, with the ids of its rows' words. */
kedge_status fit_open_like(fit *f, const char *like, kedge_model **old,
                           uint32_t **order, kedge_error *err);

/* Topics keep their numbers and names from one model to the next: those that
 * are topics of the earlier one (topics/match.h) get the number and the name
 * that they had there. No transaction may be open. */
kedge_status fit_number(fit *f, size_t count, kedge_fit_result *r,
                        kedge_model *m, law_output *t, kedge_error *err);

/* Finds the labels of the model that m replaces, and that m has not. */
kedge_status fit_lost_labels(fit *f, const kedge_model *m, kedge_fit_result *r,
                             kedge_error *err);

#endif
