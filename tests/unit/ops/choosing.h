/* SPDX-License-Identifier: MIT */
#ifndef TESTS_UNIT_OPS_CHOOSING_H
#define TESTS_UNIT_OPS_CHOOSING_H
/* A store of few documents whose words are chosen as fit does it. */
#include "ops/archive.h"
#include "ops/index/index.h"

typedef struct session {
    archive a;
    kedge_control c;
    kedge_fit_opts o;
    index_choice chosen; /* last */
    bool fresh;          /* of that */
    const char *model;   /* whose words are kept, or NULL */
} session;

static inline void ask_for_all(session *s)
{
    kedge_fit_opts_init(&s->o);
    s->o.min_df = 1;
    s->o.max_df = 1;
    s->o.stopwords = "none";
}

static inline void session_begin(session *s)
{
    *s = (session){.model = NULL};
    archive_begin(&s->a, 12, false);
    kedge_control_init(&s->c);
    s->c.threads = 1;
    kedge_fit_opts_init(&s->o);
}

static inline void session_end(session *s)
{
    archive_end(&s->a);
}

/* One until the end of the scope. */
#define SESSION(s)              \
    session s OWN(session_end); \
    session_begin(&s)

static inline kedge_status choose_any(session *s, uint32_t *number)
{
    const kedge_status st = index_choose(s->a.t.s, &s->a.w, &s->o, s->model,
                                         false, &s->c, &s->chosen,
                                         &s->a.t.err);

    *number = s->chosen.number;
    s->fresh = s->chosen.fresh;
    return st;
}

static inline uint32_t choose(session *s)
{
    uint32_t number;

    ck_ok(choose_any(s, &number), s->a.t.err);
    return number;
}

/* Its record; false where there is none. */
static inline bool index_of(scene *t, uint32_t number, store_index *v)
{
    kedge_status st;

    scene_read(t);
    st = store_get_index_record(t->txn, number, v, &t->err);
    store_abort(&t->txn);
    ck_assert(st == KEDGE_OK || st == KEDGE_ENOTFOUND);
    return st == KEDGE_OK;
}

static inline size_t count_indexes(scene *t)
{
    index_list l = {0};

    scene_read(t);
    ck_ok(index_list_load(&l, t->txn, &t->err), t->err);
    store_abort(&t->txn);
    mem_free(l.at);
    return l.count;
}

/* Words that are in `least` documents or more, as the counts are now. */
static inline void check_list(session *s, uint32_t number, uint64_t least)
{
    uint64_t tf[ARCHIVE_WORDS], df[ARCHIVE_WORDS];
    store_list l = {0};
    size_t n = 0;

    scene_read(&s->a.t);
    ck_ok(store_get_counts(s->a.t.txn, tf, df, ARCHIVE_WORDS, &s->a.t.err),
          s->a.t.err);
    ck_ok(store_get_list(s->a.t.txn, number, &l, &s->a.t.err), s->a.t.err);
    store_abort(&s->a.t.txn);
    for (uint32_t i = 0; i < ARCHIVE_WORDS; i++)
        if (df[i] >= least) {
            ck_assert_uint_lt(n, l.count);
            ck_assert_uint_eq(l.ids[n++], i);
        }
    ck_assert_uint_eq(n, l.count);
    store_list_free(&l);
}

/* A number of documents that parts the words. */
static inline uint64_t middle_df(session *s, size_t place)
{
    archive_sums sums;
    uint64_t least = 0;

    archive_count(&s->a, &sums);
    for (size_t above = ARCHIVE_WORDS; above > place; least++) {
        above = 0;
        for (size_t i = 0; i < ARCHIVE_WORDS; i++)
            above += sums.df[i] >= least;
    }
    return least - 1;
}

#endif
