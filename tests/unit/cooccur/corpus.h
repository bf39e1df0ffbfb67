/* SPDX-License-Identifier: MIT */
#ifndef TESTS_UNIT_COOCCUR_CORPUS_H
#define TESTS_UNIT_COOCCUR_CORPUS_H
/*
 * Random documents, and the sketch straight from its formula, in integers:
 * every document, or piece of a long one, of n words adds
 * a_i (s_l - Ω_il) to row i, where a_i = round(2^40 h_i / (n (n - 1))); in a
 * damped statistic, a_i (s_l - x_i Ω_il) with x_i = round(2^5 g(h_i)), unless
 * it is very long, and a_i = round(2^32 x_i / Σ x²).
 */
#include <stdio.h>

#include "base/docs.h"
#include "base/words.h"
#include "cooccur/sign.h"
#include "cooccur/window.h"
#include "linalg/dense.h"

typedef struct corpus_opts {
    uint64_t seed;
    size_t documents, vocabulary;
    size_t entries; /* of a document at most */
    uint32_t tally; /* at most */
} corpus_opts;

static inline void corpus_need(bool done)
{
    if (!done)
        ck_abort_msg("no memory");
}

/* Word `id` of `w` is "w<id>". */
static inline void corpus_words(words *w, size_t count)
{
    char text[32];

    while (w->count < count)
        corpus_need(words_add(w, text, (size_t)snprintf(text, sizeof text,
                                                        "w%zu", w->count)));
}

/* Low ids are frequent, as in text; entries rise by word. */
static inline void corpus_make(docs *d, const corpus_opts *o)
{
    chance c = {.key = o->seed};

    docs_clear(d);
    for (size_t m = 0; m < o->documents; m++) {
        const size_t n = 1 + chance_below(&c, o->entries);
        size_t word = 0;
        corpus_need(docs_begin(d, m + 1));
        for (size_t k = 0; k < n; k++) {
            const double skip = chance_unit(&c);
            word += (size_t)(skip * skip * skip * (double)o->vocabulary / 4);
            if (word >= o->vocabulary)
                break;
            corpus_need(docs_push(d, (uint32_t)word++,
                                  1 + (uint32_t)chance_below(&c, o->tally)));
        }
    }
}

/* Appends a document of words 0 to n - 1, of tallies up to `tally`. */
static inline void corpus_long(docs *d, chance *c, size_t n, uint32_t tally)
{
    corpus_need(docs_begin(d, d->count + 1));
    for (uint32_t i = 0; i < n; i++)
        corpus_need(docs_push(d, i, 1 + (uint32_t)chance_below(c, tally)));
}

/* Appends document m of `from`. */
static inline void corpus_copy(docs *to, const docs *from, size_t m)
{
    corpus_need(docs_begin(to, from->position[m]));
    for (size_t k = from->start[m]; k < from->start[m + 1]; k++)
        corpus_need(docs_push(to, from->word[k], from->tally[k]));
}

static inline int64_t corpus_weight(uint64_t h, uint64_t n)
{
    const unsigned __int128 pairs = (unsigned __int128)n * (n - 1);

    return (int64_t)((((unsigned __int128)h << 41) + pairs) / (2 * pairs));
}

/* x of h, by other means than the library's. */
static inline int64_t corpus_value(uint32_t kind, uint32_t h, int bits)
{
    const long double g =
        kind == STATISTIC_LOG ? 1 + logl((long double)h) : sqrtl(h);

    return (int64_t)fmaxl(1, rintl(ldexpl(g, bits)));
}

/* The bits that document m has: as many as give it four times 32,767 or less,
 * five at most, unless all values are 1. */
static inline int corpus_bits(uint32_t kind, const docs *d, size_t m)
{
    for (int bits = 5;; bits--) {
        int64_t sum = 0, most = 0;
        for (size_t k = d->start[m]; k < d->start[m + 1]; k++) {
            const int64_t x = corpus_value(kind, d->tally[k], bits);
            sum += x;
            most = x > most ? x : most;
        }
        if (sum <= 4 * 32767 || most == 1)
            return bits;
    }
}

/* round(2^32 x / squares), ties to even. */
static inline int64_t corpus_damped_weight(int64_t x, uint64_t squares)
{
    const unsigned __int128 scaled = (unsigned __int128)x << 32;
    const uint64_t quotient = (uint64_t)(scaled / squares);
    const unsigned __int128 twice = scaled % squares * 2;

    return (int64_t)(quotient +
                     (twice > squares || (twice == squares && quotient % 2)));
}

/* ---- documents as the statistics see them -------------------------------- */

/* Values by word, 0 of those that are not there. */
typedef void corpus_each(void *data, const int64_t *x);

/* Occurrences of a document are dealt out to its pieces in turn. */
static inline void corpus_piece(const docs *d, size_t m, uint64_t pieces,
                                uint64_t piece, int64_t *x)
{
    uint64_t t = 0;

    for (size_t k = d->start[m]; k < d->start[m + 1]; k++)
        for (uint32_t i = 0; i < d->tally[k]; i++)
            x[d->word[k]] += t++ % pieces == piece;
}

/* Documents of words below `rows`; long ones of the joint statistic come as
 * pieces. */
static inline void corpus_walk(const docs *d, size_t rows, uint32_t kind,
                               uint64_t min_tokens, corpus_each *each,
                               void *data)
{
    OWNED int64_t *x = calloc(rows + 1, sizeof *x);

    for (size_t m = 0; m < d->count; m++) {
        const bool damped = statistic_damped(kind);
        const uint64_t pieces = damped ? 1 : (d->length[m] + 9999) / 10000;
        for (uint64_t p = 0; d->length[m] >= min_tokens && p < pieces; p++) {
            const int bits = damped ? corpus_bits(kind, d, m) : 0;
            memset(x, 0, rows * sizeof *x);
            if (!damped)
                corpus_piece(d, m, pieces, p, x);
            for (size_t k = d->start[m]; damped && k < d->start[m + 1]; k++)
                x[d->word[k]] = corpus_value(kind, d->tally[k], bits);
            each(data, x);
        }
    }
}

/* A window of all documents. */
static inline void corpus_window(window *w, const docs *d, size_t vocabulary,
                                 uint64_t min_tokens)
{
    kedge_error err = {0};

    ck_ok(window_fill(w, d, vocabulary, min_tokens, &err), err);
}

/* ---- the sketch ---------------------------------------------------------- */

/* Ω of a word, column l. */
static inline int64_t corpus_sign(const words *w, size_t id, uint64_t seed,
                                  size_t l)
{
    const uint64_t key = sign_key(seed, words_get(w, id), words_size(w, id));

    return sign_at(sign_bits(key, l / SIGN_TILE), (unsigned)(l % SIGN_TILE));
}

typedef struct corpus_sketch {
    const words *w;
    size_t width;
    uint32_t kind;  /* statistic */
    int64_t *omega; /* vocabulary x width */
    int64_t *z;     /* vocabulary x (1 + width): as sketch_get_row has it */
} corpus_sketch;

static inline void corpus_begin(corpus_sketch *s, const words *w,
                                uint64_t seed, size_t width)
{
    *s = (corpus_sketch){.w = w, .width = width};
    s->omega = calloc(w->count * width + 1, sizeof *s->omega);
    s->z = calloc(w->count * (1 + width) + 1, sizeof *s->z);
    for (size_t i = 0; i < w->count; i++)
        for (size_t l = 0; l < width; l++)
            s->omega[i * width + l] = corpus_sign(w, i, seed, l);
}

static inline void corpus_end(corpus_sketch *s)
{
    free(s->omega);
    free(s->z);
}

static inline void corpus_add_document(void *data, const int64_t *x)
{
    corpus_sketch *const s = data;
    const bool damped = statistic_damped(s->kind);
    OWNED int64_t *dot = calloc(s->width + 1, sizeof *dot);
    uint64_t squares = 0;
    int64_t sum = 0;

    for (size_t i = 0; i < s->w->count; i++) {
        for (size_t l = 0; x[i] != 0 && l < s->width; l++)
            dot[l] += x[i] * s->omega[i * s->width + l];
        sum += x[i];
        squares += (uint64_t)(x[i] * x[i]);
    }
    for (size_t i = 0; i < s->w->count; i++) {
        const int64_t own = damped ? x[i] : 1;
        int64_t *const row = s->z + i * (1 + s->width), a;
        if (x[i] == 0)
            continue;
        a = damped ? corpus_damped_weight(x[i], squares)
                   : corpus_weight((uint64_t)x[i], (uint64_t)sum);
        row[0] += a * (sum - own);
        for (size_t l = 0; l < s->width; l++)
            row[1 + l] += a * (dot[l] - own * s->omega[i * s->width + l]);
    }
}

static inline void corpus_add(corpus_sketch *s, const docs *d,
                              uint64_t min_tokens)
{
    corpus_walk(d, s->w->count, s->kind, min_tokens, corpus_add_document, s);
}

/* C itself, by id: the sketch by a test matrix that is the identity. */
static inline int64_t *corpus_square(const docs *d, const words *w,
                                     uint32_t kind, uint64_t min_tokens)
{
    const size_t n = w->count;
    int64_t *const c = calloc(n * n + 1, sizeof *c);
    OWN(corpus_end) corpus_sketch z;

    corpus_begin(&z, w, 1, n);
    z.kind = kind;
    for (size_t i = 0; i < n * n; i++)
        z.omega[i] = i / n == i % n;
    corpus_add(&z, d, min_tokens);
    for (size_t i = 0; i < n; i++)
        memcpy(c + i * n, z.z + i * (n + 1) + 1, n * sizeof *c);
    return c;
}

#endif
