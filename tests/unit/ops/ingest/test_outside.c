/* SPDX-License-Identifier: MIT */
#include "ops/ingest/outside.h"

#include "base/gate.h"
#include "ops/formats.h"

/* The planted corpus in a store, and from files. */
typedef struct session {
    planted p;
    kedge_infer_opts o;
    outside_docs a;
    docs batch;
} session;

static void session_begin(session *s)
{
    *s = (session){0};
    planted_begin(&s->p, 60);
    planted_fill(&s->p);
    kedge_infer_opts_init(&s->o);
}

static kedge_status session_open(session *s, const char *const *path,
                                 size_t paths)
{
    kedge_status st;

    scene_read(&s->p.t);
    st = outside_open(&s->a, s->p.t.txn, path, paths, &s->o, &s->p.c,
                       &s->p.t.err);
    store_abort(&s->p.t.txn);
    return st;
}

static void session_next(session *s)
{
    ck_ok(outside_next(&s->a, &s->batch, &s->p.t.err), s->p.t.err);
}

/* Opens one source and reads its first batch. */
static void session_read(session *s, const char *path)
{
    ck_ok(session_open(s, &path, 1), s->p.t.err);
    session_next(s);
}

static void session_close(session *s)
{
    outside_close(&s->a);
    docs_free(&s->batch);
}

static void session_end(session *s)
{
    session_close(s);
    planted_end(&s->p);
}

/* One until the end of the scope. */
#define SESSION(s)              \
    session s OWN(session_end); \
    session_begin(&s)

/* The store's ids are lines of the vocabulary. */
static void check_document(const session *s, size_t at, size_t m)
{
    const docs *const got = &s->batch, *const d = &s->p.d;
    const size_t entries = d->start[m + 1] - d->start[m];

    ck_assert_uint_eq(got->start[at + 1] - got->start[at], entries);
    ck_assert_uint_eq(got->length[at], d->length[m]);
    ck_assert_mem_eq(got->word + got->start[at], d->word + d->start[m],
                     entries * sizeof *d->word);
    ck_assert_mem_eq(got->tally + got->start[at], d->tally + d->start[m],
                     entries * sizeof *d->tally);
}

static void check_all(session *s, const char *path, kedge_format format,
                      const char *vocabulary)
{
    size_t m = 0;

    s->o.format = format;
    s->o.vocabulary = vocabulary;
    ck_ok(session_open(s, &path, 1), s->p.t.err);
    for (session_next(s); s->batch.count > 0; session_next(s))
        for (size_t at = 0; at < s->batch.count; at++, m++) {
            ck_assert_uint_eq(s->batch.position[at], m + 1);
            check_document(s, at, m);
        }
    ck_assert_uint_eq(m, 60);
    session_next(s);
    ck_assert_uint_eq(s->batch.count, 0);
    ck_assert_uint_gt(s->a.counts.bytes_read, 0);
    ck_assert_uint_eq(s->a.counts.bytes_read, s->a.counts.bytes_total);
    session_close(s);
}

TEST(bags_of_all_kinds_arrive)
{
    char path[96], lexicon[96];

    SESSION(s);
    planted_path(&s.p, "arrived", path);
    planted_path(&s.p, "reversed.txt", lexicon);
    check_all(&s, s.p.source, KEDGE_FORMAT_AUTO, s.p.vocabulary);
    planted_write(path, &s.p.d, 0, 60, true);
    planted_write_words(lexicon, PLANTED_WORDS, true);
    check_all(&s, path, KEDGE_FORMAT_UCI, lexicon);
    formats_svmlight(path, &s.p.d, true);
    check_all(&s, path, KEDGE_FORMAT_SVMLIGHT, s.p.vocabulary);
    formats_ldac(path, &s.p.d, false);
    check_all(&s, path, KEDGE_FORMAT_LDAC, s.p.vocabulary);
    formats_mtx(path, &s.p.d, false);
    check_all(&s, path, KEDGE_FORMAT_AUTO, s.p.vocabulary);
    formats_vw(path, &s.p.d, true);
    check_all(&s, path, KEDGE_FORMAT_VW, NULL);
    formats_json_bags(path, &s.p.d, true);
    check_all(&s, path, KEDGE_FORMAT_AUTO, NULL);
}

/* Words that a vocabulary has and the store has not: by numbers and UCI's. */
TEST(words_of_a_vocabulary_may_be_unknown)
{
    char path[96], lexicon[96];
    const uint32_t known[] = {1, 2}, unknown = PLANTED_WORDS;

    SESSION(s);
    planted_path(&s.p, "arrived", path);
    planted_text(planted_path(&s.p, "words.txt", lexicon),
                 "other\nw074\nnew\nw037\n"); /* ids: none, 2, none, 1 */
    s.o.vocabulary = lexicon;
    for (int uci = 0; uci < 2; uci++) {
        planted_text(path, uci ? "1\n4\n4\n1 1 5\n1 2 6\n1 3 7\n1 4 8\n"
                               : "4 0:5 1:6 2:7 3:8\n");
        s.o.format = uci ? KEDGE_FORMAT_UCI : KEDGE_FORMAT_LDAC;
        session_read(&s, path);
        ck_assert_uint_eq(s.batch.count, 1);
        ck_assert_uint_eq(s.batch.length[0], 26);
        ck_assert_mem_eq(s.batch.word, known, sizeof known);
        ck_assert_uint_eq(s.batch.tally[0], 8);
        ck_assert_uint_eq(s.batch.tally[1], 6);
        ck_assert_uint_ge(s.batch.word[2], unknown);
        ck_assert_uint_eq(docs_entries(&s.batch), 3);
        session_close(&s);
    }
}

/* Also without a word; a line that is empty is no document. */
TEST(texts_are_cut_as_those_of_the_store)
{
    char path[96];

    SESSION(s);
    scene_close(&s.p.t);
    scene_remove(s.p.t.path);
    scene_open(&s.p.t, KEDGE_OPEN_CREATE);
    planted_path(&s.p, "texts.jsonl", path);
    planted_text(path, "{\"id\": \"first\", \"text\": \"ships sail 2day\"}\n");
    s.p.o.vocabulary = NULL;
    s.p.o.tf = NULL;
    s.p.o.digits = true;
    s.p.o.stemmer = "english";
    ck_ok(planted_ingest(&s.p, path), s.p.t.err);
    planted_text(path,
                 "{\"id\": \"a\", \"text\": \"A ship's sailing, 2day: ship\"}\n"
                 "\n{\"text\": \"?\"}\n{\"text\": \"unheard of\"}\n");
    session_read(&s, path);
    ck_assert_uint_eq(s.batch.count, 3);
    ck_assert(span_equal(docs_id(&s.batch, 0), span_text("a")));
    ck_assert_uint_eq(s.batch.length[0], 4);
    ck_assert_uint_eq(s.batch.start[1], 3);
    ck_assert_uint_eq(s.batch.tally[0], 2);
    ck_assert_uint_eq(docs_order_size(&s.batch, 0), 6); /* ',' and ':' */
    ck_assert_uint_eq(s.batch.length[1], 0);
    ck_assert_uint_eq(s.batch.length[2], 2);
    ck_assert_uint_eq(s.batch.word[3], 3);
}

/* What was written so far is given before the next is waited for. */
TEST(a_pipe_is_not_waited_for)
{
    const char *const path = "-";
    int ends[2];

    SESSION(s);
    ck_assert_int_eq(pipe(ends), 0);
    ck_assert_int_eq(dup2(ends[0], 0), 0);
    s.o.format = KEDGE_FORMAT_VW;
    ck_ok(session_open(&s, &path, 1), s.p.t.err);
    for (int m = 0; m < 5; m++) {
        ck_assert_int_eq(write(ends[1], "| w037:1\n", 9), 9);
        session_next(&s);
        ck_assert_uint_eq(s.batch.count, 1);
        ck_assert_uint_eq(s.batch.position[0], (uint64_t)m + 1);
        ck_assert_uint_eq(outside_source(&s.a), 0);
    }
    close(ends[1]);
    session_next(&s);
    ck_assert_uint_eq(s.batch.count, 0);
    close(ends[0]);
}

TEST(what_cannot_be_read_is_told)
{
    char path[96];
    const char *at = path;

    SESSION(s);
    planted_text(planted_path(&s.p, "bad.jsonl", path),
                 "{\"text\": \"w037\"}\n{\"text\": 5}\n{\"text\": \"b\"}\n");
    ck_ok(session_open(&s, &at, 1), s.p.t.err);
    ck_fails(outside_next(&s.a, &s.batch, &s.p.t.err), KEDGE_EFORMAT,
             s.p.t.err, "bad.jsonl:2");
    session_close(&s);
    s.o.skip_bad = true;
    session_read(&s, path);
    ck_assert_uint_eq(s.batch.count, 2);
    ck_assert_uint_eq(s.batch.position[1], 3);
    ck_assert_uint_eq(s.a.counts.bad.count, 1);
    session_close(&s);
    at = s.p.source;
    ck_ok(session_open(&s, &at, 1), s.p.t.err);
    ck_fails(outside_next(&s.a, &s.batch, &s.p.t.err), KEDGE_EINVAL,
             s.p.t.err, "--vocab");
    session_close(&s);
    s.o.vocabulary = "nowhere.txt";
    ck_fails(session_open(&s, &at, 1), KEDGE_EIO, s.p.t.err, "nowhere.txt");
}

static kedge_status session_look(session *s)
{
    const char *const path = s->p.source;
    kedge_status st = session_open(s, &path, 1);

    if (st == KEDGE_OK)
        st = outside_next(&s->a, &s->batch, &s->p.t.err);
    session_close(s);
    return st;
}

TEST(no_memory_is_survived)
{
    SESSION(s);
    s.o.vocabulary = s.p.vocabulary;
    gate_starve(session_look(&s));
}

TEST(sources_come_one_after_the_other_and_again)
{
    SESSION(s);
    const char *const paths[] = {s.p.source, s.p.source};
    uint64_t bytes;

    ck_assert(outside_lasts(s.p.source));
    ck_assert(!outside_lasts("-"));
    ck_assert(!outside_lasts("no/such/file"));
    s.o.vocabulary = s.p.vocabulary;
    ck_ok(session_open(&s, paths, 2), s.p.t.err);
    for (int pass = 0; pass < 2; pass++) {
        size_t seen[2] = {0};
        for (session_next(&s); s.batch.count > 0; session_next(&s)) {
            size_t *const at = &seen[outside_source(&s.a)];
            check_document(&s, 0, *at);
            *at += s.batch.count;
        }
        ck_assert(seen[0] == 60 && seen[1] == 60);
        bytes = s.a.counts.bytes_read;
        ck_assert_uint_eq(bytes, s.a.counts.bytes_total);
        if (pass == 0)
            outside_rewind(&s.a);
    }
    ck_assert_uint_gt(bytes, 0);
}
