/* SPDX-License-Identifier: MIT */
#ifndef KEDGE_DIFF_H
#define KEDGE_DIFF_H
/*
 * What moved between two models: which topics are the same, how far each is
 * from what it was, and which came and went.
 *
 * Two topics with the same anchor word are the same where their distance is at
 * most 0.6; the others are paired so that the distances add up to the least,
 * and a pair farther apart than 0.7 is none: one topic went and another came.
 * The distance is the total variation of p(word | topic), half the sum of the
 * differences over all words: 0 is the same topic, 1 one without a word in
 * common. Numbers have no part in it.
 */
#include <kedge/control.h>
#include <kedge/model.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct kedge_diff_opts {
    uint64_t words; /* of each list at most, default 8 */
} kedge_diff_opts;

KEDGE_API void kedge_diff_opts_init(kedge_diff_opts *opts);

/* A word whose p(word | topic) changed. In a pair of topics only words count
 * that have a fifth of the topic's largest probability, before or after, and
 * changed by a quarter of their own or more: less is what another seed of the
 * sketch changes too. */
typedef struct kedge_diff_word {
    const char *word;
    double before, after; /* 0 where the model does not have the word */
} kedge_diff_word;

#define KEDGE_NO_TOPIC UINT64_MAX

/* A pair, or a topic that came (no `before`) or went (no `after`). Texts of the
 * model that does not have it are NULL and shares 0. */
typedef struct kedge_diff_topic {
    uint64_t before, after; /* from 0; KEDGE_NO_TOPIC */
    double distance;        /* of the pair; of a topic that came or went: from
                               the nearest in the other model */
    double prevalence_before, prevalence_after;
    const char *anchor_before, *anchor_after;
    const char *label_before, *label_after; /* "": it has no name */
    const kedge_diff_word *gained, *lost; /* the largest change first. A topic
                                             that came gained its most probable
                                             words, one that went lost them */
    uint64_t gained_count, lost_count;
} kedge_diff_topic;

/* Pairs by the number before, then topics that went, then those that came. */
typedef struct kedge_diff_result {
    kedge_diff_topic *topics;
    uint64_t count;
    uint64_t matched, lost, added;
    double mean_distance; /* of the pairs; 0 where there are none */
    kedge_diff_word *words; /* of all lists */
} kedge_diff_result;

/*
 * Compares two models of one store or of two. The result belongs to the caller
 * (kedge_diff_free); its texts are those of the models and live as long.
 * `opts` may be NULL. Of `control` the threads and `stop` count.
 * EINVAL, ECANCELED, ENOMEM.
 */
KEDGE_API KEDGE_CHECKED kedge_status
kedge_diff(const kedge_model *before, const kedge_model *after,
           const kedge_diff_opts *opts, const kedge_control *control,
           kedge_diff_result *out, kedge_error *err);
KEDGE_API void kedge_diff_free(kedge_diff_result *result);

#ifdef __cplusplus
}
#endif
#endif
