/* SPDX-License-Identifier: MIT */
/*
 * Topic proportions by the library's own methods, of topics and a topic
 * co-occurrence A that no store has: what `kedge infer` does once it has a
 * model.
 *
 *   composing METHOD STEP PUBLISHED WEIGHTED DOCUMENTS < problem > proportions
 *
 * METHOD is a number of kedge_infer_method, DOCUMENTS how many A was learned
 * from. What is known is A (k x k), and then a weight for each row: of PADD and
 * PAMI, and of least squares where WEIGHTED.
 */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/pool.h"
#include "infer/compose.h"
#include "linalg/blas.h"
#include "problem.h"

#define TOLERANCE 1e-2 /* as kedge infer has them */
#define TOLERANCE_OF_ALL 1e-3
#define STEPS 200
#define ROUNDS 50

static const kedge_control quiet;

static void must(kedge_status st, const kedge_error *err)
{
    if (st != KEDGE_OK)
        problem_fail(err->text);
}

static docs composing_docs(const problem *p)
{
    docs d = {0};
    bool good = true;

    for (uint64_t m = 0; m < p->documents && good; m++) {
        good = docs_begin(&d, m + 1);
        for (uint64_t e = p->start[m]; e < p->start[m + 1] && good; e++)
            good = docs_push(&d, p->word[e], p->tally[e]);
    }
    if (!good)
        problem_fail("no memory");
    return d;
}

static void composing_learn(compose *c, const docs *d)
{
    kedge_error err = {0};
    joint_report report;

    must(compose_learn(c, d, &err), &err);
    must(compose_settle(c, &quiet, &report, &err), &err);
    fprintf(stderr, "%zu rounds%s\n", report.rounds,
            report.settled ? "" : ", not settled");
}

static void composing_run(compose *c, const docs *d, problem *p)
{
    kedge_error err = {0};

    for (size_t from = 0, count; from < d->count; from += count) {
        must(compose_add(c, d, from, NULL, &count, &err), &err);
        for (size_t m = 0; m < count; m++)
            memcpy(p->shares + (from + m) * p->k, compose_shares(c, m),
                   p->k * sizeof *p->shares);
    }
}

static compose_input composing_input(const problem *p, char **argv)
{
    compose_input in = {.rows = p->rows,
                        .k = p->k,
                        .b = p->b,
                        .a = p->known,
                        .documents = (uint64_t)problem_number(argv[5]),
                        .folder = ".",
                        .control = &quiet};

    in.method = (kedge_infer_method)problem_number(argv[1]);
    in.tolerance = compose_ways[in.method].of_all ? TOLERANCE_OF_ALL
                                                  : TOLERANCE;
    in.step = problem_number(argv[2]);
    in.faithful = problem_number(argv[3]) > 0;
    if (problem_number(argv[4]) > 0 || compose_ways[in.method].of_all)
        in.weight = p->known + p->k * p->k;
    in.steps = compose_ways[in.method].of_all      ? ROUNDS
               : in.method == KEDGE_INFER_LINEAR_BAYES ? STEPS
                                             : 0;
    return in;
}

int main(int argc, char **argv)
{
    kedge_error err = {0};
    problem p;
    compose_input in;
    compose *c = NULL;
    docs d;

    if (argc != 6)
        problem_fail("composing METHOD STEP FAITHFUL WEIGHTED DOCUMENTS");
    problem_read(&p);
    if (p.numbers != p.k * p.k + p.rows)
        problem_fail("A and weights are needed");
    in = composing_input(&p, argv);
    must(pool_create(1, &in.p, &err), &err);
    must(blas_begin(1, &err), &err);
    must(compose_create(&in, &c, &err), &err);
    d = composing_docs(&p);
    if (compose_ways[in.method].of_all)
        composing_learn(c, &d);
    composing_run(c, &d, &p);
    problem_write(&p);
    compose_free(c);
    pool_free(in.p);
    docs_free(&d);
    problem_free(&p);
    return 0;
}
