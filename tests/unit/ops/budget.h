/* SPDX-License-Identifier: MIT */
#ifndef TESTS_UNIT_OPS_BUDGET_H
#define TESTS_UNIT_OPS_BUDGET_H
/*
 * Budgets for memory plans.
 */
#include <kedge/control.h>

#include <stdint.h>

#define MIB(n) ((uint64_t)(n) << 20)

static inline kedge_control budget_of(unsigned threads, uint64_t memory)
{
    kedge_control c;

    kedge_control_init(&c);
    c.threads = threads;
    c.memory = memory;
    return c;
}

#endif
