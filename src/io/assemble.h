/* SPDX-License-Identifier: MIT */
#ifndef IO_ASSEMBLE_H
#define IO_ASSEMBLE_H
/*
 * Records into documents: text is cut into words, words get their ids from a
 * lexicon that grows with them, and a document's entries are brought into the
 * order of ids.
 */
#include "io/format.h"
#include "io/reader.h"

/* What the options point to is not owned. */
kedge_status assemble_open(const reader_opts *opts, assembler **out,
                           kedge_error *err);
void assemble_close(assembler *a); /* accepts NULL */

/* Whether the order of words is kept, of texts that come next; at first not. */
void assemble_set_order(assembler *a, bool order);

/* Appends the document; one without a word only as the options say, which
 * batch->count shows.
 * A failure leaves the batch as it was. */
kedge_status assemble_add(assembler *a, const record *r, uint64_t position,
                          docs *batch, kedge_error *err);

/* Texts so far that are mostly in a script whose words are not cut
 * (tokenizer_unbroken). */
uint64_t assemble_unbroken(const assembler *a);

#endif
