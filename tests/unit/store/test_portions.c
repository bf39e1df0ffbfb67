/* SPDX-License-Identifier: MIT */
#include "store/spoil.h"

enum { TOPICS = 300 };

static void add_document(store_portion *p, uint64_t seed, size_t i)
{
    const size_t most = 1 + scene_random(seed, 4 * i, 12);
    uint32_t left = STORE_UNITS, topic = (uint32_t)scene_random(seed, i, 20);
    size_t at;

    ck_assert(store_portion_grow(p, 1, most));
    at = p->start[p->count];
    p->position[p->count] =
        i == 0 ? 1 + scene_any(seed, 1, 40)
               : p->position[i - 1] + 1 + scene_any(seed, 4 * i + 1, 40);
    p->tokens[p->count] = scene_any(seed, 4 * i + 2, 50);
    p->flag[p->count] = (uint8_t)scene_random(seed, 4 * i + 3, 5);
    for (size_t e = 0; e < most && left > 0; e++, at++) {
        const uint32_t units =
            e + 1 == most ? left
                          : 1 + (uint32_t)scene_random(~seed, 20 * i + e, left);
        p->topic[at] = topic;
        p->units[at] = units;
        topic += 1 + (uint32_t)scene_random(seed + 1, 20 * i + e, 20);
        left -= units;
    }
    p->start[++p->count] = at;
}

/* Documents of block `seed`. */
static void make(store_portion *p, uint64_t seed, size_t count)
{
    store_portion_clear(p);
    p->block = seed;
    ck_assert(store_portion_grow(p, 0, 0));
    for (size_t i = 0; i < count; i++)
        add_document(p, seed, i);
}

static bool same(const store_portion *a, const store_portion *b)
{
    const size_t shares = store_portion_shares(a);

    return a->block == b->block && a->count == b->count &&
           shares == store_portion_shares(b) &&
           (a->count == 0 ||
            (memcmp(a->position, b->position, 8 * a->count) == 0 &&
             memcmp(a->tokens, b->tokens, 8 * a->count) == 0 &&
             memcmp(a->flag, b->flag, a->count) == 0 &&
             memcmp(a->start, b->start, (a->count + 1) * sizeof *a->start) ==
                 0 &&
             memcmp(a->topic, b->topic, 4 * shares) == 0 &&
             memcmp(a->units, b->units, 4 * shares) == 0));
}

static const store_kept any = {
    .serial = 7, .topics = TOPICS, .turn = 1, .documents = 30, .blocks = 100,
    .portions = 3, .bytes = 1000, .shares = 90, .moved = 0.125,
    .method = "lb", .options = "200 iterations at most"};

static void put(scene *t, uint64_t number, const store_portion *p)
{
    const uint8_t *stored;
    uint8_t key[14] = "m";
    uint64_t bytes;
    size_t size;

    OK(store_put_portion(t->txn, "m", 1, number, p, &bytes, &t->err));
    put_be32(key + 2, 1);
    put_be64(key + 6, number);
    OK(kv_get(t->txn, (kv_key){DB_KEPT, key, 14}, &stored, &size, &t->err));
    ck_assert_uint_eq(size, bytes);
}

TEST(portions_come_back)
{
    OWN(store_portion_free) store_portion in = {0}, out = {0};
    OWN(scene_drop) scene *const t = scene_writing();

    for (uint64_t seed = 0; seed < 60; seed++) {
        make(&in, seed, seed == 59 ? 20000 : seed);
        put(t, seed, &in);
        OK(store_get_portion(t->txn, "m", &any, seed, &out, &t->err));
        ck_assert(same(&in, &out));
        ck_assert_uint_gt(out.bytes, 48);
    }
    FAILS(store_get_portion(t->txn, "m", &any, 60, &out, &t->err),
          KEDGE_ECORRUPT, "portion 60 is damaged (gone)");
}

TEST(documents_are_taken_out)
{
    OWN(store_portion_free) store_portion all = {0}, some = {0};
    bool there[40];
    OWN(scene_drop) scene *const t = scene_new();

    make(&all, 3, 40);
    for (uint64_t seed = 0; seed < 20; seed++) {
        size_t count = 0;
        make(&some, 3, 40);
        for (size_t i = 0; i < 40; i++)
            there[i] = scene_random(seed, i, 4) >= seed % 5;
        store_portion_keep(&some, there);
        for (size_t i = 0; i < 40; i++) {
            const size_t n = all.start[i + 1] - all.start[i];
            if (!there[i])
                continue;
            ck_assert_uint_lt(count, some.count);
            ck_assert_uint_eq(some.position[count], all.position[i]);
            ck_assert_uint_eq(some.tokens[count], all.tokens[i]);
            ck_assert_uint_eq(some.flag[count], all.flag[i]);
            ck_assert_uint_eq(some.start[count + 1] - some.start[count], n);
            ck_assert_mem_eq(some.topic + some.start[count],
                             all.topic + all.start[i], 4 * n);
            ck_assert_mem_eq(some.units + some.start[count++],
                             all.units + all.start[i], 4 * n);
        }
        ck_assert_uint_eq(some.count, count);
    }
}

TEST(sets_come_back)
{
    char name[64];
    store_kept out = {0}, bad = any;
    OWN(scene_drop) scene *const t = scene_writing();

    FAILS(store_get_kept(t->txn, "m", &out, &t->err), KEDGE_ENOTFOUND,
          "set of topic proportions of model \"m\"");
    OK(store_put_kept(t->txn, "m", &any, &t->err));
    OK(store_get_kept(t->txn, "m", &out, &t->err));
    ck_assert_mem_eq(&out, &any, sizeof out);
    memset(bad.method, 'x', sizeof bad.method);
    FAILS(store_put_kept(t->txn, "m", &bad, &t->err), KEDGE_EINVAL, "too long");
    memset(name, 'n', sizeof name);
    name[63] = 0;
    OK(store_put_kept(t->txn, name, &any, &t->err));
    FAILS(store_put_kept(t->txn, "", &any, &t->err), KEDGE_EINVAL,
          "1 to 63 bytes");
    OK(store_drop_kept(t->txn, "m", &t->err));
    OK(store_drop_kept(t->txn, "m", &t->err));
    ck_assert_int_eq(store_get_kept(t->txn, "m", &out, &t->err),
                     KEDGE_ENOTFOUND);
    OK(store_get_kept(t->txn, name, &out, &t->err));
}

static void check_name(scene *t, uint64_t i, const char *wanted)
{
    char name[64];

    OK(store_get_kept_name(t->txn, i, name, &t->err));
    ck_assert_str_eq(name, wanted);
}

TEST(names_are_of_sets_and_of_what_is_left)
{
    OWN(store_portion_free) store_portion p = {0};
    char name[64];
    uint64_t bytes;
    bool more;
    OWN(scene_drop) scene *const t = scene_writing();

    make(&p, 1, 3);
    OK(store_put_kept(t->txn, "b", &any, &t->err));
    OK(store_put_kept(t->txn, "bb", &any, &t->err));
    OK(store_put_portion(t->txn, "a", 0, 9, &p, &bytes, &t->err));
    for (uint64_t i = 0; i < 7; i++)
        OK(store_put_portion(t->txn, "b", i % 2, i, &p, &bytes, &t->err));
    check_name(t, 0, "a");
    check_name(t, 1, "b");
    check_name(t, 2, "bb");
    ck_assert_int_eq(store_get_kept_name(t->txn, 3, name, &t->err),
                     KEDGE_ENOTFOUND);
    for (int i = 3; i > 0; i--) { /* four of them are of turn 0 */
        OK(store_drop_portions(t->txn, "b", 0, i == 3 ? 2 : 1, &more, &t->err));
        ck_assert(more == (i > 1));
    }
    OK(store_drop_portions(t->txn, "a", 0, 1, &more, &t->err));
    ck_assert(!more);
    OK(store_drop_portions(t->txn, "a", 0, 1, &more, &t->err));
    check_name(t, 0, "b");
    OK(store_get_portion(t->txn, "b", &any, 1, &p, &t->err));
    OK(store_drop_model(t->txn, "b", &t->err));
    OK(store_drop_portions(t->txn, "b", 1, 9, &more, &t->err));
    check_name(t, 0, "bb");
}

static void refused(scene *t, store_portion *p, const store_kept *set,
                    const char *part)
{
    OWN(store_portion_free) store_portion out = {0};

    put(t, 0, p);
    FAILS(store_get_portion(t->txn, "m", set, 0, &out, &t->err), KEDGE_ECORRUPT,
          part);
}

/* What no encoder is given, behind a right checksum. */
TEST(numbers_that_cannot_be_are_found)
{
    store_kept set = any;
    OWN(store_portion_free) store_portion p = {0};
    OWN(scene_drop) scene *const t = scene_writing();

    make(&p, 5, 4);
    p.units[1]++;
    refused(t, &p, &any, "numbers");
    make(&p, 5, 4);
    p.flag[2] = 5;
    refused(t, &p, &any, "numbers");
    make(&p, 5, 4);
    set.topics = p.topic[p.start[4] - 1];
    refused(t, &p, &set, "numbers");
    make(&p, 100, 4);
    refused(t, &p, &any, "its block");
}

TEST(a_set_that_does_not_add_up_is_found)
{
    const kv_key set_at = {DB_KEPT, (const uint8_t *)"m", 1};
    OWN(store_portion_free) store_portion p = {0};
    store_kept set = any;
    OWN(scene_drop) scene *const t = scene_writing();

    set.documents = set.shares = 0;
    for (uint64_t i = 0; i < 3; i++) {
        make(&p, i, 10);
        put(t, i, &p);
        set.documents += p.count;
        set.shares += store_portion_shares(&p);
    }
    OK(store_put_kept(t->txn, "m", &set, &t->err));
    OK(portions_check(t->txn, set_at, &p, &t->err));
    set.documents++;
    OK(store_put_kept(t->txn, "m", &set, &t->err));
    FAILS(portions_check(t->txn, set_at, &p, &t->err), KEDGE_ECORRUPT,
          "(30 documents");
    set.portions = 4;
    OK(store_put_kept(t->txn, "m", &set, &t->err));
    FAILS(portions_check(t->txn, set_at, &p, &t->err), KEDGE_ECORRUPT,
          "portion 3 is damaged (gone)");
}
