/* SPDX-License-Identifier: MIT */
#include <fcntl.h>

#include "store/files.h"
#include "store/state.h"

static bool exists(const scene *t, const char *name)
{
    char file[256];

    snprintf(file, sizeof file, "%s/%s", t->path, name);
    return access(file, F_OK) == 0;
}

TEST(a_store_shrinks_and_goes_on)
{
    OWN(scene_drop) scene *const t = scene_new();

    OK(store_compact(t->s, NULL, &t->err)); /* empty */
    for (uint64_t round = 1; round < 6; round++) {
        put_state(t, 10 * round);
        put_state(t, 10 * round + 1);
        const uint64_t before = store_disk_bytes(t->s);
        OK(store_compact(t->s, NULL, &t->err));
        ck_assert_uint_lt(store_disk_bytes(t->s), before);
        ck_assert_uint_eq(state_now(t), 10 * round + 1);
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
    OWN(scene_drop) scene *const t = scene_new();

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
    OWN(scene_drop) scene *const t = scene_new();

    put_state(t, 7);
    limit_files(50000);
    FAILS(store_compact(t->s, NULL, &t->err), KEDGE_EIO, "compact.mdb: ");
    limit_files(1 << 30);
    ck_assert(!exists(t, DIRECTORY_COPY));
    ck_assert_uint_eq(state_now(t), 7);
    put_state(t, 8);
    OK(store_compact(t->s, NULL, &t->err));
    ck_assert_uint_eq(state_now(t), 8);
}

/* At any instant. */
TEST(a_killed_compaction_leaves_a_whole_store)
{
    uint64_t last = 0;
    OWN(scene_drop) scene *const t = scene_new();

    put_state(t, 1);
    scene_close(t);
    for (uint64_t i = 0; i < 12 || (last < 5 && i < 60); i++) {
        const pid_t child = unit_fork();
        if (child == 0) {
            scene_open(t, KEDGE_OPEN_WRITE);
            for (uint64_t n = state_now(t) + 1;; n++) {
                put_state(t, n);
                OK(store_compact(t->s, NULL, &t->err));
            }
        }
        usleep((useconds_t)(5000 + scene_random(1, i, 30000 + 8000 * i)));
        ck_assert_int_eq(kill(child, SIGKILL), 0);
        ck_assert_int_eq(scene_reap(child), -1);
        scene_open(t, i % 2 == 0 ? KEDGE_OPEN_READ : KEDGE_OPEN_WRITE);
        ck_assert_uint_ge(state_now(t), last);
        last = state_now(t);
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
        ck_assert_uint_eq(state_now(t), 5);
        scene_allowed = allowed;
    }
    return st;
}

TEST(no_memory_is_told)
{
    OWN(scene_drop) scene *const t = scene_new();

    put_state(t, 5);
    scene_starve(compact(t), t->err);
    ck_assert_uint_eq(state_now(t), 5);
}
