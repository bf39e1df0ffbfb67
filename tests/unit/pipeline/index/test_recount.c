/* SPDX-License-Identifier: MIT */
#include "pipeline/index/recount.h"

#include "base/gate.h"
#include "store/digest.h"
#include "pipeline/life.h"

static life it; /* too big for a stack */

/* Of the store as it is; the caller frees both. */
static kedge_status count_again(recount *r, words *all)
{
    kedge_status st;
    store_totals t;

    *r = (recount){0};
    *all = (words){0};
    scene_read(&it.t);
    ck_ok(store_get_totals(it.t.txn, &t, &it.t.err), it.t.err);
    st = store_get_words(it.t.txn, all, &it.t.err);
    if (st == KEDGE_OK)
        st = recount_documents(r, it.t.txn, all, &t, &it.c, &it.t.err);
    store_abort(&it.t.txn);
    return st;
}

static size_t number_of(const char *word)
{
    size_t w = 0;

    while (strcmp(life_word(w), word) != 0)
        w++;
    return w;
}

/* By the documents that the table has. */
static void expected_digest(uint64_t sums[2])
{
    digests hashes = {0};
    kedge_error err = {0};
    words all = {0};
    docs d = {0};

    sums[0] = sums[1] = 0;
    for (size_t w = 0; w < LIFE_WORDS; w++)
        ck_assert(words_add(&all, life_word(w), 3));
    ck_ok(digests_learn(&hashes, &all, &err), err);
    for (size_t m = 0; m < it.count; m++) {
        docs_clear(&d);
        ck_assert(docs_begin(&d, 1));
        for (uint32_t w = 0; w < LIFE_WORDS; w++)
            if (it.d[m].tally[w] > 0)
                ck_assert(docs_push(&d, w, it.d[m].tally[w]));
        if (it.d[m].there)
            digest_add(sums, digest_document(&hashes, &d, 0));
    }
    docs_free(&d);
    words_free(&all);
    digests_free(&hashes);
}

/* The ledger adds up, and is right of each source. */
static void check_sources(const recount *r)
{
    recount_sums sum = {0};
    store_totals t;

    scene_read(&it.t);
    ck_ok(store_get_totals(it.t.txn, &t, &it.t.err), it.t.err);
    store_abort(&it.t.txn);
    for (uint64_t i = 0; i < t.sources; i++) {
        kedge_source_info s;
        ck_ok(kedge_store_get_source(it.t.s, i, &s, &it.t.err), it.t.err);
        ck_assert_uint_eq(s.documents, r->of[i].documents);
        ck_assert_uint_eq(s.tokens, r->of[i].tokens);
        ck_assert_uint_eq(s.nonzeros, r->of[i].nonzeros);
        sum.documents += s.documents;
        sum.tokens += s.tokens;
        sum.nonzeros += s.nonzeros;
    }
    ck_assert_mem_eq(&sum, &r->all, sizeof sum);
}

START_TEST(counts_are_those_of_the_table)
{
    uint64_t tf[LIFE_WORDS], df[LIFE_WORDS], sums[2];

    for (uint64_t seed = 0; seed < 10; seed++) {
        uint64_t tokens = 0, nonzeros = 0;
        recount r;
        words all;
        life_fill(&it, seed);
        life_count(&it, tf, df);
        ck_ok(count_again(&r, &all), it.t.err);
        for (size_t id = 0; id < all.count; id++) {
            const size_t w = number_of(words_get(&all, id));
            ck_assert_uint_eq(r.tf[id], tf[w]);
            ck_assert_uint_eq(r.df[id], df[w]);
            tokens += tf[w];
            nonzeros += df[w];
        }
        expected_digest(sums);
        ck_assert_uint_eq(r.all.documents, life_there(&it));
        ck_assert_uint_eq(r.all.tokens, tokens);
        ck_assert_uint_eq(r.all.nonzeros, nonzeros);
        check_sources(&r);
        ck_assert_mem_eq(r.digest, sums, sizeof sums);
        recount_free(&r);
        words_free(&all);
        life_end(&it);
    }
}
END_TEST

static uint64_t vocabulary_digest(void)
{
    uint64_t digest;
    recount r;
    words all;

    ck_ok(count_again(&r, &all), it.t.err);
    digest = recount_vocabulary_digest(&r, &all);
    recount_free(&r);
    words_free(&all);
    return digest;
}

/* A word that came and went, and any order of documents, are nothing to it. */
START_TEST(the_vocabulary_has_one_digest)
{
    uint64_t forth, back, more;

    life_begin(&it);
    ck_assert_uint_eq(vocabulary_digest(), 0);
    it.d[0] = (life_document){.id = "a", .tally = {[40] = 2}};
    it.d[1] = (life_document){.id = "b", .tally = {1, 2}, .there = true};
    it.count = 2;
    life_ingest(&it, 0, "one", NULL);
    it.d[2] = (life_document){.id = "a", .tally = {5}, .there = true};
    it.count = 3;
    life_ingest(&it, 2, "two", NULL);
    forth = vocabulary_digest();
    life_end(&it);
    life_begin(&it);
    it.d[0] = (life_document){.tally = {5}, .there = true};
    it.d[1] = (life_document){.tally = {1, 2}, .there = true};
    it.count = 2;
    life_ingest(&it, 0, "one", NULL);
    back = vocabulary_digest();
    ck_assert_uint_eq(forth, back);
    it.d[2] = (life_document){.tally = {[40] = 1}, .there = true};
    it.count = 3;
    life_ingest(&it, 2, "two", NULL);
    more = vocabulary_digest();
    ck_assert_uint_ne(more, back);
    ck_assert_uint_ne(more, 0);
    life_end(&it);
}
END_TEST

START_TEST(words_that_are_not_there_are_damage)
{
    words few = {0};
    store_totals t;
    recount r;

    life_fill(&it, 3);
    ck_assert(words_add(&few, "w00", 3));
    scene_read(&it.t);
    ck_ok(store_get_totals(it.t.txn, &t, &it.t.err), it.t.err);
    ck_fails(recount_documents(&r, it.t.txn, &few, &t, &it.c, &it.t.err),
             KEDGE_ECORRUPT, it.t.err, "has word");
    store_abort(&it.t.txn);
    recount_free(&r);
    words_free(&few);
    life_end(&it);
}
END_TEST

START_TEST(no_memory_is_an_error)
{
    recount r;
    words all;

    life_fill(&it, 3);
    for (long k = 0;; k++) {
        kedge_status st;
        gate_allow(k);
        st = count_again(&r, &all);
        gate_open();
        words_free(&all);
        if (st == KEDGE_OK)
            break;
        ck_assert_int_eq(st, KEDGE_ENOMEM);
        recount_free(&r);
        ck_assert_int_lt(k, 1000);
    }
    ck_assert_uint_eq(r.all.documents, life_there(&it));
    recount_free(&r);
    life_end(&it);
}
END_TEST

UNIT_SUITE("recount",
    counts_are_those_of_the_table,
    the_vocabulary_has_one_digest,
    words_that_are_not_there_are_damage,
    no_memory_is_an_error)
