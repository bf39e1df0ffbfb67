/* SPDX-License-Identifier: MIT */
#include "pipeline/parts/partfile.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/bytes.h"
#include "base/compare.h"
#include "base/fail.h"
#include "base/mem.h"
#include "sketch/statistic.h"

#define FACTS_TAG "KPAR"
#define CUT_TAG   "KSET"
#define PARTS_TAG "KPRT"
#define VIEWS_TAG "KVIE"
#define WORDS_TAG "KWRD"
#define LIST_TAG  "KLST"

/* Words and places in a record. */
#define WORDS_CHUNK ((size_t)4096)
#define LIST_CHUNK  ((size_t)65536)

enum { NAME_SIZE = 64, STEMMER_SIZE = 32, STOPWORDS_SIZE = 96, RULE_SIZE = 160,
       FACTS_FIELDS = 9, FACTS_SIZE = 8 * FACTS_FIELDS,
       CUT_FIELDS = 5, STEMMER_AT = 8 * CUT_FIELDS,
       STOPWORDS_AT = STEMMER_AT + STEMMER_SIZE,
       CUT_SIZE = STOPWORDS_AT + STOPWORDS_SIZE,
       PART_FIELDS = 5, PART_SIZE = NAME_SIZE + 8 * PART_FIELDS,
       VIEW_FIELDS = 12, VIEW_SIZE = 8 * VIEW_FIELDS + RULE_SIZE };

void partfile_free(partfile_facts *f)
{
    text_settings_free(&f->tokenizing);
    mem_free(f->part);
    mem_free(f->view);
    *f = (partfile_facts){0};
}

/* Of all words of a part: more is damage, and sums with it would overflow. */
#define WORD_BYTES_MOST (UINT64_C(1) << 40)

static void put_fields(uint8_t *to, const uint64_t *fields, size_t count)
{
    for (size_t i = 0; i < count; i++)
        put_u64(to + 8 * i, fields[i]);
}

static void get_fields(const uint8_t *from, uint64_t *fields, size_t count)
{
    for (size_t i = 0; i < count; i++)
        fields[i] = get_u64(from + 8 * i);
}

/* A text in a room of so many bytes, with zeros after it, one at least. */
static void put_text(uint8_t *to, const char *text, size_t room)
{
    const size_t size = strnlen(text, room - 1);

    memset(to, 0, room);
    memcpy(to, text, size);
}

static bool get_text(const uint8_t *from, char *text, size_t room)
{
    memcpy(text, from, room);
    return text[room - 1] == '\0';
}

static kedge_status damaged(const char *what, kedge_error *err)
{
    return kedge_fail(err, KEDGE_EFORMAT, "it is damaged (%s)", what);
}

/* ---- the totals ---------------------------------------------------------- */

static kedge_status put_totals(parcel_out *to, const partfile_facts *f,
                               kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const uint64_t fields[FACTS_FIELDS] = {
        f->documents, f->tokens, f->nonzeros,   f->digest[0], f->digest[1],
        f->words,     f->word_bytes, f->parts,  f->views,
    };
    uint8_t *plain;

    TRY(parcel_room(to, FACTS_SIZE, &plain, err));
    put_fields(plain, fields, FACTS_FIELDS);
    TRY(parcel_put(to, FACTS_TAG, 1, FACTS_SIZE, err));
out:
    return st;
}

static kedge_status get_totals(parcel_in *from, partfile_facts *f,
                               kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    uint64_t t[FACTS_FIELDS];
    const uint8_t *plain;
    uint32_t things;
    size_t size;

    TRY(parcel_next(from, FACTS_TAG, &things, &plain, &size, err));
    if (size != FACTS_SIZE)
        TRY(damaged("its totals", err));
    get_fields(plain, t, FACTS_FIELDS);
    if (t[5] >= UINT32_MAX || t[6] > WORD_BYTES_MOST ||
        t[7] > PARTFILE_PARTS_MOST || t[8] > PARTFILE_VIEWS_MOST)
        TRY(damaged("its totals", err));
    if ((t[0] == 0) != (t[7] == 0) ||
        (t[0] == 0 && (t[1] | t[2] | t[5] | t[6] | t[8]) != 0))
        TRY(damaged("its totals", err));
    *f = (partfile_facts){.documents = t[0], .tokens = t[1],
                          .nonzeros = t[2], .digest = {t[3], t[4]},
                          .words = t[5], .word_bytes = t[6],
                          .parts = t[7], .views = t[8]};
out:
    return st;
}

/* ---- how texts were cut -------------------------------------------------- */

static kedge_status put_cutting(parcel_out *to, const text_settings *c,
                                kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const store_settings *const t = &c->settings;
    const size_t bytes = words_bytes(&c->stop);
    const uint64_t fields[CUT_FIELDS] = {t->texts, t->digits, t->shortest,
                                         t->longest, c->stop.count};
    uint8_t *plain;

    TRY(parcel_room(to, CUT_SIZE + bytes, &plain, err));
    put_fields(plain, fields, CUT_FIELDS);
    put_text(plain + STEMMER_AT, t->stemmer, STEMMER_SIZE);
    put_text(plain + STOPWORDS_AT, t->stopwords, STOPWORDS_SIZE);
    if (bytes > 0)
        memcpy(plain + CUT_SIZE, c->stop.bytes, bytes);
    TRY(parcel_put(to, CUT_TAG, 1, CUT_SIZE + bytes, err));
out:
    return st;
}

/* Words with a zero behind each. */
static kedge_status get_stop(const uint8_t *at, size_t size, uint64_t count,
                             words *out, kedge_error *err)
{
    const uint8_t *const end = at + size;

    for (; at < end; count--) {
        const uint8_t *const zero = memchr(at, 0, (size_t)(end - at));
        if (zero == NULL || zero == at || count == 0)
            return damaged("its stop words", err);
        if (!words_add(out, (const char *)at, (size_t)(zero - at)))
            return kedge_fail(err, KEDGE_ENOMEM, "out of memory (words)");
        at = zero + 1;
    }
    return count == 0 ? KEDGE_OK : damaged("its stop words", err);
}

static kedge_status get_cutting(parcel_in *from, text_settings *c,
                                kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    uint64_t t[CUT_FIELDS];
    const uint8_t *plain;
    uint32_t things;
    size_t size;

    TRY(parcel_next(from, CUT_TAG, &things, &plain, &size, err));
    if (size < CUT_SIZE)
        TRY(damaged("its settings", err));
    get_fields(plain, t, CUT_FIELDS);
    c->settings = (store_settings){.texts = t[0] == 1, .digits = t[1] == 1,
                                   .shortest = t[2], .longest = t[3],
                                   .stop_count = t[4]};
    if (t[0] > 1 || t[1] > 1 ||
        !get_text(plain + STEMMER_AT, c->settings.stemmer, STEMMER_SIZE) ||
        !get_text(plain + STOPWORDS_AT, c->settings.stopwords,
                  STOPWORDS_SIZE))
        TRY(damaged("its settings", err));
    TRY(get_stop(plain + CUT_SIZE, size - CUT_SIZE, t[4], &c->stop, err));
out:
    return st;
}

/* ---- parts --------------------------------------------------------------- */

static kedge_status put_parts(parcel_out *to, const partfile_facts *f,
                              kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    uint8_t *plain;

    TRY(parcel_room(to, f->parts * PART_SIZE, &plain, err));
    for (size_t i = 0; i < f->parts; i++, plain += PART_SIZE) {
        const store_part *const p = &f->part[i];
        const uint64_t fields[PART_FIELDS] = {p->digest[0], p->digest[1],
                                              p->documents, p->tokens,
                                              p->nonzeros};
        put_text(plain, p->name, NAME_SIZE);
        put_fields(plain + NAME_SIZE, fields, PART_FIELDS);
    }
    TRY(parcel_put(to, PARTS_TAG, (uint32_t)f->parts, f->parts * PART_SIZE,
                   err));
out:
    return st;
}

/* What is the store's own is what parts leave of its totals. */
static bool parts_add_up(const partfile_facts *f)
{
    store_part sum = {.documents = 0};

    for (size_t i = 0; i < f->parts; i++) {
        sum.documents += f->part[i].documents;
        sum.tokens += f->part[i].tokens;
        sum.nonzeros += f->part[i].nonzeros;
        sum.digest[0] += f->part[i].digest[0];
        sum.digest[1] += f->part[i].digest[1];
    }
    return sum.documents == f->documents && sum.tokens == f->tokens &&
           sum.nonzeros == f->nonzeros && sum.digest[0] == f->digest[0] &&
           sum.digest[1] == f->digest[1];
}

static kedge_status get_parts(parcel_in *from, partfile_facts *f,
                              kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const uint8_t *plain;
    uint32_t things;
    size_t size;

    TRY(parcel_next(from, PARTS_TAG, &things, &plain, &size, err));
    if (things != f->parts || size != f->parts * PART_SIZE)
        TRY(damaged("its parts", err));
    TRY_MEM(f->part = mem_new(f->parts, sizeof *f->part));
    for (size_t i = 0; i < f->parts; i++, plain += PART_SIZE) {
        store_part *const p = &f->part[i];
        uint64_t t[PART_FIELDS];
        get_fields(plain + NAME_SIZE, t, PART_FIELDS);
        *p = (store_part){.digest = {t[0], t[1]}, .documents = t[2],
                          .tokens = t[3], .nonzeros = t[4]};
        if (!get_text(plain, p->name, NAME_SIZE) || p->name[0] == '\0')
            TRY(damaged("the name of a part", err));
    }
    if (!parts_add_up(f))
        TRY(damaged("the sums of its parts", err));
out:
    return st;
}

/* ---- views --------------------------------------------------------------- */

static kedge_status put_views(parcel_out *to, const partfile_facts *f,
                              kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    uint8_t *plain;

    TRY(parcel_room(to, f->views * VIEW_SIZE, &plain, err));
    for (size_t i = 0; i < f->views; i++, plain += VIEW_SIZE) {
        const store_view *const v = &f->view[i].view;
        const uint64_t fields[VIEW_FIELDS] = {
            f->view[i].number, v->statistic, v->weight_bits, v->value_bits,
            v->width,          v->seed,      v->min_tokens,  v->words,
            v->documents,      v->skipped,   v->tokens,      v->listed,
        };
        put_fields(plain, fields, VIEW_FIELDS);
        put_text(plain + 8 * VIEW_FIELDS, v->rule, RULE_SIZE);
    }
    TRY(parcel_put(to, VIEWS_TAG, (uint32_t)f->views, f->views * VIEW_SIZE,
                   err));
out:
    return st;
}

static kedge_status get_view(const uint8_t *from, uint64_t known,
                             partfile_view *out, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    uint64_t t[VIEW_FIELDS];

    get_fields(from, t, VIEW_FIELDS);
    out->number = (uint32_t)t[0];
    out->view = (store_view){
        .statistic = (uint32_t)t[1], .weight_bits = (uint32_t)t[2],
        .value_bits = (uint32_t)t[3], .width = t[4], .seed = t[5],
        .min_tokens = t[6], .words = t[7], .documents = t[8],
        .skipped = t[9], .tokens = t[10], .listed = t[11] == 1};
    if (t[0] >= UINT32_MAX / 2 || t[1] > UINT32_MAX || t[2] > UINT32_MAX ||
        t[3] > UINT32_MAX || t[4] < 1 || t[4] > 8192 || t[11] > 1 ||
        t[7] > known || (t[11] == 0 && t[7] != known) ||
        !get_text(from + 8 * VIEW_FIELDS, out->view.rule, RULE_SIZE))
        TRY(damaged("a view", err));
    TRY(statistic_check(out->view.statistic, out->view.weight_bits,
                        out->view.value_bits, err));
out:
    return st;
}

static kedge_status get_views(parcel_in *from, partfile_facts *f,
                              kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const uint8_t *plain;
    uint32_t things;
    size_t size;

    TRY(parcel_next(from, VIEWS_TAG, &things, &plain, &size, err));
    if (things != f->views || size != f->views * VIEW_SIZE)
        TRY(damaged("its views", err));
    TRY_MEM(f->view = mem_new(f->views, sizeof *f->view));
    for (size_t i = 0; i < f->views; i++, plain += VIEW_SIZE)
        TRY(get_view(plain, f->words, &f->view[i], err));
out:
    return st;
}

/* ---- what comes first ---------------------------------------------------- */

kedge_status partfile_put_facts(parcel_out *to, const partfile_facts *f,
                                kedge_error *err)
{
    kedge_status st = KEDGE_OK;

    TRY(put_totals(to, f, err));
    TRY(put_cutting(to, &f->tokenizing, err));
    TRY(put_parts(to, f, err));
    TRY(put_views(to, f, err));
out:
    return st;
}

kedge_status partfile_get_facts(parcel_in *from, partfile_facts *out,
                                kedge_error *err)
{
    kedge_status st = KEDGE_OK;

    TRY(get_totals(from, out, err));
    TRY(get_cutting(from, &out->tokenizing, err));
    TRY(get_parts(from, out, err));
    TRY(get_views(from, out, err));
out:
    return st;
}

/* ---- words --------------------------------------------------------------- */

static size_t chunk_of(size_t all, size_t from, size_t most)
{
    return all - from < most ? all - from : most;
}

kedge_status partfile_put_words(parcel_out *to, const words *w,
                                const uint64_t *tf, const uint64_t *df,
                                kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    uint8_t *plain, *at;

    for (size_t from = 0; from < w->count; from += WORDS_CHUNK) {
        const size_t n = chunk_of(w->count, from, WORDS_CHUNK);
        const size_t text = w->offset[from + n] - w->offset[from];
        TRY(parcel_room(to, 3 * VARINT_MAX * n + text, &plain, err));
        at = plain;
        for (size_t i = from; i < from + n; i++) {
            at = put_varint(at, words_size(w, i));
            at = put_varint(at, tf[i]);
            at = put_varint(at, df[i]);
        }
        for (size_t i = from; i < from + n; i++) {
            memcpy(at, words_get(w, i), words_size(w, i));
            at += words_size(w, i);
        }
        TRY(parcel_put(to, WORDS_TAG, (uint32_t)n, (size_t)(at - plain),
                       err));
    }
out:
    return st;
}

/* Words rise, so that none comes twice. */
static kedge_status add_word(words *out, const uint8_t *word, uint64_t size,
                             kedge_error *err)
{
    const size_t last = out->count;

    if (last > 0 &&
        compare_bytes(words_get(out, last - 1), words_size(out, last - 1),
                      (const char *)word, size) >= 0)
        return damaged("the order of its words", err);
    if (!words_add(out, (const char *)word, size))
        return kedge_fail(err, KEDGE_ENOMEM, "out of memory (words)");
    return KEDGE_OK;
}

/* A record's words, after their sizes and counts. */
static kedge_status get_chunk(const uint8_t *plain, size_t size, size_t n,
                              words *out, uint64_t *tf, uint64_t *df,
                              kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const uint8_t *at = plain, *text, *const end = plain + size;
    uint64_t length, skip;

    for (size_t i = 0; i < n; i++)
        if (!get_varint(&at, end, &length) || !get_varint(&at, end, &tf[i]) ||
            !get_varint(&at, end, &df[i]) || df[i] == 0 || tf[i] < df[i])
            return damaged("counts of words", err);
    text = at;
    at = plain;
    for (size_t i = 0; i < n; i++) {
        if (!get_varint(&at, end, &length) || !get_varint(&at, end, &skip) ||
            !get_varint(&at, end, &skip) || length > (uint64_t)(end - text))
            return damaged("its words", err);
        TRY(add_word(out, text, length, err));
        text += length;
    }
    if (text != end)
        TRY(damaged("its words", err));
out:
    return st;
}

static bool counts_add_up(const partfile_facts *f, const uint64_t *tf,
                          const uint64_t *df)
{
    uint64_t tokens = 0, nonzeros = 0;

    for (size_t i = 0; i < f->words; i++) {
        tokens += tf[i];
        nonzeros += df[i];
    }
    return tokens == f->tokens && nonzeros == f->nonzeros;
}

kedge_status partfile_get_words(parcel_in *from, const partfile_facts *f,
                                words *out, uint64_t *tf, uint64_t *df,
                                kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const uint8_t *plain;
    uint32_t things;
    size_t size;

    for (size_t at = 0; at < f->words; at += WORDS_CHUNK) {
        const size_t n = chunk_of(f->words, at, WORDS_CHUNK);
        TRY(parcel_next(from, WORDS_TAG, &things, &plain, &size, err));
        if (things != n)
            TRY(damaged("its words", err));
        TRY(get_chunk(plain, size, n, out, tf + at, df + at, err));
        if (words_bytes(out) > f->word_bytes)
            TRY(damaged("the size of its words", err));
    }
    if (!counts_add_up(f, tf, df))
        TRY(damaged("the sums of its counts", err));
out:
    return st;
}

/* ---- lists --------------------------------------------------------------- */

kedge_status partfile_put_list(parcel_out *to, const uint32_t *place,
                               size_t count, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    uint32_t next = 0; /* the least place that may come */
    uint8_t *plain, *at;

    for (size_t from = 0; from < count; from += LIST_CHUNK) {
        const size_t n = chunk_of(count, from, LIST_CHUNK);
        TRY(parcel_room(to, VARINT_MAX * n, &plain, err));
        at = plain;
        for (size_t i = from; i < from + n; next = place[i++] + 1)
            at = put_varint(at, place[i] - next);
        TRY(parcel_put(to, LIST_TAG, (uint32_t)n, (size_t)(at - plain), err));
    }
out:
    return st;
}

kedge_status partfile_get_list(parcel_in *from, uint64_t known,
                               uint32_t *place, size_t count,
                               kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    uint64_t next = 0, step = 0;
    const uint8_t *plain;
    uint32_t things;
    size_t size;

    for (size_t at = 0; at < count; at += LIST_CHUNK) {
        const size_t n = chunk_of(count, at, LIST_CHUNK);
        TRY(parcel_next(from, LIST_TAG, &things, &plain, &size, err));
        const uint8_t *const end = plain + size;
        if (things != n)
            TRY(damaged("a list of words", err));
        for (size_t i = at; i < at + n; i++) {
            if (!get_varint(&plain, end, &step) || step >= known ||
                next + step >= known)
                TRY(damaged("a list of words", err));
            place[i] = (uint32_t)(next + step);
            next += step + 1;
        }
        if (plain != end)
            TRY(damaged("a list of words", err));
    }
out:
    return st;
}
