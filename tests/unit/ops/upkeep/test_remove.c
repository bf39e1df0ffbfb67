/* SPDX-License-Identifier: MIT */
#include "ops/lively.h"

static void check_whole(lively *l)
{
    lively_check(l);
    lively_check_models(l);
}

TEST(a_store_is_as_if_they_had_never_been)
{
    for (uint64_t seed = 1; seed <= 3; seed++) {
        OWN(lively_end) lively l;
        lively_fill(&l, PLANTED_DOCUMENTS);
        lively_remove(&l, seed, 3 * seed, seed == 2);
        lively_remove_batch(&l, seed, seed == 3);
        lively_remove(&l, seed + 10, 6, false);
        check_whole(&l);
    }
}

TEST(a_batch_that_left_can_come_again)
{
    OWN(lively_end) lively l;
    size_t gone;

    lively_fill(&l, PLANTED_DOCUMENTS);
    gone = lively_remove_batch(&l, 4, false);
    ck_assert_uint_eq(gone, PLANTED_DOCUMENTS / LIVELY_SHARDS);
    lively_check(&l);
    lively_mark(&l, 4, 5, false);
    lively_ingest(&l, 4, false);
    check_whole(&l);
}

TEST(all_may_leave)
{
    OWN(lively_end) lively l;

    lively_fill(&l, 60);
    ck_assert_uint_eq(lively_remove(&l, 1, 1, false), 60);
    lively_check(&l);
    ck_assert_uint_eq(planted_info(&l.p).documents, 0);
}

TEST(ids_from_a_file)
{
    kedge_remove_result r;
    kedge_remove_opts o;
    char path[96], id[16];
    OWN(lively_end) lively l;
    FILE *f;

    lively_fill(&l, PLANTED_DOCUMENTS);
    f = planted_file(planted_path(&l.p, "ids.txt", path));
    for (size_t m = 3; m < l.p.d.count; m += 11) {
        fprintf(f, "%s\n", lively_id(m, id));
        l.gone[m] = true;
    }
    fprintf(f, "nobody\nno one\n");
    ck_assert_int_eq(fclose(f), 0);
    kedge_remove_opts_init(&o);
    o.ids_file = path;
    r = lively_take(&l, &o);
    ck_assert_uint_eq(r.documents, (l.p.d.count - 3 + 10) / 11);
    ck_assert_uint_eq(r.left, l.p.d.count - r.documents);
    ck_assert_uint_eq(r.missing, 2);
    ck_assert_str_eq(r.missing_ids[0], "nobody");
    ck_assert_str_eq(r.missing_ids[1], "no one");
    ck_assert_str_eq(r.missing_ids[2], "");
    lively_check(&l);
    r = lively_take(&l, &o); /* again: all are unknown */
    ck_assert_uint_eq(r.documents, 0);
    ck_assert_uint_eq(r.missing, 24);
    lively_check(&l);
}

TEST(unknown_ids_are_an_error_only_when_all_are)
{
    const char *ids[] = {"nobody", "none", "no one", "never", NULL};
    kedge_remove_result r;
    kedge_remove_opts o;
    char id[16];
    OWN(lively_end) lively l;

    lively_fill(&l, 60);
    kedge_remove_opts_init(&o);
    o.ids = ids;
    o.id_count = 1;
    ck_fails(kedge_remove(l.p.t.s, &o, &l.p.c, &r, &l.p.t.err),
             KEDGE_ENOTFOUND, l.p.t.err,
             "the store has no document \"nobody\"");
    ids[4] = lively_id(5, id);
    l.gone[5] = true;
    o.id_count = 5;
    r = lively_take(&l, &o);
    ck_assert_uint_eq(r.documents, 1);
    ck_assert_uint_eq(r.missing, 4);
    ck_assert_str_eq(r.missing_ids[2], "no one");
    o.batch = "b3"; /* and of ids, all unknown by now */
    lively_mark(&l, 3, 4, true);
    r = lively_take(&l, &o);
    ck_assert_uint_eq(r.documents, 6);
    ck_assert_uint_eq(r.missing, 5);
    lively_check(&l);
}

/* An id of its own wins over a name that is made of source and position. */
TEST(documents_without_ids_go_by_their_places)
{
    char path[96], made[2][128];
    const char *const ids[] = {made[0], made[1], made[0]};
    kedge_remove_opts o;
    kedge_remove_result r;
    OWN(lively_end) lively l;
    scene *const t = &l.p.t;
    FILE *f;

    lively_begin(&l, 1);
    f = planted_file(planted_path(&l.p, "docs", path));
    snprintf(made[0], sizeof made[0], "%s:2", path);
    snprintf(made[1], sizeof made[1], "%s:1", path);
    fprintf(f, "{\"text\":{\"w001\":1}}\n{\"text\":{\"w001\":10}}\n"
            "{\"id\":\"%s\",\"text\":{\"w001\":100}}\n", made[0]);
    ck_assert_int_eq(fclose(f), 0);
    ck_ok(planted_ingest(&l.p, path), t->err);
    kedge_remove_opts_init(&o);
    o.ids = ids;
    o.id_count = 1;
    ck_assert_uint_eq(lively_take(&l, &o).documents, 1);
    ck_assert_uint_eq(planted_info(&l.p).tokens, 11); /* the very id went */
    o.id_count = 3;
    r = lively_take(&l, &o);
    ck_assert_uint_eq(r.documents, 2);
    ck_assert_uint_eq(r.missing, 0);
    ck_assert_uint_eq(planted_info(&l.p).tokens, 0);
    ck_assert_int_eq(kedge_remove(t->s, &o, &l.p.c, &r, &t->err),
                     KEDGE_ENOTFOUND);
}

TEST(impossible_removals_are_refused)
{
    kedge_remove_result r;
    kedge_remove_opts o;
    OWN(lively_end) lively l;

    lively_fill(&l, 60);
    kedge_remove_opts_init(&o);
    ck_fails(kedge_remove(l.p.t.s, &o, &l.p.c, &r, &l.p.t.err), KEDGE_EINVAL,
             l.p.t.err, "give the batch or the ids to remove");
    o.batch = "b99";
    ck_fails(kedge_remove(l.p.t.s, &o, &l.p.c, &r, &l.p.t.err),
             KEDGE_ENOTFOUND, l.p.t.err, "no batch \"b99\"");
    o.batch = "b1";
    l.p.c.memory = UINT64_C(20) << 20;
    ck_fails(kedge_remove(l.p.t.s, &o, &l.p.c, &r, &l.p.t.err), KEDGE_EBUDGET,
             l.p.t.err, "removing takes");
    ck_assert_ptr_nonnull(strstr(l.p.t.err.text, "is 20 MiB"));
    lively_check(&l);
}

static int stop_at_once(void *data)
{
    return ++*(int *)data > 0;
}

TEST(an_interrupted_one_goes_on)
{
    kedge_remove_result r;
    kedge_remove_opts o;
    OWN(lively_end) lively l;
    int asked = 0;

    lively_fill(&l, PLANTED_DOCUMENTS);
    kedge_remove_opts_init(&o);
    o.batch = "b2";
    l.p.c.stop = stop_at_once;
    l.p.c.data = &asked;
    ck_fails(kedge_remove(l.p.t.s, &o, &l.p.c, &r, &l.p.t.err),
             KEDGE_ECANCELED, l.p.t.err, "");
    ck_assert_int_gt(asked, 0);
    l.p.c.stop = NULL;
    lively_mark(&l, 2, 3, true);
    lively_take(&l, &o);
    check_whole(&l);
}

TEST(no_memory_is_an_error)
{
    kedge_remove_result r;
    kedge_remove_opts o;
    OWN(lively_end) lively l;

    lively_fill(&l, 60);
    kedge_remove_opts_init(&o);
    o.batch = "b3";
    lively_mark(&l, 3, 4, true);
    scene_starve(kedge_remove(l.p.t.s, &o, &l.p.c, &r, &l.p.t.err),
                 l.p.t.err);
    check_whole(&l);
}
