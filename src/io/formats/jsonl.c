/* SPDX-License-Identifier: MIT */
/*
 * JSON records, by what the source begins with:
 *
 *   {...}   JSON Lines: an object a line, blank lines between them
 *   [{...   an array that is all of the source; an element is read at a time
 *   {       alone in its line: objects one after the other, each over several
 *           lines
 *
 * Names of fields:
 *
 *   text   one or more separated by commas, "title,abstract", which are joined
 *          by newlines in that order, those that are missing passed over; by
 *          default the first there is of text, body, content, abstract
 *   id     by default id or _id, where they are strings or numbers
 *   label  by default label, where it is a string, a number or a truth value
 *
 * A name with dots is a field of that name or, where there is none, a field of
 * a field: "meta.author.id". The longest name that there is comes first at each
 * step. null counts as missing, but a record whose text is null is an empty
 * one. "none" for id or label: there is none. Where a name comes twice in an
 * object the last one counts. Columns in messages begin with the record, or
 * with the line.
 *
 * A text is a string, an array of strings, which are joined by newlines, or a
 * bag, {"word": count}, with counts up to 2^31 - 1; a count of 0 is no word,
 * and a word may come twice. Several fields that are bags are one bag.
 *
 * A record without a text is malformed, and so is one without an id where its
 * field was asked for; a label may always be missing. Numbers that are ids or
 * labels are kept as they are written.
 *
 * Records are lines, or items that a cutter finds by the brackets and strings
 * of JSON alone: what is wrong within one does not reach the next.
 *
 * A record is read once: while it is found right, the members of the outermost
 * object that may hold a field are kept as spans. For "a.b" these are "a.b"
 * itself and "a", which is read again if it comes to that. Strings are decoded
 * last, into a scratch buffer, and only where they have escapes or are joined.
 */
#include <assert.h>
#include <inttypes.h>
#include <stdio.h>

#include "base/fail.h"
#include "base/mem.h"
#include "io/format.h"
#include "io/json.h"

#define TEXTS_MOST ((size_t)16) /* fields that make the text */
#define DOTS_MOST ((size_t)8)   /* of a field's name */
#define FIELDS_MOST (TEXTS_MOST + 4)
#define SHOWN_NAMES 8 /* of a record's fields in a message */
#define BLANKS_MOST ((size_t)64 << 10) /* before the first record */

/* A field that is asked for: members that may hold it, by its own name and by
 * the parts of that before a dot, the longest first; and what was found. */
typedef struct field {
    size_t count;
    struct target {
        span name;
        bool found;
        json_value value;
    } at[DOTS_MOST + 1];
} field;

/* Fields of which any will do, or, of a text, all that there are. */
typedef struct choice {
    size_t first, count; /* of the fields */
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
    size_t depth;         /* brackets that are open, the array's apart */
    bool within, escaped; /* a string; a character of it */
    bool begun, closed;   /* the array */
    bool whole;           /* the end was found */
} cutter;

typedef struct jsonl {
    cutter cut;
    bool unclosed; /* the array, which was said */
    field field[FIELDS_MOST];
    size_t fields;
    choice text, id, label;
    json item; /* the record, as far as it was read */

    json_value part[TEXTS_MOST]; /* of the text, in order */
    span part_name[TEXTS_MOST];
    size_t parts;
    char *scratch;
    size_t scratch_size, scratch_capacity;
} jsonl;

/* ---- the fields asked for ------------------------------------------------ */

static void make_field(field *f, span name)
{
    *f = (field){.count = 1, .at[0].name = name};
    for (size_t n = name.size; n-- > 0;)
        if (name.bytes[n] == '.')
            f->at[f->count++].name = span_of(name.bytes, n);
}

static kedge_status want(jsonl *s, span name, const char *what,
                         kedge_error *err)
{
    size_t dots = 0;

    for (size_t i = 0; i < name.size; i++)
        dots += name.bytes[i] == '.';
    if (name.size == 0)
        return kedge_fail(err, KEDGE_EINVAL,
                          "the %s field has no name: expected a name such as "
                          "\"%s\"",
                          what, what);
    if (dots > DOTS_MOST)
        return kedge_fail(err, KEDGE_EINVAL,
                          "the %s field \"%.*s\" has %zu dots: expected at "
                          "most %zu",
                          what, name.size < 99 ? (int)name.size : 99,
                          name.bytes, dots, DOTS_MOST);
    make_field(&s->field[s->fields++], name);
    return KEDGE_OK;
}

/* The usual names, which end with NULL, or the one asked for, or none. */
static kedge_status want_one(jsonl *s, choice *c, const char *const *usual,
                             const char *asked, kedge_error *err)
{
    *c = (choice){.first = s->fields};
    if (asked == NULL) {
        for (; *usual != NULL; usual++)
            PASS(want(s, span_text(*usual), *usual, err));
    } else if (!record_field_none(asked)) {
        c->asked = true;
        PASS(want(s, span_text(asked), usual[0], err));
    }
    c->count = s->fields - c->first;
    return KEDGE_OK;
}

/* "title, abstract" */
static kedge_status want_list(jsonl *s, choice *c, const char *asked,
                              kedge_error *err)
{
    *c = (choice){.first = s->fields, .asked = true};
    do {
        const char *from = asked + strspn(asked, " ");
        size_t size = strcspn(from, ",");
        asked = from + size;
        while (size > 0 && from[size - 1] == ' ')
            size--;
        if (c->count++ == TEXTS_MOST)
            return kedge_fail(err, KEDGE_EINVAL,
                              "there are too many text fields: expected at "
                              "most %zu",
                              TEXTS_MOST);
        PASS(want(s, span_of(from, size), "text", err));
    } while (*asked++ != '\0');
    return KEDGE_OK;
}

static kedge_status jsonl_open(records *r, kedge_error *err)
{
    /* The last one is how MongoDB writes its own. */
    static const char *const ids[] = {"id", "_id", "_id.$oid", NULL};
    const record_opts *const o = &r->opts;
    jsonl *s;

    PASS_MEM(r->own = s = mem_new(1, sizeof *s));
    PASS(o->text_field != NULL ? want_list(s, &s->text, o->text_field, err)
                               : want_one(s, &s->text, usual_text, NULL, err));
    PASS(want_one(s, &s->id, ids, o->id_field, err));
    PASS(want_one(s, &s->label, usual_label, o->label_field, err));
    assert(s->fields <= FIELDS_MOST);
    return KEDGE_OK;
}

static void jsonl_close(void *own)
{
    jsonl *const s = own;

    mem_free(s->scratch);
    mem_free(s);
}

/* ---- reasons ------------------------------------------------------------- */

static bool is_space(char c)
{
    return is_blank(c) || c == '\r' || c == '\n';
}

/* The line of a byte of the record, which may have several. */
static uint64_t line_of(const records *r, const char *at)
{
    const jsonl *const s = r->own;
    uint64_t line = lines_number(r->in);

    for (const char *p = s->item.begin; p < at; p++)
        line += *p == '\n';
    return line;
}

#define complain_at(r, at, err, ...) \
    malformed_at((r)->name, line_of(r, at), err, __VA_ARGS__)

/* Of a value: where it is comes first. */
#define complain_of(r, value, err, format, ...)                     \
    complain_at(r, (value)->raw.bytes, err, "column %zu: " format, \
                column_of(r, value), __VA_ARGS__)

static size_t column_of(const records *r, const json_value *value)
{
    const jsonl *const s = r->own;

    return json_column(&s->item, value->raw.bytes) -
           (value->kind == JSON_STRING ? 1 : 0);
}

static kedge_status complain_kind(const records *r, span name,
                                  const json_value *value,
                                  const char *expected, kedge_error *err)
{
    return complain_of(r, value, err, "the field \"%s\" is %s: expected %s",
                       span_show(name).text, json_kind_text(value->kind),
                       expected);
}

/* The record has nothing of what was wanted: it says which it has. */
static kedge_status complain_missing(const records *r, const choice *c,
                                     const char *what, kedge_error *err)
{
    const jsonl *const s = r->own;
    char has[SHOWN_NAMES * (sizeof(shown) + 12) + 40] = "", names[200] = "";
    size_t count = 0, at = 0;
    json_value name, value;
    json j;

    json_open(&j, span_of(s->item.begin,
                          (size_t)(s->item.end - s->item.begin)));
    json_enter(&j, '{');
    while (json_member(&j, &name, &value))
        if (count++ < SHOWN_NAMES)
            at += (size_t)snprintf(has + at, sizeof has - at, "%s\"%s\"%s",
                                   at > 0 ? ", " : "", span_show(name.raw).text,
                                   value.kind == JSON_NULL ? " (null)" : "");
    if (count > SHOWN_NAMES)
        snprintf(has + at, sizeof has - at, " and %zu more",
                 count - SHOWN_NAMES);
    at = 0;
    for (size_t i = 0; i < c->count && i < 4; i++)
        at += (size_t)snprintf(names + at, sizeof names - at, "%s\"%s\"",
                               i == 0                          ? ""
                               : i + 1 == c->count || i == 3 ? " or "
                                                               : ", ",
                               span_show(s->field[c->first + i].at[0].name)
                                   .text);
    return malformed(r, err,
                     "the record has %s: expected the %s as %s",
                     count == 0 ? "no fields" : has, what, names);
}

/* ---- finding ------------------------------------------------------------- */

static inline void note(field *f, const json_value *name,
                        const json_value *value)
{
    for (size_t i = 0; i < f->count; i++)
        if (name->escaped ? json_says(name, f->at[i].name)
                          : span_equal(name->raw, f->at[i].name)) {
            f->at[i].found = true;
            f->at[i].value = *value;
        }
}

/* Notes the members that may hold fields; false when something is wrong. */
static bool scan(json *j, field *f, size_t count)
{
    json_value name, value;

    for (size_t k = 0; k < count; k++)
        for (size_t i = 0; i < f[k].count; i++)
            f[k].at[i].found = false;
    if (!json_enter(j, '{'))
        return false;
    while (json_member(j, &name, &value))
        for (size_t k = 0; k < count; k++)
            note(&f[k], &name, &value);
    return !json_wrong(j);
}

/* The value of a field; false when it is missing. */
static bool resolve(const field *f, json_value *out)
{
    const span name = f->at[0].name;

    if (f->at[0].found && f->at[0].value.kind != JSON_NULL) {
        *out = f->at[0].value;
        return true;
    }
    for (size_t i = 1; i < f->count; i++) {
        const size_t passed = f->at[i].name.size + 1;
        field inner;
        json j;
        if (!f->at[i].found || f->at[i].value.kind != JSON_OBJECT)
            continue;
        make_field(&inner, span_of(name.bytes + passed, name.size - passed));
        json_open(&j, f->at[i].value.raw);
        if (scan(&j, &inner, 1) && resolve(&inner, out))
            return true;
    }
    return false;
}

/* The text's parts: all that were asked for, or the first usual one. A text
 * that is null is empty. */
static kedge_status find_text(records *r, kedge_error *err)
{
    static const char expected[] =
        "a string, an array of strings or a bag {\"word\": count}";
    jsonl *const s = r->own;
    const choice *const c = &s->text;
    bool there = false;

    s->parts = 0;
    for (size_t i = c->first; i < c->first + c->count; i++) {
        json_value *const value = &s->part[s->parts];
        const span name = s->field[i].at[0].name;
        there |= s->field[i].at[0].found;
        if (!resolve(&s->field[i], value))
            continue;
        if (value->kind < JSON_STRING)
            return complain_kind(r, name, value, expected, err);
        if (s->parts > 0 && (value->kind == JSON_OBJECT) !=
                                (s->part[0].kind == JSON_OBJECT))
            return complain_kind(r, name, value,
                                 s->part[0].kind == JSON_OBJECT
                                     ? "a bag as before"
                                     : "a string as before",
                                 err);
        s->part_name[s->parts++] = name;
        if (!c->asked)
            break;
    }
    return s->parts > 0 || there ? KEDGE_OK
                                 : complain_missing(r, c, "text", err);
}

/* An id or, where that may be a truth value, a label: *found is false where
 * there is none. A document that lost its id would be another one. */
static kedge_status find_name(const records *r, const choice *c, bool truth,
                              json_value *out, bool *found, kedge_error *err)
{
    const jsonl *const s = r->own;
    json_value other;
    span name = {NULL, 0};

    *found = false;
    for (size_t i = c->first; i < c->first + c->count; i++) {
        if (!resolve(&s->field[i], out))
            continue;
        *found = out->kind == JSON_STRING || out->kind == JSON_NUMBER ||
                 (truth && out->kind < JSON_NUMBER);
        if (*found)
            return KEDGE_OK;
        if (name.bytes == NULL) {
            name = s->field[i].at[0].name;
            other = *out;
        }
    }
    if (name.bytes == NULL || (truth && !c->asked))
        return KEDGE_OK;
    return complain_kind(r, name, &other, "a string or a number", err);
}

/* ---- making -------------------------------------------------------------- */

/* An empty scratch buffer with room for all of a record, so that what is put
 * there stays where it is: for escapes, and for parts that are joined by empty
 * lines; items of an array have two quotes each, to make room for them. */
static kedge_status reserve(jsonl *s, const json_value *id,
                            const json_value *label, kedge_error *err)
{
    size_t size = (id->escaped ? id->raw.size : 0) +
                  (label->escaped ? label->raw.size : 0);

    for (size_t i = 0; i < s->parts; i++)
        if (s->parts > 1 || s->part[i].escaped ||
            s->part[i].kind != JSON_STRING)
            size += s->part[i].raw.size + 2;
    s->scratch_size = 0;
    if (size <= s->scratch_capacity)
        return KEDGE_OK;
    mem_free(s->scratch); /* what it held need not be copied */
    s->scratch = NULL;
    s->scratch_capacity = 0;
    PASS_GROW(s->scratch, s->scratch_capacity, size);
    return KEDGE_OK;
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

static kedge_status append_array(records *r, size_t part, bool *first,
                                 kedge_error *err)
{
    jsonl *const s = r->own;
    json_value string;
    json j;

    json_open(&j, s->part[part].raw);
    json_enter(&j, '[');
    while (json_element(&j, &string)) {
        if (string.kind == JSON_STRING)
            append_piece(s, &string, first);
        else if (string.kind != JSON_NULL)
            return complain_of(r, &string, err,
                               "the field \"%s\" holds %s: expected an array "
                               "of strings",
                               span_show(s->part_name[part]).text,
                               json_kind_text(string.kind));
    }
    return KEDGE_OK;
}

static kedge_status make_text(records *r, record *out, kedge_error *err)
{
    jsonl *const s = r->own;
    const size_t from = s->scratch_size;
    bool first = true;

    if (s->parts == 1 && s->part[0].kind == JSON_STRING) {
        out->text = text_of(s, &s->part[0]);
        return KEDGE_OK;
    }
    for (size_t i = 0; i < s->parts; i++)
        if (s->part[i].kind == JSON_STRING)
            append_piece(s, &s->part[i], &first);
        else
            PASS(append_array(r, i, &first, err));
    if (s->parts > 0)
        out->text = span_of(s->scratch + from, s->scratch_size - from);
    return KEDGE_OK;
}

/* A count, which may be written as "3.0", but is no measurement: "1e2". */
static bool take_count(const json_value *value, uint64_t *count)
{
    const span raw = value->raw;

    return value->kind == JSON_NUMBER && raw.bytes[0] != '-' &&
           memchr(raw.bytes, 'e', raw.size) == NULL &&
           memchr(raw.bytes, 'E', raw.size) == NULL &&
           span_whole(raw, count) && *count <= COUNT_MAX;
}

static kedge_status make_bag(records *r, record *out, kedge_error *err)
{
    jsonl *const s = r->own;
    json_value name, count;
    uint64_t number;
    json j;

    out->kind = RECORD_WORDS;
    records_clear_bag(r);
    for (size_t i = 0; i < s->parts; i++) {
        json_open(&j, s->part[i].raw);
        json_enter(&j, '{');
        while (json_member(&j, &name, &count)) {
            if (count.kind == JSON_NULL)
                continue;
            if (!take_count(&count, &number))
                return complain_of(r, &count, err,
                                   "the count of \"%s\" is %s: expected a "
                                   "whole number from 0 to 2147483647",
                                   span_show(name.raw).text,
                                   count.kind == JSON_NUMBER
                                       ? span_show(count.raw).text
                                       : json_kind_text(count.kind));
            if (number > 0)
                PASS(records_add_word(r, text_of(s, &name), (uint32_t)number,
                                      err));
        }
    }
    return KEDGE_OK;
}

/* The record of an item that was found right. */
static kedge_status make_record(records *r, record *out, kedge_error *err)
{
    jsonl *const s = r->own;
    json_value id = {0}, label = {0};
    bool has_id, has_label;

    PASS(find_name(r, &s->id, false, &id, &has_id, err));
    if (!has_id && s->id.asked)
        return complain_missing(r, &s->id, "id", err);
    PASS(find_name(r, &s->label, true, &label, &has_label, err));
    PASS(find_text(r, err));
    PASS(reserve(s, &id, &label, err));
    if (has_id)
        out->id = text_of(s, &id);
    if (has_label)
        out->label = text_of(s, &label);
    return s->parts > 0 && s->part[0].kind == JSON_OBJECT
               ? make_bag(r, out, err)
               : make_text(r, out, err);
}

/* ---- items --------------------------------------------------------------- */

static bool all_blank(span text)
{
    size_t i = 0;

    while (i < text.size && is_space(text.bytes[i]))
        i++;
    return i == text.size;
}

/* What the source begins with; UNKNOWN where that does not decide. *like: it
 * looks like records. */
static layout layout_of(span text, bool *like)
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
    *like = first == '{' ||
            (first == '[' && p < end && (*p == '{' || *p == ']'));
    if (p == end && (first == '[' || first == '{'))
        return UNKNOWN;
    if (first == '[' && *like)
        return IN_ARRAY;
    return first == '{' && *p == '\n' ? SPREAD : A_LINE;
}

/* Looks at no more bytes than it takes. */
static kedge_status find_layout(lines *in, layout *out, bool *like,
                                kedge_error *err)
{
    span text;

    *like = false;
    for (size_t size = 1;; size *= 2) {
        PASS(lines_look(in, size, &text, err));
        *out = text.size == 0 ? A_LINE : layout_of(text, like);
        if (*out != UNKNOWN)
            return KEDGE_OK;
        if (text.size < size || size >= BLANKS_MOST)
            break;
    }
    *out = A_LINE;
    return KEDGE_OK;
}

static kedge_status jsonl_recognise(lines *in, const record_opts *opts,
                                    bool *yes, kedge_error *err)
{
    layout found;

    (void)opts;
    return find_layout(in, &found, yes, err);
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
static kedge_status next_element(records *r, span *element, bool *more,
                                 bool *none, kedge_error *err)
{
    jsonl *const s = r->own;
    const bool opening = !s->cut.begun, behind = s->cut.closed;

    s->cut = (cutter){.layout = IN_ARRAY, .begun = !opening,
                      .closed = behind};
    PASS(lines_next_item(r->in, cut, &s->cut, "record", element, more, err));
    r->line = lines_number(r->in);
    if (!*more && (behind || s->unclosed))
        return KEDGE_OK;
    s->unclosed = !*more;
    if (s->unclosed)
        return malformed(r, err,
                         "the array is not closed: expected \"]\"");
    if (behind && !all_blank(*element))
        return malformed(r, err, "text follows the array: expected the end of "
                                 "the file");
    if (s->cut.whole)
        element->size--;
    *none = opening ||
            (all_blank(*element) && (s->cut.closed || !s->cut.whole));
    return KEDGE_OK;
}

/* The next record's bytes; *more is false when there is none. */
static kedge_status next_text(records *r, span *text, bool *more,
                              kedge_error *err)
{
    jsonl *const s = r->own;
    bool none;

    if (s->cut.layout == UNKNOWN)
        PASS(find_layout(r->in, &s->cut.layout, &none, err));
    do {
        if (s->cut.layout == IN_ARRAY) {
            PASS(next_element(r, text, more, &none, err));
            continue;
        }
        if (s->cut.layout == SPREAD) {
            s->cut = (cutter){.layout = SPREAD};
            PASS(lines_next_item(r->in, cut, &s->cut, "record", text, more,
                                 err));
        } else {
            PASS(lines_next(r->in, text, more, err));
        }
        none = all_blank(*text);
    } while (*more && none);
    return KEDGE_OK;
}

static kedge_status jsonl_next(records *r, record *out, bool *more,
                               kedge_error *err)
{
    jsonl *const s = r->own;
    char reason[200];
    const char *p;
    span text;

    PASS(next_text(r, &text, more, err));
    if (!*more)
        return KEDGE_OK;
    *more = false;
    json_open(&s->item, text);
    if (!scan(&s->item, s->field, s->fields) || !json_ended(&s->item)) {
        json_explain(&s->item, reason, sizeof reason);
        return complain_at(r, s->item.at, err, "%s", reason);
    }
    out->line = lines_number(r->in);
    for (p = text.bytes; is_space(*p); p++)
        continue; /* blank lines before the record are none of it */
    r->line = line_of(r, p);
    PASS(make_record(r, out, err));
    *more = true;
    return KEDGE_OK;
}

const record_format format_jsonl = {
    .name = "jsonl",
    .endings = ".jsonl .ndjson",
    .recognise = jsonl_recognise,
    .open = jsonl_open,
    .next = jsonl_next,
    .close = jsonl_close,
};
