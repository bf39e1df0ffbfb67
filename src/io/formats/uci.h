/* SPDX-License-Identifier: MIT */
#ifndef IO_FORMATS_UCI_H
#define IO_FORMATS_UCI_H
/*
 * UCI bag-of-words: three lines with the numbers of documents D, of words W
 * and of entries NNZ, then a line "document word count" for each entry, all
 * numbers from 1, documents in rising order.
 *
 * Blanks and tabs may stand around the numbers, lines may end in CR LF, the
 * last one in nothing, and empty lines may follow it. Only a line that is
 * right in all its parts has an effect; with skip_bad the others are counted
 * and passed over. Header and compression must always be right.
 */
#include "io/reader.h"
#include "io/text.h"

typedef struct uci uci;

/* Whether the text looks like UCI: its first line is one number, be it wrong.
 * Nothing is passed over. */
kedge_status uci_recognise(text_window *in, bool *yes, kedge_error *err);

/* Reads the header. The text is not owned. */
kedge_status uci_open(text_window *in, const reader_opts *opts, uci **out,
                      kedge_error *err);
void uci_close(uci *u); /* accepts NULL */

/* As reader_next. */
kedge_status uci_next(uci *u, const reader_limits *limits, docs *batch,
                      bool *more, kedge_error *err);

/* Fills in what the format counts: documents and bad records. */
void uci_get_counts(const uci *u, reader_counts *out);

/* Bytes at most, without those for sorting a document's entries: 16 for each
 * entry of the longest document whose words do not come in rising order. */
uint64_t uci_memusage(void);

#endif
