/* SPDX-License-Identifier: MIT */
/*
 * Fitting by several ranks, each with a store of its own:
 *
 *   words and counts of all → rank 0's store of sums, where an index is chosen
 *   the index's words → everybody, who sketches its own documents by them
 *   rows of all sketches → who adds them up
 *   spectrum, rectification, topics: each its own rows, small sums to everybody
 *   the model's rows → rank 0, which stores it
 *
 * Rows are dealt out in groups (linalg/tall.h), so no more processes than these
 * have any; the others have sketched their documents, and wait.
 */
#include <kedge/comm.h>

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/compare.h"
#include "base/fail.h"
#include "base/mem.h"
#include "base/run.h"
#include "linalg/blas.h"
#include "ops/elsewhere.h"
#include "ops/fit/fit.h"
#include "ops/ranks/ranks.h"

typedef struct teamfit {
    fit f;
    communicator *comm; /* all, of whom the first have rows to work on: */
    communicator workers;
    store *own;
    store_totals totals; /* of the own store, */
    words all;           /* its words, */
    uint32_t number;     /* and its index: */
    store_index index;
    uint32_t *place;     /* by row of all: its row, or ROWSUM_NONE */
    part_words seen;     /* the words of the index that was chosen, by row */
    sketch *dealt;       /* rows of all stores, added up */
} teamfit;

static kedge_status check_opts(const kedge_fit_opts *o, kedge_error *err)
{
    const char *const what =
        o->power_iter > 0                                 ? "--power-iter"
        : o->em_iter > 0                                  ? "--em-iter"
        : o->ncut                                         ? "--ncut"
        : o->phrases > 1                                  ? "--phrases"
        : o->rectify != KEDGE_RECTIFY_ENN &&
                o->rectify != KEDGE_RECTIFY_NONE          ? "--rectify"
        : fitcheck_anchors(o) != KEDGE_ANCHORS_QR         ? "--anchors"
        : o->anchor_ban != NULL                           ? "--anchor-ban"
        : o->recover != KEDGE_RECOVER_L2                  ? "--recover"
        : fitcheck_solver(o) != KEDGE_SOLVER_ADMM         ? "--solver"
        : fitcheck_exact(o)                               ? "--cooccurrence"
                                                          : NULL;

    return what == NULL
               ? KEDGE_OK
               : kedge_fail(err, KEDGE_EINVAL,
                            "%s needs all documents in one process: 'kedge "
                            "merge' joins the stores", what);
}

/* ---- words, and which of them ------------------------------------------- */

/* Rank 0 knows them all, and chooses. */
static kedge_status choose_index(teamfit *g, part *all, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    store_txn *txn = NULL;
    fit *const f = &g->f;

    TRY(gather_put(f->s, all, err));
    part_free(all);
    TRY(fit_choose(f, err));
    TRY(store_begin_read(f->s, &txn, err));
    TRY(fit_find_words(f, txn, err));
    store_abort(&txn);
    f->index.words = f->w.rows;
    for (size_t r = 0; r < f->w.rows; r++) {
        const uint32_t n = f->w.order[r];
        if (!words_add(&g->seen.w, words_get(f->list, n),
                       words_size(f->list, n)))
            TRY_MEM(NULL);
    }
    TRY(part_words_room(&g->seen, f->w.rows, err));
    memcpy(g->seen.tf, f->w.tf, f->w.rows * sizeof *g->seen.tf);
    memcpy(g->seen.df, f->w.df, f->w.rows * sizeof *g->seen.df);
out:
    store_abort(&txn);
    return st;
}

/* What fit_find_words gives on rank 0; rows are in the order of the words. */
static kedge_status adopt_words(teamfit *g, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    fitwords *const w = &g->f.w;

    w->rows = w->stored = g->seen.w.count;
    TRY_MEM(w->order = mem_new(w->rows, sizeof *w->order));
    for (size_t r = 0; r < w->rows; r++)
        w->order[r] = (uint32_t)r;
    w->tf = g->seen.tf;
    w->df = g->seen.df;
    g->seen.tf = g->seen.df = NULL;
    g->f.list = &g->seen.w;
out:
    return st;
}

/* Everybody learns the index that rank 0 chose, its words, and how many
 * documents all have. */
static kedge_status agree_on_words(teamfit *g, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    fit *const f = &g->f;
    uint8_t record[STORE_INDEX_SIZE + 8];
    part all = {0};

    TRY(store_load_words(g->own, &g->totals, &g->all, err));
    TRY(elsewhere_refuse(&g->totals, "fitting several stores together", err));
    TRY(gather_parts(g->comm, g->own, &g->totals, &g->all, f->control, &all,
                     err));
    if (g->comm->rank == 0)
        TRY(choose_index(g, &all, err));
    store_write_index(&f->index, record);
    put_u64(record + STORE_INDEX_SIZE, f->totals.documents);
    comm_bcast(g->comm, record, sizeof record, 0);
    TRY(store_read_index(record, &f->index, "the index that rank 0 chose",
                         err));
    f->totals.documents = get_u64(record + STORE_INDEX_SIZE);
    TRY(gather_bcast_words(g->comm, f->index.words, &g->seen, err));
    if (g->comm->rank > 0)
        TRY(adopt_words(g, err));
    fit_count(f, &f->traffic->words);
out:
    part_free(&all);
    return st;
}

/* ---- the own documents -------------------------------------------------- */

/* The own store's index of the same measures as the one that was chosen and
 * with these words, by their ids; its number is free where there is none, and
 * *exists is false. */
static kedge_status find_index(teamfit *g, const uint32_t *ids, size_t count,
                               bool *exists, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    store_txn *txn = NULL;
    store_list list = {0};
    index_list known = {0};

    *exists = false;
    TRY(store_begin_read(g->own, &txn, err));
    TRY(index_list_load(&known, txn, err));
    g->number = known.next;
    for (size_t i = 0; i < known.count && !*exists; i++) {
        const index_entry *const e = &known.at[i];
        const store_index *const v = &e->record;
        if (!part_same_kind(v, &g->f.index) ||
            part_indexes_agree(e->number, v, &g->f.index, NULL) != KEDGE_OK)
            continue;
        if (v->listed)
            TRY(store_get_list(txn, e->number, &list, err));
        *exists = !v->listed ||
                  (list.count == count &&
                   (count == 0 ||
                    memcmp(list.ids, ids, count * sizeof *ids) == 0));
        if (*exists) {
            g->number = e->number;
            g->index = *v;
        }
    }
out:
    store_abort(&txn);
    store_list_free(&list);
    mem_free(known.at);
    return st;
}

static kedge_status declare_index(teamfit *g, const uint32_t *ids, size_t count,
                                  kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    store_txn *txn = NULL;
    store_index v = part_empty_index(&g->f.index, g->number);

    if (!v.listed)
        return kedge_fail(err, KEDGE_EINVAL,
                          "%s has no index of all words with --tf %s and %llu "
                          "columns, as other stores have",
                          store_path(g->own), statistic_name(v.statistic),
                          (unsigned long long)v.width);
    v.words = count;
    v.removals = g->totals.removals;
    TRY(store_begin_write(g->own, &txn, err));
    TRY(store_put_index(txn, g->number, &v, err));
    TRY(store_put_list(txn, g->number, ids, count, err));
    TRY(store_commit(&txn, err));
    g->index = v;
out:
    store_abort(&txn);
    return st;
}

/* The own index, with its sketch up to date; indexes of the same rule when the
 * words were others go. */
static kedge_status adopt_index(teamfit *g, const uint32_t *ids, size_t count,
                                kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const fit *const f = &g->f;
    store_txn *txn = NULL;
    bool exists;

    TRY(find_index(g, ids, count, &exists, err));
    if (!exists)
        TRY(declare_index(g, ids, count, err));
    if (!store_index_is_current(&g->index, &g->totals)) {
        if (!g->index.listed)
            g->index.words = g->all.count;
        TRY(index_sync(g->own, &g->all, g->number, &g->index, f->control, f->p,
                       err));
        TRY(store_begin_read(g->own, &txn, err));
        TRY(store_get_index_record(txn, g->number, &g->index, err));
        store_abort(&txn);
    }
    if (!exists)
        TRY(index_keep(g->own, &(index_choice){.number = g->number,
                                               .asked = f->index.asked}, err));
out:
    store_abort(&txn);
    return st;
}

/* Which row of the own index each word has: these lie in the order of words, as
 * all rows do; an index without a list has rows of other words as well. */
static kedge_status find_places(teamfit *g, const uint32_t *id,
                                kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const size_t n = g->all.count;
    store_txn *txn = NULL;
    uint32_t *order = NULL, *row = NULL, rows = 0;
    uint8_t *held = NULL;
    size_t twin;

    TRY_MEM(order = words_order(&g->all, &twin));
    TRY_MEM(row = mem_new(n, sizeof *row));
    TRY_MEM(held = mem_new(n, sizeof *held));
    TRY(store_begin_read(g->own, &txn, err));
    TRY(part_mark_rows(txn, g->number, &g->index, n, 1, held, err));
    for (size_t r = 0; r < n; r++)
        row[order[r]] = held[order[r]] ? rows++ : ROWSUM_NONE;
    for (size_t r = 0; r < g->seen.w.count; r++)
        if (id[r] != WORDMAP_NONE)
            g->place[r] = row[id[r]];
out:
    store_abort(&txn);
    mem_free(order);
    mem_free(row);
    mem_free(held);
    return st;
}

/* The own documents, sketched by the index's words. */
static kedge_status sketch_own(teamfit *g, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const size_t rows = g->seen.w.count;
    uint32_t *id = NULL, *list = NULL;
    size_t count = 0;

    TRY_MEM(g->place = mem_new(rows, sizeof *g->place));
    for (size_t r = 0; r < rows; r++)
        g->place[r] = ROWSUM_NONE;
    g->index = g->f.index;
    g->index.documents = g->index.skipped = g->index.tokens = 0;
    if (g->totals.documents == 0)
        goto out;
    TRY_MEM(id = mem_new(rows, sizeof *id));
    TRY_MEM(list = mem_new(rows, sizeof *list));
    TRY(part_number_words(&g->all, &g->seen.w, false, id, err));
    for (size_t r = 0; r < rows; r++)
        if (id[r] != WORDMAP_NONE)
            list[count++] = id[r];
    qsort(list, count, sizeof *list, compare_u32);
    TRY(adopt_index(g, list, count, err));
    TRY(find_places(g, id, err));
out:
    mem_free(id);
    mem_free(list);
    return st;
}

/* ---- all together ------------------------------------------------------- */

static void add_documents(void *data, void *value)
{
    const store_index *const own = data;
    uint64_t *const sum = value;

    sum[0] += own->documents;
    sum[1] += own->skipped;
    sum[2] += own->tokens;
}

/* The index of all, and the rows of all that are this rank's. */
static kedge_status add_up(teamfit *g, kedge_error *err)
{
    fit *const f = &g->f;
    const rowsum_input in = {.comm = g->comm, .holders = g->workers.size,
                             .own = g->own, .index = &g->index,
                             .place = g->place, .rows = f->w.rows,
                             .list = f->list, .order = f->w.order,
                             .spill = f->plan.spilled ? store_path(g->own)
                                                      : NULL,
                             .control = f->control};
    statistic_sum total;
    uint64_t sum[3] = {0};

    comm_reduce(g->comm, sum, sizeof sum, add_documents, &g->index);
    f->index.documents = sum[0];
    f->index.skipped = sum[1];
    f->index.tokens = sum[2];
    PASS(rowsum_make(&in, &g->dealt, &total, err));
    if (statistic_damped(f->index.statistic))
        f->index.total = statistic_total(&total);
    f->dealt = g->dealt;
    fit_count(f, &f->traffic->rows);
    return KEDGE_OK;
}

/* By those who have rows. */
static kedge_status fit_models_together(teamfit *g, const uint64_t *topics,
                                        size_t count, kedge_fit_result *out,
                                        kedge_error *err)
{
    fit *const f = &g->f;

    pool_set_comm(f->p, &g->workers);
    PASS(fit_prepare_dealt(f, err));
    PASS(fit_eigenvalues(f, err));
    for (size_t i = 0; i < count; i++)
        PASS(fit_model(f, topics[i], count, &out[i], err));
    return KEDGE_OK;
}

static kedge_status fit_all(teamfit *g, const uint64_t *topics, size_t count,
                            kedge_fit_result *out, kedge_error *err)
{
    fit *const f = &g->f;

    PASS(agree_on_words(g, err));
    f->dealing = memory_rowsum(f->index.width, g->workers.size) +
                 memory_part_words(f->all.count, words_bytes(f->list));
    PASS(fit_plan_models(f, topics, count, err));
    PASS(pool_open(f->control, &f->p, err));
    PASS(sketch_own(g, err));
    PASS(add_up(g, err));
    PASS(fitcheck_index(&f->index, err));
    if (g->comm->rank < g->workers.size)
        PASS(fit_models_together(g, topics, count, out, err));
    comm_bcast(g->comm, out, count * sizeof *out, 0);
    if (f->opts->eigenvalues != NULL)
        comm_bcast(g->comm, f->opts->eigenvalues,
                    (f->most + 1) * sizeof *f->opts->eigenvalues, 0);
    fit_count(f, &f->traffic->model);
    return KEDGE_OK;
}

/* The index stays, for the next models; those of the same rule before it go. */
static kedge_status settle_index(teamfit *g, kedge_status st, kedge_error *err)
{
    fit *const f = &g->f;
    kedge_error why = {0};
    kedge_status then = KEDGE_OK;

    if (f->fitted > 0)
        then = index_keep(f->s, &f->choice, &why);
    else if (f->choice.fresh)
        then = index_drop(f->s, f->number, &why);
    return st == KEDGE_OK && then != KEDGE_OK
               ? kedge_fail(err, then, "%s", why.text)
               : st;
}

kedge_status kedge_comm_fit(const kedge_member *self, const uint64_t *topics,
                            size_t count, const kedge_fit_opts *opts,
                            const kedge_control *control,
                            kedge_fit_result *out, kedge_error *err)
{
    if (out != NULL)
        memset(out, 0, count * sizeof *out);
    API_ENTER(err, {"self", self});
    API_ENTER(err, {"team", self->team}, {"own", self->own},
              {"heard", self->team != NULL ? self->team->heard : NULL},
              {"sum", self->team == NULL || self->team->rank > 0
                          ? "" : (const void *)self->sum});
    API_ARRAY(err, "topics", topics, count);
    API_ARRAY(err, "out", out, count);
    API_USUAL(kedge_fit_opts, opts);
    control = run_control(control);

    kedge_status st = KEDGE_OK;
    communicator *const comm = self->team;
    const fit_wish wish = {.topics = topics, .count = count, .opts = opts};
    kedge_comm_traffic traffic = {0};
    teamfit g = {.f = {.s = self->sum, .wish = &wish, .opts = opts,
                       .control = control, .traffic = &traffic,
                       .heard = *comm->heard},
                 .comm = comm, .workers = *comm, .own = self->own};

    g.workers.size = comm->size < TALL_GROUPS ? comm->size : TALL_GROUPS;
    g.f.comm = &g.workers;
    TRY(blas_begin(control->threads, err));
    TRY(fitcheck_topics(topics, count, err));
    TRY(fitcheck_opts(opts, count, err));
    TRY(check_opts(opts, err));
    st = fit_all(&g, topics, count, out, err);
    if (comm->rank == 0)
        st = settle_index(&g, st, err);
out:
    if (self->traffic != NULL)
        *self->traffic = traffic;
    fit_free(&g.f);
    sketch_free(g.dealt);
    part_words_free(&g.seen);
    words_free(&g.all);
    mem_free(g.place);
    blas_end();
    return api_leave(st, err);
}
