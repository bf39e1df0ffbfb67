/* SPDX-License-Identifier: MIT */
#include "table.h"

#include <stdlib.h>
#include <string.h>

#include "complain.h"
#include "plaintext.h"

#define INDENT        2
#define GAP           2
#define LEAST_FIRST   12
#define SUMMARY_LABEL 20
#define SUMMARY_VALUE 12

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

static void find_widths(const table *t, int *widths)
{
    int rest = INDENT;

    for (size_t c = 0; c < t->columns; c++) {
        widths[c] = 0;
        for (size_t l = 0; l < t->lines; l++) {
            const int width = text_width(t->cells[l][c]);

            widths[c] = width > widths[c] ? width : widths[c];
        }
        rest += c > 0 ? widths[c] + GAP : 0;
    }
    if (widths[0] > TABLE_WIDTH - rest)
        widths[0] = TABLE_WIDTH - rest;
    if (widths[0] < LEAST_FIRST)
        widths[0] = LEAST_FIRST;
}

void table_print(const table *t, FILE *out)
{
    int widths[TABLE_COLUMNS] = {0};

    find_widths(t, widths);
    for (size_t l = 0; l < t->lines; l++) {
        text_pad(out, INDENT);
        text_pad(out, widths[0] -
                          text_put_tail(out, t->cells[l][0], widths[0]));
        for (size_t c = 1; c < t->columns; c++) {
            text_pad(out, GAP + widths[c] - text_width(t->cells[l][c]));
            text_put(out, t->cells[l][c], TEXT_WHOLE);
        }
        fputc('\n', out);
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

void summary_line(FILE *out, const char *label, const char *value,
                  const char *note)
{
    const int column = INDENT + SUMMARY_LABEL + SUMMARY_VALUE + GAP;
    flow f = {.out = out, .indent = column, .width = TABLE_WIDTH};

    fprintf(out, "%*s%-*s%*s", INDENT, "", SUMMARY_LABEL, label, SUMMARY_VALUE,
            value);
    if (note != NULL) {
        text_pad(out, GAP);
        f.column = column;
        flow_text(&f, note);
    }
    flow_end(&f);
}
