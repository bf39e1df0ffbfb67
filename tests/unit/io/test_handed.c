/* SPDX-License-Identifier: MIT */
#include "io/handed.h"

#include "base/gate.h"
#include "unit.h"

#define WORDS 3

/* Documents by a list. */
typedef struct desk {
    const kedge_given *list;
    size_t count, next;
    int last; /* what is answered after them */
} desk;

static int desk_next(void *data, kedge_given *out)
{
    desk *d = data;

    ck_assert_ptr_null(out->text);
    ck_assert_uint_eq(out->size, 0);
    if (d->next == d->count)
        return d->last;
    *out = d->list[d->next++];
    return 1;
}

typedef struct session {
    desk from;
    kedge_source source;
    handed *h;
    record found;
    bool more;
    kedge_error err;
} session;

static void session_begin(session *s, const kedge_given *list, size_t count)
{
    static const char *const vocabulary[WORDS] = {"a", "b", "c"};

    *s = (session){.from = {list, count, 0, 0}};
    s->source = (kedge_source){.data = &s->from, .next = desk_next,
                               .vocabulary = vocabulary, .words = WORDS};
    ck_ok(handed_open(&s->source, "desk", 4, &s->h, &s->err), s->err);
}

static kedge_status ask(session *s)
{
    return handed_next(s->h, &s->found, &s->more, &s->err);
}

START_TEST(documents_are_texts_or_bags)
{
    static const char *const words[] = {"b", "a", "b"};
    static const uint32_t numbers[] = {2, 0}, counts[] = {7, 1};
    const kedge_given list[] = {
        {.id = "one", .label = "l", .text = "some text", .text_size = 4},
        {.words = words, .size = 3},
        {.numbers = numbers, .counts = counts, .size = 2},
        {.id = "empty"},
    };
    session s;

    session_begin(&s, list, 4);
    ck_ok(ask(&s), s.err);
    ck_assert(s.more && s.found.kind == RECORD_TEXT);
    ck_assert(span_equal(s.found.text, span_text("some")));
    ck_assert(span_equal(s.found.id, span_text("one")));
    ck_assert(span_equal(s.found.label, span_text("l")));
    ck_ok(ask(&s), s.err);
    ck_assert(s.found.kind == RECORD_WORDS && s.found.count == 3);
    for (size_t e = 0; e < 3; e++) {
        ck_assert(span_equal(s.found.word[e], span_text(words[e])));
        ck_assert_uint_eq(s.found.tally[e], 1);
    }
    ck_assert_uint_eq(s.found.id.size, 0);
    ck_ok(ask(&s), s.err);
    ck_assert(s.found.kind == RECORD_NUMBERS && s.found.count == 2);
    ck_assert_mem_eq(s.found.number, numbers, sizeof numbers);
    ck_assert_mem_eq(s.found.tally, counts, sizeof counts);
    ck_ok(ask(&s), s.err);
    ck_assert(s.more && s.found.count == 0 && s.found.kind != RECORD_TEXT);
    ck_ok(ask(&s), s.err);
    ck_assert(!s.more);
    handed_close(s.h);
}
END_TEST

/* What is wrong with the second of three documents, behind which the third
 * comes. */
static void check_wrong(kedge_given wrong, const char *reason)
{
    const kedge_given list[] = {{.text = "first", .text_size = 5}, wrong,
                                {.text = "last", .text_size = 4}};
    session s;

    session_begin(&s, list, 3);
    ck_ok(ask(&s), s.err);
    ck_fails(ask(&s), KEDGE_EFORMAT, s.err, "desk:2: ");
    ck_assert_ptr_nonnull(strstr(s.err.text, reason));
    ck_ok(ask(&s), s.err);
    ck_assert(span_equal(s.found.text, span_text("last")));
    handed_close(s.h);
}

START_TEST(what_is_wrong_is_told)
{
    static const char *const ends[] = {"a", "b\n"}, *const none[] = {""},
                      *const missing[] = {NULL};
    static const uint32_t far[] = {1, WORDS}, zero[] = {1, 0},
                          two[] = {0, 1};

    check_wrong((kedge_given){.words = ends, .size = 2},
                "word 2 has the end of a line");
    check_wrong((kedge_given){.words = none, .size = 1}, "word 1 is empty");
    check_wrong((kedge_given){.words = missing, .size = 1}, "word 1 is empty");
    check_wrong((kedge_given){.numbers = far, .size = 2},
                "word 3 is not in the vocabulary: 0 to 2");
    check_wrong((kedge_given){.numbers = two, .counts = zero, .size = 2},
                "word 2 is there 0 times");
    check_wrong((kedge_given){.counts = two, .size = 2}, "counts alone");
    check_wrong((kedge_given){.numbers = two, .size = 5},
                "at most 4 entries");
}
END_TEST

START_TEST(a_source_is_whole)
{
    static const uint32_t numbers[] = {0};
    const kedge_given list[] = {{.numbers = numbers, .size = 1}};
    session s;

    session_begin(&s, list, 0);
    s.from.last = -1;
    ck_fails(ask(&s), KEDGE_ECANCELED, s.err, "after 0 documents");
    handed_close(s.h);
    session_begin(&s, list, 1);
    s.source.vocabulary = NULL;
    ck_fails(ask(&s), KEDGE_EINVAL, s.err, "vocabulary");
    handed_close(s.h);
    handed_close(NULL);
}
END_TEST

START_TEST(no_memory_is_survived)
{
    static const char *const words[] = {"b", "a", "b"};
    const kedge_given list[] = {{.words = words, .size = 3}};
    kedge_status st = KEDGE_ENOMEM;
    long n = 0;

    for (; st != KEDGE_OK; n++) {
        session s = {.from = {list, 1, 0, 0}};
        s.source = (kedge_source){.data = &s.from, .next = desk_next};
        gate_allow(n);
        st = handed_open(&s.source, "desk", 0, &s.h, &s.err);
        if (st == KEDGE_OK)
            st = ask(&s);
        gate_open();
        ck_assert(st == KEDGE_OK || st == KEDGE_ENOMEM);
        handed_close(s.h);
    }
    ck_assert_int_gt(n, 2);
}
END_TEST

UNIT_SUITE("handed",
    documents_are_texts_or_bags,
    what_is_wrong_is_told,
    a_source_is_whole,
    no_memory_is_survived)
