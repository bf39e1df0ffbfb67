/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include <pthread.h>
#include <stdatomic.h>

#include "base/gate.h"
#include "base/pool.h"

#define MOST_TASKS 500
#define MOST_THREADS 8

/* Plain memory everywhere: a race is a wrong sum, or a report of TSan's. */
typedef struct scene {
    unsigned threads;
    uint64_t round;
    uint64_t made[MOST_TASKS];            /* by task */
    size_t by_worker[MOST_THREADS][16];   /* tasks, a cache line apart */
    size_t outside;
} scene;

static void note_task(void *data, size_t task, unsigned worker)
{
    scene *s = data;

    if (worker >= s->threads || task >= MOST_TASKS) {
        s->outside++;
        return;
    }
    s->made[task] += s->round * (task + 1);
    s->by_worker[worker][0]++;
}

static void run_rounds(unsigned threads, uint64_t rounds)
{
    kedge_error err = {0};
    scene s = {.threads = threads};
    size_t wrong = 0, total = 0, done = 0;
    pool *p;

    ck_ok(pool_create(threads, &p, &err), err);
    ck_assert_uint_eq(pool_threads(p), threads);
    for (uint64_t r = 1; r <= rounds; r++) {
        const size_t tasks = r % 50 == 0 ? MOST_TASKS : r % 7;
        s.round = r;
        memset(s.made, 0, sizeof s.made);
        pool_run(p, tasks, note_task, &s);
        for (size_t t = 0; t < MOST_TASKS; t++)
            wrong += s.made[t] != (t < tasks ? r * (t + 1) : 0);
        total += tasks;
    }
    for (unsigned w = 0; w < threads; w++)
        done += s.by_worker[w][0];
    pool_free(p);
    ck_assert_uint_eq(wrong, 0);
    ck_assert_uint_eq(s.outside, 0);
    ck_assert_uint_eq(done, total);
}

TEST(every_task_is_run_once)
{
    for (unsigned threads = 1; threads <= MOST_THREADS; threads++)
        run_rounds(threads, 2000);
}

static void sum_task(void *data, size_t task, unsigned worker)
{
    uint64_t *of_worker = data;

    of_worker[worker * 8] += task;
}

TEST(many_small_tasks_are_all_run)
{
    kedge_error err = {0};
    OWN(pool_end) pool *p = NULL;

    ck_ok(pool_create(3, &p, &err), err);
    for (int round = 0; round < 5; round++) {
        uint64_t of_worker[3 * 8] = {0};
        const uint64_t n = 100000;
        pool_run(p, n, sum_task, of_worker);
        ck_assert_uint_eq(of_worker[0] + of_worker[8] + of_worker[16],
                          n * (n - 1) / 2);
    }
}

typedef struct meeting {
    pthread_t caller;
    atomic_uint here;
    unsigned want;
    bool same[4];
} meeting;

/* No task ends before all have begun: each needs a thread of its own. */
static void meet_task(void *data, size_t task, unsigned worker)
{
    meeting *m = data;

    (void)task;
    m->same[worker] = pthread_equal(m->caller, pthread_self()) != 0;
    atomic_fetch_add(&m->here, 1);
    while (atomic_load(&m->here) < m->want)
        ;
}

TEST(all_threads_work_and_the_caller_too)
{
    kedge_error err = {0};

    for (unsigned threads = 1; threads <= 4; threads++) {
        meeting m = {.caller = pthread_self(), .want = threads};
        pool *p;
        ck_ok(pool_create(threads, &p, &err), err);
        pool_run(p, threads, meet_task, &m);
        pool_free(p);
        ck_assert_uint_eq(atomic_load(&m.here), threads);
        ck_assert(m.same[0]); /* worker 0 is the caller */
        for (unsigned w = 1; w < threads; w++)
            ck_assert(!m.same[w]);
    }
}

typedef struct watcher {
    uint64_t told, last, fallen, stop_at;
    atomic_uint made;
} watcher;

static void watched_task(void *data, size_t task, unsigned worker)
{
    watcher *w = data;

    (void)task;
    (void)worker;
    atomic_fetch_add(&w->made, 1);
}

static void watched_progress(void *data, const kedge_progress *now)
{
    watcher *w = data;

    w->told++;
    w->fallen += now->done < w->last;
    w->last = now->done;
}

static int watched_stop(void *data)
{
    const watcher *w = data;

    return w->stop_at > 0 && w->last >= w->stop_at;
}

/* Runs 1,000 tasks that are a stage of 5,000. */
static kedge_status run_watched(unsigned threads, watcher *w, kedge_error *err)
{
    const kedge_control control = {.data = w, .progress = watched_progress,
                                   .stop = watched_stop};
    const stage told = stage_begin(&control, "tasks", 5000, "");
    kedge_status st;
    pool *p;

    ck_ok(pool_create(threads, &p, err), *err);
    pool_watch(p, &told);
    pool_run(p, 1000, watched_task, w);
    st = pool_unwatch(p, err);
    w->stop_at = 0;
    pool_run(p, 10, watched_task, w); /* of no stage any more */
    ck_assert_int_eq(pool_unwatch(p, NULL), st);
    pool_free(p);
    return st;
}

TEST(a_run_is_told_of_and_stopped)
{
    kedge_error err = {0};

    for (unsigned threads = 1; threads <= 3; threads++) {
        watcher w = {0}, s = {.stop_at = 2500};
        ck_ok(run_watched(threads, &w, &err), err);
        ck_assert_uint_eq(atomic_load(&w.made), 1010);
        ck_assert_uint_eq(w.fallen, 0);
        ck_assert_uint_le(w.last, 5000);
        ck_assert_uint_le(w.told, 1001);
        if (threads > 1) /* the others may have been quicker */
            continue;
        ck_assert_uint_eq(w.told, 1001);
        ck_assert_uint_eq(w.last, 5000);
        ck_fails(run_watched(1, &s, &err), KEDGE_ECANCELED, err, "stopped");
        ck_assert_uint_eq(atomic_load(&s.made), 510);
    }
}

TEST(pools_come_and_go)
{
    kedge_error err = {0};

    for (unsigned i = 0; i < 200; i++) {
        OWN(pool_end) pool *p = NULL;
        ck_ok(pool_create(1 + i % 8, &p, &err), err);
    }
    pool_free(NULL);
}

TEST(numbers_of_threads_have_limits)
{
    kedge_error err = {0};
    pool *p = (pool *)&err;

    ck_fails(pool_create(0, &p, &err), KEDGE_EINVAL, err, "1 to 256");
    ck_assert_ptr_null(p);
    ck_fails(pool_create(257, &p, &err), KEDGE_EINVAL, err, "257");
    ck_assert_ptr_null(p);
}

TEST(no_memory_leaves_nothing)
{
    kedge_error err = {0};
    long failed = 0;

    for (;; failed++) {
        pool *p = (pool *)&err;
        gate_allow(failed);
        const kedge_status st = pool_create(4, &p, &err);
        gate_open();
        if (st == KEDGE_OK) {
            pool_free(p);
            break;
        }
        ck_assert_int_eq(st, KEDGE_ENOMEM);
        ck_assert_ptr_null(p);
    }
    ck_assert_int_eq(failed, 5);
}
