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
    pthread_mutex_t lock;
    pthread_cond_t changed;
    const void *letter[CREW_MOST][CREW_MOST]; /* to, from; or NULL */
    void (*work)(void *data, team *t);
    void *data;
    uint64_t heard; /* bytes, by all */
} crew;

typedef struct crew_member {
    crew *c;
    team t;
    uint64_t heard;
} crew_member;

/* The letter is the sender's own memory, until it is taken. */
static void crew_post(crew *c, const void *value, unsigned from, unsigned to)
{
    c->letter[to][from] = value;
    pthread_cond_broadcast(&c->changed);
}

static void crew_await_taken(crew *c, unsigned from, unsigned to)
{
    while (c->letter[to][from] != NULL)
        pthread_cond_wait(&c->changed, &c->lock);
}

static void crew_open(crew *c, void *value, size_t bytes, unsigned from,
                      unsigned to)
{
    while (c->letter[to][from] == NULL)
        pthread_cond_wait(&c->changed, &c->lock);
    memcpy(value, c->letter[to][from], bytes);
    crew_post(c, NULL, from, to);
}

static void crew_hand(void *data, const void *value, size_t bytes, unsigned to)
{
    crew_member *const m = data;

    (void)bytes;
    pthread_mutex_lock(&m->c->lock);
    crew_post(m->c, value, m->t.rank, to);
    crew_await_taken(m->c, m->t.rank, to);
    pthread_mutex_unlock(&m->c->lock);
}

static void crew_take(void *data, void *value, size_t bytes, unsigned from)
{
    crew_member *const m = data;

    pthread_mutex_lock(&m->c->lock);
    crew_open(m->c, value, bytes, from, m->t.rank);
    pthread_mutex_unlock(&m->c->lock);
}

static void crew_trade(void *data, const void *out, size_t out_bytes,
                       unsigned to, void *in, size_t in_bytes, unsigned from)
{
    crew_member *const m = data;

    pthread_mutex_lock(&m->c->lock);
    if (out_bytes > 0)
        crew_post(m->c, out, m->t.rank, to);
    if (in_bytes > 0)
        crew_open(m->c, in, in_bytes, from, m->t.rank);
    crew_await_taken(m->c, m->t.rank, to);
    pthread_mutex_unlock(&m->c->lock);
}

static void *crew_begin(void *data)
{
    crew_member *const m = data;

    m->c->work(m->c->data, &m->t);
    return NULL;
}

/* Bytes that came to all of them. */
static inline uint64_t crew_run(unsigned size,
                              void (*work)(void *data, team *t),
                              void *data)
{
    crew c = {.size = size, .work = work, .data = data};
    crew_member members[CREW_MOST];
    pthread_t threads[CREW_MOST];

    pthread_mutex_init(&c.lock, NULL);
    pthread_cond_init(&c.changed, NULL);
    for (unsigned r = 0; r < size; r++) {
        members[r] = (crew_member){
            &c, {.rank = r, .size = size, .data = &members[r],
                 .hand = crew_hand, .take = crew_take,
                 .trade = crew_trade, .heard = &members[r].heard},
            0};
        if (pthread_create(&threads[r], NULL, crew_begin, &members[r]) != 0)
            abort();
    }
    for (unsigned r = 0; r < size; r++) {
        pthread_join(threads[r], NULL);
        c.heard += members[r].heard;
    }
    pthread_cond_destroy(&c.changed);
    pthread_mutex_destroy(&c.lock);
    return c.heard;
}

#endif
