/* SPDX-License-Identifier: MIT */
#include "io/bag.h"

#include <assert.h>
#include <inttypes.h>

#include "base/fail.h"
#include "base/mem.h"
#include "io/malformed.h"

void bag_clear(bag *b)
{
    b->count = 0;
    b->tokens = 0;
}

void bag_free(bag *b)
{
    mem_free(b->word);
    mem_free(b->number);
    mem_free(b->tally);
    *b = (bag){.most = b->most};
}

/* Whether one more fits, and the memory of its tally. */
static kedge_status add_tally(bag *b, const lines *in, uint32_t tally,
                              kedge_error *err)
{
    kedge_status st = KEDGE_OK;

    assert(tally > 0);
    if (b->count >= bag_most(b->most))
        return malformed(in, err,
                         "the document is too large: at most %zu entries "
                         "were expected",
                         bag_most(b->most));
    if (b->tokens + tally > BAG_TOKENS_MAX)
        return malformed(in, err,
                         "the document is too large: counts of at most "
                         "%" PRIu64 " in all were expected",
                         BAG_TOKENS_MAX);
    TRY_MEM(mem_grow((void **)&b->tally, &b->tally_capacity, b->count + 1,
                     sizeof *b->tally)
                ? b
                : NULL);
    b->tally[b->count] = tally;
out:
    return st;
}

kedge_status bag_add_word(bag *b, const lines *in, span word, uint32_t tally,
                          kedge_error *err)
{
    kedge_status st = KEDGE_OK;

    TRY(add_tally(b, in, tally, err));
    TRY_MEM(mem_grow((void **)&b->word, &b->word_capacity, b->count + 1,
                     sizeof *b->word)
                ? b
                : NULL);
    b->word[b->count++] = word;
    b->tokens += tally;
out:
    return st;
}

kedge_status bag_add_number(bag *b, const lines *in, uint32_t number,
                            uint32_t tally, kedge_error *err)
{
    kedge_status st = KEDGE_OK;

    TRY(add_tally(b, in, tally, err));
    TRY_MEM(mem_grow((void **)&b->number, &b->number_capacity, b->count + 1,
                     sizeof *b->number)
                ? b
                : NULL);
    b->number[b->count++] = number;
    b->tokens += tally;
out:
    return st;
}

void bag_give(const bag *b, record_kind kind, record *out)
{
    assert(kind != RECORD_TEXT);
    out->kind = kind;
    out->count = b->count;
    out->word = kind == RECORD_WORDS ? b->word : NULL;
    out->number = kind == RECORD_NUMBERS ? b->number : NULL;
    out->tally = b->tally;
}

uint64_t bag_memusage(record_kind kind)
{
    const uint64_t entry =
        sizeof(uint32_t) +
        (kind == RECORD_WORDS ? sizeof(span) : sizeof(uint32_t));

    /* Capacities end with the limit; the one before lies beside it for as long
     * as it is copied. */
    return entry * BAG_ENTRIES_MAX * 7 / 4;
}
