/* SPDX-License-Identifier: MIT */
#ifndef KEDGE_INGEST_H
#define KEDGE_INGEST_H
/*
 * Reading documents, once: into the store's log of documents and, in the same
 * pass, into the sketch of their co-occurrence.
 *
 * The same call on the same sources after an interruption goes on where the
 * last commit was. A file that was read to its end is not read again while its
 * size and its modification time are the same.
 */
#include <kedge/control.h>
#include <kedge/source.h>
#include <kedge/store.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum kedge_format {
    KEDGE_FORMAT_AUTO = 0,   /* by the file's content: an empty one has no
                                documents, as in all formats but UCI and MTX,
                                which begin with how many there are */
    KEDGE_FORMAT_UCI = 1,    /* D, W, NNZ, then "document word count" lines */
    KEDGE_FORMAT_JSONL = 2,  /* JSON: an object a line, or an array of them */
    KEDGE_FORMAT_LINES = 3,  /* a document a line */
    KEDGE_FORMAT_MALLET = 4, /* "id label text" a line */
    KEDGE_FORMAT_TSV = 5,    /* columns between tabs, named by the first line */
    KEDGE_FORMAT_CSV = 6,    /* the same between commas, semicolons, tabs or
                                bars, with quotes */
    KEDGE_FORMAT_SVMLIGHT = 7, /* "label index:count ..." a line, from 1 */
    KEDGE_FORMAT_LDAC = 8,   /* "entries index:count ..." a line, from 0 */
    KEDGE_FORMAT_MTX = 9,    /* Matrix Market, documents by words or turned */
    KEDGE_FORMAT_VW = 10,    /* Vowpal Wabbit's lines */
    KEDGE_FORMAT_FILES = 11, /* a directory: each file that is text is a
                                document; or one file, as a document. Of a
                                directory AUTO takes tables and JSON for sources
                                of their own, as if each was named, the other
                                formats all of its files. What is a document is
                                known by its id, its path there, when the
                                directory is read again. A symbolic link is
                                followed to a file, wherever that is, and never
                                to a directory */
} kedge_format;

/* A document whose id the store has already. */
typedef enum kedge_on_duplicate {
    KEDGE_DUPLICATE_ERROR = 0,   /* of its source nothing more is stored */
    KEDGE_DUPLICATE_SKIP = 1,    /* the earlier one stays */
    KEDGE_DUPLICATE_REPLACE = 2, /* the earlier one leaves, even where the
                                    later one has no word */
} kedge_on_duplicate;

/* Whether words may hold digits. */
typedef enum kedge_digits {
    KEDGE_DIGITS_SETTLED = 0, /* as the store's texts were cut; of the first
                                 texts, they may not */
    KEDGE_DIGITS_YES = 1,
    KEDGE_DIGITS_NO = 2,
} kedge_digits;

/* Documents of fewer tokens are not counted where nothing else is asked for:
 * one token makes no pair of words, and all others do. */
#define KEDGE_MIN_TOKENS 2

typedef struct kedge_ingest_opts {
    const kedge_source *source; /* documents that the program has; NULL
                               (default): those of files. Beside it there are no
                               paths, and no format and vocabulary here */
    kedge_format format;    /* default AUTO; a pipe must be given one */
    const char *vocabulary; /* path: a word a line. Needed where words are
                               numbers (UCI, SVMLIGHT, LDAC, MTX); in texts, no
                               other words are taken. Without one the words are
                               those that are found */
    const char *text_field;  /* of JSONL, TSV, CSV: names between commas, with
                                dots for what lies within, of which a file need
                                not have all; NULL: as the store's texts were
                                read last, or else "text" and its like */
    const char *id_field, *label_field; /* as above; NULL: "id", "label";
                                "none": no ids, or labels, of any format */
    kedge_digits digits;     /* whether words may hold digits */
    uint64_t min_chars, max_chars; /* characters of a word, 1 to 255; 0
                                (default): 2 and 64 */
    const char *stemmer;     /* language, as "english"; NULL or "none": words
                                stay */
    const char *stopwords;   /* file of words, one a line, or a language's name;
                                NULL (default) or "none": all are stored, and
                                fit leaves out what it is told */
    /* The last five hold for all texts of a store: the first settle them.
     * Later, defaults take what is settled, and what is said has to be that,
     * else EINVAL: 2 is another thing than 0, and "none" than NULL. */
    bool bags_only;         /* of texts, store how often words come, not in
                               which order: two thirds of the space, but no
                               phrases. A source that goes on where it ended
                               before goes on as it began */
    const char *tf;         /* how occurrences count in the sketch, which is
                               made where a vocabulary comes along. "raw":
                               each like the first, a document of n tokens by
                               1 / (n (n - 1)); "log" and "sqrt": h of them by
                               g = 1 + ln h and by the root of h, a document by
                               1 / |g|². NULL (default): log, or as the store
                               has it. Several between commas: the first while
                               reading, unless the store has another one, the
                               others from the store at the end, each as an
                               index of its own that later ingests follow */
    uint64_t sketch_size;   /* columns of the sketch, 16 to 8192; 0 (default):
                               1000, up to 2000 where there are 2,000 to
                               50,000 words, less where these are few; in any
                               budget. Fixed by the first ingest */
    uint64_t seed;          /* of the test matrix; 0 (default): 1, or as the
                               store has it; as above */
    uint64_t min_tokens;    /* documents with fewer are stored but not counted,
                               2 to 1000, as one token makes no pair; 0
                               (default): KEDGE_MIN_TOKENS, or as the store has
                               it; as above */
    const char *batch;      /* name of what is added, by which it can be taken
                               out again; at most 63 bytes. NULL: none. A
                               source that goes on where it ended before stays
                               in its batch: EINVAL where that is another one
                               than is asked for */
    kedge_on_duplicate on_duplicate; /* default ERROR */
    bool dedupe;            /* leave out a document of the same words and counts
                               as one that the store has at that moment, after
                               those before it came; 24 to 72 bytes of memory
                               for each document of the store. REPLACE: the
                               earlier document of its id leaves first. The
                               other rules: it is left out without a look at
                               its id. It does not come back when the other one
                               leaves later */
    bool skip_bad;          /* count malformed records, and files that are
                               not in their format, and go on */
    bool no_sketch;         /* store only; the sketch follows later */
    bool reread;            /* read files too that have the size and the
                               modification time that they had when they were
                               read to their ends. Default: these are known by
                               them and by their first documents */
    const char *encoding;   /* of lines of files, and of the vocabulary's, that
                               are not valid UTF-8, as iconv calls it:
                               "latin1"; of UTF-16 and the like: of whole files.
                               NULL (default): UTF-8. A mark of UTF-16 or UTF-32
                               at a file's beginning counts for more */
} kedge_ingest_opts;

KEDGE_API void kedge_ingest_opts_init(kedge_ingest_opts *opts);

/* What one ingest did, and what it cost. */
typedef struct kedge_ingest_result {
    uint64_t sources;          /* read to their end by this call */
    uint64_t sources_known;    /* were complete before: nothing new in them */
    uint64_t documents;        /* added to the store by this call */
    uint64_t sources_unchanged; /* of those known: not read again */
    uint64_t resumed;          /* found committed and passed over */
    uint64_t counted;          /* of the added, in the sketch */
    uint64_t too_short;        /* of the added, below min_tokens: no topics are
                                  learnt from them */
    uint64_t min_tokens;       /* in force */
    double too_short_share;    /* too_short of documents */
    uint64_t duplicates;       /* ids that the store had: left out */
    uint64_t replaced;         /* the same: the earlier one is gone */
    uint64_t emptied;          /* of these, what came without a word: nothing is
                                  there instead */
    uint64_t same;             /* content that the store had: left out */
    uint64_t empty;            /* documents without a word: not stored */
    uint64_t taken_back;       /* of the empty: whose text is nothing but
                                  "[removed]" or "[deleted]" */
    uint64_t unnamed;          /* of JSON and tables: documents without an
                                  id */
    uint64_t bad;              /* malformed records skipped */
    uint64_t unread;           /* with skip_bad: files of which nothing was
                                  read, or not all */
    char first_unread[512];    /* the first, and why */
    uint64_t unbroken;         /* texts in scripts without blanks between
                                  words, which are not cut: Thai, Lao, Khmer,
                                  Burmese */
    uint64_t files;            /* of directories: read as a document each */
    uint64_t tables;           /* the same: tables and JSON, each a source */
    uint64_t to_come;          /* files that a call which ended early did not
                                  read to their ends */
    uint64_t not_utf8;         /* documents that hold bytes which are not UTF-8,
                                  or not of the encoding: they part words */
    char first_not_utf8[512];  /* where the first is */
    uint64_t not_text;         /* files of directories that were skipped */
    uint64_t hidden;           /* the same, with all that is in hidden
                                  directories: names that begin with a dot */
    uint64_t special;          /* the same: links to directories or to
                                  nothing, pipes, sockets, devices */
    uint64_t words;            /* in the vocabulary */
    uint64_t tokens;           /* added */
    uint64_t nonzeros;         /* added */
    uint64_t bytes_read;       /* from the sources, as they came */
    uint64_t bytes_text;       /* the same, decompressed */
    uint64_t sketch_size;      /* of the sketch; 0: of texts, which make none */
    bool mapped;               /* the sketch lived in a file-backed mapping */
    uint64_t planned_memory;   /* bytes, computed before the first document */
    double seconds;
    uint64_t peak_memory;      /* resident bytes of the process, at most */
} kedge_ingest_result;

#define KEDGE_NO_SOURCE UINT64_MAX /* none of a store's */

/*
 * Which of the store's sources each path seems to be, whatever it is called:
 * found[i] is the number of one, as kedge_store_get_source has it, that begins
 * with the same documents, or KEDGE_NO_SOURCE. Of several it is the latest.
 * kedge_ingest with the same options takes the path for that one, unless it
 * turns out to go on differently. Nothing is read but what a file or directory
 * begins with, and nothing written; a pipe, and what cannot be read, is none of
 * the store's.
 * EINVAL, EBUDGET, ECORRUPT, ECANCELED, ENOMEM.
 */
KEDGE_API KEDGE_CHECKED kedge_status
kedge_ingest_find(kedge_store *store, const char *const *sources, size_t count,
                  const kedge_ingest_opts *opts, const kedge_control *control,
                  uint64_t *found, kedge_error *err);

/*
 * Reads `count` sources, each a path or "-" for standard input, or opts.source
 * where there are none, into a store that was opened for writing. What is read
 * is committed some twenty thousand documents at a time, small sources
 * together, and when a slow one has given any for a second; on failure or a
 * stop, the sources before are committed, and `out` tells what this call
 * committed.
 * EINVAL, EBUDGET, EFORMAT, EIO, ECORRUPT, ECANCELED, ENOMEM.
 */
KEDGE_API KEDGE_CHECKED kedge_status
kedge_ingest(kedge_store *store, const char *const *sources, size_t count,
             const kedge_ingest_opts *opts, const kedge_control *control,
             kedge_ingest_result *out, kedge_error *err);

#ifdef __cplusplus
}
#endif
#endif
