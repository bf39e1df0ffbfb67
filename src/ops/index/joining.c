/* SPDX-License-Identifier: MIT */
#include "ops/index/filter.h"

#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/fail.h"
#include "base/hash.h"
#include "base/mem.h"

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

/* ---- documents ----------------------------------------------------------- */

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
