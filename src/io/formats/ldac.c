/* SPDX-License-Identifier: MIT */
#include "io/formats/ldac.h"

#include <inttypes.h>

#include "base/fail.h"
#include "base/mem.h"
#include "io/bag.h"
#include "io/fields.h"
#include "io/malformed.h"
#include "io/quantity.h"

typedef struct ldac {
    lines *in;
    quantity_range words;
    bag bag;
} ldac;

static void ldac_close(void *state)
{
    ldac *l = state;

    if (l == NULL)
        return;
    bag_free(&l->bag);
    mem_free(l);
}

static kedge_status ldac_open(lines *in, const record_opts *opts, void **state,
                              kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    ldac *l = NULL;

    *state = NULL;
    TRY(quantity_check_words(in, opts->words, err));
    TRY_MEM(l = mem_new(1, sizeof *l));
    l->in = in;
    l->bag.most = opts->entries;
    l->words = (quantity_range){"word", 0, opts->words - 1};
    *state = l;
out:
    return st;
}

static kedge_status take_entries(ldac *l, span left, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    uint64_t word;
    uint32_t tally;
    span f;

    while (fields_next(&left, &f)) {
        TRY(quantity_pair(l->in, f, &l->words, &word, &tally, err));
        TRY(bag_add_number(&l->bag, l->in, (uint32_t)word, tally, err));
    }
out:
    return st;
}

static kedge_status ldac_next(void *state, record *out, bool *more,
                              kedge_error *err)
{
    static const quantity_range entries = {"number of entries", 0,
                                           BAG_ENTRIES_MAX};
    ldac *l = state;
    kedge_status st = KEDGE_OK;
    uint64_t said;
    span left, first;

    *out = (record){.kind = RECORD_NUMBERS};
    bag_clear(&l->bag);
    do {
        TRY(lines_next(l->in, &left, more, err));
        if (!*more)
            return KEDGE_OK;
    } while (!fields_next(&left, &first));
    TRY(quantity_number(l->in, first, &entries, &said, err));
    TRY(take_entries(l, left, err));
    if (l->bag.count != said)
        return malformed(l->in, err,
                         "the line has %zu entr%s: %" PRIu64 ", as it says "
                         "first, %s expected",
                         l->bag.count, l->bag.count == 1 ? "y" : "ies", said,
                         said == 1 ? "was" : "were");
    bag_give(&l->bag, RECORD_NUMBERS, out);
out:
    return st;
}

const record_format format_ldac = {
    .name = "ldac",
    .open = ldac_open,
    .next = ldac_next,
    .close = ldac_close,
};
