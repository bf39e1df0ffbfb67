/* SPDX-License-Identifier: MIT */
#ifndef IO_MALFORMED_H
#define IO_MALFORMED_H
/* How formats that read lines say what is wrong: EFORMAT with
 * "file:line: what is wrong: what was expected". */
#include "io/format.h"

/* Of the line given last. */
KEDGE_PRINTF(3, 4)
kedge_status malformed(const lines *in, kedge_error *err, const char *format,
                       ...);

/* Of another one. */
KEDGE_PRINTF(4, 5)
kedge_status malformed_at(const lines *in, uint64_t line, kedge_error *err,
                          const char *format, ...);

#define RECORD_WORD_MAX ((size_t)4096) /* bytes of a bag's word */

/* Whether a record of the line given last can be kept: its id and the words of
 * its bag are not too long, and no word has the end of a line in it. */
kedge_status malformed_record(const lines *in, const record *r,
                              kedge_error *err);

#endif
