/* SPDX-License-Identifier: MIT */
/*
 * What a store has counted and sketched, as a parcel (parts.h). Rows of an
 * index lie in the order of its words' bytes, as the words of the file do: so a
 * row is passed on as it is, or left out where no document holds its word any
 * more. A store without documents, as that of a machine that found none to
 * read, gives a parcel without part, words and indexes: who sends the parts of
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

/* The usual sketch size, whatever words a part has: parts are only added up
 * where it is the same. */
#define WIDTH_USUAL 1000

typedef struct exporting {
    store *s;
    const kedge_sketch_export_opts *opts;
    const kedge_control *control;
    kedge_sketch_export_result *out;
    store_totals totals;
    words all;       /* the store's */
    uint32_t *order; /* of these, by their bytes */
    part part;
    uint32_t *place; /* by id: among the part's words, or WORDMAP_NONE */
    store_index *stored; /* the part's indexes, as the store has them */
    uint8_t *member; /* by id: the index at hand has a row of the word */
    kedge_sketch_write *write; /* the caller's, */
    void *data;                /* with this */
    parcel_out to;
    stage progress;
    uint64_t rows, all_rows; /* written; to be written */
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
                          "choose one of --index, --counts, --keep-words and "
                          "--all-words");
    if (o->keep_words == NULL && !o->all_words &&
        (o->tf != NULL || o->sketch_size != 0 || o->seed != 0 ||
         o->min_tokens != 0))
        return kedge_fail(err, KEDGE_EINVAL,
                          "--tf, --sketch-size, --seed and --min-tokens "
                          "need a new sketch: add --keep-words FILE or "
                          "--all-words");
    if (o->name != NULL && (o->name[0] == '\0' || strlen(o->name) > 63))
        return kedge_fail(err, KEDGE_EINVAL,
                          "a part's name has 1 to 63 bytes");
    return KEDGE_OK;
}

/* ---- which indexes ------------------------------------------------------- */

/* EINVAL for an index that cannot be added to that of another part. */
static kedge_status check_index(const exporting *g, const index_entry *e,
                                kedge_error *err)
{
    const store_index *const v = &e->record;

    PASS(elsewhere_check_index(&g->totals, e->number, v, err));
    if (v->joined || (v->listed && !index_rule_is_fixed(v->rule)))
        return kedge_fail(err, KEDGE_EINVAL,
                          "index %" PRIu32 " is not exported: its words, %s, "
                          "differ between parts", e->number, v->rule);
    return KEDGE_OK;
}

/* The index of this number, or all that can be added up; then what is wrong
 * with the others is not an error. */
static kedge_status pick_indexes(exporting *g, const index_list *known,
                                 uint64_t index, kedge_error *err)
{
    for (size_t i = 0; i < known->count; i++) {
        const index_entry *const e = &known->at[i];
        const bool asked = e->number == index;
        if (index != KEDGE_NO_INDEX && !asked)
            continue;
        const kedge_status st = check_index(g, e, err);
        if (st == KEDGE_EINVAL && !asked) {
            g->out->left++;
            continue;
        }
        PASS(st);
        PASS(part_add_index(&g->part.facts, e->number, &e->record, err));
    }
    if (g->part.facts.indexes > 0)
        return KEDGE_OK;
    if (index != KEDGE_NO_INDEX)
        return kedge_fail(err, KEDGE_ENOTFOUND,
                          "the store has no index %" PRIu64 "; 'kedge info "
                          "STORE' lists them", index);
    return kedge_fail(err, KEDGE_EINVAL,
                      "the store has no sketch that can be added to another "
                      "part's%s; give --keep-words FILE, the same for all "
                      "parts, or --all-words, or export only counts "
                      "(--counts)",
                      g->out->left > 0
                          ? ": words were chosen by its own counts, or there "
                            "are phrases"
                          : "");
}

/* The index of the words that are asked for: found, or declared. */
static kedge_status choose_words(exporting *g, index_choice *out,
                                 kedge_error *err)
{
    const kedge_sketch_export_opts *const o = g->opts;
    kedge_fit_opts choice;

    kedge_fit_opts_init(&choice);
    choice.keep_words = o->keep_words;
    choice.tf = o->tf;
    choice.sketch_size = o->sketch_size != 0 ? o->sketch_size : WIDTH_USUAL;
    choice.seed = o->seed;
    choice.min_tokens = o->min_tokens;
    choice.min_df = 1;
    choice.max_df = 1;
    choice.stopwords = "none";
    return index_choose(g->s, &g->all, &choice, NULL, false, g->control, out,
                        err);
}

/* The indexes to send, with sketches up to date. */
static kedge_status choose_indexes(exporting *g, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const kedge_sketch_export_opts *const o = g->opts;
    uint64_t index = o->index;
    index_choice made = {0};
    index_list known = {0};
    store_txn *txn = NULL;
    kedge_error why = {0};
    pool *p = NULL;

    if (o->counts)
        return KEDGE_OK;
    TRY(pool_open(g->control, &p, err));
    if (o->keep_words != NULL || o->all_words) {
        TRY(choose_words(g, &made, err));
        index = made.number;
    }
    TRY(store_begin_read(g->s, &txn, err));
    TRY(index_list_load(&known, txn, err));
    store_abort(&txn);
    TRY(pick_indexes(g, &known, index, err));
    for (size_t i = 0; i < g->part.facts.indexes; i++) {
        const part_index *const v = &g->part.facts.index[i];
        if (!store_index_is_current(&v->index, &g->totals))
            TRY(index_sync(g->s, &g->all, v->number, &v->index, g->control, p,
                           err));
    }
    if (made.fresh)
        TRY(index_keep(g->s, &made, err));
out:
    store_abort(&txn);
    pool_free(p);
    mem_free(known.at);
    if (st != KEDGE_OK && made.fresh &&
        index_drop(g->s, made.number, &why) != KEDGE_OK)
        run_log(g->control, "index %" PRIu32 " is not exported; it has no "
                            "sketch: %s",
                made.number, why.text);
    return st;
}

/* ---- what is in them ----------------------------------------------------- */

static kedge_status get_members(exporting *g, store_txn *txn, size_t i,
                                kedge_error *err)
{
    memset(g->member, 0, g->all.count);
    return part_mark_rows(txn, g->part.facts.index[i].number, &g->stored[i],
                          g->all.count, 1, g->member, err);
}

/* A word of the index at hand that a document holds. */
static bool is_sent(const exporting *g, uint32_t id)
{
    return g->member[id] && g->place[id] != WORDMAP_NONE;
}

/* The words to send, and how many rows of each index. */
static kedge_status count_all(exporting *g, store_txn *txn, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    part_facts *const f = &g->part.facts;
    const size_t n = g->all.count;
    size_t twin;

    TRY_MEM(g->order = words_order(&g->all, &twin));
    TRY_MEM(g->place = mem_new(n, sizeof *g->place));
    TRY_MEM(g->member = mem_new(n, sizeof *g->member));
    TRY_MEM(g->stored = mem_new(f->indexes, sizeof *g->stored));
    TRY(part_words_of(txn, &g->all, g->order, g->place, &g->part.words, err));
    f->words = g->part.words.w.count;
    f->word_bytes = words_bytes(&g->part.words.w);
    for (size_t i = 0; i < f->indexes; i++) {
        store_index *const v = &f->index[i].index;
        TRY(store_get_index_record(txn, f->index[i].number, v, err));
        g->stored[i] = *v;
        TRY(get_members(g, txn, i, err));
        v->words = 0;
        for (uint32_t id = 0; id < n; id++)
            v->words += is_sent(g, id);
        g->all_rows += v->words;
    }
out:
    return st;
}

/* Places of the index's words among those that are sent. */
static kedge_status put_list(exporting *g, size_t count, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    uint32_t *place = NULL;
    size_t listed = 0;

    TRY_MEM(place = mem_new(count, sizeof *place));
    for (size_t r = 0; r < g->all.count; r++)
        if (is_sent(g, g->order[r]))
            place[listed++] = g->place[g->order[r]];
    TRY(part_put_list(&g->to, place, count, err));
out:
    mem_free(place);
    return st;
}

static kedge_status put_rows(exporting *g, store_txn *txn, const store_index *v,
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
        if (!is_sent(g, id))
            continue;
        TRY(row_writer_next(&to, &copy, err));
        memcpy(copy, row, (1 + v->width) * sizeof *row);
        TRY(stage_reach(&g->progress, ++g->rows, err));
    }
    TRY(row_writer_end(&to, err));
out:
    row_reader_free(&from);
    row_writer_free(&to);
    return st;
}

/* ---- the whole ----------------------------------------------------------- */

static kedge_status write_bytes(void *data, const void *bytes, size_t size,
                                kedge_error *err)
{
    const exporting *const g = data;

    errno = 0;
    if (g->write(g->data, bytes, size))
        return KEDGE_OK;
    return kedge_fail(err, KEDGE_EIO, "cannot write the sketch: %s",
                      errno == 0 ? "it was written only in part"
                                 : strerror(errno));
}

static kedge_status write_part(exporting *g, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    store_txn *txn = NULL;
    const part_facts *const f = &g->part.facts;
    const uint64_t width = part_width(f);
    const walk_shape shape = {
        .what = "exporting a sketch",
        .threads = 1,
        .vocabulary = g->all.count,
        .word_bytes = words_bytes(&g->all),
        .more = memory_rows(width) + memory_parcel(width) +
                12 * (uint64_t)g->all.count,
    };

    TRY(plan_walk(&shape, g->control, &g->out->planned_memory, err));
    TRY(store_begin_read(g->s, &txn, err));
    TRY(part_facts_of(txn, &g->totals, g->opts->name, &g->part.facts, err));
    TRY(count_all(g, txn, err));
    g->progress = stage_begin(g->control, "exporting", g->all_rows, "rows");
    TRY(parcel_begin(&g->to, &(parcel_sink){write_bytes, g}, err));
    TRY(part_put_facts(&g->to, f, err));
    TRY(part_put_words(&g->to, &g->part.words, err));
    part_words_free(&g->part.words);
    for (size_t i = 0; i < f->indexes; i++) {
        TRY(get_members(g, txn, i, err));
        if (g->stored[i].listed)
            TRY(put_list(g, f->index[i].index.words, err));
        TRY(put_rows(g, txn, &g->stored[i], err));
    }
    TRY(parcel_end(&g->to, err));
out:
    store_abort(&txn);
    return st;
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

    kedge_status st = KEDGE_OK;
    const double start = clock_seconds();
    exporting g = {.s = s, .opts = opts, .control = control, .out = out,
                   .write = write, .data = data};
    const part_facts *const f = &g.part.facts;

    TRY(check_opts(opts, err));
    TRY(plan_load_words(s, control, &g.totals, &g.all, err));
    if (g.totals.documents > 0)
        TRY(choose_indexes(&g, err));
    TRY(write_part(&g, err));
    out->parts = f->parts;
    out->documents = f->documents;
    out->tokens = f->tokens;
    out->words = f->words;
    out->indexes = f->indexes;
    out->bytes = g.to.bytes;
    out->seconds = clock_seconds() - start;
out:
    part_free(&g.part);
    parcel_out_free(&g.to);
    words_free(&g.all);
    mem_free(g.order);
    mem_free(g.place);
    mem_free(g.stored);
    mem_free(g.member);
    return api_leave(st, err);
}
