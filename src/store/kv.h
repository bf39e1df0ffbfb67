/* SPDX-License-Identifier: MIT */
#ifndef STORE_KV_H
#define STORE_KV_H
/*
 * The environment: the directory, its writer's lock, the transaction that is
 * open, and values under keys. The only user of LMDB. Everything above speaks
 * of records.
 */
#include "base/bytes.h"
#include "store/codec.h"
#include "store/store.h"

/* The databases. Their numbers are part of the format: kv_place has them. */
typedef enum kv_db {
    DB_META = 0,
    DB_BLOCKS = 1,
    DB_WORDS = 2,
    DB_COUNTS = 3,
    DB_SOURCES = 4,
    DB_INDEXES = 5,
    DB_ROWS = 6,
    DB_MODELS = 7,
    DB_ARRAYS = 8,
    DB_IDS = 9,
    DB_GONE = 10,
    DB_REMOVALS = 11,
    DB_LISTS = 12,
    DB_ORDERS = 13,
    DB_JOINS = 14,
    DB_KEPT = 15,
    DB_SPECTRA = 16,
    DB_SPECTRUM = 17,
    DB_PARTS = 18,
    DB_PART_COUNTS = 19,
    DB_COUNT = 20
} kv_db;

#define KV_KEY_MAX 256

typedef struct kv_key {
    kv_db db;
    const uint8_t *bytes;
    size_t size; /* 1 to KV_KEY_MAX */
} kv_key;

/* Keys that are one number, or two; the bytes are the caller's. */
static inline kv_key kv_key8(kv_db db, uint64_t number, uint8_t to[8])
{
    put_be64(to, number);
    return (kv_key){db, to, 8};
}

static inline kv_key kv_key4(kv_db db, uint32_t number, uint8_t to[4])
{
    put_be32(to, number);
    return (kv_key){db, to, 4};
}

static inline kv_key kv_key44(kv_db db, uint32_t first, uint32_t second,
                              uint8_t to[8])
{
    put_be32(to, first);
    put_be32(to + 4, second);
    return (kv_key){db, to, 8};
}

/* Valid in the block that they stand in. */
#define KV_KEY8(db, number) kv_key8(db, number, (uint8_t[8]){0})
#define KV_KEY4(db, number) kv_key4(db, number, (uint8_t[4]){0})
#define KV_KEY44(db, a, b)  kv_key44(db, a, b, (uint8_t[8]){0})

/* Keys in DB_META. */
enum { META_FORMAT = 0, META_TOTALS = 1, META_SETTINGS = 2 };

/* 64 bits that stand for a key in a record. */
uint64_t kv_place(kv_key key);

/* What a key is made of: numbers, and names without the zero after them. */
#define KV_PARTS 3
typedef struct kv_part {
    uint64_t number;
    const char *text; /* NULL: a number */
    size_t size;
} kv_part;

/* How many parts; 0 where it is not a key of its database. */
size_t kv_split(kv_key key, kv_part part[KV_PARTS]);

/* What the record under a key is called in messages: "index 3". */
#define KV_NAME_MOST 160
const char *kv_name(kv_key key, char to[KV_NAME_MOST]);

/* ECORRUPT: "index 3 is damaged (how)". */
KEDGE_PRINTF(3, 4)
kedge_status kv_damaged(kv_key key, kedge_error *err, const char *how, ...);

/* The value, in the map: valid until the transaction ends or writes. ENOTFOUND
 * names it. */
kedge_status kv_get(store_txn *txn, kv_key key, const uint8_t **bytes,
                    size_t *size, kedge_error *err);

/* Writes nothing where the same bytes are there already. */
kedge_status kv_put(store_txn *txn, kv_key key, const uint8_t *bytes,
                    size_t size, kedge_error *err);

/* No effect when there is none. */
kedge_status kv_drop(store_txn *txn, kv_key key, kedge_error *err);

/* The first key at or after `from` of the same database, into `found` (room for
 * KV_KEY_MAX). ENOTFOUND when there is none. */
kedge_status kv_seek(store_txn *txn, kv_key from, uint8_t *found, size_t *size,
                     kedge_error *err);

/* Visits every value of a database whose key begins with that of `prefix`, in
 * the order of keys; all of them where this is empty. `visit` may read, not
 * write; what is not OK ends the walk. */
typedef struct kv_value {
    kv_key key;
    const uint8_t *bytes;
    size_t size;
} kv_value;

kedge_status kv_walk(store_txn *txn, kv_key prefix,
                     kedge_status (*visit)(void *data, const kv_value *v,
                                           kedge_error *err),
                     void *data, kedge_error *err);

/* How many there are. */
kedge_status kv_count(store_txn *txn, kv_db db, uint64_t *out,
                      kedge_error *err);

/* Drops everything. */
kedge_status kv_clear(store_txn *txn, kv_db db, kedge_error *err);

/* Drops keys from `from` on that begin with its first `prefix` bytes: `most` of
 * them, and whether there are more; or all. */
kedge_status kv_drop_some(store_txn *txn, kv_key from, size_t prefix,
                          uint64_t most, bool *more, kedge_error *err);
kedge_status kv_drop_from(store_txn *txn, kv_key from, size_t prefix,
                          kedge_error *err);

/* A record with a head, in which this writes its place and, unless NULL, an
 * `extra`; `f` stays as it is. */
kedge_status kv_put_frame(store_txn *txn, kv_key key, const store_frame *f,
                          const uint64_t *extra, kedge_error *err);

/* A record in the map, and what its head says. */
typedef struct kv_frame {
    const uint8_t *bytes;
    size_t size;
    frame_head head;
} kv_frame;

/* Checks head and place, does not decompress. */
kedge_status kv_get_frame(store_txn *txn, kv_key key, const char *tag,
                          kv_frame *out, kedge_error *err);
/* Decompresses as well, into the store's scratch. */
kedge_status kv_open_frame(store_txn *txn, kv_key key, const char *tag,
                           frame_head *head, kedge_error *err);

/* Scratch for the records that the store itself encodes. */
store_frame *kv_scratch(store_txn *txn);

/* Where ledger.c keeps the limits of a transaction, and whether it knows
 * them. */
store_limits *kv_limits(store_txn *txn, bool **known);

/* EMISUSE unless a transaction is open, and a writing one if `write`. */
kedge_status kv_need(const store_txn *txn, bool write, kedge_error *err);

/* ---- the data file as a whole -------------------------------------------- */

const struct directory *kv_directory(const store *s);

/* EMISUSE when a transaction is open, or unless the store is open for writing
 * if `write`. */
kedge_status kv_idle(const store *s, bool write, kedge_error *err);

/* Number of the newest transaction that was committed. */
uint64_t kv_snapshot(const store *s);

/* Bytes of the pages that records are on, in the transaction at hand. */
uint64_t kv_used(const store_txn *txn);

/* The newest state, without free pages, as a whole data file. It goes through
 * all of the map. */
kedge_status kv_copy(store *s, int fd, kedge_error *err);

/* Releases the map's pages from memory: files.h. From any thread, but not while
 * a transaction begins. No effect before there was one. */
void kv_let_go(const store *s);

/* Closes the environment: everything after is EMISUSE. */
void kv_give_up(store *s);
/* The same, and opens what is in the directory now. */
kedge_status kv_reopen(store *s, kedge_error *err);

#endif
