/* SPDX-License-Identifier: MIT */
/*
 * The kernel's versions, those that this machine can run, each against plain
 * integers.
 */
#include "cooccur/corpus.h"

#include "cooccur/kernel.h"

#define WORDS 300
#define DOCUMENTS 60
#define ENTRIES 400

typedef struct fixture {
    window w;
    size_t start[DOCUMENTS + 1];
    uint32_t length[DOCUMENTS];
    uint32_t local[DOCUMENTS * ENTRIES];
    int16_t value[DOCUMENTS * ENTRIES];
    uint64_t signs[WORDS];
    int16_t s[DOCUMENTS * KERNEL_COLUMNS];
} fixture;

/* Documents of up to `count` entries whose values add up to `most`; `aligned`:
 * all signs +, the largest sums. */
static void make_documents(fixture *f, chance *c, size_t count, bool aligned,
                           size_t most)
{
    const uint32_t largest = count == 0 ? 1 : (uint32_t)(most / count);

    f->w = (window){.documents = DOCUMENTS, .start = f->start,
                    .length = f->length, .local = f->local,
                    .value = f->value, .words = WORDS};
    for (size_t i = 0; i < WORDS; i++)
        f->signs[i] = aligned ? UINT64_MAX : chance_bits(c);
    for (size_t m = 0; m < DOCUMENTS; m++) {
        size_t at = f->start[m];
        f->length[m] = 0;
        for (size_t k = 0; k < (m == 0 ? count : chance_below(c, count + 1));
             k++) {
            const uint32_t x =
                m == 0 ? largest : 1 + (uint32_t)chance_below(c, largest);
            f->local[at] = (uint32_t)chance_below(c, WORDS);
            f->value[at++] = (int16_t)x;
            f->length[m] += x;
        }
        f->start[m + 1] = at;
    }
}

/* s and its largest from the definition, in plain order. */
static int naive_dots(const fixture *f, int16_t *s)
{
    int largest = 0;

    for (size_t m = 0; m < DOCUMENTS; m++)
        for (unsigned c = 0; c < KERNEL_COLUMNS; c++) {
            int sum = 0;
            for (size_t k = f->start[m]; k < f->start[m + 1]; k++)
                sum += f->value[k] * sign_at(f->signs[f->local[k]], c);
            s[m * KERNEL_COLUMNS + c] = (int16_t)sum;
            largest = abs(sum) > largest ? abs(sum) : largest;
        }
    return largest;
}

static void kernel_signs(const kernel *k, const fixture *f,
                         uint64_t signs[WORDS])
{
    for (size_t i = 0; i < WORDS; i++)
        signs[i] = k->order(f->signs[i]);
}

/* Of three limbs of so many bits. */
static int64_t random_weight(chance *c, unsigned bits, bool extreme)
{
    const int64_t full = (INT64_C(1) << 2 * bits) - 1;

    if (extreme)
        return bits == WINDOW_LIMB_BITS ? full : full | INT64_C(1) << 3 * bits;
    return (int64_t)(chance_bits(c) >> (64 - 3 * bits + chance_below(c, 20)));
}

/* `count` postings of random documents, and what they add to a row. */
static int64_t make_postings(chance *c, const int16_t *s, size_t count,
                             bool extreme, const kernel_row *r,
                             int64_t row[KERNEL_COLUMNS])
{
    window_pair *const pair = (window_pair *)r->pair;
    const unsigned bits = r->limb_bits;
    int64_t own = 0;

    memset(pair, 0, (count + 2) / 2 * sizeof *pair);
    for (size_t k = 0; k < count; k++) {
        const size_t m = extreme ? 0 : chance_below(c, DOCUMENTS);
        const int64_t a = random_weight(c, bits, extreme);
        pair[k / 2].document[k % 2] = (uint32_t)m;
        for (unsigned i = 0; i < WINDOW_LIMBS; i++) {
            const int64_t most = i + 1 < WINDOW_LIMBS ? (1 << bits) - 1 : 32767;
            pair[k / 2].limb[i] |= (uint32_t)(a >> bits * i & most)
                                   << 16 * (k % 2);
        }
        ck_assert_int_eq(window_weight(&pair[k / 2], k % 2, bits), a);
        own += a;
        for (unsigned l = 0; l < KERNEL_COLUMNS; l++)
            row[l] +=
                a * (s[m * KERNEL_COLUMNS + l] - sign_at(r->signs, l));
    }
    return own;
}

#define POSTINGS 3000

static void check(uint64_t seed, size_t entries, size_t postings)
{
    static fixture f;
    static int16_t plain[DOCUMENTS * KERNEL_COLUMNS];
    static window_pair pair[POSTINGS / 2 + WINDOW_PADDING + 1];
    uint64_t signs[WORDS];
    int64_t expected[KERNEL_COLUMNS] = {0}, row[KERNEL_COLUMNS];
    kernel list[KERNELS];
    chance c = {.key = seed};
    const bool extreme = seed % 4 == 0, damped = seed % 8 >= 3;
    kernel_row r = {
        .pair = pair, .count = (postings + 1) / 2, .signs = chance_bits(&c),
        .limb_bits = damped ? WINDOW_DAMPED_LIMB_BITS : WINDOW_LIMB_BITS,
    };

    make_documents(&f, &c, entries, extreme,
                   damped ? WINDOW_PART_VALUES : WINDOW_SPLIT_TOKENS);
    const int largest = naive_dots(&f, plain);
    r.own = make_postings(&c, plain, postings, extreme, &r, expected);
    r.chunk = kernel_chunk(largest, r.limb_bits);
    for (size_t i = kernel_list(list); i-- > 0;) {
        kernel_signs(&list[i], &f, signs);
        memset(f.s, 0x55, sizeof f.s);
        ck_assert_int_eq(list[i].dots(f.s, &f.w, signs), largest);
        memset(row, 0, sizeof row);
        list[i].row(row, f.s, &r);
        ck_assert_msg(memcmp(row, expected, sizeof row) == 0, "%s, seed %u",
                      list[i].name, (unsigned)seed);
    }
}

TEST(kernels_are_exact)
{
    for (uint64_t seed = 0; seed < 200; seed++)
        check(seed, seed % 7 == 0 ? seed / 7 : ENTRIES - seed,
              seed % 5 == 0 ? seed / 5 : POSTINGS - seed);
    check(0, 1, POSTINGS);
    check(4, 0, 1);
    check(8, ENTRIES, 0);
}

TEST(the_order_is_a_permutation)
{
    kernel list[KERNELS];

    for (size_t i = kernel_list(list); i-- > 0;) {
        uint64_t all = 0;
        for (unsigned l = 0; l < KERNEL_COLUMNS; l++) {
            const uint64_t to = list[i].order(UINT64_C(1) << l);
            ck_assert(to != 0 && (to & (to - 1)) == 0 && (all & to) == 0);
            all |= to;
        }
    }
}

/* As many as fit: one more pair could leave 32 bits. */
TEST(chunks_fit_32_bits)
{
    static const unsigned bits[] = {WINDOW_LIMB_BITS, WINDOW_DAMPED_LIMB_BITS};

    for (size_t i = 0; i < 2; i++) {
        ck_assert_uint_ge(kernel_chunk(0, bits[i]), 1 << 20);
        for (int largest = 1; largest <= WINDOW_PART_VALUES; largest++) {
            const int64_t pair = (INT64_C(2) << bits[i]) * largest;
            const int64_t n = (int64_t)kernel_chunk(largest, bits[i]);
            ck_assert(n >= 1 && n * pair <= INT32_MAX);
        }
    }
    ck_assert_uint_eq(kernel_chunk(10000, WINDOW_LIMB_BITS), 6);
    ck_assert_uint_eq(kernel_chunk(WINDOW_PART_VALUES,
                                   WINDOW_DAMPED_LIMB_BITS), 64);
}
