/* SPDX-License-Identifier: MIT */
#include "ops/fitted.h"

TEST(planted_topics_are_found)
{
    PLANTED_STORE(p);
    kedge_fit_result r;
    bool seen[PLANTED_TOPICS] = {false};

    OWN(model_end) kedge_model *m = planted_fit(&p, PLANTED_TOPICS, NULL, &r);
    fitted_check(m, r.topic_cooccurrence_sum);
    ck_assert_double_eq_tol(r.topic_cooccurrence_sum, 1, 0.1);
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
}

/* From one store, by each statistic; A sums to one as the statistics do. */
TEST(damped_topics_are_found)
{
    static const char *const kinds[] = {"log", "sqrt", "raw"};
    OWN(planted_end) planted p;

    planted_begin(&p, PLANTED_DOCUMENTS);
    p.o.tf = "log,sqrt,raw";
    planted_fill(&p);
    for (size_t i = 0; i < 6; i++) {
        kedge_fit_opts o = planted_opts();
        kedge_fit_result r;
        o.tf = kinds[i % 3];
        o.power_iter = i / 3;
        o.fresh = true;
        OWN(model_end) kedge_model *m = planted_fit(&p, PLANTED_TOPICS, &o, &r);
        fitted_check(m, r.topic_cooccurrence_sum);
        ck_assert_double_eq_tol(r.topic_cooccurrence_sum, 1, 0.1);
        ck_assert_double_lt(r.unexplained, 0.9);
    }
    ck_assert_uint_eq(planted_info(&p).indexes, 3);
}

static void check_together(planted *p, uint64_t passes,
                           kedge_term_weight weight)
{
    static const uint64_t topics[] = {4, 2, 6};
    kedge_fit_opts o = planted_opts();
    kedge_fit_result r[3];

    o.power_iter = passes;
    o.term_weight = weight;
    o.save_spectrum = true;
    o.name = "all";
    ck_ok(kedge_fit(p->t.s, topics, 3, &o, &p->c, r, &p->t.err), p->t.err);
    for (size_t i = 0; i < 3; i++) {
        OWN(model_end) kedge_model *together = NULL, *single = NULL;
        char name[16];
        snprintf(name, sizeof name, "all-k%u", (unsigned)topics[i]);
        ck_assert_str_eq(r[i].model, name);
        together = planted_load(p, name);
        /* of the same name, as it is part of what is exported */
        single = fitted_alone(p, topics[i], passes, weight, name);
        ck_assert_msg(planted_same(single, together), "%u topics, %u passes",
                      (unsigned)topics[i], (unsigned)passes);
    }
}

TEST(several_at_once_are_the_same_as_alone)
{
    PLANTED_STORE(p);
    for (int weight = 0; weight < 3; weight++)
        check_together(&p, 0, (kedge_term_weight)weight);
}

TEST(several_refined_at_once_agree)
{
    PLANTED_STORE(p);
    check_together(&p, 2, KEDGE_TERM_WEIGHT_NONE);
    check_together(&p, 2, KEDGE_TERM_WEIGHT_IDF);
}

TEST(statistics_that_hold_nothing_are_refused)
{
    static const uint64_t two[] = {2};
    OWN(planted_end) planted p;
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
             "the index's words");
    o.tf = "tfidf";
    ck_fails(fitted_try(&p, two, 1, &o), KEDGE_EINVAL, p.t.err,
             "--tf \"tfidf\"");
}

TEST(nothing_to_fit_is_told)
{
    static const uint64_t topics[] = {2};
    OWN(planted_end) planted p;
    kedge_fit_opts o = planted_opts();

    planted_begin(&p, PLANTED_DOCUMENTS);
    ck_fails(fitted_try(&p, topics, 1, &o), KEDGE_ENOTFOUND, p.t.err,
             "no documents yet");
    p.o.min_tokens = 1000;
    planted_fill(&p);
    ck_assert_uint_eq(p.r.counted, 0);
    ck_fails(fitted_try(&p, topics, 1, &o), KEDGE_ENOTFOUND, p.t.err,
             "or more of the index's words");
}

TEST(more_topics_than_words_are_told)
{
    static const uint64_t topics[] = {20};
    OWN(planted_end) planted p;
    kedge_fit_opts o = planted_opts();

    planted_begin(&p, 8);
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
}

static int stop_countdown(void *data)
{
    long *left = data;

    return __atomic_fetch_sub(left, 1, __ATOMIC_RELAXED) <= 0;
}

TEST(an_index_that_comes_to_nothing_goes)
{
    static const uint64_t many[] = {3, 9}, good[] = {3};
    kedge_index_info v;
    kedge_fit_opts o = planted_opts();
    PLANTED_STORE(p);
    char path[96];

    fitted_list(&p, 8, path);
    o.keep_words = path;
    ck_fails(fitted_try(&p, many, 2, &o), KEDGE_ENUMERIC, p.t.err,
             "9 topics are too many for 8 words: fit 8 topics at most");
    ck_assert_uint_eq(planted_info(&p).indexes, 1);
    o.min_tokens = 900; /* known only once all are counted */
    ck_fails(fitted_try(&p, good, 1, &o), KEDGE_ENOTFOUND, p.t.err,
             "or more of the index's words");
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
    ck_assert_int_eq(fitted_try(&p, many, 2, &o), KEDGE_ENUMERIC);
    ck_assert_uint_eq(planted_info(&p).indexes, 2);
    ck_ok(kedge_store_get_index(p.t.s, 1, &v, &p.t.err), p.t.err);
    ck_assert(v.current);
}

TEST(readers_cannot_fit)
{
    static const uint64_t topics[] = {4};
    PLANTED_STORE(p);
    kedge_fit_opts o = planted_opts();

    scene_reopen(&p.t, KEDGE_OPEN_READ);
    ck_assert_int_ne(fitted_try(&p, topics, 1, &o), KEDGE_OK);
    ck_assert_str_ne(p.t.err.text, "");
}

/* ---- in every way -------------------------------------------------------- */

#define WAYS 13

static kedge_fit_opts way(size_t i)
{
    static const kedge_rectify kinds[] = {
        KEDGE_RECTIFY_NONE, KEDGE_RECTIFY_PALM, KEDGE_RECTIFY_IPALM,
        KEDGE_RECTIFY_AP, KEDGE_RECTIFY_DR};
    kedge_fit_opts o = planted_opts();

    o.name = "m";
    o.fresh = o.save_spectrum = true;
    o.term_weight = (kedge_term_weight)(i % 3);
    o.power_iter = i == 1 || i == 2 ? i : i == 5;
    o.em_iter = i == 3 ? 2 : 0;
    o.ncut = i == 4 || i == 5;
    o.cooccurrence = i == 6   ? KEDGE_COOCCURRENCE_DENSE
                     : i == 7 ? KEDGE_COOCCURRENCE_SPARSE
                              : KEDGE_COOCCURRENCE_AUTO;
    if (i >= 8) {
        o.rectify = kinds[i - 8];
        o.rectify_iter = 2;
    }
    return o;
}

static kedge_status fit_way(planted *p, size_t i, kedge_fit_result *r)
{
    static const uint64_t topics[] = {PLANTED_TOPICS};
    const kedge_fit_opts o = way(i);

    return kedge_fit(p->t.s, topics, 1, &o, &p->c, r, &p->t.err);
}

/* The later documents first, in a file of their own, the words numbered the
 * other way round, and a batch that left again. */
static void begin_turned(planted *p, const char *kind, unsigned threads)
{
    char later[96];
    const char *files[2] = {later, p->source};
    kedge_remove_opts gone;
    kedge_remove_result r;

    planted_begin(p, PLANTED_DOCUMENTS);
    p->o.tf = kind;
    p->c.threads = threads;
    planted_path(p, "later.txt", later);
    planted_write(later, &p->d, 30, 70, true);
    planted_write_words(p->vocabulary, PLANTED_WORDS, true);
    kedge_remove_opts_init(&gone);
    p->o.batch = gone.batch = "gone";
    ck_ok(planted_ingest(p, later), p->t.err);
    p->o.batch = NULL;
    ck_ok(kedge_remove(p->t.s, &gone, &p->c, &r, &p->t.err), p->t.err);
    ck_assert_uint_eq(r.documents, 40);
    planted_write(later, &p->d, 100, p->d.count, true);
    planted_write(p->source, &p->d, 0, 100, true);
    ck_ok(planted_ingest_all(p, files, 2), p->t.err);
}

TEST(threads_orders_and_those_that_left_leave_no_trace)
{
    static const char *const kinds[] = {"raw", "log", "sqrt"};

    for (unsigned threads = 1; threads <= 3; threads++) {
        OWN(planted_end) planted p, turned;
        planted_begin(&p, PLANTED_DOCUMENTS);
        p.o.tf = kinds[threads - 1];
        planted_fill(&p);
        begin_turned(&turned, kinds[threads - 1], threads);
        for (size_t i = 0; i < WAYS; i++) {
            const kedge_fit_opts o = way(i);
            kedge_fit_result r, other;
            OWN(model_end) kedge_model *m =
                planted_fit(&p, PLANTED_TOPICS, &o, &r);
            OWN(model_end) kedge_model *again =
                planted_fit(&turned, PLANTED_TOPICS, &o, &other);
            ck_assert_msg(planted_same(m, again), "way %zu", i);
            ck_assert_mem_eq(r.likelihood, other.likelihood,
                             sizeof r.likelihood);
            ck_assert_int_eq(r.rectify, o.rectify);
            ck_assert_int_eq(r.cooccurrence, fitcheck_cooccurrence(&o));
            ck_assert_int_eq(r.rectify_iter > 0,
                             o.rectify != KEDGE_RECTIFY_NONE);
        }
    }
}

/* What is heard of a fit, which stops at a question. */
typedef struct watched {
    char stage[32];
    uint64_t done, total;
    unsigned stages; /* of `names` that were seen */
    long left;
} watched;

static const char *const names[] = {"degrees", "sketch", "power iteration",
                                    "EM", "co-occurrence", "rectify"};

static void watch(void *data, const kedge_progress *now)
{
    watched *const w = data;

    if (strcmp(w->stage, now->stage) == 0)
        ck_assert_uint_ge(now->done, w->done);
    snprintf(w->stage, sizeof w->stage, "%s", now->stage);
    ck_assert_uint_le(now->done, now->total);
    w->done = now->done;
    w->total = now->total;
    for (unsigned i = 0; i < 6; i++)
        w->stages |= (unsigned)(strcmp(names[i], now->stage) == 0) << i;
}

static int stop_later(void *data)
{
    watched *const w = data;

    return stop_countdown(&w->left);
}

/* At some of all the questions that there are, until none is left; which stages
 * are heard of. */
TEST(every_way_can_be_watched_and_stopped)
{
    static const unsigned stages[WAYS] = {0, 4, 4, 8, 3, 7, 16, 16,
                                          0, 32, 32, 16, 16};

    for (size_t i = 0; i < WAYS; i++) {
        PLANTED_STORE(p);
        kedge_status st = KEDGE_ECANCELED;
        kedge_fit_result r;
        watched w;
        unsigned heard = 0, stops = 0;
        p.c.progress = watch;
        p.c.stop = stop_later;
        p.c.data = &w;
        for (long n = 0; st != KEDGE_OK; n += 1 + n / 4, stops++) {
            w = (watched){.left = n};
            st = fit_way(&p, i, &r);
            if (st != KEDGE_OK)
                ck_fails(st, KEDGE_ECANCELED, p.t.err, "stopped");
            ck_assert_uint_eq(planted_info(&p).models, st == KEDGE_OK);
            heard |= w.stages;
        }
        ck_assert_uint_gt(stops, 4);
        ck_assert_msg((heard & stages[i]) == stages[i], "way %zu: %u", i,
                      heard);
    }
}

TEST(fitting_without_memory)
{
    for (size_t i = 0; i < WAYS; i++) {
        PLANTED_STORE(p);
        kedge_fit_result r;
        kedge_status st = KEDGE_ENOMEM;
        p.c.threads = 1;
        for (long k = 0; st != KEDGE_OK; k += 7) {
            gate_allow(k);
            st = fit_way(&p, i, &r);
            gate_open();
            ck_assert_msg(st == KEDGE_OK || st == KEDGE_ENOMEM, "%ld: %d %s",
                          k, (int)st, p.t.err.text);
            ck_assert_int_lt(k, 20000);
        }
        ck_assert_uint_eq(planted_info(&p).models, 1);
    }
}
