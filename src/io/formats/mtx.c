/* SPDX-License-Identifier: MIT */
/*
 * Matrix Market, "mtx": a line "%%MatrixMarket matrix coordinate FIELD general"
 * with the field integer, real or pattern, lines of comment that begin with %,
 * a line with the numbers of rows, columns and entries, then a line for each
 * entry, "row column count", from 1. Counts are whole numbers that may be
 * written as real ones; a pattern has none, each is 1. Empty lines are passed
 * over.
 *
 * Documents are rows and words columns, as gensim and most others write them,
 * when there are as many columns as words in the vocabulary; else it is the
 * other way round, when there are as many rows. When there are as many of both,
 * documents are rows. Either way the entries must come in rising order of their
 * documents. Within a document they may come in any order.
 *
 * Documents without an entry are passed over; there are no ids and no labels.
 * A malformed entry is an EFORMAT of its own, returned when it is met: the next
 * call goes on behind its line, within the same document. There must be as many
 * entries, malformed ones included, as the header says.
 *
 * A document ends where an entry belongs to the next one: that entry is kept
 * for the next call. A malformed entry leaves everything as it is.
 */
#include <inttypes.h>
#include <strings.h>

#include "base/fail.h"
#include "base/mem.h"
#include "io/format.h"

#define BANNER        "%%MatrixMarket"
#define BANNER_FIELDS 5
#define SIZES_MAX     (UINT64_C(1) << 62)
#define WORDS_MAX     UINT64_C(0xfffffffe)

typedef struct entry {
    uint64_t doc;         /* from 1 */
    uint32_t word, tally; /* the word from 0 */
} entry;

typedef struct mtx {
    bool pattern;   /* entries have no counts */
    bool transpose; /* words are rows */
    uint64_t rows, columns;
    uint64_t entries, read; /* as the header says; malformed ones included */

    uint64_t doc; /* the bag's, or the last one's; 0 before the first */
    bool given; /* the bag was, and is the caller's until the next call */
    bool ahead; /* an entry of the next document was read */
    entry next;
    bool ended;
} mtx;

/* ---- the header ---------------------------------------------------------- */

/* Whether the field is one of two words, in letters of any case. */
static bool is_word(span f, const char *word, const char *other)
{
    return (f.size == strlen(word) &&
            strncasecmp(f.bytes, word, f.size) == 0) ||
           (other != NULL && is_word(f, other, NULL));
}

/* The next line, behind the last where there is none. */
static kedge_status take_line(records *r, span *line, bool *more,
                              kedge_error *err)
{
    PASS(lines_next(r->in, line, more, err));
    r->line = lines_number(r->in) + !*more;
    return KEDGE_OK;
}

static kedge_status header_line(records *r, const char *what, span *line,
                                kedge_error *err)
{
    bool more;

    PASS(take_line(r, line, &more, err));
    if (!more)
        return malformed(r, err, "the file %s: expected %s",
                         r->line == 1 ? "is empty" : "ends here", what);
    return KEDGE_OK;
}

/* What the line says about the kind of matrix. */
static kedge_status banner(records *r, mtx *m, kedge_error *err)
{
    static const char *const expected[BANNER_FIELDS][2] = {{BANNER, NULL},
                                                           {"matrix", NULL},
                                                           {"coordinate", NULL},
                                                           {"integer", "real"},
                                                           {"general", NULL}};
    span line, f;

    PASS(header_line(r, "\"" BANNER " matrix coordinate integer general\"",
                     &line, err));
    for (size_t i = 0; i < BANNER_FIELDS; i++) {
        (void)fields_next(&line, &f);
        if (is_word(f, expected[i][0], expected[i][1]))
            continue;
        m->pattern = i == 3 && is_word(f, "pattern", NULL);
        if (!m->pattern)
            return malformed(r, err,
                             "the header has \"%s\": expected \"%s\"%s",
                             span_show(f).text, expected[i][0],
                             i == 3 ? ", \"real\" or \"pattern\"" : "");
    }
    return KEDGE_OK;
}

/* The first line that is neither empty nor comment: three numbers. */
static kedge_status sizes(records *r, mtx *m, kedge_error *err)
{
    size_t count;
    span line, f[3];

    do {
        PASS(header_line(r, "\"rows columns entries\"", &line, err));
        count = fields_split(line, f, 3);
    } while (count == 0 || f[0].bytes[0] == '%');
    if (count != 3)
        return malformed(r, err,
                         "expected three numbers: \"rows columns entries\"");
    PASS(records_number(r, f[0], "number of rows", 0, SIZES_MAX, &m->rows,
                        err));
    PASS(records_number(r, f[1], "number of columns", 0, SIZES_MAX, &m->columns,
                        err));
    return records_number(r, f[2], "number of entries", 0, SIZES_MAX,
                          &m->entries, err);
}

/* Which of the two are the words. */
static kedge_status orient(const records *r, mtx *m, kedge_error *err)
{
    const uint64_t words = r->opts.words;

    m->transpose = m->columns != words;
    if ((m->transpose && m->rows != words) || words > WORDS_MAX)
        return malformed(r, err,
                         "the header says %" PRIu64 " rows and %" PRIu64 " "
                         "columns, the vocabulary has %" PRIu64 " words: "
                         "expected as many columns, or rows",
                         m->rows, m->columns, words);
    return KEDGE_OK;
}

/* ---- entries ------------------------------------------------------------- */

static kedge_status parse(const records *r, span line, entry *e,
                          kedge_error *err)
{
    const mtx *const m = r->own;
    const size_t wanted = m->pattern ? 2 : 3;
    uint64_t row, column;
    span f[3];
    const size_t count = fields_split(line, f, 3);

    if (count != wanted)
        return malformed(r, err,
                         "the line has %zu field%s: expected \"%s\"", count,
                         count == 1 ? "" : "s",
                         m->pattern ? "row column" : "row column count");
    PASS(records_number(r, f[0], m->transpose ? "row (word)" : "row (document)",
                        1, m->rows, &row, err));
    PASS(records_number(r, f[1],
                        m->transpose ? "column (document)" : "column (word)", 1,
                        m->columns, &column, err));
    e->tally = 1;
    if (!m->pattern)
        PASS(records_count(r, f[2], &e->tally, err));
    e->doc = m->transpose ? column : row;
    e->word = (uint32_t)(m->transpose ? row : column) - 1;
    return KEDGE_OK;
}

static kedge_status check_order(const records *r, const entry *e,
                                kedge_error *err)
{
    const mtx *const m = r->own;
    const char *const what = m->transpose ? "column" : "row";

    if (e->doc >= m->doc)
        return KEDGE_OK;
    return malformed(r, err,
                     "%s %" PRIu64 ", a document, comes after %s %" PRIu64 ": "
                     "expected entries in the order of their documents: sort "
                     "the file by its %ss%s",
                     what, e->doc, what, m->doc, what,
                     m->rows == m->columns
                         ? ", or transpose it where its columns are the "
                           "documents"
                         : "");
}

/* The next entry; *more is false at the end of the file. */
static kedge_status next_entry(records *r, entry *e, bool *more,
                               kedge_error *err)
{
    mtx *const m = r->own;
    span line, left, f;

    do {
        PASS(take_line(r, &line, more, err));
        left = line;
        m->ended = !*more;
        if (m->ended && m->read < m->entries)
            return malformed(r, err,
                             "the file ends after %" PRIu64 " of %" PRIu64 " "
                             "entries: expected as many as the header says",
                             m->read, m->entries);
        if (m->ended)
            return KEDGE_OK;
    } while (!fields_next(&left, &f));
    if (m->read == m->entries)
        return malformed(r, err,
                         "there are more than the %" PRIu64 " entries that the "
                         "header says: expected the end of the file",
                         m->entries);
    m->read++;
    PASS(parse(r, line, e, err));
    return check_order(r, e, err);
}

/* Gathers the entries of one document, as many as there are. */
static kedge_status gather(records *r, kedge_error *err)
{
    mtx *const m = r->own;
    bool more = true;
    entry e;

    for (;;) {
        if (m->ahead)
            e = m->next;
        else if (records_stall(r))
            return KEDGE_OK;
        else
            PASS(next_entry(r, &e, &more, err));
        if (!more)
            break;
        m->next = e;
        m->ahead = r->bag.count > 0 && e.doc != m->doc;
        if (m->ahead)
            break;
        m->doc = e.doc;
        PASS(records_add_number(r, e.word, e.tally, err));
    }
    return KEDGE_OK;
}

static kedge_status mtx_next(records *r, record *out, bool *more,
                             kedge_error *err)
{
    mtx *const m = r->own;

    (void)out;
    *more = false;
    if (m->given)
        records_clear_bag(r);
    m->given = false;
    if (!m->ended)
        PASS(gather(r, err));
    *more = m->given = !r->stalled && r->bag.count > 0;
    return KEDGE_OK;
}

/* ---- opening ------------------------------------------------------------- */

static kedge_status mtx_open(records *r, kedge_error *err)
{
    mtx *m;

    PASS_MEM(r->own = m = mem_new(1, sizeof *m));
    PASS(banner(r, m, err));
    PASS(sizes(r, m, err));
    return orient(r, m, err);
}

static kedge_status mtx_recognise(lines *in, const record_opts *opts, bool *yes,
                                  kedge_error *err)
{
    bool more;
    span line, first;

    (void)opts;
    *yes = false;
    PASS(lines_peek(in, &line, &more, err));
    *yes = more && fields_next(&line, &first) && is_word(first, BANNER, NULL);
    return KEDGE_OK;
}

const record_format format_mtx = {
    .name = "mtx",
    .kind = RECORD_NUMBERS,
    .recognise = mtx_recognise,
    .open = mtx_open,
    .next = mtx_next,
    .close = mem_free,
};
