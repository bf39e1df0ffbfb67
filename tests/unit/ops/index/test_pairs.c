/* SPDX-License-Identifier: MIT */
#include "ops/index/phrases.h"

#include <signal.h>
#include <sys/resource.h>

#include "base/chance.h"
#include "base/gate.h"
#include "store/scene.h"

enum { SMALL = 1 << 16 }; /* bytes of a table of 4096 pairs */

static const char *tmp(void)
{
    const char *const set = getenv("TMPDIR");

    return set != NULL ? set : "/tmp";
}

/* The twin: what was added, in the order in which it was. */
typedef struct added {
    uint64_t pair;
    uint32_t tf;
} added;

static int compare_added(const void *left, const void *right)
{
    const added *const a = left, *const b = right;

    return a->pair < b->pair ? -1 : a->pair > b->pair;
}

/* Sorts them, and puts the equal ones together. */
static pair_count *twin_counts(added *all, size_t n, size_t *count)
{
    pair_count *const out = calloc(n + 1, sizeof *out);

    qsort(all, n, sizeof *all, compare_added);
    *count = 0;
    for (size_t i = 0; i < n; i++) {
        if (i == 0 || all[i].pair != all[i - 1].pair)
            out[(*count)++].pair = all[i].pair;
        out[*count - 1].tf += all[i].tf;
        out[*count - 1].df++;
    }
    return out;
}

typedef struct drained {
    const pair_count *wanted;
    size_t count, seen, stop;
} drained;

static kedge_status compare(void *data, const pair_count *c, kedge_error *err)
{
    drained *const d = data;

    if (d->seen == d->stop)
        return KEDGE_ECANCELED;
    (void)err;
    ck_assert_uint_lt(d->seen, d->count);
    ck_assert_uint_eq(c->pair, d->wanted[d->seen].pair);
    ck_assert_uint_eq(c->tf, d->wanted[d->seen].tf);
    ck_assert_uint_eq(c->df, d->wanted[d->seen].df);
    d->seen++;
    return KEDGE_OK;
}

static uint64_t some_pair(chance *c, size_t kinds)
{
    const uint64_t left = chance_below(c, kinds), right = chance_below(c, 50);

    return left << 32 | right;
}

/* Adds `n` pairs of about 50 `kinds`, and compares what comes out. */
static void check(uint64_t seed, uint64_t bytes, size_t n, size_t kinds)
{
    added *const all = calloc(n + 1, sizeof *all);
    chance c = {.key = seed};
    kedge_error err = {0};
    drained d = {.stop = SIZE_MAX};
    pair_count *wanted;
    pairs *p;

    ck_ok(pairs_create(bytes, tmp(), &p, &err), err);
    for (size_t i = 0; i < n; i++) {
        all[i] = (added){some_pair(&c, kinds),
                         1 + (uint32_t)chance_below(&c, 5)};
        ck_ok(pairs_add(p, all[i].pair, all[i].tf, &err), err);
    }
    d.wanted = wanted = twin_counts(all, n, &d.count);
    ck_ok(pairs_drain(p, compare, &d, &err), err);
    ck_assert_uint_eq(d.seen, d.count);
    pairs_free(p);
    free(wanted);
    free(all);
}

/* Of tables so small that there are dozens of runs; sizes at which a run is
 * just full, or has just begun. */
TEST(counts_are_those_of_a_sorted_list)
{
    static const size_t sizes[] = {0,    1,    100,  3072,  3073,
                                   6143, 6144, 6145, 50000, 200000};

    for (uint64_t seed = 0; seed < 50; seed++)
        check(seed, seed % 3 == 0 ? PAIRS_LEAST : SMALL, sizes[seed % 10],
              1 + (seed % 5) * 1500);
}

/* In the table, and where runs come together. */
TEST(counts_stop_at_what_they_can_hold)
{
    const pair_count wanted[] = {{5, UINT32_MAX, 4}, {6, UINT32_MAX, 2}};

    for (int spilled = 0; spilled < 2; spilled++) {
        drained d = {.wanted = wanted, .count = 2,
                     .stop = spilled ? 2 : SIZE_MAX};
        kedge_error err = {0};
        pairs *p;
        ck_ok(pairs_create(SMALL, tmp(), &p, &err), err);
        ck_ok(pairs_add(p, 5, UINT32_MAX - 1, &err), err);
        ck_ok(pairs_add(p, 5, 1, &err), err);
        ck_ok(pairs_add(p, 6, UINT32_MAX, &err), err);
        for (uint64_t i = 0; spilled && i < 10000; i++)
            ck_ok(pairs_add(p, 1000 + i, 1, &err), err);
        ck_ok(pairs_add(p, 5, UINT32_MAX, &err), err);
        ck_ok(pairs_add(p, 5, 1, &err), err);
        ck_ok(pairs_add(p, 6, 1, &err), err);
        ck_assert_int_eq(pairs_drain(p, compare, &d, &err),
                         spilled ? KEDGE_ECANCELED : KEDGE_OK);
        ck_assert_uint_eq(d.seen, 2);
        pairs_free(p);
    }
}

static kedge_status add_many(pairs *p, size_t n, kedge_error *err)
{
    kedge_status st = KEDGE_OK;

    for (size_t i = 0; st == KEDGE_OK && i < n; i++)
        st = pairs_add(p, hash_mix(i), 1, err);
    return st;
}

/* One is needed only when the table is full. */
TEST(a_directory_that_is_not_there_is_told)
{
    drained d = {.stop = 0};
    kedge_error err = {0};
    pairs *p;

    ck_ok(pairs_create(SMALL, "/nowhere", &p, &err), err);
    ck_ok(add_many(p, 3072, &err), err);
    ck_fails(add_many(p, 1 << 20, &err), KEDGE_EIO, err,
             "/nowhere: cannot make the file of pairs: No such file");
    pairs_free(p);
    ck_ok(pairs_create(SMALL, "/nowhere", &p, &err), err);
    ck_ok(add_many(p, 3072, &err), err);
    ck_assert_int_eq(pairs_drain(p, compare, &d, &err), KEDGE_ECANCELED);
    pairs_free(p);
}

/* Files may be as large as a run and a half. */
TEST(a_full_disk_is_told)
{
    struct rlimit before, now;
    kedge_error err = {0};
    pairs *p;
    kedge_status st;

    signal(SIGXFSZ, SIG_IGN);
    ck_ok(pairs_create(SMALL, tmp(), &p, &err), err);
    ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &before), 0);
    now = (struct rlimit){3072 * sizeof(pair_count) * 3 / 2, before.rlim_max};
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &now), 0);
    st = add_many(p, 1 << 20, &err);
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &before), 0);
    ck_fails(st, KEDGE_EIO, err, "cannot write the file of pairs: ");
    pairs_free(p);
}

static kedge_status count_many(drained *d, kedge_error *err)
{
    pairs *p = NULL;
    kedge_status st = pairs_create(1 << 18, tmp(), &p, err);

    if (st == KEDGE_OK)
        st = add_many(p, 60000, err);
    if (st == KEDGE_OK)
        st = pairs_drain(p, compare, d, err);
    pairs_free(p);
    return st;
}

TEST(no_memory_is_told)
{
    kedge_error err = {0};

    GATE_LOOP {
        drained d = {.stop = 0};
        kedge_status st;
        gate_allow(gate_k);
        st = count_many(&d, &err);
        gate_open();
        ck_assert(st == KEDGE_ENOMEM || st == KEDGE_ECANCELED);
        gate_status = st == KEDGE_ECANCELED ? KEDGE_OK : st;
    }
}
