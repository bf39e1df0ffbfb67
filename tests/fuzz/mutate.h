/* SPDX-License-Identifier: MIT */
#ifndef TESTS_FUZZ_MUTATE_H
#define TESTS_FUZZ_MUTATE_H
/*
 * Records with right checksums and wrong numbers: a record is taken apart, some
 * of its numbers become others, and it is sealed again.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "store/store.h"

/* Where decisions come from: the bytes of an input, and what these are hashed
 * to when they are used up. */
typedef struct chance {
    const uint8_t *data;
    size_t size;
    uint64_t state;
} chance;

chance chance_of(const uint8_t *data, size_t size);
uint64_t chance_below(chance *c, uint64_t n); /* n at least 1 */

/* A number at which something may break, in place of `old`. */
uint64_t chance_number(chance *c, uint64_t old);

/* Bytes that may grow up to `room`. */
typedef struct bytes {
    uint8_t *at;
    size_t size, room;
} bytes;

/* A small record: head, body and checksum. It is sealed as it was, but for a
 * version that may be another. */
void mutate_small(chance *c, bytes *record);

/* A big record: of its head extra, x, y or z, or some of what it holds. Its
 * place is not set. Grows into `record`, which has room. False where it could
 * not be taken apart or put together. */
bool mutate_frame(chance *c, bytes *record);

/* A total of a sketch file, which its records tell again and add up to: of the
 * documents, tokens or non-zeros that its first record has. */
typedef struct told {
    unsigned field;
    uint64_t was, is;
} told;

told told_of(chance *c, const bytes *first);
/* Tells it otherwise wherever this record does: the file agrees again. */
bool mutate_told(const told *t, bytes *record);

/* A block: some of its documents, as the writer would put them. */
bool mutate_block(chance *c, bytes *record);

/* Any bytes, so many times. */
void mutate_bytes(chance *c, bytes *b, uint64_t times);

/* An id's value. */
void mutate_id(chance *c, bytes *value, uint64_t place);

#endif
