/* SPDX-License-Identifier: MIT */
#include "store/digest.h"

#include "base/gate.h"
#include "ops/archive.h"

static void archive_drop(archive *a)
{
    words_free(&a->w);
    docs_free(&a->d);
    digests_free(&a->g);
}

/* From the format's description, straight. */
static uint64_t plain_digest(const words *w, const docs *d, size_t m)
{
    uint64_t sum = 0, length = 0;

    for (size_t k = d->start[m]; k < d->start[m + 1]; k++) {
        const uint64_t word =
            hash_bytes(0, words_get(w, d->word[k]), words_size(w, d->word[k]));
        sum += hash_mix(word + d->tally[k] * HASH_GOLDEN);
        length += d->tally[k];
    }
    return hash_mix(sum + length);
}

/* Other ids, and so another order of entries; no name. */
TEST(digests_know_nothing_of_ids)
{
    OWN(archive_drop) archive a = {0};
    OWN(words_free) words w = {0};
    OWN(docs_free) docs d = {0};
    OWN(digests_free) digests g = {0};
    kedge_error err = {0};

    archive_make(&a, 3, true);
    for (size_t i = ARCHIVE_WORDS; i-- > 0;)
        ck_assert(words_add(&w, words_get(&a.w, i), words_size(&a.w, i)));
    for (size_t m = 0; m < a.d.count; m++) {
        ck_assert(docs_begin(&d, 7 * m + 3));
        for (size_t k = a.d.start[m + 1]; k-- > a.d.start[m];)
            ck_assert(
                docs_push(&d, ARCHIVE_WORDS - 1 - a.d.word[k], a.d.tally[k]));
    }
    ck_ok(digests_learn(&g, &w, &err), err);
    for (size_t m = 0; m < d.count; m++)
        ck_assert_uint_eq(digest_document(&g, &d, m),
                          digest_document(&a.g, &a.d, m));
}

/* From the format's description: the words of the order, not their places. */
static uint64_t plain_order(const archive *a, size_t m, const uint32_t *order,
                            size_t count)
{
    uint64_t o = count;

    for (size_t i = 0; i < count; i++) {
        const uint32_t id =
            order[i] == 0 ? 0 : a->d.word[a->d.start[m] + order[i] - 1];
        o *= HASH_GOLDEN;
        if (order[i] > 0)
            o += hash_bytes(0, words_get(&a->w, id), words_size(&a->w, id));
        o = hash_mix(o);
    }
    return o;
}

TEST(whole_digests_know_id_label_and_order)
{
    for (uint64_t seed = 0; seed < 20; seed++) {
        chance c = {.key = seed};
        OWN(archive_drop) archive a = {0};
        uint32_t order[9];
        archive_make(&a, seed, true);
        const size_t last = a.d.count - 1, count = chance_below(&c, 10);
        for (size_t i = 0; i < count; i++)
            order[i] = (uint32_t)chance_below(&c, a.d.start[last + 1] -
                                                      a.d.start[last] + 1);
        ck_assert(docs_push_order(&a.d, order, count));
        for (size_t m = 0; m < a.d.count; m++) {
            const span id = docs_id(&a.d, m), label = docs_label(&a.d, m);
            uint64_t want = plain_digest(&a.w, &a.d, m);
            if (id.size > 0)
                want += hash_bytes(1, id.bytes, id.size);
            if (label.size > 0)
                want += hash_bytes(2, label.bytes, label.size);
            ck_assert_uint_eq(digest_named(&a.g, &a.d, m), want);
            if (m == last)
                want += plain_order(&a, m, order, count);
            ck_assert_uint_eq(digest_whole(&a.g, &a.d, m), want);
        }
        docs_drop_order(&a.d, 0);
        for (size_t m = 0; m < a.d.count; m++)
            ck_assert_uint_eq(digest_whole(&a.g, &a.d, m),
                              digest_named(&a.g, &a.d, m));
    }
}

TEST(what_is_added_can_be_taken_out)
{
    uint64_t sums[2] = {5, 6}, before[2];

    digest_add(sums, 123);
    memcpy(before, sums, sizeof sums);
    for (uint64_t i = 0; i < 100; i++)
        digest_add(sums, hash_mix(i));
    ck_assert_uint_ne(sums[0], before[0]);
    ck_assert_uint_ne(sums[1], before[1]);
    for (uint64_t i = 100; i-- > 0;)
        digest_subtract(sums, hash_mix(i * 63 % 100)); /* any order */
    ck_assert_mem_eq(sums, before, sizeof sums);
    digest_subtract(sums, 123);
    ck_assert_uint_eq(sums[0], 5);
    ck_assert_uint_eq(sums[1], 6);
}

TEST(chains_know_order_and_positions)
{
    ck_assert_uint_eq(digest_chain(9, 8, 2),
                      hash_mix(9 + hash_mix(8 + 2 * HASH_GOLDEN)));
}

TEST(learning_goes_on_where_it_was)
{
    OWN(words_free) words w = {0};
    digests g = {0}, whole = {0};
    kedge_error err = {0};
    unsigned failed = 0;
    char word[16];

    for (size_t i = 0; i < 500; i++) {
        ck_assert(
            words_add(&w, word, (size_t)snprintf(word, sizeof word, "%zu", i)));
        for (long k = 0; i % 3 == 0; k++) {
            gate_allow(k);
            const kedge_status st = digests_learn(&g, &w, &err);
            gate_open();
            if (st == KEDGE_OK)
                break;
            ck_fails(st, KEDGE_ENOMEM, err, "out of memory");
            failed++;
        }
    }
    ck_assert_uint_gt(failed, 3);
    ck_ok(digests_learn(&g, &w, &err), err);
    ck_ok(digests_learn(&g, &w, &err), err); /* nothing new */
    ck_ok(digests_learn(&whole, &w, &err), err);
    ck_assert_uint_eq(g.count, 500);
    ck_assert_mem_eq(g.hash, whole.hash, 500 * sizeof *g.hash);
    ck_assert_uint_eq(g.hash[42], hash_bytes(0, "42", 2));
    digests_free(&g);
    digests_free(&whole);
    ck_assert_ptr_null(g.hash);
}
