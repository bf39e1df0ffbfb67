/* SPDX-License-Identifier: MIT */
/*
 * Two paths read the same lines. The quick one takes plain lines, "12 345 6",
 * while QUICK_BYTES of text lie ahead, so that it need not look for the end of
 * the text; within a document it compares the document's number as bytes. It
 * leaves whatever is unusual untouched to the careful one, which takes a
 * single line, with all the liberties the format has, and knows all the
 * reasons. Both change the batch only after a whole line was found right.
 */
#include "io/formats/uci.h"

#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"
#include "base/run.h"
#include "io/entries.h"
#include "io/fields.h"
#include "io/number_inl.h"
#include "io/records.h"

#define QUICK_BYTES 64
#define QUICK_DIGITS 15 /* of a document's number, with a blank two words */

#define HEADER_MAX (UINT64_C(1) << 62)
#define WORDS_MAX (UINT64_C(0xfffffffe))
#define TALLY_MAX (UINT64_C(0x7fffffff))
#define TOKENS_MAX (UINT64_C(1) << 40)  /* of a document */
#define ENTRIES_MAX ((size_t)1 << 28)   /* likewise */
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
    text_window *in;
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
    entries sorter;
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

/* ---- reasons ------------------------------------------------------------- */

/* "file:line: reason" as the reason why. */
KEDGE_PRINTF(3, 4)
static kedge_status complain(uci *u, uint64_t line, const char *format, ...)
{
    char reason[512];
    va_list args;

    va_start(args, format);
    vsnprintf(reason, sizeof reason, format, args);
    va_end(args);
    return kedge_fail(&u->why, KEDGE_EFORMAT, "%s:%" PRIu64 ": %s",
                      stream_name(u->in->in), line, reason);
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

static kedge_status header_number(uci *u, const field *f, const char *what,
                                  uint64_t most, uint64_t *value)
{
    const uint64_t line = u->in->line;

    if (!field_number(f, value))
        return complain(u, line, "\"%s\" is %s: the number of %s was expected",
                        field_show(f).text,
                        f->bytes[0] == '-' ? "negative" : "not a number",
                        what);
    if (*value > most)
        return complain(u, line,
                        "\"%s\" is too large: the number of %s, at most "
                        "%" PRIu64 ", was expected",
                        field_show(f).text, what, most);
    return KEDGE_OK;
}

/* One line of the header: a number alone. */
static kedge_status header_line(uci *u, const char *what, uint64_t most,
                                uint64_t *value)
{
    const uint64_t number_of_line = u->in->line;
    kedge_status st = KEDGE_OK;
    text_line line;
    field f;
    size_t count;

    TRY(text_peek(u->in, &line, &u->why));
    if (line.bytes == NULL)
        return complain(u, number_of_line,
                        "the file %s: the number of %s was expected",
                        number_of_line == 1 ? "is empty" : "ends here", what);
    if (line.size > TEXT_LINE_MAX)
        return complain(u, number_of_line,
                        "the line is longer than %zu bytes: the number of %s "
                        "was expected",
                        TEXT_LINE_MAX, what);
    count = fields_split(&line, &f, 1);
    if (count == 0)
        return complain(u, number_of_line,
                        "the line is empty: the number of %s was expected",
                        what);
    TRY(header_number(u, &f, what, most, value));
    if (count > 1)
        return complain(u, number_of_line,
                        "the line has %zu fields: the number of %s alone was "
                        "expected",
                        count, what);
    TRY(text_skip(u->in, &u->why));
out:
    return st;
}

static kedge_status header(uci *u, uint64_t expected)
{
    kedge_status st = KEDGE_OK;

    TRY(header_line(u, "documents", HEADER_MAX, &u->documents));
    TRY(header_line(u, "words", WORDS_MAX, &u->words));
    if (u->words != expected)
        return complain(u, 2,
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

/* Sorts what the open document has, when needed, and leaves out twins. */
static kedge_status settle(uci *u, docs *b)
{
    const size_t from = b->start[b->count - 1];
    kedge_error *const err = &u->why;
    kedge_status st = KEDGE_OK;
    entries_twins twins;
    size_t left;

    if (u->rising)
        return KEDGE_OK;
    if (!entries_sort(&u->sorter, b->word + from, b->tally + from,
                      b->start[b->count] - from, &left, &twins))
        return kedge_fail(err, KEDGE_ENOMEM, "out of memory (%s)", __func__);
    b->start[b->count] = from + left;
    b->length[b->count - 1] -= twins.tokens;
    u->rising = true;
    u->last = b->word[from + left - 1] + 1;
    if (twins.count == 0)
        return KEDGE_OK;
    u->good -= twins.count;
    /* Lines and entries go together while no line was left out, and later
     * nobody asks for the line. */
    st = complain(u, u->doc_line + twins.first,
                  "word %" PRIu64 " of document %" PRIu64 " comes twice: "
                  "each word once was expected",
                  (uint64_t)twins.word + 1, u->doc);
    return forgive(u, st, twins.count);
}

/* A document that cannot be worked on leaves the batch again. */
static kedge_status measure(uci *u, docs *b, bool *fits)
{
    const size_t m = b->count - 1;
    const uint64_t tokens = b->length[m], piece = u->room.piece;

    *fits = u->room.entries == 0 ||
            docs_cut_entries(b, m, piece) <= u->room.entries;
    if (*fits)
        return KEDGE_OK;
    b->count--;
    return complain(u, u->doc_line,
                    "document %" PRIu64 " of %" PRIu64 " tokens is too large: "
                    "in pieces of %" PRIu64 " tokens, at most %zu words of "
                    "pieces were expected (more --memory allows for more)",
                    u->doc, tokens, piece, u->room.entries);
}

static kedge_status finish_document(uci *u, docs *b)
{
    kedge_status st = KEDGE_OK;
    bool fits;

    if (!u->open)
        return KEDGE_OK;
    TRY(settle(u, b));
    u->open = false;
    TRY(forgive(u, measure(u, b, &fits), 1));
    u->given += fits;
    u->dropped += !fits;
out:
    return st;
}

static kedge_status begin_document(uci *u, docs *b, uint64_t doc)
{
    if (!docs_begin(b, doc))
        return kedge_fail(&u->why, KEDGE_ENOMEM, "out of memory (%s)",
                          __func__);
    u->open = true;
    u->doc = doc;
    u->doc_line = u->in->line;
    u->last = 0;
    u->rising = true;
    return KEDGE_OK;
}

/* Whether the open document can take the record. */
static kedge_status check_room(uci *u, docs *b, const entry *r)
{
    kedge_status st = KEDGE_OK;

    if (b->start[b->count] - b->start[b->count - 1] >= u->entries_most)
        TRY(settle(u, b));
    if (b->start[b->count] - b->start[b->count - 1] >= ENTRIES_MAX)
        return complain(u, u->in->line,
                        "document %" PRIu64 " is too large: at most %zu "
                        "entries were expected",
                        u->doc, ENTRIES_MAX);
    if (b->length[b->count - 1] + r->tally > TOKENS_MAX)
        return complain(u, u->in->line,
                        "document %" PRIu64 " is too large: counts of at "
                        "most %" PRIu64 " in all were expected",
                        u->doc, TOKENS_MAX);
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
        TRY(begin_document(u, b, r->doc));
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

/* All the plain lines of the open document that lie ahead. */
static void quick_entries(uci *u, docs *b)
{
    text_window *const t = u->in;
    const prefix same = u->prefix;
    const uint64_t most = u->words;
    const char *p = t->bytes + t->at;
    const char *const end = t->bytes + t->end - QUICK_BYTES;
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
            length + r.tally > TOKENS_MAX)
            break;
        word[at] = r.word - 1;
        tally[at] = r.tally;
        at++;
        length += r.tally;
        rising &= r.word > last;
        last = r.word;
        p = next;
    }
    t->at = (size_t)(p - t->bytes);
    t->line += at - from;
    u->good += at - from;
    b->start[b->count] = at;
    b->length[b->count - 1] = length;
    u->last = last;
    u->rising = rising;
}

/* A plain line that is right; its length in bytes, else 0. */
static size_t quick_record(uci *u, entry *r)
{
    const char *const line = u->in->bytes + u->in->at;
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

static bool quick_ahead(const uci *u)
{
    return u->in->end - u->in->at >= QUICK_BYTES && u->blanks == 0;
}

/* Plain lines, of any documents, until something is unusual. */
static kedge_status quick_lines(uci *u, const reader_limits *limits, docs *b,
                                bool *full)
{
    kedge_status st = KEDGE_OK;
    entry r;

    while (quick_ahead(u)) {
        const size_t size = quick_record(u, &r);
        if (size == 0)
            break;
        st = take(u, limits, b, &r, full);
        if (st == KEDGE_EFORMAT) /* the careful path will find it, too */
            return forgive(u, st, 0);
        if (st != KEDGE_OK || *full)
            break;
        u->in->at += size;
        u->in->line++;
        if (quick_ahead(u))
            quick_entries(u, b);
    }
    return st;
}

/* ---- the careful path ---------------------------------------------------- */

/* One of the numbers of a record: `what` is out of range unless it is 1 to
 * `most`. */
static kedge_status record_number(uci *u, const field *f, const char *what,
                                  uint64_t most, uint64_t *value)
{
    if (!field_number(f, value))
        return complain(u, u->in->line,
                        "\"%s\" is not a number: a %s from 1 to %" PRIu64
                        " was expected",
                        field_show(f).text, what, most);
    if (*value == 0 || *value > most)
        return complain(u, u->in->line,
                        "the %s %s is too %s: a %s from 1 to %" PRIu64
                        " was expected",
                        what, field_show(f).text,
                        *value == 0 ? "small" : "large", what, most);
    return KEDGE_OK;
}

static kedge_status parse(uci *u, const text_line *line, entry *r)
{
    kedge_status st = KEDGE_OK;
    uint64_t word, tally;
    field f[3];
    size_t count;

    if (line->size > TEXT_LINE_MAX)
        return complain(u, u->in->line,
                        "the line is longer than %zu bytes: " EXPECTED,
                        TEXT_LINE_MAX);
    count = fields_split(line, f, 3);
    if (count != 3)
        return complain(u, u->in->line, "the line has %zu field%s: " EXPECTED,
                        count, count == 1 ? "" : "s");
    TRY(record_number(u, &f[0], "document", u->documents, &r->doc));
    TRY(record_number(u, &f[1], "word", u->words, &word));
    TRY(record_number(u, &f[2], "count", TALLY_MAX, &tally));
    r->word = (uint32_t)word;
    r->tally = (uint32_t)tally;
    if (r->doc < u->doc)
        return complain(u, u->in->line,
                        "document %" PRIu64 " comes after document %" PRIu64
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
                   complain(u, u->in->line,
                            "there are more than the %" PRIu64 " entries that "
                            "the header says: the end of the file was "
                            "expected",
                            u->entries),
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
                    complain(u, u->in->line,
                             "the file ends%s after %" PRIu64 " of %" PRIu64
                             " entries: as many as the header says were "
                             "expected",
                             within_line ? " within a line," : "", u->good,
                             u->entries),
                    1));
    u->ended = true;
out:
    return st;
}

/* Empty lines may end a file but not stand between others. */
static kedge_status check_blanks(uci *u)
{
    const uint64_t blanks = u->blanks;

    if (blanks == 0)
        return KEDGE_OK;
    u->blanks = 0;
    return forgive(u,
                   complain(u, u->blank_line, "the line is empty: " EXPECTED),
                   blanks);
}

static kedge_status take_line(uci *u, const reader_limits *limits, docs *b,
                              const text_line *line, bool *full)
{
    kedge_status st = KEDGE_OK;
    entry r;

    TRY(check_blanks(u));
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
    kedge_status st = KEDGE_OK;
    text_line line;
    field f;

    TRY(text_peek(u->in, &line, &u->why));
    if (line.bytes == NULL)
        return finish_text(u, b, false);
    if (line.size <= TEXT_LINE_MAX) {
        if (fields_split(&line, &f, 1) == 0) {
            u->blank_line = u->blanks++ == 0 ? u->in->line : u->blank_line;
            return text_skip(u->in, &u->why);
        }
        /* Who knows how the last number would have gone on. */
        if (!line.closed && u->good + u->bad.count + 1 < u->entries)
            return finish_text(u, b, true);
    }
    st = take_line(u, limits, b, &line, full);
    if (!*full) {
        TRY(forgive(u, st, 1));
        TRY(text_skip(u->in, &u->why));
    }
out:
    return st;
}

/* ---- the face ------------------------------------------------------------ */

kedge_status uci_recognise(text_window *in, bool *yes, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    text_line line;
    uint64_t value;
    field f;

    *yes = false;
    TRY(text_peek(in, &line, err));
    if (line.bytes == NULL || line.size > TEXT_LINE_MAX ||
        fields_split(&line, &f, 1) != 1)
        return KEDGE_OK;
    if (f.bytes[0] == '-' && f.size > 1) { /* a number, be it wrong */
        f.bytes++;
        f.size--;
    }
    *yes = field_number(&f, &value);
out:
    return st;
}

kedge_status uci_open(text_window *in, const reader_opts *opts, uci **out,
                      kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    uci *u = NULL;

    *out = NULL;
    TRY_MEM(u = mem_new(1, sizeof *u));
    u->in = in;
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
    entries_free(&u->sorter);
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
           !stream_ready(u->in->in, u->deadline - clock_seconds());
}

static kedge_status read_batch(uci *u, const reader_limits *limits, docs *b)
{
    kedge_status st = KEDGE_OK;
    bool full = false;

    u->batch_tokens = 0;
    u->deadline = clock_seconds() + limits->seconds;
    if (u->aside.count > 0)
        TRY(move_document(u, &u->aside, b));
    while (!full && !u->ended) {
        if (u->in->end - u->in->at < QUICK_BYTES && !text_holds_line(u->in)) {
            if (stalled(u, limits, b))
                return u->open ? move_document(u, b, &u->aside) : KEDGE_OK;
            TRY(text_fill(u->in, &u->why));
        }
        TRY(quick_lines(u, limits, b, &full));
        if (!full)
            TRY(careful_line(u, limits, b, &full));
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
        return kedge_fail(err, KEDGE_EMISUSE,
                          "%s: read on after a failure",
                          stream_name(u->in->in));
    st = read_batch(u, limits, batch);
    if (st != KEDGE_OK) {
        u->failed = true;
        /* What was begun is not given out, unless it is still aside. */
        if (u->open && batch->count > 0)
            batch->count--;
        if (u->skippable) {
            const size_t size = strlen(u->why.text);
            snprintf(u->why.text + size, sizeof u->why.text - size,
                     RECORDS_SKIP);
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

uint64_t uci_memusage(void)
{
    return sizeof(uci);
}
