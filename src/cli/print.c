/* SPDX-License-Identifier: MIT */
#include "print.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <kedge/fields.h>

#include "complain.h"
#include "plaintext.h"

#define INDENT         2
#define GAP            2
#define LEAST_FIRST    12 /* beside several columns, */
#define SHORTEST_FIRST 6  /* and beside one that is wide */
#define SUMMARY_LABEL  20
#define SUMMARY_VALUE  12
#define SUMMARY_TEXT   11 /* the label before a longer value */
#define LEAST_NOTE     20 /* beside the value; else it stands below */

/* ---- figures ------------------------------------------------------------- */

const char *figure_count(figure *out, uint64_t n)
{
    char digits[24];
    const int size = snprintf(digits, sizeof digits, "%" PRIu64, n);
    char *to = out->text;

    for (int i = 0; i < size; i++) {
        if (i > 0 && (size - i) % 3 == 0)
            *to++ = ',';
        *to++ = digits[i];
    }
    *to = '\0';
    return out->text;
}

static const char *scaled(figure *out, uint64_t n, double base,
                          const char *const *units)
{
    double x = (double)n;
    int unit = 0;

    while (unit < 4 && x >= base) {
        x /= base;
        unit++;
    }
    snprintf(out->text, sizeof out->text, unit == 0 ? "%.0f %s" : "%.1f %s", x,
             units[unit]);
    return out->text;
}

const char *figure_bytes(figure *out, uint64_t n)
{
    static const char *const units[] = {"bytes", "kB", "MB", "GB", "TB"};

    return scaled(out, n, 1000, units);
}

/* 412.0 MiB: binary, as --memory is. */
static const char *figure_memory(figure *out, uint64_t n)
{
    static const char *const units[] = {"bytes", "KiB", "MiB", "GiB", "TiB"};

    return scaled(out, n, 1024, units);
}

const char *figure_size(figure *out, uint64_t n)
{
    static const char suffixes[] = "KMGT";
    int suffix = -1;

    while (n != 0 && n % 1024 == 0 && suffix < 3) {
        n /= 1024;
        suffix++;
    }
    snprintf(out->text, sizeof out->text, "%" PRIu64 "%.*s", n, suffix >= 0,
             suffix >= 0 ? &suffixes[suffix] : "");
    return out->text;
}

const char *figure_time(figure *out, double seconds)
{
    const uint64_t s = seconds > 0 && seconds < 1e9 ? (uint64_t)seconds : 0;

    if (s < 3600)
        snprintf(out->text, sizeof out->text, "%" PRIu64 ":%02" PRIu64, s / 60,
                 s % 60);
    else
        snprintf(out->text, sizeof out->text,
                 "%" PRIu64 ":%02" PRIu64 ":%02" PRIu64, s / 3600,
                 s / 60 % 60, s % 60);
    return out->text;
}

const char *figure_real(figure *out, double x)
{
    const double size = fabs(x);

    if (isfinite(x) && (size >= 1e5 || (size < 1e-4 && x != 0)))
        snprintf(out->text, sizeof out->text, "%.1e", x);
    else
        snprintf(out->text, sizeof out->text, "%.4f", x);
    return out->text;
}

const char *figure_noun(uint64_t n, const char *one, const char *many)
{
    return n == 1 ? one : many;
}

/* ---- JSON ---------------------------------------------------------------- */

static void new_line(const jsonout *j)
{
    fputc('\n', j->out);
    text_pad(j->out, 2 * j->depth);
}

/* What stands between the value before and the next one. */
static void separate(jsonout *j)
{
    if (j->keyed) {
        j->keyed = false;
        return;
    }
    if (j->filled)
        fputc(',', j->out);
    if (j->depth > 0 && j->depth <= j->lines)
        new_line(j);
    else if (j->filled)
        fputc(' ', j->out);
    j->filled = true;
}

void json_begin(jsonout *j, char bracket)
{
    separate(j);
    fputc(bracket, j->out);
    j->depth++;
    j->filled = false;
}

void json_close(jsonout *j, char bracket)
{
    const bool broken = j->filled && j->depth <= j->lines;

    j->depth--;
    if (broken)
        new_line(j);
    fputc(bracket, j->out);
    j->filled = true;
}

static void put_character(FILE *out, const char *bytes, size_t size, uint32_t c)
{
    if (c == TEXT_INVALID)
        fputs("\xEF\xBF\xBD", out);
    else if (c == '"' || c == '\\')
        fprintf(out, "\\%c", (int)c);
    else if (c < 0x20 || (c >= 0x7F && c < 0xA0) || (c | 1) == 0x2029)
        fprintf(out, "\\u%04" PRIx32, c); /* the last: line ends to some */
    else
        fwrite(bytes, 1, size, out);
}

static bool is_plain(char c)
{
    return c >= 0x20 && c < 0x7F && c != '"' && c != '\\';
}

/* Most text is plain, and goes out in one piece. */
static void put_string(FILE *out, const char *text, size_t length)
{
    const char *const end = text + length;

    fputc('"', out);
    while (text < end) {
        size_t size = 0;
        uint32_t c;

        while (text + size < end && is_plain(text[size]))
            size++;
        if (size > 0) {
            fwrite(text, 1, size, out);
        } else {
            size = text_next(text, &c);
            put_character(out, text, size, c);
        }
        text += size;
    }
    fputc('"', out);
}

static void put_count(FILE *out, uint64_t n)
{
    char digits[20];
    size_t at = sizeof digits;

    do
        digits[--at] = (char)('0' + n % 10);
    while ((n /= 10) > 0);
    fwrite(digits + at, 1, sizeof digits - at, out);
}

void json_key(jsonout *j, const char *key)
{
    separate(j);
    put_string(j->out, key, strlen(key));
    fputs(": ", j->out);
    j->keyed = true;
}

void json_text(jsonout *j, const char *text)
{
    json_bytes(j, text, strlen(text));
}

void json_bytes(jsonout *j, const char *text, size_t size)
{
    separate(j);
    put_string(j->out, text, size);
}

void json_tally(jsonout *j, const char *key, size_t size, uint64_t count)
{
    separate(j);
    put_string(j->out, key, size);
    fputc(':', j->out);
    put_count(j->out, count);
}

void json_count(jsonout *j, uint64_t n)
{
    separate(j);
    put_count(j->out, n);
}

void json_real(jsonout *j, double x)
{
    char text[40] = "null";

    separate(j);
    for (int digits = 15; isfinite(x) && digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, x);
        if (strtod(text, NULL) == x)
            break;
    }
    fputs(text, j->out);
}

void json_bool(jsonout *j, bool value)
{
    separate(j);
    fputs(value ? "true" : "false", j->out);
}

void json_end(jsonout *j)
{
    fputc('\n', j->out);
}

void json_key_begin(jsonout *j, const char *key, char bracket)
{
    json_key(j, key);
    json_begin(j, bracket);
}

void json_key_bytes(jsonout *j, const char *key, const char *text, size_t size)
{
    json_key(j, key);
    json_bytes(j, text, size);
}

void json_key_text(jsonout *j, const char *key, const char *text)
{
    json_key(j, key);
    json_text(j, text);
}

void json_key_count(jsonout *j, const char *key, uint64_t n)
{
    json_key(j, key);
    json_count(j, n);
}

void json_key_real(jsonout *j, const char *key, double x)
{
    json_key(j, key);
    json_real(j, x);
}

void json_key_bool(jsonout *j, const char *key, bool value)
{
    json_key(j, key);
    json_bool(j, value);
}

/* ---- tables -------------------------------------------------------------- */

static void make_room(table *t)
{
    const size_t room = t->room > 0 ? 2 * t->room : 16;
    char *(*cells)[TABLE_COLUMNS] = claim(room, sizeof *cells);

    if (t->lines > 0)
        memcpy(cells, t->cells, t->lines * sizeof *cells);
    free(t->cells);
    t->cells = cells;
    t->room = room;
}

void table_add(table *t, const char *const *texts)
{
    if (t->lines == t->room)
        make_room(t);
    for (size_t i = 0; i < t->columns; i++)
        t->cells[t->lines][i] = claim_text(texts[i]);
    t->lines++;
}

static void find_widths(const table *t, bool limited, int *widths)
{
    for (size_t c = 0; c < t->columns; c++) {
        widths[c] = 0;
        for (size_t l = 0; l < t->lines; l++) {
            const int width = text_width(t->cells[l][c]);

            widths[c] = width > widths[c] ? width : widths[c];
        }
        if (limited && t->most[c] > 0 && widths[c] > t->most[c])
            widths[c] = t->most[c];
    }
}

/* The end of the columns from `from` on that fit a line beside the first one,
 * one of them at least; the first takes what they leave. */
static size_t choose_columns(const table *t, size_t from, int line,
                             int *widths)
{
    const int least = widths[0] < LEAST_FIRST ? widths[0] : LEAST_FIRST;
    int rest = line - INDENT - least;
    size_t to = from;

    if (line == 0)
        return t->columns;
    for (; to < t->columns; to++) {
        if (to > from && rest < GAP + widths[to])
            break;
        rest -= GAP + widths[to];
    }
    if (least + rest < SHORTEST_FIRST)
        rest = SHORTEST_FIRST - least;
    if (widths[0] > least + rest)
        widths[0] = least + rest;
    return to;
}

static void print_columns(const table *t, size_t from, size_t to,
                          const int *widths, FILE *out)
{
    for (size_t l = 0; l < t->lines; l++) {
        char *const *const cells = t->cells[l];

        text_pad(out, INDENT);
        text_pad(out, widths[0] -
                          (t->paths ? text_put_tail : text_put)(
                              out, cells[0], widths[0]));
        for (size_t c = from; c < to; c++) {
            const int width = text_width(cells[c]);

            text_pad(out, GAP + (width < widths[c] ? widths[c] - width : 0));
            text_put(out, cells[c], widths[c]);
        }
        fputc('\n', out);
    }
}

void table_print(const table *t, FILE *out)
{
    const int line = text_line(out);
    int widths[TABLE_COLUMNS] = {0};
    size_t to;

    find_widths(t, line > 0, widths);
    for (size_t from = 1; from < t->columns; from = to) {
        const int first = widths[0];

        to = choose_columns(t, from, line, widths);
        if (from > 1)
            fputc('\n', out);
        print_columns(t, from, to, widths, out);
        widths[0] = first;
    }
}

void table_free(table *t)
{
    for (size_t l = 0; l < t->lines; l++)
        for (size_t c = 0; c < t->columns; c++)
            free(t->cells[l][c]);
    free(t->cells);
    *t = (table){.columns = t->columns};
}

void table_path(FILE *out, const char *label, const char *path)
{
    const int line = text_line(out);

    fputs(label, out);
    text_put_tail(out, path, line > 0 ? line - text_width(label) : TEXT_WHOLE);
    fputc('\n', out);
}

void summary_line(FILE *out, const char *label, const char *value,
                  const char *note)
{
    const int column = INDENT + SUMMARY_LABEL + SUMMARY_VALUE + GAP;
    flow f = {.out = out, .indent = column, .width = text_flow(out)};

    if (text_width(value) > SUMMARY_VALUE) { /* a text, and not a figure */
        f.indent = INDENT + SUMMARY_TEXT;
        f.column = fprintf(out, "%*s%-*s", INDENT, "", SUMMARY_TEXT, label);
        flow_text(&f, value);
        flow_text(&f, note != NULL ? note : "");
        flow_end(&f);
        return;
    }
    fprintf(out, "%*s%-*s%*s", INDENT, "", SUMMARY_LABEL, label, SUMMARY_VALUE,
            value);
    if (note != NULL && f.width - column < LEAST_NOTE) {
        flow_end(&f);
        f.indent = f.column = INDENT + GAP;
        text_pad(out, f.indent);
    } else if (note != NULL) {
        text_pad(out, GAP);
        f.column = column;
    }
    flow_text(&f, note != NULL ? note : "");
    flow_end(&f);
}

/* ---- results ------------------------------------------------------------- */

/* A name among those between bars. */
static const char *choice_text(figure *out, const char *names, unsigned place)
{
    for (; place > 0 && *names != '\0'; place--)
        names += strcspn(names, "|") + 1;
    snprintf(out->text, sizeof out->text, "%.*s", (int)strcspn(names, "|"),
             names);
    return out->text;
}

static const char *digest_text(figure *out, const uint64_t *digest,
                               size_t count)
{
    for (size_t i = 0; i < count && i < 2; i++)
        snprintf(out->text + 16 * i, 17, "%016" PRIx64, digest[i]);
    return out->text;
}

/* What a member is, whatever its type. */
typedef struct value {
    uint64_t n;
    double x;
    const char *text; /* NULL: a number */
    bool flag;
} value;

static value value_of(const kedge_field *f, const void *data, figure *out)
{
    const char *const at = (const char *)data + f->offset;
    value v = {.x = NAN};
    unsigned place;

    switch (f->kind) {
    case KEDGE_FIELD_COUNT:
    case KEDGE_FIELD_NUMBER:
    case KEDGE_FIELD_TOPIC:
    case KEDGE_FIELD_BYTES:
    case KEDGE_FIELD_MEMORY:
    case KEDGE_FIELD_TIME:
        memcpy(&v.n, at, sizeof v.n);
        v.n += f->kind == KEDGE_FIELD_TOPIC; /* none becomes 0 */
        break;
    case KEDGE_FIELD_REAL:
    case KEDGE_FIELD_SHARE:
    case KEDGE_FIELD_SECONDS:
        memcpy(&v.x, at, sizeof v.x);
        break;
    case KEDGE_FIELD_FLAG:
        memcpy(&v.flag, at, sizeof v.flag);
        break;
    case KEDGE_FIELD_DIGEST:
        v.text = digest_text(out, (const uint64_t *)(const void *)at,
                             f->size / sizeof(uint64_t));
        break;
    case KEDGE_FIELD_TEXT:
        v.text = at;
        break;
    case KEDGE_FIELD_STRING:
        memcpy(&v.text, at, sizeof v.text);
        v.text = v.text != NULL ? v.text : "";
        break;
    case KEDGE_FIELD_CHOICE:
        memcpy(&place, at, sizeof place);
        v.flag = place > 0;
        v.text = choice_text(out, f->names, place);
        break;
    }
    return v;
}

static bool is_filled(const kedge_field *f, const value *v)
{
    if (f->kind == KEDGE_FIELD_CHOICE)
        return v->flag;
    return v->text != NULL ? v->text[0] != '\0'
                           : v->n > 0 || v->flag || fabs(v->x) > 0;
}

const char *figure_date(figure *out, uint64_t when)
{
    const time_t seconds = (time_t)when;
    struct tm parts;

    if (when == 0 || gmtime_r(&seconds, &parts) == NULL ||
        strftime(out->text, sizeof out->text, "%Y-%m-%d %H:%M", &parts) ==
            0)
        snprintf(out->text, sizeof out->text, "-");
    return out->text;
}

/* As people read it. */
static const char *field_text(const kedge_field *f, const value *v,
                              figure *out)
{
    if (v->text != NULL)
        return v->text[0] != '\0' ? v->text : "-";
    switch (f->kind) {
    case KEDGE_FIELD_COUNT:
        return figure_count(out, v->n);
    case KEDGE_FIELD_BYTES:
        return figure_bytes(out, v->n);
    case KEDGE_FIELD_MEMORY:
        return figure_memory(out, v->n);
    case KEDGE_FIELD_TIME:
        return figure_date(out, v->n);
    case KEDGE_FIELD_FLAG:
        return choice_text(out, f->names != NULL ? f->names : "no|yes",
                           v->flag);
    case KEDGE_FIELD_SHARE:
        snprintf(out->text, sizeof out->text, "%.1f %%", 100 * v->x);
        break;
    case KEDGE_FIELD_SECONDS:
        snprintf(out->text, sizeof out->text, "%.1f", v->x);
        break;
    case KEDGE_FIELD_REAL:
        return isnan(v->x) ? "-" : figure_real(out, v->x);
    default:
        snprintf(out->text, sizeof out->text, "%" PRIu64, v->n);
        break;
    }
    return out->text;
}

static const kedge_fields *find_fields(const char *result)
{
    const kedge_fields *const all = kedge_fields_find(result);

    assert(all != NULL);
    return all;
}

static bool is_among(const kedge_field *f, unsigned parts)
{
    return (PART(f->part) & parts) != 0;
}

void json_fields(jsonout *j, const char *result, const void *data,
                 unsigned parts)
{
    const kedge_fields *const all = find_fields(result);
    figure out;

    for (const kedge_field *f = all->fields; f < all->fields + all->count;
         f++) {
        const value v = value_of(f, data, &out);

        if (!is_among(f, parts))
            continue;
        json_key(j, f->name);
        if (v.text != NULL)
            json_text(j, v.text);
        else if (f->kind == KEDGE_FIELD_FLAG)
            json_bool(j, v.flag);
        else if (f->kind == KEDGE_FIELD_REAL || f->kind == KEDGE_FIELD_SHARE ||
                 f->kind == KEDGE_FIELD_SECONDS)
            json_real(j, v.x);
        else
            json_count(j, v.n);
    }
}

void json_object(jsonout *j, const char *key, const char *result,
                 const void *data)
{
    if (key != NULL)
        json_key(j, key);
    json_begin(j, '{');
    json_fields(j, result, data, ALL_PARTS);
    json_close(j, '}');
}

void json_array(jsonout *j, const char *key, const char *result,
                const void *data, uint64_t count)
{
    const size_t size = find_fields(result)->size;

    json_key_begin(j, key, '[');
    for (uint64_t i = 0; i < count; i++)
        json_object(j, NULL, result, (const char *)data + i * size);
    json_close(j, ']');
}

void tsv_head(const char *result, unsigned parts)
{
    const kedge_fields *const all = find_fields(result);
    bool begun = false;

    for (size_t i = 0; i < all->count; i++)
        if (is_among(&all->fields[i], parts)) {
            printf("%s%s", begun ? "\t" : "", all->fields[i].name);
            begun = true;
        }
}

void tsv_real(double x)
{
    jsonout j = {.out = stdout};

    if (isfinite(x))
        json_real(&j, x);
}

void tsv_fields(const char *result, const void *data, unsigned parts)
{
    const kedge_fields *const all = find_fields(result);
    bool begun = false;
    figure out;

    for (const kedge_field *f = all->fields; f < all->fields + all->count;
         f++) {
        const value v = value_of(f, data, &out);

        if (!is_among(f, parts))
            continue;
        if (begun)
            putchar('\t');
        begun = true;
        if (v.text != NULL)
            text_put(stdout, v.text, TEXT_WHOLE);
        else if (f->kind == KEDGE_FIELD_REAL)
            tsv_real(v.x);
        else if (f->kind != KEDGE_FIELD_TOPIC || v.n > 0)
            put_count(stdout, v.n);
    }
}

void summary_fields(FILE *out, const char *result, const void *data,
                    unsigned parts)
{
    const kedge_fields *const all = find_fields(result);

    for (size_t i = 0; i < all->count; i++) {
        const kedge_field *const f = &all->fields[i];
        figure text = {""};
        const value v = value_of(f, data, &text);
        char one[80];
        const char *note = f->note;
        const char *const many = note != NULL ? strchr(note, '|') : NULL;

        if (!is_among(f, parts) || f->shown == KEDGE_SHOWN_NEVER ||
            (f->shown == KEDGE_SHOWN_FILLED && !is_filled(f, &v)))
            continue;
        if (many != NULL) {
            snprintf(one, sizeof one, "%.*s", (int)(many - note), note);
            note = v.n == 1 ? one : many + 1;
        }
        summary_line(out, f->label, field_text(f, &v, &text), note);
    }
}

/* One cell for each field that people are told of, and one more. */
static void add_cells(table *t, const char *result, const void *data,
                      const char *more)
{
    const kedge_fields *const all = find_fields(result);
    const char *texts[TABLE_COLUMNS];
    figure figures[TABLE_COLUMNS];
    size_t n = 0;

    for (size_t i = 0; i < all->count && n < TABLE_COLUMNS; i++) {
        const kedge_field *const f = &all->fields[i];

        if (f->shown == KEDGE_SHOWN_NEVER)
            continue;
        if (data != NULL) {
            const value v = value_of(f, data, &figures[n]);
            texts[n] = field_text(f, &v, &figures[n]);
        } else {
            texts[n] = f->label;
        }
        n++;
    }
    if (more != NULL && n < TABLE_COLUMNS)
        texts[n++] = more;
    t->columns = n;
    table_add(t, texts);
}

void table_head(table *t, const char *result, const char *more)
{
    add_cells(t, result, NULL, more);
}

void table_row(table *t, const char *result, const void *data,
               const char *more)
{
    add_cells(t, result, data, more);
}

void table_all(const char *result, const void *data, uint64_t count)
{
    const size_t size = find_fields(result)->size;
    table t = {0};

    if (count == 0)
        return;
    putchar('\n');
    table_head(&t, result, NULL);
    for (uint64_t i = 0; i < count; i++)
        table_row(&t, result, (const char *)data + i * size, NULL);
    table_print(&t, stdout);
    table_free(&t);
}
