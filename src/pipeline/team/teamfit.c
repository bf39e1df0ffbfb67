/* SPDX-License-Identifier: MIT */
/*
 * Fitting by several processes, each with a store of its own:
 *
 *   words and counts of all → rank 0's store of sums, where a view is chosen
 *   the view's words → everybody, who sketches its own documents by them
 *   rows of all sketches → who adds them up
 *   spectrum, rectification, topics: each its own rows, small sums to everybody
 *   the model's rows → rank 0, which stores it
 *
 * Rows are dealt out in groups (linalg/tall.h), so no more processes than these
 * have any; the others have sketched their documents, and wait.
 */
#include <kedge/team.h>

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/fail.h"
#include "base/mem.h"
#include "base/run.h"
#include "base/wordmap.h"
#include "linalg/blas.h"
#include "pipeline/fit/fitcheck.h"
#include "pipeline/fit/groundwork.h"
#include "pipeline/fit/onemodel.h"
#include "pipeline/team/dealing.h"
#include "pipeline/team/sumstore.h"
#include "pipeline/team/adopt.h"
#include "pipeline/index/index.h"

typedef struct teamfit {
    fit f;
    team *t;             /* all, of whom the first have rows to work on: */
    team workers;
    store *own;
    store_totals totals; /* of that, */
    words all;           /* its words, */
    uint32_t number;     /* its view, */
    store_view view;     /* and what is in it */
    tallies seen;        /* the view's words, by row */
    uint32_t *place;     /* by row: the own store's row, or DEALING_NONE */
    sketch *dealt;
} teamfit;

/* ---- what can be asked for ---------------------------------------------- */

static kedge_status check_opts(const kedge_fit_opts *o, kedge_error *err)
{
    const char *const what =
        o->refine > 0                                     ? "--refine"
        : o->polish > 0                                   ? "--polish"
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
                            "%s is of one process with all documents: 'kedge "
                            "merge' puts the stores together", what);
}

/* ---- words, and which of them ------------------------------------------- */

/* Rank 0 knows them all, and chooses. */
static kedge_status choose_view(teamfit *g, muster *m, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    store_txn *txn = NULL;
    fit *const f = &g->f;

    TRY(sumstore_put(f->s, m, err));
    muster_free(m);
    TRY(groundwork_choose(f, err));
    TRY(store_begin_read(f->s, &txn, err));
    TRY(fitwords_create(&f->w, txn, &f->all, &f->filter, &f->view, f->control,
                        err));
    store_abort(&txn);
    for (size_t r = 0; r < f->w.rows; r++) {
        const uint32_t n = f->w.order[r];
        if (!words_add(&g->seen.w, words_get(f->list, n),
                       words_size(f->list, n)))
            TRY_MEM(NULL);
    }
    TRY_MEM(g->seen.tf = mem_new(f->w.rows, sizeof *g->seen.tf));
    TRY_MEM(g->seen.df = mem_new(f->w.rows, sizeof *g->seen.df));
    memcpy(g->seen.tf, f->w.tf, f->w.rows * sizeof *g->seen.tf);
    memcpy(g->seen.df, f->w.df, f->w.rows * sizeof *g->seen.df);
out:
    store_abort(&txn);
    return st;
}

/* The others take what rank 0 chose; rows are in the order of the words. */
static kedge_status take_words(teamfit *g, kedge_error *err)
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

/* Rank 0's, and of how many documents the store of sums tells. */
static kedge_status spread_view(teamfit *g, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    uint8_t told[STORE_VIEW_SIZE + 8];

    store_write_view(&g->f.view, told);
    put_u64(told + STORE_VIEW_SIZE, g->f.totals.documents);
    team_spread(g->t, told, sizeof told, 0);
    TRY(store_read_view(told, &g->f.view, "the view that rank 0 chose", err));
    g->f.totals.documents = get_u64(told + STORE_VIEW_SIZE);
out:
    return st;
}

static kedge_status agree_on_words(teamfit *g, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    fit *const f = &g->f;
    muster m = {0};

    TRY(store_load_words(g->own, &g->totals, &g->all, err));
    TRY(muster_call(g->t, g->own, &g->totals, &g->all, f->control, &m, err));
    if (g->t->rank == 0)
        TRY(choose_view(g, &m, err));
    TRY(spread_view(g, err));
    TRY(tallies_spread(g->t, &g->seen, err));
    if (g->t->rank > 0)
        TRY(take_words(g, err));
    f->view.words = f->w.rows;
    groundwork_count(f, &f->traffic->words);
out:
    muster_free(&m);
    return st;
}

/* ---- the own documents -------------------------------------------------- */

static int compare_ids(const void *left, const void *right)
{
    const uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;

    return (a > b) - (a < b);
}

/* By row: the word's id in the own store, or WORDMAP_NONE; `list`, rising, has
 * those that there are. */
static kedge_status find_ids(teamfit *g, uint32_t *ids, uint32_t *list,
                             size_t *count, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    wordmap map = {0};

    *count = 0;
    TRY_MEM(wordmap_open(&map, &g->all) ? g : NULL);
    for (size_t r = 0; r < g->seen.w.count; r++) {
        ids[r] = wordmap_find(&map, span_of(words_get(&g->seen.w, r),
                                            words_size(&g->seen.w, r)));
        if (ids[r] != WORDMAP_NONE)
            list[(*count)++] = ids[r];
    }
    qsort(list, *count, sizeof *list, compare_ids);
out:
    wordmap_close(&map);
    return st;
}

/* The own rows lie in the order of words, as all rows do; those of a view
 * without a list are of words besides. */
static kedge_status find_places(teamfit *g, const uint32_t *ids,
                                kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const size_t n = g->view.words;
    uint32_t *order = NULL, *rank = NULL;
    words known = g->all;
    size_t twin, listed = 0;

    known.count = n;
    if (!g->view.listed) {
        TRY_MEM(order = words_order(&known, &twin));
        TRY_MEM(rank = mem_new(n, sizeof *rank));
        for (size_t r = 0; r < n; r++)
            rank[order[r]] = (uint32_t)r;
    }
    for (size_t r = 0; r < g->seen.w.count; r++)
        g->place[r] = ids[r] == WORDMAP_NONE ? DEALING_NONE
                      : rank != NULL         ? rank[ids[r]]
                                             : (uint32_t)listed++;
out:
    mem_free(order);
    mem_free(rank);
    return st;
}

/* The own documents, sketched by the view's words. */
static kedge_status sketch_own(teamfit *g, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const size_t rows = g->seen.w.count;
    adopt_input in = {.s = g->own, .all = &g->all, .like = &g->f.view,
                      .width = g->f.opts->width, .control = g->f.control,
                      .p = g->f.p};
    uint32_t *ids = NULL, *list = NULL;

    TRY_MEM(g->place = mem_new(rows, sizeof *g->place));
    TRY_MEM(ids = mem_new(rows, sizeof *ids));
    TRY_MEM(list = mem_new(rows, sizeof *list));
    memset(g->place, 0xff, rows * sizeof *g->place);
    g->view = g->f.view;
    g->view.documents = g->view.skipped = g->view.tokens = 0;
    if (g->totals.documents == 0)
        goto out;
    TRY(find_ids(g, ids, list, &in.count, err));
    in.ids = list;
    TRY(adopt_view(&in, &g->number, &g->view, err));
    TRY(find_places(g, ids, err));
out:
    mem_free(ids);
    mem_free(list);
    return st;
}

/* ---- all together ------------------------------------------------------- */

static void add_documents(void *data, void *value)
{
    const store_view *const own = data;
    uint64_t *const sum = value;

    sum[0] += own->documents;
    sum[1] += own->skipped;
    sum[2] += own->tokens;
}

/* What is in the view of all, which then is of the rows that are dealt. */
static kedge_status add_up(teamfit *g, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    fit *const f = &g->f;
    const dealing_input in = {.t = g->t, .holders = g->workers.size,
                              .own = g->own, .view = &g->view,
                              .place = g->place, .rows = f->w.rows,
                              .list = f->list, .order = f->w.order,
                              .spill = f->plan.spilled ? store_path(g->own)
                                                       : NULL,
                              .control = f->control};
    statistic_sum total;
    uint64_t sum[3] = {0};

    team_fold(g->t, sum, sizeof sum, add_documents, &g->view);
    f->view.documents = sum[0];
    f->view.skipped = sum[1];
    f->view.tokens = sum[2];
    TRY(dealing_run(&in, &g->dealt, &total, err));
    if (statistic_damped(f->view.statistic))
        f->view.total = statistic_total(&total);
    f->dealt = g->dealt;
    groundwork_count(f, &f->traffic->rows);
out:
    return st;
}

/* The view stays, for the next models; those of the same rule before it go. */
static kedge_status settle_view(teamfit *g, kedge_status st, kedge_error *err)
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

/* By those who have rows. */
static kedge_status fit_models_together(teamfit *g, const uint64_t *topics,
                                        size_t count, kedge_fit_result *out,
                                        kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    fit *const f = &g->f;

    pool_join(f->p, &g->workers);
    TRY(groundwork_lay_dealt(f, err));
    TRY(groundwork_values(f, err));
    for (size_t i = 0; i < count; i++)
        TRY(onemodel_fit(f, topics[i], count, &out[i], err));
out:
    return st;
}

/* A result's fields, each by itself: a struct has what it likes between. */
#define FIELD(name)                                                           \
    {offsetof(kedge_fit_result, name),                                        \
     sizeof((kedge_fit_result *)0)->name}

static const struct field {
    size_t at, size;
} fields[] = {
    FIELD(model), FIELD(topics), FIELD(words), FIELD(vocabulary), FIELD(view),
    FIELD(stored_words), FIELD(absent_words), FIELD(phrases),
    FIELD(words_before), FIELD(tokens_left_out),
    FIELD(documents), FIELD(too_short), FIELD(min_tokens), FIELD(width),
    FIELD(refined), FIELD(polished), FIELD(weight), FIELD(ncut),
    FIELD(cooccurrence), FIELD(rectify), FIELD(eigenspace_error),
    FIELD(eigen_gap_error), FIELD(unexplained), FIELD(refine_helps),
    FIELD(rounds), FIELD(products), FIELD(last_change), FIELD(negative_share),
    FIELD(anchors), FIELD(anchors_given), FIELD(anchor_min_df),
    FIELD(candidates), FIELD(solver), FIELD(recover), FIELD(legal),
    FIELD(admm_steps), FIELD(sum_correlations), FIELD(negative_correlations),
    FIELD(dirichlet), FIELD(dirichlet_misfit), FIELD(like), FIELD(matched),
    FIELD(mean_distance), FIELD(came), FIELD(gone), FIELD(background),
    FIELD(background_share), FIELD(likelihood), FIELD(seconds),
    FIELD(seconds_spectrum), FIELD(seconds_rectify), FIELD(seconds_topics),
    FIELD(seconds_store), FIELD(peak_memory)};

/* Rank 0's become everybody's. */
static void spread_results(team *t, kedge_fit_result *out, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint8_t told[sizeof *out];
        size_t size = 0;
        for (size_t f = 0; f < sizeof fields / sizeof *fields; f++) {
            memcpy(told + size, (const char *)&out[i] + fields[f].at,
                   fields[f].size);
            size += fields[f].size;
        }
        team_spread(t, told, size, 0);
        size = 0;
        for (size_t f = 0; f < sizeof fields / sizeof *fields; f++) {
            memcpy((char *)&out[i] + fields[f].at, told + size,
                   fields[f].size);
            size += fields[f].size;
        }
    }
}

static kedge_status fit_all(teamfit *g, const uint64_t *topics, size_t count,
                            kedge_fit_result *out, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    fit *const f = &g->f;

    TRY(agree_on_words(g, err));
    f->dealing = memory_dealing(f->view.width, g->workers.size) +
                 memory_tallies(f->all.count, words_bytes(f->list));
    TRY(groundwork_plan(f, topics, count, err));
    TRY(pool_open(f->control, &f->p, err));
    TRY(sketch_own(g, err));
    TRY(add_up(g, err));
    TRY(fitcheck_view(&f->view, err));
    if (g->t->rank < g->workers.size)
        TRY(fit_models_together(g, topics, count, out, err));
    spread_results(g->t, out, count);
    if (f->opts->eigenvalues != NULL)
        team_spread(g->t, f->opts->eigenvalues,
                    (f->most + 1) * sizeof *f->opts->eigenvalues, 0);
    groundwork_count(f, &f->traffic->model);
out:
    return st;
}

static void teamfit_free(teamfit *g)
{
    groundwork_free(&g->f);
    pool_free(g->f.p);
    sketch_free(g->dealt);
    tallies_free(&g->seen);
    words_free(&g->all);
    mem_free(g->place);
}

kedge_status kedge_team_fit(const kedge_member *self, const uint64_t *topics,
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
    team *const t = self->team;
    const fit_wish wish = {topics, count, opts, NULL, NULL};
    kedge_team_traffic traffic = {0};
    teamfit g = {.f = {.s = self->sum, .wish = &wish, .opts = opts,
                       .control = control, .traffic = &traffic,
                       .heard = *t->heard},
                 .t = t, .workers = *t, .own = self->own};

    g.workers.size = t->size < TALL_GROUPS ? t->size : TALL_GROUPS;
    g.f.team = &g.workers;
    TRY(blas_begin(control->threads, err));
    TRY(fitcheck_topics(topics, count, err));
    TRY(fitcheck_opts(opts, count, err));
    TRY(check_opts(opts, err));
    st = fit_all(&g, topics, count, out, err);
    if (t->rank == 0)
        st = settle_view(&g, st, err);
out:
    if (self->traffic != NULL)
        *self->traffic = traffic;
    teamfit_free(&g);
    blas_end();
    return api_leave(st, err);
}
