/* SPDX-License-Identifier: MIT */
#ifndef TESTS_UNIT_STORE_STATE_H
#define TESTS_UNIT_STORE_STATE_H
/* States of a store that tell themselves from each other, whatever is killed,
 * cut short or read meanwhile. */
#include <signal.h>
#include <sys/resource.h>

#include "store/scene.h"

enum { STATE_BYTES = 100000, STATE_IDS = 60 };

/* A state is a number, in the totals, in every byte of a long value, and in the
 * places of ids. Each one is written over all pages of the one before. */
static inline void put_state(scene *t, uint64_t n)
{
    const store_totals totals = {.documents = n};
    OWNED uint8_t *bytes = mem_new(STATE_BYTES, 1);
    char id[16];

    memset(bytes, (int)(n % 251), STATE_BYTES);
    scene_write(t);
    OK(store_put_totals(t->txn, &totals, &t->err));
    OK(store_put_model(t->txn, "m", bytes, STATE_BYTES, &t->err));
    for (uint64_t i = 0; i < STATE_IDS; i++) {
        snprintf(id, sizeof id, "%llu", (unsigned long long)i);
        OK(store_put_id(t->txn, span_text(id), (store_place){n, i}, &t->err));
    }
    scene_commit(t);
}

/* Of the open transaction: its number. */
static inline uint64_t get_state(scene *t)
{
    store_totals totals;
    const uint8_t *bytes;
    store_place p;
    size_t size;
    char id[16];

    OK(store_get_totals(t->txn, &totals, &t->err));
    OK(store_get_model_header(t->txn, "m", &bytes, &size, &t->err));
    ck_assert_uint_eq(size, STATE_BYTES);
    for (size_t i = 0; i < size; i++)
        if (bytes[i] != totals.documents % 251)
            ck_abort_msg("byte %zu is %d in state %llu", i, bytes[i],
                         (unsigned long long)totals.documents);
    for (uint64_t i = 0; i < STATE_IDS; i++) {
        snprintf(id, sizeof id, "%llu", (unsigned long long)i);
        OK(store_get_id(t->txn, span_text(id), &p, &t->err));
        ck_assert_uint_eq(p.block, totals.documents);
    }
    return totals.documents;
}

/* Of the newest state; 0 before the first. */
static inline uint64_t state_now(scene *t)
{
    store_totals totals;
    uint64_t n;

    scene_read(t);
    OK(store_get_totals(t->txn, &totals, &t->err));
    n = totals.documents == 0 ? 0 : get_state(t);
    store_abort(&t->txn);
    return n;
}

/* No file has more bytes from here on: a disk is full. */
static inline void limit_files(rlim_t most)
{
    struct rlimit limit;

    signal(SIGXFSZ, SIG_IGN);
    ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &limit), 0);
    limit.rlim_cur = most;
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

#endif
