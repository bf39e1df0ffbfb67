/* SPDX-License-Identifier: MIT */
/*
 * Every record of every database, decoded and held against what it refers to.
 *
 * A record is checked by the functions that read it elsewhere. Limits come from
 * the totals, which are read first.
 */
#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "base/mem.h"
#include "store/census.h"
#include "store/ledger.h"
#include "store/lexicon.h"
#include "store/lists.h"
#include "store/parts.h"
#include "store/portions.h"
#include "store/spectra.h"
#include "store/stored_model.h"

bool scan_is_damage(kedge_status st)
{
    return st == KEDGE_ECORRUPT || st == KEDGE_EVERSION;
}

/* Damage of another record, which is told where that one is walked. */
kedge_status scan_pass_over(kedge_status st)
{
    return scan_is_damage(st) ? KEDGE_OK : st;
}

/* Tells of damage; false when the scan is over. */
bool scan_note(scan *c, kedge_status st, const char *what,
               const kedge_error *why)
{
    if (scan_is_damage(st) || st == KEDGE_ENOTFOUND) {
        c->counts->damaged++;
        c->stopped = !c->watcher->found(c->watcher->data, what, why);
    } else if (st != KEDGE_OK) {
        c->st = st;
        c->failure = *why;
    }
    return c->st == KEDGE_OK && !c->stopped;
}

kedge_status scan_damage(kedge_error *why, const char *format, ...)
{
    va_list list;

    va_start(list, format);
    vsnprintf(why->text, sizeof why->text, format, list);
    va_end(list);
    return KEDGE_ECORRUPT;
}

kedge_status scan_key_is(const kv_value *v, size_t size, kedge_error *why)
{
    return v->key_size == size
               ? KEDGE_OK
               : scan_damage(why, "its key has %zu bytes, not %zu", v->key_size,
                             size);
}

kedge_status scan_number(const kv_value *v, scan_kind kind, char *what,
                         uint64_t *number, kedge_error *why)
{
    kedge_status st = KEDGE_OK;

    snprintf(what, SCAN_WHAT, "%s", kind.any);
    TRY(scan_key_is(v, kind.key, why));
    *number = kind.key == 4 ? get_be32(v->key) : get_be64(v->key);
    snprintf(what, SCAN_WHAT, "%s %" PRIu64, kind.name, *number);
out:
    return st;
}

kedge_status scan_below(uint64_t number, uint64_t limit, const char *what,
                        kedge_error *why)
{
    return number < limit ? KEDGE_OK
                          : scan_damage(why, "its %s is %" PRIu64 ", there are "
                                   "%" PRIu64, what, number, limit);
}

/* ---- totals -------------------------------------------------------------- */

static void forget_totals(scan *c)
{
    c->totals = (store_totals){
        .words = UINT64_MAX, .blocks = UINT64_MAX, .sources = UINT64_MAX,
        .removals = UINT64_MAX, .parts = UINT64_MAX,
    };
    ledger_set_limits(c->txn, STORE_NO_LIMITS);
}

static kedge_status check_meta(scan *c, const kv_value *v, char *what,
                               kedge_error *why)
{
    kedge_status st = KEDGE_OK;

    snprintf(what, SCAN_WHAT, "a record of the store itself");
    TRY(scan_key_is(v, 1, why));
    if (v->key[0] == META_FORMAT) {
        snprintf(what, SCAN_WHAT, "record of the format");
        TRY(ledger_check_format(c->txn, why));
    } else if (v->key[0] == META_TOTALS) {
        snprintf(what, SCAN_WHAT, "record of the totals");
        TRY(ledger_get_totals(c->txn, &c->totals, why));
        c->has_totals = true;
        ledger_set_limits(c->txn,
                          &(store_limits){c->totals.words, c->totals.blocks,
                                          c->totals.sources, c->totals.removals,
                                          c->totals.parts});
    } else if (v->key[0] == META_SETTINGS) {
        store_settings settings;
        snprintf(what, SCAN_WHAT, "record of the settings");
        c->seen--; /* it need not be there */
        TRY(store_get_settings(c->txn, &settings, NULL, why));
    } else {
        TRY(scan_damage(why, "its key is %u", v->key[0]));
    }
out:
    return st;
}

/* ---- vocabulary and sources ---------------------------------------------- */

/* The part that the two kinds of chunks have in common. */
static kedge_status check_chunk(const scan *c, uint64_t chunk, uint32_t count,
                                kedge_error *why)
{
    kedge_status st = KEDGE_OK;
    const uint64_t first = chunk * LEXICON_CHUNK;
    uint64_t left;

    TRY(scan_below(first, c->totals.words, "first word", why));
    left = c->totals.words - first;
    if (c->has_totals && count != (left < LEXICON_CHUNK ? left : LEXICON_CHUNK))
        TRY(scan_damage(why, "it has %u words", count));
out:
    return st;
}

static kedge_status check_words(scan *c, const kv_value *v, char *what,
                                kedge_error *why)
{
    kedge_status st = KEDGE_OK;
    uint64_t chunk;
    uint32_t count;

    TRY(scan_number(v, (scan_kind){4, "a chunk of words", "words chunk"}, what,
                    &chunk, why));
    TRY(lexicon_check_words(c->txn, (uint32_t)chunk, &count, why));
    c->counts->words += count;
    TRY(check_chunk(c, chunk, count, why));
out:
    return st;
}

static kedge_status check_counts(scan *c, const kv_value *v, char *what,
                                 kedge_error *why)
{
    kedge_status st = KEDGE_OK;
    uint64_t chunk;
    uint32_t count;

    TRY(scan_number(v, (scan_kind){4, "a chunk of counts", "counts chunk"},
                    what, &chunk, why));
    TRY(lexicon_check_counts(c->txn, (uint32_t)chunk, &count, why));
    TRY(check_chunk(c, chunk, count, why));
out:
    return st;
}

static kedge_status check_source(scan *c, const kv_value *v, char *what,
                                 kedge_error *why)
{
    kedge_status st = KEDGE_OK;
    store_source source;
    uint64_t number;

    TRY(scan_number(v, (scan_kind){8, "a source", "source"}, what, &number,
                    why));
    TRY(store_get_source_record(c->txn, number, &source, why));
    TRY(scan_below(number, c->totals.sources, "number", why));
    c->counts->sources++;
out:
    return st;
}

/* ---- views --------------------------------------------------------------- */

static uint64_t row_chunks(uint64_t count)
{
    return count / STORE_CHUNK_ROWS + (count % STORE_CHUNK_ROWS != 0);
}

/* Its chunks are there; what is in them is another walk's. */
static kedge_status check_sketch(scan *c, const store_view *v, kedge_error *why)
{
    for (uint64_t i = 0; v->blocks > 0 && i < row_chunks(v->words); i++) {
        const uint8_t *bytes;
        size_t size;
        const kedge_status st =
            store_get_rows(c->txn, v->rows, i, &bytes, &size, why);
        if (st == KEDGE_ENOTFOUND)
            return scan_damage(why, "chunk %" PRIu64 " of its sketch is gone",
                               i);
        if (scan_pass_over(st) != KEDGE_OK)
            return st;
    }
    return KEDGE_OK;
}

static kedge_status check_its_list(scan *c, uint32_t number,
                                   const store_view *v, kedge_error *why)
{
    const kedge_status st = store_get_list(c->txn, number, &c->list, why);

    if (st == KEDGE_ENOTFOUND)
        return scan_damage(why, "its list of words is gone");
    if (st == KEDGE_OK && c->list.count != v->words)
        return scan_damage(why, "its list has %zu words, not %" PRIu64,
                      c->list.count, v->words);
    return st;
}

/* What they are is another walk's. */
static kedge_status check_its_phrases(scan *c, uint32_t number,
                                      kedge_error *why)
{
    const kedge_status st = store_get_joins(c->txn, number, &c->joins, why);

    return st == KEDGE_ENOTFOUND ? scan_damage(why, "its phrases are gone")
                                 : scan_pass_over(st);
}

static kedge_status check_view(scan *c, const kv_value *v, char *what,
                               kedge_error *why)
{
    kedge_status st = KEDGE_OK;
    store_view view;
    uint64_t key;
    uint32_t number;

    TRY(scan_number(v, (scan_kind){4, "a view", "view"}, what, &key, why));
    number = (uint32_t)key;
    TRY(store_get_view_record(c->txn, number, &view, why));
    if (!mem_grow((void **)&c->views, &c->view_capacity, c->view_count + 1,
                  sizeof *c->views))
        TRY(kedge_fail(why, KEDGE_ENOMEM, "out of memory (views)"));
    c->views[c->view_count++] = (shape){view.rows, view.words, view.width};
    if (view.listed)
        TRY(check_its_list(c, number, &view, why));
    if (view.joined)
        TRY(check_its_phrases(c, number, why));
    TRY(check_sketch(c, &view, why));
    c->counts->views++;
out:
    return st;
}

/* Rows of no view are what an interruption left. */
static kedge_status check_shape(const scan *c, uint32_t number, uint32_t chunk,
                                const frame_head *head, kedge_error *why)
{
    for (size_t i = 0; i < c->view_count; i++) {
        const shape *const v = &c->views[i];
        const uint64_t before = (uint64_t)chunk * STORE_CHUNK_ROWS;
        if (v->rows != number)
            continue;
        if (before >= v->words || head->y != v->width ||
            head->x != (v->words - before < STORE_CHUNK_ROWS
                            ? v->words - before
                            : STORE_CHUNK_ROWS))
            return scan_damage(why,
                               "it has %u rows of %u, which its view has not",
                               head->x, head->y);
    }
    return KEDGE_OK;
}

static kedge_status check_rows(scan *c, const kv_value *v, char *what,
                               kedge_error *why)
{
    kedge_status st = KEDGE_OK;
    uint32_t number, chunk;
    const uint8_t *bytes;
    frame_head head;
    size_t size;

    snprintf(what, SCAN_WHAT, "a sketch chunk");
    TRY(scan_key_is(v, 8, why));
    number = get_be32(v->key);
    chunk = get_be32(v->key + 4);
    snprintf(what, SCAN_WHAT, "sketch chunk %u of view %u", chunk, number / 2);
    TRY(store_get_rows(c->txn, number, chunk, &bytes, &size, why));
    TRY(frame_peek(bytes, size, "KROW", what, &head, why));
    if (head.x > STORE_CHUNK_ROWS || head.y > 8192 || head.z != 0 ||
        head.extra != get_be64(v->key))
        TRY(scan_damage(why, "its head has %u rows of %u", head.x, head.y));
    if (!mem_grow((void **)&c->values, &c->values_capacity,
                  (size_t)head.x * (1 + head.y), sizeof *c->values))
        TRY(kedge_fail(why, KEDGE_ENOMEM, "out of memory (rows)"));
    TRY(store_rows_decode(&c->block, bytes, size, head.x, head.y, c->values,
                          why));
    TRY(check_shape(c, number, chunk, &head, why));
    c->counts->rows++;
out:
    return st;
}

/* The view that a record belongs to; one without anything where there is none,
 * and with everything where it cannot be read. */
static kedge_status find_owner(scan *c, uint32_t view, store_view *owner,
                               kedge_error *why)
{
    const kedge_status st = store_get_view_record(c->txn, view, owner, why);

    if (st != KEDGE_OK)
        *owner = (store_view){.listed = scan_is_damage(st),
                              .joined = scan_is_damage(st)};
    return st == KEDGE_ENOTFOUND ? KEDGE_OK : scan_pass_over(st);
}

/* That the chunks are one list is checked with its view. */
static kedge_status check_list(scan *c, const kv_value *v, char *what,
                               kedge_error *why)
{
    kedge_status st = KEDGE_OK;
    uint32_t view, chunk;
    uint64_t whole;
    store_view owner;

    snprintf(what, SCAN_WHAT, "a list of words");
    TRY(scan_key_is(v, 8, why));
    view = get_be32(v->key);
    chunk = get_be32(v->key + 4);
    snprintf(what, SCAN_WHAT, "chunk %u of the list of view %u", chunk, view);
    c->list.count = 0;
    TRY(lists_get_chunk(c->txn, view, chunk, &c->list, &whole, why));
    TRY(find_owner(c, view, &owner, why));
    if (!owner.listed)
        TRY(scan_damage(why, "no view has it"));
    c->counts->lists++;
out:
    return st;
}

/* ---- models -------------------------------------------------------------- */

static kedge_status check_model(scan *c, const kv_value *v, char *what,
                                kedge_error *why)
{
    kedge_status st = KEDGE_OK;
    const uint8_t *header;
    char name[64];
    size_t size;

    snprintf(what, SCAN_WHAT, "a model");
    if (v->key_size == 0 || v->key_size >= sizeof name ||
        memchr(v->key, 0, v->key_size) != NULL)
        TRY(scan_damage(why, "its name has %zu bytes", v->key_size));
    memcpy(name, v->key, v->key_size);
    name[v->key_size] = 0;
    snprintf(what, SCAN_WHAT, "model \"%s\"", name);
    TRY(store_get_model_header(c->txn, name, &header, &size, why));
    c->counts->models++;
out:
    return st;
}

static kedge_status check_array(scan *c, const kv_value *v, char *what,
                                kedge_error *why)
{
    kedge_status st = KEDGE_OK;
    const uint8_t *header;
    size_t size;

    snprintf(what, SCAN_WHAT, "an array");
    TRY(stored_array_check(c->txn, v->key, v->key_size, what, why));
    st = store_get_model_header(c->txn, (const char *)v->key, &header, &size,
                                why);
    if (st == KEDGE_ENOTFOUND)
        TRY(scan_damage(why, "there is no such model"));
    TRY(scan_pass_over(st));
    c->counts->arrays++;
out:
    return st;
}

/* Of a set all portions; each by itself when its turn comes. What is of no
 * model or of no set is what an interruption or an older kedge left. */
static kedge_status check_kept(scan *c, const kv_value *v, char *what,
                               kedge_error *why)
{
    kedge_status st = KEDGE_OK;
    const bool is_set = memchr(v->key, 0, v->key_size) == NULL;
    char model[64] = "";

    snprintf(what, SCAN_WHAT, "kept compositions");
    TRY(portions_check(c->txn, v->key, v->key_size, &c->portion, what, why));
    if (is_set) {
        memcpy(model, v->key, v->key_size);
        TRY(portions_check_set(c->txn, model, &c->portion, why));
    }
    c->counts->kept++;
out:
    return st;
}

/* One of no view is what an older kedge left. */
static kedge_status check_spectrum(scan *c, const kv_value *v, char *what,
                                   kedge_error *why)
{
    kedge_status st = KEDGE_OK;

    snprintf(what, SCAN_WHAT, "a spectrum");
    TRY(spectra_check(c->txn, v->key, v->key_size, what, why));
    c->counts->spectra++;
out:
    return st;
}

static kedge_status check_part(scan *c, const kv_value *v, char *what,
                               kedge_error *why)
{
    kedge_status st = KEDGE_OK;

    snprintf(what, SCAN_WHAT, "a record of parts");
    TRY(parts_check(c->txn, v->key, v->key_size, c->totals.parts, what, why));
    c->counts->parts++;
out:
    return st;
}

/* A view's phrases are of words on its list. */
static kedge_status check_joins(scan *c, const kv_value *v, char *what,
                                kedge_error *why)
{
    kedge_status st = KEDGE_OK;
    store_view owner;
    uint64_t view;

    TRY(scan_number(v, (scan_kind){4, "phrases", "phrases of view"}, what,
                    &view, why));
    TRY(store_get_joins(c->txn, (uint32_t)view, &c->joins, why));
    TRY(find_owner(c, (uint32_t)view, &owner, why));
    if (!owner.joined)
        TRY(scan_damage(why, "no view has them"));
    c->counts->joins++;
out:
    return st;
}

/* ---- all of it ----------------------------------------------------------- */

/* One database after the other: what is referred to comes first. */
static const struct step {
    kv_db db;
    checker check;
} steps[] = {
    {DB_META, check_meta},
    {DB_SOURCES, check_source},
    {DB_BLOCKS, census_check_block},
    {DB_GONE, census_check_gone},
    {DB_REMOVALS, census_check_removal},
    {DB_IDS, census_check_id},
    {DB_WORDS, check_words},
    {DB_COUNTS, check_counts},
    {DB_VIEWS, check_view},
    {DB_LISTS, check_list},
    {DB_ROWS, check_rows},
    {DB_MODELS, check_model},
    {DB_ARRAYS, check_array},
    {DB_ORDERS, census_check_order},
    {DB_JOINS, check_joins},
    {DB_KEPT, check_kept},
    {DB_SPECTRA, check_spectrum},
    {DB_PARTS, check_part},
};

static_assert(sizeof steps / sizeof *steps == DB_COUNT, "each database");

typedef struct visitor {
    scan *c;
    checker check;
} visitor;

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

static bool visit(void *data, const kv_value *v)
{
    const visitor *const step = data;
    scan *const c = step->c;
    char what[SCAN_WHAT] = "";
    kedge_error why = {0};
    const kedge_status st = step->check(c, v, what, &why);

    c->seen++;
    c->counts->records++;
    if (st != KEDGE_OK && step->check == census_check_block)
        c->recounted = false;
    return scan_note(c, st, what, &why) && goes_on(c, v->size);
}

static kedge_status count_all(scan *c, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    uint64_t records;

    for (size_t i = 0; i < DB_COUNT; i++) {
        TRY(kv_count(c->txn, steps[i].db, &records, err));
        c->total += records;
    }
out:
    return st;
}

/* Records that the totals promise. */
static void expect(scan *c, const char *what, uint64_t count)
{
    kedge_error why;

    if (c->seen < count)
        scan_note(c,
                  scan_damage(&why, "%" PRIu64 " of %" PRIu64 " are there",
                              c->seen, count),
                  what, &why);
}

static void check_step_end(scan *c, kv_db db)
{
    const store_totals *const t = &c->totals;
    const uint64_t chunks =
        t->words / LEXICON_CHUNK + (t->words % LEXICON_CHUNK != 0);

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
static bool count_parts(scan *c)
{
    store_part parts;
    kedge_error why;
    const kedge_status st = store_sum_parts(c->txn, &c->totals, &parts, &why);

    if (st == KEDGE_ENOTFOUND)
        scan_note(c, st, "parts", &why);
    if (st != KEDGE_OK)
        return false;
    c->counts->documents += parts.documents;
    c->counts->tokens += parts.tokens;
    c->counts->nonzeros += parts.nonzeros;
    return true;
}

static void compare_totals(scan *c)
{
    const store_totals *const t = &c->totals;
    const store_scanned *const n = c->counts;
    kedge_error why;

    if (!count_parts(c))
        return;
    if (t->documents != n->documents || t->tokens != n->tokens ||
        t->nonzeros != n->nonzeros)
        scan_note(c, scan_damage(&why,
                       "%" PRIu64 " documents, %" PRIu64 " tokens, %" PRIu64
                       " non-zeros; counted were %" PRIu64 ", %" PRIu64
                       ", %" PRIu64, t->documents, t->tokens, t->nonzeros,
                       n->documents, n->tokens, n->nonzeros),
             "the totals", &why);
}

static bool is_over(const scan *c)
{
    return c->st != KEDGE_OK || c->stopped;
}

static kedge_status walk_all(scan *c, kedge_error *err)
{
    kedge_status st = KEDGE_OK;

    TRY(count_all(c, err));
    (void)goes_on(c, ASK_BYTES); /* from the beginning */
    for (size_t i = 0; i < DB_COUNT && !is_over(c); i++) {
        visitor v = {c, steps[i].check};
        c->seen = 0;
        TRY(kv_walk(c->txn, steps[i].db, visit, &v, err));
        if (!is_over(c))
            check_step_end(c, steps[i].db);
    }
    if (!is_over(c) && c->hits != c->counts->ids)
        TRY(census_find_strays(c, err));
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
    mem_free(c.views);
    mem_free(c.strays);
    return st;
}
