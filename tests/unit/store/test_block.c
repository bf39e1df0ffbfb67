/* SPDX-License-Identifier: MIT */
#include "store/scene.h"

/* Documents, a block of them, the order beside it, and what both are read
 * into. */
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

static void encode_all(session *s)
{
    encode(s, 0, s->d.count);
}

static void session_begin(session *s, uint64_t seed, size_t count)
{
    *s = (session){0};
    scene_orders(&s->d, seed, count);
    encode_all(s);
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

static kedge_status decode_block(session *s, const store_block *b)
{
    uint32_t source = 0;
    const kedge_status st =
        store_block_decode(&s->decoded, 3, b->bytes, b->size, STORE_NO_LIMITS,
                           &source, &s->out, &s->err);

    ck_assert(st != KEDGE_OK || source == 7);
    return st;
}

/* The block's documents after those that were read before, with these bytes as
 * their order. */
static kedge_status decode_with(session *s, const store_order *o)
{
    const size_t first = s->out.count;

    ck_ok(decode_block(s, &s->block), s->err);
    return store_order_decode(
        &s->scratch, &s->decoded, 3,
        span_of(o->size > 0 ? (const char *)o->bytes : NULL, o->size), &s->out,
        first, &s->err);
}

static kedge_status decode(session *s)
{
    return decode_with(s, &s->order);
}

static void ck_same(const session *s)
{
    ck_assert(scene_same_docs(&s->d, &s->out));
    ck_assert(scene_same_orders(&s->d, &s->out));
}

/* ---- what is encoded comes back ------------------------------------------ */

TEST(random_documents_come_back)
{
    size_t with = 0;

    for (uint64_t seed = 0; seed < 300; seed++) {
        OWN(session_end) session s;
        session_begin(&s, seed, 1 + seed % 50);
        ck_ok(decode(&s), s.err);
        ck_same(&s);
        ck_assert_int_eq(s.order.size > 0, docs_symbols(&s.d) > 0);
        ck_assert_int_eq(s.order.size > 0, block_has_order(&s.decoded));
        with += s.order.size > 0;
    }
    ck_assert_uint_gt(with, 200);
    ck_assert_uint_lt(with, 300);
}

TEST(parts_of_a_batch_are_appended)
{
    for (uint64_t seed = 0; seed < 50; seed++) {
        OWN(session_end) session s;
        session_begin(&s, seed, 24);
        for (size_t from = 0; from < 24; from += 4) {
            encode(&s, from, 4);
            ck_ok(decode(&s), s.err);
        }
        ck_same(&s);
    }
}

TEST(numbers_at_their_limits)
{
    OWN(session_end) session s = {0};

    ck_assert(docs_begin(&s.d, 0) && docs_push(&s.d, 0, UINT32_MAX / 2) &&
              docs_push(&s.d, UINT32_MAX, 1) && docs_begin(&s.d, 1) &&
              docs_begin(&s.d, UINT64_MAX) &&
              docs_push(&s.d, UINT32_MAX, UINT32_MAX));
    encode_all(&s);
    ck_ok(decode(&s), s.err);
    ck_same(&s);
}

TEST(names_at_their_limits)
{
    OWNED char *text = mem_new(1 << 20, 1);
    OWN(session_end) session s = {0};

    ck_assert(docs_begin(&s.d, 9) &&
              docs_set_name(&s.d, span_of(text, STORE_ID_MAX),
                            span_of(text, 1 << 20)));
    encode_all(&s);
    ck_ok(decode(&s), s.err);
    ck_same(&s);
    ck_assert(
        docs_set_name(&s.d, span_of(text, STORE_ID_MAX + 1), span_of(text, 0)));
    ck_fails(store_block_encode(&s.block, 7, &s.d, 0, 1, &s.err), KEDGE_EINVAL,
             s.err, "document 9 has an id of 256 bytes, more than 255");
}

/* Symbols of several bytes; the last one that a document may have. */
TEST(symbols_at_their_limits)
{
    enum { ENTRIES = 70000 };
    OWN(session_end) session s = {0};

    for (uint32_t m = 0; m < 2; m++) {
        ck_assert(docs_begin(&s.d, m + 1));
        for (uint32_t k = 0; k < ENTRIES; k++)
            ck_assert(docs_push(&s.d, 2 * k, 1));
        for (uint32_t i = 0; i <= ENTRIES; i++) {
            const uint32_t symbol = ENTRIES - i;
            ck_assert(docs_push_order(&s.d, &symbol, 1));
        }
    }
    encode_all(&s);
    ck_ok(decode(&s), s.err);
    ck_same(&s);
}

TEST(what_is_too_long_is_refused)
{
    enum { SYMBOLS = 1 << 20 };
    OWNED uint32_t *symbol = mem_new(SYMBOLS, sizeof *symbol);
    OWN(session_end) session s = {0};

    ck_assert_ptr_nonnull(symbol);
    for (uint64_t m = 0; m < 65; m++)
        ck_assert(docs_begin(&s.d, 5 * m + 1) && docs_push(&s.d, 0, SYMBOLS) &&
                  docs_push_order(&s.d, symbol, SYMBOLS));
    ck_fails(store_order_encode(&s.order, &s.d, 0, 65, &s.err), KEDGE_EINVAL,
             s.err, "documents 1 to 321 are too long for one record");
    ck_assert_uint_eq(s.order.size, 0);
    ck_ok(store_order_encode(&s.order, &s.d, 0, 63, &s.err), s.err);
}

/* Few bytes that tell of more tokens than anybody could work on. */
TEST(tallies_that_no_writer_takes_are_refused)
{
    static const struct {
        uint32_t documents, words, tally;
        bool fine;
    } cases[] = {
        {1, 6, UINT32_MAX, true},      {1, 7, UINT32_MAX, false},
        {2, 1, UINT32_MAX, false},     {3, 1, UINT32_MAX / 4, true},
        {5, 1, UINT32_MAX / 4, false}, {1, 4096, 1000000, false},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        OWN(session_end) session s = {0};
        for (uint32_t m = 0; m < cases[i].documents; m++) {
            ck_assert(docs_begin(&s.d, m));
            for (uint32_t w = 0; w < cases[i].words; w++)
                ck_assert(docs_push(&s.d, w, cases[i].tally));
        }
        encode_all(&s);
        ck_assert_int_eq(decode_block(&s, &s.block),
                         cases[i].fine ? KEDGE_OK : KEDGE_ECORRUPT);
        ck_assert_uint_eq(s.out.count, cases[i].fine ? s.d.count : 0);
    }
}

/* The block says whether there is an order beside it. */
TEST(an_order_is_neither_lost_nor_anothers)
{
    const store_order none = {0};
    OWN(session_end) session s, other;

    session_begin(&s, 11, 12);
    session_begin(&other, 12, 13);
    ck_fails(decode_with(&s, &none), KEDGE_ECORRUPT, s.err,
             "order of words of block 3 is lost");
    docs_clear(&s.out);
    ck_fails(decode_with(&s, &other.order), KEDGE_ECORRUPT, s.err,
             "damaged (its ");
    ck_assert_uint_eq(docs_symbols(&s.out), 0);
    scene_docs(&s.d, 11, 12);
    ck_ok(store_block_encode(&s.block, 7, &s.d, 0, 12, &s.err), s.err);
    ck_fails(decode(&s), KEDGE_ECORRUPT, s.err,
             "order of words of block 3 is of another block");
    ck_ok(decode_with(&s, &none), s.err);
}

TEST(no_memory_to_encode_is_told)
{
    OWN(session_end) session s;

    session_begin(&s, 3, 50);
    store_block_free(&s.block);
    store_order_free(&s.order);
    scene_starve(store_block_encode(&s.block, 7, &s.d, 0, 50, &s.err), s.err);
    scene_starve(store_order_encode(&s.order, &s.d, 0, 50, &s.err), s.err);
    scene_starve((docs_clear(&s.out), decode_block(&s, &s.block)), s.err);
    ck_assert(scene_same_docs(&s.d, &s.out));
}

/* ---- what nobody encodes ------------------------------------------------- */

/* A record that is whole, of streams that are not. */
static kedge_status hostile(session *s, const char *tag, const void *plain,
                            uint32_t size, frame_head head)
{
    OWN(frame_free) store_frame f = {0};

    head.plain = size;
    ck_ok(frame_room(&f, size, &s->err), s->err);
    memcpy(f.plain, plain, size);
    ck_ok(frame_close(&f, tag, &head, FRAME_LEVEL, &s->err), s->err);
    docs_clear(&s->out);
    return tag[1] == 'B' ? decode_block(s, &f) : decode_with(s, &f);
}

static kedge_status hostile_block(session *s, const uint8_t *plain,
                                  uint32_t size, uint32_t count,
                                  uint32_t entries, uint64_t first)
{
    return hostile(
        s, "KBLK", plain, size,
        (frame_head){.extra = first, .x = 7, .y = count, .z = entries});
}

TEST(hostile_streams_are_refused)
{
    /* words' bytes, no names, step, entries x 2, words x 2, tallies x 2 */
    static const uint8_t good[] = {2, 0, 0, 0, 0, 0, 1, 1, 5, 6, 0, 1};
    static const uint8_t flag[] = {2, 0, 0, 0, 4, 0, 1, 1, 5, 6, 0, 1};
    static const uint8_t overflow[] = {6,    0,    0,    0,    0, 2, 0, 0xff,
                                       0xff, 0xff, 0xff, 0x0f, 0, 0, 0};
    static const uint8_t tally[] = {1, 0,    0,    0,    0,    1,
                                    5, 0xff, 0xff, 0xff, 0xff, 0x0f};
    static const struct {
        const uint8_t *plain;
        uint32_t size, count, entries;
        uint64_t first;
    } bad[] = {
        {good, 12, 0, 2, 1}, {good, 12, 1, 2, 1}, {good, 12, 2, 1, 1},
        {good, 12, 2, 3, 1}, {good, 12, UINT32_MAX, UINT32_MAX, 1},
        {good, 11, 2, 2, 1}, {flag, 12, 2, 2, 1}, {good, 4, 2, 2, 1},
        {good, 12, 2, 2, UINT64_MAX},
        {overflow, sizeof overflow, 1, 2, 1}, {tally, sizeof tally, 1, 1, 1},
    };
    OWN(session_end) session s = {0};

    ck_ok(hostile_block(&s, good, sizeof good, 2, 2, 1), s.err);
    ck_assert_uint_eq(s.out.count, 2);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        ck_fails(hostile_block(&s, bad[i].plain, bad[i].size, bad[i].count,
                               bad[i].entries, bad[i].first),
                 KEDGE_ECORRUPT, s.err, "is damaged");
        ck_assert_uint_eq(s.out.count, 0);
    }
}

TEST(hostile_names_are_refused)
{
    /* words' bytes, names, entries, sizes of id and label, them, word, tally */
    static const uint8_t good[] = {1, 0, 0, 0, 1, 1, 2, 1, 'i', 'd', 'l', 5, 0};
    uint8_t bad[sizeof good], much[400] = {1, 0, 0, 0, 1, 1, 0x80, 2, 0};
    OWN(session_end) session s = {0};

    ck_ok(hostile_block(&s, good, sizeof good, 1, 1, 1), s.err);
    ck_assert(span_equal(docs_id(&s.out, 0), span_text("id")));
    ck_assert(span_equal(docs_label(&s.out, 0), span_text("l")));
    for (size_t i = 4; i < 8; i++)
        for (unsigned v = 0; v < 256; v++) {
            if (v == good[i] || (i == 4 && v == 3) || (i == 6 && v == 1) ||
                (i == 7 && v == 0))
                continue;
            memcpy(bad, good, sizeof good);
            bad[i] = (uint8_t)v;
            ck_assert_msg(hostile_block(&s, bad, sizeof bad, 1, 1, 1) ==
                              KEDGE_ECORRUPT, "byte %zu is %u", i, v);
        }
    ck_fails(hostile_block(&s, much, 9 + 256 + 2, 1, 1, 1), KEDGE_ECORRUPT,
             s.err, "its documents"); /* an id of 256 bytes */
    much[6] = 0xff, much[7] = 1;
    ck_ok(hostile_block(&s, much, 9 + 255 + 2, 1, 1, 1), s.err);
}

TEST(hostile_orders_are_refused)
{
    static const char good[] = {2, 3, 1, 2, 0, 1, 1};
    const frame_head head = {.x = 2, .y = 5};
    /* another count of documents, another sum, what has to be 0 */
    static const frame_head heads[] = {
        {.x = 1, .y = 5},          {.x = 3, .y = 5},
        {.x = 2, .y = 4},          {.x = 2, .y = 6},
        {.x = 2, .y = UINT32_MAX}, {.x = 2, .y = 5, .z = 1},
        {.x = 2, .y = 0},          {.x = 2, .y = 5, .extra = 1},
    };
    /* sizes of another sum, places that there are not, a cut, something
     * behind */
    static const struct {
        const char *plain;
        uint32_t size;
    } bad[] = {{"\2\2\1\2\0\1\1", 7}, {"\2\3\1\3\0\1\1", 7},
               {"\2\3\1\2\0\1\2", 7}, {"\2\3\1\2\0\1\1\0", 8},
               {"\2\3\1\2\0\1", 6},   {"\2\3\1\2\0\1\x81", 7}};
    OWN(session_end) session s = {0};

    ck_assert(docs_begin(&s.d, 1) && docs_push(&s.d, 5, 1) &&
              docs_push(&s.d, 6, 1) &&
              docs_push_order(&s.d, (const uint32_t[]){1, 2}, 2) &&
              docs_begin(&s.d, 2) && docs_push(&s.d, 5, 2) &&
              docs_push_order(&s.d, (const uint32_t[]){0, 1, 1}, 3));
    encode_all(&s);
    ck_ok(hostile(&s, "KORD", good, sizeof good, head), s.err);
    ck_same(&s);
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++)
        ck_fails(hostile(&s, "KORD", good, sizeof good, heads[i]),
                 KEDGE_ECORRUPT, s.err, "is damaged (its ");
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        ck_fails(hostile(&s, "KORD", bad[i].plain, bad[i].size, head),
                 KEDGE_ECORRUPT, s.err, "is damaged (its ");
    ck_assert_uint_eq(docs_symbols(&s.out), 0);
}

/* ---- in the store -------------------------------------------------------- */

TEST(documents_of_a_block_are_counted)
{
    static const uint32_t index[] = {0, 3, 9, 70};
    OWN(session_end) session s;
    OWN(store_gone_free) store_gone gone = {0};
    uint64_t count;
    OWN(scene_drop) scene *const t = scene_writing();

    session_begin(&s, 4, 70);
    OK(store_put_block(t->txn, 5, &s.block, &t->err));
    OK(store_count_block(t->txn, 4, &gone, &count, &t->err));
    ck_assert_uint_eq(count, 0);
    for (size_t n = 0; n <= 3; n++) {
        OK(store_put_gone(t->txn, 5, index, n, &t->err));
        OK(store_count_block(t->txn, 5, &gone, &count, &t->err));
        ck_assert_uint_eq(count, 70 - n);
    }
    encode(&s, 0, 2);
    OK(store_put_block(t->txn, 5, &s.block, &t->err));
    FAILS(store_count_block(t->txn, 5, &gone, &count, &t->err), KEDGE_ECORRUPT,
          "removed from block 5 is damaged (document 9 of 2)");
}

/* The order of words and the list of what is gone go with them. */
TEST(blocks_are_replaced_and_dropped)
{
    const uint32_t gone[] = {1, 4};
    OWN(session_end) session s;
    OWN(store_gone_free) store_gone g = {0};
    uint32_t source;
    span order;
    OWN(scene_drop) scene *const t = scene_writing();

    session_begin(&s, 11, 10);
    FAILS(store_replace_block(t->txn, 0, &s.block, &t->err), KEDGE_ENOTFOUND,
          "there is no block 0");
    for (uint64_t n = 0; n < 3; n++) {
        OK(store_put_block(t->txn, n, &s.block, &t->err));
        OK(store_put_order(t->txn, n, &s.order, &t->err));
        OK(store_put_gone(t->txn, n, gone, 2, &t->err));
    }
    docs_drop(&s.d, 0, gone, 2);
    docs_drop_order(&s.d, 0);
    encode_all(&s);
    OK(store_replace_block(t->txn, 1, &s.block, &t->err));
    for (int i = 0; i < 2; i++)
        OK(store_drop_block(t->txn, 2, &t->err));
    OK(store_put_totals(t->txn, &(store_totals){.blocks = 3}, &t->err));
    scene_commit(t);
    scene_read(t);
    t->unlimited = true;
    ledger_set_limits(t->txn, STORE_NO_LIMITS);
    OK(store_read_block(t->txn, 1, &s.decoded, &s.scratch, &source, &s.out,
                        &t->err));
    ck_same(&s);
    FAILS(
        store_read_block(t->txn, 2, &s.decoded, NULL, &source, &s.out, &t->err),
        KEDGE_ENOTFOUND, "block 2");
    for (uint64_t n = 0; n < 3; n++) {
        OK(store_get_gone(t->txn, n, &g, &t->err));
        OK(store_get_order(t->txn, n, &order, &t->err));
        ck_assert(g.count == (n == 0 ? 2 : 0));
        ck_assert((order.size > 0) == (n == 0));
    }
}

/* The bytes of the first block of hex in the format's description. */
static size_t read_example(uint8_t *to, size_t room)
{
    FILE *f = fopen(SOURCE_ROOT "/src/store/FORMAT.md", "r");
    char line[512];
    bool inside = false;
    size_t size = 0;

    ck_assert_ptr_nonnull(f);
    while (fgets(line, sizeof line, f) != NULL) {
        const char *p = line;
        unsigned byte;
        int used;
        if (strncmp(line, "```", 3) == 0) {
            if (inside)
                break;
            inside = strcmp(line, "```hex\n") == 0;
            continue;
        }
        for (; inside && sscanf(p, "%2x%n", &byte, &used) == 1; p += used) {
            ck_assert_uint_lt(size, room);
            to[size++] = (uint8_t)byte;
        }
    }
    fclose(f);
    return size;
}

TEST(the_example_of_the_format_is_right)
{
    uint8_t bytes[256];
    const store_block stored = {.bytes = bytes,
                                .size = read_example(bytes, sizeof bytes)};
    OWN(session_end) session s = {0};
    frame_head head;

    ck_assert_uint_eq(stored.size, 90);
    ck_assert(docs_begin(&s.d, 1) && docs_push(&s.d, 0, 2) &&
              docs_push(&s.d, 5, 1) && docs_push(&s.d, 300, 1) &&
              docs_set_name(&s.d, span_text("d1"), span_text("news")) &&
              docs_begin(&s.d, 4) && docs_push(&s.d, 5, 3) &&
              docs_push(&s.d, 6, 1));
    ck_ok(decode_block(&s, &stored), s.err);
    ck_assert(scene_same_docs(&s.d, &s.out));
    ck_ok(frame_peek(bytes, 90, "KBLK", "the example", &head, &s.err), s.err);
    ck_assert_uint_eq(head.place, kv_place(KV_KEY8(DB_BLOCKS, 0)));
    encode_all(&s); /* all but zstd's choices, which may come to differ */
    frame_stamp(s.block.bytes, head.place, NULL);
    ck_assert_mem_eq(s.block.bytes, bytes, FRAME_HEAD);
}
