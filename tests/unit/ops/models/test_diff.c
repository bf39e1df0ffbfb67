/* SPDX-License-Identifier: MIT */
#include <kedge/diff.h>

#include <math.h>

#include "base/gate.h"
#include "ops/planted.h"
#include "export/sample.h"

/* The sample with its topics exchanged, and some changes. */
static kedge_model *other_sample(void)
{
    kedge_model *const m = sample_new(false);

    for (size_t i = 0; i < SAMPLE_WORDS; i++) {
        const double keep = m->probabilities[2 * i];
        m->probabilities[2 * i] = m->probabilities[2 * i + 1];
        m->probabilities[2 * i + 1] = keep;
    }
    m->anchors[0] = 4;
    m->anchors[1] = 1;
    m->shares[0] = 0.375;
    m->shares[1] = 0.625;
    /* the topic of anchor 1: a word gains what two others lose */
    m->probabilities[2 * 0 + 1] -= 0.0625; /* 0.25 */
    m->probabilities[2 * 1 + 1] -= 0.125;  /* 0.5 */
    m->probabilities[2 * 3 + 1] += 0.1875; /* 0 */
    return m;
}

static kedge_diff_result compare(const kedge_model *before,
                                 const kedge_model *after,
                                 const kedge_diff_opts *opts)
{
    kedge_diff_result r;
    kedge_control c;
    kedge_error err = {0};

    kedge_control_init(&c);
    c.threads = 2;
    ck_ok(kedge_diff(before, after, opts, &c, &r, &err), err);
    return r;
}

TEST(diff_tells_what_moved)
{
    OWN(model_end) kedge_model *a = sample_new(false), *b = other_sample();
    kedge_diff_result r;

    a->names = mem_new(SAMPLE_TOPICS, sizeof *a->names);
    snprintf(a->names[0].text, sizeof a->names[0].text, "first");
    r = compare(a, b, NULL);
    ck_assert_uint_eq(r.count, 2);
    ck_assert_uint_eq(r.matched, 2);
    ck_assert_uint_eq(r.lost, 0);
    ck_assert_uint_eq(r.added, 0);
    ck_assert_double_eq_tol(r.mean_distance, 0.1875 / 2, 1e-12);

    const kedge_diff_topic *const t = &r.topics[0];
    ck_assert_uint_eq(t->before, 0);
    ck_assert_uint_eq(t->after, 1);
    ck_assert_double_eq_tol(t->distance, 0.1875, 1e-12);
    ck_assert_double_eq(t->prevalence_before, 0.75);
    ck_assert_double_eq(t->prevalence_after, 0.625);
    ck_assert_str_eq(t->anchor_before, sample_word[1]);
    ck_assert_str_eq(t->anchor_after, sample_word[1]);
    ck_assert_str_eq(t->label_before, "first");
    ck_assert_str_eq(t->label_after, "");
    ck_assert_uint_eq(t->gained_count, 1);
    ck_assert_str_eq(t->gained[0].word, sample_word[3]);
    ck_assert_double_eq(t->gained[0].before, 0);
    ck_assert_double_eq(t->gained[0].after, 0.1875);
    ck_assert_uint_eq(t->lost_count, 2);
    ck_assert_str_eq(t->lost[0].word, sample_word[1]);
    ck_assert_str_eq(t->lost[1].word, sample_word[0]);
    ck_assert_double_eq(t->lost[1].after, 0.1875);

    ck_assert_uint_eq(r.topics[1].before, 1);
    ck_assert_uint_eq(r.topics[1].after, 0);
    ck_assert_uint_eq(r.topics[1].gained_count, 0);
    ck_assert_uint_eq(r.topics[1].lost_count, 0);
    kedge_diff_free(&r);
    ck_assert_ptr_null(r.topics);
}

/* Topic 1 of the other model becomes one on the word 5 alone. */
TEST(diff_tells_what_came_and_went)
{
    OWN(model_end) kedge_model *a = sample_new(false), *b = sample_new(false);
    OWN(kedge_diff_free) kedge_diff_result r;

    for (size_t i = 0; i < SAMPLE_WORDS; i++)
        b->probabilities[2 * i + 1] = i == 5;
    b->anchors[1] = 5;
    r = compare(a, b, &(kedge_diff_opts){.words = 2});
    ck_assert_uint_eq(r.count, 3);
    ck_assert_uint_eq(r.matched, 1);
    ck_assert_uint_eq(r.lost, 1);
    ck_assert_uint_eq(r.added, 1);
    ck_assert_double_eq_tol(r.mean_distance, 0, 1e-12);

    const kedge_diff_topic *const went = &r.topics[1], *const came = went + 1;
    ck_assert_uint_eq(went->before, 1);
    ck_assert(went->after == KEDGE_NO_TOPIC);
    ck_assert_ptr_null(went->anchor_after);
    ck_assert_ptr_null(went->label_after);
    ck_assert_double_eq(went->prevalence_before, 0.25);
    ck_assert_double_eq(went->prevalence_after, 0);
    ck_assert_double_eq_tol(went->distance, 0.6875, 1e-12);
    ck_assert_uint_eq(went->gained_count, 0);
    ck_assert_uint_eq(went->lost_count, 2);
    ck_assert_str_eq(went->lost[0].word, sample_word[4]);
    ck_assert_str_eq(went->lost[1].word, sample_word[2]);

    ck_assert(came->before == KEDGE_NO_TOPIC);
    ck_assert_uint_eq(came->after, 1);
    ck_assert_ptr_null(came->anchor_before);
    ck_assert_str_eq(came->anchor_after, sample_word[5]);
    ck_assert_double_eq_tol(came->distance, 0.875, 1e-12);
    ck_assert_uint_eq(came->gained_count, 1);
    ck_assert_double_eq(came->gained[0].after, 1);
    ck_assert_uint_eq(came->lost_count, 0);
}

static double probability_of(const kedge_model *m, const char *word,
                             uint64_t topic)
{
    for (uint64_t i = 0; i < kedge_model_words(m); i++)
        if (strcmp(kedge_model_word(m, i), word) == 0)
            return kedge_model_probabilities(m)[i * kedge_model_topics(m) +
                                                topic];
    return 0;
}

/* Gained are the words that change most, of those that are frequent enough in
 * the topic and change enough; gives how many. */
static size_t check_lists(const kedge_model *a, const kedge_model *b,
                          const kedge_diff_topic *t, uint64_t most)
{
    size_t gained = 0;
    double largest = 0, least = INFINITY;

    for (uint64_t i = 0; i < kedge_model_words(b); i++)
        largest = fmax(largest,
                       fmax(probability_of(b, kedge_model_word(b, i), t->after),
                            probability_of(a, kedge_model_word(b, i),
                                           t->before)));
    for (uint64_t i = 0; i < t->gained_count; i++) {
        const kedge_diff_word *const w = &t->gained[i];
        ck_assert_double_le(w->after - w->before, least);
        least = w->after - w->before;
        ck_assert_double_ge(w->after, 0.2 * largest);
        ck_assert_double_ge(least, 0.25 * w->after);
    }
    for (uint64_t i = 0; i < kedge_model_words(b); i++) {
        const char *const word = kedge_model_word(b, i);
        const double after = probability_of(b, word, t->after),
                     change = after - probability_of(a, word, t->before);
        gained += after >= 0.2 * largest && change >= 0.25 * after;
    }
    ck_assert_uint_eq(t->gained_count, gained < most ? gained : most);
    return gained;
}

TEST(diff_lists_the_largest_changes)
{
    OWN(planted_end) planted p, q;

    planted_begin(&p, PLANTED_DOCUMENTS);
    planted_fill(&p);
    OWN(model_end) kedge_model *a = planted_fit(&p, 4, NULL, NULL);
    planted_begin(&q, 200);
    planted_make(&q.d, 99, 200);
    planted_write(q.source, &q.d, 0, 200, false);
    planted_fill(&q);
    OWN(model_end) kedge_model *b = planted_fit(&q, 2, NULL, NULL);
    for (uint64_t most = 1; most < 12; most += 5) {
        kedge_diff_result r = compare(a, b, &(kedge_diff_opts){most});
        size_t all = 0;
        ck_assert_uint_ge(r.matched, 1);
        ck_assert_uint_eq(r.matched + r.lost, 4);
        ck_assert_uint_eq(r.matched + r.added, 2);
        for (uint64_t i = 0; i < r.matched; i++) {
            ck_assert_uint_le(r.topics[i].lost_count, most);
            all += check_lists(a, b, &r.topics[i], most);
        }
        ck_assert_uint_gt(all, 0);
        kedge_diff_free(&r);
    }
}

TEST(diff_of_a_model_with_itself_is_empty)
{
    OWN(model_end) kedge_model *a = sample_new(false);
    kedge_diff_result r = compare(a, a, &(kedge_diff_opts){.words = 0});

    ck_assert_uint_eq(r.matched, 2);
    kedge_diff_free(&r);
    r = compare(a, a, &(kedge_diff_opts){.words = UINT64_MAX});
    for (size_t i = 0; i < 2; i++) {
        ck_assert_uint_eq(r.topics[i].before, i);
        ck_assert_uint_eq(r.topics[i].after, i);
        ck_assert_uint_eq(r.topics[i].gained_count, 0);
        ck_assert_uint_eq(r.topics[i].lost_count, 0);
        ck_assert_double_le(r.topics[i].distance, 1e-15);
    }
    kedge_diff_free(&r);
}

TEST(diff_refuses_and_stops)
{
    OWN(model_end) kedge_model *a = sample_new(false);
    kedge_error err = {0};
    OWN(kedge_diff_free) kedge_diff_result r;
    kedge_control c;

    kedge_control_init(&c);
    ck_fails(kedge_diff(NULL, a, NULL, &c, &r, &err), KEDGE_EINVAL, err,
             "before is NULL");
    ck_fails(kedge_diff(a, NULL, NULL, &c, &r, &err), KEDGE_EINVAL, err,
             "after is NULL");
    c.stop = planted_stop;
    ck_assert_int_eq(kedge_diff(a, a, NULL, &c, &r, &err), KEDGE_ECANCELED);
    ck_assert_ptr_null(r.topics);
}

static kedge_status compare_again(const kedge_model *a, const kedge_model *b)
{
    kedge_diff_result r;
    const kedge_status st = kedge_diff(a, b, NULL, NULL, &r, NULL);

    ck_assert((r.topics == NULL) == (st != KEDGE_OK));
    kedge_diff_free(&r);
    return st;
}

TEST(diff_without_memory)
{
    OWN(model_end) kedge_model *a = sample_new(false), *b = other_sample();

    gate_starve(compare_again(a, b));
}
