/* SPDX-License-Identifier: MIT */
#ifndef STORE_RECORD_H
#define STORE_RECORD_H
/*
 * The envelope of a small record: sixteen bytes of head (tag, version, place),
 * the body, and a checksum over both. The place is in it so that a
 * record that strayed to another key is found out.
 */
#include <stdint.h>

#include "base/bytes.h"
#include "base/fail.h"
#include "store/kv.h"

#define RECORD_HEAD    16
#define RECORD_SUM     8
#define RECORD_VERSION 1
/* Of the totals, where there are parts: an older kedge would take documents
 * that are elsewhere for its own. */
#define RECORD_VERSION_PARTS 2
#define RECORD_SEED    UINT64_C(0x6b65646765) /* "kedge" */

/* Bytes of a record whose body has `body` bytes. */
#define RECORD_SIZE(body) (RECORD_HEAD + (body) + RECORD_SUM)

/* Writes head and checksum around a body that is there already. */
void record_seal(uint8_t *record, size_t size, const char *tag, uint64_t place);
void record_seal_version(uint8_t *record, size_t size, const char *tag,
                         uint8_t version, uint64_t place);

/* ECORRUPT unless this is such a record, whole and in its place; EVERSION when
 * it is whole but newer. `size` of the body is `body`, or anything where that
 * is SIZE_MAX. `what` names it in the text. */
kedge_status record_check(const uint8_t *record, size_t size, size_t body,
                          const char *tag, uint64_t place, const char *what,
                          kedge_error *err);

/* Reserved bytes: ECORRUPT when one is not zero. */
kedge_status record_zeros(const uint8_t *bytes, size_t size, const char *what,
                          kedge_error *err);

/* The body of a small record in the map. */
typedef struct record_found {
    const uint8_t *body;
    size_t size;
} record_found;

/* Seals a record, whose body is there already, for its place. */
kedge_status record_put(store_txn *txn, kv_key key, const char *tag,
                        uint8_t *record, size_t size, kedge_error *err);
kedge_status record_put_version(store_txn *txn, kv_key key, const char *tag,
                                uint8_t version, uint8_t *record, size_t size,
                                kedge_error *err);
/* Checks it; its body has `body` bytes, or any number where that is
 * SIZE_MAX. */
kedge_status record_get(store_txn *txn, kv_key key, size_t body,
                        const char *tag, const char *what, record_found *out,
                        kedge_error *err);

/* Fields of eight bytes in a body. */
static inline void record_put_fields(uint8_t *to, const uint64_t *fields,
                                     size_t count)
{
    for (size_t i = 0; i < count; i++)
        put_u64(to + 8 * i, fields[i]);
}

static inline void record_get_fields(const uint8_t *from, uint64_t *fields,
                                     size_t count)
{
    for (size_t i = 0; i < count; i++)
        fields[i] = get_u64(from + 8 * i);
}

#endif
