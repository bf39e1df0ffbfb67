/* SPDX-License-Identifier: MIT */
#ifndef IO_HANDED_H
#define IO_HANDED_H
/* Records from a program's own documents: what a format is for a file. */
#include <kedge/source.h>

#include "io/format.h"

typedef struct handed handed;

/* The source is not owned. `name` (not owned either) is for messages, `entries`
 * what a document has at most, 0: BAG_ENTRIES_MAX. */
kedge_status handed_open(const kedge_source *source, const char *name,
                        size_t entries, handed **out, kedge_error *err);
void handed_close(handed *g); /* accepts NULL */

/* As a record_format's `next`: EFORMAT for a document that is not what it
 * should be, behind which the next call goes on. ECANCELED where the source
 * gives up. */
kedge_status handed_next(handed *g, record *out, bool *more, kedge_error *err);

#endif
