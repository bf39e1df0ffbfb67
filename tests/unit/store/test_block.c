/* SPDX-License-Identifier: MIT */
#include "store/scene.h"

static void encode(store_block *b, const docs *d)
{
    kedge_error err = {0};

    ck_ok(store_block_encode(b, 7, d, 0, d->count, &err), err);
}

static kedge_status decode(store_block *b, const uint8_t *bytes, size_t size,
                           docs *out, kedge_error *err)
{
    uint32_t source = 0;
    const kedge_status st = store_block_decode(
        b, 3, bytes, size, STORE_NO_LIMITS, &source, out, err);

    if (st == KEDGE_OK)
        ck_assert_uint_eq(source, 7);
    return st;
}

TEST(random_documents_come_back)
{
    OWN(docs_free) docs d = {0}, out = {0};
    OWN(store_block_free) store_block b = {0}, scratch = {0};
    kedge_error err = {0};

    for (uint64_t seed = 0; seed < 300; seed++) {
        scene_docs(&d, seed, 1 + seed % 50);
        encode(&b, &d);
        docs_clear(&out);
        ck_ok(decode(&scratch, b.bytes, b.size, &out, &err), err);
        ck_assert(scene_same_docs(&d, &out));
    }
}

TEST(a_part_of_a_batch_is_appended)
{
    OWN(docs_free) docs d = {0}, out = {0};
    OWN(store_block_free) store_block b = {0};
    kedge_error err = {0};
    uint32_t source;

    scene_docs(&d, 5, 20);
    for (size_t from = 0; from < 20; from += 5) {
        ck_ok(store_block_encode(&b, 9, &d, from, 5, &err), err);
        ck_ok(store_block_decode(&b, 0, b.bytes, b.size, STORE_NO_LIMITS,
                                 &source, &out, &err),
              err);
        ck_assert_uint_eq(source, 9);
    }
    ck_assert(scene_same_docs(&d, &out));
}

/* Whether there is an order beside the block: of the documents that are in it,
 * whatever the others of the batch have. */
TEST(a_block_tells_of_an_order)
{
    OWN(docs_free) docs d = {0}, out = {0};
    OWN(store_block_free) store_block b = {0};
    kedge_error err = {0};
    uint32_t source;

    for (uint64_t seed = 0; seed < 50; seed++) {
        const uint64_t ordered = scene_random(seed, 0, 12);
        docs_clear(&d);
        for (uint64_t m = 0; m < 10; m++) {
            ck_assert(docs_begin(&d, m + 1) && docs_push(&d, 3, 2));
            if (seed % 2 == 0)
                scene_name(&d, seed, m);
            if (m == ordered)
                ck_assert(docs_push_order(&d, (const uint32_t[]){1, 1}, 2));
        }
        for (size_t from = 0; from < 10; from += 2) {
            docs_clear(&out);
            ck_ok(store_block_encode(&b, 9, &d, from, 2, &err), err);
            ck_ok(store_block_decode(&b, 0, b.bytes, b.size, STORE_NO_LIMITS,
                                     &source, &out, &err),
                  err);
            ck_assert_uint_eq(out.count, 2);
            ck_assert_uint_eq(docs_symbols(&out), 0);
            ck_assert(block_has_order(&b) == (ordered / 2 == from / 2));
        }
    }
}

TEST(numbers_at_their_limits)
{
    OWN(docs_free) docs d = {0}, out = {0};
    OWN(store_block_free) store_block b = {0};
    kedge_error err = {0};

    ck_assert(docs_begin(&d, 0));
    ck_assert(docs_push(&d, 0, UINT32_MAX / 2));
    ck_assert(docs_push(&d, UINT32_MAX, 1));
    ck_assert(docs_begin(&d, 1));
    ck_assert(docs_begin(&d, UINT64_MAX));
    ck_assert(docs_push(&d, UINT32_MAX, UINT32_MAX));
    encode(&b, &d);
    ck_ok(decode(&b, b.bytes, b.size, &out, &err), err);
    ck_assert(scene_same_docs(&d, &out));
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
        docs d = {0}, out = {0};
        store_block b = {0};
        kedge_error err = {0};
        for (uint32_t m = 0; m < cases[i].documents; m++) {
            ck_assert(docs_begin(&d, m));
            for (uint32_t w = 0; w < cases[i].words; w++)
                ck_assert(docs_push(&d, w, cases[i].tally));
        }
        encode(&b, &d);
        ck_assert_int_eq(decode(&b, b.bytes, b.size, &out, &err),
                         cases[i].fine ? KEDGE_OK : KEDGE_ECORRUPT);
        ck_assert_uint_eq(out.count, cases[i].fine ? d.count : 0);
        docs_free(&d);
        docs_free(&out);
        store_block_free(&b);
    }
}

/* A record that is whole, of streams that are not. */
static kedge_status hostile(const uint8_t *plain, uint32_t size, uint32_t count,
                            uint32_t entries, uint64_t first, docs *out,
                            kedge_error *err)
{
    const frame_head head = {
        .extra = first, .x = 7, .y = count, .z = entries, .plain = size};
    OWN(frame_free) store_frame f = {0};
    kedge_status st;

    ck_ok(frame_room(&f, size, err), *err);
    memcpy(f.plain, plain, size);
    ck_ok(frame_close(&f, "KBLK", &head, FRAME_LEVEL, err), *err);
    st = decode(&f, f.bytes, f.size, out, err);
    return st;
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
        {good, 12, 0, 2, 1},
        {good, 12, 1, 2, 1},
        {good, 12, 2, 1, 1},
        {good, 12, 2, 3, 1},
        {good, 12, UINT32_MAX, UINT32_MAX, 1},
        {good, 11, 2, 2, 1},
        {flag, 12, 2, 2, 1},
        {good, 4, 2, 2, 1},
        {good, 12, 2, 2, UINT64_MAX},
        {overflow, sizeof overflow, 1, 2, 1},
        {tally, sizeof tally, 1, 1, 1},
    };
    OWN(docs_free) docs out = {0};
    kedge_error err = {0};

    ck_ok(hostile(good, sizeof good, 2, 2, 1, &out, &err), err);
    ck_assert_uint_eq(out.count, 2);
    docs_clear(&out);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        ck_fails(hostile(bad[i].plain, bad[i].size, bad[i].count,
                         bad[i].entries, bad[i].first, &out, &err),
                 KEDGE_ECORRUPT, err, "is damaged");
    ck_assert_uint_eq(out.count, 0);
}

TEST(hostile_names_are_refused)
{
    /* words' bytes, names, entries, sizes of id and label, them, word, tally */
    static const uint8_t good[] = {1, 0, 0, 0, 1, 1, 2, 1, 'i', 'd', 'l', 5, 0};
    uint8_t bad[sizeof good], much[400] = {1, 0, 0, 0, 1, 1, 0x80, 2, 0};
    OWN(docs_free) docs out = {0};
    kedge_error err = {0};

    ck_ok(hostile(good, sizeof good, 1, 1, 1, &out, &err), err);
    ck_assert(span_equal(docs_id(&out, 0), span_text("id")));
    ck_assert(span_equal(docs_label(&out, 0), span_text("l")));
    docs_clear(&out);
    for (size_t i = 4; i < 8; i++)
        for (unsigned v = 0; v < 256; v++) {
            if (v == good[i] || (i == 4 && v == 3) || (i == 6 && v == 1) ||
                (i == 7 && v == 0))
                continue;
            memcpy(bad, good, sizeof good);
            bad[i] = (uint8_t)v;
            ck_assert_msg(hostile(bad, sizeof bad, 1, 1, 1, &out, &err) ==
                              KEDGE_ECORRUPT,
                          "byte %zu is %u", i, v);
        }
    ck_fails(hostile(much, 9 + 256 + 2, 1, 1, 1, &out, &err), KEDGE_ECORRUPT,
             err, "its documents"); /* an id of 256 bytes */
    much[6] = 0xff, much[7] = 1;
    ck_ok(hostile(much, 9 + 255 + 2, 1, 1, 1, &out, &err), err);
}

TEST(names_at_their_limits)
{
    OWNED char *text = mem_new(1 << 20, 1);
    OWN(docs_free) docs d = {0}, out = {0};
    OWN(store_block_free) store_block b = {0};
    kedge_error err = {0};

    ck_assert(
        docs_begin(&d, 9) &&
        docs_set_name(&d, span_of(text, STORE_ID_MAX), span_of(text, 1 << 20)));
    encode(&b, &d);
    ck_ok(decode(&b, b.bytes, b.size, &out, &err), err);
    ck_assert(scene_same_docs(&d, &out));
    ck_assert(
        docs_set_name(&d, span_of(text, STORE_ID_MAX + 1), span_of(text, 0)));
    ck_fails(store_block_encode(&b, 7, &d, 0, 1, &err), KEDGE_EINVAL, err,
             "document 9 has an id of 256 bytes, more than 255");
}

TEST(random_streams_never_crash)
{
    OWN(docs_free) docs out = {0};
    kedge_error err = {0};
    uint8_t plain[64];

    for (uint64_t seed = 0; seed < 20000; seed++) {
        const uint32_t size = 5 + (uint32_t)scene_random(seed, 100, 59);
        for (size_t i = 0; i < size; i++)
            plain[i] = (uint8_t)(scene_random(seed, i, 256) >>
                                 scene_random(seed, i + 200, 8));
        put_u32(plain, (uint32_t)scene_random(seed, 101, size));
        plain[4] = seed % 4;
        const kedge_status st =
            hostile(plain, size, 1 + (uint32_t)scene_random(seed, 102, 4),
                    (uint32_t)scene_random(seed, 103, 20), 1, &out, &err);
        ck_assert(st == KEDGE_OK || st == KEDGE_ECORRUPT);
        for (size_t i = 0; st == KEDGE_OK && i < out.count; i++)
            for (size_t e = out.start[i]; e + 1 < out.start[i + 1]; e++)
                ck_assert_uint_lt(out.word[e], out.word[e + 1]);
        docs_clear(&out);
    }
}

TEST(no_memory_is_told)
{
    OWN(docs_free) docs d = {0}, out = {0};
    OWN(store_block_free) store_block b = {0}, other = {0};
    kedge_error err = {0};

    scene_docs(&d, 3, 50);
    scene_starve(store_block_encode(&b, 7, &d, 0, d.count, &err), err);
    scene_starve(decode(&other, b.bytes, b.size, &out, &err), err);
    ck_assert(scene_same_docs(&d, &out));
}

TEST(stored_blocks_are_read_back)
{
    OWN(scene_drop) scene *const t = scene_blank();
    OWN(docs_free) docs d = {0}, out = {0};
    OWN(store_block_free) store_block b = {0};
    const uint8_t *bytes;
    size_t size;

    scene_make(t);
    scene_write(t);
    for (uint64_t n = 0; n < 20; n++) {
        scene_docs(&d, n, 10);
        encode(&b, &d);
        OK(store_put_block(t->txn, n, &b, &t->err));
    }
    scene_commit(t);
    scene_reopen(t, KEDGE_OPEN_READ);
    scene_read(t);
    for (uint64_t n = 20; n-- > 0;) {
        scene_docs(&d, n, 10);
        docs_clear(&out);
        OK(store_get_block(t->txn, n, &bytes, &size, &t->err));
        OK(decode(&b, bytes, size, &out, &t->err));
        ck_assert(scene_same_docs(&d, &out));
    }
    FAILS(store_get_block(t->txn, 20, &bytes, &size, &t->err), KEDGE_ENOTFOUND,
          "block 20");
}

TEST(documents_of_a_block_are_counted)
{
    static const uint32_t index[] = {0, 3, 9, 70};
    OWN(scene_drop) scene *const t = scene_blank();
    OWN(docs_free) docs d = {0};
    OWN(store_block_free) store_block b = {0};
    OWN(store_gone_free) store_gone gone = {0};
    uint64_t count;

    scene_make(t);
    scene_write(t);
    scene_docs(&d, 4, 70);
    encode(&b, &d);
    OK(store_put_block(t->txn, 5, &b, &t->err));
    OK(store_count_block(t->txn, 4, &gone, &count, &t->err));
    ck_assert_uint_eq(count, 0);
    for (size_t n = 0; n <= 3; n++) {
        OK(store_put_gone(t->txn, 5, index, n, &t->err));
        OK(store_count_block(t->txn, 5, &gone, &count, &t->err));
        ck_assert_uint_eq(count, 70 - n);
    }
    docs_free(&d);
    scene_docs(&d, 4, 2);
    encode(&b, &d);
    OK(store_put_block(t->txn, 5, &b, &t->err));
    FAILS(store_count_block(t->txn, 5, &gone, &count, &t->err), KEDGE_ECORRUPT,
          "gone from block 5 is damaged (document 9 of 2)");
}

TEST(blocks_are_replaced_and_dropped)
{
    const uint32_t gone[] = {1, 4};
    OWN(scene_drop) scene *const t = scene_blank();
    OWN(docs_free) docs d = {0}, out = {0};
    OWN(store_block_free) store_block b = {0};
    OWN(store_gone_free) store_gone g = {0};
    const uint8_t *bytes;
    size_t size;

    scene_make(t);
    scene_write(t);
    scene_docs(&d, 1, 10);
    encode(&b, &d);
    FAILS(store_replace_block(t->txn, 0, &b, &t->err), KEDGE_ENOTFOUND,
          "there is no block 0");
    for (uint64_t n = 0; n < 3; n++) {
        OK(store_put_block(t->txn, n, &b, &t->err));
        OK(store_put_gone(t->txn, n, gone, 2, &t->err));
    }
    docs_drop(&d, 0, gone, 2);
    encode(&b, &d);
    OK(store_replace_block(t->txn, 1, &b, &t->err));
    OK(store_drop_block(t->txn, 2, &t->err));
    OK(store_drop_block(t->txn, 2, &t->err));
    scene_commit(t);
    scene_read(t);
    OK(store_get_block(t->txn, 1, &bytes, &size, &t->err));
    OK(decode(&b, bytes, size, &out, &t->err));
    ck_assert(scene_same_docs(&d, &out));
    FAILS(store_get_block(t->txn, 2, &bytes, &size, &t->err), KEDGE_ENOTFOUND,
          "block 2");
    for (uint64_t n = 0; n < 3; n++) {
        OK(store_get_gone(t->txn, n, &g, &t->err));
        ck_assert_uint_eq(g.count, n == 0 ? 2 : 0);
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

static void example_docs(docs *d)
{
    ck_assert(docs_begin(d, 1) && docs_push(d, 0, 2) && docs_push(d, 5, 1) &&
              docs_push(d, 300, 1));
    ck_assert(docs_set_name(d, span_text("d1"), span_text("news")));
    ck_assert(docs_begin(d, 4) && docs_push(d, 5, 3) && docs_push(d, 6, 1));
}

TEST(the_example_of_the_format_is_right)
{
    const uint8_t key[8] = {0};
    uint8_t bytes[256];
    const size_t size = read_example(bytes, sizeof bytes);
    OWN(docs_free) docs d = {0}, out = {0};
    OWN(store_block_free) store_block b = {0};
    kedge_error err = {0};
    frame_head head;

    ck_assert_uint_eq(size, 90);
    example_docs(&d);
    ck_ok(decode(&b, bytes, size, &out, &err), err);
    ck_assert(scene_same_docs(&d, &out));
    ck_ok(frame_peek(bytes, size, "KBLK", "the example", &head, &err), err);
    ck_assert_uint_eq(head.place, kv_place((kv_key){DB_BLOCKS, key, 8}));
    encode(&b, &d); /* all but zstd's choices, which may come to differ */
    frame_stamp(b.bytes, head.place, NULL);
    ck_assert_mem_eq(b.bytes, bytes, FRAME_HEAD);
}
