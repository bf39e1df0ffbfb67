/* SPDX-License-Identifier: MIT */
/* Parts that come in against one store that read everything. */
#include <kedge/parts.h>
#include <kedge/verify.h>

#include "ops/travelling.h"

enum { N = 200 };

static void take(travelling *t, size_t i)
{
    kedge_sketch_import_result r;

    ck_ok(travelling_take(&t->all, t->file[i], &r), t->all.p.t.err);
    ck_assert(r.parts == 1 && r.indexes == 2 && r.words > 0);
    ck_assert_uint_eq(r.documents, planted_info(&t->part[i].p).documents);
    ck_assert_uint_gt(r.planned_memory, 0);
    ck_assert_uint_lt(r.planned_memory, t->all.p.c.memory);
}

TEST(parts_in_any_order_are_one_store)
{
    static const size_t order[][3] = {{0, 1, 2}, {2, 0, 1}};
    travelling t;

    travelling_begin(&t, N);
    for (size_t k = 0; k < 2; k++) {
        for (size_t i = 0; i < 3; i++)
            take(&t, order[k][i]);
        ck_assert_uint_eq(planted_info(&t.all.p).elsewhere, N);
        ck_assert_uint_eq(planted_info(&t.all.p).parts, 3);
        travelling_check(&t.all);
        planted_anew(&t.all.p);
    }
    travelling_end(&t);
}

/* Some came before the parts and some come after, some leave. */
TEST(own_documents_stand_beside_parts)
{
    travelling t;

    travelling_begin(&t, N);
    for (size_t i = travelling_cuts[1]; i < travelling_cuts[2]; i++)
        lively_ingest(&t.all, i, i % 2 == 0);
    kedge_model_free(lively_fit_listed(&t.all));
    take(&t, 2);
    lively_remove_batch(&t.all, 4, false);
    for (size_t i = 0; i < travelling_cuts[1]; i++)
        lively_ingest(&t.all, i, i % 2 == 0);
    travelling_check(&t.all);
    ck_assert_uint_eq(planted_info(&t.all.p).elsewhere,
                      planted_info(&t.part[2].p).documents);
    travelling_end(&t);
}

/* Both sketches, with each ingest. */
TEST(sketches_of_parts_follow_own_documents)
{
    travelling t;

    travelling_begin(&t, N);
    take(&t, 1);
    lively_ingest(&t.all, 0, false);
    for (uint64_t i = 0; i < 2; i++) {
        kedge_index_info v;
        ck_ok(kedge_store_get_index(t.all.p.t.s, i, &v, &t.all.p.t.err),
              t.all.p.t.err);
        ck_assert(v.current && v.listed == (i == 1));
    }
    travelling_end(&t);
}

TEST(a_part_that_is_known_is_passed_over)
{
    kedge_sketch_import_result r;
    travelling t;
    kedge_part_info p;

    travelling_begin(&t, N);
    take(&t, 0);
    ck_ok(travelling_take(&t.all, t.file[0], &r), t.all.p.t.err);
    ck_assert(r.parts == 0 && r.documents == 0);
    ck_assert_uint_eq(planted_info(&t.all.p).parts, 1);
    ck_ok(kedge_store_get_part(t.all.p.t.s, 0, &p, &t.all.p.t.err),
          t.all.p.t.err);
    ck_assert_str_eq(p.name, "part0");
    ck_assert_uint_gt(p.when, 0);
    ck_fails(kedge_store_get_part(t.all.p.t.s, 1, &p, &t.all.p.t.err),
             KEDGE_ENOTFOUND, t.all.p.t.err, "part 1");
    ck_fails(travelling_take(&t.part[0], t.file[0], &r), KEDGE_EINVAL,
             t.part[0].p.t.err, "documents that the store itself has");
    travelling_end(&t);
}

/* Parts 0 and 1 come together, as what another store has; with 0 alone they
 * cannot be told apart. */
TEST(sums_and_their_parts_do_not_meet)
{
    kedge_sketch_import_result r;
    kedge_sketch_export_result sent;
    travelling t;
    char sum[96];
    lively other;

    travelling_begin(&t, N);
    lively_begin(&other, N);
    ck_ok(travelling_take(&other, t.file[0], &r), other.p.t.err);
    ck_ok(travelling_take(&other, t.file[1], &r), other.p.t.err);
    planted_path(&other.p, "sum", sum);
    ck_ok(travelling_send(&other, sum, NULL, &sent), other.p.t.err);
    ck_assert(sent.parts == 2 && sent.indexes == 2);
    take(&t, 0);
    ck_fails(travelling_take(&t.all, sum, &r), KEDGE_EINVAL, t.all.p.t.err,
             "the store has part \"part0\" of it, and not \"part1\"");
    ck_ok(travelling_take(&other, t.file[2], &r), other.p.t.err);
    travelling_check(&other);
    lively_end(&other);
    travelling_end(&t);
}

TEST(another_part_of_the_same_name_is_refused)
{
    kedge_sketch_import_result r;
    kedge_sketch_export_result sent;
    kedge_sketch_export_opts o;
    travelling t;

    travelling_begin(&t, N);
    take(&t, 0);
    kedge_sketch_export_opts_init(&o);
    o.name = "part0";
    ck_ok(travelling_send(&t.part[1], t.file[1], &o, &sent),
          t.part[1].p.t.err);
    ck_fails(travelling_take(&t.all, t.file[1], &r), KEDGE_EINVAL,
             t.all.p.t.err, "has a part \"part0\" of ");
    travelling_end(&t);
}

/* ---- which sketch is added to which -------------------------------------- */

static void narrower(kedge_ingest_opts *o)
{
    o->sketch_size = 65;
}

static void seeded(kedge_ingest_opts *o)
{
    o->seed = 2;
}

static void shorter(kedge_ingest_opts *o)
{
    o->min_tokens = 6;
}

static void counting_pairs(kedge_ingest_opts *o)
{
    o->tf = "raw";
}

/* Of a store that read shard 0, so that its sketches have something. */
TEST(what_differs_is_told_with_both_values)
{
    static const struct {
        void (*ask)(kedge_ingest_opts *o);
        const char *says;
    } cases[] = {
        {narrower, "the width (--sketch-size) "},
        {narrower, ", that of view 0 of the store has 65"},
        {seeded, "the seed 1, that of view 0 of the store has 2"},
        {shorter, "--min-tokens 5, that of view 0 of the store has 6"},
        {counting_pairs, "no sketch of the same words, by the same statistic, "
                         "as view 0 of the part (log, words all)"},
    };
    kedge_sketch_import_result r;
    travelling t;

    travelling_begin(&t, N);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        lively l;
        lively_begin(&l, N);
        cases[i].ask(&l.p.o);
        lively_ingest(&l, 0, false);
        ck_fails(travelling_take(&l, t.file[1], &r), KEDGE_EINVAL,
                 l.p.t.err, cases[i].says);
        lively_end(&l);
    }
    travelling_end(&t);
}

/* Views of the same kind meet whatever their numbers; others stay out. */
TEST(numbers_of_views_may_be_others)
{
    kedge_sketch_import_result r;
    kedge_index_info v;
    kedge_fit_opts o;
    travelling t;
    lively l;

    travelling_begin(&t, N);
    lively_begin(&l, N);
    lively_ingest(&l, 0, false);
    kedge_fit_opts_init(&o);
    o.min_df = 3;
    kedge_model_free(planted_fit(&l.p, 2, &o, NULL)); /* view 1, its own */
    kedge_model_free(lively_fit_listed(&l));          /* view 2 */
    ck_ok(travelling_take(&l, t.file[1], &r), l.p.t.err);
    ck_assert_uint_eq(r.indexes, 2);
    for (uint64_t i = 0; i < 3; i++) {
        ck_ok(kedge_store_get_index(l.p.t.s, i, &v, &l.p.t.err), l.p.t.err);
        ck_assert(v.current == (i != 1));
    }
    lively_end(&l);
    travelling_end(&t);
}

TEST(counts_alone_go_where_no_sketch_is)
{
    kedge_sketch_export_result sent;
    kedge_sketch_import_result r;
    kedge_sketch_export_opts o;
    travelling t;

    travelling_begin(&t, N);
    kedge_sketch_export_opts_init(&o);
    o.counts = true;
    o.name = "counts";
    ck_ok(travelling_send(&t.part[1], t.file[1], &o, &sent),
          t.part[1].p.t.err);
    take(&t, 0);
    ck_fails(travelling_take(&t.all, t.file[1], &r), KEDGE_EINVAL,
             t.all.p.t.err, "it has counts alone");
    planted_anew(&t.all.p);
    ck_ok(travelling_take(&t.all, t.file[1], &r), t.all.p.t.err);
    ck_assert(r.parts == 1 && r.indexes == 0);
    travelling_end(&t);
}

/* ---- what is not whole --------------------------------------------------- */

static size_t read_file(const char *path, uint8_t **bytes)
{
    FILE *const f = fopen(path, "rb");
    long size;

    ck_assert_ptr_nonnull(f);
    ck_assert_int_eq(fseek(f, 0, SEEK_END), 0);
    size = ftell(f);
    rewind(f);
    *bytes = malloc((size_t)size);
    ck_assert_uint_eq(fread(*bytes, 1, (size_t)size, f), (size_t)size);
    fclose(f);
    return (size_t)size;
}

static void write_file(const char *path, const uint8_t *bytes, size_t size)
{
    FILE *const f = planted_file(path);

    ck_assert_uint_eq(fwrite(bytes, 1, size, f), size);
    ck_assert_int_eq(fclose(f), 0);
}

/* The store is as it was, with part 0 alone. */
static void check_one(travelling *t)
{
    const kedge_store_info info = planted_info(&t->all.p);
    kedge_verify_result v;

    ck_assert(info.parts == 1 && info.models == 0 && info.indexes == 2);
    ck_assert_uint_eq(info.documents, planted_info(&t->part[0].p).documents);
    ck_ok(kedge_verify(t->all.p.t.s, NULL, NULL, &t->all.p.c, &v,
                       &t->all.p.t.err), t->all.p.t.err);
    ck_assert(v.damaged == 0 && v.counted);
    kedge_verify_free(&v);
}

TEST(files_that_are_not_whole_change_nothing)
{
    kedge_sketch_import_result r;
    travelling t;
    uint8_t *bytes;
    size_t size;

    travelling_begin(&t, N);
    take(&t, 0);
    size = read_file(t.file[1], &bytes);
    for (size_t cut = 16; cut < size; cut += 1 + size / 40) {
        write_file(t.file[1], bytes, cut);
        ck_fails(travelling_take(&t.all, t.file[1], &r), KEDGE_EFORMAT,
                 t.all.p.t.err, "ends early");
        ck_assert_ptr_nonnull(strstr(t.all.p.t.err.text, t.file[1]));
        check_one(&t);
    }
    for (size_t at = 16; at < size; at += 1 + size / 60) {
        bytes[at] ^= 0x20;
        write_file(t.file[1], bytes, size);
        ck_assert_int_eq(travelling_take(&t.all, t.file[1], &r),
                         KEDGE_EFORMAT);
        bytes[at] ^= 0x20;
        check_one(&t);
    }
    write_file(t.file[1], bytes, size);
    free(bytes);
    take(&t, 1);
    take(&t, 2);
    travelling_check(&t.all);
    travelling_end(&t);
}

/* ---- interruptions ------------------------------------------------------- */

TEST(stopped_anywhere_it_can_be_done_again)
{
    kedge_status st = KEDGE_ECANCELED;
    kedge_sketch_import_result r;
    long left = 0, stops = 0;
    travelling t;

    travelling_begin(&t, N);
    take(&t, 0);
    t.all.p.c.data = &left;
    for (long k = 0; st != KEDGE_OK; k += 1 + k / 10) {
        left = k;
        t.all.p.c.stop = lively_stop;
        st = travelling_take(&t.all, t.file[1], &r);
        t.all.p.c.stop = NULL;
        if (st == KEDGE_OK)
            break;
        ck_assert_int_eq(st, KEDGE_ECANCELED);
        stops++;
        check_one(&t);
    }
    ck_assert_int_gt(stops, 10);
    take(&t, 2);
    travelling_check(&t.all);
    travelling_end(&t);
}

static const char *coming; /* to the process that is killed */

static void take_once(lively *l)
{
    kedge_sketch_import_result r;

    ck_ok(travelling_take(l, coming, &r), l->p.t.err);
}

TEST(killed_anywhere_it_can_be_done_again)
{
    travelling t;
    unsigned done = 0;

    travelling_begin(&t, N);
    take(&t, 0);
    coming = t.file[1];
    for (unsigned i = 0; i < 60 && done == 0; i++) {
        done = lively_kill(&t.all, take_once, 300U + 100U * i * i);
        if (done == 0 && planted_info(&t.all.p).parts == 1)
            check_one(&t);
        else
            done = 1; /* the commit came before the end */
    }
    ck_assert_uint_eq(planted_info(&t.all.p).parts, 2);
    take(&t, 2);
    travelling_check(&t.all);
    travelling_end(&t);
}

TEST(every_allocation_may_fail)
{
    kedge_status st = KEDGE_ENOMEM;
    kedge_sketch_import_result r;
    travelling t;

    travelling_begin(&t, N);
    take(&t, 0);
    for (long k = 0; st != KEDGE_OK; k++) {
        gate_allow(k);
        st = travelling_take(&t.all, t.file[1], &r);
        gate_open();
        ck_assert_msg(st == KEDGE_OK || st == KEDGE_ENOMEM, "%ld: %s", k,
                      t.all.p.t.err.text);
        if (st != KEDGE_OK && k % 7 == 0)
            check_one(&t);
    }
    take(&t, 2);
    travelling_check(&t.all);
    travelling_end(&t);
}

TEST(what_cannot_be_is_told)
{
    kedge_sketch_import_result r;
    travelling t;

    travelling_begin(&t, N);
    ck_fails(travelling_take(&t.all, "/nowhere", &r), KEDGE_EIO,
             t.all.p.t.err, "/nowhere");
    ck_fails(travelling_take(&t.all, t.all.p.vocabulary, &r), KEDGE_EFORMAT,
             t.all.p.t.err, "not what 'kedge sketch export' writes");
    t.all.p.c.memory = 40 << 20;
    ck_fails(travelling_take(&t.all, t.file[0], &r), KEDGE_EBUDGET,
             t.all.p.t.err, "importing a sketch takes");
    travelling_end(&t);
}
