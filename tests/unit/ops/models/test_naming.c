/* SPDX-License-Identifier: MIT */
#include "ops/models/model.h"

#include "base/bytes.h"
#include "ops/planted.h"

/* ---- what a name may be -------------------------------------------------- */

/* 63 bytes, and one too many. */
#define TEN   "0123456789"
#define SIXTY TEN TEN TEN TEN TEN TEN

static const char *const good[] = {
    "", "a", "Football", "two words", " ~", "caf\xc3\xa9",
    "\xe6\x97\xa5\xe6\x9c\xac", "\xc2\xa0", "\xdf\xbf", "\xe0\xa0\x80",
    "\xed\x9f\xbf", "\xee\x80\x80", "\xf0\x9f\x8f\x88", "\xf4\x8f\xbf\xbf",
    SIXTY "abc", SIXTY "\xe6\x97\xa5",
};

static const struct bad {
    const char *name, *said;
} bad[] = {
    {"tab\there", "byte 4 is U+0009"},
    {"\x1b[31m", "byte 1 is U+001B"},
    {"a\nb", "U+000A"},
    {"\x7f", "U+007F"},
    {"x\xc2\x80", "byte 2 is U+0080"},
    {"\xc2\x9f", "U+009F"},
    {"\xe2\x80\xa8", "U+2028"},
    {"\xe2\x80\xa9", "U+2029"},
    {"\xff", "byte 1 is not"},
    {"ab\x80", "byte 3 is not"},
    {"\xc3", "UTF-8"},
    {"\xc3(", "UTF-8"},
    {"\xc0\xaf", "UTF-8"},         /* longer than needed */
    {"\xc1\xbf", "UTF-8"},
    {"\xe0\x9f\xbf", "UTF-8"},
    {"\xf0\x8f\xbf\xbf", "UTF-8"},
    {"\xed\xa0\x80", "UTF-8"},     /* halves of a pair */
    {"\xed\xbf\xbf", "UTF-8"},
    {"\xf4\x90\x80\x80", "UTF-8"}, /* past the end */
    {"\xf5\x80\x80\x80", "UTF-8"},
    {"\xf0\x9f\x8f", "UTF-8"},
    {SIXTY "abcd", "at most 63 bytes, not 64"},
};

TEST(names_are_text)
{
    kedge_error err = {0};

    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        ck_ok(naming_check("a topic's label", good[i], &err), err);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        ck_fails(naming_check("a topic's label", bad[i].name, &err),
                 KEDGE_EINVAL, err, bad[i].said);
    ck_assert_str_eq(naming_quote("k12-a_b"), "");
    ck_assert_str_eq(naming_quote("two words"), "'");
    ck_assert_str_eq(naming_quote("it's"), "\"");
}

/* ---- as bytes ------------------------------------------------------------ */

static void random_names(chance *c, topic_name *names, size_t topics)
{
    memset(names, 0, topics * sizeof *names);
    for (size_t t = 0; t < topics; t++)
        snprintf(names[t].text, sizeof names[t].text, "%.*s",
                 (int)(chance_below(c, 3) == 0 ? 0 : chance_below(c, 64)),
                 SIXTY "abc");
}

TEST(names_come_back)
{
    for (uint64_t seed = 0; seed < 200; seed++) {
        chance c = {.key = seed};
        const size_t topics = 1 + chance_below(&c, 9);
        topic_name names[9], back[9];
        uint8_t bytes[9 * 64];
        size_t size;

        random_names(&c, names, topics);
        size = naming_size(names, topics);
        if (size == 0)
            continue; /* no name at all */
        memset(bytes, 0xAA, sizeof bytes);
        naming_write(names, topics, bytes);
        ck_assert(size == sizeof bytes || bytes[size] == 0xAA);
        ck_assert(naming_read(back, topics, bytes, size));
        ck_assert_mem_eq(names, back, topics * sizeof *names);
        ck_assert(!naming_read(back, topics, bytes, size - 1));
        ck_assert(!naming_read(back, topics + 1 > 9 ? 8 : topics + 1, bytes,
                               size));
    }
}

/* ---- in a store ---------------------------------------------------------- */

static void begin(planted *p)
{
    planted_begin(p, PLANTED_DOCUMENTS);
    planted_fill(p);
}

static void check_names(planted *p, const char *model, const char *first,
                        const char *last)
{
    OWN(model_end) kedge_model *m = planted_load(p, model);

    ck_assert_str_eq(kedge_model_label(m, 0), first);
    ck_assert_str_eq(kedge_model_label(m, 1), "");
    ck_assert_str_eq(kedge_model_label(m, kedge_model_topics(m) - 1),
                     last);
    ck_assert_ptr_null(kedge_model_label(m, kedge_model_topics(m)));
}

TEST(topics_are_named_in_the_store)
{
    OWN(planted_end) planted p;

    begin(&p);
    kedge_model_free(planted_fit(&p, 3, NULL, NULL));
    OWN(model_end) kedge_model *before = planted_fit(&p, 4, NULL, NULL);
    ck_ok(kedge_label_topic(p.t.s, NULL, 3, "four", &p.t.err), p.t.err);
    ck_ok(kedge_label_topic(p.t.s, "k4", 0, SIXTY "abc", &p.t.err), p.t.err);
    ck_ok(kedge_label_topic(p.t.s, "k3", 0, "other", &p.t.err), p.t.err);
    scene_reopen(&p.t, KEDGE_OPEN_WRITE);
    check_names(&p, "k4", SIXTY "abc", "four");
    check_names(&p, "k3", "other", "");
    ck_ok(kedge_label_topic(p.t.s, "k4", 0, "", &p.t.err), p.t.err);
    check_names(&p, NULL, "", "four");
    ck_ok(kedge_label_topic(p.t.s, "k4", 3, "", &p.t.err), p.t.err);
    OWN(model_end) kedge_model *after = planted_load(&p, "k4");
    ck_assert(planted_same(before, after)); /* no trace is left */
    ck_assert_ptr_null(after->names);
}

TEST(what_cannot_be_named_is_told)
{
    static const struct {
        const char *model;
        uint64_t topic;
        const char *name;
        kedge_status status;
        const char *part;
    } wrong[] = {
        {"k4", 4, "x", KEDGE_EINVAL, "there is no topic 5: model k4 has 4"},
        {"k5", 0, "x", KEDGE_ENOTFOUND, "no model \"k5\""},
        {"k4", 0, "\n", KEDGE_EINVAL, "control"},
        {"k4", 0, NULL, KEDGE_EINVAL, "name is NULL"},
    };
    OWN(planted_end) planted p;

    begin(&p);
    ck_fails(kedge_label_topic(p.t.s, NULL, 0, "x", &p.t.err), KEDGE_ENOTFOUND,
             p.t.err, "no model yet");
    kedge_model_free(planted_fit(&p, 4, NULL, NULL));
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        ck_fails(kedge_label_topic(p.t.s, wrong[i].model, wrong[i].topic,
                                   wrong[i].name, &p.t.err),
                 wrong[i].status, p.t.err, wrong[i].part);
    ck_fails(kedge_label_topic(NULL, "k4", 0, "x", &p.t.err), KEDGE_EINVAL,
             p.t.err, "store is NULL");
    scene_reopen(&p.t, KEDGE_OPEN_READ);
    ck_assert_int_ne(kedge_label_topic(p.t.s, "k4", 0, "x", &p.t.err),
                     KEDGE_OK);
    check_names(&p, "k4", "", "");
}

TEST(naming_without_memory)
{
    OWN(planted_end) planted p;

    begin(&p);
    kedge_model_free(planted_fit(&p, 4, NULL, NULL));
    scene_starve(kedge_label_topic(p.t.s, NULL, 3, "four", &p.t.err),
                 p.t.err);
    check_names(&p, "k4", "", "four");
}
