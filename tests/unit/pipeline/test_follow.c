/* SPDX-License-Identifier: MIT */
#include "pipeline/follow.h"

#include "base/gate.h"
#include "pipeline/planted.h"

#define SHARDS 5

/* The saved sketch's rows, all of them. */
static int64_t *saved_rows(planted *p, store_view *v)
{
    store_rows scratch = {0};
    const uint8_t *bytes;
    size_t size;
    int64_t *values;

    scene_read(&p->t);
    ck_ok(store_get_view_record(p->t.s, FOLLOW_VIEW, v, &p->t.err), p->t.err);
    values = calloc(v->words * (1 + v->width), sizeof *values);
    ck_assert_uint_le(v->words, STORE_CHUNK_ROWS);
    ck_ok(store_get_rows(p->t.s, v->rows, 0, &bytes, &size, &p->t.err),
          p->t.err);
    ck_ok(store_rows_decode(&scratch, bytes, size, v->words, v->width, values,
                            &p->t.err), p->t.err);
    store_abort(p->t.s);
    store_rows_free(&scratch);
    return values;
}

static void check_saved(planted *p, const int64_t *expected,
                        const store_view *view)
{
    store_view v;
    int64_t *const rows = saved_rows(p, &v);
    const uint8_t *bytes;
    size_t size;

    scene_read(&p->t); /* nothing is left of an older saving */
    ck_assert_int_eq(store_get_rows(p->t.s, !v.rows, 0, &bytes, &size,
                                    &p->t.err), KEDGE_ENOTFOUND);
    store_abort(p->t.s);
    ck_assert_uint_eq(v.words, view->words);
    ck_assert_uint_eq(v.width, view->width);
    ck_assert_uint_eq(v.documents, view->documents);
    ck_assert_uint_eq(v.skipped, view->skipped);
    ck_assert_uint_eq(v.tokens, view->tokens);
    ck_assert_int_eq(memcmp(rows, expected,
                            v.words * (1 + v.width) * sizeof *rows), 0);
    free(rows);
}

/* Each shard a commit of its own. */
static void ingest_shards(planted *p, bool no_sketch)
{
    p->o.no_sketch = no_sketch;
    for (size_t i = 0; i < SHARDS; i++) {
        char name[16], path[96];
        snprintf(name, sizeof name, "shard%zu", i);
        planted_write(planted_path(p, name, path), &p->d,
                      p->d.count * i / SHARDS, p->d.count * (i + 1) / SHARDS,
                      false);
        ck_ok(planted_ingest(p, path), p->t.err);
    }
    p->o.no_sketch = false;
}

typedef struct session {
    follow f;
    words w;
    pool *threads;
} session;

static kedge_status session_open(session *s, planted *p, bool spill)
{
    kedge_status st;
    const store_view view = {.weight_bits = WINDOW_WEIGHT_BITS, .width = 80,
                             .seed = 1, .min_tokens = 5};

    *s = (session){.f = {.s = p->t.s, .control = &p->c, .view = view,
                         .vocabulary = &s->w}};
    scene_read(&p->t);
    ck_ok(store_get_words(p->t.s, &s->w, &p->t.err), p->t.err);
    store_abort(p->t.s);
    st = pool_create(p->c.threads, &s->threads, &p->t.err);
    s->f.p = s->threads;
    return st == KEDGE_OK ? follow_open(&s->f, spill, &p->t.err) : st;
}

static void session_close(session *s)
{
    follow_close(&s->f);
    words_free(&s->w);
    pool_free(s->threads);
}

static kedge_status catch_up_and_save(planted *p, bool spill)
{
    session s;
    kedge_status st = session_open(&s, p, spill);

    if (st == KEDGE_OK)
        st = follow_catch_up(&s.f, &p->t.err);
    if (st == KEDGE_OK)
        st = follow_save(&s.f, &p->t.err);
    session_close(&s);
    return st;
}

START_TEST(following_later_is_the_same_as_at_once)
{
    planted p;
    store_view view;
    int64_t *rows;
    kedge_model *at_once, *later;

    planted_begin(&p, PLANTED_DOCUMENTS);
    ingest_shards(&p, false);
    rows = saved_rows(&p, &view);
    at_once = planted_fit(&p, 4, NULL, NULL);
    for (int spill = 0; spill < 2; spill++) {
        planted_anew(&p);
        ingest_shards(&p, true);
        ck_ok(catch_up_and_save(&p, spill != 0), p.t.err);
        check_saved(&p, rows, &view);
    }
    planted_anew(&p);
    ingest_shards(&p, true);
    later = planted_fit(&p, 4, NULL, NULL); /* which follows by itself */
    ck_assert(planted_same(at_once, later));
    check_saved(&p, rows, &view);
    kedge_model_free(at_once);
    kedge_model_free(later);
    free(rows);
    planted_end(&p);
}
END_TEST

START_TEST(a_sketch_left_behind_catches_up)
{
    planted p;
    store_view view;
    int64_t *rows;
    char path[96];

    planted_begin(&p, PLANTED_DOCUMENTS);
    planted_fill(&p);
    rows = saved_rows(&p, &view);
    planted_anew(&p);
    planted_path(&p, "part", path);
    for (size_t i = 0; i < 6; i++) {
        planted_write(path, &p.d, 40 * i, 40 * i + 40, false);
        p.o.no_sketch = i % 3 != 2;
        ck_ok(planted_ingest(&p, path), p.t.err);
        if (i == 0)
            ck_assert_uint_eq(p.r.documents, 40);
    }
    check_saved(&p, rows, &view);
    free(rows);
    planted_end(&p);
}
END_TEST

START_TEST(saving_and_loading_changes_nothing)
{
    planted p;
    store_view view;
    int64_t *rows;
    session s;

    planted_begin(&p, PLANTED_DOCUMENTS);
    planted_fill(&p);
    rows = saved_rows(&p, &view);
    for (unsigned i = 0; i < 5; i++) {
        p.c.threads = 1 + i % 3;
        ck_ok(session_open(&s, &p, i % 2 == 1), p.t.err);
        ck_assert(s.f.exists);
        ck_assert_uint_eq(s.f.saved_blocks, 1);
        ck_ok(follow_save(&s.f, &p.t.err), p.t.err);
        check_saved(&p, rows, &view);
        ck_ok(follow_save(&s.f, &p.t.err), p.t.err);
        check_saved(&p, rows, &view);
        session_close(&s);
        scene_reopen(&p.t, KEDGE_OPEN_WRITE);
    }
    free(rows);
    planted_end(&p);
}
END_TEST

/* More chunks than one group of a saving holds. */
START_TEST(many_chunks_are_saved)
{
    enum { WORDS = 256 * 18 + 3 };
    planted p;
    store_view before, after;
    kedge_model *m[2];

    planted_begin(&p, 8);
    p.o.width = 16;
    FILE *f = planted_file(p.vocabulary);
    for (unsigned i = 0; i < WORDS; i++)
        fprintf(f, "%u.%u\n", i * 7919 % 10007, i);
    ck_assert_int_eq(fclose(f), 0);
    f = planted_file(p.source);
    fprintf(f, "%d\n%d\n%d\n", 2 * WORDS, WORDS, 4 * WORDS);
    for (unsigned i = 0; i < 2 * WORDS; i++)
        fprintf(f, "%u %u 3\n%u %u 4\n", i + 1, i % 5 + 1, i + 1,
                6 + i % (WORDS - 5));
    ck_assert_int_eq(fclose(f), 0);
    planted_fill(&p);
    kedge_fit_opts o;
    kedge_fit_opts_init(&o);
    o.anchor_min_df = 1;
    m[0] = planted_fit(&p, 2, &o, NULL);
    scene_read(&p.t);
    ck_ok(store_get_view_record(p.t.s, 0, &before, &p.t.err), p.t.err);
    store_abort(p.t.s);
    ck_ok(catch_up_and_save(&p, false), p.t.err);
    scene_read(&p.t);
    ck_ok(store_get_view_record(p.t.s, 0, &after, &p.t.err), p.t.err);
    store_abort(p.t.s);
    ck_assert_uint_ne(before.rows, after.rows);
    m[1] = planted_fit(&p, 2, &o, NULL);
    ck_assert(planted_same(m[0], m[1]));
    kedge_model_free(m[0]);
    kedge_model_free(m[1]);
    planted_end(&p);
}
END_TEST

START_TEST(a_new_view_is_the_one_that_was_asked_for)
{
    planted p;
    session s;

    planted_begin(&p, 8);
    ck_ok(session_open(&s, &p, false), p.t.err);
    ck_assert(!s.f.exists);
    ck_assert_uint_eq(s.f.saved_blocks, 0);
    ck_assert_uint_eq(s.f.view.width, 80);
    ck_ok(follow_catch_up(&s.f, &p.t.err), p.t.err); /* nothing there */
    ck_assert_uint_eq(s.f.view.blocks, 0);
    session_close(&s);
    planted_end(&p);
}
END_TEST

static int stop_at_once(void *data)
{
    (void)data;
    return 1;
}

START_TEST(catching_up_can_be_stopped)
{
    planted p;
    session s;

    planted_begin(&p, PLANTED_DOCUMENTS);
    ingest_shards(&p, true);
    ck_ok(session_open(&s, &p, false), p.t.err);
    p.c.stop = stop_at_once;
    ck_assert_int_eq(follow_catch_up(&s.f, &p.t.err), KEDGE_ECANCELED);
    session_close(&s);
    p.c.stop = NULL;
    ck_ok(catch_up_and_save(&p, false), p.t.err);
    planted_end(&p);
}
END_TEST

START_TEST(damage_is_found_when_loading)
{
    planted p;
    session s;

    planted_begin(&p, PLANTED_DOCUMENTS);
    planted_fill(&p);
    store_view view;
    free(saved_rows(&p, &view));
    scene_write(&p.t);
    ck_ok(store_drop_rows(p.t.s, view.rows, &p.t.err), p.t.err);
    scene_commit(&p.t);
    ck_assert_int_ne(session_open(&s, &p, false), KEDGE_OK);
    session_close(&s);
    planted_end(&p);
}
END_TEST

START_TEST(no_memory_harms_no_saved_sketch)
{
    planted p;
    store_view view;
    int64_t *rows;
    kedge_status st = KEDGE_ENOMEM;

    planted_begin(&p, PLANTED_DOCUMENTS);
    p.c.threads = 1;
    planted_fill(&p);
    rows = saved_rows(&p, &view);
    for (long k = 0; st != KEDGE_OK; k++) {
        session s = {0};
        ck_ok(session_open(&s, &p, false), p.t.err);
        gate_allow(k);
        st = follow_save(&s.f, &p.t.err);
        gate_open();
        session_close(&s);
        ck_assert(st == KEDGE_OK || st == KEDGE_ENOMEM);
        int64_t *const kept = saved_rows(&p, &view);
        ck_assert_int_eq(memcmp(rows, kept, view.words * (1 + view.width) *
                                                sizeof *rows), 0);
        free(kept);
        ck_assert_int_lt(k, 500);
    }
    check_saved(&p, rows, &view);
    free(rows);
    planted_end(&p);
}
END_TEST

START_TEST(more_takes_more)
{
    ck_assert_uint_le(follow_memusage(500, 10000, 2, false),
                      follow_memusage(1000, 10000, 2, false));
    ck_assert_uint_lt(follow_memusage(500, 10000, 2, false),
                      follow_memusage(500, 1000000, 2, false));
    ck_assert_uint_le(follow_memusage(500, 10000, 2, false),
                      follow_memusage(500, 10000, 9, false));
    ck_assert_uint_lt(follow_memusage(1000, 1000000, 2, true),
                      follow_memusage(1000, 1000000, 2, false));
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        following_later_is_the_same_as_at_once,
        a_sketch_left_behind_catches_up,
        saving_and_loading_changes_nothing,
        many_chunks_are_saved,
        a_new_view_is_the_one_that_was_asked_for,
        catching_up_can_be_stopped,
        damage_is_found_when_loading,
        no_memory_harms_no_saved_sketch,
        more_takes_more,
        NULL,
    };

    return unit_run("follow", tests);
}
