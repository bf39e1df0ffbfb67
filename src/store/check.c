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

/* An id on its way to its document. */
typedef struct stray {
    store_place at; /* first, for store_place_compare */
    uint64_t place; /* of its key */
} stray;

typedef struct scan {
    store_txn *txn;
    const store_watcher *watcher;
    uint64_t total;      /* records of all databases */
    store_scanned *counts;
    kedge_status st;     /* not OK: the scan cannot go on */
    kedge_error failure; /* its text */
    bool stopped;        /* by the watcher */
    store_totals totals; /* no limits where they cannot be read */
    bool has_totals;
    bool recounted; /* every document could be counted */
    uint64_t seen;  /* records of the database that is walked */
    uint64_t hits;  /* documents that were found under their ids */
    uint64_t ordered; /* blocks that have an order beside them */
    /* the record at hand */
    kv_db db;
    const struct step *step;
    const kv_value *v;
    uint64_t number; /* that its key is, if it is one */
    char what[KV_NAME_MOST]; /* its name */
    kedge_error why; /* it is damaged */
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
    stray *strays;
    size_t stray_count;
} scan;

static bool is_damage(kedge_status st)
{
    return st == KEDGE_ECORRUPT || st == KEDGE_EVERSION;
}

/* Damage of another record, which is told where that one is walked. */
static kedge_status pass_over(kedge_status st)
{
    return is_damage(st) ? KEDGE_OK : st;
}

/* Tells of damage; false when the scan is over. */
static bool note(scan *c, kedge_status st, const char *what)
{
    if (is_damage(st) || st == KEDGE_ENOTFOUND) {
        c->counts->damaged++;
        c->stopped = !c->watcher->found(c->watcher->data, what, &c->why);
    } else if (st != KEDGE_OK) {
        c->st = st;
        c->failure = c->why;
    }
    return c->st == KEDGE_OK && !c->stopped;
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

static kedge_status check_below(scan *c, const char *what, uint64_t number,
                                uint64_t limit)
{
    return number < limit ? KEDGE_OK
                          : damage(c, "its %s is %" PRIu64 ", there are %"
                                   PRIu64, what, number, limit);
}

/* ---- the store itself ---------------------------------------------------- */

static void forget_totals(scan *c)
{
    c->totals = (store_totals){
        .words = UINT64_MAX, .blocks = UINT64_MAX, .sources = UINT64_MAX,
        .removals = UINT64_MAX, .parts = UINT64_MAX,
    };
    ledger_set_limits(c->txn, STORE_NO_LIMITS);
}

static kedge_status check_meta(scan *c)
{
    store_settings settings;

    if (c->v->key[0] == META_FORMAT) {
        PASS(ledger_check_format(c->txn, &c->why));
    } else if (c->v->key[0] == META_TOTALS) {
        PASS(ledger_get_totals(c->txn, &c->totals, &c->why));
        c->has_totals = true;
        ledger_set_limits(c->txn,
                          &(store_limits){c->totals.words, c->totals.blocks,
                                          c->totals.sources, c->totals.removals,
                                          c->totals.parts});
    } else if (c->v->key[0] == META_SETTINGS) {
        c->seen--; /* it need not be there */
        PASS(store_get_settings(c->txn, &settings, NULL, &c->why));
    } else {
        return damage(c, "its key is %u", c->v->key[0]);
    }
    return KEDGE_OK;
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

/* Takes what is gone out of the batch, which is all of a block. Where that
 * cannot be told, the list's own check says so. */
static kedge_status drop_gone(scan *c, uint64_t number)
{
    const kedge_status st = store_get_gone(c->txn, number, &c->gone, &c->why);

    if (st == KEDGE_OK)
        docs_drop(&c->batch, 0, c->gone.index, c->gone.count);
    if (is_damage(st))
        c->recounted = false;
    return pass_over(st);
}

/* Looks every document up under its id. An id that is damaged itself is told
 * when the ids are walked. */
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
    if (st == KEDGE_ENOTFOUND)
        TRY(damage(c, "there is no block %" PRIu64, c->number));
    if (is_damage(st))
        return KEDGE_OK;
    TRY(st);
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
    kedge_status st;
    uint32_t documents;

    PASS(store_get_gone(c->txn, c->number, &c->gone, &c->why));
    st = block_documents(c->txn, c->number, &documents, &c->why);
    if (st == KEDGE_ENOTFOUND)
        return damage(c, "there is no block %" PRIu64, c->number);
    return pass_over(st);
}

/* Both rise. */
static bool is_within(const store_gone *part, const store_gone *whole)
{
    size_t at = 0;

    for (size_t i = 0; i < part->count; i++) {
        while (at < whole->count && whole->index[at] < part->index[i])
            at++;
        if (at == whole->count || whole->index[at] != part->index[i])
            return false;
    }
    return true;
}

static kedge_status check_removal(scan *c)
{
    kedge_status st;
    uint64_t block;

    PASS(store_get_removal(c->txn, c->number, &block, &c->others, &c->why));
    st = store_get_gone(c->txn, block, &c->gone, &c->why);
    if (st == KEDGE_OK && !is_within(&c->others, &c->gone))
        return damage(c, "block %" PRIu64 " still has what it took", block);
    return pass_over(st);
}

/* ---- ids ----------------------------------------------------------------- */

static kedge_status check_id(scan *c)
{
    const span id = span_of((const char *)c->v->key, c->v->key_size);
    store_place p;
    char text[IDS_SHOWN];

    ids_show(id, text);
    snprintf(c->what, sizeof c->what, "id \"%s\"", text);
    return ids_read(id, c->v->bytes, c->v->size, &p, &c->why);
}

/* Whether the loaded block has that document. */
static bool is_home(const scan *c, const stray *x)
{
    const docs *const d = &c->batch;
    size_t from = 0, to = d->count;

    while (from < to) {
        const size_t middle = from + (to - from) / 2;
        if (d->position[middle] < x->at.position)
            from = middle + 1;
        else
            to = middle;
    }
    if (from == d->count || d->position[from] != x->at.position)
        return false;
    const span id = docs_id(d, from);
    return id.size > 0 && kv_place((kv_key){DB_IDS, (const uint8_t *)id.bytes,
                                            id.size}) == x->place;
}

/* The ids of a batch that lead nowhere; those into a damaged block are not
 * blamed. False when the scan is over. */
static bool settle_strays(scan *c)
{
    kedge_status st = KEDGE_OK;

    qsort(c->strays, c->stray_count, sizeof *c->strays, store_place_compare);
    for (size_t i = 0; i < c->stray_count; i++) {
        const stray *const x = &c->strays[i];
        if (i == 0 || x->at.block != x[-1].at.block) {
            st = load_block(c, x->at.block);
            if (st == KEDGE_OK)
                st = drop_gone(c, x->at.block);
        }
        if (is_damage(st))
            continue;
        if (st != KEDGE_OK && st != KEDGE_ENOTFOUND)
            return note(c, st, "");
        if (st == KEDGE_OK && is_home(c, x))
            continue;
        snprintf(c->what, sizeof c->what,
                 "id of position %" PRIu64 " in block %" PRIu64,
                 x->at.position, x->at.block);
        if (!note(c, damage(c, "it leads to no document"), c->what))
            return false;
    }
    c->stray_count = 0;
    return true;
}

static bool collect_stray(void *data, const kv_value *v)
{
    scan *const c = data;
    const span id = span_of((const char *)v->key, v->key_size);
    stray *const x = &c->strays[c->stray_count];

    if (ids_read(id, v->bytes, v->size, &x->at, NULL) != KEDGE_OK)
        return true;
    x->place = kv_place((kv_key){DB_IDS, v->key, v->key_size});
    return ++c->stray_count < BATCH_IDS || settle_strays(c);
}

static kedge_status find_strays(scan *c, kedge_error *err)
{
    kedge_status st = KEDGE_OK;

    TRY_MEM(c->strays = mem_new(BATCH_IDS, sizeof *c->strays));
    TRY(kv_walk(c->txn, (kv_key){.db = DB_IDS}, collect_stray, c, err));
    if (c->st == KEDGE_OK && !c->stopped)
        settle_strays(c);
out:
    return st;
}

/* ---- views --------------------------------------------------------------- */

static uint64_t row_chunks(uint64_t count)
{
    return count / STORE_CHUNK_ROWS + (count % STORE_CHUNK_ROWS != 0);
}

/* Its rows are there; what is in them is another walk's. */
static kedge_status check_sketch(scan *c, const store_view *v)
{
    for (uint64_t i = 0; v->blocks > 0 && i < row_chunks(v->words); i++) {
        const uint8_t *bytes;
        size_t size;
        const kedge_status st =
            store_get_rows(c->txn, v->rows, i, &bytes, &size, &c->why);
        if (st == KEDGE_ENOTFOUND)
            return damage(c, "chunk %" PRIu64 " of its sketch is gone", i);
        if (pass_over(st) != KEDGE_OK)
            return st;
    }
    return KEDGE_OK;
}

static kedge_status check_view(scan *c)
{
    const uint32_t number = (uint32_t)c->number;
    kedge_status st;
    store_view v;

    PASS(store_get_view_record(c->txn, number, &v, &c->why));
    if (v.rows / 2 != number)
        return damage(c, "its rows are those of view %u", v.rows / 2);
    if (v.listed) {
        st = store_get_list(c->txn, number, &c->list, &c->why);
        if (st == KEDGE_ENOTFOUND)
            return damage(c, "its list of words is gone");
        PASS(st);
        if (c->list.count != v.words)
            return damage(c, "its list has %zu words, not %" PRIu64,
                          c->list.count, v.words);
    }
    if (v.joined) { /* what they are is another walk's */
        st = store_get_joins(c->txn, number, &c->joins, &c->why);
        if (st == KEDGE_ENOTFOUND)
            return damage(c, "its phrases are gone");
        PASS(pass_over(st));
    }
    return check_sketch(c, &v);
}

/* Rows that no view names are what an interruption left. */
static kedge_status check_rows(scan *c)
{
    kedge_error *const err = &c->why;
    const uint32_t number = get_be32(c->v->key);
    const uint64_t first =
        get_be32(c->v->key + 4) * (uint64_t)STORE_CHUNK_ROWS;
    kedge_status st = KEDGE_OK;
    const uint8_t *bytes;
    frame_head head;
    store_view v;
    size_t size;

    TRY(store_get_rows(c->txn, number, get_be32(c->v->key + 4), &bytes, &size,
                       err));
    TRY(frame_peek(bytes, size, STORE_ROWS_TAG, c->what, &head, err));
    if (head.x > STORE_CHUNK_ROWS || head.y > STORE_WIDTH_MOST ||
        head.z != 0 || head.extra != get_be64(c->v->key))
        TRY(damage(c, "its head has %u rows of %u", head.x, head.y));
    TRY_MEM(mem_grow((void **)&c->values, &c->values_capacity,
                     (size_t)head.x * (1 + head.y), sizeof *c->values)
                ? c
                : NULL);
    TRY(store_rows_decode(&c->block, bytes, size, head.x, head.y, c->values,
                          err));
    st = store_get_view_record(c->txn, number / 2, &v, err);
    if (st == KEDGE_OK && v.rows == number &&
        (first >= v.words || head.y != v.width ||
         head.x != (v.words - first < STORE_CHUNK_ROWS ? v.words - first
                                                       : STORE_CHUNK_ROWS)))
        TRY(damage(c, "it has %u rows of %u, which its view has not", head.x,
                   head.y));
    st = st == KEDGE_ENOTFOUND ? KEDGE_OK : pass_over(st);
out:
    return st;
}

/* The view that a record belongs to; one without anything where there is none,
 * and with everything where it cannot be read. */
static kedge_status find_owner(scan *c, uint32_t view, store_view *owner)
{
    const kedge_status st = store_get_view_record(c->txn, view, owner, &c->why);

    if (st != KEDGE_OK)
        *owner = (store_view){.listed = is_damage(st), .joined = is_damage(st)};
    return st == KEDGE_ENOTFOUND ? KEDGE_OK : pass_over(st);
}

/* A view's phrases are of words on its list. */
static kedge_status check_joins(scan *c)
{
    store_view owner;

    PASS(store_get_joins(c->txn, (uint32_t)c->number, &c->joins, &c->why));
    PASS(find_owner(c, (uint32_t)c->number, &owner));
    if (!owner.joined)
        return damage(c, "no view has them");
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

static kedge_status check_model_of(scan *c, const char *model)
{
    const uint8_t *header;
    size_t size;
    const kedge_status st =
        store_get_model_header(c->txn, model, &header, &size, &c->why);

    return st == KEDGE_ENOTFOUND ? damage(c, "there is no such model")
                                 : pass_over(st);
}

/* A chunk of one, and what that belongs to. That the chunks of a list rise is
 * checked with its view; damage of a spectrum's record is told under that one's
 * key. */
static kedge_status check_array(scan *c)
{
    const kv_value *const v = c->v;
    kedge_status st = KEDGE_OK;
    const kv_db db = c->db;
    uint32_t chunk, items;
    store_limits limits;
    store_view owner;
    array a;

    TRY(array_of_key(db, v->key, v->key_size, &a, &chunk, &c->why));
    TRY(store_get_limits(c->txn, &limits, &c->why));
    a.limit = limits.words;
    if (db == DB_SPECTRUM) {
        st = spectrum_find(c->txn, get_be32(v->key), get_be32(v->key + 4), &a,
                           &c->why);
        if (st == KEDGE_ENOTFOUND)
            TRY(damage(c, "its record is gone"));
        TRY(pass_over(st));
    }
    TRY(array_check(c->txn, &a, chunk, &items, &c->why));
    if (db == DB_WORDS)
        c->counts->words += items;
    if (db == DB_WORDS || db == DB_COUNTS)
        TRY(check_vocabulary(c, chunk, items));
    if (db == DB_ARRAYS)
        TRY(check_model_of(c, (const char *)v->key));
    if (db == DB_LISTS) {
        TRY(find_owner(c, get_be32(v->key), &owner));
        if (!owner.listed)
            TRY(damage(c, "no view has it"));
    }
out:
    return st;
}

/* One of no view is what an older kedge left. */
static kedge_status check_spectrum(scan *c)
{
    kedge_status st;
    uint32_t items;
    array a;

    PASS(spectrum_find(c->txn, get_be32(c->v->key), get_be32(c->v->key + 4), &a,
                       &c->why));
    st = array_get_chunk(c->txn, &a, 0, NULL, &items, &c->why);
    if (st == KEDGE_ENOTFOUND)
        return damage(c, "chunk 0 is gone");
    return pass_over(st);
}

/* ---- models -------------------------------------------------------------- */

static kedge_status check_model(scan *c)
{
    const kv_value *const v = c->v;
    const uint8_t *header;
    char model[NAME_MOST + 1] = "";
    size_t size;

    if (v->key_size > NAME_MOST || memchr(v->key, 0, v->key_size) != NULL)
        return damage(c, "its name has %zu bytes", v->key_size);
    memcpy(model, v->key, v->key_size);
    return store_get_model_header(c->txn, model, &header, &size, &c->why);
}

/* Of a set all portions; each by itself when its turn comes. What is of no
 * model or of no set is what an interruption left. */
static kedge_status check_kept(scan *c)
{
    const kv_value *const v = c->v;
    char model[NAME_MOST + 1] = "";

    PASS(portions_check(c->txn, v->key, v->key_size, &c->portion, &c->why));
    if (memchr(v->key, 0, v->key_size) == NULL) {
        memcpy(model, v->key, v->key_size);
        PASS(portions_check_set(c->txn, model, &c->portion, &c->why));
    }
    return KEDGE_OK;
}

/* ---- all of it ----------------------------------------------------------- */

/* One database after the other: what is referred to comes first. */
static const struct step {
    kv_db db;
    size_t key;     /* its bytes; a number where they are 4 or 8; 0: any */
    kedge_status (*check)(scan *c);
    size_t counter; /* in store_scanned */
    size_t limit;   /* of its number, in store_totals */
} steps[] = {
#define NONE SIZE_MAX
#define COUNTED(member) offsetof(store_scanned, member)
#define BELOW(member)   offsetof(store_totals, member)
    {DB_META, 1, check_meta, NONE, NONE},
    {DB_SOURCES, 8, check_source, COUNTED(sources), BELOW(sources)},
    {DB_BLOCKS, 8, check_block, COUNTED(blocks), NONE},
    {DB_GONE, 8, check_gone, COUNTED(gone), NONE},
    {DB_REMOVALS, 8, check_removal, COUNTED(removals), BELOW(removals)},
    {DB_IDS, 0, check_id, COUNTED(ids), NONE},
    {DB_WORDS, 4, check_array, NONE, NONE},
    {DB_COUNTS, 4, check_array, NONE, NONE},
    {DB_VIEWS, 4, check_view, COUNTED(views), NONE},
    {DB_LISTS, 8, check_array, COUNTED(lists), NONE},
    {DB_ROWS, 8, check_rows, COUNTED(rows), NONE},
    {DB_MODELS, 0, check_model, COUNTED(models), NONE},
    {DB_ARRAYS, 0, check_array, COUNTED(arrays), NONE},
    {DB_ORDERS, 8, check_order, COUNTED(orders), NONE},
    {DB_JOINS, 4, check_joins, COUNTED(joins), NONE},
    {DB_KEPT, 0, check_kept, COUNTED(kept), NONE},
    {DB_SPECTRA, 8, check_spectrum, COUNTED(spectra), NONE},
    {DB_SPECTRUM, 12, check_array, COUNTED(spectra), NONE},
    {DB_PARTS, 8, check_part, COUNTED(parts), BELOW(parts)},
    {DB_PART_COUNTS, 4, check_array, COUNTED(parts), NONE},
#undef BELOW
#undef COUNTED
};

static_assert(sizeof steps / sizeof *steps == DB_COUNT, "each database");

/* Large records take long, and so do many small ones. */
#define ASK_BYTES 32768
#define ASK_RECORDS 16

static bool goes_on(scan *c, size_t size)
{
    const store_watcher *const w = c->watcher;

    if (w->goes_on != NULL &&
        (size >= ASK_BYTES || c->counts->records % ASK_RECORDS == 0))
        c->stopped |= !w->goes_on(w->data, c->counts->records, c->total);
    return !c->stopped;
}

static kedge_status check_record(scan *c)
{
    const struct step *const step = c->step;
    const kv_value *const v = c->v;
    kedge_status st = KEDGE_OK;

    kv_name((kv_key){c->db, v->key, v->key_size}, c->what);
    if (step->key > 0 && v->key_size != step->key)
        TRY(damage(c, "its key has %zu bytes, not %zu", v->key_size,
                   step->key));
    c->number = step->key == 8   ? get_be64(v->key)
                : step->key == 4 ? get_be32(v->key)
                                 : 0;
    TRY(step->check(c));
    if (step->limit != NONE)
        TRY(check_below(c, "number", c->number,
                        *(uint64_t *)(void *)((char *)&c->totals +
                                              step->limit)));
    if (step->counter != NONE)
        ++*(uint64_t *)(void *)((char *)c->counts + step->counter);
out:
    if (st != KEDGE_OK && c->db == DB_BLOCKS)
        c->recounted = false;
    return st;
}

static bool visit(void *data, const kv_value *v)
{
    scan *const c = data;
    kedge_status st;

    c->v = v;
    st = check_record(c);
    c->seen++;
    c->counts->records++;
    return note(c, st, c->what) && goes_on(c, v->size);
}

/* Records that the totals promise. */
static void expect(scan *c, const char *what, uint64_t count)
{
    if (c->seen < count)
        note(c, damage(c, "%" PRIu64 " of %" PRIu64 " are there", c->seen,
                       count),
             what);
}

static void end_step(scan *c)
{
    const store_totals *const t = &c->totals;
    const kv_db db = c->db;
    const uint64_t chunks =
        t->words / STORE_WORDS_CHUNK + (t->words % STORE_WORDS_CHUNK != 0);

    if (db == DB_META) {
        expect(c, "records of the store itself", 2);
        if (!c->has_totals)
            forget_totals(c);
    }
    if (!c->has_totals || c->stopped)
        return;
    if (db == DB_ORDERS)
        expect(c, "orders of words", c->ordered);
    if (db == DB_SOURCES)
        expect(c, "sources", t->sources);
    if (db == DB_WORDS)
        expect(c, "chunks of words", chunks);
    if (db == DB_COUNTS)
        expect(c, "chunks of counts", chunks);
}

/* A part that cannot be read was told of when it was walked. */
static void compare_totals(scan *c)
{
    const store_totals *const t = &c->totals;
    store_scanned *const n = c->counts;
    store_part parts;
    const kedge_status st = store_sum_parts(c->txn, t, &parts, &c->why);

    if (st == KEDGE_ENOTFOUND)
        note(c, st, "parts");
    if (st != KEDGE_OK)
        return;
    n->documents += parts.documents;
    n->tokens += parts.tokens;
    n->nonzeros += parts.nonzeros;
    if (t->documents != n->documents || t->tokens != n->tokens ||
        t->nonzeros != n->nonzeros)
        note(c,
             damage(c, "%" PRIu64 " documents, %" PRIu64 " tokens, %" PRIu64
                    " non-zeros; counted were %" PRIu64 ", %" PRIu64
                    ", %" PRIu64, t->documents, t->tokens, t->nonzeros,
                    n->documents, n->tokens, n->nonzeros),
             "the totals");
}

static bool is_over(const scan *c)
{
    return c->st != KEDGE_OK || c->stopped;
}

static kedge_status walk_all(scan *c, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    uint64_t records;

    for (size_t i = 0; i < DB_COUNT; i++) {
        TRY(kv_count(c->txn, steps[i].db, &records, err));
        c->total += records;
    }
    (void)goes_on(c, ASK_BYTES); /* from the beginning */
    for (size_t i = 0; i < DB_COUNT && !is_over(c); i++) {
        c->step = &steps[i];
        c->db = steps[i].db;
        c->seen = 0;
        TRY(kv_walk(c->txn, (kv_key){.db = steps[i].db}, visit, c, err));
        if (!is_over(c))
            end_step(c);
    }
    if (!is_over(c) && c->hits != c->counts->ids)
        TRY(find_strays(c, err));
    if (!is_over(c) && c->recounted && c->has_totals)
        compare_totals(c);
    if (c->st != KEDGE_OK)
        TRY(kedge_fail(err, c->st, "%s", c->failure.text));
out:
    return st;
}

kedge_status store_scan(store_txn *txn, const store_watcher *watcher,
                        store_scanned *counts, kedge_error *err)
{
    scan c = {
        .txn = txn, .watcher = watcher, .counts = counts,
        .recounted = true,
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
    mem_free(c.strays);
    return st;
}
