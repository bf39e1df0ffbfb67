/* SPDX-License-Identifier: MIT */
#include "store/spoil.h"

static const store_index sample = {
    .statistic = 1,
    .weight_bits = 32,
    .value_bits = 5,
    .width = 1000,
    .seed = UINT64_MAX,
    .min_tokens = 5,
    .words = 6,
    .blocks = 7,
    .documents = 8,
    .skipped = 9,
    .tokens = 10,
    .rows = UINT32_MAX,
    .removals = 11,
    .rule = "in at least 20 documents",
    .total = 0x1.8p70,
    .parts = 12,
    .asked = UINT64_MAX - 1,
    .frozen = true,
};

TEST(indexes_come_back)
{
    const uint32_t ids[] = {1, 2, 3, 5, 8, 13};
    store_index in = sample, out;
    OWN(scene_drop) scene *const t = scene_unlimited();

    in.listed = in.joined = true;
    OK(store_put_index(t->txn, 3, &in, &t->err));
    FAILS(store_get_index_record(t->txn, 3, &out, &t->err), KEDGE_ECORRUPT,
          "its list of words is gone");
    OK(store_put_list(t->txn, 3, ids, 5, &t->err));
    FAILS(store_get_index_record(t->txn, 3, &out, &t->err), KEDGE_ECORRUPT,
          "its list has 5 words, not 6");
    OK(store_put_list(t->txn, 3, ids, 6, &t->err));
    OK(store_get_index_record(t->txn, 3, &out, &t->err));
    ck_assert_mem_eq(&out, &in, sizeof in);
    FAILS(store_get_index_record(t->txn, 0, &out, &t->err), KEDGE_ENOTFOUND,
          "there is no index 0");
}

TEST(indexes_that_nobody_makes_are_refused)
{
    static const struct {
        uint32_t statistic, weight_bits, value_bits;
        bool joined;
        kedge_status st;
    } cases[] = {
        {0, 40, 0, false, KEDGE_OK},       {1, 32, 5, false, KEDGE_OK},
        {2, 32, 5, false, KEDGE_OK},       {3, 32, 5, false, KEDGE_EVERSION},
        {0, 39, 0, false, KEDGE_EVERSION}, {0, 40, 1, false, KEDGE_EVERSION},
        {1, 32, 4, false, KEDGE_EVERSION}, {1, 32, 5, true, KEDGE_ECORRUPT},
    };
    store_index v = sample, out;
    uint8_t body[STORE_INDEX_SIZE];
    OWN(scene_drop) scene *const t = scene_unlimited();

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        v.statistic = cases[i].statistic;
        v.weight_bits = cases[i].weight_bits;
        v.value_bits = cases[i].value_bits;
        v.joined = cases[i].joined; /* without a list */
        OK(store_put_index(t->txn, 0, &v, &t->err));
        ck_assert_int_eq(store_get_index_record(t->txn, 0, &out, &t->err),
                         cases[i].st);
        store_write_index(&v, body);
        ck_assert_int_eq(store_read_index(body, &out, "it", &t->err),
                         v.joined ? KEDGE_ECORRUPT : KEDGE_OK);
    }
}

/* With their lists and phrases. */
TEST(indexes_are_dropped)
{
    OWN(store_joins_free) store_joins found = {0};
    OWN(store_list_free) store_list list = {0};
    store_index v = sample, out;
    uint32_t number = 9;
    OWN(scene_drop) scene *const t = scene_unlimited();

    FAILS(store_next_index(t->txn, 0, &number, &out, &t->err), KEDGE_ENOTFOUND,
          "");
    OK(store_put_index(t->txn, 3, &v, &t->err));
    OK(store_put_index(t->txn, UINT32_MAX, &v, &t->err));
    OK(store_put_list(t->txn, 3, (const uint32_t[]){7, 8}, 2, &t->err));
    OK(store_put_joins(t->txn, 3, &(store_joins){0}, &t->err));
    for (int i = 0; i < 2; i++)
        OK(store_drop_index(t->txn, 3, &t->err));
    FAILS(store_get_list(t->txn, 3, &list, &t->err), KEDGE_ENOTFOUND,
          "index 3");
    FAILS(store_get_joins(t->txn, 3, &found, &t->err), KEDGE_ENOTFOUND,
          "index 3");
    OK(store_next_index(t->txn, 1, &number, &out, &t->err));
    ck_assert_uint_eq(number, UINT32_MAX);
}

typedef struct visits {
    store_txn *txn;
    size_t count, most; /* the one after fails */
    bool drops;
    uint32_t number[8];
} visits;

static kedge_status visit(void *data, uint32_t number, store_index *v,
                          kedge_error *err)
{
    visits *const to = data;

    if (to->count == to->most)
        return kedge_fail(err, KEDGE_ECANCELED, "index %u is too much", number);
    ck_assert_uint_eq(v->seed, number);
    to->number[to->count++] = number;
    return to->drops ? store_drop_index(to->txn, number, err) : KEDGE_OK;
}

TEST(each_index_is_visited_until_one_fails)
{
    const uint32_t numbers[] = {0, 3, 4, 1000000, UINT32_MAX};
    store_index v = sample;
    OWN(scene_drop) scene *const t = scene_unlimited();

    for (size_t n = 0; n <= 5; n++) {
        for (size_t most = 0; most <= 5; most++) {
            visits got = {.txn = t->txn, .most = most};
            if (most < n)
                FAILS(store_each_index(t->txn, visit, &got, &t->err),
                      KEDGE_ECANCELED, "is too much");
            else
                OK(store_each_index(t->txn, visit, &got, &t->err));
            ck_assert_uint_eq(got.count, most < n ? most : n);
            ck_assert_mem_eq(got.number, numbers, got.count * sizeof *numbers);
        }
        v.seed = n < 5 ? numbers[n] : 0;
        if (n < 5)
            OK(store_put_index(t->txn, numbers[n], &v, &t->err));
    }
    OK(store_each_index(t->txn, visit,
                       &(visits){.txn = t->txn, .most = 5, .drops = true},
                       &t->err));
    OK(store_each_index(t->txn, visit, &(visits){0}, &t->err));
    store_abort(&t->txn);
    FAILS(store_each_index(t->txn, visit, &(visits){0}, &t->err), KEDGE_EMISUSE,
          "no transaction");
}

/* ---- phrases ------------------------------------------------------------- */

/* `count` joins in order; ids of every magnitude. */
static store_joins make(uint64_t seed, size_t count)
{
    store_joins j = {
        .blocks = scene_any(seed, 0, 63), .removals = scene_any(seed, 1, 63),
        .words = scene_any(seed, 2, 63), .documents = scene_any(seed, 3, 63),
        .score = (double)scene_any(seed, 4, 53) / 3 - 1,
    };
    uint32_t left = 0, right = 0;
    uint64_t at = 5;

    ck_assert(
        mem_grow((void **)&j.join, &j.capacity, count + 1, sizeof *j.join));
    for (; j.count < count; j.count++) {
        const uint32_t step = (uint32_t)scene_any(seed, at++, 12);
        right = step > 0 || right > UINT32_MAX - 300
                    ? (uint32_t)scene_any(seed, at++, 32)
                    : right + 1 + (uint32_t)scene_any(seed, at++, 8);
        left += step;
        j.join[j.count] = (store_join){
            left, right, (uint32_t)scene_any(seed, at, 32),
            1 + (uint32_t)scene_random(seed, at + 1, STORE_JOIN_ROUNDS)};
        at += 2;
        if (j.count > 0 && step == 0 && right <= j.join[j.count - 1].right)
            j.join[j.count].left = ++left;
    }
    return j;
}

static bool same(const store_joins *a, const store_joins *b)
{
    return a->blocks == b->blocks && a->removals == b->removals &&
           a->words == b->words && a->documents == b->documents &&
           a->score == b->score && a->count == b->count &&
           (a->count == 0 ||
            memcmp(a->join, b->join, a->count * sizeof *a->join) == 0);
}

TEST(joins_come_back)
{
    store_joins out = {0};
    OWN(scene_drop) scene *const t = scene_blank();

    scene_make_unlimited(t);
    for (uint32_t seed = 0; seed < 200; seed++) {
        store_joins j = make(seed, scene_any(seed, 99, 10));
        scene_write(t);
        OK(store_put_joins(t->txn, seed / 2, &j, &t->err));
        scene_commit(t); /* every other one over another */
        scene_read(t);
        OK(store_get_joins(t->txn, seed / 2, &out, &t->err));
        ck_assert(same(&j, &out));
        store_abort(&t->txn);
        store_joins_free(&j);
    }
    store_joins_free(&out);
    ck_assert_ptr_null(out.join);
}

TEST(numbers_at_their_limits)
{
    store_join join[] = {{0, 0, UINT32_MAX, STORE_JOIN_ROUNDS},
                         {0, UINT32_MAX, 0, 1},
                         {UINT32_MAX, 0, UINT32_MAX, 1},
                         {UINT32_MAX, UINT32_MAX, 1, 1}};
    const store_joins j = {.blocks = UINT64_MAX, .removals = UINT64_MAX,
                           .words = UINT64_MAX, .documents = UINT64_MAX,
                           .score = -1, .join = join, .count = 4};
    OWN(store_joins_free) store_joins out = {0};
    OWN(scene_drop) scene *const t = scene_unlimited();

    OK(store_put_joins(t->txn, UINT32_MAX, &j, &t->err));
    OK(store_get_joins(t->txn, UINT32_MAX, &out, &t->err));
    ck_assert(same(&j, &out));
}

TEST(joins_are_dropped_and_refused)
{
    store_join join[] = {{1, 2, 3, 1}, {1, 2, 4, 2}};
    store_joins j = {.join = join, .count = 2}, out = {0};
    OWN(scene_drop) scene *const t = scene_unlimited();

    FAILS(store_put_joins(t->txn, 1, &j, &t->err), KEDGE_EINVAL,
          "must be in order"); /* a pair twice */
    join[1].right = 1;
    FAILS(store_put_joins(t->txn, 1, &j, &t->err), KEDGE_EINVAL,
          "must be in order");
    join[1].left = 0;
    FAILS(store_put_joins(t->txn, 1, &j, &t->err), KEDGE_EINVAL,
          "must be in order");
    j.count = 1;
    for (uint32_t index = 1; index < 3; index++)
        OK(store_put_joins(t->txn, index, &j, &t->err));
    for (int i = 0; i < 2; i++)
        OK(store_drop_joins(t->txn, 1, &t->err));
    FAILS(store_get_joins(t->txn, 1, &out, &t->err), KEDGE_ENOTFOUND,
          "phrases of index 1");
    ck_assert_uint_eq(out.count, 0);
    OK(store_get_joins(t->txn, 2, &out, &t->err));
    ck_assert(same(&j, &out));
    store_joins_free(&out);
}

/* A record that is whole, of joins that are not: `plain` comes after the
 * numbers. */
static kedge_status hostile(scene *t, const char *plain, uint32_t size,
                            frame_head head)
{
    OWN(store_joins_free) store_joins out = {0};
    uint8_t all[64] = {0};
    kedge_status st;

    memcpy(all + 40, plain, size);
    spoil_frame(t, KV_KEY4(DB_JOINS, 0), "KJOI", all, 40 + size, head);
    st = store_get_joins(t->txn, 0, &out, &t->err);
    ck_assert_uint_eq(out.count, st == KEDGE_OK ? head.x : 0);
    return st;
}

TEST(hostile_joins_are_refused)
{
    static const char *const bad[] = {
        "\1\2\3\0\1\0\4\1",                       /* no round */
        "\1\2\3\x08\1\0\4\1", "\1\2\3\1\0\2\4\1", /* the same pair again */
        "\1\2\3\1\0\1\4\1",                       /* falling */
        "\1\2\3\1\1\0\4\x81",
    };
    const frame_head head = {.x = 2};
    OWN(scene_drop) scene *const t = scene_unlimited();

    OK(hostile(t, "", 0, (frame_head){0}));
    OK(hostile(t, "\1\2\3\7\1\0\4\1", 8, head));
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        FAILS(hostile(t, bad[i], 8, head), KEDGE_ECORRUPT,
              "phrases of index 0 are damaged (words)");
    FAILS(hostile(t, "\1\2\3\1\xff\xff\xff\xff\x0f\0\4\1", 12, head),
          KEDGE_ECORRUPT, "(words)"); /* beyond the last id */
    FAILS(hostile(t, "\1\x80\x80\x80\x80\x10\3\1", 8, (frame_head){.x = 1}),
          KEDGE_ECORRUPT, "(words)");
    FAILS(hostile(t, "\1\2\3\1\1\0\4\1\0", 9, head), KEDGE_ECORRUPT,
          "(words)"); /* something behind */
    FAILS(hostile(t, "\1\2\3\1", 4, head), KEDGE_ECORRUPT, "(size)");
    FAILS(hostile(t, "\1\2\3\1", 4, (frame_head){.x = UINT32_MAX}),
          KEDGE_ECORRUPT, "(size)");
    for (int part = 0; part < 3; part++)
        FAILS(hostile(t, "", 0,
                      (frame_head){
                          .extra = part == 0, .y = part == 1, .z = part == 2}),
              KEDGE_ECORRUPT, "(size)");
}
