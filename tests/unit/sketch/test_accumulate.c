/* SPDX-License-Identifier: MIT */
/*
 * The kernel's loops, each width of vector against plain integers, and what
 * accumulate.c makes of them.
 */
#include "sketch/corpus.h"

#include "base/gate.h"
#include "sketch/accumulate.h"

#define PREFETCH 6

#define LANES 2
#define NAME(x) baseline_##x
#define TARGET
#include "sketch/accumulate_inl.h"

#if defined(__x86_64__)
#define LANES 4
#define NAME(x) avx2_##x
#define TARGET __attribute__((target("avx2,fma")))
#include "sketch/accumulate_inl.h"

#define LANES 8
#define NAME(x) avx512_##x
#define TARGET \
    __attribute__((target("avx512f,avx512dq,avx512bw,avx512vl,fma")))
#include "sketch/accumulate_inl.h"
#endif

typedef struct kernel {
    const char *name;
    void (*dots)(int32_t *restrict, const int8_t *restrict, const uint32_t *,
                 const int32_t *, size_t);
    void (*row)(int64_t *restrict, const int32_t *restrict,
                const uint32_t *restrict, const double *restrict, size_t,
                uint64_t);
} kernel;

/* Those that this machine can run; the last is the one it should choose. */
static size_t kernels(kernel list[3])
{
    size_t n = 0;

    list[n++] = (kernel){"baseline", baseline_dots, baseline_row};
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        list[n++] = (kernel){"avx2", avx2_dots, avx2_row};
    if (__builtin_cpu_supports("avx512f") &&
        __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512vl"))
        list[n++] = (kernel){"avx512", avx512_dots, avx512_row};
#endif
    return n;
}

START_TEST(the_widest_kernel_is_chosen)
{
    kernel list[3];

    ck_assert_str_eq(accumulate_kernel(), list[kernels(list) - 1].name);
}
END_TEST

#define WORDS 300
#define ENTRIES 400

static void check_dots(uint64_t seed, size_t count, int32_t largest)
{
    static int8_t sign[WORDS * SIGN_TILE];
    uint32_t word[ENTRIES];
    int32_t value[ENTRIES], dot[SIGN_TILE], expected[SIGN_TILE] = {0};
    kernel list[3];
    chance c = {.key = seed};
    const bool aligned = seed % 2 == 0; /* all signs +: the largest sum */

    for (size_t i = 0; i < sizeof sign; i++)
        sign[i] = aligned || chance_bits(&c) & 1 ? 1 : -1;
    for (size_t k = 0; k < count; k++) {
        word[k] = (uint32_t)chance_below(&c, WORDS);
        value[k] = 1 + (int32_t)chance_below(&c, (size_t)largest);
        for (size_t l = 0; l < SIGN_TILE; l++)
            expected[l] += value[k] * sign[word[k] * SIGN_TILE + l];
    }
    for (size_t i = kernels(list); i-- > 0;) {
        memset(dot, 0x55, sizeof dot);
        list[i].dots(dot, sign, word, value, count);
        ck_assert_msg(memcmp(dot, expected, sizeof dot) == 0, "%s, seed %u",
                      list[i].name, (unsigned)seed);
    }
}

START_TEST(dots_are_exact)
{
    for (uint64_t seed = 0; seed < 200; seed++) {
        const size_t count = seed % 20 == 0 ? seed / 20 : 10 * (seed % 40);
        check_dots(seed, count, 1 + (int32_t)(9000 / (count + 1)));
    }
    check_dots(0, 1, 10000);
    check_dots(2, 400, 25);
}
END_TEST

#define DOCUMENTS 500
#define POSTINGS 2048

/* Adds 2,048 postings as large as they come. n 2 and h 2 are the extreme. */
static void check_row(uint64_t seed, size_t count, uint32_t most)
{
    static int32_t dot[DOCUMENTS * SIGN_TILE];
    static uint32_t document[POSTINGS + 16];
    static double weight[POSTINGS];
    int64_t row[SIGN_TILE], expected[SIGN_TILE], before[SIGN_TILE];
    uint64_t length[DOCUMENTS];
    kernel list[3];
    chance c = {.key = seed};
    const uint64_t bits = chance_bits(&c);

    for (size_t m = 0; m < DOCUMENTS; m++) {
        length[m] = 2 + chance_below(&c, most - 1);
        for (size_t l = 0; l < SIGN_TILE; l++)
            dot[m * SIGN_TILE + l] =
                seed % 3 == 0
                    ? (int32_t)length[m] * (seed % 2 == 0 ? 1 : -1)
                    : (int32_t)chance_below(&c, 2 * length[m] + 1) -
                          (int32_t)length[m];
    }
    for (size_t l = 0; l < SIGN_TILE; l++)
        before[l] = expected[l] = (int64_t)(chance_bits(&c) >> 3) -
                                  (INT64_C(1) << 60);
    for (size_t k = 0; k < count; k++) {
        document[k] = (uint32_t)chance_below(&c, DOCUMENTS);
        const uint64_t n = length[document[k]];
        const uint64_t h = seed % 3 == 0 ? n : 1 + chance_below(&c, n);
        const int64_t a = corpus_weight(h, n);
        weight[k] = (double)a;
        for (unsigned l = 0; l < SIGN_TILE; l++)
            expected[l] += a * (dot[document[k] * SIGN_TILE + l] -
                                sign_at(bits, l));
    }
    memset(document + count, 0, 16 * sizeof *document);
    for (size_t i = kernels(list); i-- > 0;) {
        memcpy(row, before, sizeof row);
        list[i].row(row, dot, document, weight, count, bits);
        ck_assert_msg(memcmp(row, expected, sizeof row) == 0, "%s, seed %u",
                      list[i].name, (unsigned)seed);
    }
}

START_TEST(rows_are_exact)
{
    for (uint64_t seed = 0; seed < 120; seed++)
        check_row(seed, seed < 20 ? (size_t)seed : POSTINGS - (size_t)seed,
                  seed % 4 == 0   ? 2
                  : seed % 4 == 1 ? 5
                  : seed % 4 == 2 ? 200
                                  : 10000);
    check_row(0, POSTINGS, 2);
    check_row(3, POSTINGS, 2);
    check_row(1, POSTINGS, 3);
}
END_TEST

/* One tile of a window against the formula. */
static void check_tile(const docs *d, const words *w, uint64_t seed,
                       size_t tile)
{
    accumulate_scratch a = {0};
    window win = {0};
    corpus_sketch naive;
    kedge_error err = {0};
    size_t wrong = 0;
    uint64_t *key = calloc(w->count, sizeof *key);

    for (size_t i = 0; i < w->count; i++)
        key[i] = sign_key(seed, words_get(w, i), words_size(w, i));
    corpus_begin(&naive, w, seed, (tile + 1) * SIGN_TILE);
    corpus_add(&naive, d, 2);
    ck_ok(window_fill(&win, d, w->count, 2, &err), err);
    ck_ok(accumulate_reserve(&a, &win, &err), err);
    accumulate_dots(&a, &win, key, tile);
    for (size_t i = 0; i < win.words; i++) {
        const size_t id = win.id[i];
        int64_t row[SIGN_TILE] = {0};
        accumulate_row(&a, &win, i, sign_bits(key[id], tile), row);
        wrong += memcmp(row,
                        naive.z + id * (1 + naive.width) + 1 +
                            tile * SIGN_TILE,
                        sizeof row) != 0;
    }
    ck_assert_uint_eq(wrong, 0);
    free(key);
    corpus_end(&naive);
    window_free(&win);
    accumulate_free(&a);
    ck_assert_ptr_null(a.sign);
}

START_TEST(tiles_are_the_formula)
{
    docs d = {0};
    words w = {0};

    corpus_words(&w, 200);
    for (uint64_t seed = 0; seed < 12; seed++) {
        corpus_make(&d, &(corpus_opts){seed, 100, 200, 50, 6});
        check_tile(&d, &w, seed, seed % 3);
    }
    docs_free(&d);
    words_free(&w);
}
END_TEST

/* A word in each of 7,000 documents: chunks, and the last one shorter. */
START_TEST(frequent_words_come_in_chunks)
{
    docs d = {0};
    words w = {0};

    corpus_words(&w, 12);
    for (size_t m = 0; m < 7000; m++) {
        corpus_need(docs_begin(&d, m + 1) && docs_push(&d, 0, 2));
        if (m % 3 == 0)
            corpus_need(docs_push(&d, 1 + (uint32_t)(m % 11), 1));
    }
    check_tile(&d, &w, 4, 0);
    docs_free(&d);
    words_free(&w);
}
END_TEST

START_TEST(memory_is_asked_for_before)
{
    accumulate_scratch a = {0};
    window w = {0};
    docs d = {0};
    kedge_error err = {0};
    long k = 0;

    corpus_make(&d, &(corpus_opts){1, 50, 80, 20, 2});
    ck_ok(window_fill(&w, &d, 80, 2, &err), err);
    for (;; k++) {
        gate_allow(k);
        const kedge_status st = accumulate_reserve(&a, &w, &err);
        gate_open();
        if (st == KEDGE_OK)
            break;
        ck_assert_int_eq(st, KEDGE_ENOMEM);
    }
    ck_assert_int_eq(k, 2);
    gate_allow(0);
    ck_ok(accumulate_reserve(&a, &w, &err), err);
    gate_open();
    ck_assert_uint_ge(accumulate_memusage(80),
                      a.sign_capacity * sizeof *a.sign);
    docs_free(&d);
    window_free(&w);
    accumulate_free(&a);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        the_widest_kernel_is_chosen,
        dots_are_exact,
        rows_are_exact,
        tiles_are_the_formula,
        frequent_words_come_in_chunks,
        memory_is_asked_for_before,
        NULL,
    };

    return unit_run("accumulate", tests);
}
