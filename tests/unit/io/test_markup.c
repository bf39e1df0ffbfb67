/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include "io/text/markup.h"

/* Each case in memory of its own, for sanitizers. */
static char *copy_of(const char *text, const char **end)
{
    const size_t size = strlen(text);
    char *copy = malloc(size + 1);

    memcpy(copy + 1, text, size);
    *end = copy + 1 + size;
    return copy;
}

TEST(tags_end)
{
    static const struct {
        const char *text;
        size_t size; /* 0: no tag */
    } cases[] = {
        {"<b>", 3},                 {"</b>", 4},
        {"<br/>", 5},               {"<br />x", 6},
        {"<h1>", 4},                {"<ns:tag>", 8},
        {"<a b=c>d", 7},            {"<a b='>'>d", 9},
        {"<a b=\"'>\" c=d >", 15},  {"<a\n\tb=c\n>", 9},
        {"<a b=c/>", 8},            {"<a b=http://x/>", 15},
        {"<a b=>", 6},              {"<!doctype html>", 15},
        {"<?xml a?>", 9},           {"<!---->", 7},
        {"<!-- a > b -->c", 14},    {"<!-- <b> -->", 12},
        {"<p \xc3\xa9=x>", 8},      {"</b >", 5},
        {"<", 0},                   {"<>", 0},
        {"< b>", 0},                {"<b", 0},
        {"</", 0},                  {"</>", 0},
        {"<1>", 0},                 {"<b c>", 0},
        {"<b c d=e>", 0},           {"<b=c>", 0},
        {"<b c=d e>", 0},           {"<b <c>", 0},
        {"<b c=<d>", 0},            {"<b c='d>", 0},
        {"<b c=\"d", 0},            {"<b c=", 0},
        {"<b@c.d>", 0},             {"<http://x>", 0},
        {"<!>", 0},                 {"<!a <b>", 0},
        {"<!--", 0},                {"<!-- a", 0},
        {"<!-->", 0},               {"<!- a -->", 0},
        {"<?", 0},                  {"<b>\xcc\xb8", 0},
        {"<!a\xcc\x81 b>", 0},      {"<!a\xc3\xa9 b>", 0},
        {"<!a>", 4},                {"<?php?>", 0},
        {"<!a>\xcc\xb8 >", 0},      {"<!a >\xcc\xb8 >", 9},
        {"<b c=\xcc\xb8" "d>", 0},  {"<!-- -->\xcc\xb8 -->", 14},
        {"<\xcc\xb8" "b>", 0},      {"<b c=d\"e>", 0},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *end, *tag;
        markup m = {0};
        OWNED char *copy = copy_of(cases[i].text, &end);
        tag = markup_tag(&m, copy + 1, end);
        const size_t size = tag == NULL ? 0 : (size_t)(tag - copy - 1);
        ck_assert_msg(size == cases[i].size, "%s: %zu", cases[i].text, size);
    }
}

/* What scripts and styles hold is a part of their tag. */
TEST(scripts_are_no_text)
{
    static const struct {
        const char *text, *left;
    } cases[] = {
        {"<script>a</script>b", "b"},
        {"<STYLE type='x'>a { b: c } </Style\n>d", "d"},
        {"<script>if (a < b) '</scripts>' </script x>c", "c"},
        {"<script src=a />b</script>", "b</script>"},
        {"<script>a</style>", "a</style>"},
        {"<script async src='>'>a</script>b", "b"},
        {"<scripts>a</scripts>", "a</scripts>"},
        {"</script>a</script>", "a</script>"},
        {"<style>a</style", "a</style"},
        {"<style>a</style>\xcc\xb8 </style>b", "b"},
        {"<style>a</style\xcc\x81>", "a</style\xcc\x81>"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *end, *tag;
        markup m = {0};
        OWNED char *copy = copy_of(cases[i].text, &end);
        tag = markup_tag(&m, copy + 1, end);
        ck_assert_ptr_nonnull(tag);
        ck_assert_msg((size_t)(end - tag) == strlen(cases[i].left), "%s",
                      cases[i].text);
    }
}

TEST(no_end_of_a_script_is_looked_for_twice)
{
    const char text[] = "<style>a <style>b", *end = text + sizeof text - 1;
    markup m = {0};

    ck_assert_ptr_eq(markup_tag(&m, text, end), text + 7);
    ck_assert_ptr_eq(m.no_style_end, text + 7);
    ck_assert_ptr_eq(markup_tag(&m, text + 9, end), text + 16);
    ck_assert_ptr_eq(m.no_style_end, text + 7);
}

TEST(tags_have_a_limit)
{
    static char text[2 * MARKUP_TAG];
    markup m = {0};

    for (size_t size = MARKUP_TAG - 2; size < MARKUP_TAG + 3; size++) {
        memset(text, ' ', sizeof text);
        memcpy(text, "<b", 2);
        text[size - 1] = '>';
        ck_assert((markup_tag(&m, text, text + sizeof text) != NULL) ==
                  (size <= MARKUP_TAG));
        memcpy(text, "<!--", 4);
        memcpy(text + size - 3, "-->", 3);
        ck_assert_ptr_eq(markup_tag(&m, text, text + sizeof text),
                         text + size);
    }
}

TEST(no_end_of_a_comment_is_looked_for_twice)
{
    const char text[] = "<!-- a <!-- b", *end = text + sizeof text - 1;
    markup m = {0};

    ck_assert_ptr_null(markup_tag(&m, text, end));
    ck_assert_ptr_eq(m.no_comment_end, text + 4);
    ck_assert_ptr_null(markup_tag(&m, text + 7, end));
    ck_assert_ptr_eq(m.no_comment_end, text + 4);
}

TEST(entities_stand_for_letters)
{
    static const struct {
        const char *text;
        size_t size;
        uint32_t point;
    } cases[] = {
        {"&", 1, 0},             {"&;", 1, 0},
        {"&a", 1, 0},            {"& a;", 1, 0},
        {"&amp;", 5, 0},         {"&amp;x", 5, 0},
        {"&eacute;", 8, 0xe9},   {"&Eacute;x", 8, 0xc9},
        {"&amp;eacute;", 12, 0xe9}, {"&amp;amp;#233;", 14, 0xe9},
        {"&AElig;", 7, 0xc6},    {"&zwnj;", 6, 0x200c},
        {"&zeta;", 6, 0x3b6},    {"&rsquo;", 7, 0x2019},
        {"&nbsp;", 6, 0},        {"&unknown;", 9, 0},
        {"&sup2;", 6, 0},        {"&2;", 1, 0},
        {"&#39;", 5, '\''},      {"&#x27;", 6, '\''},
        {"&#X1F600;", 9, 0x1f600}, {"&#146;", 6, 0x2019},
        {"&#x8a;", 6, 0x160},    {"&#0;", 4, 0},
        {"&#55296;", 8, 0},      {"&#1114112;", 10, 0},
        {"&#99999999;", 11, 0},  {"&#999999999;", 1, 0},
        {"&#;", 1, 0},           {"&#x;", 1, 0},
        {"&#12", 1, 0},          {"&#1a;", 1, 0},
        {"&#xag;", 1, 0},        {"&eacute", 1, 0},
        {"&amp;#x", 5, 0},       {"&#", 1, 0},
        {"&abcdefghijklmnopqrstuvwxyzabcdef;", 34, 0},
        {"&abcdefghijklmnopqrstuvwxyzabcdefg;", 1, 0},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *end;
        uint32_t point = 1;
        OWNED char *copy = copy_of(cases[i].text, &end);
        const size_t size = markup_entity(copy + 1, end, &point);
        ck_assert_msg(size == cases[i].size && point == cases[i].point,
                      "%s: %zu, U+%04X", cases[i].text, size, point);
    }
}

TEST(pages_end)
{
    static const struct {
        const char *text;
        size_t size;
    } cases[] = {
        {"", 0},                  {"x.y/z?a=b&c#d", 13},
        {"x y", 1},               {"x\ny", 1},
        {"x<y", 1},               {"x>y", 1},
        {"x\"y", 1},              {"x\x7f", 1},
        {"x'(y)", 5},             {"\xc3\xa9t/\xc3\xa9", 6},
        {"x\xe2\x80\x99y", 1},    {"x\xe4\xb8\xad", 1},
        {"x\xff", 1},             {"xe\xcc\x81\xcc\x81y", 7},
        {"x=\xcc\xb8y", 2},       {"x\xc2\xadz", 4},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *end;
        OWNED char *copy = copy_of(cases[i].text, &end);
        const char *at = markup_page(NULL, copy + 1, end);
        ck_assert_msg((size_t)(at - copy - 1) == cases[i].size, "%s: %zu",
                      cases[i].text, (size_t)(at - copy - 1));
    }
}

TEST(mail_ends)
{
    static const struct {
        const char *text;
        size_t size, plain; /* 0: none; then how far */
    } cases[] = {
        {"", 0, 0},              {"abc", 0, 3},
        {"a@b.c", 5, 2},         {"@b.c", 4, 1},
        {"a.b_c%d+e-f'g@h.i", 17, 14}, {"a@b.c.", 5, 2},
        {"a@b.c, d", 5, 2},      {"a@b-c.d-e.", 9, 2},
        {"a@b", 0, 2},           {"a@b.", 0, 2},
        {"a@.b", 0, 2},          {"a@b..c", 0, 2},
        {"a@", 0, 2},            {"a@-b.c", 0, 2},
        {"a b@c.d", 0, 1},       {"a@b@c.d", 0, 2},
        {"a/b@c.d", 0, 1},       {"\xc3\xa9@\xc3\xa9.\xc3\xa9", 8, 3},
        {"\xe4\xb8\xad@b.c", 0, 0}, {"a@b.\xe4\xb8\xad", 0, 2},
        {"\xff@b.c", 0, 0},      {"a@b.c@d.e", 5, 2},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *end, *plain = NULL;
        OWNED char *copy = copy_of(cases[i].text, &end);
        const char *at = markup_mail(NULL, copy + 1, end, &plain);
        const size_t size = at == NULL ? 0 : (size_t)(at - copy - 1);
        ck_assert_msg(size == cases[i].size &&
                          (size_t)(plain - copy - 1) == cases[i].plain,
                      "%s: %zu, %zu", cases[i].text, size,
                      (size_t)(plain - copy - 1));
    }
}
