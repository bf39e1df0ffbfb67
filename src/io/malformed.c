/* SPDX-License-Identifier: MIT */
#include "io/malformed.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/fail.h"

#define REASON_BYTES 512

static kedge_status tell(const lines *in, uint64_t line, kedge_error *err,
                         const char *reason)
{
    return kedge_fail(err, KEDGE_EFORMAT, "%s:%" PRIu64 ": %s", lines_name(in),
                      line, reason);
}

kedge_status malformed(const lines *in, kedge_error *err, const char *format,
                       ...)
{
    char reason[REASON_BYTES];
    va_list args;

    va_start(args, format);
    vsnprintf(reason, sizeof reason, format, args);
    va_end(args);
    return tell(in, lines_number(in), err, reason);
}

kedge_status malformed_at(const lines *in, uint64_t line, kedge_error *err,
                          const char *format, ...)
{
    char reason[REASON_BYTES];
    va_list args;

    va_start(args, format);
    vsnprintf(reason, sizeof reason, format, args);
    va_end(args);
    return tell(in, line, err, reason);
}

kedge_status malformed_record(const lines *in, const record *r,
                              kedge_error *err)
{
    if (r->id.size > RECORD_ID_MAX)
        return malformed(in, err,
                         "the id has %zu bytes: at most %d were expected",
                         r->id.size, RECORD_ID_MAX);
    for (size_t i = 0; r->kind == RECORD_WORDS && i < r->count; i++) {
        if (r->word[i].size > RECORD_WORD_MAX)
            return malformed(in, err,
                             "word %zu of the bag has %zu bytes: at most %zu "
                             "were expected", i + 1, r->word[i].size,
                             RECORD_WORD_MAX);
        if (span_has_line_end(r->word[i]))
            return malformed(in, err,
                             "word %zu of the bag has the end of a line in it: "
                             "a word without was expected", i + 1);
    }
    return KEDGE_OK;
}
