/* SPDX-License-Identifier: MIT */
/*
 * The state between two items is whether something stands before them: after a
 * bracket that closes there always does, so that values within values need no
 * stack but the calls that read them, which JSON_DEPTH bounds. Most bytes stand
 * in long strings, where sixteen are looked at at once.
 */
#include "io/json.h"

#include <assert.h>
#include <stdint.h>
#include <stdio.h>

#include "base/bytes.h"
#include "io/text/letters.h"

typedef uint8_t sixteen __attribute__((vector_size(16)));

#define REPLACEMENT 0xfffdu

void json_open(json *j, span text)
{
    *j = (json){.begin = text.bytes,
                .at = text.bytes,
                .end = text.bytes + text.size};
}

/* ---- what is wrong ------------------------------------------------------- */

static bool fail_at(json *j, const char *at, const char *wrong,
                    const char *expected)
{
    j->at = at;
    j->wrong = wrong;
    j->expected = expected;
    return false;
}

/* What `at` shows is not what was expected. */
static bool unexpected(json *j, const char *expected)
{
    return fail_at(j, j->at, NULL, expected);
}

size_t json_column(const json *j, const char *byte)
{
    size_t column = 1;

    for (const char *p = j->begin; p < byte; p++)
        column = *p == '\n' ? 1 : column + (((unsigned char)*p & 0xc0) != 0x80);
    return column;
}

void json_explain(const json *j, char *text, size_t room)
{
    const size_t column = json_column(j, j->at);
    const unsigned char c = j->at < j->end ? (unsigned char)*j->at : 0;
    char shown[40];

    if (j->at == j->end)
        snprintf(shown, sizeof shown, "the line ends here");
    else if (c == '"')
        snprintf(shown, sizeof shown, "there is a quote");
    else if (c > ' ' && c <= '~')
        snprintf(shown, sizeof shown, "there is \"%c\"", c);
    else
        snprintf(shown, sizeof shown, "found the byte 0x%02x", c);
    snprintf(text, room, "column %zu: %s: expected %s", column,
             j->wrong != NULL ? j->wrong : shown, j->expected);
}

const char *json_kind_text(json_kind kind)
{
    static const char *const texts[] = {
        [JSON_NULL] = "null",        [JSON_FALSE] = "false",
        [JSON_TRUE] = "true",        [JSON_NUMBER] = "a number",
        [JSON_STRING] = "a string",  [JSON_ARRAY] = "an array",
        [JSON_OBJECT] = "an object",
    };

    return texts[kind];
}

/* ---- strings ------------------------------------------------------------- */

/* The next byte that means something within a string, or `end`. */
static inline const char *next_special(const char *p, const char *end)
{
    for (; end - p >= 16; p += 16) {
        uint8_t bytes[16];
        sixteen v, found;
        memcpy(&v, p, sizeof v);
        found = (sixteen)((v == '"') | (v == '\\') | (v < ' '));
        memcpy(bytes, &found, sizeof bytes);
        const uint64_t low = get_u64(bytes), high = get_u64(bytes + 8);
        if ((low | high) != 0)
            return low != 0 ? p + __builtin_ctzll(low) / 8
                            : p + 8 + __builtin_ctzll(high) / 8;
    }
    while (p < end && *p != '"' && *p != '\\' && (unsigned char)*p >= ' ')
        p++;
    return p;
}

/* The digits after \u; false where there are no four of them, and *p stands at
 * the first byte that is none. */
static bool take_hex(const char **p, const char *end, unsigned *code)
{
    *code = 0;
    for (int i = 0; i < 4; i++, (*p)++) {
        const unsigned c = *p < end ? (unsigned char)**p : 0;
        const unsigned alpha = (c | 32) - 'a';
        if (c - '0' > 9 && alpha > 5)
            return false;
        *code = *code * 16 + (c - '0' <= 9 ? c - '0' : alpha + 10);
    }
    return true;
}

/* The byte that an escape of one letter stands for, 0 when there is none. */
static char plain_escape(char c)
{
    static const char names[] = "bfnrt\"\\/", bytes[] = "\b\f\n\r\t\"\\/";
    const char *const at = c == '\0' ? NULL : strchr(names, c);

    return at == NULL ? '\0' : bytes[at - names];
}

/* The escape at a backslash. */
static bool take_escape(json *j)
{
    unsigned code;

    j->at++;
    if (j->at < j->end && *j->at == 'u') {
        j->at++;
        return take_hex(&j->at, j->end, &code) ||
               unexpected(j, "one of four hexadecimal digits");
    }
    if (j->at == j->end || plain_escape(*j->at) == 0)
        return unexpected(j, "one of \" \\ / b f n r t u after a backslash");
    j->at++;
    return true;
}

/* The string at a quote. */
static bool take_string(json *j, json_value *out)
{
    const char *const from = ++j->at;

    out->kind = JSON_STRING;
    out->escaped = false;
    for (;;) {
        j->at = next_special(j->at, j->end);
        if (j->at == j->end)
            return fail_at(j, j->at, "the line ends within a string",
                           "a quote");
        if (*j->at == '"')
            break;
        if (*j->at != '\\')
            return fail_at(j, j->at, "a control character in a string",
                           "an escape such as \\n or \\u0000");
        out->escaped = true;
        if (!take_escape(j))
            return false;
    }
    out->raw = span_of(from, (size_t)(j->at - from));
    j->at++;
    return true;
}

/* The other half of a surrogate pair, where it follows; else 0. */
static unsigned take_low_half(const char **p, const char *end)
{
    const char *q = *p + 2;
    unsigned low;

    if (end - *p < 6 || (*p)[0] != '\\' || (*p)[1] != 'u' ||
        !take_hex(&q, end, &low) || low < 0xdc00 || low > 0xdfff)
        return 0;
    *p = q;
    return low;
}

/* What a right escape at *p says, up to four bytes, fewer than it takes. */
static size_t decode_escape(const char **p, const char *end, char *to)
{
    unsigned code, low;

    *p += 2;
    if ((*p)[-1] != 'u') {
        to[0] = plain_escape((*p)[-1]);
        return 1;
    }
    take_hex(p, end, &code);
    if (code >= 0xd800 && code <= 0xdfff) {
        low = code < 0xdc00 ? take_low_half(p, end) : 0;
        code = low == 0 ? REPLACEMENT
                        : 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
    }
    return utf8_put(to, code);
}

size_t json_decode(const json_value *string, char *to)
{
    const char *p = string->raw.bytes, *const end = p + string->raw.size;
    size_t size = 0;

    assert(string->kind == JSON_STRING);
    while (p < end) {
        const size_t left = (size_t)(end - p);
        const char *const escape = memchr(p, '\\', left);
        const size_t run = escape == NULL ? left : (size_t)(escape - p);
        memcpy(to + size, p, run);
        size += run;
        p += run;
        if (escape != NULL)
            size += decode_escape(&p, end, to + size);
    }
    return size;
}

bool json_says(const json_value *string, span text)
{
    const char *p = string->raw.bytes, *const end = p + string->raw.size;
    size_t at = 0;

    assert(string->kind == JSON_STRING);
    if (!string->escaped)
        return span_equal(string->raw, text);
    while (p < end) {
        char piece[4];
        size_t size = 1;
        if (*p == '\\')
            size = decode_escape(&p, end, piece);
        else
            piece[0] = *p++;
        if (size > text.size - at || memcmp(text.bytes + at, piece, size) != 0)
            return false;
        at += size;
    }
    return at == text.size;
}

/* ---- values -------------------------------------------------------------- */

/* The next byte, -1 at the end. */
static inline int look(const json *j)
{
    return j->at < j->end ? (unsigned char)*j->at : -1;
}

static inline int look_past_blanks(json *j)
{
    int c;

    while ((c = look(j)) == ' ' || c == '\t' || c == '\r' || c == '\n')
        j->at++;
    return c;
}

static bool take_digits(json *j)
{
    if ((unsigned)look(j) - '0' > 9)
        return unexpected(j, "a digit");
    while ((unsigned)look(j) - '0' <= 9)
        j->at++;
    return true;
}

static bool take_number(json *j)
{
    if (look(j) == '-')
        j->at++;
    if (look(j) == '0') {
        j->at++;
        if ((unsigned)look(j) - '0' <= 9)
            return fail_at(j, j->at, "a digit follows a leading 0",
                           "a number without it");
    } else if (!take_digits(j)) {
        return false;
    }
    if (look(j) == '.') {
        j->at++;
        if (!take_digits(j))
            return false;
    }
    if (look(j) == 'e' || look(j) == 'E') {
        j->at++;
        if (look(j) == '+' || look(j) == '-')
            j->at++;
        return take_digits(j);
    }
    return true;
}

/* "null" and the like; what is expected when a part of it is missing. */
static bool take_word(json *j, json_value *out, json_kind kind,
                      const char *word)
{
    const size_t size = strlen(word), left = (size_t)(j->end - j->at);

    if (left < size || memcmp(j->at, word, size) != 0)
        return unexpected(j, word);
    out->kind = kind;
    j->at += size;
    return true;
}

/* The value at `at`, where no blanks are. */
static bool take_value(json *j, json_value *out, const char *expected)
{
    const char *const from = j->at;
    const int c = look(j);
    json_value name, value;
    bool right;

    if (c == '"')
        return take_string(j, out);
    out->escaped = false;
    if (c == '{') {
        out->kind = JSON_OBJECT;
        right = json_enter(j, '{');
        while (right && json_member(j, &name, &value))
            continue;
        right = right && !json_wrong(j);
    } else if (c == '[') {
        out->kind = JSON_ARRAY;
        right = json_enter(j, '[');
        while (right && json_element(j, &value))
            continue;
        right = right && !json_wrong(j);
    } else if (c == 't') {
        right = take_word(j, out, JSON_TRUE, "true");
    } else if (c == 'f') {
        right = take_word(j, out, JSON_FALSE, "false");
    } else if (c == 'n') {
        right = take_word(j, out, JSON_NULL, "null");
    } else {
        out->kind = JSON_NUMBER;
        right = c == '-' || (unsigned)c - '0' <= 9 ? take_number(j)
                                                   : unexpected(j, expected);
    }
    out->raw = span_of(from, (size_t)(j->at - from));
    return right;
}

/* ---- items --------------------------------------------------------------- */

bool json_enter(json *j, char bracket)
{
    if (look_past_blanks(j) != bracket)
        return unexpected(j, bracket == '{' ? "an object, \"{\""
                                            : "an array, \"[\",");
    if (j->depth == JSON_DEPTH)
        return fail_at(j, j->at, "arrays and objects are nested too deeply",
                       "a depth of at most 64");
    j->depth++;
    j->at++;
    j->first = true;
    return true;
}

/* Goes to the next item, over a comma, or over the bracket that closes, and
 * then, as when something is wrong, there is none. */
static bool next_item(json *j, char bracket, bool *first)
{
    const int c = look_past_blanks(j);

    *first = j->first;
    j->first = false;
    if (c == bracket) {
        j->at++;
        j->depth--;
        return false;
    }
    if (*first)
        return true;
    if (c != ',')
        return unexpected(j, bracket == '}' ? "a comma or \"}\""
                                            : "a comma or \"]\"");
    j->at++;
    look_past_blanks(j);
    return true;
}

bool json_member(json *j, json_value *name, json_value *value)
{
    bool first;

    if (!next_item(j, '}', &first))
        return false;
    if (look(j) != '"')
        return unexpected(j, first ? "a name in quotes or \"}\""
                                   : "a name in quotes");
    if (!take_string(j, name))
        return false;
    if (look_past_blanks(j) != ':')
        return unexpected(j, "a colon");
    j->at++;
    look_past_blanks(j);
    return take_value(j, value, "a value");
}

bool json_element(json *j, json_value *value)
{
    bool first;

    return next_item(j, ']', &first) &&
           take_value(j, value, first ? "a value or \"]\"" : "a value");
}

bool json_ended(json *j)
{
    return look_past_blanks(j) == -1 ||
           unexpected(j, "the end of the line after the object");
}
