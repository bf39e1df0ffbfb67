/* SPDX-License-Identifier: MIT */
/* Words, by their ids; how often each comes, in all and in parts alone; and the
 * lists of ids that are indexes' curated vocabularies. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/compare.h"
#include "base/mem.h"
#include "store/records.h"

/* ---- words --------------------------------------------------------------- */

kedge_status store_put_words(store_txn *txn, const words *w, size_t from,
                             kedge_error *err)
{
    kedge_status st = kv_need(txn, true, err);
    array a = array_make(DB_WORDS, NULL, 0);

    if (st != KEDGE_OK || from >= w->count)
        return st;
    TRY(ledger_raise(txn, &(store_limits){.words = w->count}, err));
    TRY(array_put(txn, &a, &(array_word){.words = (words *)(uintptr_t)w}, from,
                  w->count, err));
out:
    return st;
}

/* The caller had room for as many bytes as the totals have: more are not
 * read. */
kedge_status store_get_words(store_txn *txn, words *out, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    array a = array_make(DB_WORDS, NULL, 0);
    store_totals totals;
    uint64_t chunks;

    TRY(store_get_totals(txn, &totals, err));
    TRY(kv_count(txn, DB_WORDS, &chunks, err));
    TRY_MEM(words_reserve(out, totals.words, totals.word_bytes));
    a.count = totals.words;
    st = array_get(txn, &a, &(array_word){out, totals.word_bytes}, err);
    if (st != KEDGE_ENOTFOUND)
        TRY(st);
    if (out->count != totals.words || words_bytes(out) != totals.word_bytes ||
        chunks > (totals.words + STORE_WORDS_CHUNK - 1) / STORE_WORDS_CHUNK)
        TRY(kedge_fail(err, KEDGE_ECORRUPT,
                       "the vocabulary is damaged (%zu words of %" PRIu64
                       ", %zu bytes of %" PRIu64 ")", out->count, totals.words,
                       words_bytes(out), totals.word_bytes));
out:
    return st;
}

static int compare_ids(const void *left, const void *right, void *ids)
{
    const uint32_t *const id = ids;

    return compare_numbers(id[*(const uint32_t *)left],
                           id[*(const uint32_t *)right]);
}

kedge_status store_pick_words(store_txn *txn, const uint32_t *ids, size_t count,
                              words *out, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    uint32_t *order = NULL, *place = NULL, items;
    words chunk = {0}, found = {0}; /* the second by rising id */
    uint64_t number, loaded = UINT64_MAX;
    array a = array_make(DB_WORDS, NULL, 0);

    TRY_MEM(order = mem_new(count, sizeof *order));
    TRY_MEM(place = mem_new(count, sizeof *place));
    for (size_t i = 0; i < count; i++)
        order[i] = (uint32_t)i;
    qsort_r(order, count, sizeof *order, compare_ids, (void *)ids);
    for (size_t i = 0; i < count; i++) {
        const uint32_t id = ids[order[i]];
        const size_t at = id % STORE_WORDS_CHUNK;
        number = id / STORE_WORDS_CHUNK;
        if (number != loaded) {
            chunk.count = 0;
            TRY(array_get_chunk(txn, &a, (uint32_t)number,
                                &(array_word){&chunk, UINT64_MAX}, &items,
                                err));
            loaded = number;
        }
        if (at >= chunk.count)
            TRY(kedge_fail(err, KEDGE_ECORRUPT,
                           "the vocabulary has no word %" PRIu32, id));
        TRY_MEM(words_add(&found, words_get(&chunk, at), words_size(&chunk, at))
                    ? out
                    : NULL);
        place[order[i]] = (uint32_t)i;
    }
    TRY_MEM(words_reserve(out, count, words_bytes(&found)));
    for (size_t i = 0; i < count; i++)
        TRY_MEM(words_add(out, words_get(&found, place[i]),
                          words_size(&found, place[i])) ? out : NULL);
out:
    words_free(&chunk);
    words_free(&found);
    mem_free(order);
    mem_free(place);
    return st;
}

kedge_status store_load_words(store *s, store_totals *totals, words *out,
                              kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    store_txn *txn = NULL;

    TRY(store_begin_read(s, &txn, err));
    TRY(store_get_totals(txn, totals, err));
    TRY(store_get_words(txn, out, err));
out:
    store_abort(&txn);
    return st;
}

/* ---- counts -------------------------------------------------------------- */

static kedge_status put_counts(store_txn *txn, kv_db db, const uint64_t *tf,
                               const uint64_t *df, size_t count,
                               kedge_error *err)
{
    array a = array_make(db, NULL, 0);

    return array_put(txn, &a,
                     &(array_count){(uint64_t *)(uintptr_t)tf,
                                    (uint64_t *)(uintptr_t)df, count},
                     0, count, err);
}

static kedge_status get_counts(store_txn *txn, kv_db db, uint64_t *tf,
                               uint64_t *df, size_t count, kedge_error *err)
{
    array a = array_make(db, NULL, 0);

    a.count = count;
    return array_get(txn, &a, &(array_count){tf, df, count}, err);
}

kedge_status store_put_counts(store_txn *txn, const uint64_t *tf,
                              const uint64_t *df, size_t count,
                              kedge_error *err)
{
    return put_counts(txn, DB_COUNTS, tf, df, count, err);
}

kedge_status store_get_counts(store_txn *txn, uint64_t *tf, uint64_t *df,
                              size_t count, kedge_error *err)
{
    return get_counts(txn, DB_COUNTS, tf, df, count, err);
}

kedge_status store_put_part_counts(store_txn *txn, const uint64_t *tf,
                                   const uint64_t *df, size_t count,
                                   kedge_error *err)
{
    return put_counts(txn, DB_PART_COUNTS, tf, df, count, err);
}

/* Words that came after the last part have none there. */
kedge_status store_get_part_counts(store_txn *txn, uint64_t *tf, uint64_t *df,
                                   size_t count, kedge_error *err)
{
    kedge_status st;

    for (size_t i = 0; i < count; i++)
        tf[i] = df[i] = 0;
    st = get_counts(txn, DB_PART_COUNTS, tf, df, count, err);
    return st == KEDGE_ENOTFOUND ? KEDGE_OK : st;
}

/* ---- lists --------------------------------------------------------------- */

void store_list_free(store_list *l)
{
    mem_free(l->ids);
    *l = (store_list){0};
}

kedge_status store_put_list(store_txn *txn, uint32_t index, const uint32_t *ids,
                            size_t count, kedge_error *err)
{
    array a = array_list(index);

    for (size_t i = 1; i < count; i++)
        if (ids[i] <= ids[i - 1])
            return kedge_fail(err, KEDGE_EINVAL,
                              "ids of a list must rise (%u, %u)", ids[i - 1],
                              ids[i]);
    return array_put(txn, &a, ids, 0, count, err);
}

kedge_status store_get_list(store_txn *txn, uint32_t index, store_list *out,
                            kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    array a = array_list(index);
    store_limits limits;

    out->count = 0;
    TRY(store_get_limits(txn, &limits, err));
    a.limit = limits.words;
    TRY(array_get(txn, &a, out, err));
out:
    if (st != KEDGE_OK)
        out->count = 0;
    return st;
}

kedge_status store_drop_list(store_txn *txn, uint32_t index, kedge_error *err)
{
    array a = array_list(index);

    return array_drop(txn, &a, err);
}
