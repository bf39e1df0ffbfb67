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

static inline void moments_add(void *data, const int64_t *x)
{
    moments *const s = data;
    const bool damped = statistic_damped(s->kind.kind);
    double sum = 0, squares = 0;

    for (size_t i = 0; i < s->rows; i++) {
        sum += (double)x[i];
        squares += (double)(x[i] * x[i]);
    }
    for (size_t i = 0; i < s->rows; i++)
        for (size_t j = 0; j < s->rows; j++) {
            const int64_t own = i != j ? 0 : damped ? x[i] * x[i] : x[i];
            s->c[i * s->rows + j] += (double)(x[i] * x[j] - own) /
                                     (damped ? squares : sum * (sum - 1));
        }
}

/* Of documents that are there already; those of fewer than two tokens are left
 * out. */
static inline void moments_fill(moments *s, size_t rows, uint32_t kind)
{

    s->rows = rows;
    corpus_words(&s->w, rows);
    statistic_open(&s->kind, kind);
    s->window.statistic = &s->kind;
    corpus_window(&s->window, &s->d, rows, 2);
    s->c = calloc(rows * rows, sizeof *s->c);
    corpus_walk(&s->d, rows, kind, 2, moments_add, s);
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
