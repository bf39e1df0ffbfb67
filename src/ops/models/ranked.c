/* SPDX-License-Identifier: MIT */
/* The words of a model's topics, in the orders there are. */
#include <math.h>

#include "base/fail.h"
#include "metrics/ranking.h"
#include "ops/models/model.h"

static ranking model_ranking(const kedge_model *m)
{
    return (ranking){.rows = m->words,
                     .topics = m->topics,
                     .b = m->probabilities,
                     .share = m->shares,
                     .mix = m->mix,
                     .weighted = m->weighted};
}

static kedge_status check_topic(const kedge_model *m, uint64_t topic,
                                kedge_error *err)
{
    return topic < m->topics
               ? KEDGE_OK
               : kedge_fail(err, KEDGE_EINVAL,
                            "there is no topic %llu: model %s has %llu, "
                            "counted from 0", (unsigned long long)topic,
                            m->name, (unsigned long long)m->topics);
}

kedge_status kedge_model_top_words(const kedge_model *m, uint64_t topic,
                                   kedge_rank rank, kedge_ranked_word *out,
                                   uint64_t count, uint64_t *got,
                                   kedge_error *err)
{
    if (got != NULL)
        *got = 0;
    API_ENTER(err, {"model", m}, {"got", got});
    API_ARRAY(err, "out", out, count);

    const uint64_t most = m->characteristic_count;
    const ranking r = model_ranking(m);

    PASS(check_topic(m, topic, err));
    if ((unsigned)rank > KEDGE_RANK_WEIGHTED)
        return kedge_fail(err, KEDGE_EINVAL, "unknown ranking of words: %d",
                          (int)rank);
    if (rank != KEDGE_RANK_ANCHOR)
        *got = ranking_top(&r, topic, (ranking_order){rank, KEDGE_LAMBDA}, out,
                           count);
    else /* the list that the fit kept: a word that co-occurs with the anchor
            belongs in it even where the topic gives it no probability */
        for (; *got < count && *got < most; ++*got)
            out[*got] = ranking_word(&r, topic, KEDGE_LAMBDA,
                                     m->characteristic[topic * most + *got]);
    return api_leave(KEDGE_OK, err);
}

kedge_status kedge_model_relevant_words(const kedge_model *m, uint64_t topic,
                                        double lambda, kedge_ranked_word *out,
                                        uint64_t count, uint64_t *got,
                                        kedge_error *err)
{
    if (got != NULL)
        *got = 0;
    API_ENTER(err, {"model", m}, {"got", got});
    API_ARRAY(err, "out", out, count);

    const ranking_order order = {KEDGE_RANK_RELEVANCE, lambda};
    const ranking r = model_ranking(m);

    if (!(lambda >= 0 && lambda <= 1))
        return kedge_fail(err, KEDGE_EINVAL,
                          "--lambda %g: expected a number from 0 to 1",
                          lambda);
    PASS(check_topic(m, topic, err));
    *got = ranking_top(&r, topic, order, out, count);
    return api_leave(KEDGE_OK, err);
}

double kedge_model_exclusivity(const kedge_model *m, uint64_t topic)
{
    if (m == NULL || topic >= m->topics)
        return NAN;
    const ranking r = model_ranking(m);
    return ranking_exclusivity(&r, topic);
}

bool kedge_model_is_background(const kedge_model *m, uint64_t topic)
{
    if (m == NULL || topic >= m->topics)
        return false;
    const ranking r = model_ranking(m);
    return ranking_background(&r, m->correlations, (size_t)topic);
}
