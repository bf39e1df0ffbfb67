/* SPDX-License-Identifier: MIT */
#include "ops/infer/walk.h"

#include <kedge/maintain.h>

#include "base/gate.h"
#include "ops/planted.h"

/* A store with the planted corpus or with texts, and a model. */
typedef struct session {
    planted p;
    kedge_model *m;
    words all;
    store_totals totals;
    walk w;
    walk_part part;
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
    scene *const t = &s->p.t;

    scene_read(t);
    ck_ok(store_get_totals(t->txn, &s->totals, &t->err), t->err);
    ck_ok(store_get_words(t->txn, &s->all, &t->err), t->err);
    ck_ok(walk_open(&s->w, t->txn, s->m, &s->totals, s->totals.blocks,
                    &s->p.c, &t->err), t->err);
}

static void next(session *s)
{
    ck_ok(walk_next(&s->w, s->p.t.txn, &s->part, &s->p.t.err), s->p.t.err);
}

static void session_end(session *s)
{
    store_abort(&s->p.t.txn);
    walk_close(&s->w);
    walk_part_free(&s->part);
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

/* The first block, and the same documents from outside, as the index sees them;
 * *outside: tokens that it does not. */
static void check_index(session *s, uint32_t number, uint64_t *outside)
{
    OWN(docs_free) docs raw = {0}, wanted = {0};
    OWN(walk_part_free) walk_part shown = {0};
    store_block scratch = {0};
    store_order order = {0};
    kedge_error *const err = &s->p.t.err;
    store_index index;
    uint32_t source;
    filter l;

    session_look(s);
    ck_ok(store_get_index_record(s->p.t.txn, number, &index, err), *err);
    ck_ok(filter_open(&l, s->p.t.txn, number, &index, &s->all, err), *err);
    ck_ok(filter_read(&l, s->p.t.txn, 0, &wanted, err), *err);
    next(s);
    check_words(s, &l, &wanted, &s->part.seen);
    ck_ok(store_read_block(s->p.t.txn, 0, &scratch, &order, &source, &raw, err),
          *err);
    ck_ok(walk_show(&s->w, &raw, 7, &shown, err), *err);
    ck_assert_uint_eq(shown.source, 7);
    check_words(s, &l, &wanted, &shown.seen);
    *outside = 0;
    for (size_t m = 0; m < shown.seen.count; m++) {
        *outside += shown.outside[m];
        ck_assert_uint_eq(shown.outside[m], s->part.outside[m]);
        if (!index.joined)
            ck_assert_uint_eq(raw.length[m],
                              shown.seen.length[m] + shown.outside[m]);
    }
    store_block_free(&scratch);
    store_order_free(&order);
    filter_close(&l);
}

TEST(all_words_are_rows)
{
    OWN(session_end) session s;
    uint64_t outside;

    session_begin(&s, false, NULL);
    check_index(&s, 0, &outside);
    ck_assert_uint_eq(outside, 0);
}

TEST(words_that_are_not_on_the_list_are_outside)
{
    kedge_fit_opts o = planted_opts();
    OWN(session_end) session s;
    uint64_t outside;

    o.min_df = 30;
    o.max_df = 1;
    session_begin(&s, false, &o);
    ck_assert_uint_lt(kedge_model_words(s.m), PLANTED_WORDS);
    check_index(&s, 1, &outside);
    ck_assert_uint_gt(outside, 0);
}

static kedge_fit_opts phrases(void)
{
    kedge_fit_opts o = planted_opts();

    o.tf = "raw"; /* few words have little to be told apart by */
    o.term_weight = KEDGE_TERM_WEIGHT_NONE;
    o.phrases = 2;
    o.phrase_df = 5;
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

TEST(phrases_are_joined)
{
    const kedge_fit_opts o = phrases();
    OWN(session_end) session s;
    uint64_t outside;

    session_begin(&s, true, &o);
    ck_assert(has_phrase(&s));
    check_index(&s, (uint32_t)s.m->index_place - 1, &outside);
}

static void count_lines(void *data, const char *line)
{
    ck_assert_ptr_nonnull(strstr(line, "words are counted one by one"));
    ++*(int *)data;
}

/* And of the phrases none is seen then. */
TEST(an_index_that_is_gone_is_told)
{
    const kedge_fit_opts o = phrases();
    OWN(session_end) session s;
    int lines = 0;

    session_begin(&s, true, &o);
    ck_ok(kedge_drop_index(s.p.t.s, s.m->index_place - 1, &s.p.t.err),
          s.p.t.err);
    s.p.c.log = count_lines;
    s.p.c.data = &lines;
    session_look(&s);
    ck_assert_int_eq(lines, 1);
    next(&s);
    ck_assert_uint_eq(s.part.seen.count, 120);
    for (size_t e = 0; e < docs_entries(&s.part.seen); e++)
        ck_assert_ptr_null(strchr(kedge_model_word(s.m, s.part.seen.word[e]),
                                  '_'));
}

/* ---- several blocks ------------------------------------------------------ */

#define PARTS 3
#define EACH 80 /* documents of a part */

/* Blocks of three batches, of which the second may be gone, and a model that
 * has not all words. */
static void session_begin_parts(session *s, bool gone)
{
    const char *const names[PARTS] = {"first", "second", "third"};
    kedge_remove_opts removed;
    kedge_remove_result r;
    kedge_fit_opts o;
    char path[96];

    *s = (session){0};
    planted_begin(&s->p, PARTS * EACH);
    s->p.o.tf = "raw";
    s->p.o.format = KEDGE_FORMAT_UCI;
    for (size_t part = 0; part < PARTS; part++) {
        planted_path(&s->p, names[part], path);
        planted_write(path, &s->p.d, part * EACH, (part + 1) * EACH, false);
        s->p.o.batch = names[part];
        ck_ok(planted_ingest(&s->p, path), s->p.t.err);
    }
    kedge_fit_opts_init(&o);
    o.vocab_size = 100;
    s->m = planted_fit(&s->p, 4, &o, NULL);
    kedge_remove_opts_init(&removed);
    removed.batch = "second";
    if (gone)
        ck_ok(kedge_remove(s->p.t.s, &removed, &s->p.c, &r, &s->p.t.err),
              s->p.t.err);
    session_look(s);
}

/* What was said is seen or outside; documents have ids by their source. */
static void check_part(session *s, size_t part)
{
    const docs *const seen = &s->part.seen;
    char id[STORE_ID_MAX + 1];
    uint64_t outside = 0;
    size_t size;

    ck_assert_uint_eq(s->part.block, part);
    ck_assert_uint_eq(s->part.source, part);
    ck_assert_uint_eq(seen->count, EACH);
    for (size_t m = 0; m < EACH; m++) {
        ck_assert_uint_eq(seen->length[m] + s->part.outside[m],
                          s->p.d.length[part * EACH + m]);
        outside += s->part.outside[m];
    }
    ck_assert_uint_gt(outside, 0);
    ck_ok(walk_id(&s->w.names, seen, 1, (uint32_t)part, id, &size,
                  &s->p.t.err), s->p.t.err);
    ck_assert_uint_eq(size, strlen(id));
    ck_assert_str_eq(strrchr(id, ':'), ":2");
    ck_fails(walk_id(&s->w.names, seen, 1, PARTS, id, &size, &s->p.t.err),
             KEDGE_ECORRUPT, s->p.t.err, "source 3 of 3");
}

/* A block that is gone is passed over. */
TEST(blocks_come_one_after_the_other)
{
    session s;

    for (int gone = 0; gone < 2; gone++) {
        session_begin_parts(&s, gone == 1);
        for (size_t part = 0; part < PARTS; part += gone == 1 ? 2 : 1) {
            next(&s);
            check_part(&s, part);
        }
        for (int again = 0; again < 2; again++) {
            next(&s);
            ck_assert_uint_eq(s.part.seen.count, 0);
            ck_assert_uint_eq(s.w.next, PARTS);
        }
        session_end(&s);
    }
}

static kedge_status look(session *s)
{
    kedge_status st = walk_open(&s->w, s->p.t.txn, s->m, &s->totals,
                                s->totals.blocks, &s->p.c, &s->p.t.err);

    if (st == KEDGE_OK)
        st = walk_next(&s->w, s->p.t.txn, &s->part, &s->p.t.err);
    walk_close(&s->w);
    walk_part_free(&s->part);
    s->w = (walk){0};
    return st;
}

TEST(no_memory_is_survived)
{
    const kedge_fit_opts o = phrases();
    OWN(session_end) session s;

    session_begin(&s, true, &o);
    scene_read(&s.p.t);
    ck_ok(store_get_totals(s.p.t.txn, &s.totals, &s.p.t.err), s.p.t.err);
    gate_starve(look(&s));
}
