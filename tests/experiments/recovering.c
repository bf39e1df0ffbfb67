/* SPDX-License-Identifier: MIT */
/*
 * Topics of exact moments, which no documents have: what `kedge fit` does with
 * Y, of a Y that is given.
 *
 *   recovering ANCHORS RECOVER < problem > topics
 *
 * ANCHORS and RECOVER are numbers of kedge_anchors and kedge_recover. In the
 * place of p(word | topic) stands Y, and what is known are the sums of the rows
 * of YY'.
 */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/pool.h"
#include "linalg/blas.h"
#include "problem.h"
#include "topics/law.h"

#define STEPS 500 /* as kedge fit has them */
#define TOLERANCE 1e-6

static void must(kedge_status st, const kedge_error *err)
{
    if (st != KEDGE_OK)
        problem_fail(err->text);
}

int main(int argc, char **argv)
{
    kedge_error err = {0};
    problem p;
    law_output out;
    uint64_t *df;
    pool *workers;

    if (argc != 3)
        problem_fail("recovering ANCHORS RECOVER");
    problem_read(&p);
    if (p.numbers != p.rows)
        problem_fail("the sums of rows are needed");
    df = problem_room(p.rows, sizeof *df);
    law_input in = {.rows = p.rows, .k = p.k, .y = p.b, .sums = p.known,
                    .df = df, .steps = STEPS, .tolerance = TOLERANCE};
    in.ways.anchors = (kedge_anchors)problem_number(argv[1]);
    in.ways.recover = (kedge_recover)problem_number(argv[2]);
    must(pool_create(1, &workers, &err), &err);
    must(blas_begin(1, &err), &err);
    must(law_fit(workers, &in, &out, &err), &err);
    if (out.unsettled > 0)
        fprintf(stderr, "%zu words unsettled\n", out.unsettled);
    problem_tell(out.b, p.rows * p.k);
    law_free(&out);
    pool_free(workers);
    mem_free(df);
    problem_free(&p);
    return 0;
}
