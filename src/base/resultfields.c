/* SPDX-License-Identifier: MIT */
/* The members of each result. */
#include <kedge/fields.h>

#include <string.h>

#include <kedge/kedge.h>

#define NAMED(kind_, member, name_)                                           \
    .name = name_, .kind = KEDGE_FIELD_##kind_, .offset = offsetof(R, member),\
    .size = sizeof((R *)0)->member
/* For programs alone; for people too where there is something; or always. */
#define DATA(kind_, member) NAMED(kind_, member, #member)
#define SOME(kind_, member, label_, note_)                                    \
    DATA(kind_, member), .shown = KEDGE_SHOWN_FILLED, .label = label_,        \
                         .note = note_
#define LINE(kind_, member, label_, note_)                                    \
    DATA(kind_, member), .shown = KEDGE_SHOWN_ALWAYS, .label = label_,        \
                         .note = note_

/* A function that gives the table of a struct, which is R for its members. */
#define TABLE(of, ...)                                                        \
    static const kedge_fields *of##_fields(void)                              \
    {                                                                         \
        typedef of R;                                                         \
        static const kedge_field field[] = {__VA_ARGS__};                     \
        static const kedge_fields fields = {#of, sizeof(R), field,            \
                                            sizeof field / sizeof *field};    \
        return &fields;                                                       \
    }

/* ---- documents into a store, and out of it ------------------------------- */

TABLE(kedge_ingest_result,
    {DATA(COUNT, sources)},
    {SOME(COUNT, sources_known, "known sources", "nothing new in them")},
    {SOME(COUNT, sources_unchanged, "  unchanged", "not read again")},
    {LINE(COUNT, documents, "documents added", NULL)},
    {SOME(COUNT, resumed, "resumed", "stored before, skipped")},
    {DATA(COUNT, counted)},
    {SOME(COUNT, too_short, "too short", "no topics are learnt from them")},
    {SOME(SHARE, too_short_share, "  share", "of the documents")},
    {DATA(COUNT, min_tokens)},
    {SOME(COUNT, duplicates, "duplicates",
          "id was in the store: left out|ids were in the store: left out")},
    {SOME(COUNT, replaced, "replaced", "earlier document with the same "
                                       "id|earlier documents with the same "
                                       "ids")},
    {SOME(COUNT, emptied, "  by nothing",
          "earlier document removed: the new one has no words")},
    {SOME(COUNT, same, "same content", "left out")},
    {SOME(COUNT, empty, "empty", "no words: not stored")},
    {SOME(COUNT, taken_back, "  taken back",
          "text is \"[removed]\" or \"[deleted]\"")},
    {SOME(COUNT, unnamed, "without id",
          "ids are SOURCE:POSITION; --id-field names the field of the id")},
    {SOME(COUNT, bad, "bad",
          "malformed record, skipped|malformed records, skipped")},
    {SOME(COUNT, unread, "not read",
          "file, or its end|files, or their ends")},
    {SOME(TEXT, first_unread, " the first", NULL)},
    {SOME(COUNT, unbroken, "no blanks",
          "texts in Thai, Lao, Khmer or Burmese: split only at blanks")},
    {SOME(COUNT, files, "texts", "files in directories, one document each")},
    {SOME(COUNT, tables, "tables", "and JSON files in directories, one "
                                   "document per record")},
    {SOME(COUNT, to_come, "still to read",
          "source: run the same command again|sources: run the same command "
          "again")},
    {SOME(COUNT, not_utf8, "undecoded",
          "documents have bytes that are not UTF-8 or --encoding, which split "
          "words: try --encoding latin1")},
    {SOME(TEXT, first_not_utf8, " the first", NULL), .part = 1},
    {SOME(COUNT, not_text, "not text", "file skipped|files skipped"),
     .part = 2},
    {SOME(COUNT, hidden, "hidden",
          "names that begin with a dot: skipped"), .part = 2},
    {SOME(COUNT, special, "special",
          "links to directories or to nothing, pipes, ...: skipped"),
     .part = 2},
    {LINE(COUNT, words, "words", "in the vocabulary"), .part = 2},
    {LINE(COUNT, tokens, "tokens", NULL), .part = 2},
    {LINE(COUNT, nonzeros, "non-zeros",
          "pair of a document and a word|pairs of a document and a word"),
     .part = 2},
    {LINE(BYTES, bytes_read, "read", NULL), .part = 2},
    {LINE(BYTES, bytes_text, "decompressed", NULL), .part = 2},
    {SOME(COUNT, sketch_size, "sketch size", NULL), .part = 2},
    {SOME(FLAG, mapped, "sketch in a file",
          "it did not fit into --memory"), .part = 2},
    {LINE(MEMORY, planned_memory, "planned memory", NULL), .part = 2},
    {LINE(SECONDS, seconds, "seconds", NULL), .part = 2},
    {LINE(MEMORY, peak_memory, "memory", "peak"), .part = 2})

TABLE(kedge_remove_result,
    {LINE(COUNT, documents, "documents removed", NULL)},
    {LINE(COUNT, tokens, "tokens", NULL)},
    {LINE(COUNT, left, "documents left", NULL)},
    {SOME(COUNT, missing, "unknown ids",
          "no document has it|no document has them")},
    {LINE(SECONDS, seconds, "seconds", NULL), .part = 1})

TABLE(kedge_merge_result,
    {DATA(COUNT, stores)},
    {LINE(COUNT, documents, "documents added", NULL)},
    {SOME(COUNT, elsewhere, "elsewhere",
          "more, counted in imported parts")},
    {SOME(COUNT, known, "known", "from the same sources, skipped")},
    {SOME(COUNT, duplicates, "duplicates",
          "id was in OUT: left out|ids were in OUT: left out")},
    {SOME(COUNT, replaced, "replaced", "earlier document with the same "
                                       "id|earlier documents with the same "
                                       "ids")},
    {LINE(COUNT, words, "words", "in the vocabulary")},
    {LINE(SECONDS, seconds, "seconds", NULL)})

TABLE(kedge_repair_result,
    {LINE(COUNT, documents, "documents", "read")},
    {LINE(COUNT, indexes, "sketches", "recomputed")},
    {LINE(FLAG, counts_changed, "counts", "before the repair"),
     .names = "right|wrong"},
    {SOME(COUNT, damaged, "still damaged",
          "record, named above|records, named above")},
    {LINE(SECONDS, seconds, "seconds", NULL)})

TABLE(kedge_compact_result,
    {LINE(BYTES, bytes_before, "before", NULL)},
    {LINE(BYTES, bytes_after, "after", NULL)},
    {LINE(COUNT, documents, "documents", "removed documents freed")},
    {LINE(SECONDS, seconds, "seconds", NULL)})

TABLE(kedge_sketch_export_result,
    {LINE(COUNT, parts, "parts", "with imported ones")},
    {LINE(COUNT, documents, "documents", "counted")},
    {LINE(COUNT, tokens, "tokens", NULL)},
    {LINE(COUNT, words, "words", NULL)},
    {LINE(COUNT, indexes, "sketches", NULL)},
    {SOME(COUNT, left, "left out", "sketch of words chosen by counts|"
                                   "sketches of words chosen by counts")},
    {LINE(BYTES, bytes, "written", NULL)},
    {DATA(MEMORY, planned_memory)},
    {LINE(SECONDS, seconds, "seconds", NULL)})

TABLE(kedge_sketch_import_result,
    {LINE(COUNT, parts, "parts added", NULL)},
    {LINE(COUNT, documents, "documents", "counted"),
     .part = 1},
    {LINE(COUNT, tokens, "tokens", NULL), .part = 1},
    {LINE(COUNT, words, "words", "in the vocabulary"), .part = 1},
    {DATA(COUNT, indexes), .part = 1},
    {DATA(MEMORY, planned_memory), .part = 1},
    {LINE(SECONDS, seconds, "seconds", NULL), .part = 1})

/* ---- what a store holds -------------------------------------------------- */

TABLE(kedge_store_info,
    {LINE(NUMBER, format, "format", NULL)},
    {LINE(COUNT, documents, "documents", NULL)},
    {SOME(COUNT, elsewhere, "elsewhere",
          "of them, in an imported part|of them, in imported parts")},
    {SOME(COUNT, removed, "removed", "document, so far|documents, so far")},
    {LINE(COUNT, tokens, "tokens", NULL)},
    {LINE(COUNT, nonzeros, "non-zeros",
          "pair of a document and a word|pairs of a document and a word")},
    {LINE(COUNT, words, "words", NULL)},
    {LINE(COUNT, blocks, "blocks", NULL)},
    {LINE(BYTES, bytes, "on disk", NULL)},
    {LINE(DIGEST, digest, "digest", NULL)})

TABLE(kedge_tokenizer_info,
    {LINE(COUNT, min_chars, "shortest word", "characters")},
    {LINE(COUNT, max_chars, "longest word", NULL)},
    {LINE(FLAG, digits, "with digits", NULL)},
    {NAMED(TEXT, stemmer, "stem"), KEDGE_SHOWN_FILLED, "stemmed", NULL},
    {SOME(TEXT, stopwords, "stop words", NULL)},
    {NAMED(COUNT, stop_count, "stopword_count"), KEDGE_SHOWN_FILLED,
     "  number", NULL})

TABLE(kedge_source_info,
    {LINE(TEXT, name, "sources", NULL)},
    {LINE(TEXT, batch, "batch", NULL)},
    {LINE(COUNT, documents, "documents", NULL)},
    {LINE(COUNT, tokens, "tokens", NULL)},
    {DATA(COUNT, nonzeros)},
    {LINE(COUNT, bad, "bad", NULL)},
    {LINE(COUNT, empty, "empty", NULL)},
    {DATA(DIGEST, digest)},
    {DATA(DIGEST, head)},
    {DATA(FLAG, complete)},
    {DATA(FLAG, removed)},
    {LINE(COUNT, removed_documents, "removed", NULL)},
    {DATA(TIME, when)})

TABLE(kedge_part_info,
    {LINE(TEXT, name, "parts elsewhere", NULL)},
    {LINE(COUNT, documents, "documents", NULL)},
    {LINE(COUNT, tokens, "tokens", NULL)},
    {LINE(COUNT, nonzeros, "non-zeros", NULL)},
    {DATA(DIGEST, digest)},
    {DATA(TIME, when)})

TABLE(kedge_index_info,
    {LINE(NUMBER, number, "indexes", NULL)},
    {DATA(FLAG, listed)},
    {DATA(FLAG, frozen)},
    {DATA(TEXT, rule)},
    {LINE(TEXT, tf, "tf", NULL)},
    {LINE(COUNT, words, "words", NULL)},
    {LINE(COUNT, sketch_size, "sketch", NULL)},
    {LINE(NUMBER, seed, "seed", NULL)},
    {LINE(COUNT, documents, "documents", NULL)},
    {LINE(COUNT, skipped, "skipped", NULL)},
    {DATA(COUNT, tokens)},
    {DATA(COUNT, min_tokens)},
    {LINE(FLAG, current, "state", NULL), .names = "behind|current"},
    {DATA(COUNT, spectra)},
    {DATA(BYTES, spectra_bytes)})

TABLE(kedge_model_info,
    {LINE(TEXT, name, "models", NULL), .part = 3},
    {LINE(COUNT, topics, "topics", NULL)},
    {LINE(COUNT, words, "words", NULL)},
    {LINE(COUNT, documents, "documents", NULL)},
    {LINE(NUMBER, seed, "seed", NULL)},
    {DATA(NUMBER, index), .part = 1},
    {DATA(FLAG, index_stays), .part = 1},
    {DATA(FLAG, listed), .part = 1},
    {DATA(TEXT, rule), .part = 1},
    {LINE(REAL, sketch_error, "sketch error", NULL), .part = 2},
    {DATA(REAL, topic_cooccurrence_sum), .part = 2},
    {DATA(FLAG, ncut), .part = 2},
    {DATA(TEXT, ways), .part = 2},
    {LINE(FLAG, current, "state", NULL), .part = 2, .names = "behind|current"})

TABLE(kedge_saved_info,
    {DATA(COUNT, documents)},   {DATA(COUNT, removed)}, {DATA(COUNT, later)},
    {DATA(FLAG, current)},      {DATA(TEXT, method)},   {DATA(TEXT, options)},
    {DATA(COUNT, proportions)}, {DATA(BYTES, bytes)},   {DATA(REAL, error)})

TABLE(kedge_word_info,
    {LINE(STRING, word, "word", NULL)},
    {LINE(COUNT, tf, "tf", NULL)},
    {LINE(COUNT, df, "df", NULL)},
    {LINE(REAL, tf_idf, "tf-idf", NULL)})

TABLE(kedge_verify_result,
    {LINE(COUNT, records, "records", NULL)},
    {LINE(COUNT, documents, "documents",
          "recounted, as tokens and words"), .part = 1},
    {SOME(COUNT, elsewhere, "elsewhere",
          "of them, in imported parts, not recounted"), .part = 2},
    {LINE(COUNT, tokens, "tokens", NULL), .part = 1},
    {LINE(COUNT, nonzeros, "non-zeros", NULL), .part = 1},
    {LINE(COUNT, words, "words", "in documents"), .part = 1},
    {LINE(DIGEST, documents_digest, "digest", "of documents"), .part = 1},
    {LINE(DIGEST, vocabulary_digest, "", "of the vocabulary"), .part = 1})

TABLE(kedge_verified_index,
    {LINE(NUMBER, number, "indexes", NULL)},
    {LINE(FLAG, current, "state", NULL), .names = "behind|current"},
    {LINE(DIGEST, digest, "digest", NULL)})

TABLE(kedge_verified_model,
    {LINE(TEXT, name, "models", NULL)},
    {LINE(DIGEST, digest, "digest", NULL)})

/* ---- models -------------------------------------------------------------- */

TABLE(kedge_fit_result,
    {DATA(TEXT, model)},
    {SOME(CHOICE, preset, "preset", NULL),
     .names = KEDGE_METHODS_OF(KEDGE_PRESETS)},
    {SOME(TEXT, settings, "settings", NULL)},
    {LINE(COUNT, topics, "topics", NULL)},
    {LINE(COUNT, words, "words", NULL)},
    {DATA(CHOICE, vocabulary), .names = "all|rule|changed|frozen"},
    {DATA(NUMBER, index)},
    {DATA(COUNT, stored_words)},
    {SOME(COUNT, absent_words, "  absent", "in no document any more")},
    {SOME(COUNT, phrases, "  phrases", NULL)},
    {SOME(COUNT, words_before, "  before", "by the same rule at the last "
                                           "fit")},
    {SOME(SHARE, tokens_left_out, "tokens left out", "of words not in the "
                                                     "model")},
    {LINE(COUNT, documents, "documents", NULL)},
    {SOME(COUNT, too_short, "  too short", "no topics are learnt from them")},
    {SOME(SHARE, too_short_share, "    share", "of the documents")},
    {DATA(COUNT, min_tokens)},
    {DATA(COUNT, sketch_size)},
    {SOME(COUNT, power_iter, "power iterations", NULL)},
    {SOME(COUNT, em_iter, "EM iterations", NULL)},
    {DATA(CHOICE, term_weight), .names = KEDGE_METHODS_OF(KEDGE_TERM_WEIGHTS)},
    {SOME(FLAG, ncut, "ncut", "documents weighted by the normalised cut")},
    {SOME(CHOICE, cooccurrence, "co-occurrence", "exact eigenvectors"),
     .names = KEDGE_METHODS_OF(KEDGE_COOCCURRENCES)},
    {DATA(REAL, sketch_error)},
    {DATA(REAL, sketch_error_last)},
    {DATA(REAL, unexplained)},
    {DATA(FLAG, power_iter_helps)},
    {SOME(CHOICE, rectify, "rectified by", NULL),
     .names = KEDGE_METHODS_OF(KEDGE_RECTIFIERS)},
    {DATA(COUNT, rectify_iter)},
    {DATA(COUNT, products)},
    {DATA(REAL, rectify_change)},
    {DATA(REAL, negative_share)},
    {SOME(CHOICE, anchors, "anchors by", NULL),
     .names = KEDGE_METHODS_OF(KEDGE_ANCHOR_CHOICES)},
    {SOME(COUNT, anchors_given, "anchors given", NULL)},
    {SOME(CHOICE, solver, "solver", NULL),
     .names = KEDGE_METHODS_OF(KEDGE_SOLVERS)},
    {SOME(CHOICE, recover, "topics by", NULL),
     .names = KEDGE_METHODS_OF(KEDGE_RECOVERIES)},
    {SOME(FLAG, legal, "legal", "topic co-occurrence made >= 0, with sum 1")},
    {DATA(REAL, dirichlet)},
    {DATA(REAL, dirichlet_error)},
    {DATA(COUNT, anchor_min_df)},
    {DATA(COUNT, candidates)},
    {DATA(COUNT, solver_iter)},
    {DATA(REAL, topic_cooccurrence_sum)},
    {DATA(REAL, topic_cooccurrence_negative)},
    {SOME(COUNT, background, "background topics",
          "of words shared with other topics, or even in all documents")},
    {SOME(SHARE, background_prevalence, "  prevalence", "of the corpus")},
    {DATA(TEXT, aligned_to)},
    {DATA(COUNT, matched)},
    {DATA(REAL, mean_distance)},
    {DATA(COUNT, new_topics)},
    {DATA(COUNT, lost_topics)},
    {DATA(COUNT, renumbered)},
    {LINE(SECONDS, seconds, "seconds", NULL), .part = 1},
    {DATA(SECONDS, seconds_spectrum), .part = 1},
    {DATA(SECONDS, seconds_rectify), .part = 1},
    {DATA(SECONDS, seconds_topics), .part = 1},
    {DATA(SECONDS, seconds_store), .part = 1},
    {LINE(MEMORY, peak_memory, "memory", "peak"), .part = 1})

TABLE(kedge_comm_traffic,
    {LINE(BYTES, words, "words", NULL)},
    {LINE(BYTES, rows, "rows", NULL)},
    {LINE(BYTES, spectrum, "spectrum", NULL)},
    {LINE(BYTES, rectify, "rectify", NULL)},
    {LINE(BYTES, topics, "topics", NULL)},
    {LINE(BYTES, model, "model", NULL)})

TABLE(kedge_eval_result,
    {DATA(TEXT, model)},
    {DATA(COUNT, topics)},
    {DATA(COUNT, words)},
    {LINE(TEXT, rank, "words ranked by", NULL)},
    {LINE(TEXT, tf, "tf", "of C, without term weights")},
    {DATA(FLAG, of_model)},
    {LINE(COUNT, documents, "documents", NULL)},
    {LINE(COUNT, counted, "  counted", "in C")},
    {SOME(COUNT, completion_documents, "documents completed", "in sample")},
    {SOME(COUNT, completion_tokens, "  tokens", "predicted")},
    {DATA(COUNT, probes)},
    {SOME(COUNT, labelled, "documents clustered", NULL)},
    {SOME(COUNT, classes, "  classes", NULL)})

TABLE(kedge_measure_info,
    {NAMED(STRING, key, "measure")},
    {DATA(STRING, group)},
    {DATA(STRING, formula), .part = 1},
    {DATA(STRING, paper), .part = 1})

TABLE(kedge_sweep_step,
    {DATA(REAL, eigenvalue)},
    {DATA(REAL, eigengap)},
    {DATA(REAL, residual)},
    {DATA(REAL, anchor_gap)},
    {DATA(REAL, held_out_log_likelihood)},
    {DATA(REAL, held_out_perplexity)})

TABLE(kedge_sweep_candidate,
    {DATA(STRING, by)},
    {DATA(STRING, reason)},
    {DATA(REAL, figure)})

TABLE(kedge_ranked_word,
    {DATA(REAL, probability)},
    {DATA(REAL, relevance)},
    {DATA(REAL, weighted)})

TABLE(kedge_diff_topic,
    {DATA(TOPIC, before)},          {DATA(TOPIC, after)},
    {DATA(REAL, distance)},         {DATA(REAL, prevalence_before)},
    {DATA(REAL, prevalence_after)}, {DATA(STRING, anchor_before)},
    {DATA(STRING, anchor_after)},   {DATA(STRING, label_before)},
    {DATA(STRING, label_after)},
    {NAMED(TOPIC, before, "topic"), .part = 1},
    {NAMED(STRING, label_before, "label"), .part = 1},
    {NAMED(REAL, prevalence_before, "prevalence"), .part = 1},
    {NAMED(STRING, anchor_before, "anchor"), .part = 1},
    {NAMED(TOPIC, after, "topic"), .part = 2},
    {NAMED(STRING, label_after, "label"), .part = 2},
    {NAMED(REAL, prevalence_after, "prevalence"), .part = 2},
    {NAMED(STRING, anchor_after, "anchor"), .part = 2})

TABLE(kedge_diff_word,
    {DATA(STRING, word)},
    {DATA(REAL, before)},
    {DATA(REAL, after)})

TABLE(kedge_word_answer,
    {DATA(STRING, asked)},
    {DATA(STRING, word)},
    {DATA(COUNT, tf), .part = 1},
    {DATA(COUNT, df), .part = 1},
    {NAMED(COUNT, model_tf, "tf"), .part = 2},
    {NAMED(COUNT, model_df, "df"), .part = 2},
    {DATA(REAL, probability), .part = 2},
    {NAMED(CHOICE, anchor, "state"), .names = "anchor|candidate|rare|alone",
     .part = 3},
    {NAMED(TOPIC, anchor_topic, "topic"), .part = 4},
    {DATA(REAL, stands_out), .part = 5},
    {DATA(COUNT, rank), .part = 5})

TABLE(kedge_word_topic,
    {DATA(TOPIC, topic)},
    {DATA(REAL, topic_probability), .part = 1},
    {DATA(REAL, probability), .part = 1})

TABLE(kedge_word_near,
    {DATA(STRING, word)},
    {DATA(REAL, likeness)})

/* ---- what documents are made of ------------------------------------------ */

TABLE(kedge_infer_result,
    {LINE(COUNT, documents, "documents", NULL)},
    {SOME(COUNT, empty, "  empty", "no words")},
    {SOME(COUNT, unknown, "  unknown", "no words of the model")},
    {SOME(COUNT, single, "  single", "one token")},
    {SOME(COUNT, unsettled, "  unsettled",
          "not converged")},
    {SOME(COUNT, bad, "bad",
          "malformed record, skipped|malformed records, skipped")},
    {SOME(COUNT, unread, "not read",
          "file, or its end|files, or their ends")},
    {SOME(TEXT, first_unread, " the first", NULL)},
    {SOME(COUNT, not_utf8, "undecoded",
          "documents have bytes that are not UTF-8 or --encoding, which split "
          "words: try --encoding latin1")},
    {SOME(COUNT, rounds, "iterations", "of all documents"), .part = 1},
    {LINE(FLAG, settled, "  converged", NULL), .part = 1},
    {LINE(REAL, moved, "  moved",
          "change in the last iteration, on average"), .part = 1},
    {LINE(REAL, loss, "  loss", "squared error of words, on average"),
     .part = 1},
    {LINE(REAL, strayed, "  strayed",
          "distance to the model's topic co-occurrence"), .part = 1},
    {LINE(REAL, largest, "largest", "entry of the inverse of the topics"),
     .part = 2},
    {DATA(REAL, bias), .part = 2},
    {DATA(REAL, gap), .part = 2},
    {SOME(COUNT, biased, "  biased", "topics too close to mixtures of others"),
     .part = 2},
    {LINE(COUNT, tokens, "tokens", NULL), .part = 3},
    {SOME(COUNT, oov, "  OOV", "not in the model's vocabulary"),
     .part = 3},
    {DATA(BYTES, bytes_read), .part = 3},
    {LINE(COUNT, saved, "saved", "documents"), .part = 4},
    {LINE(BYTES, saved_bytes, "  in", NULL), .part = 4},
    {LINE(REAL, saved_error, "  error",
          "largest change of a document by rounding"), .part = 4},
    {LINE(MEMORY, planned_memory, "planned memory", NULL), .part = 5},
    {LINE(SECONDS, seconds, "seconds", NULL), .part = 5},
    {LINE(MEMORY, peak_memory, "memory", "peak"), .part = 5})

TABLE(kedge_doc_topics,
    {DATA(COUNT, tokens)},
    {DATA(COUNT, oov)},
    {DATA(REAL, misfit)},
    {DATA(CHOICE, flag), .names = "ok|empty|unknown|single|unsettled"})

TABLE(kedge_document,
    {DATA(STRING, source)},
    {DATA(STRING, batch)},
    {DATA(COUNT, position)},
    {DATA(COUNT, tokens)})

TABLE(kedge_typical_document,
    {DATA(REAL, proportion)},
    {DATA(REAL, at_least)},
    {DATA(COUNT, tokens)})

TABLE(kedge_progress,
    {DATA(STRING, stage)}, {DATA(COUNT, done)},      {DATA(COUNT, total)},
    {DATA(STRING, unit)},  {DATA(COUNT, documents)})

/* ---- all ----------------------------------------------------------------- */

static const kedge_fields *(*const tables[])(void) = {
    kedge_ingest_result_fields,
    kedge_remove_result_fields,
    kedge_merge_result_fields,
    kedge_repair_result_fields,
    kedge_compact_result_fields,
    kedge_sketch_export_result_fields,
    kedge_sketch_import_result_fields,
    kedge_store_info_fields,
    kedge_tokenizer_info_fields,
    kedge_source_info_fields,
    kedge_part_info_fields,
    kedge_index_info_fields,
    kedge_model_info_fields,
    kedge_saved_info_fields,
    kedge_word_info_fields,
    kedge_verify_result_fields,
    kedge_verified_index_fields,
    kedge_verified_model_fields,
    kedge_fit_result_fields,
    kedge_comm_traffic_fields,
    kedge_eval_result_fields,
    kedge_measure_info_fields,
    kedge_sweep_step_fields,
    kedge_sweep_candidate_fields,
    kedge_ranked_word_fields,
    kedge_diff_topic_fields,
    kedge_diff_word_fields,
    kedge_word_answer_fields,
    kedge_word_topic_fields,
    kedge_word_near_fields,
    kedge_infer_result_fields,
    kedge_doc_topics_fields,
    kedge_document_fields,
    kedge_typical_document_fields,
    kedge_progress_fields,
};

const kedge_fields *kedge_fields_get(size_t i)
{
    return i < sizeof tables / sizeof *tables ? tables[i]() : NULL;
}

const kedge_fields *kedge_fields_find(const char *result)
{
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        if (result != NULL && strcmp(tables[i]()->result, result) == 0)
            return tables[i]();
    return NULL;
}
