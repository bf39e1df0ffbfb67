/* SPDX-License-Identifier: MIT */
/*
 * Tables: a document a row, text, id and label in columns.
 *
 * "csv": columns end at commas, or at semicolons, tabs or bars: the first of
 * these by which the first row has the columns of the text. A cell that begins
 * with a quote ends with one, in between commas and line ends are part of it
 * and a doubled quote stands for one (RFC 4180). In other cells a quote is a
 * character like any other. A row has as many bytes as a line may at most; a CR
 * before LF is left out everywhere.
 *
 * "tsv": columns end at tabs, quotes mean nothing.
 *
 * The first row is a header with the columns' names. record_opts say which
 * columns are taken, by name or by number from 1 (a field of digits alone is a
 * number, whatever the columns are called):
 *
 *   text   one column, or several with commas between, "title,abstract", which
 *          are joined by line ends. By default the first of "text", "body",
 *          "content", "abstract" that there is
 *   id     by default "id" or "_id", if there is one
 *   label  by default "label", if there is one; "none" for one of the last two:
 *          there is none
 *
 * Where the text is given by numbers, and id and label by numbers or not at
 * all, nobody needs names: the first row is then a document like the others,
 * unless a cell says so, in any case of letters: one that is called as ids or
 * labels usually are, or one of the text's that is called as texts often are.
 * Where the cells of the text have no blanks, the row may be a header all the
 * same: that is remarked.
 *
 * All rows must have as many columns as the first one. Empty lines between rows
 * are passed over. A quote that is never closed makes one malformed row of all
 * that follows it, up to the limit.
 *
 * A table is recognised by a header that has the columns asked for as the text,
 * one by its name; or, where none is asked for, by one of two columns or more,
 * with names of at most 64 bytes, all different, of which one is a usual name
 * of the text.
 *
 * A row is its line, or, where a quoted cell goes on in the next line, a copy
 * of its lines. It is cut into cells as they stand, at offsets since the copy
 * moves when it grows; the quotes of the few cells that are asked for are then
 * undone.
 */
#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <strings.h>

#include "base/fail.h"
#include "base/mem.h"
#include "io/format.h"

#define COLUMNS_MAX ((size_t)65536)
#define NOWHERE     SIZE_MAX
#define NAME_MOST   ((size_t)64) /* bytes of a name, to recognise a header, */
#define NAMES_MOST  ((size_t)256) /* and names, which are compared in pairs */

static const char *const id_names[] = {"id", "_id", NULL};

/* How columns end in a table with quotes. */
static const char separators[] = ",;\t|";

/* Bytes of the row, without the quotes around them. */
typedef struct cell {
    size_t at, size;
    bool doubled; /* it has doubled quotes */
} cell;

typedef struct delimited {
    records *r; /* NULL: the row is all there is */
    char separator;
    bool quotes;  /* cells may have them; or else, but only where a row has not
                     all its columns otherwise, a quote being a letter */
    bool goes_on; /* the row is all there is, and not whole */

    span row;
    char *joined; /* its bytes, when it has several lines */
    size_t joined_capacity;
    cell *cell;
    size_t cells, cell_capacity; /* all that were counted; those kept */

    size_t columns; /* of every row */
    size_t *text;   /* numbers of columns, from 0 */
    size_t texts, text_capacity;
    size_t id, label; /* numbers too, or NOWHERE */
    bool held;        /* the row is still to be given */

    char *value; /* cells with their quotes undone */
    size_t values, value_capacity;
} delimited;

/* As span_show, but columns may well have blanks in their names. */
static shown show(span text)
{
    shown s = span_show(text);

    for (size_t i = 0; i < text.size && s.text[i] != '\0'; i++)
        if (text.bytes[i] == ' ' && s.text[i] == '?')
            s.text[i] = ' ';
    return s;
}

static span cell_bytes(const delimited *d, size_t column)
{
    return span_of(d->row.bytes + d->cell[column].at, d->cell[column].size);
}

/* ---- rows ---------------------------------------------------------------- */

/* Copies the row, whose line may soon be gone. */
static kedge_status keep_row(delimited *d, kedge_error *err)
{
    const size_t size = d->row.size;

    if (d->row.bytes == d->joined)
        return KEDGE_OK;
    PASS_GROW(d->joined, d->joined_capacity, size + 1);
    memcpy(d->joined, d->row.bytes, size);
    d->row.bytes = d->joined;
    return KEDGE_OK;
}

static kedge_status wrong_columns(const delimited *d, kedge_error *err)
{
    return malformed(d->r, err,
                     "the row has %zu column%s: expected %zu, as in the "
                     "first row",
                     d->cells, d->cells == 1 ? "" : "s", d->columns);
}

/* Whether the next line has all columns, whatever is quoted; or there is none.
 * The row is a copy. */
static kedge_status row_follows(delimited *d, bool *yes, kedge_error *err)
{
    size_t count = 1;
    bool more;
    span next;

    PASS(lines_peek(d->r->in, &next, &more, err));
    for (size_t i = 0; i < next.size; i++)
        count += next.bytes[i] == d->separator;
    *yes = !more || count == d->columns;
    return KEDGE_OK;
}

/* Appends the next line to the row; the cell that began at `line` needs it. */
static kedge_status join_line(delimited *d, uint64_t line, kedge_error *err)
{
    lines *const in = d->r->in;
    const size_t had = d->row.size, most = lines_limit(in);
    bool more;
    span next;

    PASS(keep_row(d, err));
    if (!d->quotes) {
        PASS(row_follows(d, &more, err));
        if (more)
            return wrong_columns(d, err);
    }
    PASS(lines_next(in, &next, &more, err));
    if (!more)
        return malformed_at(d->r->name, line, err,
                            "the quote that opens a cell of column %zu is "
                            "never closed and swallows the rest of the file "
                            "(lines: %llu)",
                            d->cells + 1,
                            (unsigned long long)(lines_number(in) - line));
    if (next.size >= most - had)
        return malformed_at(d->r->name, line, err,
                            "the quote that opens a cell of column %zu is not "
                            "closed within %zu bytes",
                            d->cells + 1, most);
    PASS_GROW(d->joined, d->joined_capacity, had + 1 + next.size);
    d->joined[had] = '\n';
    if (next.size > 0)
        memcpy(d->joined + had + 1, next.bytes, next.size);
    d->row = span_of(d->joined, had + 1 + next.size);
    return KEDGE_OK;
}

/* The cell that begins with the quote at `at`; `at` is behind its end then.
 * *whole is false when the row is all there is, and ends within the cell. */
static kedge_status quoted_cell(delimited *d, size_t *at, cell *c, bool *whole,
                                kedge_error *err)
{
    const uint64_t line = d->r == NULL ? 1 : lines_number(d->r->in);
    size_t p = *at + 1;

    *c = (cell){.at = p};
    for (;;) {
        const char *const quote =
            p == d->row.size ? NULL
                             : memchr(d->row.bytes + p, '"', d->row.size - p);
        if (quote == NULL && d->r == NULL) {
            d->goes_on = true;
            *whole = false;
            return KEDGE_OK;
        }
        if (quote == NULL) {
            p = d->row.size;
            PASS(join_line(d, line, err));
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
    *whole = p == d->row.size || d->row.bytes[p] == d->separator;
    return KEDGE_OK;
}

/* Cuts the row into cells, and fetches the lines that it goes on in; of more
 * than COLUMNS_MAX they are counted, not kept. *whole is false for a row that
 * is all there is and no whole one. */
static kedge_status cut_row(delimited *d, bool quotes, bool *whole,
                            kedge_error *err)
{
    size_t at = 0;

    *whole = true;
    d->cells = 0;
    for (;; at++) {
        const size_t left = d->row.size - at;
        cell c = {at, left, false};
        if (quotes && left > 0 && d->row.bytes[at] == '"') {
            PASS(quoted_cell(d, &at, &c, whole, err));
        } else {
            const char *const from = d->row.bytes + at;
            const char *const end =
                left == 0 ? NULL : memchr(from, d->separator, left);
            if (end != NULL)
                c.size = (size_t)(end - from);
            at += c.size;
        }
        if (!*whole)
            break;
        if (d->cells < COLUMNS_MAX) {
            PASS_GROW(d->cell, d->cell_capacity, d->cells + 1);
            d->cell[d->cells] = c;
        }
        d->cells++;
        if (at == d->row.size)
            return KEDGE_OK;
    }
    if (d->r == NULL)
        return KEDGE_OK;
    return malformed_at(d->r->name, lines_number(d->r->in), err,
                        "\"%s\" follows the closing quote of column %zu: "
                        "expected %s or the end of the line",
                        show(span_of(d->row.bytes + at, d->row.size - at)).text,
                        d->cells + 1,
                        d->separator == ','   ? "a comma"
                        : d->separator == ';' ? "a semicolon"
                        : d->separator == '|' ? "a bar"
                                              : "a tab");
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

/* Cuts a row where a quote may be a letter like any other. It is one unless the
 * row then lacks columns; or its last cell opens with a quote, and the next
 * line is no row by itself. */
static kedge_status cut_loosely(delimited *d, kedge_error *err)
{
    bool whole, quoted = false, open = false, next = true;

    PASS(cut_row(d, false, &whole, err));
    const size_t kept = d->cells < COLUMNS_MAX ? d->cells : COLUMNS_MAX;
    for (size_t i = 0; i < kept; i++) {
        const span c = cell_bytes(d, i);
        const bool opens = c.size > 0 && c.bytes[0] == '"';
        open = opens && (c.size == 1 || c.bytes[c.size - 1] != '"');
        quoted |= opens;
    }
    if (open && d->cells == d->columns) {
        PASS(keep_row(d, err));
        PASS(row_follows(d, &next, err));
    }
    if ((d->columns > 0 && d->cells != d->columns && quoted) || !next)
        return cut_row(d, true, &whole, err);
    for (size_t i = 0; i < kept; i++)
        strip_quotes(d, &d->cell[i]);
    return KEDGE_OK;
}

/* The next row that is not empty; *more is false when there is none. */
static kedge_status next_row(delimited *d, bool *more, kedge_error *err)
{
    bool whole;

    do {
        PASS(lines_next(d->r->in, &d->row, more, err));
        if (!*more)
            return KEDGE_OK;
    } while (d->row.size == 0);
    d->r->line = lines_number(d->r->in);
    PASS(d->quotes ? cut_row(d, true, &whole, err) : cut_loosely(d, err));
    if (d->columns > 0 && d->cells != d->columns)
        return wrong_columns(d, err);
    return KEDGE_OK;
}

/* ---- values -------------------------------------------------------------- */

/* Appends a cell to the values, which have room for it. */
static span copy_cell(delimited *d, size_t column)
{
    const bool doubled = d->cell[column].doubled;
    const span c = cell_bytes(d, column);
    const char *p = c.bytes, *const end = p + c.size;
    char *const from = d->value + d->values;

    while (p < end) {
        const char *quote = doubled ? memchr(p, '"', (size_t)(end - p)) : NULL;
        const char *const stop = quote == NULL ? end : quote + 1;
        memcpy(d->value + d->values, p, (size_t)(stop - p));
        d->values += (size_t)(stop - p);
        p = stop + (quote != NULL); /* its twin */
    }
    assert(d->values <= d->value_capacity);
    return span_of(from, (size_t)(d->value + d->values - from));
}

/* What a cell says. */
static span cell_value(delimited *d, size_t column)
{
    if (column == NOWHERE)
        return span_of(NULL, 0);
    return d->cell[column].doubled ? copy_cell(d, column)
                                   : cell_bytes(d, column);
}

static kedge_status give_row(delimited *d, record *out, kedge_error *err)
{
    size_t room = 2 * d->texts + 1;

    room += d->id == NOWHERE ? 0 : d->cell[d->id].size;
    room += d->label == NOWHERE ? 0 : d->cell[d->label].size;
    for (size_t i = 0; i < d->texts; i++)
        room += d->cell[d->text[i]].size;
    d->values = 0;
    PASS_GROW(d->value, d->value_capacity, room);
    out->line = d->r->line;
    out->id = cell_value(d, d->id);
    out->label = cell_value(d, d->label);
    if (d->texts == 1) {
        out->text = cell_value(d, d->text[0]);
        return KEDGE_OK;
    }
    const size_t from = d->values;
    for (size_t i = 0; i < d->texts; i++) {
        if (i > 0) { /* an empty line keeps their words apart */
            d->value[d->values++] = '\n';
            d->value[d->values++] = '\n';
        }
        copy_cell(d, d->text[i]);
    }
    out->text = span_of(d->value + from, d->values - from);
    return KEDGE_OK;
}

/* ---- which columns ------------------------------------------------------- */

static bool cell_is(const delimited *d, size_t column, span name)
{
    const span c = cell_bytes(d, column);
    size_t p = 0;

    for (size_t i = 0; i < name.size; i++, p++) {
        if (p >= c.size || c.bytes[p] != name.bytes[i])
            return false;
        p += d->cell[column].doubled && c.bytes[p] == '"'; /* its twin */
    }
    return p == c.size;
}

/* The column of this name, or NOWHERE. */
static kedge_status find_name(const delimited *d, span name, size_t *column,
                              kedge_error *err)
{
    *column = NOWHERE;
    for (size_t i = 0; i < d->cells; i++) {
        if (!cell_is(d, i, name))
            continue;
        if (*column != NOWHERE)
            return malformed(d->r, err,
                             "the header has two columns \"%s\": name it by "
                             "its number",
                             show(name).text);
        *column = i;
    }
    return KEDGE_OK;
}

/* The first column that has one of the usual names, or NOWHERE. */
static kedge_status find_usual(const delimited *d, const char *const *names,
                               size_t *column, kedge_error *err)
{
    *column = NOWHERE;
    for (; *names != NULL && *column == NOWHERE; names++)
        PASS(find_name(d, span_text(*names), column, err));
    return KEDGE_OK;
}

/* The names of the first columns, for people. */
static void show_header(const delimited *d, char *to, size_t room)
{
    size_t n = 0;

    to[0] = '\0';
    for (size_t i = 0; i < d->cells && n + sizeof(shown) + 8 < room; i++)
        n += (size_t)snprintf(to + n, room - n, "%s%s", i > 0 ? ", " : "",
                              show(cell_bytes(d, i)).text);
}

/* What columns of texts are often called. */
static const char *const likely_names[] = {
    "title",   "selftext", "headline", "summary", "description",
    "message", "comment",  "review",   "post",    "tweet",
    "article", "question", "answer",   NULL};

/* Says which of the columns may well be text: "title,selftext", or else what
 * stands for names. */
static kedge_status no_text_column(const delimited *d, const char *asked,
                                   kedge_error *err)
{
    char header[200], likely[200] = "NAME,...", wanted[100];
    size_t n = 0;

    show_header(d, header, sizeof header);
    for (const char *const *name = likely_names; *name != NULL; name++)
        for (size_t i = 0; i < d->cells && n < 150; i++)
            if (cell_is(d, i, span_text(*name)))
                n += (size_t)snprintf(likely + n, sizeof likely - n, "%s%s",
                                      n > 0 ? "," : "", *name);
    snprintf(wanted, sizeof wanted, "%.80s",
             asked != NULL ? asked : "text, body, content or abstract");
    return malformed(d->r, err,
                     "no column is called %s: the columns are %s; name one "
                     "with --text-field %s",
                     wanted, header, likely);
}

/* A column by its name or its number, or NOWHERE. */
static kedge_status find_column(const delimited *d, span name, size_t *column,
                                kedge_error *err)
{
    uint64_t number;

    if (!span_number(name, &number))
        return find_name(d, name, column, err);
    *column = number >= 1 && number <= d->cells ? (size_t)number - 1 : NOWHERE;
    return KEDGE_OK;
}

/* One column of the text more, unless it is nowhere. */
static kedge_status add_text(delimited *d, size_t column, kedge_error *err)
{
    if (column == NOWHERE)
        return KEDGE_OK;
    PASS_GROW(d->text, d->text_capacity, d->texts + 1);
    d->text[d->texts++] = column;
    return KEDGE_OK;
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

    while (next_name(&option, &name))
        if (!span_number(name, &number))
            return false;
    return true;
}

/* A file need not have all that are asked for, but whoever misspelt one, or got
 * other files than before, has to know. */
static void remark_missing(const delimited *d, span name)
{
    records *const r = d->r;
    char names[200];

    if (r->remark[0] != '\0')
        return;
    show_header(d, names, sizeof names);
    snprintf(r->remark, sizeof r->remark,
             "%.80s: there is no column \"%s\"; the columns are %s", r->name,
             show(name).text, names);
}

/* Of the columns that are asked for, those that are there; of the usual ones,
 * the first. */
static kedge_status choose_text(delimited *d, const char *asked,
                                kedge_error *err)
{
    const char *option = asked;
    size_t column;
    span name;

    while (next_name(&option, &name)) {
        PASS(find_column(d, name, &column, err));
        PASS(add_text(d, column, err));
        if (column == NOWHERE)
            remark_missing(d, name);
    }
    if (asked == NULL) {
        PASS(find_usual(d, usual_text, &column, err));
        PASS(add_text(d, column, err));
    }
    if (d->texts == 0)
        return no_text_column(d, asked, err);
    return KEDGE_OK;
}

/* Id or label: what is not asked for need not be there. */
static kedge_status choose_name(delimited *d, const char *option, bool header,
                                const char *const *usual, size_t *column,
                                kedge_error *err)
{
    char names[200];

    *column = NOWHERE;
    if (record_field_none(option) || (option == NULL && !header))
        return KEDGE_OK;
    if (option == NULL)
        return find_usual(d, usual, column, err);
    PASS(find_column(d, span_text(option), column, err));
    if (*column != NOWHERE)
        return KEDGE_OK;
    show_header(d, names, sizeof names);
    return malformed(d->r, err,
                     "the header (%s) has no column \"%s\": expected one of "
                     "its names, or a number",
                     names, show(span_text(option)).text);
}

/* Whether a cell, in any case of letters, is one of the names. */
static bool is_one_of(const delimited *d, size_t column,
                      const char *const *names)
{
    const span c = cell_bytes(d, column);

    for (; *names != NULL; names++)
        if (c.size == strlen(*names) &&
            strncasecmp(c.bytes, *names, c.size) == 0)
            return true;
    return false;
}

static bool names_columns(const delimited *d)
{
    bool yes = false;

    for (size_t i = 0; i < d->texts && !yes; i++)
        yes = is_one_of(d, d->text[i], usual_text) ||
              is_one_of(d, d->text[i], likely_names);
    for (size_t i = 0; i < d->cells && !yes; i++)
        yes = is_one_of(d, i, id_names) || is_one_of(d, i, usual_label);
    return yes;
}

/* Whether the first row, whose columns of the text are known, has names. */
static bool is_header(const delimited *d)
{
    const record_opts *const o = &d->r->opts;

    return o->text_field == NULL || !is_numbers(o->text_field) ||
           !is_numbers(o->id_field) || !is_numbers(o->label_field) ||
           names_columns(d);
}

/* Who gives columns by their numbers may have a header all the same. */
static void remark_header(const delimited *d)
{
    records *const r = d->r;
    char names[160];
    size_t n = 0;

    for (size_t i = 0; i < d->texts; i++) {
        const span c = cell_bytes(d, d->text[i]);
        if (c.size == 0 || memchr(c.bytes, ' ', c.size) != NULL ||
            n + sizeof(shown) + 2 > sizeof names)
            return;
        n += (size_t)snprintf(names + n, sizeof names - n, "%s%s",
                              i > 0 ? "," : "", show(c).text);
    }
    if (r->remark[0] == '\0')
        snprintf(r->remark, sizeof r->remark,
                 "%.80s: the first row is read as a document, since the "
                 "columns are given by numbers; if it is a header, name them: "
                 "--text-field %s", r->name, names);
}

/* ---- which separator ----------------------------------------------------- */

/* Whether the row has a column of an option. *named: one by its name. */
static bool has_columns(const delimited *d, const char *option, bool *named)
{
    bool yes = false;
    uint64_t number;
    span name;

    while (next_name(&option, &name)) {
        if (span_number(name, &number)) {
            yes |= number >= 1 && number <= d->cells;
            continue;
        }
        for (size_t i = 0; i < d->cells; i++)
            *named |= cell_is(d, i, name);
        yes |= *named;
    }
    return yes;
}

/* Whether it has the text that is asked for, or a usual one. */
static bool has_text(const delimited *d, const char *asked, bool *named)
{
    bool yes = false;

    *named = false;
    if (asked != NULL)
        return has_columns(d, asked, named);
    for (size_t i = 0; usual_text[i] != NULL && !yes; i++)
        yes = has_columns(d, usual_text[i], named);
    return yes;
}

/* Whether the names of a header are such as columns have: short, all different,
 * none empty but the first, which is how tables with numbered rows begin. */
static bool are_names(const delimited *d)
{
    for (size_t i = 0; i < d->cells; i++) {
        const span name = cell_bytes(d, i);
        if ((name.size == 0 && i > 0) || name.size > NAME_MOST ||
            d->cell[i].doubled)
            return false;
        for (size_t j = 0; j < i; j++)
            if (cell_is(d, j, name))
                return false;
    }
    return d->cells >= 2 && d->cells <= NAMES_MOST;
}

static void delimited_clear(delimited *d)
{
    mem_free(d->joined);
    mem_free(d->cell);
    mem_free(d->text);
    mem_free(d->value);
}

/* The next line as a row. *fits: it has the columns of the text, or cannot be
 * cut since it goes on in the next line; *header: it is sure to be the header
 * of a table. */
static kedge_status try_separator(lines *in, const record_opts *opts,
                                  char separator, bool quotes, bool *fits,
                                  bool *header, size_t *columns,
                                  kedge_error *err)
{
    delimited d = {.separator = separator, .quotes = quotes};
    kedge_status st = KEDGE_OK;
    bool more, whole, named;

    *fits = *header = false;
    *columns = 0;
    TRY(lines_peek(in, &d.row, &more, err));
    if (!more || d.row.size == 0)
        goto out;
    TRY(cut_row(&d, quotes, &whole, err));
    *fits = d.goes_on;
    *columns = whole ? d.cells : 0;
    if (!whole || d.cells > COLUMNS_MAX)
        goto out;
    *fits = has_text(&d, opts->text_field, &named);
    *header = *fits && named && (opts->text_field != NULL || are_names(&d));
out:
    delimited_clear(&d);
    return st;
}

/* ---- opening and reading ------------------------------------------------- */

static void delimited_close(void *own)
{
    delimited_clear(own);
    mem_free(own);
}

/* The first row, and what it says about the columns. Without one there are no
 * documents, and no columns are missed. */
static kedge_status open_table(records *r, char separator, bool quotes,
                               kedge_error *err)
{
    const record_opts *const o = &r->opts;
    bool more, header;
    delimited *d;

    PASS_MEM(r->own = d = mem_new(1, sizeof *d));
    d->r = r;
    d->separator = separator;
    d->quotes = quotes;
    PASS(next_row(d, &more, err));
    if (!more)
        return KEDGE_OK;
    if (d->cells > COLUMNS_MAX)
        return malformed(r, err,
                         "the row has %zu columns: expected at most %zu",
                         d->cells, COLUMNS_MAX);
    d->columns = d->cells;
    PASS(choose_text(d, o->text_field, err));
    header = is_header(d);
    PASS(choose_name(d, o->id_field, header, id_names, &d->id, err));
    PASS(choose_name(d, o->label_field, header, usual_label, &d->label, err));
    d->held = !header;
    if (d->held) {
        remark_header(d);
        PASS(keep_row(d, err));
    }
    return KEDGE_OK;
}

static kedge_status csv_open(records *r, kedge_error *err)
{
    char separator = separators[0];
    bool fits = false, header, more = true;
    size_t columns, most = 0;
    span line;

    for (;;) { /* empty lines before the first row */
        PASS(lines_peek(r->in, &line, &more, err));
        if (!more || line.size > 0)
            break;
        PASS(lines_next(r->in, &line, &more, err));
    }
    /* Where none fits, by most columns: they are named. */
    for (const char *s = separators; *s != '\0' && !fits; s++) {
        PASS(try_separator(r->in, &r->opts, *s, true, &fits, &header, &columns,
                           err));
        if (fits || columns > most) {
            separator = *s;
            most = columns;
        }
    }
    return open_table(r, separator, true, err);
}

static kedge_status tsv_open(records *r, kedge_error *err)
{
    return open_table(r, '\t', false, err);
}

static kedge_status delimited_next(records *r, record *out, bool *more,
                                   kedge_error *err)
{
    delimited *const d = r->own;

    d->r = r;
    *more = d->held;
    if (!d->held)
        PASS(next_row(d, more, err));
    d->held = false;
    if (*more)
        PASS(give_row(d, out, err));
    return KEDGE_OK;
}

static kedge_status csv_recognise(lines *in, const record_opts *opts, bool *yes,
                                  kedge_error *err)
{
    size_t columns;
    bool fits;

    *yes = false;
    for (const char *s = separators; *s != '\0' && !*yes; s++)
        PASS(try_separator(in, opts, *s, true, &fits, yes, &columns, err));
    return KEDGE_OK;
}

static kedge_status tsv_recognise(lines *in, const record_opts *opts, bool *yes,
                                  kedge_error *err)
{
    size_t columns;
    bool fits;

    return try_separator(in, opts, '\t', false, &fits, yes, &columns, err);
}

const record_format format_csv = {
    .name = "csv",
    .endings = ".csv",
    .recognise = csv_recognise,
    .open = csv_open,
    .next = delimited_next,
    .close = delimited_close,
};

const record_format format_tsv = {
    .name = "tsv",
    .endings = ".tsv",
    .recognise = tsv_recognise,
    .open = tsv_open,
    .next = delimited_next,
    .close = delimited_close,
};
