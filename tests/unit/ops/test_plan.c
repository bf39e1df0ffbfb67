/* SPDX-License-Identifier: MIT */
#include "ops/plan.h"
#include "ops/budget.h"
#include "ops/batch.h"
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

/* The figure counts what larger batches take, whatever the budget allows for. */
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

/* Only beyond what any budget has room for, byte by byte. */
TEST(what_is_large_takes_more)
{
    const ingest_plan p = {.halvings = 1};
    const uint64_t entries = batch_limits_of(1).entries;

    ck_assert_uint_eq(plan_large(&p, PLAN_LINE, entries), 0);
    ck_assert_uint_eq(plan_large(&p, PLAN_LINE + 1000, 0),
                      1000 * READER_LINE_BYTES);
    ck_assert_uint_ge(plan_large(&p, 0, entries + 1000), 1000 * 100);
    ck_assert_uint_gt(plan_large(&p, PLAN_LINE + 1, entries + 1),
                      plan_large(&p, PLAN_LINE + 1, entries));
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
