/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include <stdio.h>

#include "base/mem.h"
#include "base/run.h"

TEST(defaults_are_sensible)
{
    kedge_control c;

    memset(&c, 0xff, sizeof c);
    kedge_control_init(&c);
    ck_assert_uint_ge(c.threads, 1);
    ck_assert_uint_le(c.threads, 256);
    ck_assert_uint_eq(c.memory, UINT64_C(2) << 30);
    ck_assert_ptr_null(c.data);
    ck_assert(c.progress == NULL && c.log == NULL && c.stop == NULL);
}

TEST(callbacks_may_be_absent)
{
    const kedge_control c = {.threads = 1};

    run_log(&c, "%d", 1);
    run_progress(&c, &(kedge_progress){.stage = "reading"});
    ck_assert_int_eq(run_check(&c, NULL), KEDGE_OK);
}

typedef struct listener {
    char line[1024];
    kedge_progress last;
    int stop;
} listener;

static void on_log(void *data, const char *line)
{
    listener *l = data;

    snprintf(l->line, sizeof l->line, "%s", line);
}

static void on_progress(void *data, const kedge_progress *now)
{
    ((listener *)data)->last = *now;
}

static int on_stop(void *data)
{
    return ((listener *)data)->stop;
}

TEST(callbacks_get_what_there_is)
{
    listener l = {0};
    const kedge_control c = {.data = &l, .progress = on_progress,
                             .log = on_log, .stop = on_stop};
    char text[800];
    kedge_error err = {0};

    run_log(&c, "%s %d", "word", 5);
    ck_assert_str_eq(l.line, "word 5");
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    run_log(&c, "%s", text);
    ck_assert_uint_eq(strlen(l.line), 511);
    run_progress(&c, &(kedge_progress){.done = 3, .total = 4});
    ck_assert_uint_eq(l.last.done, 3);
    ck_assert_uint_eq(l.last.total, 4);
    ck_assert_int_eq(run_check(&c, &err), KEDGE_OK);
    l.stop = 1;
    ck_fails(run_check(&c, &err), KEDGE_ECANCELED, err, "stopped");
}

TEST(a_stage_is_told_of_and_stopped)
{
    listener l = {.last.done = 7};
    const kedge_control c = {.data = &l, .progress = on_progress,
                             .stop = on_stop};
    kedge_error err = {0};
    const stage s = stage_begin(&c, "reading", 9, "rows");

    ck_assert_str_eq(l.last.stage, "reading");
    ck_assert_str_eq(l.last.unit, "rows");
    ck_assert_uint_eq(l.last.done, 0);
    ck_assert_uint_eq(l.last.total, 9);
    ck_ok(stage_reach(&s, 5, &err), err);
    ck_assert_uint_eq(l.last.done, 5);
    ck_assert_double_ge(l.last.seconds, 0);
    l.stop = 1;
    ck_fails(stage_reach(&s, 6, &err), KEDGE_ECANCELED, err, "stopped");
    ck_assert_uint_eq(l.last.done, 6);
}

TEST(nobody_need_hear_of_a_stage)
{
    const stage s = stage_begin(NULL, "reading", 9, "rows");

    ck_assert_int_eq(stage_reach(&s, 9, NULL), KEDGE_OK);
}

TEST(the_clock_never_goes_back)
{
    double before = clock_seconds();

    for (int i = 0; i < 10000; i++) {
        const double now = clock_seconds();
        if (now < before)
            ck_abort_msg("%g after %g", now, before);
        before = now;
    }
    ck_assert_double_gt(before, 0);
}

TEST(the_peak_holds_what_was_used)
{
    const size_t bytes = (size_t)48 << 20;
    const uint64_t before = memory_peak();
    char *some = mem_new(bytes, 1); /* cleared, hence touched */

    ck_assert_uint_gt(before, 0);
    ck_assert_uint_ge(memory_peak(), bytes);
    mem_free(some);
    ck_assert_uint_ge(memory_peak(), before);
}
