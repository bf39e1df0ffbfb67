/* SPDX-License-Identifier: MIT */
#include "ops/elsewhere.h"

#include "store/scene.h"

TEST(what_needs_documents_is_refused_where_there_are_parts)
{
    kedge_error err = {0};
    scene t;

    ck_ok(elsewhere_refuse(&(store_totals){0}, "this", &err), err);
    ck_fails(elsewhere_refuse(&(store_totals){.parts = 1}, "this", &err),
             KEDGE_EINVAL, err, "this needs the documents, but those of 1 part "
                                "are elsewhere");
    ck_fails(elsewhere_refuse(&(store_totals){.parts = 2}, "that", &err),
             KEDGE_EINVAL, err, "those of 2 parts are elsewhere");
    scene_make(&t);
    ck_ok(elsewhere_check(t.s, "this", &t.err), t.err);
    scene_write(&t);
    ck_ok(store_put_totals(t.txn, &(store_totals){.parts = 1}, &t.err), t.err);
    ck_ok(store_put_part(t.txn, 0, &(store_part){.name = "one"}, &t.err),
          t.err);
    scene_commit(&t);
    ck_fails(elsewhere_check(t.s, "this", &t.err), KEDGE_EINVAL, t.err,
             "1 part are elsewhere");
    scene_read(&t); /* none was left open */
    scene_end(&t);
}

TEST(indexes_that_lack_parts_are_refused)
{
    const store_totals totals = {.parts = 3};
    kedge_error err = {0};

    ck_ok(elsewhere_check_index(&totals, 4, &(store_index){.parts = 3}, &err),
          err);
    ck_fails(
        elsewhere_check_index(&totals, 4, &(store_index){.parts = 2}, &err),
        KEDGE_EINVAL, err, "index 4 has the sketches of only 2 of the 3 "
                           "parts");
}

TEST(own_documents_are_those_of_no_part)
{
    const store_totals totals = {.documents = 100, .parts = 2};
    uint64_t own;
    scene t;

    scene_make(&t);
    scene_write(&t);
    for (uint64_t i = 0; i < 2; i++)
        ck_ok(store_put_part(t.txn, i, &(store_part){.documents = 20 + i},
                             &t.err),
              t.err);
    ck_ok(elsewhere_own(t.txn, &totals, &own, &t.err), t.err);
    ck_assert_uint_eq(own, 59);
    ck_ok(elsewhere_own(t.txn, &(store_totals){.documents = 9}, &own, &t.err),
          t.err);
    ck_assert_uint_eq(own, 9);
    scene_end(&t);
}
