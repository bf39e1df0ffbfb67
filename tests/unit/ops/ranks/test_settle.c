/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include "ops/gathered.h"

/* More than there are shards: some stores have no documents. */
enum { N = 60, SIZE = LIVELY_SHARDS + 3 };

typedef struct settling {
    gathered g;
    kedge_status status[CREW_MOST];
} settling;

static void settle(void *data, team *t)
{
    settling *const w = data;
    lively *const l = &w->g.member[t->rank];

    w->status[t->rank] = kedge_team_settle(
        &(kedge_member){.team = t, .own = l->p.t.s}, &l->p.t.err);
}

static void narrow(kedge_ingest_opts *o)
{
    o->width = 24;
    o->seed = 9;
    o->min_tokens = 3;
}

/* And go on as if they had read what the others did. */
TEST(stores_without_documents_take_it_over)
{
    settling w = {.status = {0}};

    gathered_begin_with(&w.g, SIZE, N, narrow);
    for (int again = 0; again < 2; again++) {
        crew_run(SIZE, settle, &w);
        for (unsigned r = 0; r < SIZE; r++) {
            lively *const l = &w.g.member[r];
            ck_ok(w.status[r], l->p.t.err);
            const store_view v = lively_view(l, 0);
            ck_assert(v.width == 24 && v.seed == 9 && v.min_tokens == 3);
            ck_assert((v.documents == 0) == (r >= LIVELY_SHARDS));
            lively_verify(l);
        }
    }
    lively *const last = &w.g.member[SIZE - 1];
    last->p.o.width = 0;
    lively_ingest(last, 0, false);
    ck_assert_uint_eq(lively_view(last, 0).width, 24);
    ck_assert_uint_gt(lively_view(last, 0).documents, 0);
    gathered_end(&w.g);
}

static void ask_digits(kedge_ingest_opts *o)
{
    o->digits = true;
    o->shortest = 2;
}

/* One that read bags alone, or nothing, will cut texts as the others did. */
TEST(texts_are_cut_alike)
{
    settling w = {.status = {0}};

    gathered_empty(&w.g, 3, N, ask_digits);
    w.g.member[0].texts = true;
    w.g.member[0].p.o.shortest = 3;
    lively_ingest(&w.g.member[0], 0, false);
    lively_ingest(&w.g.member[1], 1, false);
    crew_run(3, settle, &w);
    for (unsigned r = 0; r < 3; r++) {
        scene *const t = &w.g.member[r].p.t;
        store_settings settings;
        ck_ok(w.status[r], t->err);
        scene_read(t);
        ck_ok(store_get_settings(t->txn, &settings, NULL, &t->err), t->err);
        store_abort(&t->txn);
        ck_assert(settings.texts && settings.digits);
        ck_assert_uint_eq(settings.shortest, 3);
    }
    gathered_end(&w.g);
}

TEST(where_nothing_is_settled_nothing_changes)
{
    settling w = {.status = {0}};

    gathered_empty(&w.g, 2, N, NULL);
    crew_run(2, settle, &w);
    for (unsigned r = 0; r < 2; r++) {
        ck_ok(w.status[r], w.g.member[r].p.t.err);
        ck_assert_uint_eq(planted_info(&w.g.member[r].p).views, 0);
    }
    gathered_end(&w.g);
}
