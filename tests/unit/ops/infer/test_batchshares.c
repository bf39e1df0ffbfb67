/* SPDX-License-Identifier: MIT */
#include "ops/infer/batchshares.h"

#include "ops/keeper.h"

static batchshares find(keeper *k)
{
    scene *const t = &k->l.p.t;
    kedge_model *m = NULL;
    batchshares b;

    ck_ok(kedge_model_load(t->s, KEEPER_MODEL, NULL, &m, &t->err), t->err);
    ck_ok(batchshares_find(t->s, m, &k->l.p.c, &b, &t->err), t->err);
    kedge_model_free(m);
    return b;
}

/* The table's documents of a batch, added up. */
static void check_batch(const keeper *k, const batchshares *b, size_t batch,
                        size_t shard)
{
    double sum[KEEPER_TOPICS] = {0};
    uint64_t count = 0;
    char name[16];

    snprintf(name, sizeof name, "b%zu", shard);
    ck_assert_str_eq(b->name[batch], name);
    for (size_t i = lively_shard(&k->l, shard);
         i < lively_shard(&k->l, shard + 1); i++) {
        if (keeper_is_gone(k, k->d[i].id) || k->d[i].tokens == 0)
            continue;
        count++;
        for (size_t t = 0; t < KEEPER_TOPICS; t++)
            sum[t] += k->d[i].shares[t];
    }
    ck_assert_uint_eq(b->documents[batch], count);
    for (size_t t = 0; t < KEEPER_TOPICS; t++)
        ck_assert_double_eq_tol(batchshares_share(b, KEEPER_TOPICS, batch, t),
                                sum[t] / (double)count, 1e-12);
}

TEST(shares_are_those_of_the_documents)
{
    OWN(keeper_free) keeper *k = keeper_new(200, LIVELY_SHARDS);
    batchshares b;

    b = find(k);
    ck_assert(!b.there);
    ck_assert_uint_eq(b.count, 0);
    keeper_keep(k);
    b = find(k);
    ck_assert(b.there);
    ck_assert_uint_eq(b.about.documents, 200);
    ck_assert_uint_eq(b.count, LIVELY_SHARDS);
    for (size_t i = 0; i < LIVELY_SHARDS; i++)
        check_batch(k, &b, i, i);
    batchshares_free(&b);
}

TEST(what_left_is_not_in_it)
{
    OWN(keeper_free) keeper *k = keeper_kept(200, LIVELY_SHARDS);
    batchshares b;

    lively_remove(&k->l, 3, 4, true);
    lively_remove_batch(&k->l, 2, true);
    b = find(k);
    ck_assert_uint_eq(b.count, LIVELY_SHARDS - 1);
    for (size_t i = 0; i < b.count; i++)
        check_batch(k, &b, i, i + (i >= 2));
    batchshares_free(&b);
}

TEST(another_model_of_the_name_has_none)
{
    OWN(keeper_free) keeper *k = keeper_kept(100, LIVELY_SHARDS);
    batchshares b;

    keeper_fit(k);
    b = find(k);
    ck_assert(!b.there);
    batchshares_free(&b);
}
