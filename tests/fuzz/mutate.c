/* SPDX-License-Identifier: MIT */
#include "mutate.h"

#include <string.h>

#include "base/bytes.h"
#include "base/hash.h"
#include "store/schema.h"

/* ---- decisions ----------------------------------------------------------- */

chance chance_of(const uint8_t *data, size_t size)
{
    return (chance){data, size, hash_bytes(size, data, size)};
}

uint64_t chance_below(chance *c, uint64_t n)
{
    const size_t take = n <= 256 ? 1 : n <= 65536 ? 2 : 8;
    uint64_t v = 0;

    if (n <= 1)
        return 0;
    if (c->size < take) {
        c->size = 0;
        return hash_mix(c->state += UINT64_C(0x9e3779b97f4a7c15)) % n;
    }
    for (size_t i = 0; i < take; i++)
        v = v << 8 | c->data[i];
    c->data += take;
    c->size -= take;
    return v % n;
}

static uint64_t bits_of(double v)
{
    uint64_t bits;

    memcpy(&bits, &v, sizeof bits);
    return bits;
}

uint64_t chance_number(chance *c, uint64_t old)
{
    static const uint64_t edges[] = {
        0, 1, 2, 3, 4, 7, 8, 15, 16, 17, 63, 64, 65, 127, 128, 255, 256, 257,
        1000, 2000, 2001, 4095, 4096, 4097, 8191, 8192, 8193, 10000, 10001,
        65535, 65536, 65537, 1 << 20, 0x7fffffff, 0x80000000, 0x80000001,
        0xfffffffe, 0xffffffff, UINT64_C(1) << 32, UINT64_C(1) << 33,
        UINT64_C(1) << 40, UINT64_C(1) << 53, (UINT64_C(1) << 61) - 1,
        UINT64_C(1) << 61, UINT64_C(1) << 62, (UINT64_C(1) << 63) - 1,
        UINT64_C(1) << 63, (UINT64_C(1) << 63) + 1, UINT64_MAX - 1, UINT64_MAX,
    };
    static const double reals[] = {-1.0, -0.0, 0.5, 1.0, 2.0, 1e-320, 1e300,
                                   -1e300, 1.0 / 0.0, -1.0 / 0.0, 0.0 / 0.0};

    switch (chance_below(c, 12)) {
    case 0:
        return old + 1;
    case 1:
        return old - 1;
    case 2:
        return old * 2;
    case 3:
        return old / 2;
    case 4:
        return ~old;
    case 5:
        return old ^ UINT64_C(1) << chance_below(c, 64);
    case 6:
        return bits_of(reals[chance_below(c, sizeof reals / sizeof *reals)]);
    case 7:
        return old + chance_below(c, 256);
    default:
        return edges[chance_below(c, sizeof edges / sizeof *edges)];
    }
}

/* ---- any bytes ----------------------------------------------------------- */

/* `size` bytes at `at` become `put` others. */
static void splice(bytes *b, size_t at, size_t size, const uint8_t *from,
                   size_t put)
{
    if (at + size > b->size || b->size - size + put > b->room)
        return;
    memmove(b->at + at + put, b->at + at + size, b->size - at - size);
    if (put > 0)
        memcpy(b->at + at, from, put);
    b->size = b->size - size + put;
}

static void change_varint(chance *c, bytes *b, size_t from)
{
    size_t at = from + (size_t)chance_below(c, b->size - from);
    const uint8_t *p, *const end = b->at + b->size;
    uint8_t other[VARINT_MAX];
    uint64_t v;

    while (at > from && b->at[at - 1] >= 0x80) /* to where one begins */
        at--;
    p = b->at + at;
    if (get_varint(&p, end, &v)) {
        const size_t was = (size_t)(p - b->at) - at;
        v = chance_number(c, v);
        splice(b, at, was, other, (size_t)(put_varint(other, v) - other));
    }
}

static void change_number(chance *c, bytes *b, size_t from, size_t width)
{
    const size_t count = (b->size - from) / width;
    uint8_t *at;

    if (count == 0)
        return;
    at = b->at + from + width * (size_t)chance_below(c, count);
    if (chance_below(c, 4) == 0 && count > 1) /* a neighbour's */
        memmove(at, b->at + from + width * (size_t)chance_below(c, count),
                width);
    else if (width == 4)
        put_u32(at, (uint32_t)chance_number(c, get_u32(at)));
    else
        put_u64(at, chance_number(c, get_u64(at)));
}

/* A double of those that lie in planes. */
static void change_plane(chance *c, bytes *b)
{
    const size_t n = b->size / 8;
    const size_t i = n == 0 ? 0 : (size_t)chance_below(c, n);
    const uint64_t v = chance_number(c, 0);

    for (size_t k = 0; n > 0 && k < 8; k++)
        b->at[k * n + i] = (uint8_t)(v >> (8 * k));
}

static void change_bytes(chance *c, bytes *b, size_t from)
{
    static const uint8_t odd[] = {0, 1, 2, 7, 9, 0x1b, '"', '<', 0x7f, 0x80,
                                  0xc0, 0xfe, 0xff};
    const size_t at = from + (size_t)chance_below(c, b->size - from + 1);
    const size_t left = b->size - at;
    uint8_t more[16];

    switch (chance_below(c, 6)) {
    case 0: /* some go */
        splice(b, at, left == 0 ? 0 : (size_t)chance_below(c, left) + 1, NULL,
               0);
        break;
    case 1: /* some come */
        memset(more, odd[chance_below(c, sizeof odd)], sizeof more);
        splice(b, at, 0, more, (size_t)chance_below(c, sizeof more) + 1);
        break;
    case 2: /* a run of one */
        memset(b->at + at, odd[chance_below(c, sizeof odd)],
               left == 0 ? 0 : (size_t)chance_below(c, left) + 1);
        break;
    case 3:
        if (left > 0)
            b->at[at] ^= (uint8_t)(1 << chance_below(c, 8));
        break;
    default:
        if (left > 0)
            b->at[at] = odd[chance_below(c, sizeof odd)];
    }
}

static void change(chance *c, bytes *b, size_t from)
{
    if (b->size <= from)
        return;
    switch (chance_below(c, 5)) {
    case 0:
        change_varint(c, b, from);
        break;
    case 1:
        change_number(c, b, from, 8);
        break;
    case 2:
        change_number(c, b, from, 4);
        break;
    default:
        change_bytes(c, b, from);
    }
}

void mutate_bytes(chance *c, bytes *b, uint64_t times)
{
    for (; times > 0; times--)
        change_bytes(c, b, 0);
}

/* ---- small records ------------------------------------------------------- */

/* Fields that are in use: of the others, and of texts, one is soon known. */
static void change_field(chance *c, bytes *body)
{
    for (int i = 0; i < 8; i++) {
        const size_t at = 8 * (size_t)chance_below(c, body->size / 8);
        if (get_u64(body->at + at) != 0 || i == 7) {
            put_u64(body->at + at,
                    chance_number(c, get_u64(body->at + at)));
            return;
        }
    }
}

void mutate_small(chance *c, bytes *record)
{
    bytes body = {record->at + RECORD_HEAD,
                  record->size - RECORD_SIZE(0),
                  record->room - RECORD_SIZE(0)};
    char tag[5] = "";
    uint64_t place;

    if (record->size <= RECORD_SIZE(8))
        return;
    memcpy(tag, record->at, 4);
    place = get_u64(record->at + 8);
    for (uint64_t n = 1 + chance_below(c, 3); n > 0; n--) {
        if (chance_below(c, 3) > 0 && body.size >= 8)
            change_field(c, &body);
        else
            change(c, &body, 0);
    }
    if (strcmp(tag, "KMOD") == 0 && body.size > 8) /* it has a hash within */
        put_u64(body.at + body.size - 8,
                hash_bytes(1, body.at, body.size - 8));
    record->size = RECORD_SIZE(body.size);
    record_seal(record->at, record->size, tag, place);
    if (chance_below(c, 64) == 0) { /* of another version */
        record->at[4] = 2;
        put_u64(record->at + record->size - RECORD_SUM,
                hash_bytes(RECORD_SEED, record->at,
                           record->size - RECORD_SUM));
    }
}

void mutate_id(chance *c, bytes *value, uint64_t place)
{
    change_number(c, &(bytes){value->at, 16, 16}, 0, 8);
    put_u64(value->at + 16, hash_bytes(place, value->at, 16));
}

/* ---- big records --------------------------------------------------------- */

static bool close_frame(store_frame *f, const char *tag,
                        const frame_head *head, bytes *record)
{
    if (frame_close(f, tag, head, FRAME_LEVEL_FAST, NULL) != KEDGE_OK ||
        f->size > record->room)
        return false;
    memcpy(record->at, f->bytes, f->size);
    record->size = f->size;
    return true;
}

/* What unpacks to much more than it is. */
static bool blow_up(chance *c, store_frame *f, frame_head *head, bytes *plain)
{
    const size_t size = (size_t)1 << (16 + chance_below(c, 11));

    uint8_t front[64];
    const size_t kept = plain->size < sizeof front ? plain->size : sizeof front;

    memcpy(front, plain->at, kept);
    if (frame_room(f, size, NULL) != KEDGE_OK)
        return false;
    memset(f->plain, (int)chance_below(c, 2), size);
    memcpy(f->plain, front, kept);
    head->y = (uint32_t)(chance_below(c, 2) == 0 ? size : size / 2 - 8);
    head->z = chance_below(c, 2) == 0 ? 0 : head->z;
    head->plain = (uint32_t)size;
    if (chance_below(c, 2) == 0)
        memset(f->plain, 0, 8);
    return true;
}

static void change_head(chance *c, frame_head *head)
{
    switch (chance_below(c, 4)) {
    case 0:
        head->extra = chance_number(c, head->extra);
        break;
    case 1:
        head->x = (uint32_t)chance_number(c, head->x);
        break;
    case 2:
        head->y = (uint32_t)chance_number(c, head->y);
        break;
    default:
        head->z = (uint32_t)chance_number(c, head->z);
    }
}

bool mutate_frame(chance *c, bytes *record)
{
    static const char planes[] = "KARR KSPC";
    store_frame f = {0};
    frame_head head;
    char tag[5] = "";
    bool done = false;
    bytes plain;

    memcpy(tag, record->at, 4);
    if (frame_open(&f, record->at, record->size, tag, "a record", &head,
                   NULL) != KEDGE_OK ||
        frame_room(&f, (size_t)head.plain + 256, NULL) != KEDGE_OK)
        goto out;
    if (frame_open(&f, record->at, record->size, tag, "a record", &head,
                   NULL) != KEDGE_OK)
        goto out;
    plain = (bytes){f.plain, head.plain, (size_t)head.plain + 200};
    if (chance_below(c, 300) == 0) {
        done = blow_up(c, &f, &head, &plain) &&
               close_frame(&f, tag, &head, record);
        goto out;
    }
    for (uint64_t n = 1 + chance_below(c, 3); n > 0; n--) {
        const uint64_t what = chance_below(c, 8);
        if (what == 0 || plain.size == 0)
            change_head(c, &head);
        else if (strstr(planes, tag) != NULL && what < 6)
            change_plane(c, &plain);
        else if (what < 5)
            change_varint(c, &plain, 0);
        else
            change(c, &plain, 0);
    }
    head.plain = (uint32_t)plain.size;
    done = close_frame(&f, tag, &head, record);
out:
    frame_free(&f);
    return done;
}

/* ---- sketch files -------------------------------------------------------- */

told told_of(chance *c, const bytes *first)
{
    told t = {.field = (unsigned)chance_below(c, 3)};
    store_frame f = {0};
    frame_head head;

    if (frame_open(&f, first->at, first->size, "KPAR", "a record", &head,
                   NULL) == KEDGE_OK)
        t.was = get_u64(f.plain + 8 * t.field);
    t.is = chance_number(c, t.was);
    frame_free(&f);
    return t;
}

/* The first word's tf or df. */
static void change_told_word(const told *t, bytes *plain)
{
    const uint8_t *p = plain->at;
    uint8_t other[VARINT_MAX];
    uint64_t v = 0;
    size_t at = 0;

    for (unsigned i = 0; i <= t->field; i++) {
        at = (size_t)(p - plain->at);
        if (!get_varint(&p, plain->at + plain->size, &v))
            return;
    }
    splice(plain, at, (size_t)(p - plain->at) - at, other,
           (size_t)(put_varint(other, v + t->is - t->was) - other));
}

bool mutate_told(const told *t, bytes *record)
{
    store_frame f = {0};
    frame_head head;
    char tag[5] = "";
    bool done = false;
    bytes plain;

    memcpy(tag, record->at, 4);
    if (strstr("KPAR KPRT KVIE KWRD", tag) == NULL)
        return true;
    if (frame_open(&f, record->at, record->size, tag, "a record", &head,
                   NULL) != KEDGE_OK ||
        frame_room(&f, (size_t)head.plain + VARINT_MAX, NULL) != KEDGE_OK ||
        frame_open(&f, record->at, record->size, tag, "a record", &head,
                   NULL) != KEDGE_OK)
        goto out;
    plain = (bytes){f.plain, head.plain, (size_t)head.plain + VARINT_MAX};
    if (strcmp(tag, "KWRD") != 0)
        for (size_t i = 0; i + 8 <= plain.size; i += 8)
            if (get_u64(plain.at + i) == t->was)
                put_u64(plain.at + i, t->is);
    if (strcmp(tag, "KWRD") == 0 && t->field > 0)
        change_told_word(t, &plain);
    head.plain = (uint32_t)plain.size;
    done = close_frame(&f, tag, &head, record);
out:
    frame_free(&f);
    return done;
}

/* ---- blocks -------------------------------------------------------------- */

static void change_document(chance *c, docs *d, uint32_t *source)
{
    const size_t m = (size_t)chance_below(c, d->count);
    const size_t n = d->start[m + 1] - d->start[m];
    const size_t e =
        d->start[m] + (n == 0 ? 0 : (size_t)chance_below(c, n));
    const bool last = n > 0 && chance_below(c, 2) == 0;
    const uint32_t gone = (uint32_t)m;

    switch (chance_below(c, 8)) {
    case 0:
        d->position[m] = chance_number(c, d->position[m]);
        break;
    case 1:
        *source = (uint32_t)chance_number(c, *source);
        break;
    case 2:
        if (d->count > 1)
            docs_drop(d, 0, &gone, 1);
        break;
    case 3:
    case 4:
        if (n > 0)
            d->tally[e] = (uint32_t)chance_number(c, d->tally[e]);
        break;
    default:
        if (n > 0) { /* the last one can be any that is larger */
            const size_t at = last ? d->start[m + 1] - 1 : e;
            d->word[at] = (uint32_t)chance_number(c, d->word[at]);
        }
    }
}

bool mutate_block(chance *c, bytes *record)
{
    static const uint32_t symbol[] = {1};
    store_frame f = {0};
    uint32_t source = 0;
    bool done = false, ordered;
    docs d = {0};

    if (store_block_decode(&f, 0, record->at, record->size, STORE_NO_LIMITS,
                           &source, &d, NULL) != KEDGE_OK)
        goto out;
    ordered = (f.plain[4] & 2) != 0;
    for (uint64_t n = 1 + chance_below(c, 2); n > 0; n--)
        change_document(c, &d, &source);
    if (ordered && !docs_push_order(&d, symbol, 1)) /* it still says so */
        goto out;
    if (store_block_encode(&f, source, &d, 0, d.count, NULL) != KEDGE_OK ||
        f.size > record->room)
        goto out;
    memcpy(record->at, f.bytes, f.size);
    record->size = f.size;
    done = true;
out:
    frame_free(&f);
    docs_free(&d);
    return done;
}
