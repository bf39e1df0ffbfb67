/* SPDX-License-Identifier: MIT */
#include "pipeline/fit/fitwords.h"

#include "pipeline/planted.h"

#define MORE 50 /* words that no document has */

typedef struct seen {
    words all;
    store_view view;
    filter filter;
    uint64_t *tf, *df;
} seen;

/* The planted documents, with a vocabulary that is longer. */
static void begin(planted *p)
{
    FILE *f;

    planted_begin(p, PLANTED_DOCUMENTS);
    f = planted_file(p->vocabulary);
    for (unsigned i = 0; i < PLANTED_WORDS + MORE; i++)
        fprintf(f, "%u-%u\n", i * 7919 % 1000, i);
    ck_assert_int_eq(fclose(f), 0);
    f = planted_file(p->source);
    fprintf(f, "%zu\n%d\n%zu\n", p->d.count, PLANTED_WORDS + MORE,
            docs_entries(&p->d));
    for (size_t m = 0; m < p->d.count; m++)
        for (size_t k = p->d.start[m]; k < p->d.start[m + 1]; k++)
            fprintf(f, "%zu %u %u\n", m + 1, p->d.word[k] + 1,
                    p->d.tally[k]);
    ck_assert_int_eq(fclose(f), 0);
    planted_fill(p);
}

/* Of the view of all words. Leaves the read transaction open. */
static void look_begin(seen *l, planted *p)
{
    const size_t n = PLANTED_WORDS + MORE;

    *l = (seen){.tf = calloc(n, 8), .df = calloc(n, 8)};
    scene_read(&p->t);
    ck_ok(store_get_words(p->t.txn, &l->all, &p->t.err), p->t.err);
    ck_assert_uint_eq(l->all.count, n);
    ck_ok(store_get_counts(p->t.txn, l->tf, l->df, n, &p->t.err), p->t.err);
    ck_ok(store_get_view_record(p->t.txn, 0, &l->view, &p->t.err), p->t.err);
    ck_ok(filter_open(&l->filter, p->t.txn, 0, &l->view, &l->all, &p->t.err),
          p->t.err);
}

static void look_end(seen *l, planted *p)
{
    store_abort(&p->t.txn);
    filter_close(&l->filter);
    words_free(&l->all);
    free(l->tf);
    free(l->df);
}

static size_t held(const seen *l)
{
    size_t count = 0;

    for (size_t i = 0; i < PLANTED_WORDS + MORE; i++)
        count += l->df[i] > 0;
    return count;
}

/* Rows rise by their words' bytes and by their places, and have the counts of
 * their words. */
static void check_rows(const fitwords *w, const seen *l)
{
    for (size_t r = 0; r < w->rows; r++) {
        const uint32_t id = w->ids[r];
        ck_assert_uint_eq(id, filter_id(&l->filter, w->order[r]));
        ck_assert_uint_eq(w->tf[r], l->tf[id]);
        ck_assert_uint_eq(w->df[r], l->df[id]);
        if (r == 0)
            continue;
        ck_assert_uint_lt(w->place[r - 1], w->place[r]);
        ck_assert_int_lt(strcmp(words_get(&l->all, w->ids[r - 1]),
                                words_get(&l->all, id)), 0);
    }
}

START_TEST(rows_are_the_words_that_documents_have)
{
    planted p;
    seen l;
    fitwords w;

    begin(&p);
    look_begin(&l, &p);
    ck_ok(
        fitwords_create(&w, p.t.txn, &l.all, &l.filter, &l.view, &p.c,
                        &p.t.err), p.t.err);
    ck_assert_uint_eq(w.stored, PLANTED_WORDS + MORE);
    ck_assert_uint_eq(w.rows, held(&l));
    ck_assert_uint_le(w.rows, PLANTED_WORDS);
    check_rows(&w, &l);
    for (size_t r = 0; r < w.rows; r++)
        ck_assert_uint_gt(w.df[r], 0);
    fitwords_free(&w);
    look_end(&l, &p);
    planted_end(&p);
}
END_TEST

/* Whoever lists words gets them. */
START_TEST(a_list_is_kept_whole)
{
    planted p;
    seen l;
    fitwords w;

    begin(&p);
    look_begin(&l, &p);
    l.view.listed = true;
    ck_ok(
        fitwords_create(&w, p.t.txn, &l.all, &l.filter, &l.view, &p.c,
                        &p.t.err), p.t.err);
    ck_assert_uint_eq(w.rows, PLANTED_WORDS + MORE);
    check_rows(&w, &l);
    for (size_t r = 0; r < w.rows; r++)
        ck_assert_uint_eq(w.place[r], r);
    fitwords_free(&w);
    look_end(&l, &p);
    planted_end(&p);
}
END_TEST

START_TEST(without_memory)
{
    planted p;
    seen l;
    fitwords w;

    begin(&p);
    look_begin(&l, &p);
    for (long k = 0; k < 7; k++) {
        scene_allowed = k;
        mem_set_gate(scene_gate);
        const kedge_status st = fitwords_create(&w, p.t.txn, &l.all, &l.filter,
                                                &l.view, &p.c, &p.t.err);
        mem_set_gate(NULL);
        ck_assert_int_eq(st, KEDGE_ENOMEM);
        ck_assert_ptr_null(w.order);
    }
    look_end(&l, &p);
    planted_end(&p);
}
END_TEST

UNIT_SUITE("fitwords",
    rows_are_the_words_that_documents_have,
    a_list_is_kept_whole,
    without_memory)
