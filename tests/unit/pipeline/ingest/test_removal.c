/* SPDX-License-Identifier: MIT */
#include "pipeline/ingest/removal.h"

#include "base/gate.h"
#include "pipeline/archive.h"

/* A removal with what the store has, as a caller keeps it. */
typedef struct session {
    archive *a;
    uint64_t tf[ARCHIVE_WORDS], df[ARCHIVE_WORDS];
    store_totals totals;
    removal r;
    bool leaves[ARCHIVE_MOST]; /* by document */
    size_t asked;
    bool asked_twice; /* of one that was gone */
} session;

static void session_begin(session *s, archive *a)
{
    *s = (session){.a = a};
    scene_read(&a->t);
    ck_ok(store_get_counts(a->t.txn, s->tf, s->df, ARCHIVE_WORDS, &a->t.err),
          a->t.err);
    ck_ok(store_get_totals(a->t.txn, &s->totals, &a->t.err), a->t.err);
    store_abort(&a->t.txn);
    s->r = (removal){
        .digests = &a->g, .tf = s->tf, .df = s->df, .totals = &s->totals};
}

static bool leaves(void *data, const docs *d, size_t m, uint32_t source)
{
    session *s = data;
    const size_t at = d->position[m] - 1;

    ck_assert_uint_eq(source, archive_block(s->a, at));
    s->asked++;
    s->asked_twice |= s->a->gone[at];
    return s->leaves[at];
}

static kedge_status take(session *s)
{
    kedge_status st = KEDGE_OK;
    scene *t = &s->a->t;

    s->r.txn = t->txn;
    for (uint64_t b = 0; st == KEDGE_OK && b <= ARCHIVE_BLOCKS; b++)
        st = removal_take(&s->r, b, leaves, s, &t->err); /* and one too many */
    if (st == KEDGE_OK)
        st = store_put_counts(t->txn, s->tf, s->df, ARCHIVE_WORDS, &t->err);
    if (st == KEDGE_OK)
        st = store_put_totals(t->txn, &s->totals, &t->err);
    return st;
}

static void check_counts(archive *a)
{
    uint64_t tf[ARCHIVE_WORDS], df[ARCHIVE_WORDS];
    archive_sums wanted;
    store_totals totals;

    archive_count(a, &wanted);
    ck_ok(store_get_counts(a->t.txn, tf, df, ARCHIVE_WORDS, &a->t.err),
          a->t.err);
    ck_ok(store_get_totals(a->t.txn, &totals, &a->t.err), a->t.err);
    ck_assert_mem_eq(tf, wanted.tf, sizeof tf);
    ck_assert_mem_eq(df, wanted.df, sizeof df);
    wanted.totals.removals = totals.removals;
    ck_assert_mem_eq(&totals, &wanted.totals, sizeof totals);
}

static void check_ids(archive *a)
{
    for (size_t m = 0; m < a->d.count; m++) {
        const span id = docs_id(&a->d, m);
        store_place p;
        if (id.size == 0)
            continue;
        ck_assert_int_eq(store_get_id(a->t.txn, id, &p, &a->t.err),
                         a->gone[m] ? KEDGE_ENOTFOUND : KEDGE_OK);
        if (!a->gone[m])
            ck_assert(p.block == archive_block(a, m) && p.position == m + 1);
    }
}

/* Marks in the blocks, and the log, which has each document once. */
static void check_marks(archive *a)
{
    bool marked[ARCHIVE_MOST] = {false}, logged[ARCHIVE_MOST] = {false};
    store_gone g = {0};
    store_totals totals;
    uint64_t block;

    for (size_t b = 0; b < ARCHIVE_BLOCKS; b++) {
        ck_ok(store_get_gone(a->t.txn, b, &g, &a->t.err), a->t.err);
        for (size_t i = 0; i < g.count; i++)
            marked[a->first[b] + g.index[i]] = true;
    }
    ck_ok(store_get_totals(a->t.txn, &totals, &a->t.err), a->t.err);
    for (uint64_t n = 0; n < totals.removals; n++) {
        ck_ok(store_get_removal(a->t.txn, n, &block, &g, &a->t.err), a->t.err);
        ck_assert_uint_gt(g.count, 0);
        for (size_t i = 0; i < g.count; i++) {
            bool *const at = &logged[a->first[block] + g.index[i]];
            ck_assert(!*at);
            *at = true;
        }
    }
    ck_assert_int_eq(
        store_get_removal(a->t.txn, totals.removals, &block, &g, &a->t.err),
        KEDGE_ENOTFOUND);
    ck_assert_mem_eq(marked, a->gone, sizeof marked);
    ck_assert_mem_eq(logged, a->gone, sizeof logged);
    store_gone_free(&g);
}

static void check_store(archive *a)
{
    scene_read(&a->t);
    check_counts(a);
    check_ids(a);
    check_marks(a);
    store_abort(&a->t.txn);
}

/* Marks what leaves by chance as gone; how many that are new. */
static size_t choose(session *s, chance *c)
{
    const size_t share = chance_below(c, 4) == 0 ? 9 : chance_below(c, 4);
    size_t fresh = 0;

    for (size_t m = 0; m < s->a->d.count; m++) {
        s->leaves[m] = chance_below(c, 9) < share;
        fresh += s->leaves[m] && !s->a->gone[m];
    }
    return fresh;
}

static void settle(session *s)
{
    for (size_t m = 0; m < s->a->d.count; m++)
        s->a->gone[m] |= s->leaves[m];
}

START_TEST(what_left_is_counted_no_more)
{
    for (uint64_t seed = 0; seed < 12; seed++) {
        chance c = {.key = ~seed};
        archive a;
        archive_begin(&a, seed, seed % 2 == 0);
        for (int round = 0; round < 5; round++) {
            session s;
            session_begin(&s, &a);
            const size_t fresh = choose(&s, &c);
            scene_write(&a.t);
            ck_ok(take(&s), a.t.err);
            scene_commit(&a.t);
            ck_assert_uint_eq(s.r.documents, fresh);
            ck_assert(!s.asked_twice);
            settle(&s);
            check_store(&a);
            removal_free(&s.r);
        }
        archive_end(&a);
    }
}
END_TEST

START_TEST(taking_twice_is_taking_once)
{
    archive a;
    session s;
    chance c = {.key = 4};
    store_totals once;
    uint64_t tokens;

    archive_begin(&a, 9, true);
    session_begin(&s, &a);
    (void)choose(&s, &c);
    s.leaves[0] = true;
    scene_write(&a.t);
    ck_ok(take(&s), a.t.err);
    once = s.totals;
    tokens = s.r.tokens;
    ck_assert_uint_gt(tokens, 0);
    settle(&s);
    ck_ok(take(&s), a.t.err); /* in the same transaction */
    scene_commit(&a.t);
    ck_assert_mem_eq(&once, &s.totals, sizeof once);
    ck_assert_uint_eq(s.r.tokens, tokens);
    scene_write(&a.t);
    ck_ok(take(&s), a.t.err); /* and in another */
    scene_commit(&a.t);
    ck_assert_mem_eq(&once, &s.totals, sizeof once);
    ck_assert(!s.asked_twice);
    check_store(&a);
    removal_free(&s.r);
    archive_end(&a);
}
END_TEST

START_TEST(removing_without_memory)
{
    archive a;
    kedge_status st = KEDGE_ENOMEM;
    long k = 0;

    archive_begin(&a, 7, true);
    for (; st != KEDGE_OK; k++) {
        session s;
        session_begin(&s, &a);
        memset(s.leaves, true, a.d.count / 2);
        scene_write(&a.t);
        gate_allow(k);
        st = take(&s);
        gate_open();
        if (st == KEDGE_OK) {
            scene_commit(&a.t);
            settle(&s);
        } else {
            ck_assert_int_eq(st, KEDGE_ENOMEM);
        }
        store_abort(&a.t.txn);
        removal_free(&s.r);
        ck_assert_int_lt(k, 500);
        check_store(&a);
    }
    ck_assert_int_gt(k, 5);
    archive_end(&a);
}
END_TEST

UNIT_SUITE("removal",
    what_left_is_counted_no_more,
    taking_twice_is_taking_once,
    removing_without_memory)
