/* SPDX-License-Identifier: MIT */
/* Many handles, threads and processes on one store: each sees one state from
 * begin to end, whatever the others do. */
#include "store/files.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>

#include "store/kv.h"
#include "store/state.h"

enum { READERS = 200 };

static void make(scene *t)
{
    scene_in_memory();
    scene_make(t);
    put_state(t, 1);
    scene_close(t);
}

/* A child that opens the store, begins to read, and reads again when `go` is
 * closed: exits with 0 when it is the same state. */

static void read_twice(scene *t, int ready, int go)
{
    char byte;
    uint64_t before;

    scene_open(t, KEDGE_OPEN_READ);
    scene_read(t);
    before = get_state(t);
    if (write(ready, "x", 1) != 1 || read(go, &byte, 1) != 0)
        _exit(3);
    _exit(get_state(t) == before ? 0 : 4);
}

static pid_t start_reader(scene *t, int ready, const int *go)
{
    const pid_t child = unit_fork();

    ck_assert_int_ge(child, 0);
    if (child == 0) {
        scene other = *t;
        other.s = NULL;
        close(go[1]);
        read_twice(&other, ready, go[0]);
    }
    return child;
}

static void await(int ready)
{
    char byte;

    ck_assert_int_eq(read(ready, &byte, 1), 1);
}

/* ---- handles ------------------------------------------------------------- */

TEST(closing_a_handle_leaves_the_others_their_state)
{
    kedge_store *second;
    scene t, writer;
    int go[2];
    char byte;

    make(&t);
    ck_assert_int_eq(pipe(go), 0);
    const pid_t child = unit_fork();
    if (child == 0) { /* writes, once it is told to */
        writer = t;
        ck_assert_int_eq(read(go[0], &byte, 1), 1);
        scene_open(&writer, KEDGE_OPEN_WRITE);
        for (uint64_t n = 2; n < 12; n++)
            put_state(&writer, n);
        ck_ok(store_compact(writer.s, NULL, &writer.err), writer.err);
        for (uint64_t n = 12; n < 22; n++)
            put_state(&writer, n);
        scene_close(&writer);
        _exit(0);
    }
    scene_open(&t, KEDGE_OPEN_READ);
    scene_read(&t);
    ck_assert_uint_eq(get_state(&t), 1);
    ck_ok(kedge_store_open(t.path, KEDGE_OPEN_READ, &second, &t.err), t.err);
    kedge_store_close(second);
    ck_assert_int_eq(write(go[1], "x", 1), 1);
    ck_assert_int_eq(scene_reap(child), 0);
    ck_assert_uint_eq(get_state(&t), 1);
    store_abort(&t.txn);
    scene_read(&t);
    ck_assert_uint_eq(get_state(&t), 21);
    scene_end(&t);
}

typedef struct stroll {
    scene t;
    volatile bool ends;
    uint64_t reads;
} stroll;

static void *read_on(void *data)
{
    stroll *w = data;
    uint64_t last = 0;

    while (!w->ends || w->reads < 3) {
        if (w->t.s == NULL)
            scene_open(&w->t, KEDGE_OPEN_READ);
        scene_read(&w->t);
        const uint64_t now = get_state(&w->t);
        ck_assert_uint_ge(now, last);
        ck_assert_uint_eq(get_state(&w->t), now);
        last = now;
        store_abort(&w->t.txn);
        if (w->reads++ % 3 == 0)
            scene_close(&w->t);
    }
    scene_close(&w->t);
    return NULL;
}

TEST(threads_read_while_one_writes)
{
    enum { THREADS = 4 };
    pthread_t thread[THREADS];
    stroll w[THREADS];
    OWN(scene_drop) scene *const t = scene_blank();

    make(t);
    for (int i = 0; i < THREADS; i++) {
        w[i] = (stroll){.t = *t};
        ck_assert_int_eq(pthread_create(&thread[i], NULL, read_on, &w[i]), 0);
    }
    scene_open(t, KEDGE_OPEN_WRITE);
    for (uint64_t n = 2; n < 120; n++) {
        put_state(t, n);
        if (n % 25 == 0)
            OK(store_compact(t->s, NULL, &t->err));
        if (n % 40 == 0)
            scene_reopen(t, KEDGE_OPEN_WRITE);
    }
    for (int i = 0; i < THREADS; i++)
        w[i].ends = true;
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
}

/* ---- processes ----------------------------------------------------------- */

TEST(a_child_has_no_use_of_its_parents_handle)
{
    OWN(scene_drop) scene *const t = scene_blank();

    make(t);
    for (unsigned mode = KEDGE_OPEN_READ; mode <= KEDGE_OPEN_WRITE; mode++)
        for (int begun = 0; begun < 3; begun++) {
            const uint64_t n = 10 * mode + (uint64_t)begun;
            scene_open(t, (kedge_open_mode)mode);
            if (begun == 2 && mode == KEDGE_OPEN_WRITE)
                scene_write(t);
            else if (begun > 0)
                scene_read(t);
            const pid_t child = unit_fork();
            if (child == 0) {
                if (begun == 2 && mode == KEDGE_OPEN_WRITE)
                    FAILS(store_put_totals(t->txn, &(store_totals){0}, &t->err),
                          KEDGE_EMISUSE, "forked");
                if (begun > 0)
                    FAILS(store_commit(&t->txn, &t->err), KEDGE_EMISUSE,
                          "forked");
                FAILS(store_begin_read(t->s, &t->txn, &t->err), KEDGE_EMISUSE,
                      "forked");
                FAILS(store_begin_write(t->s, &t->txn, &t->err), KEDGE_EMISUSE,
                      "forked");
                kedge_store_withdraw(t->s);
                t->s = NULL;
                if (mode == KEDGE_OPEN_WRITE)
                    FAILS(kedge_store_open(t->path, KEDGE_OPEN_WRITE, &t->s,
                                           &t->err),
                          KEDGE_EBUSY, "another process is writing");
                scene_open(t, KEDGE_OPEN_READ);
                scene_read(t);
                get_state(t);
                scene_close(t);
                _exit(0);
            }
            ck_assert_int_eq(scene_reap(child), 0);
            store_abort(&t->txn);
            scene_close(t);
            scene_open(t, KEDGE_OPEN_WRITE);
            put_state(t, n);
            scene_reopen(t, KEDGE_OPEN_READ);
            scene_read(t);
            ck_assert_uint_eq(get_state(t), n);
            scene_close(t);
        }
}

/* As many as come, and a writer beside them. What the killed ones held is free
 * again. */
TEST(two_hundred_read_and_are_killed)
{
    pid_t child[READERS];
    int ready[2], go[2];
    uint64_t size, n = 2;
    OWN(scene_drop) scene *const t = scene_blank();

    make(t);
    ck_assert_int_eq(pipe(ready) + pipe(go), 0);
    for (int i = 0; i < READERS; i++)
        child[i] = start_reader(t, ready[1], go);
    for (int i = 0; i < READERS; i++)
        await(ready[0]);
    scene_open(t, KEDGE_OPEN_WRITE);
    for (; n < 8; n++)
        put_state(t, n);
    for (int i = 0; i < READERS / 2; i++)
        kill(child[i], SIGKILL);
    close(go[1]);
    for (int i = 0; i < READERS; i++)
        ck_assert_int_eq(scene_reap(child[i]), i < READERS / 2 ? -1 : 0);
    for (; n < 12; n++)
        put_state(t, n);
    size = store_disk_bytes(t->s);
    for (; n < 40; n++)
        put_state(t, n);
    ck_assert_uint_eq(store_disk_bytes(t->s), size);
}

/* The reader began before the writer was there, and another writer went. */
TEST(a_later_writer_spares_what_is_read)
{
    int ready[2], go[2];
    OWN(scene_drop) scene *const t = scene_blank();

    make(t);
    ck_assert_int_eq(pipe(ready) + pipe(go), 0);
    const pid_t child = start_reader(t, ready[1], go);
    await(ready[0]);
    for (uint64_t n = 2; n < 20; n++) {
        scene_open(t, KEDGE_OPEN_WRITE);
        put_state(t, n);
        scene_close(t);
    }
    close(go[1]);
    ck_assert_int_eq(scene_reap(child), 0);
}

/* Each is process 1 of its own. */
static pid_t start_container(scene *t, int ready, const int *go)
{
    const pid_t outer = unit_fork();
    pid_t inner;

    ck_assert_int_ge(outer, 0);
    if (outer > 0)
        return outer;
    if (unshare(CLONE_NEWPID) != 0 &&
        unshare(CLONE_NEWUSER | CLONE_NEWPID) != 0)
        _exit(77);
    inner = fork();
    if (inner == 0) {
        scene other = *t;
        if (getpid() != 1)
            _exit(5);
        close(go[1]);
        read_twice(&other, ready, go[0]);
    }
    close(ready);
    close(go[1]);
    _exit(scene_reap(inner));
}

TEST(two_containers_read_together)
{
    int ready[2], go[2], code;
    pid_t child[2];
    char byte;
    OWN(scene_drop) scene *const t = scene_blank();

    make(t);
    ck_assert_int_eq(pipe(ready) + pipe(go), 0);
    for (int i = 0; i < 2; i++)
        child[i] = start_container(t, ready[1], go);
    close(ready[1]);
    for (int i = 0; i < 2; i++)
        if (read(ready[0], &byte, 1) != 1) {
            printf("# not tried: no namespaces of processes here\n");
            break;
        }
    scene_open(t, KEDGE_OPEN_WRITE);
    for (uint64_t n = 2; n < 20; n++)
        put_state(t, n);
    close(go[1]);
    for (int i = 0; i < 2; i++) {
        code = scene_reap(child[i]);
        ck_assert_msg(code == 0 || code == 77, "%d", code);
    }
}

/* Another user's store, which nobody else may write to. */
TEST(who_may_not_write_reads_while_root_writes)
{
    scene t, other;

    make(&t);
    if (getuid() != 0) {
        printf("# not tried: needs root\n");
        scene_end(&t);
        return;
    }
    ck_assert_int_eq(
        chmod(t.root, 0755) + chmod(t.path, 0755) + chmod(t.data, 0644), 0);
    const pid_t child = unit_fork();
    if (child == 0) {
        if (setgid(65534) != 0 || setuid(65534) != 0)
            _exit(3);
        for (uint64_t last = 0; last < 60;) {
            other = t;
            scene_open(&other, KEDGE_OPEN_READ);
            for (int i = 0; i < 5; i++) {
                scene_read(&other);
                last = get_state(&other);
                usleep(1000);
                ck_assert_uint_eq(get_state(&other), last);
                store_abort(&other.txn);
            }
            scene_close(&other);
        }
        _exit(0);
    }
    scene_open(&t, KEDGE_OPEN_WRITE);
    for (uint64_t n = 2; n <= 60; n++) {
        put_state(&t, n);
        usleep(1000);
    }
    ck_assert_int_eq(scene_reap(child), 0);
    scene_end(&t);
}

/* ---- a file that changes while it is open -------------------------------- */

/* LMDB would end the process. */
TEST(an_assertion_of_lmdb_is_an_error)
{
    uint8_t zeros[2] = {0};
    size_t tried = 0;
    struct stat info;
    OWN(scene_drop) scene *const t = scene_blank();

    make(t);
    ck_assert_int_eq(stat(t->data, &info), 0);
    for (off_t page = 2; page < info.st_size / 4096; page++) {
        uint8_t head[16];
        const int fd = open(t->data, O_RDWR);
        scene_open(t, KEDGE_OPEN_WRITE);
        ck_assert_int_eq(pread(fd, head, 16, page * 4096), 16);
        ck_assert_int_eq(pwrite(fd, zeros, 2, page * 4096 + 10), 2);
        kedge_status st = store_begin_write(t->s, &t->txn, &t->err);
        for (uint64_t i = 0; st == KEDGE_OK && i < STATE_IDS; i++) {
            char id[16];
            snprintf(id, sizeof id, "%llu", (unsigned long long)i);
            st = store_put_id(t->txn, span_text(id), (store_place){9, i},
                              &t->err);
        }
        if (st != KEDGE_OK) {
            ck_assert_msg(st == KEDGE_ECORRUPT, "%d %s", (int)st, t->err.text);
            tried++;
        }
        store_abort(&t->txn);
        ck_assert_int_eq(pwrite(fd, head, 16, page * 4096), 16);
        close(fd);
        scene_close(t);
    }
    ck_assert_uint_ge(tried, 1);
    scene_open(t, KEDGE_OPEN_WRITE);
    put_state(t, 5);
}

/* ---- the locks ----------------------------------------------------------- */

TEST(the_oldest_state_is_found)
{
    char path[] = "/tmp/kedge-holds-XXXXXX";
    const int own = mkstemp(path);
    int fd[50];

    ck_assert_uint_eq(holds_oldest(own, 100), 100);
    for (int i = 0; i < 50; i++) {
        fd[i] = open(path, O_RDONLY);
        ck_assert(holds_enter(fd[i]));
        ck_assert_uint_eq(holds_oldest(own, 100), 0);
        ck_assert(holds_state(fd[i], 10 + scene_random(1, (uint64_t)i, 200)));
    }
    for (int i = 0; i < 50; i++) {
        uint64_t oldest = 100;
        for (int k = i; k < 50; k++) {
            const uint64_t state = 10 + scene_random(1, (uint64_t)k, 200);
            oldest = state < oldest ? state : oldest;
        }
        ck_assert_uint_eq(holds_oldest(own, 100), oldest);
        if (i % 2 == 0)
            holds_leave(fd[i]);
        close(fd[i]);
    }
    ck_assert(!holds_is_committing(own, 5));
    holds_commit(own, 5, true);
    fd[0] = open(path, O_RDONLY);
    ck_assert(holds_is_committing(fd[0], 5) && !holds_is_committing(fd[0], 6));
    ck_assert(!holds_is_sound(fd[0]));
    holds_sound(own);
    ck_assert(holds_is_sound(fd[0]));
    holds_drop(own);
    ck_assert(!holds_is_sound(fd[0]) && !holds_is_committing(fd[0], 5));
    close(fd[0]);
    close(own);
    unlink(path);
}
