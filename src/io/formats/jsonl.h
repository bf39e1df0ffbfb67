/* SPDX-License-Identifier: MIT */
#ifndef IO_FORMATS_JSONL_H
#define IO_FORMATS_JSONL_H
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
 */
#include "io/format.h"

extern const record_format format_jsonl;

/* Bytes at most beside the lines. */
uint64_t jsonl_memusage(size_t limit);

#endif
