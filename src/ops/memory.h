/* SPDX-License-Identifier: MIT */
#ifndef OPS_MEMORY_H
#define OPS_MEMORY_H
/*
 * What each step of a command takes at most, in bytes: all formulas of the
 * memory plan (plan.h). Of sizes alone: V words of the store, N words of an
 * index or a model, K topics, L columns of a sketch, threads. Tests hold them
 * against the resident set at its peak.
 */
#include <stdbool.h>
#include <stdint.h>

#include <kedge/eval.h>
#include <kedge/fit.h>
#include <kedge/infer.h>

#include "base/compare.h"
#include "store/store.h"

/* ---- the program and its store ------------------------------------------- */

/* Code, libraries, small things, and what LMDB and the codecs keep. */
#define MEMORY_PROGRAM (UINT64_C(17) << 20)
/* Pages of the store's map that stay in memory (MAPPED_MOST). */
#define MEMORY_MAP (UINT64_C(16) << 20)
/* A thread: its stack and its share of the allocator; and BLAS's buffers. */
#define MEMORY_THREAD (UINT64_C(1) << 20)
#define MEMORY_BLAS_THREAD (UINT64_C(4) << 20)

/* Program and map, where a command looks at `read` bytes of the store. */
uint64_t memory_base(uint64_t read);

/* ---- words --------------------------------------------------------------- */

/* V words with their order, counts, hashes, and a merge of two lists. */
uint64_t memory_words(uint64_t vocabulary, uint64_t bytes);
/* Their tf and df, those that these are compared with, and being put. */
uint64_t memory_counts(uint64_t vocabulary);
/* A table that finds words by their bytes. */
uint64_t memory_wordmap(uint64_t vocabulary);
/* Names of sources, each found by its bytes. */
uint64_t memory_sources(uint64_t sources);
/* A transaction that puts or drops `touched` ids of `documents`: pages of their
 * tree, which are half full. */
#define MEMORY_ID_PAGE 4096
#define MEMORY_ID_BYTES 160
#define MEMORY_DIRTY_PAGES (UINT64_C(1) << 17) /* that LMDB keeps at most */
uint64_t memory_ids(uint64_t touched, uint64_t documents);
/* Choosing the words of an index among V. */
uint64_t memory_choosing(const kedge_fit_opts *opts, uint64_t vocabulary);
/* Phrases: found among V words, pairs counted in `bytes`; and joined. */
uint64_t memory_phrases(uint64_t vocabulary);
uint64_t memory_pairs(uint64_t bytes);
uint64_t memory_joining(uint64_t vocabulary);

/* ---- documents ----------------------------------------------------------- */

/* Reading: a decoder's window, a line of so many bytes; and texts cut into V
 * words while more of them come. */
uint64_t memory_reader(unsigned window_log, uint64_t line);
uint64_t memory_tokenizer(void);
uint64_t memory_assembler(uint64_t vocabulary);
/* Documents from outside: cut, their words looked up. */
uint64_t memory_outside(uint64_t vocabulary);

/* A block of the store, decoded or being made: of unknown size, whose last
 * document may have all words; and the largest one that there is. */
uint64_t memory_block(uint64_t vocabulary);
uint64_t memory_largest_block(const store_block_size *largest);
/* Its documents alone, with their ids and places. */
uint64_t memory_batch(const store_block_size *largest);

/* A batch: documents of so many entries; encoded as blocks, with the order of
 * their words, so many symbols; and as a window of the sketch. */
uint64_t memory_encoded(uint64_t documents, uint64_t entries, uint64_t symbols);
uint64_t memory_replayed(uint64_t entries);
uint64_t memory_window(uint64_t vocabulary, uint64_t entries, bool damped);

/* Documents as a model of N of V words sees them. */
uint64_t memory_filter(uint64_t rows, uint64_t vocabulary, bool joined);

/* ---- the sketch ---------------------------------------------------------- */

uint64_t memory_sketch(uint64_t width, uint64_t vocabulary, unsigned threads,
                       bool spilled);
/* Its rows being saved, so many chunks at a time. */
uint64_t memory_saving(uint64_t width, uint64_t chunks, unsigned threads);
/* Its rows from one store to another, and through a file. */
uint64_t memory_rows(uint64_t width);
uint64_t memory_parcel(uint64_t width);
/* Its rows being checked. */
uint64_t memory_rows_digest(uint64_t width, uint64_t vocabulary);
/* Words of two ranks and what they become; rows dealt out to ranks. */
uint64_t memory_part_words(uint64_t vocabulary, uint64_t bytes);
uint64_t memory_rowsum(uint64_t width, unsigned ranks);

/* ---- a fit --------------------------------------------------------------- */

/* What stays of the spectrum of a sketch to the end of the fit: two squares,
 * their turn, and chunks of rows by thread. */
uint64_t memory_spectrum_kept(uint64_t width, unsigned threads);

/* With that: eigenpairs of the sketch, and storing what they are made of. */
uint64_t memory_spectrum(uint64_t width, uint64_t rows, uint64_t k,
                         unsigned threads);
/* Power passes with blocks of so many columns. */
uint64_t memory_power_iter(uint64_t rows, uint64_t k, uint64_t passes,
                         uint64_t block, uint64_t entries, unsigned threads,
                         bool damped);
/* All of C, or the pairs of it that are not zero; and while that is made. */
uint64_t memory_square(uint64_t rows, uint64_t pairs, bool sparse,
                       unsigned threads);
uint64_t memory_square_making(uint64_t rows, uint64_t k, uint64_t entries,
                              bool damped);
/* The index of a sketch that a fit makes for itself: its words, and degrees of
 * documents weighed by the normalised cut. */
uint64_t memory_own_index(uint64_t rows, uint64_t word_bytes, bool joined);
/* Measuring a model by held-out documents. */
uint64_t memory_held_out(uint64_t rows, uint64_t k, unsigned threads,
                         bool joined);
uint64_t memory_rectifying(kedge_rectify kind, uint64_t rows, uint64_t k,
                           uint64_t entries, unsigned threads, bool exact,
                           bool damped);
/* ENN's negatives, all of them. */
uint64_t memory_negatives(uint64_t rows, uint64_t k);
/* Anchors, topics and correlations from the rectified rows. */
uint64_t memory_topics(const kedge_fit_opts *opts, uint64_t rows, uint64_t k,
                       unsigned threads);
/* Topics matched to those of an earlier model. */
uint64_t memory_matching(uint64_t rows, uint64_t k, uint64_t like_rows,
                         uint64_t like_k);
uint64_t memory_em(uint64_t rows, uint64_t k, unsigned threads,
                          bool joined);

/* ---- what is made of a model --------------------------------------------- */

/* A loaded model of N words. */
uint64_t memory_model(uint64_t rows, uint64_t k, bool weighted, bool spectrum,
                      uint64_t characteristic, uint64_t word_bytes);
/* Words as points. */
uint64_t memory_wordspace(uint64_t rows, uint64_t k);
/* Proportions of documents, by one of the methods; saved ones being read, and
 * being saved. */
uint64_t memory_infer(uint64_t rows, uint64_t k, unsigned threads,
                      kedge_infer_method method);
uint64_t memory_portion(void);
uint64_t memory_keeping(uint64_t k);
/* A model's measures, of `clustered` documents of so many classes. */
uint64_t memory_measures(const kedge_eval_opts *opts, uint64_t rows,
                         uint64_t k, unsigned threads, uint64_t clustered,
                         uint64_t classes);
/* The sketch with signs of its own that models are measured by, from windows
 * of so many documents. */
uint64_t memory_probe(uint64_t rows, uint64_t width, unsigned threads,
                      uint64_t documents);

#endif
