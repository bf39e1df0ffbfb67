/* SPDX-License-Identifier: MIT */
/*
 * A document ends where an entry belongs to the next one: that entry is kept
 * for the next call. A malformed entry leaves everything as it is.
 */
#include "io/formats/mtx.h"

#include <inttypes.h>
#include <strings.h>

#include "base/fail.h"
#include "base/mem.h"
#include "io/bag.h"
#include "io/fields.h"
#include "io/malformed.h"
#include "io/quantity.h"

#define BANNER        "%%MatrixMarket"
#define BANNER_FIELDS 5
#define SIZES_MAX     (UINT64_C(1) << 62)
#define WORDS_MAX     UINT64_C(0xfffffffe)

typedef struct entry {
    uint64_t doc;         /* from 1 */
    uint32_t word, tally; /* the word from 0 */
} entry;

typedef struct mtx {
    lines *in;
    bool pattern;   /* entries have no counts */
    bool transpose; /* words are rows */
    quantity_range rows, columns;
    uint64_t entries, read; /* as the header says; malformed ones included */

    uint64_t doc; /* the bag's, or the last one's; 0 before the first */
    bag bag;
    bool given; /* the bag was, and is the caller's until the next call */
    bool ahead; /* an entry of the next document was read */
    entry next;
    bool ended;
    bool late; /* a failure that is told after the last document */
    kedge_error why;
} mtx;

/* ---- the header ---------------------------------------------------------- */

/* Whether the field is one of two words, in letters of any case. */
static bool is_word(span f, const char *word, const char *other)
{
    return (f.size == strlen(word) &&
            strncasecmp(f.bytes, word, f.size) == 0) ||
           (other != NULL && is_word(f, other, NULL));
}

/* A line that is there. */
static kedge_status header_line(mtx *m, const char *what, span *line,
                                kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    bool more;

    TRY(lines_next(m->in, line, &more, err));
    if (!more) {
        const uint64_t number = lines_number(m->in) + 1;
        return malformed_at(m->in, number, err, "the file %s: %s was expected",
                            number == 1 ? "is empty" : "ends here", what);
    }
out:
    return st;
}

/* What the line says about the kind of matrix. */
static kedge_status banner(mtx *m, kedge_error *err)
{
    static const char *const expected[BANNER_FIELDS][2] = {{BANNER, NULL},
                                                           {"matrix", NULL},
                                                           {"coordinate", NULL},
                                                           {"integer", "real"},
                                                           {"general", NULL}};
    kedge_status st = KEDGE_OK;
    span line, f;

    TRY(header_line(m, "\"" BANNER " matrix coordinate integer general\"",
                    &line, err));
    for (size_t i = 0; i < BANNER_FIELDS; i++) {
        (void)fields_next(&line, &f);
        if (is_word(f, expected[i][0], expected[i][1]))
            continue;
        m->pattern = i == 3 && is_word(f, "pattern", NULL);
        if (!m->pattern)
            return malformed(m->in, err,
                             "the header has \"%s\": \"%s\"%s was expected",
                             span_show(f).text, expected[i][0],
                             i == 3 ? ", \"real\" or \"pattern\"" : "");
    }
out:
    return st;
}

/* The first line that is neither empty nor comment: three numbers. */
static kedge_status sizes(mtx *m, kedge_error *err)
{
    static const quantity_range entries = {"number of entries", 0, SIZES_MAX};
    quantity_range *const range[2] = {&m->rows, &m->columns};
    static const char *const what[2] = {"number of rows", "number of columns"};
    kedge_status st = KEDGE_OK;
    span line, left, f[3];

    do {
        TRY(header_line(m, "\"rows columns entries\"", &line, err));
        left = line;
    } while (!fields_next(&left, &f[0]) || f[0].bytes[0] == '%');
    if (!fields_next(&left, &f[1]) || !fields_next(&left, &f[2]) ||
        fields_next(&left, &line))
        return malformed(m->in, err,
                         "these are not three numbers: \"rows columns "
                         "entries\" was expected");
    for (int i = 0; i < 2; i++) {
        const quantity_range any = {what[i], 0, SIZES_MAX};
        TRY(quantity_number(m->in, f[i], &any, &range[i]->most, err));
        range[i]->least = 1;
    }
    TRY(quantity_number(m->in, f[2], &entries, &m->entries, err));
out:
    return st;
}

/* Which of the two are the words. */
static kedge_status orient(mtx *m, uint64_t words, kedge_error *err)
{
    m->transpose = m->columns.most != words;
    if ((m->transpose && m->rows.most != words) || words > WORDS_MAX)
        return malformed(m->in, err,
                         "the header says %" PRIu64 " rows and %" PRIu64
                         " columns, the vocabulary has %" PRIu64 " words: as "
                         "many columns, or rows, were expected",
                         m->rows.most, m->columns.most, words);
    m->rows.what = m->transpose ? "row (word)" : "row (document)";
    m->columns.what = m->transpose ? "column (document)" : "column (word)";
    return KEDGE_OK;
}

/* ---- entries ------------------------------------------------------------- */

static kedge_status parse(mtx *m, span left, entry *e, kedge_error *err)
{
    const size_t wanted = m->pattern ? 2 : 3;
    kedge_status st = KEDGE_OK;
    uint64_t row, column;
    span f[3], more;
    size_t count = 0;

    while (count < wanted && fields_next(&left, &f[count]))
        count++;
    while (fields_next(&left, &more))
        count++;
    if (count != wanted)
        return malformed(m->in, err,
                         "the line has %zu field%s: \"%s\" was expected", count,
                         count == 1 ? "" : "s",
                         m->pattern ? "row column" : "row column count");
    TRY(quantity_number(m->in, f[0], &m->rows, &row, err));
    TRY(quantity_number(m->in, f[1], &m->columns, &column, err));
    e->tally = 1;
    if (!m->pattern)
        TRY(quantity_count(m->in, f[2], &e->tally, err));
    e->doc = m->transpose ? column : row;
    e->word = (uint32_t)(m->transpose ? row : column) - 1;
out:
    return st;
}

static kedge_status check_order(mtx *m, const entry *e, kedge_error *err)
{
    const char *const what = m->transpose ? "column" : "row";

    if (e->doc >= m->doc)
        return KEDGE_OK;
    return malformed(m->in, err,
                     "%s %" PRIu64 ", a document, comes after %s %" PRIu64
                     ": entries in the order of their documents were "
                     "expected: sort the file by its %ss%s",
                     what, e->doc, what, m->doc, what,
                     m->rows.most == m->columns.most
                         ? ", or transpose it where its columns are the "
                           "documents"
                         : "");
}

static kedge_status finish(mtx *m, kedge_error *err)
{
    m->ended = true;
    if (m->read == m->entries)
        return KEDGE_OK;
    return malformed_at(m->in, lines_number(m->in) + 1, err,
                        "the file ends after %" PRIu64 " of %" PRIu64
                        " entries: as many as the header says were expected",
                        m->read, m->entries);
}

static bool is_empty(span line)
{
    span first;

    return line.size == 0 ||
           (is_blank(line.bytes[0]) && !fields_next(&line, &first));
}

/* The next entry; *more is false at the end of the file. */
static kedge_status next_entry(mtx *m, entry *e, bool *more, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    span line;

    do {
        TRY(lines_next(m->in, &line, more, err));
        if (!*more)
            return finish(m, err);
    } while (is_empty(line));
    if (m->read == m->entries)
        return malformed(m->in, err,
                         "there are more than the %" PRIu64 " entries that "
                         "the header says: the end of the file was expected",
                         m->entries);
    m->read++;
    TRY(parse(m, line, e, err));
    TRY(check_order(m, e, err));
out:
    return st;
}

/* Gathers the entries of one document, as many as there are. */
static kedge_status gather(mtx *m, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    bool more = true;
    entry e;

    for (;;) {
        if (m->ahead)
            e = m->next;
        else
            TRY(next_entry(m, &e, &more, err));
        if (!more)
            break;
        m->next = e;
        m->ahead = m->bag.count > 0 && e.doc != m->doc;
        if (m->ahead)
            break;
        m->doc = e.doc;
        TRY(bag_add_number(&m->bag, m->in, e.word, e.tally, err));
    }
out:
    return st;
}

/* ---- the face ------------------------------------------------------------ */

static void mtx_close(void *state)
{
    mtx *m = state;

    if (m == NULL)
        return;
    bag_free(&m->bag);
    mem_free(m);
}

static kedge_status mtx_open(lines *in, const record_opts *opts, void **state,
                             kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    mtx *m = NULL;

    *state = NULL;
    TRY(quantity_check_words(in, opts->words, err));
    TRY_MEM(m = mem_new(1, sizeof *m));
    m->in = in;
    m->bag.most = opts->entries;
    TRY(banner(m, err));
    TRY(sizes(m, err));
    TRY(orient(m, opts->words, err));
    *state = m;
    m = NULL;
out:
    mtx_close(m);
    return st;
}

static kedge_status mtx_next(void *state, record *out, bool *more,
                             kedge_error *err)
{
    mtx *m = state;
    kedge_status st = KEDGE_OK;

    *out = (record){.kind = RECORD_NUMBERS};
    *more = false;
    if (m->given) {
        bag_clear(&m->bag);
        m->given = false;
    }
    if (m->late) {
        m->late = false;
        return kedge_fail(err, m->why.status, "%s", m->why.text);
    }
    if (!m->ended)
        st = gather(m, &m->why);
    /* Who sees a failure where nothing follows would not call again. */
    m->late = st == KEDGE_EFORMAT && m->bag.count > 0 && lines_ended(m->in);
    if (st != KEDGE_OK && !m->late)
        return kedge_fail(err, st, "%s", m->why.text);
    bag_give(&m->bag, RECORD_NUMBERS, out);
    m->given = true;
    *more = m->bag.count > 0;
    return KEDGE_OK;
}

static kedge_status mtx_recognise(lines *in, const record_opts *opts, bool *yes,
                                  kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    bool more;
    span line, first;

    (void)opts;
    *yes = false;
    TRY(lines_peek(in, 0, &line, &more, err));
    *yes = more && fields_next(&line, &first) && is_word(first, BANNER, NULL);
out:
    return st;
}

const record_format format_mtx = {
    .name = "mtx",
    .recognise = mtx_recognise,
    .open = mtx_open,
    .next = mtx_next,
    .close = mtx_close,
};
