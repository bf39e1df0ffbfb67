/* SPDX-License-Identifier: MIT */
#ifndef IO_FORMATS_LDAC_H
#define IO_FORMATS_LDAC_H
/*
 * LDA-C, "ldac": a document a line,
 *
 *   N word:count word:count ...
 *
 * with N pairs. Words are numbers of lines in the vocabulary, from 0, in any
 * order. There are no ids and no labels. Empty lines are passed over; the line
 * "0" is a document without words.
 *
 * SVMlight's lines can look the same, so it is only read when asked for.
 */
#include "io/format.h"

extern const record_format format_ldac;

#endif
