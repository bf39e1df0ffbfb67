/* SPDX-License-Identifier: MIT */
#include <kedge/parts.h>
#include <kedge/verify.h>

#include "ops/travelling.h"

enum { N = 200 };

/* What is written, up to `room`. */
typedef struct paper {
    char *bytes;
    size_t size, room;
} paper;

static bool paper_write(void *data, const void *bytes, size_t size)
{
    paper *const p = data;

    if (size > p->room - p->size)
        return false;
    p->bytes = realloc(p->bytes, p->size + size + 1);
    memcpy(p->bytes + p->size, bytes, size);
    p->size += size;
    return true;
}

static kedge_status send(lively *l, paper *p, const char *name)
{
    kedge_sketch_export_result r;
    kedge_sketch_export_opts o;
    kedge_status st;

    kedge_sketch_export_opts_init(&o);
    o.name = name;
    free(p->bytes);
    *p = (paper){.room = 1 << 26};
    st = kedge_sketch_export(l->p.t.s, paper_write, p, &o, &l->p.c, &r,
                             &l->p.t.err);
    if (st == KEDGE_OK) {
        ck_assert_uint_eq(r.bytes, p->size);
        ck_assert_uint_gt(r.planned_memory, 0);
        ck_assert_uint_lt(r.planned_memory, l->p.c.memory);
    }
    return st;
}

/* Whatever came first, and whoever was there in between. */
TEST(the_same_documents_give_the_same_bytes)
{
    paper one = {0}, other = {0};
    lively a, b;

    travelling_fill(&a, N, 0, LIVELY_SHARDS);
    lively_remove_batch(&a, 4, false);
    lively_begin(&b, N);
    memcpy(b.gone, a.gone, N);
    for (size_t i = LIVELY_SHARDS; i > 0; i--)
        lively_ingest(&b, i - 1, false);
    kedge_model_free(lively_fit_listed(&b));
    ck_ok(send(&a, &one, "x"), a.p.t.err);
    ck_ok(send(&b, &other, "x"), b.p.t.err);
    ck_assert_uint_eq(one.size, other.size);
    ck_assert_mem_eq(one.bytes, other.bytes, one.size);
    ck_ok(send(&b, &other, "y"), b.p.t.err);
    ck_assert(one.size != other.size ||
              memcmp(one.bytes, other.bytes, one.size) != 0);
    free(one.bytes);
    free(other.bytes);
    lively_end(&a);
    lively_end(&b);
}

TEST(a_sketch_that_is_behind_follows_first)
{
    paper one = {0}, other = {0};
    lively a, b;

    travelling_fill(&a, N, 0, LIVELY_SHARDS);
    travelling_fill(&b, N, 0, 5);
    for (size_t i = 5; i < LIVELY_SHARDS; i++)
        lively_ingest(&b, i, true);
    ck_ok(send(&a, &one, "x"), a.p.t.err);
    ck_ok(send(&b, &other, "x"), b.p.t.err);
    ck_assert_uint_eq(one.size, other.size);
    ck_assert_mem_eq(one.bytes, other.bytes, one.size);
    free(one.bytes);
    free(other.bytes);
    lively_end(&a);
    lively_end(&b);
}

static kedge_status send_so(lively *l, const kedge_sketch_export_opts *o,
                            kedge_sketch_export_result *r)
{
    char path[96];

    return travelling_send(l, planted_path(&l->p, "out", path), o, r);
}

TEST(what_goes_is_chosen)
{
    kedge_sketch_export_result r;
    kedge_sketch_export_opts o;
    kedge_fit_opts chosen;
    lively l;

    travelling_fill(&l, N, 0, LIVELY_SHARDS);
    kedge_fit_opts_init(&chosen);
    chosen.min_df = 3;
    kedge_model_free(planted_fit(&l.p, 2, &chosen, NULL));
    kedge_sketch_export_opts_init(&o);
    ck_ok(send_so(&l, &o, &r), l.p.t.err);
    ck_assert(r.indexes == 2 && r.left == 1 && r.documents == N);
    o.index = 1;
    ck_ok(send_so(&l, &o, &r), l.p.t.err);
    ck_assert(r.indexes == 1 && r.left == 0);
    o.index = 2;
    ck_fails(send_so(&l, &o, &r), KEDGE_EINVAL, l.p.t.err,
             "view 2 stays: words in 3 documents or more");
    o.index = 3;
    ck_fails(send_so(&l, &o, &r), KEDGE_ENOTFOUND, l.p.t.err, "no view 3");
    kedge_sketch_export_opts_init(&o);
    o.counts = true;
    ck_ok(send_so(&l, &o, &r), l.p.t.err);
    ck_assert_uint_eq(r.indexes, 0);
    kedge_sketch_export_opts_init(&o);
    o.all_words = true;
    o.sketch_size = 32;
    ck_ok(send_so(&l, &o, &r), l.p.t.err);
    ck_assert_uint_eq(r.indexes, 1);
    ck_assert_uint_eq(planted_info(&l.p).indexes, 4);
    ck_ok(send_so(&l, &o, &r), l.p.t.err); /* it is there now */
    ck_assert_uint_eq(planted_info(&l.p).indexes, 4);
    lively_end(&l);
}

TEST(what_makes_no_sense_is_refused)
{
    const char *const long_name = "a-name-that-goes-on-and-on-and-on-and-on-"
                                  "until-it-has-64-bytes-all";
    kedge_sketch_export_result r;
    kedge_sketch_export_opts o;
    lively l;

    lively_begin(&l, N);
    kedge_sketch_export_opts_init(&o);
    ck_ok(send_so(&l, &o, &r), l.p.t.err); /* nothing is what there is */
    ck_assert_uint_eq(r.parts + r.documents + r.words + r.indexes, 0);
    ck_assert_uint_gt(r.bytes, 0);
    lively_ingest(&l, 0, false);
    o.name = "";
    ck_fails(send_so(&l, &o, &r), KEDGE_EINVAL, l.p.t.err, "1 to 63 bytes");
    o.name = long_name;
    ck_fails(send_so(&l, &o, &r), KEDGE_EINVAL, l.p.t.err, "1 to 63 bytes");
    o.name = NULL;
    o.counts = o.all_words = true;
    ck_fails(send_so(&l, &o, &r), KEDGE_EINVAL, l.p.t.err, "choose one");
    kedge_sketch_export_opts_init(&o);
    l.p.c.memory = 40 << 20;
    ck_fails(send_so(&l, &o, &r), KEDGE_EBUDGET, l.p.t.err,
             "exporting a sketch takes");
    lively_end(&l);
}

TEST(who_takes_no_more_is_told)
{
    kedge_sketch_export_result r;
    kedge_sketch_export_opts o;
    paper p = {.room = 1000};
    lively l;

    travelling_fill(&l, N, 0, 2);
    kedge_sketch_export_opts_init(&o);
    ck_fails(kedge_sketch_export(l.p.t.s, paper_write, &p, &o, &l.p.c, &r,
                                 &l.p.t.err), KEDGE_EIO, l.p.t.err,
             "cannot write the sketch: some of it was not taken");
    free(p.bytes);
    lively_end(&l);
}

TEST(every_allocation_may_fail)
{
    paper one = {0}, other = {0};
    lively l;

    travelling_fill(&l, N, 0, 3);
    ck_ok(send(&l, &one, "x"), l.p.t.err);
    scene_starve(send(&l, &other, "x"), l.p.t.err);
    ck_assert_uint_eq(one.size, other.size);
    ck_assert_mem_eq(one.bytes, other.bytes, one.size);
    free(one.bytes);
    free(other.bytes);
    lively_end(&l);
}
