/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include "base/threadranks.h"

/* The ranks that a value has passed, as digits from 1. */
static void append_rank(void *data, void *value)
{
    uint64_t *const v = value;

    *v = *v * 10 + *(const unsigned *)data + 1;
}

static void reduce_thrice(void *data, communicator *c)
{
    uint64_t *const value = (uint64_t *)data + c->rank;
    unsigned rank = c->rank;

    for (int i = 0; i < 3; i++) {
        *value = 0;
        comm_reduce(c, value, sizeof *value, append_rank, &rank);
    }
}

TEST(reduction_goes_from_rank_to_rank_and_its_result_to_all)
{
    for (unsigned size = 1; size <= 5; size++) {
        uint64_t value[THREADRANKS_MOST] = {0}, expected = 0;
        const uint64_t heard = threadranks_run(size, reduce_thrice, value);
        for (unsigned r = 0; r < size; r++)
            expected = expected * 10 + r + 1;
        for (unsigned r = 0; r < size; r++)
            ck_assert_uint_eq(value[r], expected);
        /* along the ranks, and from the last to all */
        ck_assert_uint_eq(heard, 3 * 8 * 2 * (size - 1));
    }
}

static void exchange(void *data, communicator *c)
{
    for (unsigned s = 1; s < c->size; s++) {
        const unsigned to = (c->rank + s) % c->size;
        const unsigned from = (c->rank + c->size - s) % c->size;
        const uint64_t out = 100 * c->rank + to;
        uint64_t in = 0;
        comm_sendrecv(c, &out, sizeof out, to, &in, sizeof in, from);
        ck_assert_uint_eq(in, 100 * from + c->rank);
        /* one way alone: to the higher rank */
        comm_sendrecv(c, &out, to > c->rank ? sizeof out : 0, to, &in,
                      from < c->rank ? sizeof in : 0, from);
    }
    (void)data;
}

TEST(sendrecv_is_one_way_or_both)
{
    for (unsigned size = 1; size <= 7; size++)
        ck_assert_uint_eq(threadranks_run(size, exchange, NULL),
                          8 * size * (size - 1) + 4 * size * (size - 1));
}

TEST(no_communicator_is_this_process_alone)
{
    unsigned rank = 0;
    uint64_t value = 7;

    comm_reduce(NULL, &value, sizeof value, append_rank, &rank);
    ck_assert_uint_eq(value, 71);
}
