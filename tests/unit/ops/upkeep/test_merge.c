/* SPDX-License-Identifier: MIT */
/* Stores that were built apart against one that read everything. */
#include "ops/travelling.h"

#define N PLANTED_DOCUMENTS

/* Shards from .. to-1, the others' documents being nobody's. */
static void begin(lively *l, size_t from, size_t to)
{
    lively_begin(l, N);
    lively_mark(l, 0, LIVELY_SHARDS, true);
    lively_mark(l, from, to, false);
    lively_read(l, from, to, false);
}

static kedge_status merge(lively *into, lively *a, lively *b,
                          kedge_on_duplicate rule, kedge_merge_result *r)
{
    const char *const stores[] = {a->p.t.path, b->p.t.path};
    kedge_status st;

    scene_close(&a->p.t);
    scene_close(&b->p.t);
    st = kedge_merge(into->p.t.s, stores, 2, rule, &into->p.c, r,
                     &into->p.t.err);
    scene_open(&a->p.t, KEDGE_OPEN_WRITE);
    scene_open(&b->p.t, KEDGE_OPEN_WRITE);
    return st;
}

/* Of both, what is in both having been read from the same sources. */
static void check_merged(lively *a, lively *b)
{
    kedge_merge_result r;
    lively all;
    size_t left = 0;

    lively_begin(&all, N);
    for (size_t m = 0; m < N; m++) {
        all.gone[m] = a->gone[m] && b->gone[m];
        left += !all.gone[m];
    }
    ck_ok(merge(&all, a, b, KEDGE_DUPLICATE_ERROR, &r), all.p.t.err);
    ck_assert_uint_eq(r.stores, 2);
    ck_assert_uint_eq(r.documents, left);
    lively_check(&all);
    lively_check_models(&all);
    ck_ok(merge(&all, b, a, KEDGE_DUPLICATE_ERROR, &r), all.p.t.err);
    ck_assert_uint_eq(r.documents, 0);
    ck_assert_uint_eq(planted_info(&all.p).documents, left);
    lively_check(&all);
    lively_end(&all);
}

TEST(merged_stores_are_one_that_read_all)
{
    OWN(lively_end) lively a, b;

    begin(&a, 0, 5);
    begin(&b, 5, LIVELY_SHARDS);
    check_merged(&a, &b);
    check_merged(&b, &a);
    lively_remove(&a, 1, 4, false);
    lively_remove_batch(&b, 7, false);
    lively_remove(&b, 2, 3, true);
    check_merged(&a, &b);
}

TEST(sources_of_both_count_once)
{
    OWN(lively_end) lively a, b;

    begin(&a, 0, 7);
    begin(&b, 3, LIVELY_SHARDS);
    check_merged(&a, &b);
}

/* Ids of words are others in each of them. */
TEST(texts_come_as_they_were)
{
    lively part[2], all;
    kedge_merge_result r;

    for (size_t i = 0; i < 2; i++) {
        lively *const l = &part[i];
        lively_begin_texts(l, N);
        planted_write_words(l->p.vocabulary, PLANTED_WORDS, i == 1);
        lively_mark(l, 5 - 5 * i, 10 - 5 * i, true);
        lively_read(l, 5 * i, 5 * i + 5, false);
        lively_remove(l, i, 3, false);
    }
    lively_begin(&all, N);
    ck_ok(merge(&all, &part[0], &part[1], KEDGE_DUPLICATE_ERROR, &r),
          all.p.t.err);
    for (size_t m = 0; m < N; m++)
        all.gone[m] = part[0].gone[m] && part[1].gone[m];
    ck_assert_uint_eq(lively_check(&all).orders, LIVELY_SHARDS);
    lively_check_texts(&all);
    lively_end(&part[0]);
    lively_end(&part[1]);
    lively_end(&all);
}

/* The batches' names come along, and the merged store can go on. */
TEST(a_merged_store_goes_on)
{
    kedge_merge_result r;
    OWN(lively_end) lively a, b, all;

    begin(&a, 0, 4);
    begin(&b, 4, 8);
    lively_begin(&all, N);
    lively_mark(&all, 8, LIVELY_SHARDS, true);
    ck_ok(merge(&all, &a, &b, KEDGE_DUPLICATE_ERROR, &r), all.p.t.err);
    lively_remove_batch(&all, 5, false);
    lively_check(&all);
    lively_mark(&all, 8, LIVELY_SHARDS, false);
    lively_read(&all, 8, LIVELY_SHARDS, false);
    lively_check(&all);
    lively_check_models(&all);
}

/* The same ids from other sources: shards written anew, two at once. */
TEST(the_same_ids_are_an_error)
{
    kedge_merge_result r;
    char path[96];
    OWN(lively_end) lively a, b, all;
    FILE *f;

    begin(&a, 0, 4);
    lively_begin(&b, N);
    f = planted_file(planted_path(&b.p, "other", path));
    for (size_t m = lively_shard(&b, 2) + 1; m < lively_shard(&b, 3); m++)
        lively_line(f, &b.p.d, m);
    ck_assert_int_eq(fclose(f), 0);
    ck_ok(planted_ingest(&b.p, path), b.p.t.err);
    lively_begin(&all, N);
    ck_fails(merge(&all, &a, &b, KEDGE_DUPLICATE_ERROR, &r), KEDGE_EFORMAT,
             all.p.t.err, "already");
    ck_ok(merge(&all, &a, &b, KEDGE_DUPLICATE_REPLACE, &r), all.p.t.err);
    ck_assert_uint_eq(r.replaced, lively_shard(&b, 3) - lively_shard(&b, 2) -
                                      1);
    for (size_t m = 0; m < N; m++)
        all.gone[m] = a.gone[m];
    lively_check(&all);
    lively_check_models(&all);
}

/* A store of one text, cut in its own way, or of a bag of words. */
static void begin_text(planted *p, const char *stemmer, bool bag)
{
    FILE *f;

    planted_begin(p, 8);
    f = planted_file(p->source);
    fputs(bag ? "{\"text\": {\"ships\": 2}}\n" : "{\"text\": \"ships\"}\n", f);
    ck_assert_int_eq(fclose(f), 0);
    p->o.vocabulary = NULL;
    p->o.format = KEDGE_FORMAT_JSONL;
    p->o.stemmer = stemmer;
    planted_fill(p);
    scene_close(&p->t);
}

static kedge_status merge_one(planted *into, const planted *from)
{
    const char *const stores[] = {from->t.path};
    kedge_merge_result r;

    return kedge_merge(into->t.s, stores, 1, KEDGE_DUPLICATE_ERROR, &into->c,
                       &r, &into->t.err);
}

TEST(texts_must_have_been_cut_alike)
{
    planted english, german, bag, into;

    begin_text(&english, "english", false);
    begin_text(&german, "german", false);
    begin_text(&bag, NULL, true);
    planted_begin(&into, 8);
    ck_ok(merge_one(&into, &bag), into.t.err);
    ck_assert(!planted_info(&into).tokenizer.texts);
    ck_ok(merge_one(&into, &english), into.t.err);
    ck_assert_str_eq(planted_info(&into).tokenizer.stemmer, "english");
    ck_fails(merge_one(&into, &german), KEDGE_EINVAL, into.t.err,
             "were split with --stem english, those of ");
    ck_assert_uint_eq(planted_info(&into).documents, 2);
    ck_ok(merge_one(&into, &bag), into.t.err);
    planted_end(&into);
    planted_begin(&into, 8); /* two that differ, into a store of nothing */
    const char *const stores[] = {bag.t.path, german.t.path, english.t.path};
    kedge_merge_result r;
    ck_fails(kedge_merge(into.t.s, stores, 3, KEDGE_DUPLICATE_ERROR, &into.c,
                         &r, &into.t.err), KEDGE_EINVAL, into.t.err,
             german.t.path);
    ck_assert_ptr_nonnull(strstr(into.t.err.text, english.t.path));
    ck_assert_uint_eq(planted_info(&into).documents, 0);
    planted_end(&into);
    planted_end(&english);
    planted_end(&german);
    planted_end(&bag);
}

TEST(a_path_without_a_store_is_an_error)
{
    const char *const nowhere = "/nowhere";
    kedge_merge_result r;
    OWN(lively_end) lively l;

    lively_begin(&l, 10);
    ck_assert_int_eq(kedge_merge(l.p.t.s, &nowhere, 1, KEDGE_DUPLICATE_ERROR,
                                 &l.p.c, &r, &l.p.t.err), KEDGE_ENOTFOUND);
    ck_assert_int_eq(kedge_merge(l.p.t.s, NULL, 0, KEDGE_DUPLICATE_ERROR,
                                 &l.p.c, &r, &l.p.t.err), KEDGE_EINVAL);
}

static kedge_status merge_two(lively *into, const char *a, const char *b,
                          kedge_merge_result *r)
{
    const char *const stores[] = {a, b};

    return kedge_merge(into->p.t.s, stores, b != NULL ? 2 : 1,
                       KEDGE_DUPLICATE_ERROR, &into->p.c, r, &into->p.t.err);
}

TEST(merging_without_memory)
{
    kedge_merge_result r;
    OWN(lively_end) lively from, into;

    lively_begin(&from, 40);
    lively_read(&from, 0, 3, false);
    scene_close(&from.p.t);
    lively_begin(&into, 40);
    GATE_LOOP
        GATE_TRY(merge_two(&into, from.p.t.path, NULL, &r));
    lively_mark(&into, 3, LIVELY_SHARDS, true);
    lively_check(&into);
    lively_check_models(&into);
}

/* ---- stores whose documents are elsewhere -------------------------------- */

enum { PARTS_N = 200 };

/* A store that took in parts from .. to-1. */
static void begin_parts(lively *l, travelling *t, size_t from, size_t to)
{
    kedge_sketch_import_result r;

    lively_begin(l, PARTS_N);
    for (size_t i = from; i < to; i++)
        ck_ok(travelling_take(l, t->file[i], &r), l->p.t.err);
    scene_close(&l->p.t);
}

TEST(sums_are_merged_as_parts_are)
{
    kedge_merge_result r;
    OWN(lively_end) lively half, rest;
    OWN(travelling_end) travelling t;

    travelling_begin(&t, PARTS_N);
    begin_parts(&half, &t, 0, 2);
    begin_parts(&rest, &t, 2, 3);
    ck_ok(merge_two(&t.all, rest.p.t.path, half.p.t.path, &r), t.all.p.t.err);
    ck_assert(r.stores == 2 && r.documents == 0 && r.elsewhere == PARTS_N);
    ck_assert_uint_eq(r.words, planted_info(&t.all.p).words);
    travelling_check(&t.all);
    ck_ok(merge_two(&t.all, half.p.t.path, NULL, &r), t.all.p.t.err);
    ck_assert_uint_eq(r.elsewhere, 0); /* known */
    travelling_check(&t.all);
}

/* Documents come as such, whatever is named first. */
TEST(sums_come_beside_documents)
{
    kedge_merge_result r;
    OWN(lively_end) lively half, twin;
    OWN(travelling_end) travelling t;

    travelling_begin(&t, PARTS_N);
    begin_parts(&half, &t, 0, 2);
    scene_close(&t.part[2].p.t);
    ck_ok(merge_two(&t.all, half.p.t.path, t.part[2].p.t.path, &r),
          t.all.p.t.err);
    scene_open(&t.part[2].p.t, KEDGE_OPEN_WRITE);
    ck_assert_uint_eq(r.documents, planted_info(&t.part[2].p).documents);
    ck_assert_uint_eq(r.elsewhere + r.documents, PARTS_N);
    lively_twin(&t.all, &twin);
    lively_same(lively_fit_all(&t.all), lively_fit_all(&twin));
}

TEST(what_would_count_twice_is_refused)
{
    kedge_merge_result r;
    OWN(lively_end) lively half, rest, whole;
    OWN(travelling_end) travelling t;

    travelling_begin(&t, PARTS_N);
    begin_parts(&half, &t, 0, 2);
    begin_parts(&rest, &t, 1, 3);
    ck_fails(merge_two(&t.all, rest.p.t.path, half.p.t.path, &r), KEDGE_EINVAL,
             t.all.p.t.err, "it is the sum of several parts, of which the "
                            "store has \"part1\"");
    travelling_fill(&whole, PARTS_N, 0, travelling_cuts[2]);
    ck_fails(merge_two(&whole, half.p.t.path, NULL, &r), KEDGE_EINVAL,
             whole.p.t.err, "documents as the store itself");
}

TEST(stores_with_some_here_and_some_elsewhere_are_refused)
{
    kedge_merge_result r;
    OWN(travelling_end) travelling t;
    OWN(lively_end) lively half, out;

    travelling_begin(&t, PARTS_N);
    begin_parts(&half, &t, 0, 2);
    scene_open(&half.p.t, KEDGE_OPEN_WRITE);
    lively_ingest(&half, LIVELY_SHARDS - 1, false);
    scene_close(&half.p.t);
    lively_begin(&out, PARTS_N);
    ck_fails(merge_two(&out, half.p.t.path, NULL, &r), KEDGE_EINVAL,
             out.p.t.err, "2 parts are elsewhere and ");
}
