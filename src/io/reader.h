/* SPDX-License-Identifier: MIT */
#ifndef IO_READER_H
#define IO_READER_H
/*
 * From a source (a file, plain, .gz or .zst by its content, or "-" for
 * standard input) to batches of documents, in one pass and bounded memory.
 *
 *   reader_open → reader_next until *more is false → reader_counts → close
 *
 * Word ids are the lexicon's.
 */
#include <kedge/ingest.h>

#include "base/docs.h"
#include "base/wordmap.h"
#include "base/words.h"
#include "io/text/tokenizer.h"

typedef struct reader reader;
typedef struct assembler assembler; /* assemble.h */

#define READER_ID_MAX 255 /* bytes of a document's id; longer ones are bad */

/* What was passed over: how much of it, and where and why the first was. */
#define NOTES_LINES 3
#define NOTE_BYTES 512

typedef struct notes {
    uint64_t count;
    char line[NOTES_LINES][NOTE_BYTES]; /* "" behind the last */
} notes;

/* `count` more, by one line; one that is too long ends with a whole word. */
void notes_add(notes *n, uint64_t count, const char *line);

/* All that another has. */
void notes_join(notes *n, const notes *other);

/* What messages of malformed records, and of files, end with where these could
 * be skipped. */
#define READER_SKIP      "; --skip-bad counts such records and goes on"
#define READER_SKIP_FILE "; --skip-bad counts such files and goes on"

/* How far a reader may go. 0: as far as it knows to. */
typedef struct reader_room {
    unsigned window_log; /* of zstd data, 27 at most: 2^27 bytes */
    size_t line;         /* bytes of a line, of a row, of a directory's file */
    size_t entries; /* of one document, long ones cut into pieces */
    uint64_t piece; /* tokens of one; 0: documents stay whole */
} reader_room;

#define READER_ENTRIES_MAX ((size_t)1 << 24)
#define READER_LINE_BYTES 6 /* memory for a byte of the longest line */

typedef struct reader_opts {
    reader_room room;
    kedge_format format;
    const kedge_source *source; /* a program's documents, not those of the
                                   path, which is but a name; NULL: none */
    uint64_t words; /* in the vocabulary that goes with the source */
    bool skip_bad;  /* count malformed records and go on, and files that are
                       not in their format */
    const kedge_control *control; /* asked to stop while a pipe is waited for;
                                     NULL: nobody */
    bool vocabulary; /* there is one: no other words are taken from texts */
    wordmap *lexicon;    /* gives words their ids; new ones are added */
    const uint32_t *map; /* ids of the vocabulary's lines; NULL: the same */
    uint32_t unknown;    /* the id of all words that a closed lexicon has not;
                            0: they are passed over */
    bool closed;         /* it takes no new words, as with a vocabulary */
    bool empty;          /* documents without a word are given out as well, */
    bool empty_named;    /* or those that have an id: they count as empty */
    size_t new_words;    /* after so many a batch ends; 0: any number */
    const tokenizer_opts *tokens;
    assembler **kept; /* made when it is NULL, and used again by the next reader
                         with these options: the caller closes it. NULL: the
                         reader has its own */
    bool order; /* that of a text's words is kept */
    const char *text_field, *id_field, *label_field; /* NULL: the usual ones */
    const char *encoding; /* of the source, as stream_set_encoding has it */
} reader_opts;

typedef struct reader_counts {
    uint64_t bytes_read; /* as they came */
    uint64_t bytes_text; /* decompressed */
    uint64_t bytes_total; /* of the file as it lies on disk, 0 for a pipe */
    uint64_t documents;  /* given out */
    uint64_t texts;      /* records that were cut into words */
    uint64_t unbroken;   /* of the texts: mostly in scripts without blanks */
    uint64_t files;      /* of a directory, a document each */
    uint64_t not_text;   /* files of a directory that were skipped */
    uint64_t hidden;     /* skipped for their names: files or directories */
    uint64_t others;     /* links to directories or to nothing, pipes, ... */
    uint64_t widest;     /* bytes of the buffer for a line or file */
    uint64_t empty;      /* announced by the header, but without a word */
    uint64_t taken_back; /* of the empty: nothing but "[removed]" and its like */
    notes bad;           /* malformed records skipped (skip_bad) */
    notes unread;        /* the same: files, of which nothing is read, or not
                            all */
    notes partial;       /* tables that lack some of the columns of the text */
    uint64_t unnamed;    /* of JSON and tables: documents without an id */
    uint64_t not_utf8;   /* records that hold bytes which are not UTF-8, */
    char first_not_utf8[512]; /* and where the first is */
} reader_counts;

/* By which a source is known to be unchanged, as it was when it was opened: a
 * file's size, and its modification time in nanoseconds since 1970; of a
 * directory the sum of sizes, and a digest of its files. Zeros of anything
 * else. */
typedef struct reader_stamp {
    uint64_t bytes, modified;
} reader_stamp;

/* How much a batch holds at most: reader_next stops at the first document that
 * reaches one of the limits. */
typedef struct reader_limits {
    size_t documents;
    size_t entries;
    uint64_t tokens; /* 0: any number */
    double seconds;  /* 0: as long as it takes. Otherwise what a pipe has given
                        in this time is a batch, if it is a document */
} reader_limits;

/* EIO where one of the paths, "-" aside, is not there or must not be read: many
 * files are looked at before the first takes its time. */
kedge_status reader_find(const char *const *paths, size_t count,
                         kedge_error *err);

kedge_status reader_open(const char *path, const reader_opts *opts,
                         reader **out, kedge_error *err);

void reader_get_stamp(const reader *r, reader_stamp *out);

/* Whether texts that are read next keep the order of their words. */
void reader_set_order(reader *r, bool order);

/* Whether the source is a directory: its documents are its texts, whose ids
 * are their paths in it; and the paths that lead to its tables and JSON, which
 * are sources of their own, once the texts have been read. */
bool reader_is_folder(const reader *r);
bool reader_keeps_ids(const reader *r); /* they are not left out */
const words *reader_records(const reader *r);

/*
 * Appends documents to the batch (which the caller cleared) up to the limits;
 * *more is false once the source has ended and has been found whole. On
 * EFORMAT the text names file, line and what was expected.
 */
kedge_status reader_next(reader *r, const reader_limits *limits, docs *batch,
                         bool *more, kedge_error *err);

/* What a program's own source is called, be it that it has no name. */
const char *reader_given_name(const kedge_source *source);
/* EINVAL of a source that cannot be read; before anything is done with it. */
kedge_status reader_given_check(const kedge_source *source, kedge_error *err);

/* Whether the source's words are those of a vocabulary that comes with it, and
 * not found while reading. */
bool reader_needs_vocabulary(const reader *r);

/* Counts so far; valid at any time. */
void reader_get_counts(const reader *r, reader_counts *out);

void reader_close(reader *r); /* accepts NULL */

/* What reader_opts.kept was given; accepts NULL. */
void reader_close_kept(assembler *a);

/* The version of zlib in use, as "1.2.13". Never freed. */
const char *reader_library_version(void);

#endif
