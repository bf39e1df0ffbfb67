/* SPDX-License-Identifier: MIT */
#include "store/scene.h"

static const frame_head head = {
    .extra = 5, .x = 1, .y = 2, .z = 3, .plain = 1000};

static void close_frame(store_frame *f, int level)
{
    kedge_error err = {0};

    ck_ok(frame_room(f, head.plain, &err), err);
    for (uint32_t i = 0; i < head.plain; i++)
        f->plain[i] = (uint8_t)(i % 7);
    ck_ok(frame_close(f, "TEST", &head, level, &err), err);
}

static kedge_status open_frame(store_frame *f, const uint8_t *bytes,
                               size_t size, frame_head *out, kedge_error *err)
{
    return frame_open(f, bytes, size, "TEST", "the frame", out, err);
}

TEST(what_goes_in_comes_out)
{
    const int levels[] = {FRAME_LEVEL, FRAME_LEVEL_FAST};
    OWN(frame_free) store_frame f = {0}, g = {0};
    kedge_error err = {0};
    frame_head out;

    for (int i = 0; i < 2; i++) {
        close_frame(&f, levels[i]);
        ck_assert_uint_lt(f.size, 200);
        ck_ok(open_frame(&g, f.bytes, f.size, &out, &err), err);
        ck_assert_mem_eq(f.plain, g.plain, head.plain);
        ck_assert(out.place == 0 && out.extra == 5 && out.x == 1 &&
                  out.y == 2 && out.z == 3 && out.plain == 1000);
    }
}

TEST(a_stamp_tells_the_place)
{
    const uint64_t extra = 9;
    OWN(frame_free) store_frame f = {0};
    kedge_error err = {0};
    frame_head out;

    close_frame(&f, FRAME_LEVEL);
    frame_stamp(f.bytes, 77, NULL);
    ck_ok(frame_peek(f.bytes, f.size, "TEST", "it", &out, &err), err);
    ck_assert(out.place == 77 && out.extra == 5);
    frame_stamp(f.bytes, 78, &extra);
    ck_ok(open_frame(&f, f.bytes, f.size, &out, &err), err);
    ck_assert(out.place == 78 && out.extra == 9);
    ck_fails(frame_peek(f.bytes, f.size, "TEXT", "it", &out, &err),
             KEDGE_ECORRUPT, err, "another record");
}

/* Bytes of the head, under a right checksum. */
TEST(forged_heads_are_refused)
{
    static const struct {
        size_t at, size;
        uint32_t value;
        kedge_status st;
        const char *says;
    } cases[] = {
        {4, 1, 2, KEDGE_EVERSION, "version 2.1"},
        {5, 1, 2, KEDGE_EVERSION, "version 1.2"},
        {7, 1, 1, KEDGE_ECORRUPT, "reserved"},
        {36, 4, 999, KEDGE_ECORRUPT, "its frame"},
        {36, 4, FRAME_PLAIN_MAX + 1, KEDGE_ECORRUPT, "more than 67108864"},
    };
    OWN(frame_free) store_frame f = {0}, g = {0};
    kedge_error err = {0};
    uint8_t bytes[4];
    frame_head out;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        close_frame(&f, FRAME_LEVEL);
        put_u32(bytes, cases[i].value);
        memcpy(f.bytes + cases[i].at, bytes, cases[i].size);
        frame_stamp(f.bytes, 0, NULL);
        ck_fails(open_frame(&g, f.bytes, f.size, &out, &err), cases[i].st, err,
                 cases[i].says);
    }
    ck_assert_uint_eq(g.plain_capacity, 0); /* nothing was made room for */
}

TEST(nothing_may_follow_the_frame)
{
    /* a frame that zstd skips */
    static const uint8_t skipped[] = {0x50, 0x2a, 0x4d, 0x18, 0, 0, 0, 0};
    OWN(frame_free) store_frame f = {0};
    kedge_error err = {0};
    uint8_t longer[512] = {0};
    frame_head out;

    close_frame(&f, FRAME_LEVEL);
    memcpy(longer, f.bytes, f.size);
    memcpy(longer + f.size, skipped, sizeof skipped);
    ck_fails(open_frame(&f, longer, f.size + sizeof skipped, &out, &err),
             KEDGE_ECORRUPT, err, "its frame");
}
