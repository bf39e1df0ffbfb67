/* SPDX-License-Identifier: MIT */
#include "ops/ingest/dedupe.h"

#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/fail.h"
#include "base/mem.h"
#include "ops/index/filter.h"

void dedupe_free(dedupe *d)
{
    words_free(&d->ids);
    wordmap_close(&d->seen);
    mem_free(d->known);
    mem_free(d->of);
    mem_free(d->leaves);
    mem_free(d->out);
    mem_free(d->old);
    numberset_free(&d->contents);
}

/* ---- contents ------------------------------------------------------------ */

static uint64_t content_of(const dedupe *d, const docs *batch, size_t m)
{
    return digest_document(d->digests, batch, m);
}

static kedge_status content_add(dedupe *d, uint64_t content, kedge_error *err)
{
    return !d->by_content || numberset_add(&d->contents, content)
               ? KEDGE_OK
               : kedge_fail(err, KEDGE_ENOMEM, "out of memory (contents)");
}

static void content_take(dedupe *d, uint64_t content)
{
    if (d->by_content)
        numberset_remove(&d->contents, content);
}

kedge_status dedupe_learn(dedupe *d, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    filter all = {0}; /* all words */
    store_totals totals;
    docs batch = {0};
    uint64_t next = 0;

    TRY(store_begin_read(d->s, &d->txn, err));
    TRY(store_get_totals(d->txn, &totals, err));
    while (filter_next(&all, d->txn, &next, totals.blocks, &batch, &st, err))
        for (size_t m = 0; m < batch.count; m++)
            TRY(content_add(d, content_of(d, &batch, m), err));
out:
    store_abort(&d->txn);
    filter_close(&all);
    docs_free(&batch);
    return st;
}

/* ---- ids ----------------------------------------------------------------- */

/* What has document m's id; NULL: it has none. */
static known_id *known_of(const dedupe *d, size_t m)
{
    return docs_id(&d->batch->docs, m).size > 0 ? &d->known[d->of[m]] : NULL;
}

/* The ids of the batch, and which of them the store has. */
static kedge_status look_up_ids(dedupe *d, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const docs *const batch = &d->batch->docs;

    words_free(&d->ids);
    wordmap_close(&d->seen);
    TRY_MEM(wordmap_open(&d->seen, &d->ids));
    TRY_GROW(d->of, d->of_capacity, batch->count);
    for (size_t m = 0; m < batch->count; m++) {
        const span id = docs_id(batch, m);
        const size_t before = d->ids.count;
        known_id *k;
        if (id.size == 0)
            continue;
        TRY_MEM(wordmap_add(&d->seen, id, &d->of[m]));
        TRY_GROW(d->known, d->known_capacity, d->ids.count);
        if (d->ids.count == before)
            continue;
        k = &d->known[d->of[m]];
        *k = (known_id){.latest = SIZE_MAX};
        st = store_get_id(d->txn, id, &k->at, err);
        k->stored = st == KEDGE_OK;
        if (st != KEDGE_ENOTFOUND)
            TRY(st);
        st = KEDGE_OK;
    }
out:
    return st;
}

static int known_compare(const void *left, const void *right)
{
    const known_id *const *a = left, *const *b = right;

    return store_place_compare(&(*a)->at, &(*b)->at);
}

/* Contents of the stored documents of one block, from `from` on; *end is the
 * first of another. */
static kedge_status read_block(const dedupe *d, known_id **from, size_t count,
                               size_t *end, store_block *scratch, docs *batch,
                               kedge_error *err)
{
    const uint64_t block = from[0]->at.block;
    uint32_t source;
    size_t k = 0;

    docs_clear(batch);
    PASS(store_read_block(d->txn, block, scratch, NULL, &source, batch, err));
    for (size_t m = 0; m < batch->count; m++)
        if (k < count && from[k]->at.block == block &&
            from[k]->at.position == batch->position[m])
            from[k++]->content = content_of(d, batch, m);
    if (k == 0 || (k < count && from[k]->at.block == block))
        return kedge_fail(err, KEDGE_ECORRUPT,
                          "block %llu has no document %llu, which an id names",
                          (unsigned long long)block,
                          (unsigned long long)from[k]->at.position);
    *end = k;
    return KEDGE_OK;
}

/* Of the stored documents that have ids of the batch. */
static kedge_status read_contents(dedupe *d, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    known_id **stored = NULL;
    store_block scratch = {0};
    docs batch = {0};
    size_t count = 0, end = 0;

    TRY_MEM(stored = mem_new(d->ids.count, sizeof *stored));
    for (size_t k = 0; k < d->ids.count; k++)
        if (d->known[k].stored)
            stored[count++] = &d->known[k];
    if (count > 0)
        qsort(stored, count, sizeof *stored, known_compare);
    for (size_t k = 0; k < count; k += end)
        TRY(read_block(d, stored + k, count - k, &end, &scratch, &batch, err));
out:
    docs_free(&batch);
    store_block_free(&scratch);
    mem_free(stored);
    return st;
}

/* ---- what becomes of a document ------------------------------------------ */

static const batch_part *part_of(const dedupe *d, size_t m)
{
    size_t p = d->batch->parts;

    while (p > 1 && d->batch->part[p - 1].first > m)
        p--;
    return &d->batch->part[p - 1];
}

/* Says where the document is that has its id. */
static kedge_status refuse(const dedupe *d, size_t m, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const docs *const batch = &d->batch->docs;
    const known_id *const k = known_of(d, m);
    const batch_part *const part = part_of(d, m);
    const span id = docs_id(batch, m);
    const int size = (int)(id.size < 80 ? id.size : 80);
    uint64_t position = k->at.position;
    store_block scratch = {0};
    store_source record = {0};
    docs there = {0};
    uint32_t source;

    if (k->latest == SIZE_MAX) {
        TRY(store_read_block(d->txn, k->at.block, &scratch, NULL, &source,
                             &there, err));
        TRY(store_get_source_record(d->txn, source, &record, err));
    } else {
        record = part_of(d, k->latest)->record;
        position = batch->position[k->latest];
    }
    if (part->by_id)
        st = kedge_fail(err, KEDGE_EFORMAT,
                        "%.255s/%.*s: the store has another document with this "
                        "id, from %.255s; use --on-duplicate skip or replace",
                        part->record.name, size, id.bytes, record.name);
    else
        st = kedge_fail(err, KEDGE_EFORMAT,
                        "%.255s:%llu: the store has document \"%.*s\" already, "
                        "from %.255s:%llu; use --on-duplicate skip or replace",
                        part->record.name,
                        (unsigned long long)batch->position[m], size, id.bytes,
                        record.name, (unsigned long long)position);
out:
    docs_free(&there);
    store_block_free(&scratch);
    return st;
}

/* Whether some document of the store, or of the batch before m, has m's id. */
static bool is_there(const known_id *k)
{
    return k != NULL && (k->latest != SIZE_MAX || k->stored);
}

/* The document that has the id leaves the batch or the store. */
static kedge_status make_room(dedupe *d, known_id *k, kedge_error *err)
{
    kedge_status st = KEDGE_OK;

    if (k->latest != SIZE_MAX) {
        d->leaves[k->latest] = true;
        if (d->by_content)
            content_take(d, content_of(d, &d->batch->docs, k->latest));
        k->latest = SIZE_MAX;
    }
    if (k->stored) {
        TRY_GROW(d->old, d->old_capacity, d->olds + 1);
        d->old[d->olds++] = k->at;
        content_take(d, k->content);
        k->stored = false;
    }
    d->replaced++;
out:
    return st;
}

/* Whether the document that has m's id has its words as well. */
static bool is_unchanged(const dedupe *d, size_t m, const known_id *k)
{
    const docs *const batch = &d->batch->docs;
    const uint64_t content = content_of(d, batch, m);

    if (k->latest != SIZE_MAX)
        return content_of(d, batch, k->latest) == content;
    return k->stored && k->content == content;
}

static kedge_status look_at(dedupe *d, size_t m, bool by_id, kedge_error *err)
{
    const docs *const batch = &d->batch->docs;
    const bool empty = batch->start[m] == batch->start[m + 1];
    const uint64_t content = d->by_content ? content_of(d, batch, m) : 0;
    known_id *const k = known_of(d, m);

    d->leaves[m] = true;
    if (by_id && is_unchanged(d, m, k)) {
        d->unchanged++;
        return KEDGE_OK;
    }
    if (d->rule == KEDGE_DUPLICATE_REPLACE && is_there(k)) {
        d->emptied += empty;
        PASS(make_room(d, k, err));
    }
    if (empty)
        return KEDGE_OK;
    if (d->by_content && numberset_has(&d->contents, content)) {
        d->same++;
        return KEDGE_OK;
    }
    if (is_there(k)) {
        if (d->rule == KEDGE_DUPLICATE_ERROR)
            return refuse(d, m, err);
        d->skipped++;
        return KEDGE_OK;
    }
    PASS(content_add(d, content, err));
    if (k != NULL)
        k->latest = m;
    d->leaves[m] = false;
    return KEDGE_OK;
}

bool dedupe_has_folder(const doc_batch *b)
{
    for (size_t p = 0; p < b->parts; p++)
        if (b->part[p].by_id)
            return true;
    return false;
}

/* One document after the other. Where one is refused, what came before its part
 * can be stored. */
static kedge_status look_at_all(dedupe *d, kedge_error *err)
{
    const doc_batch *const b = d->batch;
    size_t left = 0, part = 0;
    uint64_t same = d->same; /* before the part */

    for (size_t m = 0; m < b->docs.count; m++) {
        kedge_status st;
        if (left < b->lefts && b->left[left] == m) {
            left++;
            d->leaves[m] = true;
            continue;
        }
        while (part + 1 < b->parts && b->part[part + 1].first <= m) {
            part++;
            same = d->same;
        }
        st = look_at(d, m, b->part[part].by_id, &d->why);
        if (st == KEDGE_EFORMAT && part > 0) {
            d->refused = true;
            d->refused_part = part;
            d->same = same;
            for (m = b->part[part].first; m < b->docs.count; m++)
                d->leaves[m] = true;
            break;
        }
        if (st != KEDGE_OK && err != NULL)
            *err = d->why;
        PASS(st);
    }
    return KEDGE_OK;
}

kedge_status dedupe_check(dedupe *d, const doc_batch *b, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const size_t count = b->docs.count;

    d->batch = b;
    d->outs = d->olds = 0;
    TRY_GROW(d->leaves, d->leave_capacity, count + 1);
    TRY_GROW(d->out, d->out_capacity, count + 1);
    memset(d->leaves, 0, count * sizeof *d->leaves);
    TRY(store_begin_read(d->s, &d->txn, err));
    TRY(look_up_ids(d, err));
    if ((d->by_content && d->rule == KEDGE_DUPLICATE_REPLACE) ||
        dedupe_has_folder(b))
        TRY(read_contents(d, err));
    TRY(look_at_all(d, err));
    for (size_t m = 0; m < count; m++)
        if (d->leaves[m])
            d->out[d->outs++] = (uint32_t)m;
out:
    store_abort(&d->txn);
    return st;
}

/* ---- replacing ----------------------------------------------------------- */

/* Those of one block, rising. */
typedef struct places {
    const store_place *at;
    size_t count;
} places;

static bool places_have(void *data, const docs *d, size_t m, uint32_t source)
{
    const places *const p = data;
    const store_place key = {p->at->block, d->position[m]};

    (void)source;
    return bsearch(&key, p->at, p->count, sizeof key, store_place_compare) !=
           NULL;
}

kedge_status dedupe_replace(dedupe *d, removal *r, kedge_error *err)
{
    if (d->olds > 0)
        qsort(d->old, d->olds, sizeof *d->old, store_place_compare);
    for (size_t k = 0; k < d->olds;) {
        places p = {d->old + k, 1};
        while (k + p.count < d->olds && p.at[p.count].block == p.at->block)
            p.count++;
        PASS(removal_take(r, p.at->block, places_have, &p, err));
        k += p.count;
    }
    d->olds = 0;
    return KEDGE_OK;
}
