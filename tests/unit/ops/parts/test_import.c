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
    OWN(travelling_end) travelling t;

    travelling_begin(&t, N);
    for (size_t k = 0; k < 2; k++) {
        for (size_t i = 0; i < 3; i++)
            take(&t, order[k][i]);
        ck_assert_uint_eq(planted_info(&t.all.p).elsewhere, N);
        ck_assert_uint_eq(planted_info(&t.all.p).parts, 3);
        travelling_check(&t.all);
        planted_anew(&t.all.p);
    }
}

/* Some came before the parts and some come after, some leave. */
TEST(own_documents_stand_beside_parts)
{
    OWN(travelling_end) travelling t;

    travelling_begin(&t, N);
    lively_read(&t.all, travelling_cuts[1], travelling_cuts[2], true);
    kedge_model_free(lively_fit_listed(&t.all));
    take(&t, 2);
    lively_remove_batch(&t.all, 4, false);
    lively_read(&t.all, 0, travelling_cuts[1], false);
    travelling_check(&t.all);
    ck_assert_uint_eq(planted_info(&t.all.p).elsewhere,
                      planted_info(&t.part[2].p).documents);
}

static void check_index(lively *l, uint64_t place, bool current)
{
    kedge_index_info v;

    ck_ok(kedge_store_get_index(l->p.t.s, place, &v, &l->p.t.err),
          l->p.t.err);
    ck_assert(v.current == current);
}

/* Both sketches, with each ingest. */
TEST(sketches_of_parts_are_synced_with_own_documents)
{
    OWN(travelling_end) travelling t;

    travelling_begin(&t, N);
    take(&t, 1);
    lively_ingest(&t.all, 0, false);
    check_index(&t.all, 0, true);
    check_index(&t.all, 1, true);
}

TEST(a_part_that_is_known_is_passed_over)
{
    kedge_sketch_import_result r;
    OWN(travelling_end) travelling t;
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
             t.part[0].p.t.err, "documents as the store itself");
}

/* Parts 0 and 1 come together, as what another store has; with 0 alone they
 * cannot be told apart. */
TEST(sums_and_their_parts_do_not_meet)
{
    kedge_sketch_import_result r;
    kedge_sketch_export_result sent;
    OWN(travelling_end) travelling t;
    char sum[96];
    OWN(lively_end) lively other;

    travelling_begin(&t, N);
    lively_begin(&other, N);
    ck_ok(travelling_take(&other, t.file[0], &r), other.p.t.err);
    ck_ok(travelling_take(&other, t.file[1], &r), other.p.t.err);
    planted_path(&other.p, "sum", sum);
    ck_ok(travelling_send(&other, sum, NULL, &sent), other.p.t.err);
    ck_assert(sent.parts == 2 && sent.indexes == 2);
    take(&t, 0);
    ck_fails(travelling_take(&t.all, sum, &r), KEDGE_EINVAL, t.all.p.t.err,
             "it is the sum of several parts, of which the store has "
             "\"part0\"");
    ck_ok(travelling_take(&other, t.file[2], &r), other.p.t.err);
    travelling_check(&other);
}

TEST(another_part_of_the_same_name_is_refused)
{
    kedge_sketch_import_result r;
    kedge_sketch_export_result sent;
    kedge_sketch_export_opts o;
    OWN(travelling_end) travelling t;

    travelling_begin(&t, N);
    take(&t, 0);
    kedge_sketch_export_opts_init(&o);
    o.name = "part0";
    ck_ok(travelling_send(&t.part[1], t.file[1], &o, &sent),
          t.part[1].p.t.err);
    ck_fails(travelling_take(&t.all, t.file[1], &r), KEDGE_EINVAL,
             t.all.p.t.err, "has a part \"part0\" with ");
}

/* ---- which sketch is added to which -------------------------------------- */

/* Of a store that read shard 0, so that its sketches have something. */
TEST(sketches_that_differ_are_refused_with_both_values)
{
    static const struct {
        uint64_t width, seed, min_tokens;
        const char *statistics, *says;
    } cases[] = {
        {65, 1, 5, NULL, "the width (--sketch-size) "},
        {65, 1, 5, NULL, ", that of index 0 of the store has 65"},
        {80, 2, 5, NULL, "the seed 1, that of index 0 of the store has 2"},
        {80, 1, 6, NULL, "--min-tokens 5, that of index 0 of the store has 6"},
        {80, 1, 5, "raw", "the store has no index like index 0 of the part "
                          "(log, words"},
    };
    kedge_sketch_import_result r;
    OWN(travelling_end) travelling t;

    travelling_begin(&t, N);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        OWN(lively_end) lively l;

        lively_begin(&l, N);
        l.p.o.sketch_size = cases[i].width;
        l.p.o.seed = cases[i].seed;
        l.p.o.min_tokens = cases[i].min_tokens;
        l.p.o.tf = cases[i].statistics;
        lively_ingest(&l, 0, false);
        ck_fails(travelling_take(&l, t.file[1], &r), KEDGE_EINVAL,
                 l.p.t.err, cases[i].says);
    }
}

/* Indexes of the same kind meet whatever their numbers; others stay out. */
TEST(numbers_of_indexes_may_be_others)
{
    kedge_sketch_import_result r;
    kedge_fit_opts o;
    OWN(travelling_end) travelling t;
    OWN(lively_end) lively l;

    travelling_begin(&t, N);
    lively_begin(&l, N);
    lively_ingest(&l, 0, false);
    kedge_fit_opts_init(&o);
    o.min_df = 3;
    kedge_model_free(planted_fit(&l.p, 2, &o, NULL)); /* index 1, its own */
    kedge_model_free(lively_fit_listed(&l));          /* index 2 */
    ck_ok(travelling_take(&l, t.file[1], &r), l.p.t.err);
    ck_assert_uint_eq(r.indexes, 2);
    check_index(&l, 0, true);
    check_index(&l, 1, false);
    check_index(&l, 2, true);
}

TEST(counts_alone_go_where_no_sketch_is)
{
    kedge_sketch_export_result sent;
    kedge_sketch_import_result r;
    kedge_sketch_export_opts o;
    OWN(travelling_end) travelling t;

    travelling_begin(&t, N);
    kedge_sketch_export_opts_init(&o);
    o.counts = true;
    o.name = "counts";
    ck_ok(travelling_send(&t.part[1], t.file[1], &o, &sent),
          t.part[1].p.t.err);
    take(&t, 0);
    ck_fails(travelling_take(&t.all, t.file[1], &r), KEDGE_EINVAL,
             t.all.p.t.err, "it has only counts: the sketches of the store "
                            "would lack its");
    planted_anew(&t.all.p);
    ck_ok(travelling_take(&t.all, t.file[1], &r), t.all.p.t.err);
    ck_assert(r.parts == 1 && r.indexes == 0);
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
static void check_one(lively *all)
{
    const kedge_store_info info = planted_info(&all->p);
    const size_t documents = lively_shard(all, travelling_cuts[1]);

    ck_assert(info.parts == 1 && info.models == 0 && info.indexes == 2);
    ck_assert_uint_eq(info.documents, documents);
    lively_verify(all);
}

TEST(files_that_are_not_whole_change_nothing)
{
    kedge_sketch_import_result r;
    OWN(travelling_end) travelling t;
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
        check_one(&t.all);
    }
    for (size_t at = 16; at < size; at += 1 + size / 60) {
        bytes[at] ^= 0x20;
        write_file(t.file[1], bytes, size);
        ck_assert_int_eq(travelling_take(&t.all, t.file[1], &r),
                         KEDGE_EFORMAT);
        bytes[at] ^= 0x20;
        check_one(&t.all);
    }
    write_file(t.file[1], bytes, size);
    free(bytes);
    take(&t, 1);
    take(&t, 2);
    travelling_check(&t.all);
}

/* ---- interruptions ------------------------------------------------------- */

static const char *coming; /* the file that is imported */

static kedge_status take_coming(lively *l)
{
    kedge_sketch_import_result r;

    return travelling_take(l, coming, &r);
}

/* The other parts can still come. */
static void check_rest(travelling *t)
{
    take(t, 2);
    travelling_check(&t->all);
}

TEST(stopped_anywhere_it_can_be_done_again)
{
    OWN(travelling_end) travelling t;

    travelling_begin(&t, N);
    take(&t, 0);
    coming = t.file[1];
    ck_assert_int_gt(lively_stop_often(&t.all, take_coming, 1, check_one), 10);
    check_rest(&t);
}

static void take_or_abort(lively *l)
{
    ck_ok(take_coming(l), l->p.t.err);
}

TEST(killed_anywhere_it_can_be_done_again)
{
    OWN(travelling_end) travelling t;
    bool done = false;

    travelling_begin(&t, N);
    take(&t, 0);
    coming = t.file[1];
    for (unsigned i = 0; i < 60 && !done; i++) {
        done = lively_kill(&t.all, take_or_abort, 300U + 100U * i * i);
        if (!done && planted_info(&t.all.p).parts == 1)
            check_one(&t.all);
        else
            done = true; /* the commit came before the end */
    }
    ck_assert_uint_eq(planted_info(&t.all.p).parts, 2);
    check_rest(&t);
}

TEST(every_allocation_may_fail)
{
    OWN(travelling_end) travelling t;

    travelling_begin(&t, N);
    take(&t, 0);
    coming = t.file[1];
    lively_starve(&t.all, take_coming, check_one);
    check_rest(&t);
}

TEST(impossible_imports_are_refused)
{
    kedge_sketch_import_result r;
    OWN(travelling_end) travelling t;

    travelling_begin(&t, N);
    ck_fails(travelling_take(&t.all, "/nowhere", &r), KEDGE_EIO,
             t.all.p.t.err, "/nowhere");
    ck_fails(travelling_take(&t.all, t.all.p.vocabulary, &r), KEDGE_EFORMAT,
             t.all.p.t.err, "not a file of 'kedge sketch export'");
    t.all.p.c.memory = 40 << 20;
    ck_fails(travelling_take(&t.all, t.file[0], &r), KEDGE_EBUDGET,
             t.all.p.t.err, "importing a sketch takes");
}
