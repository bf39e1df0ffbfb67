/* SPDX-License-Identifier: MIT */
#ifndef CLI_PLAINTEXT_H
#define CLI_PLAINTEXT_H
/*
 * Text of unknown origin, made fit for a terminal and for lines of a table.
 *
 * Words are any bytes. On the way out control characters (a terminal's
 * escapes, tabs, line ends, reversals of direction) become '?', and bytes that
 * are not UTF-8 become U+FFFD.
 */
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <kedge/status.h>

#define TEXT_WHOLE   INT_MIN /* no limit; others below 0 leave no room */
#define TEXT_INVALID UINT32_MAX

/* For the widths of characters: UTF-8, whatever the locale of the user. */
void text_setup(void);

/* Decodes the character at s, which is not the terminating zero: gives its
 * length in bytes. *c is TEXT_INVALID (and the length 1) where it is none. */
size_t text_next(const char *s, uint32_t *c);

/* Columns that the text takes when put with a limit. Terminals agree about
 * letters, ideographs, marks and single emoji, but not about several that are
 * joined to one: what joins them, and what changes their look or colour, is
 * left out there. */
int text_width(const char *s);

/* Puts the text, ending in "..." where it is wider than `limit` columns (as far
 * as there is room for that); gives the columns it took. TEXT_WHOLE puts every
 * character, for lines in which nothing is aligned; with a limit those are left
 * out that terminals differ about, see text_width. */
int text_put(FILE *out, const char *s, int limit);

/* The same for paths, whose ends say more: begins with "..." when cut. */
int text_put_tail(FILE *out, const char *s, int limit);

/* All of a text that may hold zeros, with a zero behind it. */
void text_put_bytes(FILE *out, const char *s, size_t size);

void text_pad(FILE *out, int columns);

/* The text as a word of a shell's command, quoted where it has to be; of some
 * 4000 bytes. Gives `out`. */
typedef struct shell_word {
    char text[8192];
} shell_word;

const char *text_shell(shell_word *out, const char *s);

/* Columns of the terminal at `fd`, or what COLUMNS says, or 80. */
int text_columns(int fd);

/* Columns of a line of a table: those of the terminal that `out` is, else what
 * COLUMNS says, or 0 in a file or a pipe: as long as it has to be. */
int text_line(FILE *out);

/* The same of lines that are read word by word: not too long for the eye, and
 * 80 where the line has no end. */
int text_flow(FILE *out);

/* Words that flow into lines of `width` columns, indented from the second line
 * on. `column` is where the first line stands. */
typedef struct flow {
    FILE *out;
    int indent, width, column;
    int words;  /* on this line */
    bool whole; /* words are never cut: they may be paths to be copied */
} flow;

void flow_word(flow *f, const char *word);
void flow_text(flow *f, const char *text); /* words separated by spaces */
void flow_part(flow *f, const char *text, size_t size);
KEDGE_PRINTF(2, 3)
void flow_print(flow *f, const char *format, ...); /* some 1000 bytes */
void flow_end(flow *f);

/* "  label     ", for what follows from `column` on; below the label where
 * lines are short. */
flow flow_beside(FILE *out, const char *label, int column);
KEDGE_PRINTF(4, 5)
void flow_line(FILE *out, const char *label, int column, const char *format,
               ...);

#endif
