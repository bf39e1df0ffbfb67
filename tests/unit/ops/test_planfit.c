/* SPDX-License-Identifier: MIT */
#include "ops/plan.h"
#include "ops/budget.h"
#include "ops/batch.h"
#include "unit.h"

typedef struct ask {
    fit_shape shape;
    unsigned threads;
    kedge_fit_opts opts;
} ask;

static kedge_status plan_of(const ask *a, const kedge_control *c,
                            fit_plan *out, kedge_error *err)
{
    fit_shape shape = a->shape;

    shape.opts = &a->opts;
    return plan_fit(&shape, c, out, err);
}

/* What fitting takes at least: the least budget that is not refused. */
static uint64_t fit_least(const ask *a)
{
    uint64_t low = 0, high = UINT64_C(1) << 50;

    while (low + 1 < high) {
        const uint64_t middle = low + (high - low) / 2;
        const kedge_control c = budget_of(a->threads, middle);
        kedge_error err = {0};
        fit_plan plan;
        if (plan_of(a, &c, &plan, &err) == KEDGE_OK)
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
    kedge_fit_opts *const o = &a.opts;
    uint64_t *const number[] = {&s->width, &s->vocabulary, &s->word_bytes,
                                &s->topics, &o->power_iter, &s->like_words,
                                &s->like_topics};

    if (which < 7)
        *number[which] += *number[which] / 2 + 1;
    else if (which == 7)
        s->damped = true;
    else if (which == 8)
        o->term_weight = KEDGE_TERM_WEIGHT_IDF;
    else if (which == 9)
        o->em_iter++;
    else if (which == 10)
        s->joined = true;
    else if (which == 11)
        o->ncut = true;
    else if (which == 12)
        s->cooccurrence = KEDGE_COOCCURRENCE_DENSE;
    else if (which == 13)
        o->rectify = KEDGE_RECTIFY_DR;
    else if (which == 14)
        o->recover = KEDGE_RECOVER_KL;
    else if (which == 15)
        s->pairs = 2 * s->pairs + 1;
    else if (which == 16)
        s->all += s->vocabulary + 1;
    else if (which == 17)
        o->anchors = KEDGE_ANCHORS_XRAY;
    else if (which == 18)
        s->gathering += (uint64_t)1 << 30;
    else
        a.threads += 3;
    return a;
}

static const ask asks[] = {
    {{.width = 500, .vocabulary = 7000, .word_bytes = 60000, .topics = 40,
      .all = 7000}, 1, {.vocab_size = 0}},
    {{.width = 1000, .vocabulary = 100000, .word_bytes = 900000, .topics = 100,
      .like_words = 90000, .like_topics = 400, .joined = true,
      .processes = 3, .rank = 1}, 4, {.power_iter = 2}},
    {{.width = 1000, .vocabulary = 100000, .word_bytes = 900000, .topics = 100,
      .like_words = 90000, .like_topics = 400, .all = 10000000}, 4,
     {.power_iter = 2, .em_iter = 3, .ncut = true}},
    {{.width = 2000, .vocabulary = 1000000, .word_bytes = 9000000,
      .topics = 300, .like_words = 5, .like_topics = 2,
      .cooccurrence = KEDGE_COOCCURRENCE_DENSE, .all = 9000000}, 16,
     {.power_iter = 1}},
    {{.width = 500, .vocabulary = 27000, .word_bytes = 60000, .topics = 40,
      .cooccurrence = KEDGE_COOCCURRENCE_DENSE}, 1, {.ncut = true}},
    {{.width = 500, .vocabulary = 27000, .word_bytes = 60000, .topics = 40,
      .cooccurrence = KEDGE_COOCCURRENCE_SPARSE, .pairs = 40000000,
      .all = 30000}, 2, {.vocab_size = 5000}},
};

TEST(more_takes_more)
{
    for (size_t i = 0; i < sizeof asks / sizeof *asks; i++)
        for (int which = 0; which < 20; which++) {
            const ask more = raised(asks[i], which);
            ck_assert_msg(fit_least(&more) >= fit_least(&asks[i]),
                          "fit %zu, argument %d", i, which);
        }
}

TEST(a_plan_keeps_to_the_budget)
{
    for (uint64_t memory = MIB(64); memory < MIB(16384); memory += memory / 5)
        for (uint64_t n = 100; n < 3000000; n *= 5) {
            const kedge_control c = budget_of(4, memory);
            kedge_error err = {0};
            fit_plan fit;
            for (uint64_t passes = 0; passes < 6; passes++) {
                const ask a = {
                    {.width = 1000, .vocabulary = n, .word_bytes = 9 * n,
                     .topics = 50, .like_words = n / 2, .like_topics = 60,
                     .damped = passes == 1, .joined = passes == 5,
                     .cooccurrence = (kedge_cooccurrence)(passes / 2),
                     .pairs = 50 * n, .all = 3 * n}, 4,
                    {.power_iter = passes % 3, .em_iter = passes / 3,
                     .term_weight = passes == 2 ? KEDGE_TERM_WEIGHT_IDF
                                           : KEDGE_TERM_WEIGHT_NONE,
                     .ncut = passes % 2 == 1}};
                if (plan_of(&a, &c, &fit, &err) != KEDGE_OK)
                    continue;
                ck_assert_uint_le(fit.total, memory);
                ck_assert_uint_gt(fit.entries, 0);
                ck_assert_int_eq(fit.block > 0, passes % 3 > 0);
            }
        }
}

TEST(refusals_say_what_can_be_done)
{
    static const struct {
        ask a;
        const char *what, *advice;
    } cases[] = {
        {{{.width = 1000, .vocabulary = 1000000, .topics = 100}, 2, {0}},
         "fitting takes", "fit fewer topics"},
        {{{.width = 1000, .vocabulary = 1000000, .topics = 100}, 2,
          {.power_iter = 2}}, "power iteration takes", "fewer --power-iter"},
        {{{.width = 64, .vocabulary = 1000, .topics = 10}, 2, {.em_iter = 1}},
         "EM takes", "without --em-iter"},
        {{{.width = 1000, .vocabulary = 1000, .topics = 10}, 2,
          {.ncut = true}}, "fitting takes", "without --ncut"},
    };
    const kedge_control c = budget_of(2, MIB(50));

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        kedge_error err = {0};
        fit_plan fit;
        ck_fails(plan_of(&cases[i].a, &c, &fit, &err), KEDGE_EBUDGET, err,
                 cases[i].what);
        ck_assert_ptr_nonnull(strstr(err.text, "is 50 MiB"));
        ck_assert_ptr_nonnull(strstr(err.text, cases[i].advice));
    }
}

/* As the figure of the refusal says it, but for rounding up to MiB. */
TEST(what_is_refused_fits_into_what_it_takes)
{
    for (uint64_t passes = 0; passes < 16; passes++) {
        const ask a = {{.width = 1000, .vocabulary = 100000,
                        .word_bytes = 900000, .topics = 100,
                        .like_words = 90000, .like_topics = 400,
                        .cooccurrence = passes % 5 == 1}, 2,
                       {.power_iter = passes % 4, .em_iter = passes / 4 % 2,
                        .ncut = passes >= 8}};
        const uint64_t least = fit_least(&a);
        const kedge_control c = budget_of(a.threads, least - 1);
        kedge_error err = {0};
        fit_plan fit;
        char need[16];
        ck_fails(plan_of(&a, &c, &fit, &err), KEDGE_EBUDGET, err,
                 plan_size(least, need));
    }
}

/* 300,000 words: in memory until it goes to the disk; and where it is made, it
 * is part of all that comes after. */
TEST(a_sketch_of_its_own_goes_to_the_disk)
{
    ask a = {{.width = 1000, .vocabulary = 300000, .word_bytes = 2700000,
              .topics = 50, .damped = true}, 2,
             {.term_weight = KEDGE_TERM_WEIGHT_IDF, .ncut = true}};
    bool spilled = false;

    for (uint64_t memory = MIB(16384);; memory -= memory / 50) {
        const kedge_control c = budget_of(2, memory);
        kedge_error err = {0};
        fit_plan own, none;
        if (plan_of(&a, &c, &own, &err) != KEDGE_OK)
            break;
        ck_assert_uint_le(own.total, memory);
        ck_assert(own.halvings == 0 || memory < MIB(4096));
        ck_assert(!spilled || own.spilled);
        spilled = own.spilled;
        a.opts.ncut = false;
        ck_ok(plan_of(&a, &c, &none, &err), err);
        ck_assert(!none.spilled && none.halvings == 0);
        a.opts.ncut = true;
        if (!own.spilled) /* 8 bytes for each word and column */
            ck_assert_uint_gt(own.total, UINT64_C(300000) * 1000 * 8);
    }
    ck_assert(spilled);
}

/* A slab of words: a mapping of it would be resident as a whole anyway. */
TEST(a_small_sketch_stays_in_memory)
{
    const ask a = {{.width = 1000, .vocabulary = 4000, .word_bytes = 36000,
                    .topics = 10, .damped = true}, 2, {.ncut = true}};
    const kedge_control c = budget_of(2, fit_least(&a));
    kedge_error err = {0};
    fit_plan plan;

    ck_ok(plan_of(&a, &c, &plan, &err), err);
    ck_assert(!plan.spilled);
    ck_assert_uint_eq(plan.halvings, BATCH_HALVINGS);
}

/* ---- what people are told ------------------------------------------------ */

typedef bool room_for(uint64_t n, uint64_t topics, uint64_t memory);

static bool room_to_store(uint64_t n, uint64_t topics, uint64_t memory)
{
    const kedge_control c = budget_of(2, memory);
    kedge_error err = {0};
    ingest_plan plan = {0};

    (void)topics;
    return plan_storing(n, 8 * n, &c, &plan, &err) == KEDGE_OK;
}

static bool room_to_sketch(uint64_t n, uint64_t topics, uint64_t memory)
{
    const kedge_control c = budget_of(2, memory);
    kedge_error err = {0};
    ingest_plan plan;
    const sketch_shape shape = {.width = 1000, .vocabulary = n,
                                  .word_bytes = 8 * n, .damped = true};

    (void)topics;
    return plan_sketch(&shape, &c, &plan, &err) == KEDGE_OK && !plan.spilled;
}

static bool room_to_fit(uint64_t n, uint64_t topics, uint64_t memory)
{
    const kedge_control c = budget_of(2, memory);
    kedge_error err = {0};
    fit_plan plan;
    const ask a = {{.width = 1000, .vocabulary = n, .word_bytes = 8 * n,
                    .topics = topics, .damped = true}, 2,
                   {.term_weight = KEDGE_TERM_WEIGHT_IDF}};

    return plan_of(&a, &c, &plan, &err) == KEDGE_OK;
}

/* The table of 'kedge help memory' and of the manual: there is room for so many
 * words, and not for a tenth more. */
TEST(the_table_is_true)
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

/* The manual's example. */
TEST(a_million_words)
{
    const uint64_t n = 1000000, gib = UINT64_C(1) << 30;

    ck_assert(room_to_fit(n, 100, 6 * gib) && !room_to_fit(n, 100, 5 * gib));
    ck_assert(room_to_sketch(n, 0, 9 * gib) && !room_to_sketch(n, 0, 8 * gib));
}

/* Who had room to ingest them has room to choose some of them. */
TEST(what_was_read_can_be_fitted)
{
    static const uint64_t n[] = {8000000, 33000000, 130000000};
    kedge_fit_opts o;

    kedge_fit_opts_init(&o);
    for (size_t i = 0; i < 3; i++) {
        const kedge_control c = budget_of(2, UINT64_C(1) << (30 + 2 * i));
        const uint64_t choosing = memory_choosing(&o, n[i]);
        const fit_shape shape = {.opts = &o, .width = 1000,
                                 .vocabulary = 20000,
                                 .word_bytes = 8 * n[i], .topics = 50,
                                 .damped = true, .all = n[i]};
        kedge_error err = {0};
        fit_plan plan;
        uint64_t total;
        ck_assert(room_to_store(n[i], 0, c.memory));
        ck_ok(plan_choosing(n[i], 8 * n[i], choosing, &c, &total, &err),
              err);
        ck_ok(plan_fit(&shape, &c, &plan, &err), err);
        ck_assert_uint_lt(plan.total, (UINT64_C(64) << 20) + 130 * n[i]);
    }
}
