/* SPDX-License-Identifier: MIT */
/*
 * LDA-C, "ldac": a document a line,
 *
 *   N word:count word:count ...
 *
 * with N pairs. Words are numbers of lines in the vocabulary, from 0, in any
 * order. There are no ids and no labels. Empty lines are passed over; the line
 * "0" is a document without words.
 *
 * SVMlight's lines can look the same, so it is only read when asked for.
 */
#include <inttypes.h>

#include "base/fail.h"
#include "io/format.h"

static kedge_status ldac_line(records *r, span left, record *out,
                              kedge_error *err)
{
    uint64_t said;
    span f;

    (void)out;
    (void)fields_next(&left, &f);
    PASS(records_number(r, f, "number of entries", 0, BAG_ENTRIES_MAX, &said,
                        err));
    while (fields_next(&left, &f))
        PASS(records_pair(r, f, 0, err));
    if (r->bag.count != said)
        return malformed(r, err,
                         "the line has %zu entr%s: expected %" PRIu64 ", as "
                         "its first number says",
                         r->bag.count, r->bag.count == 1 ? "y" : "ies", said);
    return KEDGE_OK;
}

const record_format format_ldac = {
    .name = "ldac",
    .kind = RECORD_NUMBERS,
    .line = ldac_line,
};
