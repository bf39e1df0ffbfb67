/* SPDX-License-Identifier: MIT */
#ifndef KEDGE_DIFF_H
#define KEDGE_DIFF_H
/*
 * Compares two models: which topics match, how much each changed, and which are
 * new or lost.
 *
 *   kedge_diff(monday, tuesday, NULL, NULL, &diff, &err);
 *   printf("%llu topics match\n", (unsigned long long)diff.matched);
 *   kedge_diff_free(&diff);
 *
 * The distance of two topics is the total variation of p(word | topic), half
 * the sum of the differences over all words: 0 for equal topics, 1 without a
 * common word. Topics with the same anchor word match if their distance is at
 * most 0.6. The others are matched so that the sum of distances is least; pairs
 * farther apart than 0.7 do not match. Topic numbers do not matter.
 */
#include <kedge/control.h>
#include <kedge/model.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct kedge_diff_opts {
    uint64_t words; /* most words of a list of changes; default 8 */
} kedge_diff_opts;

KEDGE_API void kedge_diff_opts_init(kedge_diff_opts *opts);

/* A word whose p(word | topic) changed by a millionth or more. */
typedef struct kedge_diff_word {
    const char *word;
    double before, after; /* p(word | topic); 0 if it is not in the model */
} kedge_diff_word;

#define KEDGE_NO_TOPIC UINT64_MAX

/* A matched pair, a new topic (`before` is KEDGE_NO_TOPIC) or a lost one
 * (`after` is). Members of the missing side are NULL and 0. */
typedef struct kedge_diff_topic {
    uint64_t before, after; /* topics, from 0 */
    double distance;        /* of the pair; of a new or lost topic from the
                               nearest of the other model */
    double prevalence_before, prevalence_after;
    const char *anchor_before, *anchor_after;
    const char *label_before, *label_after; /* "": none */
    const kedge_diff_word *gained, *lost; /* words with more and with less
                                             probability, the largest change
                                             first */
    uint64_t gained_count, lost_count;
} kedge_diff_topic;

/* Pairs in the order of `before`, then lost topics, then new ones. */
typedef struct kedge_diff_result {
    kedge_diff_topic *topics;
    uint64_t count;
    uint64_t matched, lost, added;
    double mean_distance; /* of the pairs; 0 without pairs */
    kedge_diff_word *words; /* the words of all lists */
} kedge_diff_result;

/*
 * Compares two models, of one store or two. The result belongs to the caller
 * (kedge_diff_free); its strings belong to the models and are valid as long as
 * these. Uses `threads` and `stop` of `control`.
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
