/* SPDX-License-Identifier: MIT */
#include "pipeline/shares/sight.h"

#include <kedge/life.h>

#include "base/gate.h"
#include "pipeline/planted.h"

/* A store with the planted corpus or with texts, and a model. */
typedef struct session {
    planted p;
    kedge_model *m;
    words all;
    sight g;
} session;

/* Texts in which words come in pairs. */
static void write_texts(const char *path)
{
    FILE *const f = planted_file(path);
    chance c = {.key = 4};

    for (int m = 0; m < 120; m++) {
        for (size_t i = 5 + chance_below(&c, 30); i > 0; i--) {
            const char w = (char)('a' + chance_below(&c, 8));
            if (chance_below(&c, 3) > 0)
                fprintf(f, "left%c right%c ", w, w);
            else
                fprintf(f, "word%c%s", w, chance_below(&c, 4) ? " " : ", ");
        }
        fputc('\n', f);
    }
    ck_assert_int_eq(fclose(f), 0);
}

static void ingest_texts(planted *p)
{
    char path[96];

    write_texts(planted_path(p, "texts.txt", path));
    p->o.vocabulary = NULL;
    p->o.format = KEDGE_FORMAT_LINES;
    ck_ok(planted_ingest(p, path), p->t.err);
}

static void session_begin(session *s, bool texts, const kedge_fit_opts *o)
{
    *s = (session){0};
    planted_begin(&s->p, 200);
    if (texts)
        ingest_texts(&s->p);
    else
        planted_fill(&s->p);
    s->m = planted_fit(&s->p, 4, o, NULL);
}

static void session_look(session *s)
{
    scene_read(&s->p.t);
    ck_ok(store_get_words(s->p.t.txn, &s->all, &s->p.t.err), s->p.t.err);
    ck_ok(
        sight_open(&s->g, s->p.t.txn, s->m, s->all.count, &s->p.c, &s->p.t.err),
        s->p.t.err);
}

static void session_end(session *s)
{
    store_abort(&s->p.t.txn);
    sight_close(&s->g);
    words_free(&s->all);
    kedge_model_free(s->m);
    planted_end(&s->p);
}

/* Each document of `seen` has the words of `filter_read`, by their bytes. */
static void check_words(const session *s, const filter *l, const docs *wanted,
                        const docs *seen)
{
    ck_assert_uint_eq(seen->count, wanted->count);
    for (size_t m = 0; m < seen->count; m++) {
        ck_assert_uint_eq(seen->length[m], wanted->length[m]);
        ck_assert_uint_eq(seen->position[m], wanted->position[m]);
        for (size_t e = seen->start[m]; e < seen->start[m + 1]; e++) {
            const char *const word = kedge_model_word(s->m, seen->word[e]);
            uint32_t tally = 0;
            if (e > seen->start[m])
                ck_assert_uint_lt(seen->word[e - 1], seen->word[e]);
            for (size_t k = wanted->start[m]; k < wanted->start[m + 1]; k++)
                if (strcmp(words_get(filter_words(l), wanted->word[k]), word)
                    == 0)
                    tally += wanted->tally[k];
            ck_assert_uint_eq(seen->tally[e], tally);
        }
    }
}

/* Stored blocks, and the same documents from outside, as the view sees them;
 * *outside: tokens that it does not. */
static void check_view(session *s, uint32_t number, uint64_t *outside)
{
    docs raw = {0}, wanted = {0}, seen = {0}, shown = {0};
    store_block scratch = {0};
    store_order order = {0};
    kedge_error *const err = &s->p.t.err;
    store_view view;
    uint32_t source;
    filter l;

    session_look(s);
    ck_ok(store_get_view_record(s->p.t.txn, number, &view, err), *err);
    ck_ok(filter_open(&l, s->p.t.txn, number, &view, &s->all, err), *err);
    ck_ok(filter_read(&l, s->p.t.txn, 0, &wanted, err), *err);
    ck_ok(sight_read(&s->g, s->p.t.txn, 0, &seen, err), *err);
    check_words(s, &l, &wanted, &seen);
    ck_ok(store_read_block(s->p.t.txn, 0, &scratch, &order, &source, &raw, err),
          *err);
    ck_ok(sight_show(&s->g, &raw, &shown, err), *err);
    check_words(s, &l, &wanted, &shown);
    *outside = 0;
    for (size_t m = 0; m < shown.count; m++) {
        *outside += sight_outside(&s->g, &shown, m);
        if (!view.joined)
            ck_assert_uint_eq(raw.length[m],
                              shown.length[m] + sight_outside(&s->g, &shown,
                                                              m));
    }
    docs_free(&raw);
    docs_free(&wanted);
    docs_free(&seen);
    docs_free(&shown);
    store_block_free(&scratch);
    store_order_free(&order);
    filter_close(&l);
}

START_TEST(all_words_are_rows)
{
    session s;
    uint64_t outside;

    session_begin(&s, false, NULL);
    check_view(&s, 0, &outside);
    ck_assert_uint_eq(outside, 0);
    session_end(&s);
}
END_TEST

START_TEST(words_that_are_not_on_the_list_are_outside)
{
    kedge_fit_opts o;
    session s;
    uint64_t outside;

    kedge_fit_opts_init(&o);
    o.min_df = 30;
    o.max_df = 1;
    session_begin(&s, false, &o);
    ck_assert_uint_lt(kedge_model_words(s.m), PLANTED_WORDS);
    check_view(&s, 1, &outside);
    ck_assert_uint_gt(outside, 0);
    session_end(&s);
}
END_TEST

static kedge_fit_opts phrases(void)
{
    kedge_fit_opts o;

    kedge_fit_opts_init(&o);
    o.statistic = "joint"; /* few words have little to be told apart by */
    o.weight = KEDGE_WEIGHT_NONE;
    o.phrases = 2;
    o.phrase_documents = 5;
    o.min_df = 2;
    o.max_df = 1;
    return o;
}

static bool has_phrase(const session *s)
{
    for (uint64_t i = 0; i < kedge_model_words(s->m); i++)
        if (strcmp(kedge_model_word(s->m, i), "lefta_righta") == 0)
            return true;
    return false;
}

START_TEST(phrases_are_joined)
{
    const kedge_fit_opts o = phrases();
    session s;
    uint64_t outside;

    session_begin(&s, true, &o);
    ck_assert(has_phrase(&s));
    check_view(&s, (uint32_t)s.m->view_place - 1, &outside);
    session_end(&s);
}
END_TEST

static void count_lines(void *data, const char *line)
{
    ck_assert_ptr_nonnull(strstr(line, "words are seen one by one"));
    ++*(int *)data;
}

/* And of the phrases none is seen then. */
START_TEST(a_view_that_is_gone_is_told)
{
    const kedge_fit_opts o = phrases();
    docs seen = {0};
    session s;
    int lines = 0;

    session_begin(&s, true, &o);
    ck_ok(kedge_forget_view(s.p.t.s, s.m->view_place - 1, &s.p.t.err),
          s.p.t.err);
    s.p.c.log = count_lines;
    s.p.c.data = &lines;
    session_look(&s);
    ck_assert_int_eq(lines, 1);
    ck_ok(sight_read(&s.g, s.p.t.txn, 0, &seen, &s.p.t.err), s.p.t.err);
    ck_assert_uint_eq(seen.count, 120);
    for (size_t e = 0; e < docs_entries(&seen); e++)
        ck_assert_ptr_null(strchr(kedge_model_word(s.m, seen.word[e]), '_'));
    docs_free(&seen);
    session_end(&s);
}
END_TEST

START_TEST(no_memory_is_survived)
{
    const kedge_fit_opts o = phrases();
    session s;
    kedge_status st = KEDGE_ENOMEM;
    long n = 0;

    session_begin(&s, true, &o);
    scene_read(&s.p.t);
    for (; st != KEDGE_OK; n++) {
        docs seen = {0};
        gate_allow(n);
        st = sight_open(&s.g, s.p.t.txn, s.m, 200, &s.p.c, &s.p.t.err);
        if (st == KEDGE_OK)
            st = sight_read(&s.g, s.p.t.txn, 0, &seen, &s.p.t.err);
        gate_open();
        ck_assert(st == KEDGE_OK || st == KEDGE_ENOMEM);
        sight_close(&s.g);
        s.g = (sight){0};
        docs_free(&seen);
    }
    ck_assert_int_gt(n, 10);
    session_end(&s);
}
END_TEST

UNIT_SUITE("sight",
    all_words_are_rows,
    words_that_are_not_on_the_list_are_outside,
    phrases_are_joined,
    a_view_that_is_gone_is_told,
    no_memory_is_survived)
