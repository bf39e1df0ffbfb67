/* SPDX-License-Identifier: MIT */
#ifndef TESTS_UNIT_TOPICS_SQUAREMATRIX_H
#define TESTS_UNIT_TOPICS_SQUAREMATRIX_H
/* A C that is small enough to be written down, as counted anchors look at it,
 * and how often they did. */
#include "linalg/dense.h"
#include "topics/anchors.h"

typedef struct squarematrix {
    size_t rows;
    double *c, *sums;
    size_t products, looks; /* that were asked for */
} squarematrix;

/* Takes c, rows x rows, over. */
static inline squarematrix squarematrix_of(double *c, size_t rows)
{
    squarematrix m = {.rows = rows, .c = c, .sums = dense_new(rows, 1)};

    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < rows; j++)
            m.sums[i] += c[i * rows + j];
    return m;
}

static inline void squarematrix_free(squarematrix *m)
{
    free(m->c);
    free(m->sums);
}

static inline void squarematrix_squares(void *data, double *squares)
{
    const squarematrix *const m = data;

    for (size_t i = 0; i < m->rows; i++) {
        squares[i] = 0;
        for (size_t j = 0; j < m->rows; j++)
            squares[i] += m->c[i * m->rows + j] * m->c[i * m->rows + j];
    }
}

static inline kedge_status squarematrix_apply(void *data, const double *x,
                                              size_t k, double *out,
                                              kedge_error *err)
{
    squarematrix *const m = data;

    (void)err;
    m->products++;
    for (size_t i = 0; i < m->rows * k; i++)
        out[i] = 0;
    for (size_t i = 0; i < m->rows; i++)
        for (size_t j = 0; j < m->rows; j++)
            for (size_t l = 0; l < k; l++)
                out[i * k + l] += m->c[i * m->rows + j] * x[j * k + l];
    return KEDGE_OK;
}

/* A copy, so that who keeps the pointer is found out. */
static inline const double *squarematrix_row(void *data, size_t row,
                                             double *room)
{
    squarematrix *const m = data;

    m->looks++;
    memcpy(room, m->c + row * m->rows, m->rows * sizeof *room);
    return room;
}

static inline anchors_matrix squarematrix_counted(squarematrix *m)
{
    return (anchors_matrix){.rows = m->rows, .sums = m->sums, .data = m,
                            .squares = squarematrix_squares,
                            .apply = squarematrix_apply,
                            .row = squarematrix_row};
}

#endif
