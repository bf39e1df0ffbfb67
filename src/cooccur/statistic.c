/* SPDX-License-Identifier: MIT */
#include "cooccur/statistic.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/fail.h"

/* In the order of the kinds. */
static const char *const names[STATISTICS] = {"raw", "log", "sqrt"};

uint32_t statistic_find(const char *name, size_t size)
{
    for (uint32_t kind = 0; kind < STATISTICS; kind++)
        if (strlen(names[kind]) == size && memcmp(names[kind], name, size) == 0)
            return kind;
    return STATISTIC_NONE;
}

const char *statistic_name(uint32_t kind)
{
    return kind < STATISTICS ? names[kind] : "unknown";
}

kedge_status statistic_listed(const char *list, size_t i, uint32_t *kind,
                              kedge_error *err)
{
    uint32_t seen = 0;

    for (size_t at = 0;; at++) {
        const size_t size = strcspn(list, ",");
        *kind = statistic_find(list, size);
        if (*kind == STATISTIC_NONE)
            return kedge_fail(err, KEDGE_EINVAL,
                              "--tf \"%.*s\": choose raw, log or "
                              "sqrt",
                              (int)(size < 40 ? size : 40), list);
        if (seen >> *kind & 1)
            return kedge_fail(err, KEDGE_EINVAL,
                              "--tf: %s is given twice", names[*kind]);
        if (at == i)
            return KEDGE_OK;
        if (list[size] == '\0')
            return kedge_fail(err, KEDGE_ENOTFOUND,
                              "--tf lists %zu", at + 1);
        seen |= UINT32_C(1) << *kind;
        list += size + 1;
    }
}

double statistic_total(const statistic_sum *s)
{
    return ldexp((double)s->high, 32) + (double)s->low;
}

kedge_status statistic_check_tokens(uint64_t asked, kedge_error *err)
{
    if (asked == 0 || (asked >= STATISTIC_TOKENS_LEAST &&
                       asked <= STATISTIC_TOKENS_MOST))
        return KEDGE_OK;
    return kedge_fail(err, KEDGE_EINVAL,
                      "min_tokens: %llu is not in %d to %d%s",
                      (unsigned long long)asked, STATISTIC_TOKENS_LEAST,
                      STATISTIC_TOKENS_MOST,
                      asked == 1 ? ": a document of one word has no pair of "
                                   "words to count"
                                 : "");
}

kedge_status statistic_check(uint32_t kind, uint32_t weight_bits,
                             uint32_t value_bits, kedge_error *err)
{
    if (kind < STATISTICS && weight_bits == statistic_weight_bits(kind) &&
        value_bits == statistic_value_bits(kind))
        return KEDGE_OK;
    return kedge_fail(err, KEDGE_EVERSION,
                      "the sketch (--tf number %u with %u and %u bits) was "
                      "made by another version of kedge",
                      kind, weight_bits, value_bits);
}

/* No tie is near: 2^b sqrt h is an integer or irrational, and ln h too far from
 * all halves for any library's last bit to matter. */
uint32_t statistic_compute(uint32_t kind, uint32_t tally, int bits)
{
    const double g = kind == STATISTIC_LOG ? 1 + log(tally) : sqrt(tally);

    assert(statistic_damped(kind) && tally >= 1);
    return (uint32_t)fmax(1, rint(ldexp(g, bits)));
}

void statistic_open(statistic *s, uint32_t kind)
{
    *s = (statistic){.kind = kind};
    for (uint32_t h = 1; statistic_damped(kind) && h < STATISTIC_TABLE; h++)
        s->value[h] =
            (uint16_t)statistic_compute(kind, h, STATISTIC_VALUE_BITS);
}
