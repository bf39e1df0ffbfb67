/* SPDX-License-Identifier: MIT */
#include "ops/index/phrases.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/fail.h"
#include "base/mem.h"
#include "base/run.h"
#include "base/wordmap.h"
#include "ops/index/filter.h"
#include "io/vocabulary.h"

typedef struct finder {
    store_txn *txn;
    words *all; /* the store's */
    uint64_t bytes; /* for counting pairs */
    const kedge_control *control;
    store_list *list;
    store_joins *joins;
    uint32_t round;
    /* Ids are those of words, and behind them those of phrases as they were
     * found, the i-th of f->joins; they get their own at the end. */
    size_t words, ids;
    uint8_t *length; /* by id: of how many words it is, 0: not on the list */
    uint64_t *count; /* by id: how often; at the end, in how many documents */
    uint64_t total;
    filter plain; /* documents as they are stored */
    joining joining;
    pairs *pairs;
    uint64_t *pair; /* of the document that is counted */
    size_t found, pair_capacity;
    docs batch;
    uint64_t documents, unordered; /* seen; of these, without an order */
    words dropped;  /* that are to be no phrases */
    wordmap drop;
    char *text; /* of a phrase */
    size_t size, text_capacity;
    uint32_t *seen;  /* by id: the document that had it last */
    uint32_t *parts; /* by id: phrases that it is a part of */
    bool *back;      /* by id: it was a part of one that is none */
    stage progress;
} finder;

/* ---- counting ------------------------------------------------------------ */

static bool is_candidate(const finder *f, uint32_t left, uint32_t right)
{
    return left != JOINING_APART && right != JOINING_APART &&
           f->length[left] > 0 && f->length[right] > 0 &&
           f->length[left] + f->length[right] <= (int)f->joins->words;
}

/* Of a pair that overlaps the one before, as in "ha ha ha", only one can be
 * joined; counting both does no harm. */
static kedge_status finder_document(finder *f, size_t m, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const joining_unit *unit;

    TRY(joining_units(&f->joining, &f->batch, m, err));
    TRY_GROW(f->pair, f->pair_capacity, f->joining.units + 1);
    unit = f->joining.unit;
    f->found = 0;
    for (size_t i = 0; i < f->joining.units; i++) {
        if (unit[i].id == JOINING_APART || f->length[unit[i].id] == 0)
            continue;
        f->count[unit[i].id]++;
        f->total++;
        if (i + 1 < f->joining.units &&
            is_candidate(f, unit[i].id, unit[i + 1].id))
            f->pair[f->found++] =
                (uint64_t)unit[i].id << 32 | unit[i + 1].id;
    }
    qsort(f->pair, f->found, sizeof *f->pair, compare_u64);
    for (size_t i = 0, n; i < f->found; i += n) {
        for (n = 1; i + n < f->found && f->pair[i + n] == f->pair[i]; n++)
            continue;
        TRY(pairs_add(f->pairs, f->pair[i], (uint32_t)n, err));
    }
out:
    return st;
}

/* One pass over the store: `read` gets each document of the batch. */
static kedge_status finder_pass(finder *f,
                                kedge_status (*read)(finder *f, size_t m,
                                                     kedge_error *err),
                                kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const uint64_t blocks = f->joins->blocks;
    const docs *const d = &f->batch;

    memset(f->count, 0, f->ids * sizeof *f->count);
    f->total = f->documents = f->unordered = 0;
    TRY(joining_open(&f->joining, f->joins, err));
    for (uint64_t b = 0;; b++) {
        TRY(store_next_block(f->txn, b, blocks, &b, err));
        if (b == blocks)
            break;
        TRY(stage_reach(&f->progress, (f->round - 1) * blocks + b, err));
        docs_clear(&f->batch);
        TRY(filter_read_ordered(&f->plain, f->txn, b, &f->batch, err));
        for (size_t m = 0; m < d->count; m++) {
            const size_t end = d->start[m + 1];
            if (end > d->start[m] && d->word[end - 1] >= f->words)
                TRY(kedge_fail(err, KEDGE_ECORRUPT,
                               "block %llu has word %u of %zu",
                               (unsigned long long)b, d->word[end - 1],
                               f->words));
            f->documents++;
            f->unordered += docs_order_size(d, m) == 0;
            TRY(read(f, m, err));
        }
    }
    TRY(stage_reach(&f->progress, f->round * blocks, err));
out:
    joining_close(&f->joining);
    return st;
}

/* ---- choosing ------------------------------------------------------------ */

double phrases_score(uint64_t both, uint64_t left, uint64_t right,
                     uint64_t total)
{
    const double n = (double)total, share = (double)both / n;

    if (both == total) /* there is nothing else */
        return 1;
    return log((double)both * n / ((double)left * (double)right)) /
           -log(share);
}

static bool finder_append(finder *f, const char *bytes, size_t size)
{
    if (!mem_grow((void **)&f->text, &f->text_capacity, f->size + size, 1))
        return false;
    memcpy(f->text + f->size, bytes, size);
    f->size += size;
    return true;
}

/* Appends the text of a word, or of a phrase: those of its parts, and between
 * them a sign that no word of a text has. */
static bool finder_spell(finder *f, uint32_t id)
{
    const words *const all = f->all;

    if (id < f->words)
        return finder_append(f, words_get(all, id), words_size(all, id));
    const store_join *const j = &f->joins->join[id - f->words];
    return finder_spell(f, j->left) && finder_append(f, "_", 1) &&
           finder_spell(f, j->right);
}

static kedge_status finder_join(finder *f, uint32_t left, uint32_t right,
                                kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    store_joins *const j = f->joins;
    const uint32_t id = (uint32_t)(f->words + j->count);

    TRY_GROW(j->join, j->capacity, j->count + 1);
    j->join[j->count++] = (store_join){left, right, id, f->round};
    if (f->dropped.count == 0)
        return KEDGE_OK;
    f->size = 0;
    TRY_MEM(finder_spell(f, id));
    if (wordmap_find(&f->drop, span_of(f->text, f->size)) != WORDMAP_NONE)
        j->count--;
out:
    return st;
}

static kedge_status finder_choose(void *data, const pair_count *c,
                                  kedge_error *err)
{
    finder *const f = data;
    const uint32_t left = (uint32_t)(c->pair >> 32);
    const uint32_t right = (uint32_t)c->pair;

    return c->df >= f->joins->documents &&
                   phrases_score(c->tf, f->count[left], f->count[right],
                                 f->total) >= f->joins->score
               ? finder_join(f, left, right, err)
               : KEDGE_OK;
}

/* ---- rounds -------------------------------------------------------------- */

static void finder_free_measures(finder *f)
{
    mem_free(f->length);
    mem_free(f->count);
    f->length = NULL;
    f->count = NULL;
}

/* Arrays by id, of all that there are by now. */
static kedge_status finder_measure(finder *f, kedge_error *err)
{
    kedge_status st = KEDGE_OK;

    finder_free_measures(f);
    f->ids = f->words + f->joins->count;
    TRY_MEM(f->length = mem_new(f->ids, sizeof *f->length));
    TRY_MEM(f->count = mem_new(f->ids, sizeof *f->count));
    for (size_t i = 0; i < f->list->count; i++)
        f->length[f->list->ids[i]] = 1;
    for (size_t i = 0; i < f->joins->count; i++) { /* parts come earlier */
        const store_join *const j = &f->joins->join[i];
        f->length[j->whole] = f->length[j->left] + f->length[j->right];
    }
out:
    return st;
}

/* Those that are chosen are added in the order of their pairs, while joins of
 * this round are not looked at. */
static kedge_status finder_round(finder *f, kedge_error *err)
{
    kedge_status st = KEDGE_OK;

    TRY(finder_measure(f, err));
    TRY(pairs_create(f->bytes, store_path(store_of(f->txn)), &f->pairs,
                     err));
    TRY(finder_pass(f, finder_document, err));
    if (f->total == 0)
        TRY(kedge_fail(err, KEDGE_EINVAL,
                       "no phrases: no document has its word order stored; "
                       "texts have it, unless they were ingested with "
                       "--bags-only"));
    if (f->round == 1 && f->unordered > 0)
        run_log(f->control,
                "%llu of %llu documents have no word order, so no phrases",
                (unsigned long long)f->unordered,
                (unsigned long long)f->documents);
    TRY(pairs_drain(f->pairs, finder_choose, f, err));
out:
    pairs_free(f->pairs);
    f->pairs = NULL;
    return st;
}

/* ---- what is left of them ------------------------------------------------ */

static void finder_see(finder *f, uint32_t id)
{
    if (f->seen[id] == f->documents)
        return;
    f->seen[id] = (uint32_t)f->documents;
    f->count[id]++;
}

static kedge_status finder_look(finder *f, size_t m, kedge_error *err)
{
    const docs *const d = &f->batch;

    if (docs_order_size(d, m) == 0)
        for (size_t k = d->start[m]; k < d->start[m + 1]; k++)
            finder_see(f, d->word[k]);
    PASS(joining_units(&f->joining, d, m, err));
    for (size_t i = 0; i < f->joining.units; i++)
        if (f->joining.unit[i].id != JOINING_APART)
            finder_see(f, f->joining.unit[i].id);
    return KEDGE_OK;
}

static bool finder_is_rare(const finder *f, const store_join *j)
{
    return f->count[j->whole] < f->joins->documents;
}

/* Phrases that share their words with others may come too rarely in the end:
 * they are none, unless longer ones are made of them. */
static void finder_give_up(finder *f)
{
    const store_joins *const joins = f->joins;

    for (size_t i = 0; i < joins->count; i++) {
        f->parts[joins->join[i].left]++;
        f->parts[joins->join[i].right]++;
    }
    for (size_t i = joins->count; i-- > 0;) { /* the longer ones come later */
        store_join *const j = &joins->join[i];
        if (!finder_is_rare(f, j) || f->parts[j->whole] > 0)
            continue;
        f->parts[j->left]--;
        f->parts[j->right]--;
        f->back[j->left] = f->back[j->right] = true;
        j->round = 0; /* it goes */
    }
}

/* What is left of words and phrases once all are joined. */
static kedge_status finder_settle(finder *f, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    store_list *const l = f->list;
    size_t kept = 0;

    TRY(finder_measure(f, err));
    TRY_MEM(f->seen = mem_new(f->ids, sizeof *f->seen));
    TRY_MEM(f->parts = mem_new(f->ids, sizeof *f->parts));
    TRY_MEM(f->back = mem_new(f->ids, sizeof *f->back));
    TRY(finder_pass(f, finder_look, err));
    finder_give_up(f);
    for (size_t i = 0; i < l->count; i++) /* phrases have taken the others */
        if (f->count[l->ids[i]] > 0 || f->back[l->ids[i]])
            l->ids[kept++] = l->ids[i];
    l->count = kept;
out:
    return st;
}

/* ---- their own ids ------------------------------------------------------- */

static int compare_joins(const void *left, const void *right)
{
    const store_join *const a = left, *const b = right;

    return a->left != b->left ? compare_numbers(a->left, b->left)
                              : compare_numbers(a->right, b->right);
}

/* Each phrase that is left becomes a word of the vocabulary; those that come
 * rarely by themselves are not on the list. `map` takes ids as they were. */
static kedge_status finder_name(finder *f, wordmap *all, uint32_t *map,
                                kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    store_list *const l = f->list;
    store_joins *const joins = f->joins;
    size_t kept = 0;

    for (size_t i = 0; i < joins->count; i++) {
        const store_join j = joins->join[i];
        if (j.round == 0)
            continue;
        f->size = 0;
        TRY_MEM(finder_spell(f, j.whole));
        TRY_MEM(wordmap_add(all, span_of(f->text, f->size), &map[i]));
        TRY_GROW(l->ids, l->capacity, l->count + 1);
        if (!finder_is_rare(f, &j))
            l->ids[l->count++] = map[i];
    }
    for (size_t i = 0; i < joins->count; i++) {
        store_join j = joins->join[i];
        if (j.round == 0)
            continue;
        j.left = j.left < f->words ? j.left : map[j.left - f->words];
        j.right = j.right < f->words ? j.right : map[j.right - f->words];
        j.whole = map[i];
        joins->join[kept++] = j;
    }
    joins->count = kept;
out:
    return st;
}

/* Their own ids, and all in order. One that the vocabulary has already, as a
 * bag had it, is the same word. */
static kedge_status finder_number(finder *f, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    store_list *const l = f->list;
    store_joins *const joins = f->joins;
    wordmap all = {0};
    uint32_t *map = NULL;
    size_t kept = 0;

    TRY_MEM(map = mem_new(joins->count, sizeof *map));
    TRY_MEM(wordmap_open(&all, f->all));
    TRY(finder_name(f, &all, map, err));
    if (joins->count > 0)
        qsort(joins->join, joins->count, sizeof *joins->join, compare_joins);
    if (l->count > 0)
        qsort(l->ids, l->count, sizeof *l->ids, compare_u32);
    for (size_t i = 0; i < l->count; i++)
        if (kept == 0 || l->ids[i] != l->ids[kept - 1])
            l->ids[kept++] = l->ids[i];
    l->count = kept;
out:
    wordmap_close(&all);
    mem_free(map);
    return st;
}

/* ---- the whole ----------------------------------------------------------- */

static void finder_close(finder *f)
{
    finder_free_measures(f);
    mem_free(f->pair);
    mem_free(f->text);
    mem_free(f->seen);
    mem_free(f->parts);
    mem_free(f->back);
    docs_free(&f->batch);
    filter_close(&f->plain);
    wordmap_close(&f->drop);
    words_free(&f->dropped);
}

kedge_status phrases_find(store_txn *txn, words *all, uint64_t bytes,
                          const char *drop, const kedge_control *control,
                          store_list *list, store_joins *joins,
                          kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    finder f = {.txn = txn, .all = all, .bytes = bytes, .control = control,
                .list = list, .joins = joins,
                .words = all->count, .plain = {.all = all},
                .progress = stage_begin(control, "finding phrases",
                                        joins->words * joins->blocks,
                                        "blocks")};

    joins->count = 0;
    if (drop != NULL)
        TRY(vocabulary_read(drop, &f.dropped, err));
    TRY_MEM(wordmap_open(&f.drop, &f.dropped));
    for (f.round = 1; f.round < joins->words; f.round++) {
        const size_t before = joins->count;
        TRY(finder_round(&f, err));
        if (joins->count == before)
            break;
    }
    TRY(finder_settle(&f, err));
    TRY(finder_number(&f, err));
out:
    finder_close(&f);
    return st;
}
