/* SPDX-License-Identifier: MIT */
#include "table.h"

#include <stdlib.h>
#include <string.h>

#include "complain.h"
#include "plaintext.h"

#define INDENT         2
#define GAP            2
#define LEAST_FIRST    12 /* beside several columns, */
#define SHORTEST_FIRST 6  /* and beside one that is wide */
#define SUMMARY_LABEL  20
#define SUMMARY_VALUE  12
#define LEAST_NOTE     20 /* beside the value; else it stands below */

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
