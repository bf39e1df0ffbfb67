/* SPDX-License-Identifier: MIT */
#ifndef STORE_STORE_H
#define STORE_STORE_H
/*
 * All persistent data, in one LMDB environment; FORMAT.md describes every byte.
 * Of sketches and models this module knows only the records: rows of integers,
 * arrays of doubles, and the structs below.
 *
 * A function with a store_txn reads or writes in that transaction; one with a
 * store begins and ends its own. A handle has one transaction at a time:
 * beginning another is EMISUSE. The caller that began a transaction ends it. A
 * write transaction sees its own writes.
 *
 * Everywhere: get of a missing record is ENOTFOUND, drop of it has no effect,
 * put replaces. Growing objects are empty as {0} and can be reused; *_free
 * releases their memory.
 */
#include <kedge/store.h>

#include "base/docs.h"
#include "base/span.h"
#include "base/words.h"

typedef kedge_store store; /* the public handle is this module's */
typedef struct store_txn store_txn;

#define STORE_FORMAT 7 /* version of what FORMAT.md describes */

/* "lmdb 0.9.24, zstd 1.5.4": the libraries in use. Static. */
const char *store_library_versions(void);

/* For objects that outlive kedge_store_close: they share the handle, whose
 * memory stays until the last of them releases it. Beginning a transaction
 * after the close is EMISUSE. NULL is allowed. */
store *store_share(store *s);
void store_release(store *s);

/* The directory, as given; the size of its data file. */
const char *store_path(const store *s);
uint64_t store_disk_bytes(const store *s);

/* Opens the new data file behind the same handle if another process has
 * replaced it (store_compact). */
kedge_status store_begin_read(store *s, store_txn **out, kedge_error *err);
/* kedge_store_open has the writer's lock already. All that is put stays in
 * memory until the commit, also up to 4 KiB for each id that is put or dropped,
 * as ids come in any order. A put is ENOMEM if the limit on addresses (ulimit
 * -v) is too small; then only abort is possible. */
kedge_status store_begin_write(store *s, store_txn **out, kedge_error *err);
/* EMISUSE if store_begin_write would be. */
kedge_status store_check_writable(const store *s, kedge_error *err);
const store *store_of(const store_txn *txn);
/* Both end the transaction and set *txn to NULL, also if the commit fails.
 * After OK it is durable. Aborting NULL has no effect. */
kedge_status store_commit(store_txn **txn, kedge_error *err);
void store_abort(store_txn **txn);

/* Checks all pages of the newest state of the data file; no transaction may be
 * open. kedge_store_open calls it unless the pages are known to be sound.
 * ECORRUPT. */
kedge_status store_check_pages(store *s, kedge_error *err);

/* ---- totals -------------------------------------------------------------- */

/* Documents, tokens, nonzeros and digest do not include removed documents. */
typedef struct store_totals {
    uint64_t documents, tokens, nonzeros, words;
    uint64_t blocks;    /* the next block's number */
    uint64_t sources;   /* the next source's number */
    uint64_t models;    /* fitted so far: the next model's serial */
    uint64_t digest[2]; /* sums over documents, modulo 2^64 */
    uint64_t removals;  /* the next removal's number */
    uint64_t removed;   /* documents removed since the store was made */
    uint64_t parts;     /* the next part's number; the totals include their
                           documents, which are elsewhere */
    uint64_t word_bytes; /* of the words' text, with a zero after each, as a
                            list of them takes in memory (words_bytes) */
} store_totals;

kedge_status store_get_totals(store_txn *txn, store_totals *out,
                              kedge_error *err);
kedge_status store_put_totals(store_txn *txn, const store_totals *t,
                              kedge_error *err);

/* Bounds for numbers in records: those of the totals, or larger if the open
 * transaction has put more. A record with a larger number is ECORRUPT, even if
 * its checksum is right. */
typedef struct store_limits {
    uint64_t words, blocks, sources, removals, parts;
} store_limits;

/* For records outside of a store. */
#define STORE_NO_LIMITS                                                        \
    (&(const store_limits){UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX,     \
                           UINT64_MAX})

kedge_status store_get_limits(store_txn *txn, store_limits *out,
                              kedge_error *err);

/* ---- settings ------------------------------------------------------------ */

/* Settings for all later documents; all zero if none were put. */
typedef struct store_settings {
    bool texts;         /* texts were tokenized, with these settings: */
    bool digits;        /* words may have digits */
    uint64_t shortest, longest; /* characters of a word */
    char stemmer[32];   /* language; "": none */
    char stopwords[96]; /* name of the list, for people; "": none */
    uint64_t stop_count; /* stop words */
    bool no_first_index; /* index 0 was dropped: do not make it again */
    /* of the last texts, the defaults for the next: see kedge_ingest_opts; "":
     * its default */
    char text_field[256], id_field[128], label_field[128], encoding[64];
} store_settings;

/* `stop`: the stop words, NULL for none; `stop_count` is ignored. */
kedge_status store_put_settings(store_txn *txn, const store_settings *t,
                                const words *stop, kedge_error *err);
/* Appends the words to `stop`, unless that is NULL. */
kedge_status store_get_settings(store_txn *txn, store_settings *out,
                                words *stop, kedge_error *err);

/* ---- documents: numbered blocks ------------------------------------------ */

/* A large record while it is encoded or decoded, with scratch memory. The
 * compression context takes about 3 MB. */
typedef struct store_frame {
    uint8_t *bytes; /* the record as it is stored */
    size_t size, capacity;
    uint8_t *plain; /* scratch: before compression */
    size_t plain_capacity;
    void *compress, *decompress; /* contexts, made when first needed */
} store_frame;

typedef store_frame store_block; /* `source` is a ledger number */

/* The limits of a block. Its last document may exceed entries and symbols, up
 * to all words of the vocabulary and DOCS_ORDER_MOST. */
#define STORE_BLOCK_DOCUMENTS ((size_t)24568)
#define STORE_BLOCK_ENTRIES   ((size_t)1 << 18)
/* Longer documents are processed in pieces of so many tokens, and entries are
 * counted per piece; a document has at most so many entries. */
#define STORE_PIECE_TOKENS     10000
#define STORE_DOCUMENT_ENTRIES ((size_t)1 << 24)
#define STORE_BLOCK_SYMBOLS   ((size_t)1 << 19) /* of its order of words */

void store_block_free(store_block *b);

/* Encodes documents from..from+count-1 of the batch (delta + varint, zstd with
 * checksum), with their ids and labels. Needs no store; any thread, a block
 * each. EINVAL for an id of more than STORE_ID_MAX bytes. */
kedge_status store_block_encode(store_block *b, uint32_t source, const docs *d,
                                size_t from, size_t count, kedge_error *err);
/* Decodes a record and appends its documents to `out`. ECORRUPT names the
 * block; sizes are checked before memory is allocated for them. */
kedge_status store_block_decode(store_block *scratch, uint64_t number,
                                const uint8_t *bytes, size_t size,
                                const store_limits *limits, uint32_t *source,
                                docs *out, kedge_error *err);

kedge_status store_put_block(store_txn *txn, uint64_t number,
                             const store_block *b, kedge_error *err);
/* The largest documents, entries and uncompressed bytes of any block, from the
 * heads of the records; zeros without blocks. */
typedef struct store_block_size {
    uint64_t documents, entries, bytes;
    uint64_t stored; /* bytes of all blocks in the map */
} store_block_size;

kedge_status store_largest_block(store_txn *txn, uint64_t blocks,
                                 store_block_size *out, kedge_error *err);

/* The record in the map, valid until the transaction ends. Numbers have gaps
 * after blocks were dropped. */
kedge_status store_get_block(store_txn *txn, uint64_t number,
                             const uint8_t **bytes, size_t *size,
                             kedge_error *err);
/* *number: the first block from `from` on and below `end`; `end`: there is
 * none. */
kedge_status store_next_block(store_txn *txn, uint64_t from, uint64_t end,
                              uint64_t *number, kedge_error *err);
kedge_status store_count_blocks(store_txn *txn, uint64_t *out,
                                kedge_error *err);
/* For compaction: replaces a block by one of the remaining documents, or drops
 * it, with its list of removed documents and its order of words. The same
 * transaction must drop the log of removals (store_drop_removals), whose
 * indices are of the old records. */
kedge_status store_replace_block(store_txn *txn, uint64_t number,
                                 const store_block *b, kedge_error *err);
kedge_status store_drop_block(store_txn *txn, uint64_t number,
                              kedge_error *err);

/* ---- the order of words: a second record of a block that has texts ------- */

typedef store_frame store_order;

void store_order_free(store_order *o);

/* Encodes the orders of the same documents as a block. o->size is 0 if none has
 * an order; then there is nothing to put. EINVAL (too large for a record). */
kedge_status store_order_encode(store_order *o, const docs *d, size_t from,
                                size_t count, kedge_error *err);
kedge_status store_put_order(store_txn *txn, uint64_t block,
                             const store_order *o, kedge_error *err);
/* The record in the map; its bytes are NULL if the block has none. */
kedge_status store_get_order(store_txn *txn, uint64_t block, span *record,
                             kedge_error *err);
/* Adds the orders to the documents from `first` on, which are those of the
 * block that was decoded last, with `decoded` as its scratch. ECORRUPT (the
 * record is missing, or is of other documents). */
kedge_status store_order_decode(store_order *scratch,
                                const store_block *decoded, uint64_t block,
                                span record, docs *d, size_t first,
                                kedge_error *err);

/* Appends the documents of a block to `out`, with the order of their words
 * unless `order`, a scratch, is NULL. */
kedge_status store_read_block(store_txn *txn, uint64_t number,
                              store_block *scratch, store_order *order,
                              uint32_t *source, docs *out, kedge_error *err);

/* ---- ids: where a document is -------------------------------------------- */

#define STORE_ID_MAX 255 /* bytes of an id; one at least */

/* Where a document is. Its position is unique within the block. */
typedef struct store_place {
    uint64_t block, position;
} store_place;

/* For qsort and bsearch: by block, then position. */
int store_place_compare(const void *left, const void *right);

/* EINVAL for an id that is empty or too long; for get that is ENOTFOUND. */
kedge_status store_put_id(store_txn *txn, span id, store_place p,
                          kedge_error *err);
kedge_status store_get_id(store_txn *txn, span id, store_place *out,
                          kedge_error *err);
kedge_status store_drop_id(store_txn *txn, span id, kedge_error *err);
kedge_status store_count_ids(store_txn *txn, uint64_t *out, kedge_error *err);
kedge_status store_drop_ids(store_txn *txn, kedge_error *err); /* all */

/* ---- removed documents --------------------------------------------------- */

/* Documents of a block by their index in it, rising. */
typedef struct store_gone {
    uint32_t *index;
    size_t count, capacity;
} store_gone;

void store_gone_free(store_gone *g);

/* Puts the list of all removed documents of a block; drops it if it is empty.
 * EINVAL (not rising). */
kedge_status store_put_gone(store_txn *txn, uint64_t block,
                            const uint32_t *index, size_t count,
                            kedge_error *err);
/* The list, for docs_drop; count 0 if no document is removed. */
kedge_status store_get_gone(store_txn *txn, uint64_t block, store_gone *out,
                            kedge_error *err);

/* The number of documents of a block that are not removed, without decoding it;
 * 0 if there is no such block. */
kedge_status store_count_block(store_txn *txn, uint64_t number,
                               store_gone *scratch, uint64_t *count,
                               kedge_error *err);

/* The log of removals, from which sketches subtract documents: entry `number`,
 * 0 to totals.removals - 1, has the documents that one removal took from one
 * block. Compaction drops the log. */
kedge_status store_put_removal(store_txn *txn, uint64_t number, uint64_t block,
                               const uint32_t *index, size_t count,
                               kedge_error *err);
kedge_status store_get_removal(store_txn *txn, uint64_t number, uint64_t *block,
                               store_gone *out, kedge_error *err);
kedge_status store_drop_removals(store_txn *txn, kedge_error *err); /* all */

/* ---- vocabulary ---------------------------------------------------------- */

/* Appends words w[from .. w->count) with ids from `from` on. */
kedge_status store_put_words(store_txn *txn, const words *w, size_t from,
                             kedge_error *err);
/* All words; out must be empty. */
kedge_status store_get_words(store_txn *txn, words *out, kedge_error *err);
/* The words with these ids, in this order, with one chunk of words in
 * memory. */
#define STORE_WORDS_CHUNK 4096 /* of words that are stored together */
kedge_status store_pick_words(store_txn *txn, const uint32_t *ids, size_t count,
                              words *out, kedge_error *err);
/* Totals and words, in a transaction of their own. */
kedge_status store_load_words(store *s, store_totals *totals, words *out,
                              kedge_error *err);
/* tf and df of words 0 .. count-1. */
kedge_status store_put_counts(store_txn *txn, const uint64_t *tf,
                              const uint64_t *df, size_t count,
                              kedge_error *err);
kedge_status store_get_counts(store_txn *txn, uint64_t *tf, uint64_t *df,
                              size_t count, kedge_error *err);

/* ---- ledger -------------------------------------------------------------- */

typedef struct store_source {
    char name[256];
    char batch[64];     /* name of the batch; may be empty */
    uint64_t words;     /* lines of its vocabulary */
    uint64_t position;  /* of the last committed document; 0: none */
    uint64_t documents, tokens, nonzeros; /* ingested, later removed ones too */
    uint64_t bad, empty; /* bad: so far; empty: once complete */
    uint64_t digest;    /* chained over documents up to `position` */
    bool complete;
    uint64_t when; /* last written, seconds since 1970 */
    uint64_t head; /* digest of its first documents */
    bool removed;  /* its documents were removed as a batch */
    uint64_t removed_documents, removed_tokens, removed_nonzeros;
    /* of a file or directory that was read to its end, as it was when it was
     * opened; zeros where that is not known: */
    uint64_t bytes;    /* its size */
    uint64_t modified; /* when it was changed last, nanoseconds since 1970; of
                          a directory a digest of what its files say */
    uint64_t asked;    /* digest of how it was asked to be read */
} store_source;

kedge_status store_put_source(store_txn *txn, uint64_t number,
                              const store_source *r, kedge_error *err);
kedge_status store_get_source_record(store_txn *txn, uint64_t number,
                                     store_source *out, kedge_error *err);

/* ---- parts: documents that are elsewhere --------------------------------- */

/* An imported part: counts and sketches without documents. */
typedef struct store_part {
    char name[64];
    uint64_t digest[2]; /* of its documents, as in the totals */
    uint64_t documents, tokens, nonzeros;
    uint64_t when;      /* of the import: seconds since 1970 */
} store_part;

/* Under numbers 0 .. totals.parts - 1. */
kedge_status store_put_part(store_txn *txn, uint64_t number,
                            const store_part *p, kedge_error *err);
kedge_status store_get_part(store_txn *txn, uint64_t number, store_part *out,
                            kedge_error *err);
/* The sum of all; name and `when` are empty. */
kedge_status store_sum_parts(store_txn *txn, const store_totals *t,
                             store_part *out, kedge_error *err);
/* All of them, and their counts. */
kedge_status store_drop_parts(store_txn *txn, kedge_error *err);
/* The parts' share of the words' tf and df; 0 for words beyond the last that
 * was put. */
kedge_status store_put_part_counts(store_txn *txn, const uint64_t *tf,
                                   const uint64_t *df, size_t count,
                                   kedge_error *err);
kedge_status store_get_part_counts(store_txn *txn, uint64_t *tf, uint64_t *df,
                                   size_t count, kedge_error *err);

/* ---- indexes and their sketches ------------------------------------------ */

#define STORE_WIDTH_MOST      8192
#define STORE_MIN_TOKENS_MOST 1000

/* How a sketch is made, and which documents are in it. */
typedef struct store_index {
    uint32_t statistic;  /* 0: joint, 1: log, 2: sqrt (cooccur/statistic.h) */
    uint32_t weight_bits; /* S: document weights are scaled by 2^S */
    uint32_t value_bits; /* b: damped counts are scaled by 2^b, 0 for joint */
    uint64_t width, seed, min_tokens;
    uint64_t words;      /* rows: the vocabulary's first `words` ids, or
                            those of its list */
    uint64_t blocks;     /* watermark: blocks 0 .. blocks-1 are in it */
    uint64_t documents, skipped, tokens; /* counted, too short, of counted */
    uint32_t rows; /* the number that its rows are stored under */
    uint64_t removals; /* watermark: removals below this are subtracted */
    bool listed;       /* the vocabulary is a curated list, */
    bool joined;       /* with phrases */
    char rule[160];    /* how the list was chosen, for people */
    double total;      /* of all rows' sums, of a damped statistic; 0 for joint,
                          where it is 2^S times the documents */
    uint64_t parts;    /* watermark: parts below this are in it */
    uint64_t asked;    /* digest of the options that chose the list and the
                          sketch: of indexes with the same digest one has the
                          current words. 0: no rule chose them */
    bool frozen;       /* a fit used the words with freeze: the index stays as
                          long as a model of it */
} store_index;

/* Whether its sketch was ever saved. */
static inline bool store_index_has_rows(const store_index *v)
{
    return v->blocks > 0 || v->parts > 0;
}

/* Whether its sketch has exactly the documents of the totals. */
static inline bool store_index_is_current(const store_index *v,
                                          const store_totals *t)
{
    return v->blocks == t->blocks && v->removals == t->removals &&
           v->parts == t->parts;
}

/* To bytes and back. ECORRUPT, naming `what`, for values that no index can
 * have; does not look at the store. */
enum { STORE_INDEX_SIZE = 384 };
void store_write_index(const store_index *v, uint8_t body[STORE_INDEX_SIZE]);
kedge_status store_read_index(const uint8_t *body, store_index *out,
                              const char *what, kedge_error *err);

kedge_status store_put_index(store_txn *txn, uint32_t number,
                             const store_index *v, kedge_error *err);
kedge_status store_get_index_record(store_txn *txn, uint32_t number,
                                    store_index *out, kedge_error *err);
/* The first index numbered `from` or more; ENOTFOUND past the last. Numbers may
 * have gaps. */
kedge_status store_next_index(store_txn *txn, uint32_t from, uint32_t *number,
                              store_index *out, kedge_error *err);
/* Visits all indexes by number, until a visit is not OK. The visitor may put
 * and drop records of the index. */
kedge_status store_each_index(store_txn *txn,
                              kedge_status (*visit)(void *data, uint32_t number,
                                                    store_index *v,
                                                    kedge_error *err),
                              void *data, kedge_error *err);
/* Drops record, list, phrases and spectra; the caller drops its rows. */
kedge_status store_drop_index(store_txn *txn, uint32_t number,
                              kedge_error *err);

/* A chosen vocabulary: ids of words, rising. */
typedef struct store_list {
    uint32_t *ids;
    size_t count, capacity;
} store_list;

void store_list_free(store_list *l);

/* EINVAL if the ids do not rise. The list may be empty. */
kedge_status store_put_list(store_txn *txn, uint32_t index, const uint32_t *ids,
                            size_t count, kedge_error *err);
kedge_status store_get_list(store_txn *txn, uint32_t index, store_list *out,
                            kedge_error *err);
kedge_status store_drop_list(store_txn *txn, uint32_t index, kedge_error *err);

/* Phrases of an index: two words, or phrases of earlier rounds, that side by
 * side are one word of its list. They are joined round after round, from left
 * to right. */
typedef struct store_join {
    uint32_t left, right, whole; /* ids */
    uint32_t round;              /* from 1 */
} store_join;

typedef struct store_joins {
    uint64_t blocks, removals; /* of the totals when they were found */
    uint64_t words, documents; /* kedge_fit_opts: phrases, phrase_df, */
    double score;              /* phrase_score */
    store_join *join; /* in the order of left, then right; each pair once */
    size_t count, capacity;
} store_joins;

#define STORE_JOIN_ROUNDS 7

void store_joins_free(store_joins *j);

/* EINVAL (not in order). */
kedge_status store_put_joins(store_txn *txn, uint32_t index,
                             const store_joins *j, kedge_error *err);
kedge_status store_get_joins(store_txn *txn, uint32_t index, store_joins *out,
                             kedge_error *err);
kedge_status store_drop_joins(store_txn *txn, uint32_t index, kedge_error *err);

/* Rows of a sketch are stored in chunks of STORE_CHUNK_ROWS words in the order
 * of the words' bytes, each row its sum (C·1) and then `width` integers.
 *
 * `number` is that of store_index.rows: 2 * index or one more. 0 will do for
 * index 0 if all rows are put in the transaction that puts the index. A sketch
 * too big for one (see store_begin_write) is put under the other number, over
 * several transactions; the last one puts the index with that number and drops
 * the old rows. Rows that no index names are what an interruption left. */
#define STORE_CHUNK_ROWS 256
#define STORE_ROWS_TAG "KROW"
#define STORE_ROW_MOST   (UINT64_C(1) << 62) /* sums of rows are below */

typedef store_frame store_rows;

void store_rows_free(store_rows *r);
/* `rows` x (1 + width) integers, row-major. Needs no store; any thread. */
kedge_status store_rows_encode(store_rows *r, const int64_t *values,
                               size_t rows, size_t width, kedge_error *err);
/* ECORRUPT names index and chunk; also for a value above its row's sum, which
 * no documents give. `values` has room for rows x (1 + width). */
kedge_status store_rows_decode(store_rows *scratch, const uint8_t *bytes,
                               size_t size, size_t rows, size_t width,
                               int64_t *values, kedge_error *err);
kedge_status store_put_rows(store_txn *txn, uint32_t number, uint64_t chunk,
                            const store_rows *r, kedge_error *err);
kedge_status store_get_rows(store_txn *txn, uint32_t number, uint64_t chunk,
                            const uint8_t **bytes, size_t *size,
                            kedge_error *err);
kedge_status store_drop_rows(store_txn *txn, uint32_t number, kedge_error *err);

/* ---- cached spectra of sketches ------------------------------------------ */

/* The key of a cached spectrum (cooccur/spectrum.h): the rows of the sketch and
 * how it was made. It can be used only if all of this is equal. An index has at
 * most one for each kedge_term_weight. */
typedef struct store_spectrum {
    uint64_t blocks, removals; /* watermarks of the index, */
    uint64_t documents;        /* of the index */
    uint64_t statistic, weight_bits, value_bits, width, seed,
        min_tokens;            /* as in the index */
    uint64_t rows;             /* that were used */
    uint64_t digest;           /* of these rows */
    uint64_t weights;          /* digest of the words' weights; 0: none */
    uint64_t used, count;      /* columns, and eigenpairs of them */
    char arithmetic[96];       /* what rounding depends on */
} store_spectrum;

/* zz, zo: upper triangles of width x width; turn: used x count; values:
 * count. */
typedef struct store_spectrum_arrays {
    double *zz, *zo, *turn, *values;
} store_spectrum_arrays;

kedge_status store_put_spectrum(store_txn *txn, uint32_t index, uint32_t weight,
                                const store_spectrum *of,
                                const store_spectrum_arrays *from,
                                kedge_error *err);
kedge_status store_get_spectrum(store_txn *txn, uint32_t index, uint32_t weight,
                                store_spectrum *out, kedge_error *err);
/* Gets the arrays, bit for bit; `of`: from store_get_spectrum. ECORRUPT. */
kedge_status store_get_spectrum_arrays(store_txn *txn, uint32_t index,
                                       uint32_t weight,
                                       const store_spectrum *of,
                                       const store_spectrum_arrays *to,
                                       kedge_error *err);
/* The number of spectra of an index, and their bytes on disk. */
kedge_status store_count_spectra(store_txn *txn, uint32_t index,
                                 uint64_t *count, uint64_t *bytes,
                                 kedge_error *err);
kedge_status store_drop_spectra(store_txn *txn, uint32_t index,
                                kedge_error *err);
kedge_status store_clear_spectra(store_txn *txn, kedge_error *err); /* all */

/* ---- models: a header of bytes and named arrays of doubles --------------- */

/* The header is the model's own encoding (see model records in FORMAT.md). */
kedge_status store_put_model(store_txn *txn, const char *name,
                             const uint8_t *header, size_t size,
                             kedge_error *err);
kedge_status store_get_model_header(store_txn *txn, const char *name,
                                    const uint8_t **header, size_t *size,
                                    kedge_error *err);
/* The i-th name, in the order of bytes. */
kedge_status store_get_model_name(store_txn *txn, uint64_t i, char out[64],
                                  kedge_error *err);
/* Drops header, arrays, and the record of the saved proportions. */
kedge_status store_drop_model(store_txn *txn, const char *name,
                              kedge_error *err);

/* `array` is a short lower-case name. Stored in compressed chunks of about a
 * megabyte; get fails with ECORRUPT when the size is not `count`. */
kedge_status store_put_array(store_txn *txn, const char *model,
                             const char *array, const double *values,
                             size_t count, kedge_error *err);
kedge_status store_get_array(store_txn *txn, const char *model,
                             const char *array, double *values, size_t count,
                             kedge_error *err);

/* ---- saved topic proportions of a model ---------------------------------- */

/* A set of topic proportions. Its portions are stored under turn 0 or 1. A new
 * set is stored under the other turn, over several transactions; the last puts
 * this record and drops the old portions. Portions under a turn that no record
 * has were left by an interruption. */
typedef struct store_kept {
    uint64_t serial;    /* of the model; otherwise the set is not valid */
    uint64_t topics;
    uint32_t turn;
    uint64_t documents; /* of all portions */
    uint64_t blocks;    /* of the store then; later blocks are not in it */
    uint64_t portions;
    uint64_t bytes;     /* of the portions, as stored */
    uint64_t shares;    /* proportions that are not 0 */
    double moved;       /* the largest sum of changes by rounding in a
                           document */
    char method[32], options[128]; /* how they were found, for people */
} store_kept;

#define STORE_UNITS 65536 /* shares are multiples of 1 / STORE_UNITS */

/* Topic proportions of documents of one block, by rising position. */
typedef struct store_portion {
    uint64_t block;
    size_t count;
    uint64_t *position, *tokens; /* count */
    uint8_t *flag;  /* count: kedge_doc_flag */
    size_t *start;  /* count + 1: of each document's shares, */
    uint32_t *topic; /* rising, from 0, and */
    uint32_t *units; /* at least 1; a document's add up to STORE_UNITS */
    size_t capacity, share_capacity;
    uint64_t bytes; /* of its record, when it was read */
} store_portion;

void store_portion_free(store_portion *p);
void store_portion_clear(store_portion *p); /* keeps the memory */

static inline size_t store_portion_shares(const store_portion *p)
{
    return p->count == 0 ? 0 : p->start[p->count];
}

/* Room for `documents` and `shares` more; false when there is no memory. */
bool store_portion_grow(store_portion *p, size_t documents, size_t shares);

/* Keeps the documents m with there[m]. `p` must not be {0}. */
void store_portion_keep(store_portion *p, const bool *there);

/* A writer begins another portion after so many. */
#define STORE_PORTION_DOCUMENTS ((size_t)1 << 16)
#define STORE_PORTION_SHARES    ((size_t)1 << 18)

/* *bytes: of its record. */
kedge_status store_put_portion(store_txn *txn, const char *model, uint32_t turn,
                               uint64_t number, const store_portion *p,
                               uint64_t *bytes, kedge_error *err);
/* Checks that topics are below kept->topics. */
kedge_status store_get_portion(store_txn *txn, const char *model,
                               const store_kept *kept, uint64_t number,
                               store_portion *out, kedge_error *err);
/* Drops at most `most` portions under this turn; *more: there are others. */
kedge_status store_drop_portions(store_txn *txn, const char *model,
                                 uint32_t turn, uint64_t most, bool *more,
                                 kedge_error *err);

/* EINVAL (method or options are too long). */
kedge_status store_put_kept(store_txn *txn, const char *model,
                            const store_kept *k, kedge_error *err);
kedge_status store_get_kept(store_txn *txn, const char *model, store_kept *out,
                            kedge_error *err);
/* Drops the record, which ends the set, as store_drop_model does. The caller
 * drops the portions. */
kedge_status store_drop_kept(store_txn *txn, const char *model,
                             kedge_error *err);
/* The name of the i-th model, in the order of bytes, with a set or portions. */
kedge_status store_get_kept_name(store_txn *txn, uint64_t i, char out[64],
                                 kedge_error *err);

/* ---- the whole store ----------------------------------------------------- */

/* What a scan found. */
typedef struct store_scanned {
    uint64_t records, damaged; /* read; damaged */
    uint64_t blocks, words, sources, indexes, rows, models, arrays, ids, gone,
        removals, lists, orders, joins, kept, spectra,
        parts; /* sound records of each kind; of words the words */
    uint64_t documents, tokens, nonzeros; /* without removed documents, with
                                             those of parts */
} store_scanned;

/* Callbacks of a scan or a copy; false stops it. */
typedef struct store_watcher {
    /* Called for each damage; `what` names the record. */
    bool (*found)(void *data, const char *what, const kedge_error *why);
    /* Called from time to time with the records read, or bytes copied, and
     * their total (of bytes about). May be NULL. */
    bool (*goes_on)(void *data, uint64_t done, uint64_t total);
    void *data;
} store_watcher;

/* Decodes every record of every database in the open snapshot, checks what it
 * refers to, and counts what the totals count. A stopped scan is OK. Takes
 * memory for the largest block, the longest list and a few chunks. ENOMEM,
 * EMISUSE, EIO. */
kedge_status store_scan(store_txn *txn, const store_watcher *watcher,
                        store_scanned *counts, kedge_error *err);

/* Replaces the data file atomically by a copy of the newest state without free
 * pages. The store is open for writing, without a transaction. Readers in other
 * processes keep the old file, and its disk space, until their next
 * transaction. After a failure before the replacement the store is as before;
 * if the new file cannot be opened, all later calls are EMISUSE, and the store
 * is sound on disk.
 * EMISUSE, EIO (the disk is full), ENOMEM, ECORRUPT; ECANCELED (by the watcher,
 * which may be NULL). */
kedge_status store_compact(store *s, const store_watcher *watcher,
                           kedge_error *err);

#endif
