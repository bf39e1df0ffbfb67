/* SPDX-License-Identifier: MIT */
/*
 * UCI bag-of-words: three lines with the numbers of documents D, of words W
 * and of entries NNZ, then a line "document word count" for each entry, all
 * numbers from 1, documents in rising order.
 *
 * Blanks and tabs may stand around the numbers, lines may end in CR LF, the
 * last one in nothing, and empty lines may follow it. Only a line that is
 * right in all its parts has an effect. A malformed line is an EFORMAT of its
 * own; the next call goes on behind it, within the same document. Header and
 * compression must always be right. Documents are known by their numbers;
 * those without an entry are counted (records.absent).
 *
 * A document ends where a line belongs to the next one: that line is left to
 * be read again.
 *
 * Two paths read the same lines. The quick one takes plain lines, "12 345 6",
 * while QUICK_BYTES of text lie ahead, so that it need not look for the end of
 * the text; within a document whose words rise it compares the document's
 * number as bytes. It leaves whatever is unusual untouched to the careful one,
 * which takes a single line, with all the liberties the format has, and knows
 * all the reasons.
 */
#include <inttypes.h>

#include "base/bytes.h"
#include "base/fail.h"
#include "base/mem.h"
#include "io/format.h"

#define QUICK_BYTES 64
#define QUICK_DIGITS 15 /* of a document's number, with a blank two words */

#define HEADER_MAX (UINT64_C(1) << 62)
#define WORDS_MAX (UINT64_C(0xfffffffe))
#define EXPECTED "expected \"document word count\""

/* The number of the open document as its lines begin. */
typedef struct prefix {
    uint64_t bits[2], mask[2];
    size_t size;
} prefix;

typedef struct entry {
    uint64_t doc;
    uint32_t word, tally; /* the word from 1 */
} entry;

typedef struct uci {
    uint64_t documents, words, entries; /* what the header says */
    uint64_t good, bad;                 /* lines, after the header */

    uint64_t doc;      /* the bag's number, or the last one's */
    uint64_t doc_line; /* where it begins */
    uint32_t last;     /* its last word */
    bool rising;       /* its words, so far; otherwise they are in `seen` */
    uint64_t *seen;    /* a bit for each word; NULL: not needed so far */
    prefix prefix;
    bool handed_out; /* the bag, which is the caller's until the next call */

    uint64_t blanks;     /* empty lines just passed, not yet complained of */
    uint64_t blank_line; /* the first of them */
    bool excess;         /* more entries than announced: that was said */
    bool ended;
} uci;

/* ---- the header ---------------------------------------------------------- */

/* One line of the header: a number alone. */
static kedge_status header_line(records *r, const char *what, uint64_t most,
                                uint64_t *value, kedge_error *err)
{
    bool closed;
    span line, f;
    size_t count;

    r->line = lines_number(r->in) + 1;
    PASS(lines_peek_short(r->in, &line, &closed, err));
    if (line.bytes == NULL)
        return malformed(r, err, "the file %s: expected the number of %s",
                         r->line == 1 ? "is empty" : "ends here", what);
    if (line.size > LINES_SHORT)
        return malformed(r, err, "the line is longer than %zu bytes: expected "
                                 "the number of %s", LINES_SHORT, what);
    count = fields_split(line, &f, 1);
    if (count == 0)
        return malformed(r, err, "the line is empty: expected the number of "
                                 "%s", what);
    if (!span_number(f, value))
        return malformed(r, err, "\"%s\" is %s: expected the number of %s",
                         span_show(f).text,
                         f.bytes[0] == '-' ? "negative" : "not a number",
                         what);
    if (*value > most)
        return malformed(r, err, "\"%s\" is too large: expected the number of "
                                 "%s, at most %" PRIu64, span_show(f).text,
                         what, most);
    if (count > 1)
        return malformed(r, err, "the line has %zu fields: expected only the "
                                 "number of %s", count, what);
    return lines_skip(r->in, err);
}

static kedge_status uci_open(records *r, kedge_error *err)
{
    uci *u;

    PASS_MEM(r->own = u = mem_new(1, sizeof *u));
    u->rising = true;
    PASS(header_line(r, "documents", HEADER_MAX, &u->documents, err));
    PASS(header_line(r, "words", WORDS_MAX, &u->words, err));
    if (u->words != r->opts.words)
        PASS(malformed(r, err, "the header says %" PRIu64 " words, the "
                               "vocabulary has %" PRIu64 ": expected the "
                               "vocabulary of this "
                               "file", u->words, r->opts.words));
    PASS(header_line(r, "entries", HEADER_MAX, &u->entries, err));
    r->absent = u->documents;
    return KEDGE_OK;
}

static void uci_close(void *own)
{
    mem_free(((uci *)own)->seen);
    mem_free(own);
}

/* ---- the document -------------------------------------------------------- */

static uint64_t bit_of(uint32_t word)
{
    return UINT64_C(1) << (word - 1) % 64;
}

/* Words that do not rise: from here on all that the document has are marked. */
static kedge_status begin_marks(records *r, kedge_error *err)
{
    uci *const u = r->own;

    if (u->seen == NULL)
        PASS_MEM(u->seen = mem_new(u->words / 64 + 1, sizeof *u->seen));
    for (size_t i = 0; i < r->bag.count; i++)
        u->seen[r->bag.number[i] / 64] |= bit_of(r->bag.number[i] + 1);
    u->rising = false;
    return KEDGE_OK;
}

/* *twin, and nothing else, where the document has the word already. */
static kedge_status push(records *r, const entry *e, bool *twin,
                         kedge_error *err)
{
    uci *const u = r->own;

    if (r->bag.count == 0) {
        u->doc = e->doc;
        u->doc_line = lines_number(r->in) + 1;
    } else if (u->rising && e->word <= u->last) {
        PASS(begin_marks(r, err));
    }
    if (!u->rising) {
        uint64_t *const seen = &u->seen[(e->word - 1) / 64];
        *twin = (*seen & bit_of(e->word)) != 0;
        if (*twin)
            return KEDGE_OK;
        *seen |= bit_of(e->word);
    }
    PASS_GROW(r->bag.number, r->bag.number_capacity, r->bag.count + 1);
    PASS_GROW(r->bag.tally, r->bag.tally_capacity, r->bag.count + 1);
    r->bag.number[r->bag.count] = e->word - 1;
    r->bag.tally[r->bag.count++] = e->tally;
    r->bag.tokens += e->tally;
    u->last = e->word;
    u->good++;
    return KEDGE_OK;
}

/* What was handed out makes room for the next document. */
static void clear_document(records *r)
{
    uci *const u = r->own;

    for (size_t i = 0; !u->rising && i < r->bag.count; i++)
        u->seen[r->bag.number[i] / 64] = 0;
    records_clear_bag(r);
    u->last = 0;
    u->rising = true;
    u->handed_out = false;
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

/* All the plain lines of the open document that lie ahead, while its words
 * rise; returns the bytes that they take. */
static size_t quick_entries(records *r, span ahead, size_t *count)
{
    uci *const u = r->own;
    const prefix same = u->prefix;
    const uint64_t most = u->words;
    const char *p = ahead.bytes;
    const char *const end = ahead.bytes + ahead.size - QUICK_BYTES;
    const uint64_t left = u->excess ? UINT64_MAX : u->entries - u->good;
    const size_t from = r->bag.count;
    size_t room = r->bag.number_capacity < r->bag.tally_capacity
                      ? r->bag.number_capacity : r->bag.tally_capacity;
    uint64_t tokens = r->bag.tokens;
    uint32_t last = u->last;
    size_t at = from;

    if (room - from > left)
        room = from + (size_t)left;
    while (at < room && p <= end && same_document(&same, p)) {
        entry e;
        const char *const next = quick_pair(p + same.size, &e);
        /* Zero tokens wrap around. */
        if (next == NULL || e.word <= last || e.word > most ||
            (uint64_t)e.tally - 1 >= BAG_TOKENS_MAX - tokens)
            break;
        r->bag.number[at] = e.word - 1;
        r->bag.tally[at] = e.tally;
        at++;
        tokens += e.tally;
        last = e.word;
        p = next;
    }
    *count = at - from;
    u->good += at - from;
    u->last = last;
    r->bag.count = at;
    r->bag.tokens = tokens;
    return (size_t)(p - ahead.bytes);
}

/* A plain line that is right; its length in bytes, else 0. */
static size_t quick_record(records *r, const char *line, entry *e)
{
    uci *const u = r->own;
    const char *next;
    size_t digits = 0;

    e->doc = 0;
    for (; digits < QUICK_DIGITS; digits++) {
        const unsigned digit = (unsigned)(unsigned char)line[digits] - '0';
        if (digit > 9)
            break;
        e->doc = e->doc * 10 + digit;
    }
    if (!is_blank(line[digits]) || e->doc == 0 || e->doc < u->doc ||
        e->doc > u->documents || (!u->excess && u->good >= u->entries))
        return 0;
    next = quick_pair(line + digits + 1, e);
    if (next == NULL || (uint64_t)e->word - 1 >= u->words || e->tally == 0 ||
        r->bag.tokens + e->tally > BAG_TOKENS_MAX)
        return 0;
    set_prefix(&u->prefix, line, digits + 1);
    return (size_t)(next - line);
}

/* Plain lines of the open document, or of the next where none is open, until
 * something is unusual; *whole: the next line is of another document. */
static kedge_status quick_lines(records *r, bool *whole, kedge_error *err)
{
    uci *const u = r->own;
    span ahead = lines_ahead(r->in);
    bool twin = false;
    entry e;

    while (ahead.size >= QUICK_BYTES && u->blanks == 0) {
        size_t count, size = quick_record(r, ahead.bytes, &e);
        if (size == 0)
            break;
        *whole = r->bag.count > 0 && e.doc != u->doc;
        if (*whole)
            break;
        PASS(push(r, &e, &twin, err));
        if (twin) /* the careful path will find it, too */
            break;
        lines_pass(r->in, size, 1);
        ahead = lines_ahead(r->in);
        if (!u->rising || ahead.size < QUICK_BYTES)
            continue;
        size = quick_entries(r, ahead, &count);
        lines_pass(r->in, size, count);
        ahead = lines_ahead(r->in);
    }
    return KEDGE_OK;
}

/* ---- the careful path ---------------------------------------------------- */

static kedge_status parse(const records *r, span line, entry *e,
                          kedge_error *err)
{
    const uci *const u = r->own;
    uint64_t word, tally;
    size_t count;
    span f[3];

    if (line.size > LINES_SHORT)
        return malformed(r, err, "the line is longer than %zu bytes: " EXPECTED,
                         LINES_SHORT);
    count = fields_split(line, f, 3);
    if (count != 3)
        return malformed(r, err, "the line has %zu field%s: " EXPECTED, count,
                         count == 1 ? "" : "s");
    PASS(records_number(r, f[0], "document", 1, u->documents, &e->doc, err));
    PASS(records_number(r, f[1], "word", 1, u->words, &word, err));
    PASS(records_number(r, f[2], "count", 1, COUNT_MAX, &tally, err));
    e->word = (uint32_t)word;
    e->tally = (uint32_t)tally;
    if (e->doc < u->doc)
        return malformed(r, err, "document %" PRIu64 " comes after document "
                                 "%" PRIu64 ": expected documents in rising "
                                 "order",
                         e->doc, u->doc);
    return KEDGE_OK;
}

/* An entry where the header announced no more. This is said once, and the
 * entries are taken where the caller goes on. */
static kedge_status check_excess(records *r, bool *stays, kedge_error *err)
{
    uci *const u = r->own;

    if (u->good < u->entries || u->excess)
        return KEDGE_OK;
    *stays = u->excess = true;
    return malformed(r, err, "there are more than the %" PRIu64 " entries that "
                             "the header says: expected the end of the file",
                     u->entries);
}

/* The text ends, maybe within a line. */
static kedge_status finish_text(records *r, bool within_line, kedge_error *err)
{
    uci *const u = r->own;

    u->ended = true;
    /* Records that were malformed are among those announced. */
    if (u->good + u->bad >= u->entries)
        return KEDGE_OK;
    return malformed(r, err, "the file ends%s after %" PRIu64 " of %" PRIu64 " "
                             "entries: expected as many as the header says",
                     within_line ? " within a line," : "", u->good,
                     u->entries);
}

/* *whole: the line is of another document. *stays: it is to be read again. */
static kedge_status take_line(records *r, span line, bool *whole, bool *stays,
                              kedge_error *err)
{
    uci *const u = r->own;
    bool twin = false;
    entry e;

    if (!r->opts.skip_bad) /* whatever follows the last entry is too much */
        PASS(check_excess(r, stays, err));
    PASS(parse(r, line, &e, err));
    PASS(check_excess(r, stays, err));
    *whole = *stays = r->bag.count > 0 && e.doc != u->doc;
    if (*whole)
        return KEDGE_OK;
    if (r->bag.tokens + e.tally > BAG_TOKENS_MAX)
        return malformed(r, err, "document %" PRIu64 " is too large: expected "
                                 "counts of at most %" PRIu64 " in all", e.doc,
                         BAG_TOKENS_MAX);
    PASS(push(r, &e, &twin, err));
    if (twin)
        return malformed(r, err, "word %" PRIu32 " of document %" PRIu64 " is "
                                 "there twice: expected each word "
                                 "once", e.word,
                         e.doc);
    return KEDGE_OK;
}

/* One line, whatever it is. */
static kedge_status careful_line(records *r, bool *whole, kedge_error *err)
{
    uci *const u = r->own;
    bool closed, stays = false;
    kedge_status st;
    span line, f;

    PASS(lines_peek_short(r->in, &line, &closed, err));
    r->line = lines_number(r->in) + 1;
    if (line.bytes == NULL)
        return finish_text(r, false, err);
    if (line.size <= LINES_SHORT) {
        if (fields_split(line, &f, 1) == 0) {
            u->blank_line = u->blanks++ == 0 ? r->line : u->blank_line;
            return lines_skip(r->in, err);
        }
        /* Who knows how the last number would have gone on. */
        if (!closed && u->good + u->bad + 1 < u->entries)
            return finish_text(r, true, err);
    }
    if (u->blanks > 0) { /* they may end a file, and stand nowhere else */
        u->blanks--;
        u->bad++;
        r->line = u->blank_line++;
        return malformed(r, err, "the line is empty: " EXPECTED);
    }
    st = take_line(r, line, whole, &stays, err);
    u->bad += st == KEDGE_EFORMAT;
    if (stays || (st != KEDGE_OK && st != KEDGE_EFORMAT))
        return st;
    if (st == KEDGE_OK)
        return lines_skip(r->in, err);
    (void)lines_skip(r->in, NULL); /* the next call meets its failure again */
    return st;
}

/* ---- reading ------------------------------------------------------------- */

static kedge_status uci_next(records *r, record *out, bool *more,
                             kedge_error *err)
{
    uci *const u = r->own;
    bool whole = false;

    *more = false;
    if (u->handed_out)
        clear_document(r);
    while (!u->ended && !whole) {
        PASS(quick_lines(r, &whole, err));
        if (!whole && records_stall(r))
            return KEDGE_OK;
        if (!whole)
            PASS(careful_line(r, &whole, err));
    }
    *more = u->handed_out = r->bag.count > 0;
    r->absent -= *more;
    out->line = u->doc_line;
    out->position = u->doc;
    return KEDGE_OK;
}

/* Its first line is one number, be it wrong. */
static kedge_status uci_recognise(lines *in, const record_opts *opts, bool *yes,
                                  kedge_error *err)
{
    uint64_t value;
    bool closed;
    span line, f;

    (void)opts;
    *yes = false;
    PASS(lines_peek_short(in, &line, &closed, err));
    if (line.bytes == NULL || line.size > LINES_SHORT ||
        fields_split(line, &f, 1) != 1)
        return KEDGE_OK;
    if (f.bytes[0] == '-' && f.size > 1)
        f = span_of(f.bytes + 1, f.size - 1);
    *yes = span_number(f, &value);
    return KEDGE_OK;
}

const record_format format_uci = {
    .name = "uci",
    .kind = RECORD_NUMBERS,
    .recognise = uci_recognise,
    .open = uci_open,
    .next = uci_next,
    .close = uci_close,
};
