/* SPDX-License-Identifier: MIT */
#include "store/store.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "store/env.h"
#include "store/scene.h"

enum { BLOCKS = 30 };

static void put_block(scene *t, uint64_t number, uint64_t seed)
{
    store_block b = {0};
    docs d = {0};

    scene_docs(&d, seed, 200);
    ck_ok(store_block_encode(&b, 0, &d, 0, 200, &t->err), t->err);
    ck_ok(store_put_block(t->s, number, &b, &t->err), t->err);
    store_block_free(&b);
    docs_free(&d);
}

/* A transaction each; `seed` is told by the totals. */
static void fill(scene *t, uint64_t seed)
{
    const store_totals totals = {.blocks = BLOCKS, .tokens = seed};

    for (uint64_t n = 0; n < BLOCKS; n++) {
        scene_write(t);
        put_block(t, n, seed + n);
        ck_ok(store_put_totals(t->s, &totals, &t->err), t->err);
        scene_commit(t);
    }
}

/* Everything is there, in the snapshot that is open. */
static uint64_t check(scene *t)
{
    store_totals totals;
    store_block b = {0};
    docs d = {0}, out = {0};
    const uint8_t *bytes;
    size_t size;
    uint32_t source;

    ck_ok(store_get_totals(t->s, &totals, &t->err), t->err);
    for (uint64_t n = 0; n < totals.blocks; n++) {
        scene_docs(&d, totals.tokens + n, 200);
        docs_clear(&out);
        ck_ok(store_get_block(t->s, n, &bytes, &size, &t->err), t->err);
        ck_ok(store_block_decode(&b, n, bytes, size, &source, &out, &t->err),
              t->err);
        ck_assert(scene_same_docs(&d, &out));
    }
    store_block_free(&b);
    docs_free(&d);
    docs_free(&out);
    return totals.tokens;
}

static uint64_t check_now(scene *t)
{
    uint64_t seed;

    scene_read(t);
    seed = check(t);
    store_abort(t->s);
    return seed;
}

static bool exists(const scene *t, const char *name)
{
    char file[256];

    snprintf(file, sizeof file, "%s/%s", t->path, name);
    return access(file, F_OK) == 0;
}

START_TEST(a_copy_is_a_store)
{
    char file[160], other[128];
    scene t;

    scene_make(&t);
    fill(&t, 100);
    fill(&t, 200);
    snprintf(other, sizeof other, "%s/other", t.root);
    snprintf(file, sizeof file, "%s/data.mdb", other);
    ck_fails(store_copy_compact(t.s, file, &t.err), KEDGE_EIO, t.err,
             "cannot make");
    ck_assert_int_eq(mkdir(other, 0777), 0);
    scene_read(&t);
    ck_fails(store_copy_compact(t.s, file, &t.err), KEDGE_EMISUSE, t.err,
             "open already");
    store_abort(t.s);
    const uint64_t before = store_disk_bytes(t.s);
    scene_reopen(&t, KEDGE_OPEN_READ);
    ck_ok(store_copy_compact(t.s, file, &t.err), t.err);
    ck_fails(store_copy_compact(t.s, file, &t.err), KEDGE_EINVAL, t.err,
             "is there already");
    ck_assert_uint_eq(check_now(&t), 200);
    ck_fails(store_compact(t.s, &t.err), KEDGE_EMISUSE, t.err,
             "for reading only");
    scene_close(&t);
    snprintf(t.path, sizeof t.path, "%.70s", other);
    scene_open(&t, KEDGE_OPEN_WRITE);
    ck_assert_uint_lt(store_disk_bytes(t.s), before * 9 / 10);
    ck_assert_uint_eq(check_now(&t), 200);
    fill(&t, 300);
    scene_reopen(&t, KEDGE_OPEN_READ);
    ck_assert_uint_eq(check_now(&t), 300);
    scene_end(&t);
}
END_TEST

START_TEST(a_store_shrinks_and_goes_on)
{
    scene t;

    scene_make(&t);
    ck_ok(store_compact(t.s, &t.err), t.err); /* empty */
    for (uint64_t round = 1; round < 6; round++) {
        fill(&t, 100 * round);
        fill(&t, 1000 * round);
        const uint64_t before = store_disk_bytes(t.s);
        const uint64_t snapshot = env_snapshot(t.s);
        ck_ok(store_compact(t.s, &t.err), t.err);
        ck_assert_uint_lt(store_disk_bytes(t.s), before);
        ck_assert_uint_eq(env_snapshot(t.s), snapshot);
        ck_assert_uint_eq(check_now(&t), 1000 * round);
        ck_ok(store_compact(t.s, &t.err), t.err); /* twice */
        if (round % 2 == 0)
            scene_reopen(&t, KEDGE_OPEN_WRITE);
        ck_assert(!exists(&t, DIRECTORY_COPY));
    }
    scene_end(&t);
}
END_TEST

START_TEST(a_leftover_is_removed)
{
    char file[160];
    scene t;

    scene_make(&t);
    fill(&t, 1);
    snprintf(file, sizeof file, "%s/%s", t.path, DIRECTORY_COPY);
    close(open(file, O_CREAT | O_WRONLY, 0666));
    scene_reopen(&t, KEDGE_OPEN_READ);
    ck_assert(exists(&t, DIRECTORY_COPY));
    scene_reopen(&t, KEDGE_OPEN_WRITE);
    ck_assert(!exists(&t, DIRECTORY_COPY));
    ck_ok(store_compact(t.s, &t.err), t.err);
    scene_end(&t);
}
END_TEST

START_TEST(a_full_disk_leaves_the_store_as_it_was)
{
    struct rlimit before, limit = {200000, RLIM_INFINITY};
    char file[160];
    scene t;

    scene_make(&t);
    fill(&t, 7);
    snprintf(file, sizeof file, "%s/copy", t.root);
    signal(SIGXFSZ, SIG_IGN);
    ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &before), 0);
    limit.rlim_max = before.rlim_max;
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
    ck_fails(store_compact(t.s, &t.err), KEDGE_EIO, t.err, "compact.mdb: ");
    ck_fails(store_copy_compact(t.s, file, &t.err), KEDGE_EIO, t.err, "copy");
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &before), 0);
    ck_assert(!exists(&t, DIRECTORY_COPY));
    ck_assert_int_ne(access(file, F_OK), 0);
    ck_assert_uint_eq(check_now(&t), 7);
    fill(&t, 8);
    ck_ok(store_compact(t.s, &t.err), t.err);
    ck_assert_uint_eq(check_now(&t), 8);
    scene_end(&t);
}
END_TEST

/* ---- readers beside it --------------------------------------------------- */

static void signal_other(int fd)
{
    ck_assert_int_eq(write(fd, "x", 1), 1);
}

static void await_other(int fd)
{
    char byte;

    ck_assert_int_eq(read(fd, &byte, 1), 1);
}

/* Keeps a snapshot over the replacement, and follows with the next one. */
static void read_in_child(scene *t, int from, int to)
{
    await_other(from);
    scene_open(t, KEDGE_OPEN_READ);
    scene_read(t);
    signal_other(to);
    await_other(from); /* replaced, and written to */
    if (check(t) != 100)
        _exit(1);
    store_abort(t->s);
    if (check_now(t) != 300)
        _exit(2);
    signal_other(to);
    await_other(from); /* replaced and written to once more */
    if (check_now(t) != 400)
        _exit(3);
    scene_close(t);
    _exit(0);
}

START_TEST(readers_keep_the_old_file_and_follow)
{
    int down[2], up[2], status;
    scene t;
    pid_t child;

    scene_paths(&t);
    ck_assert_int_eq(pipe(down) + pipe(up), 0);
    child = fork();
    if (child == 0)
        read_in_child(&t, down[0], up[1]);
    scene_open(&t, KEDGE_OPEN_CREATE);
    fill(&t, 100);
    signal_other(down[1]);
    await_other(up[0]);
    ck_ok(store_compact(t.s, &t.err), t.err);
    fill(&t, 200);
    fill(&t, 300);
    signal_other(down[1]);
    await_other(up[0]);
    ck_ok(store_compact(t.s, &t.err), t.err);
    fill(&t, 400);
    signal_other(down[1]);
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 0, "%d", status);
    ck_assert_uint_eq(check_now(&t), 400);
    scene_end(&t);
}
END_TEST

/* Opens, and reads with one handle, over and over. */
static void read_until_told(scene *t, int from)
{
    uint64_t last = 0, passes = 0;
    char byte;

    fcntl(from, F_SETFL, O_NONBLOCK);
    while (read(from, &byte, 1) != 1) {
        scene_open(t, KEDGE_OPEN_READ);
        for (int i = 0; i < 5; i++, passes++) {
            const uint64_t seed = check_now(t);
            if (seed < last) /* never back in time */
                _exit(1);
            last = seed;
        }
        scene_close(t);
    }
    _exit(passes == 0);
}

START_TEST(readers_never_see_anything_else)
{
    int down[2], status;
    scene t;
    pid_t children[2];

    scene_paths(&t);
    ck_assert_int_eq(pipe(down), 0);
    scene_open(&t, KEDGE_OPEN_CREATE);
    fill(&t, 1);
    scene_close(&t);
    for (int i = 0; i < 2; i++)
        if ((children[i] = fork()) == 0)
            read_until_told(&t, down[0]);
    scene_open(&t, KEDGE_OPEN_WRITE);
    for (uint64_t n = 2; n < 150; n++) {
        const store_totals totals = {.blocks = BLOCKS, .tokens = n};
        scene_write(&t);
        for (uint64_t i = 0; i < BLOCKS; i++)
            put_block(&t, i, n + i);
        ck_ok(store_put_totals(t.s, &totals, &t.err), t.err);
        scene_commit(&t);
        if (n % 3 == 0)
            ck_ok(store_compact(t.s, &t.err), t.err);
        if (n % 40 == 0)
            scene_reopen(&t, KEDGE_OPEN_WRITE);
    }
    signal_other(down[1]);
    signal_other(down[1]);
    for (int i = 0; i < 2; i++) {
        ck_assert_int_eq(waitpid(children[i], &status, 0), children[i]);
        ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 0, "%d",
                      status);
    }
    scene_end(&t);
}
END_TEST

/* ---- killed at any instant ----------------------------------------------- */

static void compact_until_killed(scene *t)
{
    scene_open(t, KEDGE_OPEN_WRITE);
    for (uint64_t n = check_now(t) + 1;; n++) {
        const store_totals totals = {.blocks = BLOCKS, .tokens = n};
        scene_write(t);
        for (uint64_t i = 0; i < BLOCKS; i++)
            put_block(t, i, n + i);
        ck_ok(store_put_totals(t->s, &totals, &t->err), t->err);
        scene_commit(t);
        ck_ok(store_compact(t->s, &t->err), t->err);
    }
}

START_TEST(a_killed_compaction_leaves_a_whole_store)
{
    uint64_t last = 0;
    int status;
    scene t;

    scene_make(&t);
    fill(&t, 1);
    scene_close(&t);
    for (uint64_t i = 0; i < 12 || (last < 5 && i < 60); i++) {
        const pid_t child = fork();
        if (child == 0)
            compact_until_killed(&t);
        usleep((useconds_t)(5000 + scene_random(1, i, 30000 + 8000 * i)));
        ck_assert_int_eq(kill(child, SIGKILL), 0);
        ck_assert_int_eq(waitpid(child, &status, 0), child);
        scene_open(&t, i % 2 == 0 ? KEDGE_OPEN_READ : KEDGE_OPEN_WRITE);
        const uint64_t seed = check_now(&t);
        ck_assert_uint_ge(seed, last);
        last = seed;
        scene_close(&t);
    }
    ck_assert_uint_gt(last, 1);
    scene_end(&t);
}
END_TEST

static kedge_status compact(scene *t)
{
    const kedge_status st = store_compact(t->s, &t->err);

    if (st != KEDGE_OK) { /* opening anew may have failed */
        long allowed = scene_allowed;
        mem_set_gate(NULL);
        scene_reopen(t, KEDGE_OPEN_WRITE);
        ck_assert_uint_eq(check_now(t), 5);
        scene_allowed = allowed;
    }
    return st;
}

START_TEST(no_memory_is_told)
{
    scene t;

    scene_make(&t);
    fill(&t, 5);
    scene_starve(compact(&t), t.err);
    ck_assert_uint_eq(check_now(&t), 5);
    scene_end(&t);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        a_copy_is_a_store,
        a_store_shrinks_and_goes_on,
        a_leftover_is_removed,
        a_full_disk_leaves_the_store_as_it_was,
        readers_keep_the_old_file_and_follow,
        readers_never_see_anything_else,
        a_killed_compaction_leaves_a_whole_store,
        no_memory_is_told,
        NULL,
    };

    return unit_run("store/compact", tests);
}
