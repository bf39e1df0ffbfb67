/* SPDX-License-Identifier: MIT */
/*
 * Parts whose documents are elsewhere: a small record for each, under 'p' and
 * its number, and what all of them have of the words' counts, in chunks as
 * those of the lexicon, under 'c' and the chunk's number.
 */
#include "store/parts.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "store/ledger.h"
#include "store/lexicon.h"
#include "store/record.h"

#define PART_TAG   "KPRT"
#define COUNTS_TAG "KPCT"

/* The name, fields, bytes for what is to come. */
enum { NAME_SIZE = 64, PART_FIELDS = 6, PART_BODY = 192 };

static_assert(sizeof((store_part *)0)->name == NAME_SIZE, "a name's room");
static_assert(NAME_SIZE + 8 * PART_FIELDS <= PART_BODY, "fields fit");

static kv_key part_key(uint8_t bytes[9], uint64_t number)
{
    bytes[0] = 'p';
    put_be64(bytes + 1, number);
    return (kv_key){DB_PARTS, bytes, 9};
}

static kv_key counts_key(uint8_t bytes[5], uint32_t chunk)
{
    bytes[0] = 'c';
    put_be32(bytes + 1, chunk);
    return (kv_key){DB_PARTS, bytes, 5};
}

kedge_status store_put_part(store_txn *txn, uint64_t number,
                            const store_part *p, kedge_error *err)
{
    const uint64_t fields[PART_FIELDS] = {
        p->digest[0], p->digest[1], p->documents,
        p->tokens,    p->nonzeros,  p->when,
    };
    uint8_t record[RECORD_SIZE(PART_BODY)] = {0}, key[9];
    kedge_status st = KEDGE_OK;

    memcpy(record + RECORD_HEAD, p->name, strnlen(p->name, NAME_SIZE - 1));
    record_put_fields(record + RECORD_HEAD + NAME_SIZE, fields, PART_FIELDS);
    TRY(ledger_raise(txn, &(store_limits){.parts = number + 1}, err));
    TRY(record_put(txn, part_key(key, number), PART_TAG, record, sizeof record,
                   err));
out:
    return st;
}

kedge_status store_get_part(store_txn *txn, uint64_t number, store_part *out,
                            kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const size_t end = NAME_SIZE + 8 * PART_FIELDS;
    uint64_t f[PART_FIELDS];
    uint8_t key[9];
    record_found r;
    char what[48];

    *out = (store_part){0};
    snprintf(what, sizeof what, "part %" PRIu64, number);
    TRY(record_get(txn, part_key(key, number), PART_BODY, PART_TAG, what, &r,
                   err));
    if (strnlen((const char *)r.body, NAME_SIZE) == NAME_SIZE)
        TRY(kedge_fail(err, KEDGE_ECORRUPT, "%s is damaged (its name)", what));
    TRY(record_zeros(r.body + end, PART_BODY - end, what, err));
    record_get_fields(r.body + NAME_SIZE, f, PART_FIELDS);
    *out = (store_part){.digest = {f[0], f[1]}, .documents = f[2],
                        .tokens = f[3], .nonzeros = f[4], .when = f[5]};
    memcpy(out->name, r.body, NAME_SIZE);
out:
    return st;
}

kedge_status store_sum_parts(store_txn *txn, const store_totals *t,
                             store_part *out, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    store_part p;

    *out = (store_part){0};
    for (uint64_t i = 0; i < t->parts; i++) {
        TRY(store_get_part(txn, i, &p, err));
        out->digest[0] += p.digest[0];
        out->digest[1] += p.digest[1];
        out->documents += p.documents;
        out->tokens += p.tokens;
        out->nonzeros += p.nonzeros;
    }
out:
    return st;
}

kedge_status store_drop_parts(store_txn *txn, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    store_totals totals;

    TRY(store_get_totals(txn, &totals, err));
    totals.parts = 0; /* as many as there are records of */
    TRY(store_put_totals(txn, &totals, err));
    TRY(kv_clear(txn, DB_PARTS, err));
out:
    return st;
}

/* ---- counts -------------------------------------------------------------- */

static size_t chunk_size(size_t count, size_t first)
{
    return count - first < LEXICON_CHUNK ? count - first : LEXICON_CHUNK;
}

kedge_status store_put_part_counts(store_txn *txn, const uint64_t *tf,
                                   const uint64_t *df, size_t count,
                                   kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    store_frame *const f = kv_scratch(txn);
    uint8_t key[5];

    for (size_t first = 0; first < count; first += LEXICON_CHUNK) {
        TRY(lexicon_encode_counts(f, COUNTS_TAG, tf + first, df + first,
                                  chunk_size(count, first), err));
        TRY(kv_put_frame_changed(
            txn, counts_key(key, (uint32_t)(first / LEXICON_CHUNK)), f, err));
    }
out:
    return st;
}

/* A chunk, decompressed in the store's scratch. */
static kedge_status open_chunk(store_txn *txn, uint32_t chunk, frame_head *head,
                               kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    kv_frame f;
    uint8_t key[5];
    char what[64];

    snprintf(what, sizeof what, "chunk %u of the counts of parts", chunk);
    TRY(kv_get_frame(txn, counts_key(key, chunk), COUNTS_TAG, what, &f, err));
    TRY(frame_open(kv_scratch(txn), f.bytes, f.size, COUNTS_TAG, what, head,
                   err));
    if (head->x > LEXICON_CHUNK ||
        !lexicon_decode_counts(kv_scratch(txn)->plain, head, NULL, NULL, 0))
        TRY(kedge_fail(err, KEDGE_ECORRUPT, "%s is damaged", what));
out:
    return st;
}

kedge_status store_get_part_counts(store_txn *txn, uint64_t *tf, uint64_t *df,
                                   size_t count, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    frame_head head;

    for (size_t i = 0; i < count; i++)
        tf[i] = df[i] = 0;
    for (size_t first = 0; first < count; first += LEXICON_CHUNK) {
        const size_t n = chunk_size(count, first);
        st = open_chunk(txn, (uint32_t)(first / LEXICON_CHUNK), &head, err);
        if (st == KEDGE_ENOTFOUND)
            return KEDGE_OK;
        TRY(st);
        lexicon_decode_counts(kv_scratch(txn)->plain, &head, tf + first,
                              df + first, head.x < n ? head.x : n);
    }
out:
    return st;
}

/* ---- one key ------------------------------------------------------------- */

kedge_status parts_check(store_txn *txn, const uint8_t *key, size_t size,
                         uint64_t parts, char what[128], kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    frame_head head;
    store_part p;

    if (size == 5 && key[0] == 'c') {
        const uint32_t chunk = get_be32(key + 1);
        snprintf(what, 128, "chunk %u of the counts of parts", chunk);
        return open_chunk(txn, chunk, &head, err);
    }
    if (size != 9 || key[0] != 'p')
        return kedge_fail(err, KEDGE_ECORRUPT, "its key is damaged");
    const uint64_t number = get_be64(key + 1);
    snprintf(what, 128, "part %" PRIu64, number);
    TRY(store_get_part(txn, number, &p, err));
    if (number >= parts)
        TRY(kedge_fail(err, KEDGE_ECORRUPT, "there are %" PRIu64 " parts",
                       parts));
out:
    return st;
}
