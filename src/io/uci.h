/* SPDX-License-Identifier: MIT */
#ifndef IO_UCI_H
#define IO_UCI_H
/* UCI bag-of-words (formats/uci.c), the one format that makes batches of
 * documents by itself: its files are the largest, and need no lexicon. */
#include "io/lines.h"
#include "io/reader.h"

typedef struct uci uci;

/* Reads the header. The lines are not owned. */
kedge_status uci_open(lines *in, const reader_opts *opts, uci **out,
                      kedge_error *err);
void uci_close(uci *u); /* accepts NULL */

/* As reader_next. */
kedge_status uci_next(uci *u, const reader_limits *limits, docs *batch,
                      bool *more, kedge_error *err);

/* Fills in what the format counts: documents and bad records. */
void uci_get_counts(const uci *u, reader_counts *out);

#endif
