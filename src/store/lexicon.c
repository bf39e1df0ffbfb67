/* SPDX-License-Identifier: MIT */
/*
 * Words and their counts, in chunks of LEXICON_CHUNK ids, so that a growing
 * vocabulary rewrites its last chunk alone and a batch of documents the chunks
 * whose counts it changed. Before compression:
 *
 *   words   varints of all sizes, then all bytes
 *   counts  varints: term frequency, document frequency, word by word
 */
#include "store/lexicon.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/mem.h"
#include "store/ledger.h"

#define WORDS_TAG  "KWRD"
#define COUNTS_TAG "KCNT"

static size_t min_size(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* ---- words --------------------------------------------------------------- */

static kedge_status encode_chunk(store_frame *f, const words *w, size_t from,
                                 size_t count, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const size_t bytes = w->offset[from + count] - w->offset[from];
    frame_head head = {.x = (uint32_t)count};
    uint8_t *to;

    TRY(frame_room(f, count * VARINT_MAX + bytes, err));
    to = f->plain;
    for (size_t i = from; i < from + count; i++)
        to = put_varint(to, words_size(w, i));
    for (size_t i = from; i < from + count; i++) {
        memcpy(to, words_get(w, i), words_size(w, i));
        to += words_size(w, i);
    }
    if (to - f->plain > FRAME_PLAIN_MAX)
        TRY(kedge_fail(err, KEDGE_EINVAL, "words %zu to %zu are too long",
                       from, from + count - 1));
    head.plain = (uint32_t)(to - f->plain);
    TRY(frame_close(f, WORDS_TAG, &head, FRAME_LEVEL, err));
out:
    return st;
}

kedge_status store_put_words(store_txn *txn, const words *w, size_t from,
                             kedge_error *err)
{
    kedge_status st = kv_need(txn, true, err);
    store_frame *f = kv_scratch(txn);
    uint8_t key[4];

    if (st != KEDGE_OK || from >= w->count)
        return st;
    TRY(ledger_raise(txn, &(store_limits){.words = w->count}, err));
    for (size_t chunk = from / LEXICON_CHUNK;
         chunk * LEXICON_CHUNK < w->count; chunk++) {
        const size_t first = chunk * LEXICON_CHUNK;
        TRY(encode_chunk(f, w, first, min_size(w->count - first, LEXICON_CHUNK),
                         err));
        put_be32(key, (uint32_t)chunk);
        TRY(kv_put_frame_changed(txn, (kv_key){DB_WORDS, key, 4}, f, err));
    }
out:
    return st;
}

/* False where the bytes are no words; *room is cleared without memory. */
static bool decode_chunk(const uint8_t *plain, const frame_head *head,
                         words *out, bool *room)
{
    const uint8_t *size = plain, *p = plain, *const end = p + head->plain;
    uint64_t n;

    for (uint32_t i = 0; i < head->x; i++)
        if (!get_varint(&p, end, &n))
            return false;
    for (uint32_t i = 0; i < head->x; i++) {
        if (!get_varint(&size, end, &n) || n > (uint64_t)(end - p))
            return false;
        *room = words_add(out, (const char *)p, n);
        if (!*room)
            return false;
        p += n;
    }
    return p == end;
}

/* The chunk's record, decompressed; ENOTFOUND past the last one. */
static kedge_status open_chunk(store_txn *txn, kv_db db, const char *tag,
                               size_t chunk, frame_head *head, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    kv_frame f;
    uint8_t key[4];
    char what[64];

    snprintf(what, sizeof what, "%s of words %zu to %zu",
             db == DB_WORDS ? "text" : "counts", chunk * LEXICON_CHUNK,
             (chunk + 1) * LEXICON_CHUNK - 1);
    put_be32(key, (uint32_t)chunk);
    TRY(kv_get_frame(txn, (kv_key){db, key, 4}, tag, what, &f, err));
    TRY(frame_open(kv_scratch(txn), f.bytes, f.size, tag, what, head, err));
    if (head->x == 0 || head->x > LEXICON_CHUNK)
        TRY(kedge_fail(err, KEDGE_ECORRUPT, "%s is damaged (%u of them)", what,
                       head->x));
out:
    return st;
}

static kedge_status damaged(const words *w, const store_totals *t,
                            kedge_error *err)
{
    return kedge_fail(err, KEDGE_ECORRUPT,
                      "the vocabulary is damaged (%zu words of %" PRIu64
                      ", %zu bytes of %" PRIu64 ")", w->count, t->words,
                      words_bytes(w), t->word_bytes);
}

/* The caller had room for as many bytes as the totals tell: more are not read.
 * All chunks are full but the last. */
kedge_status store_get_words(store_txn *txn, words *out, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    store_totals totals;
    frame_head head;
    bool room = true;

    TRY(store_get_totals(txn, &totals, err));
    TRY_MEM(words_reserve(out, totals.words, totals.word_bytes) ? out : NULL);
    for (size_t chunk = 0;; chunk++) {
        st = open_chunk(txn, DB_WORDS, WORDS_TAG, chunk, &head, err);
        if (st == KEDGE_ENOTFOUND)
            break;
        TRY(st);
        if (out->count != chunk * LEXICON_CHUNK ||
            !decode_chunk(kv_scratch(txn)->plain, &head, out, &room)) {
            TRY_MEM(room ? out : NULL);
            TRY(kedge_fail(err, KEDGE_ECORRUPT,
                           "the vocabulary is damaged (chunk %zu)", chunk));
        }
        if (words_bytes(out) > totals.word_bytes)
            TRY(damaged(out, &totals, err));
    }
    st = KEDGE_OK;
    if (out->count != totals.words || words_bytes(out) != totals.word_bytes)
        TRY(damaged(out, &totals, err));
out:
    return st;
}

static int compare_ids(const void *left, const void *right, void *ids)
{
    const uint32_t *const id = ids;
    const uint32_t a = id[*(const uint32_t *)left];
    const uint32_t b = id[*(const uint32_t *)right];

    return (a > b) - (a < b);
}

/* Words of one chunk, from turn[*next] on. */
static kedge_status pick_of_chunk(store_txn *txn, const uint32_t *ids,
                                  const uint32_t *turn, size_t count,
                                  size_t *next, words *chunk, words *out,
                                  kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const size_t number = ids[turn[*next]] / LEXICON_CHUNK;
    frame_head head;
    bool room = true;

    TRY(open_chunk(txn, DB_WORDS, WORDS_TAG, number, &head, err));
    chunk->count = 0;
    if (!decode_chunk(kv_scratch(txn)->plain, &head, chunk, &room)) {
        TRY_MEM(room ? out : NULL);
        TRY(kedge_fail(err, KEDGE_ECORRUPT,
                       "the vocabulary is damaged (chunk %zu)", number));
    }
    for (; *next < count && ids[turn[*next]] / LEXICON_CHUNK == number;
         ++*next) {
        const size_t at = ids[turn[*next]] % LEXICON_CHUNK;
        if (at >= chunk->count)
            TRY(kedge_fail(err, KEDGE_ECORRUPT,
                           "the vocabulary has no word %" PRIu32,
                           ids[turn[*next]]));
        TRY_MEM(words_add(out, words_get(chunk, at), words_size(chunk, at))
                    ? out
                    : NULL);
    }
out:
    return st;
}

kedge_status store_pick_words(store_txn *txn, const uint32_t *ids, size_t count,
                              words *out, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    uint32_t *turn = NULL, *place = NULL;
    words chunk = {0}, found = {0}; /* the second by rising id */
    size_t next = 0;

    TRY_MEM(turn = mem_new(count, sizeof *turn));
    TRY_MEM(place = mem_new(count, sizeof *place));
    for (size_t i = 0; i < count; i++)
        turn[i] = (uint32_t)i;
    qsort_r(turn, count, sizeof *turn, compare_ids, (void *)ids);
    while (next < count)
        TRY(pick_of_chunk(txn, ids, turn, count, &next, &chunk, &found, err));
    for (size_t i = 0; i < count; i++)
        place[turn[i]] = (uint32_t)i;
    TRY_MEM(words_reserve(out, count, words_bytes(&found)) ? out : NULL);
    for (size_t i = 0; i < count; i++)
        TRY_MEM(words_add(out, words_get(&found, place[i]),
                          words_size(&found, place[i])) ? out : NULL);
out:
    words_free(&chunk);
    words_free(&found);
    mem_free(turn);
    mem_free(place);
    return st;
}

kedge_status store_load_words(store *s, store_totals *totals, words *out,
                              kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    store_txn *txn = NULL;

    TRY(store_begin_read(s, &txn, err));
    TRY(store_get_totals(txn, totals, err));
    TRY(store_get_words(txn, out, err));
out:
    store_abort(&txn);
    return st;
}

/* ---- counts -------------------------------------------------------------- */

kedge_status lexicon_encode_counts(store_frame *f, const char *tag,
                                   const uint64_t *tf, const uint64_t *df,
                                   size_t count, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    frame_head head = {.x = (uint32_t)count};
    uint8_t *to;

    TRY(frame_room(f, 2 * count * VARINT_MAX, err));
    to = f->plain;
    for (size_t i = 0; i < count; i++) {
        to = put_varint(to, tf[i]);
        to = put_varint(to, df[i]);
    }
    head.plain = (uint32_t)(to - f->plain);
    TRY(frame_close(f, tag, &head, FRAME_LEVEL, err));
out:
    return st;
}

kedge_status store_put_counts(store_txn *txn, const uint64_t *tf,
                              const uint64_t *df, size_t count,
                              kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    store_frame *f = kv_scratch(txn);
    uint8_t key[4];
    size_t first = 0;

    for (; first < count; first += LEXICON_CHUNK) {
        TRY(lexicon_encode_counts(f, COUNTS_TAG, tf + first, df + first,
                                  min_size(count - first, LEXICON_CHUNK),
                                  err));
        put_be32(key, (uint32_t)(first / LEXICON_CHUNK));
        TRY(kv_put_frame_changed(txn, (kv_key){DB_COUNTS, key, 4}, f, err));
    }
    put_be32(key, (uint32_t)(first / LEXICON_CHUNK));
    TRY(kv_drop_from(txn, (kv_key){DB_COUNTS, key, 4}, 0, err));
out:
    return st;
}

bool lexicon_decode_counts(const uint8_t *plain, const frame_head *head,
                           uint64_t *tf, uint64_t *df, size_t count)
{
    const uint8_t *p = plain, *const end = p + head->plain;
    uint64_t t, d;

    for (size_t i = 0; i < head->x; i++) {
        if (!get_varint(&p, end, &t) || !get_varint(&p, end, &d))
            return false;
        if (i < count) {
            tf[i] = t;
            df[i] = d;
        }
    }
    return p == end && head->x >= count;
}

kedge_status store_get_counts(store_txn *txn, uint64_t *tf, uint64_t *df,
                              size_t count, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    frame_head head;

    for (size_t first = 0; first < count; first += LEXICON_CHUNK) {
        const size_t chunk = first / LEXICON_CHUNK;
        TRY(open_chunk(txn, DB_COUNTS, COUNTS_TAG, chunk, &head, err));
        if (!lexicon_decode_counts(kv_scratch(txn)->plain, &head, tf + first,
                                   df + first,
                                   min_size(count - first, LEXICON_CHUNK)))
            TRY(kedge_fail(err, KEDGE_ECORRUPT,
                           "the counts of words are damaged (chunk %zu)",
                           chunk));
    }
out:
    return st;
}

/* ---- chunk by chunk ------------------------------------------------------ */

kedge_status lexicon_check_words(store_txn *txn, uint32_t chunk,
                                 uint32_t *count, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    words w = {0};
    frame_head head;
    bool room = true;

    TRY(open_chunk(txn, DB_WORDS, WORDS_TAG, chunk, &head, err));
    if (!decode_chunk(kv_scratch(txn)->plain, &head, &w, &room)) {
        TRY_MEM(room ? txn : NULL);
        TRY(kedge_fail(err, KEDGE_ECORRUPT,
                       "the vocabulary is damaged (chunk %u)", chunk));
    }
    *count = head.x;
out:
    words_free(&w);
    return st;
}

kedge_status lexicon_check_counts(store_txn *txn, uint32_t chunk,
                                  uint32_t *count, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    frame_head head;

    TRY(open_chunk(txn, DB_COUNTS, COUNTS_TAG, chunk, &head, err));
    if (!lexicon_decode_counts(kv_scratch(txn)->plain, &head, NULL, NULL, 0))
        TRY(kedge_fail(err, KEDGE_ECORRUPT,
                       "the counts of words are damaged (chunk %u)", chunk));
    *count = head.x;
out:
    return st;
}
