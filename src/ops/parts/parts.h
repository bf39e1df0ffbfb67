/* SPDX-License-Identifier: MIT */
#ifndef OPS_PARTS_PARTS_H
#define OPS_PARTS_PARTS_H
/*
 * A part is what a store has of documents that are elsewhere: facts that have
 * to agree, words with their counts, and the rows of sketches. It comes from a
 * file, from another store or from another rank, as records of a parcel
 * (FORMAT.md has every byte), and is added to a store by this code alone: facts
 * are compared, words get ids, counts and rows are added up.
 *
 * Words and rows are in the order of the words' bytes. Words that no document
 * holds are left out, so that the same documents give the same bytes whatever
 * else was read and removed.
 */
#include <kedge/parts.h>

#include "base/wordmap.h"
#include "ops/textsettings.h"
#include "store/parcel.h"

#define PART_STORES_MOST 65536
#define PART_INDEXES_MOST 256

/* An index under the number that it has in the store that sends it; index.words
 * is the number of its rows in the parcel. */
typedef struct part_index {
    uint32_t number;
    store_index index;
} part_index;

/* The beginning of a parcel. An empty one is {0}. */
typedef struct part_facts {
    uint64_t documents, tokens, nonzeros, digest[2]; /* of all parts */
    uint64_t words, word_bytes; /* that a document holds; of their text */
    text_settings tokenizing;
    uint64_t parts, indexes;
    store_part *part; /* `when` is 0 */
    part_index *index;
} part_facts;

void part_facts_free(part_facts *f);

/* Words in the order of their bytes, with their counts. */
typedef struct part_words {
    words w;
    uint64_t *tf, *df;
} part_words;

void part_words_free(part_words *p);
/* Zeros for the counts of so many words. */
kedge_status part_words_room(part_words *p, size_t count, kedge_error *err);

typedef struct part {
    part_facts facts;
    part_words words;
} part;

void part_free(part *p);

/* ---- what a store has (part.c); `out` is empty in all of these ----------- */

/* The store's own documents, without a name: what its parts leave of the
 * totals. */
kedge_status part_of_own(store_txn *txn, const store_totals *t,
                         store_part *out, kedge_error *err);

/* Totals, parts, and how texts are cut, in a read transaction. The store's own
 * documents are the last part, called `name`, or like the store's folder where
 * that is NULL. Words and indexes are left to the caller. */
kedge_status part_facts_of(store_txn *txn, const store_totals *t,
                           const char *name, part_facts *out,
                           kedge_error *err);

kedge_status part_add_index(part_facts *f, uint32_t number,
                            const store_index *index, kedge_error *err);

/* Columns of the widest index. */
uint64_t part_width(const part_facts *f);

/* The store's words that a document holds; `order` is that of all words.
 * place[id], if `place` is not NULL, becomes the word's place in `out`, or
 * WORDMAP_NONE. */
kedge_status part_words_of(store_txn *txn, const words *all,
                           const uint32_t *order, uint32_t *place,
                           part_words *out, kedge_error *err);

/* Sets `bit` of mark[id] for the words that have a row of the index; the store
 * has `known` words. Rows lie in the order of these words' bytes. */
kedge_status part_mark_rows(store_txn *txn, uint32_t number,
                            const store_index *v, size_t known, uint8_t bit,
                            uint8_t *mark, kedge_error *err);

/* ---- two become one (part.c) --------------------------------------------- */

/* Of the same words, by the same rule and statistic. */
bool part_same_kind(const store_index *a, const store_index *b);

/* EINVAL where sketches of a kind cannot be added up; `number` is that of
 * ours. */
kedge_status part_indexes_agree(uint32_t number, const store_index *ours,
                                const store_index *theirs, kedge_error *err);

/* The same index under another number in another store, before any document
 * was added to it. */
store_index part_empty_index(const store_index *like, uint32_t number);

/* Adds facts and words of `other`, which the caller frees. Indexes that one of
 * them lacks are dropped. EINVAL where the two do not agree. */
kedge_status part_join(part *all, part *other, kedge_error *err);

/* id[i] is the number of some's word i in the map's list, which gets the word
 * if it is new. */
kedge_status part_add_words(wordmap *map, const words *some, uint32_t *id,
                            kedge_error *err);
/* The same in `all`; without `add` new words have WORDMAP_NONE. */
kedge_status part_number_words(words *all, const words *some, bool add,
                               uint32_t *id, kedge_error *err);

/* Puts a part's counts, documents and words into a store, in a write
 * transaction, and adds them to the totals. `id`: of its words in `all`, of
 * which the store has the first `known`. `instead`: of the parts that the store
 * has, which are dropped. */
kedge_status part_put(store_txn *txn, const part *p, const uint32_t *id,
                      const words *all, size_t known, bool instead,
                      store_totals *t, kedge_error *err);

/* ---- records (partcodec.c) ----------------------------------------------- */

kedge_status part_put_facts(parcel_out *to, const part_facts *f,
                            kedge_error *err);
/* `out` is empty. */
kedge_status part_get_facts(parcel_in *from, part_facts *out,
                            kedge_error *err);

kedge_status part_put_words(parcel_out *to, const part_words *p,
                            kedge_error *err);
/* So many words, of so many bytes at most. `out` is empty. */
kedge_status part_get_words(parcel_in *from, size_t count, uint64_t bytes,
                            part_words *out, kedge_error *err);
/* EFORMAT unless each word is in a document, and counts add up to the facts. */
kedge_status part_check_words(const part_facts *f, const part_words *p,
                              kedge_error *err);

/* The list of an index: rising places among the part's words, `known` of
 * them. */
kedge_status part_put_list(parcel_out *to, const uint32_t *place,
                           size_t count, kedge_error *err);
kedge_status part_get_list(parcel_in *from, uint64_t known, uint32_t *place,
                           size_t count, kedge_error *err);

/* ---- rows, a chunk in memory (rows.c) ------------------------------------ */

/* The caller fills what is above the line. */
typedef struct row_reader {
    size_t rows, width;
    parcel_in *parcel;  /* the source of the rows; NULL: */
    store_txn **txn;    /* a store that has them */
    uint32_t number;    /* under this number */
    store_rows *shared; /* scratch; NULL: its own */
    /* -- */
    size_t at;     /* the next row */
    size_t chunks; /* that were read; the last one is held */
    int64_t *values;
    store_rows scratch;
} row_reader;

/* A row of the index: its sum, then its values, until another is read. Rows of
 * a parcel are read in their order. */
kedge_status row_reader_get(row_reader *r, size_t row, int64_t **values,
                            kedge_error *err);
kedge_status row_reader_next(row_reader *r, int64_t **values,
                             kedge_error *err);
void row_reader_free(row_reader *r);

/* Chunks of a store that are written in one transaction. */
#define ROW_WRITER_TOGETHER 8

typedef struct row_writer {
    size_t width;
    parcel_out *parcel; /* the rows go here; NULL: */
    store *s;           /* into a store, */
    store_txn **txn;    /* by this transaction, and those after it, */
    uint32_t number;    /* under this number */
    /* -- */
    size_t chunks, held; /* written; rows of the next one */
    int64_t *values;
    store_rows frame;
} row_writer;

/* Room for the next row, until the call after this. */
kedge_status row_writer_next(row_writer *w, int64_t **values,
                             kedge_error *err);
/* Writes the last chunk. */
kedge_status row_writer_end(row_writer *w, kedge_error *err);
void row_writer_free(row_writer *w);

/* Adds a row to another: sums, then so many values. ENUMERIC where a sum
 * outgrows its 64 bits. */
kedge_status row_add(int64_t *to, const int64_t *row, size_t width,
                     kedge_error *err);

/* What a saved sketch holds, as one number: words and rows in their order,
 * which is `order`, that of all words. Rows of zeros are passed over, so that
 * words which came and went leave no trace. An index without a sketch gives 0.
 * ECORRUPT where the rows do not add up to the index's total. */
kedge_status rows_digest(store_txn *txn, const words *all,
                         const uint32_t *order, uint32_t number,
                         const store_index *v, const kedge_control *control,
                         uint64_t *digest, kedge_error *err);

/* ---- into a store (import.c) --------------------------------------------- */

/* kedge_sketch_import from any source; messages call it `name`. Of a part that
 * is known only the beginning is read. */
kedge_status part_import(store *s, const parcel_source *from, const char *name,
                         const kedge_control *control,
                         kedge_sketch_import_result *out, kedge_error *err);

#endif
