/* SPDX-License-Identifier: MIT */
/*
 * A part comes into a store: first everything that has to agree is compared;
 * then words get ids of this store, and rows are added to those of the same
 * words. Both lie in the order of the words' bytes, so that one walk over both
 * of them does. The sums go under the number that the index's rows have not,
 * over several transactions, as when a sketch is saved; the last one, when the
 * file turned out to be whole, puts all that names them.
 */
#include <inttypes.h>
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"
#include "base/run.h"
#include "base/wordmap.h"
#include "cooccur/statistic.h"
#include "io/stream.h"
#include "ops/index/index.h"
#include "ops/parts/parts.h"
#include "ops/plan.h"

/* The sketch of the store that one of the part is added to: of the same kind of
 * words, by the same rule and statistic. */
typedef struct match {
    bool found;          /* there is one, or it comes with the part; */
    bool exists;         /* it is there */
    uint32_t number;     /* of the store's index, */
    store_index index;     /* as it is; or as it begins */
    uint32_t fresh_rows; /* the number that the sums go under */
    /* the sums */
    uint64_t rows;
    double total;
    store_list list;     /* where it has one: words of both */
} match;

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
    match *match;        /* by index of the part, */
    size_t found;        /* so many of them */
    words all;           /* the store's, then with the part's */
    size_t known;        /* of them in the store */
    uint32_t *id;        /* of the part's words: in `all` */
    uint32_t *order;     /* of `all`, by their bytes */
    uint8_t *shared;     /* by id: documents of both have the word */
    stage progress;
    uint64_t rows;       /* that were added up */
} importing;

/* ---- parts that are known ------------------------------------------------ */

static bool same_documents(const store_part *a, const store_part *b)
{
    return a->documents == b->documents && a->digest[0] == b->digest[0] &&
           a->digest[1] == b->digest[1];
}

/* Whether the store has this part. EINVAL where it has another one of the same
 * name, or the documents themselves, which are `own`. */
static kedge_status find_part(const importing *g, store_txn *txn,
                              const store_part *own, const store_part *p,
                              bool *has, kedge_error *err)
{
    store_part other;

    *has = false;
    for (uint64_t i = 0; i < g->totals.parts; i++) {
        PASS(store_get_part(txn, i, &other, err));
        if (same_documents(p, &other))
            *has = true;
        else if (strcmp(p->name, other.name) == 0)
            return kedge_fail(err, KEDGE_EINVAL,
                              "the store has a part \"%.63s\" with %" PRIu64 " "
                              "other documents; if these are new documents, "
                              "give the part another name (--name)", p->name,
                              other.documents);
    }
    if (own->documents > 0 && same_documents(p, own))
        return kedge_fail(err, KEDGE_EINVAL,
                          "part \"%.63s\" has the same %" PRIu64 " documents "
                          "as the store itself", p->name, own->documents);
    return KEDGE_OK;
}

/* Either all of the file's parts are known or none: its sketch is of all
 * together. */
static kedge_status find_parts(const importing *g, store_txn *txn, bool *known,
                               kedge_error *err)
{
    const part_facts *const f = &g->part.facts;
    const store_part *some = NULL, *other = NULL;
    const store_part sent = {.documents = f->documents,
                             .digest = {f->digest[0], f->digest[1]}};
    store_part own;
    bool has;

    PASS(part_of_own(txn, &g->totals, &own, err));
    for (size_t i = 0; i < f->parts; i++) {
        PASS(find_part(g, txn, &own, &f->part[i], &has, err));
        if (has)
            some = &f->part[i];
        else
            other = &f->part[i];
    }
    if (some != NULL && other != NULL)
        return kedge_fail(err, KEDGE_EINVAL,
                          "it is the sum of several parts, of which the store "
                          "has \"%.63s\" but not \"%.63s\": they cannot be "
                          "separated", some->name, other->name);
    *known = other == NULL;
    if (own.documents > 0 && same_documents(&sent, &own))
        return kedge_fail(err, KEDGE_EINVAL,
                          "it has the same %" PRIu64 " documents as the store "
                          "itself", f->documents);
    return KEDGE_OK;
}

/* ---- which sketch to which ----------------------------------------------- */

static kedge_status refuse_indexes(const part_facts *f, kedge_error *err)
{
    if (f->indexes == 0)
        return kedge_fail(err, KEDGE_EINVAL,
                          "it has only counts: the sketches of the store would "
                          "lack its documents");
    return kedge_fail(
        err, KEDGE_EINVAL,
        "the store has no index like index %" PRIu32 " of the part (%s, words "
        "%s) to add it to; 'kedge info STORE' lists the indexes",
        f->index[0].number, statistic_name(f->index[0].index.statistic),
        f->index[0].index.listed ? f->index[0].index.rule : "all");
}

/* Indexes of the store that have all of its parts find those of the part. Only
 * an empty store gets indexes that it has not. */
static kedge_status match_indexes(importing *g, store_txn *txn,
                                  kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const part_facts *const f = &g->part.facts;
    const bool empty = g->totals.blocks == 0 && g->totals.parts == 0;
    index_list known = {0};
    size_t lacking = 0; /* indexes of the store */

    TRY_MEM(g->match = mem_new(f->indexes, sizeof *g->match));
    TRY(index_list_load(&known, txn, err));
    for (size_t k = 0; k < known.count; k++) {
        const uint32_t number = known.at[k].number;
        const store_index *const ours = &known.at[k].record;
        size_t i = 0;
        if (ours->parts != g->totals.parts)
            continue;
        while (i < f->indexes && !part_same_kind(ours, &f->index[i].index))
            i++;
        if (i == f->indexes || g->match[i].found) {
            lacking++;
            continue;
        }
        TRY(part_indexes_agree(number, ours, &f->index[i].index, err));
        g->match[i] = (match){.found = true, .exists = true, .number = number,
                              .index = *ours,
                              .fresh_rows = index_other_rows(ours->rows)};
    }
    for (size_t i = 0; i < f->indexes; i++) {
        const part_index *const v = &f->index[i];
        if (empty && lacking == 0 && !g->match[i].found)
            g->match[i] =
                (match){.found = true,
                        .number = v->number,
                        .index = part_empty_index(&v->index, v->number),
                        .fresh_rows = index_first_rows(v->number)};
        g->found += g->match[i].found;
    }
    if (g->found == 0 && (f->indexes > 0 || lacking > 0))
        TRY(refuse_indexes(f, err));
    if (lacking > 0)
        run_log(g->control, "%zu of the store's sketches can no longer be "
                            "fitted: the part has no sketch of their "
                            "words", lacking);
    if (f->indexes > g->found)
        run_log(g->control, "%zu of the part's sketches are left out: the "
                            "store has no index of their "
                            "words", (size_t)f->indexes - g->found);
out:
    mem_free(known.at);
    return st;
}

static kedge_status plan(importing *g, kedge_error *err)
{
    const part_facts *const f = &g->part.facts;
    const uint64_t n = g->all.count + f->words, width = part_width(f);
    const walk_shape shape = {
        .what = "importing a sketch",
        .threads = 1,
        .vocabulary = n,
        .word_bytes = words_bytes(&g->all) + 2 * f->word_bytes,
        .more = memory_rows(width) + memory_parcel(width) +
                memory_wordmap(n) + memory_counts(n) +
                ROW_WRITER_TOGETHER * STORE_CHUNK_ROWS * 8 * (1 + width),
    };

    return plan_walk(&shape, g->control, &g->out->planned_memory, err);
}

/* Compares all that has to agree, before anything is changed. */
static kedge_status compare(importing *g, bool *known, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    store_txn *txn = NULL;

    TRY(store_check_writable(g->s, err));
    TRY(plan_load_words(g->s, g->control, &g->totals, &g->all, err));
    TRY(store_begin_read(g->s, &txn, err));
    TRY(find_parts(g, txn, known, err));
    if (*known)
        goto out;
    TRY(text_settings_load(&g->tokenizing, txn, err));
    g->settled = g->tokenizing.settings.texts;
    TRY(text_settings_join(&g->tokenizing, store_path(g->s),
                           &g->part.facts.tokenizing, g->name, err));
    TRY(match_indexes(g, txn, err));
    TRY(plan(g, err));
out:
    store_abort(&txn);
    return st;
}

/* ---- words --------------------------------------------------------------- */

static kedge_status read_words(importing *g, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const part_facts *const f = &g->part.facts;
    part_words *const came = &g->part.words;
    part_words here = {0}; /* the counts alone, by id */
    store_txn *txn = NULL;
    size_t twin;

    TRY(part_get_words(&g->from, f->words, f->word_bytes, came, err));
    TRY(part_check_words(f, came, err));
    TRY_MEM(g->id = mem_new(f->words, sizeof *g->id));
    g->known = g->all.count;
    TRY(part_number_words(&g->all, &came->w, true, g->id, err));
    TRY_MEM(g->order = words_order(&g->all, &twin));
    TRY_MEM(g->shared = mem_new(g->all.count, sizeof *g->shared));
    TRY(part_words_room(&here, g->all.count, err));
    TRY(store_begin_read(g->s, &txn, err));
    TRY(store_get_counts(txn, here.tf, here.df, g->known, err));
    for (size_t i = 0; i < f->words; i++)
        g->shared[g->id[i]] = here.df[g->id[i]] > 0;
out:
    store_abort(&txn);
    part_words_free(&here);
    return st;
}

/* ---- lists --------------------------------------------------------------- */

/* Rows that the store has of it: none of a sketch that was only declared. */
static uint64_t own_rows(const match *m)
{
    return m->exists && store_index_has_rows(&m->index) ? m->index.words : 0;
}

/* Who has a row of the word: a bit each. */
enum { IN_STORE = 1, IN_PART = 2 };

/* Reads the list of an index of the part, if it has one, and marks its words.
 */
static kedge_status mark_part(importing *g, const store_index *v,
                              uint8_t *member, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    uint32_t *place = NULL;

    if (v->listed) {
        TRY_MEM(place = mem_new(v->words, sizeof *place));
        TRY(part_get_list(&g->from, g->part.facts.words, place, v->words,
                          err));
    }
    for (size_t i = 0; i < v->words; i++)
        member[g->id[place != NULL ? place[i] : i]] |= IN_PART;
out:
    mem_free(place);
    return st;
}

/* Both indexes leave out the same of the words that both have. */
static kedge_status compare_lists(const importing *g, const match *m,
                                  const uint8_t *member, kedge_error *err)
{
    for (size_t id = 0; m->exists && id < g->all.count; id++) {
        const size_t size = words_size(&g->all, id);
        if (g->shared[id] &&
            (member[id] == IN_STORE || member[id] == IN_PART))
            return kedge_fail(err, KEDGE_EINVAL,
                              "the word \"%.*s\" is in both, but index "
                              "%" PRIu32 " has it only in %s: the words of the "
                              "index differ", size < 80 ? (int)size : 80,
                              words_get(&g->all, id), m->number,
                              member[id] == IN_PART ? "the part"
                                                    : "the store");
    }
    return KEDGE_OK;
}

/* Marks the store's words as well, and makes the list of both. */
static kedge_status join_lists(importing *g, match *m, uint8_t *member,
                               kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    store_txn *txn = NULL;
    store_list *const l = &m->list;

    TRY(store_begin_read(g->s, &txn, err));
    if (m->exists && (m->index.listed || own_rows(m) > 0))
        TRY(part_mark_rows(txn, m->number, &m->index, g->known, IN_STORE,
                           member, err));
    if (!m->index.listed)
        goto out;
    TRY(compare_lists(g, m, member, err));
    TRY_GROW(l->ids, l->capacity, g->all.count + 1);
    for (size_t id = 0; id < g->all.count; id++)
        if (member[id] != 0)
            l->ids[l->count++] = (uint32_t)id;
out:
    store_abort(&txn);
    return st;
}

/* ---- rows ---------------------------------------------------------------- */

/* Adds up rows of the words that one of both has. An index without a list has a
 * row for each word, held or not. */
static kedge_status add_rows(importing *g, match *m, const uint8_t *member,
                             row_reader *ours, row_reader *theirs,
                             row_writer *sums, kedge_error *err)
{
    const size_t width = m->index.width;
    statistic_sum total = {0};
    int64_t *to, *row;

    for (size_t r = 0; r < g->all.count; r++) {
        const uint8_t who = member[g->order[r]];
        if (m->index.listed && who == 0)
            continue;
        PASS(row_writer_next(sums, &to, err));
        memset(to, 0, (1 + width) * sizeof *to);
        if ((who & IN_STORE) != 0 && ours->rows > 0) {
            PASS(row_reader_next(ours, &row, err));
            PASS(row_add(to, row, width, err));
        }
        if ((who & IN_PART) != 0) {
            PASS(row_reader_next(theirs, &row, err));
            PASS(row_add(to, row, width, err));
        }
        statistic_add(&total, to[0]);
        m->rows++;
        PASS(stage_reach(&g->progress, ++g->rows, err));
    }
    PASS(row_writer_end(sums, err));
    if (statistic_damped(m->index.statistic))
        m->total = statistic_total(&total);
    return KEDGE_OK;
}

/* An index of the part, which is passed over where the store has no place for
 * it. */
static kedge_status import_index(importing *g, size_t i, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const store_index *const v = &g->part.facts.index[i].index;
    match *const m = &g->match[i];
    store_txn *txn = NULL;
    uint8_t *member = NULL; /* by id: who has a row of it */
    int64_t *row;
    row_reader ours = {.rows = own_rows(m), .width = v->width, .txn = &txn,
                       .number = m->index.rows};
    row_reader theirs = {.rows = v->words, .width = v->width,
                         .parcel = &g->from};
    row_writer sums = {.width = v->width, .s = g->s, .txn = &txn,
                       .number = m->fresh_rows};

    TRY_MEM(member = mem_new(g->all.count, sizeof *member));
    TRY(mark_part(g, v, member, err));
    if (!m->found) {
        while (theirs.at < theirs.rows)
            TRY(row_reader_next(&theirs, &row, err));
        goto out;
    }
    TRY(join_lists(g, m, member, err));
    TRY(store_begin_write(g->s, &txn, err));
    TRY(store_drop_rows(txn, m->fresh_rows, err)); /* of an interruption */
    TRY(store_commit(&txn, err));
    TRY(store_begin_write(g->s, &txn, err));
    TRY(add_rows(g, m, member, &ours, &theirs, &sums, err));
    TRY(store_commit(&txn, err));
out:
    store_abort(&txn);
    row_reader_free(&ours);
    row_reader_free(&theirs);
    row_writer_free(&sums);
    mem_free(member);
    return st;
}

/* ---- the last transaction ------------------------------------------------ */

static kedge_status put_index(importing *g, store_txn *txn, const match *m,
                              const store_index *theirs, kedge_error *err)
{
    store_index v = m->index;

    v.documents += theirs->documents;
    v.skipped += theirs->skipped;
    v.tokens += theirs->tokens;
    v.words = m->rows;
    v.total = m->total;
    v.rows = m->fresh_rows;
    v.parts = g->totals.parts;
    PASS(store_put_index(txn, m->number, &v, err));
    if (v.listed)
        PASS(store_put_list(txn, m->number, m->list.ids, m->list.count, err));
    if (!m->exists)
        return KEDGE_OK;
    PASS(store_drop_rows(txn, m->index.rows, err));
    return store_drop_spectra(txn, m->number, err);
}

static kedge_status commit(importing *g, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const part_facts *const f = &g->part.facts;
    store_txn *txn = NULL;

    TRY(store_begin_write(g->s, &txn, err));
    TRY(part_put(txn, &g->part, g->id, &g->all, g->known, false, &g->totals,
                 err));
    if (g->tokenizing.settings.texts && !g->settled)
        TRY(text_settings_put(&g->tokenizing, txn, err));
    for (size_t i = 0; i < f->indexes; i++)
        if (g->match[i].found)
            TRY(put_index(g, txn, &g->match[i], &f->index[i].index, err));
    TRY(store_commit(&txn, err));
out:
    store_abort(&txn);
    return st;
}

/* ---- the whole ----------------------------------------------------------- */

static kedge_status import_part(importing *g, const parcel_source *from,
                                kedge_error *err)
{
    const part_facts *const f = &g->part.facts;
    bool known = false;

    PASS(parcel_open(&g->from, from, err));
    PASS(part_get_facts(&g->from, &g->part.facts, err));
    if (f->parts == 0) {
        g->out->empty = true;
        return parcel_close(&g->from, err);
    }
    PASS(compare(g, &known, err));
    if (known)
        return KEDGE_OK;
    PASS(read_words(g, err));
    g->progress = stage_begin(g->control, "importing",
                              g->found * g->all.count, "rows");
    for (size_t i = 0; i < f->indexes; i++)
        PASS(import_index(g, i, err));
    PASS(parcel_close(&g->from, err));
    PASS(commit(g, err));
    g->out->parts = f->parts;
    g->out->documents = f->documents;
    g->out->tokens = f->tokens;
    g->out->indexes = g->found;
    return KEDGE_OK;
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
    parcel_in_free(&g.from);
    for (size_t i = 0; g.match != NULL && i < g.part.facts.indexes; i++)
        store_list_free(&g.match[i].list);
    mem_free(g.match);
    part_free(&g.part);
    text_settings_free(&g.tokenizing);
    words_free(&g.all);
    mem_free(g.id);
    mem_free(g.order);
    mem_free(g.shared);
    return st;
}

static kedge_status read_file(void *data, void *to, size_t room, size_t *got,
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
    TRY(part_import(s, &(parcel_source){read_file, from}, stream_name(from),
                    control, out, err));
    /* a writer into a pipe is not to get an error where all is known */
    while (out->parts == 0 && got > 0)
        TRY(stream_read(from, bytes, sizeof bytes, &got, err));
out:
    stream_close(from);
    return api_leave(st, err);
}
