/* SPDX-License-Identifier: MIT */
#ifndef STORE_RECORDS_H
#define STORE_RECORDS_H
/* What the files of the store need of each other's records; what everybody
 * needs is in store.h. */
#include "base/compare.h"
#include "store/schema.h"

/* ---- the store itself (ledger.c) ----------------------------------------- */

kedge_status ledger_put_format(store_txn *txn, kedge_error *err);
/* EVERSION when another version of kedge made the store. */
kedge_status ledger_check_format(store_txn *txn, kedge_error *err);

/* As store_get_totals, without comparing it with the records that are there. */
kedge_status ledger_get_totals(store_txn *txn, store_totals *out,
                               kedge_error *err);

/* Limits of the open transaction from now on; NULL: those of the totals. */
void ledger_set_limits(store_txn *txn, const store_limits *limits);

/* Limits are these from now on, where they were less: something was put. */
kedge_status ledger_raise(store_txn *txn, const store_limits *to,
                          kedge_error *err);

/* ---- numbers in chunks (array.c) ----------------------------------------- */

#define ARRAY_NAME_MOST 31
#define ARRAY_ANY UINT64_MAX /* a mark or a count that is not known */

/* What is stored in chunks under a key and their numbers: words, counts, lists,
 * models' arrays, spectra. All go by the same writer, reader and check. */
typedef struct array {
    const struct array_kind *kind;
    uint8_t key[KV_KEY_MAX];
    size_t prefix;  /* bytes of the key before the chunk's number */
    uint64_t mark;  /* which all of its chunks have in their heads */
    uint64_t count; /* items of all chunks */
    uint64_t limit; /* ids are below */
} array;

/* Of this database, whose keys begin with the prefix: nothing, where all of it
 * is one (words and counts). */
array array_make(kv_db db, const void *prefix, size_t size);
array array_list(uint32_t index);
/* EINVAL where names are too long, or empty. */
kedge_status array_values(array *a, const char *model, const char *name,
                          kedge_error *err);
array array_spectrum(uint32_t index, uint32_t weight);
/* The one that has a chunk under this key, and the chunk's number.
 * ECORRUPT. */
kedge_status array_of_key(kv_key key, array *out, uint32_t *chunk,
                          kedge_error *err);

/* What they are in memory. */
typedef struct array_count {
    uint64_t *tf, *df;
    size_t count; /* that are wanted */
} array_count;

typedef struct array_word {
    words *words;  /* what is read is appended */
    uint64_t most; /* bytes of them, as words_bytes counts */
} array_word;

/* Doubles that lie in several places, of which each call takes the next: a
 * spectrum's, or as many as there are at `at`. */
typedef struct array_double {
    double *at[4];
    const store_spectrum *of; /* or NULL */
    size_t which, row, column;
} array_double;

/* Items from number `first` on, which is in the first chunk that is written,
 * of `count`; chunks beyond are dropped. `from` is array_word, array_count,
 * uint32_t[] or array_double. */
kedge_status array_put(store_txn *txn, array *a, const void *from, size_t first,
                       size_t count, kedge_error *err);
/* All of them, into one of these, or a store_list. ENOTFOUND where there is no
 * first chunk, and where words and counts end early. */
kedge_status array_get(store_txn *txn, array *a, void *to, kedge_error *err);
/* One chunk, appended or, where `to` is NULL, looked at; its items. Mark and
 * count that were not known are those of its head. */
kedge_status array_get_chunk(store_txn *txn, array *a, uint32_t chunk, void *to,
                             uint32_t *items, kedge_error *err);
/* By the head of the first chunk, of a list. */
kedge_status array_get_count(store_txn *txn, array *a, uint64_t *count,
                             kedge_error *err);
/* A chunk is whole, and those before and after it are there. */
kedge_status array_check(store_txn *txn, array *a, uint32_t chunk,
                         uint32_t *items, kedge_error *err);
kedge_status array_drop(store_txn *txn, array *a, kedge_error *err);
/* ECORRUPT: how this chunk is damaged. */
kedge_status array_damaged(array *a, uint64_t chunk, const char *how,
                           kedge_error *err);

/* ---- others -------------------------------------------------------------- */

/* Whether the block that was decoded last with this scratch says that an order
 * of words goes with it. */
bool block_has_order(const store_block *decoded);

/* Documents of a block, gone or not, without decoding it. ENOTFOUND. */
kedge_status block_documents(store_txn *txn, uint64_t number, uint32_t *count,
                             kedge_error *err);

/* The value that is stored under an id. ECORRUPT. */
kedge_status ids_read(span id, const uint8_t *value, size_t size,
                      store_place *out, kedge_error *err);

#define IDS_SHOWN 64

/* The beginning of an id for messages: what is not plain ASCII is a dot. */
void ids_show(span id, char to[IDS_SHOWN]);

#define NAME_MOST 63 /* bytes of a model's name */

/* EINVAL unless it has 1 to `most` bytes. */
kedge_status model_check_name(const char *name, size_t most, const char *what,
                              kedge_error *err);

/* The array of a spectrum, by its record. */
kedge_status spectrum_find(store_txn *txn, uint32_t index, uint32_t weight,
                           array *out, kedge_error *err);

/* What a key of DB_KEPT has: a portion, or a set whose portions are all there
 * and add up. */
kedge_status portions_check(store_txn *txn, kv_key key, store_portion *scratch,
                            kedge_error *err);

/* Rising numbers as a first one and steps, less one: how ids, places and topics
 * are stored. Gives the end; `room` of RISING_MOST bytes each will do. */
#define RISING_MOST 5
uint8_t *rising_put(uint8_t *to, const uint32_t *number, size_t count);
/* Back, from *from, which moves on; false when they are not `count` numbers
 * below `limit`. */
bool rising_get(const uint8_t **from, const uint8_t *end, uint64_t limit,
                uint32_t *number, size_t count);

#endif
