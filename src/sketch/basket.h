/* SPDX-License-Identifier: MIT */
#ifndef SKETCH_BASKET_H
#define SKETCH_BASKET_H
/*
 * Documents of a window as the statistics see them (sketch/statistic.h): values
 * x = g(h) and the weight w of the document, such that it adds
 * w (x x' - D) to C, before that is divided by its total. Long documents of the
 * joint statistic are several, parts of damped ones are together again.
 */
#include "sketch/window.h"

typedef struct basket {
    uint32_t *row; /* room for all rows */
    double *x;
    size_t count;
    double weight;
    double mass;   /* w (|x|_1^2 - tr D): what C's total gains */
    bool damped;   /* D is diag x²; else diag x */
} basket;

kedge_status basket_create(size_t rows, basket *out, kedge_error *err);
void basket_free(basket *b);

/* The document that begins with document m of the window; gives where the next
 * one begins. */
size_t basket_read(basket *b, const window *w, size_t m);

/* What document `at` of the basket takes from the diagonal: D's entry. */
static inline double basket_own(const basket *b, size_t at)
{
    return b->damped ? b->x[at] * b->x[at] : b->x[at];
}

#endif
