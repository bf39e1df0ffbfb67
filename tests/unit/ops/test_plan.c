/* SPDX-License-Identifier: MIT */
#include "ops/plan.h"
#include "ops/budget.h"
#include "ops/batch.h"
#include "cooccur/spectrum.h"
#include "unit.h"

static uint64_t walk_total(const walk_shape *shape)
{
    const kedge_control plenty = budget_of(2, UINT64_MAX / 4);
    kedge_error err = {0};
    uint64_t total, again;

    ck_ok(plan_walk(shape, &plenty, &total, &err), err);
    const kedge_control enough = budget_of(2, total);
    const kedge_control less = budget_of(2, total - 1);
    ck_ok(plan_walk(shape, &enough, &again, &err), err);
    ck_assert_uint_eq(again, total);
    ck_fails(plan_walk(shape, &less, &again, &err), KEDGE_EBUDGET, err,
             "walking takes");
    ck_assert_uint_eq(again, total);
    return total;
}

/* As many as their pages allow, or all of them where the tree is small. */
TEST(batches_without_a_sketch_take_more_documents)
{
    const ingest_plan p = {.documents = 100000, .id_pages = 10000};
    kedge_error err = {0};
    uint64_t before = 0;
    ingest_plan plan;

    ck_assert_uint_eq(plan_documents(&p, 0), 100000);
    ck_assert_uint_eq(plan_documents(&p, 150000), 100000);
    ck_assert_uint_eq(plan_documents(&p, 200000), 50000);
    ck_assert_uint_eq(plan_documents(&p, 239999), 10001);
    ck_assert_uint_eq(plan_documents(&p, UINT64_MAX), 10000);
    for (uint64_t memory = 224; memory < 8192; memory += memory / 4) {
        const kedge_control c = budget_of(2, MIB(memory));
        plan = (ingest_plan){0};
        ck_ok(plan_storing(5000, 45000, &c, &plan, &err), err);
        ck_assert_uint_ge(plan.documents,
                          batch_limits_of(plan.halvings).documents);
        ck_assert_uint_ge(plan.id_pages,
                          batch_limits_of(plan.halvings).documents);
        ck_assert_uint_le(plan.most + plan_large(&plan, plan.room.line,
                                                 plan.room.entries),
                          c.memory);
        before = plan.documents;
    }
    ck_assert_uint_eq(before, 8 * WINDOW_DOCUMENTS);
}

/* The figure counts what larger batches take, whatever the budget allows. */
TEST(larger_batches_are_in_the_figure)
{
    const kedge_control little = budget_of(2, MIB(1024));
    const kedge_control much = budget_of(2, MIB(2048));
    ingest_plan small = {0}, large = {0};
    kedge_error err = {0};

    ck_ok(plan_storing(5000, 45000, &little, &small, &err), err);
    ck_ok(plan_storing(5000, 45000, &much, &large, &err), err);
    ck_assert_uint_eq(small.halvings, large.halvings);
    ck_assert_uint_gt(large.documents, small.documents);
    ck_assert_uint_gt(large.id_pages, small.id_pages);
    ck_assert_uint_eq(large.total, small.total);
    ck_assert_uint_ge(large.most - small.most,
                      (large.documents - small.documents) * 1000 +
                          (large.id_pages - small.id_pages) * 4096);
}

/* Each word takes its text twice, and what goes with it, until the budget is
 * reached. */
TEST(words_that_texts_bring_are_counted)
{
    const kedge_control c = budget_of(2, MIB(1024));
    kedge_error err = {0};
    uint64_t before = 0, n;
    ingest_plan plan, grown = {0};
    unsigned halvings = 0;

    for (n = 0; plan_storing(n, 9 * n, &c, &grown, &err) == KEDGE_OK;
         n += 50000) {
        plan = (ingest_plan){0};
        ck_ok(plan_storing(n, 9 * n, &c, &plan, &err), err);
        ck_assert_uint_eq(plan.total, grown.total);
        ck_assert_uint_eq(plan.halvings, grown.halvings);
        ck_assert_uint_le(grown.total, c.memory);
        if (n > 0 && grown.halvings == halvings)
            ck_assert_uint_ge(grown.total - before,
                              50000 * (2 * 9 + 2 * 8 + 4 * 8));
        before = grown.total;
        halvings = grown.halvings;
    }
    ck_assert_uint_gt(n, 1000000);
    ck_assert_uint_lt(n, 20000000);
    ck_assert_uint_eq(halvings, BATCH_HALVINGS); /* before it is refused */
    ck_assert_uint_gt(grown.total, MIB(1024));
    ck_assert_ptr_nonnull(strstr(err.text, "is 1.00 GiB"));
    ck_assert_ptr_nonnull(strstr(err.text, "is committed"));
}

TEST(outside_documents_go_as_far_as_memory_does)
{
    kedge_control c;
    kedge_error err = {0};
    walk_shape s = {.what = "looking", .threads = 2, .vocabulary = 50000,
                    .word_bytes = 400000, .blocks = 2, .more = MIB(30)};
    reader_room room, wider;
    uint64_t total, more;

    kedge_control_init(&c);
    ck_ok(plan_outside(&s, &c, &wider, &more, &err), err);
    c.memory = more - MIB(20);
    ck_ok(plan_outside(&s, &c, &room, &total, &err), err);
    ck_assert_uint_lt(room.window_log, wider.window_log);
    ck_assert_uint_lt(room.line, wider.line);
    ck_assert_uint_lt(room.entries, wider.entries);
    ck_assert_uint_eq(room.piece, 0);
    ck_assert_uint_le(total, c.memory);
    s.more += MIB(1);
    c.memory = MIB(4096);
    ck_ok(plan_outside(&s, &c, &room, &total, &err), err);
    ck_assert_uint_eq(total, more + MIB(1));
    c.memory = MIB(64);
    ck_fails(plan_outside(&s, &c, &room, &total, &err), KEDGE_EBUDGET, err,
             "looking takes");
}

TEST(sizes_read_well)
{
    char text[16];

    ck_assert_str_eq(plan_size(0, text), "0 MiB");
    ck_assert_str_eq(plan_size(MIB(1023), text), "1023 MiB");
    ck_assert_str_eq(plan_size(MIB(1024), text), "1.00 GiB");
    ck_assert_str_eq(plan_size(MIB(1536), text), "1.50 GiB");
}

/* What it may take is what it is given, to the byte. */
TEST(a_walk_takes_what_it_holds)
{
    walk_shape s = {.what = "walking", .threads = 1};
    const uint64_t base = walk_total(&s);

    s.more = 12345;
    s.threads = 4;
    ck_assert_uint_eq(walk_total(&s), base + 12345 + 3 * MEMORY_BLAS_THREAD);
    s.read = 1000; /* of the store, and nothing is written */
    ck_assert_uint_lt(walk_total(&s), base - MEMORY_MAP / 2);
}

/* ---- sketches ------------------------------------------------------------ */

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

TEST(a_larger_sketch_takes_more)
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
