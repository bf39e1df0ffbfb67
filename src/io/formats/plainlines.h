/* SPDX-License-Identifier: MIT */
#ifndef IO_FORMATS_PLAINLINES_H
#define IO_FORMATS_PLAINLINES_H
/*
 * A document a line, or all lines one.
 *
 * "lines": the line is the text; no id, no label.
 *
 * "mallet": the id, the label and the text, blanks or tabs between them. The
 * text may be missing; a label that stands for none, "X", is kept as it is.
 *
 * "files": the whole file, whose name is the id.
 *
 * Lines of nothing but blanks and tabs are passed over, except by "every line",
 * which is "lines" where documents without a word are wanted too. Any text
 * looks like these formats, so they are only read when asked for.
 */
#include "io/format.h"

extern const record_format format_lines;
extern const record_format format_every_line;
extern const record_format format_mallet;
extern const record_format format_whole;

#endif
