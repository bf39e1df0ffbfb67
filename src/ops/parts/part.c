/* SPDX-License-Identifier: MIT */
#include "ops/parts/parts.h"

#include <inttypes.h>
#include <string.h>
#include <time.h>

#include "base/compare.h"
#include "base/fail.h"
#include "base/mem.h"
#include "ops/index/index.h"

void part_facts_free(part_facts *f)
{
    text_settings_free(&f->tokenizing);
    mem_free(f->part);
    mem_free(f->index);
    *f = (part_facts){0};
}

void part_words_free(part_words *p)
{
    words_free(&p->w);
    mem_free(p->tf);
    mem_free(p->df);
    *p = (part_words){0};
}

void part_free(part *p)
{
    part_facts_free(&p->facts);
    part_words_free(&p->words);
}

/* ---- what a store has ---------------------------------------------------- */

/* The last name of the store's path. */
static kedge_status name_of(store_txn *txn, char out[64], kedge_error *err)
{
    const char *const path = store_path(store_of(txn)), *from;
    size_t size = strlen(path);

    while (size > 0 && path[size - 1] == '/')
        size--;
    for (from = path + size; from > path && from[-1] != '/';)
        from--;
    size -= (size_t)(from - path);
    if (size == 0 || size > 63 || strspn(from, ".") == size)
        return kedge_fail(err, KEDGE_EINVAL,
                          "%s: a part needs a name of 1 to 63 bytes (--name)",
                          path);
    memcpy(out, from, size);
    return KEDGE_OK;
}

kedge_status part_of_own(store_txn *txn, const store_totals *t,
                         store_part *out, kedge_error *err)
{
    store_part sum;

    PASS(store_sum_parts(txn, t, &sum, err));
    *out = (store_part){.digest = {t->digest[0] - sum.digest[0],
                                   t->digest[1] - sum.digest[1]},
                        .documents = t->documents - sum.documents,
                        .tokens = t->tokens - sum.tokens,
                        .nonzeros = t->nonzeros - sum.nonzeros};
    return KEDGE_OK;
}

kedge_status part_facts_of(store_txn *txn, const store_totals *t,
                           const char *name, part_facts *out, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    store_part *own;

    out->documents = t->documents;
    out->tokens = t->tokens;
    out->nonzeros = t->nonzeros;
    memcpy(out->digest, t->digest, sizeof out->digest);
    TRY(text_settings_load(&out->tokenizing, txn, err));
    TRY_MEM(out->part = mem_new(t->parts + 1, sizeof *out->part));
    for (; out->parts < t->parts; out->parts++) {
        TRY(store_get_part(txn, out->parts, &out->part[out->parts], err));
        out->part[out->parts].when = 0;
    }
    own = &out->part[out->parts];
    TRY(part_of_own(txn, t, own, err));
    if (own->documents == 0)
        goto out;
    out->parts++;
    if (name == NULL)
        TRY(name_of(txn, own->name, err));
    else
        memcpy(own->name, name, strlen(name));
out:
    return st;
}

kedge_status part_add_index(part_facts *f, uint32_t number,
                            const store_index *index, kedge_error *err)
{
    kedge_status st = KEDGE_OK;

    if (f->indexes == PART_INDEXES_MOST)
        TRY(kedge_fail(err, KEDGE_EINVAL, "there are more than %d indexes",
                       PART_INDEXES_MOST));
    if (f->index == NULL)
        TRY_MEM(f->index = mem_new(PART_INDEXES_MOST, sizeof *f->index));
    f->index[f->indexes++] = (part_index){number, *index};
out:
    return st;
}

uint64_t part_width(const part_facts *f)
{
    uint64_t width = 0;

    for (size_t i = 0; i < f->indexes; i++)
        if (f->index[i].index.width > width)
            width = f->index[i].index.width;
    return width;
}

kedge_status part_words_room(part_words *p, size_t count, kedge_error *err)
{
    kedge_status st = KEDGE_OK;

    TRY_MEM(p->tf = mem_new(count, sizeof *p->tf));
    TRY_MEM(p->df = mem_new(count, sizeof *p->df));
out:
    return st;
}

/* There is room for its counts. */
static bool words_append(part_words *p, const words *from, size_t id,
                         uint64_t tf, uint64_t df)
{
    p->tf[p->w.count] = tf;
    p->df[p->w.count] = df;
    return words_add(&p->w, words_get(from, id), words_size(from, id));
}

kedge_status part_words_of(store_txn *txn, const words *all,
                           const uint32_t *order, uint32_t *place,
                           part_words *out, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const size_t n = all->count;
    part_words by_id = {0}; /* the counts alone */

    TRY(part_words_room(out, n, err));
    TRY(part_words_room(&by_id, n, err));
    TRY(store_get_counts(txn, by_id.tf, by_id.df, n, err));
    for (size_t r = 0; r < n; r++) {
        const uint32_t id = order[r];
        const bool held = by_id.df[id] > 0;
        if (place != NULL)
            place[id] = held ? (uint32_t)out->w.count : WORDMAP_NONE;
        if (held &&
            !words_append(out, all, id, by_id.tf[id], by_id.df[id]))
            TRY_MEM(NULL);
    }
out:
    part_words_free(&by_id);
    return st;
}

/* An index without a list has the words that there were when it was synced
 * last; there may be more, as phrases come without documents. */
kedge_status part_mark_rows(store_txn *txn, uint32_t number,
                            const store_index *v, size_t known, uint8_t bit,
                            uint8_t *mark, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    store_list list = {0};

    if (v->listed)
        TRY(store_get_list(txn, number, &list, err));
    for (size_t i = 0; i < list.count; i++) {
        if (list.ids[i] >= known)
            TRY(kedge_fail(err, KEDGE_ECORRUPT,
                           "the list of index %" PRIu32 " is damaged", number));
        mark[list.ids[i]] |= bit;
    }
    for (size_t id = 0; !v->listed && id < known && id < v->words; id++)
        mark[id] |= bit;
out:
    store_list_free(&list);
    return st;
}

/* ---- facts of two -------------------------------------------------------- */

bool part_same_kind(const store_index *a, const store_index *b)
{
    return a->listed == b->listed && a->joined == b->joined &&
           a->statistic == b->statistic && strcmp(a->rule, b->rule) == 0;
}

kedge_status part_indexes_agree(uint32_t number, const store_index *ours,
                                const store_index *theirs, kedge_error *err)
{
    const struct {
        const char *what;
        uint64_t ours, theirs;
    } facts[] = {
        {"the width (--sketch-size)", ours->width, theirs->width},
        {"the seed", ours->seed, theirs->seed},
        {"--min-tokens", ours->min_tokens, theirs->min_tokens},
        {"weight bits", ours->weight_bits, theirs->weight_bits},
        {"value bits", ours->value_bits, theirs->value_bits},
    };

    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++)
        if (facts[i].ours != facts[i].theirs)
            return kedge_fail(err, KEDGE_EINVAL,
                              "its sketch has %s %" PRIu64 ", that of index "
                              "%" PRIu32 " of the store has %" PRIu64 ": they "
                              "cannot be added", facts[i].what,
                              facts[i].theirs, number, facts[i].ours);
    return KEDGE_OK;
}

store_index part_empty_index(const store_index *like, uint32_t number)
{
    store_index v = *like;

    v.words = v.blocks = v.documents = v.skipped = v.tokens = 0;
    v.removals = v.parts = 0;
    v.total = 0;
    v.rows = index_first_rows(number);
    return v;
}

static kedge_status join_indexes(part_facts *all, const part_facts *f,
                                 kedge_error *err)
{
    size_t kept = 0;

    for (size_t i = 0; i < all->indexes; i++) {
        const store_index *const ours = &all->index[i].index;
        size_t j = 0;
        while (j < f->indexes && !part_same_kind(ours, &f->index[j].index))
            j++;
        if (j == f->indexes)
            continue;
        const kedge_status st = part_indexes_agree(all->index[i].number, ours,
                                                   &f->index[j].index, err);
        if (st != KEDGE_OK) {
            kedge_fail_context(err, "%s", f->part[0].name);
            return st;
        }
        all->index[kept++] = all->index[i];
    }
    all->indexes = kept;
    return KEDGE_OK;
}

static kedge_status join_facts(part_facts *all, const part_facts *f,
                               kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    store_part *joined;

    TRY(text_settings_join(&all->tokenizing, all->part[0].name,
                           &f->tokenizing, f->part[0].name, err));
    TRY(join_indexes(all, f, err));
    TRY_MEM(joined = mem_new(all->parts + f->parts, sizeof *joined));
    memcpy(joined, all->part, all->parts * sizeof *joined);
    memcpy(joined + all->parts, f->part, f->parts * sizeof *joined);
    mem_free(all->part);
    all->part = joined;
    all->parts += f->parts;
    all->documents += f->documents;
    all->tokens += f->tokens;
    all->nonzeros += f->nonzeros;
    all->digest[0] += f->digest[0];
    all->digest[1] += f->digest[1];
out:
    return st;
}

/* Of a's next word and b's: below zero where a's comes first. */
static int compare_next(const words *a, size_t i, const words *b, size_t j)
{
    if (i == a->count || j == b->count)
        return i == a->count ? j < b->count : -1;
    return compare_bytes(words_get(a, i), words_size(a, i), words_get(b, j),
                         words_size(b, j));
}

static kedge_status join_words(const part_words *a, const part_words *b,
                               part_words *out, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    size_t i = 0, j = 0;

    TRY(part_words_room(out, a->w.count + b->w.count, err));
    while (i < a->w.count || j < b->w.count) {
        const int order = compare_next(&a->w, i, &b->w, j);
        const part_words *const from = order <= 0 ? a : b;
        const size_t at = order <= 0 ? i : j;
        uint64_t tf = from->tf[at], df = from->df[at];
        if (order == 0) {
            tf += b->tf[j];
            df += b->df[j];
        }
        if (!words_append(out, &from->w, at, tf, df))
            TRY_MEM(NULL);
        i += order <= 0;
        j += order >= 0;
    }
out:
    return st;
}

kedge_status part_join(part *all, part *other, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    part_words both = {0};

    if (other->facts.documents == 0)
        return KEDGE_OK;
    if (all->facts.documents == 0) {
        part_free(all);
        *all = *other;
        *other = (part){0};
        return KEDGE_OK;
    }
    TRY(join_words(&all->words, &other->words, &both, err));
    TRY(join_facts(&all->facts, &other->facts, err));
    part_words_free(&all->words);
    all->words = both;
    both = (part_words){0};
    all->facts.words = all->words.w.count;
    all->facts.word_bytes = words_bytes(&all->words.w);
out:
    part_words_free(&both);
    return st;
}

/* ---- words of a part in a store ------------------------------------------ */

kedge_status part_add_words(wordmap *map, const words *some, uint32_t *id,
                            kedge_error *err)
{
    for (size_t i = 0; i < some->count; i++)
        if (!wordmap_add(map, span_of(words_get(some, i),
                                      words_size(some, i)), &id[i]))
            return kedge_fail(err, KEDGE_ENOMEM, "out of memory (words)");
    return KEDGE_OK;
}

kedge_status part_number_words(words *all, const words *some, bool add,
                               uint32_t *id, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    wordmap map = {0};

    TRY_MEM(wordmap_open(&map, all) ? all : NULL);
    if (add)
        TRY(part_add_words(&map, some, id, err));
    for (size_t i = 0; !add && i < some->count; i++)
        id[i] = wordmap_find(&map, span_of(words_get(some, i),
                                           words_size(some, i)));
out:
    wordmap_close(&map);
    return st;
}

/* ---- into the store ------------------------------------------------------ */

static void add_counts(const part_words *p, const uint32_t *id, uint64_t *tf,
                       uint64_t *df)
{
    for (size_t i = 0; i < p->w.count; i++) {
        tf[id[i]] += p->tf[i];
        df[id[i]] += p->df[i];
    }
}

/* Both of the store's counts, of all words and of its parts' alone, get those
 * of the part. */
static kedge_status put_counts(store_txn *txn, const part_words *p,
                               const uint32_t *id, const words *all,
                               size_t known, bool instead, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const size_t n = all->count;
    part_words sum = {0};

    TRY(part_words_room(&sum, n, err));
    if (!instead)
        TRY(store_get_counts(txn, sum.tf, sum.df, known, err));
    add_counts(p, id, sum.tf, sum.df);
    TRY(store_put_words(txn, all, known, err));
    TRY(store_put_counts(txn, sum.tf, sum.df, n, err));
    if (!instead) {
        TRY(store_get_part_counts(txn, sum.tf, sum.df, n, err));
        add_counts(p, id, sum.tf, sum.df);
    }
    TRY(store_put_part_counts(txn, sum.tf, sum.df, n, err));
out:
    part_words_free(&sum);
    return st;
}

kedge_status part_put(store_txn *txn, const part *p, const uint32_t *id,
                      const words *all, size_t known, bool instead,
                      store_totals *t, kedge_error *err)
{
    const part_facts *const f = &p->facts;
    const uint64_t now = (uint64_t)time(NULL);

    if (instead) {
        PASS(store_drop_parts(txn, err));
        t->parts = t->documents = t->tokens = t->nonzeros = 0;
        t->digest[0] = t->digest[1] = 0;
    }
    PASS(put_counts(txn, &p->words, id, all, known, instead, err));
    for (size_t i = 0; i < f->parts; i++) {
        store_part one = f->part[i];
        one.when = now;
        PASS(store_put_part(txn, t->parts++, &one, err));
    }
    t->documents += f->documents;
    t->tokens += f->tokens;
    t->nonzeros += f->nonzeros;
    t->digest[0] += f->digest[0];
    t->digest[1] += f->digest[1];
    t->words = all->count;
    t->word_bytes = words_bytes(all);
    return store_put_totals(txn, t, err);
}
