/* SPDX-License-Identifier: MIT */
#ifndef STORE_PARCEL_H
#define STORE_PARCEL_H
/*
 * Records on their way from one machine to another: a stream of big records,
 * one after the other, that ends with a checksum of all of them. FORMAT.md has
 * every byte. What the records are of is their writer's and reader's matter;
 * both go through them in the same order.
 */
#include "store/store.h"

#define PARCEL_PLAIN_MAX ((size_t)1 << 20) /* of what is not rows, usually */

/* Where it goes. */
typedef struct parcel_sink {
    kedge_status (*write)(void *data, const void *bytes, size_t size,
                          kedge_error *err);
    void *data;
} parcel_sink;

/* An empty one is {0}. */
typedef struct parcel_out {
    parcel_sink to;
    store_frame f;
    uint64_t records, sum, bytes;
} parcel_out;

kedge_status parcel_begin(parcel_out *p, const parcel_sink *to,
                          kedge_error *err);
/* Room for a record before compression, until it is put. */
kedge_status parcel_room(parcel_out *p, size_t size, uint8_t **plain,
                         kedge_error *err);
/* The first `size` bytes of the room as a record of this tag, and how many
 * `things` there are in it. */
kedge_status parcel_put(parcel_out *p, const char *tag, uint32_t things,
                        size_t size, kedge_error *err);
/* Rows as they were encoded; the frame is stamped. */
kedge_status parcel_put_rows(parcel_out *p, store_rows *r, kedge_error *err);
kedge_status parcel_end(parcel_out *p, kedge_error *err);
void parcel_out_free(parcel_out *p);

/* Where it comes from: at least a byte, or none at the end. */
typedef struct parcel_source {
    kedge_status (*read)(void *data, void *to, size_t room, size_t *got,
                         kedge_error *err);
    void *data;
} parcel_source;

/* An empty one is {0}. */
typedef struct parcel_in {
    parcel_source from;
    store_frame f;
    uint8_t *bytes; /* of the record at hand */
    size_t capacity;
    uint64_t records, sum;
} parcel_in;

/* EFORMAT when it is something else, and in all of these for what is damaged or
 * ends early; EVERSION. Messages name records by their numbers, not the
 * stream. */
kedge_status parcel_open(parcel_in *p, const parcel_source *from,
                         kedge_error *err);
/* The next record, which has to be of this tag. It stays until the next. */
kedge_status parcel_next(parcel_in *p, const char *tag, uint32_t *things,
                         const uint8_t **plain, size_t *size,
                         kedge_error *err);
kedge_status parcel_next_rows(parcel_in *p, size_t rows, size_t width,
                              int64_t *values, kedge_error *err);
/* There is nothing more, and all was as it was written. */
kedge_status parcel_close(parcel_in *p, kedge_error *err);
void parcel_in_free(parcel_in *p);

#endif
