/* SPDX-License-Identifier: MIT */
#include "pipeline/fit/cooccurrence.h"

#include "pipeline/planted.h"

static void begin(planted *p)
{
    planted_begin(p, PLANTED_DOCUMENTS);
    planted_fill(p);
}

/* h_i h_j over pairs of tokens, of the documents that count. */
static double *naive(const planted *p, const kedge_model *m)
{
    const size_t n = PLANTED_WORDS;
    double *c = calloc(n * n, sizeof *c), counted = 0;
    size_t row[PLANTED_WORDS];

    for (size_t w = 0; w < n; w++) {
        char word[16];
        snprintf(word, sizeof word, "w%03zu", w * 37 % n);
        for (row[w] = 0; strcmp(kedge_model_word(m, row[w]), word) != 0;)
            row[w]++;
    }
    for (size_t d = 0; d < p->d.count; d++)
        counted += p->d.length[d] >= 5;
    for (size_t d = 0; d < p->d.count; d++) {
        const double length = (double)p->d.length[d];
        for (size_t i = p->d.start[d]; i < p->d.start[d + 1]; i++)
            for (size_t j = p->d.start[d];
                 length >= 5 && j < p->d.start[d + 1]; j++)
                c[row[p->d.word[i]] * n + row[p->d.word[j]]] +=
                    p->d.tally[i] *
                    ((double)p->d.tally[j] - (double)(i == j)) /
                    (length * (length - 1) * counted);
    }
    return c;
}

/* To the last bit. */
static void check_sparse(planted *p, const kedge_model *m, const double *dense)
{
    double room[PLANTED_WORDS];
    cooccurrence c;

    ck_ok(cooccurrence_open(&c, p->t.s, m, true, &p->c, &p->t.err), p->t.err);
    for (size_t i = 0; i < PLANTED_WORDS; i++)
        ck_assert_mem_eq(cooccurrence_row(&c, i, room),
                         dense + i * PLANTED_WORDS, sizeof room);
    cooccurrence_close(&c);
}

START_TEST(it_is_that_of_the_documents)
{
    for (unsigned threads = 1; threads <= 2; threads++) {
        planted p;
        cooccurrence c;
        double sum = 0;
        begin(&p);
        p.c.threads = threads;
        kedge_model *const m = planted_fit(&p, 4, NULL, NULL);
        double *const expected = naive(&p, m);
        ck_ok(cooccurrence_open(&c, p.t.s, m, false, &p.c, &p.t.err), p.t.err);
        ck_assert_uint_eq(c.words, PLANTED_WORDS);
        for (size_t i = 0; i < PLANTED_WORDS * PLANTED_WORDS; i++) {
            const double got = cooccurrence_matrix(&c)[i];
            ck_assert_double_eq_tol(got, expected[i],
                                    1e-6 * expected[i] + 1e-14);
            sum += got;
        }
        ck_assert_double_eq_tol(sum, 1, 1e-6);
        check_sparse(&p, m, cooccurrence_matrix(&c));
        cooccurrence_close(&c);
        free(expected);
        kedge_model_free(m);
        planted_end(&p);
    }
}
END_TEST

START_TEST(what_is_not_the_models_is_refused)
{
    planted p;
    cooccurrence c;
    kedge_fit_opts o;

    begin(&p);
    kedge_fit_opts_init(&o);
    o.ncut = true;
    kedge_model *const cut = planted_fit(&p, 3, &o, NULL);
    ck_fails(cooccurrence_open(&c, p.t.s, cut, false, &p.c, &p.t.err),
             KEDGE_EINVAL, p.t.err, "normalised cut");
    kedge_model *const m = planted_fit(&p, 4, NULL, NULL);
    p.c.memory = UINT64_C(40) << 20;
    ck_fails(cooccurrence_open(&c, p.t.s, m, false, &p.c, &p.t.err),
             KEDGE_EBUDGET, p.t.err,
             "the co-occurrence of all pairs of words takes");
    ck_fails(cooccurrence_open(&c, p.t.s, m, true, &p.c, &p.t.err),
             KEDGE_EBUDGET, p.t.err,
             "the co-occurrence of words that meet takes");
    kedge_control_init(&p.c);
    planted_make(&p.d, 99, 30);
    planted_write(p.source, &p.d, 0, 30, false);
    ck_ok(planted_ingest(&p, p.source), p.t.err);
    ck_fails(cooccurrence_open(&c, p.t.s, m, false, &p.c, &p.t.err),
             KEDGE_EINVAL, p.t.err, "fit it again");
    ck_assert_ptr_null(c.exact);
    kedge_model_free(m);
    kedge_model_free(cut);
    planted_end(&p);
}
END_TEST

START_TEST(no_memory_is_survived)
{
    planted p;
    cooccurrence c;

    begin(&p);
    p.c.threads = 1;
    kedge_model *const m = planted_fit(&p, 4, NULL, NULL);
    for (int sparse = 0; sparse < 2; sparse++) {
        scene_starve(cooccurrence_open(&c, p.t.s, m, sparse, &p.c, &p.t.err),
                     p.t.err);
        cooccurrence_close(&c);
    }
    kedge_model_free(m);
    planted_end(&p);
}
END_TEST

UNIT_SUITE("cooccurrence",
    it_is_that_of_the_documents,
    what_is_not_the_models_is_refused,
    no_memory_is_survived)
