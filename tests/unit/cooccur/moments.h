/* SPDX-License-Identifier: MIT */
#ifndef TESTS_UNIT_COOCCUR_MOMENTS_H
#define TESTS_UNIT_COOCCUR_MOMENTS_H
/* Random documents as a window, and their co-occurrence C as a dense matrix,
 * straight from its formula. */
#include "cooccur/corpus.h"
#include "cooccur/window.h"

typedef struct moments {
    size_t rows;
    docs d;
    words w;
    statistic kind;
    window window;
    double *c;    /* rows x rows, adding up to one */
    double total; /* before that */
} moments;

static inline void moments_add(moments *s, const double *x, double weight,
                               bool damped)
{
    for (size_t i = 0; i < s->rows; i++)
        for (size_t j = 0; j < s->rows; j++)
            s->c[i * s->rows + j] +=
                weight * (x[i] * x[j] -
                          (i != j ? 0 : damped ? x[i] * x[i] : x[i]));
}

static inline void moments_add_damped(moments *s, size_t m, double *x)
{
    const int bits = corpus_bits(s->kind.kind, &s->d, m);
    double squares = 0;

    memset(x, 0, s->rows * sizeof *x);
    for (size_t e = s->d.start[m]; e < s->d.start[m + 1]; e++) {
        const double v =
            (double)corpus_value(s->kind.kind, s->d.tally[e], bits);
        x[s->d.word[e]] = v;
        squares += v * v;
    }
    moments_add(s, x, 1 / squares, true);
}

static inline void moments_add_joint(moments *s, size_t m, double *x)
{
    const uint64_t pieces = (s->d.length[m] + 9999) / 10000;
    OWNED uint64_t *tally = calloc(s->rows, sizeof *tally);

    for (uint64_t p = 0; p < pieces; p++) {
        const double n = (double)corpus_piece(&s->d, m, pieces, p, tally);
        memset(x, 0, s->rows * sizeof *x);
        for (size_t e = s->d.start[m]; e < s->d.start[m + 1]; e++)
            x[s->d.word[e]] = (double)tally[e - s->d.start[m]];
        moments_add(s, x, 1 / (n * (n - 1)), false);
    }
}

/* Of documents that are there already; those of fewer than two tokens are left
 * out. */
static inline void moments_fill(moments *s, size_t rows, uint32_t kind)
{
    OWNED double *x = calloc(rows, sizeof *x);
    kedge_error err = {0};

    s->rows = rows;
    corpus_words(&s->w, rows);
    statistic_open(&s->kind, kind);
    s->window.statistic = &s->kind;
    ck_ok(window_fill(&s->window, &s->d, rows, 2, &err), err);
    s->c = calloc(rows * rows, sizeof *s->c);
    for (size_t m = 0; m < s->d.count; m++) {
        if (s->d.length[m] < 2)
            continue;
        if (statistic_damped(kind))
            moments_add_damped(s, m, x);
        else
            moments_add_joint(s, m, x);
    }
    for (size_t i = 0; i < rows * rows; i++)
        s->total += s->c[i];
    for (size_t i = 0; i < rows * rows && s->total > 0; i++)
        s->c[i] /= s->total;
}

/* `longest`: one document more, of so many tokens to a word. */
static inline void moments_make(moments *s, size_t rows, size_t documents,
                                uint32_t kind, uint32_t longest)
{
    chance c = {.key = documents};

    *s = (moments){0};
    corpus_make(&s->d, &(corpus_opts){.seed = rows + kind,
                                      .documents = documents,
                                      .vocabulary = rows, .entries = 12,
                                      .tally = 5});
    if (longest > 0)
        corpus_long(&s->d, &c, rows, longest);
    moments_fill(s, rows, kind);
}

static inline void moments_free(moments *s)
{
    docs_free(&s->d);
    words_free(&s->w);
    window_free(&s->window);
    free(s->c);
}

#endif
