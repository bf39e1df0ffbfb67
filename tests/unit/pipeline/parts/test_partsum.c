/* SPDX-License-Identifier: MIT */
/* Stores whose documents are elsewhere, merged. */
#include "pipeline/parts/partsum.h"

#include <kedge/verify.h>

#include "pipeline/travelling.h"

enum { N = 200 };

/* A store that took in parts from .. to-1. */
static void begin(lively *l, travelling *t, size_t from, size_t to)
{
    kedge_sketch_import_result r;

    lively_begin(l, N);
    for (size_t i = from; i < to; i++)
        ck_ok(travelling_take(l, t->file[i], &r), l->p.t.err);
    scene_close(&l->p.t);
}

static kedge_status merge(lively *into, const char *a, const char *b,
                          kedge_merge_result *r)
{
    const char *const stores[] = {a, b};

    return kedge_merge(into->p.t.s, stores, b != NULL ? 2 : 1,
                       KEDGE_DUPLICATE_ERROR, &into->p.c, r, &into->p.t.err);
}

START_TEST(sums_are_merged_as_parts_are)
{
    kedge_merge_result r;
    lively half, rest;
    travelling t;

    travelling_begin(&t, N);
    begin(&half, &t, 0, 2);
    begin(&rest, &t, 2, 3);
    ck_ok(merge(&t.all, rest.p.t.path, half.p.t.path, &r), t.all.p.t.err);
    ck_assert(r.stores == 2 && r.documents == 0 && r.elsewhere == N);
    ck_assert_uint_eq(r.words, planted_info(&t.all.p).words);
    travelling_check(&t.all);
    ck_ok(merge(&t.all, half.p.t.path, NULL, &r), t.all.p.t.err);
    ck_assert_uint_eq(r.elsewhere, 0); /* known */
    travelling_check(&t.all);
    lively_end(&half);
    lively_end(&rest);
    travelling_end(&t);
}
END_TEST

/* Documents come as such, whatever is named first. */
START_TEST(sums_come_beside_documents)
{
    kedge_model *a, *b;
    kedge_merge_result r;
    lively half, twin;
    travelling t;

    travelling_begin(&t, N);
    begin(&half, &t, 0, 2);
    scene_close(&t.part[2].p.t);
    ck_ok(merge(&t.all, half.p.t.path, t.part[2].p.t.path, &r),
          t.all.p.t.err);
    scene_open(&t.part[2].p.t, KEDGE_OPEN_WRITE);
    ck_assert_uint_eq(r.documents, planted_info(&t.part[2].p).documents);
    ck_assert_uint_eq(r.elsewhere + r.documents, N);
    lively_twin(&t.all, &twin);
    a = lively_fit_all(&t.all);
    b = lively_fit_all(&twin);
    ck_assert(planted_same(a, b));
    kedge_model_free(a);
    kedge_model_free(b);
    lively_end(&twin);
    lively_end(&half);
    travelling_end(&t);
}
END_TEST

START_TEST(what_would_count_twice_is_refused)
{
    kedge_merge_result r;
    lively half, rest, whole;
    travelling t;

    travelling_begin(&t, N);
    begin(&half, &t, 0, 2);
    begin(&rest, &t, 1, 3);
    ck_fails(merge(&t.all, rest.p.t.path, half.p.t.path, &r), KEDGE_EINVAL,
             t.all.p.t.err, "they come together and cannot be told apart");
    travelling_fill(&whole, N, 0, travelling_cuts[2]);
    ck_fails(merge(&whole, half.p.t.path, NULL, &r), KEDGE_EINVAL,
             whole.p.t.err, "documents that the store itself has");
    lively_end(&whole);
    lively_end(&half);
    lively_end(&rest);
    travelling_end(&t);
}
END_TEST

START_TEST(stores_with_some_here_and_some_elsewhere_are_refused)
{
    kedge_merge_result r;
    travelling t;
    lively half, out;
    bool is;

    travelling_begin(&t, N);
    begin(&half, &t, 0, 2);
    ck_ok(partsum_is(half.p.t.path, &is, &t.all.p.t.err), t.all.p.t.err);
    ck_assert(is);
    scene_open(&half.p.t, KEDGE_OPEN_WRITE);
    lively_ingest(&half, LIVELY_SHARDS - 1, false);
    scene_close(&half.p.t);
    ck_fails(partsum_is(half.p.t.path, &is, &t.all.p.t.err), KEDGE_EINVAL,
             t.all.p.t.err, "2 parts are elsewhere and ");
    lively_begin(&out, N);
    ck_fails(merge(&out, half.p.t.path, NULL, &r), KEDGE_EINVAL,
             out.p.t.err, "it cannot be merged");
    scene_close(&out.p.t);
    ck_ok(partsum_is(out.p.t.path, &is, &t.all.p.t.err), t.all.p.t.err);
    ck_assert(!is);
    lively_end(&out);
    lively_end(&half);
    travelling_end(&t);
}
END_TEST

UNIT_SUITE("partsum",
    sums_are_merged_as_parts_are,
    sums_come_beside_documents,
    what_would_count_twice_is_refused,
    stores_with_some_here_and_some_elsewhere_are_refused)
