/* SPDX-License-Identifier: MIT */
#include "pipeline/shares/showing.h"

#include "report/shown.h"

static void check_document(const keeper *k, const kedge_model *m, size_t i,
                           const showing_document *d)
{
    uint64_t tokens = 0;
    size_t count = 0;

    ck_assert_uint_eq(d->id_size, strlen(k->d[i].id));
    ck_assert_mem_eq(d->id, k->d[i].id, d->id_size);
    for (size_t row = 0; row < m->words; row++) {
        const uint32_t tally = shown_tally(k, m, i, row);
        if (tally == 0)
            continue;
        ck_assert_uint_lt(count, d->count);
        ck_assert_uint_eq(d->row[count], row);
        ck_assert_uint_eq(d->tally[count++], tally);
        tokens += tally;
    }
    ck_assert_uint_eq(d->count, count);
    ck_assert_uint_eq(d->tokens, tokens);
}

/* All documents of the table that are there. */
static void check_all(keeper *k, const kedge_model *m, bool composed)
{
    scene *const t = &k->l.p.t;
    const showing_document *d;
    showing w;

    ck_ok(showing_open(&w, &(showing_input){.s = t->s, .m = m,
                                            .stage = "test",
                                            .composed = composed}, &t->err),
          t->err);
    for (size_t i = 0; i < k->count; i++) {
        if (keeper_is_gone(k, k->d[i].id))
            continue;
        ck_ok(showing_next(&w, &d, &t->err), t->err);
        ck_assert_ptr_nonnull(d);
        check_document(k, m, i, d);
        ck_assert((d->shares != NULL) == composed);
        if (composed)
            ck_assert_mem_eq(d->shares, k->d[i].shares,
                             sizeof k->d[i].shares);
    }
    ck_ok(showing_next(&w, &d, &t->err), t->err);
    ck_assert_ptr_null(d);
    showing_close(&w);
}

START_TEST(documents_come_as_they_are_stored)
{
    static keeper k;
    kedge_model *m;

    keeper_begin(&k, 300, LIVELY_SHARDS, false);
    lively_remove(&k.l, 3, 20, false);
    keeper_keep(&k);
    m = shown_model(&k);
    check_all(&k, m, false);
    check_all(&k, m, true);
    lively_remove(&k.l, 1, 10, false);
    check_all(&k, m, false);
    kedge_model_free(m);
    keeper_end(&k);
}
END_TEST

START_TEST(compositions_are_of_all_documents)
{
    static keeper k;
    scene *const t = &k.l.p.t;
    kedge_model *m;
    showing w;

    keeper_begin(&k, 200, 5, false);
    m = shown_model(&k);
    ck_fails(showing_check(t->s, m, &t->err), KEDGE_ENOTFOUND, t->err,
             "'kedge infer STORE --keep --model k4'");
    keeper_keep(&k);
    ck_ok(showing_check(t->s, m, &t->err), t->err);
    keeper_add(&k); /* later ones */
    ck_fails(showing_check(t->s, m, &t->err), KEDGE_EINVAL, t->err,
             "'kedge infer STORE --keep --model k4'");
    ck_assert_int_eq(showing_open(&w, &(showing_input){.s = t->s, .m = m,
                                                       .composed = true},
                                  &t->err), KEDGE_EINVAL);
    showing_close(&w);
    keeper_keep(&k);
    check_all(&k, m, true);
    keeper_fit(&k); /* another model of the name */
    keeper_keep(&k);
    ck_fails(showing_check(t->s, m, &t->err), KEDGE_EINVAL, t->err,
             "makes them anew");
    kedge_model_free(m);
    keeper_end(&k);
}
END_TEST

static int stop_now(void *data)
{
    (void)data;
    return 1;
}

static kedge_status walk(keeper *k, const kedge_model *m,
                         const kedge_control *control)
{
    scene *const t = &k->l.p.t;
    const showing_document *d = NULL;
    kedge_status st;
    showing w;

    st = showing_open(&w, &(showing_input){.s = t->s, .m = m,
                                           .control = control,
                                           .composed = true}, &t->err);
    do {
        if (st == KEDGE_OK)
            st = showing_next(&w, &d, &t->err);
    } while (st == KEDGE_OK && d != NULL);
    showing_close(&w);
    return st;
}

START_TEST(it_can_be_stopped_and_runs_out_of_memory)
{
    static keeper k;
    kedge_control c;
    kedge_model *m;

    keeper_begin(&k, 100, LIVELY_SHARDS, false);
    keeper_keep(&k);
    m = shown_model(&k);
    kedge_control_init(&c);
    c.memory = 1;
    ck_fails(walk(&k, m, &c), KEDGE_EBUDGET, k.l.p.t.err,
             "exporting documents");
    kedge_control_init(&c);
    c.stop = stop_now;
    ck_assert_int_eq(walk(&k, m, &c), KEDGE_ECANCELED);
    scene_starve(walk(&k, m, NULL), k.l.p.t.err);
    kedge_model_free(m);
    keeper_end(&k);
}
END_TEST

UNIT_SUITE("showing",
    documents_come_as_they_are_stored,
    compositions_are_of_all_documents,
    it_can_be_stopped_and_runs_out_of_memory)
