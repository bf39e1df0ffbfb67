/* SPDX-License-Identifier: MIT */
/*
 * RFC 2045 to 2047, as far as words depend on it. Headers stay, but for those
 * of parts. What is malformed stays as it is, and what is in an unknown charset
 * is decoded no further than to its bytes.
 */
#include "io/text/mail.h"

#include <errno.h>
#include <iconv.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <strings.h>

#include "base/fail.h"
#include "base/mem.h"

#define DEPTH_MOST 8 /* parts within parts */
#define CHARSET_MOST 40

typedef struct mail_bytes mail_bytes;

typedef enum coding { PLAIN, QUOTED, BASE64 } coding;

/* What a message's or a part's headers say. */
typedef struct entity {
    span head, body; /* the head with the empty line behind it */
    span type;       /* of the content, with its parameters; size 0: none */
    coding coding;
} entity;

static kedge_status put(mail_bytes *to, const char *bytes, size_t size,
                        kedge_error *err)
{
    PASS_GROW(to->bytes, to->capacity, to->size + size + 1);
    if (size > 0)
        memcpy(to->bytes + to->size, bytes, size);
    to->size += size;
    return KEDGE_OK;
}

static kedge_status put_span(mail_bytes *to, span text, kedge_error *err)
{
    return put(to, text.bytes, text.size, err);
}

/* ---- headers ------------------------------------------------------------- */

/* The first line of what is left, with its end; what is left is behind it. */
static bool take_line(span *left, span *line)
{
    const char *const end =
        left->size == 0 ? NULL : memchr(left->bytes, '\n', left->size);

    *line = *left;
    if (end != NULL)
        line->size = (size_t)(end - left->bytes) + 1;
    *left = span_of(left->bytes + line->size, left->size - line->size);
    return line->size > 0;
}

static bool is_blank_line(span line)
{
    return line.bytes[0] == '\n' ||
           (line.size == 2 && memcmp(line.bytes, "\r\n", 2) == 0);
}

/* Bytes of a field's name, before the colon; 0: the line is none. */
static size_t name_size(span line)
{
    size_t i = 0;

    while (i < line.size && line.bytes[i] > ' ' && line.bytes[i] <= '~' &&
           line.bytes[i] != ':')
        i++;
    return i < line.size && line.bytes[i] == ':' ? i : 0;
}

static bool begins(span text, const char *with)
{
    const size_t size = strlen(with);

    return text.size >= size && strncasecmp(text.bytes, with, size) == 0;
}

static span trim(span text)
{
    while (text.size > 0 && (unsigned char)text.bytes[0] <= ' ')
        text = span_of(text.bytes + 1, text.size - 1);
    while (text.size > 0 && (unsigned char)text.bytes[text.size - 1] <= ' ')
        text.size--;
    return text;
}

static void note_field(entity *e, span name, span value)
{
    value = trim(value);
    if (name.size == 12 && begins(name, "content-type"))
        e->type = value;
    if (name.size == 25 && begins(name, "content-transfer-encoding"))
        e->coding = begins(value, "quoted-printable") ? QUOTED
                    : begins(value, "base64")         ? BASE64
                                                      : PLAIN;
}

/* Reads the head; false where the text does not begin with one. A part's may
 * be empty. */
static bool take_head(span text, bool part, entity *e)
{
    span left = text, line, name = {NULL, 0}, value = {NULL, 0};

    *e = (entity){.body = text};
    while (take_line(&left, &line)) {
        const bool blank = is_blank_line(line);
        const size_t size = name_size(line);
        const bool more = line.bytes[0] == ' ' || line.bytes[0] == '\t';

        if (!blank && more && name.size > 0) {
            value.size += line.size;
            continue;
        }
        if (name.size > 0)
            note_field(e, name, value);
        if (blank) {
            e->head = span_of(text.bytes, (size_t)(left.bytes - text.bytes));
            e->body = left;
            return part || name.size > 0;
        }
        if (size == 0)
            return false;
        name = span_of(line.bytes, size);
        value = span_of(line.bytes + size + 1, line.size - size - 1);
    }
    return false;
}

/* A parameter of a field, "; name=value" or "; name=\"value\"". */
static span parameter(span field, const char *name)
{
    const size_t size = strlen(name);

    for (size_t i = 0; i + size + 2 < field.size; i++) {
        span value;
        if (field.bytes[i] != ';')
            continue;
        value = trim(span_of(field.bytes + i + 1, field.size - i - 1));
        if (value.size <= size || !begins(value, name) ||
            value.bytes[size] != '=')
            continue;
        value = span_of(value.bytes + size + 1, value.size - size - 1);
        const bool quoted = value.size > 0 && value.bytes[0] == '"';
        if (quoted)
            value = span_of(value.bytes + 1, value.size - 1);
        size_t n = 0;
        while (n < value.size &&
               (quoted ? value.bytes[n] != '"'
                       : (unsigned char)value.bytes[n] > ' ' &&
                             value.bytes[n] != ';'))
            n++;
        return span_of(value.bytes, n);
    }
    return span_of(NULL, 0);
}

/* ---- decoding ------------------------------------------------------------ */

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c = (char)(c | 0x20);
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Both to the raw bytes, which have room for as many. */
static void decode_quoted(mail_bytes *to, span text, bool word)
{
    const char *p = text.bytes, *const end = p + text.size;

    while (p < end) {
        const int high = *p == '=' && end - p > 2 ? hex_digit(p[1]) : -1;
        const int low = high >= 0 ? hex_digit(p[2]) : -1;
        if (low >= 0) {
            to->bytes[to->size++] = (char)(16 * high + low);
            p += 3;
        } else if (*p == '=' && end - p > 1 && p[1] == '\n') {
            p += 2;
        } else if (*p == '=' && end - p > 2 && p[1] == '\r' && p[2] == '\n') {
            p += 3;
        } else {
            to->bytes[to->size++] = word && *p == '_' ? ' ' : *p;
            p++;
        }
    }
}

static int base64_digit(char c)
{
    if (c >= 'A' && c <= 'Z')
        return c - 'A';
    if (c >= 'a' && c <= 'z')
        return c - 'a' + 26;
    if (c >= '0' && c <= '9')
        return c - '0' + 52;
    return c == '+' ? 62 : c == '/' ? 63 : -1;
}

static void decode_base64(mail_bytes *to, span text)
{
    uint32_t bits = 0;
    unsigned count = 0;

    for (size_t i = 0; i < text.size; i++) {
        const int digit = base64_digit(text.bytes[i]);
        if (text.bytes[i] == '=')
            count = 0;
        if (digit < 0)
            continue;
        bits = bits << 6 | (uint32_t)digit;
        count += 6;
        if (count >= 8) {
            count -= 8;
            to->bytes[to->size++] = (char)(bits >> count & 0xff);
        }
    }
}

/* The raw bytes, of a charset, to what is given out. */
static kedge_status put_converted(mail *m, iconv_t from, kedge_error *err)
{
    static const char unknown[] = "\xef\xbf\xbd";
    char *at = m->raw.bytes;
    size_t left = m->raw.size;

    while (left > 0) {
        char piece[4096], *to = piece;
        size_t room = sizeof piece;
        const size_t n = iconv(from, &at, &left, &to, &room);
        PASS(put(&m->out, piece, sizeof piece - room, err));
        if (n != (size_t)-1 || errno == E2BIG)
            continue;
        PASS(put(&m->out, unknown, 3, err));
        at++;
        left--;
    }
    return KEDGE_OK;
}

static bool is_utf8(span charset)
{
    return charset.size == 0 || begins(charset, "utf-8") ||
           begins(charset, "utf8") || begins(charset, "us-ascii");
}

/* What is encoded, in a charset. */
static kedge_status put_decoded(mail *m, span text, coding how, bool word,
                                span charset, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    char name[CHARSET_MOST + 1];
    iconv_t from = (iconv_t)-1;

    m->raw.size = 0;
    TRY_GROW(m->raw.bytes, m->raw.capacity, text.size + 1);
    if (how == QUOTED)
        decode_quoted(&m->raw, text, word);
    else
        decode_base64(&m->raw, text);
    if (!is_utf8(charset) && charset.size <= CHARSET_MOST &&
        memchr(charset.bytes, '/', charset.size) == NULL) {
        snprintf(name, sizeof name, "%.*s", (int)charset.size, charset.bytes);
        from = iconv_open("UTF-8", name);
    }
    st = from == (iconv_t)-1
             ? put(&m->out, m->raw.bytes, m->raw.size, err)
             : put_converted(m, from, err);
out:
    if (from != (iconv_t)-1)
        iconv_close(from);
    return st;
}

/* The encoded word at `text`, "=?charset?Q?text?=": its size, 0 for none. */
static size_t encoded_word(span text, span *charset, coding *how, span *inner)
{
    const char *p, *end;

    if (text.size < 8 || memcmp(text.bytes, "=?", 2) != 0)
        return 0;
    p = memchr(text.bytes + 2, '?', text.size - 2);
    if (p == NULL || text.bytes + text.size - p < 5 || p[2] != '?')
        return 0;
    *charset = span_of(text.bytes + 2, (size_t)(p - text.bytes) - 2);
    *how = (p[1] | 0x20) == 'q' ? QUOTED : BASE64;
    if ((p[1] | 0x20) != 'q' && (p[1] | 0x20) != 'b')
        return 0;
    p += 3;
    end = memmem(p, (size_t)(text.bytes + text.size - p), "?=", 2);
    if (end == NULL || memchr(p, '\n', (size_t)(end - p)) != NULL)
        return 0;
    *inner = span_of(p, (size_t)(end - p));
    return (size_t)(end + 2 - text.bytes);
}

/* A head with its encoded words decoded; blanks between two of them go. */
static kedge_status put_head(mail *m, span head, kedge_error *err)
{
    span charset, inner, gap = {NULL, 0};
    coding how;

    while (head.size > 0) {
        const char *const mark = memmem(head.bytes, head.size, "=?", 2);
        const size_t before =
            mark == NULL ? head.size : (size_t)(mark - head.bytes);
        const span rest = span_of(head.bytes + before, head.size - before);
        const size_t size = encoded_word(rest, &charset, &how, &inner);
        const span plain = span_of(head.bytes, before);

        if (size == 0 || gap.bytes == NULL || trim(plain).size > 0)
            PASS(put_span(&m->out, plain, err));
        gap.bytes = NULL;
        if (size > 0) {
            PASS(put_decoded(m, inner, how, true, charset, err));
            gap = rest;
        } else if (mark != NULL) {
            PASS(put(&m->out, "=?", 2, err));
        }
        const size_t taken = size > 0 ? size : mark != NULL ? 2 : 0;
        head = span_of(rest.bytes + taken, rest.size - taken);
    }
    return KEDGE_OK;
}

/* ---- parts --------------------------------------------------------------- */

static bool is_text(const entity *e)
{
    return e->type.size == 0 || begins(e->type, "text/") ||
           e->type.bytes[0] == ';';
}

/* The next part of a body between boundaries; what is left begins at the line
 * that ends it. false when there is none. */
static bool next_part(span *left, span boundary, span *part)
{
    span line;
    bool found = false;

    *part = span_of(left->bytes, 0);
    for (;;) {
        const span before = *left;
        if (!take_line(left, &line))
            return found;
        const bool mark = line.size >= boundary.size + 2 &&
                          memcmp(line.bytes, "--", 2) == 0 &&
                          memcmp(line.bytes + 2, boundary.bytes,
                                 boundary.size) == 0;
        if (mark && found) {
            *left = before;
            return true;
        }
        if (mark && begins(span_of(line.bytes + 2 + boundary.size,
                                   line.size - 2 - boundary.size), "--"))
            return false;
        if (mark) {
            found = true;
            *part = span_of(left->bytes, 0);
        } else if (found) {
            part->size += line.size;
        }
    }
}

static kedge_status put_body(mail *m, const entity *e, unsigned depth,
                             kedge_error *err);

/* Of alternatives the plain one, or the first that is text or has parts. */
static bool choose_part(span body, span boundary, span *chosen)
{
    bool any = false;
    entity e;
    span part;

    while (next_part(&body, boundary, &part)) {
        if (!take_head(part, true, &e))
            continue;
        if (e.type.size == 0 || begins(e.type, "text/plain")) {
            *chosen = part;
            return true;
        }
        if (!any && (is_text(&e) || begins(e.type, "multipart/"))) {
            *chosen = part;
            any = true;
        }
    }
    return any;
}

static kedge_status put_part(mail *m, span part, unsigned depth,
                             kedge_error *err)
{
    entity e;

    const size_t before = m->out.size;
    if (!take_head(part, true, &e))
        return put_span(&m->out, part, err); /* without a head: a text */
    PASS(put_body(m, &e, depth, err));
    if (m->out.size > before)
        PASS(put(&m->out, "\n\n", 2, err));
    return KEDGE_OK;
}

static kedge_status put_parts(mail *m, const entity *e, span boundary,
                              unsigned depth, kedge_error *err)
{
    span left = e->body, part;

    if (begins(e->type, "multipart/alternative"))
        return choose_part(left, boundary, &part)
                   ? put_part(m, part, depth, err)
                   : KEDGE_OK;
    while (next_part(&left, boundary, &part))
        PASS(put_part(m, part, depth, err));
    return KEDGE_OK;
}

static kedge_status put_body(mail *m, const entity *e, unsigned depth,
                             kedge_error *err)
{
    const span boundary = parameter(e->type, "boundary");
    entity inner;

    if (begins(e->type, "multipart/") && boundary.size > 0)
        return depth < DEPTH_MOST ? put_parts(m, e, boundary, depth + 1, err)
                                  : KEDGE_OK;
    if (begins(e->type, "message/rfc822") && depth < DEPTH_MOST &&
        take_head(e->body, false, &inner)) {
        PASS(put_head(m, inner.head, err));
        return put_body(m, &inner, depth + 1, err);
    }
    if (!is_text(e))
        return KEDGE_OK;
    return e->coding == PLAIN
               ? put_span(&m->out, e->body, err)
               : put_decoded(m, e->body, e->coding, false,
                             parameter(e->type, "charset"), err);
}

/* Whether anything of a message is not as it stands there. */
static bool is_encoded(const entity *e)
{
    return e->coding != PLAIN ||
           (begins(e->type, "multipart/") &&
            parameter(e->type, "boundary").size > 0) ||
           begins(e->type, "message/rfc822") ||
           memmem(e->head.bytes, e->head.size, "=?", 2) != NULL;
}

/* ---- the face ------------------------------------------------------------ */

/* The next message of a file of several, each with the line before it; the
 * text itself where it is no such file. */
static span next_message(span *left)
{
    const span text = *left;
    const char *const next =
        text.size < 5 || memcmp(text.bytes, "From ", 5) != 0
            ? NULL
            : memmem(text.bytes + 1, text.size - 1, "\n\nFrom ", 7);
    const size_t size =
        next == NULL ? text.size : (size_t)(next + 2 - text.bytes);

    *left = span_of(text.bytes + size, text.size - size);
    return span_of(text.bytes, size);
}

kedge_status mail_text(mail *m, span text, span *out, kedge_error *err)
{
    span left = text, message, line;
    bool encoded = false;
    entity e;

    *out = text;
    m->out.size = 0;
    while (left.size > 0) {
        message = next_message(&left);
        const span whole = message;
        const bool one = left.size == 0 && message.size == text.size;
        if (message.size > 5 && memcmp(message.bytes, "From ", 5) == 0)
            (void)take_line(&message, &line);
        const bool is = take_head(message, false, &e) && is_encoded(&e);
        if (one && !is)
            return KEDGE_OK;
        encoded |= is;
        if (is) {
            PASS(put(&m->out, whole.bytes,
                     (size_t)(message.bytes - whole.bytes), err));
            PASS(put_head(m, e.head, err));
            PASS(put_body(m, &e, 0, err));
        } else {
            PASS(put_span(&m->out, whole, err));
        }
    }
    if (encoded)
        *out = span_of(m->out.bytes, m->out.size);
    return KEDGE_OK;
}

void mail_free(mail *m)
{
    mem_free(m->out.bytes);
    mem_free(m->raw.bytes);
    *m = (mail){0};
}
