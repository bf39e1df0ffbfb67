/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include "base/crew.h"

typedef struct line {
    uint64_t value[CREW_MOST];
} line;

/* Tells who came after whom. */
static void sign(void *data, void *value)
{
    uint64_t *const v = value;

    *v = *v * 10 + *(const unsigned *)data + 1;
}

static void sign_line(void *data, team *t)
{
    line *const l = data;
    unsigned rank = t->rank;

    for (int turn = 0; turn < 3; turn++) {
        l->value[t->rank] = 0;
        team_fold(t, &l->value[t->rank], sizeof(uint64_t), sign, &rank);
    }
}

TEST(one_after_another_and_then_everybody)
{
    for (unsigned size = 1; size <= 5; size++) {
        line l = {{0}};
        uint64_t expected = 0;
        const uint64_t heard = crew_run(size, sign_line, &l);
        for (unsigned r = 0; r < size; r++)
            expected = expected * 10 + r + 1;
        for (unsigned r = 0; r < size; r++)
            ck_assert_uint_eq(l.value[r], expected);
        /* along the line, and from its end to all */
        ck_assert_uint_eq(heard, 3 * 8 * 2 * (size - 1));
    }
}

/* Everybody to everybody: what comes tells from whom, and to whom. */
static void trade_round(void *data, team *t)
{
    for (unsigned s = 1; s < t->size; s++) {
        const unsigned to = (t->rank + s) % t->size;
        const unsigned from = (t->rank + t->size - s) % t->size;
        const uint64_t out = 100 * t->rank + to;
        uint64_t in = 0;
        team_trade(t, &out, sizeof out, to, &in, sizeof in, from);
        ck_assert_uint_eq(in, 100 * from + t->rank);
        /* one way alone: to the higher rank */
        team_trade(t, &out, to > t->rank ? sizeof out : 0, to, &in,
                   from < t->rank ? sizeof in : 0, from);
    }
    (void)data;
}

TEST(values_are_traded)
{
    for (unsigned size = 1; size <= 7; size++)
        ck_assert_uint_eq(crew_run(size, trade_round, NULL),
                          8 * (size * (size - 1) + size * (size - 1) / 2));
}

static void gather_numbers(void *data, team *t)
{
    const unsigned mine = 7 * t->rank;
    unsigned all[CREW_MOST] = {0};

    team_gather(t, &mine, sizeof mine, all);
    for (unsigned r = 0; r < t->size; r++)
        ck_assert_uint_eq(all[r], 7 * r);
    (void)data;
}

TEST(everybody_knows_everybodys)
{
    unsigned mine = 5, all = 0;

    for (unsigned size = 1; size <= 7; size++)
        crew_run(size, gather_numbers, NULL);
    team_gather(NULL, &mine, sizeof mine, &all);
    ck_assert_uint_eq(all, 5);
}

TEST(alone_it_is_a_call)
{
    uint64_t value = 7;
    unsigned rank = 0;

    team_fold(NULL, &value, sizeof value, sign, &rank);
    ck_assert_uint_eq(value, 71);
}
