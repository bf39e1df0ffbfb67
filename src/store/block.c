/* SPDX-License-Identifier: MIT */
/*
 * Blocks of documents. Before compression a block is streams, each of one kind
 * of number, since like numbers compress better side by side:
 *
 *   u32      bytes of the stream of words
 *   u8       1 when documents have ids or labels, plus 2 when the order of
 *            words is in a second record
 *   varints  positions: count - 1 steps, less one each (the head has the first)
 *   varints  entries of each document
 *   named:   varints: bytes of each id; varints: bytes of each label; the ids;
 *            the labels
 *   varints  words: of each document the first id, then steps less one
 *   varints  tallies, less one each
 *
 * Most words take one or two bytes and most tallies are a byte of zero.
 *
 * The order of words lies in a record of its own, as most readers count words
 * and have no use for it:
 *
 *   varints  symbols of each document, 0: it has no order
 *   varints  the symbols: 0 for a break, else a word's place in the document,
 *            from 1
 *
 * Common words have low ids, so most symbols are small.
 */
#include <assert.h>
#include <inttypes.h>

#include "base/bytes.h"
#include "base/mem.h"
#include "store/records.h"

#define BLOCK_TAG "KBLK"
#define ORDER_TAG "KORD"

enum { VARINT32_MAX = 5, BLOCK_FRONT = 5 };

/* What the byte says. */
enum { BLOCK_NAMED = 1, BLOCK_ORDERED = 2 };

void store_block_free(store_block *b)
{
    frame_free(b);
}

void store_order_free(store_order *o)
{
    frame_free(o);
}

/* ---- encoding ------------------------------------------------------------ */

/* Bytes of all ids and labels. */
static size_t names_size(const docs *d, size_t from, size_t end)
{
    return d->name_at[2 * end] - d->name_at[2 * from];
}

static uint8_t *put_span(uint8_t *to, span s)
{
    if (s.size > 0)
        memcpy(to, s.bytes, s.size);
    return to + s.size;
}

/* All streams, of documents from .. end - 1, into a room for them. */
static uint8_t *encode_streams(uint8_t *plain, const docs *d, size_t from,
                               size_t end)
{
    const bool named = names_size(d, from, end) > 0;
    const bool ordered = d->order_at[end] > d->order_at[from];
    uint8_t *word, *to = plain + BLOCK_FRONT;

    for (size_t i = from + 1; i < end; i++)
        to = put_varint(to, d->position[i] - d->position[i - 1] - 1);
    for (size_t i = from; i < end; i++)
        to = put_varint(to, d->start[i + 1] - d->start[i]);
    for (size_t i = from; named && i < end; i++)
        to = put_varint(to, docs_id(d, i).size);
    for (size_t i = from; named && i < end; i++)
        to = put_varint(to, docs_label(d, i).size);
    for (size_t i = from; named && i < end; i++)
        to = put_span(to, docs_id(d, i));
    for (size_t i = from; named && i < end; i++)
        to = put_span(to, docs_label(d, i));
    word = to;
    for (size_t i = from; i < end; i++)
        to = rising_put(to, d->word + d->start[i],
                        d->start[i + 1] - d->start[i]);
    put_u32(plain, (uint32_t)(to - word));
    plain[4] = (uint8_t)((named ? BLOCK_NAMED : 0) |
                         (ordered ? BLOCK_ORDERED : 0));
    for (size_t e = d->start[from]; e < d->start[end]; e++)
        to = put_varint(to, d->tally[e] - 1);
    return to;
}

kedge_status store_block_encode(store_block *b, uint32_t source, const docs *d,
                                size_t from, size_t count, kedge_error *err)
{
    const size_t end = from + count;
    const size_t entries = d->start[end] - d->start[from];
    const size_t last = d->start[end] - d->start[end - 1];
    size_t size;

    assert(count > 0 && end <= d->count);
    if (count > STORE_BLOCK_DOCUMENTS || entries - last > STORE_BLOCK_ENTRIES)
        return kedge_fail(err, KEDGE_EINVAL,
                          "%zu documents of %zu entries are "
                          "too many for one block",
                          count, entries);
    for (size_t i = from; i < end; i++)
        if (docs_id(d, i).size > STORE_ID_MAX)
            PASS(kedge_fail(err, KEDGE_EINVAL,
                            "document %" PRIu64 " has an id of %zu bytes, "
                            "more than %d", d->position[i], docs_id(d, i).size,
                            STORE_ID_MAX));
    PASS(frame_room(b, BLOCK_FRONT + count * (3 * VARINT_MAX + VARINT32_MAX) +
                           names_size(d, from, end) +
                           entries * 2 * VARINT32_MAX, err));
    size = (size_t)(encode_streams(b->plain, d, from, end) - b->plain);
    if (size > FRAME_PLAIN_MAX)
        PASS(kedge_fail(err, KEDGE_EINVAL,
                        "documents %" PRIu64 " to %" PRIu64 " are too big for "
                        "one block", d->position[from], d->position[end - 1]));
    return frame_close(b, BLOCK_TAG,
                       &(frame_head){.extra = d->position[from], .x = source,
                                     .y = (uint32_t)count,
                                     .z = (uint32_t)entries,
                                     .plain = (uint32_t)size},
                       FRAME_LEVEL, err);
}

kedge_status store_order_encode(store_order *o, const docs *d, size_t from,
                                size_t count, kedge_error *err)
{
    const size_t first = d->order_at[from], end = d->order_at[from + count];
    uint8_t *to;

    o->size = 0;
    if (first == end)
        return KEDGE_OK;
    PASS(frame_room(o, (count + end - first) * VARINT32_MAX, err));
    to = o->plain;
    for (size_t m = from; m < from + count; m++)
        to = put_varint(to, docs_order_size(d, m));
    for (size_t i = first; i < end; i++)
        to = put_varint(to, d->order[i]);
    if (to - o->plain > FRAME_PLAIN_MAX)
        PASS(kedge_fail(err, KEDGE_EINVAL,
                        "documents %" PRIu64 " to %" PRIu64 " are too long for "
                        "one record", d->position[from],
                        d->position[from + count - 1]));
    return frame_close(o, ORDER_TAG,
                       &(frame_head){.x = (uint32_t)count,
                                     .y = (uint32_t)(end - first),
                                     .plain = (uint32_t)(to - o->plain)},
                       FRAME_LEVEL, err);
}

/* ---- decoding ------------------------------------------------------------ */

typedef struct stream {
    const uint8_t *at, *end;
} stream;

/* The streams of a block; of names only where it has some. */
typedef struct streams {
    stream position, entry, id_size, label_size, id, label, word, tally;
} streams;

/* The next `count` numbers as a stream of their own. */
static bool cut_numbers(stream *from, size_t count, stream *out)
{
    uint64_t v;

    out->at = from->at;
    for (size_t i = 0; i < count; i++)
        if (!get_varint(&from->at, from->end, &v))
            return false;
    out->end = from->at;
    return true;
}

/* As many bytes as these sizes add up to. */
static bool cut_bytes(stream *from, stream sizes, stream *out)
{
    uint64_t n;

    out->at = from->at;
    while (get_varint(&sizes.at, sizes.end, &n)) {
        if (n > (uint64_t)(from->end - from->at))
            return false;
        from->at += n;
    }
    out->end = from->at;
    return true;
}

/* Finds the streams; each has a byte for a number at least, so hostile counts
 * end here. */
static bool cut_streams(streams *r, const uint8_t *plain,
                        const frame_head *head)
{
    stream rest = {plain + BLOCK_FRONT, plain + head->plain};
    const size_t count = head->y;
    size_t size, left;

    *r = (streams){0};
    if (head->plain < BLOCK_FRONT || count == 0 ||
        plain[4] > (BLOCK_NAMED | BLOCK_ORDERED) ||
        !cut_numbers(&rest, count - 1, &r->position) ||
        !cut_numbers(&rest, count, &r->entry))
        return false;
    if ((plain[4] & BLOCK_NAMED) != 0 &&
        (!cut_numbers(&rest, count, &r->id_size) ||
         !cut_numbers(&rest, count, &r->label_size) ||
         !cut_bytes(&rest, r->id_size, &r->id) ||
         !cut_bytes(&rest, r->label_size, &r->label)))
        return false;
    size = get_u32(plain);
    left = (size_t)(rest.end - rest.at);
    if (size > left || size < head->z || left - size < head->z)
        return false;
    r->word = (stream){rest.at, rest.at + size};
    r->tally = (stream){rest.at + size, rest.end};
    return true;
}

/* Of those that were cut, so it is there. */
static uint64_t next_number(stream *from)
{
    uint64_t v = 0;

    return get_varint(&from->at, from->end, &v) ? v : 0;
}

static span next_span(stream *from, uint64_t size)
{
    const span s = span_of((const char *)from->at, size);

    from->at += size;
    return s;
}

/* ECORRUPT for numbers that no encoder writes; ENOMEM. */
static kedge_status read_entries(streams *r, uint64_t entries, uint64_t limit,
                                 docs *out)
{
    uint64_t next = 0, step, more;

    for (uint64_t e = 0; e < entries; e++) {
        if (!get_varint(&r->word.at, r->word.end, &step) ||
            !get_varint(&r->tally.at, r->tally.end, &more) ||
            step > UINT32_MAX || next + step > UINT32_MAX ||
            next + step >= limit || more >= UINT32_MAX)
            return KEDGE_ECORRUPT;
        if (!docs_push(out, (uint32_t)(next + step), (uint32_t)more + 1))
            return KEDGE_ENOMEM;
        next += step + 1;
    }
    return KEDGE_OK;
}

/* What a document is worked on for follows its tallies, and a few bytes could
 * ask for years of it. No writer takes a document, or goes on with a block,
 * that comes to more entries in pieces. */
static bool pieces_fit(const docs *d, size_t from)
{
    size_t entries = 0, last = 0;

    for (size_t m = from; m < d->count; m++) {
        last = docs_cut_entries(d, m, STORE_PIECE_TOKENS);
        if (m + 1 < d->count && (entries += last) > STORE_BLOCK_ENTRIES)
            return false;
    }
    return last <= STORE_DOCUMENT_ENTRIES;
}

static kedge_status read_documents(const uint8_t *plain, const frame_head *head,
                                   uint64_t limit, docs *out)
{
    uint64_t position = head->extra, left = head->z;
    const size_t before = out->count;
    streams r;

    if (!cut_streams(&r, plain, head))
        return KEDGE_ECORRUPT;
    for (uint32_t i = 0; i < head->y; i++) {
        if (i > 0) {
            const uint64_t step = next_number(&r.position);
            if (step >= UINT64_MAX - position)
                return KEDGE_ECORRUPT;
            position += step + 1;
        }
        const uint64_t entries = next_number(&r.entry);
        if (entries > left)
            return KEDGE_ECORRUPT;
        left -= entries;
        if (!docs_begin(out, position))
            return KEDGE_ENOMEM;
        if (r.id_size.at != NULL) {
            const uint64_t id = next_number(&r.id_size);
            const uint64_t label = next_number(&r.label_size);
            if (id > STORE_ID_MAX)
                return KEDGE_ECORRUPT;
            if (!docs_set_name(out, next_span(&r.id, id),
                               next_span(&r.label, label)))
                return KEDGE_ENOMEM;
        }
        PASS(read_entries(&r, entries, limit, out));
    }
    return left == 0 && r.word.at == r.word.end && r.tally.at == r.tally.end &&
                   pieces_fit(out, before)
               ? KEDGE_OK
               : KEDGE_ECORRUPT;
}

/* What no writer makes, before memory is taken for it. */
static kedge_status check_size(const frame_head *head, kv_key key,
                               const store_limits *limits, kedge_error *err)
{
    if (get_be64(key.bytes) >= limits->blocks)
        return kv_damaged(key, err, "there are %" PRIu64 " blocks",
                          limits->blocks);
    if (head->x >= limits->sources)
        return kv_damaged(key, err, "source %u of %" PRIu64, head->x,
                          limits->sources);
    if (head->y > STORE_BLOCK_DOCUMENTS ||
        (head->z > STORE_BLOCK_ENTRIES &&
         head->z - STORE_BLOCK_ENTRIES > limits->words))
        return kv_damaged(key, err, "%u documents of %u entries", head->y,
                          head->z);
    return KEDGE_OK;
}

kedge_status store_block_decode(store_block *scratch, uint64_t number,
                                const uint8_t *bytes, size_t size,
                                const store_limits *limits, uint32_t *source,
                                docs *out, kedge_error *err)
{
    const kv_key key = KV_KEY8(DB_BLOCKS, number);
    const size_t before = out->count;
    char what[KV_NAME_MOST];
    kedge_status st;
    frame_head head;

    kv_name(key, what);
    TRY(frame_peek(bytes, size, BLOCK_TAG, what, &head, err));
    TRY(check_size(&head, key, limits, err));
    TRY(frame_open(scratch, bytes, size, BLOCK_TAG, what, &head, err));
    st = read_documents(scratch->plain, &head, limits->words, out);
    if (st != KEDGE_OK)
        out->count = before;
    TRY_MEM(st == KEDGE_ENOMEM ? NULL : scratch);
    if (st != KEDGE_OK)
        TRY(kv_damaged(key, err, "its documents"));
    *source = head.x;
out:
    return st;
}

bool block_has_order(const store_block *decoded)
{
    return (decoded->plain[4] & BLOCK_ORDERED) != 0;
}

/* False for numbers that no encoder writes. */
static bool read_symbols(stream from, uint64_t symbols, docs *d, size_t first)
{
    uint64_t at = d->order_at[first], v;

    symbols += at;
    for (size_t m = first; m < d->count; m++) {
        if (!get_varint(&from.at, from.end, &v) || v > symbols - at ||
            v > DOCS_ORDER_MOST)
            return false;
        d->order_at[m + 1] = at += v;
    }
    for (size_t m = first; m < d->count && at == symbols; m++)
        for (size_t i = d->order_at[m]; i < d->order_at[m + 1]; i++) {
            if (!get_varint(&from.at, from.end, &v) ||
                v > d->start[m + 1] - d->start[m])
                return false;
            d->order[i] = (uint32_t)v;
        }
    return at == symbols && from.at == from.end;
}

kedge_status store_order_decode(store_order *scratch,
                                const store_block *decoded, uint64_t block,
                                span record, docs *d, size_t first,
                                kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const uint8_t *const bytes = (const uint8_t *)record.bytes, *plain;
    const kv_key key = KV_KEY8(DB_ORDERS, block);
    frame_head head;
    char what[KV_NAME_MOST];

    kv_name(key, what);
    if (block_has_order(decoded) != (bytes != NULL))
        TRY(kedge_fail(err, KEDGE_ECORRUPT, "%s is %s", what,
                       bytes == NULL ? "lost" : "of another block"));
    if (bytes == NULL)
        return KEDGE_OK;
    TRY(frame_peek(bytes, record.size, ORDER_TAG, what, &head, err));
    if (head.extra != 0 || head.z != 0 || head.x != d->count - first ||
        head.y > head.plain || head.y > STORE_BLOCK_SYMBOLS + DOCS_ORDER_MOST)
        TRY(kv_damaged(key, err, "its size"));
    TRY(frame_open(scratch, bytes, record.size, ORDER_TAG, what, &head, err));
    TRY_GROW(d->order, d->order_capacity, d->order_at[first] + head.y + 1);
    plain = scratch->plain;
    if (!read_symbols((stream){plain, plain + head.plain}, head.y, d, first)) {
        for (size_t m = first; m < d->count; m++)
            d->order_at[m + 1] = d->order_at[first];
        TRY(kv_damaged(key, err, "its words"));
    }
out:
    return st;
}

/* ---- in the store -------------------------------------------------------- */

kedge_status store_put_block(store_txn *txn, uint64_t number,
                             const store_block *b, kedge_error *err)
{
    PASS(ledger_raise(txn, &(store_limits){.blocks = number + 1}, err));
    return kv_put_frame(txn, KV_KEY8(DB_BLOCKS, number), b, NULL, err);
}

kedge_status store_put_order(store_txn *txn, uint64_t block,
                             const store_order *o, kedge_error *err)
{
    return kv_put_frame(txn, KV_KEY8(DB_ORDERS, block), o, NULL, err);
}

static kedge_status find_block(store_txn *txn, uint64_t number, kv_frame *out,
                               kedge_error *err)
{
    return kv_get_frame(txn, KV_KEY8(DB_BLOCKS, number), BLOCK_TAG, out, err);
}

kedge_status store_get_block(store_txn *txn, uint64_t number,
                             const uint8_t **bytes, size_t *size,
                             kedge_error *err)
{
    kv_frame f = {0};
    const kedge_status st = find_block(txn, number, &f, err);

    *bytes = f.bytes;
    *size = f.size;
    return st;
}

kedge_status store_get_order(store_txn *txn, uint64_t block, span *record,
                             kedge_error *err)
{
    kv_frame found = {0};
    const kedge_status st = kv_get_frame(txn, KV_KEY8(DB_ORDERS, block),
                                         ORDER_TAG, &found, err);

    *record = st == KEDGE_OK ? span_of((const char *)found.bytes, found.size)
                             : span_of(NULL, 0);
    return st == KEDGE_ENOTFOUND ? KEDGE_OK : st;
}

kedge_status store_read_block(store_txn *txn, uint64_t number,
                              store_block *scratch, store_order *order,
                              uint32_t *source, docs *out, kedge_error *err)
{
    const size_t first = out->count;
    const uint8_t *bytes;
    store_limits limits;
    size_t size;
    span record;

    PASS(store_get_limits(txn, &limits, err));
    PASS(store_get_block(txn, number, &bytes, &size, err));
    PASS(store_block_decode(scratch, number, bytes, size, &limits, source, out,
                            err));
    if (order == NULL)
        return KEDGE_OK;
    PASS(store_get_order(txn, number, &record, err));
    return store_order_decode(order, scratch, number, record, out, first, err);
}

kedge_status store_next_block(store_txn *txn, uint64_t from, uint64_t end,
                              uint64_t *number, kedge_error *err)
{
    uint8_t found[KV_KEY_MAX];
    kedge_status st;
    size_t size;

    *number = end;
    if (from >= end)
        return kv_need(txn, false, err);
    st = kv_seek(txn, KV_KEY8(DB_BLOCKS, from), found, &size, err);
    if (st == KEDGE_OK && size != 8)
        return kedge_fail(err, KEDGE_ECORRUPT, "a block's number is damaged");
    if (st == KEDGE_OK && get_be64(found) < end)
        *number = get_be64(found);
    return st == KEDGE_ENOTFOUND ? KEDGE_OK : st;
}

kedge_status store_largest_block(store_txn *txn, uint64_t blocks,
                                 store_block_size *out, kedge_error *err)
{
    kv_frame f;

    *out = (store_block_size){0};
    for (uint64_t b = 0;; b++) {
        PASS(store_next_block(txn, b, blocks, &b, err));
        if (b == blocks)
            break;
        PASS(find_block(txn, b, &f, err));
        out->documents = greater(out->documents, f.head.y);
        out->entries = greater(out->entries, f.head.z);
        out->bytes = greater(out->bytes, f.head.plain);
        out->stored += f.size;
    }
    return KEDGE_OK;
}

kedge_status store_count_blocks(store_txn *txn, uint64_t *out, kedge_error *err)
{
    return kv_count(txn, DB_BLOCKS, out, err);
}

kedge_status block_documents(store_txn *txn, uint64_t number, uint32_t *count,
                             kedge_error *err)
{
    kv_frame f = {0};
    const kedge_status st = find_block(txn, number, &f, err);

    *count = f.head.y;
    return st;
}

kedge_status store_count_block(store_txn *txn, uint64_t number,
                               store_gone *scratch, uint64_t *count,
                               kedge_error *err)
{
    uint32_t documents;
    const kedge_status st = block_documents(txn, number, &documents, err);

    *count = 0;
    if (st != KEDGE_OK)
        return st == KEDGE_ENOTFOUND ? KEDGE_OK : st;
    PASS(store_get_gone(txn, number, scratch, err));
    *count = documents - scratch->count;
    return KEDGE_OK;
}

kedge_status store_drop_block(store_txn *txn, uint64_t number, kedge_error *err)
{
    PASS(kv_drop(txn, KV_KEY8(DB_BLOCKS, number), err));
    PASS(kv_drop(txn, KV_KEY8(DB_ORDERS, number), err));
    return kv_drop(txn, KV_KEY8(DB_GONE, number), err);
}

kedge_status store_replace_block(store_txn *txn, uint64_t number,
                                 const store_block *b, kedge_error *err)
{
    kv_frame old;

    PASS(find_block(txn, number, &old, err));
    PASS(store_drop_block(txn, number, err));
    return store_put_block(txn, number, b, err);
}
