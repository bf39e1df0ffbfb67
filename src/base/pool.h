/* SPDX-License-Identifier: MIT */
#ifndef BASE_POOL_H
#define BASE_POOL_H
/*
 * A pool of threads that run numbered tasks. Which thread runs which task is
 * left to chance; results must therefore depend on the task's number alone, and
 * a task writes only its own output. The calling thread works too, so a pool of
 * one starts no thread at all. A pool may belong to a rank of a communicator:
 * linalg/tall.h says which rows of a matrix are which rank's.
 */
#include <stddef.h>

#include <kedge/status.h>

#include "base/run.h"
#include "base/comm.h"

typedef struct pool pool;

/* `worker` is 0 .. threads-1: the scratch memory that the task may use. */
typedef void pool_task(void *data, size_t task, unsigned worker);

/* Where the system refuses a thread it has fewer: the result is the same. */
kedge_status pool_create(unsigned threads, pool **out, kedge_error *err);
void pool_free(pool *p); /* accepts NULL */
unsigned pool_threads(const pool *p);

/* The same with as many as the caller asks for; fewer are logged. */
kedge_status pool_open(const kedge_control *control, pool **out,
                       kedge_error *err);

/* The communicator of this process; NULL, as at first: none. The pool keeps the
 * pointer. pool_comm accepts NULL. */
void pool_set_comm(pool *p, communicator *comm);
communicator *pool_comm(const pool *p);

/* Runs task 0 .. tasks-1 and returns when all are done. Not to be called from
 * within a task, nor from two threads at once. */
void pool_run(pool *p, size_t tasks, pool_task *run, void *data);

/* The same, but the calling thread runs task `own`, before any other where
 * there are helpers: a task that calls back into the program, whose callbacks
 * are promised its own thread. Alone it runs all tasks in their order. */
void pool_run_own(pool *p, size_t tasks, size_t own, pool_task *run,
                  void *data);

/*
 * From here on each run is the whole of a stage: the calling thread reports
 * after each of its tasks what share of all is done, and asks whether to stop,
 * then and while it waits for the other threads. After a stop no more tasks
 * begin, and the output is incomplete.
 */
void pool_watch(pool *p, const stage *s);

/* Ends that; ECANCELED when a run was cut short. */
kedge_status pool_unwatch(pool *p, kedge_error *err);

#endif
