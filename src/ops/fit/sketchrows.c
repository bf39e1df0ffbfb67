/* SPDX-License-Identifier: MIT */
#include "ops/fit/fit.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"
#include "cooccur/sign.h"
#include "cooccur/statistic.h"

static_assert(SPECTRUM_PIECE == STORE_CHUNK_ROWS, "a piece is a chunk");

/* Statistics sum to one: those of a joint index over all documents do so by
 * themselves. */
double sketchrows_scale(const store_index *v)
{
    return statistic_damped(v->statistic)
               ? 1 / v->total
               : ldexp(1 / (double)v->documents, -(int)v->weight_bits);
}

/* A chunk as it is stored, of a sketch of so many rows. */
static kedge_status sketchrows_get(sketchrows *r, size_t chunk, size_t rows,
                                   unsigned worker, int64_t *values,
                                   kedge_error *err)
{
    const size_t left = rows - chunk * STORE_CHUNK_ROWS;
    const size_t count = left < STORE_CHUNK_ROWS ? left : STORE_CHUNK_ROWS;
    const uint8_t *bytes;
    kedge_status st;
    size_t size;

    pthread_mutex_lock(&r->lock);
    st = store_get_rows(r->txn, r->index->rows, chunk, &bytes, &size, err);
    pthread_mutex_unlock(&r->lock);
    PASS(st);
    return store_rows_decode(&r->scratch[worker], bytes, size, count,
                             r->rows.width, values, err);
}

/* Rows that lie apart, out of the chunks that they are in. */
static kedge_status sketchrows_gather(sketchrows *r, size_t from, size_t count,
                                      unsigned worker, int64_t *values,
                                      kedge_error *err)
{
    const size_t stride = 1 + r->rows.width;
    int64_t *const around = r->around + worker * STORE_CHUNK_ROWS * stride;
    size_t here = SIZE_MAX;

    for (size_t i = 0; i < count; i++) {
        const size_t place = r->place[from + i];
        const size_t chunk = place / STORE_CHUNK_ROWS;
        if (chunk != here)
            PASS(sketchrows_get(r, chunk, r->stored, worker, around, err));
        here = chunk;
        memcpy(values + i * stride, around + place % STORE_CHUNK_ROWS * stride,
               stride * sizeof *values);
    }
    return KEDGE_OK;
}

/* Into the worker's place; and its sums. */
static kedge_status sketchrows_decode(sketchrows *r, size_t from, size_t count,
                                      unsigned worker, int64_t **chunk,
                                      kedge_error *err)
{
    const size_t stride = 1 + r->rows.width;
    int64_t *values = r->values + worker * STORE_CHUNK_ROWS * stride;

    if (r->made != NULL) {
        for (size_t i = 0; i < count; i++)
            sketch_get_row(r->made, r->order[from + i], values + i * stride);
    } else if (r->place != NULL) {
        PASS(sketchrows_gather(r, from, count, worker, values, err));
    } else { /* out of one chunk */
        PASS(sketchrows_get(r, from / STORE_CHUNK_ROWS, r->rows.rows, worker,
                            values, err));
        values += from % STORE_CHUNK_ROWS * stride;
    }
    for (size_t i = 0; i < count; i++)
        r->sums[from + i] = r->scale * (double)values[i * stride];
    *chunk = values;
    return KEDGE_OK;
}

static kedge_status sketchrows_read(void *data, size_t from, size_t count,
                                    unsigned worker, double *z,
                                    kedge_error *err)
{
    sketchrows *r = data;
    const size_t width = r->rows.width, stride = 1 + width;
    const double *const weight = r->rows.weight;
    int64_t *values;

    PASS(sketchrows_decode(r, from, count, worker, &values, err));
    for (size_t i = 0; i < count; i++) {
        const double scale =
            weight == NULL ? r->scale : r->scale * weight[from + i];
        for (size_t l = 0; l < width; l++)
            z[i * width + l] = scale * (double)values[i * stride + 1 + l];
    }
    return KEDGE_OK;
}

typedef struct summing {
    sketchrows *r;
    tall_part own;
    size_t first;       /* chunk with own rows */
    kedge_error *error; /* by chunk */
} summing;

static void sketchrows_sum_task(void *data, size_t task, unsigned worker)
{
    summing *s = data;
    const size_t begin = (s->first + task) * STORE_CHUNK_ROWS;
    const size_t end = begin + STORE_CHUNK_ROWS;
    const size_t last = s->own.from + s->own.count;
    const size_t from = begin > s->own.from ? begin : s->own.from;
    int64_t *values;

    s->error[task].status =
        sketchrows_decode(s->r, from, (end < last ? end : last) - from, worker,
                          &values, &s->error[task]);
}

kedge_status sketchrows_sums(sketchrows *r, pool *p, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const tall_part own = tall_own(p, r->rows.rows);
    summing s = {.r = r, .own = own, .first = own.from / STORE_CHUNK_ROWS};
    const size_t last = own.from + own.count;
    const size_t end = (last + STORE_CHUNK_ROWS - 1) / STORE_CHUNK_ROWS;
    const size_t tasks = own.count > 0 ? end - s.first : 0;

    TRY_MEM(s.error = mem_new(tasks, sizeof *s.error));
    pool_run(p, tasks, sketchrows_sum_task, &s);
    for (size_t c = 0; c < tasks; c++)
        if (s.error[c].status != KEDGE_OK)
            TRY(kedge_fail(err, s.error[c].status, "%s", s.error[c].text));
    sketchrows_collect(r, p);
out:
    mem_free(s.error);
    return st;
}

void sketchrows_collect(sketchrows *r, pool *p)
{
    const tall_part own = tall_own(p, r->rows.rows);

    tall_collect(p, r->rows.rows, r->sums + own.from, 1, r->sums);
}

void sketchrows_take(sketchrows *r, const sketch *made, const uint32_t *order,
                     double scale)
{
    r->made = made;
    r->order = order;
    r->scale = scale;
}

kedge_status sketchrows_create(sketchrows *r, const store_index *index,
                               const words *vocabulary, const uint32_t *order,
                               const kedge_control *control, kedge_error *err)
{
    const unsigned threads = control->threads;

    *r = (sketchrows){.index = index, .threads = threads};
    pthread_mutex_init(&r->lock, NULL);
    r->scale = sketchrows_scale(index);
    PASS_MEM(r->sums = mem_new(index->words, sizeof *r->sums));
    PASS_MEM(r->key = mem_new(index->words, sizeof *r->key));
    PASS_MEM(r->scratch = mem_new(threads, sizeof *r->scratch));
    PASS_MEM(r->values = mem_new2(threads * STORE_CHUNK_ROWS, 1 + index->width,
                                  sizeof *r->values));
    for (size_t i = 0; i < index->words; i++)
        r->key[i] = sign_key(index->seed, words_get(vocabulary, order[i]),
                             words_size(vocabulary, order[i]));
    r->rows = (spectrum_rows){.rows = index->words,
                              .width = index->width,
                              .key = r->key,
                              .control = control,
                              .data = r,
                              .read = sketchrows_read};
    return KEDGE_OK;
}

kedge_status sketchrows_pick(sketchrows *r, const uint32_t *place,
                             size_t stored, kedge_error *err)
{
    PASS_MEM(r->around = mem_new2(r->threads * STORE_CHUNK_ROWS,
                                  1 + r->rows.width, sizeof *r->around));
    r->place = place;
    r->stored = stored;
    return KEDGE_OK;
}

void sketchrows_free(sketchrows *r)
{
    for (unsigned i = 0; r->scratch != NULL && i < r->threads; i++)
        store_rows_free(&r->scratch[i]);
    if (r->index != NULL)
        pthread_mutex_destroy(&r->lock);
    mem_free_all(r->scratch, r->values, r->around, r->key, r->sums);
    *r = (sketchrows){0};
}
