/* SPDX-License-Identifier: MIT */
#include "export/export.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "base/fail.h"
#include "cooccur/statistic.h"
#include "ops/models/model.h"

#define FORMAT 1      /* of model.json: raised when a key changes its meaning */
#define LINE_LEVELS 2 /* objects inside these are one line each */

static const char pairs_meaning[] =
    "N x N, symmetric: C, the co-occurrence of words, without term weights, "
    "sums to 1; rows and columns as in vocab.txt";

/* In the order of model.json. */
const export_file export_files[] = {
    {"model.json", ALWAYS, false, NULL, NULL},
    {"vocab.txt", ALWAYS, false, NULL, NULL},
    {"anchors.txt", ALWAYS, false, NULL, NULL},
    {"documents.txt", NAMED, false, NULL, NULL},
    {"data.mdb", ALWAYS, false, NULL, NULL}, /* a store's */
    {"topics.npy", ALWAYS, true,
     "N x K, p(word | topic), rows as in vocab.txt, columns sum to 1",
     "N x K, B: p(word | topic), without the term weights, rows as in "
     "vocab.txt, columns sum to 1"},
    {"weighted_topics.npy", WEIGHTS, true, NULL,
     "N x K: d_i B_ik, columns scaled to sum to 1: the topics of the weighted "
     "co-occurrence, for showing words and comparing topics, rows as in "
     "vocab.txt"},
    {"topic_cooccurrence.npy", ALWAYS, true,
     "K x K, symmetric: A, p(topic, topic); topics as columns of topics.npy",
     "K x K, symmetric: A, p(topic, topic), without the term weights: the "
     "co-occurrence is close to B A B'; topics as columns of topics.npy"},
    {"word_probability.npy", ALWAYS, true,
     "N, p(word), the row sums of the co-occurrence, rows as in vocab.txt",
     "N, p(word), the row sums of the co-occurrence, without term weights, "
     "rows as in vocab.txt"},
    {"weights.npy", WEIGHTS, true, NULL,
     "N, d: the term weights, such that the weighted co-occurrence d_i C_ij "
     "d_j sums to 1, rows as in vocab.txt"},
    {"eigenvectors.npy", SPECTRUM, true,
     "N x K, of the co-occurrence, rows as in vocab.txt, orthonormal columns",
     "N x K, of the weighted co-occurrence, rows as in vocab.txt, orthonormal "
     "columns"},
    {"eigenvalues.npy", SPECTRUM, true,
     "K, in the order of eigenvectors.npy's columns", NULL},
    {"rectified.npy", SPECTRUM, true,
     "N x K: Y with YY' the rectified co-occurrence, rows as in vocab.txt",
     "N x K: Y with YY' the rectified weighted co-occurrence, rows as in "
     "vocab.txt"},
    {"cooccurrence.npy", DENSE, true, pairs_meaning, NULL},
    {"cooccurrence.mtx", SPARSE, true, pairs_meaning, NULL},
    {"doc_topics.npy", KEPT, true,
     "M x K, float32: topic proportions, rows as in documents.txt and as "
     "'kedge cat' shows them, rows sum to 1; topics as columns of "
     "topics.npy", NULL},
    {"topic_cooccurrence.csv", CSV, true,
     "K x K: topic_cooccurrence.npy, with a first row and column of the "
     "topics: labels, or numbers of topics without a label", NULL},
    {"counts.mtx", COUNTS, true,
     "M x N: how often each document has each word, rows as in documents.txt "
     "and as 'kedge cat' shows them, columns as in vocab.txt", NULL},
    {"topic_term_dists.npy", PYLDAVIS, true,
     "K x N, p(word | topic): topics.npy transposed, rows sum to 1", NULL},
    {"doc_lengths.npy", PYLDAVIS, true,
     "M: tokens of each document that are words of the model, rows as in "
     "documents.txt", NULL},
    {"term_frequency.npy", PYLDAVIS, true,
     "N: tokens of each word in these documents, rows as in vocab.txt", NULL},
    {"topic_cooccurrence.graphml", GRAPHML, false,
     "a node for each topic; an edge for each pair that occurs together more "
     "often than by chance: weight is A_kl, lift p(k, l) / (p(k) p(l)), where "
     "p is A scaled to sum to 1", NULL},
    {"mallet-keys.txt", MALLET, false,
     "a line for each topic: number from 0, alpha (the prevalence where no "
     "Dirichlet fits), most probable words", NULL},
    {"mallet-topics.txt", MALLET, false,
     "a line for each document: number from 0, id, topic proportions, rows as "
     "in documents.txt", NULL},
    {"mallet-state.gz", MALLET, false,
     "a line for each token: document, id, place, word, its text, topic; "
     "tokens are distributed over topics by p(topic | word, document)", NULL},
};

const size_t export_file_count = sizeof export_files / sizeof *export_files;

void export_find_parts(const kedge_model *m, const kedge_export_opts *o,
                       bool kept, bool has[EXPORT_PARTS])
{
    has[ALWAYS] = true;
    has[WEIGHTS] = m->weighted != NULL;
    has[SPECTRUM] = o->spectrum;
    has[KEPT] = kept;
    has[NAMED] = kept || o->also & KEDGE_EXPORT_COUNTS;
    has[DENSE] = o->pairs == KEDGE_EXPORT_PAIRS_DENSE;
    has[SPARSE] = o->pairs == KEDGE_EXPORT_PAIRS_SPARSE;
    has[GRAPHML] = o->also & KEDGE_EXPORT_GRAPHML;
    has[CSV] = o->also & KEDGE_EXPORT_CSV;
    has[COUNTS] = o->also & KEDGE_EXPORT_COUNTS;
    has[PYLDAVIS] = o->also & KEDGE_EXPORT_PYLDAVIS;
    has[MALLET] = o->also & KEDGE_EXPORT_MALLET;
}

static void put_corpus(jsontext *j, const kedge_model *m, bool stored)
{
    const store_index *const v = &m->index;
    char digest[40], rule[176] = "all words";

    snprintf(digest, sizeof digest, "%016" PRIx64 "%016" PRIx64, m->digest[0],
             m->digest[1]);
    jsontext_open(j, "documents", '{');
    jsontext_count(j, "counted", v->documents);
    jsontext_count(j, "skipped", v->skipped);
    jsontext_count(j, "tokens", v->tokens);
    jsontext_text(j, "digest", digest);
    jsontext_close(j, '}');
    if (v->listed)
        snprintf(rule, sizeof rule, "words %s", v->rule);
    snprintf(digest, sizeof digest, "%016" PRIx64, m->vocabulary_digest);
    jsontext_open(j, "vocabulary", '{');
    jsontext_count(j, "words", m->words);
    if (m->index_place > 0 && stored)
        jsontext_count(j, "index", m->index_place - 1);
    if (m->index_place > 0)
        jsontext_text(j, "rule", rule);
    jsontext_text(j, "digest", digest);
    jsontext_close(j, '}');
    jsontext_open(j, "sketch", '{');
    jsontext_text(j, "tf", statistic_name(v->statistic));
    jsontext_count(j, "sketch_size", v->width);
    jsontext_count(j, "seed", v->seed);
    jsontext_count(j, "min_tokens", v->min_tokens);
    jsontext_count(j, "weight_bits", v->weight_bits);
    jsontext_close(j, '}');
}

/* A method that is not the usual one; any, where a preset set it. */
static void put_method(jsontext *j, const kedge_model *m, const char *key,
                       method_option what, uint64_t value, uint64_t usual)
{
    if (value != usual ||
        (m->figures.preset != KEDGE_PRESET_NONE && what != METHOD_PRESET))
        jsontext_text(j, key, methods_name(what, value));
}

/* What is true. */
static void put_flag(jsontext *j, const char *key, bool value)
{
    if (value)
        jsontext_bool(j, key, true);
}

static void put_options(jsontext *j, const kedge_model *m)
{
    const law_ways *const w = &m->ways;
    const kedge_fit_result *const f = &m->figures;

    jsontext_open(j, "options", '{');
    put_method(j, m, "preset", METHOD_PRESET, f->preset, KEDGE_PRESET_NONE);
    put_method(j, m, "term_weight", METHOD_WEIGHT, f->term_weight,
               KEDGE_TERM_WEIGHT_NONE);
    put_flag(j, "ncut", f->ncut);
    put_method(j, m, "cooccurrence", METHOD_COOCCURRENCE, f->cooccurrence,
               KEDGE_COOCCURRENCE_SKETCH);
    jsontext_text(j, "rectify", methods_name(METHOD_RECTIFY, f->rectify));
    jsontext_count(j, "rectify_iter", m->rounds_asked);
    jsontext_real(j, "rectify_tol", m->tolerance);
    jsontext_count(j, "power_iter", f->power_iter);
    jsontext_count(j, "em_iter", f->em_iter);
    jsontext_count(j, "anchor_min_df", f->anchor_min_df);
    jsontext_text(j, "topic_cooccurrence",
                  methods_name(METHOD_TOPIC_COOCCURRENCE,
                               m->correlations_kind));
    put_method(j, m, "anchors", METHOD_ANCHORS, w->anchors, KEDGE_ANCHORS_QR);
    put_flag(j, "several_anchors", w->several);
    put_flag(j, "banned_anchors", w->banned);
    if (w->project > 0)
        jsontext_count(j, "projection", w->project);
    put_method(j, m, "solver", METHOD_SOLVER, w->solver, KEDGE_SOLVER_ADMM);
    put_method(j, m, "recover", METHOD_RECOVER, w->recover, KEDGE_RECOVER_L2);
    put_flag(j, "legal", w->legal);
    jsontext_close(j, '}');
}

static void put_figures(jsontext *j, const kedge_fit_result *f)
{
    jsontext_open(j, "figures", '{');
    jsontext_real(j, "sketch_error", f->sketch_error);
    jsontext_real(j, "sketch_error_last", f->sketch_error_last);
    jsontext_real(j, "unexplained", f->unexplained);
    jsontext_count(j, "rectify_iter", f->rectify_iter);
    jsontext_real(j, "rectify_change", f->rectify_change);
    jsontext_real(j, "negative_share", f->negative_share);
    jsontext_count(j, "candidates", f->candidates);
    jsontext_count(j, "solver_iter", f->solver_iter);
    jsontext_real(j, "topic_cooccurrence_sum", f->topic_cooccurrence_sum);
    jsontext_real(j, "topic_cooccurrence_negative",
                  f->topic_cooccurrence_negative);
    jsontext_real(j, "dirichlet", f->dirichlet > 0 ? f->dirichlet : NAN);
    jsontext_real(j, "dirichlet_error",
                      f->dirichlet > 0 ? f->dirichlet_error : NAN);
    jsontext_close(j, '}');
}

static void put_topics(jsontext *j, const kedge_model *m)
{
    jsontext_open(j, "topic", '[');
    for (size_t t = 0; t < m->topics; t++) {
        const size_t anchor = m->anchors[t];

        jsontext_open(j, NULL, '{');
        jsontext_count(j, "topic", t + 1);
        jsontext_text(j, "label", kedge_model_label(m, t));
        jsontext_real(j, "prevalence", m->shares[t]);
        jsontext_real(j, "alpha", m->alpha != NULL ? m->alpha[t] : NAN);
        jsontext_bytes(j, "anchor", words_get(&m->text, anchor),
                       words_size(&m->text, anchor));
        jsontext_count(j, "anchor_df", (uint64_t)m->df[anchor]);
        jsontext_real(j, "residual", m->residuals[t]);
        jsontext_close(j, '}');
    }
    jsontext_close(j, ']');
}

/* The arrays, or what is none, where there is such a thing. */
static void put_files(jsontext *j, const char *key, bool array,
                      const bool has[EXPORT_PARTS])
{
    bool open = false;

    for (size_t i = 0; i < export_file_count; i++) {
        const export_file *const f = &export_files[i];
        if (!has[f->part] || f->array != array ||
            (f->meaning == NULL && f->weighted == NULL))
            continue;
        if (!open)
            jsontext_open(j, key, '{');
        open = true;
        jsontext_text(j, f->name,
                          has[WEIGHTS] && f->weighted != NULL ? f->weighted
                                                              : f->meaning);
    }
    if (open)
        jsontext_close(j, '}');
}

void summary_put_model(jsontext *j, const kedge_model *m, bool stored)
{
    jsontext_text(j, "kedge", kedge_version());
    jsontext_count(j, "format", FORMAT);
    jsontext_text(j, "model", m->name);
    jsontext_count(j, "topics", m->topics);
    jsontext_count(j, "words", m->words);
    put_corpus(j, m, stored);
    put_options(j, m);
    put_figures(j, &m->figures);
    put_topics(j, m);
}

kedge_status summary_write(const kedge_model *m, const kedge_export_opts *opts,
                           bool stored, const kedge_saved_info *kept,
                           textbuf *out, kedge_error *err)
{
    jsontext j = {.lines = LINE_LEVELS};
    bool has[EXPORT_PARTS];

    jsontext_open(&j, NULL, '{');
    summary_put_model(&j, m, stored);
    if (kept != NULL) { /* in an order of documents, which is the store's */
        jsontext_open(&j, "doc_topics", '{');
        jsontext_count(&j, "documents", kept->documents);
        jsontext_text(&j, "method", kept->method);
        jsontext_text(&j, "options", kept->options);
        jsontext_real(&j, "moved", kept->error);
        jsontext_close(&j, '}');
    }
    export_find_parts(m, opts, kept != NULL, has);
    put_files(&j, "arrays", true, has);
    put_files(&j, "files", false, has);
    jsontext_close(&j, '}');
    textbuf_text(&j.text, "\n");
    return jsontext_end(&j, "model.json", out, err);
}
