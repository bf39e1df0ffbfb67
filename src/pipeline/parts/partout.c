/* SPDX-License-Identifier: MIT */
/*
 * What a store has counted and sketched, as a parcel (partfile.h). Rows of a
 * view lie in the order of its words' bytes, as the words of the file do: so
 * all that a row needs is to be passed on, or left out where no document holds
 * its word any more. Of a store without documents, as that of a machine that
 * found none to read, no part goes, no word and no view: whoever sends the
 * parts of all machines need not ask which have some.
 */
#include <kedge/parts.h>

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"
#include "base/run.h"
#include "pipeline/elsewhere.h"
#include "pipeline/parts/partfacts.h"
#include "pipeline/parts/rowflow.h"
#include "pipeline/plan.h"
#include "pipeline/index/index.h"

/* Whatever the part has: it must be that of the others. */
#define WIDTH_USUAL 1000

typedef struct sending {
    store *s;
    const kedge_sketch_export_opts *opts;
    const kedge_control *control;
    kedge_sketch_export_result *out;
    store_totals totals;
    words all;         /* the store's */
    uint32_t *order;   /* of these, by their bytes */
    uint64_t *tf, *df; /* by id */
    partfile_facts facts;
    store_view stored[PARTFILE_VIEWS_MOST]; /* the views, as they are here */
    bool *member;      /* by id: the view at hand has the word */
    parcel_out to;
    stage told;
    uint64_t rows, all_rows; /* that went; that will */
} sending;

void kedge_sketch_export_opts_init(kedge_sketch_export_opts *opts)
{
    if (opts == NULL)
        return;
    *opts = (kedge_sketch_export_opts){.view = KEDGE_NO_VIEW};
}

static kedge_status sending_check(const kedge_sketch_export_opts *o,
                                  kedge_error *err)
{
    const int ways = (o->view != KEDGE_NO_VIEW) + o->counts +
                     (o->keep != NULL) + o->all_words;

    if (ways > 1)
        return kedge_fail(err, KEDGE_EINVAL,
                          "a view, counts, words to keep and all words are "
                          "different things to send: choose one");
    if (o->keep == NULL && !o->all_words &&
        (o->statistic != NULL || o->width != 0 || o->seed != 0 ||
         o->min_tokens != 0))
        return kedge_fail(err, KEDGE_EINVAL,
                          "--statistic, --sketch, --seed and --min-tokens are "
                          "of a sketch that is made: --keep FILE or "
                          "--all-words was expected beside");
    if (o->name != NULL && (o->name[0] == '\0' || strlen(o->name) > 63))
        return kedge_fail(err, KEDGE_EINVAL,
                          "a part's name has 1 to 63 bytes");
    return KEDGE_OK;
}

/* ---- which views --------------------------------------------------------- */

static bool sending_has_words(const sending *g)
{
    return g->opts->keep != NULL || g->opts->all_words;
}

/* The view with words of its own, made when it is not there. */
static kedge_status sending_make(sending *g, pool *p, uint32_t *number,
                                 kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    store_txn *txn = NULL;
    const kedge_sketch_export_opts *const o = g->opts;
    kedge_fit_opts choice;
    kedge_error why = {0};
    store_view view;
    index_choice chosen = {0};
    bool unfinished = false;

    kedge_fit_opts_init(&choice);
    choice.keep = o->keep;
    choice.statistic = o->statistic;
    choice.width = o->width != 0 ? o->width : WIDTH_USUAL;
    choice.seed = o->seed;
    choice.min_tokens = o->min_tokens;
    choice.min_df = 1;
    choice.max_df = 1;
    choice.stopwords = "none";
    TRY(index_choose(g->s, &g->all, &choice, NULL, false, g->control,
                     &chosen, err));
    *number = chosen.number;
    unfinished = chosen.fresh;
    TRY(store_begin_read(g->s, &txn, err));
    st = store_get_view_record(txn, *number, &view, err);
    store_abort(&txn);
    TRY(st);
    if (!unfinished)
        goto out;
    TRY(index_sync(g->s, &g->all, *number, &view, g->control, p, err));
    TRY(index_keep(g->s, &chosen, err));
    unfinished = false;
out:
    if (unfinished && index_drop(g->s, *number, &why) != KEDGE_OK)
        run_log(g->control, "view %" PRIu32 " stays, without a sketch: %s",
                *number, why.text);
    return st;
}

static kedge_status sending_add_view(sending *g, uint32_t number,
                                     const store_view *view, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    partfile_facts *const f = &g->facts;

    if (f->views == PARTFILE_VIEWS_MOST)
        TRY(kedge_fail(err, KEDGE_EINVAL, "more than %d views are too many",
                       PARTFILE_VIEWS_MOST));
    if (f->view == NULL)
        TRY_MEM(f->view = mem_new(PARTFILE_VIEWS_MOST, sizeof *f->view));
    f->view[f->views++] = (partfile_view){number, *view};
out:
    return st;
}

/* Asked for by its number, a view is told what is wrong with it. */
static kedge_status sending_refuse_view(const sending *g, uint32_t number,
                                        const store_view *view,
                                        kedge_error *err)
{
    kedge_status st = KEDGE_OK;

    TRY(elsewhere_check_view(&g->totals, number, view, err));
    if (view->joined || (view->listed && !index_rule_is_fixed(view->rule)))
        TRY(kedge_fail(err, KEDGE_EINVAL,
                       "view %" PRIu32 " stays: words %s, which are others "
                       "in each part", number, view->rule));
out:
    return st;
}

/* One that goes, if it is to. */
static kedge_status sending_visit(void *data, uint32_t number,
                                  store_view *view, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    sending *const g = data;
    const bool asked = g->opts->view == number;

    if (g->opts->view != KEDGE_NO_VIEW && !asked)
        return KEDGE_OK;
    st = sending_refuse_view(g, number, view, err);
    if (st == KEDGE_EINVAL && !asked) {
        g->out->left++;
        return KEDGE_OK;
    }
    TRY(st);
    TRY(sending_add_view(g, number, view, err));
out:
    return st;
}

static kedge_status sending_refuse_all(const sending *g, kedge_error *err)
{
    if (g->opts->view != KEDGE_NO_VIEW)
        return kedge_fail(err, KEDGE_ENOTFOUND,
                          "the store has no view %" PRIu64 "; 'kedge info "
                          "STORE' lists them", g->opts->view);
    return kedge_fail(err, KEDGE_EINVAL,
                      "the store has no sketch that could be added to that of "
                      "another part%s; say of which words it is to be: --keep "
                      "FILE, the same list for all parts, or --all-words. Or "
                      "send the words with their counts alone (--counts)",
                      g->out->left > 0
                          ? ": words were chosen by its own counts, or there "
                            "are phrases"
                          : "");
}

static kedge_status sending_choose(sending *g, pool *p, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    store_txn *txn = NULL;
    store_view view;
    uint32_t number = 0;

    if (g->opts->counts)
        return KEDGE_OK;
    if (sending_has_words(g))
        TRY(sending_make(g, p, &number, err));
    TRY(store_begin_read(g->s, &txn, err));
    if (sending_has_words(g)) {
        TRY(store_get_view_record(txn, number, &view, err));
        TRY(sending_refuse_view(g, number, &view, err));
        TRY(sending_add_view(g, number, &view, err));
    } else {
        TRY(store_each_view(txn, sending_visit, g, err));
    }
    if (g->facts.views == 0)
        TRY(sending_refuse_all(g, err));
out:
    store_abort(&txn);
    return st;
}

/* Sketches that are behind the documents are brought up to date. */
static kedge_status sending_follow(sending *g, pool *p, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    store_txn *txn = NULL;

    for (size_t i = 0; i < g->facts.views; i++) {
        partfile_view *const v = &g->facts.view[i];
        if (store_view_is_current(&v->view, &g->totals))
            continue;
        TRY(index_sync(g->s, &g->all, v->number, &v->view, g->control,
                             p, err));
        TRY(store_begin_read(g->s, &txn, err));
        st = store_get_view_record(txn, v->number, &v->view, err);
        store_abort(&txn);
        TRY(st);
    }
out:
    return st;
}

/* ---- words --------------------------------------------------------------- */

/* Those that some document holds travel. */
static kedge_status sending_learn(sending *g, store_txn *txn, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const size_t n = g->all.count;
    size_t twin;

    TRY_MEM(g->order = words_order(&g->all, &twin));
    TRY_MEM(g->tf = mem_new(n, sizeof *g->tf));
    TRY_MEM(g->df = mem_new(n, sizeof *g->df));
    TRY_MEM(g->member = mem_new(n, sizeof *g->member));
    TRY(store_get_counts(txn, g->tf, g->df, n, err));
    for (size_t id = 0; id < n; id++)
        if (g->df[id] > 0) {
            g->facts.words++;
            g->facts.word_bytes += words_size(&g->all, id) + 1;
        }
out:
    return st;
}

static kedge_status sending_words(sending *g, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    uint64_t *tf = NULL, *df = NULL;
    words sent = {0};

    TRY_MEM(tf = mem_new(g->facts.words, sizeof *tf));
    TRY_MEM(df = mem_new(g->facts.words, sizeof *df));
    for (size_t r = 0; r < g->all.count; r++) {
        const uint32_t id = g->order[r];
        if (g->df[id] == 0)
            continue;
        tf[sent.count] = g->tf[id];
        df[sent.count] = g->df[id];
        if (!words_add(&sent, words_get(&g->all, id),
                       words_size(&g->all, id)))
            TRY_MEM(NULL);
    }
    TRY(partfile_put_words(&g->to, &sent, tf, df, err));
out:
    mem_free(tf);
    mem_free(df);
    words_free(&sent);
    return st;
}

/* ---- views --------------------------------------------------------------- */

/* Which words a view has; its rows are theirs, in the order of their bytes. One
 * without a list has those that there were when it last followed: phrases come
 * without documents. */
static kedge_status sending_members(sending *g, store_txn *txn, size_t i,
                                    kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const store_view *const v = &g->stored[i];
    store_list list = {0};

    for (size_t id = 0; id < g->all.count; id++)
        g->member[id] = !v->listed && id < v->words;
    if (!v->listed)
        return KEDGE_OK;
    TRY(store_get_list(txn, g->facts.view[i].number, &list, err));
    for (size_t k = 0; k < list.count; k++) {
        if (list.ids[k] >= g->all.count)
            TRY(kedge_fail(err, KEDGE_ECORRUPT,
                           "the list of view %" PRIu32 " is damaged",
                           g->facts.view[i].number));
        g->member[list.ids[k]] = true;
    }
out:
    store_list_free(&list);
    return st;
}

/* How many rows of each view travel. */
static kedge_status sending_count(sending *g, store_txn *txn, kedge_error *err)
{
    kedge_status st = KEDGE_OK;

    for (size_t i = 0; i < g->facts.views; i++) {
        store_view *const v = &g->facts.view[i].view;
        g->stored[i] = *v;
        TRY(sending_members(g, txn, i, err));
        v->words = 0;
        for (size_t id = 0; id < g->all.count; id++)
            v->words += g->member[id] && g->df[id] > 0;
        g->all_rows += v->words;
    }
out:
    return st;
}

/* Places of the view's words among those that travel. */
static kedge_status sending_list(sending *g, size_t count, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    uint32_t *place = NULL, at = 0;
    size_t listed = 0;

    TRY_MEM(place = mem_new(count, sizeof *place));
    for (size_t r = 0; r < g->all.count; r++) {
        const uint32_t id = g->order[r];
        if (g->df[id] > 0 && g->member[id])
            place[listed++] = at;
        at += g->df[id] > 0;
    }
    TRY(partfile_put_list(&g->to, place, count, err));
out:
    mem_free(place);
    return st;
}

static kedge_status sending_put(void *data, size_t chunk, store_rows *rows,
                                kedge_error *err)
{
    sending *const g = data;

    (void)chunk;
    return parcel_put_rows(&g->to, rows, err);
}

static kedge_status sending_rows(sending *g, store_txn *txn,
                                 const store_view *v, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    rowstore from = {.txn = txn, .number = v->rows, .width = v->width};
    rowflow in = {.rows = v->words, .width = v->width,
                  .fetch = rowstore_fetch, .data = &from};
    rowsink out = {.width = v->width, .put = sending_put, .data = g};
    int64_t *row, *to;

    for (size_t r = 0; r < g->all.count; r++) {
        const uint32_t id = g->order[r];
        if (!g->member[id])
            continue;
        TRY(rowflow_next(&in, &row, err));
        if (g->df[id] == 0)
            continue;
        TRY(rowsink_row(&out, &to, err));
        memcpy(to, row, (1 + v->width) * sizeof *row);
        TRY(stage_reach(&g->told, ++g->rows, err));
    }
    TRY(rowsink_end(&out, err));
out:
    store_rows_free(&from.scratch);
    rowflow_free(&in);
    rowsink_free(&out);
    return st;
}

static kedge_status sending_view(sending *g, store_txn *txn, size_t i,
                                 kedge_error *err)
{
    kedge_status st = KEDGE_OK;

    TRY(sending_members(g, txn, i, err));
    if (g->stored[i].listed)
        TRY(sending_list(g, g->facts.view[i].view.words, err));
    TRY(sending_rows(g, txn, &g->stored[i], err));
out:
    return st;
}

/* ---- the whole ----------------------------------------------------------- */

static kedge_status sending_plan(sending *g, kedge_error *err)
{
    uint64_t width = 0;

    for (size_t i = 0; i < g->facts.views; i++)
        if (g->facts.view[i].view.width > width)
            width = g->facts.view[i].view.width;
    return plan_walk(&(walk_shape){.what = "exporting a sketch",
                                   .threads = 1,
                                   .vocabulary = g->all.count,
                                   .word_bytes = words_bytes(&g->all),
                                   .more = memory_rowflow(width) +
                                           memory_parcel(width) +
                                           8 * (uint64_t)g->all.count},
                     g->control, &g->out->planned_memory, err);
}

static kedge_status sending_write(sending *g, const parcel_sink *to,
                                  kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    store_txn *txn = NULL;

    TRY(store_begin_read(g->s, &txn, err));
    TRY(sending_plan(g, err));
    TRY(sending_learn(g, txn, err));
    TRY(partfacts_of(txn, &g->totals, g->opts->name, &g->facts, err));
    TRY(sending_count(g, txn, err));
    g->told = stage_begin(g->control, "exporting", g->all_rows, "rows");
    TRY(parcel_begin(&g->to, to, err));
    TRY(partfile_put_facts(&g->to, &g->facts, err));
    TRY(sending_words(g, err));
    for (size_t i = 0; i < g->facts.views; i++)
        TRY(sending_view(g, txn, i, err));
    TRY(parcel_end(&g->to, err));
out:
    store_abort(&txn);
    return st;
}

static void sending_report(const sending *g, double start)
{
    kedge_sketch_export_result *const out = g->out;

    out->parts = g->facts.parts;
    out->documents = g->facts.documents;
    out->tokens = g->facts.tokens;
    out->words = g->facts.words;
    out->views = g->facts.views;
    out->bytes = g->to.bytes;
    out->seconds = clock_seconds() - start;
}

static void sending_free(sending *g)
{
    partfile_free(&g->facts);
    parcel_out_free(&g->to);
    words_free(&g->all);
    mem_free(g->order);
    mem_free(g->tf);
    mem_free(g->df);
    mem_free(g->member);
}

static kedge_status sending_run(sending *g, const parcel_sink *to,
                                kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    pool *p = NULL;

    TRY(sending_check(g->opts, err));
    TRY(plan_load_words(g->s, g->control, &g->totals, &g->all, err));
    TRY(pool_open(g->control, &p, err));
    if (g->totals.documents > 0)
        TRY(sending_choose(g, p, err));
    TRY(sending_follow(g, p, err));
    TRY(sending_write(g, to, err));
out:
    pool_free(p);
    return st;
}

static kedge_status sending_export(kedge_store *s, const parcel_sink *to,
                                  const kedge_sketch_export_opts *opts,
                                  const kedge_control *control,
                                  kedge_sketch_export_result *out,
                                  kedge_error *err)
{
    const double start = clock_seconds();
    kedge_status st;
    sending *g;

    *out = (kedge_sketch_export_result){0};
    g = mem_new(1, sizeof *g);
    if (g == NULL)
        return kedge_fail(err, KEDGE_ENOMEM, "out of memory (exporting)");
    *g = (sending){.s = s, .opts = opts, .control = control, .out = out};
    st = sending_run(g, to, err);
    if (st == KEDGE_OK)
        sending_report(g, start);
    sending_free(g);
    mem_free(g);
    return st;
}

/* ---- where it goes ------------------------------------------------------- */

typedef struct outlet {
    kedge_sketch_write *write;
    void *data;
} outlet;

static kedge_status outlet_write(void *data, const void *bytes, size_t size,
                                 kedge_error *err)
{
    const outlet *const o = data;

    errno = 0;
    if (o->write(o->data, bytes, size))
        return KEDGE_OK;
    return kedge_fail(err, KEDGE_EIO, "cannot write the sketch: %s",
                      errno == 0 ? "some of it was not taken"
                                 : strerror(errno));
}

kedge_status kedge_sketch_export(kedge_store *s, kedge_sketch_write *write,
                                 void *data,
                                 const kedge_sketch_export_opts *opts,
                                 const kedge_control *control,
                                 kedge_sketch_export_result *out,
                                 kedge_error *err)
{
    if (out != NULL)
        *out = (kedge_sketch_export_result){0};
    API_ENTER(err, {"store", s},
              {"write", write != NULL ? "" : NULL},
              {"out", out});
    API_USUAL(kedge_sketch_export_opts, opts);
    control = run_control(control);

    outlet o = {write, data};

    return api_leave(sending_export(s, &(parcel_sink){outlet_write, &o}, opts,
                                    control, out, err), err);
}
