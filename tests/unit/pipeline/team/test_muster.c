/* SPDX-License-Identifier: MIT */
#include "pipeline/team/muster.h"

#include "pipeline/team/mustering.h"

enum { N = 150 };

/* Words in the order of their bytes, with the counts of one store with all. */
static void check_words(const tallies *got, lively *all)
{
    store_totals totals;
    words known = {0};
    tallies expected = {0};

    ck_ok(store_load_words(all->p.t.s, &totals, &known, &all->p.t.err),
          all->p.t.err);
    scene_read(&all->p.t);
    ck_ok(tallies_of(all->p.t.txn, &known, &expected, &all->p.t.err),
          all->p.t.err);
    store_abort(&all->p.t.txn);
    ck_assert_uint_eq(got->w.count, expected.w.count);
    for (size_t i = 0; i < got->w.count; i++)
        ck_assert(span_equal(span_of(words_get(&got->w, i),
                                     words_size(&got->w, i)),
                             span_of(words_get(&expected.w, i),
                                     words_size(&expected.w, i))));
    ck_assert_mem_eq(got->tf, expected.tf, got->w.count * 8);
    ck_assert_mem_eq(got->df, expected.df, got->w.count * 8);
    tallies_free(&expected);
    words_free(&known);
}

/* One for each store with documents, in the order of ranks. */
static void check_parts(const partfile_facts *f, gathered *g)
{
    size_t i = 0;

    for (unsigned r = 0; r < g->size; r++) {
        const kedge_store_info info = planted_info(&g->member[r].p);
        char name[16];
        if (info.documents == 0)
            continue;
        ck_assert_uint_lt(i, f->parts);
        snprintf(name, sizeof name, "rank%u", r);
        ck_assert_str_eq(f->part[i].name, name);
        ck_assert_uint_eq(f->part[i].documents, info.documents);
        ck_assert_uint_eq(f->part[i].tokens, info.tokens);
        ck_assert_mem_eq(f->part[i++].digest, info.digest, 16);
    }
    ck_assert_uint_eq(f->parts, i);
}

static void check_sums(const partfile_facts *f, gathered *g)
{
    const kedge_store_info info = planted_info(&g->all.p);

    ck_assert_uint_eq(f->documents, info.documents);
    ck_assert_uint_eq(f->tokens, info.tokens);
    ck_assert_uint_eq(f->nonzeros, info.nonzeros);
    ck_assert_mem_eq(f->digest, info.digest, 16);
}

/* Of more than there are shards some have nothing. */
START_TEST(all_comes_to_the_first)
{
    static const unsigned sizes[] = {1, 3, 12};

    for (size_t i = 0; i < 3; i++) {
        mustering w;
        gathered g;
        gathered_begin(&g, sizes[i], N);
        ck_ok(mustering_run(&w, &g), g.member[0].p.t.err);
        check_sums(&w.m.facts, &g);
        check_parts(&w.m.facts, &g);
        check_words(&w.m.words, &g.all);
        ck_assert_uint_eq(w.m.facts.views, 1);
        ck_assert(!w.m.facts.view[0].view.listed);
        ck_assert(!w.m.facts.tokenizing.settings.texts);
        muster_free(&w.m);
        gathered_end(&g);
    }
}
END_TEST

START_TEST(removed_documents_are_not_told)
{
    mustering w;
    gathered g;

    gathered_begin(&g, 3, N);
    lively_remove_batch(&g.member[1], 4, true);
    lively_remove_batch(&g.all, 4, true);
    ck_ok(mustering_run(&w, &g), g.member[0].p.t.err);
    check_sums(&w.m.facts, &g);
    check_parts(&w.m.facts, &g);
    check_words(&w.m.words, &g.all);
    muster_free(&w.m);
    gathered_end(&g);
}
END_TEST

START_TEST(nobody_may_have_anything)
{
    mustering w;
    gathered g = {.size = 3};

    gathered_store(&g.sum, "sum", N);
    gathered_store(&g.all, "all", N);
    for (unsigned r = 0; r < 3; r++)
        gathered_store(&g.member[r], "rank", N);
    ck_ok(mustering_run(&w, &g), g.member[0].p.t.err);
    ck_assert(w.m.facts.documents == 0 && w.m.facts.parts == 0);
    ck_assert_uint_eq(w.m.words.w.count, 0);
    muster_free(&w.m);
    gathered_end(&g);
}
END_TEST

/* The first ranks may be those without. */
START_TEST(the_first_with_documents_may_be_the_last)
{
    mustering w;
    gathered g = {.size = 4};

    gathered_store(&g.sum, "sum", N);
    gathered_store(&g.all, "all", N);
    for (unsigned r = 0; r < 4; r++) {
        char name[16];
        snprintf(name, sizeof name, "rank%u", r);
        gathered_store(&g.member[r], name, N);
    }
    lively_ingest(&g.member[3], 2, false);
    lively_ingest(&g.all, 2, false);
    ck_ok(mustering_run(&w, &g), g.member[0].p.t.err);
    check_sums(&w.m.facts, &g);
    check_parts(&w.m.facts, &g);
    check_words(&w.m.words, &g.all);
    ck_assert_uint_eq(w.m.facts.views, 1);
    muster_free(&w.m);
    gathered_end(&g);
}
END_TEST

/* ---- what does not agree ------------------------------------------------- */

static void ask_two(kedge_ingest_opts *o)
{
    o->statistics = "log,sqrt";
}

/* A list is a store's own; one of all words that a store dropped is
 * nobody's. */
START_TEST(views_that_not_all_have_are_none)
{
    mustering w;
    gathered g;

    gathered_begin_with(&g, 3, N, ask_two);
    kedge_model_free(lively_fit_listed(&g.member[0]));
    ck_ok(mustering_run(&w, &g), g.member[0].p.t.err);
    ck_assert_uint_eq(w.m.facts.views, 2);
    muster_free(&w.m);
    scene_write(&g.member[2].p.t);
    ck_ok(store_drop_view(g.member[2].p.t.txn, 0, &g.member[2].p.t.err),
          g.member[2].p.t.err);
    scene_commit(&g.member[2].p.t);
    ck_ok(mustering_run(&w, &g), g.member[0].p.t.err);
    ck_assert_uint_eq(w.m.facts.views, 1);
    ck_assert_uint_eq(w.m.facts.view[0].view.statistic, 2); /* sqrt */
    ck_assert_uint_ne(w.m.facts.view[0].number, 0);
    muster_free(&w.m);
    gathered_end(&g);
}
END_TEST

/* As the last one's would have been read with another width. */
START_TEST(sketches_that_cannot_be_added_are_told)
{
    store_view v;
    mustering w;
    gathered g;

    gathered_begin(&g, 3, N);
    scene *const t = &g.member[2].p.t;
    scene_write(t);
    ck_ok(store_get_view_record(t->txn, 0, &v, &t->err), t->err);
    v.seed++;
    ck_ok(store_put_view(t->txn, 0, &v, &t->err), t->err);
    scene_commit(t);
    ck_fails(mustering_run(&w, &g), KEDGE_EINVAL, g.member[0].p.t.err,
             "the seed 2, that of view 0 of the store has 1");
    ck_assert_ptr_nonnull(strstr(g.member[0].p.t.err.text, "rank2"));
    ck_assert(w.m.facts.parts == 0 && w.m.words.w.count == 0);
    gathered_end(&g);
}
END_TEST

static void ask_texts(kedge_ingest_opts *o)
{
    o->digits = true;
}

static void fill_texts(gathered *g, unsigned size)
{
    *g = (gathered){.size = size};
    gathered_store(&g->sum, "sum", N);
    gathered_store(&g->all, "all", N);
    for (unsigned r = 0; r < size; r++) {
        char name[16];
        snprintf(name, sizeof name, "rank%u", r);
        gathered_store(&g->member[r], name, N);
        g->member[r].texts = true;
        ask_texts(&g->member[r].p.o);
    }
}

START_TEST(cuttings_that_differ_are_told_with_both_names)
{
    mustering w;
    gathered g;

    fill_texts(&g, 3);
    g.member[2].p.o.shortest = 3;
    for (unsigned r = 0; r < 3; r++)
        lively_ingest(&g.member[r], r, false);
    ck_fails(mustering_run(&w, &g), KEDGE_EINVAL, g.member[0].p.t.err,
             "the texts of rank0 were cut with");
    ck_assert_ptr_nonnull(strstr(g.member[0].p.t.err.text, "those of rank2"));
    gathered_end(&g);
}
END_TEST

/* Who read bags alone goes along with any. */
START_TEST(who_cut_texts_tells_how)
{
    mustering w;
    gathered g;

    fill_texts(&g, 3);
    g.member[0].texts = false;
    for (unsigned r = 0; r < 3; r++) {
        g.member[r].p.o.shortest = r == 0 ? 2 : 3;
        lively_ingest(&g.member[r], r, false);
    }
    ck_ok(mustering_run(&w, &g), g.member[0].p.t.err);
    ck_assert(w.m.facts.tokenizing.settings.texts);
    ck_assert_uint_eq(w.m.facts.tokenizing.settings.shortest, 3);
    ck_assert(w.m.facts.tokenizing.settings.digits);
    muster_free(&w.m);
    gathered_end(&g);
}
END_TEST

START_TEST(stores_with_parts_are_refused)
{
    kedge_sketch_export_result sent;
    kedge_sketch_import_result got;
    kedge_error err = {0};
    char path[96];
    mustering w;
    gathered g;

    gathered_begin(&g, 1, N);
    scene *const t = &g.member[0].p.t;
    ck_ok(kedge_sketch_export_file(
              t->s, planted_path(&g.member[0].p, "part", path),
              &(kedge_sketch_export_opts){.name = "part"}, &g.sum.p.c, &sent,
              &err), err);
    scene_close(t);
    scene_remove(t->path);
    scene_open(t, KEDGE_OPEN_CREATE);
    ck_ok(kedge_sketch_import(t->s, path, &g.sum.p.c, &got, &err), err);
    ck_fails(mustering_run(&w, &g), KEDGE_EINVAL, t->err,
             "fitting several stores together needs the documents, and those "
             "of 1 part are elsewhere");
    gathered_end(&g);
}
END_TEST

/* ---- without memory ----------------------------------------------------- */

START_TEST(alone_without_memory)
{
    kedge_status st = KEDGE_ENOMEM;
    uint64_t heard = 0;
    team alone = {.size = 1, .heard = &heard};
    store_totals totals;
    words all = {0};
    gathered g;
    muster m;
    long k = 0;

    gathered_begin(&g, 1, N);
    scene *const t = &g.member[0].p.t;
    ck_ok(store_load_words(t->s, &totals, &all, &t->err), t->err);
    for (; st != KEDGE_OK; k++) {
        gate_allow(k);
        st = muster_call(&alone, t->s, &totals, &all,
                         &g.member[0].p.c, &m, &t->err);
        gate_open();
        ck_assert_msg(st == KEDGE_OK || st == KEDGE_ENOMEM, "%ld: %s", k,
                      t->err.text);
    }
    ck_assert_int_gt(k, 5);
    check_words(&m.words, &g.all);
    muster_free(&m);
    words_free(&all);
    gathered_end(&g);
}
END_TEST

UNIT_SUITE("muster",
    all_comes_to_the_first,
    removed_documents_are_not_told,
    nobody_may_have_anything,
    the_first_with_documents_may_be_the_last,
    views_that_not_all_have_are_none,
    sketches_that_cannot_be_added_are_told,
    cuttings_that_differ_are_told_with_both_names,
    who_cut_texts_tells_how,
    stores_with_parts_are_refused,
    alone_without_memory)
