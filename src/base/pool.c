/* SPDX-License-Identifier: MIT */
#include "base/pool.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <time.h>

#include "base/fail.h"
#include "base/mem.h"

#define SECOND 1000000000L            /* in nanoseconds */
#define ASK_NANOSECONDS (SECOND / 10) /* between questions whether to stop */

struct pool {
    unsigned threads;
    unsigned started; /* helpers that run, at most threads - 1 */
    pthread_t *helpers;
    pthread_mutex_t lock;
    pthread_cond_t work, done;
    unsigned long round; /* of work; rises with each pool_run */
    unsigned busy;       /* helpers that have not finished this round */
    bool closing;
    pool_task *run;
    void *data;
    size_t tasks, own; /* own: which is the calling thread's, or `tasks` */
    atomic_size_t next;
    communicator *comm;
    const stage *watched; /* what runs are parts of, or NULL */
    kedge_status stopped;
    kedge_error why;
};

struct helper_start {
    pool *p;
    unsigned worker;
};

/* Tasks before this one have begun, and as good as all of them have ended. */
static void pool_report(pool *p, size_t task)
{
    const double share = (double)(task + 1) / (double)p->tasks;

    if (p->stopped == KEDGE_OK)
        p->stopped = stage_reach(
            p->watched, (uint64_t)(share * (double)p->watched->total), &p->why);
    if (p->stopped != KEDGE_OK)
        atomic_store(&p->next, p->tasks);
}

static void pool_drain(pool *p, unsigned worker)
{
    for (;;) {
        const size_t task = atomic_fetch_add(&p->next, 1);
        if (task >= p->tasks)
            return;
        if (task == p->own)
            continue;
        p->run(p->data, task, worker);
        if (worker == 0 && p->watched != NULL)
            pool_report(p, task);
    }
}

static void *pool_helper(void *start)
{
    const struct helper_start own = *(struct helper_start *)start;
    pool *p = own.p;
    unsigned long seen = 0;

    mem_free(start);
    pthread_mutex_lock(&p->lock);
    for (;;) {
        while (p->round == seen && !p->closing)
            pthread_cond_wait(&p->work, &p->lock);
        if (p->closing)
            break;
        seen = p->round;
        pthread_mutex_unlock(&p->lock);
        pool_drain(p, own.worker);
        pthread_mutex_lock(&p->lock);
        if (--p->busy == 0)
            pthread_cond_signal(&p->done);
    }
    pthread_mutex_unlock(&p->lock);
    return NULL;
}

/* As many as the system allows: results do not depend on it. */
static kedge_status pool_start(pool *p, kedge_error *err)
{
    while (p->started + 1 < p->threads) {
        struct helper_start *start = mem_new(1, sizeof *start);
        if (start == NULL)
            return kedge_fail(err, KEDGE_ENOMEM, "out of memory (pool)");
        start->p = p;
        start->worker = p->started + 1;
        if (pthread_create(&p->helpers[p->started], NULL, pool_helper,
                           start) != 0) {
            mem_free(start);
            p->threads = p->started + 1;
            return KEDGE_OK;
        }
        p->started++;
    }
    return KEDGE_OK;
}

kedge_status pool_create(unsigned threads, pool **out, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    pool *p = NULL;

    *out = NULL;
    if (threads < 1 || threads > 256)
        return kedge_fail(err, KEDGE_EINVAL, "threads: %u is not in 1 to 256",
                          threads);
    TRY_MEM(p = mem_new(1, sizeof *p));
    p->threads = threads;
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->work, NULL);
    pthread_cond_init(&p->done, NULL);
    TRY_MEM(p->helpers = mem_new(threads, sizeof *p->helpers));
    TRY(pool_start(p, err));
    *out = p;
    p = NULL;
out:
    pool_free(p);
    return st;
}

kedge_status pool_open(const kedge_control *control, pool **out,
                       kedge_error *err)
{
    PASS(pool_create(control->threads, out, err));
    if ((*out)->threads < control->threads)
        run_log(control,
                "the system allows %u of %u threads; the result is the same",
                (*out)->threads, control->threads);
    return KEDGE_OK;
}

void pool_free(pool *p)
{
    if (p == NULL)
        return;
    pthread_mutex_lock(&p->lock);
    p->closing = true;
    pthread_cond_broadcast(&p->work);
    pthread_mutex_unlock(&p->lock);
    for (unsigned i = 0; i < p->started; i++)
        pthread_join(p->helpers[i], NULL);
    pthread_cond_destroy(&p->done);
    pthread_cond_destroy(&p->work);
    pthread_mutex_destroy(&p->lock);
    mem_free(p->helpers);
    mem_free(p);
}

unsigned pool_threads(const pool *p)
{
    return p->threads;
}

void pool_set_comm(pool *p, communicator *comm)
{
    p->comm = comm;
}

communicator *pool_comm(const pool *p)
{
    return p != NULL ? p->comm : NULL;
}

/* The helpers have begun; whoever wants to stop is heard while the last of them
 * are at work. */
static void pool_wait(pool *p)
{
    struct timespec until;

    pthread_mutex_lock(&p->lock);
    while (p->busy > 0) {
        if (p->watched == NULL) {
            pthread_cond_wait(&p->done, &p->lock);
            continue;
        }
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += ASK_NANOSECONDS;
        until.tv_sec += until.tv_nsec / SECOND;
        until.tv_nsec %= SECOND;
        if (pthread_cond_timedwait(&p->done, &p->lock, &until) != ETIMEDOUT)
            continue;
        pthread_mutex_unlock(&p->lock);
        if (p->stopped == KEDGE_OK && p->watched->control != NULL)
            p->stopped = run_check(p->watched->control, &p->why);
        pthread_mutex_lock(&p->lock);
    }
    pthread_mutex_unlock(&p->lock);
}

void pool_run_own(pool *p, size_t tasks, size_t own, pool_task *run,
                  void *data)
{
    const bool shared = p->started > 0 && tasks > 1;

    p->run = run;
    p->data = data;
    p->tasks = tasks;
    p->own = shared ? own : tasks;
    atomic_store(&p->next, 0);
    if (shared) {
        pthread_mutex_lock(&p->lock);
        p->busy = p->started;
        p->round++;
        pthread_cond_broadcast(&p->work);
        pthread_mutex_unlock(&p->lock);
        if (own < tasks)
            run(data, own, 0);
    }
    pool_drain(p, 0);
    if (shared)
        pool_wait(p);
}

void pool_run(pool *p, size_t tasks, pool_task *run, void *data)
{
    pool_run_own(p, tasks, tasks, run, data);
}

void pool_watch(pool *p, const stage *s)
{
    p->watched = s;
    p->stopped = KEDGE_OK;
}

kedge_status pool_unwatch(pool *p, kedge_error *err)
{
    p->watched = NULL;
    return p->stopped == KEDGE_OK
               ? KEDGE_OK
               : kedge_fail(err, p->stopped, "%s", p->why.text);
}
