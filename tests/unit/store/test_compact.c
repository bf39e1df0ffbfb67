/* SPDX-License-Identifier: MIT */
#include "store/store.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "store/files.h"
#include "store/kv.h"
#include "store/scene.h"

enum { BLOCKS = 30, SEEDS = 64 };

/* Documents as records, made before any process is: those that are killed in
 * the midst must not write to what Check reads. */
static store_block made[SEEDS];

static void prepare(scene *t)
{
    docs d = {0};

    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        scene_docs(&d, seed, 100);
        OK(store_block_encode(&made[seed], 0, &d, 0, 100, &t->err));
    }
    docs_free(&d);
    scene_paths(t);
}

/* Blocks `seed` and on, in one transaction, and totals that tell the seed. */
static bool put_all(scene *t, uint64_t seed)
{
    const store_totals totals = {.blocks = BLOCKS, .tokens = seed};

    if (store_begin_write(t->s, &t->txn, &t->err) != KEDGE_OK)
        return false;
    for (uint64_t n = 0; n < BLOCKS; n++)
        if (store_put_block(t->txn, n, &made[(seed + n) % SEEDS], &t->err) !=
            KEDGE_OK)
            return false;
    return store_put_totals(t->txn, &totals, &t->err) == KEDGE_OK &&
           store_commit(&t->txn, &t->err) == KEDGE_OK;
}

static void fill(scene *t, uint64_t seed)
{
    ck_assert_msg(put_all(t, seed), "%s", t->err.text);
}

/* The seed of the snapshot that is open; UINT64_MAX when not all of it is
 * there. */
static uint64_t seed_of(scene *t)
{
    store_totals totals;
    const uint8_t *bytes;
    size_t size;

    if (store_get_totals(t->txn, &totals, &t->err) != KEDGE_OK ||
        totals.blocks != BLOCKS)
        return UINT64_MAX;
    for (uint64_t n = 0; n < BLOCKS; n++) {
        const store_block *const b = &made[(totals.tokens + n) % SEEDS];
        if (store_get_block(t->txn, n, &bytes, &size, &t->err) != KEDGE_OK ||
            size != b->size ||
            memcmp(bytes + FRAME_HEAD, b->bytes + FRAME_HEAD,
                   size - FRAME_HEAD) != 0)
            return UINT64_MAX;
    }
    return totals.tokens;
}

static uint64_t seed_now(scene *t)
{
    uint64_t seed;

    if (store_begin_read(t->s, &t->txn, &t->err) != KEDGE_OK)
        return UINT64_MAX;
    seed = seed_of(t);
    store_abort(&t->txn);
    return seed;
}

static bool exists(const scene *t, const char *name)
{
    char file[256];

    snprintf(file, sizeof file, "%s/%s", t->path, name);
    return access(file, F_OK) == 0;
}

TEST(a_store_shrinks_and_goes_on)
{
    OWN(scene_drop) scene *const t = scene_blank();

    prepare(t);
    scene_open(t, KEDGE_OPEN_CREATE);
    OK(store_compact(t->s, NULL, &t->err)); /* empty */
    for (uint64_t round = 1; round < 6; round++) {
        fill(t, 100 * round);
        fill(t, 1000 * round);
        const uint64_t before = store_disk_bytes(t->s);
        OK(store_compact(t->s, NULL, &t->err));
        ck_assert_uint_lt(store_disk_bytes(t->s), before);
        ck_assert_uint_eq(seed_now(t), 1000 * round);
        OK(store_compact(t->s, NULL, &t->err)); /* twice */
        if (round % 2 == 0)
            scene_reopen(t, KEDGE_OPEN_WRITE);
        ck_assert(!exists(t, DIRECTORY_COPY));
    }
    scene_read(t);
    FAILS(store_compact(t->s, NULL, &t->err), KEDGE_EMISUSE, "open already");
    scene_reopen(t, KEDGE_OPEN_READ);
    FAILS(store_compact(t->s, NULL, &t->err), KEDGE_EMISUSE,
          "for reading only");
}

TEST(a_leftover_is_removed)
{
    char file[160];
    OWN(scene_drop) scene *const t = scene_blank();

    prepare(t);
    scene_open(t, KEDGE_OPEN_CREATE);
    fill(t, 1);
    snprintf(file, sizeof file, "%s/%s", t->path, DIRECTORY_COPY);
    close(open(file, O_CREAT | O_WRONLY, 0666));
    scene_reopen(t, KEDGE_OPEN_READ);
    ck_assert(exists(t, DIRECTORY_COPY));
    scene_reopen(t, KEDGE_OPEN_WRITE);
    ck_assert(!exists(t, DIRECTORY_COPY));
    OK(store_compact(t->s, NULL, &t->err));
}

TEST(a_full_disk_leaves_the_store_as_it_was)
{
    struct rlimit before, limit = {200000, RLIM_INFINITY};
    OWN(scene_drop) scene *const t = scene_blank();

    prepare(t);
    scene_open(t, KEDGE_OPEN_CREATE);
    fill(t, 7);
    signal(SIGXFSZ, SIG_IGN);
    ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &before), 0);
    limit.rlim_max = before.rlim_max;
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
    FAILS(store_compact(t->s, NULL, &t->err), KEDGE_EIO, "compact.mdb: ");
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &before), 0);
    ck_assert(!exists(t, DIRECTORY_COPY));
    ck_assert_uint_eq(seed_now(t), 7);
    fill(t, 8);
    OK(store_compact(t->s, NULL, &t->err));
    ck_assert_uint_eq(seed_now(t), 8);
}

/* ---- killed at any instant ----------------------------------------------- */

static void compact_until_killed(scene *t)
{
    if (kedge_store_open(t->path, KEDGE_OPEN_WRITE, &t->s, &t->err) != KEDGE_OK)
        _exit(1);
    for (uint64_t n = seed_now(t) + 1;; n++)
        if (!put_all(t, n) || store_compact(t->s, NULL, &t->err) != KEDGE_OK)
            _exit(2);
}

TEST(a_killed_compaction_leaves_a_whole_store)
{
    uint64_t last = 0;
    int status;
    OWN(scene_drop) scene *const t = scene_blank();

    prepare(t);
    scene_open(t, KEDGE_OPEN_CREATE);
    fill(t, 1);
    scene_close(t);
    for (uint64_t i = 0; i < 12 || (last < 5 && i < 60); i++) {
        const pid_t child = unit_fork();
        if (child == 0)
            compact_until_killed(t);
        usleep((useconds_t)(5000 + scene_random(1, i, 30000 + 8000 * i)));
        ck_assert_int_eq(kill(child, SIGKILL), 0);
        ck_assert_int_eq(waitpid(child, &status, 0), child);
        ck_assert(WIFSIGNALED(status));
        scene_open(t, i % 2 == 0 ? KEDGE_OPEN_READ : KEDGE_OPEN_WRITE);
        const uint64_t seed = seed_now(t);
        ck_assert(seed >= last && seed != UINT64_MAX);
        last = seed;
        scene_close(t);
    }
    ck_assert_uint_gt(last, 1);
}

static kedge_status compact(scene *t)
{
    const kedge_status st = store_compact(t->s, NULL, &t->err);

    if (st != KEDGE_OK) { /* opening anew may have failed */
        long allowed = scene_allowed;
        mem_set_gate(NULL);
        scene_reopen(t, KEDGE_OPEN_WRITE);
        ck_assert_uint_eq(seed_now(t), 5);
        scene_allowed = allowed;
    }
    return st;
}

TEST(no_memory_is_told)
{
    OWN(scene_drop) scene *const t = scene_blank();

    prepare(t);
    scene_open(t, KEDGE_OPEN_CREATE);
    fill(t, 5);
    scene_starve(compact(t), t->err);
    ck_assert_uint_eq(seed_now(t), 5);
}
