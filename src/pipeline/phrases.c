/* SPDX-License-Identifier: MIT */
#include "pipeline/phrases.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"
#include "base/run.h"
#include "base/wordmap.h"
#include "pipeline/joining.h"
#include "pipeline/lens.h"
#include "pipeline/pairs.h"

typedef struct finder {
    const phrases_input *in;
    store_list *list;
    store_joins *joins;
    uint32_t round;
    uint8_t *length; /* by id: of how many words it is, 0: not on the list */
    uint64_t *count; /* by id: how often */
    uint64_t total;
    size_t ids; /* that these two arrays are of */
    lens plain; /* documents as they are stored */
    joining joining;
    pairs *pairs;
    uint64_t *pair; /* of the document that is counted */
    size_t found, pair_capacity;
    docs batch;
    wordmap map;
    char *text; /* of a phrase */
    size_t text_capacity;
    double start;
} finder;

/* ---- counting ------------------------------------------------------------ */

static bool is_candidate(const finder *f, uint32_t left, uint32_t right)
{
    return left != JOINING_APART && right != JOINING_APART &&
           f->length[left] > 0 && f->length[right] > 0 &&
           f->length[left] + f->length[right] <= (int)f->joins->words;
}

static int compare_pairs(const void *left, const void *right)
{
    const uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;

    return a < b ? -1 : a > b;
}

static kedge_status finder_add(finder *f, kedge_error *err)
{
    kedge_status st = KEDGE_OK;

    qsort(f->pair, f->found, sizeof *f->pair, compare_pairs);
    for (size_t i = 0, n; i < f->found; i += n) {
        for (n = 1; i + n < f->found && f->pair[i + n] == f->pair[i]; n++)
            continue;
        TRY(pairs_add(f->pairs, f->pair[i], (uint32_t)n, err));
    }
out:
    return st;
}

/* Of a pair that overlaps the one before, as in "ha ha ha", only one can be
 * joined; counting both does no harm. */
static kedge_status finder_document(finder *f, size_t m, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const joining_unit *unit;

    TRY(joining_units(&f->joining, &f->batch, m, err));
    if (!mem_grow((void **)&f->pair, &f->pair_capacity, f->joining.units + 1,
                  sizeof *f->pair))
        TRY_MEM(NULL);
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
    TRY(finder_add(f, err));
out:
    return st;
}

static kedge_status finder_block(finder *f, uint64_t block, kedge_error *err)
{
    kedge_status st = KEDGE_OK;

    docs_clear(&f->batch);
    TRY(lens_read_ordered(&f->plain, f->in->s, block, &f->batch, err));
    for (size_t m = 0; m < f->batch.count; m++) {
        const size_t end = f->batch.start[m + 1];
        if (end > f->batch.start[m] && f->batch.word[end - 1] >= f->ids)
            TRY(kedge_fail(err, KEDGE_ECORRUPT,
                           "block %llu has word %u of %zu",
                           (unsigned long long)block, f->batch.word[end - 1],
                           f->ids));
        TRY(finder_document(f, m, err));
    }
out:
    return st;
}

static kedge_status finder_count(finder *f, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const uint64_t blocks = f->joins->blocks, rounds = f->joins->words - 1;

    memset(f->count, 0, f->ids * sizeof *f->count);
    f->total = 0;
    TRY(joining_open(&f->joining, f->joins, err));
    TRY(pairs_create(f->in->bytes, store_path(f->in->s), &f->pairs, err));
    for (uint64_t b = 0; b < blocks; b++) {
        TRY(run_check(f->in->control, err));
        TRY(finder_block(f, b, err));
        run_progress(f->in->control,
                     &(kedge_progress){
                         .stage = "finding phrases",
                         .done = (f->round - 1) * blocks + b + 1,
                         .total = rounds * blocks,
                         .unit = "blocks",
                         .seconds = clock_seconds() - f->start,
                     });
    }
out:
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

/* The words of both, and between them a sign that no word of a text has, as a
 * word of the vocabulary. */
static kedge_status finder_name(finder *f, uint32_t left, uint32_t right,
                                uint32_t *id, kedge_error *err)
{
    const words *const all = f->in->all;
    const size_t head = words_size(all, left), tail = words_size(all, right);

    if (!mem_grow((void **)&f->text, &f->text_capacity, head + 1 + tail, 1))
        return kedge_fail(err, KEDGE_ENOMEM, "out of memory (phrases)");
    memcpy(f->text, words_get(all, left), head);
    f->text[head] = '_';
    memcpy(f->text + head + 1, words_get(all, right), tail);
    if (!wordmap_add(&f->map, span_of(f->text, head + 1 + tail), id))
        return kedge_fail(err, KEDGE_ENOMEM, "out of memory (phrases)");
    return KEDGE_OK;
}

static kedge_status finder_join(finder *f, uint32_t left, uint32_t right,
                                kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    store_joins *const j = f->joins;
    uint32_t id;

    TRY(finder_name(f, left, right, &id, err));
    if (!mem_grow((void **)&j->join, &j->capacity, j->count + 1,
                  sizeof *j->join) ||
        !mem_grow((void **)&f->list->ids, &f->list->capacity,
                  f->list->count + 1, sizeof *f->list->ids))
        TRY_MEM(NULL);
    j->join[j->count++] = (store_join){left, right, id, f->round};
    f->list->ids[f->list->count++] = id;
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

/* Arrays by id, of all words that there are by now. */
static kedge_status finder_measure(finder *f, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const words *const all = f->in->all;

    f->ids = all->count;
    mem_free(f->length);
    mem_free(f->count);
    f->count = NULL;
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

static void finder_end_round(finder *f)
{
    joining_close(&f->joining);
    pairs_free(f->pairs);
    f->pairs = NULL;
}

static kedge_status finder_round(finder *f, kedge_error *err)
{
    kedge_status st = KEDGE_OK;

    TRY(finder_measure(f, err));
    TRY(finder_count(f, err));
    if (f->total == 0)
        TRY(kedge_fail(err, KEDGE_EINVAL,
                       "no phrases: no document has the order of words that "
                       "are chosen; it is stored of texts, unless they are "
                       "ingested as bags only"));
    TRY(pairs_drain(f->pairs, finder_choose, f, err));
out:
    finder_end_round(f);
    return st;
}

static int compare_joins(const void *left, const void *right)
{
    const store_join *const a = left, *const b = right;

    if (a->left != b->left)
        return a->left < b->left ? -1 : 1;
    return a->right < b->right ? -1 : a->right > b->right;
}

static int compare_ids(const void *left, const void *right)
{
    const uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;

    return a < b ? -1 : a > b;
}

/* Two ways may lead to one phrase: "a b" and "c", "a" and "b c". */
static void finder_order(finder *f)
{
    store_list *const l = f->list;
    size_t kept = 0;

    if (f->joins->count > 0)
        qsort(f->joins->join, f->joins->count, sizeof *f->joins->join,
              compare_joins);
    qsort(l->ids, l->count, sizeof *l->ids, compare_ids);
    for (size_t i = 0; i < l->count; i++)
        if (kept == 0 || l->ids[i] != l->ids[kept - 1])
            l->ids[kept++] = l->ids[i];
    l->count = kept;
}

kedge_status phrases_find(const phrases_input *in, store_list *list,
                          store_joins *joins, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    finder f = {.in = in, .list = list, .joins = joins,
                .plain = {.all = in->all}, .start = clock_seconds()};

    joins->count = 0;
    if (!wordmap_open(&f.map, in->all))
        TRY_MEM(NULL);
    for (f.round = 1; f.round < joins->words; f.round++) {
        const size_t before = joins->count;
        TRY(finder_round(&f, err));
        if (joins->count == before)
            break;
    }
    finder_order(&f);
out:
    mem_free(f.length);
    mem_free(f.count);
    mem_free(f.pair);
    mem_free(f.text);
    docs_free(&f.batch);
    lens_close(&f.plain);
    wordmap_close(&f.map);
    return st;
}

uint64_t phrases_memusage(uint64_t vocabulary)
{
    return vocabulary * (sizeof(uint8_t) + sizeof(uint64_t)) +
           wordmap_memusage(vocabulary) +
           (sizeof(store_join) + sizeof(uint32_t)) * vocabulary * 3 / 2;
}
