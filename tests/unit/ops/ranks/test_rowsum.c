/* SPDX-License-Identifier: MIT */
/* Rows of crews of every size against sums of plain arrays. */
#include "ops/ranks/ranks.h"

#include "base/chance.h"
#include "base/threadranks.h"
#include "linalg/tall.h"
#include "store/scene.h"

/* More than 256 rows each for one, two and three processes: several pieces. */
enum { ROWS = 1003, WIDTH = 3, STRIDE = 1 + WIDTH };

/* Each has its own store, with rows of some of the words. */
typedef struct member {
    scene s;
    store_index index;
    uint32_t place[ROWS];
    int64_t row[ROWS][STRIDE]; /* by row of all; zero where it has none */
} member;

typedef struct table {
    member *member; /* THREADRANKS_MOST */
    words list;
    uint32_t order[ROWS];
    bool spill;
    kedge_status expected;
    kedge_control control;
} table;

static void put_rows(member *m)
{
    int64_t (*const own)[STRIDE] = calloc(ROWS, sizeof *own);
    store_rows r = {0};

    for (size_t i = 0; i < ROWS; i++)
        if (m->place[i] != ROWSUM_NONE)
            memcpy(own[m->place[i]], m->row[i], sizeof *own);
    scene_write(&m->s);
    for (size_t c = 0; c * STORE_CHUNK_ROWS < m->index.words; c++) {
        const size_t left = m->index.words - c * STORE_CHUNK_ROWS;
        ck_ok(store_rows_encode(&r, own[c * STORE_CHUNK_ROWS],
                                left < STORE_CHUNK_ROWS ? left
                                                        : STORE_CHUNK_ROWS,
                                WIDTH, &m->s.err), m->s.err);
        ck_ok(store_put_rows(m->s.txn, m->index.rows, c, &r, &m->s.err),
              m->s.err);
    }
    ck_ok(store_put_index(m->s.txn, 1, &m->index, &m->s.err), m->s.err);
    scene_commit(&m->s);
    store_rows_free(&r);
    free(own);
}

/* Words with a chance of `share` in 4; a row's sum is from `least` on, and
 * its values are any that are not larger. */
static void member_begin(member *m, uint64_t seed, size_t share, int64_t least)
{
    chance c = {.key = seed};

    memset(m->row, 0, sizeof m->row);
    m->index = (store_index){.width = WIDTH, .seed = 5, .rows = 3,
                             .listed = true};
    for (size_t i = 0; i < ROWS; i++) {
        m->place[i] = ROWSUM_NONE;
        if (chance_below(&c, 4) >= share)
            continue;
        m->place[i] = (uint32_t)m->index.words++;
        m->row[i][0] = least + (int64_t)(chance_bits(&c) >> 8);
        for (size_t j = 1; j < STRIDE; j++)
            m->row[i][j] = (int64_t)chance_below(&c, 2 * (uint64_t)
                                                 m->row[i][0] + 1) -
                           m->row[i][0];
    }
    scene_make(&m->s);
    put_rows(m);
}

static void table_begin(table *t)
{
    char name[16];

    *t = (table){.expected = KEDGE_OK};
    kedge_control_init(&t->control);
    t->member = calloc(THREADRANKS_MOST, sizeof *t->member);
    for (size_t i = 0; i < ROWS; i++) {
        t->order[i] = (uint32_t)(i * 101 % ROWS);
        ck_assert(words_add(&t->list, name,
                            (size_t)snprintf(name, sizeof name, "w%zu", i)));
    }
}

static void table_end(table *t, size_t members)
{
    for (size_t r = 0; r < members; r++)
        scene_end(&t->member[r].s);
    free(t->member);
    words_free(&t->list);
}

/* Of the first `size`, modulo 2^64. */
static void naive_row(const table *t, unsigned size, size_t i,
                      int64_t out[STRIDE])
{
    for (size_t j = 0; j < STRIDE; j++) {
        uint64_t sum = 0;
        for (unsigned r = 0; r < size; r++)
            sum += (uint64_t)t->member[r].row[i][j];
        out[j] = (int64_t)sum;
    }
}

static unsigned holders_of(unsigned size)
{
    return size < TALL_GROUPS ? size : TALL_GROUPS;
}

static void check(const table *t, const communicator *m, const sketch *got,
                  const statistic_sum *total)
{
    const unsigned holders = holders_of(m->size);
    tall_part own = {.rows = ROWS};
    int64_t expected[STRIDE], row[STRIDE];
    statistic_sum sum = {0};

    if (m->rank < holders)
        own = tall_of(ROWS, m->rank, holders);
    for (size_t i = 0; i < ROWS; i++) {
        naive_row(t, m->size, i, expected);
        statistic_add(&sum, expected[0]);
        if (i < own.from || i >= own.from + own.count)
            continue;
        sketch_get_row(got, i - own.from, row);
        ck_assert_mem_eq(row, expected, sizeof row);
    }
    ck_assert_uint_eq(total->high, sum.high);
    ck_assert_uint_eq(total->low, sum.low);
    /* rows of all others, and the total: along the line, and back */
    ck_assert_uint_eq(*m->heard,
                      own.count * (m->size - 1) * STRIDE * 8 +
                          sizeof sum * (m->rank > 0) +
                          sizeof sum * (m->rank + 1 < m->size));
}

static rowsum_input input_of(table *t, communicator *of)
{
    member *const m = &t->member[of->rank];

    return (rowsum_input){.comm = of, .holders = holders_of(of->size),
                           .own = m->s.s, .index = &m->index, .place = m->place,
                           .rows = ROWS, .list = &t->list, .order = t->order,
                           .spill = t->spill ? m->s.path : NULL,
                           .control = &t->control};
}

static void deal(void *data, communicator *of)
{
    table *const t = data;
    scene *const s = &t->member[of->rank].s;
    const rowsum_input in = input_of(t, of);
    statistic_sum total;
    sketch *got;

    if (t->expected == KEDGE_OK) {
        ck_ok(rowsum_make(&in, &got, &total, &s->err), s->err);
        check(t, of, got, &total);
    } else {
        ck_fails(rowsum_make(&in, &got, &total, &s->err), t->expected, s->err,
                 "a word occurs in too many documents for the sketch's 64-bit "
                 "sums");
        ck_assert_ptr_null(got);
    }
    sketch_free(got);
    ck_ok(store_begin_write(s->s, &s->txn, &s->err), s->err); /* none is open */
    store_abort(&s->txn);
}

/* Some have all of the words, some have none. */
TEST(rows_of_all_are_added_up)
{
    table t;

    table_begin(&t);
    for (size_t r = 0; r < THREADRANKS_MOST; r++)
        member_begin(&t.member[r], r, r % 5, 0);
    for (unsigned size = 1; size <= THREADRANKS_MOST; size++) {
        const uint64_t heard = threadranks_run(size, deal, &t);
        ck_assert_uint_eq(heard, (size - 1) * (ROWS * STRIDE * 8 +
                                               2 * sizeof(statistic_sum)));
    }
    t.spill = true;
    threadranks_run(3, deal, &t);
    table_end(&t, THREADRANKS_MOST);
}

TEST(sums_that_are_too_large_are_an_error)
{
    const int64_t half = INT64_C(1) << 61;
    table t;

    table_begin(&t);
    for (size_t r = 0; r < 4; r++)
        member_begin(&t.member[r], r, 4, half);
    t.expected = KEDGE_ENUMERIC;
    for (unsigned size = 2; size <= 4; size++)
        threadranks_run(size, deal, &t);
    t.expected = KEDGE_OK;
    threadranks_run(1, deal, &t);
    table_end(&t, 4);
}

static int stop(void *data)
{
    (void)data;
    return 1;
}

TEST(it_can_be_stopped_and_run_out_of_memory)
{
    uint64_t heard = 0;
    communicator alone = {.size = 1, .heard = &heard};
    statistic_sum total;
    sketch *got = NULL;
    table t;

    table_begin(&t);
    member_begin(&t.member[0], 1, 3, 0);
    const rowsum_input in = input_of(&t, &alone);
    scene *const s = &t.member[0].s;
    t.control.stop = stop;
    ck_fails(rowsum_make(&in, &got, &total, &s->err), KEDGE_ECANCELED, s->err,
             "");
    ck_assert_ptr_null(got);
    t.control.stop = NULL;
    scene_starve(rowsum_make(&in, &got, &total, &s->err), s->err);
    check(&t, &alone, got, &total);
    sketch_free(got);
    table_end(&t, 1);
}
