/* SPDX-License-Identifier: MIT */
#include <kedge/documents.h>
#include <kedge/infer.h>

#include "base/gate.h"
#include "infer/compose.h"
#include "linalg/blas.h"
#include "ops/models/model.h"
#include "ops/program.h"

#define DOCUMENTS 200

typedef struct session {
    planted p;
    kedge_model *m;
    kedge_infer_opts o;
    kedge_infer *f;
    const char *path;
} session;

static void session_begin(session *s)
{
    *s = (session){0};
    planted_begin(&s->p, DOCUMENTS);
    planted_fill(&s->p);
    s->m = planted_fit(&s->p, PLANTED_TOPICS, NULL, NULL);
    kedge_infer_opts_init(&s->o);
}

static void session_end(session *s)
{
    kedge_infer_close(s->f);
    kedge_model_free(s->m);
    planted_end(&s->p);
}

#define SESSION(s)              \
    OWN(session_end) session s; \
    session_begin(&s)

static void open_infer(session *s, const char *path)
{
    kedge_infer_close(s->f);
    s->path = path;
    ck_ok(kedge_infer_open(s->p.t.s, &s->path, path != NULL, &s->o, &s->p.c,
                           &s->f, &s->p.t.err), s->p.t.err);
    ck_assert_uint_eq(kedge_infer_topics(s->f), PLANTED_TOPICS);
}

static const kedge_doc_topics *next(session *s)
{
    const kedge_doc_topics *c;

    ck_ok(kedge_infer_next(s->f, &c, &s->p.t.err), s->p.t.err);
    return c;
}

/* ---- the twin: the corpus itself, without store and reading -------------- */

static void twin(session *s, kedge_infer_method method, bool weighted,
                 double *shares)
{
    const size_t n = PLANTED_WORDS, k = PLANTED_TOPICS;
    kedge_error err = {0};
    uint32_t row[PLANTED_WORDS];
    double weight[PLANTED_WORDS];
    compose_input in = {.rows = n, .k = k, .b = s->m->probabilities,
                        .a = s->m->correlations,
                        .weight = weighted ? weight : NULL,
                        .documents = s->m->index.documents, .method = method,
                        .steps = 1000, .tolerance = 1e-2};
    docs d = {0};
    compose *c;
    size_t taken;

    blas_begin(4, NULL);
    for (uint32_t w = 0; w < n; w++)
        row[w] = w * 37 % PLANTED_WORDS; /* by the words' bytes */
    for (size_t i = 0; i < n; i++)
        weight[i] = 1 / kedge_model_word_probability(s->m)[i];
    for (size_t m = 0; m < s->p.d.count; m++)
        ck_assert(docs_append(&d, &s->p.d, m));
    ck_assert(docs_renumber(&d, 0, row));
    ck_ok(pool_create(1, &in.p, &err), err);
    ck_ok(compose_create(&in, &c, &err), err);
    ck_ok(compose_add(c, &d, 0, NULL, &taken, &err), err);
    ck_assert_uint_eq(taken, d.count);
    for (size_t m = 0; m < d.count; m++)
        memcpy(shares + m * k, compose_shares(c, m), k * sizeof *shares);
    compose_free(c);
    pool_free(in.p);
    docs_free(&d);
    blas_end();
}

static void check_all(session *s, const double *shares, const char *source)
{
    char id[256];

    for (size_t m = 0; m < DOCUMENTS; m++) {
        const kedge_doc_topics *const c = next(s);
        ck_assert_ptr_nonnull(c);
        snprintf(id, sizeof id, "%s:%zu", source, m + 1);
        ck_assert_str_eq(c->id, id);
        ck_assert_uint_eq(c->id_size, strlen(id));
        ck_assert_uint_eq(c->tokens, s->p.d.length[m]);
        ck_assert_uint_eq(c->oov, 0);
        ck_assert_int_eq(c->flag, KEDGE_DOC_OK);
        ck_assert(c->misfit > 0 && c->misfit < 1);
        ck_assert_mem_eq(c->proportions, shares + m * PLANTED_TOPICS,
                         PLANTED_TOPICS * sizeof *shares);
    }
    ck_assert_ptr_null(next(s));
    ck_assert_ptr_null(next(s));
}

static void check_result(const session *s)
{
    kedge_infer_result r;
    uint64_t tokens = 0;

    for (size_t m = 0; m < DOCUMENTS; m++)
        tokens += s->p.d.length[m];
    kedge_infer_get_result(s->f, &r);
    ck_assert_uint_eq(r.documents, DOCUMENTS);
    ck_assert_uint_eq(r.tokens, tokens);
    ck_assert_uint_eq(r.oov + r.empty + r.unknown + r.single + r.bad, 0);
    ck_assert_uint_ge(r.iterations, DOCUMENTS);
    ck_assert_uint_gt(r.planned_memory, r.peak_memory / 4);
}

TEST(stored_and_other_documents_are_composed)
{
    static double shares[DOCUMENTS * PLANTED_TOPICS];
    SESSION(s);
    for (int kind = 0; kind < 3; kind++) {
        s.o.method = kind == 0 ? KEDGE_INFER_LINEAR_BAYES
                               : KEDGE_INFER_LEAST_SQUARES;
        s.o.weighted = kind == 2;
        twin(&s, (kedge_infer_method)(kind > 0), kind == 2, shares);
        for (unsigned threads = 1; threads <= 2; threads++) {
            s.p.c.threads = threads;
            s.o.vocabulary = NULL;
            open_infer(&s, NULL);
            check_all(&s, shares, s.p.source);
            check_result(&s);
            s.o.vocabulary = s.p.vocabulary;
            open_infer(&s, s.p.source);
            check_all(&s, shares, s.p.source);
            check_result(&s);
        }
    }
}

/* A planted document is of its topic for the most part. */
/* One is asked for, one is answered. */
TEST(documents_of_a_program_are_composed_one_by_one)
{
    OWNED double *shares = calloc(DOCUMENTS * PLANTED_TOPICS, sizeof *shares);
    SESSION(s);
    program g;

    twin(&s, KEDGE_INFER_LINEAR_BAYES, false, shares);
    program_begin(&g, &s.p, DOCUMENTS);
    g.source.one_by_one = true;
    s.o.source = &g.source;
    open_infer(&s, NULL);
    for (size_t m = 0; m < DOCUMENTS; m++) {
        const kedge_doc_topics *const c = next(&s);
        ck_assert_uint_eq(g.next, m + 1);
        ck_assert_mem_eq(c->proportions, shares + m * PLANTED_TOPICS,
                         PLANTED_TOPICS * sizeof *shares);
    }
    ck_assert_ptr_null(next(&s));
    program_begin(&g, &s.p, DOCUMENTS);
    open_infer(&s, NULL);
    check_all(&s, shares, "memory");
    kedge_infer_close(s.f);
    s.o.method = KEDGE_INFER_PADD;
    ck_fails(kedge_infer_open(s.p.t.s, NULL, 0, &s.o, &s.p.c, &s.f,
                              &s.p.t.err), KEDGE_EINVAL, s.p.t.err, "twice");
}

TEST(planted_topics_are_found)
{
    SESSION(s);
    char path[96];
    size_t topic[PLANTED_TOPICS];
    FILE *f;

    for (size_t t = 0; t < PLANTED_TOPICS; t++)
        topic[kedge_model_anchors(s.m)[t] / 37 % PLANTED_TOPICS] = t;
    f = planted_file(planted_path(&s.p, "new.vw", path));
    for (size_t t = 0; t < PLANTED_TOPICS; t++)
        fprintf(f, "| w%03zu:60\n", t * 37 % PLANTED_WORDS);
    ck_assert_int_eq(fclose(f), 0);
    s.o.format = KEDGE_FORMAT_VW;
    open_infer(&s, path);
    for (size_t t = 0; t < PLANTED_TOPICS; t++) {
        const kedge_doc_topics *const c = next(&s);
        ck_assert_ptr_nonnull(c);
        ck_assert_double_gt(c->proportions[topic[t]], 0.8);
    }
}

TEST(odd_documents_are_flagged)
{
    static const struct {
        const char *text;
        kedge_doc_flag flag;
        uint64_t tokens, outside;
    } wanted[] = {
        {"\"\"", KEDGE_DOC_EMPTY, 0, 0},
        {"{}", KEDGE_DOC_EMPTY, 0, 0},
        {"{\"never\": 3, \"heard\": 2}", KEDGE_DOC_UNKNOWN, 0, 5},
        {"{\"w005\": 1}", KEDGE_DOC_SINGLE, 1, 0},
        {"{\"w005\": 1, \"x\": 1}", KEDGE_DOC_SINGLE, 1, 1},
        {"{\"w005\": 9, \"w006\": 1}", KEDGE_DOC_OK, 10, 0},
    };
    const size_t count = sizeof wanted / sizeof *wanted;
    SESSION(s);
    char path[96];
    kedge_infer_result r;
    FILE *f;

    f = planted_file(planted_path(&s.p, "odd.jsonl", path));
    for (size_t i = 0; i < count; i++)
        fprintf(f, "{\"id\": \"d%zu\", \"text\": %s}\n", i, wanted[i].text);
    ck_assert_int_eq(fclose(f), 0);
    for (int method = 0; method < 4; method++) {
        s.o.method = (kedge_infer_method)method;
        open_infer(&s, path);
        for (size_t i = 0; i < count; i++) {
            const kedge_doc_topics *const c = next(&s);
            ck_assert_ptr_nonnull(c);
            ck_assert_int_eq(c->flag, wanted[i].flag);
            ck_assert_uint_eq(c->tokens, wanted[i].tokens);
            ck_assert_uint_eq(c->oov, wanted[i].outside);
            ck_assert_uint_eq(c->ready, count - 1 - i);
            if (c->tokens == 0)
                ck_assert_double_eq(c->misfit, 1);
            for (size_t t = 0; c->tokens < 2 && t < c->topics; t++)
                ck_assert_double_lt(c->proportions[t], 0.9);
        }
        kedge_infer_get_result(s.f, &r);
        ck_assert_uint_eq(r.empty, 2);
        ck_assert_uint_eq(r.unknown, 1);
        ck_assert_uint_eq(r.single, 2);
        ck_assert_uint_eq(r.oov, 6);
    }
}

TEST(too_few_iterations_are_told)
{
    SESSION(s);
    const kedge_doc_topics *c;
    kedge_infer_result r;

    s.o.iterations = 2;
    s.o.tolerance = 1e-9;
    open_infer(&s, NULL);
    while ((c = next(&s)) != NULL) {
        ck_assert_int_eq(c->flag, KEDGE_DOC_UNSETTLED);
        ck_assert_uint_eq(c->iterations, 2);
    }
    kedge_infer_get_result(s.f, &r);
    ck_assert_uint_eq(r.unsettled, DOCUMENTS);
    ck_assert_uint_eq(r.iterations, 2 * DOCUMENTS);
}

static void take_all(session *s, double *shares)
{
    for (size_t m = 0; m < DOCUMENTS; m++) {
        const kedge_doc_topics *const c = next(s);
        ck_assert_ptr_nonnull(c);
        ck_assert_int_eq(c->flag, KEDGE_DOC_OK);
        memcpy(shares + m * PLANTED_TOPICS, c->proportions,
               PLANTED_TOPICS * sizeof *shares);
    }
    ck_assert_ptr_null(next(s));
}

/* The same from the store and from its source; correlations come nearer the
 * longer it takes. */
TEST(methods_of_all_documents_agree_with_correlations)
{
    static double shares[2][DOCUMENTS * PLANTED_TOPICS];
    SESSION(s);
    kedge_infer_result r, first;

    for (int method = KEDGE_INFER_PADD; method <= KEDGE_INFER_PAMI; method++) {
        s.o.method = (kedge_infer_method)method;
        s.o.vocabulary = NULL;
        s.o.iterations = 2;
        open_infer(&s, NULL);
        kedge_infer_get_result(s.f, &first);
        ck_assert_uint_eq(first.rounds, 2);
        s.o.iterations = 0;
        open_infer(&s, NULL);
        take_all(&s, shares[0]);
        kedge_infer_get_result(s.f, &r);
        ck_assert_uint_gt(r.rounds, 2);
        ck_assert_double_lt(r.strayed, first.strayed);
        ck_assert_uint_eq(r.documents, DOCUMENTS);
        s.p.c.threads = 2;
        s.o.vocabulary = s.p.vocabulary;
        open_infer(&s, s.p.source);
        take_all(&s, shares[1]);
        ck_assert_mem_eq(shares[0], shares[1], sizeof shares[0]);
    }
}

/* The planted topics have words of their own. */
TEST(an_inverse_is_told)
{
    static double shares[2][DOCUMENTS * PLANTED_TOPICS];
    SESSION(s);
    kedge_infer_result r;

    for (int faithful = 0; faithful < 2; faithful++) {
        s.o.method = KEDGE_INFER_TLI;
        s.o.as_published = faithful == 1;
        open_infer(&s, NULL);
        kedge_infer_get_result(s.f, &r);
        ck_assert(r.largest >= 1 && r.largest < 10);
        ck_assert_double_lt(r.bias, 1e-8);
        ck_assert_double_lt(r.gap, 1e-6);
        ck_assert_uint_eq(r.biased, 0);
        take_all(&s, shares[faithful]);
    }
    ck_assert_mem_ne(shares[0], shares[1], sizeof shares[0]);
}

/* What was learnt is not what comes then. */
TEST(documents_that_change_meanwhile_are_told)
{
    SESSION(s);
    char path[96];
    const kedge_doc_topics *c;
    kedge_status st = KEDGE_OK;

    planted_write(planted_path(&s.p, "changing", path), &s.p.d, 0, 50, false);
    s.o.method = KEDGE_INFER_PADD;
    s.o.vocabulary = s.p.vocabulary;
    open_infer(&s, path);
    planted_write(path, &s.p.d, 0, 60, false);
    for (c = NULL; st == KEDGE_OK;) {
        st = kedge_infer_next(s.f, &c, &s.p.t.err);
        ck_assert(st != KEDGE_OK || c != NULL);
    }
    ck_assert_int_eq(st, KEDGE_EINVAL);
    ck_assert_ptr_nonnull(strstr(s.p.t.err.text, "changed between the two "
                                                 "passes"));
}

TEST(what_makes_no_sense_is_refused)
{
    static const struct {
        kedge_infer_opts o;
        kedge_status status;
        const char *part;
    } refused[] = {
        {{.method = (kedge_infer_method)7}, KEDGE_EINVAL, "unknown method: 7"},
        {{.iterations = 1000001}, KEDGE_EINVAL, "at most 1000000"},
        {{.tolerance = 2}, KEDGE_EINVAL, "at most 1"},
        {{.tolerance = 0.1, .method = KEDGE_INFER_LEAST_SQUARES}, KEDGE_EINVAL,
         "--method linear-bayes, padd, pami, not to least-squares"},
        {{.weighted = true}, KEDGE_EINVAL, "--method least-squares"},
        {{.as_published = true}, KEDGE_EINVAL,
         "--method padd, pami, tli, not to linear-bayes"},
        {{.method = KEDGE_INFER_TLI, .iterations = 3}, KEDGE_EINVAL,
         "--iterations belongs to --method linear-bayes, least-squares, padd"},
        {{.tau = -1}, KEDGE_EINVAL, "above 0"},
        {{.rho = -1}, KEDGE_EINVAL, "above 0"},
        {{.tau = 1}, KEDGE_EINVAL, "--method padd"},
        {{.rho = 1}, KEDGE_EINVAL, "--method pami"},
        {{.model = "none"}, KEDGE_ENOTFOUND, "no model \"none\""},
    };
    SESSION(s);
    for (size_t i = 0; i <= sizeof refused / sizeof *refused; i++) {
        const bool last = i == sizeof refused / sizeof *refused;
        s.p.c.memory = last ? 1 << 20 : s.p.c.memory;
        ck_fails(kedge_infer_open(s.p.t.s, NULL, 0,
                                  last ? &s.o : &refused[i].o, &s.p.c, &s.f,
                                  &s.p.t.err),
                 last ? KEDGE_EBUDGET : refused[i].status, s.p.t.err,
                 last ? "inferring takes" : refused[i].part);
        ck_assert_ptr_null(s.f);
    }
}

TEST(it_can_be_stopped)
{
    SESSION(s);
    const kedge_doc_topics *c;

    open_infer(&s, NULL);
    s.p.c.stop = planted_stop;
    ck_fails(kedge_infer_next(s.f, &c, &s.p.t.err), KEDGE_ECANCELED,
             s.p.t.err, "");
    ck_assert_ptr_null(c);
}

/* What is open on a store that is closed ends with it. */
TEST(a_store_may_be_closed_first)
{
    const kedge_doc_topics *c = NULL;
    const kedge_document *d = NULL;
    kedge_documents *documents;
    kedge_store *second;
    kedge_status st;
    SESSION(s);
    for (int i = 0; i < 3; i++) {
        open_infer(&s, NULL);
        ck_assert_ptr_nonnull(next(&s));
        kedge_store_close(s.p.t.s);
        do
            st = kedge_infer_next(s.f, &c, &s.p.t.err);
        while (st == KEDGE_OK && c != NULL);
        ck_assert(st == KEDGE_OK || st == KEDGE_EMISUSE);
        ck_ok(kedge_store_open(s.p.t.path, KEDGE_OPEN_WRITE, &s.p.t.s,
                               &s.p.t.err), s.p.t.err);
        kedge_infer_close(s.f);
        s.f = NULL;
    }
    ck_ok(kedge_store_open(s.p.t.path, KEDGE_OPEN_READ, &second, &s.p.t.err),
          s.p.t.err);
    ck_ok(kedge_documents_open(second, NULL, 0, &s.p.c, &documents,
                               &s.p.t.err), s.p.t.err);
    ck_ok(kedge_documents_next(documents, &d, &s.p.t.err), s.p.t.err);
    kedge_store_close(second);
    do
        st = kedge_documents_next(documents, &d, &s.p.t.err);
    while (st == KEDGE_OK && d != NULL);
    ck_assert(st == KEDGE_OK || st == KEDGE_EMISUSE);
    kedge_documents_close(documents);
}

TEST(flags_and_methods_have_names)
{
    ck_assert_str_eq(kedge_doc_flag_name(KEDGE_DOC_OK), "ok");
    ck_assert_str_eq(kedge_doc_flag_name(KEDGE_DOC_UNSETTLED),
                     "unsettled");
    ck_assert_ptr_null(kedge_doc_flag_name((kedge_doc_flag)5));
    ck_assert_str_eq(kedge_infer_method_name(KEDGE_INFER_LINEAR_BAYES),
                     "linear-bayes");
    ck_assert_str_eq(kedge_infer_method_name(KEDGE_INFER_PAMI), "pami");
    ck_assert_str_eq(kedge_infer_method_name(KEDGE_INFER_MEAN), "mean");
    ck_assert_ptr_null(kedge_infer_method_name((kedge_infer_method)99));
}

static kedge_status open_and_ask(session *s)
{
    const kedge_doc_topics *c;
    kedge_status st = kedge_infer_open(s->p.t.s, NULL, 0, &s->o, &s->p.c,
                                       &s->f, &s->p.t.err);

    if (st == KEDGE_OK)
        st = kedge_infer_next(s->f, &c, &s->p.t.err);
    kedge_infer_close(s->f);
    s->f = NULL;
    return st;
}

TEST(no_memory_is_survived)
{
    SESSION(s);
    gate_starve(open_and_ask(&s));
}
