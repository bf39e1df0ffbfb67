/* SPDX-License-Identifier: MIT */
/*
 * Every record of every database, decoded and held against what it refers to.
 *
 * A record is checked by the functions that read it elsewhere. Limits come from
 * the totals, which are read first.
 *
 * Each document that is there and has an id is looked up under it, and such
 * hits are counted: when there are as many as ids, every id leads to its
 * document. Only when there are fewer are the ids gone through in batches,
 * sorted by block, to find those that lead nowhere.
 */
#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/compare.h"
#include "base/mem.h"
#include "store/records.h"

enum { BATCH_IDS = 1 << 18 };

/* An id whose document was not found. */
typedef struct dangling {
    store_place at; /* first, for store_place_compare */
    uint64_t place; /* of its key */
} dangling;

typedef struct scan {
    store_txn *txn;
    const store_watcher *watcher;
    uint64_t total; /* records of all databases */
    store_scanned *counts;
    bool stopped;        /* by the watcher */
    store_totals totals; /* no limits where they cannot be read */
    bool has_totals;
    bool recounted; /* every document could be counted */
    uint64_t seen;  /* records of the database that is walked */
    uint64_t hits;  /* documents that were found under their ids */
    uint64_t ordered; /* blocks with an order of words */
    /* the record at hand */
    const struct step *step;
    const kv_value *v;
    kv_part part[KV_PARTS];  /* of its key */
    uint64_t number;         /* the first of these */
    char what[KV_NAME_MOST]; /* its name */
    kedge_error why;         /* it is damaged */
    /* what records are read into */
    store_block block;
    store_order order;
    docs batch;
    store_gone gone, others;
    int64_t *values; /* of a chunk of rows */
    size_t values_capacity;
    store_list list;
    store_joins joins;
    store_portion portion;
    dangling *ids;
    size_t id_count;
} scan;

static bool is_damage(kedge_status st)
{
    return st == KEDGE_ECORRUPT || st == KEDGE_EVERSION;
}

/* Tells the watcher of damage; fails with anything else, and with ECANCELED
 * when the watcher stops the scan. */
static kedge_status note(scan *c, kedge_status st, const char *what,
                         kedge_error *err)
{
    if (st == KEDGE_OK)
        return KEDGE_OK;
    if (!is_damage(st) && st != KEDGE_ENOTFOUND)
        return kedge_fail(err, st, "%s", c->why.text);
    c->counts->damaged++;
    c->stopped = !c->watcher->found(c->watcher->data, what, &c->why);
    return c->stopped ? KEDGE_ECANCELED : KEDGE_OK;
}

/* ECORRUPT with this text. */
KEDGE_PRINTF(2, 3)
static kedge_status damage(scan *c, const char *format, ...)
{
    va_list list;

    va_start(list, format);
    vsnprintf(c->why.text, sizeof c->why.text, format, list);
    va_end(list);
    return KEDGE_ECORRUPT;
}

/* `st`: of reading what this record refers to. That it is gone is damage of
 * this record; its own damage is found where that one is walked. */
KEDGE_PRINTF(3, 4)
static kedge_status refer(scan *c, kedge_status st, const char *gone, ...)
{
    va_list list;

    if (st != KEDGE_ENOTFOUND)
        return is_damage(st) ? KEDGE_OK : st;
    va_start(list, gone);
    vsnprintf(c->why.text, sizeof c->why.text, gone, list);
    va_end(list);
    return KEDGE_ECORRUPT;
}

static kedge_status check_below(scan *c, const char *what, uint64_t number,
                                uint64_t limit)
{
    return number < limit ? KEDGE_OK
                          : damage(c, "its %s is %" PRIu64 ", the store has "
                                      "%" PRIu64, what, number, limit);
}

/* ---- the store itself ---------------------------------------------------- */

static kedge_status check_meta(scan *c)
{
    const store_totals *const t = &c->totals;
    store_settings settings;

    switch (c->number) {
    case META_FORMAT:
        return ledger_check_format(c->txn, &c->why);
    case META_TOTALS:
        PASS(ledger_get_totals(c->txn, &c->totals, &c->why));
        c->has_totals = true;
        ledger_set_limits(c->txn,
                          &(store_limits){t->words, t->blocks, t->sources,
                                          t->removals, t->parts});
        return KEDGE_OK;
    case META_SETTINGS:
        c->seen--; /* it need not be there */
        return store_get_settings(c->txn, &settings, NULL, &c->why);
    }
    return damage(c, "its key is %" PRIu64, c->number);
}

static kedge_status check_source(scan *c)
{
    store_source source;

    return store_get_source_record(c->txn, c->number, &source, &c->why);
}

static kedge_status check_part(scan *c)
{
    store_part part;

    return store_get_part(c->txn, c->number, &part, &c->why);
}

/* ---- documents ----------------------------------------------------------- */

/* All documents of a block. */
static kedge_status load_block(scan *c, uint64_t number)
{
    uint32_t source;

    docs_clear(&c->batch);
    return store_read_block(c->txn, number, &c->block, NULL, &source, &c->batch,
                            &c->why);
}

/* Takes removed documents out of the batch, which is all of a block. Where the
 * list cannot be read, its own check says so. */
static kedge_status drop_gone(scan *c, uint64_t number)
{
    const kedge_status st = store_get_gone(c->txn, number, &c->gone, &c->why);

    if (st == KEDGE_OK)
        docs_drop(&c->batch, 0, c->gone.index, c->gone.count);
    if (!is_damage(st))
        return st;
    c->recounted = false;
    return KEDGE_OK;
}

/* Looks every document up under its id. A damaged id is found when the ids are
 * walked. */
static kedge_status check_ids_of(scan *c)
{
    uint64_t lost = 0, first = 0;

    for (size_t i = 0; i < c->batch.count; i++) {
        const span id = docs_id(&c->batch, i);
        store_place p = {0};
        kedge_status st;
        if (id.size == 0)
            continue;
        st = store_get_id(c->txn, id, &p, &c->why);
        if (st == KEDGE_OK && p.block == c->number &&
            p.position == c->batch.position[i]) {
            c->hits++;
        } else if (st == KEDGE_OK || st == KEDGE_ENOTFOUND) {
            first = lost++ == 0 ? c->batch.position[i] : first;
        } else if (st != KEDGE_ECORRUPT) {
            return st;
        }
    }
    return lost == 0 ? KEDGE_OK
                     : damage(c, "%" PRIu64 " documents are not found under "
                              "their ids, the first at position %" PRIu64,
                              lost, first);
}

static kedge_status check_block(scan *c)
{
    PASS(load_block(c, c->number));
    c->ordered += block_has_order(&c->block);
    PASS(drop_gone(c, c->number));
    c->counts->documents += c->batch.count;
    c->counts->nonzeros += docs_entries(&c->batch);
    for (size_t i = 0; i < c->batch.count; i++)
        c->counts->tokens += c->batch.length[i];
    return check_ids_of(c);
}

/* That every word of each document comes as often as it is counted. */
static bool order_agrees(const docs *d, uint32_t *tally)
{
    for (size_t m = 0; m < d->count; m++) {
        const size_t from = d->start[m], n = d->start[m + 1] - from;
        if (docs_order_size(d, m) == 0)
            continue;
        memset(tally, 0, n * sizeof *tally);
        for (size_t i = d->order_at[m]; i < d->order_at[m + 1]; i++)
            if (d->order[i] != DOCS_APART)
                tally[d->order[i] - 1]++;
        if (memcmp(tally, d->tally + from, n * sizeof *tally) != 0)
            return false;
    }
    return true;
}

static kedge_status check_order(scan *c)
{
    kedge_error *const err = &c->why;
    kedge_status st = KEDGE_OK;
    uint32_t *tally = NULL;
    span record;

    st = load_block(c, c->number);
    if (st != KEDGE_OK)
        return refer(c, st, "there is no block %" PRIu64, c->number);
    TRY(store_get_order(c->txn, c->number, &record, err));
    TRY(store_order_decode(&c->order, &c->block, c->number, record, &c->batch,
                           0, err));
    TRY_MEM(tally = mem_new(docs_entries(&c->batch), sizeof *tally));
    if (!order_agrees(&c->batch, tally))
        TRY(damage(c, "it does not have the words of its documents"));
out:
    mem_free(tally);
    return st;
}

static kedge_status check_gone(scan *c)
{
    uint32_t documents;

    PASS(store_get_gone(c->txn, c->number, &c->gone, &c->why));
    return refer(c, block_documents(c->txn, c->number, &documents, &c->why),
                 "there is no block %" PRIu64, c->number);
}

static kedge_status check_removal(scan *c)
{
    const store_gone *const gone = &c->gone, *const took = &c->others;
    uint64_t block;
    kedge_status st;

    PASS(store_get_removal(c->txn, c->number, &block, &c->others, &c->why));
    st = store_get_gone(c->txn, block, &c->gone, &c->why);
    for (size_t i = 0; st == KEDGE_OK && i < took->count; i++)
        if (gone->count == 0 ||
            bsearch(&took->index[i], gone->index, gone->count,
                    sizeof *gone->index, compare_u32) == NULL)
            return damage(c, "block %" PRIu64 " still has its documents", block);
    return is_damage(st) ? KEDGE_OK : st;
}

/* ---- ids ----------------------------------------------------------------- */

static kedge_status check_id(scan *c)
{
    const span id = span_of(c->part->text, c->part->size);
    store_place p;
    char text[IDS_SHOWN];

    ids_show(id, text);
    snprintf(c->what, sizeof c->what, "id \"%s\"", text);
    return ids_read(id, c->v->bytes, c->v->size, &p, &c->why);
}

/* Whether the loaded block has that document. */
static bool is_home(const scan *c, const dangling *x)
{
    const docs *const d = &c->batch;
    const uint64_t *const position =
        bsearch(&x->at.position, d->position, d->count, sizeof *d->position,
                compare_u64);
    const span id = position == NULL
                        ? span_of(NULL, 0)
                        : docs_id(d, (size_t)(position - d->position));

    return id.size > 0 && kv_place((kv_key){DB_IDS, (const uint8_t *)id.bytes,
                                            id.size}) == x->place;
}

/* Tells of the ids of a batch that lead nowhere; those into a damaged block are
 * not blamed. */
static kedge_status tell_dangling(scan *c, kedge_error *err)
{
    kedge_status st = KEDGE_OK;

    qsort(c->ids, c->id_count, sizeof *c->ids, store_place_compare);
    for (size_t i = 0; i < c->id_count; i++) {
        const dangling *const x = &c->ids[i];
        if (i == 0 || x->at.block != x[-1].at.block) {
            st = load_block(c, x->at.block);
            if (st == KEDGE_OK)
                st = drop_gone(c, x->at.block);
        }
        if (is_damage(st) || (st == KEDGE_OK && is_home(c, x)))
            continue;
        if (st != KEDGE_OK && st != KEDGE_ENOTFOUND)
            return note(c, st, "", err);
        snprintf(c->what, sizeof c->what,
                 "id of position %" PRIu64 " in block %" PRIu64,
                 x->at.position, x->at.block);
        PASS(note(c, damage(c, "it leads to no document"), c->what, err));
    }
    c->id_count = 0;
    return KEDGE_OK;
}

static kedge_status collect_id(void *data, const kv_value *v, kedge_error *err)
{
    scan *const c = data;
    const span id = span_of((const char *)v->key.bytes, v->key.size);
    dangling *const x = &c->ids[c->id_count];

    if (ids_read(id, v->bytes, v->size, &x->at, NULL) != KEDGE_OK)
        return KEDGE_OK;
    x->place = kv_place(v->key);
    return ++c->id_count < BATCH_IDS ? KEDGE_OK : tell_dangling(c, err);
}

static kedge_status find_dangling(scan *c, kedge_error *err)
{
    kedge_status st = KEDGE_OK;

    TRY_MEM(c->ids = mem_new(BATCH_IDS, sizeof *c->ids));
    TRY(kv_walk(c->txn, (kv_key){.db = DB_IDS}, collect_id, c, err));
    TRY(tell_dangling(c, err));
out:
    return st;
}

/* ---- indexes ------------------------------------------------------------- */

static kedge_status check_index(scan *c)
{
    const uint32_t number = (uint32_t)c->number;
    kedge_error *const err = &c->why;
    const uint8_t *bytes;
    store_index v;
    size_t size;

    PASS(store_get_index_record(c->txn, number, &v, err));
    if (v.rows / 2 != number)
        return damage(c, "its rows are those of index %u", v.rows / 2);
    if (v.listed) {
        const kedge_status st = store_get_list(c->txn, number, &c->list, err);
        if (st == KEDGE_ENOTFOUND)
            return damage(c, "its list of words is gone");
        PASS(st);
        if (c->list.count != v.words)
            return damage(c, "its list has %zu words, not %" PRIu64,
                          c->list.count, v.words);
    }
    if (v.joined)
        PASS(refer(c, store_get_joins(c->txn, number, &c->joins, err),
                   "its phrases are gone"));
    for (uint64_t i = 0; v.blocks > 0 && i * STORE_CHUNK_ROWS < v.words; i++)
        PASS(refer(c, store_get_rows(c->txn, v.rows, i, &bytes, &size, err),
                   "chunk %" PRIu64 " of its sketch is gone", i));
    return KEDGE_OK;
}

/* Rows that no index names are what an interruption left. */
static kedge_status check_rows(scan *c)
{
    kedge_error *const err = &c->why;
    const uint64_t first = c->part[1].number * STORE_CHUNK_ROWS;
    kedge_status st = KEDGE_OK;
    store_index v;
    kv_frame f;

    TRY(kv_get_frame(c->txn, c->v->key, STORE_ROWS_TAG, &f, err));
    if (f.head.x > STORE_CHUNK_ROWS || f.head.y > STORE_WIDTH_MOST ||
        f.head.z != 0 || f.head.extra != get_be64(c->v->key.bytes))
        TRY(damage(c, "its head has %u rows of %u", f.head.x, f.head.y));
    TRY_GROW(c->values, c->values_capacity,
             (size_t)f.head.x * (1 + f.head.y) + 1);
    TRY(store_rows_decode(&c->block, f.bytes, f.size, f.head.x, f.head.y,
                          c->values, err));
    st = store_get_index_record(c->txn, (uint32_t)c->number, &v, err);
    if (st == KEDGE_OK && v.rows == get_be32(c->v->key.bytes) &&
        (first >= v.words || f.head.y != v.width ||
         f.head.x != (v.words - first < STORE_CHUNK_ROWS ? v.words - first
                                                         : STORE_CHUNK_ROWS)))
        TRY(damage(c, "it has %u rows of %u, its index has others", f.head.x,
                   f.head.y));
    if (st == KEDGE_ENOTFOUND || is_damage(st))
        st = KEDGE_OK;
out:
    return st;
}

/* The index that a record belongs to; one without anything where there is none,
 * and with everything where it cannot be read. */
static kedge_status find_owner(scan *c, uint32_t index, store_index *owner)
{
    const kedge_status st =
        store_get_index_record(c->txn, index, owner, &c->why);

    if (st != KEDGE_OK)
        *owner =
            (store_index){.listed = is_damage(st), .joined = is_damage(st)};
    return st == KEDGE_ENOTFOUND || is_damage(st) ? KEDGE_OK : st;
}

/* An index's phrases are of words on its list. */
static kedge_status check_joins(scan *c)
{
    store_index owner;

    PASS(store_get_joins(c->txn, (uint32_t)c->number, &c->joins, &c->why));
    PASS(find_owner(c, (uint32_t)c->number, &owner));
    if (!owner.joined)
        return damage(c, "no index has them");
    return KEDGE_OK;
}

/* ---- arrays -------------------------------------------------------------- */

/* All chunks of words and their counts are full but the last. */
static kedge_status check_vocabulary(scan *c, uint32_t chunk, uint32_t count)
{
    const uint64_t first = (uint64_t)chunk * STORE_WORDS_CHUNK;
    uint64_t left;

    PASS(check_below(c, "first word", first, c->totals.words));
    left = c->totals.words - first;
    if (c->has_totals &&
        count != (left < STORE_WORDS_CHUNK ? left : STORE_WORDS_CHUNK))
        return damage(c, "it has %u words", count);
    return KEDGE_OK;
}

/* A chunk of one, and what that belongs to. That the chunks of a list rise is
 * checked with its index; damage of a spectrum's record is found under its own
 * key. */
static kedge_status check_array(scan *c)
{
    const kv_db db = c->v->key.db;
    kedge_status st = KEDGE_OK;
    uint32_t chunk, items;
    store_limits limits;
    const uint8_t *header;
    store_index owner;
    size_t size;
    array a;

    TRY(array_of_key(c->v->key, &a, &chunk, &c->why));
    TRY(store_get_limits(c->txn, &limits, &c->why));
    a.limit = limits.words;
    if (db == DB_SPECTRUM) {
        TRY(refer(c,
                  spectrum_find(c->txn, (uint32_t)c->number,
                                (uint32_t)c->part[1].number, &a, &c->why),
                  "its record is gone"));
    }
    TRY(array_check(c->txn, &a, chunk, &items, &c->why));
    if (db == DB_WORDS)
        c->counts->words += items;
    if (db == DB_WORDS || db == DB_COUNTS)
        TRY(check_vocabulary(c, chunk, items));
    if (db == DB_ARRAYS)
        TRY(refer(c,
                  store_get_model_header(c->txn, c->part->text, &header, &size,
                                         &c->why),
                  "there is no such model"));
    if (db == DB_LISTS) {
        TRY(find_owner(c, (uint32_t)c->number, &owner));
        if (!owner.listed)
            TRY(damage(c, "no index has it"));
    }
out:
    return st;
}

/* One of no index is what an older kedge left. */
static kedge_status check_spectrum(scan *c)
{
    uint32_t items;
    array a;

    PASS(spectrum_find(c->txn, (uint32_t)c->number,
                       (uint32_t)c->part[1].number, &a, &c->why));
    return refer(c, array_get_chunk(c->txn, &a, 0, NULL, &items, &c->why),
                 "chunk 0 is gone");
}

/* ---- models -------------------------------------------------------------- */

static kedge_status check_model(scan *c)
{
    char model[NAME_MOST + 1] = "";
    const uint8_t *header;
    size_t size = c->part->size;

    if (size > NAME_MOST || memchr(c->part->text, 0, size) != NULL)
        return damage(c, "its name has %zu bytes", size);
    memcpy(model, c->part->text, size);
    return store_get_model_header(c->txn, model, &header, &size, &c->why);
}

/* What is of no model or of no set is what an interruption left. */
static kedge_status check_kept(scan *c)
{
    return portions_check(c->txn, c->v->key, &c->portion, &c->why);
}

/* ---- all of it ----------------------------------------------------------- */

/* One database after the other: what is referred to comes first. */
static const struct step {
    kv_db db;
    kedge_status (*check)(scan *c);
    size_t counter;  /* in store_scanned */
    size_t limit;    /* of the number that the key is, in store_totals */
    const char *all; /* what the totals promise: see promised */
} steps[] = {
#define NONE SIZE_MAX
#define COUNTED(member) offsetof(store_scanned, member)
#define BELOW(member)   offsetof(store_totals, member)
    {DB_META, check_meta, NONE, NONE, "records of the store itself"},
    {DB_SOURCES, check_source, COUNTED(sources), BELOW(sources), "sources"},
    {DB_BLOCKS, check_block, COUNTED(blocks), NONE, NULL},
    {DB_GONE, check_gone, COUNTED(gone), NONE, NULL},
    {DB_REMOVALS, check_removal, COUNTED(removals), BELOW(removals), NULL},
    {DB_IDS, check_id, COUNTED(ids), NONE, NULL},
    {DB_WORDS, check_array, NONE, NONE, "chunks of words"},
    {DB_COUNTS, check_array, NONE, NONE, "chunks of counts"},
    {DB_INDEXES, check_index, COUNTED(indexes), NONE, NULL},
    {DB_LISTS, check_array, COUNTED(lists), NONE, NULL},
    {DB_ROWS, check_rows, COUNTED(rows), NONE, NULL},
    {DB_MODELS, check_model, COUNTED(models), NONE, NULL},
    {DB_ARRAYS, check_array, COUNTED(arrays), NONE, NULL},
    {DB_ORDERS, check_order, COUNTED(orders), NONE, "orders of words"},
    {DB_JOINS, check_joins, COUNTED(joins), NONE, NULL},
    {DB_KEPT, check_kept, COUNTED(kept), NONE, NULL},
    {DB_SPECTRA, check_spectrum, COUNTED(spectra), NONE, NULL},
    {DB_SPECTRUM, check_array, COUNTED(spectra), NONE, NULL},
    {DB_PARTS, check_part, COUNTED(parts), BELOW(parts), NULL},
    {DB_PART_COUNTS, check_array, COUNTED(parts), NONE, NULL},
#undef BELOW
#undef COUNTED
};

static_assert(sizeof steps / sizeof *steps == DB_COUNT, "each database");

/* Large records take long, and so do many small ones. */
#define ASK_BYTES 32768
#define ASK_RECORDS 16

static kedge_status ask_watcher(scan *c, size_t size)
{
    const store_watcher *const w = c->watcher;

    if (w->goes_on != NULL &&
        (size >= ASK_BYTES || c->counts->records % ASK_RECORDS == 0))
        c->stopped |= !w->goes_on(w->data, c->counts->records, c->total);
    return c->stopped ? KEDGE_ECANCELED : KEDGE_OK;
}

static kedge_status check_record(scan *c)
{
    const struct step *const step = c->step;

    if (kv_split(c->v->key, c->part) == 0)
        return damage(c, "its key of %zu bytes is damaged", c->v->key.size);
    c->number = c->part->number;
    PASS(step->check(c));
    if (step->limit != NONE)
        PASS(check_below(c, "number", c->number,
                         *(uint64_t *)(void *)((char *)&c->totals +
                                               step->limit)));
    if (step->counter != NONE)
        ++*(uint64_t *)(void *)((char *)c->counts + step->counter);
    return KEDGE_OK;
}

static kedge_status visit(void *data, const kv_value *v, kedge_error *err)
{
    scan *const c = data;
    kedge_status st;

    c->v = v;
    kv_name(v->key, c->what);
    st = check_record(c);
    if (st != KEDGE_OK && c->step->db == DB_BLOCKS)
        c->recounted = false;
    c->seen++;
    c->counts->records++;
    PASS(note(c, st, c->what, err));
    return ask_watcher(c, v->size);
}

/* Records of a database that have to be there. */
static uint64_t promised(const scan *c, kv_db db)
{
    const store_totals *const t = &c->totals;

    switch (db) {
    case DB_META:
        return 2;
    case DB_ORDERS:
        return c->ordered;
    case DB_SOURCES:
        return t->sources;
    default: /* words and counts */
        return (t->words / STORE_WORDS_CHUNK) +
               (t->words % STORE_WORDS_CHUNK > 0);
    }
}

static kedge_status end_step(scan *c, kedge_error *err)
{
    const kv_db db = c->step->db;
    const uint64_t count = promised(c, db);

    if (c->step->all != NULL && (c->has_totals || db == DB_META) &&
        c->seen < count)
        PASS(note(c, damage(c, "%" PRIu64 " of %" PRIu64 " are there", c->seen,
                            count),
                  c->step->all, err));
    if (db == DB_META && !c->has_totals) {
        c->totals = (store_totals){
            .words = UINT64_MAX, .blocks = UINT64_MAX, .sources = UINT64_MAX,
            .removals = UINT64_MAX, .parts = UINT64_MAX,
        };
        ledger_set_limits(c->txn, STORE_NO_LIMITS);
    }
    return KEDGE_OK;
}

/* A part that cannot be read was found when it was walked. */
static kedge_status compare_totals(scan *c, kedge_error *err)
{
    const store_totals *const t = &c->totals;
    store_scanned *const n = c->counts;
    store_part parts;
    const kedge_status st = store_sum_parts(c->txn, t, &parts, &c->why);

    if (st != KEDGE_OK)
        return is_damage(st) ? KEDGE_OK : note(c, st, "parts", err);
    n->documents += parts.documents;
    n->tokens += parts.tokens;
    n->nonzeros += parts.nonzeros;
    if (t->documents == n->documents && t->tokens == n->tokens &&
        t->nonzeros == n->nonzeros)
        return KEDGE_OK;
    damage(c, "%" PRIu64 " documents, %" PRIu64 " tokens, %" PRIu64
           " non-zeros; counted were %" PRIu64 ", %" PRIu64 ", %" PRIu64,
           t->documents, t->tokens, t->nonzeros, n->documents, n->tokens,
           n->nonzeros);
    return note(c, KEDGE_ECORRUPT, "the totals", err);
}

static kedge_status walk_all(scan *c, kedge_error *err)
{
    uint64_t records;

    for (size_t i = 0; i < DB_COUNT; i++) {
        PASS(kv_count(c->txn, steps[i].db, &records, err));
        c->total += records;
    }
    PASS(ask_watcher(c, ASK_BYTES)); /* from the beginning */
    for (size_t i = 0; i < DB_COUNT; i++) {
        c->step = &steps[i];
        c->seen = 0;
        PASS(kv_walk(c->txn, (kv_key){.db = steps[i].db}, visit, c, err));
        PASS(end_step(c, err));
    }
    if (c->hits != c->counts->ids)
        PASS(find_dangling(c, err));
    return c->recounted && c->has_totals ? compare_totals(c, err) : KEDGE_OK;
}

kedge_status store_scan(store_txn *txn, const store_watcher *watcher,
                        store_scanned *counts, kedge_error *err)
{
    scan c = {
        .txn = txn, .watcher = watcher, .counts = counts, .recounted = true,
    };
    kedge_status st = kv_need(txn, false, err);

    *counts = (store_scanned){0};
    if (st != KEDGE_OK)
        return st;
    ledger_set_limits(txn, STORE_NO_LIMITS);
    st = walk_all(&c, err);
    ledger_set_limits(txn, NULL);
    store_block_free(&c.block);
    store_order_free(&c.order);
    docs_free(&c.batch);
    store_gone_free(&c.gone);
    store_gone_free(&c.others);
    store_list_free(&c.list);
    store_joins_free(&c.joins);
    store_portion_free(&c.portion);
    mem_free(c.values);
    mem_free(c.ids);
    return c.stopped ? KEDGE_OK : st;
}
