/* SPDX-License-Identifier: MIT */
#include "rectify/rounds.h"

#include "base/fail.h"
#include "unit.h"

typedef struct stepper {
    size_t made, fails_at, stop_at;
    kedge_progress first, last;
    size_t told, fallen;
} stepper;

/* Each round changes half of what the one before did, and tells of its half. */
static kedge_status step(void *data, const rounds *at, rectify_result *out,
                         kedge_error *err)
{
    stepper *s = data;
    const kedge_status st = rounds_within(at, 0.5, err);

    ck_assert_uint_eq(out->rounds, s->made++);
    if (s->made == s->fails_at)
        return kedge_fail(err, KEDGE_ENUMERIC, "it fails");
    out->change = 1.0 / (double)(1 << s->made);
    return st;
}

static void watch(void *data, const kedge_progress *now)
{
    stepper *s = data;

    ck_assert_str_eq(now->stage, "rectify");
    if (s->told++ == 0)
        s->first = *now;
    s->fallen += now->done < s->last.done;
    s->last = *now;
}

static int stop(void *data)
{
    const stepper *s = data;

    return s->stop_at > 0 && s->made == s->stop_at;
}

START_TEST(they_end_when_little_changes)
{
    static const struct {
        size_t rounds;
        double tolerance;
        size_t made;
    } cases[] = {{10, 0, 10}, {10, 0.125, 3}, {2, 0.125, 2}, {0, 1, 0}};

    for (size_t i = 0; i < 4; i++) {
        stepper s = {0};
        const kedge_control control = {.data = &s, .progress = watch};
        const rectify_opts o = {cases[i].rounds, cases[i].tolerance, 0, NULL};
        rectify_result out = {.rounds = 7};
        kedge_error err = {0};
        ck_ok(rounds_run(step, &s, &o, &control, &out, &err), err);
        ck_assert_uint_eq(out.rounds, cases[i].made);
        ck_assert_uint_eq(s.told, 2 * cases[i].made + 2);
        ck_assert_uint_eq(s.fallen, 0);
        ck_assert_uint_eq(s.first.done, 0);
        ck_assert_uint_eq(s.first.total, 100 * cases[i].rounds);
        ck_assert_uint_eq(s.last.done, 100 * cases[i].made);
        ck_assert_uint_eq(s.last.total, s.last.done);
    }
}
END_TEST

START_TEST(they_can_be_stopped_and_fail)
{
    stepper s = {.stop_at = 4};
    const kedge_control control = {.data = &s, .stop = stop};
    const rectify_opts o = {9, 0, 0, NULL};
    rectify_result out;
    kedge_error err = {0};

    ck_assert_int_eq(rounds_run(step, &s, &o, &control, &out, &err),
                     KEDGE_ECANCELED);
    ck_assert_uint_eq(out.rounds, 4);
    s = (stepper){.fails_at = 2};
    ck_fails(rounds_run(step, &s, &o, &control, &out, &err), KEDGE_ENUMERIC,
             err, "it fails");
    ck_assert_uint_eq(out.rounds, 1);
}
END_TEST

UNIT_SUITE("rounds",
    they_end_when_little_changes,
    they_can_be_stopped_and_fail)
