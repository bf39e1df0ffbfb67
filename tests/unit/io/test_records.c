/* SPDX-License-Identifier: MIT */
#include "io/records.h"

#include "base/chance.h"
#include "base/fail.h"
#include "base/gate.h"
#include "unit.h"

#define RECORDS 300

/* What a source does at a call. */
typedef enum act { GIVES, EMPTY, BAD, BREAKS, FAILS } act;

/* Records by a list; "w" for each of them as often as its number says, and
 * "x" in every third. */
typedef struct script {
    act act[RECORDS];
    size_t count, next;
    size_t asked; /* whether there is more within some time */
    size_t stalls; /* before this record; SIZE_MAX: never */
    double patience; /* as was asked last */
    span word[2];
    uint32_t tally[2];
} script;

static size_t script_tally(size_t i)
{
    return 1 + i % 7;
}

static kedge_status script_next(void *data, record *out, bool *more,
                                kedge_error *err)
{
    script *s = data;
    const size_t i = s->next;

    *more = i < s->count;
    if (!*more)
        return KEDGE_OK;
    s->next += s->act[i] != BREAKS; /* which it does for ever */
    if (s->act[i] == BAD || s->act[i] == BREAKS)
        return kedge_fail(err, KEDGE_EFORMAT, "script:%zu: %s", i + 1,
                          s->act[i] == BAD ? "bad" : "broken");
    if (s->act[i] == FAILS)
        return kedge_fail(err, KEDGE_EIO, "script:%zu: gone", i + 1);
    s->word[0] = span_text("w");
    s->word[1] = span_text("x");
    s->tally[0] = (uint32_t)script_tally(i);
    s->tally[1] = 1;
    *out = (record){.kind = RECORD_WORDS, .word = s->word, .tally = s->tally,
                    .count = s->act[i] == EMPTY ? 0 : 1 + (i % 3 == 0)};
    return KEDGE_OK;
}

static bool script_ready(void *data, double seconds)
{
    script *s = data;

    s->asked++;
    s->patience = seconds;
    return s->next != s->stalls;
}

static bool script_whole(const void *data)
{
    const script *s = data;

    return s->next == s->count || s->act[s->next] != BREAKS;
}

typedef struct session {
    script from;
    reader_room room;
    words list;
    wordmap ids;
    tokenizer_opts tokens;
    records *r;
    docs batch;
    bool more;
    kedge_error err;
} session;

static void session_open(session *s, bool skip_bad)
{
    const record_source from = {.state = &s->from, .next = script_next,
                                .ready = script_ready, .waits = &s->from,
                                .skippable = script_whole, .name = "script"};
    reader_opts opts = {.skip_bad = skip_bad, .lexicon = &s->ids,
                        .room = s->room,
                        .tokens = &s->tokens};

    s->from.stalls = SIZE_MAX;
    tokenizer_opts_init(&s->tokens);
    ck_assert(wordmap_open(&s->ids, &s->list));
    ck_ok(records_open(&from, &opts, &s->r, &s->err), s->err);
}

static void session_close(session *s)
{
    records_close(s->r);
    docs_free(&s->batch);
    wordmap_close(&s->ids);
    words_free(&s->list);
}

static kedge_status session_next(session *s, reader_limits limits)
{
    docs_clear(&s->batch);
    return records_next(s->r, &limits, &s->batch, &s->more, &s->err);
}

static reader_counts session_counts(const session *s)
{
    reader_counts c = {.bytes_read = 17};

    records_get_counts(s->r, &c);
    ck_assert_uint_eq(c.bytes_read, 17); /* not theirs to tell */
    return c;
}

static const reader_limits no_limits = {SIZE_MAX, SIZE_MAX, 0, 0};

/* The twin: walks the script, and stops a batch when it should be full. */
typedef struct expected {
    size_t at;
    uint64_t documents, empty, bad;
} expected;

static void check_batch(expected *e, const session *s, reader_limits l)
{
    size_t n = 0, entries = 0;
    uint64_t tokens = 0;

    for (; e->at < s->from.count; e->at++) {
        const size_t i = e->at;
        if (n > 0 && (n >= l.documents || entries >= l.entries ||
                      (l.tokens > 0 && tokens >= l.tokens)))
            break;
        e->bad += s->from.act[i] == BAD;
        e->empty += s->from.act[i] == EMPTY;
        if (s->from.act[i] != GIVES)
            continue;
        ck_assert_uint_lt(n, s->batch.count);
        ck_assert_uint_eq(s->batch.position[n], i + 1);
        ck_assert_uint_eq(s->batch.length[n], script_tally(i) + (i % 3 == 0));
        tokens += s->batch.length[n];
        entries += i % 3 == 0 ? 2 : 1;
        n++;
    }
    e->documents += n;
    ck_assert_uint_eq(s->batch.count, n);
    ck_assert_uint_eq(docs_entries(&s->batch), entries);
}

static void make_script(script *s, uint64_t seed)
{
    chance c = {.key = seed};

    s->count = chance_below(&c, RECORDS);
    for (size_t i = 0; i < s->count; i++)
        s->act[i] = chance_below(&c, 4) > 0 ? GIVES
                    : chance_below(&c, 2) > 0 ? EMPTY
                                              : BAD;
}

START_TEST(batches_end_at_the_limits)
{
    for (uint64_t seed = 0; seed < 200; seed++) {
        chance c = {.key = ~seed};
        const reader_limits l = {
            .documents = seed % 4 == 0 ? SIZE_MAX : chance_below(&c, 30),
            .entries = seed % 3 == 0 ? SIZE_MAX : chance_below(&c, 60),
            .tokens = seed % 2 == 0 ? 0 : 1 + chance_below(&c, 100),
            .seconds = seed % 5 == 0 ? 1e6 : 0};
        session s = {.more = true};
        expected e = {0};
        make_script(&s.from, seed);
        session_open(&s, true);
        while (s.more) {
            ck_ok(session_next(&s, l), s.err);
            check_batch(&e, &s, l);
        }
        const reader_counts counts = session_counts(&s);
        ck_assert_uint_eq(e.at, s.from.count);
        ck_assert_uint_eq(counts.documents, e.documents);
        ck_assert_uint_eq(counts.empty, e.empty);
        ck_assert_uint_eq(counts.bad.count, e.bad);
        session_close(&s);
    }
}
END_TEST

START_TEST(the_first_bad_record_is_told)
{
    session s = {.from = {.act = {GIVES, BAD, GIVES, BAD, BAD}, .count = 5}};

    session_open(&s, true);
    ck_assert_str_eq(session_counts(&s).bad.line[0], "");
    ck_ok(session_next(&s, no_limits), s.err);
    ck_assert(!s.more);
    ck_assert_uint_eq(s.batch.count, 2);
    ck_assert_uint_eq(s.batch.position[1], 3);
    ck_assert_uint_eq(session_counts(&s).bad.count, 3);
    ck_assert_str_eq(session_counts(&s).bad.line[0], "script:2: bad");
    session_close(&s);
}
END_TEST

START_TEST(without_skip_bad_the_first_ends_it)
{
    session s = {.from = {.act = {GIVES, BAD, GIVES}, .count = 3}};

    session_open(&s, false);
    ck_fails(session_next(&s, no_limits), KEDGE_EFORMAT, s.err,
             "script:2: bad");
    ck_assert_uint_eq(s.batch.count, 1); /* what was whole before */
    ck_assert_uint_eq(session_counts(&s).bad.count, 0);
    ck_fails(session_next(&s, no_limits), KEDGE_EMISUSE, s.err,
             "read on after a failure");
    session_close(&s);
}
END_TEST

/* The third has three tokens of one word: three entries in pieces of one. */
START_TEST(large_documents_are_malformed)
{
    for (size_t piece = 1; piece <= 8; piece++) {
        session s = {.from = {.act = {GIVES, GIVES, GIVES}, .count = 3},
                     .room = {.entries = 2, .piece = piece}};
        session t = {.from = s.from, .room = s.room};
        session_open(&s, true);
        session_open(&t, false);
        ck_ok(session_next(&s, no_limits), s.err);
        ck_assert_uint_eq(s.batch.count + session_counts(&s).bad.count, 3);
        ck_assert_uint_eq(session_counts(&s).documents, s.batch.count);
        if (session_counts(&s).bad.count > 0) {
            ck_assert_ptr_nonnull(strstr(session_counts(&s).bad.line[0],
                                         "too large: in pieces of 1 tokens"));
            ck_fails(session_next(&t, no_limits), KEDGE_EFORMAT, t.err,
                     "script: record 3: the document of 3 tokens is too large");
        }
        ck_assert_int_eq(session_counts(&s).bad.count > 0, piece == 1);
        session_close(&s);
        session_close(&t);
    }
}
END_TEST

/* A failing disk is not passed over, and a source that breaks off ends there,
 * which is another thing than a malformed record. */
START_TEST(some_failures_are_never_skipped)
{
    session s = {.from = {.act = {GIVES, BAD, FAILS, GIVES}, .count = 4}};
    session t = {.from = {.act = {GIVES, BAD, GIVES, BREAKS}, .count = 4}};

    session_open(&s, true);
    ck_fails(session_next(&s, no_limits), KEDGE_EIO, s.err, "script:3: gone");
    ck_assert_int_eq(session_next(&s, no_limits), KEDGE_EMISUSE);
    session_close(&s);
    session_open(&t, true);
    ck_ok(session_next(&t, no_limits), t.err);
    ck_assert(!t.more);
    ck_assert_uint_eq(t.batch.count, 2);
    ck_assert_uint_eq(session_counts(&t).bad.count, 1);
    ck_assert_uint_eq(session_counts(&t).unread.count, 1);
    ck_assert_str_eq(session_counts(&t).unread.line[0], "script:4: broken");
    session_close(&t);
}
END_TEST

START_TEST(no_error_need_be_told)
{
    session s = {.from = {.act = {BAD}, .count = 1}};

    session_open(&s, false);
    ck_assert_int_eq(records_next(s.r, &no_limits, &s.batch, &s.more, NULL),
                     KEDGE_EFORMAT);
    session_close(&s);
}
END_TEST

/* What a slow source has given is a batch once it has to be waited for; with
 * nothing given, it is waited for however long. */
START_TEST(a_source_that_stalls_gives_what_it_has)
{
    session s = {.from = {.count = 9}};

    session_open(&s, false);
    s.from.stalls = 4;
    ck_ok(session_next(&s, (reader_limits){SIZE_MAX, SIZE_MAX, 0, 50}), s.err);
    ck_assert(s.more);
    ck_assert_uint_eq(s.batch.count, 4);
    ck_assert_uint_eq(s.from.asked, 4); /* not before the first */
    ck_assert(s.from.patience > 10 && s.from.patience <= 50);
    s.from.stalls = 4; /* still: but a batch begins with a document */
    ck_ok(session_next(&s, (reader_limits){SIZE_MAX, SIZE_MAX, 0, 50}), s.err);
    ck_assert(!s.more);
    ck_assert_uint_eq(s.batch.count, 5);
    ck_assert_uint_eq(s.batch.position[0], 5);
    session_close(&s);
}
END_TEST

START_TEST(a_deadline_that_is_over_ends_the_batch)
{
    session s = {.from = {.count = 5}, .more = true};
    size_t batches = 0;

    session_open(&s, false);
    for (; s.more; batches++) {
        ck_ok(session_next(&s, (reader_limits){SIZE_MAX, SIZE_MAX, 0, 1e-9}),
              s.err);
        ck_assert_uint_le(s.batch.count, 1);
    }
    ck_assert_uint_eq(batches, 6);
    session_close(&s);
}
END_TEST

START_TEST(records_without_memory)
{
    kedge_status st = KEDGE_ENOMEM;
    long k = 0;

    for (; st != KEDGE_OK; k++) {
        session s = {.from = {.count = RECORDS}};
        session_open(&s, true);
        gate_allow(k);
        st = session_next(&s, no_limits);
        gate_open();
        if (st != KEDGE_OK)
            ck_fails(st, KEDGE_ENOMEM, s.err, "out of memory");
        ck_assert_uint_eq(session_counts(&s).bad.count, 0);
        session_close(&s);
    }
    ck_assert_int_gt(k, 5);
    records_close(NULL);
}
END_TEST

START_TEST(opening_without_memory)
{
    session s = {0};
    const record_source from = {.next = script_next};
    const reader_opts opts = {.lexicon = &s.ids, .tokens = &s.tokens};

    for (long k = 0; k < 2; k++) {
        s.r = (records *)&s;
        gate_allow(k);
        ck_assert_int_eq(records_open(&from, &opts, &s.r, &s.err),
                         KEDGE_ENOMEM);
        gate_open();
        ck_assert_ptr_null(s.r);
    }
}
END_TEST

UNIT_SUITE("records",
    batches_end_at_the_limits,
    the_first_bad_record_is_told,
    without_skip_bad_the_first_ends_it,
    large_documents_are_malformed,
    some_failures_are_never_skipped,
    no_error_need_be_told,
    a_source_that_stalls_gives_what_it_has,
    a_deadline_that_is_over_ends_the_batch,
    records_without_memory,
    opening_without_memory)
