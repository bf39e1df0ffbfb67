/* SPDX-License-Identifier: MIT */
#ifndef IO_FORMATS_MTX_H
#define IO_FORMATS_MTX_H
/*
 * Matrix Market, "mtx": a line "%%MatrixMarket matrix coordinate FIELD general"
 * with the field integer, real or pattern, lines of comment that begin with %,
 * a line with the numbers of rows, columns and entries, then a line for each
 * entry, "row column count", from 1. Counts are whole numbers that may be
 * written as real ones; a pattern has none, each is 1. Empty lines are passed
 * over.
 *
 * Documents are rows and words columns, as gensim and most others write them,
 * when there are as many columns as words in the vocabulary; else it is the
 * other way round, when there are as many rows. When there are as many of both,
 * documents are rows. Either way the entries must come in rising order of their
 * documents. Within a document they may come in any order.
 *
 * Documents without an entry are passed over; there are no ids and no labels.
 * A malformed entry is an EFORMAT of its own, told when it is met: the next
 * call goes on behind its line, within the same document. (Where nothing
 * follows it, the document comes first.) There must be as many entries,
 * malformed ones included, as the header says.
 */
#include "io/format.h"

extern const record_format format_mtx;

#endif
