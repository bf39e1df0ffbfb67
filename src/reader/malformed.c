/* SPDX-License-Identifier: MIT */
#include "reader/malformed.h"

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
