/* SPDX-License-Identifier: MIT */
#include "ops/index/filter.h"

#include "base/fail.h"
#include "base/mem.h"

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
                           "a view's list has word %u of %zu", ids[i], all));
        f->number[ids[i]] = (uint32_t)i;
    }
out:
    return st;
}

kedge_status filter_open(filter *f, store_txn *txn, uint32_t number,
                         const store_view *record, const words *all,
                         kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    store_joins joins = {0};

    *f = (filter){.all = all};
    if (!record->listed)
        return KEDGE_OK;
    TRY(store_get_list(txn, number, &f->list, err));
    TRY(filter_number(f, f->list.ids, f->list.count, all->count, err));
    for (size_t i = 0; i < f->list.count; i++)
        TRY_MEM(words_add(&f->listed, words_get(all, f->list.ids[i]),
                          words_size(all, f->list.ids[i])));
    f->joined = record->joined;
    if (!f->joined)
        goto out;
    st = store_get_joins(txn, number, &joins, err);
    if (st == KEDGE_ENOTFOUND)
        st = kedge_fail(err, KEDGE_ECORRUPT, "view %u has lost its phrases",
                        number);
    TRY(st);
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

/* ---- as they are stored -------------------------------------------------- */

/* A block without what was removed; nothing where there is no such block. */
static kedge_status filter_decode(filter *f, store_txn *txn, uint64_t block,
                                  bool ordered, docs *out, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const size_t first = out->count;

    st = store_read_block(txn, block, &f->scratch, ordered ? &f->order : NULL,
                          &f->source, out, err);
    if (st == KEDGE_ENOTFOUND)
        return KEDGE_OK;
    TRY(st);
    TRY(store_get_gone(txn, block, &f->gone, err));
    docs_drop(out, first, f->gone.index, f->gone.count);
out:
    return st;
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
                       "a removal names documents that its block has not"));
    docs_drop(d, from, others, n);
out:
    mem_free(others);
    return st;
}

static kedge_status filter_decode_removed(filter *f, store_txn *txn,
                                          uint64_t removal, uint64_t *block,
                                          docs *out, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const size_t first = out->count;

    TRY(store_get_removal(txn, removal, block, &f->gone, err));
    st = store_read_block(txn, *block, &f->scratch,
                          f->joined ? &f->order : NULL, &f->source, out, err);
    if (st == KEDGE_ENOTFOUND)
        st = kedge_fail(err, KEDGE_ECORRUPT,
                        "a removal is of block %llu, which is not there",
                        (unsigned long long)*block);
    TRY(st);
    TRY(keep_only(out, first, &f->gone, err));
out:
    return st;
}

/* ---- as they are seen ---------------------------------------------------- */

/* Numbers instead of ids from document `first` on; words that are not on the
 * list leave, and count no more for the length. `batch`: what has to be joined
 * and appended before; NULL: nothing. */
static kedge_status filter_show(filter *f, const docs *batch, size_t first,
                                docs *out, kedge_error *err)
{
    kedge_status st = KEDGE_OK;

    for (size_t m = 0; batch != NULL && m < batch->count; m++)
        TRY(joining_append(&f->joining, batch, m, out, err));
    TRY_GROW(f->lengths, f->length_capacity, out->count - first);
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
    kedge_status st = KEDGE_OK;
    const size_t first = out->count;

    for (size_t m = 0; !f->joined && m < batch->count; m++)
        TRY_MEM(docs_append(out, batch, m));
    st = filter_show(f, f->joined ? batch : NULL, first, out, err);
out:
    return st;
}

kedge_status filter_read(filter *f, store_txn *txn, uint64_t block, docs *out,
                         kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    docs *const batch = f->joined ? &f->batch : NULL;
    const size_t first = out->count;

    docs_clear(&f->batch);
    TRY(filter_decode(f, txn, block, f->joined, f->joined ? batch : out, err));
    TRY(filter_show(f, batch, first, out, err));
out:
    return st;
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
    kedge_status st = KEDGE_OK;
    docs *const batch = f->joined ? &f->batch : NULL;
    const size_t first = out->count;

    docs_clear(&f->batch);
    TRY(filter_decode_removed(f, txn, removal, block, f->joined ? batch : out,
                              err));
    TRY(filter_show(f, batch, first, out, err));
out:
    return st;
}

kedge_status filter_read_ordered(filter *f, store_txn *txn, uint64_t block,
                                 docs *out, kedge_error *err)
{
    return filter_decode(f, txn, block, true, out, err);
}
