/* SPDX-License-Identifier: MIT */
#ifndef TESTS_UNIT_BASE_CREW_H
#define TESTS_UNIT_BASE_CREW_H
/* A team whose processes are threads of this one: what each does must come to
 * the same as one alone. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/team.h"

#define CREW_MOST 20

typedef struct crew {
    unsigned size;
    pthread_barrier_t meet;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    const void *letter[CREW_MOST]; /* to this rank, or NULL */
    const void *spread;
    void (*work)(void *data, const team *t);
    void *data;
    size_t handed; /* bytes, in all */
} crew;

typedef struct crew_member {
    crew *c;
    team t;
} crew_member;

/* The letter is the sender's own memory, until it is taken. */
static void crew_hand(void *data, const void *value, size_t bytes)
{
    crew_member *const m = data;
    crew *const c = m->c;
    const unsigned to = m->t.rank + 1;

    pthread_mutex_lock(&c->lock);
    c->letter[to] = value;
    c->handed += bytes;
    pthread_cond_broadcast(&c->changed);
    while (c->letter[to] != NULL)
        pthread_cond_wait(&c->changed, &c->lock);
    pthread_mutex_unlock(&c->lock);
}

static void crew_take(void *data, void *value, size_t bytes)
{
    crew_member *const m = data;
    crew *const c = m->c;

    pthread_mutex_lock(&c->lock);
    while (c->letter[m->t.rank] == NULL)
        pthread_cond_wait(&c->changed, &c->lock);
    memcpy(value, c->letter[m->t.rank], bytes);
    c->letter[m->t.rank] = NULL;
    pthread_cond_broadcast(&c->changed);
    pthread_mutex_unlock(&c->lock);
}

static void crew_spread(void *data, void *value, size_t bytes, unsigned from)
{
    crew_member *const m = data;

    if (m->t.rank == from)
        m->c->spread = value;
    pthread_barrier_wait(&m->c->meet);
    if (m->t.rank != from)
        memcpy(value, m->c->spread, bytes);
    pthread_barrier_wait(&m->c->meet);
}

static void *crew_begin(void *data)
{
    crew_member *const m = data;

    m->c->work(m->c->data, &m->t);
    return NULL;
}

/* Bytes that went from rank to rank. */
static inline size_t crew_run(unsigned size,
                              void (*work)(void *data, const team *t),
                              void *data)
{
    crew c = {.size = size, .work = work, .data = data};
    crew_member members[CREW_MOST];
    pthread_t threads[CREW_MOST];

    pthread_barrier_init(&c.meet, NULL, size);
    pthread_mutex_init(&c.lock, NULL);
    pthread_cond_init(&c.changed, NULL);
    for (unsigned r = 0; r < size; r++) {
        members[r] = (crew_member){
            &c, {.rank = r, .size = size, .data = &members[r],
                 .hand = crew_hand, .take = crew_take,
                 .spread = crew_spread}};
        if (pthread_create(&threads[r], NULL, crew_begin, &members[r]) != 0)
            abort();
    }
    for (unsigned r = 0; r < size; r++)
        pthread_join(threads[r], NULL);
    pthread_cond_destroy(&c.changed);
    pthread_mutex_destroy(&c.lock);
    pthread_barrier_destroy(&c.meet);
    return c.handed;
}

#endif
