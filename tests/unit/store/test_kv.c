/* SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <lmdb.h>

#include "store/state.h"

#ifdef __SANITIZE_ADDRESS__
#define SANITIZED 1
#else
#define SANITIZED 0
#endif

static void put_number(scene *t, uint64_t number)
{
    const store_totals totals = {.documents = number};

    OK(store_put_totals(t->txn, &totals, &t->err));
}

static uint64_t get_number(scene *t)
{
    store_totals totals;

    scene_read(t);
    OK(store_get_totals(t->txn, &totals, &t->err));
    store_abort(&t->txn);
    return totals.documents;
}

/* A model's header of `size` bytes that hardly fit a page. */
static kedge_status put_bytes(scene *t, const char *name, size_t size)
{
    OWNED uint8_t *bytes = mem_new(size, 1);
    kedge_status st;

    ck_assert_ptr_nonnull(bytes);
    st = store_put_model(t->txn, name, bytes, size, &t->err);
    return st;
}

/* ---- transactions -------------------------------------------------------- */

TEST(what_is_committed_stays_and_what_is_not_goes)
{
    OWN(scene_drop) scene *const t = scene_new();

    ck_assert_uint_eq(get_number(t), 0);
    scene_write(t);
    put_number(t, 1);
    scene_commit(t);
    scene_write(t);
    put_number(t, 2);
    store_abort(&t->txn);
    store_abort(&t->txn);
    ck_assert_uint_eq(get_number(t), 1);
    scene_write(t);
    put_number(t, 3);
    scene_reopen(t, KEDGE_OPEN_WRITE);
    ck_assert_uint_eq(get_number(t), 1);
}

TEST(calls_in_the_wrong_order_are_told)
{
    store_totals totals = {0};
    store_txn *other = NULL;
    words w = {0};
    OWN(scene_drop) scene *const t = scene_new();

    FAILS(store_get_totals(t->txn, &totals, &t->err), KEDGE_EMISUSE,
          "no transaction");
    FAILS(store_commit(&t->txn, &t->err), KEDGE_EMISUSE, "no transaction");
    scene_read(t);
    FAILS(store_begin_read(t->s, &other, &t->err), KEDGE_EMISUSE, "open");
    FAILS(store_begin_write(t->s, &other, &t->err), KEDGE_EMISUSE, "open");
    ck_assert_ptr_null(other);
    FAILS(store_put_totals(t->txn, &totals, &t->err), KEDGE_EMISUSE,
          "no writing transaction");
    FAILS(store_put_words(t->txn, &w, 0, &t->err), KEDGE_EMISUSE,
          "no writing transaction");
    FAILS(store_drop_rows(t->txn, 0, &t->err), KEDGE_OK, "");
    other = t->txn;
    scene_commit(t);
    ck_assert_ptr_null(t->txn);
    FAILS(store_get_totals(other, &totals, &t->err), KEDGE_EMISUSE,
          "no transaction");
    scene_reopen(t, KEDGE_OPEN_READ);
    FAILS(store_begin_write(t->s, &t->txn, &t->err), KEDGE_EMISUSE,
          "for reading only");
}

/* Addresses for so many megabytes more. */
static void limit_addresses(rlim_t megabytes)
{
    struct rlimit limit;
    char text[64] = "";
    FILE *const f = fopen("/proc/self/statm", "r");

    ck_assert_ptr_nonnull(f);
    ck_assert_ptr_nonnull(fgets(text, sizeof text, f));
    fclose(f);
    limit.rlim_cur = limit.rlim_max =
        strtoull(text, NULL, 10) * 4096 + (megabytes << 20);
    ck_assert_int_eq(setrlimit(RLIMIT_AS, &limit), 0);
}

/* Values of four megabytes, until one has no room. */
static kedge_status fill_map(scene *t, uint64_t *put)
{
    kedge_status st = KEDGE_OK;
    char name[64];

    for (*put = 0; st == KEDGE_OK && *put < 400; ++*put) {
        snprintf(name, sizeof name, "m%03" PRIu64, *put);
        st = put_bytes(t, name, 4 << 20);
    }
    return st;
}

TEST(a_map_that_is_full_is_told)
{
    uint64_t put;
    OWN(scene_drop) scene *const t = scene_writing();

    put_number(t, 5);
    scene_commit(t);
    if (!SANITIZED) { /* which needs terabytes of address space */
        scene_reopen(t, KEDGE_OPEN_WRITE);
        limit_addresses(300);
        scene_write(t);
        put_number(t, 6);
        FAILS(fill_map(t, &put), KEDGE_ENOMEM, "ulimit -v");
        ck_assert_uint_gt(put, 64 / 4);
        ck_assert_int_ne(store_commit(&t->txn, &t->err), KEDGE_OK);
        ck_assert_uint_eq(get_number(t), 5);
        scene_write(t); /* less of it has room */
        put_number(t, 7);
        OK(put_bytes(t, "m", 32 << 20));
        scene_commit(t);
        scene_reopen(t, KEDGE_OPEN_WRITE);
        ck_assert_uint_eq(get_number(t), 7);
    }
}

/* As far as there are addresses for the file. */
TEST(the_map_grows_where_addresses_are_few)
{
    OWN(scene_drop) scene *const t = scene_new();

    if (!SANITIZED) {
        scene_reopen(t, KEDGE_OPEN_WRITE);
        limit_addresses(400);
        for (uint64_t i = 0; i < 25; i++) {
            char name[64];
            snprintf(name, sizeof name, "m%03" PRIu64, i);
            scene_write(t);
            put_number(t, i);
            OK(put_bytes(t, name, 8 << 20));
            scene_commit(t);
        }
        ck_assert_uint_gt(store_disk_bytes(t->s), UINT64_C(200) << 20);
        ck_assert_uint_eq(get_number(t), 24);
    }
}

/* ---- processes ----------------------------------------------------------- */

TEST(a_second_writer_is_told)
{
    OWN(scene_drop) scene *const t = scene_new();
    pid_t child;

    scene_close(t);
    child = unit_fork();
    if (child == 0) { /* waits for the parent to have it open */
        for (int i = 0; i < 1000; i++) {
            const kedge_status st =
                kedge_store_open(t->path, KEDGE_OPEN_WRITE, &t->s, &t->err);
            if (st == KEDGE_EBUSY)
                _exit(strstr(t->err.text, "another process is writing") ==
                      NULL);
            scene_close(t);
            usleep(1000);
        }
        _exit(2);
    }
    while (kedge_store_open(t->path, KEDGE_OPEN_WRITE, &t->s, &t->err) !=
           KEDGE_OK)
        usleep(100);
    ck_assert_int_eq(scene_reap(child), 0);
    scene_reopen(t, KEDGE_OPEN_WRITE); /* closing lets go of the lock */
}

TEST(a_killed_writer_leaves_whole_commits)
{
    OWN(scene_drop) scene *const t = scene_blank();

    scene_paths(t);
    for (uint64_t i = 0; i < 15; i++) {
        const pid_t child = unit_fork();
        if (child == 0) {
            scene_open(t, KEDGE_OPEN_CREATE);
            for (uint64_t n = state_now(t) + 1;; n++)
                put_state(t, n);
        }
        usleep((useconds_t)(i < 5 ? 1000 * i
                                  : 10000 + scene_random(1, i, 150000)));
        ck_assert_int_eq(kill(child, SIGKILL), 0);
        ck_assert_int_eq(scene_reap(child), -1);
        const pid_t after = unit_fork();
        if (after == 0) { /* LMDB's environment must not cross a fork */
            scene_open(t, KEDGE_OPEN_CREATE);
            const uint64_t n = state_now(t);
            put_state(t, n + 1);
            ck_assert_uint_eq(state_now(t), n + 1);
            scene_close(t);
            _exit(0);
        }
        ck_assert_int_eq(scene_reap(after), 0);
    }
    scene_open(t, KEDGE_OPEN_READ);
    ck_assert_uint_ge(state_now(t), 15);
}

/* ---- the system says no -------------------------------------------------- */

TEST(a_full_disk_leaves_the_store_as_it_was)
{
    OWN(scene_drop) scene *const t = scene_new();

    put_state(t, 1);
    limit_files(4 << 20);
    scene_write(t);
    OK(put_bytes(t, "big", 8 << 20));
    put_number(t, 9);
    FAILS(store_commit(&t->txn, &t->err), KEDGE_EIO, "cannot commit");
    ck_assert_uint_eq(state_now(t), 1);
    put_state(t, 2);
    scene_reopen(t, KEDGE_OPEN_WRITE);
    ck_assert_uint_eq(state_now(t), 2);
    limit_files(1 << 30);
}

TEST(a_making_that_fails_leaves_nothing)
{
    OWN(scene_drop) scene *const t = scene_blank();

    scene_paths(t);
    for (rlim_t most = 0; most < 40000; most += 3000) {
        limit_files(most);
        if (kedge_store_open(t->path, KEDGE_OPEN_CREATE, &t->s, &t->err) ==
            KEDGE_OK)
            kedge_store_withdraw(t->s);
        t->s = NULL;
        ck_assert_int_ne(access(t->path, F_OK), 0);
    }
    limit_files(1 << 30);
}

TEST(another_database_is_no_store)
{
    MDB_env *env;
    MDB_txn *txn;
    MDB_dbi dbi;
    char byte = 0;
    MDB_val value = {1, &byte};
    OWN(scene_drop) scene *const t = scene_blank();

    scene_paths(t);
    ck_assert_int_eq(mkdir(t->path, 0777), 0);
    ck_assert_int_eq(mdb_env_create(&env), 0);
    ck_assert_int_eq(mdb_env_open(env, t->path, 0, 0666), 0);
    ck_assert_int_eq(mdb_txn_begin(env, NULL, 0, &txn), 0);
    ck_assert_int_eq(mdb_dbi_open(txn, NULL, 0, &dbi), 0);
    ck_assert_int_eq(mdb_put(txn, dbi, &value, &value, 0), 0);
    ck_assert_int_eq(mdb_txn_commit(txn), 0);
    mdb_env_close(env);
    for (unsigned mode = KEDGE_OPEN_READ; mode <= KEDGE_OPEN_CREATE; mode++)
        FAILS(kedge_store_open(t->path, mode, &t->s, &t->err), KEDGE_EINVAL,
              "that is not a store");
}

/* ---- values -------------------------------------------------------------- */

/* Whatever a key is made of, its record has a name. */
TEST(keys_of_any_form_have_names)
{
    uint8_t bytes[KV_KEY_MAX];
    char name[KV_NAME_MOST];

    for (kv_db db = 0; db < DB_COUNT; db++)
        for (uint64_t seed = 0; seed < 3000; seed++) {
            const size_t size = 1 + seed % (seed % 3 == 0 ? KV_KEY_MAX : 20);
            uint8_t *const key = mem_new(size, 1);
            for (size_t i = 0; i < size; i++)
                bytes[i] = (uint8_t)(scene_random(seed, i, 256) *
                                     (scene_random(seed, 300, 4) > 0));
            memcpy(key, bytes, size);
            memset(name, 'x', sizeof name);
            ck_assert_ptr_eq(kv_name((kv_key){db, key, size}, name), name);
            ck_assert_ptr_nonnull(memchr(name, 0, sizeof name));
            mem_free(key);
        }
    for (unsigned byte = 0; byte < 256; byte++) {
        const uint8_t key = (uint8_t)byte;
        kv_name((kv_key){DB_META, &key, 1}, name);
        ck_assert_int_eq(strcmp(name, "record of the store") == 0, byte > 2);
    }
}

/* Until there are so many. */
typedef struct counting {
    int count, most;
} counting;

static kedge_status count_value(void *data, const kv_value *v, kedge_error *err)
{
    counting *const c = data;

    (void)err;
    ck_assert(v->size == 1 && v->bytes[0] == 'v');
    return ++c->count < c->most ? KEDGE_OK : KEDGE_ECANCELED;
}

static int count_values(scene *t, const char *prefix, int most)
{
    counting c = {.most = most};

    ck_assert_int_eq(
        kv_walk(t->txn,
                (kv_key){DB_INDEXES, (const uint8_t *)prefix, strlen(prefix)},
                count_value, &c, &t->err),
        c.count < most ? KEDGE_OK : KEDGE_ECANCELED);
    return c.count;
}

TEST(keys_are_sought_and_dropped_by_prefix)
{
    const char *const keys[] = {"a", "ab", "abc", "b", "ba"};
    uint8_t found[KV_KEY_MAX];
    size_t size;
    OWN(scene_drop) scene *const t = scene_writing();

    for (int i = 4; i >= 0; i--)
        OK(kv_put(
            t->txn,
            (kv_key){DB_INDEXES, (const uint8_t *)keys[i], strlen(keys[i])},
            (const uint8_t *)"v", 1, &t->err));
    ck_assert_int_eq(count_values(t, "", 9), 5);
    ck_assert_int_eq(count_values(t, "", 2), 2);
    ck_assert_int_eq(count_values(t, "ab", 9), 2);
    ck_assert_int_eq(count_values(t, "aa", 9), 0);
    ck_assert_int_eq(count_values(t, "c", 9), 0);
    OK(kv_drop_from(t->txn, (kv_key){DB_INDEXES, (const uint8_t *)"ab", 2}, 1,
                    &t->err));
    OK(kv_seek(t->txn, (kv_key){DB_INDEXES, (const uint8_t *)"a", 1}, found,
               &size, &t->err));
    ck_assert(size == 1 && found[0] == 'a');
    OK(kv_seek(t->txn, (kv_key){DB_INDEXES, (const uint8_t *)"aa", 2}, found,
               &size, &t->err));
    ck_assert(size == 1 && found[0] == 'b');
    ck_assert_int_eq(kv_seek(t->txn,
                             (kv_key){DB_INDEXES, (const uint8_t *)"c", 1},
                             found, &size, &t->err),
                     KEDGE_ENOTFOUND);
}

TEST(a_pass_over_all_values_keeps_few_in_memory)
{
    enum { COUNT = 64, SIZE = 2 << 20 };
    const uint8_t *bytes;
    struct rusage usage;
    char name[64];
    long before;
    size_t size;
    OWN(scene_drop) scene *const t = scene_new();

    for (int i = 0; i < COUNT; i++) {
        snprintf(name, sizeof name, "m%02d", i);
        OK(store_begin_write(t->s, &t->txn, &t->err));
        OK(put_bytes(t, name, SIZE));
        scene_commit(t);
    }
    getrusage(RUSAGE_SELF, &usage);
    before = usage.ru_maxrss;
    scene_read(t);
    for (int i = 0; i < COUNT; i++) {
        snprintf(name, sizeof name, "m%02d", i);
        OK(store_get_model_header(t->txn, name, &bytes, &size, &t->err));
    }
    getrusage(RUSAGE_SELF, &usage);
    if (!SANITIZED) /* 128 MB were read; kilobytes */
        ck_assert_int_lt(usage.ru_maxrss - before, 60000);
}

TEST(versions_are_told)
{
    const char *const versions = store_library_versions();

    ck_assert_ptr_nonnull(strstr(versions, "lmdb 0."));
    ck_assert_ptr_nonnull(strstr(versions, ", zstd 1."));
}
