/* SPDX-License-Identifier: MIT */
#ifndef IO_FORMATS_VOWPAL_H
#define IO_FORMATS_VOWPAL_H
/*
 * Vowpal Wabbit, "vw": a document a line,
 *
 *   [label] [importance] ['tag]|namespace word[:count] ... |namespace ...
 *
 * The label is kept as it is written, the importance passed over, the tag is
 * the document's id. A tag begins with an apostrophe or stands right before the
 * first bar, without a blank between. A namespace stands right behind its bar;
 * it may be missing, and the words of all of them go into one bag. What follows
 * the last colon of a word is its count; 1 when there is none. Empty lines are
 * passed over.
 *
 * Text with a bar in it looks the same, so it is only read when asked for.
 */
#include "io/format.h"

extern const record_format format_vowpal;

#endif
