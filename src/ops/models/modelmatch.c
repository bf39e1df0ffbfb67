/* SPDX-License-Identifier: MIT */
#include "ops/models/model.h"

#include "base/compare.h"
#include "base/fail.h"
#include "base/mem.h"

static int compare_words(const modelmatch_side *left, size_t l,
                         const modelmatch_side *right, size_t r)
{
    const size_t a = left->order != NULL ? left->order[l] : l;
    const size_t b = right->order != NULL ? right->order[r] : r;

    return compare_bytes(words_get(left->text, a), words_size(left->text, a),
                         words_get(right->text, b), words_size(right->text, b));
}

kedge_status modelmatch_find(pool *p, const modelmatch_side *left,
                             const modelmatch_side *right, modelmatch *out,
                             kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const size_t most = left->rows + right->rows;
    uint32_t *rows[2] = {NULL, NULL}; /* of the words that both have */
    size_t l = 0, r = 0, common = 0;

    *out = (modelmatch){0};
    for (int side = 0; side < 2; side++) {
        TRY_MEM(out->row[side] = mem_new(most, sizeof(uint32_t)));
        TRY_MEM(rows[side] = mem_new(most, sizeof(uint32_t)));
    }
    TRY_MEM(out->distance = mem_new2(left->k, right->k, sizeof(double)));
    TRY_MEM(out->partner = mem_new(left->k, sizeof *out->partner));
    for (; l < left->rows || r < right->rows; out->words++) {
        const int c = l == left->rows    ? 1
                      : r == right->rows ? -1
                                         : compare_words(left, l, right, r);
        if (c == 0) {
            rows[0][common] = (uint32_t)l;
            rows[1][common++] = (uint32_t)r;
        }
        out->row[0][out->words] = c <= 0 ? (uint32_t)l++ : MODELMATCH_ABSENT;
        out->row[1][out->words] = c >= 0 ? (uint32_t)r++ : MODELMATCH_ABSENT;
    }
    const match_side one = {left->b, left->k, rows[0], left->anchor};
    const match_side other = {right->b, right->k, rows[1], right->anchor};
    match_distances(p, &one, &other, common, out->distance);
    TRY(match_topics(&one, &other, common, out->distance, out->partner, err));
    for (size_t i = 0; i < left->k; i++)
        if (out->partner[i] != MATCH_NONE) {
            out->mean += out->distance[i * right->k + out->partner[i]];
            out->matched++;
        }
    if (out->matched > 0)
        out->mean /= (double)out->matched;
out:
    mem_free_all(rows[0], rows[1]);
    if (st != KEDGE_OK)
        modelmatch_free(out);
    return st;
}

void modelmatch_free(modelmatch *k)
{
    mem_free_all(k->row[0], k->row[1], k->distance, k->partner);
    *k = (modelmatch){0};
}
