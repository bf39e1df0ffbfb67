/* SPDX-License-Identifier: MIT */
#include "pipeline/parts/partfacts.h"

#include "pipeline/travelling.h"

enum { N = 200 };

static kedge_status facts_of(lively *l, const char *name, partfile_facts *f)
{
    store_totals totals;
    kedge_status st;

    *f = (partfile_facts){0};
    scene_read(&l->p.t);
    ck_ok(store_get_totals(l->p.t.txn, &totals, &l->p.t.err), l->p.t.err);
    st = partfacts_of(l->p.t.txn, &totals, name, f, &l->p.t.err);
    store_abort(&l->p.t.txn);
    return st;
}

static void fill(lively *l, size_t from, size_t to)
{
    lively_begin(l, N);
    for (size_t i = from; i < to; i++)
        lively_ingest(l, i, false);
}

/* Alone, these are all of the facts. */
static void check_own(const store_part *p, const lively *l)
{
    const store_totals t = lively_totals(l);

    ck_assert_uint_eq(p->documents, t.documents);
    ck_assert_uint_eq(p->tokens, t.tokens);
    ck_assert_uint_eq(p->nonzeros, t.nonzeros);
    ck_assert_mem_eq(p->digest, t.digest, sizeof t.digest);
    ck_assert_uint_eq(p->when, 0);
}

START_TEST(own_documents_are_a_part)
{
    partfile_facts f;
    lively l;

    fill(&l, 0, LIVELY_SHARDS);
    ck_ok(facts_of(&l, "mine", &f), l.p.t.err);
    ck_assert_uint_eq(f.parts, 1);
    ck_assert_str_eq(f.part[0].name, "mine");
    check_own(&f.part[0], &l);
    ck_assert_uint_eq(f.documents, f.part[0].documents);
    ck_assert_uint_eq(f.tokens, f.part[0].tokens);
    ck_assert_uint_eq(f.nonzeros, f.part[0].nonzeros);
    ck_assert_mem_eq(f.digest, f.part[0].digest, sizeof f.digest);
    ck_assert(f.views == 0 && f.words == 0); /* the caller's */
    partfile_free(&f);
    lively_remove_batch(&l, 3, true);
    ck_ok(facts_of(&l, "mine", &f), l.p.t.err);
    check_own(&f.part[0], &l);
    partfile_free(&f);
    lively_end(&l);
}
END_TEST

START_TEST(a_store_without_documents_has_no_part)
{
    partfile_facts f;
    lively l;

    lively_begin(&l, N);
    ck_ok(facts_of(&l, NULL, &f), l.p.t.err);
    ck_assert(f.parts == 0 && f.documents == 0 && f.tokens == 0);
    partfile_free(&f);
    lively_ingest(&l, 0, false);
    lively_remove_batch(&l, 0, false);
    ck_ok(facts_of(&l, NULL, &f), l.p.t.err);
    ck_assert(f.parts == 0 && f.documents == 0 && f.digest[0] == 0);
    partfile_free(&f);
    lively_end(&l);
}
END_TEST

/* Those from elsewhere come first, and not when they came. */
START_TEST(parts_from_elsewhere_go_on)
{
    kedge_sketch_import_result r;
    partfile_facts f;
    travelling t;

    travelling_begin(&t, N);
    ck_ok(travelling_take(&t.all, t.file[2], &r), t.all.p.t.err);
    ck_ok(travelling_take(&t.all, t.file[1], &r), t.all.p.t.err);
    ck_ok(facts_of(&t.all, "all", &f), t.all.p.t.err);
    ck_assert_uint_eq(f.parts, 2); /* none of its own */
    partfile_free(&f);
    for (size_t i = 0; i < travelling_cuts[1]; i++)
        lively_ingest(&t.all, i, true);
    ck_ok(facts_of(&t.all, "all", &f), t.all.p.t.err);
    ck_assert_uint_eq(f.parts, 3);
    ck_assert_str_eq(f.part[0].name, "part2");
    ck_assert_str_eq(f.part[1].name, "part1");
    ck_assert_str_eq(f.part[2].name, "all");
    for (size_t i = 0; i < 3; i++) {
        const kedge_store_info info =
            planted_info(&t.part[i == 2 ? 0 : 2 - i].p);
        ck_assert_uint_eq(f.part[i].documents, info.documents);
        ck_assert_uint_eq(f.part[i].tokens, info.tokens);
        ck_assert_uint_eq(f.part[i].nonzeros, info.nonzeros);
        ck_assert_mem_eq(f.part[i].digest, info.digest, sizeof info.digest);
        ck_assert_uint_eq(f.part[i].when, 0);
    }
    ck_assert_uint_eq(f.documents, N);
    partfile_free(&f);
    travelling_end(&t);
}
END_TEST

/* ---- names -------------------------------------------------------------- */

/* The store by this way to its folder. */
static void reopen_as(lively *l, const char *path)
{
    scene_close(&l->p.t);
    ck_ok(kedge_store_open(path, KEDGE_OPEN_READ, &l->p.t.s, &l->p.t.err),
          l->p.t.err);
}

START_TEST(the_name_is_the_folders)
{
    static const char *const ends[] = {"", "/", "//"};
    char path[128];
    partfile_facts f;
    lively l;

    fill(&l, 0, 1);
    for (size_t i = 0; i < 3; i++) {
        snprintf(path, sizeof path, "%s%s", l.p.t.path, ends[i]);
        reopen_as(&l, path);
        ck_ok(facts_of(&l, NULL, &f), l.p.t.err);
        ck_assert_str_eq(f.part[0].name, "store");
        partfile_free(&f);
    }
    ck_assert_int_eq(chdir(l.p.t.root), 0);
    reopen_as(&l, "store");
    ck_ok(facts_of(&l, NULL, &f), l.p.t.err);
    ck_assert_str_eq(f.part[0].name, "store");
    partfile_free(&f);
    ck_assert_int_eq(chdir("/"), 0);
    lively_end(&l);
}
END_TEST

static void check_refused(lively *l)
{
    partfile_facts f;

    ck_fails(facts_of(l, NULL, &f), KEDGE_EINVAL, l->p.t.err,
             "a part needs a name of 1 to 63 bytes (--name)");
    partfile_free(&f);
    ck_ok(facts_of(l, "named", &f), l->p.t.err);
    ck_assert_str_eq(f.part[0].name, "named");
    partfile_free(&f);
}

START_TEST(folders_without_a_name_are_refused)
{
    char path[160], longer[160];
    partfile_facts f;
    lively l;

    fill(&l, 0, 1);
    ck_assert_int_eq(chdir(l.p.t.path), 0);
    reopen_as(&l, ".");
    check_refused(&l);
    reopen_as(&l, "./");
    check_refused(&l);
    ck_assert_int_eq(chdir("/"), 0);
    scene_close(&l.p.t);
    snprintf(path, sizeof path, "%s/%063d", l.p.t.root, 7);
    snprintf(longer, sizeof longer, "%s/%064d", l.p.t.root, 7);
    ck_assert_int_eq(rename(l.p.t.path, path), 0);
    reopen_as(&l, path);
    ck_ok(facts_of(&l, NULL, &f), l.p.t.err);
    ck_assert_uint_eq(strlen(f.part[0].name), 63);
    partfile_free(&f);
    ck_assert_int_eq(rename(path, longer), 0);
    reopen_as(&l, longer);
    check_refused(&l);
    lively_end(&l);
}
END_TEST

START_TEST(how_texts_were_cut_is_told)
{
    partfile_facts f;
    lively l;

    fill(&l, 0, 1);
    ck_ok(facts_of(&l, "bags", &f), l.p.t.err);
    ck_assert(!f.tokenizing.settings.texts);
    partfile_free(&f);
    lively_end(&l);
    lively_begin_texts(&l, N);
    l.p.o.shortest = 3;
    lively_ingest(&l, 0, false);
    ck_ok(facts_of(&l, "texts", &f), l.p.t.err);
    ck_assert(f.tokenizing.settings.texts && f.tokenizing.settings.digits);
    ck_assert_uint_eq(f.tokenizing.settings.shortest, 3);
    partfile_free(&f);
    lively_end(&l);
}
END_TEST

START_TEST(without_memory)
{
    kedge_status st = KEDGE_ENOMEM;
    partfile_facts f;
    lively l;

    fill(&l, 0, 2);
    for (long k = 0; st != KEDGE_OK; k++) {
        gate_allow(k);
        st = facts_of(&l, NULL, &f);
        gate_open();
        ck_assert(st == KEDGE_OK || st == KEDGE_ENOMEM);
        if (st == KEDGE_OK)
            ck_assert_uint_eq(f.parts, 1);
        partfile_free(&f);
    }
    lively_end(&l);
}
END_TEST

UNIT_SUITE("partfacts",
    own_documents_are_a_part,
    a_store_without_documents_has_no_part,
    parts_from_elsewhere_go_on,
    the_name_is_the_folders,
    folders_without_a_name_are_refused,
    how_texts_were_cut_is_told,
    without_memory)
