/* SPDX-License-Identifier: MIT */
#include "pipeline/intake/identity.h"

#include <stdio.h>
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
    mem_free(i->latest);
    mem_free(i->out);
    mem_free(i->old);
    numberset_free(&i->contents);
}

static kedge_status identity_learn_block(identity *i, lens *l, uint64_t block,
                                         docs *batch, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    bool fresh;

    docs_clear(batch);
    TRY(lens_read(l, i->s, block, batch, err));
    for (size_t m = 0; m < batch->count; m++)
        if (!numberset_add(&i->contents,
                           digest_document(i->digests, batch, m), &fresh))
            TRY_MEM(NULL);
out:
    return st;
}

kedge_status identity_learn(identity *i, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    lens all = {0}; /* all words */
    store_totals totals;
    docs batch = {0};

    TRY(store_begin_read(i->s, err));
    TRY(store_get_totals(i->s, &totals, err));
    for (uint64_t b = 0; b < totals.blocks; b++)
        TRY(identity_learn_block(i, &all, b, &batch, err));
out:
    store_abort(i->s);
    lens_close(&all);
    docs_free(&batch);
    return st;
}

static kedge_status identity_leave_out(identity *i, size_t m,
                                       kedge_error *err)
{
    if (!mem_grow((void **)&i->out, &i->out_capacity, i->outs + 1,
                  sizeof *i->out))
        return kedge_fail(err, KEDGE_ENOMEM, "out of memory (ids)");
    i->out[i->outs++] = (uint32_t)m;
    return KEDGE_OK;
}

/* A place in a source. */
typedef struct whereabouts {
    char source[256];
    uint64_t position;
} whereabouts;

static kedge_status identity_refuse(const identity *i, const docs *batch,
                                    size_t m, const whereabouts *known,
                                    kedge_error *err)
{
    const span id = docs_id(batch, m);

    return kedge_fail(err, KEDGE_EFORMAT,
                      "record %llu of %.255s: document \"%.*s\" is there "
                      "already, as record %llu of %.255s; --on-duplicate skip "
                      "or replace tells what to do with it",
                      (unsigned long long)batch->position[m], i->source,
                      (int)(id.size < 80 ? id.size : 80), id.bytes,
                      (unsigned long long)known->position, known->source);
}

/* Where the store's document came from. */
static kedge_status identity_look_up(const identity *i, store_place place,
                                     whereabouts *out, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    store_block scratch = {0};
    store_source record;
    docs batch = {0};
    uint32_t source;

    TRY(store_read_block(i->s, place.block, &scratch, NULL, &source, &batch,
                         err));
    TRY(store_get_source_record(i->s, source, &record, err));
    memcpy(out->source, record.name, sizeof out->source);
    out->position = place.position;
out:
    docs_free(&batch);
    store_block_free(&scratch);
    return st;
}

/* The same id twice in the slot: the later one counts as the newer. */
static kedge_status identity_within(identity *i, const docs *batch, size_t m,
                                    bool *kept, kedge_error *err)
{
    const span id = docs_id(batch, m);
    const size_t known = i->ids.count;
    whereabouts first;
    kedge_status st = KEDGE_OK;
    uint32_t place;

    *kept = true;
    if (!wordmap_add(&i->seen, id, &place) ||
        !mem_grow((void **)&i->latest, &i->latest_capacity, i->ids.count,
                  sizeof *i->latest))
        return kedge_fail(err, KEDGE_ENOMEM, "out of memory (ids)");
    if (i->ids.count > known) {
        i->latest[place] = m;
    } else if (i->rule == KEDGE_DUPLICATE_ERROR) {
        snprintf(first.source, sizeof first.source, "%s", i->source);
        first.position = batch->position[i->latest[place]];
        st = identity_refuse(i, batch, m, &first, err);
    } else if (i->rule == KEDGE_DUPLICATE_SKIP) {
        *kept = false;
        i->skipped++;
        st = identity_leave_out(i, m, err);
    } else {
        i->replaced++;
        st = identity_leave_out(i, i->latest[place], err);
        i->latest[place] = m;
        *kept = false; /* of the store's, the first has taken care */
    }
    return st;
}

static kedge_status identity_stored(identity *i, const docs *batch, size_t m,
                                    kedge_error *err)
{
    kedge_status st;
    store_place place;
    whereabouts known;

    st = store_get_id(i->s, docs_id(batch, m), &place, err);
    if (st == KEDGE_ENOTFOUND)
        return KEDGE_OK;
    if (st == KEDGE_OK && i->rule == KEDGE_DUPLICATE_ERROR)
        st = identity_look_up(i, place, &known, err);
    if (st != KEDGE_OK)
        return st;
    if (i->rule == KEDGE_DUPLICATE_ERROR)
        return identity_refuse(i, batch, m, &known, err);
    if (i->rule == KEDGE_DUPLICATE_SKIP) {
        i->skipped++;
        return identity_leave_out(i, m, err);
    }
    if (!mem_grow((void **)&i->old, &i->old_capacity, i->olds + 1,
                  sizeof *i->old))
        return kedge_fail(err, KEDGE_ENOMEM, "out of memory (ids)");
    i->old[i->olds++] = place;
    i->replaced++;
    return KEDGE_OK;
}

/* A document that is left out twice, for two reasons, leaves once. */
static void identity_drop(identity *i, docs *batch)
{
    size_t n = 0;

    if (i->outs == 0)
        return;
    qsort(i->out, i->outs, sizeof *i->out, compare_u32);
    for (size_t k = 0; k < i->outs; k++)
        if (n == 0 || i->out[n - 1] != i->out[k])
            i->out[n++] = i->out[k];
    docs_drop(batch, 0, i->out, n);
}

kedge_status identity_check(identity *i, docs *batch, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    size_t left = 0;
    bool kept;

    i->outs = i->olds = 0;
    words_free(&i->ids);
    wordmap_close(&i->seen);
    if (!wordmap_open(&i->seen, &i->ids))
        return kedge_fail(err, KEDGE_ENOMEM, "out of memory (ids)");
    TRY(store_begin_read(i->s, err));
    for (size_t m = 0; m < batch->count; m++) {
        const span id = docs_id(batch, m);
        bool fresh = true;
        if (left < i->lefts && i->left[left] == m) {
            left++;
            TRY(identity_leave_out(i, m, err));
            continue;
        }
        if (i->dedupe &&
            !numberset_add(&i->contents, digest_document(i->digests, batch, m),
                           &fresh))
            TRY_MEM(NULL);
        if (!fresh) {
            i->same++;
            TRY(identity_leave_out(i, m, err));
            continue;
        }
        if (id.size == 0)
            continue;
        TRY(identity_within(i, batch, m, &kept, err));
        if (kept)
            TRY(identity_stored(i, batch, m, err));
    }
    identity_drop(i, batch);
out:
    store_abort(i->s);
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
