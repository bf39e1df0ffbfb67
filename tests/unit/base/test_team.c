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

static void sign_line(void *data, const team *t)
{
    line *const l = data;
    unsigned rank = t->rank;

    for (int turn = 0; turn < 3; turn++) {
        l->value[t->rank] = 0;
        team_fold(t, &l->value[t->rank], sizeof(uint64_t), sign, &rank);
    }
}

START_TEST(one_after_another_and_then_everybody)
{
    for (unsigned size = 1; size <= 5; size++) {
        line l = {{0}};
        uint64_t expected = 0;
        const size_t handed = crew_run(size, sign_line, &l);
        for (unsigned r = 0; r < size; r++)
            expected = expected * 10 + r + 1;
        for (unsigned r = 0; r < size; r++)
            ck_assert_uint_eq(l.value[r], expected);
        ck_assert_uint_eq(handed, 3 * 8 * (size - 1));
    }
}
END_TEST

START_TEST(alone_it_is_a_call)
{
    uint64_t value = 7;
    unsigned rank = 0;

    team_fold(NULL, &value, sizeof value, sign, &rank);
    ck_assert_uint_eq(value, 71);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        one_after_another_and_then_everybody,
        alone_it_is_a_call,
        NULL,
    };

    return unit_run("team", tests);
}
