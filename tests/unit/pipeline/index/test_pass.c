/* SPDX-License-Identifier: MIT */
#include "pipeline/index/pass.h"

#include "base/fail.h"
#include "pipeline/laboratory.h"

typedef struct tally {
    uint64_t windows, documents;
    int64_t sums[N]; /* by rank, of C·1 in the sketch's integers */
    size_t rank[N];  /* by number in the view's words */
    uint64_t told;
} tally;

static kedge_status take(void *data, const window *w, kedge_error *err)
{
    tally *t = data;

    (void)err;
    t->windows++;
    t->documents += w->counted;
    for (size_t i = 0; i < w->words; i++)
        t->sums[t->rank[w->id[i]]] += w->sum[i];
    return KEDGE_OK;
}

static kedge_status refuse(void *data, const window *w, kedge_error *err)
{
    (void)data;
    (void)w;
    return kedge_fail(err, KEDGE_ENUMERIC, "no more");
}

static void watch(void *data, const kedge_progress *now)
{
    tally *t = data;

    ck_assert_str_eq(now->stage, "testing");
    ck_assert_uint_eq(now->done, t->told++);
}

static int stop_at_once(void *data)
{
    (void)data;
    return 1;
}

START_TEST(it_sees_what_the_sketch_saw)
{
    static const char *const counted[] = {"joint", "log", "sqrt"};

    for (size_t i = 0; i < 3; i++) {
        bench b;
        kedge_error err = {0};
        tally t = {0};
        bench_begin_with(&b, 1, 64, counted[i], false);
        for (size_t r = 0; r < N; r++)
            t.rank[b.order[r]] = r;
        b.p.c.data = &t;
        b.p.c.progress = watch;
        const pass_input in = bench_pass(&b);
        ck_ok(pass_run(&in, take, &t, &err), err);
        ck_assert_uint_eq(t.windows, b.view.blocks);
        ck_assert_uint_eq(t.told, b.view.blocks + 1);
        ck_assert_uint_eq(t.documents, b.view.documents);
        for (size_t r = 0; r < N; r++)
            ck_assert_double_eq(b.z.scale * (double)t.sums[r], b.z.sums[r]);
        bench_end(&b);
    }
}
END_TEST

START_TEST(what_fails_is_told)
{
    bench b;
    kedge_error err = {0};
    tally t = {0};

    bench_begin(&b, 1, 64);
    const pass_input in = bench_pass(&b);
    ck_fails(pass_run(&in, refuse, NULL, &err), KEDGE_ENUMERIC, err,
             "no more");
    scene_starve(pass_run(&in, take, &t, &err), err);
    b.p.c.stop = stop_at_once;
    ck_assert_int_eq(pass_run(&in, take, &t, &err), KEDGE_ECANCELED);
    bench_end(&b);
}
END_TEST

UNIT_SUITE("pass",
    it_sees_what_the_sketch_saw,
    what_fails_is_told)
