/* SPDX-License-Identifier: MIT */
#ifndef IO_FORMATS_SVMLIGHT_H
#define IO_FORMATS_SVMLIGHT_H
/*
 * SVMlight, "svmlight": a document a line,
 *
 *   label [qid:n] word:count word:count ... [# id ...]
 *
 * The label is kept as it is written, the query passed over, and the comment's
 * first field is the document's id. Words are numbers of lines in the
 * vocabulary, from 1, in any order; counts are whole numbers that may be
 * written as real ones (3.0). Empty lines and lines of comment are passed over;
 * a line with a label alone is a document without words.
 *
 * LDA-C's lines can look the same, so it is only read when asked for.
 */
#include "io/format.h"

extern const record_format format_svmlight;

#endif
