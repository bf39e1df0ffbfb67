/* SPDX-License-Identifier: MIT */
#ifndef KEDGE_INGEST_H
#define KEDGE_INGEST_H
/*
 * Reads documents into a store; with a vocabulary, into the sketch of their
 * co-occurrence in the same pass.
 *
 *   kedge_ingest_opts_init(&opts);
 *   opts.batch = "monday";
 *   kedge_ingest(store, files, count, &opts, &control, &result, &err);
 *
 * After an interruption the same call continues after the last commit. A file
 * that was read to its end is not read again while it looks unchanged.
 */
#include <kedge/control.h>
#include <kedge/source.h>
#include <kedge/store.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum kedge_format {
    KEDGE_FORMAT_AUTO = 0,   /* recognised by the content. An empty file has no
                                documents (UCI and MTX need their header) */
    KEDGE_FORMAT_UCI = 1,    /* D, W, NNZ, then lines "document word count" */
    KEDGE_FORMAT_JSONL = 2,  /* JSON: an object per line, or an array of them */
    KEDGE_FORMAT_LINES = 3,  /* a document per line */
    KEDGE_FORMAT_MALLET = 4, /* lines "id label text" */
    KEDGE_FORMAT_TSV = 5,    /* columns between tabs; the first line names
                                them */
    KEDGE_FORMAT_CSV = 6,    /* the same with quotes, between commas,
                                semicolons, tabs or bars */
    KEDGE_FORMAT_SVMLIGHT = 7, /* lines "label index:count ...", from 1 */
    KEDGE_FORMAT_LDAC = 8,   /* lines "entries index:count ...", from 0 */
    KEDGE_FORMAT_MTX = 9,    /* Matrix Market: documents x words, or words x
                                documents */
    KEDGE_FORMAT_VW = 10,    /* Vowpal Wabbit */
    KEDGE_FORMAT_FILES = 11, /* each text file of a directory is a document,
                                or a single file is. Its id is its path in the
                                directory: reading the directory again adds new
                                files only. Links to files are followed, links
                                to directories are not. In a directory AUTO
                                reads tables and JSON files as sources of their
                                own; other formats read all files in that
                                format */
} kedge_format;

/* What to do with a document whose id the store has. */
typedef enum kedge_on_duplicate {
    KEDGE_DUPLICATE_ERROR = 0,   /* fail; the rest of its source is not
                                    stored */
    KEDGE_DUPLICATE_SKIP = 1,    /* keep the earlier document */
    KEDGE_DUPLICATE_REPLACE = 2, /* remove the earlier document, even if the
                                    new one has no words and is not stored */
} kedge_on_duplicate;

/* Whether the tokenizer keeps words with digits. */
typedef enum kedge_digits {
    KEDGE_DIGITS_SETTLED = 0, /* as for the store's earlier texts; for the
                                 first texts NO */
    KEDGE_DIGITS_YES = 1,
    KEDGE_DIGITS_NO = 2,
} kedge_digits;

/* The default of min_tokens: a document of one token has no pair of words. */
#define KEDGE_MIN_TOKENS 2

typedef struct kedge_ingest_opts {
    const kedge_source *source; /* documents from memory; NULL (default): from
                               files. With it there are no paths, no `format`
                               and no `vocabulary` */
    kedge_format format;    /* default AUTO; a pipe needs one */
    const char *vocabulary; /* path of a file with a word per line: the only
                               words to use. Needed if the format has numbers
                               for words (UCI, SVMLIGHT, LDAC, MTX). NULL
                               (default): all words of the documents, and no
                               sketch while reading */
    const char *text_field;  /* JSONL, TSV, CSV: field names between commas,
                                dots for nested fields; a file need not have all
                                of them. NULL (default): as for the store's last
                                texts, otherwise the first there is of "text",
                                "body", "content" and "abstract" */
    const char *id_field, *label_field; /* the same; NULL (default): "id" and
                                "label"; "none": no ids or labels, in any
                                format */
    /* The next five are the tokenizer settings, which the first texts fix for
     * the store. Later a default means the store's setting, and any other value
     * has to be equal to it, else EINVAL: an explicit 2 or "none" is not a
     * default. */
    kedge_digits digits;     /* default: words with digits are dropped */
    uint64_t min_chars, max_chars; /* length of words in characters, 1 to 255;
                                0 (default): 2 and 64 */
    const char *stemmer;     /* a language, like "english"; NULL (default) or
                                "none": no stemming */
    const char *stopwords;   /* words not to store: a language, or a file with
                                a word per line; NULL (default) or "none": none.
                                kedge_fit leaves out stop words by default */
    bool bags_only;         /* store only the counts of a text's words, not
                               their order: two thirds of the space, but no
                               phrases. Default false. A source that is
                               continued keeps its setting */
    /* The next four are for the index of all words, whose sketch is made while
     * reading with a vocabulary. The first ingest with a vocabulary fixes them;
     * in a store without that index they are EINVAL without a vocabulary. */
    const char *tf;         /* weight of a word that occurs h times. "raw": h,
                               and a document of n tokens counts
                               1 / (n (n - 1)). "log": g = 1 + ln h, "sqrt":
                               g = sqrt(h), and a document counts 1 / |g|².
                               NULL (default): log. Several between commas: the
                               first while reading; for each of the others an
                               index is made from the store at the end, which
                               later ingests keep current */
    uint64_t sketch_size;   /* columns of the sketch, 16 to 8192; 0 (default):
                               1000, up to 2000 for 2,000 to 50,000 words, less
                               for few words; independent of the memory */
    uint64_t seed;          /* of the test matrix; 0 (default): 1 */
    uint64_t min_tokens;    /* 2 to 1000: documents with fewer tokens are
                               stored but not in the sketch; 0 (default):
                               KEDGE_MIN_TOKENS */
    const char *batch;      /* name for kedge_remove, 1 to 63 bytes; NULL
                               (default): none. EINVAL if a source is continued
                               that belongs to another batch */
    kedge_on_duplicate on_duplicate; /* default ERROR */
    bool dedupe;            /* leave out documents with the same words and
                               counts as one that the store has, documents
                               added earlier in this call included. Takes 24 to
                               72 bytes of memory per document of the store.
                               The id of a document that is left out is not
                               looked at, except with REPLACE: the earlier
                               document of that id is removed first. The
                               document does not come back when its duplicate
                               is removed later. Default false */
    bool skip_bad;          /* count malformed records, and files that are not
                               in their format, and continue; default false:
                               EFORMAT */
    bool no_sketch;         /* only store; the next fit syncs the sketches.
                               Default false */
    bool reread;            /* also read files that look unchanged since they
                               were read to their ends, by name, first
                               documents, size, modification time and options;
                               default false */
    const char *encoding;   /* encoding, by its name for iconv, like "latin1",
                               of lines that are not valid UTF-8, in files and
                               the vocabulary; UTF-16 and UTF-32: of whole
                               files. NULL (default): UTF-8. A byte order mark
                               of UTF-16 or UTF-32 takes precedence */
} kedge_ingest_opts;

/* Sets the defaults; the same as all zeros. */
KEDGE_API void kedge_ingest_opts_init(kedge_ingest_opts *opts);

/* What one call did. Counts are of this call unless said otherwise. */
typedef struct kedge_ingest_result {
    uint64_t sources;          /* read to their ends */
    uint64_t sources_known;    /* complete before this call, nothing new */
    uint64_t documents;        /* added to the store */
    uint64_t sources_unchanged; /* of the known: not read again */
    uint64_t resumed;          /* skipped, as an earlier call stored them */
    uint64_t counted;          /* of the added: in the sketch */
    uint64_t too_short;        /* of the added: fewer tokens than min_tokens,
                                  not in the sketch */
    uint64_t min_tokens;       /* of the sketch */
    double too_short_share;    /* too_short of the documents added */
    uint64_t duplicates;       /* left out, as the store has their ids */
    uint64_t replaced;         /* earlier documents removed (REPLACE) */
    uint64_t emptied;          /* of the replaced: by a document without words,
                                  which is not stored */
    uint64_t same;             /* left out by dedupe */
    uint64_t empty;            /* without words: not stored */
    uint64_t taken_back;       /* of the empty: just "[removed]" or
                                  "[deleted]" */
    uint64_t unnamed;          /* of JSON and tables: without an id */
    uint64_t bad;              /* malformed records skipped */
    uint64_t unread;           /* with skip_bad: files not read, or not to
                                  their ends */
    char first_unread[512];    /* the first of them, and why */
    uint64_t unbroken;         /* texts in Thai, Lao, Khmer or Burmese, which
                                  are split only at blanks */
    uint64_t files;            /* in directories: files that are a document */
    uint64_t tables;           /* in directories: tables and JSON files */
    uint64_t to_come;          /* files that are not read to their ends, when
                                  the call ended early */
    uint64_t not_utf8;         /* documents with bytes that are not UTF-8 or
                                  `encoding`; these bytes separate words */
    char first_not_utf8[512];  /* where the first of them is */
    uint64_t not_text;         /* in directories: files skipped as not text */
    uint64_t hidden;           /* in directories: skipped, as their name or
                                  their directory's begins with a dot */
    uint64_t special;          /* in directories: links to directories or to
                                  nothing, pipes, sockets, devices */
    uint64_t words;            /* in the store's vocabulary now */
    uint64_t tokens;           /* added */
    uint64_t nonzeros;         /* added pairs of a document and a word */
    uint64_t bytes_read;       /* from the sources, compressed or not */
    uint64_t bytes_text;       /* the same, decompressed */
    uint64_t sketch_size;      /* 0: no sketch was made */
    bool mapped;               /* the sketch was in a mapped file, as it did
                                  not fit into control->memory */
    uint64_t planned_memory;   /* bytes, computed before the first document */
    double seconds;
    uint64_t peak_memory;      /* largest resident size of the process */
} kedge_ingest_result;

#define KEDGE_NO_SOURCE UINT64_MAX /* not the number of a source */

/*
 * Finds which paths the store has read before, under any name. found[i] is the
 * number of the source, as in kedge_store_get_source, that begins with the same
 * documents (the latest of several), or KEDGE_NO_SOURCE. kedge_ingest with the
 * same options continues that source, unless the file then differs. Reads only
 * the beginning of a file or directory and changes nothing. Pipes and
 * unreadable files are KEDGE_NO_SOURCE.
 * EINVAL, EBUDGET, ECORRUPT, ECANCELED, ENOMEM.
 */
KEDGE_API KEDGE_CHECKED kedge_status
kedge_ingest_find(kedge_store *store, const char *const *sources, size_t count,
                  const kedge_ingest_opts *opts, const kedge_control *control,
                  uint64_t *found, kedge_error *err);

/*
 * Reads `count` sources, each a path or "-" for standard input, or opts.source,
 * into a store that is open for writing. Documents are committed some twenty
 * thousand at a time, small sources together; from a slow source about every
 * second. After a failure or a stop, what was committed stays, and `out`
 * describes it.
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
