/* SPDX-License-Identifier: MIT */
#include "ops/index/index.h"

#include "base/gate.h"
#include "ops/choosing.h"
#include "ops/planted.h"
#include "cooccur/statistic.h"

static void put_first(session *s, uint32_t kind)
{
    const store_index v = {.statistic = kind,
                          .weight_bits = statistic_weight_bits(kind),
                          .value_bits = statistic_value_bits(kind),
                          .width = 70, .seed = 9, .min_tokens = 6,
                          .words = ARCHIVE_WORDS, .blocks = 1,
                          .documents = 5, .total = 8};

    scene_write(&s->a.t);
    ck_ok(store_put_index(s->a.t.txn, INDEX_ALL_WORDS, &v, &s->a.t.err),
          s->a.t.err);
    scene_commit(&s->a.t);
}

/* Of the width, the seed and the least tokens that the first has. */
TEST(indexes_of_all_words_stand_beside_the_first)
{
    store_index v;

    SESSION(s);
    ck_ok(index_add_weightings(s.a.t.s, "log", &s.a.t.err), s.a.t.err);
    ck_assert_uint_eq(count_indexes(&s.a.t), 0); /* beside nothing */
    put_first(&s, STATISTIC_SQRT);
    s.o.tf = "raw";
    s.o.min_df = 2;
    ck_assert_uint_eq(choose(&s), 1);
    for (int twice = 0; twice < 2; twice++) {
        ck_ok(index_add_weightings(s.a.t.s, "log,sqrt,raw", &s.a.t.err),
              s.a.t.err);
        ck_assert_uint_eq(count_indexes(&s.a.t), 4);
    }
    ck_assert(index_of(&s.a.t, 2, &v));
    ck_assert(v.statistic == STATISTIC_LOG && !v.listed && v.width == 70 &&
              v.seed == 9 && v.min_tokens == 6 && v.blocks == 0 &&
              v.documents == 0 && v.rows == 4 && v.total == 0);
    ck_assert(index_of(&s.a.t, 3, &v));
    ck_assert(v.statistic == STATISTIC_JOINT && !v.listed);
    ck_fails(index_add_weightings(s.a.t.s, "log,lgo", &s.a.t.err), KEDGE_EINVAL,
             s.a.t.err, "lgo");
    kedge_fit_opts_init(&s.o);
    ck_assert_uint_eq(choose(&s), INDEX_ALL_WORDS);
    s.o.tf = "log";
    ck_assert_uint_eq(choose(&s), 2);
    s.o.tf = "raw"; /* of all words rather than of some */
    ck_assert_uint_eq(choose(&s), 3);
    kedge_fit_opts_init(&s.o); /* a new one is as the first */
    s.o.min_df = 3;
    ck_assert(index_of(&s.a.t, choose(&s), &v));
    ck_assert_uint_eq(v.statistic, STATISTIC_SQRT);
}

/* Which statistic each index has; how many there are. */
static size_t statistics_of(planted *p, uint32_t *kind)
{
    size_t n = 0;
    uint32_t number = 0;
    store_totals totals;
    store_index v;

    scene_read(&p->t);
    ck_ok(store_get_totals(p->t.txn, &totals, &p->t.err), p->t.err);
    for (uint32_t from = 0;
         store_next_index(p->t.txn, from, &number, &v, &p->t.err) == KEDGE_OK;
         from = number + 1) {
        ck_assert(!v.listed);
        ck_assert_uint_eq(v.blocks, totals.blocks);
        kind[n++] = v.statistic;
    }
    store_abort(&p->t.txn);
    return n;
}

/* Several at once, or one after the other; later ingests follow them all. */
TEST(statistics_are_kept)
{
    uint32_t kind[8];
    char path[96];

    PLANTED(p, PLANTED_DOCUMENTS);
    planted_write(planted_path(&p, "half", path), &p.d, 0, 100, false);
    planted_write(p.source, &p.d, 100, PLANTED_DOCUMENTS, false);
    p.o.tf = "sqrt,log";
    ck_ok(planted_ingest(&p, path), p.t.err);
    ck_assert_uint_eq(statistics_of(&p, kind), 2);
    ck_assert(kind[0] == STATISTIC_SQRT && kind[1] == STATISTIC_LOG);
    p.o.tf = NULL;
    ck_ok(planted_ingest(&p, p.source), p.t.err);
    ck_assert_uint_eq(statistics_of(&p, kind), 2);
    p.o.tf = "raw"; /* of what is known from before */
    ck_ok(planted_ingest(&p, p.source), p.t.err);
    ck_assert_uint_eq(p.r.documents, 0);
    ck_assert_uint_eq(statistics_of(&p, kind), 3);
    ck_assert_uint_eq(kind[2], STATISTIC_JOINT);
    p.o.tf = "raw,root";
    ck_fails(planted_ingest(&p, p.source), KEDGE_EINVAL, p.t.err,
             "--tf \"root\"");
    p.o.tf = "log,log";
    ck_fails(planted_ingest(&p, p.source), KEDGE_EINVAL, p.t.err, "twice");
}

TEST(statistics_need_an_index_of_all_words)
{
    PLANTED(p, PLANTED_DOCUMENTS);
    p.o.tf = "log";
    p.o.vocabulary = NULL;
    p.o.format = KEDGE_FORMAT_LINES;
    ck_fails(planted_ingest(&p, p.source), KEDGE_EINVAL, p.t.err,
             "there is no vocabulary: give --tf, --sketch-size");
}
