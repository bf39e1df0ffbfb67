/* SPDX-License-Identifier: MIT */
/*
 * What a store has counted and sketched, as a parcel (parts.h). Rows of a view
 * lie in the order of its words' bytes, as the words of the file do: so all
 * that a row needs is to be passed on, or left out where no document holds its
 * word any more. Of a store without documents, as that of a machine that found
 * none to read, no part goes, no word and no view: whoever sends the parts of
 * all machines need not ask which have some.
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"
#include "base/run.h"
#include "base/wordmap.h"
#include "ops/elsewhere.h"
#include "ops/index/index.h"
#include "ops/parts/parts.h"
#include "ops/plan.h"

/* Whatever the part has: it must be that of the others. */
#define WIDTH_USUAL 1000

typedef struct exporting {
    store *s;
    const kedge_sketch_export_opts *opts;
    const kedge_control *control;
    kedge_sketch_export_result *out;
    uint64_t view;   /* that alone goes, or KEDGE_NO_INDEX */
    store_totals totals;
    words all;       /* the store's */
    uint32_t *order; /* of these, by their bytes */
    part part;
    uint32_t *place; /* by id: among the part's words, or WORDMAP_NONE */
    store_view stored[PART_VIEWS_MOST]; /* the views, as they are here */
    uint8_t *member; /* by id: the view at hand has a row of the word */
    parcel_out to;
    stage told;
    uint64_t rows, all_rows; /* that went; that will */
} exporting;

void kedge_sketch_export_opts_init(kedge_sketch_export_opts *opts)
{
    if (opts == NULL)
        return;
    *opts = (kedge_sketch_export_opts){.index = KEDGE_NO_INDEX};
}

static kedge_status check_opts(const kedge_sketch_export_opts *o,
                                  kedge_error *err)
{
    const int ways = (o->index != KEDGE_NO_INDEX) + o->counts +
                     (o->keep_words != NULL) + o->all_words;

    if (ways > 1)
        return kedge_fail(err, KEDGE_EINVAL,
                          "a view, counts, words to keep and all words are "
                          "different things to send: choose one");
    if (o->keep_words == NULL && !o->all_words &&
        (o->tf != NULL || o->sketch_size != 0 || o->seed != 0 ||
         o->min_tokens != 0))
        return kedge_fail(err, KEDGE_EINVAL,
                          "--tf, --sketch-size, --seed and --min-tokens are "
                          "of a sketch that is made: --keep-words FILE or "
                          "--all-words was expected beside");
    if (o->name != NULL && (o->name[0] == '\0' || strlen(o->name) > 63))
        return kedge_fail(err, KEDGE_EINVAL,
                          "a part's name has 1 to 63 bytes");
    return KEDGE_OK;
}

/* ---- which views --------------------------------------------------------- */

static kedge_status load_view(exporting *g, uint32_t number, store_view *view,
                              kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    store_txn *txn = NULL;

    TRY(store_begin_read(g->s, &txn, err));
    TRY(store_get_view_record(txn, number, view, err));
out:
    store_abort(&txn);
    return st;
}

/* The view with words of its own, made when it is not there. */
static kedge_status make_view(exporting *g, pool *p, uint32_t *number,
                              kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const kedge_sketch_export_opts *const o = g->opts;
    kedge_fit_opts choice;
    kedge_error why = {0};
    store_view view;
    index_choice chosen = {0};

    kedge_fit_opts_init(&choice);
    choice.keep_words = o->keep_words;
    choice.tf = o->tf;
    choice.sketch_size = o->sketch_size != 0 ? o->sketch_size : WIDTH_USUAL;
    choice.seed = o->seed;
    choice.min_tokens = o->min_tokens;
    choice.min_df = 1;
    choice.max_df = 1;
    choice.stopwords = "none";
    TRY(index_choose(g->s, &g->all, &choice, NULL, false, g->control,
                     &chosen, err));
    *number = chosen.number;
    if (!chosen.fresh)
        goto out;
    TRY(load_view(g, *number, &view, err));
    TRY(index_sync(g->s, &g->all, *number, &view, g->control, p, err));
    TRY(index_keep(g->s, &chosen, err));
out:
    if (st != KEDGE_OK && chosen.fresh &&
        index_drop(g->s, chosen.number, &why) != KEDGE_OK)
        run_log(g->control, "view %" PRIu32 " stays, without a sketch: %s",
                chosen.number, why.text);
    return st;
}

/* One that goes, if it is to. Asked for by its number, a view is told what is
 * wrong with it. */
static kedge_status visit_view(void *data, uint32_t number, store_view *view,
                               kedge_error *err)
{
    exporting *const g = data;
    const bool asked = g->view == number;
    kedge_status st;

    if (g->view != KEDGE_NO_INDEX && !asked)
        return KEDGE_OK;
    st = elsewhere_check_view(&g->totals, number, view, err);
    if (st == KEDGE_OK &&
        (view->joined || (view->listed && !index_rule_is_fixed(view->rule))))
        st = kedge_fail(err, KEDGE_EINVAL,
                        "view %" PRIu32 " stays: words %s, which are others "
                        "in each part", number, view->rule);
    if (st == KEDGE_EINVAL && !asked) {
        g->out->left++;
        return KEDGE_OK;
    }
    return st == KEDGE_OK ? part_add_view(&g->part.facts, number, view, err)
                          : st;
}

static kedge_status refuse_all(const exporting *g, kedge_error *err)
{
    if (g->view != KEDGE_NO_INDEX)
        return kedge_fail(err, KEDGE_ENOTFOUND,
                          "the store has no view %" PRIu64 "; 'kedge info "
                          "STORE' lists them", g->view);
    return kedge_fail(err, KEDGE_EINVAL,
                      "the store has no sketch that could be added to that of "
                      "another part%s; say of which words it is to be: --keep-words "
                      "FILE, the same list for all parts, or --all-words. Or "
                      "send the words with their counts alone (--counts)",
                      g->out->left > 0
                          ? ": words were chosen by its own counts, or there "
                            "are phrases"
                          : "");
}

/* Which views go; those that are behind the documents are brought up to
 * date. */
static kedge_status choose_views(exporting *g, pool *p, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const kedge_sketch_export_opts *const o = g->opts;
    part_facts *const f = &g->part.facts;
    store_txn *txn = NULL;
    uint32_t number;

    if (o->counts)
        return KEDGE_OK;
    g->view = o->index;
    if (o->keep_words != NULL || o->all_words) {
        TRY(make_view(g, p, &number, err));
        g->view = number;
    }
    TRY(store_begin_read(g->s, &txn, err));
    TRY(store_each_view(txn, visit_view, g, err));
    store_abort(&txn);
    if (f->views == 0)
        TRY(refuse_all(g, err));
    for (size_t i = 0; i < f->views; i++) {
        part_view *const v = &f->view[i];
        if (store_view_is_current(&v->view, &g->totals))
            continue;
        TRY(index_sync(g->s, &g->all, v->number, &v->view, g->control, p,
                       err));
        TRY(load_view(g, v->number, &v->view, err));
    }
out:
    store_abort(&txn);
    return st;
}

/* ---- what is in them ----------------------------------------------------- */

static kedge_status get_members(exporting *g, store_txn *txn, size_t i,
                                kedge_error *err)
{
    memset(g->member, 0, g->all.count);
    return part_mark_rows(txn, g->part.facts.view[i].number, &g->stored[i],
                          g->all.count, 1, g->member, err);
}

/* The words that travel, and how many rows of each view do. */
static kedge_status count_all(exporting *g, store_txn *txn, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    part_facts *const f = &g->part.facts;
    const size_t n = g->all.count;
    size_t twin;

    TRY_MEM(g->order = words_order(&g->all, &twin));
    TRY_MEM(g->place = mem_new(n, sizeof *g->place));
    TRY_MEM(g->member = mem_new(n, sizeof *g->member));
    TRY(part_words_of(txn, &g->all, g->order, g->place, &g->part.words, err));
    f->words = g->part.words.w.count;
    f->word_bytes = words_bytes(&g->part.words.w);
    for (size_t i = 0; i < f->views; i++) {
        store_view *const v = &f->view[i].view;
        g->stored[i] = *v;
        TRY(get_members(g, txn, i, err));
        v->words = 0;
        for (size_t id = 0; id < n; id++)
            v->words += g->member[id] && g->place[id] != WORDMAP_NONE;
        g->all_rows += v->words;
    }
out:
    return st;
}

/* Places of the view's words among those that travel. */
static kedge_status put_list(exporting *g, size_t count, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    uint32_t *place = NULL;
    size_t listed = 0;

    TRY_MEM(place = mem_new(count, sizeof *place));
    for (size_t r = 0; r < g->all.count; r++) {
        const uint32_t id = g->order[r];
        if (g->member[id] && g->place[id] != WORDMAP_NONE)
            place[listed++] = g->place[id];
    }
    TRY(part_put_list(&g->to, place, count, err));
out:
    mem_free(place);
    return st;
}

static kedge_status put_rows(exporting *g, store_txn *txn, const store_view *v,
                             kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    row_reader from = {.rows = v->words, .width = v->width, .txn = &txn,
                       .number = v->rows};
    row_writer to = {.width = v->width, .parcel = &g->to};
    int64_t *row, *copy;

    for (size_t r = 0; r < g->all.count; r++) {
        const uint32_t id = g->order[r];
        if (!g->member[id])
            continue;
        TRY(row_reader_next(&from, &row, err));
        if (g->place[id] == WORDMAP_NONE)
            continue;
        TRY(row_writer_next(&to, &copy, err));
        memcpy(copy, row, (1 + v->width) * sizeof *row);
        TRY(stage_reach(&g->told, ++g->rows, err));
    }
    TRY(row_writer_end(&to, err));
out:
    row_reader_free(&from);
    row_writer_free(&to);
    return st;
}

/* ---- the whole ----------------------------------------------------------- */

static kedge_status plan(exporting *g, kedge_error *err)
{
    uint64_t width = 0;

    for (size_t i = 0; i < g->part.facts.views; i++)
        if (g->part.facts.view[i].view.width > width)
            width = g->part.facts.view[i].view.width;
    return plan_walk(&(walk_shape){.what = "exporting a sketch",
                                   .threads = 1,
                                   .vocabulary = g->all.count,
                                   .word_bytes = words_bytes(&g->all),
                                   .more = memory_rows(width) +
                                           memory_parcel(width) +
                                           12 * (uint64_t)g->all.count},
                     g->control, &g->out->planned_memory, err);
}

static kedge_status write_part(exporting *g, const parcel_sink *to,
                               kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    store_txn *txn = NULL;
    const part_facts *const f = &g->part.facts;

    TRY(store_begin_read(g->s, &txn, err));
    TRY(plan(g, err));
    TRY(part_facts_of(txn, &g->totals, g->opts->name, &g->part.facts, err));
    TRY(count_all(g, txn, err));
    g->told = stage_begin(g->control, "exporting", g->all_rows, "rows");
    TRY(parcel_begin(&g->to, to, err));
    TRY(part_put_facts(&g->to, f, err));
    TRY(part_put_words(&g->to, &g->part.words, err));
    part_words_free(&g->part.words);
    for (size_t i = 0; i < f->views; i++) {
        TRY(get_members(g, txn, i, err));
        if (g->stored[i].listed)
            TRY(put_list(g, f->view[i].view.words, err));
        TRY(put_rows(g, txn, &g->stored[i], err));
    }
    TRY(parcel_end(&g->to, err));
out:
    store_abort(&txn);
    return st;
}

static kedge_status export_part(exporting *g, const parcel_sink *to,
                                kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const part_facts *const f = &g->part.facts;
    const double start = clock_seconds();
    pool *p = NULL;

    TRY(check_opts(g->opts, err));
    TRY(plan_load_words(g->s, g->control, &g->totals, &g->all, err));
    TRY(pool_open(g->control, &p, err));
    if (g->totals.documents > 0)
        TRY(choose_views(g, p, err));
    TRY(write_part(g, to, err));
    g->out->parts = f->parts;
    g->out->documents = f->documents;
    g->out->tokens = f->tokens;
    g->out->words = f->words;
    g->out->indexes = f->views;
    g->out->bytes = g->to.bytes;
    g->out->seconds = clock_seconds() - start;
out:
    pool_free(p);
    part_free(&g->part);
    parcel_out_free(&g->to);
    words_free(&g->all);
    mem_free(g->order);
    mem_free(g->place);
    mem_free(g->member);
    return st;
}

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

    kedge_status st = KEDGE_OK;
    outlet o = {write, data};
    exporting *g = NULL;

    TRY_MEM(g = mem_new(1, sizeof *g)); /* it is large */
    *g = (exporting){.s = s, .opts = opts, .control = run_control(control),
                     .out = out};
    TRY(export_part(g, &(parcel_sink){outlet_write, &o}, err));
out:
    mem_free(g);
    return api_leave(st, err);
}
