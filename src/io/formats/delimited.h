/* SPDX-License-Identifier: MIT */
#ifndef IO_FORMATS_DELIMITED_H
#define IO_FORMATS_DELIMITED_H
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
 * unless its cell in the first of the text's columns is one of the usual names
 * above, which are no document.
 *
 * All rows must have as many columns as the first one. Empty lines between rows
 * are passed over. A quote that is never closed makes one malformed row of all
 * that follows it, up to the limit.
 */
#include "io/format.h"

#define DELIMITED_COLUMNS_MAX ((size_t)65536)

/* A table is recognised by a header that has the columns asked for as the text,
 * one by its name; or, where none is asked for, by one of two columns or more,
 * with names of at most 64 bytes, all different, of which one is a usual name
 * of the text. */
extern const record_format format_csv;
extern const record_format format_tsv;

/* Bytes at most, beside the lines, when no column is asked for twice. Rows of
 * one line without doubled quotes take next to nothing. */
uint64_t delimited_memusage(size_t limit);

#endif
