/* SPDX-License-Identifier: MIT */
#include "cooccur/probe.h"

#include "base/fail.h"
#include "base/mem.h"
#include "cooccur/sign.h"

void probe_free(probe *z)
{
    if (z == NULL)
        return;
    sketch_free(z->z);
    basket_free(&z->basket);
    mem_free_all(z->key, z->sums, z->diagonal, z);
}

kedge_status probe_create(const words *text, size_t width, uint64_t seed,
                          pool *p, probe **out, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const size_t rows = text->count;
    probe *z = NULL;

    *out = NULL;
    TRY_MEM(z = mem_new(1, sizeof *z));
    z->rows = rows;
    z->width = width;
    z->p = p;
    TRY_MEM(z->key = mem_new(rows, sizeof *z->key));
    TRY_MEM(z->sums = mem_new(rows, sizeof *z->sums));
    TRY_MEM(z->diagonal = mem_new(rows, sizeof *z->diagonal));
    TRY(basket_create(rows, &z->basket, err));
    for (size_t i = 0; i < rows; i++)
        z->key[i] = sign_key(seed, words_get(text, i),
                             words_size(text, i));
    TRY(sketch_create(&(sketch_opts){.width = width, .seed = seed,
                                     .threads = pool_threads(p)},
                      &z->z, err));
    TRY(sketch_add_words(z->z, text, err));
    *out = z;
    z = NULL;
out:
    probe_free(z);
    return st;
}

/* ---- documents ----------------------------------------------------------- */

static void probe_tile(void *data, size_t tile, unsigned worker)
{
    const probe *const z = data;

    sketch_tile(z->z, z->w, tile, worker);
}

kedge_status probe_add(probe *z, const window *w, kedge_error *err)
{
    const basket *const b = &z->basket;

    PASS(sketch_begin(z->z, w, err));
    z->w = w;
    pool_run(z->p, sketch_tiles(z->z), probe_tile, z);
    for (size_t m = 0; m < w->documents;) { /* what is not in the sketch */
        m = basket_read(&z->basket, w, m);
        z->mass += b->mass;
        for (size_t i = 0; i < b->count && !b->damped; i++)
            z->diagonal[b->row[i]] +=
                b->weight * (b->x[i] * b->x[i] - basket_own(b, i));
    }
    return KEDGE_OK;
}

void probe_finish(probe *z)
{
    const double total = sketch_total(z->z);
    int64_t row[1 + PROBE_WIDTH_MOST];

    z->scale = total > 0 ? 1 / total : 0;
    for (size_t i = 0; i < z->rows; i++) {
        sketch_get_row(z->z, i, row);
        z->sums[i] = (double)row[0] * z->scale;
        z->diagonal[i] = z->mass > 0 ? z->diagonal[i] / z->mass : 0;
    }
}

/* ---- what is known ------------------------------------------------------- */

void probe_read(const probe *z, size_t from, size_t count, double *out)
{
    int64_t row[1 + PROBE_WIDTH_MOST];

    for (size_t i = 0; i < count; i++) {
        sketch_get_row(z->z, from + i, row);
        for (size_t c = 0; c < z->width; c++)
            out[i * z->width + c] = (double)row[1 + c] * z->scale;
    }
}

void probe_signs(const probe *z, size_t from, size_t count, double *out)
{
    for (size_t i = 0; i < count; i++)
        for (size_t tile = 0; tile < z->width / SIGN_TILE; tile++) {
            const uint64_t bits = sign_bits(z->key[from + i], tile);
            double *const to = out + i * z->width + tile * SIGN_TILE;
            for (unsigned c = 0; c < SIGN_TILE; c++)
                to[c] = sign_at(bits, c);
        }
}
