/* SPDX-License-Identifier: MIT */
#include "ops/fitted.h"

#include "base/gate.h"

TEST(planted_topics_are_found)
{
    planted p;
    kedge_fit_result r;
    bool seen[PLANTED_TOPICS] = {false};

    fitted_begin(&p);
    kedge_model *const m = planted_fit(&p, PLANTED_TOPICS, NULL, &r);
    fitted_check(m, r.cooccurrence_sum);
    ck_assert_double_eq_tol(r.cooccurrence_sum, 1, 0.1);
    for (uint64_t t = 0; t < PLANTED_TOPICS; t++) {
        kedge_ranked_word top;
        uint64_t got;
        ck_ok(kedge_model_top_words(m, t, KEDGE_RANK_PROBABILITY, &top, 1,
                                    &got, &p.t.err), p.t.err);
        for (unsigned w = 0; w < PLANTED_TOPICS; w++) {
            char word[8];
            snprintf(word, sizeof word, "w%03u", w * 37 % PLANTED_WORDS);
            seen[w] |= strcmp(kedge_model_word(m, top.row), word) == 0;
        }
    }
    for (unsigned w = 0; w < PLANTED_TOPICS; w++)
        ck_assert_msg(seen[w], "topic %u was not found", w);
    kedge_model_free(m);
    planted_end(&p);
}

/* From one store, by each statistic; A sums to one as the statistics do. */
TEST(damped_topics_are_found)
{
    static const char *const kinds[] = {"log", "sqrt", "raw"};
    planted p;

    planted_begin(&p, PLANTED_DOCUMENTS);
    p.o.tf = "log,sqrt,raw";
    planted_fill(&p);
    for (size_t i = 0; i < 6; i++) {
        kedge_fit_opts o;
        kedge_fit_result r;
        kedge_fit_opts_init(&o);
        o.tf = kinds[i % 3];
        o.power_iter = i / 3;
        o.fresh = true;
        kedge_model *const m = planted_fit(&p, PLANTED_TOPICS, &o, &r);
        fitted_check(m, r.cooccurrence_sum);
        ck_assert_double_eq_tol(r.cooccurrence_sum, 1, 0.1);
        ck_assert_double_lt(r.unexplained, 0.9);
        kedge_model_free(m);
    }
    ck_assert_uint_eq(planted_info(&p).indexes, 3);
    planted_end(&p);
}

static void check_together(planted *p, uint64_t passes, kedge_term_weight weight)
{
    static const uint64_t topics[] = {4, 2, 6};
    kedge_fit_opts o;
    kedge_fit_result r[3];

    kedge_fit_opts_init(&o);
    o.power_iter = passes;
    o.term_weight = weight;
    o.save_spectrum = true;
    o.name = "all";
    ck_ok(kedge_fit(p->t.s, topics, 3, &o, &p->c, r, &p->t.err), p->t.err);
    for (size_t i = 0; i < 3; i++) {
        char name[16];
        kedge_model *together;
        snprintf(name, sizeof name, "all-k%u", (unsigned)topics[i]);
        ck_assert_str_eq(r[i].model, name);
        ck_ok(kedge_model_load(p->t.s, name, NULL, &together, &p->t.err),
              p->t.err);
        /* of the same name, as it is part of what is exported */
        kedge_model *const single = fitted_alone(p, topics[i], passes, weight,
                                          name);
        ck_assert_msg(planted_same(single, together), "%u topics, %u passes",
                      (unsigned)topics[i], (unsigned)passes);
        kedge_model_free(single);
        kedge_model_free(together);
    }
}

TEST(several_at_once_are_the_same_as_alone)
{
    planted p;

    fitted_begin(&p);
    for (int weight = 0; weight < 3; weight++)
        check_together(&p, 0, (kedge_term_weight)weight);
    planted_end(&p);
}

TEST(several_refined_at_once_agree)
{
    planted p;

    fitted_begin(&p);
    check_together(&p, 2, KEDGE_TERM_WEIGHT_NONE);
    check_together(&p, 2, KEDGE_TERM_WEIGHT_IDF);
    planted_end(&p);
}

TEST(threads_do_not_matter)
{
    kedge_model *first[6] = {NULL};

    for (unsigned threads = 1; threads <= 4; threads++) {
        planted p;
        planted_begin(&p, PLANTED_DOCUMENTS);
        p.c.threads = threads;
        planted_fill(&p);
        for (size_t i = 0; i < 6; i++) {
            kedge_model *const m =
                fitted_alone(&p, 4, i % 2, (kedge_term_weight)(i / 2), NULL);
            if (first[i] == NULL) {
                first[i] = m;
                continue;
            }
            ck_assert(planted_same(first[i], m));
            kedge_model_free(m);
        }
        planted_end(&p);
    }
    for (size_t i = 0; i < 6; i++)
        kedge_model_free(first[i]);
}

TEST(statistics_that_hold_nothing_are_refused)
{
    static const uint64_t two[] = {2};
    planted p;
    kedge_fit_opts o;

    planted_begin(&p, PLANTED_DOCUMENTS);
    docs_clear(&p.d);
    for (uint32_t m = 0; m < 30; m++)
        ck_assert(docs_begin(&p.d, m + 1) && docs_push(&p.d, m % 7, 9));
    planted_write(p.source, &p.d, 0, 30, false);
    p.o.tf = "log";
    planted_fill(&p);
    kedge_fit_opts_init(&o);
    ck_fails(fitted_try(&p, two, 1, &o), KEDGE_ENOTFOUND, p.t.err, "has two of "
             "the view's words");
    o.tf = "tfidf";
    ck_fails(fitted_try(&p, two, 1, &o), KEDGE_EINVAL, p.t.err,
             "tic \"tfidf\"");
    planted_end(&p);
}

TEST(nothing_to_fit_is_told)
{
    static const uint64_t topics[] = {2};
    planted p;
    kedge_fit_opts o;

    planted_begin(&p, PLANTED_DOCUMENTS);
    kedge_fit_opts_init(&o);
    ck_fails(fitted_try(&p, topics, 1, &o), KEDGE_ENOTFOUND, p.t.err,
             "no documents yet");
    p.o.min_tokens = 1000;
    planted_fill(&p);
    ck_assert_uint_eq(p.r.counted, 0);
    ck_fails(fitted_try(&p, topics, 1, &o), KEDGE_ENOTFOUND, p.t.err,
             "or more of the view's words");
    planted_end(&p);
}

TEST(more_topics_than_words_are_told)
{
    static const uint64_t topics[] = {20};
    planted p;
    kedge_fit_opts o;

    planted_begin(&p, 8);
    kedge_fit_opts_init(&o);
    FILE *f = planted_file(p.vocabulary);
    fprintf(f, "a\nb\nc\nd\ne\n");
    ck_assert_int_eq(fclose(f), 0);
    f = planted_file(p.source);
    fprintf(f, "6\n5\n12\n");
    for (int m = 0; m < 6; m++)
        fprintf(f, "%d %d 3\n%d %d 3\n", m + 1, m % 4 + 1, m + 1, 5);
    ck_assert_int_eq(fclose(f), 0);
    planted_fill(&p);
    for (uint64_t passes = 0; passes < 2; passes++) {
        o.power_iter = passes;
        const kedge_status st = fitted_try(&p, topics, 1, &o);
        ck_assert_int_ne(st, KEDGE_OK);
        ck_assert_str_ne(p.t.err.text, "");
    }
    ck_assert_uint_eq(planted_info(&p).models, 0);
    planted_end(&p);
}

static int stop_countdown(void *data)
{
    long *left = data;

    return __atomic_fetch_sub(left, 1, __ATOMIC_RELAXED) <= 0;
}

TEST(a_view_that_comes_to_nothing_goes)
{
    static const uint64_t many[] = {3, 9}, good[] = {3};
    kedge_index_info v;
    kedge_fit_opts o;
    planted p;
    char path[96];

    fitted_begin(&p);
    fitted_list(&p, 8, path);
    kedge_fit_opts_init(&o);
    o.keep_words = path;
    ck_fails(fitted_try(&p, many, 2, &o), KEDGE_EINVAL, p.t.err,
             "9 topics are too many for 8 words: that many have 8 topics at "
             "most");
    ck_assert_uint_eq(planted_info(&p).indexes, 1);
    o.min_tokens = 900; /* known only once all are counted */
    ck_fails(fitted_try(&p, good, 1, &o), KEDGE_ENOTFOUND, p.t.err,
             "or more of the view's words");
    ck_assert_uint_eq(planted_info(&p).indexes, 1);
    o.min_tokens = 0;
    p.c.stop = stop_countdown;
    long left = 0;
    p.c.data = &left;
    ck_fails(fitted_try(&p, good, 1, &o), KEDGE_ECANCELED, p.t.err, "");
    p.c.stop = NULL;
    ck_assert_uint_eq(planted_info(&p).indexes, 1);
    kedge_model_free(planted_fit(&p, 3, &o, NULL));
    ck_assert_uint_eq(planted_info(&p).indexes, 2);
    /* is another's */
    ck_assert_int_eq(fitted_try(&p, many, 2, &o), KEDGE_EINVAL);
    ck_assert_uint_eq(planted_info(&p).indexes, 2);
    ck_ok(kedge_store_get_index(p.t.s, 1, &v, &p.t.err), p.t.err);
    ck_assert(v.current);
    planted_end(&p);
}

TEST(readers_cannot_fit)
{
    static const uint64_t topics[] = {4};
    planted p;
    kedge_fit_opts o;

    fitted_begin(&p);
    kedge_fit_opts_init(&o);
    scene_reopen(&p.t, KEDGE_OPEN_READ);
    ck_assert_int_ne(fitted_try(&p, topics, 1, &o), KEDGE_OK);
    ck_assert_str_ne(p.t.err.text, "");
    planted_end(&p);
}

TEST(a_fit_can_be_stopped)
{
    static const uint64_t topics[] = {3, 4};
    planted p;
    kedge_fit_opts o;
    kedge_status st = KEDGE_ECANCELED;
    long n = 0;

    fitted_begin(&p);
    kedge_fit_opts_init(&o);
    o.power_iter = o.em_iter = 1;
    p.c.stop = stop_countdown;
    for (; st != KEDGE_OK; n++) {
        long left = n;
        p.c.data = &left;
        st = fitted_try(&p, topics, 2, &o);
        ck_assert(st == KEDGE_OK || st == KEDGE_ECANCELED);
        ck_assert_int_lt(n, 500);
    }
    ck_assert_int_gt(n, 4);
    planted_end(&p);
}

TEST(fitting_without_memory)
{
    static const uint64_t topics[] = {3, 4};
    planted p;
    kedge_fit_opts o;
    kedge_status st = KEDGE_ENOMEM;

    fitted_begin(&p);
    p.c.threads = 1;
    kedge_fit_opts_init(&o);
    o.power_iter = o.em_iter = 2;
    o.term_weight = KEDGE_TERM_WEIGHT_SQRT;
    o.save_spectrum = true;
    for (long k = 0; st != KEDGE_OK; k += 7) {
        gate_allow(k);
        st = fitted_try(&p, topics, 2, &o);
        gate_open();
        ck_assert_msg(st == KEDGE_OK || st == KEDGE_ENOMEM, "%ld: %d %s", k,
                      (int)st, p.t.err.text);
        ck_assert_int_lt(k, 20000);
    }
    ck_assert_uint_eq(planted_info(&p).models, 2);
    planted_end(&p);
}
