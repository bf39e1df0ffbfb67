/* SPDX-License-Identifier: MIT */
#ifndef IO_FORMATS_FORMATS_H
#define IO_FORMATS_FORMATS_H
/* All formats that give records, and which of them a source is in. */
#include "io/format.h"

/* By its number; NULL: it gives no records (AUTO, UCI) or is none. */
const record_format *formats_get(kedge_format format);

bool formats_known(kedge_format format);

/* The format that the lines look like, or else their source's name, AUTO where
 * that says nothing. Nothing is passed over. */
kedge_status formats_recognise(lines *in, const record_opts *opts,
                               kedge_format *out, kedge_error *err);

/* Whether a file of a directory, where a text is a document, is a table or
 * JSON instead. */
kedge_status formats_are_records(lines *in, const record_opts *opts, bool *yes,
                                 kedge_error *err);

#endif
