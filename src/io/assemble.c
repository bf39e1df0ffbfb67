/* SPDX-License-Identifier: MIT */
/*
 * A document's words are counted in an array by id. Which ids it has is kept in
 * a set of two levels of bits, one bit above for each 64 below: walking through
 * it gives them in their order, without sorting, in time that hardly grows with
 * the vocabulary. Looking words up would take most of the time, for the lexicon
 * is larger than the caches; the few that make up most of a text are remembered
 * in a small table of their own.
 */
#include "io/assemble.h"

#include "base/bytes.h"
#include "base/fail.h"
#include "base/hash.h"
#include "base/mem.h"

#define BITS 64
#define RECENT_BITS 14
#define RECENT_MOST 16 /* bytes of a word that is remembered */
#define APART WORDMAP_NONE

/* A word as numbers: of one size, no two have the same. */
typedef struct recent {
    uint64_t head, tail;
    uint32_t size; /* 0: nothing here */
    uint32_t id;
} recent;

struct assembler {
    reader_opts opts;
    tokenizer *tokens;
    uint32_t *tally; /* by id, zero between documents, as the bits are */
    uint64_t *low, *high;
    size_t tally_capacity, low_capacity, high_capacity;
    recent *recent;
    uint32_t *order; /* of the text: ids of its words, and APART */
    size_t ordered, order_capacity;
    bool keeps_order;
    bool too_long; /* for an order */
    uint64_t unbroken; /* texts */
};

kedge_status assemble_open(const reader_opts *opts, assembler **out,
                           kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    assembler *a = NULL;

    *out = NULL;
    TRY_MEM(a = mem_new(1, sizeof *a));
    a->opts = *opts;
    TRY(tokenizer_create(opts->tokens, &a->tokens, err));
    TRY_MEM(a->recent = mem_new((size_t)1 << RECENT_BITS, sizeof *a->recent));
    *out = a;
    a = NULL;
out:
    assemble_close(a);
    return st;
}

void assemble_set_order(assembler *a, bool order)
{
    a->keeps_order = order;
}

void assemble_close(assembler *a)
{
    if (a == NULL)
        return;
    tokenizer_free(a->tokens);
    mem_free(a->tally);
    mem_free(a->low);
    mem_free(a->high);
    mem_free(a->recent);
    mem_free(a->order);
    mem_free(a);
}

/* One of the three arrays for ids below `ids`; what is new is zero. */
static bool assemble_room(void **array, size_t *capacity, size_t ids,
                          size_t size)
{
    const size_t before = *capacity;

    if (ids <= before)
        return true;
    if (!mem_grow(array, capacity, ids, size))
        return false;
    memset((char *)*array + before * size, 0, (*capacity - before) * size);
    return true;
}

static kedge_status assemble_reserve(assembler *a, kedge_error *err)
{
    const size_t known = a->opts.lexicon->list->count;
    const size_t ids = known > a->opts.unknown ? known : a->opts.unknown + 1;

    PASS_MEM(assemble_room((void **)&a->tally, &a->tally_capacity, ids,
                           sizeof *a->tally));
    PASS_MEM(assemble_room((void **)&a->low, &a->low_capacity, ids / BITS + 1,
                           sizeof *a->low));
    PASS_MEM(assemble_room((void **)&a->high, &a->high_capacity,
                           ids / BITS / BITS + 1, sizeof *a->high));
    return KEDGE_OK;
}

static void assemble_mark(assembler *a, uint32_t id, uint32_t tally)
{
    const uint64_t sum = (uint64_t)a->tally[id] + tally;

    a->tally[id] = sum < UINT32_MAX ? (uint32_t)sum : UINT32_MAX;
    a->low[id / BITS] |= UINT64_C(1) << id % BITS;
    a->high[id / BITS / BITS] |= UINT64_C(1) << id / BITS % BITS;
}

/* Of a word of 1 to RECENT_MOST bytes. */
static inline recent recent_of(span word)
{
    const uint8_t *const p = (const uint8_t *)word.bytes;
    const size_t n = word.size;
    recent r = {.size = (uint32_t)n};

    if (n >= 8) {
        r.head = get_u64(p);
        r.tail = get_u64(p + n - 8);
    } else if (n >= 4) {
        r.head = get_u32(p);
        r.tail = get_u32(p + n - 4);
    } else {
        r.head = (uint64_t)p[0] << 8 | p[n - 1];
        r.tail = p[n / 2];
    }
    return r;
}

static inline recent *recent_place(const assembler *a, const recent *r)
{
    const uint64_t mixed =
        (r->head ^ (r->tail + r->size) * HASH_GOLDEN) * HASH_GOLDEN;

    return &a->recent[(mixed ^ mixed >> 32) * HASH_GOLDEN >>
                      (64 - RECENT_BITS)];
}

static kedge_status assemble_find(assembler *a, span word, uint32_t *id,
                                  kedge_error *err)
{
    if (a->opts.closed || a->opts.vocabulary) {
        *id = wordmap_find(a->opts.lexicon, word);
        if (*id == WORDMAP_NONE && a->opts.unknown > 0)
            *id = a->opts.unknown;
    } else {
        PASS_MEM(wordmap_add(a->opts.lexicon, word, id));
    }
    return KEDGE_OK;
}

/* A word's id never changes, so what is remembered stays right. */
static inline kedge_status assemble_id(assembler *a, span word, uint32_t *id,
                                       kedge_error *err)
{
    kedge_status st;
    recent r, *place;

    if (word.size == 0 || word.size > RECENT_MOST)
        return assemble_find(a, word, id, err);
    r = recent_of(word);
    place = recent_place(a, &r);
    if (place->head == r.head && place->tail == r.tail &&
        place->size == r.size) {
        *id = place->id;
        return KEDGE_OK;
    }
    st = assemble_find(a, word, id, err);
    if (st != KEDGE_OK || *id == WORDMAP_NONE)
        return st;
    r.id = *id;
    *place = r;
    return KEDGE_OK;
}

static kedge_status assemble_count(assembler *a, span word, uint32_t tally,
                                   uint32_t *id, kedge_error *err)
{
    const words *const list = a->opts.lexicon->list;
    const size_t known = list->count;

    PASS(assemble_id(a, word, id, err));
    if (list->count > known)
        PASS(assemble_reserve(a, err));
    if (*id != WORDMAP_NONE)
        assemble_mark(a, *id, tally);
    return KEDGE_OK;
}

/* Two words that do not stand side by side have one APART between them. */
static kedge_status assemble_append(assembler *a, uint32_t id, bool apart,
                                    kedge_error *err)
{
    if (a->ordered + 2 > DOCS_ORDER_MOST)
        a->too_long = true;
    if (a->too_long)
        return KEDGE_OK;
    PASS_GROW(a->order, a->order_capacity, a->ordered + 2);
    if (apart && a->ordered > 0)
        a->order[a->ordered++] = APART;
    a->order[a->ordered++] = id;
    return KEDGE_OK;
}

static kedge_status assemble_text(assembler *a, span text, kedge_error *err)
{
    bool apart = false;
    uint32_t id;
    span word;

    tokenizer_begin(a->tokens, text);
    while (tokenizer_next(a->tokens, &word)) {
        PASS(assemble_count(a, word, 1, &id, err));
        if (!a->keeps_order)
            continue;
        apart |= tokenizer_apart(a->tokens);
        if (id == WORDMAP_NONE) {
            apart = true;
            continue;
        }
        PASS(assemble_append(a, id, apart, err));
        apart = false;
    }
    a->unbroken += tokenizer_unbroken(a->tokens);
    return KEDGE_OK;
}

static kedge_status assemble_words(assembler *a, const record *r,
                                   kedge_error *err)
{
    uint32_t id;

    switch (r->kind) {
    case RECORD_TEXT:
        PASS(assemble_text(a, r->text, err));
        break;
    case RECORD_WORDS:
        for (size_t k = 0; k < r->count; k++)
            PASS(assemble_count(a, r->word[k], r->tally[k], &id, err));
        break;
    case RECORD_NUMBERS:
        for (size_t k = 0; k < r->count; k++)
            assemble_mark(a, a->opts.map == NULL ? r->number[k]
                                                 : a->opts.map[r->number[k]],
                          r->tally[k]);
        break;
    }
    return KEDGE_OK;
}

/* Empties the set into the document that was begun last; `batch` NULL: drops
 * what it has. false when there is no memory. */
static bool assemble_empty(assembler *a, docs *batch)
{
    bool fits = true;

    for (size_t i = 0; i < a->high_capacity; i++) {
        for (uint64_t above = a->high[i]; above != 0; above &= above - 1) {
            const size_t at = i * BITS + (size_t)__builtin_ctzll(above);
            for (uint64_t bits = a->low[at]; bits != 0; bits &= bits - 1) {
                const size_t id = at * BITS + (size_t)__builtin_ctzll(bits);
                if (fits && batch != NULL)
                    fits = docs_push(batch, (uint32_t)id, a->tally[id]);
                a->tally[id] = 0;
            }
            a->low[at] = 0;
        }
        a->high[i] = 0;
    }
    return fits;
}

static bool assemble_is_empty(const assembler *a)
{
    for (size_t i = 0; i < a->high_capacity; i++)
        if (a->high[i] != 0)
            return false;
    return true;
}

/* Of the document that was begun last: ids become symbols by way of the array
 * of tallies, which is zero again. */
static bool assemble_order(assembler *a, docs *batch)
{
    const size_t from = batch->start[batch->count - 1];
    const size_t n = batch->start[batch->count] - from;
    const uint32_t *const word = batch->word + from;

    for (size_t k = 0; k < n; k++)
        a->tally[word[k]] = (uint32_t)k + 1;
    for (size_t i = 0; i < a->ordered; i++)
        a->order[i] = a->order[i] == APART ? DOCS_APART
                                           : a->tally[a->order[i]];
    for (size_t k = 0; k < n; k++)
        a->tally[word[k]] = 0;
    return docs_push_order(batch, a->order, a->ordered);
}

/* Whether the record's numbers are the document's ids, in order: as nearly all
 * of the largest files have them. */
static bool is_in_order(const assembler *a, const record *r)
{
    size_t k = 1;

    while (k < r->count && r->number[k] > r->number[k - 1])
        k++;
    return a->opts.map == NULL && k >= r->count;
}

kedge_status assemble_add(assembler *a, const record *r, uint64_t position,
                          docs *batch, kedge_error *err)
{
    const bool copied = r->kind == RECORD_NUMBERS && is_in_order(a, r);
    kedge_status st = KEDGE_OK;
    const size_t before = batch->count;

    TRY(assemble_reserve(a, err));
    a->ordered = 0;
    a->too_long = false;
    if (!copied)
        TRY(assemble_words(a, r, err));
    if ((copied ? r->count == 0 : assemble_is_empty(a)) && !a->opts.empty &&
        !(a->opts.empty_named && r->id.size > 0))
        return KEDGE_OK;
    TRY_MEM(docs_begin(batch, position));
    TRY_MEM(docs_set_name(batch, r->id, r->label));
    for (size_t k = 0; copied && k < r->count; k++)
        TRY_MEM(docs_push(batch, r->number[k], r->tally[k]));
    TRY_MEM(assemble_empty(a, batch));
    if (a->ordered > 0 && !a->too_long)
        TRY_MEM(assemble_order(a, batch));
out:
    if (st != KEDGE_OK) {
        batch->count = before; /* as it was */
        assemble_empty(a, NULL);
    }
    return st;
}

uint64_t assemble_unbroken(const assembler *a)
{
    return a->unbroken;
}
