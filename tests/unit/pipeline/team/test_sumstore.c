/* SPDX-License-Identifier: MIT */
#include "pipeline/team/sumstore.h"

#include "pipeline/team/mustering.h"

enum { N = 150 };

/* What is there after the members' stores were put into the one of sums. */
static void put(gathered *g)
{
    mustering w;

    ck_ok(mustering_run(&w, g), g->member[0].p.t.err);
    ck_ok(sumstore_put(g->sum.p.t.s, &w.m, &g->sum.p.t.err), g->sum.p.t.err);
    muster_free(&w.m);
}

/* tf and df of a word; of one that is not there, 0. */
static void counts_of(lively *l, span word, uint64_t *tf, uint64_t *df)
{
    uint64_t all_tf[PLANTED_WORDS + 50], all_df[PLANTED_WORDS + 50];
    store_totals totals;
    words all = {0};

    *tf = *df = 0;
    ck_ok(store_load_words(l->p.t.s, &totals, &all, &l->p.t.err), l->p.t.err);
    ck_assert_uint_le(all.count, PLANTED_WORDS + 50);
    scene_read(&l->p.t);
    ck_ok(store_get_counts(l->p.t.txn, all_tf, all_df, all.count, &l->p.t.err),
          l->p.t.err);
    store_abort(&l->p.t.txn);
    for (size_t i = 0; i < all.count; i++)
        if (span_equal(span_of(words_get(&all, i), words_size(&all, i)),
                       word)) {
            *tf = all_tf[i];
            *df = all_df[i];
        }
    words_free(&all);
}

static void check_words(gathered *g)
{
    char word[16];

    for (size_t i = 0; i < PLANTED_WORDS; i++) {
        const span s = span_of(word, (size_t)snprintf(word, sizeof word,
                                                      "w%03zu", i));
        uint64_t tf, df, sum_tf, sum_df;
        counts_of(&g->all, s, &tf, &df);
        counts_of(&g->sum, s, &sum_tf, &sum_df);
        ck_assert_uint_eq(sum_tf, tf);
        ck_assert_uint_eq(sum_df, df);
    }
}

/* The sums are those of one store with all, whose they are named by parts. */
static void check(gathered *g)
{
    const kedge_store_info sum = planted_info(&g->sum.p);
    const kedge_store_info all = planted_info(&g->all.p);
    uint64_t with = 0;

    ck_assert_uint_eq(sum.documents, all.documents);
    ck_assert_uint_eq(sum.tokens, all.tokens);
    ck_assert_uint_eq(sum.nonzeros, all.nonzeros);
    ck_assert_mem_eq(sum.digest, all.digest, sizeof all.digest);
    ck_assert_uint_eq(sum.elsewhere, all.documents);
    for (unsigned r = 0; r < g->size; r++)
        with += planted_info(&g->member[r].p).documents > 0;
    ck_assert_uint_eq(sum.parts, with);
    check_words(g);
    gathered_verify(&g->sum);
}

/* A store with the next documents, or without those that left. */
static void ingest(gathered *g, unsigned rank, size_t shard)
{
    lively_ingest(&g->member[rank], shard, false);
    lively_ingest(&g->all, shard, false);
}

static void take_away(gathered *g, unsigned rank, size_t shard)
{
    lively_remove_batch(&g->member[rank], shard, false);
    lively_remove_batch(&g->all, shard, false);
}

static void begin(gathered *g, unsigned size, gathered_ask *ask)
{
    char name[16];

    *g = (gathered){.size = size};
    gathered_store(&g->sum, "sum", N);
    gathered_store(&g->all, "all", N);
    for (unsigned r = 0; r < size; r++) {
        snprintf(name, sizeof name, "rank%u", r);
        gathered_store(&g->member[r], name, N);
        if (ask != NULL)
            ask(&g->member[r].p.o);
    }
    if (ask != NULL)
        ask(&g->all.p.o);
}

START_TEST(a_fresh_one_has_all)
{
    static const unsigned sizes[] = {1, 4, 12, 3};

    for (size_t i = 0; i < 4; i++) {
        gathered g;
        gathered_begin_with(&g, sizes[i], N,
                            i < 3 ? NULL : gathered_no_vocabulary);
        put(&g);
        check(&g);
        ck_assert_uint_eq(planted_info(&g.sum.p).views, i < 3);
        gathered_end(&g);
    }
}
END_TEST

static store_view view_of(lively *l, uint32_t number)
{
    store_view v;

    scene_read(&l->p.t);
    ck_ok(store_get_view_record(l->p.t.txn, number, &v, &l->p.t.err),
          l->p.t.err);
    store_abort(&l->p.t.txn);
    return v;
}

START_TEST(views_are_those_of_all_words_and_have_no_rows)
{
    gathered g;

    gathered_begin(&g, 3, N);
    kedge_model_free(lively_fit_listed(&g.member[0]));
    put(&g);
    const store_view theirs = view_of(&g.member[0], 0);
    const store_view v = view_of(&g.sum, 0);
    ck_assert(!v.listed && !store_view_has_rows(&v));
    ck_assert_uint_eq(v.words, PLANTED_WORDS);
    ck_assert_uint_eq(v.width, theirs.width);
    ck_assert_uint_eq(v.seed, theirs.seed);
    ck_assert_uint_eq(v.statistic, theirs.statistic);
    ck_assert_uint_eq(v.documents + v.tokens + v.blocks + v.parts, 0);
    ck_assert_uint_eq(planted_info(&g.sum.p).views, 1);
    gathered_end(&g);
}
END_TEST

/* What a store says of itself, put side by side. */
static char *spelt(lively *l)
{
    static char text[2][20000];
    static size_t turn;
    char *const out = text[turn++ % 2];
    size_t size = 0;
    store_totals t;
    words all = {0};
    uint64_t tf[200], df[200];

    ck_ok(store_load_words(l->p.t.s, &t, &all, &l->p.t.err), l->p.t.err);
    scene_read(&l->p.t);
    ck_ok(store_get_counts(l->p.t.txn, tf, df, all.count, &l->p.t.err),
          l->p.t.err);
    for (size_t i = 0; i < all.count; i++)
        size += (size_t)snprintf(out + size, 20000 - size, "%s %d %d\n",
                                 words_get(&all, i), (int)tf[i], (int)df[i]);
    for (uint64_t i = 0; i < t.parts; i++) {
        store_part p;
        ck_ok(store_get_part(l->p.t.txn, i, &p, &l->p.t.err), l->p.t.err);
        size += (size_t)snprintf(out + size, 20000 - size, "%s %d %d %d\n",
                                 p.name, (int)p.documents, (int)p.tokens,
                                 (int)p.when);
    }
    store_abort(&l->p.t.txn);
    words_free(&all);
    return out;
}

START_TEST(the_same_again_changes_nothing)
{
    gathered g;

    gathered_begin(&g, 3, N);
    put(&g);
    char *const before = spelt(&g.sum);
    for (int i = 0; i < 2; i++) {
        sleep(1); /* parts know when they came */
        put(&g);
        scene_reopen(&g.sum.p.t, KEDGE_OPEN_WRITE);
        ck_assert_str_eq(spelt(&g.sum), before);
    }
    check(&g);
    gathered_end(&g);
}
END_TEST

START_TEST(counts_are_the_new_ones)
{
    gathered g;

    begin(&g, 3, NULL);
    for (unsigned r = 0; r < 3; r++)
        ingest(&g, r, r);
    put(&g);
    check(&g);
    ingest(&g, 1, 5);
    put(&g);
    check(&g);
    take_away(&g, 1, 5);
    take_away(&g, 0, 0);
    put(&g); /* and one part less */
    check(&g);
    ck_assert_uint_eq(planted_info(&g.sum.p).parts, 2);
    ingest(&g, 0, 8);
    put(&g);
    check(&g);
    gathered_end(&g);
}
END_TEST

static words words_of(lively *l)
{
    store_totals totals;
    words all = {0};

    ck_ok(store_load_words(l->p.t.s, &totals, &all, &l->p.t.err), l->p.t.err);
    return all;
}

/* Ids are for ever: words that nobody has any more count nothing. */
START_TEST(old_words_keep_their_ids)
{
    gathered g;
    words before, after;

    begin(&g, 2, gathered_no_vocabulary);
    ingest(&g, 0, 0);
    ingest(&g, 1, 1);
    put(&g);
    before = words_of(&g.sum);
    take_away(&g, 0, 0);
    ingest(&g, 1, 9);
    ingest(&g, 0, 7);
    put(&g);
    check(&g);
    take_away(&g, 1, 9);
    take_away(&g, 1, 1);
    put(&g); /* fewer words */
    check(&g);
    after = words_of(&g.sum);
    ck_assert_uint_gt(after.count, before.count);
    for (size_t i = 0; i < before.count; i++)
        ck_assert_str_eq(words_get(&before, i), words_get(&after, i));
    words_free(&before);
    words_free(&after);
    gathered_end(&g);
}
END_TEST

START_TEST(lists_stay)
{
    store_view listed = {.weight_bits = 40, .width = 16, .seed = 1,
                         .min_tokens = 2, .words = 2, .listed = true,
                         .rows = 10,
                         .rule = "by hand"};
    gathered g;

    gathered_begin(&g, 2, N);
    put(&g);
    scene *const t = &g.sum.p.t;
    scene_write(t);
    ck_ok(store_put_view(t->txn, 5, &listed, &t->err), t->err);
    ck_ok(store_put_list(t->txn, 5, (uint32_t[]){1, 2}, 2, &t->err), t->err);
    scene_commit(t);
    take_away(&g, 1, 3);
    put(&g);
    ck_assert_uint_eq(planted_info(&g.sum.p).views, 2);
    ck_assert_str_eq(view_of(&g.sum, 5).rule, "by hand");
    gathered_end(&g);
}
END_TEST

static void ask_two(kedge_ingest_opts *o)
{
    o->statistics = "log,sqrt";
}

/* A list that has the number of what the others call a view of all words. */
START_TEST(a_list_keeps_its_number)
{
    store_view listed = {.weight_bits = 40, .width = 16, .seed = 1,
                         .min_tokens = 2, .words = 2, .listed = true, .rows = 2,
                         .rule = "by hand"};
    gathered g;

    gathered_begin_with(&g, 2, N, ask_two);
    ck_assert(!view_of(&g.member[0], 1).listed);
    scene *const t = &g.sum.p.t;
    scene_write(t);
    ck_ok(store_put_view(t->txn, 1, &listed, &t->err), t->err);
    ck_ok(store_put_list(t->txn, 1, (uint32_t[]){1, 2}, 2, &t->err), t->err);
    scene_commit(t);
    for (int i = 0; i < 2; i++) {
        put(&g);
        ck_assert_uint_eq(planted_info(&g.sum.p).views, 3);
        ck_assert(view_of(&g.sum, 1).listed);
        ck_assert(!view_of(&g.sum, 2).listed);
        ck_assert_uint_eq(view_of(&g.sum, 2).statistic, 2); /* sqrt */
        ck_assert_uint_eq(view_of(&g.sum, 2).rows, 4);
    }
    gathered_end(&g);
}
END_TEST

/* Views of all words that some of them lack now go. */
START_TEST(views_that_are_gone_go)
{
    gathered g;

    gathered_begin(&g, 2, N);
    put(&g);
    ck_assert_uint_eq(planted_info(&g.sum.p).views, 1);
    scene *const t = &g.member[1].p.t;
    scene_write(t);
    ck_ok(store_drop_view(t->txn, 0, &t->err), t->err);
    scene_commit(t);
    put(&g); /* the same documents */
    ck_assert_uint_eq(planted_info(&g.sum.p).views, 0);
    gathered_end(&g);
}
END_TEST

START_TEST(documents_of_its_own_are_refused)
{
    mustering w;
    gathered g;

    gathered_begin(&g, 2, N);
    lively_ingest(&g.sum, 0, false);
    const kedge_store_info before = planted_info(&g.sum.p);
    ck_ok(mustering_run(&w, &g), g.member[0].p.t.err);
    ck_fails(sumstore_put(g.sum.p.t.s, &w.m, &g.sum.p.t.err), KEDGE_EINVAL,
             g.sum.p.t.err, "sum has documents of its own: what processes "
             "count together needs a store for itself");
    ck_assert_uint_eq(planted_info(&g.sum.p).documents, before.documents);
    lively_remove_batch(&g.sum, 0, false);
    ck_fails(sumstore_put(g.sum.p.t.s, &w.m, &g.sum.p.t.err), KEDGE_EINVAL,
             g.sum.p.t.err, "has documents of its own"); /* its blocks are */
    muster_free(&w.m);
    gathered_end(&g);
}
END_TEST

/* All or nothing. */
START_TEST(without_memory)
{
    kedge_status st = KEDGE_ENOMEM;
    mustering w;
    gathered g;
    long k = 0;

    gathered_begin(&g, 3, N);
    ck_ok(mustering_run(&w, &g), g.member[0].p.t.err);
    for (; st != KEDGE_OK; k++) {
        gate_allow(k);
        st = sumstore_put(g.sum.p.t.s, &w.m, &g.sum.p.t.err);
        gate_open();
        ck_assert_msg(st == KEDGE_OK || st == KEDGE_ENOMEM, "%ld: %s", k,
                      g.sum.p.t.err.text);
        if (st != KEDGE_OK)
            ck_assert_uint_eq(planted_info(&g.sum.p).documents, 0);
    }
    ck_assert_int_gt(k, 10);
    check(&g);
    muster_free(&w.m);
    gathered_end(&g);
}
END_TEST

UNIT_SUITE("sumstore",
    a_fresh_one_has_all,
    views_are_those_of_all_words_and_have_no_rows,
    the_same_again_changes_nothing,
    counts_are_the_new_ones,
    old_words_keep_their_ids,
    lists_stay,
    a_list_keeps_its_number,
    views_that_are_gone_go,
    documents_of_its_own_are_refused,
    without_memory)
