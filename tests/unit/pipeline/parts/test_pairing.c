/* SPDX-License-Identifier: MIT */
#include "pipeline/parts/pairing.h"

#include "store/scene.h"

static const store_view all = {.statistic = 1,
                               .width = 64,
                               .seed = 1,
                               .weight_bits = 32,
                               .value_bits = 5,
                               .min_tokens = 5,
                               .words = 10};
static const store_view list = {.statistic = 1,
                                .width = 32,
                                .seed = 1,
                                .weight_bits = 32,
                                .value_bits = 5,
                                .min_tokens = 5,
                                .words = 4,
                                .listed = true,
                                .rule = "of a list (0badcafe)"};

/* A store of their words. */
static void begin(scene *t)
{
    static const uint32_t ids[] = {1, 3, 5, 7};

    scene_make(t);
    scene_write(t);
    ck_ok(store_put_totals(
              t->txn, &(store_totals){.words = 10, .blocks = 3, .parts = 1},
              &t->err),
          t->err);
    ck_ok(store_put_list(t->txn, 2, ids, 4, &t->err), t->err);
}

/* A part with these two views. */
typedef struct part {
    partfile_view view[2];
    partfile_facts facts;
} part;

static void part_make(part *p)
{
    *p = (part){.view = {{0, all}, {7, list}}};
    p->facts = (partfile_facts){.views = 2, .view = p->view};
}

static kedge_status make(scene *t, pairing *out, const part *p,
                         const store_totals *totals)
{
    kedge_control c;

    kedge_control_init(&c);
    return pairing_make(out, t->txn, totals, &p->facts, &c, &t->err);
}

START_TEST(an_empty_store_takes_all_over)
{
    pairing out;
    part p;
    scene t;

    scene_make(&t);
    scene_write(&t);
    part_make(&p);
    ck_ok(make(&t, &out, &p, &(store_totals){0}), t.err);
    ck_assert_uint_eq(out.count, 2);
    for (size_t i = 0; i < 2; i++) {
        const pair *const q = pairing_find(&out, i);
        ck_assert(!q->exists && q->number == 7 * i && q->view.words == 0);
        ck_assert_uint_eq(q->fresh_rows, 14 * i);
        ck_assert_uint_eq(q->view.width, i == 0 ? 64 : 32);
    }
    ck_assert_ptr_null(pairing_find(&out, 2));
    pairing_free(&out);
    scene_end(&t);
}
END_TEST

START_TEST(the_same_kinds_meet_whatever_their_numbers)
{
    const store_totals totals = {.blocks = 3, .parts = 1};
    store_view ours = list;
    pairing out;
    part p;
    scene t;

    begin(&t);
    part_make(&p);
    ours.rows = 5;
    ours.parts = 1;
    ck_ok(store_put_view(t.txn, 2, &ours, &t.err), t.err);
    ck_ok(make(&t, &out, &p, &totals), t.err);
    ck_assert_uint_eq(out.count, 1);
    ck_assert_ptr_null(pairing_find(&out, 0)); /* nobody has all words */
    ck_assert(out.pair[0].exists && out.pair[0].theirs == 1 &&
              out.pair[0].number == 2 && out.pair[0].fresh_rows == 4);
    pairing_free(&out);
    ours.parts = 0; /* it lacks one already */
    ck_ok(store_put_view(t.txn, 2, &ours, &t.err), t.err);
    ck_fails(make(&t, &out, &p, &totals), KEDGE_EINVAL, t.err,
             "no sketch of the same words");
    scene_end(&t);
}
END_TEST

START_TEST(what_differs_is_told_with_both_values)
{
    static const char *const says[] = {
        "width (--sketch) 64, that of view 0 of the store has 65",
        "seed 1, that of view 0 of the store has 2",
        "--min-tokens 5, that of view 0 of the store has 6",
    };
    const store_totals totals = {.blocks = 3};
    pairing out;
    part p;
    scene t;

    begin(&t);
    part_make(&p);
    for (int kind = 0; kind < 3; kind++) {
        store_view ours = all;
        ours.width += kind == 0;
        ours.seed += kind == 1;
        ours.min_tokens += kind == 2;
        ck_ok(store_put_view(t.txn, 0, &ours, &t.err), t.err);
        ck_fails(make(&t, &out, &p, &totals), KEDGE_EINVAL, t.err,
                 says[kind]);
        ck_assert_uint_eq(out.count, 0);
    }
    scene_end(&t);
}
END_TEST

START_TEST(what_nothing_could_be_added_to_is_refused)
{
    const store_totals totals = {.blocks = 3};
    store_view ours = all;
    pairing out;
    part p;
    scene t;

    begin(&t);
    part_make(&p);
    ck_fails(make(&t, &out, &p, &totals), KEDGE_EINVAL, t.err,
             "as view 0 of the part (log, words all)");
    ours.statistic = 2;
    ck_ok(store_put_view(t.txn, 0, &ours, &t.err), t.err);
    ck_fails(make(&t, &out, &p, &totals), KEDGE_EINVAL, t.err,
             "no sketch of the same words, by the same statistic");
    p.facts.views = 0;
    ck_fails(make(&t, &out, &p, &totals), KEDGE_EINVAL, t.err,
             "it has counts alone");
    ck_ok(store_drop_view(t.txn, 0, &t.err), t.err);
    ck_ok(make(&t, &out, &p, &totals), t.err);
    pairing_free(&out);
    scene_end(&t);
}
END_TEST

UNIT_SUITE("pairing",
    an_empty_store_takes_all_over,
    the_same_kinds_meet_whatever_their_numbers,
    what_differs_is_told_with_both_values,
    what_nothing_could_be_added_to_is_refused)
