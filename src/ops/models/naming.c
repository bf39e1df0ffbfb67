/* SPDX-License-Identifier: MIT */
#include "ops/models/model.h"

#include <string.h>

#include "base/fail.h"
#include "base/mem.h"
#include "io/text/letters.h"

/* ---- what a name may be -------------------------------------------------- */

/* Controls of both kinds, and the two ends of lines that are none. */
static bool is_control(uint32_t c)
{
    return c < 0x20 || (c >= 0x7F && c < 0xA0) || c == 0x2028 || c == 0x2029;
}

kedge_status naming_check(const char *what, const char *name, kedge_error *err)
{
    const char *const end = name + strlen(name);
    uint32_t c;

    if (strlen(name) > KEDGE_LABEL_MOST)
        return kedge_fail(err, KEDGE_EINVAL,
                          "%s has at most %d bytes, not %zu", what,
                          KEDGE_LABEL_MOST, strlen(name));
    for (const char *at = name; at < end;) {
        const unsigned size = utf8_take(at, end, &c);

        if (size == 0)
            return kedge_fail(err, KEDGE_EINVAL,
                              "%s must be UTF-8: byte %zu is not", what,
                              (size_t)(at - name) + 1);
        if (is_control(c))
            return kedge_fail(err, KEDGE_EINVAL,
                              "%s cannot have control characters: byte %zu is "
                              "U+%04X", what,
                              (size_t)(at - name) + 1, (unsigned)c);
        at += size;
    }
    return KEDGE_OK;
}

const char *naming_quote(const char *name)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyz"
                                "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._/:@%+-";

    return name[strspn(name, plain)] == '\0'   ? ""
           : strchr(name, '\'') == NULL        ? "'"
                                               : "\"";
}

/* ---- in the header ------------------------------------------------------- */

size_t naming_size(const topic_name *names, size_t topics)
{
    size_t size = 0;

    for (size_t t = 0; names != NULL && t < topics; t++)
        size += strlen(names[t].text);
    return size > 0 ? topics + size : 0;
}

void naming_write(const topic_name *names, size_t topics, uint8_t *to)
{
    if (naming_size(names, topics) == 0)
        return;
    for (size_t t = 0; t < topics; t++) {
        const size_t size = strlen(names[t].text);

        *to++ = (uint8_t)size;
        memcpy(to, names[t].text, size);
        to += size;
    }
}

bool naming_read(topic_name *names, size_t topics, const uint8_t *from,
                 size_t size)
{
    const uint8_t *const end = from + size;

    memset(names, 0, topics * sizeof *names);
    for (size_t t = 0; t < topics; t++) {
        size_t length;

        if (from == end)
            return false;
        length = *from++;
        if (length > KEDGE_LABEL_MOST || length > (size_t)(end - from))
            return false;
        memcpy(names[t].text, from, length);
        from += length;
        if (strlen(names[t].text) != length ||
            naming_check("a label", names[t].text, NULL) != KEDGE_OK)
            return false;
    }
    return from == end;
}

/* ---- giving one ---------------------------------------------------------- */

kedge_status kedge_label_topic(kedge_store *s, const char *model,
                               uint64_t topic, const char *name,
                               kedge_error *err)
{
    API_ENTER(err, {"store", s}, {"name", name});

    kedge_status st = KEDGE_OK;
    store_txn *txn = NULL;
    kedge_model *m = NULL;

    TRY(naming_check("a topic's label", name, err));
    TRY(store_begin_write(s, &txn, err));
    TRY(model_open(txn, model, MODEL_HEADER, &m, err));
    if (topic >= m->topics)
        TRY(kedge_fail(err, KEDGE_EINVAL,
                       "there is no topic %llu: model %s has %llu",
                       (unsigned long long)topic + 1, m->name,
                       (unsigned long long)m->topics));
    if (m->names == NULL)
        TRY_MEM(m->names = mem_new(m->topics, sizeof *m->names));
    m->names[topic] = (topic_name){{0}};
    memcpy(m->names[topic].text, name, strlen(name));
    TRY(model_put_header(txn, m, err));
    TRY(store_commit(&txn, err));
out:
    store_abort(&txn);
    kedge_model_free(m);
    return api_leave(st, err);
}
