/* SPDX-License-Identifier: MIT */
#ifndef READER_FORMATS_H
#define READER_FORMATS_H
/* All formats that give records, and which of them a source is in. */
#include "reader/format.h"

/* By its number; NULL: it gives no records (AUTO, UCI, FILES) or is none. */
const record_format *formats_get(kedge_format format);

bool formats_known(kedge_format format);

/* The format that the lines look like, AUTO where they look like none. Nothing
 * is passed over. */
kedge_status formats_recognise(lines *in, const record_opts *opts,
                               kedge_format *out, kedge_error *err);

/* The same of a file in a directory, where a text is a document: tables and
 * JSON, by what they begin with, or by the end of the name. */
kedge_status formats_recognise_file(lines *in, const char *name,
                                    const record_opts *opts, kedge_format *out,
                                    kedge_error *err);

#endif
