/* SPDX-License-Identifier: MIT */
/*
 * UCI bag-of-words: three lines with the numbers of documents D, of words W
 * and of entries NNZ, then a line "document word count" for each entry, all
 * numbers from 1, documents in rising order.
 *
 * Blanks and tabs may stand around the numbers, lines may end in CR LF, the
 * last one in nothing, and empty lines may follow it. Only a line that is
 * right in all its parts has an effect; with skip_bad the others are counted
 * and passed over. Header and compression must always be right.
 *
 * Two paths read the same lines. The quick one takes plain lines, "12 345 6",
 * while QUICK_BYTES of text lie ahead, so that it need not look for the end of
 * the text; within a document it compares the document's number as bytes. It
 * leaves whatever is unusual untouched to the careful one, which takes a
 * single line, with all the liberties the format has, and knows all the
 * reasons. Both change the batch only after a whole line was found right.
 */
#include "io/uci.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>

#include "base/bytes.h"
#include "base/fail.h"
#include "base/mem.h"
#include "base/run.h"
#include "io/format.h"

#define QUICK_BYTES 64
#define QUICK_DIGITS 15 /* of a document's number, with a blank two words */

#define FEW 24 /* entries, where the radix sort's fixed cost begins to pay */
#define HEADER_MAX (UINT64_C(1) << 62)
#define WORDS_MAX (UINT64_C(0xfffffffe))
#define ENTRIES_MAX ((size_t)1 << 28) /* of a document */
#define EXPECTED "\"document word count\" was expected"

/* The number of the open document as its lines begin. */
typedef struct prefix {
    uint64_t bits[2], mask[2];
    size_t size;
} prefix;

typedef struct entry {
    uint64_t doc;
    uint32_t word, tally; /* the word from 1 */
} entry;

struct uci {
    records from; /* lines, and where messages are about */
    bool skip_bad;
    reader_room room;
    uint64_t documents, words, entries; /* what the header says */
    size_t entries_most; /* of a document, before twins are looked for */

    bool open;         /* the batch's last document may get more entries */
    uint64_t doc;      /* its number, or that of the last one */
    uint64_t doc_line; /* where it begins */
    uint32_t last;     /* its last word */
    bool rising;       /* its words, so far */
    uint64_t batch_tokens; /* of the batch's finished documents */
    prefix prefix;
    uint64_t *key, *spare; /* for sorting entries */
    size_t key_capacity;
    double deadline; /* of the batch */
    docs aside;      /* the open document of a batch that met its deadline */

    uint64_t blanks;     /* empty lines just passed */
    uint64_t blank_line; /* the first of them */
    bool excess;         /* more entries than announced: counted as bad */
    bool ended, failed;

    uint64_t given, dropped; /* documents; dropped: too large */
    uint64_t good;  /* entries */
    notes bad;
    kedge_error why;
    bool skippable; /* which could be skipped */
};

/* The reason why: of the line ahead, or of another. */
#define complain(u, ...) complain_at(u, line_ahead(u), __VA_ARGS__)
#define complain_at(u, line, ...) \
    malformed_at((u)->from.name, line, &(u)->why, __VA_ARGS__)

static uint64_t line_ahead(const uci *u)
{
    return lines_number(u->from.in) + 1;
}

/* With skip_bad, turns `bad` malformed records into a count. */
static kedge_status forgive(uci *u, kedge_status st, uint64_t bad)
{
    u->skippable = st == KEDGE_EFORMAT;
    if (st != KEDGE_EFORMAT || !u->skip_bad)
        return st;
    notes_add(&u->bad, bad, u->why.text);
    return KEDGE_OK;
}

/* ---- the header ---------------------------------------------------------- */

/* One line of the header: a number alone. */
static kedge_status header_line(uci *u, const char *what, uint64_t most,
                                uint64_t *value)
{
    kedge_status st = KEDGE_OK;
    bool closed;
    span line, f;
    size_t count;

    TRY(lines_peek_short(u->from.in, &line, &closed, &u->why));
    if (line.bytes == NULL)
        return complain(u, "the file %s: the number of %s was expected",
                        line_ahead(u) == 1 ? "is empty" : "ends here", what);
    if (line.size > LINES_SHORT)
        return complain(u, "the line is longer than %zu bytes: the number of "
                        "%s was expected", LINES_SHORT, what);
    count = fields_split(line, &f, 1);
    if (count == 0)
        return complain(u, "the line is empty: the number of %s was expected",
                        what);
    if (!span_number(f, value))
        return complain(u, "\"%s\" is %s: the number of %s was expected",
                        span_show(f).text,
                        f.bytes[0] == '-' ? "negative" : "not a number", what);
    if (*value > most)
        return complain(u, "\"%s\" is too large: the number of %s, at most "
                        "%" PRIu64 ", was expected", span_show(f).text, what,
                        most);
    if (count > 1)
        return complain(u, "the line has %zu fields: the number of %s alone "
                        "was expected", count, what);
    TRY(lines_skip(u->from.in, &u->why));
out:
    return st;
}

static kedge_status header(uci *u, uint64_t expected)
{
    kedge_status st = KEDGE_OK;

    TRY(header_line(u, "documents", HEADER_MAX, &u->documents));
    TRY(header_line(u, "words", WORDS_MAX, &u->words));
    if (u->words != expected)
        return complain_at(u, 2,
                           "the header says %" PRIu64 " words, the vocabulary "
                           "has %" PRIu64 ": the vocabulary of this file was "
                           "expected",
                           u->words, expected);
    TRY(header_line(u, "entries", HEADER_MAX, &u->entries));
    /* Above this a document is sure to have twins, and to lose half of its
     * entries or more by leaving them out. */
    u->entries_most = u->words < ENTRIES_MAX / 4
                          ? 2 * (size_t)u->words + 1024
                          : ENTRIES_MAX;
out:
    return st;
}

/* ---- documents ----------------------------------------------------------- */

/* One stable pass over the byte at `shift`. */
static void radix_pass(const uint64_t *from, uint64_t *to, size_t n,
                       unsigned shift)
{
    size_t place[256] = {0};
    size_t sum = 0;

    for (size_t i = 0; i < n; i++)
        place[from[i] >> shift & 0xff]++;
    for (size_t b = 0; b < 256; b++) {
        const size_t here = place[b];
        place[b] = sum;
        sum += here;
    }
    for (size_t i = 0; i < n; i++)
        to[place[from[i] >> shift & 0xff]++] = from[i];
}

/* Brings entries into the order of their words, by keys that hold the word
 * above the entry's place, in u->key: few are inserted one by one, many take a
 * radix sort that skips the bytes in which all words agree. */
static kedge_status sort_entries(uci *u, const uint32_t *word, size_t n)
{
    kedge_error *const err = &u->why;
    kedge_status st = KEDGE_OK;
    size_t keys = u->key_capacity, spares = keys;
    uint64_t differ = 0;

    /* The two swap places while sorting, so one capacity stands for both. */
    TRY_GROW(u->key, keys, n);
    TRY_GROW(u->spare, spares, n);
    u->key_capacity = keys;
    for (size_t i = 0; i < n; i++) {
        u->key[i] = (uint64_t)word[i] << 32 | i;
        differ |= u->key[i] ^ u->key[0];
    }
    for (size_t i = 1; n <= FEW && i < n; i++) {
        const uint64_t key = u->key[i];
        size_t j = i;
        for (; j > 0 && u->key[j - 1] > key; j--)
            u->key[j] = u->key[j - 1];
        u->key[j] = key;
    }
    for (unsigned shift = 32; n > FEW && shift < 64; shift += 8) {
        uint64_t *const sorted = u->spare;
        if ((differ >> shift & 0xff) == 0)
            continue;
        radix_pass(u->key, sorted, n, shift);
        u->spare = u->key;
        u->key = sorted;
    }
out:
    return st;
}

/* Sorts what the open document has, when needed, and leaves out twins: of
 * entries with the same word the first is kept. */
static kedge_status settle(uci *u, docs *b)
{
    const size_t from = b->start[b->count - 1], n = b->start[b->count] - from;
    uint32_t *const word = b->word + from, *const tally = b->tally + from;
    size_t twins = 0, first = SIZE_MAX, kept = 0;
    kedge_status st = KEDGE_OK;
    uint32_t twin = 0;

    if (u->rising)
        return KEDGE_OK;
    TRY(sort_entries(u, word, n));
    for (size_t i = 0; i < n; i++) {
        const size_t place = (uint32_t)u->key[i];
        const uint64_t id = u->key[i] >> 32;
        if (i > 0 && id == u->key[i - 1] >> 32) {
            twins++;
            b->length[b->count - 1] -= tally[place];
            if (place < first) {
                first = place;
                twin = (uint32_t)id;
            }
            continue;
        }
        u->spare[kept++] = id << 32 | tally[place];
    }
    for (size_t i = 0; i < kept; i++) {
        word[i] = (uint32_t)(u->spare[i] >> 32);
        tally[i] = (uint32_t)u->spare[i];
    }
    b->start[b->count] = from + kept;
    u->rising = true;
    u->last = word[kept - 1] + 1;
    if (twins == 0)
        return KEDGE_OK;
    u->good -= twins;
    /* Lines and entries go together while no line was left out, and later
     * nobody asks for the line. */
    st = complain_at(u, u->doc_line + first,
                     "word %" PRIu64 " of document %" PRIu64 " comes twice: "
                     "each word once was expected",
                     (uint64_t)twin + 1, u->doc);
    st = forgive(u, st, twins);
out:
    return st;
}

static kedge_status finish_document(uci *u, docs *b)
{
    const size_t m = b->count - 1;
    kedge_status st = KEDGE_OK;

    if (!u->open)
        return KEDGE_OK;
    TRY(settle(u, b));
    u->open = false;
    if (u->room.entries == 0 ||
        docs_cut_entries(b, m, u->room.piece) <= u->room.entries) {
        u->given++;
        return KEDGE_OK;
    }
    /* One that cannot be worked on leaves the batch again. */
    b->count--;
    st = complain_at(u, u->doc_line,
                     "document %" PRIu64 " of %" PRIu64 " tokens is too large: "
                     "in pieces of %" PRIu64 " tokens, at most %zu words of "
                     "pieces were expected (more --memory allows for more)",
                     u->doc, b->length[m], u->room.piece, u->room.entries);
    TRY(forgive(u, st, 1));
    u->dropped++;
out:
    return st;
}

/* Whether the open document can take the record. */
static kedge_status check_room(uci *u, docs *b, const entry *r)
{
    kedge_status st = KEDGE_OK;

    if (b->start[b->count] - b->start[b->count - 1] >= u->entries_most)
        TRY(settle(u, b));
    if (b->start[b->count] - b->start[b->count - 1] >= ENTRIES_MAX)
        return complain(u,
                        "document %" PRIu64 " is too large: at most %zu "
                        "entries were expected",
                        u->doc, ENTRIES_MAX);
    if (b->length[b->count - 1] + r->tally > BAG_TOKENS_MAX)
        return complain(u,
                        "document %" PRIu64 " is too large: counts of at "
                        "most %" PRIu64 " in all were expected",
                        u->doc, BAG_TOKENS_MAX);
out:
    return st;
}

/* Puts a valid record into the batch; *full and nothing else when it begins a
 * document that is for the next batch. */
static kedge_status take(uci *u, const reader_limits *limits, docs *b,
                         const entry *r, bool *full)
{
    kedge_status st = KEDGE_OK;

    if (!u->open || r->doc != u->doc) {
        TRY(finish_document(u, b));
        if (b->count > 0)
            u->batch_tokens += b->length[b->count - 1];
        if (b->count > 0 &&
            (b->count >= limits->documents ||
             docs_entries(b) >= limits->entries ||
             (limits->tokens > 0 && u->batch_tokens >= limits->tokens) ||
             (limits->seconds > 0 && clock_seconds() >= u->deadline))) {
            *full = true;
            return KEDGE_OK;
        }
        if (!docs_begin(b, r->doc))
            return kedge_fail(&u->why, KEDGE_ENOMEM, "out of memory (%s)",
                              __func__);
        u->open = true;
        u->doc = r->doc;
        u->doc_line = line_ahead(u);
        u->last = 0;
        u->rising = true;
    } else {
        TRY(check_room(u, b, r));
    }
    if (!docs_push(b, r->word - 1, r->tally))
        return kedge_fail(&u->why, KEDGE_ENOMEM, "out of memory (%s)",
                          __func__);
    u->rising &= r->word > u->last;
    u->last = r->word;
    u->good++;
out:
    return st;
}

/* ---- the quick path ------------------------------------------------------ */

/*
 * The digits at `p`, where eight bytes can be read, eight at a time and without
 * branches: numbers in these files have all lengths, and a loop over digits
 * would mispredict its end on every other one. Returns how many there are; 8
 * stands for eight or more, of which *value then holds nothing useful.
 */
static inline unsigned number_take(const char *p, uint32_t *value)
{
    const uint64_t high = UINT64_C(0x8080808080808080);
    uint64_t v = get_u64((const uint8_t *)p) ^ UINT64_C(0x3030303030303030);
    /* A digit is now 0 to 9: what is above has bit 7 set, by itself or by the
     * sum. Carries disturb later bytes only, the first non-digit is right. */
    const uint64_t others = ((v + UINT64_C(0x7676767676767676)) | v) & high;
    const unsigned digits =
        others == 0 ? 8 : (unsigned)__builtin_ctzll(others) >> 3;

    /* The digits go to the end, zeros before them; pairs, then fours, then
     * all eight are joined. No digits at all leave v as it is, and its value
     * unused. */
    v <<= (64 - 8 * digits) & 63;
    v = (v * (1 + (10 << 8)) >> 8) & UINT64_C(0x00ff00ff00ff00ff);
    v = (v * (1 + (100 << 16)) >> 16) & UINT64_C(0x0000ffff0000ffff);
    v = v * (1 + (UINT64_C(10000) << 32)) >> 32;
    *value = (uint32_t)v;
    return digits;
}

/* "word count" and the line's end. Returns what comes after, or NULL. */
static inline const char *quick_pair(const char *p, entry *r)
{
    unsigned digits = number_take(p, &r->word);

    p += digits;
    if (digits - 1 > 6 || !is_blank(*p))
        return NULL;
    p++;
    r->tally = (uint32_t)(unsigned char)*p - '0';
    digits = 1;
    if (p[1] > '\r') /* nearly all counts have one digit */
        digits = number_take(p, &r->tally);
    p += digits;
    if (digits - 1 > 6 || (digits == 1 && r->tally > 9))
        return NULL;
    p += *p == '\r';
    return *p == '\n' ? p + 1 : NULL;
}

static inline bool same_document(const prefix *x, const char *p)
{
    const uint8_t *const bytes = (const uint8_t *)p;

    return (((get_u64(bytes) ^ x->bits[0]) & x->mask[0]) |
            ((get_u64(bytes + 8) ^ x->bits[1]) & x->mask[1])) == 0;
}

static void set_prefix(prefix *x, const char *p, size_t size)
{
    uint8_t mask[16] = {0};

    memset(mask, 0xff, size);
    x->size = size;
    for (int i = 0; i < 2; i++) {
        x->bits[i] = get_u64((const uint8_t *)p + 8 * i);
        x->mask[i] = get_u64(mask + 8 * i);
    }
}

/* How many entries the open document can take without a look at anything but
 * the line. */
static size_t quick_room(const uci *u, const docs *b)
{
    const size_t at = b->start[b->count];
    const size_t has = at - b->start[b->count - 1];
    const uint64_t left = u->excess ? UINT64_MAX : u->entries - u->good;
    size_t room = b->entry_capacity - at;

    if (room > u->entries_most - has)
        room = u->entries_most - has;
    return room < left ? room : (size_t)left;
}

/* All the plain lines of the open document that lie ahead; returns the bytes
 * that they take. */
static size_t quick_entries(uci *u, docs *b, span ahead, size_t *count)
{
    const prefix same = u->prefix;
    const uint64_t most = u->words;
    const char *p = ahead.bytes;
    const char *const end = ahead.bytes + ahead.size - QUICK_BYTES;
    uint32_t *const word = b->word, *const tally = b->tally;
    const size_t from = b->start[b->count], stop = from + quick_room(u, b);
    uint64_t length = b->length[b->count - 1];
    uint32_t last = u->last;
    bool rising = u->rising;
    size_t at = from;

    while (at < stop && p <= end && same_document(&same, p)) {
        entry r;
        const char *const next = quick_pair(p + same.size, &r);
        /* Zero of either wraps around. */
        if (next == NULL || (uint64_t)r.word - 1 >= most || r.tally == 0 ||
            length + r.tally > BAG_TOKENS_MAX)
            break;
        word[at] = r.word - 1;
        tally[at] = r.tally;
        at++;
        length += r.tally;
        rising &= r.word > last;
        last = r.word;
        p = next;
    }
    *count = at - from;
    u->good += at - from;
    b->start[b->count] = at;
    b->length[b->count - 1] = length;
    u->last = last;
    u->rising = rising;
    return (size_t)(p - ahead.bytes);
}

/* A plain line that is right; its length in bytes, else 0. */
static size_t quick_record(uci *u, const char *line, entry *r)
{
    const char *next;
    size_t digits = 0;

    r->doc = 0;
    for (; digits < QUICK_DIGITS; digits++) {
        const unsigned digit = (unsigned)(unsigned char)line[digits] - '0';
        if (digit > 9)
            break;
        r->doc = r->doc * 10 + digit;
    }
    if (!is_blank(line[digits]) || r->doc == 0 || r->doc < u->doc ||
        r->doc > u->documents || (!u->excess && u->good >= u->entries))
        return 0;
    next = quick_pair(line + digits + 1, r);
    if (next == NULL || (uint64_t)r->word - 1 >= u->words || r->tally == 0)
        return 0;
    set_prefix(&u->prefix, line, digits + 1);
    return (size_t)(next - line);
}

/* Plain lines, of any documents, until something is unusual. */
static kedge_status quick_lines(uci *u, const reader_limits *limits, docs *b,
                                bool *full)
{
    lines *const in = u->from.in;
    span ahead = lines_ahead(in);
    kedge_status st = KEDGE_OK;
    entry r;

    while (ahead.size >= QUICK_BYTES && u->blanks == 0) {
        size_t count, size = quick_record(u, ahead.bytes, &r);
        if (size == 0)
            break;
        st = take(u, limits, b, &r, full);
        if (st == KEDGE_EFORMAT) /* the careful path will find it, too */
            return forgive(u, st, 0);
        if (st != KEDGE_OK || *full)
            break;
        lines_pass(in, size, 1);
        ahead = lines_ahead(in);
        if (ahead.size < QUICK_BYTES)
            break;
        size = quick_entries(u, b, ahead, &count);
        lines_pass(in, size, count);
        ahead = lines_ahead(in);
    }
    return st;
}

/* ---- the careful path ---------------------------------------------------- */

static kedge_status parse(uci *u, span line, entry *r)
{
    kedge_error *const err = &u->why;
    kedge_status st = KEDGE_OK;
    uint64_t word, tally;
    size_t count;
    span f[3];

    if (line.size > LINES_SHORT)
        return complain(u, "the line is longer than %zu bytes: " EXPECTED,
                        LINES_SHORT);
    count = fields_split(line, f, 3);
    if (count != 3)
        return complain(u, "the line has %zu field%s: " EXPECTED, count,
                        count == 1 ? "" : "s");
    u->from.line = line_ahead(u);
    TRY(records_number(&u->from, f[0], "document", 1, u->documents, &r->doc,
                       err));
    TRY(records_number(&u->from, f[1], "word", 1, u->words, &word, err));
    TRY(records_number(&u->from, f[2], "count", 1, COUNT_MAX, &tally, err));
    r->word = (uint32_t)word;
    r->tally = (uint32_t)tally;
    if (r->doc < u->doc)
        return complain(u, "document %" PRIu64 " comes after document %" PRIu64
                        ": documents in rising order were expected",
                        r->doc, u->doc);
out:
    return st;
}

/* A record where the header announced no more. With skip_bad the records are
 * taken, and all together are one that is bad. */
static kedge_status check_excess(uci *u)
{
    if (u->good < u->entries || u->excess)
        return KEDGE_OK;
    u->excess = true;
    return forgive(u,
                   complain(u, "there are more than the %" PRIu64 " entries "
                            "that the header says: the end of the file was "
                            "expected", u->entries),
                   1);
}

/* The text ends, maybe within a line. */
static kedge_status finish_text(uci *u, docs *b, bool within_line)
{
    kedge_status st = KEDGE_OK;

    TRY(finish_document(u, b));
    /* Records that were malformed are among those announced. */
    if (u->good + u->bad.count < u->entries)
        TRY(forgive(u,
                    complain(u, "the file ends%s after %" PRIu64 " of %" PRIu64
                             " entries: as many as the header says were "
                             "expected", within_line ? " within a line," : "",
                             u->good, u->entries),
                    1));
    u->ended = true;
out:
    return st;
}

static kedge_status take_line(uci *u, const reader_limits *limits, docs *b,
                              span line, bool *full)
{
    const uint64_t blanks = u->blanks;
    kedge_status st = KEDGE_OK;
    entry r;

    u->blanks = 0;
    if (blanks > 0) /* empty lines may end a file, and stand nowhere else */
        TRY(forgive(u, complain_at(u, u->blank_line,
                                   "the line is empty: " EXPECTED), blanks));
    if (!u->skip_bad) /* whatever follows the last entry is too much */
        TRY(check_excess(u));
    TRY(parse(u, line, &r));
    TRY(check_excess(u));
    TRY(take(u, limits, b, &r, full));
out:
    return st;
}

/* One line, whatever it is. */
static kedge_status careful_line(uci *u, const reader_limits *limits, docs *b,
                                 bool *full)
{
    lines *const in = u->from.in;
    kedge_status st = KEDGE_OK;
    bool closed;
    span line, f;

    TRY(lines_peek_short(in, &line, &closed, &u->why));
    if (line.bytes == NULL)
        return finish_text(u, b, false);
    if (line.size <= LINES_SHORT) {
        if (fields_split(line, &f, 1) == 0) {
            u->blank_line = u->blanks++ == 0 ? line_ahead(u) : u->blank_line;
            return lines_skip(in, &u->why);
        }
        /* Who knows how the last number would have gone on. */
        if (!closed && u->good + u->bad.count + 1 < u->entries)
            return finish_text(u, b, true);
    }
    st = take_line(u, limits, b, line, full);
    if (!*full) {
        TRY(forgive(u, st, 1));
        TRY(lines_skip(in, &u->why));
    }
out:
    return st;
}

/* ---- opening and reading ------------------------------------------------- */

/* Its first line is one number, be it wrong. */
static kedge_status uci_recognise(lines *in, const record_opts *opts, bool *yes,
                                  kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    uint64_t value;
    bool closed;
    span line, f;

    (void)opts;
    *yes = false;
    TRY(lines_peek_short(in, &line, &closed, err));
    if (line.bytes == NULL || line.size > LINES_SHORT ||
        fields_split(line, &f, 1) != 1)
        return KEDGE_OK;
    if (f.bytes[0] == '-' && f.size > 1)
        f = span_of(f.bytes + 1, f.size - 1);
    *yes = span_number(f, &value);
out:
    return st;
}

const record_format format_uci = {
    .name = "uci",
    .kind = RECORD_NUMBERS,
    .recognise = uci_recognise,
};

kedge_status uci_open(lines *in, const reader_opts *opts, uci **out,
                      kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    uci *u = NULL;

    *out = NULL;
    TRY_MEM(u = mem_new(1, sizeof *u));
    u->from.in = in;
    u->from.name = lines_name(in);
    u->skip_bad = opts->skip_bad;
    u->room = opts->room;
    st = header(u, opts->words);
    if (st != KEDGE_OK) {
        if (err != NULL)
            *err = u->why;
        goto out;
    }
    *out = u;
    u = NULL;
out:
    uci_close(u);
    return st;
}

void uci_close(uci *u)
{
    if (u == NULL)
        return;
    mem_free(u->key);
    mem_free(u->spare);
    docs_free(&u->aside);
    mem_free(u);
}

/* Moves a batch's last document. */
static kedge_status move_document(uci *u, docs *from, docs *to)
{
    if (!docs_append(to, from, from->count - 1))
        return kedge_fail(&u->why, KEDGE_ENOMEM, "out of memory (%s)",
                          __func__);
    from->count--;
    return KEDGE_OK;
}

/* Whether there are documents to give out and nothing to add to them before
 * the deadline. */
static bool stalled(const uci *u, const reader_limits *limits, const docs *b)
{
    return limits->seconds > 0 && b->count > (u->open ? 1 : 0) &&
           !lines_ready(u->from.in, u->deadline - clock_seconds());
}

static kedge_status read_batch(uci *u, const reader_limits *limits, docs *b)
{
    kedge_status st = KEDGE_OK;
    bool full = false;

    u->batch_tokens = 0;
    u->deadline = clock_seconds() + limits->seconds;
    if (u->aside.count > 0)
        TRY(move_document(u, &u->aside, b));
    while (!u->ended) {
        TRY(quick_lines(u, limits, b, &full));
        if (!full && stalled(u, limits, b))
            return u->open ? move_document(u, b, &u->aside) : KEDGE_OK;
        if (!full)
            TRY(careful_line(u, limits, b, &full));
        if (full)
            break;
    }
out:
    return st;
}

kedge_status uci_next(uci *u, const reader_limits *limits, docs *batch,
                      bool *more, kedge_error *err)
{
    kedge_status st;

    *more = false;
    if (u->failed)
        return kedge_fail(err, KEDGE_EMISUSE, "%s: read on after a failure",
                          u->from.name);
    st = read_batch(u, limits, batch);
    if (st != KEDGE_OK) {
        u->failed = true;
        /* What was begun is not given out, unless it is still aside. */
        if (u->open && batch->count > 0)
            batch->count--;
        if (u->skippable) {
            const size_t size = strlen(u->why.text);
            snprintf(u->why.text + size, sizeof u->why.text - size, "%s",
                     READER_SKIP);
        }
        if (err != NULL)
            *err = u->why;
        return st;
    }
    *more = !u->ended;
    return KEDGE_OK;
}

void uci_get_counts(const uci *u, reader_counts *out)
{
    out->documents = u->given;
    out->empty = u->ended ? u->documents - u->given - u->dropped : 0;
    out->bad = u->bad;
}
