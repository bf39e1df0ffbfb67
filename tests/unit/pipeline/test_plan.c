/* SPDX-License-Identifier: MIT */
#include "pipeline/slot.h"
#include "pipeline/plan.h"
#include "pipeline/views/views.h"
#include "sketch/spectrum.h"
#include "unit.h"

#define MIB(n) ((uint64_t)(n) << 20)

typedef struct ask {
    fit_shape shape;
    unsigned threads;
} ask;

static kedge_control control_of(unsigned threads, uint64_t memory)
{
    kedge_control c;

    kedge_control_init(&c);
    c.threads = threads;
    c.memory = memory;
    return c;
}

/* Of so many words of so many bytes each. */
static plan_shape of_words(uint64_t n, uint64_t bytes)
{
    return (plan_shape){.vocabulary = n, .word_bytes = bytes * n};
}

static uint64_t ingest_total(const ask *a, bool no_sketch)
{
    const kedge_control c = control_of(a->threads, UINT64_MAX / 4);
    kedge_error err = {0};
    ingest_plan plan;
    const plan_shape shape = {.width = a->shape.width,
                              .vocabulary = a->shape.vocabulary,
                              .word_bytes = a->shape.word_bytes,
                              .damped = a->shape.damped};

    ck_ok(plan_ingest(&shape, no_sketch, &c, &plan, &err), err);
    ck_assert_uint_eq(plan.width, a->shape.width);
    ck_assert(!plan.spilled);
    ck_assert_uint_gt(plan.total, PLAN_BASE + plan.sketch);
    return plan.total;
}

/* What fitting takes at least: the least budget that is not refused. */
static uint64_t fit_least(const ask *a)
{
    uint64_t low = 0, high = UINT64_C(1) << 50;

    while (low + 1 < high) {
        const uint64_t middle = low + (high - low) / 2;
        const kedge_control c = control_of(a->threads, middle);
        kedge_error err = {0};
        fit_plan plan;
        if (plan_fit(&a->shape, &c, &plan, &err) == KEDGE_OK)
            high = middle;
        else
            low = middle;
    }
    return high;
}

/* Each argument in turn is raised. */
static ask raised(ask a, int which)
{
    fit_shape *const s = &a.shape;
    uint64_t *const number[] = {&s->width, &s->vocabulary, &s->word_bytes,
                                &s->topics, &s->passes,
                                &s->like_words, &s->like_topics};

    if (which < 7)
        *number[which] += *number[which] / 2 + 1;
    else if (which == 7)
        s->damped = true;
    else if (which == 8)
        s->weighted = true;
    else if (which == 9)
        s->polish++;
    else if (which == 10)
        s->joined = true;
    else if (which == 11)
        s->ncut = true;
    else if (which == 12)
        s->cooccurrence = KEDGE_COOCCURRENCE_DENSE;
    else if (which == 13)
        s->rectify = KEDGE_RECTIFY_DR;
    else if (which == 14)
        s->ways += (uint64_t)1 << 40;
    else if (which == 15)
        s->pairs = 2 * s->pairs + 1;
    else if (which == 16)
        s->all += s->vocabulary + 1;
    else if (which == 17)
        s->choosing = 2 * s->choosing + ((uint64_t)1 << 40);
    else
        a.threads += 3;
    return a;
}

static const ask asks[] = {
    {{500, 7000, 60000, 40, 0, 0, 0, false, false, 0, false, false,
      KEDGE_COOCCURRENCE_SKETCH, 0, 0, 0, 7000, 70000, 0, 0, 0}, 1},
    {{1000, 100000, 900000, 100, 2, 90000, 400, false, false, 0, true, false,
      KEDGE_COOCCURRENCE_SKETCH, 0, 0, 0, 0, 0, 3, 1, 0}, 4},
    {{1000, 100000, 900000, 100, 2, 90000, 400, false, false, 3, false, true,
      KEDGE_COOCCURRENCE_SKETCH, 0, 0, 0, 10000000, 800000000, 0, 0, 0}, 4},
    {{2000, 1000000, 9000000, 300, 1, 5, 2, false, false, 0, false, false,
      KEDGE_COOCCURRENCE_DENSE, 0, 7, 0, 9000000, 0, 0, 0, 0}, 16},
    {{500, 27000, 60000, 40, 0, 0, 0, false, false, 0, false, true,
      KEDGE_COOCCURRENCE_DENSE, 0, 0, 0, 0, 0, 0, 0, 0}, 1},
    {{500, 27000, 60000, 40, 0, 0, 0, false, false, 0, false, false,
      KEDGE_COOCCURRENCE_SPARSE, 0, 0, 40000000, 30000, 0, 0, 0, 0}, 2},
};

START_TEST(more_takes_more)
{
    for (size_t i = 0; i < sizeof asks / sizeof *asks; i++)
        for (int which = 0; which < 19; which++) {
            const ask more = raised(asks[i], which);
            ck_assert_uint_ge(ingest_total(&more, false),
                              ingest_total(&asks[i], false));
            ck_assert_uint_ge(ingest_total(&more, true),
                              ingest_total(&asks[i], true));
            ck_assert_msg(fit_least(&more) >= fit_least(&asks[i]),
                          "fit %zu, argument %d", i, which);
        }
}
END_TEST

/* But for a small one: documents that are only stored may bring words and ids,
 * and their room is planned. */
START_TEST(without_a_sketch_it_takes_less)
{
    for (size_t i = 1; i < sizeof asks / sizeof *asks; i++)
        ck_assert_uint_lt(ingest_total(&asks[i], true),
                          ingest_total(&asks[i], false));
}
END_TEST

START_TEST(a_plan_keeps_to_the_budget)
{
    for (uint64_t memory = MIB(64); memory < MIB(16384); memory += memory / 5)
        for (uint64_t n = 100; n < 3000000; n *= 5) {
            const kedge_control c = control_of(4, memory);
            const plan_shape all = of_words(n, 9);
            kedge_error err = {0};
            ingest_plan plan;
            fit_plan fit;
            if (plan_ingest(&all, false, &c, &plan, &err) == KEDGE_OK)
                ck_assert_uint_le(plan.total, memory);
            else
                ck_assert_int_eq(err.status, KEDGE_EBUDGET);
            for (uint64_t passes = 0; passes < 6; passes++) {
                const fit_shape shape = {1000, n, 9 * n, 50, passes % 3,
                                         n / 2, 60, passes == 1,
                                         passes == 2, passes / 3,
                                         passes == 5, passes % 2 == 1,
                                         (kedge_cooccurrence)(passes / 2),
                                         0, 0, 50 * n, 3 * n, 80 * n, 0, 0,
                                         0};
                if (plan_fit(&shape, &c, &fit, &err) != KEDGE_OK)
                    continue;
                ck_assert_uint_le(fit.total, memory);
                ck_assert_uint_gt(fit.entries, 0);
                ck_assert_int_eq(fit.block > 0, passes % 3 > 0);
            }
        }
}
END_TEST

START_TEST(the_width_is_the_same_in_any_budget)
{
    const plan_shape all = of_words(300000, 9);
    bool spilled = false, refused = false;

    for (uint64_t memory = MIB(16384); memory > MIB(64);
         memory -= memory / 50) {
        const kedge_control c = control_of(2, memory);
        kedge_error err = {0};
        ingest_plan plan;
        if (plan_ingest(&all, false, &c, &plan, &err) != KEDGE_OK) {
            refused = true;
            continue;
        }
        ck_assert(!refused);
        ck_assert(!spilled || plan.spilled);
        ck_assert_uint_eq(plan.width, 1000);
        spilled = plan.spilled;
    }
    ck_assert(spilled);
    ck_assert(refused);
}
END_TEST

START_TEST(few_words_have_a_sketch_wide_enough_for_all)
{
    static const uint64_t words_count[] = {0,     4,     5,     17,
                                           249,   250,   2001,  3000,
                                           4000,  25000, 40000, 200000};
    static const uint64_t width[] = {16,   16,   20,   68,   996,  1000,
                                     1000, 1500, 2000, 2000, 1250, 1000};
    const kedge_control c = control_of(2, MIB(8192));

    for (size_t i = 0; i < sizeof width / sizeof *width; i++)
        for (int no_sketch = 0; no_sketch < 2; no_sketch++) {
            kedge_error err = {0};
            ingest_plan plan;
            const plan_shape all = of_words(words_count[i], 10);
            ck_ok(plan_ingest(&all, no_sketch != 0, &c, &plan, &err), err);
            ck_assert_uint_eq(plan.width, width[i]);
        }
    for (uint64_t n = 1; n <= 2000; n++) {
        const uint64_t most = n < 250 ? n : 250; /* topics */
        kedge_error err = {0};
        ingest_plan plan;
        const plan_shape all = of_words(n, 10);
        ck_ok(plan_ingest(&all, false, &c, &plan, &err), err);
        ck_assert_uint_ge(spectrum_limit(plan.width), most);
    }
}
END_TEST

/* 50,000 words of 9 bytes, with a sketch of the usual width. What is refused is
 * not refused any more with what the refusal says. */
START_TEST(small_budgets_take_smaller_turns)
{
    const plan_shape all = of_words(50000, 9);

    for (int only = 0; only < 2; only++) {
        const bool no_sketch = only != 0;
        kedge_control c = control_of(2, MIB(8192));
        ingest_plan plan;
        kedge_error err = {0};
        unsigned halvings = 0;
        for (; c.memory >= MIB(224); c.memory -= MIB(8)) {
            ck_ok(plan_ingest(&all, no_sketch, &c, &plan, &err), err);
            ck_assert_uint_le(plan.total, c.memory);
            ck_assert_uint_ge(plan.room.line, PLAN_LINE);
            ck_assert_uint_ge(plan.room.entries,
                              slot_limits_of(plan.halvings).entries);
            ck_assert(c.memory < MIB(4096) ||
                      (plan.halvings == 0 && plan.room.window_log == 27));
            halvings = plan.halvings;
        }
        ck_assert_uint_gt(halvings, 0);
        c.memory = MIB(50);
        ck_fails(plan_ingest(&all, no_sketch, &c, &plan, &err),
                 KEDGE_EBUDGET, err, "is 50 MiB");
        c.memory = plan.total;
        ck_ok(plan_ingest(&all, no_sketch, &c, &plan, &err), err);
        ck_assert_uint_eq(plan.halvings, SLOT_HALVINGS);
        ck_assert_uint_eq(plan.room.window_log, 23);
        c.memory--;
        ck_fails(plan_ingest(&all, no_sketch, &c, &plan, &err),
                 KEDGE_EBUDGET, err, "takes");
    }
}
END_TEST

START_TEST(refusals_name_both_figures)
{
    const kedge_control c = control_of(2, MIB(50));
    fit_shape shape = {1000, 1000000, 9000000, 100, 0, 0, 0, false, false,
                       0, false, false, false, 0, 0, 0, 0, 0, 0,
                       0, 0};
    kedge_error err = {0};
    ingest_plan plan;
    fit_plan fit;
    plan_shape all = of_words(1000, 9);

    all.width = 1000;
    ck_fails(plan_ingest(&all, false, &c, &plan, &err), KEDGE_EBUDGET, err,
             "is 50 MiB");
    ck_assert_ptr_nonnull(strstr(err.text, "ingesting takes"));
    ck_fails(plan_fit(&shape, &c, &fit, &err), KEDGE_EBUDGET, err,
             "fitting takes");
    shape.passes = 2;
    ck_fails(plan_fit(&shape, &c, &fit, &err), KEDGE_EBUDGET, err,
             "refining takes");
    shape = (fit_shape){.width = 64, .vocabulary = 1000, .word_bytes = 9000,
                        .topics = 10, .polish = 1};
    ck_fails(plan_fit(&shape, &c, &fit, &err), KEDGE_EBUDGET, err,
             "polishing takes");
    ck_assert_ptr_nonnull(strstr(err.text, "without --polish"));
    shape = (fit_shape){.width = 1000, .vocabulary = 1000, .topics = 10,
                        .word_bytes = 9000, .ncut = true};
    ck_fails(plan_fit(&shape, &c, &fit, &err), KEDGE_EBUDGET, err,
             "fitting takes");
    ck_assert_ptr_nonnull(strstr(err.text, "without --ncut"));
}
END_TEST

/* 300,000 words: in memory until it goes to the disk; and where it is made, it
 * is part of all that comes after. */
START_TEST(a_sketch_of_its_own_goes_to_the_disk)
{
    fit_shape shape = {1000, 300000, 2700000, 50, 0, 0, 0, true, true, 0,
                       false, true, false, 0, 0, 0, 0, 0, 0, 0, 0};
    bool spilled = false;

    for (uint64_t memory = MIB(16384);; memory -= memory / 50) {
        const kedge_control c = control_of(2, memory);
        kedge_error err = {0};
        fit_plan own, none;
        if (plan_fit(&shape, &c, &own, &err) != KEDGE_OK)
            break;
        ck_assert_uint_le(own.total, memory);
        ck_assert(own.halvings == 0 || memory < MIB(4096));
        ck_assert(!spilled || own.spilled);
        spilled = own.spilled;
        shape.ncut = false;
        ck_ok(plan_fit(&shape, &c, &none, &err), err);
        ck_assert(!none.spilled && none.halvings == 0);
        shape.ncut = true;
        if (!own.spilled) /* 8 bytes for each word and column */
            ck_assert_uint_gt(own.total, UINT64_C(300000) * 1000 * 8);
    }
    ck_assert(spilled);
}
END_TEST

/* A slab of words: a mapping of it would be resident as a whole anyway. */
START_TEST(a_small_sketch_stays_in_memory)
{
    const ask a = {{1000, 4000, 36000, 10, 0, 0, 0, true, false, 0, false,
                    true, false, 0, 0, 0, 0, 0, 0, 0, 0}, 2};
    const kedge_control c = control_of(2, fit_least(&a));
    kedge_error err = {0};
    fit_plan plan;

    ck_ok(plan_fit(&a.shape, &c, &plan, &err), err);
    ck_assert(!plan.spilled);
    ck_assert_uint_eq(plan.halvings, SLOT_HALVINGS);
}
END_TEST

/* As the figure of the refusal says it, but for rounding up to MiB. */
START_TEST(what_is_refused_fits_into_what_it_takes)
{
    for (uint64_t passes = 0; passes < 16; passes++) {
        const ask a = {{1000, 100000, 900000, 100, passes % 4, 90000, 400,
                        false, false, passes / 4 % 2, false, passes >= 8,
                        passes % 5 == 1, 0, 0, 0, 0, 0, 0, 0, 0}, 2};
        const uint64_t least = fit_least(&a);
        const kedge_control c = control_of(a.threads, least - 1);
        kedge_error err = {0};
        fit_plan fit;
        char need[16];
        ck_fails(plan_fit(&a.shape, &c, &fit, &err), KEDGE_EBUDGET, err,
                 plan_size(least, need));
    }
}
END_TEST

static uint64_t walk_total(const walk_shape *shape)
{
    const kedge_control plenty = control_of(2, UINT64_MAX / 4);
    kedge_error err = {0};
    uint64_t total, again;

    ck_ok(plan_walk(shape, &plenty, &total, &err), err);
    const kedge_control enough = control_of(2, total);
    const kedge_control less = control_of(2, total - 1);
    ck_ok(plan_walk(shape, &enough, &again, &err), err);
    ck_assert_uint_eq(again, total);
    ck_fails(plan_walk(shape, &less, &again, &err), KEDGE_EBUDGET, err,
             "walking takes");
    ck_assert_uint_eq(again, total);
    return total;
}

/* ---- what people are told ------------------------------------------------ */

typedef bool room_for(uint64_t n, uint64_t topics, uint64_t memory);

static bool room_to_store(uint64_t n, uint64_t topics, uint64_t memory)
{
    const kedge_control c = control_of(2, memory);
    kedge_error err = {0};
    ingest_plan plan = {0};

    (void)topics;
    return plan_storing(n, 8 * n, &c, &plan, &err) == KEDGE_OK;
}

static bool room_to_sketch(uint64_t n, uint64_t topics, uint64_t memory)
{
    const kedge_control c = control_of(2, memory);
    kedge_error err = {0};
    ingest_plan plan;
    plan_shape shape = of_words(n, 8);

    (void)topics;
    shape.width = 1000;
    shape.damped = true;
    return plan_view(&shape, &c, &plan, &err) == KEDGE_OK && !plan.spilled;
}

static bool room_to_fit(uint64_t n, uint64_t topics, uint64_t memory)
{
    const kedge_control c = control_of(2, memory);
    kedge_error err = {0};
    fit_plan plan;
    const fit_shape shape = {.width = 1000, .vocabulary = n,
                             .word_bytes = 8 * n, .topics = topics,
                             .damped = true, .weighted = true};

    return plan_fit(&shape, &c, &plan, &err) == KEDGE_OK;
}

/* The table of 'kedge help memory' and of the README: there is room for so many
 * words, and not for a tenth more. */
START_TEST(the_table_is_true)
{
    static const struct {
        room_for *room;
        uint64_t topics, n[3];
    } rows[] = {
        {room_to_store, 0, {8000000, 33000000, 130000000}},
        {room_to_sketch, 0, {110000, 480000, 2000000}},
        {room_to_fit, 50, {280000, 1200000, 5000000}},
        {room_to_fit, 100, {160000, 720000, 2900000}},
        {room_to_fit, 300, {50000, 260000, 1000000}},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (size_t j = 0; j < 3; j++) {
            const uint64_t memory = UINT64_C(1) << (30 + 2 * j);
            const uint64_t n = rows[i].n[j];
            if (!rows[i].room(n, rows[i].topics, memory) ||
                rows[i].room(n + n / 10, rows[i].topics, memory))
                ck_abort_msg("row %zu, column %zu", i, j);
        }
}
END_TEST

/* Words of the store that are none of the model's: a place, no number, and what
 * it took to leave them out. */
START_TEST(words_that_are_left_out_count)
{
    ask few = {{500, 7000, 60000, 40, 0, 0, 0, true, true, 0, false, false,
                KEDGE_COOCCURRENCE_SKETCH, 0, 0, 0, 7000, 0, 0, 0, 0}, 2};
    const uint64_t least = fit_least(&few), n = 5000000;
    const kedge_control plenty = control_of(2, MIB(8192));
    const kedge_control little = control_of(2, MIB(512));
    plan_shape all = of_words(7000, 9);
    ingest_plan before, after;
    kedge_error err = {0};

    few.shape.all += n;
    ck_assert_uint_eq(fit_least(&few), least + 16 * n);
    few.shape.choosing = MIB(1024);
    ck_assert_uint_gt(fit_least(&few), 14 * n + MIB(1024));
    ck_ok(plan_view(&all, &plenty, &before, &err), err);
    all.all = 7000 + n;
    ck_ok(plan_view(&all, &plenty, &after, &err), err);
    ck_assert_uint_eq(after.total, before.total + 16 * n);
    ck_ok(plan_choosing(n, 9 * n, MIB(200), &little, &err), err);
    ck_fails(plan_choosing(n, 9 * n, MIB(400), &little, &err), KEDGE_EBUDGET,
             err, "choosing words takes");
}
END_TEST

/* Who had room to ingest them has room to choose some of them. */
START_TEST(what_was_read_can_be_fitted)
{
    static const uint64_t n[] = {8000000, 33000000, 130000000};
    kedge_fit_opts o;

    kedge_fit_opts_init(&o);
    for (size_t i = 0; i < 3; i++) {
        const kedge_control c = control_of(2, UINT64_C(1) << (30 + 2 * i));
        const uint64_t choosing = views_choose_memusage(&o, n[i]);
        const fit_shape shape = {.width = 1000, .vocabulary = 20000,
                                 .word_bytes = 8 * n[i], .topics = 50,
                                 .damped = true, .weighted = true,
                                 .all = n[i], .choosing = choosing};
        kedge_error err = {0};
        fit_plan plan;
        ck_assert(room_to_store(n[i], 0, c.memory));
        ck_ok(plan_choosing(n[i], 8 * n[i], choosing, &c, &err), err);
        ck_ok(plan_fit(&shape, &c, &plan, &err), err);
        ck_assert_uint_lt(plan.total, (UINT64_C(64) << 20) + 130 * n[i]);
    }
}
END_TEST

START_TEST(a_walk_takes_what_it_holds)
{
    const walk_shape least = {.what = "walking", .threads = 1};
    const uint64_t base = walk_total(&least);
    walk_shape more = least;

    ck_assert_uint_gt(base, PLAN_BASE + PLAN_THREAD);
    more.read = 1000; /* of the store, and nothing is written */
    ck_assert_uint_lt(walk_total(&more), base - PLAN_MAP / 2);
    more = least;
    more.threads = 4;
    ck_assert_uint_eq(walk_total(&more), base + 3 * PLAN_THREAD);
    more = least;
    more.more = 12345;
    ck_assert_uint_eq(walk_total(&more), base + 12345);
    more.blocks = 3;
    ck_assert_uint_eq(walk_total(&more),
                      base + 12345 + 3 * slot_block_memusage(0));
    more.vocabulary = 1000; /* its order, at least */
    ck_assert_uint_gt(walk_total(&more),
                      base + 12345 + 3 * slot_block_memusage(1000) + 4000);
    ck_assert_uint_gt(slot_block_memusage(1000),
                      slot_block_memusage(0) + 1000 * (10 + 8));
}
END_TEST

/* A page each, as far as there are any, or as LMDB keeps so many. */
START_TEST(ids_take_pages)
{
    const uint64_t many = UINT64_C(1) << 40;

    ck_assert_uint_eq(plan_ids(0, many), 0);
    ck_assert_uint_eq(plan_ids(10, many), 40960);
    ck_assert_uint_eq(plan_ids(many, 0), 4096);
    ck_assert_uint_le(plan_ids(many, 1000000), 1000000 * 256);
    ck_assert_uint_ge(plan_ids(many, 1000000), 1000000 * 128);
    ck_assert_uint_eq(plan_ids(many, many), MIB(512));
}
END_TEST

/* As many as their pages allow, or all of them where the tree is small. */
START_TEST(turns_that_only_store_take_more_documents)
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
        const kedge_control c = control_of(2, MIB(memory));
        const plan_shape all = of_words(5000, 9);
        ck_ok(plan_ingest(&all, true, &c, &plan, &err), err);
        ck_assert_uint_ge(plan.documents,
                          slot_limits_of(plan.halvings).documents);
        ck_assert_uint_ge(plan.id_pages,
                          slot_limits_of(plan.halvings).documents);
        ck_assert_uint_le(plan.most + plan_large(&plan, plan.room.line,
                                                 plan.room.entries),
                          c.memory);
        before = plan.documents;
    }
    ck_assert_uint_eq(before, 8 * WINDOW_DOCUMENTS);
}
END_TEST

/* The figure counts what larger turns take, whatever the budget allows for. */
START_TEST(larger_turns_are_in_the_figure)
{
    const kedge_control little = control_of(2, MIB(1024));
    const kedge_control much = control_of(2, MIB(2048));
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
END_TEST

/* Only beyond what any budget has room for, byte by byte. */
START_TEST(what_is_large_takes_more)
{
    const ingest_plan p = {.halvings = 1};
    const uint64_t entries = slot_limits_of(1).entries;

    ck_assert_uint_eq(plan_large(&p, PLAN_LINE, entries), 0);
    ck_assert_uint_eq(plan_large(&p, PLAN_LINE + 1000, 0),
                      1000 * READER_LINE_BYTES);
    ck_assert_uint_ge(plan_large(&p, 0, entries + 1000), 1000 * 100);
    ck_assert_uint_gt(plan_large(&p, PLAN_LINE + 1, entries + 1),
                      plan_large(&p, PLAN_LINE + 1, entries));
}
END_TEST

/* Each word takes its text twice, and what goes with it, until the budget is
 * reached. */
START_TEST(words_that_texts_bring_are_counted)
{
    const kedge_control c = control_of(2, MIB(1024));
    kedge_error err = {0};
    uint64_t before = 0, n;
    ingest_plan plan, grown = {0};
    unsigned halvings = 0;

    for (n = 0; plan_storing(n, 9 * n, &c, &grown, &err) == KEDGE_OK;
         n += 50000) {
        const plan_shape all = of_words(n, 9);
        ck_ok(plan_ingest(&all, true, &c, &plan, &err), err);
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
    ck_assert_uint_eq(halvings, SLOT_HALVINGS); /* before it is refused */
    ck_assert_uint_gt(grown.total, MIB(1024));
    ck_assert_ptr_nonnull(strstr(err.text, "is 1.00 GiB"));
    ck_assert_ptr_nonnull(strstr(err.text, "is committed"));
}
END_TEST

START_TEST(arrivals_go_as_far_as_memory_does)
{
    kedge_control c;
    kedge_error err = {0};
    walk_shape s = {.what = "looking", .threads = 2, .vocabulary = 50000,
                    .word_bytes = 400000, .blocks = 2, .more = MIB(30)};
    reader_room room, wider;
    uint64_t total, more;

    kedge_control_init(&c);
    ck_ok(plan_arrivals(&s, &c, &wider, &more, &err), err);
    c.memory = more - MIB(20);
    ck_ok(plan_arrivals(&s, &c, &room, &total, &err), err);
    ck_assert_uint_lt(room.window_log, wider.window_log);
    ck_assert_uint_lt(room.line, wider.line);
    ck_assert_uint_lt(room.entries, wider.entries);
    ck_assert_uint_eq(room.piece, 0);
    ck_assert_uint_le(total, c.memory);
    s.more += MIB(1);
    c.memory = MIB(4096);
    ck_ok(plan_arrivals(&s, &c, &room, &total, &err), err);
    ck_assert_uint_eq(total, more + MIB(1));
    c.memory = MIB(64);
    ck_fails(plan_arrivals(&s, &c, &room, &total, &err), KEDGE_EBUDGET, err,
             "looking takes");
}
END_TEST

START_TEST(sizes_read_well)
{
    char text[16];

    ck_assert_str_eq(plan_size(0, text), "0 MiB");
    ck_assert_str_eq(plan_size(MIB(1023), text), "1023 MiB");
    ck_assert_str_eq(plan_size(MIB(1024), text), "1.00 GiB");
    ck_assert_str_eq(plan_size(MIB(1536), text), "1.50 GiB");
}
END_TEST

UNIT_SUITE("plan",
    more_takes_more,
    without_a_sketch_it_takes_less,
    a_plan_keeps_to_the_budget,
    the_width_is_the_same_in_any_budget,
    small_budgets_take_smaller_turns,
    few_words_have_a_sketch_wide_enough_for_all,
    refusals_name_both_figures,
    what_is_refused_fits_into_what_it_takes,
    a_sketch_of_its_own_goes_to_the_disk,
    a_small_sketch_stays_in_memory,
    the_table_is_true,
    words_that_are_left_out_count,
    what_was_read_can_be_fitted,
    a_walk_takes_what_it_holds,
    ids_take_pages,
    turns_that_only_store_take_more_documents,
    larger_turns_are_in_the_figure,
    what_is_large_takes_more,
    words_that_texts_bring_are_counted,
    arrivals_go_as_far_as_memory_does,
    sizes_read_well)
