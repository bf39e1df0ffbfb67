/* SPDX-License-Identifier: MIT */
/*
 * A topic's list has its first words, then those of the tree that these lack:
 * its most probable words and those that co-occur most with its anchor.
 */
#include "ops/eval/eval.h"

#include <assert.h>
#include <math.h>

#include "base/fail.h"
#include "base/mem.h"
#include "infer/compose.h"
#include "topics/match.h"

#define LEAD 10        /* words of NPMI, C_V and coverage */
#define TREE 7         /* words of each kind in a tree */
#define STEPS 200      /* of a composition, */
#define TOLERANCE 1e-3 /* and when it is settled */
#define RANK_LEAST 1e-6

static_assert(KEDGE_EVAL_TOP_MOST + 2 * TREE <= LIST_MOST,
              "lists have room for both");

struct evaluand {
    const kedge_model *m;
    const kedge_eval_opts *opts;
    pool *p;
    uint32_t *word;  /* topics x LIST_MOST: rows */
    size_t *count;   /* topics: words of the list, */
    size_t *first;   /* the first ones, at the front of it, */
    size_t *branch;  /* topics x 2 TREE: and those of the tree, by place */
    size_t *branches; /* topics: how many they are */
    paircounts *pairs;
    approximation *approximation;
    predictor predictor; /* zeros: no words are held out */
    compose *fold;   /* NULL: there are no classes */
    clusters *clusters;
};

void evaluand_free(evaluand *e)
{
    if (e == NULL)
        return;
    mem_free_all(e->word, e->count, e->first, e->branch, e->branches);
    paircounts_free(e->pairs);
    approximation_free(e->approximation);
    predictor_close(&e->predictor);
    compose_free(e->fold);
    clusters_free(e->clusters);
    mem_free(e);
}

/* ---- lists of words ------------------------------------------------------ */

/* The first `count` words of a topic join its list, where they are not there
 * yet, and its tree, if asked for. */
static kedge_status evaluand_take(evaluand *e, size_t topic, kedge_rank rank,
                                  uint64_t count, bool tree, kedge_error *err)
{
    kedge_ranked_word ranked[KEDGE_EVAL_TOP_MOST];
    uint32_t *const list = e->word + topic * LIST_MOST;
    size_t *const branch = e->branch + topic * 2 * TREE;
    uint64_t got;

    PASS(kedge_model_top_words(e->m, topic, rank, ranked, count, &got, err));
    for (uint64_t i = 0; i < got; i++) {
        size_t at = 0, b = 0;
        while (at < e->count[topic] && list[at] != ranked[i].row)
            at++;
        if (at == e->count[topic])
            list[e->count[topic]++] = (uint32_t)ranked[i].row;
        while (b < e->branches[topic] && branch[b] != at)
            b++;
        if (tree && b == e->branches[topic])
            branch[e->branches[topic]++] = at;
    }
    return KEDGE_OK;
}

static kedge_status evaluand_lists(evaluand *e, kedge_error *err)
{
    const size_t k = e->m->topics;
    const kedge_eval_opts *const o = e->opts;
    word_lists lists;

    PASS_MEM(e->word = mem_new2(k, LIST_MOST, sizeof *e->word));
    PASS_MEM(e->count = mem_new(k, sizeof *e->count));
    PASS_MEM(e->first = mem_new(k, sizeof *e->first));
    PASS_MEM(e->branch = mem_new2(k, 2 * TREE, sizeof *e->branch));
    PASS_MEM(e->branches = mem_new(k, sizeof *e->branches));
    for (size_t t = 0; t < k; t++) {
        PASS(evaluand_take(e, t, o->rank, o->top, false, err));
        e->first[t] = e->count[t];
        PASS(evaluand_take(e, t, KEDGE_RANK_PROBABILITY, TREE, true, err));
        PASS(evaluand_take(e, t, KEDGE_RANK_ANCHOR, TREE, true, err));
    }
    lists = (word_lists){e->m->words, k, e->word, e->count};
    return paircounts_create(&lists, o->top < LEAD ? o->top : LEAD, e->p,
                             &e->pairs, err);
}

/* ---- opening ------------------------------------------------------------- */

static kedge_status compose_model(const kedge_model *m, pool *p,
                                  kedge_infer_method method, compose **out,
                                  kedge_error *err)
{
    const size_t steps = method == KEDGE_INFER_LINEAR_BAYES ? STEPS : 0;

    return compose_create(&(compose_input){.rows = m->words, .k = m->topics,
                                           .b = m->probabilities,
                                           .a = m->correlations,
                                           .documents = m->index.documents,
                                           .method = method,
                                           .steps = steps,
                                           .tolerance = TOLERANCE,
                                           .p = p},
                          out, err);
}

kedge_status predictor_open(predictor *d, const kedge_model *m, pool *p,
                            kedge_error *err)
{
    const plain_model plain = {.rows = m->words, .k = m->topics,
                               .b = m->probabilities, .tf = m->tf};

    PASS(compose_model(m, p, KEDGE_INFER_LINEAR_BAYES, &d->linear, err));
    return completion_create(&plain, p, &d->completion, err);
}

void predictor_close(predictor *d)
{
    compose_free(d->linear);
    completion_free(d->completion);
    *d = (predictor){0};
}

kedge_status predictor_add(predictor *d, const halves *h, kedge_error *err)
{
    size_t count;

    for (size_t at = 0; at < h->first.count; at += count) {
        PASS(compose_add(d->linear, &h->first, at, NULL, &count, err));
        completion_add(d->completion, &h->second, at, count,
                       compose_shares(d->linear, 0));
    }
    return KEDGE_OK;
}

kedge_status evaluand_create(const kedge_model *m, const kedge_eval_opts *opts,
                             bool clustered, pool *p, evaluand **out,
                             kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const plain_model plain = {.rows = m->words, .k = m->topics,
                               .b = m->probabilities, .a = m->correlations,
                               .share = m->shares, .anchor = m->anchors,
                               .tf = m->tf};
    evaluand *e = NULL;

    *out = NULL;
    TRY_MEM(e = mem_new(1, sizeof *e));
    e->m = m;
    e->opts = opts;
    e->p = p;
    TRY(evaluand_lists(e, err));
    TRY(approximation_create(&plain, p, &e->approximation, err));
    if (opts->completion > 0)
        TRY(predictor_open(&e->predictor, m, p, err));
    if (clustered) {
        TRY(compose_model(m, p, KEDGE_INFER_MEAN, &e->fold, err));
        TRY(clusters_create(m->topics, p, &e->clusters, err));
    }
    *out = e;
    e = NULL;
out:
    evaluand_free(e);
    return st;
}

/* ---- documents ----------------------------------------------------------- */

void evaluand_weigh(evaluand *e, const window *w)
{
    paircounts_weigh(e->pairs, w);
    approximation_add(e->approximation, w);
}

kedge_status evaluand_add(evaluand *e, const docs *d, const halves *h,
                          kedge_error *err)
{
    paircounts_add(e->pairs, d);
    return e->predictor.linear != NULL ? predictor_add(&e->predictor, h, err)
                                       : KEDGE_OK;
}

kedge_status evaluand_cluster(evaluand *e, const docs *d,
                              const uint32_t *class, kedge_error *err)
{
    size_t count;

    for (size_t at = 0; e->fold != NULL && at < d->count; at += count) {
        PASS(compose_add(e->fold, d, at, NULL, &count, err));
        for (size_t i = 0; i < count; i++)
            PASS(clusters_add(e->clusters, compose_shares(e->fold, i),
                              class[at + i], err));
    }
    return KEDGE_OK;
}

/* ---- values -------------------------------------------------------------- */

/* Against the documents' co-occurrence, and of the model by itself. */
static kedge_status finish_model(evaluand *e, const probe *z, double *v,
                                 kedge_error *err)
{
    const kedge_model *const m = e->m;
    double least = INFINITY, most = 0, rank = 0;
    approximation_found f;
    correlations c;

    PASS(approximation_finish(e->approximation, z, &f, err));
    v[KEDGE_MEASURE_RECOVERY] = f.recovery;
    v[KEDGE_MEASURE_RELATIVE_RECOVERY] = f.recovery / f.rows_norm;
    v[KEDGE_MEASURE_APPROXIMATION_ERROR] = f.error;
    v[KEDGE_MEASURE_RELATIVE_ERROR] = f.error / f.norm;
    v[KEDGE_MEASURE_RELATIVE_ERROR_SPREAD] = f.spread / f.norm;
    v[KEDGE_MEASURE_OFF_DIAGONAL] = f.off_error;
    v[KEDGE_MEASURE_RELATIVE_OFF_DIAGONAL] = f.off_error / f.off_norm;
    PASS(shape_correlations(m->correlations, m->topics, &c, err));
    v[KEDGE_MEASURE_DOMINANCY] = c.dominancy;
    v[KEDGE_MEASURE_RELATIVE_DOMINANCY] = c.relative;
    v[KEDGE_MEASURE_TOPIC_COOCCURRENCE_SUM] = c.sum;
    v[KEDGE_MEASURE_TOPIC_COOCCURRENCE_NEGATIVE] = c.negative;
    v[KEDGE_MEASURE_TOPIC_COOCCURRENCE_LEAST] = c.least;
    v[KEDGE_MEASURE_TOPIC_COOCCURRENCE_LEGAL] = c.legal;
    for (size_t t = 0; t < m->topics; t++) {
        least = fmin(least, fabs(m->residuals[t]));
        most = fmax(most, fabs(m->residuals[t]));
    }
    for (size_t t = 0; t < m->topics; t++)
        rank += fabs(m->residuals[t]) > RANK_LEAST * most;
    v[KEDGE_MEASURE_BASIS_RANK] = rank;
    v[KEDGE_MEASURE_BASIS_QUALITY] = most > 0 ? least / most : 0;
    v[KEDGE_MEASURE_SPARSITY] =
        shape_sparsity(m->probabilities, m->words, m->topics);
    if (z->mass > 0)
        v[KEDGE_MEASURE_SPECIFICITY] = shape_specificity(
            m->probabilities, m->words, m->topics, z->sums);
    return shape_volume(m->probabilities, m->words, m->topics, m->shares,
                        e->opts->seed,
                        &v[KEDGE_MEASURE_LOG_RELATIVE_VOLUME], err);
}

/* The measures of one topic; the caller may want to see them. */
static kedge_eval_topic evaluand_topic(const evaluand *e, const probe *z,
                                       uint64_t documents, size_t t)
{
    const kedge_eval_opts *const o = e->opts;
    const size_t lead = e->first[t] < LEAD ? e->first[t] : LEAD;
    const double mass = z->mass;
    double sums[LIST_MOST];
    kedge_eval_topic it = {
        .model = e->m->name, .topic = t,
        .umass = coherence_umass(e->pairs, t, e->first[t]),
        .npmi = coherence_npmi(e->pairs, t, lead, documents),
        .c_v = coherence_cv(e->pairs, t, lead, documents),
        .mst_incoherence = NAN};

    for (size_t i = 0; i < e->count[t]; i++)
        sums[i] = z->sums[e->word[t * LIST_MOST + i]];
    if (mass > 0)
        it.mst_incoherence = coherence_tree(
            e->pairs, t, e->branch + t * 2 * TREE, e->branches[t], mass, sums);
    if (o->topic != NULL)
        o->topic(o->topic_data, &it);
    return it;
}

static kedge_status finish_words(evaluand *e, const probe *z,
                                 uint64_t documents, double *v,
                                 kedge_error *err)
{
    const size_t k = e->m->topics;
    const double m = (double)documents;
    double umass = 0, npmi = 0, cv = 0, tree = 0;
    overlap o;

    PASS(overlap_find(&(word_lists){e->m->words, k, e->word, e->count},
                      e->first, &o, err));
    v[KEDGE_MEASURE_DISSIMILARITY] = o.alone;
    v[KEDGE_MEASURE_SIMILARITY_COUNT] = o.shared;
    v[KEDGE_MEASURE_TOPIC_DIVERSITY] = o.distinct;
    paircounts_finish(e->pairs);
    if (documents == 0)
        return KEDGE_OK;
    for (size_t t = 0; t < k; t++) {
        const kedge_eval_topic it = evaluand_topic(e, z, documents, t);
        umass += it.umass;
        npmi += it.npmi;
        cv += it.c_v;
        tree += it.mst_incoherence;
    }
    v[KEDGE_MEASURE_UMASS] = umass / (double)k;
    v[KEDGE_MEASURE_NPMI] = npmi / (double)k;
    v[KEDGE_MEASURE_C_V] = cv / (double)k;
    v[KEDGE_MEASURE_DOCUMENT_COVERAGE] =
        (double)paircounts_covered(e->pairs) / m;
    v[KEDGE_MEASURE_MST_INCOHERENCE] = tree / (double)k;
    return KEDGE_OK;
}

static kedge_status finish_clusters(evaluand *e, size_t classes,
                                    kedge_eval_result *out, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    uint64_t *table = NULL, sum = 0; /* documents in their cluster's class */
    double *cost = NULL;
    size_t *partner = NULL;

    if (e->fold == NULL || classes < 2 || e->clusters->count == 0)
        return KEDGE_OK;
    const uint64_t documents = e->clusters->count;
    out->labelled = documents;
    out->classes = classes;
    TRY_MEM(table = mem_new2(classes, classes, sizeof *table));
    TRY(clusters_find(e->clusters, classes, e->opts->seed, table, err));
    TRY_MEM(cost = mem_new2(classes, classes, sizeof *cost));
    TRY_MEM(partner = mem_new(classes, sizeof *partner));
    out->value[KEDGE_MEASURE_NMI] = clusters_information(table, classes);
    for (size_t i = 0; i < classes * classes; i++)
        cost[i] = 1 - (double)table[i] / (double)documents;
    TRY(match_assign(cost, classes, classes, 1, partner, err));
    for (size_t i = 0; i < classes; i++)
        if (partner[i] != MATCH_NONE)
            sum += table[i * classes + partner[i]];
    out->value[KEDGE_MEASURE_CLUSTERING_ACCURACY] =
        (double)sum / (double)documents;
out:
    mem_free_all(table, cost, partner);
    return st;
}

kedge_status evaluand_finish(evaluand *e, const probe *z, uint64_t documents,
                             size_t classes, kedge_eval_result *out,
                             kedge_error *err)
{
    double *const v = out->value;

    for (size_t i = 0; i < KEDGE_MEASURES; i++)
        v[i] = NAN;
    PASS(finish_model(e, z, v, err));
    PASS(finish_words(e, z, documents, v, err));
    if (e->predictor.completion != NULL) {
        const completion *const c = e->predictor.completion;
        const double l = completion_likelihood(c);
        v[KEDGE_MEASURE_COMPLETION_LOG_LIKELIHOOD] = l;
        v[KEDGE_MEASURE_COMPLETION_PERPLEXITY] = exp(-l);
        out->completion_documents = c->documents;
        out->completion_tokens = c->tokens;
    }
    return finish_clusters(e, classes, out, err);
}
