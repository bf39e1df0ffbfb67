/* SPDX-License-Identifier: MIT */
#ifndef IO_FORMAT_H
#define IO_FORMAT_H
/*
 * A format turns lines into records: one document each, before its words are
 * numbered. A record is text that is to be cut into words, or a bag of words,
 * or a bag of numbers of words in a vocabulary that came along.
 *
 * Each format is a file in io/formats, which ends with its row of the table in
 * io/formats/formats.c: its name, what it needs, and its functions.
 *
 *   records_open → records_next until *more is false → records_close
 *
 * Everything in a record is valid until the next call.
 */
#include <kedge/ingest.h>

#include "base/span.h"
#include "io/lines.h"

typedef enum record_kind {
    RECORD_TEXT,    /* text */
    RECORD_WORDS,   /* word[], tally[] */
    RECORD_NUMBERS, /* number[], tally[] */
} record_kind;

typedef struct record {
    span id, label; /* size 0: none */
    uint64_t line;  /* where it begins; 0: it is not of lines */
    uint64_t position; /* its number, where the format has them; or 0 */
    record_kind kind;
    span text;
    size_t count;           /* of the bag; a word may come twice */
    const span *word;
    const uint32_t *number; /* from 0, below opts.words */
    const uint32_t *tally;  /* at least 1 */
} record;

#define RECORD_ID_MAX 255                 /* bytes */
#define BAG_ENTRIES_MAX ((size_t)1 << 24) /* of a document */
#define BAG_TOKENS_MAX (UINT64_C(1) << 40)
#define COUNT_MAX UINT64_C(0x7fffffff) /* of a word in a document */

typedef struct record_opts {
    /* NULL: the usual ones; "none" for id and label: there are none */
    const char *text_field, *id_field, *label_field;
    uint64_t words; /* in the vocabulary that goes with the source, 0: none */
    size_t entries; /* of a bag at most; 0: BAG_ENTRIES_MAX */
    bool blank;     /* lines of nothing but blanks are documents, too */
    bool skip_bad;  /* the caller goes on after a malformed record */
    const kedge_source *source; /* a program's documents, which have no lines */
    const char *name;           /* what messages call them */
} record_opts;

static inline bool record_field_none(const char *name)
{
    return name != NULL && strcmp(name, "none") == 0;
}

typedef struct record_format record_format;

/* A source as its format reads it. */
typedef struct records {
    const record_format *format;
    lines *in; /* not owned; NULL: a program's documents */
    const char *name; /* of the source, for messages */
    record_opts opts;
    uint64_t line; /* where the record begins, for messages */
    struct bag {   /* of the record: its words or their numbers */
        size_t count;
        uint64_t tokens; /* the sum of the tallies */
        span *word;      /* not owned */
        uint32_t *number, *tally;
        size_t word_capacity, number_capacity, tally_capacity;
    } bag;
    double deadline; /* 0: none; see records_stall */
    bool stalled;
    uint64_t absent; /* documents that the source announced, and has not had */
    /* What people should know of the source, after opening; or "". */
    char remark[400];
    void *own; /* what the format keeps */
} records;

struct record_format {
    const char *name;    /* as --from has it */
    const char *endings; /* of files' names that say so where the content does
                            not: ".jsonl .ndjson"; NULL: none */
    record_kind kind;    /* NUMBERS: it needs a vocabulary */
    char comment;        /* what begins lines that are none of `line`; or 0 */
    /* Whether the source looks like this format, by its first lines; nothing
     * is passed over. Fields that are asked for say so, where it has them.
     * NULL: only when asked for. */
    kedge_status (*recognise)(lines *in, const record_opts *opts, bool *yes,
                              kedge_error *err);
    kedge_status (*open)(records *r, kedge_error *err); /* NULL: nothing */
    /* A line is a record: this one, which has more than blanks, into *out. The
     * bag is empty. */
    kedge_status (*line)(records *r, span line, record *out, kedge_error *err);
    /* Where it is not: as records_next. */
    kedge_status (*next)(records *r, record *out, bool *more,
                         kedge_error *err);
    void (*close)(void *own);
};

/* The lines are not owned, the options' strings outlive the records. EFORMAT;
 * EINVAL for fields that cannot be, or where a vocabulary is missing. */
kedge_status records_open(const record_format *f, lines *in,
                          const record_opts *opts, records *out,
                          kedge_error *err);
void records_close(records *r);

/* *more false: the source has ended, and there is no record; or it has stalled
 * in the middle of one, and the next call goes on there. EFORMAT for a
 * malformed record, which has been passed over; the next call goes on behind it
 * (unless lines_broken). Other failures are final. */
kedge_status records_next(records *r, record *out, bool *more,
                          kedge_error *err);

/* ---- the formats --------------------------------------------------------- */

extern const record_format format_csv, format_files, format_jsonl, format_ldac,
    format_lines, format_mallet, format_mtx, format_svmlight, format_tsv,
    format_uci, format_vowpal;

extern const record_format format_program; /* of a program: opts.source */

/* By its number; NULL: AUTO, or there is none. */
const record_format *formats_get(kedge_format format);

/* The format that the lines look like, UCI aside, or else their source's name,
 * AUTO where that says nothing. Nothing is passed over. */
kedge_status formats_recognise(lines *in, const record_opts *opts,
                               kedge_format *out, kedge_error *err);

/* Whether a file of a directory, where a text is a document, is a table or
 * JSON instead. */
kedge_status formats_are_records(lines *in, const record_opts *opts, bool *yes,
                                 kedge_error *err);

/* ---- what formats share -------------------------------------------------- */

/* Names of fields and columns, where none are asked for; NULL ends them. */
extern const char *const usual_text[], *const usual_label[];

/* EFORMAT at records.line: what is wrong, and what was expected. */
#define malformed(r, err, ...) \
    malformed_at((r)->name, (r)->line, err, __VA_ARGS__)

/* Bytes as messages show them: plain ASCII, cut when long. */
typedef struct shown {
    char text[32];
} shown;

shown span_show(span text);

static inline bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* The first field, between blanks and tabs, of what is left of a line, which
 * begins behind it then; false, and an empty field, when there is none. */
bool fields_next(span *left, span *out);

/* Up to `most` of the fields; returns how many the line has. */
size_t fields_split(span line, span *out, size_t most);

/* A decimal number without a sign; false when it is none. UINT64_MAX stands
 * for all that are too large. */
bool span_number(span text, uint64_t *value);

/* A whole number that may be written as a real one: 3, 3.0, 3e0 and 0.3e1 are
 * all three. */
bool span_whole(span text, uint64_t *value);

/* A plain number, from `least` to `most`, of a "word" or the like. EFORMAT. */
kedge_status records_number(const records *r, span text, const char *what,
                            uint64_t least, uint64_t most, uint64_t *value,
                            kedge_error *err);

/* A count of at least 1, by span_whole. EFORMAT for other values: weights are
 * no counts. */
kedge_status records_count(const records *r, span text, uint32_t *tally,
                           kedge_error *err);

/* "number:count" of words from `first` on, into the bag. EFORMAT. */
kedge_status records_pair(records *r, span text, uint64_t first,
                          kedge_error *err);

/* For formats whose records have several lines: whether the next one is not
 * there by the deadline, if there is one. */
bool records_stall(records *r);

/* One entry more of the bag, all of them of the same kind. EFORMAT above the
 * limits. */
kedge_status records_add_word(records *r, span word, uint32_t tally,
                              kedge_error *err);
kedge_status records_add_number(records *r, uint32_t number, uint32_t tally,
                                kedge_error *err);
void records_clear_bag(records *r);

static inline size_t record_entries_most(const record_opts *o)
{
    return o->entries == 0 || o->entries > BAG_ENTRIES_MAX ? BAG_ENTRIES_MAX
                                                           : o->entries;
}

#endif
