/* SPDX-License-Identifier: MIT */
/*
 * Documents, what is gone of them, and their ids.
 *
 * Each document that is there and has an id is looked up under it, and such
 * hits are counted: when there are as many as ids, every id leads to its
 * document. Only when there are fewer are the ids gone through in batches,
 * sorted by block, to find those that lead nowhere.
 */
#include "store/census.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/compare.h"
#include "base/mem.h"
#include "store/block.h"
#include "store/ids.h"

enum { BATCH_IDS = 1 << 18 };

/* ---- documents ----------------------------------------------------------- */

/* Takes what is gone out of the batch, which is all of a block. Where that
 * cannot be told, the list's own check says so. */
static kedge_status drop_gone(scan *c, uint64_t number, kedge_error *why)
{
    const kedge_status st = store_get_gone(c->txn, number, &c->gone, why);

    if (st == KEDGE_OK)
        docs_drop(&c->batch, 0, c->gone.index, c->gone.count);
    if (scan_is_damage(st))
        c->recounted = false;
    return scan_pass_over(st);
}

/* The block's documents, without those that are gone. */
static kedge_status load_block(scan *c, uint64_t number, uint32_t *source,
                               kedge_error *why)
{
    docs_clear(&c->batch);
    return store_read_block(c->txn, number, &c->block, NULL, source, &c->batch,
                            why);
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
        st = store_get_id(c->txn, id, &p, why);
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
                     : scan_damage(why,
                                   "%" PRIu64 " documents are not found under "
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

kedge_status census_check_block(scan *c, const kv_value *v, char *what,
                                kedge_error *why)
{
    kedge_status st = KEDGE_OK;
    uint64_t number;
    uint32_t source = 0;

    TRY(scan_number(v, (scan_kind){8, "a block", "block"}, what, &number, why));
    TRY(load_block(c, number, &source, why));
    c->ordered += block_has_order(&c->block);
    TRY(drop_gone(c, number, why));
    count_documents(c);
    TRY(check_ids_of(c, number, why));
    c->counts->blocks++;
out:
    return st;
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

static kedge_status check_tallies(const docs *d, kedge_error *why)
{
    uint32_t *const tally = mem_new(docs_entries(d), sizeof *tally);
    kedge_status st = KEDGE_OK;

    if (tally == NULL)
        return kedge_fail(why, KEDGE_ENOMEM, "out of memory (documents)");
    if (!order_agrees(d, tally))
        st = scan_damage(why, "it does not have the words of its documents");
    mem_free(tally);
    return st;
}

kedge_status census_check_order(scan *c, const kv_value *v, char *what,
                                kedge_error *why)
{
    kedge_status st = KEDGE_OK;
    uint32_t source;
    uint64_t block;
    span record;

    TRY(scan_number(
        v, (scan_kind){8, "an order of words", "order of words of block"}, what,
        &block, why));
    st = load_block(c, block, &source, why);
    if (st == KEDGE_ENOTFOUND)
        TRY(scan_damage(why, "there is no block %" PRIu64, block));
    TRY(scan_pass_over(st));
    if (st == KEDGE_OK) {
        TRY(store_get_order(c->txn, block, &record, why));
        TRY(store_order_decode(&c->order, &c->block, block, record, &c->batch,
                               0, why));
        TRY(check_tallies(&c->batch, why));
    }
    c->counts->orders++;
out:
    return st;
}

kedge_status census_check_gone(scan *c, const kv_value *v, char *what,
                               kedge_error *why)
{
    kedge_status st = KEDGE_OK;
    uint32_t documents = 0;
    uint64_t block;

    TRY(scan_number(v,
                    (scan_kind){8, "a list of what is gone",
                                "list of what is gone from block"},
                    what, &block, why));
    TRY(store_get_gone(c->txn, block, &c->gone, why));
    st = block_documents(c->txn, block, &documents, why);
    if (st == KEDGE_ENOTFOUND)
        TRY(scan_damage(why, "there is no block %" PRIu64, block));
    TRY(scan_pass_over(st));
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

kedge_status census_check_removal(scan *c, const kv_value *v, char *what,
                                  kedge_error *why)
{
    kedge_status st = KEDGE_OK;
    uint64_t number, block;

    TRY(scan_number(v, (scan_kind){8, "a removal", "removal"}, what, &number,
                    why));
    TRY(store_get_removal(c->txn, number, &block, &c->others, why));
    TRY(scan_below(number, c->totals.removals, "number", why));
    st = store_get_gone(c->txn, block, &c->gone, why);
    if (st == KEDGE_OK && !is_within(&c->others, &c->gone))
        TRY(scan_damage(why, "block %" PRIu64 " still has what it took",
                        block));
    TRY(scan_pass_over(st));
    c->counts->removals++;
out:
    return st;
}

/* ---- ids ----------------------------------------------------------------- */

kedge_status census_check_id(scan *c, const kv_value *v, char *what,
                             kedge_error *why)
{
    const span id = span_of((const char *)v->key, v->key_size);
    store_place p;
    const kedge_status st = ids_read(id, v->bytes, v->size, &p, why);
    char text[IDS_SHOWN];

    ids_show(id, text);
    snprintf(what, SCAN_WHAT, "id \"%s\"", text);
    c->counts->ids += st == KEDGE_OK;
    return st;
}

static int compare_strays(const void *a, const void *b)
{
    const stray *const x = a, *const y = b;

    return x->block != y->block ? compare_numbers(x->block, y->block)
                                : compare_numbers(x->position, y->position);
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
    return id.size > 0 && kv_place((kv_key){DB_IDS, (const uint8_t *)id.bytes,
                                            id.size}) == x->place;
}

static bool note_stray(scan *c, const stray *x)
{
    kedge_error why;
    char what[SCAN_WHAT];

    snprintf(what, sizeof what, "id of position %" PRIu64 " in block %" PRIu64,
             x->position, x->block);
    return scan_note(c, scan_damage(&why, "it leads to no document"), what,
                     &why);
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
        if (scan_is_damage(st))
            continue;
        if (st != KEDGE_OK && st != KEDGE_ENOTFOUND)
            return scan_note(c, st, "", &why);
        if ((st == KEDGE_ENOTFOUND || !is_home(c, x)) && !note_stray(c, x))
            return false;
    }
    c->stray_count = 0;
    return true;
}

static bool collect_stray(void *data, const kv_value *v)
{
    scan *const c = data;
    const span id = span_of((const char *)v->key, v->key_size);
    kedge_error why;
    store_place p;

    if (ids_read(id, v->bytes, v->size, &p, &why) != KEDGE_OK)
        return true;
    c->strays[c->stray_count++] = (stray){
        p.block,
        p.position,
        kv_place((kv_key){DB_IDS, v->key, v->key_size}),
    };
    return c->stray_count < BATCH_IDS || settle_strays(c);
}

kedge_status census_find_strays(scan *c, kedge_error *err)
{
    kedge_status st = KEDGE_OK;

    TRY_MEM(c->strays = mem_new(BATCH_IDS, sizeof *c->strays));
    TRY(kv_walk(c->txn, DB_IDS, collect_stray, c, err));
    if (c->st == KEDGE_OK && !c->stopped)
        settle_strays(c);
out:
    return st;
}
