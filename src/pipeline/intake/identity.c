/* SPDX-License-Identifier: MIT */
#include "pipeline/intake/identity.h"

#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/fail.h"
#include "base/mem.h"
#include "pipeline/views/lens.h"

void identity_free(identity *i)
{
    words_free(&i->ids);
    wordmap_close(&i->seen);
    mem_free(i->known);
    mem_free(i->of);
    mem_free(i->out);
    mem_free(i->old);
    numberset_free(&i->contents);
}

/* ---- contents ------------------------------------------------------------ */

static kedge_status identity_note(identity *i, uint64_t content,
                                  kedge_error *err)
{
    return !i->dedupe || numberset_add(&i->contents, content)
               ? KEDGE_OK
               : kedge_fail(err, KEDGE_ENOMEM, "out of memory (contents)");
}

static void identity_forget(identity *i, uint64_t content)
{
    if (i->dedupe)
        numberset_take(&i->contents, content);
}

static uint64_t identity_content(const identity *i, const docs *batch,
                                 size_t m)
{
    return i->dedupe ? digest_document(i->digests, batch, m) : 0;
}

static kedge_status identity_learn_block(identity *i, lens *l, uint64_t block,
                                         docs *batch, kedge_error *err)
{
    kedge_status st = KEDGE_OK;

    docs_clear(batch);
    TRY(lens_read(l, i->txn, block, batch, err));
    for (size_t m = 0; m < batch->count; m++)
        TRY(identity_note(i, digest_document(i->digests, batch, m), err));
out:
    return st;
}

kedge_status identity_learn(identity *i, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    lens all = {0}; /* all words */
    store_totals totals;
    docs batch = {0};

    TRY(store_begin_read(i->s, &i->txn, err));
    TRY(store_get_totals(i->txn, &totals, err));
    for (uint64_t b = 0;; b++) {
        TRY(store_next_block(i->txn, b, totals.blocks, &b, err));
        if (b == totals.blocks)
            break;
        TRY(identity_learn_block(i, &all, b, &batch, err));
    }
out:
    store_abort(&i->txn);
    lens_close(&all);
    docs_free(&batch);
    return st;
}

/* ---- ids ----------------------------------------------------------------- */

/* What has document m's id, which it has. */
static known_id *identity_known(const identity *i, size_t m)
{
    return &i->known[i->of[m]];
}

/* The ids of the batch, and which of them the store has. */
static kedge_status identity_look_up(identity *i, const docs *batch,
                                     kedge_error *err)
{
    kedge_status st = KEDGE_OK;

    words_free(&i->ids);
    wordmap_close(&i->seen);
    TRY_MEM(wordmap_open(&i->seen, &i->ids) ? i : NULL);
    TRY_MEM(mem_grow((void **)&i->of, &i->of_capacity, batch->count,
                     sizeof *i->of)
                ? i
                : NULL);
    for (size_t m = 0; m < batch->count; m++) {
        const size_t known = i->ids.count;
        known_id *k;
        if (docs_id(batch, m).size == 0)
            continue;
        if (!wordmap_add(&i->seen, docs_id(batch, m), &i->of[m]) ||
            !mem_grow((void **)&i->known, &i->known_capacity, i->ids.count,
                      sizeof *i->known))
            TRY_MEM(NULL);
        if (i->ids.count == known)
            continue;
        k = identity_known(i, m);
        *k = (known_id){.latest = SIZE_MAX};
        st = store_get_id(i->txn, docs_id(batch, m), &k->at, err);
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
static kedge_status identity_read_block(const identity *i, known_id **from,
                                        size_t count, size_t *end,
                                        store_block *scratch, docs *batch,
                                        kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const uint64_t block = from[0]->at.block;
    uint32_t source;
    size_t k = 0;

    docs_clear(batch);
    TRY(store_read_block(i->txn, block, scratch, NULL, &source, batch, err));
    for (size_t m = 0; m < batch->count; m++)
        if (k < count && from[k]->at.block == block &&
            from[k]->at.position == batch->position[m])
            from[k++]->content = digest_document(i->digests, batch, m);
    if (k == 0 || (k < count && from[k]->at.block == block))
        TRY(kedge_fail(err, KEDGE_ECORRUPT,
                       "block %llu has no document %llu, which an id names",
                       (unsigned long long)block,
                       (unsigned long long)from[k]->at.position));
    *end = k;
out:
    return st;
}

/* Of the stored documents that the batch replaces. */
static kedge_status identity_read_contents(identity *i, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    known_id **stored = NULL;
    store_block scratch = {0};
    docs batch = {0};
    size_t count = 0, end;

    TRY_MEM(stored = mem_new(i->ids.count, sizeof *stored));
    for (size_t k = 0; k < i->ids.count; k++)
        if (i->known[k].stored)
            stored[count++] = &i->known[k];
    if (count > 0)
        qsort(stored, count, sizeof *stored, known_compare);
    for (size_t k = 0; k < count; k += end)
        TRY(identity_read_block(i, stored + k, count - k, &end, &scratch,
                                &batch, err));
out:
    docs_free(&batch);
    store_block_free(&scratch);
    mem_free(stored);
    return st;
}

/* ---- what becomes of a document ------------------------------------------ */

static kedge_status identity_leave_out(identity *i, size_t m,
                                       kedge_error *err)
{
    if (!mem_grow((void **)&i->out, &i->out_capacity, i->outs + 1,
                  sizeof *i->out))
        return kedge_fail(err, KEDGE_ENOMEM, "out of memory (ids)");
    i->out[i->outs++] = (uint32_t)m;
    return KEDGE_OK;
}

static size_t identity_part(const identity *i, size_t m)
{
    size_t p = i->parts;

    while (p > 1 && i->part[p - 1].first > m)
        p--;
    return p - 1;
}

/* Says where the document is that has its id. */
static kedge_status identity_refuse(const identity *i, const docs *batch,
                                    size_t m, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const known_id *const k = identity_known(i, m);
    const slot_part *const part = &i->part[identity_part(i, m)];
    const span id = docs_id(batch, m);
    const int size = (int)(id.size < 80 ? id.size : 80);
    store_block scratch = {0};
    store_source record = {0};
    docs there = {0};
    uint32_t source;

    if (k->latest == SIZE_MAX) {
        TRY(store_read_block(i->txn, k->at.block, &scratch, NULL, &source,
                             &there, err));
        TRY(store_get_source_record(i->txn, source, &record, err));
    } else {
        record = i->part[identity_part(i, k->latest)].record;
    }
    if (part->by_id)
        st = kedge_fail(err, KEDGE_EFORMAT,
                        "%.255s/%.*s: a document of this id and other words "
                        "is there already, from %.255s; --on-duplicate skip "
                        "or replace tells what to do with it",
                        part->record.name, size, id.bytes, record.name);
    else
        st = kedge_fail(err, KEDGE_EFORMAT,
                        "%.255s:%llu: document \"%.*s\" is there already, "
                        "from %.255s:%llu; --on-duplicate skip or replace "
                        "tells what to do with it",
                        part->record.name,
                        (unsigned long long)batch->position[m], size, id.bytes,
                        record.name,
                        (unsigned long long)(k->latest == SIZE_MAX
                                                 ? k->at.position
                                                 : batch->position[k->latest]));
out:
    docs_free(&there);
    store_block_free(&scratch);
    return st;
}

/* The document that has m's id leaves the slot or the store; false: there is
 * none. */
static kedge_status identity_make_room(identity *i, const docs *batch,
                                       size_t m, bool *was, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    known_id *k;

    *was = false;
    if (docs_id(batch, m).size == 0)
        return KEDGE_OK;
    k = identity_known(i, m);
    if (k->latest != SIZE_MAX) {
        TRY(identity_leave_out(i, k->latest, err));
        identity_forget(i, identity_content(i, batch, k->latest));
        k->latest = SIZE_MAX;
        *was = true;
    }
    if (k->stored) {
        TRY_MEM(mem_grow((void **)&i->old, &i->old_capacity, i->olds + 1,
                         sizeof *i->old)
                    ? i
                    : NULL);
        i->old[i->olds++] = k->at;
        identity_forget(i, k->content);
        k->stored = false;
        *was = true;
    }
    i->replaced += *was;
out:
    return st;
}

/* Whether the document that has m's id has its words as well. */
static bool identity_is_unchanged(const identity *i, const docs *batch,
                                  size_t m, const known_id *k)
{
    const uint64_t content = digest_document(i->digests, batch, m);

    if (k->latest != SIZE_MAX)
        return digest_document(i->digests, batch, k->latest) == content;
    return k->stored && k->content == content;
}

static kedge_status identity_look_at(identity *i, const docs *batch, size_t m,
                                     bool by_id, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const bool replace = i->rule == KEDGE_DUPLICATE_REPLACE;
    const bool empty = batch->start[m] == batch->start[m + 1];
    const uint64_t content = identity_content(i, batch, m);
    known_id *const k =
        docs_id(batch, m).size > 0 ? identity_known(i, m) : NULL;
    bool was = false;

    if (by_id && identity_is_unchanged(i, batch, m, k)) {
        i->unchanged++;
        return identity_leave_out(i, m, err);
    }
    if (replace)
        TRY(identity_make_room(i, batch, m, &was, err));
    i->emptied += was && empty;
    if (empty)
        return identity_leave_out(i, m, err);
    if (i->dedupe && numberset_has(&i->contents, content)) {
        i->same++;
        return identity_leave_out(i, m, err);
    }
    if (k != NULL && (k->latest != SIZE_MAX || k->stored)) {
        if (i->rule == KEDGE_DUPLICATE_ERROR)
            return identity_refuse(i, batch, m, err);
        i->skipped++;
        return identity_leave_out(i, m, err);
    }
    TRY(identity_note(i, content, err));
    if (k != NULL)
        k->latest = m;
out:
    return st;
}

/* Document m was refused: what came before its part can be stored. */
static kedge_status identity_stop(identity *i, const docs *batch, size_t m,
                                  const kedge_error *why, uint64_t same,
                                  kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const size_t p = identity_part(i, m), first = i->part[p].first;

    i->refused = true;
    i->refused_part = p;
    i->why = *why;
    i->same = same;
    while (i->outs > 0 && i->out[i->outs - 1] >= first)
        i->outs--;
    for (size_t out = first; out < batch->count; out++)
        TRY(identity_leave_out(i, out, err));
out:
    return st;
}

bool identity_has_folder(const identity *i)
{
    for (size_t p = 0; p < i->parts; p++)
        if (i->part[p].by_id)
            return true;
    return false;
}

kedge_status identity_check(identity *i, const docs *batch, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    size_t left = 0, part = 0;
    uint64_t same = i->same;
    kedge_error why = {0};

    i->outs = i->olds = 0;
    TRY(store_begin_read(i->s, &i->txn, err));
    TRY(identity_look_up(i, batch, err));
    if ((i->dedupe && i->rule == KEDGE_DUPLICATE_REPLACE) ||
        identity_has_folder(i))
        TRY(identity_read_contents(i, err));
    for (size_t m = 0; m < batch->count; m++) {
        if (left < i->lefts && i->left[left] == m) {
            left++;
            TRY(identity_leave_out(i, m, err));
            continue;
        }
        while (part + 1 < i->parts && i->part[part + 1].first <= m) {
            part++;
            same = i->same;
        }
        st = identity_look_at(i, batch, m, i->part[part].by_id, &why);
        if (st == KEDGE_EFORMAT && part > 0) {
            TRY(identity_stop(i, batch, m, &why, same, err));
            break;
        }
        if (st != KEDGE_OK && err != NULL)
            *err = why;
        TRY(st);
    }
    if (i->outs > 0)
        qsort(i->out, i->outs, sizeof *i->out, compare_u32);
out:
    store_abort(&i->txn);
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
    const places *p = data;
    const store_place key = {p->at->block, d->position[m]};

    (void)source;
    return bsearch(&key, p->at, p->count, sizeof key, store_place_compare) !=
           NULL;
}

kedge_status identity_replace(identity *i, removal *r, kedge_error *err)
{
    kedge_status st = KEDGE_OK;

    if (i->olds > 0)
        qsort(i->old, i->olds, sizeof *i->old, store_place_compare);
    for (size_t k = 0; k < i->olds;) {
        places p = {i->old + k, 1};
        while (k + p.count < i->olds && p.at[p.count].block == p.at->block)
            p.count++;
        TRY(removal_take(r, p.at->block, places_have, &p, err));
        k += p.count;
    }
    i->olds = 0;
out:
    return st;
}
