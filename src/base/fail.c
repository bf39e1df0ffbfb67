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

kedge_status api_enter(kedge_error *err, const api_pointer *pointers,
                       size_t count)
{
    (void)api_leave(KEDGE_OK, err);
    for (size_t i = 0; i < count; i++)
        if (pointers[i].value == NULL)
            return kedge_fail(err, KEDGE_EINVAL, "%s is NULL",
                              pointers[i].name);
    return KEDGE_OK;
}

kedge_status api_array(kedge_error *err, const char *name, const void *array,
                       uint64_t count)
{
    return array == NULL && count > 0
               ? kedge_fail(err, KEDGE_EINVAL, "%s is NULL", name)
               : KEDGE_OK;
}

kedge_status api_texts(kedge_error *err, const char *name,
                       const char *const *texts, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++)
        if (texts == NULL || texts[i] == NULL)
            return kedge_fail(err, KEDGE_EINVAL,
                              texts == NULL ? "%s is NULL"
                                            : "one of %s is NULL", name);
    return KEDGE_OK;
}

kedge_status api_leave(kedge_status st, kedge_error *err)
{
    if (st == KEDGE_OK && err != NULL) {
        err->status = KEDGE_OK;
        err->text[0] = '\0';
    }
    return st;
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
