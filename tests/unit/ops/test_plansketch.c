/* SPDX-License-Identifier: MIT */
#include "ops/plan.h"
#include "ops/budget.h"
#include "ops/batch.h"
#include "cooccur/spectrum.h"
#include "unit.h"

/* Of so many words of so many bytes each. */
static sketch_shape of_words(uint64_t n, uint64_t bytes)
{
    return (sketch_shape){.vocabulary = n, .word_bytes = bytes * n};
}

static uint64_t ingest_total(const sketch_shape *shape, unsigned threads,
                             bool no_sketch)
{
    const kedge_control c = budget_of(threads, UINT64_MAX / 4);
    kedge_error err = {0};
    ingest_plan plan;

    ck_ok(plan_ingest(shape, no_sketch, &c, &plan, &err), err);
    ck_assert_uint_eq(plan.width, shape->width);
    ck_assert(!plan.spilled);
    ck_assert_uint_gt(plan.total, MEMORY_PROGRAM);
    return plan.total;
}

static const sketch_shape shapes[] = {
    {.width = 500, .vocabulary = 7000, .word_bytes = 60000},
    {.width = 1000, .vocabulary = 100000, .word_bytes = 900000},
    {.width = 2000, .vocabulary = 1000000, .word_bytes = 9000000},
    {.width = 500, .vocabulary = 27000, .word_bytes = 60000},
};

TEST(more_takes_more)
{
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        for (int which = 0; which < 5; which++)
            for (int only = 0; only < 2; only++) {
                sketch_shape s = shapes[i];
                unsigned threads = 2;
                uint64_t *const number[] = {&s.width, &s.vocabulary,
                                            &s.word_bytes};
                if (which < 3)
                    *number[which] += *number[which] / 2 + 1;
                else if (which == 3)
                    s.damped = true;
                else
                    threads += 3;
                ck_assert_uint_ge(ingest_total(&s, threads, only != 0),
                                  ingest_total(&shapes[i], 2, only != 0));
                /* but for a small one: documents that are only stored may
                 * bring words and ids */
                if (i > 0)
                    ck_assert_uint_lt(ingest_total(&s, threads, true),
                                      ingest_total(&s, threads, false));
            }
}

/* In memory, then on the disk, then not at all: of the same width. */
TEST(the_width_is_the_same_in_any_budget)
{
    for (uint64_t n = 100; n < 3000000; n *= 5) {
        const sketch_shape all = of_words(n, 9);
        bool spilled = false, refused = false;
        for (uint64_t memory = MIB(32768); memory > MIB(64);
             memory -= memory / 20) {
            const kedge_control c = budget_of(2, memory);
            kedge_error err = {0};
            ingest_plan plan;
            if (plan_ingest(&all, false, &c, &plan, &err) != KEDGE_OK) {
                ck_assert_int_eq(err.status, KEDGE_EBUDGET);
                refused = true;
                continue;
            }
            ck_assert(!refused && (!spilled || plan.spilled));
            ck_assert_uint_eq(plan.width, plan_width(n));
            ck_assert_uint_le(plan.total, memory);
            spilled = plan.spilled;
        }
        ck_assert(refused);
        ck_assert_int_eq(spilled, n > 4096); /* more than a slab of words */
    }
}

TEST(few_words_have_a_sketch_wide_enough_for_all)
{
    static const uint64_t words_count[] = {0,     4,     5,     17,
                                           249,   250,   2001,  3000,
                                           4000,  25000, 40000, 200000};
    static const uint64_t width[] = {16,   16,   20,   68,   996,  1000,
                                     1000, 1500, 2000, 2000, 1250, 1000};
    const kedge_control c = budget_of(2, MIB(8192));

    for (size_t i = 0; i < sizeof width / sizeof *width; i++)
        for (int no_sketch = 0; no_sketch < 2; no_sketch++) {
            kedge_error err = {0};
            ingest_plan plan;
            const sketch_shape all = of_words(words_count[i], 10);
            ck_ok(plan_ingest(&all, no_sketch != 0, &c, &plan, &err), err);
            ck_assert_uint_eq(plan.width, width[i]);
        }
    for (uint64_t n = 1; n <= 2000; n++) {
        const uint64_t most = n < 250 ? n : 250; /* topics */
        kedge_error err = {0};
        ingest_plan plan;
        const sketch_shape all = of_words(n, 10);
        ck_ok(plan_ingest(&all, false, &c, &plan, &err), err);
        ck_assert_uint_ge(spectrum_limit(plan.width), most);
    }
}

/* 50,000 words of 9 bytes, with a sketch of the usual width. What is refused is
 * not refused any more with what the refusal says. */
TEST(small_budgets_take_smaller_batches)
{
    const sketch_shape all = of_words(50000, 9);

    for (int only = 0; only < 2; only++) {
        const bool no_sketch = only != 0;
        kedge_control c = budget_of(2, MIB(8192));
        ingest_plan plan;
        kedge_error err = {0};
        unsigned halvings = 0;
        for (; c.memory >= MIB(224); c.memory -= MIB(8)) {
            ck_ok(plan_ingest(&all, no_sketch, &c, &plan, &err), err);
            ck_assert_uint_le(plan.total, c.memory);
            ck_assert_uint_ge(plan.room.line, PLAN_LINE);
            ck_assert_uint_ge(plan.room.entries,
                              batch_limits_of(plan.halvings).entries);
            ck_assert(c.memory < MIB(4096) ||
                      (plan.halvings == 0 && plan.room.window_log == 27));
            halvings = plan.halvings;
        }
        ck_assert_uint_gt(halvings, 0);
        c.memory = MIB(50);
        ck_fails(plan_ingest(&all, no_sketch, &c, &plan, &err),
                 KEDGE_EBUDGET, err, "is 50 MiB");
        ck_assert_ptr_nonnull(strstr(err.text, "ingesting "));
        c.memory = plan.total;
        ck_ok(plan_ingest(&all, no_sketch, &c, &plan, &err), err);
        ck_assert_uint_eq(plan.halvings, BATCH_HALVINGS);
        ck_assert_uint_eq(plan.room.window_log, 23);
        c.memory--;
        ck_fails(plan_ingest(&all, no_sketch, &c, &plan, &err),
                 KEDGE_EBUDGET, err, "takes");
    }
}

/* Words of the store that are none of the view's: a place, and no number. */
TEST(words_that_are_left_out_count)
{
    const uint64_t n = 5000000;
    const kedge_control plenty = budget_of(2, MIB(8192));
    const kedge_control little = budget_of(2, MIB(512));
    sketch_shape all = of_words(7000, 9);
    ingest_plan before, after;
    kedge_error err = {0};
    uint64_t total;

    ck_ok(plan_sketch(&all, &plenty, &before, &err), err);
    all.all = 7000 + n;
    ck_ok(plan_sketch(&all, &plenty, &after, &err), err);
    ck_assert_uint_eq(after.total, before.total + 16 * n);
    ck_ok(plan_choosing(n, 9 * n, MIB(200), &little, &total, &err), err);
    ck_assert_uint_gt(total, 17 * n + MIB(200));
    ck_fails(plan_choosing(n, 9 * n, MIB(400), &little, &total, &err),
             KEDGE_EBUDGET, err, "choosing words takes");
}
