/* SPDX-License-Identifier: MIT */
#include "printed.h"

#include "io/formats/jsonl.h"

typedef struct opened {
    source s;
    stream *in;
    lines *l;
    void *state;
} opened;

static void open_path(opened *o, const char *path, size_t limit,
                      const record_opts *opts)
{
    kedge_error err = {0};

    ck_ok(stream_open(path, NULL, &o->in, &err), err);
    ck_ok(lines_open(o->in, limit, &o->l, &err), err);
    ck_ok(format_jsonl.open(o->l, opts, &o->state, &err), err);
}

static void open_bytes(opened *o, const void *bytes, size_t size,
                       const record_opts *opts)
{
    o->s = source_make(bytes, size);
    open_path(o, o->s.path, LINES_LIMIT, opts);
}

static void close_all(opened *o)
{
    format_jsonl.close(o->state);
    lines_close(o->l);
    stream_close(o->in);
    if (o->s.path[0] != '\0')
        source_free(&o->s);
    *o = (opened){0};
}

static void add_span(blob *b, span s)
{
    if (s.size > 0)
        blob_add(b, s.bytes, s.size);
}

/* A record as one text: id|label|text, or id|label|word:count ... */
static void show_record(blob *b, const record *r)
{
    b->size = 0;
    add_span(b, r->id);
    blob_print(b, "|");
    add_span(b, r->label);
    blob_print(b, "|");
    if (r->kind == RECORD_TEXT)
        add_span(b, r->text);
    for (size_t i = 0; i < r->count; i++) {
        blob_print(b, "%s", i > 0 ? " " : "");
        add_span(b, r->word[i]);
        blob_print(b, ":%u", r->tally[i]);
    }
}

/* A line, or several, and what comes of the first record. */
typedef struct expected {
    const char *text_field, *id_field, *label_field;
    const char *line, *shown;
} expected;

static void check_good(const expected *e)
{
    const record_opts opts = {e->text_field, e->id_field, e->label_field, 0, 0};
    kedge_error err = {0};
    opened o = {0};
    blob b = {0};
    record r;
    bool more;

    open_bytes(&o, e->line, strlen(e->line), &opts);
    ck_ok(format_jsonl.next(o.state, &r, &more, &err), err);
    ck_assert(more);
    show_record(&b, &r);
    ck_assert_str_eq(b.bytes, e->shown);
    ck_ok(format_jsonl.next(o.state, &r, &more, &err), err);
    ck_assert(!more);
    blob_free(&b);
    close_all(&o);
}

static void check_all_good(const expected *e, size_t count)
{
    for (size_t i = 0; i < count; i++)
        check_good(&e[i]);
}

#define COUNT(array) (sizeof(array) / sizeof *(array))

START_TEST(jsonl_takes_the_usual_fields)
{
    static const expected cases[] = {
        {.line = "{\"text\": \"a b\"}\n", .shown = "||a b"},
        {.line = "\n \t\n\r\n{\"text\":\"a\"}", .shown = "||a"},
        {.line = "  {\"text\":\"a\"}  \r\n\n", .shown = "||a"},
        {.line = "{\"text\": \"\"}", .shown = "||"},
        {.line = "{\"id\":\"x\",\"label\":\"y\",\"text\":\"z\"}",
         .shown = "x|y|z"},
        {.line = "{\"text\":\"z\",\"label\":\"y\",\"id\":\"x\",\"more\":{}}",
         .shown = "x|y|z"},
        {.line = "{\"id\":12.50,\"label\":-1e3,\"text\":\"z\"}",
         .shown = "12.50|-1e3|z"},
        {.line = "{\"id\":123456789012345678901234567890,\"text\":\"z\"}",
         .shown = "123456789012345678901234567890||z"},
        {.line = "{\"label\":true,\"text\":\"z\"}", .shown = "|true|z"},
        {.line = "{\"_id\":\"x\",\"text\":\"z\"}", .shown = "x||z"},
        {.line = "{\"_id\":\"x\",\"id\":null,\"text\":\"z\"}",
         .shown = "x||z"},
        {.line = "{\"_id\":\"x\",\"id\":\"w\",\"text\":\"z\"}",
         .shown = "w||z"},
        {.line = "{\"_id\":{\"$oid\":\"x\"},\"text\":\"z\"}",
         .shown = "x||z"},
        {.line = "{\"id\":[1],\"_id\":2,\"label\":[],\"text\":\"z\"}",
         .shown = "2||z"},
        {.line = "{\"id\":null,\"label\":{},\"text\":\"z\"}", .shown = "||z"},
        {.line = "{\"body\":\"b\"}", .shown = "||b"},
        {.line = "{\"abstract\":\"a\",\"content\":\"c\"}", .shown = "||c"},
        {.line = "{\"content\":\"c\",\"body\":\"b\"}", .shown = "||b"},
        {.line = "{\"body\":\"b\",\"text\":\"t\"}", .shown = "||t"},
        {.line = "{\"body\":\"b\",\"text\":null}", .shown = "||b"},
        {.line = "{\"text\":\"1\",\"text\":\"2\"}", .shown = "||2"},
        {.line = "{\"te\\u0078t\":\"\\u0041\\n\",\"\\u0069d\":\"\\\"\"}",
         .shown = "\"||A\n"},
        {.line = "{\"text\":[\"a\",\"\\u0062\",null,\"\"]}",
         .shown = "||a\n\nb\n\n"},
        {.line = "{\"text\":[]}", .shown = "||"},
        {.line = "{\"text\":\"\xff \xc3\"}", .shown = "||\xff \xc3"},
    };

    check_all_good(cases, COUNT(cases));
}
END_TEST

START_TEST(jsonl_takes_the_fields_asked_for)
{
    static const expected cases[] = {
        {"t", "i", "l", "{\"l\":1,\"i\":2,\"t\":\"3\",\"text\":4,\"id\":5}",
         "2|1|3"},
        {"t", "i", "l", "{\"i\":2,\"t\":\"3\",\"label\":4}", "2||3"},
        {"a,b", NULL, NULL, "{\"b\":\"2\",\"a\":\"1\"}", "||1\n\n2"},
        {" a , b ", NULL, NULL, "{\"b\":\"2\",\"a\":\"1\"}", "||1\n\n2"},
        {"a,b", NULL, NULL, "{\"b\":\"2\"}", "||2"},
        {"a,b,c", NULL, NULL, "{\"b\":null,\"c\":[\"3\",\"4\"],\"a\":\"\"}",
         "||\n\n3\n\n4"},
        {"b,a", NULL, NULL, "{\"a\":\"\\u0061\",\"b\":\"\\u0062\"}",
         "||b\n\na"},
        {"a,a", NULL, NULL, "{\"a\":\"1\"}", "||1\n\n1"},
        {"a.b", NULL, NULL, "{\"a\":{\"b\":\"1\"}}", "||1"},
        {"a.b", NULL, NULL, "{\"a\":{\"b\":\"1\"},\"a.b\":\"2\"}", "||2"},
        {"a.b", NULL, NULL, "{\"a.b\":\"2\",\"a\":{\"b\":\"1\"}}", "||2"},
        {"a.b", NULL, NULL, "{\"a.b\":null,\"a\":{\"b\":\"1\"}}", "||1"},
        {"a.b.c", NULL, NULL,
         "{\"a\":{\"b.c\":\"1\"},\"a.b\":{\"c\":\"2\"}}", "||2"},
        {"a.b.c", NULL, NULL, "{\"a\":{\"b\":{\"c\":\"1\"},\"b.c\":\"2\"}}",
         "||2"},
        {"a.b.c", NULL, NULL,
         "{\"a\":{\"b\":{\"c\":\"1\"}},\"a.b\":{\"d\":\"2\"}}", "||1"},
        {"a.b", NULL, NULL, "{\"a\":{\"b\":\"1\"},\"a\":{\"b\":\"2\"}}",
         "||2"},
        {"a.b,c", NULL, NULL,
         "{\"a\":{\"b\":\"1\"},\"a\":{},\"c\":\"3\"}", "||3"},
        {"a.,c", NULL, NULL, "{\"a.\":\"1\"}", "||1"},
        {".", NULL, NULL, "{\"\":{\"\":\"1\"}}", "||1"},
        {"t", "m.i.d", "m.l",
         "{\"t\":\"x\",\"m\":{\"i\":{\"d\":7},\"l\":\"y\"}}", "7|y|x"},
        {"t", "m.\xc3\xa4", NULL,
         "{\"t\":\"x\",\"m\":{\"\\u00e4\":\"z\"}}", "z||x"},
    };

    check_all_good(cases, COUNT(cases));
}
END_TEST

START_TEST(jsonl_takes_bags)
{
    static const expected cases[] = {
        {.line = "{\"text\":{\"b\":2,\"a\":1}}", .shown = "||b:2 a:1"},
        {.line = "{\"text\":{}}", .shown = "||"},
        {.line = "{\"text\":{\"b\":0,\"a\":3.0,\"c\":null,\"d\":0.00}}",
         .shown = "||a:3"},
        {.line = "{\"text\":{\"a\":2147483647,\"a\":2}}",
         .shown = "||a:2147483647 a:2"},
        {.line = "{\"text\":{\"\\u0061\\n\":1,\"\":2},\"id\":\"\\u0062\"}",
         .shown = "b||a\n:1 :2"},
        {.text_field = "x,y", .line = "{\"y\":{\"b\":1},\"x\":{\"a\":2}}",
         .shown = "||a:2 b:1"},
        {.text_field = "x,y", .line = "{\"y\":{\"b\":1},\"x\":null}",
         .shown = "||b:1"},
        {.text_field = "x.y", .line = "{\"x\":{\"y\":{\"b\":1}}}",
         .shown = "||b:1"},
    };

    check_all_good(cases, COUNT(cases));
}
END_TEST

/* The reason, with the line's number before it, and then the next record. */
static void check_bad(const expected *e)
{
    const record_opts opts = {e->text_field, e->id_field, e->label_field, 0, 0};
    static const char next[] =
        "\n{\"text\":\"next\",\"t\":\"next\",\"i\":1}\n";
    kedge_error err = {0};
    char text[1000];
    opened o = {0};
    blob b = {0};
    record r;
    bool more;

    blob_print(&b, "%s%s", e->line, next);
    open_bytes(&o, b.bytes, b.size, &opts);
    snprintf(text, sizeof text, "%s:%s", o.s.path, e->shown);
    ck_assert_int_eq(format_jsonl.next(o.state, &r, &more, &err),
                     KEDGE_EFORMAT);
    ck_assert_str_eq(err.text, text);
    ck_assert(!more);
    ck_ok(format_jsonl.next(o.state, &r, &more, &err), err);
    ck_assert(more && span_equal(r.text, span_text("next")));
    blob_free(&b);
    close_all(&o);
}

#define TEXT "a string, an array of strings or a bag {\"word\": count} was " \
             "expected"
#define TALLY "a whole number from 0 to 2147483647 was expected"

START_TEST(jsonl_tells_what_is_wrong)
{
    static const expected cases[] = {
        {.line = "[\"text\"]",
         .shown = "1: column 1: there is \"[\": an object, \"{\", was "
                  "expected"},
        {.line = "\n\n{\"text\": \"a}",
         .shown = "3: column 13: the line ends within a string: a quote was "
                  "expected"},
        {.line = "{\"text\":\"a\"} x",
         .shown = "1: column 14: there is \"x\": the end of the line after "
                  "the object was expected"},
        {.line = "{\"text\":\"a\",\"x\":[01]}",
         .shown = "1: column 19: a digit follows a leading 0: a number "
                  "without it was expected"},
        {.line = "{}", .shown = "1: the record has no fields: the text as "
                                "\"text\", \"body\", \"content\" or "
                                "\"abstract\" was expected"},
        {.line = "{\"a\":1,\"b\":null}",
         .shown = "1: the record has \"a\", \"b\" (null): the text as "
                  "\"text\", \"body\", \"content\" or \"abstract\" was "
                  "expected"},
        {.text_field = "t", .line = "{\"text\":\"x\"}",
         .shown = "1: the record has \"text\": the text as \"t\" was "
                  "expected"},
        {.text_field = "t,x.y",
         .line = "{\"1\":1,\"2\":1,\"3\":1,\"4\":1,\"5\":1,\"6\":1,\"7\":1,"
                 "\"8\":1,\"9\":1,\"x\":{\"z\":1}}",
         .shown = "1: the record has \"1\", \"2\", \"3\", \"4\", \"5\", "
                  "\"6\", \"7\", \"8\" and 2 more: the text as \"t\" or "
                  "\"x.y\" was expected"},
        {.text_field = "t",
         .line = "{\"0123456789012345678901234567890\":1,\"\x1b\xc3\":1}",
         .shown = "1: column 39: there is a control character in a string: "
                  "an escape such as \\n or \\u0000 was expected"},
        {.text_field = "t",
         .line = "{\"0123456789012345678901234567890\":1,\"\x7f\xc3\":1}",
         .shown = "1: the record has \"012345678901234567890123...\", "
                  "\"?\?\": the text as \"t\" was expected"},
        {.line = "{\"text\":12}",
         .shown = "1: column 9: the field \"text\" is a number: " TEXT},
        {.line = "{\"text\":true}",
         .shown = "1: column 9: the field \"text\" is true: " TEXT},
        {.line = "{\"text\":[\"\xc3\xa4\",[]]}",
         .shown = "1: column 14: the field \"text\" holds an array: an array "
                  "of strings was expected"},
        {.line = "{\"text\":[{\"a\":1}]}",
         .shown = "1: column 10: the field \"text\" holds an object: an "
                  "array of strings was expected"},
        {.text_field = "t,u", .line = "{\"u\":{},\"t\":\"a\"}",
         .shown = "1: column 6: the field \"u\" is an object: a string as "
                  "before was expected"},
        {.text_field = "t,u", .line = "{\"u\":\"a\",\"t\":{}}",
         .shown = "1: column 6: the field \"u\" is a string: a bag as before "
                  "was expected"},
        {.line = "{\"text\":{\"a\":-1}}",
         .shown = "1: column 14: the count of \"a\" is -1: " TALLY},
        {.line = "{\"text\":{\"a\":2147483648}}",
         .shown = "1: column 14: the count of \"a\" is 2147483648: " TALLY},
        {.line = "{\"text\":{\"a\":99999999999999999999999999}}",
         .shown = "1: column 14: the count of \"a\" is "
                  "999999999999999999999999...: " TALLY},
        {.line = "{\"text\":{\"a\":1,\"b\":0.5}}",
         .shown = "1: column 20: the count of \"b\" is 0.5: " TALLY},
        {.line = "{\"text\":{\"a\":1e2}}",
         .shown = "1: column 14: the count of \"a\" is 1e2: " TALLY},
        {.line = "{\"text\":{\"a\":1.0e2}}",
         .shown = "1: column 14: the count of \"a\" is 1.0e2: " TALLY},
        {.line = "{\"text\":{\"a\":\"1\"}}",
         .shown = "1: column 14: the count of \"a\" is a string: " TALLY},
        {.line = "{\"text\":{\"a\":[1.0]}}",
         .shown = "1: column 14: the count of \"a\" is an array: " TALLY},
        {.id_field = "i", .line = "{\"text\":\"a\",\"id\":1}",
         .shown = "1: the record has \"text\", \"id\": the id as \"i\" was "
                  "expected"},
        {.id_field = "i", .line = "{\"text\":\"a\",\"i\":[]}",
         .shown = "1: column 17: the field \"i\" is an array: a string or a "
                  "number was expected"},
        {.id_field = "i", .line = "{\"text\":\"a\",\"i\":false}",
         .shown = "1: column 17: the field \"i\" is false: a string or a "
                  "number was expected"},
        {.line = "{\"text\":\"a\",\"id\":true}",
         .shown = "1: column 18: the field \"id\" is true: a string or a "
                  "number was expected"},
        {.line = "{\"text\":\"a\",\"id\":[1]}",
         .shown = "1: column 18: the field \"id\" is an array: a string or a "
                  "number was expected"},
        {.line = "{\"text\":\"a\",\"_id\":{\"oid\":1}}",
         .shown = "1: column 19: the field \"_id\" is an object: a string or "
                  "a number was expected"},
        {.label_field = "l", .line = "{\"text\":\"a\",\"l\":{}}",
         .shown = "1: column 17: the field \"l\" is an object: a string or a "
                  "number was expected"},
    };

    for (size_t i = 0; i < COUNT(cases); i++)
        check_bad(&cases[i]);
}
END_TEST

START_TEST(jsonl_needs_names_of_fields)
{
    static const struct {
        record_opts opts;
        const char *reason;
    } cases[] = {
        {{.text_field = ""}, "the text field has no name: a name such as "
                             "\"text\" was expected"},
        {{.text_field = "a,,b"}, "the text field has no name: a name such as "
                                 "\"text\" was expected"},
        {{.text_field = "a, "}, "the text field has no name: a name such as "
                                "\"text\" was expected"},
        {{.id_field = ""}, "the id field has no name: a name such as \"id\" "
                           "was expected"},
        {{.label_field = ""}, "the label field has no name: a name such as "
                              "\"label\" was expected"},
        {{.id_field = "a.b.c.d.e.f.g.h.i.j"},
         "the id field \"a.b.c.d.e.f.g.h.i.j\" has 9 dots: at most 8 were "
         "expected"},
        {{.text_field = "1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17"},
         "there are too many text fields: at most 16 were expected"},
    };
    const record_opts usual = {0};
    opened o = {0};

    open_bytes(&o, "", 0, &usual);
    for (size_t i = 0; i < COUNT(cases); i++) {
        kedge_error err = {0};
        void *state = &err;
        ck_assert_int_eq(format_jsonl.open(o.l, &cases[i].opts, &state, &err),
                         KEDGE_EINVAL);
        ck_assert_str_eq(err.text, cases[i].reason);
        ck_assert_ptr_null(state);
    }
    close_all(&o);
    open_bytes(&o, "", 0,
               &(record_opts){"1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16",
                              "a.b.c.d.e.f.g.h.i", "a.b.c.d.e.f.g.h.i", 0, 0});
    close_all(&o);
}
END_TEST

/* Of arrays, and of objects over several lines. */
START_TEST(jsonl_is_read_by_elements)
{
    static const record_opts usual = {0};
    static const reading r[] = {
        {"[]", ""},
        {" [ ] \n\n", ""},
        {"[{\"text\":\"a\"}]", "/: a\n"},
        {"[{\"text\":\"a\"}, {\"id\": 2, \"text\":\"b]},{\"}\n]\n",
         "/: a\n2/: b]},{\n"},
        {"\n [\n{\"text\":\"a\\\"\"},\n{\"text\":[\"b\"],\n\"id\":\"x\"}\n]",
         "/: a\"\nx/: b\n"},
        {"[{\"text\":\"a\"},\n{\"text\":\n1},\n{\"text\":\"c\"}]",
         "/: a\n!3: column 1: the field \"text\" is a number: a string, an "
         "array of strings or a bag {\"word\": count} was expected\n"
         "/: c\n"},
        {"[{\"text\":\"a},\n{\"text\":\"c\"}]",
         "!1: column 13: there is a control character in a string: an escape "
         "such as \\n or \\u0000 was expected\n"},
        {"[{\"text\":\"a\"}\n",
         "/: a\n!2: the array is not closed: \"]\" was expected\n"},
        {"[{\"text\":\"a\"}] {}\n",
         "/: a\n!1: there is something behind the array: the end of the file "
         "was expected\n"},
        {"{\n \"text\": \"a\"\n}\n{\n\"id\":\n{}}\n{\"text\": \"b\"}",
         "/: a\n!6: column 1: the field \"id\" is an object: a string or a "
         "number was expected\n/: b\n"},
    };
    blob text = {0}, printed = {0};

    check_readings(&format_jsonl, &usual, r, COUNT(r));
    blob_print(&text, "[");
    blob_print(&printed, "%s", "");
    for (int i = 0; i < 300; i++) {
        blob_print(&text, "%s{\"id\":%d, \"text\": \"w\\\\ [{\"}", i > 0 ? ", "
                   : "", i);
        blob_print(&printed, "%d/: w\\ [{\n", i);
    }
    blob_print(&text, "]");
    for (size_t piece = 1; piece < 20; piece += 9)
        check_pieces(&format_jsonl, &usual, &text, piece, printed.bytes);
    blob_free(&text);
    blob_free(&printed);
}
END_TEST

/* An array on one line takes no more than its longest element. */
START_TEST(jsonl_arrays_have_no_longest)
{
    const size_t limit = 1000;
    const record_opts usual = {0};
    kedge_error err = {0};
    opened o = {0};
    blob text = {0};
    record r;
    bool more = true;
    size_t records = 0, bad = 0;

    blob_print(&text, "[");
    for (int i = 0; i < 3000; i++) {
        blob_print(&text, "{\"id\":%d,\"text\":\"", i);
        for (int n = i % 1000 == 500 ? 300 : 70; n > 0; n--)
            blob_add(&text, "some words", 10);
        blob_print(&text, "\"},\n");
    }
    blob_print(&text, "{\"text\":\"\"}]");
    o.s = source_make(text.bytes, text.size);
    open_path(&o, o.s.path, limit, &usual);
    while (more) {
        const kedge_status st = format_jsonl.next(o.state, &r, &more, &err);
        records += st == KEDGE_OK && more;
        if (st == KEDGE_OK)
            continue;
        ck_assert_int_eq(st, KEDGE_EFORMAT);
        ck_assert_ptr_nonnull(strstr(err.text, bad == 0 ? ":500: " : bad == 1
                                               ? ":1500: " : ":2500: "));
        ck_assert_ptr_nonnull(strstr(err.text, "the record is longer than "
                                     "1000 bytes"));
        more = true;
        bad++;
    }
    ck_assert_uint_eq(records, 2998);
    ck_assert_uint_eq(bad, 3);
    ck_assert_uint_le(lines_widest(o.l), limit + 2);
    close_all(&o);
    blob_free(&text);
}
END_TEST

START_TEST(jsonl_is_recognised)
{
    static const struct {
        const char *text;
        bool yes;
    } cases[] = {
        {"{\"text\":1}\n", true}, {" \t{\n", true},       {"\n\r\n{}", true},
        {"\xef\xbb\xbf{", true},  {"", false},            {"\n", false},
        {"[{}]\n", true}, {"[ \n {", true}, {"[]", true},
        {"[1]\n", false}, {"[a] b\n", false},
        {"a {", false},           {"a\n{}\n", false},
        {"12\n", false},          {"\n\n\n\n{}\n", true},
    };
    const record_opts usual = {0};

    for (size_t i = 0; i < COUNT(cases); i++) {
        kedge_error err = {0};
        opened o = {0};
        bool yes;
        open_bytes(&o, cases[i].text, strlen(cases[i].text), &usual);
        ck_ok(format_jsonl.recognise(o.l, &usual, &yes, &err), err);
        ck_assert_msg(yes == cases[i].yes, "%s", cases[i].text);
        ck_assert_uint_eq(lines_number(o.l), 0);
        close_all(&o);
    }
    ck_assert_str_eq(format_jsonl.name, "jsonl");
}
END_TEST

/* ---- by chance ----------------------------------------------------------- */

static void add_blanks(blob *b, chance *c)
{
    while (chance_below(c, 3) == 0)
        blob_add(b, &" \t\r"[chance_below(c, 3)], 1);
}

/* A code point as UTF-8; not a surrogate. */
static void add_utf8(blob *b, unsigned code)
{
    const unsigned char all[] = {
        (unsigned char)(0xf0 | code >> 18),
        (unsigned char)(0x80 | (code >> 12 & 63)),
        (unsigned char)(0x80 | (code >> 6 & 63)),
        (unsigned char)(0x80 | (code & 63))};
    const unsigned char two = (unsigned char)(0xc0 | code >> 6),
                        three = (unsigned char)(0xe0 | code >> 12),
                        one = (unsigned char)code;

    if (code < 0x80) {
        blob_add(b, &one, 1);
    } else if (code < 0x800) {
        blob_add(b, &two, 1);
        blob_add(b, all + 3, 1);
    } else if (code < 0x10000) {
        blob_add(b, &three, 1);
        blob_add(b, all + 2, 2);
    } else {
        blob_add(b, all, 4);
    }
}

static unsigned any_code(chance *c)
{
    static const unsigned most[] = {0x80, 0x80, 0x80, 0x800, 0xd800,
                                    0x10000, 0x110000};
    const unsigned code =
        (unsigned)chance_below(c, most[chance_below(c, 7)]);

    return code >= 0xd800 && code < 0xe000 ? '?' : code;
}

/* A character in a string, as itself or in one of its escapes. */
static void add_escaped(blob *b, chance *c, unsigned code)
{
    static const char plain[] = "\"\\/\b\f\n\r\t", letters[] = "\"\\/bfnrt";
    const char *const at = code == 0 || code > 0x7f
                               ? NULL
                               : strchr(plain, (int)code);
    const bool upper = chance_below(c, 2) == 0;

    if (at != NULL && chance_below(c, 2) == 0) {
        blob_print(b, "\\%c", letters[at - plain]);
    } else if (code < ' ' || code == '"' || code == '\\' ||
               chance_below(c, 8) == 0) {
        if (code >= 0x10000) {
            blob_print(b, "\\u%04x", 0xd800 + ((code - 0x10000) >> 10));
            code = 0xdc00 + ((code - 0x10000) & 0x3ff);
        }
        blob_print(b, upper ? "\\u%04X" : "\\u%04x", code);
    } else {
        add_utf8(b, code);
    }
}

/* A string as JSON, and what it says. */
static void add_string(blob *b, blob *says, chance *c)
{
    const size_t count = chance_below(c, 4) == 0 ? chance_below(c, 300)
                                                 : chance_below(c, 20);
    const bool simple = chance_below(c, 3) == 0;

    blob_add(b, "\"", 1);
    for (size_t i = 0; i < count; i++) {
        const unsigned code = any_code(c);
        if (simple) {
            blob_add(b, "x", 1);
            blob_add(says, "x", 1);
        } else {
            add_escaped(b, c, code);
            add_utf8(says, code);
        }
    }
    blob_add(b, "\"", 1);
}

/* Something that nobody asked for. */
static void add_other(blob *b, chance *c, int depth)
{
    blob nothing = {0};
    const size_t kind = chance_below(c, depth == 0 ? 4 : 6);

    if (kind == 0)
        blob_print(b, "%s", chance_below(c, 2) == 0 ? "null" : "false");
    else if (kind == 1)
        blob_print(b, "-%d.%de+%d", (int)chance_below(c, 100),
                   (int)chance_below(c, 10), (int)chance_below(c, 1000));
    else if (kind < 4)
        add_string(b, &nothing, c);
    else
        blob_add(b, kind == 4 ? "[" : "{", 1);
    for (size_t i = 0, n = kind < 4 ? 0 : chance_below(c, 4); i < n; i++) {
        blob_print(b, "%s", i > 0 ? "," : "");
        add_blanks(b, c);
        if (kind == 5)
            blob_print(b, "\"%s\":", chance_below(c, 2) == 0 ? "id" : "text");
        add_blanks(b, c);
        add_other(b, c, depth - 1);
        add_blanks(b, c);
    }
    if (kind > 3)
        blob_add(b, kind == 4 ? "]" : "}", 1);
    blob_free(&nothing);
}

static void add_text(blob *b, blob *says, chance *c)
{
    const size_t count = chance_below(c, 5);

    if (chance_below(c, 2) == 0) {
        add_string(b, says, c);
        return;
    }
    blob_add(b, "[", 1);
    for (size_t i = 0; i < count; i++) {
        blob_print(b, "%s", i > 0 ? "," : "");
        add_blanks(b, c);
        blob_print(says, "%s", i > 0 ? "\n\n" : "");
        add_string(b, says, c);
    }
    blob_add(b, "]", 1);
}

/* Words and counts, and how show_record has them. */
static void add_bag(blob *b, blob *says, chance *c)
{
    const size_t count = chance_below(c, 8);
    bool first = true;

    blob_add(b, "{", 1);
    for (size_t i = 0; i < count; i++) {
        const int tally = (int)chance_below(c, 3) * (int)chance_below(c, 99);
        blob word = {0};
        blob_print(b, "%s", i > 0 ? "," : "");
        add_string(b, &word, c);
        add_blanks(b, c);
        blob_print(b, ":%d%s", tally, chance_below(c, 4) == 0 ? ".00" : "");
        if (tally > 0) {
            blob_print(says, "%s", first ? "" : " ");
            blob_add(says, word.bytes != NULL ? word.bytes : "", word.size);
            blob_print(says, ":%d", tally);
            first = false;
        }
        blob_free(&word);
    }
    blob_add(b, "}", 1);
}

/* One line, with its fields in any order, and its record as shown. */
static void add_record(blob *b, blob *shown, chance *c)
{
    static const char *const names[] = {"\"id\"", "\"l\\u0061bel\"",
                                        "\"text\"", "\"other\"", "\"ids\""};
    const size_t from = chance_below(c, 5), step = 1 + chance_below(c, 4);
    blob says[3] = {{0}};

    add_blanks(b, c);
    blob_add(b, "{", 1);
    for (size_t i = 0; i < 5; i++) {
        const size_t field = (from + i * step) % 5;
        blob_print(b, "%s", i > 0 ? "," : "");
        add_blanks(b, c);
        blob_print(b, "%s", names[field]);
        add_blanks(b, c);
        blob_print(b, ":");
        add_blanks(b, c);
        if (field > 2)
            add_other(b, c, 4);
        else if (field < 2)
            add_string(b, &says[field], c);
        else if (chance_below(c, 4) > 0)
            add_text(b, &says[field], c);
        else
            add_bag(b, &says[field], c);
        add_blanks(b, c);
    }
    blob_add(b, "}", 1);
    add_blanks(b, c);
    blob_add(b, "\n", 1);
    for (int i = 0; i < 3; i++) {
        blob_print(shown, "%s", i > 0 ? "|" : "");
        blob_add(shown, says[i].bytes != NULL ? says[i].bytes : "",
                 says[i].size);
        blob_free(&says[i]);
    }
}

static void check_records(opened *o, const blob *shown, size_t count,
                          uint64_t seed)
{
    kedge_error err = {0};
    blob b = {0};
    record r;
    bool more;

    for (size_t i = 0; i < count; i++) {
        ck_ok(format_jsonl.next(o->state, &r, &more, &err), err);
        show_record(&b, &r);
        if (!more || b.size != shown[i].size ||
            memcmp(b.bytes, shown[i].bytes, b.size) != 0)
            ck_abort_msg("seed %d, record %zu: %s, not %s", (int)seed, i,
                         b.bytes, shown[i].bytes);
    }
    ck_ok(format_jsonl.next(o->state, &r, &more, &err), err);
    ck_assert(!more);
    blob_free(&b);
}

START_TEST(jsonl_reads_what_was_printed)
{
    const record_opts usual = {0};

    for (uint64_t seed = 0; seed < 600; seed++) {
        chance c = {.key = seed};
        const size_t count = 1 + chance_below(&c, 20);
        blob b = {0}, shown[20] = {{0}};
        opened o = {0};
        dribble d;
        for (size_t i = 0; i < count; i++) {
            while (chance_below(&c, 5) == 0)
                blob_print(&b, " \n");
            add_record(&b, &shown[i], &c);
        }
        open_bytes(&o, b.bytes, b.size, &usual);
        check_records(&o, shown, count, seed);
        close_all(&o);
        if (seed % 10 == 0) {
            dribble_start(&d, b.bytes, b.size, 1 + chance_below(&c, 500));
            open_path(&o, "-", LINES_LIMIT, &usual);
            check_records(&o, shown, count, seed);
            close_all(&o);
            dribble_stop(&d);
        }
        for (size_t i = 0; i < count; i++)
            blob_free(&shown[i]);
        blob_free(&b);
    }
}
END_TEST

/* A right line with a byte changed is right or has a reason, and the record
 * behind it is the same. */
START_TEST(jsonl_goes_on_behind_damage)
{
    static const char good[] = "{\"text\":\"good\"}\n";
    static const char bytes[] = "\"\\{}[]:,0-.etn \x01\x80";
    const record_opts usual = {0};

    for (uint64_t seed = 0; seed < 2000; seed++) {
        chance c = {.key = seed};
        kedge_error err = {0};
        blob b = {0}, shown = {0};
        opened o = {0};
        record r;
        bool more;
        add_record(&b, &shown, &c);
        b.bytes[chance_below(&c, b.size - 1)] =
            bytes[chance_below(&c, sizeof bytes - 1)];
        blob_add(&b, good, sizeof good - 1);
        open_bytes(&o, b.bytes, b.size, &usual);
        const kedge_status st = format_jsonl.next(o.state, &r, &more, &err);
        if (st != KEDGE_OK)
            ck_fails(st, KEDGE_EFORMAT, err, " was expected");
        ck_ok(format_jsonl.next(o.state, &r, &more, &err), err);
        ck_assert(more && span_equal(r.text, span_text("good")));
        close_all(&o);
        blob_free(&shown);
        blob_free(&b);
    }
}
END_TEST

START_TEST(jsonl_goes_on_behind_long_lines)
{
    const record_opts usual = {0};
    kedge_error err = {0};
    opened o = {.s = source_text("{\"text\":\"0123456789\"}\n"
                                 "{\"text\":\"01234567890\"}\n"
                                 "{\"text\":\"0\"}")};
    record r;
    bool more;

    open_path(&o, o.s.path, 21, &usual);
    ck_ok(format_jsonl.next(o.state, &r, &more, &err), err);
    ck_assert_uint_eq(r.text.size, 10);
    ck_fails(format_jsonl.next(o.state, &r, &more, &err), KEDGE_EFORMAT, err,
             ":2: the line is longer than 21 bytes: a shorter one was "
             "expected");
    ck_ok(format_jsonl.next(o.state, &r, &more, &err), err);
    ck_assert_uint_eq(r.text.size, 1);
    ck_ok(format_jsonl.next(o.state, &r, &more, &err), err);
    ck_assert(!more);
    close_all(&o);
}
END_TEST

/* Large enough to make every buffer grow, several times. */
static void add_large(blob *b)
{
    blob_print(b, "{\"id\":\"\\u0061\",\"text\":[");
    for (int i = 0; i < 3000; i++)
        blob_print(b, "\"a line of text\\n\",");
    blob_print(b, "\"\"]}\n{\"text\":{\"\\u0061\":1");
    for (int i = 0; i < 1000; i++)
        blob_print(b, ",\"word %d\":%d", i, i + 1);
    blob_print(b, "}}\n");
}

START_TEST(jsonl_needs_memory)
{
    const record_opts usual = {0};
    bool refused = true;
    blob b = {0};
    long k = 0;

    add_large(&b);
    for (; refused; k++) {
        kedge_error err = {0};
        opened o = {.s = source_make(b.bytes, b.size)};
        kedge_status st;
        record r = {0};
        bool more = true;
        ck_ok(stream_open(o.s.path, NULL, &o.in, &err), err);
        ck_ok(lines_open(o.in, LINES_LIMIT, &o.l, &err), err);
        gate_allow(k);
        st = format_jsonl.open(o.l, &usual, &o.state, &err);
        while (st == KEDGE_OK && more)
            st = format_jsonl.next(o.state, &r, &more, &err);
        gate_open();
        refused = st != KEDGE_OK;
        if (refused)
            ck_fails(st, KEDGE_ENOMEM, err, "out of memory");
        close_all(&o);
    }
    ck_assert_int_gt(k, 10);
    ck_assert_uint_gt(jsonl_memusage(LINES_LIMIT), LINES_LIMIT);
    blob_free(&b);
}
END_TEST

UNIT_SUITE("jsonl",
    jsonl_takes_the_usual_fields,
    jsonl_takes_the_fields_asked_for,
    jsonl_takes_bags,
    jsonl_tells_what_is_wrong,
    jsonl_needs_names_of_fields,
    jsonl_is_read_by_elements,
    jsonl_arrays_have_no_longest,
    jsonl_is_recognised,
    jsonl_reads_what_was_printed,
    jsonl_goes_on_behind_damage,
    jsonl_goes_on_behind_long_lines,
    jsonl_needs_memory)
