/* SPDX-License-Identifier: MIT */
#ifndef TESTS_UNIT_EXPORT_CHANCEMODEL_H
#define TESTS_UNIT_EXPORT_CHANCEMODEL_H
/* A model by chance, of any size: words w0000, ..., topics that overlap, and A
 * of shares by chance. */
#include "base/chance.h"
#include "sample.h"

#define CHANCE_CHARACTERISTIC 7

static inline void chancemodel_topics(kedge_model *m, chance *c)
{
    const size_t n = m->words, k = m->topics;

    for (size_t t = 0; t < k; t++) {
        double sum = 0;
        for (size_t i = 0; i < n; i++) {
            double *const b = &m->probabilities[i * k + t];
            *b = chance_below(c, 4) == 0 ? 0 : pow(chance_unit(c), 6);
            sum += *b;
        }
        for (size_t i = 0; i < n; i++)
            m->probabilities[i * k + t] /= sum;
    }
}

/* The mean of products of shares of documents by chance. */
static inline void chancemodel_correlations(kedge_model *m, chance *c)
{
    const size_t k = m->topics;
    double *const x = sample_array(k, 0, 0);

    for (int d = 0; d < 200; d++) {
        double sum = 0;
        for (size_t t = 0; t < k; t++)
            sum += x[t] = pow(chance_unit(c), 3);
        for (size_t i = 0; i < k * k; i++)
            m->correlations[i] += x[i / k] / sum * x[i % k] / sum / 200;
    }
    for (size_t i = 0; i < k * k; i++)
        m->shares[i / k] += m->correlations[i];
    mem_free(x);
}

static inline void chancemodel_words(kedge_model *m, chance *c)
{
    for (size_t i = 0; i < m->words; i++) {
        char text[24];
        snprintf(text, sizeof text, "w%04zu", i);
        ck_assert(words_add(&m->text, text, strlen(text)));
        m->df[i] = (double)(1 + chance_below(c, 50));
    }
    for (size_t t = 0; t < m->topics; t++)
        m->anchors[t] = chance_below(c, m->words);
    for (size_t i = 0; i < m->topics * CHANCE_CHARACTERISTIC; i++)
        m->characteristic[i] = chance_below(c, m->words);
}

static inline kedge_model *chancemodel_new(size_t n, size_t k)
{
    kedge_model *const m = mem_new(1, sizeof *m);
    chance c = {.key = n + k};

    ck_assert_ptr_nonnull(m);
    snprintf(m->name, sizeof m->name, "chance");
    m->words = n;
    m->topics = k;
    m->characteristic_count = CHANCE_CHARACTERISTIC;
    m->probabilities = sample_array(n * k, 0, 0);
    m->correlations = sample_array(k * k, 0, 0);
    m->word_probability = sample_array(n, 1, 0);
    m->df = sample_array(n, 0, 0);
    m->tf = sample_array(n, 1, 1);
    m->shares = sample_array(k, 0, 0);
    m->residuals = sample_array(k, 1, 0.5);
    m->mix = sample_array(n, 0, 0);
    m->anchors = mem_new(k, sizeof *m->anchors);
    m->characteristic = mem_new(k * CHANCE_CHARACTERISTIC,
                                sizeof *m->characteristic);
    chancemodel_topics(m, &c);
    chancemodel_correlations(m, &c);
    chancemodel_words(m, &c);
    ranking_mix(m->probabilities, m->shares, n, k, m->mix);
    return m;
}

/* Words' weights by chance, and the topics with them. */
static inline void chancemodel_weigh(kedge_model *m)
{
    const size_t n = m->words, k = m->topics;
    chance c = {.key = 99};

    m->figures.term_weight = KEDGE_TERM_WEIGHT_IDF;
    m->weights = sample_array(n, 0, 0);
    m->weighted = sample_array(n * k, 0, 0);
    for (size_t i = 0; i < n; i++)
        m->weights[i] = 0.5 + chance_unit(&c);
    for (size_t t = 0; t < k; t++) {
        double sum = 0;
        for (size_t i = 0; i < n; i++)
            sum += m->weights[i] * m->probabilities[i * k + t];
        for (size_t i = 0; i < n; i++)
            m->weighted[i * k + t] =
                m->weights[i] * m->probabilities[i * k + t] / sum;
    }
}

#endif
