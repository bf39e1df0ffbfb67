/* SPDX-License-Identifier: MIT */
#include "export/page.h"

#include "chancemodel.h"
#include "base/gate.h"

#define WORDS 500
#define TOPICS 6

static bool has(const pagewords *w, size_t topic, uint64_t row)
{
    for (uint64_t i = w->start[topic]; i < w->start[topic + 1]; i++)
        if (w->row[w->word[i]] == row)
            return true;
    return false;
}

/* All that kedge shows of a topic, by whichever lambda of the slider. */
static void check_first(const kedge_model *m, const pagewords *w)
{
    kedge_ranked_word first[PAGE_FIRST];
    kedge_error err = {0};
    uint64_t got;

    for (size_t t = 0; t < m->topics; t++)
        for (int l = 0; l < PAGE_LAMBDAS; l++) {
            ck_ok(kedge_model_relevant_words(m, t,
                                             (double)l / (PAGE_LAMBDAS - 1),
                                             first, PAGE_FIRST, &got, &err),
                  err);
            for (uint64_t i = 0; i < got; i++)
                ck_assert(has(w, t, first[i].row));
        }
}

static void check_numbers(const kedge_model *m, const pagewords *w)
{
    for (size_t i = 0; i < w->count; i++) {
        ck_assert_uint_eq(w->place[w->row[i]], i);
        if (i != 0 && i != w->shown)
            ck_assert_double_le(m->df[w->row[i]], m->df[w->row[i - 1]]);
    }
    for (size_t t = 0; t < m->topics; t++) {
        ck_assert_uint_lt(w->place[m->anchors[t]], w->shown);
        for (uint64_t i = w->start[t] + 1; i < w->start[t + 1]; i++)
            ck_assert_double_ge(
                m->probabilities[w->row[w->word[i - 1]] * m->topics + t],
                m->probabilities[w->row[w->word[i]] * m->topics + t]);
    }
    for (size_t i = 0; i < m->topics * CHANCE_CHARACTERISTIC; i++)
        ck_assert_uint_lt(w->place[m->characteristic[i]], w->shown);
}

TEST(every_lambda_has_its_words)
{
    OWN(model_end) kedge_model *m = chancemodel_new(WORDS, TOPICS);
    kedge_error err = {0};
    OWN(pagewords_free) pagewords w;

    ck_ok(pagewords_find(m, UINT64_MAX, &w, &err), err);
    ck_assert_uint_eq(w.count, WORDS);
    check_first(m, &w);
    check_numbers(m, &w);
}

TEST(the_search_has_the_frequent_words_that_there_is_room_for)
{
    OWN(model_end) kedge_model *m = chancemodel_new(WORDS, TOPICS);
    kedge_error err = {0};
    pagewords w;
    size_t last = 0;

    for (uint64_t room = 0; room <= 4000; room += 1000) {
        ck_ok(pagewords_find(m, room, &w, &err), err);
        ck_assert(room == 0 ? w.count == w.shown : w.count > last);
        last = w.count;
        check_numbers(m, &w);
        pagewords_free(&w);
    }
    ck_assert_uint_lt(last, WORDS);
}

TEST(holders_have_most_of_a_word_and_are_in_order)
{
    OWN(model_end) kedge_model *m = chancemodel_new(WORDS, 2 * PAGE_TOPICS);
    const size_t k = m->topics;
    scored_row holder[PAGE_TOPICS];
    size_t full = 0;

    for (size_t i = 0; i < WORDS; i++) {
        const size_t count = pagewords_holders(m, i, holder);
        size_t all = 0;
        for (size_t t = 0; t < k; t++) {
            const double part =
                m->probabilities[i * k + t] * m->shares[t] / m->mix[i];
            all += part >= PAGE_HOLDS;
            ck_assert(part < PAGE_HOLDS || count == PAGE_TOPICS ||
                      part >= holder[count - 1].value);
        }
        ck_assert_uint_eq(count, all < PAGE_TOPICS ? all : PAGE_TOPICS);
        for (size_t h = 1; h < count; h++)
            ck_assert_double_ge(holder[h - 1].value, holder[h].value);
        full += all > PAGE_TOPICS;
    }
    ck_assert_uint_gt(full, 0);
}

TEST(a_word_of_no_topic_is_held_by_none)
{
    OWN(model_end) kedge_model *m = chancemodel_new(50, 2);
    scored_row holder[PAGE_TOPICS];

    m->mix[7] = 0;
    ck_assert_uint_eq(pagewords_holders(m, 7, holder), 0);
}

TEST(memory_may_end_anywhere)
{
    OWN(model_end) kedge_model *m = chancemodel_new(50, 2);
    kedge_error err = {0};

    GATE_LOOP {
        pagewords w;
        GATE_TRY(pagewords_find(m, 100, &w, &err));
        pagewords_free(&w);
    }
}
