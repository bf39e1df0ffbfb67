/* SPDX-License-Identifier: MIT */
#ifndef READER_MALFORMED_H
#define READER_MALFORMED_H
/* How formats that read lines say what is wrong: EFORMAT with
 * "file:line: what is wrong: what was expected". */
#include "reader/lines.h"

/* Of the line given last. */
KEDGE_PRINTF(3, 4)
kedge_status malformed(const lines *in, kedge_error *err, const char *format,
                       ...);

/* Of another one. */
KEDGE_PRINTF(4, 5)
kedge_status malformed_at(const lines *in, uint64_t line, kedge_error *err,
                          const char *format, ...);

#endif
