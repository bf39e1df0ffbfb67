/* SPDX-License-Identifier: MIT */
#ifndef TESTS_UNIT_OPS_SESSION_H
#define TESTS_UNIT_OPS_SESSION_H
/* One source that is read, in batches that are committed by hand. */
#include "ops/ingest/reading.h"
#include "ops/planted.h"

typedef struct session {
    planted *p;
    words w;
    reading in;
    doc_batch out;
    const char *path;
} session;

static inline kedge_status session_open(session *s, planted *p,
                                        const char *path)
{
    *s = (session){.p = p, .path = path};
    s->in.path.given = &s->path;
    s->in.path.count = 1;
    scene_read(&p->t);
    ck_ok(store_get_words(p->t.txn, &s->w, &p->t.err), p->t.err);
    store_abort(&p->t.txn);
    return reading_open(&s->in, p->t.s, &s->w, &p->o, &p->c, &p->t.err);
}

static inline void session_close(session *s)
{
    reading_close(&s->in);
    batch_free(&s->out);
    words_free(&s->w);
}

static inline void session_begin(session *s, planted *p, const char *path)
{
    ck_ok(session_open(s, p, path), p->t.err);
}

static inline void session_next(session *s)
{
    ck_ok(reading_next(&s->in, &s->out, &s->p->t.err), s->p->t.err);
}

/* Opens the source and reads its first batch. */
static inline void session_read(session *s, planted *p, const char *path)
{
    session_begin(s, p, path);
    session_next(s);
}

/* What ingestion writes of the batch, as far as reading needs it later. */
static inline void session_commit(session *s)
{
    store_totals totals;

    scene_write(&s->p->t);
    ck_ok(store_get_totals(s->p->t.txn, &totals, &s->p->t.err), s->p->t.err);
    for (size_t i = 0; i < s->out.parts; i++) {
        const batch_part *part = &s->out.part[i];
        if (totals.sources <= part->source)
            totals.sources = part->source + 1;
        ck_ok(store_put_source(s->p->t.txn, part->source, &part->record,
                               &s->p->t.err),
              s->p->t.err);
    }
    ck_ok(store_put_totals(s->p->t.txn, &totals, &s->p->t.err), s->p->t.err);
    scene_commit(&s->p->t);
}

/* A record as of an interruption after `count` documents of the corpus. */
static inline store_source interrupted(planted *p, size_t count)
{
    char path[96];
    session s;
    store_source record;

    planted_write(planted_path(p, "head", path), &p->d, 0, count, false);
    session_read(&s, p, path);
    record = s.out.part[0].record;
    session_close(&s);
    ck_assert_uint_eq(record.position, count);
    record.complete = false;
    snprintf(record.name, sizeof record.name, "%s", p->source);
    return record;
}

static inline void put_record(planted *p, uint64_t number,
                              const store_source *record)
{
    batch_part part = {.source = (uint32_t)number, .record = *record};
    session s = {.p = p, .out = {.part = &part, .parts = 1}};

    session_commit(&s);
}

#endif
