/* SPDX-License-Identifier: MIT */
#ifndef TESTS_UNIT_BASE_THREADRANKS_H
#define TESTS_UNIT_BASE_THREADRANKS_H
/* A communicator whose ranks are threads of this process. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/comm.h"

#define THREADRANKS_MOST 20

typedef struct threadranks {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    /* to, from: the sender's own memory until it is received, then NULL */
    const void *message[THREADRANKS_MOST][THREADRANKS_MOST];
    void (*work)(void *data, communicator *c);
    void *data;
} threadranks;

typedef struct threadrank {
    threadranks *all;
    communicator comm;
    uint64_t heard;
} threadrank;

static void threadrank_sendrecv(void *data, const void *out, size_t out_bytes,
                                unsigned to, void *in, size_t in_bytes,
                                unsigned from)
{
    const unsigned rank = ((threadrank *)data)->comm.rank;
    threadranks *const all = ((threadrank *)data)->all;

    pthread_mutex_lock(&all->lock);
    if (out_bytes > 0)
        all->message[to][rank] = out;
    pthread_cond_broadcast(&all->changed);
    if (in_bytes > 0) {
        while (all->message[rank][from] == NULL)
            pthread_cond_wait(&all->changed, &all->lock);
        memcpy(in, all->message[rank][from], in_bytes);
        all->message[rank][from] = NULL;
        pthread_cond_broadcast(&all->changed);
    }
    while (out_bytes > 0 && all->message[to][rank] != NULL)
        pthread_cond_wait(&all->changed, &all->lock);
    pthread_mutex_unlock(&all->lock);
}

static void threadrank_send(void *data, const void *value, size_t bytes,
                            unsigned to)
{
    threadrank_sendrecv(data, value, bytes, to, NULL, 0, 0);
}

static void threadrank_recv(void *data, void *value, size_t bytes,
                            unsigned from)
{
    threadrank_sendrecv(data, NULL, 0, 0, value, bytes, from);
}

static void *threadrank_run(void *data)
{
    threadrank *const r = data;

    r->all->work(r->all->data, &r->comm);
    return NULL;
}

/* Runs `work` as each rank; gives back the bytes that all of them received. */
static inline uint64_t threadranks_run(unsigned size,
                                       void (*work)(void *, communicator *),
                                       void *data)
{
    threadranks all = {.work = work, .data = data};
    threadrank ranks[THREADRANKS_MOST];
    pthread_t threads[THREADRANKS_MOST];
    uint64_t heard = 0;

    pthread_mutex_init(&all.lock, NULL);
    pthread_cond_init(&all.changed, NULL);
    for (unsigned r = 0; r < size; r++) {
        ranks[r] = (threadrank){
            &all, {.rank = r, .size = size, .data = &ranks[r],
                   .hand = threadrank_send, .take = threadrank_recv,
                   .trade = threadrank_sendrecv, .heard = &ranks[r].heard},
            0};
        if (pthread_create(&threads[r], NULL, threadrank_run, &ranks[r]) != 0)
            abort();
    }
    for (unsigned r = 0; r < size; r++) {
        pthread_join(threads[r], NULL);
        heard += ranks[r].heard;
    }
    pthread_cond_destroy(&all.changed);
    pthread_mutex_destroy(&all.lock);
    return heard;
}

#endif
