/* SPDX-License-Identifier: MIT */
#include <kedge/diff.h>

#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"
#include "base/run.h"
#include "ops/models/model.h"

#define WORDS_DEFAULT 8
#define CHANGE_LEAST  1e-6
/* Of a pair: the same documents, sketched with another seed, change less. */
#define SHARE_LEAST 0.2  /* of the topic's largest probability, */
#define SHIFT_LEAST 0.25 /* and that changes by so much of itself */

typedef struct diff {
    const kedge_model *model[2]; /* before, after */
    const modelmatch *found;
    uint64_t words;              /* of a list, at most */
    kedge_diff_result *out;
    kedge_diff_word *room;       /* for the lists to come */
} diff;

void kedge_diff_opts_init(kedge_diff_opts *opts)
{
    if (opts == NULL)
        return;
    *opts = (kedge_diff_opts){.words = WORDS_DEFAULT};
}

void kedge_diff_free(kedge_diff_result *result)
{
    if (result == NULL)
        return;
    mem_free_all(result->topics, result->words);
    *result = (kedge_diff_result){0};
}

/* ---- the words that changed ---------------------------------------------- */

/* p(word | topic), 0 for no such word or topic. */
static double diff_probability(const kedge_model *m, uint32_t row,
                               uint64_t topic)
{
    if (row == MODELMATCH_ABSENT || topic == KEDGE_NO_TOPIC)
        return 0;
    return m->probabilities[row * m->topics + topic];
}

/* How much a word gained, or with sign -1 lost. */
static double diff_change(const kedge_diff_word *w, double sign)
{
    return sign * (w->after - w->before);
}

/* Puts the word in its place in a list that is sorted by change, ties as they
 * came; the last gives way when the list is full. */
static void diff_keep(kedge_diff_word *list, uint64_t *held, uint64_t most,
                      kedge_diff_word word, double sign)
{
    const double change = diff_change(&word, sign);
    uint64_t at = *held;

    if (*held == most && !(change > diff_change(&list[most - 1], sign)))
        return;
    if (*held < most)
        ++*held;
    else
        at--;
    for (; at > 0 && diff_change(&list[at - 1], sign) < change; at--)
        list[at] = list[at - 1];
    list[at] = word;
}

/* A word of a pair gains or loses nothing below this; INFINITY: it is too rare
 * in the topic. */
static double diff_least(const kedge_diff_word *w, double largest)
{
    const double p = w->before > w->after ? w->before : w->after;

    return p < SHARE_LEAST * largest ? INFINITY : SHIFT_LEAST * p;
}

/* The largest probability of a topic's words, in either model. */
static double diff_largest(const diff *d, const kedge_diff_topic *t)
{
    double largest = 0;

    for (size_t w = 0; w < d->found->words; w++) {
        const double p[] = {
            diff_probability(d->model[0], d->found->row[0][w], t->before),
            diff_probability(d->model[1], d->found->row[1][w], t->after)};
        largest = fmax(largest, fmax(p[0], p[1]));
    }
    return largest;
}

/* One list of a topic: gained (sign 1) or lost (sign -1) words. */
static uint64_t diff_list(diff *d, const kedge_diff_topic *t, double sign,
                          const kedge_diff_word **list)
{
    const bool pair = t->before != KEDGE_NO_TOPIC && t->after != KEDGE_NO_TOPIC;
    const double largest = pair ? diff_largest(d, t) : 0;
    uint64_t held = 0;

    *list = d->room;
    for (size_t w = 0; w < d->found->words && d->words > 0; w++) {
        const uint32_t left = d->found->row[0][w], right = d->found->row[1][w];
        const kedge_diff_word word = {
            .before = diff_probability(d->model[0], left, t->before),
            .after = diff_probability(d->model[1], right, t->after),
            .word = left != MODELMATCH_ABSENT
                        ? words_get(&d->model[0]->text, left)
                        : words_get(&d->model[1]->text, right),
        };
        if (diff_change(&word, sign) >=
            fmax(CHANGE_LEAST, pair ? diff_least(&word, largest) : 0))
            diff_keep(d->room, &held, d->words, word, sign);
    }
    d->room += held;
    return held;
}

/* ---- topics -------------------------------------------------------------- */

static void diff_add(diff *d, uint64_t before, uint64_t after, double distance)
{
    const kedge_model *const left = d->model[0], *const right = d->model[1];
    kedge_diff_topic *const t = &d->out->topics[d->out->count++];

    *t = (kedge_diff_topic){.before = before, .after = after,
                            .distance = distance};
    if (before != KEDGE_NO_TOPIC) {
        t->prevalence_before = left->shares[before];
        t->anchor_before = kedge_model_word(left, left->anchors[before]);
        t->label_before = kedge_model_label(left, before);
    }
    if (after != KEDGE_NO_TOPIC) {
        t->prevalence_after = right->shares[after];
        t->anchor_after = kedge_model_word(right, right->anchors[after]);
        t->label_after = kedge_model_label(right, after);
    }
    t->gained_count = diff_list(d, t, 1, &t->gained);
    t->lost_count = diff_list(d, t, -1, &t->lost);
}

/* The least of `count` distances that stand `step` apart. */
static double diff_nearest(const double *distance, size_t count, size_t step)
{
    double least = 1;

    for (size_t i = 0; i < count; i++)
        least = distance[i * step] < least ? distance[i * step] : least;
    return least;
}

/* Topics of both models, then those that are gone, then those that came. */
static kedge_status diff_fill(diff *d, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const size_t left = d->model[0]->topics, right = d->model[1]->topics;
    const size_t *const partner = d->found->partner;
    const double *const distance = d->found->distance;
    kedge_diff_result *const out = d->out;
    bool *found = NULL;

    if (d->words > d->found->words)
        d->words = d->found->words;
    TRY_MEM(found = mem_new(right, sizeof *found));
    TRY_MEM(out->topics = mem_new(left + right, sizeof *out->topics));
    TRY_MEM(out->words = mem_new2(2 * (left + right), d->words,
                                  sizeof *out->words));
    d->room = out->words;
    out->matched = d->found->matched;
    out->lost = left - out->matched;
    out->added = right - out->matched;
    out->mean_distance = d->found->mean;
    for (size_t i = 0; i < left; i++)
        if (partner[i] != MATCH_NONE) {
            found[partner[i]] = true;
            diff_add(d, i, partner[i], distance[i * right + partner[i]]);
        }
    for (size_t i = 0; i < left; i++)
        if (partner[i] == MATCH_NONE)
            diff_add(d, i, KEDGE_NO_TOPIC,
                     diff_nearest(distance + i * right, right, 1));
    for (size_t j = 0; j < right; j++)
        if (!found[j])
            diff_add(d, KEDGE_NO_TOPIC, j,
                     diff_nearest(distance + j, left, right));
out:
    mem_free(found);
    return st;
}

kedge_status kedge_diff(const kedge_model *before, const kedge_model *after,
                        const kedge_diff_opts *opts,
                        const kedge_control *control, kedge_diff_result *out,
                        kedge_error *err)
{
    if (out != NULL)
        *out = (kedge_diff_result){0};
    API_ENTER(err, {"before", before}, {"after", after}, {"out", out});
    control = run_control(control);

    kedge_status st = KEDGE_OK;
    modelmatch found = {0};
    diff d = {.model = {before, after}, .found = &found, .out = out,
              .words = opts != NULL ? opts->words : WORDS_DEFAULT};
    modelmatch_side side[2];
    pool *p = NULL;

    TRY(run_check(control, err));
    TRY(pool_open(control, &p, err));
    for (int i = 0; i < 2; i++)
        side[i] = (modelmatch_side){
            &d.model[i]->text, NULL, d.model[i]->words, d.model[i]->topics,
            d.model[i]->probabilities, d.model[i]->anchors};
    TRY(modelmatch_find(p, &side[0], &side[1], &found, err));
    TRY(run_check(control, err));
    TRY(diff_fill(&d, err));
out:
    pool_free(p);
    modelmatch_free(&found);
    if (st != KEDGE_OK)
        kedge_diff_free(out);
    return api_leave(st, err);
}
