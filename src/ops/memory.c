/* SPDX-License-Identifier: MIT */
/*
 * Arrays are counted by what an element takes; one that grows has room for half
 * as much again, or lies beside its copy for a moment: factors of 3/2 and 2.
 * What is small and does not follow a size is in MEMORY_PROGRAM.
 */
#include "ops/memory.h"

#include "base/docs.h"
#include "linalg/tall.h"
#include "metrics/measure.h"
#include "rectify/negatives.h"
#include "cooccur/sign.h"
#include "cooccur/sketch.h"
#include "cooccur/window.h"
#include "store/parcel.h"

#define MIB (UINT64_C(1) << 20)
#define CODEC (3 * MIB) /* zstd's contexts for a record */
#define REAL 8          /* bytes of a double, and of a count */

/* ---- the program and its store ------------------------------------------- */

uint64_t memory_base(uint64_t read)
{
    const uint64_t around = 2 * MIB; /* is mapped with what is looked at */

    return MEMORY_PROGRAM + lesser(read, MEMORY_MAP - around) + around;
}

/* ---- words --------------------------------------------------------------- */

uint64_t memory_words(uint64_t vocabulary, uint64_t bytes)
{
    return 3 * bytes + 96 * vocabulary;
}

uint64_t memory_counts(uint64_t vocabulary)
{
    return (4 * REAL + 8 + 32) * vocabulary;
}

uint64_t memory_wordmap(uint64_t vocabulary)
{
    uint64_t slots = 1024;

    while (slots < 2 * (vocabulary + 1))
        slots *= 2;
    return 8 * slots * 3 / 2;
}

uint64_t memory_sources(uint64_t sources)
{
    return sources * (16 + STORE_ID_MAX + 1) + memory_wordmap(sources);
}

/* As many pages as the tree has at most, or as LMDB keeps before it writes. */
uint64_t memory_ids(uint64_t touched, uint64_t documents)
{
    const uint64_t pages =
        documents / (MEMORY_ID_PAGE / MEMORY_ID_BYTES) + 1;

    return lesser(lesser(pages, touched), MEMORY_DIRTY_PAGES) * MEMORY_ID_PAGE;
}

/* Counts, flags, a list that grows, the words by their bytes. */
uint64_t memory_choosing(const kedge_fit_opts *opts, uint64_t vocabulary)
{
    const uint64_t scored = opts->vocab_size != 0 ? 32 : 0;

    return vocabulary * (2 * REAL + 8 + scored) +
           memory_wordmap(vocabulary) / 3 * 2;
}

uint64_t memory_phrases(uint64_t vocabulary)
{
    return 46 * vocabulary + memory_wordmap(vocabulary);
}

uint64_t memory_pairs(uint64_t bytes)
{
    return bytes / 2 * 3;
}

uint64_t memory_joining(uint64_t vocabulary)
{
    return 64 * vocabulary + 256;
}

/* ---- documents ----------------------------------------------------------- */

#define BLOCK_ENTRIES ((uint64_t)STORE_BLOCK_ENTRIES)

/* Bags: ids, labels, places; words with their counts. */
static uint64_t bags(uint64_t documents, uint64_t entries)
{
    return (48 * documents + 8 * entries) * 3 / 2;
}

static uint64_t order(uint64_t tokens)
{
    return 4 * tokens * 3 / 2;
}

/* A line in each place that it passes through: the buffer while it grows, the
 * row that it is part of, its cells, the text that its escapes stand for. */
uint64_t memory_reader(unsigned window_log, uint64_t line)
{
    return 2 * MIB + (UINT64_C(1) << window_log) + 6 * line;
}

uint64_t memory_tokenizer(void)
{
    return MIB; /* a table of letters, stems */
}

uint64_t memory_assembler(uint64_t vocabulary)
{
    return memory_tokenizer() + MIB / 2 + 6 * vocabulary + vocabulary / 2 +
           order(DOCS_ORDER_MOST);
}

uint64_t memory_outside(uint64_t vocabulary)
{
    return memory_wordmap(vocabulary) + memory_assembler(vocabulary + 1) +
           4 * vocabulary;
}

#define NAMES 64 /* bytes of an id and a label, about */

uint64_t memory_block(uint64_t vocabulary)
{
    const uint64_t entries = BLOCK_ENTRIES + vocabulary;
    const uint64_t tokens = STORE_BLOCK_SYMBOLS + DOCS_ORDER_MOST;
    const uint64_t plain = 10 * entries + (35 + NAMES) * WINDOW_DOCUMENTS;

    return plain * 3 / 2 + CODEC + bags(WINDOW_DOCUMENTS, entries) +
           NAMES * WINDOW_DOCUMENTS + order(tokens) + 3 * tokens;
}

uint64_t memory_largest_block(const store_block_size *largest)
{
    return 3 * largest->bytes + bags(largest->documents, largest->entries);
}

uint64_t memory_batch(const store_block_size *largest)
{
    return bags(largest->documents, largest->entries) + largest->bytes +
           8 * largest->documents;
}

/* The batch, half of it shared with the next one; a block before compression
 * and all of them after it. */
uint64_t memory_encoded(uint64_t documents, uint64_t entries, uint64_t symbols)
{
    return 15 * lesser(BLOCK_ENTRIES, entries) + CODEC + 8 * entries +
           bags(lesser(documents, entries), entries) * 3 / 2 +
           order(symbols) * 3 / 2 + 3 * symbols;
}

uint64_t memory_replayed(uint64_t entries)
{
    return bags(lesser(WINDOW_DOCUMENTS, entries), entries) * 3 / 2 +
           memory_block(0) / 2;
}

/* Entries by documents and, as pairs of documents, by words. */
uint64_t memory_window(uint64_t vocabulary, uint64_t entries, bool damped)
{
    const uint64_t here = lesser(vocabulary, entries);
    const uint64_t postings = (damped ? WINDOW_PARTS : 1) * entries;

    return (6 * entries + 10 * (postings + here) + 16 * WINDOW_DOCUMENTS +
            28 * here) * 3 / 2 + 4 * vocabulary;
}

uint64_t memory_filter(uint64_t rows, uint64_t vocabulary, bool joined)
{
    return 4 * vocabulary + 28 * rows + REAL * WINDOW_DOCUMENTS +
           (joined ? memory_block(0) + memory_joining(rows) : 0);
}

/* ---- the sketch ---------------------------------------------------------- */

/* A chunk of rows, each with its word's hash. */
static uint64_t chunk(uint64_t width)
{
    return STORE_CHUNK_ROWS * 8 * (1 + width);
}

/* Slabs of words by 64 columns, which huge pages fill at once; each thread's
 * sums of a window of so many documents. */
static uint64_t tiled(uint64_t width, uint64_t vocabulary, unsigned threads,
                      bool spilled, uint64_t documents)
{
    const uint64_t slab = SKETCH_SLAB_WORDS * SIGN_TILE * 8;
    const uint64_t tiles = (width + SIGN_TILE - 1) / SIGN_TILE;
    const uint64_t slabs = spilled ? threads + tiles
                                   : (vocabulary + SKETCH_SLAB_WORDS - 1) /
                                         SKETCH_SLAB_WORDS * tiles;
    const uint64_t sums = 8 * lesser(vocabulary, WINDOW_ENTRIES) +
                          2 * SIGN_TILE * documents;

    return slabs * slab + 32 * vocabulary + threads * sums * 3 / 2;
}

uint64_t memory_sketch(uint64_t width, uint64_t vocabulary, unsigned threads,
                       bool spilled)
{
    return tiled(width, vocabulary, threads, spilled, WINDOW_DOCUMENTS);
}

/* While some chunks are compressed, those before them are written: each in its
 * plain form and compressed. Beside them the rows of each thread, and what the
 * transaction holds. */
uint64_t memory_saving(uint64_t width, uint64_t chunks, unsigned threads)
{
    return 2 * chunks * (2 * chunk(width) + CODEC) +
           (threads + chunks) * chunk(width);
}

/* Three chunks; before and after compression, those of either end. */
uint64_t memory_rows(uint64_t width)
{
    return 7 * chunk(width + 1) + 2 * CODEC;
}

uint64_t memory_parcel(uint64_t width)
{
    return 2 * greater(chunk(width + 1), PARCEL_PLAIN_MAX) + 4 * MIB;
}

uint64_t memory_rows_digest(uint64_t width, uint64_t vocabulary)
{
    return 2 * chunk(width) + 16 * (1 + width) + CODEC + 9 * vocabulary;
}

uint64_t memory_part_words(uint64_t vocabulary, uint64_t bytes)
{
    /* two, and what they become, which grows */
    return 4 * (bytes + 24 * vocabulary);
}

uint64_t memory_rowsum(uint64_t width, unsigned ranks)
{
    return (lesser(ranks, TALL_GROUPS) + 5) * chunk(width + 1) + CODEC;
}

/* ---- a fit --------------------------------------------------------------- */

uint64_t memory_spectrum_kept(uint64_t width, unsigned threads)
{
    return REAL * width * (2 * width + width / 3 + 1) +
           2 * threads * chunk(width);
}

uint64_t memory_spectrum(uint64_t width, uint64_t rows, uint64_t k,
                         unsigned threads)
{
    const uint64_t square = width * width, r = width / 3;
    const uint64_t tile = width * lesser(rows, 2048);
    const uint64_t gram = square + width + 2 * tile;
    const uint64_t solve = square + 3 * r * width + 6 * r * r;
    const uint64_t vectors = r * width + tile + rows * k;
    const uint64_t sweeps =
        2 * square + greater(greater(gram, solve), vectors);
    const uint64_t keeping = 3 * (square + width) + r * width + MIB / 2;

    return REAL * greater(sweeps, keeping + square) +
           2 * threads * chunk(width);
}

/* C times a matrix of so many columns, by a pass over the documents in batches
 * of so many entries. */
static uint64_t product(uint64_t rows, uint64_t columns, uint64_t entries,
                        unsigned threads, bool damped)
{
    const uint64_t padded = (columns + 63) / 64 * 64;

    return (12 * padded + 12) * rows +
           threads * 2 * WINDOW_DOCUMENTS * 64 * REAL +
           memory_replayed(entries) + memory_window(rows, entries, damped);
}

uint64_t memory_power_iter(uint64_t rows, uint64_t k, uint64_t passes,
                         uint64_t block, uint64_t entries, unsigned threads,
                         bool damped)
{
    const uint64_t dense = REAL * rows * block, wide = block * passes;
    const uint64_t orthonormal = 2 * dense;

    return (passes + 1) * dense + 3 * REAL * (wide * wide + rows * k) +
           (TALL_GROUPS + 3) * REAL * block * block +
           greater(product(rows, block, entries, threads, damped),
                orthonormal + product(rows, 0, entries, 0, damped));
}

/* All of it; or the values of a sparse one, which words meet as bits, and each
 * thread's row of them. */
uint64_t memory_square(uint64_t rows, uint64_t pairs, bool sparse,
                       unsigned threads)
{
    const uint64_t bits = REAL * rows * ((rows + 63) / 64);

    return sparse ? bits + 36 * rows + REAL * (pairs + 1) +
                        threads * (4 * rows + rows / 16 + 4)
                  : REAL * rows * rows + 20 * rows;
}

uint64_t memory_square_making(uint64_t rows, uint64_t k, uint64_t entries,
                              bool damped)
{
    const uint64_t block = lesser(k + k / 2 + 8, rows);
    const uint64_t search = REAL * rows * (6 * block + k);

    return REAL * rows +
           greater(search, memory_replayed(entries) +
                            memory_window(rows, entries, damped));
}

uint64_t memory_own_index(uint64_t rows, uint64_t word_bytes, bool joined)
{
    return word_bytes + 52 * rows + (joined ? memory_joining(rows) : 0);
}

uint64_t memory_negatives(uint64_t rows, uint64_t k)
{
    return rows * negatives_rows(rows, k) * NEGATIVES_ENTRY;
}

/* Beside the four matrices of N x K that steps of a subspace take: products of
 * a tile of rows with those picked, for each thread. */
static uint64_t enn(uint64_t rows, uint64_t k, unsigned threads)
{
    const uint64_t some = negatives_rows(rows, k), padded = k + 16;
    const uint64_t tile = NEGATIVES_TILE;

    return 20 * rows + (rows / tile + TALL_GROUPS) * 600 +
           some * ((TALL_GROUPS + 2) * REAL * padded + 32) +
           threads * some * (tile * (4 + NEGATIVES_ENTRY) + 4 * padded);
}

uint64_t memory_rectifying(kedge_rectify kind, uint64_t rows, uint64_t k,
                           uint64_t entries, unsigned threads, bool exact,
                           bool damped)
{
    const uint64_t tall = REAL * rows * k;
    const uint64_t square = REAL * rows * (rows + 1);

    switch (kind) {
    case KEDGE_RECTIFY_AP:
        return square + 4 * tall;
    case KEDGE_RECTIFY_DR:
        return square + 9 * tall;
    case KEDGE_RECTIFY_PALM:
    case KEDGE_RECTIFY_IPALM:
        return 6 * tall +
               (exact ? 0
                      : product(rows, k, entries, threads, damped));
    case KEDGE_RECTIFY_ENN:
    case KEDGE_RECTIFY_NONE:
        break;
    }
    return 4 * tall + enn(rows, k, threads);
}

uint64_t memory_topics(const kedge_fit_opts *opts, uint64_t rows, uint64_t k,
                       unsigned threads)
{
    /* rows of unit length, topics, candidates; or the search for a cone */
    const uint64_t usual = 3 * rows * (k + 1);
    const uint64_t free = rows * (3 * k + 7) + k * (8 * k + 6);
    const uint64_t active = (k + 1) * (k + 1) + 6 * (k + 1);
    uint64_t more = 0;

    if (opts->anchors == KEDGE_ANCHORS_SNPA ||
        opts->anchors == KEDGE_ANCHORS_XRAY)
        more += rows * (k + 1) + k * k + threads * (k + active);
    if (opts->anchors == KEDGE_ANCHORS_COUNTED)
        more += 3 * rows;
    if (opts->projection > 0)
        more += k * opts->projection + threads * 512 * 64;
    if (opts->recover == KEDGE_RECOVER_KL) {
        const uint64_t width = lesser(rows, 2000) + 1;
        more += 3 * rows + 3 * width * k + k * (k + 1) +
                threads * ((65 + k) * width + 67 * k + 64 + k * k + active);
    }
    if (opts->recover == KEDGE_RECOVER_INVERSE)
        more += threads * rows + 2 * k * k + k;
    if (opts->solver == KEDGE_SOLVER_ACTIVE_SET)
        more += threads * (active + k);
    return REAL * greater(usual + more, free);
}

/* Distances between topics, and the costs of leaving them unmatched. */
static uint64_t match(uint64_t left, uint64_t right)
{
    return 3 * REAL * left * right + 64 * (left + right);
}

uint64_t memory_matching(uint64_t rows, uint64_t k, uint64_t like_rows,
                         uint64_t like_k)
{
    return REAL * like_rows * like_k + 4 * like_rows +
           16 * (rows + like_rows) + match(k, like_k);
}

uint64_t memory_em(uint64_t rows, uint64_t k, unsigned threads,
                          bool joined)
{
    return REAL * (rows * k + k * (threads + 1) + (TALL_GROUPS + 6) * k * k) +
           16 * MIB + 64 * k + 16 * rows + memory_block(rows) +
           (joined ? memory_block(0) + memory_joining(rows) : 0);
}

/* ---- what is made of a model --------------------------------------------- */

uint64_t memory_model(uint64_t rows, uint64_t k, bool weighted, bool spectrum,
                      uint64_t characteristic, uint64_t word_bytes)
{
    const uint64_t tall = 1u + (weighted ? 1u : 0u) + (spectrum ? 2u : 0u);

    return REAL * (rows * (k * tall + 10) + k * k +
                   2 * k * (2 + characteristic)) + word_bytes;
}

uint64_t memory_wordspace(uint64_t rows, uint64_t k)
{
    return rows * (REAL * k + 9) + REAL * k * ((2 + TALL_GROUPS) * k + 1);
}

/* TLI: for each topic a linear program, some at a time; and its matrix. */
static uint64_t tli(uint64_t rows, uint64_t k, unsigned threads)
{
    return 4 * rows * (k + 16) + 64 * k +
           threads * (REAL * (10 * (rows + k) + k * (2 * k + 261)) + 8192);
}

/* PADD and PAMI: a window of what is kept of each document, and sums of its
 * pieces. */
static uint64_t joint(uint64_t held, uint64_t k, unsigned threads)
{
    const uint64_t pieces = 16, documents = 128;

    return REAL * (held * (2 * k + 3) + pieces * documents * 3 * k +
                   (2 * pieces + 11) * k * k + 8 * k +
                   threads * (k * k + 8 * k + 4 * documents * k)) + 4 * 4096;
}

uint64_t memory_infer(uint64_t rows, uint64_t k, unsigned threads,
                      kedge_infer_method method)
{
    const uint64_t stride = (k + 15) / 16 * 16;
    const uint64_t held = lesser(MIB / k + 1, 4096);
    const uint64_t prior = 7 * REAL * k * k + (12 * k + 64) * stride;
    const uint64_t each = 1120 * 4 * stride + REAL * k * k + 64 * k +
                          20 * stride + 4 * 4096;
    uint64_t bytes = rows * (4 * stride + 4) + held * (REAL * k + 24) +
                     prior + threads * each;

    if (method == KEDGE_INFER_PADD || method == KEDGE_INFER_PAMI)
        bytes += joint(held, k, threads);
    if (method == KEDGE_INFER_TLI)
        bytes += tli(rows, k, threads);
    return bytes;
}

/* Documents with some four topics each. */
uint64_t memory_portion(void)
{
    return 2 * STORE_PORTION_DOCUMENTS * (25 + 31) +
           2 * STORE_PORTION_SHARES * (8 + 2 * 7);
}

/* A portion may come on top of a transaction that is nearly full. */
uint64_t memory_keeping(uint64_t k)
{
    return 4 * MIB + memory_portion() * 5 / 4 + 16 * k;
}

/* A document spread out over the words. */
static uint64_t spread(uint64_t rows)
{
    return (4 + REAL) * rows;
}

/* Lists of words that come together; the error of the model, with random
 * vectors; the shape of its correlations. */
static uint64_t measured(uint64_t rows, uint64_t k, uint64_t width,
                         unsigned threads)
{
    const uint64_t lists =
        k * (9 * LIST_MOST + 136) + 4 * rows +
        threads * (k * ((uint64_t)12 * LIST_MOST * LIST_MOST + 588) +
                   spread(rows));
    const uint64_t error =
        REAL * (rows * (k + 1) + (TALL_GROUPS + 2) * k * width +
                (TALL_GROUPS + 5) * k * k + threads * 64 * (2 * width + 3 * k) +
                TALL_GROUPS * (3 * width + 2) + 2 * WINDOW_DOCUMENTS) +
        threads * spread(rows);
    const uint64_t shape = 8 * rows + REAL * (16 * k * k + 32 * k + 1000);

    return lists + error + shape;
}

/* Documents as points in a list that grows, and classes. */
static uint64_t kmeans(uint64_t documents, uint64_t k, uint64_t classes,
                       unsigned threads)
{
    return documents * ((4 * k + 4) * 7 / 3 + 12) +
           classes * (12 * k + 16 + 64 * 4 * threads) +
           REAL * classes * classes + match(classes, classes);
}

uint64_t memory_measures(const kedge_eval_opts *opts, uint64_t rows,
                         uint64_t k, unsigned threads, uint64_t clustered,
                         uint64_t classes)
{
    uint64_t bytes = measured(rows, k, opts->probes, threads);

    if (opts->completion > 0)
        bytes += memory_infer(rows, k, threads, KEDGE_INFER_LINEAR_BAYES) +
                 REAL * (rows + 4096);
    if (clustered > 0)
        bytes += memory_infer(rows, k, threads, KEDGE_INFER_MEAN) +
                 kmeans(clustered, k, classes, threads);
    return bytes;
}

uint64_t memory_held_out(uint64_t rows, uint64_t k, unsigned threads,
                         bool joined)
{
    return memory_infer(rows, k, threads, KEDGE_INFER_LINEAR_BAYES) +
           REAL * (rows + 4096) + 4 * rows + 2 * memory_block(rows) +
           (joined ? memory_block(0) + memory_joining(rows) : 0);
}

uint64_t memory_probe(uint64_t rows, uint64_t width, unsigned threads,
                      uint64_t documents)
{
    return tiled(width, rows, threads, false, documents) + 24 * rows +
           spread(rows);
}
