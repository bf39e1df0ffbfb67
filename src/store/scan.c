/* SPDX-License-Identifier: MIT */
/*
 * Every record of every database, decoded and held against what it refers to.
 *
 * A record is checked by the functions that read it elsewhere. Limits come from
 * the totals, which are read first. Each document that is there and has an id
 * is looked up under it, and such hits are counted: when there are as many as
 * ids, every id leads to its document. Only when there are fewer are the ids
 * gone through in batches, sorted by block, to find those that lead nowhere.
 */
#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/mem.h"
#include "store/ids.h"
#include "store/ledger.h"
#include "store/lexicon.h"
#include "store/lists.h"
#include "store/stored_model.h"

enum { WHAT_SIZE = 128, BATCH_IDS = 1 << 18 };

/* A view, as far as its rows go by it. */
typedef struct shape {
    uint32_t rows;
    uint64_t words, width;
} shape;

/* An id on its way to its document. */
typedef struct stray {
    uint64_t block, position, place;
} stray;

typedef struct scan {
    store *s;
    bool (*found)(void *data, const char *what, const kedge_error *why);
    void *data;
    store_scanned *counts;
    kedge_status st;     /* not OK: the scan cannot go on */
    kedge_error failure; /* its text */
    bool stopped;        /* by `found` */
    store_totals totals; /* no limits where they cannot be read */
    bool has_totals;
    bool recounted; /* every document could be counted */
    uint64_t seen;  /* records of the database that is walked */
    uint64_t hits;  /* documents that were found under their ids */
    store_block block;
    docs batch;
    store_gone gone, others;
    int64_t *values; /* of a chunk of rows */
    size_t values_capacity;
    shape *views;
    size_t view_count, view_capacity;
    store_list list;
    stray *strays;
    size_t stray_count;
} scan;

/* Checks one record; names it in `what`. */
typedef kedge_status (*checker)(scan *c, const env_value *v, char *what,
                                kedge_error *why);

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
static bool note(scan *c, kedge_status st, const char *what,
                 const kedge_error *why)
{
    if (is_damage(st) || st == KEDGE_ENOTFOUND) {
        c->counts->damaged++;
        c->stopped = !c->found(c->data, what, why);
    } else if (st != KEDGE_OK) {
        c->st = st;
        c->failure = *why;
    }
    return c->st == KEDGE_OK && !c->stopped;
}

KEDGE_PRINTF(2, 3)
static kedge_status damage(kedge_error *why, const char *format, ...)
{
    va_list list;

    va_start(list, format);
    vsnprintf(why->text, sizeof why->text, format, list);
    va_end(list);
    return KEDGE_ECORRUPT;
}

static kedge_status key_is(const env_value *v, size_t size, kedge_error *why)
{
    return v->key_size == size ? KEDGE_OK
                               : damage(why, "its key has %zu bytes, not %zu",
                                        v->key_size, size);
}

static kedge_status below(uint64_t number, uint64_t limit, const char *what,
                          kedge_error *why)
{
    return number < limit ? KEDGE_OK
                          : damage(why, "its %s is %" PRIu64 ", there are "
                                   "%" PRIu64, what, number, limit);
}

/* ---- totals -------------------------------------------------------------- */

static void forget_totals(scan *c)
{
    c->totals = (store_totals){
        .words = UINT64_MAX, .blocks = UINT64_MAX, .sources = UINT64_MAX,
        .removals = UINT64_MAX,
    };
}

static kedge_status check_meta(scan *c, const env_value *v, char *what,
                               kedge_error *why)
{
    kedge_status st = KEDGE_OK;

    snprintf(what, WHAT_SIZE, "a record of the store itself");
    TRY(key_is(v, 1, why));
    if (v->key[0] == META_FORMAT) {
        snprintf(what, WHAT_SIZE, "record of the format");
        TRY(ledger_check_format(c->s, why));
    } else if (v->key[0] == META_TOTALS) {
        snprintf(what, WHAT_SIZE, "record of the totals");
        TRY(store_get_totals(c->s, &c->totals, why));
        c->has_totals = true;
    } else {
        TRY(damage(why, "its key is %u", v->key[0]));
    }
out:
    return st;
}

/* ---- documents ----------------------------------------------------------- */

/* Documents per block come from the head, without decoding. */
static kedge_status block_documents(scan *c, uint64_t block, uint32_t *count,
                                    kedge_error *why)
{
    kedge_status st = KEDGE_OK;
    const uint8_t *bytes;
    frame_head head;
    size_t size;

    TRY(store_get_block(c->s, block, &bytes, &size, why));
    TRY(frame_peek(bytes, size, "KBLK", "its block", &head, why));
    *count = head.y;
out:
    return st;
}

/* Takes what is gone out of the batch, which is all of a block. Where that
 * cannot be told, the list's own check says so. */
static kedge_status drop_gone(scan *c, uint64_t number, kedge_error *why)
{
    const kedge_status st = store_get_gone(c->s, number, &c->gone, why);

    if (st == KEDGE_OK && c->gone.count > 0 &&
        c->gone.index[c->gone.count - 1] >= c->batch.count) {
        c->recounted = false;
        return KEDGE_OK;
    }
    if (st == KEDGE_OK)
        docs_drop(&c->batch, 0, c->gone.index, c->gone.count);
    if (is_damage(st))
        c->recounted = false;
    return pass_over(st);
}

/* The block's documents, without those that are gone. */
static kedge_status load_block(scan *c, uint64_t number, uint32_t *source,
                               kedge_error *why)
{
    kedge_status st = KEDGE_OK;
    const uint8_t *bytes;
    size_t size;

    docs_clear(&c->batch);
    TRY(store_get_block(c->s, number, &bytes, &size, why));
    TRY(store_block_decode(&c->block, number, bytes, size, source, &c->batch,
                           why));
out:
    return st;
}

static kedge_status check_words_of(const scan *c, kedge_error *why)
{
    for (size_t i = 0; i < c->batch.count; i++) {
        const size_t end = c->batch.start[i + 1];
        if (end > c->batch.start[i] &&
            c->batch.word[end - 1] >= c->totals.words)
            return damage(why, "document %" PRIu64 " has word %u, there are "
                          "%" PRIu64, c->batch.position[i],
                          c->batch.word[end - 1], c->totals.words);
    }
    return KEDGE_OK;
}

/* Looks every document up under its id. An id that is damaged itself is told
 * when the ids are walked. */
static kedge_status check_ids_of(scan *c, uint64_t number, kedge_error *why)
{
    uint64_t lost = 0, first = 0;

    for (size_t i = 0; i < c->batch.count; i++) {
        const span id = docs_id(&c->batch, i);
        store_place p = {0};
        kedge_status st;
        if (id.size == 0)
            continue;
        st = store_get_id(c->s, id, &p, why);
        if (st == KEDGE_OK && p.block == number &&
            p.position == c->batch.position[i]) {
            c->hits++;
        } else if (st == KEDGE_OK || st == KEDGE_ENOTFOUND) {
            first = lost++ == 0 ? c->batch.position[i] : first;
        } else if (st != KEDGE_ECORRUPT) {
            return st;
        }
    }
    return lost == 0 ? KEDGE_OK
                     : damage(why, "%" PRIu64 " documents are not found under "
                              "their ids, the first at position %" PRIu64,
                              lost, first);
}

static void count_documents(scan *c)
{
    c->counts->documents += c->batch.count;
    c->counts->nonzeros += docs_entries(&c->batch);
    for (size_t i = 0; i < c->batch.count; i++)
        c->counts->tokens += c->batch.length[i];
}

static kedge_status check_block(scan *c, const env_value *v, char *what,
                                kedge_error *why)
{
    kedge_status st = KEDGE_OK;
    uint64_t number;
    uint32_t source = 0;

    snprintf(what, WHAT_SIZE, "a block");
    TRY(key_is(v, 8, why));
    number = get_be64(v->key);
    snprintf(what, WHAT_SIZE, "block %" PRIu64, number);
    TRY(load_block(c, number, &source, why));
    TRY(check_words_of(c, why));
    TRY(drop_gone(c, number, why));
    count_documents(c);
    TRY(below(number, c->totals.blocks, "number", why));
    TRY(below(source, c->totals.sources, "source", why));
    TRY(check_ids_of(c, number, why));
    c->counts->blocks++;
out:
    return st;
}

static kedge_status check_gone(scan *c, const env_value *v, char *what,
                               kedge_error *why)
{
    kedge_status st = KEDGE_OK;
    uint32_t documents = 0;
    uint64_t block;

    snprintf(what, WHAT_SIZE, "a list of what is gone");
    TRY(key_is(v, 8, why));
    block = get_be64(v->key);
    snprintf(what, WHAT_SIZE, "list of what is gone from block %" PRIu64,
             block);
    TRY(store_get_gone(c->s, block, &c->gone, why));
    st = block_documents(c, block, &documents, why);
    if (st == KEDGE_ENOTFOUND)
        TRY(damage(why, "there is no block %" PRIu64, block));
    if (st == KEDGE_OK)
        TRY(below(c->gone.index[c->gone.count - 1], documents, "last document",
                  why));
    TRY(pass_over(st));
    c->counts->gone++;
out:
    return st;
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

static kedge_status check_removal(scan *c, const env_value *v, char *what,
                                  kedge_error *why)
{
    kedge_status st = KEDGE_OK;
    uint64_t number, block;

    snprintf(what, WHAT_SIZE, "a removal");
    TRY(key_is(v, 8, why));
    number = get_be64(v->key);
    snprintf(what, WHAT_SIZE, "removal %" PRIu64, number);
    TRY(store_get_removal(c->s, number, &block, &c->others, why));
    TRY(below(number, c->totals.removals, "number", why));
    st = store_get_gone(c->s, block, &c->gone, why);
    if (st == KEDGE_OK && !is_within(&c->others, &c->gone))
        TRY(damage(why, "block %" PRIu64 " still has what it took", block));
    TRY(pass_over(st));
    c->counts->removals++;
out:
    return st;
}

/* ---- ids ----------------------------------------------------------------- */

static kedge_status check_id(scan *c, const env_value *v, char *what,
                             kedge_error *why)
{
    const span id = span_of((const char *)v->key, v->key_size);
    store_place p;
    const kedge_status st = ids_read(id, v->bytes, v->size, &p, why);
    char text[IDS_SHOWN];

    ids_show(id, text);
    snprintf(what, WHAT_SIZE, "id \"%s\"", text);
    c->counts->ids += st == KEDGE_OK;
    return st;
}

static int compare_strays(const void *a, const void *b)
{
    const stray *const x = a, *const y = b;

    if (x->block != y->block)
        return x->block < y->block ? -1 : 1;
    return x->position < y->position ? -1 : x->position > y->position;
}

/* Whether the loaded block has that document. */
static bool is_home(const scan *c, const stray *x)
{
    const docs *const d = &c->batch;
    size_t from = 0, to = d->count;

    while (from < to) {
        const size_t middle = from + (to - from) / 2;
        if (d->position[middle] < x->position)
            from = middle + 1;
        else
            to = middle;
    }
    if (from == d->count || d->position[from] != x->position)
        return false;
    const span id = docs_id(d, from);
    return id.size > 0 &&
           env_place((env_key){DB_IDS, (const uint8_t *)id.bytes, id.size}) ==
               x->place;
}

static bool note_stray(scan *c, const stray *x)
{
    kedge_error why;
    char what[WHAT_SIZE];

    snprintf(what, sizeof what, "id of position %" PRIu64 " in block %" PRIu64,
             x->position, x->block);
    return note(c, damage(&why, "it leads to no document"), what, &why);
}

/* The ids of a batch that lead nowhere; those into a damaged block are not
 * blamed. False when the scan is over. */
static bool settle_strays(scan *c)
{
    kedge_status st = KEDGE_OK;
    kedge_error why = {0};
    uint32_t source;

    qsort(c->strays, c->stray_count, sizeof *c->strays, compare_strays);
    for (size_t i = 0; i < c->stray_count; i++) {
        const stray *const x = &c->strays[i];
        if (i == 0 || x->block != x[-1].block) {
            st = load_block(c, x->block, &source, &why);
            if (st == KEDGE_OK)
                st = drop_gone(c, x->block, &why);
        }
        if (is_damage(st))
            continue;
        if (st != KEDGE_OK && st != KEDGE_ENOTFOUND)
            return note(c, st, "", &why);
        if ((st == KEDGE_ENOTFOUND || !is_home(c, x)) && !note_stray(c, x))
            return false;
    }
    c->stray_count = 0;
    return true;
}

static bool collect_stray(void *data, const env_value *v)
{
    scan *const c = data;
    const span id = span_of((const char *)v->key, v->key_size);
    kedge_error why;
    store_place p;

    if (ids_read(id, v->bytes, v->size, &p, &why) != KEDGE_OK)
        return true;
    c->strays[c->stray_count++] = (stray){
        p.block, p.position,
        env_place((env_key){DB_IDS, v->key, v->key_size}),
    };
    return c->stray_count < BATCH_IDS || settle_strays(c);
}

static kedge_status find_strays(scan *c, kedge_error *err)
{
    kedge_status st = KEDGE_OK;

    TRY_MEM(c->strays = mem_new(BATCH_IDS, sizeof *c->strays));
    TRY(env_walk(c->s, DB_IDS, collect_stray, c, err));
    if (c->st == KEDGE_OK && !c->stopped)
        settle_strays(c);
out:
    return st;
}

/* ---- vocabulary and sources ---------------------------------------------- */

/* The part that the two kinds of chunks have in common. */
static kedge_status check_chunk(scan *c, const env_value *v, const char *name,
                                char *what, kedge_error *why)
{
    kedge_status st = KEDGE_OK;
    const bool texts = strcmp(name, "words") == 0;
    uint32_t chunk, count;
    uint64_t left;

    snprintf(what, WHAT_SIZE, "a chunk of %s", name);
    TRY(key_is(v, 4, why));
    chunk = get_be32(v->key);
    snprintf(what, WHAT_SIZE, "%s chunk %u", name, chunk);
    TRY(texts ? lexicon_check_words(c->s, chunk, &count, why)
              : lexicon_check_counts(c->s, chunk, &count, why));
    if (texts)
        c->counts->words += count;
    TRY(below((uint64_t)chunk * LEXICON_CHUNK, c->totals.words, "first word",
              why));
    left = c->totals.words - (uint64_t)chunk * LEXICON_CHUNK;
    if (c->has_totals && count != (left < LEXICON_CHUNK ? left : LEXICON_CHUNK))
        TRY(damage(why, "it has %u words", count));
out:
    return st;
}

static kedge_status check_words(scan *c, const env_value *v, char *what,
                                kedge_error *why)
{
    return check_chunk(c, v, "words", what, why);
}

static kedge_status check_counts(scan *c, const env_value *v, char *what,
                                 kedge_error *why)
{
    return check_chunk(c, v, "counts", what, why);
}

static kedge_status check_source(scan *c, const env_value *v, char *what,
                                 kedge_error *why)
{
    kedge_status st = KEDGE_OK;
    store_source source;
    uint64_t number;

    snprintf(what, WHAT_SIZE, "a source");
    TRY(key_is(v, 8, why));
    number = get_be64(v->key);
    snprintf(what, WHAT_SIZE, "source %" PRIu64, number);
    TRY(store_get_source_record(c->s, number, &source, why));
    TRY(below(number, c->totals.sources, "number", why));
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
            store_get_rows(c->s, v->rows, i, &bytes, &size, why);
        if (st == KEDGE_ENOTFOUND)
            return damage(why, "chunk %" PRIu64 " of its sketch is gone", i);
        if (pass_over(st) != KEDGE_OK)
            return st;
    }
    return KEDGE_OK;
}

static kedge_status check_its_list(scan *c, uint32_t number,
                                   const store_view *v, kedge_error *why)
{
    const kedge_status st = store_get_list(c->s, number, &c->list, why);

    if (st == KEDGE_ENOTFOUND)
        return damage(why, "its list of words is gone");
    if (st == KEDGE_OK && c->list.count != v->words)
        return damage(why, "its list has %zu words, not %" PRIu64,
                      c->list.count, v->words);
    return st;
}

static kedge_status check_view(scan *c, const env_value *v, char *what,
                               kedge_error *why)
{
    kedge_status st = KEDGE_OK;
    store_view view;
    uint32_t number;

    snprintf(what, WHAT_SIZE, "a view");
    TRY(key_is(v, 4, why));
    number = get_be32(v->key);
    snprintf(what, WHAT_SIZE, "view %u", number);
    TRY(store_get_view_record(c->s, number, &view, why));
    if (view.words > c->totals.words || view.blocks > c->totals.blocks ||
        view.removals > c->totals.removals)
        TRY(damage(why, "it is of more than there is"));
    if (!mem_grow((void **)&c->views, &c->view_capacity, c->view_count + 1,
                  sizeof *c->views))
        TRY(kedge_fail(why, KEDGE_ENOMEM, "out of memory (views)"));
    c->views[c->view_count++] = (shape){view.rows, view.words, view.width};
    if (view.listed)
        TRY(check_its_list(c, number, &view, why));
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
            return damage(why, "it has %u rows of %u, which its view has not",
                          head->x, head->y);
    }
    return KEDGE_OK;
}

static kedge_status check_rows(scan *c, const env_value *v, char *what,
                               kedge_error *why)
{
    kedge_status st = KEDGE_OK;
    uint32_t number, chunk;
    const uint8_t *bytes;
    frame_head head;
    size_t size;

    snprintf(what, WHAT_SIZE, "a sketch chunk");
    TRY(key_is(v, 8, why));
    number = get_be32(v->key);
    chunk = get_be32(v->key + 4);
    snprintf(what, WHAT_SIZE, "sketch chunk %u under number %u", chunk, number);
    TRY(store_get_rows(c->s, number, chunk, &bytes, &size, why));
    TRY(frame_peek(bytes, size, "KROW", what, &head, why));
    if (head.x > STORE_CHUNK_ROWS || head.y > 8192 || head.z != 0 ||
        head.extra != get_be64(v->key))
        TRY(damage(why, "its head has %u rows of %u", head.x, head.y));
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

/* That the chunks are one list is checked with its view. */
static kedge_status check_list(scan *c, const env_value *v, char *what,
                               kedge_error *why)
{
    kedge_status st = KEDGE_OK;
    uint32_t view, chunk;
    uint64_t whole;
    store_view record;

    snprintf(what, WHAT_SIZE, "a list of words");
    TRY(key_is(v, 8, why));
    view = get_be32(v->key);
    chunk = get_be32(v->key + 4);
    snprintf(what, WHAT_SIZE, "chunk %u of the list of view %u", chunk, view);
    c->list.count = 0;
    TRY(lists_get_chunk(c->s, view, chunk, &c->list, &whole, why));
    if (c->list.count > 0)
        TRY(below(c->list.ids[c->list.count - 1], c->totals.words, "last word",
                  why));
    st = store_get_view_record(c->s, view, &record, why);
    if (st == KEDGE_ENOTFOUND || (st == KEDGE_OK && !record.listed))
        TRY(damage(why, "no view has it"));
    TRY(pass_over(st));
    c->counts->lists++;
out:
    return st;
}

/* ---- models -------------------------------------------------------------- */

static kedge_status check_model(scan *c, const env_value *v, char *what,
                                kedge_error *why)
{
    kedge_status st = KEDGE_OK;
    const uint8_t *header;
    char name[64];
    size_t size;

    snprintf(what, WHAT_SIZE, "a model");
    if (v->key_size == 0 || v->key_size >= sizeof name ||
        memchr(v->key, 0, v->key_size) != NULL)
        TRY(damage(why, "its name has %zu bytes", v->key_size));
    memcpy(name, v->key, v->key_size);
    name[v->key_size] = 0;
    snprintf(what, WHAT_SIZE, "model \"%s\"", name);
    TRY(store_get_model_header(c->s, name, &header, &size, why));
    c->counts->models++;
out:
    return st;
}

static kedge_status check_array(scan *c, const env_value *v, char *what,
                                kedge_error *why)
{
    kedge_status st = KEDGE_OK;
    const uint8_t *header;
    size_t size;

    snprintf(what, WHAT_SIZE, "an array");
    TRY(stored_array_check(c->s, v->key, v->key_size, what, why));
    st = store_get_model_header(c->s, (const char *)v->key, &header, &size,
                                why);
    if (st == KEDGE_ENOTFOUND)
        TRY(damage(why, "there is no such model"));
    TRY(pass_over(st));
    c->counts->arrays++;
out:
    return st;
}

/* ---- all of it ----------------------------------------------------------- */

/* One database after the other: what is referred to comes first. */
static const struct step {
    env_db db;
    checker check;
} steps[] = {
    {DB_META, check_meta},         {DB_SOURCES, check_source},
    {DB_BLOCKS, check_block},      {DB_GONE, check_gone},
    {DB_REMOVALS, check_removal},  {DB_IDS, check_id},
    {DB_WORDS, check_words},       {DB_COUNTS, check_counts},
    {DB_VIEWS, check_view},        {DB_LISTS, check_list},
    {DB_ROWS, check_rows},         {DB_MODELS, check_model},
    {DB_ARRAYS, check_array},
};

static_assert(sizeof steps / sizeof *steps == DB_COUNT, "each database");

typedef struct visitor {
    scan *c;
    checker check;
} visitor;

static bool visit(void *data, const env_value *v)
{
    const visitor *const step = data;
    scan *const c = step->c;
    char what[WHAT_SIZE] = "";
    kedge_error why = {0};
    const kedge_status st = step->check(c, v, what, &why);

    c->seen++;
    c->counts->records++;
    if (st != KEDGE_OK && step->check == check_block)
        c->recounted = false;
    return note(c, st, what, &why);
}

/* Records that the totals promise. */
static void expect(scan *c, const char *what, uint64_t count)
{
    kedge_error why;

    if (c->seen < count)
        note(c, damage(&why, "%" PRIu64 " of %" PRIu64 " are there", c->seen,
                       count), what, &why);
}

static void check_step_end(scan *c, env_db db)
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
    if (db == DB_SOURCES)
        expect(c, "sources", t->sources);
    if (db == DB_WORDS)
        expect(c, "chunks of words", chunks);
    if (db == DB_COUNTS)
        expect(c, "chunks of counts", chunks);
}

static void compare_totals(scan *c)
{
    const store_totals *const t = &c->totals;
    const store_scanned *const n = c->counts;
    kedge_error why;

    if (t->documents != n->documents || t->tokens != n->tokens ||
        t->nonzeros != n->nonzeros)
        note(c, damage(&why,
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

    for (size_t i = 0; i < DB_COUNT && !is_over(c); i++) {
        visitor v = {c, steps[i].check};
        c->seen = 0;
        TRY(env_walk(c->s, steps[i].db, visit, &v, err));
        if (!is_over(c))
            check_step_end(c, steps[i].db);
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

kedge_status store_scan(store *s,
                        bool (*found)(void *data, const char *what,
                                      const kedge_error *why),
                        void *data, store_scanned *counts, kedge_error *err)
{
    scan c = {
        .s = s, .found = found, .data = data, .counts = counts,
        .recounted = true,
    };
    kedge_status st;

    *counts = (store_scanned){0};
    st = walk_all(&c, err);
    store_block_free(&c.block);
    docs_free(&c.batch);
    store_gone_free(&c.gone);
    store_gone_free(&c.others);
    store_list_free(&c.list);
    mem_free(c.values);
    mem_free(c.views);
    mem_free(c.strays);
    return st;
}
