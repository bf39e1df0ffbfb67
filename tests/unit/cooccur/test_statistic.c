/* SPDX-License-Identifier: MIT */
#include "cooccur/corpus.h"

#include "cooccur/statistic.h"

/* log and sqrt of these tallies, by hand: 32 (1 + ln h), 32 h^½. */
static const struct {
    uint32_t tally, by_log, by_sqrt;
} pinned[] = {
    {1, 32, 32},       {2, 54, 45},       {3, 67, 55},
    {4, 76, 64},       {5, 84, 72},       {10, 106, 101},
    {100, 179, 320},   {1023, 254, 1023}, {1024, 254, 1024},
    {10000, 327, 3200}, {UINT32_MAX, 742, 2097152},
};

TEST(values_are_pinned)
{
    statistic by_log, by_sqrt;

    statistic_open(&by_log, STATISTIC_LOG);
    statistic_open(&by_sqrt, STATISTIC_SQRT);
    for (size_t i = 0; i < sizeof pinned / sizeof *pinned; i++) {
        const uint32_t h = pinned[i].tally;
        ck_assert_uint_eq(statistic_value(&by_log, h, 5), pinned[i].by_log);
        ck_assert_uint_eq(statistic_value(&by_sqrt, h, 5), pinned[i].by_sqrt);
    }
}

static void check_value(const statistic *s, uint32_t h)
{
    for (int bits = -25; bits <= STATISTIC_VALUE_BITS; bits++) {
        const int64_t x = statistic_value(s, h, bits);
        if (x != corpus_value(s->kind, h, bits))
            ck_abort_msg("%u with %d bits", h, bits);
        /* what the kernel's bounds rest on */
        if (x < 1 || (bits >= 0 && (x < 1 << bits || x > (int64_t)h << bits)))
            ck_abort_msg("%u with %d bits is out of bounds", h, bits);
        if (4 * (int64_t)statistic_value(s, h, bits - 1) < x)
            ck_abort_msg("%u loses too much at %d bits", h, bits);
    }
}

TEST(values_are_the_functions_rounded)
{
    chance c = {.key = 1};

    for (uint32_t kind = STATISTIC_LOG; kind < STATISTICS; kind++) {
        statistic s;
        statistic_open(&s, kind);
        for (uint32_t h = 1; h < 20000; h++)
            check_value(&s, h);
        for (int i = 0; i < 200000; i++)
            check_value(&s, 1 + (uint32_t)(chance_bits(&c) >>
                                           (32 + chance_below(&c, 31))));
    }
}

TEST(names_are_found_and_no_others)
{
    static const char *const names[] = {"raw", "log", "sqrt"};
    static const char *const others[] = {"", "l", "logs", "Log", "sqr", "lo",
                                         "jointly"};

    for (uint32_t kind = 0; kind < STATISTICS; kind++) {
        ck_assert_str_eq(statistic_name(kind), names[kind]);
        ck_assert_uint_eq(statistic_find(names[kind], strlen(names[kind])),
                          kind);
    }
    ck_assert_str_eq(statistic_name(STATISTICS), "unknown");
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        ck_assert_uint_eq(statistic_find(others[i], strlen(others[i])),
                          STATISTIC_NONE);
}

TEST(lists_are_read_from_left_to_right)
{
    kedge_error err = {0};
    uint32_t kind;

    ck_ok(statistic_listed("sqrt", 0, &kind, &err), err);
    ck_assert_uint_eq(kind, STATISTIC_SQRT);
    ck_ok(statistic_listed("log,raw,sqrt", 1, &kind, &err), err);
    ck_assert_uint_eq(kind, STATISTIC_JOINT);
    ck_ok(statistic_listed("log,raw,sqrt", 2, &kind, &err), err);
    ck_assert_uint_eq(kind, STATISTIC_SQRT);
    ck_fails(statistic_listed("log,raw,sqrt", 3, &kind, &err),
             KEDGE_ENOTFOUND, err, "lists 3");
    ck_fails(statistic_listed("log,log", 1, &kind, &err), KEDGE_EINVAL, err,
             "log is given twice");
    ck_fails(statistic_listed("", 0, &kind, &err), KEDGE_EINVAL, err,
             "--tf \"\": choose raw, log or sqrt");
    ck_fails(statistic_listed("log,", 1, &kind, &err), KEDGE_EINVAL, err,
             "--tf \"\"");
    ck_fails(statistic_listed("log,tf-idf", 1, &kind, &err), KEDGE_EINVAL,
             err, "--tf \"tf-idf\"");
}

TEST(sketches_of_another_kedge_are_told)
{
    kedge_error err = {0};

    for (uint32_t kind = 0; kind < STATISTICS; kind++) {
        const uint32_t w = statistic_weight_bits(kind);
        const uint32_t v = statistic_value_bits(kind);
        ck_ok(statistic_check(kind, w, v, &err), err);
        ck_fails(statistic_check(kind, w + 1, v, &err), KEDGE_EVERSION, err,
                 "was made by another version of kedge");
        ck_fails(statistic_check(kind, w, v + 1, &err), KEDGE_EVERSION, err,
                 "was made by another version of kedge");
    }
    ck_fails(statistic_check(STATISTICS, 32, 5, &err), KEDGE_EVERSION, err,
             "number 3 with 32 and 5 bits");
}
