/* SPDX-License-Identifier: MIT */
#include "store/scene.h"

/* A block, the order beside it, and what both are read into. */
typedef struct session {
    docs d, out;
    store_block block, decoded;
    store_order order, scratch;
    kedge_error err;
} session;

static void encode(session *s, size_t from, size_t count)
{
    ck_ok(store_block_encode(&s->block, 7, &s->d, from, count, &s->err),
          s->err);
    ck_ok(store_order_encode(&s->order, &s->d, from, count, &s->err), s->err);
}

static void session_begin(session *s, uint64_t seed, size_t count)
{
    *s = (session){0};
    scene_orders(&s->d, seed, count);
    encode(s, 0, count);
}

static void session_end(session *s)
{
    docs_free(&s->d);
    docs_free(&s->out);
    store_block_free(&s->block);
    store_block_free(&s->decoded);
    store_order_free(&s->order);
    store_order_free(&s->scratch);
}

/* The block's documents after those that were read before, with these bytes as
 * their order. */
static kedge_status decode(session *s, const uint8_t *bytes, size_t size)
{
    const size_t first = s->out.count;
    uint32_t source;

    ck_ok(store_block_decode(&s->decoded, 3, s->block.bytes, s->block.size,
                             STORE_NO_LIMITS, &source, &s->out, &s->err),
          s->err);
    return store_order_decode(&s->scratch, &s->decoded, 3,
                              span_of((const char *)bytes, size), &s->out,
                              first, &s->err);
}

static kedge_status decode_alone(session *s, const uint8_t *bytes, size_t size)
{
    docs_clear(&s->out);
    return decode(s, bytes, size);
}

static const uint8_t *order_bytes(const session *s)
{
    return s->order.size > 0 ? s->order.bytes : NULL;
}

TEST(random_orders_come_back)
{
    size_t with = 0;

    for (uint64_t seed = 0; seed < 300; seed++) {
        session s;
        session_begin(&s, seed, 1 + seed % 50);
        ck_ok(decode(&s, order_bytes(&s), s.order.size), s.err);
        ck_assert(scene_same_docs(&s.d, &s.out));
        ck_assert(scene_same_orders(&s.d, &s.out));
        ck_assert_int_eq(s.order.size > 0, docs_symbols(&s.d) > 0);
        with += s.order.size > 0;
        session_end(&s);
    }
    ck_assert_uint_gt(with, 200);
    ck_assert_uint_lt(with, 300);
}

TEST(parts_of_a_batch_are_appended)
{
    for (uint64_t seed = 0; seed < 50; seed++) {
        session s;
        session_begin(&s, seed, 24);
        for (size_t from = 0; from < 24; from += 4) {
            encode(&s, from, 4);
            ck_ok(decode(&s, order_bytes(&s), s.order.size), s.err);
        }
        ck_assert(scene_same_docs(&s.d, &s.out));
        ck_assert(scene_same_orders(&s.d, &s.out));
        session_end(&s);
    }
}

/* Symbols of several bytes; the last one that a document may have. */
TEST(symbols_at_their_limits)
{
    enum { ENTRIES = 70000 };
    session s = {0};

    for (uint32_t m = 0; m < 2; m++) {
        ck_assert(docs_begin(&s.d, m + 1));
        for (uint32_t k = 0; k < ENTRIES; k++)
            ck_assert(docs_push(&s.d, 2 * k, 1));
        for (uint32_t i = 0; i <= ENTRIES; i++) {
            const uint32_t symbol = ENTRIES - i;
            ck_assert(docs_push_order(&s.d, &symbol, 1));
        }
    }
    encode(&s, 0, 2);
    ck_ok(decode(&s, s.order.bytes, s.order.size), s.err);
    ck_assert(scene_same_orders(&s.d, &s.out));
    session_end(&s);
}

TEST(what_is_too_long_is_refused)
{
    enum { SYMBOLS = 1 << 20 };
    uint32_t *const symbol = mem_new(SYMBOLS, sizeof *symbol);
    session s = {0};

    ck_assert_ptr_nonnull(symbol);
    for (uint64_t m = 0; m < 65; m++)
        ck_assert(docs_begin(&s.d, 5 * m + 1) && docs_push(&s.d, 0, SYMBOLS) &&
                  docs_push_order(&s.d, symbol, SYMBOLS));
    ck_fails(store_order_encode(&s.order, &s.d, 0, 65, &s.err), KEDGE_EINVAL,
             s.err, "documents 1 to 321 are too long for one record");
    ck_assert_uint_eq(s.order.size, 0);
    ck_ok(store_order_encode(&s.order, &s.d, 0, 63, &s.err), s.err);
    mem_free(symbol);
    session_end(&s);
}

/* The block says whether there is one. */
TEST(one_is_neither_lost_nor_anothers)
{
    session s, other;

    session_begin(&s, 11, 12);
    session_begin(&other, 12, 13);
    ck_fails(decode(&s, NULL, 0), KEDGE_ECORRUPT, s.err,
             "order of words of block 3 is lost");
    ck_fails(decode_alone(&s, other.order.bytes, other.order.size),
             KEDGE_ECORRUPT, s.err, "damaged (its ");
    ck_assert_uint_eq(docs_symbols(&s.out), 0);
    scene_docs(&s.d, 11, 12);
    ck_ok(store_block_encode(&s.block, 7, &s.d, 0, 12, &s.err), s.err);
    ck_fails(decode_alone(&s, s.order.bytes, s.order.size), KEDGE_ECORRUPT,
             s.err, "order of words of block 3 is of another block");
    ck_ok(decode_alone(&s, NULL, 0), s.err);
    session_end(&s);
    session_end(&other);
}

/* A record that is whole, of symbols that are not. */
static kedge_status hostile(session *s, const char *plain, uint32_t size,
                            frame_head head)
{
    OWN(frame_free) store_frame f = {0};
    kedge_status st;

    head.plain = size;
    ck_ok(frame_room(&f, size, &s->err), s->err);
    memcpy(f.plain, plain, size);
    ck_ok(frame_close(&f, "KORD", &head, FRAME_LEVEL, &s->err), s->err);
    st = decode_alone(s, f.bytes, f.size);
    return st;
}

TEST(hostile_orders_are_refused)
{
    static const char good[] = {2, 3, 1, 2, 0, 1, 1};
    const frame_head head = {.x = 2, .y = 5};
    /* another count of documents, another sum, what has to be 0 */
    static const frame_head heads[] = {
        {.x = 1, .y = 5},
        {.x = 3, .y = 5},
        {.x = 2, .y = 4},
        {.x = 2, .y = 6},
        {.x = 2, .y = UINT32_MAX},
        {.x = 2, .y = 5, .z = 1},
        {.x = 2, .y = 5, .extra = 1},
    };
    /* sizes of another sum, places that there are not, a cut, something
     * behind */
    static const struct {
        const char *plain;
        uint32_t size;
    } bad[] = {{"\2\2\1\2\0\1\1", 7}, {"\2\3\1\3\0\1\1", 7},
               {"\2\3\1\2\0\1\2", 7}, {"\2\3\1\2\0\1\1\0", 8},
               {"\2\3\1\2\0\1", 6},   {"\2\3\1\2\0\1\x81", 7}};
    const uint32_t n = sizeof good;
    session s = {0};

    ck_assert(docs_begin(&s.d, 1) && docs_push(&s.d, 5, 1) &&
              docs_push(&s.d, 6, 1) &&
              docs_push_order(&s.d, (const uint32_t[]){1, 2}, 2) &&
              docs_begin(&s.d, 2) && docs_push(&s.d, 5, 2) &&
              docs_push_order(&s.d, (const uint32_t[]){0, 1, 1}, 3));
    encode(&s, 0, 2);
    ck_ok(hostile(&s, good, n, head), s.err);
    ck_assert(scene_same_orders(&s.d, &s.out));
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++)
        ck_fails(hostile(&s, good, n, heads[i]), KEDGE_ECORRUPT, s.err,
                 "is damaged (its ");
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        ck_fails(hostile(&s, bad[i].plain, bad[i].size, head), KEDGE_ECORRUPT,
                 s.err, "is damaged (its ");
    ck_assert_uint_eq(docs_symbols(&s.out), 0);
    session_end(&s);
}

TEST(random_streams_never_crash)
{
    session s;
    size_t good = 0;

    session_begin(&s, 11, 3);
    for (uint64_t seed = 0; seed < 20000; seed++) {
        const uint32_t size = 4 + (uint32_t)scene_random(seed, 100, 20);
        frame_head head = {.x = 3, .y = size - 3};
        char plain[24];
        for (size_t i = 0; i < size; i++)
            plain[i] = (char)(scene_random(seed, i, 256) >>
                              scene_random(seed, i + 200, 9));
        plain[2] = (char)(size - 3 - (uint8_t)plain[0] - (uint8_t)plain[1]);
        if (hostile(&s, plain, size, head) != KEDGE_OK)
            continue;
        for (size_t m = 0; m < 3; m++)
            for (size_t i = s.out.order_at[m]; i < s.out.order_at[m + 1]; i++)
                ck_assert_uint_le(s.out.order[i],
                                  s.out.start[m + 1] - s.out.start[m]);
        good++;
    }
    ck_assert_uint_gt(good, 0);
    session_end(&s);
}

static kedge_status get(scene *t, uint64_t block, const uint8_t **bytes,
                        size_t *size)
{
    span record;
    const kedge_status st = store_get_order(t->txn, block, &record, &t->err);

    *bytes = (const uint8_t *)record.bytes;
    *size = record.size;
    return st;
}

TEST(stored_orders_are_read_back)
{
    const uint8_t *bytes;
    size_t size;
    session s;
    OWN(scene_drop) scene *const t = scene_writing();

    for (uint64_t n = 0; n < 20; n++) {
        session_begin(&s, 2 * n + 1, 10);
        ck_assert_uint_gt(s.order.size, 0);
        OK(store_put_block(t->txn, n, &s.block, &t->err));
        OK(store_put_order(t->txn, n, &s.order, &t->err));
        session_end(&s);
    }
    scene_commit(t);
    scene_reopen(t, KEDGE_OPEN_READ);
    scene_read(t);
    for (uint64_t n = 20; n-- > 0;) {
        session_begin(&s, 2 * n + 1, 10);
        OK(get(t, n, &bytes, &size));
        ck_ok(decode(&s, bytes, size), s.err);
        ck_assert(scene_same_orders(&s.d, &s.out));
        session_end(&s);
    }
    OK(get(t, 20, &bytes, &size));
    ck_assert(bytes == NULL && size == 0);
}

TEST(orders_go_with_their_blocks)
{
    const uint8_t *bytes;
    size_t size;
    session s;
    OWN(scene_drop) scene *const t = scene_blank();

    session_begin(&s, 11, 10);
    scene_make(t);
    scene_write(t);
    for (uint64_t n = 0; n < 3; n++) {
        OK(store_put_block(t->txn, n, &s.block, &t->err));
        OK(store_put_order(t->txn, n, &s.order, &t->err));
    }
    OK(store_replace_block(t->txn, 1, &s.block, &t->err));
    OK(store_drop_block(t->txn, 2, &t->err));
    for (uint64_t n = 0; n < 3; n++) {
        OK(get(t, n, &bytes, &size));
        ck_assert_int_eq(bytes != NULL, n == 0);
    }
    session_end(&s);
}
