/* SPDX-License-Identifier: MIT */
#ifndef STORE_SCHEMA_H
#define STORE_SCHEMA_H
/*
 * Records as tables of fields. A table has each field's name in FORMAT.md, its
 * type and range, and its place in the struct that the program works with:
 * writing, reading and checking go by it, and a test holds FORMAT.md against
 * it. Fields lie one after the other, without gaps.
 *
 * A small record is sixteen bytes of head (tag, version, place), fields, maybe
 * a tail of other bytes, and a checksum over all. The place is in it so that a
 * record that strayed to another key is found out.
 */
#include <stddef.h>

#include "store/kv.h"

typedef enum field_type {
    FIELD_U64,
    FIELD_U32,    /* as FIELD_U64, up to 2^32 - 1 */
    FIELD_BOOL,   /* as FIELD_U64, 0 or 1 */
    FIELD_F64,    /* any bits */
    FIELD_AMOUNT, /* f64, at least 0 and finite */
    FIELD_TEXT,   /* char[], with zeros after it, at least one */
    FIELD_BYTES,  /* uint8_t[] */
    FIELD_SPARE,  /* zeros */
} field_type;

typedef struct field {
    const char *name; /* NULL: spare */
    size_t size;      /* bytes in the record */
    size_t member;    /* offset in the struct */
    field_type type;
    uint64_t least, most; /* of whole numbers */
} field;

typedef struct schema {
    const char *tag;
    const field *fields;
    size_t count;
} schema;

/* Rows of a table. The type in the record follows that of the member. */
#define FIELD_TYPE(member)                                             \
    _Generic((member), uint64_t: FIELD_U64, uint32_t: FIELD_U32,       \
             bool: FIELD_BOOL, double: FIELD_F64, char *: FIELD_TEXT,  \
             uint8_t *: FIELD_BYTES)
#define FIELD_SIZE(member) \
    (FIELD_TYPE(member) < FIELD_TEXT ? 8 : sizeof(member))
#define FIELD_NAMED(name, record, member, least, most)                 \
    {name, FIELD_SIZE(((record *)0)->member), offsetof(record, member), \
     FIELD_TYPE(((record *)0)->member), least, most}
#define FIELD(record, member) FIELD_IN(record, member, 0, UINT64_MAX)
#define FIELD_IN(record, member, least, most) \
    FIELD_NAMED(#member, record, member, least, most)
#define AMOUNT(record, member) \
    {#member, 8, offsetof(record, member), FIELD_AMOUNT, 0, 0}
#define SPARE(bytes) {NULL, bytes, 0, FIELD_SPARE, 0, 0}

/* Those of the store; a model's header has its own (models/model.c). */
enum { KEDG, KTOT, KSET, KSRC, KPRT, KVIE, KGON, KREM, KMOD, KKEP, KSPE, KJOI,
       SCHEMAS };

extern const schema schemas[SCHEMAS];

/* How many documents of a block are listed after it (KGON, KREM). */
typedef struct gone_head {
    uint64_t block, count; /* KGON has no block */
} gone_head;

/* Bytes of all fields. */
size_t schema_size(const schema *s);
void schema_write(const schema *s, const void *record, uint8_t *to);
/* ECORRUPT where a field is out of its range; `what` names the record. */
kedge_status schema_read(const schema *s, const uint8_t *from, void *record,
                         const char *what, kedge_error *err);

/* ---- small records ------------------------------------------------------- */

#define RECORD_HEAD    16
#define RECORD_SUM     8
#define RECORD_VERSION 1
#define RECORD_SEED    UINT64_C(0x6b65646765) /* "kedge" */
#define RECORD_SIZE(body) (RECORD_HEAD + (body) + RECORD_SUM)

/* Writes head and checksum around a body that is there already. */
void record_seal(uint8_t *record, size_t size, const char *tag, uint64_t place);

/* The body of what is whole and in its place. ECORRUPT; EVERSION when a newer
 * kedge wrote it; ENOTFOUND. In the map: valid as with kv_get. */
kedge_status record_body(store_txn *txn, kv_key key, const char *tag,
                         span *body, kedge_error *err);

/* Fields of a struct, and a tail after them, which may lie in the plain bytes
 * of the store's scratch. */
kedge_status record_put(store_txn *txn, kv_key key, const schema *s,
                        const void *record, span tail, kedge_error *err);
#define NO_TAIL span_of(NULL, 0)
/* As record_body; `tail` NULL: there must be none. */
kedge_status record_get(store_txn *txn, kv_key key, const schema *s,
                        void *record, span *tail, kedge_error *err);

/* Reserved bytes: ECORRUPT when one is not zero. */
kedge_status record_zeros(const uint8_t *bytes, size_t size, const char *what,
                          kedge_error *err);

#endif
