/* SPDX-License-Identifier: MIT */
#ifndef TESTS_UNIT_OPS_MEASURED_H
#define TESTS_UNIT_OPS_MEASURED_H
/* A planted corpus with a model of it, and the corpus itself by rows. */
#include <kedge/eval.h>

#include "ops/fitted.h"

#define MEASURED_DOCUMENTS 400

typedef struct measured {
    planted p;
    kedge_model *m;
    docs d; /* words are rows */
    kedge_eval_opts o;
} measured;

static inline void measured_begin(measured *s, const char *kind,
                                  kedge_term_weight weight)
{
    uint32_t row[PLANTED_WORDS];
    kedge_fit_opts o;

    *s = (measured){0};
    planted_begin(&s->p, MEASURED_DOCUMENTS);
    s->p.o.tf = kind;
    s->p.o.batch = "all";
    planted_fill(&s->p);
    kedge_fit_opts_init(&o);
    o.term_weight = weight;
    s->m = planted_fit(&s->p, PLANTED_TOPICS, &o, NULL);
    for (uint32_t w = 0; w < PLANTED_WORDS; w++)
        row[w] = w * 37 % PLANTED_WORDS; /* by the words' bytes */
    for (size_t m = 0; m < s->p.d.count; m++)
        ck_assert(docs_append(&s->d, &s->p.d, m));
    ck_assert(docs_renumber(&s->d, 0, row));
    kedge_eval_opts_init(&s->o);
}

static inline void measured_end(measured *s)
{
    kedge_model_free(s->m);
    docs_free(&s->d);
    planted_end(&s->p);
}

#define MEASURED(s, kind, weight)  \
    OWN(measured_end) measured s;  \
    measured_begin(&s, kind, weight)

static inline uint32_t measured_tally(const docs *d, size_t m, uint64_t row)
{
    for (size_t e = d->start[m]; e < d->start[m + 1]; e++)
        if (d->word[e] == row)
            return d->tally[e];
    return 0;
}

/* Documents that hold both words. */
static inline double measured_documents(const measured *s, uint64_t a,
                                        uint64_t b)
{
    double sum = 0;

    for (size_t m = 0; m < s->d.count; m++)
        sum += measured_tally(&s->d, m, a) > 0 &&
               measured_tally(&s->d, m, b) > 0;
    return sum;
}

static inline kedge_eval_result measured_eval(measured *s)
{
    const char *const name = kedge_model_name(s->m);
    kedge_eval_result r;

    ck_ok(kedge_eval(s->p.t.s, &name, 1, &s->o, &s->p.c, &r, &s->p.t.err),
          s->p.t.err);
    return r;
}

#endif
