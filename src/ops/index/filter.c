/* SPDX-License-Identifier: MIT */
#include "ops/index/filter.h"

#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/fail.h"
#include "base/hash.h"
#include "base/mem.h"

/* ---- phrases ------------------------------------------------------------- */

typedef struct joining_pair {
    uint64_t pair; /* left above right */
    uint32_t whole;
    uint32_t round; /* 0: nothing here */
} joining_pair;

/* Where the pair is, or is to be. */
static joining_pair *find_pair(const joining *j, uint32_t left, uint32_t right)
{
    const uint64_t pair = (uint64_t)left << 32 | right;
    size_t at = (size_t)hash_mix(pair) & (j->slots - 1);

    while (j->slot[at].round != 0 && j->slot[at].pair != pair)
        at = (at + 1) & (j->slots - 1);
    return &j->slot[at];
}

kedge_status joining_open(joining *j, const store_joins *joins,
                          kedge_error *err)
{
    kedge_status st = KEDGE_OK;

    *j = (joining){.slots = 16};
    while (j->slots / 2 < joins->count)
        j->slots *= 2;
    TRY_MEM(j->slot = mem_new(j->slots, sizeof *j->slot));
    for (size_t i = 0; i < joins->count; i++) {
        const store_join *const one = &joins->join[i];
        joining_pair *const at = find_pair(j, one->left, one->right);
        if (at->round == 0)
            *at = (joining_pair){(uint64_t)one->left << 32 | one->right,
                                 one->whole, one->round};
        if (one->round > j->rounds)
            j->rounds = one->round;
    }
out:
    return st;
}

void joining_close(joining *j)
{
    mem_free(j->slot);
    mem_free(j->unit);
    mem_free(j->phrase);
    mem_free(j->tally);
    *j = (joining){0};
}

/* Neighbours that are a phrase of this round become one unit. */
static void join_round(joining *j, uint32_t round)
{
    size_t kept = 0;

    for (size_t i = 0; i < j->units; i++) {
        joining_unit one = j->unit[i];
        if (i + 1 < j->units && one.id != JOINING_APART &&
            j->unit[i + 1].id != JOINING_APART) {
            const joining_pair *const p =
                find_pair(j, one.id, j->unit[i + 1].id);
            if (p->round == round) {
                one = (joining_unit){.id = p->whole};
                i++;
            }
        }
        j->unit[kept++] = one;
    }
    j->units = kept;
}

kedge_status joining_units(joining *j, const docs *d, size_t m,
                           kedge_error *err)
{
    const uint32_t *const symbol = d->order + d->order_at[m];
    const uint32_t *const word = d->word + d->start[m];
    const size_t size = docs_order_size(d, m);

    if (!mem_grow((void **)&j->unit, &j->unit_capacity, size,
                  sizeof *j->unit))
        return kedge_fail(err, KEDGE_ENOMEM, "out of memory (phrases)");
    for (size_t i = 0; i < size; i++) {
        const uint32_t s = symbol[i];
        j->unit[i] = (joining_unit){
            s == DOCS_APART ? JOINING_APART : word[s - 1], s};
    }
    j->units = size;
    for (uint32_t round = 1; round <= j->rounds; round++)
        join_round(j, round);
    return KEDGE_OK;
}

/* How often each of the document's words is left by itself; the phrases that
 * took the others, rising. Returns how many these are. */
static size_t count_units(joining *j, size_t entries)
{
    size_t phrases = 0;

    if (entries > 0)
        memset(j->tally, 0, entries * sizeof *j->tally);
    for (size_t i = 0; i < j->units; i++) {
        const joining_unit *const one = &j->unit[i];
        if (one->symbol != DOCS_APART)
            j->tally[one->symbol - 1]++;
        else if (one->id != JOINING_APART)
            j->phrase[phrases++] = one->id;
    }
    qsort(j->phrase, phrases, sizeof *j->phrase, compare_u32);
    return phrases;
}

/* Words and phrases side by side; a phrase may be a word of the bag as well. */
static bool push_merged(const joining *j, const uint32_t *word, size_t entries,
                        size_t phrases, docs *out)
{
    size_t k = 0, p = 0;

    for (;;) {
        uint32_t id, tally = 0;
        while (k < entries && j->tally[k] == 0)
            k++;
        if (k == entries && p == phrases)
            return true;
        id = k < entries && (p == phrases || word[k] <= j->phrase[p])
                 ? word[k]
                 : j->phrase[p];
        if (k < entries && word[k] == id)
            tally = j->tally[k++];
        for (; p < phrases && j->phrase[p] == id; p++)
            tally++;
        if (!docs_push(out, id, tally))
            return false;
    }
}

kedge_status joining_append(joining *j, const docs *d, size_t m, docs *out,
                            kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const size_t entries = d->start[m + 1] - d->start[m];
    const uint32_t *const word = d->word + d->start[m];
    size_t phrases;

    TRY(joining_units(j, d, m, err));
    TRY_GROW(j->phrase, j->phrase_capacity, j->units + 1);
    TRY_GROW(j->tally, j->tally_capacity, entries + 1);
    TRY_MEM(docs_begin(out, d->position[m]));
    TRY_MEM(docs_set_name(out, docs_id(d, m), docs_label(d, m)));
    phrases = count_units(j, entries);
    if (docs_order_size(d, m) == 0 && entries > 0)
        memcpy(j->tally, d->tally + d->start[m], entries * sizeof *j->tally);
    TRY_MEM(push_merged(j, word, entries, phrases, out));
out:
    return st;
}

/* ---- opening ------------------------------------------------------------- */

static kedge_status filter_number(filter *f, const uint32_t *ids, size_t count,
                                  size_t all, kedge_error *err)
{
    kedge_status st = KEDGE_OK;

    f->ids = all;
    TRY_MEM(f->number = mem_new(all, sizeof *f->number));
    for (size_t id = 0; id < all; id++)
        f->number[id] = FILTER_NONE;
    for (size_t i = 0; i < count; i++) {
        if (ids[i] >= all)
            TRY(kedge_fail(err, KEDGE_ECORRUPT,
                           "an index's list has word %u of %zu", ids[i], all));
        f->number[ids[i]] = (uint32_t)i;
    }
out:
    return st;
}

kedge_status filter_get_list(store_txn *txn, uint32_t number,
                             const store_index *record, store_list *list,
                             store_joins *joins, kedge_error *err)
{
    kedge_status st = KEDGE_OK;

    joins->count = 0;
    if (record->listed)
        PASS(store_get_list(txn, number, list, err));
    if (record->joined)
        st = store_get_joins(txn, number, joins, err);
    return st != KEDGE_ENOTFOUND
               ? st
               : kedge_fail(err, KEDGE_ECORRUPT,
                            "index %u has lost its phrases", number);
}

kedge_status filter_open(filter *f, store_txn *txn, uint32_t number,
                         const store_index *record, const words *all,
                         kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    store_joins joins = {0};

    *f = (filter){.all = all};
    if (!record->listed)
        return KEDGE_OK;
    TRY(filter_get_list(txn, number, record, &f->list, &joins, err));
    TRY(filter_number(f, f->list.ids, f->list.count, all->count, err));
    for (size_t i = 0; i < f->list.count; i++)
        TRY_MEM(words_add(&f->listed, words_get(all, f->list.ids[i]),
                          words_size(all, f->list.ids[i])));
    f->joined = record->joined;
    if (f->joined)
        TRY(joining_open(&f->joining, &joins, err));
out:
    store_joins_free(&joins);
    if (st != KEDGE_OK)
        filter_close(f);
    return st;
}

kedge_status filter_open_words(filter *f, const uint32_t *ids, size_t count,
                               size_t all, const store_joins *joins,
                               kedge_error *err)
{
    kedge_status st = KEDGE_OK;

    *f = (filter){.joined = joins != NULL};
    TRY(filter_number(f, ids, count, all, err));
    if (joins != NULL)
        TRY(joining_open(&f->joining, joins, err));
out:
    if (st != KEDGE_OK)
        filter_close(f);
    return st;
}

void filter_close(filter *f)
{
    words_free(&f->listed);
    mem_free(f->lengths);
    mem_free(f->number);
    store_list_free(&f->list);
    joining_close(&f->joining);
    docs_free(&f->batch);
    store_block_free(&f->scratch);
    store_order_free(&f->order);
    store_gone_free(&f->gone);
    *f = (filter){0};
}

const words *filter_words(const filter *f)
{
    return f->number == NULL ? f->all : &f->listed;
}

/* ---- documents ----------------------------------------------------------- */

/* A block as it is stored, with what was removed; ENOTFOUND. */
static kedge_status filter_decode(filter *f, store_txn *txn, uint64_t block,
                                  bool ordered, docs *out, kedge_error *err)
{
    return store_read_block(txn, block, &f->scratch,
                            ordered ? &f->order : NULL, &f->source, out, err);
}

/* Without what was removed; nothing where there is no such block. */
static kedge_status filter_decode_left(filter *f, store_txn *txn,
                                       uint64_t block, bool ordered, docs *out,
                                       kedge_error *err)
{
    const size_t first = out->count;
    const kedge_status st = filter_decode(f, txn, block, ordered, out, err);

    if (st == KEDGE_ENOTFOUND)
        return KEDGE_OK;
    PASS(st);
    PASS(store_get_gone(txn, block, &f->gone, err));
    docs_drop(out, first, f->gone.index, f->gone.count);
    return KEDGE_OK;
}

/* Keeps the documents from + index[i] of a batch and no others after `from`. */
static kedge_status keep_only(docs *d, size_t from, const store_gone *index,
                              kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const size_t count = d->count - from;
    uint32_t *others = NULL;
    size_t next = 0, n = 0;

    TRY_MEM(others = mem_new(count, sizeof *others));
    for (uint32_t m = 0; m < count; m++) {
        if (next < index->count && index->index[next] == m)
            next++;
        else
            others[n++] = m;
    }
    if (next < index->count)
        TRY(kedge_fail(err, KEDGE_ECORRUPT,
                       "a removal names documents that its block does not "
                       "have"));
    docs_drop(d, from, others, n);
out:
    mem_free(others);
    return st;
}

/* What was decoded, in `batch` or in `out` from document `first` on, as the
 * index sees it: phrases are joined, numbers stand for ids, and words that are
 * not on the list leave and count no more for the length. */
static kedge_status filter_show(filter *f, const docs *batch, size_t first,
                                docs *out, kedge_error *err)
{
    kedge_status st = KEDGE_OK;

    for (size_t m = 0; batch != out && m < batch->count; m++) {
        if (f->joined)
            TRY(joining_append(&f->joining, batch, m, out, err));
        else
            TRY_MEM(docs_append(out, batch, m));
    }
    TRY_GROW(f->lengths, f->length_capacity, out->count - first + 1);
    for (size_t m = first; m < out->count; m++)
        f->lengths[m - first] = out->length[m];
    if (f->number != NULL)
        docs_select(out, first, f->number, f->ids);
out:
    return st;
}

kedge_status filter_apply(filter *f, const docs *batch, docs *out,
                          kedge_error *err)
{
    return filter_show(f, batch, out->count, out, err);
}

kedge_status filter_read(filter *f, store_txn *txn, uint64_t block, docs *out,
                         kedge_error *err)
{
    docs *const batch = f->joined ? &f->batch : out;
    const size_t first = out->count;

    docs_clear(&f->batch);
    PASS(filter_decode_left(f, txn, block, f->joined, batch, err));
    if (f->out != NULL)
        PASS(holdout_keep(f->out, batch, f->joined ? 0 : first, f->held, err));
    return filter_show(f, batch, first, out, err);
}

bool filter_next(filter *f, store_txn *txn, uint64_t *next, uint64_t end,
                 docs *out, kedge_status *st, kedge_error *err)
{
    docs_clear(out);
    *st = store_next_block(txn, *next, end, next, err);
    if (*st != KEDGE_OK || *next == end)
        return false;
    *st = filter_read(f, txn, (*next)++, out, err);
    return *st == KEDGE_OK;
}

kedge_status filter_read_removed(filter *f, store_txn *txn, uint64_t removal,
                                 uint64_t *block, docs *out, kedge_error *err)
{
    docs *const batch = f->joined ? &f->batch : out;
    const size_t first = out->count;
    kedge_status st;

    docs_clear(&f->batch);
    PASS(store_get_removal(txn, removal, block, &f->gone, err));
    st = filter_decode(f, txn, *block, f->joined, batch, err);
    if (st == KEDGE_ENOTFOUND)
        return kedge_fail(err, KEDGE_ECORRUPT,
                          "a removal names block %llu, which is not there",
                          (unsigned long long)*block);
    PASS(st);
    PASS(keep_only(batch, f->joined ? 0 : first, &f->gone, err));
    return filter_show(f, batch, first, out, err);
}

kedge_status filter_read_ordered(filter *f, store_txn *txn, uint64_t block,
                                 docs *out, kedge_error *err)
{
    return filter_decode_left(f, txn, block, true, out, err);
}
