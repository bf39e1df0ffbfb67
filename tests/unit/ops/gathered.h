/* SPDX-License-Identifier: MIT */
#ifndef TESTS_UNIT_OPS_GATHERED_H
#define TESTS_UNIT_OPS_GATHERED_H
/*
 * Stores of several processes, "rank0" and so on, that read some of the shards
 * each, in turns; the store of sums, which is rank 0's; and one that read all.
 */
#include <kedge/parts.h>
#include <kedge/comm.h>

#include "base/threadranks.h"
#include "ops/lively.h"

typedef struct gathered {
    unsigned size;
    lively member[THREADRANKS_MOST];
    lively sum, all;
} gathered;

/* What shards are read with. */
typedef void gathered_ask(kedge_ingest_opts *o);

/* An empty store with this name. */
static inline void gathered_store(lively *l, const char *name,
                                  size_t documents)
{
    scene *const t = &l->p.t;
    char old[80];

    lively_begin(l, documents);
    scene_close(t);
    memcpy(old, t->path, sizeof old);
    snprintf(t->path, sizeof t->path, "%.60s/%.15s", t->root, name);
    snprintf(t->data, sizeof t->data, "%.80s/data.mdb", t->path);
    ck_assert_int_eq(rename(old, t->path), 0);
    scene_open(t, KEDGE_OPEN_WRITE);
}

/* Stores without documents; `ask`, or NULL, says how they read. */
static inline void gathered_empty(gathered *g, unsigned size, size_t documents,
                                  gathered_ask *ask)
{
    *g = (gathered){.size = size};
    gathered_store(&g->sum, "sum", documents);
    gathered_store(&g->all, "all", documents);
    for (unsigned r = 0; r < size; r++) {
        char name[16];
        snprintf(name, sizeof name, "rank%u", r);
        gathered_store(&g->member[r], name, documents);
        if (ask != NULL)
            ask(&g->member[r].p.o);
    }
    if (ask != NULL)
        ask(&g->all.p.o);
}

/* What one store reads, or loses, so does the one with all. */
static inline void gathered_read(gathered *g, unsigned rank, size_t shard)
{
    lively_ingest(&g->member[rank], shard, false);
    lively_ingest(&g->all, shard, false);
}

static inline void gathered_remove(gathered *g, unsigned rank, size_t shard,
                                   bool no_sketch)
{
    lively_remove_batch(&g->member[rank], shard, no_sketch);
    lively_remove_batch(&g->all, shard, no_sketch);
}

static inline void gathered_begin_with(gathered *g, unsigned size,
                                       size_t documents, gathered_ask *ask)
{
    gathered_empty(g, size, documents, ask);
    for (size_t i = 0; i < LIVELY_SHARDS; i++)
        gathered_read(g, (unsigned)(i % size), i);
}

static inline void gathered_begin(gathered *g, unsigned size, size_t documents)
{
    gathered_begin_with(g, size, documents, NULL);
}

static inline void gathered_end(gathered *g)
{
    for (unsigned r = 0; r < g->size; r++)
        lively_end(&g->member[r]);
    lively_end(&g->sum);
    lively_end(&g->all);
}

/* Words as they come, no index of all of them. */
static inline void gathered_no_vocabulary(kedge_ingest_opts *o)
{
    o->vocabulary = NULL;
}

static inline void gathered_two_statistics(kedge_ingest_opts *o)
{
    o->tf = "log,sqrt";
}

/* ---- two processes, one after the other ---------------------------------- */

/* What one of two ranks sends is recorded, message by message, and received by
 * the other, again and again; maybe with a byte that was changed. */
typedef struct tape {
    struct {
        uint8_t *bytes;
        size_t size;
    } message[64];
    size_t count, at;
    bool amiss; /* other sizes were received than were sent */
    uint64_t heard;
} tape;

static inline void tape_send(void *data, const void *value, size_t bytes,
                             unsigned to)
{
    tape *const t = data;

    (void)to;
    ck_assert_uint_lt(t->count, sizeof t->message / sizeof *t->message);
    t->message[t->count].bytes = malloc(bytes);
    memcpy(t->message[t->count].bytes, value, bytes);
    t->message[t->count++].size = bytes;
}

static inline void tape_recv(void *data, void *value, size_t bytes,
                             unsigned from)
{
    tape *const t = data;
    size_t size;

    (void)from;
    memset(value, 0, bytes);
    t->amiss |= t->at == t->count || bytes != t->message[t->at].size;
    if (t->at == t->count)
        return;
    size = t->message[t->at].size;
    memcpy(value, t->message[t->at++].bytes, bytes < size ? bytes : size);
}

/* One of the two, from the tape's beginning on. */
static inline communicator tape_team(tape *t, unsigned rank)
{
    t->at = 0;
    t->amiss = false;
    return (communicator){.rank = rank, .size = 2, .data = t, .hand = tape_send,
                  .take = tape_recv, .heard = &t->heard};
}

static inline void tape_free(tape *t)
{
    for (size_t m = 0; m < t->count; m++)
        free(t->message[m].bytes);
}

#endif
