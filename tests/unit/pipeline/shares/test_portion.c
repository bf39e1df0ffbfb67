/* SPDX-License-Identifier: MIT */
#include "pipeline/shares/portion.h"

#include <kedge/life.h>

#include <malloc.h>

#include "base/gate.h"
#include "pipeline/batch.h"
#include "pipeline/planted.h"

#define PARTS 3
#define EACH 80 /* documents of a part */

/* Blocks of three batches, of which the second may be gone, and a model that
 * has not all words. */
typedef struct session {
    planted p;
    kedge_model *m;
    words all;
    sight g;
    store_totals totals;
    portion own;
} session;

static void ingest_part(session *s, size_t part)
{
    const char *const names[PARTS] = {"first", "second", "third"};
    char path[96];

    planted_path(&s->p, names[part], path);
    planted_write(path, &s->p.d, part * EACH, (part + 1) * EACH, false);
    s->p.o.batch = names[part];
    s->p.o.statistics = "joint";
    s->p.o.format = KEDGE_FORMAT_UCI;
    ck_ok(planted_ingest(&s->p, path), s->p.t.err);
}

static void remove_second(session *s)
{
    kedge_remove_opts gone;
    kedge_remove_result r;

    kedge_remove_opts_init(&gone);
    gone.batch = "second";
    ck_ok(kedge_remove(s->p.t.s, &gone, &s->p.c, &r, &s->p.t.err),
          s->p.t.err);
}

static void session_begin(session *s, bool gone)
{
    kedge_fit_opts o;

    *s = (session){0};
    planted_begin(&s->p, PARTS * EACH);
    for (size_t part = 0; part < PARTS; part++)
        ingest_part(s, part);
    kedge_fit_opts_init(&o);
    o.vocabulary_size = 100;
    s->m = planted_fit(&s->p, 4, &o, NULL);
    if (gone)
        remove_second(s);
    scene_read(&s->p.t);
    ck_ok(store_get_totals(s->p.t.txn, &s->totals, &s->p.t.err), s->p.t.err);
    ck_ok(store_get_words(s->p.t.txn, &s->all, &s->p.t.err), s->p.t.err);
    ck_ok(
        sight_open(&s->g, s->p.t.txn, s->m, s->all.count, &s->p.c, &s->p.t.err),
        s->p.t.err);
}

static void session_end(session *s)
{
    portion_free(&s->own);
    store_abort(&s->p.t.txn);
    sight_close(&s->g);
    words_free(&s->all);
    kedge_model_free(s->m);
    planted_end(&s->p);
}

static void next(session *s, uint64_t *block)
{
    ck_ok(portion_read(&s->own, &s->g, s->p.t.txn, s->totals.blocks, block,
                       &s->p.t.err),
          s->p.t.err);
}

/* What was said is seen or outside. */
static void check_part(const session *s, size_t part)
{
    const docs *const seen = &s->own.seen;
    uint64_t outside = 0;

    ck_assert_uint_eq(s->own.source, part);
    ck_assert_uint_eq(seen->count, EACH);
    for (size_t m = 0; m < EACH; m++) {
        ck_assert_uint_eq(seen->length[m] + s->own.outside[m],
                          s->p.d.length[part * EACH + m]);
        outside += s->own.outside[m];
    }
    ck_assert_uint_gt(outside, 0);
}

START_TEST(blocks_come_one_after_the_other)
{
    session s;
    uint64_t block = 0;

    session_begin(&s, false);
    for (size_t part = 0; part < PARTS; part++) {
        next(&s, &block);
        ck_assert_uint_eq(s.own.block, part);
        ck_assert_uint_eq(block, part + 1);
        check_part(&s, part);
    }
    for (int again = 0; again < 2; again++) {
        next(&s, &block);
        ck_assert_uint_eq(s.own.seen.count, 0);
        ck_assert_uint_eq(block, PARTS);
    }
    session_end(&s);
}
END_TEST

START_TEST(a_block_that_is_gone_is_passed_over)
{
    session s;
    uint64_t block = 0;

    session_begin(&s, true);
    next(&s, &block);
    check_part(&s, 0);
    next(&s, &block);
    ck_assert_uint_eq(s.own.block, 2);
    check_part(&s, 2);
    session_end(&s);
}
END_TEST

/* The first part's documents by the store's own ids. */
static void read_batch(session *s, docs *batch)
{
    store_block scratch = {0};
    store_order order = {0};
    uint32_t source;

    ck_ok(store_read_block(s->p.t.txn, 0, &scratch, &order, &source, batch,
                           &s->p.t.err),
          s->p.t.err);
    store_block_free(&scratch);
    store_order_free(&order);
}

START_TEST(a_batch_is_seen_as_a_block_is)
{
    session s;
    portion shown = {0};
    docs batch = {0};
    uint64_t block = 0;

    session_begin(&s, false);
    next(&s, &block);
    read_batch(&s, &batch);
    ck_ok(portion_show(&shown, &s.g, &batch, 7, &s.p.t.err), s.p.t.err);
    ck_assert_uint_eq(shown.source, 7);
    ck_assert_uint_eq(shown.seen.count, EACH);
    ck_assert_mem_eq(shown.outside, s.own.outside, EACH * sizeof(uint64_t));
    ck_assert_mem_eq(shown.seen.length, s.own.seen.length,
                     EACH * sizeof *shown.seen.length);
    portion_free(&shown);
    docs_free(&batch);
    session_end(&s);
}
END_TEST

START_TEST(no_memory_is_survived)
{
    session s;
    kedge_status st = KEDGE_ENOMEM;
    long n = 0;

    session_begin(&s, false);
    for (; st != KEDGE_OK; n++) {
        uint64_t block = 0;
        portion_free(&s.own);
        gate_allow(n);
        st = portion_read(&s.own, &s.g, s.p.t.txn, s.totals.blocks, &block,
                          &s.p.t.err);
        gate_open();
        ck_assert(st == KEDGE_OK || st == KEDGE_ENOMEM);
    }
    ck_assert_int_gt(n, 1);
    check_part(&s, 0);
    session_end(&s);
}
END_TEST

UNIT_SUITE("portion",
    blocks_come_one_after_the_other,
    a_block_that_is_gone_is_passed_over,
    a_batch_is_seen_as_a_block_is,
    no_memory_is_survived)
