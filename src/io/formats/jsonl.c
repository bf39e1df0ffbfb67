/* SPDX-License-Identifier: MIT */
/*
 * Records are lines, or items that a cutter finds by the brackets and strings
 * of JSON alone: what is wrong within one does not reach the next.
 *
 * A record is read once: while it is found right, the members of the outermost
 * object that may hold a field are kept as spans. For "a.b" these are "a.b"
 * itself and "a", which is read again if it comes to that. Strings are decoded
 * last, into a scratch buffer, and only where they have escapes or are joined.
 */
#include "io/formats/jsonl.h"

#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/fail.h"
#include "base/mem.h"
#include "io/bag.h"
#include "io/fields.h"
#include "io/json.h"

#define TEXTS_MOST ((size_t)16) /* fields that make the text */
#define DOTS_MOST ((size_t)8)   /* of a field's name */
#define WANTED_MOST (TEXTS_MOST + 4)
#define TALLY_MAX UINT64_C(0x7fffffff)
#define TALLY_EXPECTED "a whole number from 0 to 2147483647 was expected"
#define SHOWN_NAMES 8 /* of a record's fields in a message */
#define BLANKS_MOST ((size_t)64 << 10) /* before the first record */

/* A member to look for, and what was found. */
typedef struct target {
    span name;
    bool found;
    json_value value;
} target;

/* A field that is asked for: its own name, and the parts of it before a dot,
 * the longest first. */
typedef struct wanted {
    span name;
    size_t first, count; /* of its targets */
} wanted;

/* Fields of which any will do, or, of a text, all that there are. */
typedef struct choice {
    size_t first, count; /* of those wanted */
    bool asked;          /* not the usual ones */
} choice;

/* How records are written. */
typedef enum layout {
    UNKNOWN,  /* not looked at yet */
    A_LINE,   /* each is a line */
    IN_ARRAY, /* elements of an array that is all of the source */
    SPREAD,   /* one after the other, each over several lines */
} layout;

/* How far a record's end was looked for. */
typedef struct cutter {
    layout layout;
    size_t depth;            /* brackets that are open, the array's apart */
    bool within, escaped;    /* a string; a character of it */
    bool begun, closed;      /* the array */
    bool whole;              /* the end was found */
} cutter;

typedef struct jsonl {
    lines *in;
    cutter cut;
    bool told; /* that the array is not closed */
    wanted wanted[WANTED_MOST];
    target target[WANTED_MOST * (DOTS_MOST + 1)];
    size_t wanted_count, target_count;
    choice text, id, label;
    json line; /* as far as it was read */

    json_value part[TEXTS_MOST]; /* of the text, in order */
    span part_name[TEXTS_MOST];
    size_t parts;
    char *scratch;
    size_t scratch_size, scratch_capacity;
    span *word;
    uint32_t *tally;
    size_t words, word_capacity, tally_capacity;
    size_t most; /* words of a bag */
} jsonl;

/* ---- the fields asked for ------------------------------------------------ */

static size_t make_targets(span name, target *out)
{
    size_t count = 0;

    out[count++] = (target){.name = name};
    for (size_t n = name.size; n-- > 0;)
        if (name.bytes[n] == '.')
            out[count++] = (target){.name = span_of(name.bytes, n)};
    return count;
}

static kedge_status want(jsonl *s, span name, const char *what,
                         kedge_error *err)
{
    wanted *const w = &s->wanted[s->wanted_count];
    size_t dots = 0;

    for (size_t i = 0; i < name.size; i++)
        dots += name.bytes[i] == '.';
    if (name.size == 0)
        return kedge_fail(err, KEDGE_EINVAL,
                          "the %s field has no name: a name such as \"%s\" "
                          "was expected",
                          what, what);
    if (dots > DOTS_MOST)
        return kedge_fail(err, KEDGE_EINVAL,
                          "the %s field \"%.*s\" has %zu dots: at most %zu "
                          "were expected",
                          what, name.size < 99 ? (int)name.size : 99,
                          name.bytes, dots, DOTS_MOST);
    w->name = name;
    w->first = s->target_count;
    w->count = make_targets(name, s->target + s->target_count);
    s->target_count += w->count;
    s->wanted_count++;
    return KEDGE_OK;
}

/* The usual names, which end with NULL, or the one asked for. */
static kedge_status want_one(jsonl *s, choice *c, const char *const *usual,
                             const char *asked, kedge_error *err)
{
    kedge_status st = KEDGE_OK;

    c->first = s->wanted_count;
    c->asked = asked != NULL;
    if (record_field_none(asked))
        c->asked = false;
    else if (asked != NULL)
        TRY(want(s, span_text(asked), usual[0], err));
    else
        for (; *usual != NULL; usual++)
            TRY(want(s, span_text(*usual), *usual, err));
    c->count = s->wanted_count - c->first;
out:
    return st;
}

/* "title, abstract" */
static kedge_status want_list(jsonl *s, choice *c, const char *asked,
                              kedge_error *err)
{
    kedge_status st = KEDGE_OK;

    c->first = s->wanted_count;
    c->asked = true;
    for (;;) {
        const char *from = asked + strspn(asked, " ");
        size_t size = strcspn(from, ",");
        asked = from + size;
        while (size > 0 && from[size - 1] == ' ')
            size--;
        if (s->wanted_count - c->first == TEXTS_MOST)
            return kedge_fail(err, KEDGE_EINVAL,
                              "there are too many text fields: at most %zu "
                              "were expected",
                              TEXTS_MOST);
        TRY(want(s, span_of(from, size), "text", err));
        if (*asked++ == '\0')
            break;
    }
    c->count = s->wanted_count - c->first;
out:
    return st;
}

static kedge_status want_all(jsonl *s, const record_opts *opts,
                             kedge_error *err)
{
    static const char *const texts[] = {"text", "body", "content", "abstract",
                                        NULL};
    /* The last one is how MongoDB writes its own. */
    static const char *const ids[] = {"id", "_id", "_id.$oid", NULL};
    static const char *const labels[] = {"label", NULL};
    kedge_status st = KEDGE_OK;

    if (opts->text_field != NULL)
        TRY(want_list(s, &s->text, opts->text_field, err));
    else
        TRY(want_one(s, &s->text, texts, NULL, err));
    TRY(want_one(s, &s->id, ids, opts->id_field, err));
    TRY(want_one(s, &s->label, labels, opts->label_field, err));
    assert(s->wanted_count <= WANTED_MOST);
out:
    return st;
}

/* ---- reasons ------------------------------------------------------------- */

/* Of what is wrong at a byte of the record, which may have several lines. */
KEDGE_PRINTF(4, 5)
static kedge_status complain_at(const jsonl *s, const char *at,
                                kedge_error *err, const char *format, ...)
{
    uint64_t line = lines_number(s->in);
    char reason[600];
    va_list args;

    for (const char *p = s->line.begin; p < at; p++)
        line += *p == '\n';
    va_start(args, format);
    vsnprintf(reason, sizeof reason, format, args);
    va_end(args);
    return kedge_fail(err, KEDGE_EFORMAT, "%s:%" PRIu64 ": %s",
                      lines_name(s->in), line, reason);
}

/* Where the record begins. */
static const char *first_byte(const jsonl *s)
{
    const char *p = s->line.begin;

    while (p < s->line.end && (is_blank(*p) || *p == '\r' || *p == '\n'))
        p++;
    return p;
}

static kedge_status complain_json(const jsonl *s, kedge_error *err)
{
    char reason[200];

    json_explain(&s->line, reason, sizeof reason);
    return complain_at(s, s->line.at, err, "%s", reason);
}

static size_t column_of(const jsonl *s, const json_value *value)
{
    return json_column(&s->line, value->raw.bytes) -
           (value->kind == JSON_STRING ? 1 : 0);
}

static shown show(span name)
{
    return field_show(&(field){name.bytes, name.size});
}

static kedge_status complain_kind(const jsonl *s, span name,
                                  const json_value *value,
                                  const char *expected, kedge_error *err)
{
    return complain_at(s, value->raw.bytes, err,
                       "column %zu: the field \"%s\" is %s: %s was expected",
                    column_of(s, value), show(name).text,
                    json_kind_text(value->kind), expected);
}

/* "a" and "b" and 3 more fields: the record's, of a line without fault. */
static void list_members(const jsonl *s, char *text, size_t room)
{
    json j;
    json_value name, value;
    size_t count = 0, at = 0;

    json_open(&j, span_of(s->line.begin, (size_t)(s->line.end -
                                                  s->line.begin)));
    json_enter(&j, '{');
    text[0] = '\0';
    while (json_member(&j, &name, &value))
        if (count++ < SHOWN_NAMES)
            at += (size_t)snprintf(text + at, room - at, "%s\"%s\"%s",
                                   at > 0 ? ", " : "", show(name.raw).text,
                                   value.kind == JSON_NULL ? " (null)" : "");
    if (count > SHOWN_NAMES)
        snprintf(text + at, room - at, " and %zu more", count - SHOWN_NAMES);
    if (count == 0)
        snprintf(text, room, "no fields");
}

/* The record has nothing of what was wanted. */
static kedge_status complain_missing(const jsonl *s, const choice *c,
                                     const char *what, kedge_error *err)
{
    char has[SHOWN_NAMES * (sizeof(shown) + 12) + 40], names[200] = "";
    size_t at = 0;

    list_members(s, has, sizeof has);
    for (size_t i = 0; i < c->count && i < 4; i++)
        at += (size_t)snprintf(names + at, sizeof names - at, "%s\"%s\"",
                               i == 0                          ? ""
                               : i + 1 == c->count || i == 3 ? " or "
                                                               : ", ",
                               show(s->wanted[c->first + i].name).text);
    return complain_at(s, first_byte(s), err,
                       "the record has %s: the %s as %s was expected", has,
                       what, names);
}

/* ---- finding ------------------------------------------------------------- */

static inline void note(target *t, size_t count, const json_value *name,
                        const json_value *value)
{
    for (size_t i = 0; i < count; i++)
        if (name->escaped ? json_says(name, t[i].name)
                          : span_equal(name->raw, t[i].name)) {
            t[i].found = true;
            t[i].value = *value;
        }
}

/* Notes the members that are targets; false when something is wrong. */
static bool scan(json *j, target *t, size_t count)
{
    json_value name, value;

    for (size_t i = 0; i < count; i++)
        t[i].found = false;
    if (!json_enter(j, '{'))
        return false;
    while (json_member(j, &name, &value))
        note(t, count, &name, &value);
    return !json_wrong(j);
}

/* The value of a field among its targets; false when it is missing. */
static bool resolve(const target *t, size_t count, json_value *out)
{
    const span name = t[0].name;

    if (t[0].found && t[0].value.kind != JSON_NULL) {
        *out = t[0].value;
        return true;
    }
    for (size_t i = 1; i < count; i++) {
        const size_t passed = t[i].name.size + 1;
        target inner[DOTS_MOST + 1];
        json j;
        if (!t[i].found || t[i].value.kind != JSON_OBJECT)
            continue;
        const size_t n = make_targets(
            span_of(name.bytes + passed, name.size - passed), inner);
        json_open(&j, t[i].value.raw);
        if (scan(&j, inner, n) && resolve(inner, n, out))
            return true;
    }
    return false;
}

static bool find_wanted(const jsonl *s, size_t i, json_value *out)
{
    return resolve(s->target + s->wanted[i].first, s->wanted[i].count, out);
}

/* Whether a field of a choice is there, be it null. */
static bool is_there(const jsonl *s, const choice *c)
{
    for (size_t i = c->first; i < c->first + c->count; i++)
        if (s->target[s->wanted[i].first].found)
            return true;
    return false;
}

/* The text's parts: all that were asked for, or the first usual one. A text
 * that is null is empty. */
static kedge_status find_text(jsonl *s, kedge_error *err)
{
    static const char expected[] =
        "a string, an array of strings or a bag {\"word\": count}";
    const choice *const c = &s->text;

    s->parts = 0;
    for (size_t i = c->first; i < c->first + c->count; i++) {
        json_value *const value = &s->part[s->parts];
        const span name = s->wanted[i].name;
        if (!find_wanted(s, i, value))
            continue;
        if (value->kind < JSON_STRING)
            return complain_kind(s, name, value, expected, err);
        if (s->parts > 0 && (value->kind == JSON_OBJECT) !=
                                (s->part[0].kind == JSON_OBJECT))
            return complain_kind(s, name, value,
                                 s->part[0].kind == JSON_OBJECT
                                     ? "a bag as before"
                                     : "a string as before",
                                 err);
        s->part_name[s->parts++] = name;
        if (!c->asked)
            break;
    }
    return s->parts > 0 || is_there(s, c)
               ? KEDGE_OK
               : complain_missing(s, c, "text", err);
}

/* An id or, where that may be a truth value, a label: *found is false where
 * there is none. A document that lost its id would be another one. */
static kedge_status find_name(const jsonl *s, const choice *c, bool truth,
                              json_value *out, bool *found, kedge_error *err)
{
    json_value other;
    span name = {NULL, 0};

    *found = false;
    for (size_t i = c->first; i < c->first + c->count; i++) {
        *found = find_wanted(s, i, out);
        if (!*found)
            continue;
        if (out->kind == JSON_STRING || out->kind == JSON_NUMBER ||
            (truth && out->kind < JSON_NUMBER))
            return KEDGE_OK;
        *found = false;
        if (name.bytes == NULL) {
            name = s->wanted[i].name;
            other = *out;
        }
    }
    if (name.bytes == NULL || (truth && !c->asked))
        return KEDGE_OK;
    return complain_kind(s, name, &other, "a string or a number", err);
}

/* ---- making -------------------------------------------------------------- */

/* An empty scratch buffer with room for all of a record, so that what is put
 * there stays where it is. */
static kedge_status reserve(jsonl *s, size_t size, kedge_error *err)
{
    s->scratch_size = 0;
    if (size <= s->scratch_capacity)
        return KEDGE_OK;
    mem_free(s->scratch); /* what it held need not be copied */
    s->scratch = NULL;
    s->scratch_capacity = 0;
    if (!mem_grow((void **)&s->scratch, &s->scratch_capacity, size, 1))
        return kedge_fail(err, KEDGE_ENOMEM, "out of memory (%s)", __func__);
    return KEDGE_OK;
}

/* Bytes of it that a record takes at most, with empty lines between
 * parts; items of an array have two quotes each, to make room for them. */
static size_t scratch_for(const jsonl *s, const json_value *id,
                          const json_value *label)
{
    size_t size = 0;

    size += id != NULL && id->escaped ? id->raw.size : 0;
    size += label != NULL && label->escaped ? label->raw.size : 0;
    for (size_t i = 0; i < s->parts; i++)
        if (s->parts > 1 || s->part[i].escaped ||
            s->part[i].kind != JSON_STRING)
            size += s->part[i].raw.size + 2;
    return size;
}

static void append(jsonl *s, const json_value *string)
{
    assert(s->scratch_size + string->raw.size <= s->scratch_capacity);
    s->scratch_size += json_decode(string, s->scratch + s->scratch_size);
}

/* What a string says, or a number or a truth value as it is written. */
static span text_of(jsonl *s, const json_value *value)
{
    const size_t from = s->scratch_size;

    if (!value->escaped)
        return value->raw;
    append(s, value);
    return span_of(s->scratch + from, s->scratch_size - from);
}

/* A piece of the text. An empty line keeps its words apart from the others'. */
static void append_piece(jsonl *s, const json_value *string, bool *first)
{
    if (!*first) {
        s->scratch[s->scratch_size++] = '\n';
        s->scratch[s->scratch_size++] = '\n';
    }
    *first = false;
    append(s, string);
}

static kedge_status append_array(jsonl *s, size_t part, bool *first,
                                 kedge_error *err)
{
    json_value string;
    json j;

    json_open(&j, s->part[part].raw);
    json_enter(&j, '[');
    while (json_element(&j, &string)) {
        if (string.kind == JSON_STRING)
            append_piece(s, &string, first);
        else if (string.kind != JSON_NULL)
            return complain_at(s, string.raw.bytes, err,
                            "column %zu: the field \"%s\" holds %s: an array "
                            "of strings was expected",
                            column_of(s, &string),
                            show(s->part_name[part]).text,
                            json_kind_text(string.kind));
    }
    return KEDGE_OK;
}

static kedge_status make_text(jsonl *s, record *out, kedge_error *err)
{
    const size_t from = s->scratch_size;
    kedge_status st = KEDGE_OK;
    bool first = true;

    out->kind = RECORD_TEXT;
    if (s->parts == 0)
        return KEDGE_OK;
    if (s->parts == 1 && s->part[0].kind == JSON_STRING) {
        out->text = text_of(s, &s->part[0]);
        return KEDGE_OK;
    }
    for (size_t i = 0; i < s->parts; i++)
        if (s->part[i].kind == JSON_STRING)
            append_piece(s, &s->part[i], &first);
        else
            TRY(append_array(s, i, &first, err));
    out->text = span_of(s->scratch + from, s->scratch_size - from);
out:
    return st;
}

/* The value of a count: a whole number, as programs that know no others but
 * real ones write it, too: "3.0". */
static bool whole_number(const json_value *value, uint64_t *number)
{
    const char *const dot = memchr(value->raw.bytes, '.', value->raw.size);
    size_t size = value->raw.size;

    if (value->kind != JSON_NUMBER)
        return false;
    if (dot != NULL) {
        size = (size_t)(dot - value->raw.bytes);
        for (const char *p = dot + 1; p < dot + value->raw.size - size; p++)
            if (*p != '0')
                return false;
    }
    return field_number(&(field){value->raw.bytes, size}, number);
}

static kedge_status add_word(jsonl *s, const json_value *name,
                             const json_value *count, kedge_error *err)
{
    uint64_t number;

    if (count->kind == JSON_NULL)
        return KEDGE_OK;
    if (!whole_number(count, &number) || number > TALLY_MAX)
        return complain_at(s, count->raw.bytes, err,
                        "column %zu: the count of \"%s\" is %s: "
                        TALLY_EXPECTED,
                        column_of(s, count), show(name->raw).text,
                        count->kind == JSON_NUMBER
                            ? show(count->raw).text
                            : json_kind_text(count->kind));
    if (number == 0)
        return KEDGE_OK;
    if (s->words >= s->most)
        return complain_at(s, first_byte(s), err,
                        "the record has too many words: a bag of at most %zu "
                        "was expected",
                        s->most);
    if (!mem_grow((void **)&s->word, &s->word_capacity, s->words + 1,
                  sizeof *s->word) ||
        !mem_grow((void **)&s->tally, &s->tally_capacity, s->words + 1,
                  sizeof *s->tally))
        return kedge_fail(err, KEDGE_ENOMEM, "out of memory (%s)", __func__);
    s->word[s->words] = text_of(s, name);
    s->tally[s->words++] = (uint32_t)number;
    return KEDGE_OK;
}

static kedge_status make_bag(jsonl *s, record *out, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    json_value name, count;
    json j;

    s->words = 0;
    for (size_t i = 0; i < s->parts; i++) {
        json_open(&j, s->part[i].raw);
        json_enter(&j, '{');
        while (json_member(&j, &name, &count))
            TRY(add_word(s, &name, &count, err));
    }
    out->kind = RECORD_WORDS;
    out->count = s->words;
    out->word = s->word;
    out->tally = s->tally;
out:
    return st;
}

/* The record of a line that was found right. */
static kedge_status make_record(jsonl *s, record *out, kedge_error *err)
{
    json_value id, label;
    kedge_status st = KEDGE_OK;
    bool has_id, has_label;

    TRY(find_name(s, &s->id, false, &id, &has_id, err));
    if (!has_id && s->id.asked)
        return complain_missing(s, &s->id, "id", err);
    TRY(find_name(s, &s->label, true, &label, &has_label, err));
    TRY(find_text(s, err));
    TRY(reserve(s, scratch_for(s, has_id ? &id : NULL,
                               has_label ? &label : NULL), err));
    if (has_id)
        out->id = text_of(s, &id);
    if (has_label)
        out->label = text_of(s, &label);
    if (s->parts > 0 && s->part[0].kind == JSON_OBJECT)
        TRY(make_bag(s, out, err));
    else
        TRY(make_text(s, out, err));
out:
    return st;
}

/* ---- the face ------------------------------------------------------------ */

static bool is_space(char c)
{
    return is_blank(c) || c == '\r' || c == '\n';
}

static bool all_blank(span text)
{
    size_t i = 0;

    while (i < text.size && is_space(text.bytes[i]))
        i++;
    return i == text.size;
}

/* What the source begins with; UNKNOWN where that does not tell. *records: it
 * looks like records. */
static layout layout_of(span text, bool *records)
{
    const char *p = text.bytes, *const end = p + text.size;
    char first;

    while (p < end && is_space(*p))
        p++;
    if (p == end)
        return UNKNOWN;
    first = *p++;
    while (p < end && (first == '[' ? is_space(*p) : is_blank(*p) ||
                                                     *p == '\r'))
        p++;
    *records = first == '{' ||
            (first == '[' && p < end && (*p == '{' || *p == ']'));
    if (p == end && (first == '[' || first == '{'))
        return UNKNOWN;
    if (first == '[' && *records)
        return IN_ARRAY;
    return first == '{' && *p == '\n' ? SPREAD : A_LINE;
}

/* Looks at no more bytes than it takes to tell. */
static kedge_status find_layout(lines *in, layout *out, bool *records,
                                kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    span text;

    *records = false;
    for (size_t size = 1;; size *= 2) {
        TRY(lines_look(in, size, &text, err));
        *out = text.size == 0 ? A_LINE : layout_of(text, records);
        if (*out != UNKNOWN)
            return KEDGE_OK;
        if (text.size < size || size >= BLANKS_MOST)
            break;
    }
    *out = A_LINE;
out:
    return st;
}

static kedge_status jsonl_recognise(lines *in, const record_opts *opts,
                                    bool *yes, kedge_error *err)
{
    layout found;

    (void)opts;
    return find_layout(in, &found, yes, err);
}

static void jsonl_close(void *state)
{
    jsonl *const s = state;

    if (s == NULL)
        return;
    mem_free(s->scratch);
    mem_free(s->word);
    mem_free(s->tally);
    mem_free(s);
}

static kedge_status jsonl_open(lines *in, const record_opts *opts,
                               void **state, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    jsonl *s = NULL;

    *state = NULL;
    TRY_MEM(s = mem_new(1, sizeof *s));
    s->in = in;
    s->line.begin = s->line.end = "";
    s->most = bag_most(opts->entries);
    TRY(want_all(s, opts, err));
    *state = s;
    s = NULL;
out:
    jsonl_close(s);
    return st;
}

/* Whether the record, or the array, ends with the byte. */
static bool cut_byte(cutter *c, char byte)
{
    const bool array = c->layout == IN_ARRAY;

    if (c->within) { /* no string goes on in the next line */
        c->within = byte != '\n' && (byte != '"' || c->escaped);
        c->escaped = byte == '\\' && !c->escaped;
        return false;
    }
    switch (byte) {
    case '"':
        c->within = true;
        c->escaped = false;
        return false;
    case '{':
    case '[':
        if (array && !c->begun)
            return c->begun = true;
        c->depth++;
        return false;
    case '}':
        c->depth -= c->depth > 0;
        return !array && c->depth == 0;
    case ']':
        if (!array || c->depth > 0) {
            c->depth -= c->depth > 0;
            return false;
        }
        return c->closed = true;
    case ',':
        return array && c->depth == 0;
    default:
        return false;
    }
}

static size_t cut(void *state, const char *bytes, size_t size, bool *whole)
{
    cutter *const c = state;

    if (c->closed) /* what follows the array is one item */
        return size;
    for (size_t i = 0; i < size; i++)
        if (cut_byte(c, bytes[i])) {
            *whole = c->whole = true;
            return i + 1;
        }
    return size;
}

/* What the cutter finds next in an array: an element, without what ends it, or
 * *none. */
static kedge_status next_element(jsonl *s, span *element, bool *more,
                                 bool *none, kedge_error *err)
{
    const bool opening = !s->cut.begun, behind = s->cut.closed;
    kedge_status st = KEDGE_OK;

    s->cut = (cutter){.layout = IN_ARRAY, .begun = !opening,
                      .closed = behind};
    TRY(lines_next_item(s->in, cut, &s->cut, "record", element, more, err));
    if (!*more && (behind || s->told))
        return KEDGE_OK;
    s->told = !*more;
    if (s->told)
        return kedge_fail(err, KEDGE_EFORMAT,
                          "%s:%" PRIu64 ": the array is not closed: \"]\" was "
                          "expected", lines_name(s->in), lines_number(s->in));
    if (behind && !all_blank(*element))
        return kedge_fail(err, KEDGE_EFORMAT,
                          "%s:%" PRIu64 ": there is something behind the "
                          "array: the end of the file was expected",
                          lines_name(s->in), lines_number(s->in));
    if (s->cut.whole)
        element->size--;
    *none = opening ||
            (all_blank(*element) && (s->cut.closed || !s->cut.whole));
out:
    return st;
}

/* The next record's bytes; *more is false when there is none. */
static kedge_status next_text(jsonl *s, span *text, bool *more,
                              kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    bool none;

    if (s->cut.layout == UNKNOWN)
        TRY(find_layout(s->in, &s->cut.layout, &none, err));
    do {
        if (s->cut.layout == IN_ARRAY) {
            TRY(next_element(s, text, more, &none, err));
            continue;
        }
        if (s->cut.layout == SPREAD) {
            s->cut = (cutter){.layout = SPREAD};
            TRY(lines_next_item(s->in, cut, &s->cut, "record", text, more,
                                err));
        } else {
            TRY(lines_next(s->in, text, more, err));
        }
        none = all_blank(*text);
    } while (*more && none);
out:
    return st;
}

static kedge_status jsonl_next(void *state, record *out, bool *more,
                               kedge_error *err)
{
    jsonl *const s = state;
    kedge_status st = KEDGE_OK;
    span text;

    *out = (record){0};
    TRY(next_text(s, &text, more, err));
    if (!*more)
        return KEDGE_OK;
    *more = false;
    json_open(&s->line, text);
    if (!scan(&s->line, s->target, s->target_count) || !json_ended(&s->line))
        return complain_json(s, err);
    TRY(make_record(s, out, err));
    *more = true;
out:
    return st;
}

const record_format format_jsonl = {
    .name = "jsonl",
    .recognise = jsonl_recognise,
    .open = jsonl_open,
    .next = jsonl_next,
    .close = jsonl_close,
};

uint64_t jsonl_memusage(size_t limit)
{
    const uint64_t words =
        limit / 5 < BAG_ENTRIES_MAX ? limit / 5 : BAG_ENTRIES_MAX;

    return sizeof(jsonl) + limit +
           2 * words * (sizeof(span) + sizeof(uint32_t));
}
