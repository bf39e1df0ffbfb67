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

static void paper_free(paper *p)
{
    free(p->bytes);
}

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

/* Both stores send the same bytes. */
static void check_same(lively *a, lively *b)
{
    OWN(paper_free) paper one = {0}, other = {0};

    ck_ok(send(a, &one, "x"), a->p.t.err);
    ck_ok(send(b, &other, "x"), b->p.t.err);
    ck_assert_uint_eq(one.size, other.size);
    ck_assert_mem_eq(one.bytes, other.bytes, one.size);
    ck_ok(send(b, &other, "y"), b->p.t.err);
    ck_assert(one.size != other.size ||
              memcmp(one.bytes, other.bytes, one.size) != 0);
}

/* Whatever came first, and whoever was there in between. */
TEST(the_same_documents_give_the_same_bytes)
{
    OWN(lively_end) lively a, b;

    travelling_fill(&a, N, 0, LIVELY_SHARDS);
    lively_remove_batch(&a, 4, false);
    lively_begin(&b, N);
    memcpy(b.gone, a.gone, N);
    for (size_t i = LIVELY_SHARDS; i > 0; i--)
        lively_ingest(&b, i - 1, false);
    kedge_model_free(lively_fit_listed(&b));
    check_same(&a, &b);
}

TEST(a_sketch_that_is_behind_is_synced_first)
{
    OWN(lively_end) lively a, b;

    travelling_fill(&a, N, 0, LIVELY_SHARDS);
    travelling_fill(&b, N, 0, 5);
    lively_read(&b, 5, LIVELY_SHARDS, true);
    check_same(&a, &b);
}

TEST(every_allocation_may_fail)
{
    OWN(paper_free) paper one = {0}, other = {0};
    OWN(lively_end) lively l;

    travelling_fill(&l, N, 0, 3);
    ck_ok(send(&l, &one, "x"), l.p.t.err);
    scene_starve(send(&l, &other, "x"), l.p.t.err);
    ck_assert_uint_eq(one.size, other.size);
    ck_assert_mem_eq(one.bytes, other.bytes, one.size);
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
    OWN(lively_end) lively l;

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
             "index 2 is not exported: its words, in 3 documents or more,");
    o.index = 3;
    ck_fails(send_so(&l, &o, &r), KEDGE_ENOTFOUND, l.p.t.err, "no index 3");
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
}

TEST(what_makes_no_sense_is_refused)
{
    const char *const long_name = "a-name-that-goes-on-and-on-and-on-and-on-"
                                  "until-it-has-64-bytes-all";
    kedge_sketch_export_result r;
    kedge_sketch_export_opts o;
    OWN(lively_end) lively l;

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
}

TEST(a_writer_that_fails_ends_it)
{
    kedge_sketch_export_result r;
    OWN(paper_free) paper p = {.room = 1000};
    OWN(lively_end) lively l;

    travelling_fill(&l, N, 0, 2);
    ck_fails(kedge_sketch_export(l.p.t.s, paper_write, &p, NULL, &l.p.c, &r,
                                 &l.p.t.err), KEDGE_EIO, l.p.t.err,
             "cannot write the sketch: it was written only in part");
}
