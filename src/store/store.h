/* SPDX-License-Identifier: MIT */
#ifndef STORE_STORE_H
#define STORE_STORE_H
/*
 * Everything that lasts, in one LMDB environment; FORMAT.md has every byte.
 * This module knows nothing of sketches or models beyond their records: rows of
 * integers, rows of doubles, and the small structs below.
 *
 * A function with a store_txn reads in the snapshot of that transaction, or
 * writes; one with a store begins and ends its own. A handle has one
 * transaction at a time: beginning another is EMISUSE. Only the caller that
 * began one ends it. A write transaction sees its own writes.
 *
 * Everywhere: getting what is not there is ENOTFOUND, dropping it has no
 * effect; putting replaces. An object that grows is empty as {0} and is reused;
 * its *_free releases its memory.
 */
#include <kedge/store.h>

#include "base/docs.h"
#include "base/span.h"
#include "base/words.h"

typedef kedge_store store; /* the public handle is this module's */
typedef struct store_txn store_txn;

#define STORE_FORMAT 7 /* version of what FORMAT.md describes */

/* "lmdb 0.9.24, zstd 1.5.4": what this was built with. Never freed. */
const char *store_library_versions(void);

/* For an object that uses the handle while the caller may close it: the memory
 * stays until the last of these is released, and beginning something is
 * EMISUSE. NULL is allowed. */
store *store_share(store *s);
void store_release(store *s);

/* The directory, as it was given; bytes of its data file. */
const char *store_path(const store *s);
uint64_t store_disk_bytes(const store *s);

/* When another process has replaced the data file (store_compact), this opens
 * the new one behind the same handle. */
kedge_status store_begin_read(store *s, store_txn **out, kedge_error *err);
/* Never EBUSY: kedge_store_open took the writer's lock. What is put stays in
 * memory until the commit; so do the pages of ids that are put or dropped, up
 * to 4 KiB for each, as they come in any order. A put is ENOMEM where the limit
 * on addresses (ulimit -v) leaves it no room; the transaction can only be
 * aborted then. */
kedge_status store_begin_write(store *s, store_txn **out, kedge_error *err);
/* EMISUSE where store_begin_write would be, without beginning. */
kedge_status store_check_writable(const store *s, kedge_error *err);
const store *store_of(const store_txn *txn);
/* Both end the transaction and set it to NULL, a commit that fails as well; OK
 * means that it is durable. Aborting NULL has no effect. */
kedge_status store_commit(store_txn **txn, kedge_error *err);
void store_abort(store_txn **txn);

/* Checks all pages of the data file, in the newest state; no transaction is
 * open. kedge_store_open does it unless it knows the pages to be sound.
 * ECORRUPT. */
kedge_status store_check_pages(store *s, kedge_error *err);

/* ---- totals -------------------------------------------------------------- */

/* Documents, tokens, nonzeros and digest are without removed documents. */
typedef struct store_totals {
    uint64_t documents, tokens, nonzeros, words;
    uint64_t blocks;    /* the next block's number */
    uint64_t sources;   /* the next source's number */
    uint64_t models;    /* fitted so far: the next model's serial */
    uint64_t digest[2]; /* sums over documents, modulo 2^64 */
    uint64_t removals;  /* the next removal's number */
    uint64_t removed;   /* documents removed since the store was made */
    uint64_t parts;     /* the next part's number: their documents are
                           elsewhere, and are counted */
    uint64_t word_bytes; /* of the words' text, with a zero after each: what a
                            list of them takes in memory (words_bytes) */
} store_totals;

kedge_status store_get_totals(store_txn *txn, store_totals *out,
                              kedge_error *err);
kedge_status store_put_totals(store_txn *txn, const store_totals *t,
                              kedge_error *err);

/* Numbers in records are below these: those of the totals, or more where the
 * open transaction has put more. A record with a larger number is damaged,
 * whatever its checksum says, and no caller gets it. */
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

/* They hold for all documents that come later; all zero where none were put. */
typedef struct store_settings {
    bool texts;         /* some were tokenized, with the following: */
    bool digits;        /* words may have digits */
    uint64_t shortest, longest; /* characters of a word */
    char stemmer[32];   /* language; "": none */
    char stopwords[96]; /* name of the list, for people; "": none */
    uint64_t stop_count; /* stop words */
    bool no_first_index; /* index 0 was dropped and is not to come again */
    /* how texts were read last, the default for the next ones:
     * kedge_ingest_opts has the meanings; "": its default */
    char text_field[256], id_field[128], label_field[128], encoding[64];
} store_settings;

/* `stop`: the stop words, NULL for none; `stop_count` is ignored. */
kedge_status store_put_settings(store_txn *txn, const store_settings *t,
                                const words *stop, kedge_error *err);
/* Appends the words to `stop`, unless that is NULL. */
kedge_status store_get_settings(store_txn *txn, store_settings *out,
                                words *stop, kedge_error *err);

/* ---- documents: numbered blocks ------------------------------------------ */

/* A big record on its way in or out, with its scratch memory. The contexts take
 * about 3 MB once something was compressed. */
typedef struct store_frame {
    uint8_t *bytes; /* the record as it is stored */
    size_t size, capacity;
    uint8_t *plain; /* scratch: before compression */
    size_t plain_capacity;
    void *compress, *decompress; /* contexts, made when first needed */
} store_frame;

typedef store_frame store_block; /* `source` is a ledger number */

/* The most that a block has; but its last document may go beyond entries and
 * symbols, with all words of the vocabulary and DOCS_ORDER_MOST. */
#define STORE_BLOCK_DOCUMENTS ((size_t)24568)
#define STORE_BLOCK_ENTRIES   ((size_t)1 << 18)
/* Documents of more tokens are worked on in pieces of so many, and entries are
 * counted in these; the last document has so many at most. */
#define STORE_PIECE_TOKENS     10000
#define STORE_DOCUMENT_ENTRIES ((size_t)1 << 24)
#define STORE_BLOCK_SYMBOLS   ((size_t)1 << 19) /* of its order of words */

void store_block_free(store_block *b);

/* Encodes documents from..from+count-1 of the batch (delta + varint, zstd with
 * checksum), with their ids and labels. Needs no store; any thread, a block
 * each. EINVAL for an id of more than STORE_ID_MAX bytes. */
kedge_status store_block_encode(store_block *b, uint32_t source, const docs *d,
                                size_t from, size_t count, kedge_error *err);
/* Decodes a record, appending to `out`. ECORRUPT names the block number, and
 * comes before memory is taken for what no block has. */
kedge_status store_block_decode(store_block *scratch, uint64_t number,
                                const uint8_t *bytes, size_t size,
                                const store_limits *limits, uint32_t *source,
                                docs *out, kedge_error *err);

kedge_status store_put_block(store_txn *txn, uint64_t number,
                             const store_block *b, kedge_error *err);
/* The largest of each over all blocks: documents, entries, and bytes before
 * compression, by the heads of the records, which decoding checks; zeros where
 * there is no block. */
typedef struct store_block_size {
    uint64_t documents, entries, bytes;
    uint64_t stored; /* bytes of all blocks, as they lie in the map */
} store_block_size;

kedge_status store_largest_block(store_txn *txn, uint64_t blocks,
                                 store_block_size *out, kedge_error *err);

/* The record in the map: valid until the transaction ends. Numbers may have
 * gaps, where a block was dropped. */
kedge_status store_get_block(store_txn *txn, uint64_t number,
                             const uint8_t **bytes, size_t *size,
                             kedge_error *err);
/* The first block numbered `from` or more and below `end`, or `end`: the way to
 * walk over them. */
kedge_status store_next_block(store_txn *txn, uint64_t from, uint64_t end,
                              uint64_t *number, kedge_error *err);
kedge_status store_count_blocks(store_txn *txn, uint64_t *out,
                                kedge_error *err);
/* For compaction: another record under the same number, of the documents that
 * are left; or none. The block's list of removed documents and its order of
 * words go with the old record. The log of removals must be dropped
 * (store_drop_removals) in the same transaction: its indices are of the old
 * records. */
kedge_status store_replace_block(store_txn *txn, uint64_t number,
                                 const store_block *b, kedge_error *err);
kedge_status store_drop_block(store_txn *txn, uint64_t number,
                              kedge_error *err);

/* ---- the order of words: a second record of a block that has texts ------- */

typedef store_frame store_order;

void store_order_free(store_order *o);

/* Of the same documents as a block. o->size is 0 when none of them has an
 * order, and then there is nothing to put. EINVAL when they are too big for one
 * record. */
kedge_status store_order_encode(store_order *o, const docs *d, size_t from,
                                size_t count, kedge_error *err);
kedge_status store_put_order(store_txn *txn, uint64_t block,
                             const store_order *o, kedge_error *err);
/* The record in the map; its bytes are NULL when the block has none. */
kedge_status store_get_order(store_txn *txn, uint64_t block, span *record,
                             kedge_error *err);
/* Gives documents `first` to the last of a batch their orders; these are all of
 * the block that was decoded last, with `decoded` as the scratch. ECORRUPT when
 * the record is lost, or not of these documents. */
kedge_status store_order_decode(store_order *scratch,
                                const store_block *decoded, uint64_t block,
                                span record, docs *d, size_t first,
                                kedge_error *err);

/* A block's documents, appended, with the order of their words unless `order`,
 * which is scratch, is NULL. */
kedge_status store_read_block(store_txn *txn, uint64_t number,
                              store_block *scratch, store_order *order,
                              uint32_t *source, docs *out, kedge_error *err);

/* ---- ids: where a document is -------------------------------------------- */

#define STORE_ID_MAX 255 /* bytes of an id; one at least */

/* A position within its source is unique within the block. */
typedef struct store_place {
    uint64_t block, position;
} store_place;

/* For qsort and bsearch: by blocks, and by positions within one. */
int store_place_compare(const void *left, const void *right);

/* EINVAL for an id that is empty or too long; getting one is ENOTFOUND. */
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

/* All removed documents of a block; none: drops the list. EINVAL when it does
 * not rise. */
kedge_status store_put_gone(store_txn *txn, uint64_t block,
                            const uint32_t *index, size_t count,
                            kedge_error *err);
/* Count 0 when none is. Apply it with docs_drop. */
kedge_status store_get_gone(store_txn *txn, uint64_t block, store_gone *out,
                            kedge_error *err);

/* Documents of a block without the removed ones, without decoding it; 0 where
 * there is no such block. */
kedge_status store_count_block(store_txn *txn, uint64_t number,
                               store_gone *scratch, uint64_t *count,
                               kedge_error *err);

/* The log: the documents that each removal took from one block, under numbers
 * 0 .. totals.removals - 1, so that a sketch can subtract them. Compaction
 * drops it. */
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
/* All of them; out must be empty. */
kedge_status store_get_words(store_txn *txn, words *out, kedge_error *err);
/* The words with these ids, in this order; one chunk of others is in memory at
 * a time. */
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
    uint64_t words;     /* lines of the vocabulary it came with */
    uint64_t position;  /* of the last document committed, 0: none */
    uint64_t documents, tokens, nonzeros; /* ingested, with removed ones */
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

/* What came as counts and sketches alone. */
typedef struct store_part {
    char name[64];
    uint64_t digest[2]; /* of its documents, as in the totals */
    uint64_t documents, tokens, nonzeros;
    uint64_t when;      /* it came: seconds since 1970 */
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
/* The share of the parts in the words' tf and df. Words beyond those that were
 * put last have none. */
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
    bool joined;       /* of words and phrases */
    char rule[160];    /* how the list came about, for people */
    double total;      /* of all rows' sums, of a damped statistic; 0 for joint,
                          where it is 2^S times the documents */
    uint64_t parts;    /* watermark: parts below this are in it */
    uint64_t asked;    /* digest of the rule that chose the list, as it was
                          asked for, and of the sketch: of indexes with the same
                          one, one has the words of now. 0: no rule did */
    bool frozen;       /* a fit kept the words as they were: it stays as long
                          as a model that was made of it */
} store_index;

/* Whether anything was ever saved of its sketch. */
static inline bool store_index_has_rows(const store_index *v)
{
    return v->blocks > 0 || v->parts > 0;
}

/* Whether it holds every document that the totals count, and no other. */
static inline bool store_index_is_current(const store_index *v,
                                          const store_totals *t)
{
    return v->blocks == t->blocks && v->removals == t->removals &&
           v->parts == t->parts;
}

/* As bytes, and back: ECORRUPT, where `what` names it, only for what no index
 * has; the store is not looked at. */
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
/* All of them by their numbers, until one visit is not OK. The visitor may put
 * and drop records of the index. */
kedge_status store_each_index(store_txn *txn,
                              kedge_status (*visit)(void *data, uint32_t number,
                                                    store_index *v,
                                                    kedge_error *err),
                              void *data, kedge_error *err);
/* Record, list, phrases and spectra; the caller drops its rows. */
kedge_status store_drop_index(store_txn *txn, uint32_t number,
                              kedge_error *err);

/* A curated vocabulary: ids of words, rising. */
typedef struct store_list {
    uint32_t *ids;
    size_t count, capacity;
} store_list;

void store_list_free(store_list *l);

/* EINVAL when it does not rise. An empty list is one. */
kedge_status store_put_list(store_txn *txn, uint32_t index, const uint32_t *ids,
                            size_t count, kedge_error *err);
kedge_status store_get_list(store_txn *txn, uint32_t index, store_list *out,
                            kedge_error *err);
kedge_status store_drop_list(store_txn *txn, uint32_t index, kedge_error *err);

/* Phrases of an index: two words, or earlier phrases, that are one word of its
 * list when they stand side by side. They are joined in rounds, from the first
 * on, each from left to right. */
typedef struct store_join {
    uint32_t left, right, whole; /* ids */
    uint32_t round;              /* from 1 */
} store_join;

typedef struct store_joins {
    uint64_t blocks, removals; /* totals of the store that they were found in */
    uint64_t words, documents; /* what was asked for: of how many words, in */
    double score;              /* how many documents, how closely tied */
    store_join *join; /* in the order of left, then right; each pair once */
    size_t count, capacity;
} store_joins;

#define STORE_JOIN_ROUNDS 7

void store_joins_free(store_joins *j);

/* EINVAL when they are not in order. */
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
/* ECORRUPT names index and chunk, which a stored record knows; also of a row
 * with a value that is larger than its sum, as no documents make one. `values`
 * has room for rows x (1 + width). */
kedge_status store_rows_decode(store_rows *scratch, const uint8_t *bytes,
                               size_t size, size_t rows, size_t width,
                               int64_t *values, kedge_error *err);
kedge_status store_put_rows(store_txn *txn, uint32_t number, uint64_t chunk,
                            const store_rows *r, kedge_error *err);
kedge_status store_get_rows(store_txn *txn, uint32_t number, uint64_t chunk,
                            const uint8_t **bytes, size_t *size,
                            kedge_error *err);
kedge_status store_drop_rows(store_txn *txn, uint32_t number, kedge_error *err);

/* ---- spectra of sketches, which fits make -------------------------------- */

/* Which rows of an index's sketch a spectrum (cooccur/spectrum.h) is of, and
 * how it was made: where any of this differs it is another. An index has at
 * most one for each kind of word weights, by its number in a model. */
typedef struct store_spectrum {
    uint64_t blocks, removals; /* watermarks of the index, */
    uint64_t documents;        /* and what it counted */
    uint64_t statistic, weight_bits, value_bits, width, seed,
        min_tokens;            /* as in the index */
    uint64_t rows;             /* that were used */
    uint64_t digest;           /* of these rows */
    uint64_t weights;          /* digest of the words' weights; 0: none */
    uint64_t used, count;      /* columns, and eigenpairs of them */
    char arithmetic[96];       /* what rounding depends on */
} store_spectrum;

/* Of the first two, which are width x width, the upper triangles; turn is used
 * x count, and there are `count` values. */
typedef struct store_spectrum_arrays {
    double *zz, *zo, *turn, *values;
} store_spectrum_arrays;

kedge_status store_put_spectrum(store_txn *txn, uint32_t index, uint32_t weight,
                                const store_spectrum *of,
                                const store_spectrum_arrays *from,
                                kedge_error *err);
kedge_status store_get_spectrum(store_txn *txn, uint32_t index, uint32_t weight,
                                store_spectrum *out, kedge_error *err);
/* Bit for bit; `of`: as it was got. ECORRUPT where they are not whole. */
kedge_status store_get_spectrum_arrays(store_txn *txn, uint32_t index,
                                       uint32_t weight,
                                       const store_spectrum *of,
                                       const store_spectrum_arrays *to,
                                       kedge_error *err);
/* Those of an index, and their bytes on disk. */
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
/* The i-th name in the order of bytes. */
kedge_status store_get_model_name(store_txn *txn, uint64_t i, char out[64],
                                  kedge_error *err);
/* Header, arrays, and the record of the compositions that are kept with it. */
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

/* ---- compositions that are kept with a model ----------------------------- */

/* A set of compositions, of one model's documents. Its portions are stored
 * under turn 0 or 1: those of a new set go under the other turn, over several
 * transactions, and the last puts this record and drops the old portions.
 * Portions whose turn no record names are what an interruption left. */
typedef struct store_kept {
    uint64_t serial;    /* of the model; with another serial there is no set */
    uint64_t topics;
    uint32_t turn;
    uint64_t documents; /* of all portions */
    uint64_t blocks;    /* of the store then: later ones are not in it */
    uint64_t portions;
    uint64_t bytes;     /* of these, as they are stored */
    uint64_t shares;    /* that are not 0 */
    double moved;       /* the most by which rounding moved shares of a
                           document, all added up */
    char method[32], options[128]; /* how they were found, for people */
} store_kept;

#define STORE_UNITS 65536 /* shares are multiples of 1 / STORE_UNITS */

/* Compositions of documents of one block, by their rising positions. */
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

/* Its documents m without there[m] leave. Not of an empty one of {0}. */
void store_portion_keep(store_portion *p, const bool *there);

/* Beyond these, a writer begins another portion. */
#define STORE_PORTION_DOCUMENTS ((size_t)1 << 16)
#define STORE_PORTION_SHARES    ((size_t)1 << 18)

/* *bytes: of its record. */
kedge_status store_put_portion(store_txn *txn, const char *model, uint32_t turn,
                               uint64_t number, const store_portion *p,
                               uint64_t *bytes, kedge_error *err);
/* Shares are of topics below `topics`. */
kedge_status store_get_portion(store_txn *txn, const char *model,
                               const store_kept *kept, uint64_t number,
                               store_portion *out, kedge_error *err);
/* At most `most` portions under this turn, and whether there are more. */
kedge_status store_drop_portions(store_txn *txn, const char *model,
                                 uint32_t turn, uint64_t most, bool *more,
                                 kedge_error *err);

/* EINVAL where method or options are too long. */
kedge_status store_put_kept(store_txn *txn, const char *model,
                            const store_kept *k, kedge_error *err);
kedge_status store_get_kept(store_txn *txn, const char *model, store_kept *out,
                            kedge_error *err);
/* The record alone: there is no set then. store_drop_model drops it, too;
 * portions are the caller's to drop. */
kedge_status store_drop_kept(store_txn *txn, const char *model,
                             kedge_error *err);
/* The i-th name, in the order of bytes, of a model with a set or with what is
 * left of one. */
kedge_status store_get_kept_name(store_txn *txn, uint64_t i, char out[64],
                                 kedge_error *err);

/* ---- the whole store ----------------------------------------------------- */

/* Whole records that were found. */
typedef struct store_scanned {
    uint64_t records, damaged; /* looked at; found damaged */
    uint64_t blocks, words, sources, indexes, rows, models, arrays, ids, gone,
        removals, lists, orders, joins, kept, spectra,
        parts; /* records, but words */
    uint64_t documents, tokens, nonzeros; /* without removed ones, with those
                                             of parts */
} store_scanned;

/* Callbacks of a scan, or a copy. false of either stops it. */
typedef struct store_watcher {
    /* For each damage; `what` names the record. */
    bool (*found)(void *data, const char *what, const kedge_error *why);
    /* Now and then: how many records of how many were looked at, or bytes of
     * about how many copied. May be NULL. */
    bool (*goes_on)(void *data, uint64_t done, uint64_t total);
    void *data;
} store_watcher;

/* Decodes every record of every database in the open snapshot, checks what it
 * refers to, and counts what the totals count. A scan that is stopped is OK. It
 * takes memory for the largest block, the longest list and a few chunks. Fails
 * only when it cannot go on: ENOMEM, EMISUSE, EIO. */
kedge_status store_scan(store_txn *txn, const store_watcher *watcher,
                        store_scanned *counts, kedge_error *err);

/* Replaces the data file by a copy of the newest state without free pages, at
 * once or not at all; the store is open for writing and no transaction is.
 * Readers in other processes keep the old file, and its room on the disk, until
 * their next transaction. When this fails before the replacing, the store goes
 * on as it was; when opening the new file fails, everything after is EMISUSE
 * and the store is whole on disk. EMISUSE, EIO (the disk is full), ENOMEM,
 * ECORRUPT; ECANCELED when the watcher, which may be NULL, ends the copying. */
kedge_status store_compact(store *s, const store_watcher *watcher,
                           kedge_error *err);

#endif
