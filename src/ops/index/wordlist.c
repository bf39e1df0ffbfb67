/* SPDX-License-Identifier: MIT */
/*
 * A list is places (ids of words) in the order asked for; which words an index
 * holds is a bit each.
 */
#include <kedge/wordlist.h>

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/fail.h"
#include "base/mem.h"
#include "base/run.h"
#include "base/wordmap.h"
#include "ops/index/index.h"
#include "ops/index/recount.h"
#include "ops/plan.h"
#include "store/store.h"

/* An index and the words that it holds. */
typedef struct holder {
    index_entry index;
    uint8_t *bits;    /* by id */
    uint8_t *phrases; /* as above: those that it joins; NULL: none */
} holder;

typedef struct place {
    double value; /* that it is sorted by, falling */
    uint32_t rank, id;
} place;

struct kedge_wordlist {
    words all;
    wordmap ids;
    uint64_t *tf, *df; /* by id */
    uint64_t documents, blocks;
    holder *indexes;
    size_t index_count;
    place *places;
    size_t count;
    uint32_t *found_at; /* by id: its place, or WORDMAP_NONE */
};

void kedge_wordlist_opts_init(kedge_wordlist_opts *opts)
{
    if (opts == NULL)
        return;
    *opts = (kedge_wordlist_opts){.min_df = 1, .index = KEDGE_NO_INDEX};
}

/* ---- indexes ------------------------------------------------------------- */

static bool has_bit(const uint8_t *bits, size_t id)
{
    return (bits[id / 8] >> id % 8 & 1) != 0;
}

/* Notes a word that the index has; `what` names it where it cannot be. */
static kedge_status add_bit(const kedge_wordlist *w, const holder *h,
                            uint8_t *bits, uint32_t id, const char *what,
                            kedge_error *err)
{
    if (id >= w->all.count)
        return kedge_fail(err, KEDGE_ECORRUPT,
                          "%s of index %" PRIu32 " has word %" PRIu32 " of %zu",
                          what, h->index.number, id, w->all.count);
    bits[id / 8] |= (uint8_t)(1u << id % 8);
    return KEDGE_OK;
}

static kedge_status load_holder(kedge_wordlist *w, store_txn *txn, holder *h,
                                kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const store_index *const v = &h->index.record;
    const size_t n = w->all.count;
    store_list list = {0};
    store_joins joins = {0};

    TRY(filter_get_list(txn, h->index.number, v, &list, &joins, err));
    TRY_MEM(h->bits = mem_new(n / 8 + 1, 1));
    for (size_t i = 0; i < list.count; i++)
        TRY(add_bit(w, h, h->bits, list.ids[i], "the list", err));
    for (size_t id = 0; !v->listed && id < v->words && id < n; id++)
        TRY(add_bit(w, h, h->bits, (uint32_t)id, "a row", err));
    if (v->joined)
        TRY_MEM(h->phrases = mem_new(n / 8 + 1, 1));
    for (size_t i = 0; i < joins.count; i++)
        TRY(add_bit(w, h, h->phrases, joins.join[i].whole, "a phrase", err));
out:
    store_list_free(&list);
    store_joins_free(&joins);
    return st;
}

static kedge_status load_holders(kedge_wordlist *w, store_txn *txn,
                                 kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    index_list l = {0};

    TRY(index_list_load(&l, txn, err));
    TRY_MEM(w->indexes = mem_new(l.count, sizeof *w->indexes));
    for (; w->index_count < l.count; w->index_count++)
        w->indexes[w->index_count].index = l.at[w->index_count];
    for (size_t i = 0; i < l.count; i++)
        TRY(load_holder(w, txn, &w->indexes[i], err));
out:
    mem_free(l.at);
    return st;
}

static kedge_status wordlist_find_index(const kedge_wordlist *w, uint64_t index,
                                        const holder **out, kedge_error *err)
{
    *out = NULL;
    if (index == KEDGE_NO_INDEX)
        return KEDGE_OK;
    for (size_t i = 0; i < w->index_count; i++)
        if (w->indexes[i].index.number == index)
            *out = &w->indexes[i];
    return *out != NULL ? KEDGE_OK
                        : kedge_fail(err, KEDGE_ENOTFOUND,
                                     "the store has no index %" PRIu64, index);
}

/* ---- the order ----------------------------------------------------------- */

static double wordlist_tf_idf(const kedge_wordlist *w, size_t id)
{
    return (double)w->tf[id] *
           log((double)w->documents / (double)w->df[id]);
}

static int compare_places(const void *left, const void *right)
{
    const place *a = left, *b = right;

    if (a->value != b->value)
        return a->value > b->value ? -1 : 1;
    return compare_numbers(a->rank, b->rank);
}

static kedge_status wordlist_sort(kedge_wordlist *w,
                                  const kedge_wordlist_opts *o,
                                  const holder *only, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    uint32_t *order = NULL;
    size_t twin;

    TRY_MEM(order = words_order(&w->all, &twin));
    TRY_MEM(w->places = mem_new(w->all.count, sizeof *w->places));
    TRY_MEM(w->found_at = mem_new(w->all.count, sizeof *w->found_at));
    for (size_t r = 0; r < w->all.count; r++) {
        const uint32_t id = order[r];
        w->found_at[id] = WORDMAP_NONE;
        if (w->df[id] == 0 || w->df[id] < o->min_df ||
            (only != NULL && !has_bit(only->bits, id)))
            continue;
        w->places[w->count++] = (place){
            o->order == KEDGE_ORDER_TFIDF ? wordlist_tf_idf(w, id)
            : o->order == KEDGE_ORDER_TF  ? (double)w->tf[id]
            : o->order == KEDGE_ORDER_DF  ? (double)w->df[id]
                                          : 0,
            (uint32_t)r, id};
    }
    qsort(w->places, w->count, sizeof *w->places, compare_places);
    for (size_t i = 0; i < w->count; i++)
        w->found_at[w->places[i].id] = (uint32_t)i;
out:
    mem_free(order);
    return st;
}

/* ---- loading ------------------------------------------------------------- */

static kedge_status wordlist_read(kedge_wordlist *w, store_txn *txn,
                                  const kedge_control *control,
                                  kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    store_totals t;
    uint64_t memory;

    TRY(store_get_totals(txn, &t, err));
    w->documents = t.documents;
    w->blocks = t.blocks;
    const uint64_t n = t.words;
    TRY(plan_walk(&(walk_shape){.what = "listing words", .threads = 1,
                                .vocabulary = n,
                                .word_bytes = t.word_bytes,
                                .blocks = 1,
                                .more = memory_wordmap(n) +
                                        n * (sizeof(place) + 8)},
                  control, &memory, err));
    TRY(store_get_words(txn, &w->all, err));
    TRY_MEM(w->tf = mem_new(n, sizeof *w->tf));
    TRY_MEM(w->df = mem_new(n, sizeof *w->df));
    TRY(store_get_counts(txn, w->tf, w->df, n, err));
    TRY_MEM(wordmap_open(&w->ids, &w->all));
    TRY(load_holders(w, txn, err));
out:
    return st;
}

kedge_status kedge_wordlist_load(kedge_store *s,
                                 const kedge_wordlist_opts *opts,
                                 const kedge_control *control,
                                 kedge_wordlist **out, kedge_error *err)
{
    if (out != NULL)
        *out = NULL;
    API_ENTER(err, {"store", s}, {"out", out});
    control = run_control(control);

    kedge_status st = KEDGE_OK;
    store_txn *txn = NULL;
    kedge_wordlist *w = NULL;
    kedge_wordlist_opts o;
    const holder *only;
    filter f = {0};

    kedge_wordlist_opts_init(&o);
    if (opts != NULL)
        o = *opts;
    if ((unsigned)o.order > KEDGE_ORDER_WORD)
        return kedge_fail(err, KEDGE_EINVAL, "unknown order of words: %u",
                          (unsigned)o.order);
    TRY(store_begin_read(s, &txn, err));
    TRY_MEM(w = mem_new(1, sizeof *w));
    TRY(wordlist_read(w, txn, control, err));
    TRY(wordlist_find_index(w, o.index, &only, err));
    /* in an index with phrases words come less often, and phrases do come */
    if (only != NULL && only->index.record.joined) {
        TRY(filter_open(&f, txn, only->index.number, &only->index.record,
                        &w->all, err));
        TRY(recount_seen(&f, txn, w->blocks, control, w->tf, w->df, NULL,
                         err));
    }
    TRY(wordlist_sort(w, &o, only, err));
    *out = w;
    w = NULL;
out:
    filter_close(&f);
    store_abort(&txn);
    kedge_wordlist_free(w);
    return api_leave(st, err);
}

void kedge_wordlist_free(kedge_wordlist *w)
{
    if (w == NULL)
        return;
    for (size_t i = 0; i < w->index_count; i++) {
        mem_free(w->indexes[i].bits);
        mem_free(w->indexes[i].phrases);
    }
    mem_free(w->indexes);
    wordmap_close(&w->ids);
    words_free(&w->all);
    mem_free(w->tf);
    mem_free(w->df);
    mem_free(w->places);
    mem_free(w->found_at);
    mem_free(w);
}

/* ---- what is in it ------------------------------------------------------- */

uint64_t kedge_wordlist_count(const kedge_wordlist *w)
{
    return w != NULL ? w->count : 0;
}

kedge_word_info kedge_wordlist_get(const kedge_wordlist *w, uint64_t i)
{
    if (w == NULL || i >= w->count)
        return (kedge_word_info){0};
    const uint32_t id = w->places[i].id;

    return (kedge_word_info){.word = words_get(&w->all, id),
                             .tf = w->tf[id],
                             .df = w->df[id],
                             .tf_idf = wordlist_tf_idf(w, id)};
}

uint64_t kedge_wordlist_find(const kedge_wordlist *w, const char *word)
{
    if (w == NULL || word == NULL)
        return KEDGE_NO_WORD;
    const uint32_t id = wordmap_find(&w->ids, span_text(word));

    return id == WORDMAP_NONE || w->found_at[id] == WORDMAP_NONE
               ? KEDGE_NO_WORD
               : w->found_at[id];
}

uint64_t kedge_wordlist_indexes(const kedge_wordlist *w, uint64_t i,
                                uint64_t *out, uint64_t room)
{
    if (w == NULL || i >= w->count || (out == NULL && room > 0))
        return 0;
    uint64_t count = 0;

    for (size_t v = 0; v < w->index_count; v++)
        if (has_bit(w->indexes[v].bits, w->places[i].id)) {
            if (count < room)
                out[count] = w->indexes[v].index.number;
            count++;
        }
    return count;
}

uint64_t kedge_wordlist_phrase_indexes(const kedge_wordlist *w,
                                       const char *phrase, uint64_t *out,
                                       uint64_t room)
{
    if (w == NULL || phrase == NULL || (out == NULL && room > 0))
        return 0;
    const uint32_t id = wordmap_find(&w->ids, span_text(phrase));
    uint64_t count = 0;

    for (size_t v = 0; id != WORDMAP_NONE && v < w->index_count; v++) {
        const holder *const h = &w->indexes[v];
        if (h->phrases == NULL || !has_bit(h->phrases, id) ||
            !has_bit(h->bits, id)) /* it is no more than part of another */
            continue;
        if (count < room)
            out[count] = h->index.number;
        count++;
    }
    return count;
}
