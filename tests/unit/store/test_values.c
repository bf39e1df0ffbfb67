/* SPDX-License-Identifier: MIT */
#include "store/kv.h"

#include <sys/wait.h>

#include "store/scene.h"

static const kv_key key = {DB_KEPT, (const uint8_t *)"key", 3};

static bool visit(void *data, const kv_value *v)
{
    ck_assert_uint_eq(v->key_size, 3);
    ++*(int *)data;
    return true;
}

/* A database that is not there is an empty one. */
static void check(scene *t, uint64_t count)
{
    uint8_t found[KV_KEY_MAX];
    const uint8_t *bytes;
    uint64_t counted;
    int visited = 0;
    size_t size;

    ck_ok(kv_count(t->txn, DB_KEPT, &counted, &t->err), t->err);
    ck_assert_uint_eq(counted, count);
    ck_ok(kv_walk(t->txn, DB_KEPT, visit, &visited, &t->err), t->err);
    ck_assert_int_eq(visited, (int)count);
    ck_assert_int_eq(kv_get(t->txn, key, "it", &bytes, &size, &t->err),
                     count > 0 ? KEDGE_OK : KEDGE_ENOTFOUND);
    ck_assert_int_eq(kv_seek(t->txn, key, found, &size, &t->err),
                     count > 0 ? KEDGE_OK : KEDGE_ENOTFOUND);
}

START_TEST(a_database_is_made_when_it_is_needed)
{
    scene t;

    scene_make(&t);
    scene_read(&t);
    check(&t, 0);
    store_abort(&t.txn);
    scene_write(&t);
    check(&t, 0);
    ck_ok(kv_drop(t.txn, key, &t.err), t.err);
    ck_ok(kv_clear(t.txn, DB_KEPT, &t.err), t.err);
    ck_ok(kv_put(t.txn, key, (const uint8_t *)"value", 5, &t.err), t.err);
    check(&t, 1);
    store_abort(&t.txn); /* and it was never there */
    scene_read(&t);
    check(&t, 0);
    store_abort(&t.txn);
    scene_write(&t);
    ck_ok(kv_put(t.txn, key, (const uint8_t *)"value", 5, &t.err), t.err);
    scene_commit(&t);
    scene_read(&t);
    check(&t, 1);
    scene_reopen(&t, KEDGE_OPEN_WRITE);
    scene_write(&t);
    check(&t, 1);
    ck_ok(kv_clear(t.txn, DB_KEPT, &t.err), t.err);
    check(&t, 0);
    scene_end(&t);
}
END_TEST

START_TEST(values_that_are_the_same_are_not_written)
{
    const kv_key one = {DB_MODELS, (const uint8_t *)"m", 1};
    const uint8_t *before, *after;
    size_t size;
    scene t;

    scene_make(&t);
    scene_write(&t);
    ck_ok(kv_put(t.txn, one, (const uint8_t *)"value", 5, &t.err), t.err);
    scene_commit(&t);
    scene_write(&t);
    ck_ok(kv_get(t.txn, one, "it", &before, &size, &t.err), t.err);
    ck_ok(kv_put(t.txn, one, (const uint8_t *)"value", 5, &t.err), t.err);
    ck_ok(kv_get(t.txn, one, "it", &after, &size, &t.err), t.err);
    ck_assert_ptr_eq(before, after);
    ck_ok(kv_put(t.txn, one, (const uint8_t *)"other", 5, &t.err), t.err);
    ck_ok(kv_get(t.txn, one, "it", &after, &size, &t.err), t.err);
    ck_assert_ptr_ne(before, after);
    ck_assert_mem_eq(after, "other", 5);
    scene_end(&t);
}
END_TEST

/* In a process of its own, once it is told to. */
static void write_later(scene *t, int told)
{
    char byte;

    if (read(told, &byte, 1) != 1)
        _exit(1);
    scene_open(t, KEDGE_OPEN_WRITE);
    scene_write(t);
    ck_ok(kv_put(t->txn, key, (const uint8_t *)"value", 5, &t->err), t->err);
    scene_commit(t);
    scene_close(t);
    _exit(0);
}

START_TEST(readers_see_a_database_that_another_process_makes)
{
    int ends[2], status;
    pid_t child;
    scene t;

    scene_make(&t);
    scene_close(&t);
    ck_assert_int_eq(pipe(ends), 0);
    child = unit_fork();
    if (child == 0)
        write_later(&t, ends[0]);
    scene_open(&t, KEDGE_OPEN_READ);
    scene_read(&t);
    check(&t, 0);
    ck_assert_int_eq(write(ends[1], "x", 1), 1);
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_int_eq(status, 0);
    check(&t, 0); /* as of this snapshot */
    store_abort(&t.txn);
    for (int i = 0; i < 2; i++) {
        scene_read(&t);
        check(&t, 1);
        store_abort(&t.txn);
    }
    close(ends[0]);
    close(ends[1]);
    scene_end(&t);
}
END_TEST

UNIT_SUITE("values",
    a_database_is_made_when_it_is_needed,
    values_that_are_the_same_are_not_written,
    readers_see_a_database_that_another_process_makes)
