/* SPDX-License-Identifier: MIT */
#include "pipeline/views/lens.h"

#include "base/fail.h"
#include "base/mem.h"

static kedge_status lens_number(lens *l, kedge_error *err)
{
    kedge_status st = KEDGE_OK;

    l->ids = l->all->count;
    TRY_MEM(l->number = mem_new(l->ids, sizeof *l->number));
    for (size_t id = 0; id < l->ids; id++)
        l->number[id] = LENS_NONE;
    for (size_t i = 0; i < l->list.count; i++) {
        const size_t id = l->list.ids[i];
        if (id >= l->ids) {
            st = kedge_fail(err, KEDGE_ECORRUPT,
                            "a view's list has word %zu of %zu", id, l->ids);
            goto out;
        }
        l->number[id] = (uint32_t)i;
        if (!words_add(&l->listed, words_get(l->all, id),
                       words_size(l->all, id)))
            TRY_MEM(NULL);
    }
out:
    return st;
}

static kedge_status lens_join(lens *l, store_txn *txn, uint32_t view,
                              kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    store_joins joins = {0};

    st = store_get_joins(txn, view, &joins, err);
    if (st == KEDGE_ENOTFOUND)
        st = kedge_fail(err, KEDGE_ECORRUPT, "view %u has lost its phrases",
                        view);
    TRY(st);
    TRY(joining_open(&l->joining, &joins, err));
    l->joined = true;
out:
    store_joins_free(&joins);
    return st;
}

kedge_status lens_open(lens *l, store_txn *txn, uint32_t view,
                       const store_view *record, const words *all,
                       kedge_error *err)
{
    kedge_status st = KEDGE_OK;

    *l = (lens){.all = all};
    if (!record->listed)
        return KEDGE_OK;
    TRY(store_get_list(txn, view, &l->list, err));
    TRY(lens_number(l, err));
    if (record->joined)
        TRY(lens_join(l, txn, view, err));
out:
    if (st != KEDGE_OK)
        lens_close(l);
    return st;
}

kedge_status lens_open_words(lens *l, const uint32_t *ids, size_t count,
                             size_t all, const store_joins *joins,
                             kedge_error *err)
{
    kedge_status st = KEDGE_OK;

    *l = (lens){.ids = all};
    TRY_MEM(l->number = mem_new(all, sizeof *l->number));
    for (size_t id = 0; id < all; id++)
        l->number[id] = LENS_NONE;
    for (size_t i = 0; i < count; i++)
        l->number[ids[i]] = (uint32_t)i;
    if (joins != NULL)
        TRY(joining_open(&l->joining, joins, err));
    l->joined = joins != NULL;
out:
    if (st != KEDGE_OK)
        lens_close(l);
    return st;
}

void lens_close(lens *l)
{
    words_free(&l->listed);
    mem_free(l->said);
    mem_free(l->number);
    store_list_free(&l->list);
    joining_close(&l->joining);
    docs_free(&l->batch);
    store_block_free(&l->scratch);
    store_order_free(&l->order);
    store_gone_free(&l->gone);
    *l = (lens){0};
}

const words *lens_words(const lens *l)
{
    return l->number == NULL ? l->all : &l->listed;
}

/* Numbers instead of ids from document `first` on; words that are not on the
 * list leave, and count no more for the length. */
static kedge_status lens_translate(lens *l, docs *d, size_t first,
                                   kedge_error *err)
{
    if (!mem_grow((void **)&l->said, &l->said_capacity, d->count - first,
                  sizeof *l->said))
        return kedge_fail(err, KEDGE_ENOMEM, "out of memory (documents)");
    for (size_t m = first; m < d->count; m++)
        l->said[m - first] = d->length[m];
    if (l->number != NULL)
        docs_select(d, first, l->number, l->ids);
    return KEDGE_OK;
}

/* A whole block; *none where there is no such block any more. */
static kedge_status lens_decode(lens *l, store_txn *txn, uint64_t block,
                                bool ordered, docs *out, bool *none,
                                kedge_error *err)
{
    const kedge_status st =
        store_read_block(txn, block, &l->scratch, ordered ? &l->order : NULL,
                         &l->source, out, err);

    *none = st == KEDGE_ENOTFOUND;
    return *none ? KEDGE_OK : st;
}

/* A block without what is gone. */
static kedge_status lens_decode_there(lens *l, store_txn *txn, uint64_t block,
                                      bool ordered, docs *out, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const size_t first = out->count;
    bool none;

    TRY(lens_decode(l, txn, block, ordered, out, &none, err));
    if (none)
        return KEDGE_OK;
    TRY(store_get_gone(txn, block, &l->gone, err));
    docs_drop(out, first, l->gone.index, l->gone.count);
out:
    return st;
}

/* Keeps the documents from + index[i] of a batch and no others after `from`. */
static kedge_status lens_keep(docs *d, size_t from, store_gone *index,
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
        st = kedge_fail(err, KEDGE_ECORRUPT,
                        "a removal names documents that its block has not");
    else
        docs_drop(d, from, others, n);
out:
    mem_free(others);
    return st;
}

static kedge_status lens_decode_removed(lens *l, store_txn *txn,
                                        uint64_t removal, bool ordered,
                                        uint64_t *block, docs *out,
                                        kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const size_t first = out->count;
    bool none;

    TRY(store_get_removal(txn, removal, block, &l->gone, err));
    TRY(lens_decode(l, txn, *block, ordered, out, &none, err));
    if (none)
        TRY(kedge_fail(err, KEDGE_ECORRUPT,
                       "a removal is of block %llu, which is not there",
                       (unsigned long long)*block));
    TRY(lens_keep(out, first, &l->gone, err));
out:
    return st;
}

/* ---- what is seen -------------------------------------------------------- */

/* A batch, with its phrases. */
static kedge_status lens_give_joined(lens *l, const docs *batch, docs *out,
                                     kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const size_t first = out->count;

    for (size_t m = 0; m < batch->count; m++)
        TRY(joining_append(&l->joining, batch, m, out, err));
    st = lens_translate(l, out, first, err);
out:
    return st;
}

kedge_status lens_show(lens *l, const docs *batch, docs *out,
                       kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const size_t first = out->count;

    if (l->joined)
        return lens_give_joined(l, batch, out, err);
    for (size_t m = 0; m < batch->count; m++)
        if (!docs_append(out, batch, m))
            TRY_MEM(NULL);
    st = lens_translate(l, out, first, err);
out:
    return st;
}

kedge_status lens_read(lens *l, store_txn *txn, uint64_t block, docs *out,
                       kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const size_t first = out->count;

    docs_clear(&l->batch);
    TRY(lens_decode_there(l, txn, block, l->joined, l->joined ? &l->batch : out,
                          err));
    if (l->joined)
        TRY(lens_give_joined(l, &l->batch, out, err));
    else
        TRY(lens_translate(l, out, first, err));
out:
    return st;
}

kedge_status lens_read_removed(lens *l, store_txn *txn, uint64_t removal,
                               uint64_t *block, docs *out, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const size_t first = out->count;

    docs_clear(&l->batch);
    TRY(lens_decode_removed(l, txn, removal, l->joined, block,
                            l->joined ? &l->batch : out, err));
    if (l->joined)
        TRY(lens_give_joined(l, &l->batch, out, err));
    else
        TRY(lens_translate(l, out, first, err));
out:
    return st;
}

kedge_status lens_read_ordered(lens *l, store_txn *txn, uint64_t block,
                               docs *out, kedge_error *err)
{
    return lens_decode_there(l, txn, block, true, out, err);
}
