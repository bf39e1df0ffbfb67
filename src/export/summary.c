/* SPDX-License-Identifier: MIT */
#include "export/summary.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "base/fail.h"
#include "cooccur/statistic.h"
#include "ops/models/model.h"

#define FORMAT 1      /* of model.json: raised when a key changes its meaning */
#define LINE_LEVELS 2 /* objects inside these are one line each */

static const char pairs_meaning[] =
    "N x N, symmetric: C, the co-occurrence of words, without weights, adds up "
    "to 1; rows and columns as in vocab.txt";

/* In the order of model.json. */
const export_file export_files[] = {
    {"model.json", ALWAYS, false, NULL, NULL},
    {"vocab.txt", ALWAYS, false, NULL, NULL},
    {"anchors.txt", ALWAYS, false, NULL, NULL},
    {"documents.txt", NAMED, false, NULL, NULL},
    {"data.mdb", ALWAYS, false, NULL, NULL}, /* a store's */
    {"topics.npy", ALWAYS, true,
     "N x K, p(word | topic), rows as in vocab.txt, columns sum to 1",
     "N x K, B: p(word | topic), the words' weights divided out, rows as in "
     "vocab.txt, columns sum to 1"},
    {"weighted_topics.npy", WEIGHTS, true, NULL,
     "N x K: d_i B_ik, columns scaled to sum to 1: the topics of the weighted "
     "co-occurrence, to show words and compare topics by, rows as in "
     "vocab.txt"},
    {"correlations.npy", ALWAYS, true,
     "K x K, symmetric: A, p(topic, topic); topics as columns of topics.npy",
     "K x K, symmetric: A, p(topic, topic), the words' weights divided out: "
     "the co-occurrence is close to B A B'; topics as columns of topics.npy"},
    {"word_probability.npy", ALWAYS, true,
     "N, p(word), the row sums of the co-occurrence, rows as in vocab.txt",
     "N, p(word), the row sums of the co-occurrence, without weights, rows as "
     "in vocab.txt"},
    {"weights.npy", WEIGHTS, true, NULL,
     "N, d: the words' weights, such that the weighted co-occurrence "
     "d_i C_ij d_j adds up to 1, rows as in vocab.txt"},
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
    {"compositions.npy", KEPT, true,
     "M x K, float32: the share of each topic in each document, rows as in "
     "documents.txt and as 'kedge cat' shows them, rows sum to 1; topics as "
     "columns of topics.npy", NULL},
    {"correlations.csv", CSV, true,
     "K x K: correlations.npy, with a first row and column of the topics: "
     "names, or numbers where they have none", NULL},
    {"counts.mtx", COUNTS, true,
     "M x N: how often each document has each word, rows as in documents.txt "
     "and as 'kedge cat' shows them, columns as in vocab.txt", NULL},
    {"topic_term_dists.npy", PYLDAVIS, true,
     "K x N, p(word | topic): topics.npy turned round, rows sum to 1", NULL},
    {"doc_lengths.npy", PYLDAVIS, true,
     "M: tokens of each document that are words of the model, rows as in "
     "documents.txt", NULL},
    {"term_frequency.npy", PYLDAVIS, true,
     "N: tokens of each word in these documents, rows as in vocab.txt", NULL},
    {"correlations.graphml", GRAPHML, false,
     "a node for each topic; an edge for each pair that is together more than "
     "its shares alone would make: weight is A_kl, lift p(k, l) / (p(k) p(l)), "
     "where p is A scaled to the sum 1", NULL},
    {"mallet-keys.txt", MALLET, false,
     "of each topic, from 0: number, alpha (the share where no Dirichlet is "
     "near), most probable words", NULL},
    {"mallet-topics.txt", MALLET, false,
     "of each document, from 0: number, id, shares of the topics, rows as in "
     "documents.txt", NULL},
    {"mallet-state.gz", MALLET, false,
     "a line for each token: document, id, place, word, its text, topic; the "
     "tokens of a word in a document are shared out by p(topic | word, "
     "composition)", NULL},
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

static void put_documents(jsontext *j, const kedge_model *m)
{
    char digest[40];

    snprintf(digest, sizeof digest, "%016" PRIx64 "%016" PRIx64, m->digest[0],
             m->digest[1]);
    jsontext_enter(j, "documents", '{');
    jsontext_key_count(j, "counted", m->view.documents);
    jsontext_key_count(j, "skipped", m->view.skipped);
    jsontext_key_count(j, "tokens", m->view.tokens);
    jsontext_key_text(j, "digest", digest);
    jsontext_close(j, '}');
}

static void put_vocabulary(jsontext *j, const kedge_model *m, bool stored)
{
    char digest[24], rule[176] = "all words";

    if (m->view.listed)
        snprintf(rule, sizeof rule, "words %s", m->view.rule);
    snprintf(digest, sizeof digest, "%016" PRIx64, m->vocabulary_digest);
    jsontext_enter(j, "vocabulary", '{');
    jsontext_key_count(j, "words", m->words);
    if (m->view_place > 0 && stored)
        jsontext_key_count(j, "view", m->view_place - 1);
    if (m->view_place > 0)
        jsontext_key_text(j, "rule", rule);
    jsontext_key_text(j, "digest", digest);
    jsontext_close(j, '}');
}

static void put_sketch(jsontext *j, const kedge_model *m)
{
    jsontext_enter(j, "sketch", '{');
    jsontext_key_text(j, "statistic",
                      statistic_name(m->view.statistic));
    jsontext_key_count(j, "width", m->view.width);
    jsontext_key_count(j, "seed", m->view.seed);
    jsontext_key_count(j, "min_tokens", m->view.min_tokens);
    jsontext_key_count(j, "weight_bits", m->view.weight_bits);
    jsontext_close(j, '}');
}

/* What is not usual alone. */
static void put_ways(jsontext *j, const kedge_model *m)
{
    const law_ways *const w = &m->ways;

    if (w->anchors != KEDGE_ANCHORS_QR)
        jsontext_key_text(j, "anchors",
                          methods_name(METHOD_ANCHORS, w->anchors));
    if (w->several)
        jsontext_key_bool(j, "several_anchors", true);
    if (w->banned)
        jsontext_key_bool(j, "banned_anchors", true);
    if (w->project > 0)
        jsontext_key_count(j, "project", w->project);
    if (w->solver != KEDGE_SOLVER_ADMM)
        jsontext_key_text(j, "solver", methods_name(METHOD_SOLVER, w->solver));
    if (w->recover != KEDGE_RECOVER_L2)
        jsontext_key_text(j, "recover",
                          methods_name(METHOD_RECOVER, w->recover));
    if (w->legal)
        jsontext_key_bool(j, "legal", true);
}

static void put_options(jsontext *j, const kedge_model *m)
{
    const bool diagonal = m->correlations_kind == KEDGE_CORRELATIONS_DIAGONAL;

    jsontext_enter(j, "options", '{');
    if (m->figures.weight != KEDGE_WEIGHT_NONE)
        jsontext_key_text(j, "weight", methods_name(METHOD_WEIGHT,
                                                    m->figures.weight));
    if (m->figures.ncut)
        jsontext_key_bool(j, "ncut", true);
    if (m->figures.cooccurrence != KEDGE_COOCCURRENCE_SKETCH)
        jsontext_key_text(j, "cooccurrence",
                          methods_name(METHOD_COOCCURRENCE,
                                       m->figures.cooccurrence));
    jsontext_key_text(j, "rectify", methods_name(METHOD_RECTIFY,
                                                 m->figures.rectify));
    jsontext_key_count(j, "rounds", m->rounds_asked);
    jsontext_key_real(j, "tolerance", m->tolerance);
    jsontext_key_count(j, "refine", m->figures.refined);
    jsontext_key_count(j, "polish", m->figures.polished);
    jsontext_key_count(j, "anchor_min_df", m->figures.anchor_min_df);
    jsontext_key_text(j, "correlations", diagonal ? "diagonal" : "ls");
    put_ways(j, m);
    jsontext_close(j, '}');
}

static void put_figures(jsontext *j, const kedge_fit_result *f)
{
    jsontext_enter(j, "figures", '{');
    jsontext_key_real(j, "eigenspace_error", f->eigenspace_error);
    jsontext_key_real(j, "eigen_gap_error", f->eigen_gap_error);
    jsontext_key_real(j, "unexplained", f->unexplained);
    jsontext_key_count(j, "rounds", f->rounds);
    jsontext_key_real(j, "last_change", f->last_change);
    jsontext_key_real(j, "negative_share", f->negative_share);
    jsontext_key_count(j, "candidates", f->candidates);
    jsontext_key_count(j, "admm_steps", f->admm_steps);
    jsontext_key_real(j, "sum_correlations", f->sum_correlations);
    jsontext_key_real(j, "negative_correlations", f->negative_correlations);
    jsontext_key_real(j, "dirichlet", f->dirichlet > 0 ? f->dirichlet : NAN);
    jsontext_key_real(j, "dirichlet_misfit",
                      f->dirichlet > 0 ? f->dirichlet_misfit : NAN);
    jsontext_close(j, '}');
}

static void put_topics(jsontext *j, const kedge_model *m)
{
    jsontext_enter(j, "topic", '[');
    for (size_t t = 0; t < m->topics; t++) {
        const size_t anchor = m->anchors[t];

        jsontext_open(j, '{');
        jsontext_key_count(j, "topic", t + 1);
        jsontext_key_text(j, "name", kedge_model_topic_name(m, t));
        jsontext_key_real(j, "share", m->shares[t]);
        jsontext_key_real(j, "alpha", m->alpha != NULL ? m->alpha[t] : NAN);
        jsontext_key(j, "anchor");
        jsontext_string(j, words_get(&m->text, anchor),
                        words_size(&m->text, anchor));
        jsontext_key_count(j, "anchor_df", (uint64_t)m->df[anchor]);
        jsontext_key_real(j, "residual", m->residuals[t]);
        jsontext_close(j, '}');
    }
    jsontext_close(j, ']');
}

/* Documents have an order in a store, so this alone depends on it. */
static void put_kept(jsontext *j, const kedge_kept_info *kept)
{
    if (kept == NULL)
        return;
    jsontext_enter(j, "compositions", '{');
    jsontext_key_count(j, "documents", kept->documents);
    jsontext_key_text(j, "method", kept->method);
    jsontext_key_text(j, "options", kept->options);
    jsontext_key_real(j, "moved", kept->moved);
    jsontext_close(j, '}');
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
            jsontext_enter(j, key, '{');
        open = true;
        jsontext_key_text(j, f->name,
                          has[WEIGHTS] && f->weighted != NULL ? f->weighted
                                                              : f->meaning);
    }
    if (open)
        jsontext_close(j, '}');
}

void summary_put_model(jsontext *j, const kedge_model *m, bool stored)
{
    jsontext_key_text(j, "kedge", kedge_version());
    jsontext_key_count(j, "format", FORMAT);
    jsontext_key_text(j, "model", m->name);
    jsontext_key_count(j, "topics", m->topics);
    jsontext_key_count(j, "words", m->words);
    put_documents(j, m);
    put_vocabulary(j, m, stored);
    put_sketch(j, m);
    put_options(j, m);
    put_figures(j, &m->figures);
    put_topics(j, m);
}

kedge_status summary_write(const kedge_model *m, const kedge_export_opts *opts,
                           bool stored, const kedge_kept_info *kept,
                           textbuf *out, kedge_error *err)
{
    jsontext j = {.lines = LINE_LEVELS};
    bool has[EXPORT_PARTS];

    *out = (textbuf){0};
    jsontext_open(&j, '{');
    summary_put_model(&j, m, stored);
    put_kept(&j, kept);
    export_find_parts(m, opts, kept != NULL, has);
    put_files(&j, "arrays", true, has);
    put_files(&j, "files", false, has);
    jsontext_close(&j, '}');
    jsontext_end(&j);
    if (j.text.failed) {
        textbuf_free(&j.text);
        return kedge_fail(err, KEDGE_ENOMEM, "out of memory (model.json)");
    }
    *out = j.text;
    return KEDGE_OK;
}
