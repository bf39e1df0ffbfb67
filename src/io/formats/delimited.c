/* SPDX-License-Identifier: MIT */
/*
 * A row is its line, or, where a quoted cell goes on in the next line, a copy
 * of its lines. It is cut into cells as they stand, at offsets since the copy
 * moves when it grows; the quotes of the few cells that are asked for are then
 * undone.
 */
#include "io/formats/delimited.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>

#include "base/fail.h"
#include "base/mem.h"
#include "io/fields.h"
#include "io/malformed.h"

#define NOWHERE        SIZE_MAX
#define NAME_MAX_KNOWN ((size_t)64) /* bytes of a name, to recognise a header  \
                                     */

static const char *const text_names[] = {"text", "body", "content", "abstract",
                                         NULL};
static const char *const id_names[] = {"id", "_id", NULL};
static const char *const label_names[] = {"label", NULL};

/* Bytes of the row, without the quotes around them. */
typedef struct cell {
    size_t at, size;
    bool doubled; /* it has doubled quotes */
} cell;

typedef struct delimited {
    lines *in; /* NULL: the row is all there is */
    char separator;
    bool quotes;
    bool loose; /* a quote may be a letter like any other, if a row has all its
                   columns then */
    bool goes_on; /* the row is all there is, and not whole */

    span row;
    uint64_t line; /* where it begins */
    char *joined;  /* its bytes, when it has several lines */
    size_t joined_capacity;
    cell *cell;
    size_t cells, cell_capacity; /* all that were counted; those kept */

    size_t columns; /* of every row */
    size_t *text;   /* numbers of columns, from 0 */
    size_t texts, text_capacity;
    size_t id, label; /* likewise, or NOWHERE */
    bool held;        /* the row is still to be given */

    char *value; /* cells with their quotes undone */
    size_t values, value_capacity;
} delimited;

/* As field_show, but columns may well have blanks in their names. */
static shown show(span text)
{
    shown s = span_show(text);

    for (size_t i = 0; i < text.size && s.text[i] != '\0'; i++)
        if (text.bytes[i] == ' ' && s.text[i] == '?')
            s.text[i] = ' ';
    return s;
}

/* ---- rows ---------------------------------------------------------------- */

/* Copies the row, whose line may soon be gone. */
static kedge_status keep_row(delimited *d, kedge_error *err)
{
    const size_t size = d->row.size;
    kedge_status st = KEDGE_OK;

    if (d->row.bytes == d->joined)
        return KEDGE_OK;
    TRY_MEM(mem_grow((void **)&d->joined, &d->joined_capacity, size + 1, 1)
                ? d
                : NULL);
    memcpy(d->joined, d->row.bytes, size);
    d->row.bytes = d->joined;
out:
    return st;
}

static kedge_status wrong_columns(const delimited *d, kedge_error *err)
{
    return malformed_at(d->in, d->line, err,
                        "the row has %zu column%s: %zu, as in the first row, "
                        "%s expected",
                        d->cells, d->cells == 1 ? "" : "s", d->columns,
                        d->columns == 1 ? "was" : "were");
}

/* Whether the next line has all columns, whatever is quoted; or there is none.
 * The row is a copy. */
static kedge_status row_follows(delimited *d, bool *yes, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    size_t count = 1;
    bool more;
    span next;

    TRY(lines_peek(d->in, 0, &next, &more, err));
    for (size_t i = 0; i < next.size; i++)
        count += next.bytes[i] == d->separator;
    *yes = !more || count == d->columns;
out:
    return st;
}

/* Appends the next line to the row; the cell that began at `line` needs it. */
static kedge_status join_line(delimited *d, uint64_t line, kedge_error *err)
{
    const size_t had = d->row.size, most = lines_limit(d->in);
    kedge_status st = KEDGE_OK;
    bool more;
    span next;

    TRY(keep_row(d, err));
    if (d->loose) {
        TRY(row_follows(d, &more, err));
        if (more)
            return wrong_columns(d, err);
    }
    TRY(lines_next(d->in, &next, &more, err));
    if (!more)
        return malformed_at(d->in, line, err,
                            "the quote that opens a cell of column %zu is "
                            "never closed: a closing quote was expected",
                            d->cells + 1);
    if (next.size >= most - had)
        return malformed_at(d->in, line, err,
                            "the quote that opens a cell of column %zu is not "
                            "closed within %zu bytes: a closing quote was "
                            "expected",
                            d->cells + 1, most);
    TRY_MEM(mem_grow((void **)&d->joined, &d->joined_capacity,
                     had + 1 + next.size, 1)
                ? d
                : NULL);
    d->joined[had] = '\n';
    if (next.size > 0)
        memcpy(d->joined + had + 1, next.bytes, next.size);
    d->row = span_of(d->joined, had + 1 + next.size);
out:
    return st;
}

/* The cell that begins with the quote at `at`; `at` is behind its end then.
 * *whole is false when the row is all there is, and ends within the cell. */
static kedge_status quoted_cell(delimited *d, size_t *at, cell *c, bool *whole,
                                kedge_error *err)
{
    const uint64_t line = d->in == NULL ? 1 : lines_number(d->in);
    kedge_status st = KEDGE_OK;
    size_t p = *at + 1;

    *whole = true;
    *c = (cell){.at = p};
    for (;;) {
        const char *const quote =
            p == d->row.size ? NULL
                             : memchr(d->row.bytes + p, '"', d->row.size - p);
        if (quote == NULL) {
            p = d->row.size;
            *whole = d->in != NULL;
            d->goes_on = !*whole;
            if (!*whole)
                return KEDGE_OK;
            TRY(join_line(d, line, err));
            continue;
        }
        p = (size_t)(quote - d->row.bytes) + 1;
        if (p == d->row.size || d->row.bytes[p] != '"')
            break;
        c->doubled = true;
        p++;
    }
    c->size = p - 1 - c->at;
    *at = p;
out:
    return st;
}

static cell plain_cell(const delimited *d, size_t *at)
{
    const size_t left = d->row.size - *at;
    const char *const from = d->row.bytes + *at;
    const char *const end = left == 0 ? NULL : memchr(from, d->separator, left);
    const cell c = {*at, end == NULL ? left : (size_t)(end - from), false};

    *at += c.size;
    return c;
}

/* Keeps one cell more, unless there are too many of them already. */
static kedge_status add_cell(delimited *d, cell c, kedge_error *err)
{
    kedge_status st = KEDGE_OK;

    if (d->cells < DELIMITED_COLUMNS_MAX) {
        TRY_MEM(mem_grow((void **)&d->cell, &d->cell_capacity, d->cells + 1,
                         sizeof *d->cell)
                    ? d
                    : NULL);
        d->cell[d->cells] = c;
    }
    d->cells++;
out:
    return st;
}

/* Cuts the row into cells, and fetches the lines that it goes on in. *whole
 * is false for a row that is all there is and no whole one. */
static kedge_status cut_row(delimited *d, bool *whole, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    size_t at = 0;
    cell c;

    *whole = true;
    d->cells = 0;
    for (;; at++) {
        if (d->quotes && at < d->row.size && d->row.bytes[at] == '"') {
            TRY(quoted_cell(d, &at, &c, whole, err));
            *whole &= at == d->row.size || d->row.bytes[at] == d->separator;
        } else {
            c = plain_cell(d, &at);
        }
        if (!*whole)
            break;
        TRY(add_cell(d, c, err));
        if (at == d->row.size)
            return KEDGE_OK;
    }
    if (d->in == NULL)
        return KEDGE_OK;
    st = malformed(d->in, err,
                   "\"%s\" follows the closing quote of column %zu: %s or the "
                   "end of the line was expected",
                   show(span_of(d->row.bytes + at, d->row.size - at)).text,
                   d->cells + 1,
                   d->separator == ','   ? "a comma"
                   : d->separator == ';' ? "a semicolon"
                   : d->separator == '|' ? "a bar"
                                         : "a tab");
out:
    return st;
}

/* A cell of quotes is what is between them. */
static void strip_quotes(const delimited *d, cell *c)
{
    const char *const bytes = d->row.bytes + c->at;

    bool doubled = false;

    if (c->size < 2 || bytes[0] != '"' || bytes[c->size - 1] != '"')
        return;
    for (size_t i = 1; i + 1 < c->size; i++) {
        if (bytes[i] != '"')
            continue;
        if (++i + 1 == c->size || bytes[i] != '"')
            return; /* that is not one */
        doubled = true;
    }
    *c = (cell){c->at + 1, c->size - 2, doubled};
}

/* Cuts a row where quotes may be letters: they are, unless columns are missing,
 * or the last one is opened by a quote and what follows is no row. */
static kedge_status cut_loosely(delimited *d, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    bool whole, quoted = false, open = false, next = true;
    const size_t most = DELIMITED_COLUMNS_MAX;

    TRY(cut_row(d, &whole, err));
    for (size_t i = 0; i < d->cells && i < most; i++) {
        const cell *const c = &d->cell[i];
        const char *const bytes = d->row.bytes + c->at;
        open = c->size > 0 && bytes[0] == '"' &&
               (c->size == 1 || bytes[c->size - 1] != '"');
        quoted = quoted || (c->size > 0 && bytes[0] == '"');
    }
    if (open && d->cells == d->columns) {
        TRY(keep_row(d, err));
        TRY(row_follows(d, &next, err));
    }
    if ((d->columns > 0 && d->cells != d->columns && quoted) || !next) {
        d->quotes = true;
        st = cut_row(d, &whole, err);
        d->quotes = false;
        TRY(st);
        return KEDGE_OK;
    }
    for (size_t i = 0; i < d->cells && i < most; i++)
        strip_quotes(d, &d->cell[i]);
out:
    return st;
}

/* The next row that is not empty; *more is false when there is none. */
static kedge_status next_row(delimited *d, bool *more, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    bool whole;

    do {
        TRY(lines_next(d->in, &d->row, more, err));
        if (!*more)
            return KEDGE_OK;
    } while (d->row.size == 0);
    d->line = lines_number(d->in);
    TRY(d->loose ? cut_loosely(d, err) : cut_row(d, &whole, err));
    if (d->columns > 0 && d->cells != d->columns)
        return wrong_columns(d, err);
out:
    return st;
}

/* ---- values -------------------------------------------------------------- */

/* Room for so many bytes, the values so far being done with. */
static kedge_status begin_values(delimited *d, size_t room, kedge_error *err)
{
    kedge_status st = KEDGE_OK;

    d->values = 0;
    TRY_MEM(mem_grow((void **)&d->value, &d->value_capacity, room + 1, 1)
                ? d
                : NULL);
out:
    return st;
}

static size_t cell_room(const delimited *d, size_t column)
{
    return column == NOWHERE ? 0 : d->cell[column].size;
}

/* Appends a cell to the values. */
static void copy_cell(delimited *d, const cell *c)
{
    const char *p = d->row.bytes + c->at, *const end = p + c->size;
    char *to = d->value + d->values;

    while (p < end) {
        const char *quote =
            c->doubled ? memchr(p, '"', (size_t)(end - p)) : NULL;
        const char *const stop = quote == NULL ? end : quote + 1;
        memcpy(to, p, (size_t)(stop - p));
        to += stop - p;
        p = stop + (quote != NULL); /* its twin */
    }
    d->values = (size_t)(to - d->value);
    assert(d->values <= d->value_capacity);
}

/* What a cell says. There is room for it. */
static span cell_value(delimited *d, size_t column)
{
    const size_t from = d->values;
    const cell *c;

    if (column == NOWHERE)
        return span_of(NULL, 0);
    c = &d->cell[column];
    if (!c->doubled)
        return span_of(d->row.bytes + c->at, c->size);
    copy_cell(d, c);
    return span_of(d->value + from, d->values - from);
}

static span text_value(delimited *d)
{
    const size_t from = d->values;

    if (d->texts == 1)
        return cell_value(d, d->text[0]);
    for (size_t i = 0; i < d->texts; i++) {
        if (i > 0) { /* an empty line keeps their words apart */
            d->value[d->values++] = '\n';
            d->value[d->values++] = '\n';
        }
        copy_cell(d, &d->cell[d->text[i]]);
    }
    return span_of(d->value + from, d->values - from);
}

static kedge_status give_row(delimited *d, record *out, kedge_error *err)
{
    size_t room = cell_room(d, d->id) + cell_room(d, d->label) + 2 * d->texts;
    kedge_status st = KEDGE_OK;

    for (size_t i = 0; i < d->texts; i++)
        room += cell_room(d, d->text[i]);
    TRY(begin_values(d, room, err));
    out->line = d->line;
    out->id = cell_value(d, d->id);
    out->label = cell_value(d, d->label);
    out->text = text_value(d);
out:
    return st;
}

/* ---- which columns ------------------------------------------------------- */

static kedge_status cell_is(delimited *d, size_t column, span name, bool *yes,
                            kedge_error *err)
{
    kedge_status st = KEDGE_OK;

    TRY(begin_values(d, cell_room(d, column), err));
    *yes = span_equal(cell_value(d, column), name);
out:
    return st;
}

/* The column of this name, or NOWHERE. */
static kedge_status find_name(delimited *d, span name, size_t *column,
                              kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    bool yes;

    *column = NOWHERE;
    for (size_t i = 0; i < d->cells; i++) {
        TRY(cell_is(d, i, name, &yes, err));
        if (yes && *column != NOWHERE)
            return malformed_at(d->in, d->line, err,
                                "the header has two columns \"%s\": one was "
                                "expected, or its number",
                                show(name).text);
        if (yes)
            *column = i;
    }
out:
    return st;
}

/* The first column that has one of the usual names, or NOWHERE. */
static kedge_status find_usual(delimited *d, const char *const *names,
                               size_t *column, kedge_error *err)
{
    kedge_status st = KEDGE_OK;

    *column = NOWHERE;
    for (; *names != NULL && *column == NOWHERE; names++)
        TRY(find_name(d, span_text(*names), column, err));
out:
    return st;
}

/* The names of the first columns, for people. */
static void show_header(const delimited *d, char *to, size_t room)
{
    size_t n = 0;

    to[0] = '\0';
    for (size_t i = 0; i < d->cells && n + sizeof(shown) + 8 < room; i++) {
        const cell *c = &d->cell[i];
        n +=
            (size_t)snprintf(to + n, room - n, "%s%s", i > 0 ? ", " : "",
                             show(span_of(d->row.bytes + c->at, c->size)).text);
    }
}

/* Names that columns of text have, for advice. */
static const char *const likely_names[] = {
    "title",   "selftext", "headline", "summary", "description", "message",
    "comment", "review",   "post",     "tweet",   "article",     "question",
    "answer",  NULL};

/* "title,selftext", those of the header that may well be text; or else what
 * stands for names. */
static kedge_status show_likely(delimited *d, char to[200], kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    size_t n = 0;
    bool yes;

    for (size_t k = 0; likely_names[k] != NULL; k++)
        for (size_t i = 0; i < d->cells && n < 150; i++) {
            TRY(cell_is(d, i, span_text(likely_names[k]), &yes, err));
            if (yes)
                n += (size_t)snprintf(to + n, 200 - n, "%s%s",
                                      n > 0 ? "," : "", likely_names[k]);
        }
    if (n == 0)
        snprintf(to, 200, "NAME,...");
out:
    return st;
}

static kedge_status no_text_column(delimited *d, const char *asked,
                                   kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    char header[200], likely[200], wanted[100];

    show_header(d, header, sizeof header);
    TRY(show_likely(d, likely, err));
    snprintf(wanted, sizeof wanted, "of %.80s",
             asked != NULL ? asked : "text, body, content, abstract");
    return malformed_at(d->in, d->line, err,
                        "no column is called one %s: the columns are %s; "
                        "--text-field %s says which have the text",
                        wanted, header, likely);
out:
    return st;
}

static kedge_status no_such_column(const delimited *d, const char *wanted,
                                   kedge_error *err)
{
    char header[200];

    show_header(d, header, sizeof header);
    return malformed_at(d->in, d->line, err,
                        "the header (%s) has no column %s: the name of one of "
                        "its columns, or its number, was expected",
                        header, wanted);
}

/* A column by its name or its number, or NOWHERE. */
static kedge_status look_up_column(delimited *d, span name, size_t *column,
                                   kedge_error *err)
{
    const field f = {name.bytes, name.size};
    uint64_t number;

    if (!field_number(&f, &number))
        return find_name(d, name, column, err);
    *column = number >= 1 && number <= d->cells ? (size_t)number - 1 : NOWHERE;
    return KEDGE_OK;
}

/* The same, of one that has to be there. */
static kedge_status find_column(delimited *d, span name, size_t *column,
                                kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    char wanted[sizeof(shown) + 2];

    TRY(look_up_column(d, name, column, err));
    if (*column == NOWHERE) {
        snprintf(wanted, sizeof wanted, "\"%s\"", show(name).text);
        return no_such_column(d, wanted, err);
    }
out:
    return st;
}

/* One column of the text more, unless it is nowhere. */
static kedge_status add_text(delimited *d, size_t column, kedge_error *err)
{
    kedge_status st = KEDGE_OK;

    if (column == NOWHERE)
        return KEDGE_OK;
    TRY_MEM(mem_grow((void **)&d->text, &d->text_capacity, d->texts + 1,
                     sizeof *d->text)
                ? d
                : NULL);
    d->text[d->texts++] = column;
out:
    return st;
}

/* The next of the names between commas; false when there is none. */
static bool next_name(const char **option, span *name)
{
    const char *const from = *option;

    if (from == NULL)
        return false;
    *name = span_of(from, strcspn(from, ","));
    *option = from[name->size] == ',' ? from + name->size + 1 : NULL;
    return true;
}

/* Whether an option needs no header. */
static bool is_numbers(const char *option)
{
    uint64_t number;
    span name;

    while (next_name(&option, &name)) {
        const field f = {name.bytes, name.size};
        if (!field_number(&f, &number) && !record_field_none(option))
            return false;
    }
    return true;
}

/* Of the columns that are asked for, those that are there; of the usual ones,
 * the first. */
static kedge_status choose_text(delimited *d, const char *option,
                                kedge_error *err)
{
    const char *const asked = option;
    kedge_status st = KEDGE_OK;
    size_t column;
    span name;

    while (next_name(&option, &name)) {
        TRY(look_up_column(d, name, &column, err));
        TRY(add_text(d, column, err));
    }
    if (asked == NULL) {
        TRY(find_usual(d, text_names, &column, err));
        TRY(add_text(d, column, err));
    }
    if (d->texts == 0)
        TRY(no_text_column(d, asked, err));
out:
    return st;
}

/* Id or label: what is not asked for need not be there. */
static kedge_status choose_name(delimited *d, const char *option, bool header,
                                const char *const *usual, size_t *column,
                                kedge_error *err)
{
    *column = NOWHERE;
    if (record_field_none(option))
        return KEDGE_OK;
    if (option != NULL)
        return find_column(d, span_text(option), column, err);
    return header ? find_usual(d, usual, column, err) : KEDGE_OK;
}

/* Whether the first row has the names of the columns. */
static kedge_status is_header(delimited *d, const record_opts *opts, bool *yes,
                              kedge_error *err)
{
    const char *option = opts->text_field;
    kedge_status st = KEDGE_OK;
    size_t column;
    span first;

    *yes = true;
    if (option == NULL || !is_numbers(option) || !is_numbers(opts->id_field) ||
        !is_numbers(opts->label_field))
        return KEDGE_OK;
    (void)next_name(&option, &first);
    TRY(look_up_column(d, first, &column, err));
    *yes = column == NOWHERE;
    if (*yes) /* whatever it is, choose_text tells */
        return KEDGE_OK;
    for (size_t i = 0; text_names[i] != NULL && !*yes; i++)
        TRY(cell_is(d, column, span_text(text_names[i]), yes, err));
out:
    return st;
}

/* ---- the face ------------------------------------------------------------ */

static void delimited_clear(delimited *d)
{
    mem_free(d->joined);
    mem_free(d->cell);
    mem_free(d->text);
    mem_free(d->value);
}

static void delimited_close(void *state)
{
    if (state == NULL)
        return;
    delimited_clear(state);
    mem_free(state);
}

/* The first row, and what it says about the columns. Without one there are no
 * documents, and no columns are missed. */
static kedge_status begin(delimited *d, const record_opts *opts,
                          kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    bool more, header;

    TRY(next_row(d, &more, err));
    if (!more)
        return KEDGE_OK;
    if (d->cells > DELIMITED_COLUMNS_MAX)
        return malformed_at(d->in, d->line, err,
                            "the row has %zu columns: at most %zu were "
                            "expected",
                            d->cells, DELIMITED_COLUMNS_MAX);
    d->columns = d->cells;
    TRY(is_header(d, opts, &header, err));
    TRY(choose_text(d, opts->text_field, err));
    TRY(choose_name(d, opts->id_field, header, id_names, &d->id, err));
    TRY(choose_name(d, opts->label_field, header, label_names, &d->label, err));
    d->held = !header;
    if (d->held)
        TRY(keep_row(d, err));
out:
    return st;
}

static kedge_status open_table(lines *in, const record_opts *opts,
                               char separator, bool quotes, void **state,
                               kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    delimited *d = NULL;

    *state = NULL;
    TRY_MEM(d = mem_new(1, sizeof *d));
    d->in = in;
    d->separator = separator;
    d->quotes = quotes;
    d->loose = !quotes;
    TRY(begin(d, opts, err));
    *state = d;
    d = NULL;
out:
    delimited_close(d);
    return st;
}

/* ---- which separator ----------------------------------------------------- */

/* Whether the row, which is all there is, has a column of an option. *named:
 * one by its name. */
static kedge_status has_columns(delimited *d, const char *option, bool *yes,
                                bool *named, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    uint64_t number;
    bool same;
    span name;

    *yes = false;
    while (next_name(&option, &name)) {
        const field f = {name.bytes, name.size};
        if (field_number(&f, &number)) {
            *yes = *yes || (number >= 1 && number <= d->cells);
            continue;
        }
        for (size_t i = 0; i < d->cells; i++) {
            TRY(cell_is(d, i, name, &same, err));
            *named = *named || same;
        }
        *yes = *yes || *named;
    }
out:
    return st;
}

/* Whether it has the text that is asked for, or a usual one. */
static kedge_status has_text(delimited *d, const record_opts *opts, bool *yes,
                            bool *named, kedge_error *err)
{
    kedge_status st = KEDGE_OK;

    *named = *yes = false;
    if (opts->text_field != NULL)
        TRY(has_columns(d, opts->text_field, yes, named, err));
    else
        for (size_t i = 0; text_names[i] != NULL && !*yes; i++)
            TRY(has_columns(d, text_names[i], yes, named, err));
out:
    return st;
}

/* Whether the names of a header are such as columns have: short, all different,
 * none empty but the first, which is how tables with numbered rows begin. */
static kedge_status are_names(delimited *d, bool *yes, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    bool same;

    *yes = false;
    for (size_t i = 0; i < d->cells; i++) {
        const cell *const c = &d->cell[i];
        const span name = span_of(d->row.bytes + c->at, c->size);
        if ((name.size == 0 && i > 0) || name.size > NAME_MAX_KNOWN ||
            c->doubled)
            return KEDGE_OK;
        for (size_t j = 0; j < i; j++) {
            TRY(cell_is(d, j, name, &same, err));
            if (same)
                return KEDGE_OK;
        }
    }
    *yes = true;
out:
    return st;
}

/* The next line as a row. *fits: it has the columns of the text, or cannot be
 * cut since it goes on in the next line; *header: it is sure to be the header
 * of a table. */
static kedge_status try_separator(lines *in, const record_opts *opts,
                                  char separator, bool quotes, bool *fits,
                                  bool *header, size_t *columns,
                                  kedge_error *err)
{
    const size_t most = 256; /* columns: names are compared in pairs */
    delimited d = {.separator = separator, .quotes = quotes};
    kedge_status st = KEDGE_OK;
    bool more, whole, named;

    *fits = *header = false;
    *columns = 0;
    TRY(lines_peek(in, 0, &d.row, &more, err));
    if (!more || d.row.size == 0)
        goto out;
    TRY(cut_row(&d, &whole, err));
    *fits = d.goes_on;
    *columns = whole ? d.cells : 0;
    if (!whole || d.cells > DELIMITED_COLUMNS_MAX)
        goto out;
    TRY(has_text(&d, opts, fits, &named, err));
    if (!*fits || !named)
        goto out;
    *header = opts->text_field != NULL;
    if (!*header && d.cells >= 2 && d.cells <= most)
        TRY(are_names(&d, header, err));
out:
    delimited_clear(&d);
    return st;
}

/* How columns end in a table with quotes. */
static const char separators[] = ",;\t|";

static kedge_status csv_open(lines *in, const record_opts *opts, void **state,
                             kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    char separator = separators[0];
    bool fits = false, header, more = true;
    size_t columns, most = 0;
    span line;

    for (;;) { /* empty lines before the first row */
        TRY(lines_peek(in, 0, &line, &more, err));
        if (!more || line.size > 0)
            break;
        TRY(lines_next(in, &line, &more, err));
    }
    /* Where none fits, by most columns: they are told. */
    for (const char *s = separators; *s != '\0' && !fits; s++) {
        TRY(try_separator(in, opts, *s, true, &fits, &header, &columns, err));
        if (fits || columns > most) {
            separator = *s;
            most = columns;
        }
    }
    st = open_table(in, opts, separator, true, state, err);
out:
    return st;
}

static kedge_status tsv_open(lines *in, const record_opts *opts, void **state,
                             kedge_error *err)
{
    return open_table(in, opts, '\t', false, state, err);
}

static kedge_status delimited_next(void *state, record *out, bool *more,
                                   kedge_error *err)
{
    delimited *d = state;
    kedge_status st = KEDGE_OK;

    *out = (record){.kind = RECORD_TEXT};
    *more = d->held;
    if (!d->held)
        TRY(next_row(d, more, err));
    d->held = false;
    if (*more)
        TRY(give_row(d, out, err));
out:
    return st;
}

static kedge_status csv_recognise(lines *in, const record_opts *opts, bool *yes,
                                  kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    size_t columns;
    bool fits;

    *yes = false;
    for (const char *s = separators; *s != '\0' && !*yes; s++)
        TRY(try_separator(in, opts, *s, true, &fits, yes, &columns, err));
out:
    return st;
}

static kedge_status tsv_recognise(lines *in, const record_opts *opts, bool *yes,
                                  kedge_error *err)
{
    size_t columns;
    bool fits;

    return try_separator(in, opts, '\t', false, &fits, yes, &columns, err);
}

uint64_t delimited_memusage(size_t limit)
{
    const uint64_t row = limit;

    /* What grows lies beside what it was: the joined row, then the values,
     * which can be more than a row by a byte a column, between texts, and so
     * take the next capacity. */
    return sizeof(delimited) + row * 7 / 4 + row * 5 / 2 +
           DELIMITED_COLUMNS_MAX * (sizeof(cell) * 7 / 4 + 3);
}

const record_format format_csv = {
    .name = "csv",
    .recognise = csv_recognise,
    .open = csv_open,
    .next = delimited_next,
    .close = delimited_close,
};

const record_format format_tsv = {
    .name = "tsv",
    .recognise = tsv_recognise,
    .open = tsv_open,
    .next = delimited_next,
    .close = delimited_close,
};
