/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include "base/bytes.h"
#include "base/chance.h"

TEST(numbers_have_their_order_of_bytes)
{
    static const uint8_t little[] = {8, 7, 6, 5, 4, 3, 2, 0x81};
    static const uint8_t big[] = {0x81, 2, 3, 4, 5, 6, 7, 8};
    uint8_t room[8];

    put_u64(room, UINT64_C(0x8102030405060708));
    ck_assert_mem_eq(room, little, 8);
    ck_assert_uint_eq(get_u64(little), UINT64_C(0x8102030405060708));
    put_u32(room, 0x05060708);
    ck_assert_mem_eq(room, little, 4);
    ck_assert_uint_eq(get_u32(little + 4), 0x81020304);
    put_be64(room, UINT64_C(0x8102030405060708));
    ck_assert_mem_eq(room, big, 8);
    ck_assert_uint_eq(get_be64(big), UINT64_C(0x8102030405060708));
    put_be32(room, 0x81020304);
    ck_assert_mem_eq(room, big, 4);
    ck_assert_uint_eq(get_be32(big + 4), 0x05060708);
}

TEST(doubles_keep_their_bits)
{
    static const uint8_t one[] = {0, 0, 0, 0, 0, 0, 0xf0, 0x3f};
    static const double values[] = {0.0, -0.0, 1.0, -2.5e-308, 5e-324,
                                    1e308, INFINITY};
    uint8_t room[8];

    put_f64(room, 1.0);
    ck_assert_mem_eq(room, one, 8);
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        double back;
        put_f64(room, values[i]);
        back = get_f64(room);
        ck_assert_mem_eq(&back, &values[i], sizeof back);
    }
    put_f64(room, NAN);
    ck_assert(isnan(get_f64(room)));
}

/* There and back, and refused at every length that is too short. */
static void check_varint(uint64_t value, size_t size)
{
    uint8_t room[VARINT_MAX + 1];
    const uint8_t *from = room;
    uint64_t back = ~value;

    memset(room, 0xee, sizeof room);
    ck_assert_uint_eq((size_t)(put_varint(room, value) - room), size);
    ck_assert_uint_eq(room[size], 0xee);
    ck_assert(get_varint(&from, room + sizeof room, &back));
    ck_assert_uint_eq(back, value);
    ck_assert_uint_eq((size_t)(from - room), size);
    for (size_t cut = 0; cut < size; cut++) {
        from = room;
        back = 99;
        ck_assert(!get_varint(&from, room + cut, &back));
        ck_assert_ptr_eq(from, room);
        ck_assert_uint_eq(back, 99);
    }
}

TEST(varints_come_back_and_are_never_read_past_the_end)
{
    chance c = {.key = 1};

    check_varint(0, 1);
    check_varint(UINT64_MAX, VARINT_MAX);
    for (size_t size = 1; size < VARINT_MAX; size++) {
        check_varint((UINT64_C(1) << (7 * size)) - 1, size);
        check_varint(UINT64_C(1) << (7 * size), size + 1);
    }
    for (int i = 0; i < 200; i++) {
        const uint64_t v = chance_bits(&c) >> chance_below(&c, 64);
        size_t size = 1;
        for (uint64_t rest = v >> 7; rest > 0; rest >>= 7)
            size++;
        check_varint(v, size);
    }
}

TEST(varints_beyond_64_bits_are_refused)
{
    static const uint8_t bad[][VARINT_MAX + 1] = {
        {255, 255, 255, 255, 255, 255, 255, 255, 255, 2},
        {255, 255, 255, 255, 255, 255, 255, 255, 255, 0x7f},
        {255, 255, 255, 255, 255, 255, 255, 255, 255, 0x81, 0},
        {128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 0},
    };

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const uint8_t *from = bad[i];
        uint64_t v = 99;
        ck_assert(!get_varint(&from, bad[i] + sizeof bad[i], &v));
        ck_assert_ptr_eq(from, bad[i]);
        ck_assert_uint_eq(v, 99);
    }
}
