/* SPDX-License-Identifier: MIT */
#ifndef TESTS_UNIT_BASE_GATE_H
#define TESTS_UNIT_BASE_GATE_H
/*
 * Allocations that fail on demand:
 *
 *   GATE_LOOP {             with one allocation more each time, until it is
 *       ...                 enough
 *       GATE_TRY(what_allocates());
 *       ...                 gate_status is what it gave
 *   }
 */
#include <stdatomic.h>

#include "base/mem.h"
#include "unit.h"

static atomic_long gate_left;

static inline bool gate_pass(size_t bytes)
{
    (void)bytes;
    return atomic_fetch_sub(&gate_left, 1) > 0;
}

/* From here on `count` allocations succeed and none after. */
static inline void gate_allow(long count)
{
    atomic_store(&gate_left, count);
    mem_set_gate(gate_pass);
}

static inline void gate_open(void)
{
    mem_set_gate(NULL);
}

__attribute__((unused)) static kedge_status gate_status;

#define GATE_LOOP                                               \
    for (long gate_k = (gate_status = KEDGE_ENOMEM, 0);         \
         gate_status != KEDGE_OK; gate_k++)

#define GATE_TRY(call)                                          \
    do {                                                        \
        gate_allow(gate_k);                                     \
        gate_status = (call);                                   \
        gate_open();                                            \
        ck_assert(gate_status == KEDGE_OK ||                    \
                  gate_status == KEDGE_ENOMEM);                 \
        ck_assert_int_lt(gate_k, 50000);                        \
    } while (0)

/* Runs `expr` with the first, the second, ... allocation failing, until none
 * does: each failure before is ENOMEM. */
#define gate_starve(expr)                         \
    do {                                          \
        kedge_status starved_ = KEDGE_ENOMEM;     \
        for (long k_ = 0; starved_ != KEDGE_OK; k_++) { \
            gate_allow(k_);                       \
            starved_ = (expr);                    \
            gate_open();                          \
            if (starved_ != KEDGE_OK)             \
                ck_assert_int_eq(starved_, KEDGE_ENOMEM); \
            ck_assert_int_lt(k_, 10000);          \
        }                                         \
    } while (0)

#endif
