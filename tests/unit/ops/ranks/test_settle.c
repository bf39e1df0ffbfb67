/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include "ops/gathered.h"

/* More than there are shards: some stores have no documents. */
enum { N = 60, SIZE = LIVELY_SHARDS + 3 };

typedef struct settling {
    gathered g;
    kedge_status status[THREADRANKS_MOST];
} settling;

static void settle(void *data, communicator *t)
{
    settling *const w = data;
    lively *const l = &w->g.member[t->rank];

    w->status[t->rank] = kedge_team_settle(
        &(kedge_member){.team = t, .own = l->p.t.s}, &l->p.t.err);
}

static store_view view_of(lively *l)
{
    store_view v;

    scene_read(&l->p.t);
    ck_ok(store_get_view_record(l->p.t.txn, 0, &v, &l->p.t.err), l->p.t.err);
    store_abort(&l->p.t.txn);
    return v;
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
    for (int turn = 0; turn < 2; turn++) {
        threadranks_run(SIZE, settle, &w);
        for (unsigned r = 0; r < SIZE; r++) {
            lively *const l = &w.g.member[r];
            ck_ok(w.status[r], l->p.t.err);
            const store_view v = view_of(l);
            ck_assert(v.width == 24 && v.seed == 9 && v.min_tokens == 3);
            ck_assert((v.documents == 0) == (r >= LIVELY_SHARDS));
            gathered_verify(l);
        }
    }
    lively *const last = &w.g.member[SIZE - 1];
    last->p.o.width = 0;
    lively_ingest(last, 0, false);
    ck_assert_uint_eq(view_of(last).width, 24);
    ck_assert_uint_gt(view_of(last).documents, 0);
    gathered_end(&w.g);
}

/* Who read bags alone, or nothing, cuts the texts to come as others did. */
TEST(texts_are_cut_alike)
{
    settling w = {.g = {.size = 3}};

    gathered_store(&w.g.sum, "sum", N);
    gathered_store(&w.g.all, "all", N);
    for (unsigned r = 0; r < 3; r++) {
        lively *const l = &w.g.member[r];
        gathered_store(l, (const char *[]){"rank0", "rank1", "rank2"}[r], N);
        l->texts = r == 0;
        l->p.o.shortest = r == 0 ? 3 : 2;
        l->p.o.digits = true;
        if (r < 2)
            lively_ingest(l, r, false);
    }
    threadranks_run(3, settle, &w);
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
    settling w = {.g = {.size = 2}};

    gathered_store(&w.g.sum, "sum", N);
    gathered_store(&w.g.all, "all", N);
    gathered_store(&w.g.member[0], "rank0", N);
    gathered_store(&w.g.member[1], "rank1", N);
    threadranks_run(2, settle, &w);
    for (unsigned r = 0; r < 2; r++) {
        scene *const t = &w.g.member[r].p.t;
        store_view v;
        ck_ok(w.status[r], t->err);
        scene_read(t);
        ck_assert_int_eq(store_get_view_record(t->txn, 0, &v, &t->err),
                         KEDGE_ENOTFOUND);
        store_abort(&t->txn);
    }
    gathered_end(&w.g);
}
