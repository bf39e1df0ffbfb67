/* SPDX-License-Identifier: MIT */
/*
 * A part comes into a store: what has to agree is looked at first; then words
 * get ids of this store, and rows are added to those of the same words. Both
 * lie in the order of the words' bytes, so that one walk over both of them
 * does. The sums go under the number that the view's rows have not, over
 * several transactions, as when a sketch is saved; the last one, when the file
 * turned out to be whole, puts all that names them.
 */
#include <inttypes.h>
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"
#include "base/run.h"
#include "base/wordmap.h"
#include "io/stream.h"
#include "ops/parts/parts.h"
#include "ops/index/index.h"
#include "ops/plan.h"
#include "cooccur/statistic.h"

/* Which sketch of the part is added to which of the store: that of the same
 * kind of words, by the same rule and statistic. */
typedef struct pair {
    size_t theirs;       /* place among the part's views */
    uint32_t number;     /* of the store's, */
    bool exists;         /* which is there; or comes with the part */
    store_view view;     /* of the store, as it is; or as it begins */
    uint32_t fresh_rows; /* the number that the sums go under */
    /* what became of it */
    uint64_t rows;
    double total;
    store_list list;     /* where it has one: of both */
} pair;

typedef struct importing {
    store *s;
    const kedge_control *control;
    kedge_sketch_import_result *out;
    const char *name;    /* of the file, for messages */
    parcel_in from;
    part part;
    store_totals totals;
    text_settings tokenizing; /* of the store, then of both */
    bool settled;        /* the store had texts */
    pair *pair;
    size_t pairs;
    size_t left;         /* views of the store that will lack the part */
    words all;           /* the store's, then with the part's */
    size_t known;        /* of them in the store */
    uint32_t *id;        /* of the part's words: in `all` */
    uint32_t *order;     /* of `all`, by their bytes */
    uint8_t *shared;     /* by id: documents of both have the word */
    stage told;
    uint64_t rows;       /* that were added up */
} importing;

static void importing_free(importing *g)
{
    parcel_in_free(&g->from);
    part_free(&g->part);
    for (size_t i = 0; i < g->pairs; i++)
        store_list_free(&g->pair[i].list);
    mem_free(g->pair);
    text_settings_free(&g->tokenizing);
    words_free(&g->all);
    mem_free(g->id);
    mem_free(g->order);
    mem_free(g->shared);
}

/* ---- parts that are known ------------------------------------------------ */

static bool same_documents(const store_part *a, const store_part *b)
{
    return a->documents == b->documents && a->digest[0] == b->digest[0] &&
           a->digest[1] == b->digest[1];
}

/* Whether the store has this one: as a part, or as its `own` documents. */
static kedge_status find_part(const importing *g, store_txn *txn,
                              const store_part *own, const store_part *p,
                              bool *has, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    store_part other;

    *has = false;
    for (uint64_t i = 0; i < g->totals.parts; i++) {
        TRY(store_get_part(txn, i, &other, err));
        if (same_documents(p, &other))
            *has = true;
        else if (strcmp(p->name, other.name) == 0)
            TRY(kedge_fail(err, KEDGE_EINVAL,
                           "the store has a part \"%.63s\" of %" PRIu64
                           " other documents; where these are none of them, "
                           "give the part another name (--name)", p->name,
                           other.documents));
    }
    if (own->documents > 0 && same_documents(p, own))
        TRY(kedge_fail(err, KEDGE_EINVAL,
                       "part \"%.63s\" is of the %" PRIu64 " documents that "
                       "the store itself has", p->name, own->documents));
out:
    return st;
}

/* All of them are known, or none: the sketch is of all together. */
static kedge_status look_for_parts(const importing *g, store_txn *txn,
                                   bool *known, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const part_facts *const f = &g->part.facts;
    const store_totals *const t = &g->totals;
    const store_part *some = NULL, *other = NULL;
    const store_part sent = {.documents = f->documents,
                             .digest = {f->digest[0], f->digest[1]}};
    store_part sum, own;
    bool has;

    TRY(store_sum_parts(txn, t, &sum, err));
    own = (store_part){.documents = t->documents - sum.documents,
                       .digest = {t->digest[0] - sum.digest[0],
                                  t->digest[1] - sum.digest[1]}};
    for (size_t i = 0; i < f->parts; i++) {
        TRY(find_part(g, txn, &own, &f->part[i], &has, err));
        if (has)
            some = &f->part[i];
        else
            other = &f->part[i];
    }
    if (some != NULL && other != NULL)
        TRY(kedge_fail(err, KEDGE_EINVAL,
                       "the store has part \"%.63s\" of it, and not \"%.63s\": "
                       "they come together and cannot be told apart",
                       some->name, other->name));
    *known = other == NULL;
    if (own.documents > 0 && same_documents(&sent, &own))
        TRY(kedge_fail(err, KEDGE_EINVAL,
                       "it is of the %" PRIu64 " documents that the store "
                       "itself has", f->documents));
out:
    return st;
}

/* ---- which sketch to which ----------------------------------------------- */

static pair *find_pair(const importing *g, size_t theirs)
{
    for (size_t i = 0; i < g->pairs; i++)
        if (g->pair[i].theirs == theirs)
            return &g->pair[i];
    return NULL;
}

/* A view of the store, which the part has or has not. */
static kedge_status match_view(void *data, uint32_t number, store_view *ours,
                               kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    importing *const g = data;
    const part_facts *const f = &g->part.facts;
    size_t i = 0;

    if (ours->parts != g->totals.parts)
        return KEDGE_OK;
    while (i < f->views && !part_same_kind(ours, &f->view[i].view))
        i++;
    if (i == f->views || find_pair(g, i) != NULL) {
        g->left++;
        return KEDGE_OK;
    }
    TRY(part_views_agree(number, ours, &f->view[i].view, err));
    g->pair[g->pairs++] =
        (pair){.theirs = i, .number = number, .exists = true, .view = *ours,
               .fresh_rows = index_other_rows(ours->rows)};
out:
    return st;
}

static kedge_status refuse_views(const part_facts *f, kedge_error *err)
{
    if (f->views == 0)
        return kedge_fail(err, KEDGE_EINVAL,
                          "it has counts alone: the sketches that the store "
                          "has would lack its documents");
    return kedge_fail(err, KEDGE_EINVAL,
                      "the store has no sketch of the same words, by the same "
                      "statistic, as view %" PRIu32 " of the part (%s, words "
                      "%s): to be added up, it has to be there before "
                      "('kedge info STORE' lists them)", f->view[0].number,
                      statistic_name(f->view[0].view.statistic),
                      f->view[0].view.listed ? f->view[0].view.rule : "all");
}

/* Only an empty store gets views that it has not, which begin with nothing in
 * them. */
static kedge_status match_views(importing *g, store_txn *txn, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const part_facts *const f = &g->part.facts;
    const bool empty = g->totals.blocks == 0 && g->totals.parts == 0;

    TRY_MEM(g->pair = mem_new(f->views, sizeof *g->pair));
    TRY(store_each_view(txn, match_view, g, err));
    for (size_t i = 0; empty && g->left == 0 && i < f->views; i++) {
        store_view view = f->view[i].view;
        if (find_pair(g, i) != NULL)
            continue;
        view.documents = view.skipped = view.tokens = view.words = 0;
        view.rows = 2 * f->view[i].number;
        g->pair[g->pairs++] =
            (pair){.theirs = i, .number = f->view[i].number, .view = view,
                   .fresh_rows = view.rows};
    }
    if (g->pairs == 0 && (f->views > 0 || g->left > 0))
        TRY(refuse_views(f, err));
    if (g->left > 0)
        run_log(g->control, "%zu of the store's sketches cannot be fitted "
                "any more: the part has none of these words", g->left);
    if (f->views > g->pairs)
        run_log(g->control, "%zu of the part's sketches stay out: the store "
                "has none of these words", f->views - g->pairs);
out:
    return st;
}

static kedge_status plan(importing *g, kedge_error *err)
{
    const part_facts *const f = &g->part.facts;
    const uint64_t n = g->all.count + f->words;
    uint64_t width = 0;

    for (size_t i = 0; i < f->views; i++)
        if (f->view[i].view.width > width)
            width = f->view[i].view.width;
    return plan_walk(&(walk_shape){.what = "importing a sketch",
                                   .threads = 1,
                                   .vocabulary = n,
                                   .word_bytes = words_bytes(&g->all) +
                                                 2 * f->word_bytes,
                                   .more = memory_rows(width) +
                                           memory_parcel(width) +
                                           memory_wordmap(n) +
                                           ROW_WRITER_TOGETHER *
                                               STORE_CHUNK_ROWS * 8 *
                                               (1 + width) +
                                           memory_counts(n)},
                     g->control, &g->out->planned_memory, err);
}

/* All that is looked at before work begins. */
static kedge_status look(importing *g, bool *known, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    store_txn *txn = NULL;

    TRY(store_check_writable(g->s, err));
    TRY(plan_load_words(g->s, g->control, &g->totals, &g->all, err));
    TRY(store_begin_read(g->s, &txn, err));
    TRY(look_for_parts(g, txn, known, err));
    if (*known)
        goto out;
    TRY(text_settings_load(&g->tokenizing, txn, err));
    g->settled = g->tokenizing.settings.texts;
    TRY(text_settings_join(&g->tokenizing, store_path(g->s),
                           &g->part.facts.tokenizing, g->name, err));
    TRY(match_views(g, txn, err));
    TRY(plan(g, err));
out:
    store_abort(&txn);
    return st;
}

/* ---- words --------------------------------------------------------------- */

static kedge_status take_words(importing *g, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const part_facts *const f = &g->part.facts;
    part_words *const came = &g->part.words;
    uint64_t *tf = NULL, *df = NULL;
    store_txn *txn = NULL;
    size_t twin;

    TRY(part_get_words(&g->from, f->words, f->word_bytes, came, err));
    TRY(part_check_words(f, came, err));
    TRY_MEM(g->id = mem_new(f->words, sizeof *g->id));
    g->known = g->all.count;
    TRY(part_number_words(&g->all, &came->w, g->id, err));
    TRY_MEM(g->order = words_order(&g->all, &twin));
    TRY_MEM(g->shared = mem_new(g->all.count, sizeof *g->shared));
    TRY_MEM(tf = mem_new(g->all.count, sizeof *tf));
    TRY_MEM(df = mem_new(g->all.count, sizeof *df));
    TRY(store_begin_read(g->s, &txn, err));
    TRY(store_get_counts(txn, tf, df, g->known, err));
    for (size_t i = 0; i < f->words; i++)
        g->shared[g->id[i]] = df[g->id[i]] > 0;
out:
    store_abort(&txn);
    mem_free(tf);
    mem_free(df);
    return st;
}

/* ---- lists --------------------------------------------------------------- */

/* That the store has of it: a sketch that was only written down has none. */
static uint64_t pair_rows(const pair *p)
{
    return p->exists && store_view_has_rows(&p->view) ? p->view.words : 0;
}

/* Who has which words: a bit each. */
enum { IN_STORE = 1, IN_PART = 2 };

/* Both views leave out the same of the words that both have. */
static kedge_status compare_lists(const importing *g, const pair *p,
                                  const uint8_t *member, kedge_error *err)
{
    for (size_t id = 0; p->exists && id < g->all.count; id++) {
        const size_t size = words_size(&g->all, id);
        if (g->shared[id] &&
            (member[id] == IN_STORE || member[id] == IN_PART))
            return kedge_fail(err, KEDGE_EINVAL,
                              "the word \"%.*s\" is in both, and in view %"
                              PRIu32 " only of %s: the view's words are not "
                              "the same", size < 80 ? (int)size : 80,
                              words_get(&g->all, id), p->number,
                              member[id] == IN_PART ? "the part"
                                                    : "the store");
    }
    return KEDGE_OK;
}

/* The part's words that have a row of one of its views. */
static kedge_status get_rows_of(importing *g, const store_view *v,
                                uint8_t *member, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    uint32_t *place = NULL;

    for (size_t i = 0; !v->listed && i < g->part.facts.words; i++)
        member[g->id[i]] |= IN_PART;
    if (!v->listed)
        goto out;
    TRY_MEM(place = mem_new(v->words, sizeof *place));
    TRY(part_get_list(&g->from, g->part.facts.words, place, v->words, err));
    for (size_t i = 0; i < v->words; i++)
        member[g->id[place[i]]] |= IN_PART;
out:
    mem_free(place);
    return st;
}

/* By id: whose rows there are; and the list of both. */
static kedge_status get_members(importing *g, pair *p, uint8_t *member,
                                kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    store_txn *txn = NULL;
    store_list *const l = &p->list;

    TRY(get_rows_of(g, &g->part.facts.view[p->theirs].view, member, err));
    TRY(store_begin_read(g->s, &txn, err));
    if (p->exists && (p->view.listed || pair_rows(p) > 0))
        TRY(part_mark_rows(txn, p->number, &p->view, g->known, IN_STORE,
                           member, err));
    if (!p->view.listed)
        goto out;
    TRY(compare_lists(g, p, member, err));
    TRY_MEM(mem_grow((void **)&l->ids, &l->capacity, g->all.count,
                     sizeof *l->ids) ? p : NULL);
    for (size_t id = 0; id < g->all.count; id++)
        if (member[id] != 0)
            l->ids[l->count++] = (uint32_t)id;
out:
    store_abort(&txn);
    return st;
}

/* ---- rows ---------------------------------------------------------------- */

/* The rows of a view's words, which both or one have. A view without a list has
 * a row for each word, held or not. */
static kedge_status add_rows(importing *g, pair *p, const uint8_t *member,
                             row_reader *ours, row_reader *theirs,
                             row_writer *sums, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const size_t width = p->view.width;
    statistic_sum total = {0};
    int64_t *to, *row;

    for (size_t r = 0; r < g->all.count; r++) {
        const uint8_t who = member[g->order[r]];
        if (p->view.listed && who == 0)
            continue;
        TRY(row_writer_next(sums, &to, err));
        memset(to, 0, (1 + width) * sizeof *to);
        if ((who & IN_STORE) != 0 && ours->rows > 0) {
            TRY(row_reader_next(ours, &row, err));
            TRY(row_add(to, row, width, err));
        }
        if ((who & IN_PART) != 0) {
            TRY(row_reader_next(theirs, &row, err));
            TRY(row_add(to, row, width, err));
        }
        statistic_add(&total, to[0]);
        p->rows++;
        TRY(stage_reach(&g->told, ++g->rows, err));
    }
    TRY(row_writer_end(sums, err));
    if (statistic_damped(p->view.statistic))
        p->total = statistic_total(&total);
out:
    return st;
}

static kedge_status import_view(importing *g, pair *p, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const size_t width = p->view.width;
    store_txn *txn = NULL;
    uint8_t *member = NULL;
    row_reader ours = {.rows = pair_rows(p), .width = width, .txn = &txn,
                       .number = p->view.rows};
    row_reader theirs = {.rows = g->part.facts.view[p->theirs].view.words,
                         .width = width, .parcel = &g->from};
    row_writer sums = {.width = width, .s = g->s, .txn = &txn,
                       .number = p->fresh_rows};

    TRY_MEM(member = mem_new(g->all.count, sizeof *member));
    TRY(get_members(g, p, member, err));
    TRY(store_begin_write(g->s, &txn, err));
    TRY(store_drop_rows(txn, p->fresh_rows, err)); /* of an interruption */
    TRY(store_commit(&txn, err));
    TRY(store_begin_write(g->s, &txn, err));
    TRY(add_rows(g, p, member, &ours, &theirs, &sums, err));
    TRY(store_commit(&txn, err));
out:
    store_abort(&txn);
    row_reader_free(&ours);
    row_reader_free(&theirs);
    row_writer_free(&sums);
    mem_free(member);
    return st;
}

/* A sketch that the store has no place for is passed over. */
static kedge_status skip_view(importing *g, const store_view *v,
                              kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    row_reader rows = {.rows = v->words, .width = v->width,
                       .parcel = &g->from};
    uint32_t *place = NULL;
    int64_t *row;

    TRY_MEM(place = mem_new(v->words, sizeof *place));
    if (v->listed)
        TRY(part_get_list(&g->from, g->part.facts.words, place, v->words,
                          err));
    while (rows.at < rows.rows)
        TRY(row_reader_next(&rows, &row, err));
out:
    row_reader_free(&rows);
    mem_free(place);
    return st;
}

/* ---- the last transaction ------------------------------------------------ */

static kedge_status put_view(importing *g, store_txn *txn, const pair *p,
                             kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const store_view *const theirs = &g->part.facts.view[p->theirs].view;
    store_view v = p->view;

    v.documents += theirs->documents;
    v.skipped += theirs->skipped;
    v.tokens += theirs->tokens;
    v.words = p->rows;
    v.total = p->total;
    v.rows = p->fresh_rows;
    v.parts = g->totals.parts;
    TRY(store_put_view(txn, p->number, &v, err));
    if (v.listed)
        TRY(store_put_list(txn, p->number, p->list.ids, p->list.count, err));
    if (p->exists) {
        TRY(store_drop_rows(txn, p->view.rows, err));
        TRY(store_drop_spectra(txn, p->number, err));
    }
out:
    return st;
}

static kedge_status commit(importing *g, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    store_txn *txn = NULL;

    TRY(store_begin_write(g->s, &txn, err));
    TRY(part_put(txn, &g->part, g->id, &g->all, g->known, false, &g->totals,
                 err));
    if (g->tokenizing.settings.texts && !g->settled)
        TRY(text_settings_put(&g->tokenizing, txn, err));
    for (size_t i = 0; i < g->pairs; i++)
        TRY(put_view(g, txn, &g->pair[i], err));
    TRY(store_commit(&txn, err));
out:
    store_abort(&txn);
    return st;
}

/* ---- the whole ----------------------------------------------------------- */

static kedge_status import_part(importing *g, const parcel_source *from,
                                kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const part_facts *const f = &g->part.facts;
    bool known;

    TRY(parcel_open(&g->from, from, err));
    TRY(part_get_facts(&g->from, &g->part.facts, err));
    if (f->parts == 0) {
        g->out->empty = true;
        return parcel_close(&g->from, err);
    }
    TRY(look(g, &known, err));
    if (known)
        return KEDGE_OK;
    TRY(take_words(g, err));
    g->told = stage_begin(g->control, "importing", g->pairs * g->all.count,
                          "rows");
    for (size_t i = 0; i < f->views; i++) {
        pair *const p = find_pair(g, i);
        TRY(p != NULL ? import_view(g, p, err)
                      : skip_view(g, &f->view[i].view, err));
    }
    TRY(parcel_close(&g->from, err));
    TRY(commit(g, err));
    g->out->parts = f->parts;
    g->out->documents = f->documents;
    g->out->tokens = f->tokens;
    g->out->views = g->pairs;
out:
    return st;
}

kedge_status part_import(store *s, const parcel_source *from, const char *name,
                         const kedge_control *control,
                         kedge_sketch_import_result *out, kedge_error *err)
{
    const double start = clock_seconds();
    importing g = {.s = s, .control = control, .out = out, .name = name};
    kedge_status st;

    *out = (kedge_sketch_import_result){0};
    st = import_part(&g, from, err);
    if (st != KEDGE_OK && st != KEDGE_ECANCELED)
        kedge_fail_context(err, "%s", name);
    out->words = g.all.count;
    out->seconds = clock_seconds() - start;
    importing_free(&g);
    return st;
}

static kedge_status file_read(void *data, void *to, size_t room, size_t *got,
                              kedge_error *err)
{
    return stream_read(data, to, room, got, err);
}

kedge_status kedge_sketch_import(kedge_store *s, const char *path,
                                 const kedge_control *control,
                                 kedge_sketch_import_result *out,
                                 kedge_error *err)
{
    if (out != NULL)
        *out = (kedge_sketch_import_result){0};
    API_ENTER(err, {"store", s}, {"path", path}, {"out", out});
    control = run_control(control);

    kedge_status st = KEDGE_OK;
    stream *from = NULL;
    char bytes[4096];
    size_t got = 1;

    TRY(stream_open(path, control, &from, err));
    stream_set_binary(from);
    TRY(part_import(s, &(parcel_source){file_read, from}, stream_name(from),
                    control, out, err));
    /* who writes into a pipe is not to be told that nobody reads */
    while (out->parts == 0 && got > 0)
        TRY(stream_read(from, bytes, sizeof bytes, &got, err));
out:
    stream_close(from);
    return api_leave(st, err);
}
