/* SPDX-License-Identifier: MIT */
#ifndef IO_TEXT_MAIL_H
#define IO_TEXT_MAIL_H
/*
 * Mail as text. What its headers say is quoted-printable or base64 is decoded,
 * and turned into UTF-8 by the charset that they name; of a message in parts
 * those that are text are kept, of alternatives one; names and subjects that
 * are encoded are decoded. A file of several messages, each after a line
 * "From ...", is decoded message by message.
 */
#include <kedge/status.h>

#include "base/span.h"

/* Memory that is used again; {0} is empty. */
typedef struct mail {
    struct mail_bytes {
        char *bytes;
        size_t size, capacity;
    } out, raw;
} mail;

/* The text to read instead: the same where it is no mail, or where nothing in
 * it is encoded. Valid as long as the text, and until the next call. */
kedge_status mail_text(mail *m, span text, span *out, kedge_error *err);

void mail_free(mail *m);

#endif
