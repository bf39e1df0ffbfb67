/* SPDX-License-Identifier: MIT */
/* The values are part of the store's format: they come from the definition in
 * another language and never change. */
#include "unit.h"

#include "base/chance.h"
#include "base/hash.h"

TEST(values_are_pinned)
{
    ck_assert_uint_eq(hash_mix(0), 0);
    ck_assert_uint_eq(hash_mix(1), UINT64_C(0x5692161d100b05e5));
    ck_assert_uint_eq(hash_mix(UINT64_MAX), UINT64_C(0xb4d055fcf2cbbd7b));
    ck_assert_uint_eq(hash_stream(0, 0), UINT64_C(0xe220a8397b1dcdaf));
    ck_assert_uint_eq(hash_stream(0, 1), UINT64_C(0x6e789e6aa1b965f4));
    ck_assert_uint_eq(hash_stream(1, 0), UINT64_C(0x910a2dec89025cc1));
    ck_assert_uint_eq(hash_stream(12345, 6), UINT64_C(0x1f6622b40cb38e42));
    ck_assert_uint_eq(hash_stream(UINT64_MAX, UINT64_MAX),
                      UINT64_C(0xb4d055fcf2cbbd7b));
}

TEST(bytes_are_pinned)
{
    static const char longer[] = "a word of more than sixteen bytes";

    ck_assert_uint_eq(hash_bytes(0, "", 0), UINT64_C(0x568a9b0b1a2c05ec));
    ck_assert_uint_eq(hash_bytes(1, "", 0), UINT64_C(0x6ec85f1f8547bc0c));
    ck_assert_uint_eq(hash_bytes(0, "\0", 1), UINT64_C(0xa184ec931bc783cb));
    ck_assert_uint_eq(hash_bytes(0, "word", 4),
                      UINT64_C(0x2077aa49e3e7d2fc));
    ck_assert_uint_eq(hash_bytes(7, "eight888", 8),
                      UINT64_C(0xbd6e291db88a6915));
    ck_assert_uint_eq(hash_bytes(7, "eight888\0", 9),
                      UINT64_C(0xb005af16dff27afc));
    ck_assert_uint_eq(hash_bytes(42, longer, sizeof longer - 1),
                      UINT64_C(0xeacfeb49f7f3a40e));
}

/* Nothing around the bytes counts: not where they lie, not what follows. */
TEST(only_the_bytes_count)
{
    for (size_t size = 0; size < 40; size++) {
        uint8_t room[64];
        uint64_t first = 0;
        for (size_t shift = 0; shift < 16; shift++) {
            memset(room, (int)(shift * 17), sizeof room);
            for (size_t i = 0; i < size; i++)
                room[shift + i] = (uint8_t)(i * 37 + 5);
            const uint64_t h = hash_bytes(3, room + shift, size);
            if (shift == 0)
                first = h;
            ck_assert_uint_eq(h, first);
        }
    }
}

/* Every bit of the input turns about half of the output. */
TEST(every_bit_counts)
{
    chance c = {.key = 5};

    for (size_t size = 1; size <= 24; size++) {
        uint8_t text[24];
        unsigned turned = 0;
        for (size_t i = 0; i < size; i++)
            text[i] = (uint8_t)chance_bits(&c);
        const uint64_t before = hash_bytes(9, text, size);
        for (size_t bit = 0; bit < 8 * size; bit++) {
            text[bit / 8] ^= (uint8_t)(1 << bit % 8);
            const uint64_t now = hash_bytes(9, text, size) ^ before;
            text[bit / 8] ^= (uint8_t)(1 << bit % 8);
            ck_assert_int_ge(__builtin_popcountll(now), 10);
            ck_assert_int_le(__builtin_popcountll(now), 54);
            turned += (unsigned)__builtin_popcountll(now);
        }
        ck_assert_double_eq_tol(turned / (8.0 * (double)size), 32, 4);
    }
}
