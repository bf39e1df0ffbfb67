/* SPDX-License-Identifier: MIT */
#ifndef COOCCUR_STATISTIC_H
#define COOCCUR_STATISTIC_H
/*
 * What a document says of its words: how much a word that comes h times in it
 * counts, g(h), and how much the document, w. The statistics of an index are
 *
 *   C = Σ_m w_m (g g' - D_m), over its total,    g = g(h_m)
 *
 *   joint  g = h         w = 1/(n (n - 1))   D = diag h    n tokens
 *   log    g = 1 + ln h  w = 1/|g|²          D = diag g²
 *   sqrt   g = sqrt h    w = 1/|g|²          D = diag g²
 *
 * The last two are damped: a word's tenth occurrence counts less than its
 * first. All are sums of integers. Damped counts are x = round(2^b g), with b
 * their value bits, and from x on nothing else is rounded but each a =
 * round(2^S x w) with w = 1/|x|²; b drops out of a x as it does of C.
 */
#include <kedge/ingest.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum statistic_kind {
    STATISTIC_JOINT = 0,
    STATISTIC_LOG = 1,
    STATISTIC_SQRT = 2,
} statistic_kind;

#define STATISTICS 3
#define STATISTIC_NONE UINT32_MAX
#define STATISTIC_USUAL STATISTIC_LOG /* where none is asked for */

/* S of the joint statistic, and of the damped ones, with their b. */
#define STATISTIC_JOINT_BITS 40
#define STATISTIC_DAMPED_BITS 32
#define STATISTIC_VALUE_BITS 5

/* Documents that count have so many tokens: one has no pair of words. */
#define STATISTIC_TOKENS_LEAST 2
#define STATISTIC_TOKENS_MOST 1000
/* What is usual, where 0 asks for nothing. */
#define STATISTIC_SEED_USUAL 1

#define STATISTIC_TABLE 1024 /* tallies below it are looked up */

typedef struct statistic {
    uint32_t kind;
    uint16_t value[STATISTIC_TABLE]; /* x of a tally, with all its bits */
} statistic;

/* "raw", "log" or "sqrt": its kind, or STATISTIC_NONE. */
uint32_t statistic_find(const char *name, size_t size);
/* "unknown" where it is none of these. */
const char *statistic_name(uint32_t kind);

/* The kind at place `i` of a list of names between commas, or of a single one;
 * ENOTFOUND past its last, EINVAL when it is not known or comes twice. */
kedge_status statistic_listed(const char *list, size_t i, uint32_t *kind,
                              kedge_error *err);

static inline bool statistic_damped(uint32_t kind)
{
    return kind != STATISTIC_JOINT;
}

static inline uint32_t statistic_weight_bits(uint32_t kind)
{
    return statistic_damped(kind) ? STATISTIC_DAMPED_BITS
                                  : STATISTIC_JOINT_BITS;
}

static inline uint32_t statistic_value_bits(uint32_t kind)
{
    return statistic_damped(kind) ? STATISTIC_VALUE_BITS : 0;
}

/* A damped index's total: its rows' sums are added as integers, so that their
 * order does not matter. */
typedef struct statistic_sum {
    uint64_t high, low;
} statistic_sum;

static inline void statistic_add(statistic_sum *s, int64_t row)
{
    s->high += (uint64_t)row >> 32;
    s->low += (uint64_t)row & UINT32_MAX;
}

double statistic_total(const statistic_sum *s);

static inline uint64_t statistic_seed(uint64_t asked)
{
    return asked != 0 ? asked : STATISTIC_SEED_USUAL;
}

static inline uint64_t statistic_min_tokens(uint64_t asked)
{
    return asked != 0 ? asked : KEDGE_MIN_TOKENS;
}

/* EINVAL for what is asked of a document's tokens; 0 asks for nothing. */
kedge_status statistic_check_tokens(uint64_t asked, kedge_error *err);

/* EVERSION when a sketch of this kind and these bits is another kedge's. */
kedge_status statistic_check(uint32_t kind, uint32_t weight_bits,
                             uint32_t value_bits, kedge_error *err);

void statistic_open(statistic *s, uint32_t kind);

/* round(2^bits g(tally)), of a damped one, but 1 at least. */
uint32_t statistic_compute(uint32_t kind, uint32_t tally, int bits);

/* The same; `bits` are at most those of the kind. */
static inline uint32_t statistic_value(const statistic *s, uint32_t tally,
                                       int bits)
{
    return tally < STATISTIC_TABLE && bits == STATISTIC_VALUE_BITS
               ? s->value[tally]
               : statistic_compute(s->kind, tally, bits);
}

#endif
