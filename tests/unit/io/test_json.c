/* SPDX-License-Identifier: MIT */
#include "sources.h"

#include "../base/chance.h"
#include "io/json.h"

/* Reads a whole text that must be an object; what is wrong, or "". */
static const char *read_object(const char *bytes, size_t size)
{
    static char text[200];
    json_value name, value;
    json j;

    text[0] = '\0';
    json_open(&j, span_of(bytes, size));
    if (json_enter(&j, '{'))
        while (json_member(&j, &name, &value))
            ;
    if (json_wrong(&j) || !json_ended(&j))
        json_explain(&j, text, sizeof text);
    return text;
}

TEST(json_takes_what_is_right)
{
    static const char *const texts[] = {
        "{}", " { } ", "\t{\r}\n", "{\"\":\"\"}", "{\"a\":{},\"b\":[]}",
        "{\"a\" : null , \"b\" : true , \"c\" : false}",
        "{\"a\":[1,-1,0,-0,1.5,0.5,1e5,1E+5,1e-5,-0.0e0]}",
        "{\"a\":123456789012345678901234567890.5e999999999}",
        "{\"a\":[[[[{}]]]]}", "{\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e4\":1}",
        "{\"a\":\"\\ud83d\\ude00 \\ud800 \\udc00\"}",
        "{\"\xff\":\"\xc3\x28 \x7f\"}", "{\"a\":1,\"a\":2}",
        "{\"a\":\"0123456789012345678901234567890123456789\"}",
    };

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        ck_assert_str_eq(read_object(texts[i], strlen(texts[i])), "");
}

#define MEMBER "expected a comma or \"}\""
#define HEX "expected one of four hexadecimal digits"

TEST(json_tells_what_is_wrong)
{
    static const char *const cases[][2] = {
        {"", "1: the line ends here: expected an object, \"{\""},
        {"  ", "3: the line ends here: expected an object, \"{\""},
        {"[1]", "1: there is \"[\": expected an object, \"{\""},
        {"\"a\"", "1: there is a quote: expected an object, \"{\""},
        {"{", "2: the line ends here: expected a name in quotes or \"}\""},
        {"{a:1}", "2: there is \"a\": expected a name in quotes or \"}\""},
        {"{'a':1}", "2: there is \"'\": expected a name in quotes or \"}\""},
        {"{,}", "2: there is \",\": expected a name in quotes or \"}\""},
        {"{\"a\"", "5: the line ends here: expected a colon"},
        {"{\"a\" 1}", "6: there is \"1\": expected a colon"},
        {"{\"a\"}", "5: there is \"}\": expected a colon"},
        {"{\"a\":}", "6: there is \"}\": expected a value"},
        {"{\"a\":", "6: the line ends here: expected a value"},
        {"{\"a\":1", "7: the line ends here: " MEMBER},
        {"{\"a\":1]", "7: there is \"]\": " MEMBER},
        {"{\"a\":1 \"b\":2}", "8: there is a quote: " MEMBER},
        {"{\"a\":1,}", "8: there is \"}\": expected a name in quotes"},
        {"{\"a\":1,,}", "8: there is \",\": expected a name in quotes"},
        {"{\"a\":[}", "7: there is \"}\": expected a value or \"]\""},
        {"{\"a\":[1,]}", "9: there is \"]\": expected a value"},
        {"{\"a\":[1 2]}", "9: there is \"2\": expected a comma or \"]\""},
        {"{\"a\":[1}", "8: there is \"}\": expected a comma or \"]\""},
        {"{} {}", "4: there is \"{\": expected the end of the line after the "
                  "object"},
        {"{}}", "3: there is \"}\": expected the end of the line after the "
                "object"},
        {"{\"a\":tru}", "6: there is \"t\": expected true"},
        {"{\"a\":nul", "6: there is \"n\": expected null"},
        {"{\"a\":False}", "6: there is \"F\": expected a value"},
        {"{\"a\":NaN}", "6: there is \"N\": expected a value"},
        {"{\"a\":truey}", "10: there is \"y\": " MEMBER},
        {"{\"a\":+1}", "6: there is \"+\": expected a value"},
        {"{\"a\":.5}", "6: there is \".\": expected a value"},
        {"{\"a\":-}", "7: there is \"}\": expected a digit"},
        {"{\"a\":-x}", "7: there is \"x\": expected a digit"},
        {"{\"a\":1.}", "8: there is \"}\": expected a digit"},
        {"{\"a\":1.e5}", "8: there is \"e\": expected a digit"},
        {"{\"a\":1e}", "8: there is \"}\": expected a digit"},
        {"{\"a\":1e+", "9: the line ends here: expected a digit"},
        {"{\"a\":012}", "7: a digit follows a leading 0: expected a number "
                        "without it"},
        {"{\"a\":0x10}", "7: there is \"x\": " MEMBER},
        {"{\"a\":\"x", "8: the line ends within a string: expected a quote"},
        {"{\"a", "4: the line ends within a string: expected a quote"},
        {"{\"a\":\"x\ty\"}", "8: a control character in a string: expected an "
                             "escape such as \\n or \\u0000"},
        {"{\"a\":\"\\x\"}", "8: there is \"x\": expected one of \" \\ / b f n "
                            "r t u after a backslash"},
        {"{\"a\":\"\\", "8: the line ends here: expected one of \" \\ / b f n "
                        "r t u after a backslash"},
        {"{\"a\":\"\\u12g4\"}", "11: there is \"g\": " HEX},
        {"{\"a\":\"\\u12", "11: the line ends here: " HEX},
        {"{\"a\":\"\\u123\"}", "12: there is a quote: " HEX},
        {"{\"a\":\x01}", "6: found the byte 0x01: expected a value"},
        {"\xef\xbb\xbf{}", "1: found the byte 0xef: expected an object, "
                           "\"{\""},
        {"{\"\xc3\xa4\xe2\x82\xac\":x}",
         "7: there is \"x\": expected a value"},
        {"{\"a\":1 // no\n}", "8: there is \"/\": " MEMBER},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[200];
        snprintf(text, sizeof text, "column %s", cases[i][1]);
        ck_assert_str_eq(read_object(cases[i][0], strlen(cases[i][0])), text);
    }
    ck_assert_str_eq(read_object("{\"a\":\"\0\"}", 9),
                     "column 7: a control character in a string: expected an "
                     "escape such as \\n or \\u0000");
    ck_assert_str_eq(read_object("{\"a\":1\0}", 8),
                     "column 7: found the byte 0x00: " MEMBER);
}

TEST(json_nests_so_deep_and_no_deeper)
{
    for (int depth = 1; depth < 2 * JSON_DEPTH; depth++) {
        char text[200];
        blob b = {0};
        for (int i = 0; i < depth; i++)
            blob_print(&b, i % 2 == 0 ? "{\"a\":" : "[");
        blob_print(&b, "1");
        for (int i = depth; i-- > 0;)
            blob_print(&b, i % 2 == 0 ? "}" : "]");
        snprintf(text, sizeof text,
                 "column %d: arrays and objects are nested too deeply: "
                 "expected a depth of at most 64",
                 JSON_DEPTH / 2 * 6 + 1);
        ck_assert_str_eq(read_object(b.bytes, b.size),
                         depth <= JSON_DEPTH ? "" : text);
        blob_free(&b);
    }
    /* What is beside does not count. */
    blob b = {0};
    blob_print(&b, "{\"a\":[[]");
    for (int i = 0; i < 500; i++)
        blob_print(&b, ",[{},[]]");
    blob_print(&b, "]}");
    ck_assert_str_eq(read_object(b.bytes, b.size), "");
    blob_free(&b);
}

/* A text as a string that says it, and the first value of its own. */
static json_value string_value(json *j, const blob *b)
{
    json_value value = {0};

    json_open(j, span_of(b->bytes, b->size));
    ck_assert(json_enter(j, '['));
    ck_assert(json_element(j, &value));
    ck_assert_int_eq(value.kind, JSON_STRING);
    return value;
}

TEST(json_decodes_strings)
{
    static const struct {
        const char *raw, *text;
        size_t size;
    } cases[] = {
        {"", "", 0},
        {"plain", "plain", 5},
        {"\\\"\\\\\\/\\b\\f\\n\\r\\t", "\"\\/\b\f\n\r\t", 8},
        {"\\u0041\\u00e4\\u20AC", "A\xc3\xa4\xe2\x82\xac", 6},
        {"a\\u0000b", "a\0b", 3},
        {"\\u007f\\u0080\\u07ff\\u0800\\uffff",
         "\x7f\xc2\x80\xdf\xbf\xe0\xa0\x80\xef\xbf\xbf", 11},
        {"\\ud83d\\ude00", "\xf0\x9f\x98\x80", 4},
        {"\\uD800\\uDC00\\uDBFF\\uDFFF", "\xf0\x90\x80\x80\xf4\x8f\xbf\xbf",
         8},
        {"\\ud83d", "\xef\xbf\xbd", 3},
        {"\\ud83dx", "\xef\xbf\xbdx", 4},
        {"\\ud83d\\n", "\xef\xbf\xbd\n", 4},
        {"\\ud83d\\u0041", "\xef\xbf\xbd" "A", 4},
        {"\\ud83d\\ud83d\\ude00", "\xef\xbf\xbd\xf0\x9f\x98\x80", 7},
        {"\\ude00\\ud83d", "\xef\xbf\xbd\xef\xbf\xbd", 6},
        {"\xff\\u0041\xc3", "\xff" "A\xc3", 3},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[100];
        OWN(blob_free) blob b = {0};
        json j;
        blob_print(&b, "[\"%s\"]", cases[i].raw);
        const json_value v = string_value(&j, &b);
        ck_assert_uint_eq(json_decode(&v, text), cases[i].size);
        ck_assert_mem_eq(text, cases[i].text, cases[i].size);
        ck_assert(json_says(&v, span_of(text, cases[i].size)));
        if (cases[i].size > 0) {
            ck_assert(!json_says(&v, span_of(text, cases[i].size - 1)));
            text[cases[i].size] = 'x';
            ck_assert(!json_says(&v, span_of(text, cases[i].size + 1)));
            text[chance_below(&(chance){.key = i}, cases[i].size)] ^= 1;
            ck_assert(!json_says(&v, span_of(text, cases[i].size)));
        }
        ck_assert(v.escaped == (strchr(cases[i].raw, '\\') != NULL));
    }
}

/* The bytes that mean something, at any place of a string of any length. */
TEST(json_finds_the_end_of_strings)
{
    for (size_t size = 0; size < 100; size++)
        for (size_t at = 0; at <= size; at++)
            for (int c = 0; c < 4; c++) {
                char text[110];
                json j;
                json_value value = {0};
                memset(text, c == 3 ? 0xff : 0x21, sizeof text);
                text[0] = '[';
                text[1] = '"';
                text[2 + at] = "\"\\\x1f\""[c];
                json_open(&j, span_of(text, 2 + size + 1));
                const bool good = json_enter(&j, '[') &&
                                  json_element(&j, &value);
                if (good != (c == 0 || c == 3))
                    ck_abort_msg("%zu %zu %d", size, at, c);
                if (good && value.raw.size != at)
                    ck_abort_msg("%zu %zu %d", size, at, c);
                if (!good && json_column(&j, j.at) !=
                                 3 + at + (c == 1 ? 1 : 0))
                    ck_abort_msg("%zu %zu %d", size, at, c);
            }
}

/* Any value, with any blanks, down to a depth; its bytes are the copy. */
static void add_value(blob *b, chance *c, int depth)
{
    static const char *const plain[] = {
        "null", "true", "false", "0", "-12.5e+3", "\"\"", "\"a\\u0041\\n\"",
        "1e99999", "[]", "{}", "\"}]\\\"\"",
    };
    const bool object = chance_below(c, 2) == 0;
    const size_t count = chance_below(c, 5);

    blob_print(b, "%.*s", (int)chance_below(c, 3), " \t");
    if (depth == 0 || chance_below(c, 3) == 0) {
        blob_print(b, "%s", plain[chance_below(c, 11)]);
    } else {
        blob_print(b, object ? "{" : "[");
        for (size_t i = 0; i < count; i++) {
            blob_print(b, "%s", i > 0 ? "," : "");
            if (object)
                blob_print(b, " \"k%d\" :", (int)i);
            add_value(b, c, depth - 1);
        }
        blob_print(b, object ? " }" : " ]");
    }
    blob_print(b, "%.*s", (int)chance_below(c, 3), "\r ");
}

TEST(json_values_are_as_they_stand)
{
    for (uint64_t seed = 0; seed < 2000; seed++) {
        chance c = {.key = seed};
        size_t starts[20], count = chance_below(&c, 20), at = 0;
        OWN(blob_free) blob b = {0};
        json_value v;
        json j;
        blob_print(&b, "[");
        for (size_t i = 0; i < count; i++) {
            starts[i] = b.size;
            add_value(&b, &c, 6);
            blob_print(&b, i + 1 < count ? "," : "");
        }
        blob_print(&b, "]");
        json_open(&j, span_of(b.bytes, b.size));
        ck_assert(json_enter(&j, '['));
        for (; json_element(&j, &v); at++) {
            size_t from = starts[at] + strspn(b.bytes + starts[at], " \t");
            from += v.kind == JSON_STRING;
            if (at >= count || v.raw.bytes != b.bytes + from)
                ck_abort_msg("seed %d: %s", (int)seed, b.bytes);
        }
        ck_assert(!json_wrong(&j) && at == count && json_ended(&j));
        /* And none of it can be left out. */
        for (size_t size = 0; size < b.size && size < 200; size++) {
            json_open(&j, span_of(b.bytes, size));
            if (json_enter(&j, '['))
                while (json_element(&j, &v))
                    ;
            if (!json_wrong(&j))
                ck_abort_msg("seed %d, %zu bytes", (int)seed, size);
        }
    }
}

TEST(json_says_the_kind)
{
    static const char *const kinds[] = {"null",     "false",    "true",
                                        "a number", "a string", "an array",
                                        "an object"};
    json_value v;
    json j;

    json_open(&j, span_text("[null,false,true,1,\"1\",[1],{\"a\":1}]"));
    ck_assert(json_enter(&j, '['));
    for (int i = 0; json_element(&j, &v); i++) {
        ck_assert_int_eq((int)v.kind, i);
        ck_assert_str_eq(json_kind_text(v.kind), kinds[i]);
    }
    ck_assert(json_ended(&j));
    ck_assert_int_eq(v.kind, JSON_OBJECT);
    ck_assert(span_equal(v.raw, span_text("{\"a\":1}")));
}
