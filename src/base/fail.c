/* SPDX-License-Identifier: MIT */
#include "base/fail.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *kedge_status_text(kedge_status status)
{
    switch (status) {
#define STATUS_TEXT(name, value, text) \
    case name:                         \
        return text;
        KEDGE_STATUS_TABLE(STATUS_TEXT)
#undef STATUS_TEXT
    }
    return "unknown status";
}

kedge_status kedge_fail(kedge_error *err, kedge_status status,
                        const char *format, ...)
{
    va_list args;

    if (err != NULL) {
        err->status = status;
        va_start(args, format);
        vsnprintf(err->text, sizeof err->text, format, args);
        va_end(args);
    }
    return status;
}

void kedge_fail_context(kedge_error *err, const char *format, ...)
{
    char head[sizeof err->text / 2];
    char tail[sizeof err->text];
    va_list args;

    if (err == NULL)
        return;
    va_start(args, format);
    vsnprintf(head, sizeof head, format, args);
    va_end(args);
    memcpy(tail, err->text, sizeof tail);
    snprintf(err->text, sizeof err->text, "%s: %.*s", head,
             (int)(sizeof tail - strlen(head) - 3), tail);
}
