/* SPDX-License-Identifier: MIT */
#include <kedge/word.h>

#include <math.h>

#include <kedge/diff.h>

#include "base/gate.h"
#include "ops/planted.h"

static planted it;

static void begin(bool keep_spectrum)
{
    kedge_fit_opts o = planted_opts();

    planted_begin(&it, PLANTED_DOCUMENTS);
    planted_fill(&it);
    o.save_spectrum = keep_spectrum;
    kedge_model_free(planted_fit(&it, PLANTED_TOPICS, &o, NULL));
}

static kedge_words_answer *ask(const char *const *texts, size_t count,
                               const kedge_word_opts *o)
{
    kedge_words_answer *w;

    ck_ok(kedge_words_ask(it.t.s, texts, count, o, &it.c, &w, &it.t.err),
          it.t.err);
    return w;
}

/* p(topic | word) by Bayes' rule, and in order. */
static void check_topics(const kedge_model *m, const kedge_word_answer *a)
{
    const uint64_t k = kedge_model_topics(m);
    const double *const b = kedge_model_probabilities(m) + a->row * k;
    const double *const share = kedge_model_prevalence(m);
    double mix = 0, sum = 0;

    for (uint64_t t = 0; t < k; t++)
        mix += b[t] * share[t];
    for (uint64_t i = 0; i < k; i++) {
        const kedge_word_topic *const t = &a->topics[i];
        ck_assert_double_eq_tol(t->topic_probability,
                                b[t->topic] * share[t->topic] / mix, 1e-12);
        ck_assert_double_eq(t->probability, b[t->topic]);
        ck_assert(i == 0 || t->topic_probability <=
                                a->topics[i - 1].topic_probability);
        sum += t->topic_probability;
    }
    ck_assert_double_eq_tol(sum, 1, 1e-12);
}

TEST(every_word_of_a_model_is_told_of)
{
    for (int keep = 0; keep < 2; keep++) {
        const char *text[PLANTED_WORDS];
        kedge_words_answer *w;
        const kedge_model *m;
        OWN(model_end) kedge_model *own = NULL;
        size_t anchors = 0;

        begin(keep);
        own = planted_load(&it, NULL);
        for (uint64_t r = 0; r < kedge_model_words(own); r++)
            text[r] = kedge_model_word(own, r);
        w = ask(text, kedge_model_words(own), NULL);
        m = kedge_words_model(w);
        ck_assert_int_eq(kedge_words_rectified(w), keep);
        ck_assert_uint_eq(kedge_words_count(w), kedge_model_words(own));
        for (uint64_t r = 0; r < kedge_words_count(w); r++) {
            const kedge_word_answer *const a = kedge_words_get(w, r);
            ck_assert_str_eq(a->word, text[r]);
            ck_assert_str_eq(a->asked, text[r]);
            ck_assert_uint_eq(a->row, r);
            ck_assert_uint_eq(a->df, kedge_model_df(m, r));
            ck_assert_uint_eq(a->tf, kedge_model_tf(m, r));
            ck_assert_uint_eq(a->near_count, 10);
            ck_assert_uint_ge(a->rank, 1);
            check_topics(m, a);
            anchors += a->anchor == KEDGE_WORD_ANCHOR &&
                       kedge_model_anchors(m)[a->anchor_topic] == r;
        }
        ck_assert_uint_eq(anchors, PLANTED_TOPICS);
        ck_assert_ptr_null(kedge_words_get(w, kedge_words_count(w)));
        kedge_words_free(w);
        planted_end(&it);
    }
}

/* Words of one planted topic alone go together. */
TEST(near_words_share_a_topic)
{
    kedge_word_opts o;
    const char *text[1];
    kedge_words_answer *w;
    const kedge_word_answer *a;
    OWN(model_end) kedge_model *m = NULL;

    begin(true);
    m = planted_load(&it, NULL);
    kedge_word_opts_init(&o);
    o.near = 5;
    for (uint64_t t = 0; t < PLANTED_TOPICS; t++) {
        text[0] = kedge_model_word(m, kedge_model_anchors(m)[t]);
        w = ask(text, 1, &o);
        a = kedge_words_get(w, 0);
        ck_assert_uint_eq(a->near_count, 5);
        for (uint64_t i = 0; i < 5; i++) {
            kedge_words_answer *other;
            text[0] = a->near[i].word;
            ck_assert_str_ne(a->near[i].word, a->word);
            ck_assert(i == 0 ||
                      a->near[i].likeness <= a->near[i - 1].likeness);
            other = ask(text, 1, &o);
            ck_assert_uint_eq(kedge_words_get(other, 0)->topics[0].topic, t);
            kedge_words_free(other);
        }
        kedge_words_free(w);
    }
    planted_end(&it);
}

TEST(unknown_words_are_answered_with_those_spelt_like_them)
{
    static const char *const texts[] = {"w00", "W003", "nothing like it"};
    const kedge_word_opts two = {.near = 1, .spellings = 2};
    kedge_words_answer *w;
    const kedge_word_answer *a;

    begin(false);
    w = ask(texts, 3, &two);
    ck_assert_uint_eq(kedge_words_count(w), 5); /* the last is three */
    a = kedge_words_get(w, 0);
    ck_assert_uint_eq(a->row, KEDGE_NO_WORD);
    ck_assert_uint_eq(a->df, 0);
    ck_assert_ptr_null(a->topics);
    ck_assert_uint_eq(a->spelling_count, 2);
    for (size_t i = 0; i < 2; i++) {
        ck_assert_uint_eq(strlen(a->spellings[i]), 4);
        ck_assert_ptr_nonnull(strchr(strchr(a->spellings[i], '0') + 1, '0'));
    }
    a = kedge_words_get(w, 1); /* folded */
    ck_assert_str_eq(a->asked, "W003");
    ck_assert_str_eq(a->word, "w003");
    ck_assert_uint_gt(a->df, 0);
    ck_assert_uint_eq(a->spelling_count, 0);
    ck_assert_uint_eq(kedge_words_get(w, 2)->spelling_count, 0);
    kedge_words_free(w);
    planted_end(&it);
}

TEST(floors_and_ways_are_told)
{
    static const char *const texts[] = {"w003"};
    kedge_words_answer *w;
    kedge_fit_opts o = planted_opts();

    begin(false);
    o.anchor_min_df = 70;
    o.anchors = KEDGE_ANCHORS_SPA;
    kedge_model_free(planted_fit(&it, 2, &o, NULL));
    w = ask(texts, 1, NULL);
    ck_assert_uint_eq(kedge_words_anchor_floor(w), 70);
    ck_assert_uint_lt(kedge_words_get(w, 0)->model_df, 70);
    ck_assert_int_eq((int)kedge_words_get(w, 0)->anchor, KEDGE_WORD_RARE);
    ck_assert_uint_eq(kedge_words_get(w, 0)->rank, 0);
    ck_assert_uint_eq(kedge_words_get(w, 0)->anchor_topic, KEDGE_NO_TOPIC);
    ck_assert_int_eq(kedge_words_banned(w), 0);
    kedge_words_free(w);
    planted_end(&it);
}

TEST(what_cannot_be_asked_is_refused)
{
    static const char *const empty[] = {""}, *const good[] = {"w003"};
    const kedge_word_opts other = {.model = "none"};
    kedge_words_answer *w;

    begin(false);
    ck_fails(kedge_words_ask(it.t.s, empty, 1, NULL, &it.c, &w, &it.t.err),
             KEDGE_EINVAL, it.t.err, "empty");
    ck_assert_ptr_null(w);
    ck_fails(kedge_words_ask(it.t.s, good, 1, &other, &it.c, &w, &it.t.err),
             KEDGE_ENOTFOUND, it.t.err, "none");
    it.c.memory = 1 << 20;
    ck_fails(kedge_words_ask(it.t.s, good, 1, NULL, &it.c, &w, &it.t.err),
             KEDGE_EBUDGET, it.t.err, "asking for words");
    planted_end(&it);
}

static kedge_status ask_again(void)
{
    static const char *const texts[] = {"w003", "w00"};
    kedge_words_answer *w;
    const kedge_status st = kedge_words_ask(it.t.s, texts, 2, NULL, &it.c, &w,
                                            &it.t.err);

    ck_assert((w == NULL) == (st != KEDGE_OK));
    kedge_words_free(w);
    return st;
}

TEST(asking_without_memory)
{
    begin(true);
    it.c.threads = 1;
    gate_starve(ask_again());
    planted_end(&it);
}
