/* SPDX-License-Identifier: MIT */
#include "io/text/letters.h"
#include "printed.h"

/* Fields that are asked for, a source, and what is printed of it. */
typedef struct expected {
    const char *text_field, *id_field, *label_field;
    const char *line, *printed;
} expected;

static void check_all(const expected *e, size_t count)
{
    for (size_t i = 0; i < count; i++)
        check_bytes(&format_jsonl,
                    &(record_opts){.text_field = e[i].text_field,
                                   .id_field = e[i].id_field,
                                   .label_field = e[i].label_field},
                    e[i].line, strlen(e[i].line), e[i].printed);
}

#define COUNT(array) (sizeof(array) / sizeof *(array))

TEST(jsonl_takes_the_usual_fields)
{
    static const expected cases[] = {
        {.line = "{\"text\": \"a b\"}\n", .printed = "/: a b\n"},
        {.line = "\n \t\n\r\n{\"text\":\"a\"}", .printed = "/: a\n"},
        {.line = "  {\"text\":\"a\"}  \r\n\n", .printed = "/: a\n"},
        {.line = "{\"text\": \"\"}", .printed = "/: \n"},
        {.line = "{\"id\":\"x\",\"label\":\"y\",\"text\":\"z\"}",
         .printed = "x/y: z\n"},
        {.line = "{\"text\":\"z\",\"label\":\"y\",\"id\":\"x\",\"more\":{}}",
         .printed = "x/y: z\n"},
        {.line = "{\"id\":12.50,\"label\":-1e3,\"text\":\"z\"}",
         .printed = "12.50/-1e3: z\n"},
        {.line = "{\"id\":123456789012345678901234567890,\"text\":\"z\"}",
         .printed = "123456789012345678901234567890/: z\n"},
        {.line = "{\"label\":true,\"text\":\"z\"}", .printed = "/true: z\n"},
        {.line = "{\"_id\":\"x\",\"text\":\"z\"}", .printed = "x/: z\n"},
        {.line = "{\"_id\":\"x\",\"id\":null,\"text\":\"z\"}",
         .printed = "x/: z\n"},
        {.line = "{\"_id\":\"x\",\"id\":\"w\",\"text\":\"z\"}",
         .printed = "w/: z\n"},
        {.line = "{\"_id\":{\"$oid\":\"x\"},\"text\":\"z\"}",
         .printed = "x/: z\n"},
        {.line = "{\"id\":[1],\"_id\":2,\"label\":[],\"text\":\"z\"}",
         .printed = "2/: z\n"},
        {.line = "{\"id\":null,\"label\":{},\"text\":\"z\"}",
         .printed = "/: z\n"},
        {.line = "{\"body\":\"b\"}", .printed = "/: b\n"},
        {.line = "{\"abstract\":\"a\",\"content\":\"c\"}", .printed = "/: c\n"},
        {.line = "{\"content\":\"c\",\"body\":\"b\"}", .printed = "/: b\n"},
        {.line = "{\"body\":\"b\",\"text\":\"t\"}", .printed = "/: t\n"},
        {.line = "{\"body\":\"b\",\"text\":null}", .printed = "/: b\n"},
        {.line = "{\"text\":\"1\",\"text\":\"2\"}", .printed = "/: 2\n"},
        {.line = "{\"te\\u0078t\":\"\\u0041\\n\",\"\\u0069d\":\"\\\"\"}",
         .printed = "\"/: A$\n"},
        {.line = "{\"text\":[\"a\",\"\\u0062\",null,\"\"]}",
         .printed = "/: a$$b$$\n"},
        {.line = "{\"text\":[]}", .printed = "/: \n"},
        {.line = "{\"text\":\"\xff \xc3\"}", .printed = "/: \xff \xc3\n"},
    };

    check_all(cases, COUNT(cases));
}

TEST(jsonl_takes_the_fields_asked_for)
{
    static const expected cases[] = {
        {"t", "i", "l", "{\"l\":1,\"i\":2,\"t\":\"3\",\"text\":4,\"id\":5}",
         "2/1: 3\n"},
        {"t", "i", "l", "{\"i\":2,\"t\":\"3\",\"label\":4}", "2/: 3\n"},
        {"a,b", NULL, NULL, "{\"b\":\"2\",\"a\":\"1\"}", "/: 1$$2\n"},
        {" a , b ", NULL, NULL, "{\"b\":\"2\",\"a\":\"1\"}", "/: 1$$2\n"},
        {"a,b", NULL, NULL, "{\"b\":\"2\"}", "/: 2\n"},
        {"a,b,c", NULL, NULL, "{\"b\":null,\"c\":[\"3\",\"4\"],\"a\":\"\"}",
         "/: $$3$$4\n"},
        {"b,a", NULL, NULL, "{\"a\":\"\\u0061\",\"b\":\"\\u0062\"}",
         "/: b$$a\n"},
        {"a,a", NULL, NULL, "{\"a\":\"1\"}", "/: 1$$1\n"},
        {"a.b", NULL, NULL, "{\"a\":{\"b\":\"1\"}}", "/: 1\n"},
        {"a.b", NULL, NULL, "{\"a\":{\"b\":\"1\"},\"a.b\":\"2\"}", "/: 2\n"},
        {"a.b", NULL, NULL, "{\"a.b\":\"2\",\"a\":{\"b\":\"1\"}}", "/: 2\n"},
        {"a.b", NULL, NULL, "{\"a.b\":null,\"a\":{\"b\":\"1\"}}", "/: 1\n"},
        {"a.b.c", NULL, NULL,
         "{\"a\":{\"b.c\":\"1\"},\"a.b\":{\"c\":\"2\"}}", "/: 2\n"},
        {"a.b.c", NULL, NULL, "{\"a\":{\"b\":{\"c\":\"1\"},\"b.c\":\"2\"}}",
         "/: 2\n"},
        {"a.b.c", NULL, NULL,
         "{\"a\":{\"b\":{\"c\":\"1\"}},\"a.b\":{\"d\":\"2\"}}", "/: 1\n"},
        {"a.b", NULL, NULL, "{\"a\":{\"b\":\"1\"},\"a\":{\"b\":\"2\"}}",
         "/: 2\n"},
        {"a.b,c", NULL, NULL,
         "{\"a\":{\"b\":\"1\"},\"a\":{},\"c\":\"3\"}", "/: 3\n"},
        {"a.,c", NULL, NULL, "{\"a.\":\"1\"}", "/: 1\n"},
        {".", NULL, NULL, "{\"\":{\"\":\"1\"}}", "/: 1\n"},
        {"t", "m.i.d", "m.l",
         "{\"t\":\"x\",\"m\":{\"i\":{\"d\":7},\"l\":\"y\"}}", "7/y: x\n"},
        {"t", "m.\xc3\xa4", NULL,
         "{\"t\":\"x\",\"m\":{\"\\u00e4\":\"z\"}}", "z/: x\n"},
    };

    check_all(cases, COUNT(cases));
}

TEST(jsonl_takes_bags)
{
    static const expected cases[] = {
        {.line = "{\"text\":{\"b\":2,\"a\":1}}", .printed = "/: b*2 a*1\n"},
        {.line = "{\"text\":{}}", .printed = "/:\n"},
        {.line = "{\"text\":{\"b\":0,\"a\":3.0,\"c\":null,\"d\":0.00}}",
         .printed = "/: a*3\n"},
        {.line = "{\"text\":{\"a\":2147483647,\"a\":2}}",
         .printed = "/: a*2147483647 a*2\n"},
        {.line = "{\"text\":{\"\\u0061\\t\":1,\"\":2},\"id\":\"\\u0062\"}",
         .printed = "b/: a\t*1 *2\n"},
        {.text_field = "x,y", .line = "{\"y\":{\"b\":1},\"x\":{\"a\":2}}",
         .printed = "/: a*2 b*1\n"},
        {.text_field = "x,y", .line = "{\"y\":{\"b\":1},\"x\":null}",
         .printed = "/: b*1\n"},
        {.text_field = "x.y", .line = "{\"x\":{\"y\":{\"b\":1}}}",
         .printed = "/: b*1\n"},
    };

    check_all(cases, COUNT(cases));
}

#define TEXT "expected a string, an array of strings or a bag " \
             "{\"word\": count}"
#define TALLY "expected a whole number from 0 to 2147483647"

TEST(jsonl_tells_what_is_wrong)
{
    static const expected cases[] = {
        {.line = "[\"text\"]",
         .printed = "!1: column 1: there is \"[\": expected an object, "
                    "\"{\"\n"},
        {.line = "\n\n{\"text\": \"a}",
         .printed = "!3: column 13: the line ends within a string: expected a "
                    "quote\n"},
        {.line = "{\"text\":\"a\"} x",
         .printed = "!1: column 14: there is \"x\": expected the end of the "
                    "line after the object\n"},
        {.line = "{\"text\":\"a\",\"x\":[01]}",
         .printed = "!1: column 19: a digit follows a leading 0: expected a "
                    "number without it\n"},
        {.line = "{}",
         .printed = "!1: the record has no fields: expected the text as "
                    "\"text\", \"body\", \"content\" or \"abstract\"\n"},
        {.line = "{\"a\":1,\"b\":null}",
         .printed = "!1: the record has \"a\", \"b\" (null): expected the text "
                    "as \"text\", \"body\", \"content\" or \"abstract\"\n"},
        {.text_field = "t", .line = "{\"text\":\"x\"}",
         .printed = "!1: the record has \"text\": expected the text as "
                    "\"t\"\n"},
        {.text_field = "t,x.y",
         .line = "{\"1\":1,\"2\":1,\"3\":1,\"4\":1,\"5\":1,\"6\":1,\"7\":1,"
                 "\"8\":1,\"9\":1,\"x\":{\"z\":1}}",
         .printed = "!1: the record has \"1\", \"2\", \"3\", \"4\", \"5\", "
                    "\"6\", \"7\", \"8\" and 2 more: expected the text as "
                    "\"t\" or \"x.y\"\n"},
        {.text_field = "t",
         .line = "{\"0123456789012345678901234567890\":1,\"\x1b\xc3\":1}",
         .printed = "!1: column 39: a control character in a string: expected "
                    "an escape such as \\n or \\u0000\n"},
        {.text_field = "t",
         .line = "{\"0123456789012345678901234567890\":1,\"\x7f\xc3\":1}",
         .printed = "!1: the record has \"012345678901234567890123...\", "
                    "\"?\?\": expected the text as \"t\"\n"},
        {.line = "{\"text\":12}",
         .printed = "!1: column 9: the field \"text\" is a number: "
                    TEXT "\n"},
        {.line = "{\"text\":true}",
         .printed = "!1: column 9: the field \"text\" is true: " TEXT "\n"},
        {.line = "{\"text\":[\"\xc3\xa4\",[]]}",
         .printed = "!1: column 14: the field \"text\" holds an array: "
                    "expected an array of strings\n"},
        {.line = "{\"text\":[{\"a\":1}]}",
         .printed = "!1: column 10: the field \"text\" holds an object: "
                    "expected an array of strings\n"},
        {.text_field = "t,u", .line = "{\"u\":{},\"t\":\"a\"}",
         .printed = "!1: column 6: the field \"u\" is an object: expected a "
                    "string as before\n"},
        {.text_field = "t,u", .line = "{\"u\":\"a\",\"t\":{}}",
         .printed = "!1: column 6: the field \"u\" is a string: expected a bag "
                    "as before\n"},
        {.line = "{\"text\":{\"a\":-1}}",
         .printed = "!1: column 14: the count of \"a\" is -1: " TALLY "\n"},
        {.line = "{\"text\":{\"a\":2147483648}}",
         .printed = "!1: column 14: the count of \"a\" is 2147483648: "
                    TALLY "\n"},
        {.line = "{\"text\":{\"a\":99999999999999999999999999}}",
         .printed = "!1: column 14: the count of \"a\" is "
                    "999999999999999999999999...: " TALLY "\n"},
        {.line = "{\"text\":{\"a\":1,\"b\":0.5}}",
         .printed = "!1: column 20: the count of \"b\" is 0.5: " TALLY "\n"},
        {.line = "{\"text\":{\"a\":1e2}}",
         .printed = "!1: column 14: the count of \"a\" is 1e2: " TALLY "\n"},
        {.line = "{\"text\":{\"a\":1.0e2}}",
         .printed = "!1: column 14: the count of \"a\" is 1.0e2: "
                    TALLY "\n"},
        {.line = "{\"text\":{\"a\":\"1\"}}",
         .printed = "!1: column 14: the count of \"a\" is a string: "
                    TALLY "\n"},
        {.line = "{\"text\":{\"a\":[1.0]}}",
         .printed = "!1: column 14: the count of \"a\" is an array: "
                    TALLY "\n"},
        {.id_field = "i", .line = "{\"text\":\"a\",\"id\":1}",
         .printed = "!1: the record has \"text\", \"id\": expected the id as "
                    "\"i\"\n"},
        {.id_field = "i", .line = "{\"text\":\"a\",\"i\":[]}",
         .printed = "!1: column 17: the field \"i\" is an array: expected a "
                    "string or a number\n"},
        {.id_field = "i", .line = "{\"text\":\"a\",\"i\":false}",
         .printed = "!1: column 17: the field \"i\" is false: expected a "
                    "string or a number\n"},
        {.line = "{\"text\":\"a\",\"id\":true}",
         .printed = "!1: column 18: the field \"id\" is true: expected a "
                    "string or a number\n"},
        {.line = "{\"text\":\"a\",\"id\":[1]}",
         .printed = "!1: column 18: the field \"id\" is an array: expected a "
                    "string or a number\n"},
        {.line = "{\"text\":\"a\",\"_id\":{\"oid\":1}}",
         .printed = "!1: column 19: the field \"_id\" is an object: expected a "
                    "string or a number\n"},
        {.label_field = "l", .line = "{\"text\":\"a\",\"l\":{}}",
         .printed = "!1: column 17: the field \"l\" is an object: expected a "
                    "string or a number\n"},
    };

    check_all(cases, COUNT(cases));
}

TEST(jsonl_needs_names_of_fields)
{
    static const struct {
        record_opts opts;
        const char *reason;
    } cases[] = {
        {{.text_field = ""}, "the text field has no name: expected a name such "
                             "as \"text\""},
        {{.text_field = "a,,b"}, "the text field has no name: expected a name "
                                 "such as \"text\""},
        {{.text_field = "a, "}, "the text field has no name: expected a name "
                                "such as \"text\""},
        {{.id_field = ""}, "the id field has no name: expected a name such as "
                           "\"id\""},
        {{.label_field = ""}, "the label field has no name: expected a name "
                              "such as \"label\""},
        {{.id_field = "a.b.c.d.e.f.g.h.i.j"},
         "the id field \"a.b.c.d.e.f.g.h.i.j\" has 9 dots: expected at most "
         "8"},
        {{.text_field = "1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17"},
         "there are too many text fields: expected at most 16"},
    };
    const record_opts most = {
        .text_field = "1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16",
        .id_field = "a.b.c.d.e.f.g.h.i", .label_field = "a.b.c.d.e.f.g.h.i"};
    records from;

    for (size_t i = 0; i < COUNT(cases); i++) {
        kedge_error err = {0};
        ck_assert_int_eq(records_open(&format_jsonl, NULL, &cases[i].opts,
                                      &from, &err), KEDGE_EINVAL);
        ck_assert_str_eq(err.text, cases[i].reason);
    }
    check_bytes(&format_jsonl, &most, "", 0, "");
}

/* Of arrays, and of objects over several lines. */
TEST(jsonl_is_read_by_elements)
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
         "/: a\n!3: column 1: the field \"text\" is a number: expected a "
         "string, an array of strings or a bag {\"word\": count}\n/: c\n"},
        {"[{\"text\":\"a},\n{\"text\":\"c\"}]",
         "!1: column 13: a control character in a string: expected an escape "
         "such as \\n or \\u0000\n!2: the array is not closed: expected "
         "\"]\"\n"},
        {"[{\"text\":\"a\"}\n",
         "/: a\n!2: the array is not closed: expected \"]\"\n"},
        {"[{\"text\":\"a\"}] {}\n",
         "/: a\n!1: text follows the array: expected the end of the file\n"},
        {"{\n \"text\": \"a\"\n}\n{\n\"id\":\n{}}\n{\"text\": \"b\"}",
         "/: a\n!6: column 1: the field \"id\" is an object: expected a string "
         "or a number\n/: b\n"},
    };
    OWN(blob_free) blob text = {0}, printed = {0};

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
}

/* An array on one line takes no more than its longest element. */
TEST(jsonl_arrays_have_no_longest)
{
    OWN(blob_free) blob text = {0}, printed = {0};

    blob_print(&text, "[");
    for (int i = 0; i < 3000; i++) {
        const bool is_long = i % 1000 == 500;
        blob_print(&text, "{\"id\":%d,\"text\":\"", i);
        for (int n = is_long ? 300 : 1; n > 0; n--)
            blob_add(&text, "some words", 10);
        blob_print(&text, "\"},\n");
        if (is_long)
            blob_print(&printed, "!%d: the record is longer than 1000 bytes: "
                                 "expected a shorter one (more --memory allows "
                                 "more)\n", i);
        else
            blob_print(&printed, "%d/: some words\n", i);
    }
    blob_print(&text, "{\"text\":\"\"}]");
    blob_print(&printed, "/: \n");
    check_limited(&format_jsonl, 1000, text.bytes, text.size, printed.bytes);
}

TEST(jsonl_is_recognised)
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

    for (size_t i = 0; i < COUNT(cases); i++)
        ck_assert_msg(recognised(&format_jsonl, cases[i].text) == cases[i].yes,
                      "%s", cases[i].text);
}

/* ---- by chance ----------------------------------------------------------- */

static void add_blanks(blob *b, chance *c)
{
    while (chance_below(c, 3) == 0)
        blob_add(b, &" \t\r"[chance_below(c, 3)], 1);
}

static void add_point(blob *b, uint32_t code)
{
    char bytes[4];

    blob_add(b, bytes, utf8_put(bytes, code));
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
    static const char plain[] = "\"\\/\b\f\n\r\t", names[] = "\"\\/bfnrt";
    const char *const at = code == 0 || code > 0x7f
                               ? NULL
                               : strchr(plain, (int)code);
    const bool upper = chance_below(c, 2) == 0;

    if (at != NULL && chance_below(c, 2) == 0) {
        blob_print(b, "\\%c", names[at - plain]);
    } else if (code < ' ' || code == '"' || code == '\\' ||
               chance_below(c, 8) == 0) {
        if (code >= 0x10000) {
            blob_print(b, "\\u%04x", 0xd800 + ((code - 0x10000) >> 10));
            code = 0xdc00 + ((code - 0x10000) & 0x3ff);
        }
        blob_print(b, upper ? "\\u%04X" : "\\u%04x", code);
    } else {
        add_point(b, code);
    }
}

/* A string as JSON, and what it says; ids and words are short, and have no
 * line ends. */
static void add_string(blob *b, blob *says, chance *c, bool is_short)
{
    const size_t count = chance_below(c, is_short || chance_below(c, 4) > 0
                                             ? 20 : 300);
    const bool simple = chance_below(c, 3) == 0;

    blob_add(b, "\"", 1);
    for (size_t i = 0; i < count; i++) {
        unsigned code = simple ? 'x' : any_code(c);
        if (is_short && (code == '\n' || code == '\r'))
            code = 'x';
        add_escaped(b, c, code);
        add_point(says, is_short || code != '\n' ? code : '$');
    }
    blob_add(b, "\"", 1);
}

/* Something that nobody asked for. */
static void add_other(blob *b, chance *c, int depth)
{
    OWN(blob_free) blob nothing = {0};
    const size_t kind = chance_below(c, depth == 0 ? 4 : 6);

    if (kind == 0)
        blob_print(b, "%s", chance_below(c, 2) == 0 ? "null" : "false");
    else if (kind == 1)
        blob_print(b, "-%d.%de+%d", (int)chance_below(c, 100),
                   (int)chance_below(c, 10), (int)chance_below(c, 1000));
    else if (kind < 4)
        add_string(b, &nothing, c, false);
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
}

static void add_text(blob *b, blob *says, chance *c)
{
    const size_t count = chance_below(c, 5);

    blob_print(says, " ");
    if (chance_below(c, 2) == 0) {
        add_string(b, says, c, false);
        return;
    }
    blob_add(b, "[", 1);
    for (size_t i = 0; i < count; i++) {
        blob_print(b, "%s", i > 0 ? "," : "");
        add_blanks(b, c);
        blob_print(says, "%s", i > 0 ? "$$" : "");
        add_string(b, says, c, false);
    }
    blob_add(b, "]", 1);
}

/* Words and counts, and how they are printed. */
static void add_bag(blob *b, blob *says, chance *c)
{
    const size_t count = chance_below(c, 8);

    blob_add(b, "{", 1);
    for (size_t i = 0; i < count; i++) {
        const int tally = (int)chance_below(c, 3) * (int)chance_below(c, 99);
        OWN(blob_free) blob word = {0};
        blob_print(b, "%s", i > 0 ? "," : "");
        add_string(b, &word, c, true);
        add_blanks(b, c);
        blob_print(b, ":%d%s", tally, chance_below(c, 4) == 0 ? ".00" : "");
        if (tally > 0) {
            blob_print(says, " ");
            blob_add(says, word.bytes != NULL ? word.bytes : "", word.size);
            blob_print(says, "*%d", tally);
        }
    }
    blob_add(b, "}", 1);
}

/* One line, with its fields in any order, and its record as printed. */
static void add_record(blob *b, blob *printed, chance *c)
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
            add_string(b, &says[field], c, true);
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
        blob_print(printed, "%s", i == 0 ? "" : i == 1 ? "/" : ":");
        blob_add(printed, says[i].bytes != NULL ? says[i].bytes : "",
                 says[i].size);
        blob_free(&says[i]);
    }
    blob_print(printed, "\n");
}

TEST(jsonl_reads_what_was_printed)
{
    const record_opts usual = {0};

    for (uint64_t seed = 0; seed < 600; seed++) {
        chance c = {.key = seed};
        OWN(blob_free) blob b = {0}, printed = {0};
        for (size_t n = 1 + chance_below(&c, 20); n > 0; n--) {
            while (chance_below(&c, 5) == 0)
                blob_print(&b, " \n");
            add_record(&b, &printed, &c);
        }
        check_both(&format_jsonl, &usual, &b, seed, printed.bytes);
    }
}

/* A right line with a byte changed is right or has a reason, and the record
 * behind it is the same. */
TEST(jsonl_goes_on_behind_damage)
{
    static const char bytes[] = "\"\\{}[]:,0-.etn \x01\x80";

    for (uint64_t seed = 0; seed < 2000; seed++) {
        chance c = {.key = seed};
        OWN(blob_free) blob b = {0}, printed = {0};
        blob_print(&b, "{\"text\":\"lines\"}\n");
        const size_t from = b.size;
        add_record(&b, &printed, &c);
        b.bytes[from + chance_below(&c, b.size - from - 1)] =
            bytes[chance_below(&c, sizeof bytes - 1)];
        blob_print(&b, "{\"text\":\"good\"}\n");
        OWN(source_free) source s = source_make(b.bytes, b.size);
        printed.size = 0;
        ck_assert_int_eq(read_path(&format_jsonl, s.path, &(record_opts){0},
                                   &printed), KEDGE_OK);
        const char *const last = "/: good\n";
        ck_assert_uint_ge(printed.size, strlen(last));
        ck_assert_str_eq(printed.bytes + printed.size - strlen(last), last);
    }
}

TEST(jsonl_goes_on_behind_long_lines)
{
    static const char text[] = "{\"text\":\"0123456789\"}\n"
                               "{\"text\":\"01234567890\"}\n"
                               "{\"text\":\"0\"}";

    check_limited(&format_jsonl, 21, text, sizeof text - 1,
                  "/: 0123456789\n!2: the line is longer than 21 bytes: "
                  "expected a shorter one (more --memory allows more)\n/: "
                  "0\n");
}

/* Large enough to make every buffer grow, several times. */
TEST(jsonl_needs_memory)
{
    OWN(blob_free) blob b = {0};

    blob_print(&b, "{\"id\":\"\\u0061\",\"text\":[");
    for (int i = 0; i < 3000; i++)
        blob_print(&b, "\"a line of text\\n\",");
    blob_print(&b, "\"\"]}\n{\"text\":{\"\\u0061\":1");
    for (int i = 0; i < 1000; i++)
        blob_print(&b, ",\"word %d\":%d", i, i + 1);
    blob_print(&b, "}}\n");
    check_gate(&format_jsonl, &(record_opts){0}, b.bytes);
}
