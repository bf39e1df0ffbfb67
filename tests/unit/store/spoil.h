/* SPDX-License-Identifier: MIT */
#ifndef TESTS_UNIT_STORE_SPOIL_H
#define TESTS_UNIT_STORE_SPOIL_H
/*
 * A stored record, damaged in every way that one bit or one cut can. `get`
 * reads it and fails with what `says`; where it does not fail, it has looked
 * whether all is as it was. The record is whole again afterwards.
 */
#include "store/kv.h"
#include "store/scene.h"

typedef kedge_status (*spoil_getter)(scene *t);

/* The caller frees. */
static inline uint8_t *spoil_copy(scene *t, kv_key at, size_t *size)
{
    const uint8_t *bytes;
    uint8_t *copy;

    ck_ok(kv_get(t->txn, at, &bytes, size, &t->err), t->err);
    ck_assert_ptr_nonnull(copy = mem_new(*size, 1));
    memcpy(copy, bytes, *size);
    return copy;
}

static inline void spoil_end(scene *t, kv_key at, spoil_getter get,
                             uint8_t *good, size_t size)
{
    ck_ok(kv_put(t->txn, at, good, size, &t->err), t->err);
    ck_ok(get(t), t->err);
    mem_free(good);
}

/* Each bit flipped; zstd's format has no use for a few of what is `packed`. */
static inline void spoil_bits(scene *t, kv_key at, spoil_getter get,
                              const char *says, bool packed)
{
    size_t size;
    uint8_t *const record = spoil_copy(t, at, &size);

    for (size_t i = 0; i < 8 * size; i++) {
        const uint8_t bit = (uint8_t)(1u << i % 8);
        record[i / 8] ^= bit;
        ck_ok(kv_put(t->txn, at, record, size, &t->err), t->err);
        if (packed)
            ck_found_or_same(get(t), t->err, true);
        else
            ck_fails(get(t), KEDGE_ECORRUPT, t->err, says);
        record[i / 8] ^= bit;
    }
    spoil_end(t, at, get, record, size);
}

/* As many of its first bytes as there can be. */
static inline void spoil_cuts(scene *t, kv_key at, spoil_getter get,
                              const char *says)
{
    size_t size;
    uint8_t *const record = spoil_copy(t, at, &size);

    for (size_t cut = 0; cut < size; cut++) {
        ck_ok(kv_put(t->txn, at, record, cut, &t->err), t->err);
        ck_fails(get(t), KEDGE_ECORRUPT, t->err, says);
    }
    spoil_end(t, at, get, record, size);
}

/* A record that is whole, of any bytes before compression. */
static inline void spoil_frame(scene *t, kv_key at, const char *tag,
                               const void *plain, size_t size, frame_head head)
{
    OWN(frame_free) store_frame f = {0};

    head.plain = (uint32_t)size;
    OK(frame_room(&f, size, &t->err));
    memcpy(f.plain, plain, size);
    OK(frame_close(&f, tag, &head, FRAME_LEVEL, &t->err));
    OK(kv_put_frame(t->txn, at, &f, NULL, &t->err));
}

#endif
