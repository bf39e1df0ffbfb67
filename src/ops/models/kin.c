/* SPDX-License-Identifier: MIT */
#include "ops/models/kin.h"

#include "base/compare.h"
#include "base/fail.h"
#include "base/mem.h"

static int kin_compare(const kin_side *left, size_t l, const kin_side *right,
                       size_t r)
{
    const size_t a = left->order != NULL ? left->order[l] : l;
    const size_t b = right->order != NULL ? right->order[r] : r;

    return compare_bytes(words_get(left->text, a), words_size(left->text, a),
                         words_get(right->text, b), words_size(right->text, b));
}

/* Two sorted lists become one. */
static kedge_status kin_merge(const kin_side *left, const kin_side *right,
                              kin *k, kedge_error *err)
{
    const size_t most = left->rows + right->rows;
    size_t l = 0, r = 0;

    PASS_MEM(k->row[0] = mem_new(most, sizeof *k->row[0]));
    PASS_MEM(k->row[1] = mem_new(most, sizeof *k->row[1]));
    while (l < left->rows || r < right->rows) {
        const int c = l == left->rows    ? 1
                      : r == right->rows ? -1
                                         : kin_compare(left, l, right, r);
        k->row[0][k->words] = c <= 0 ? (uint32_t)l++ : KIN_ABSENT;
        k->row[1][k->words] = c >= 0 ? (uint32_t)r++ : KIN_ABSENT;
        k->words++;
    }
    return KEDGE_OK;
}

/* The rows of the words that both have. */
static kedge_status kin_common(const kin *k, uint32_t **left, uint32_t **right,
                               size_t *common, kedge_error *err)
{
    PASS_MEM(*left = mem_new(k->words, sizeof **left));
    PASS_MEM(*right = mem_new(k->words, sizeof **right));
    for (size_t w = 0; w < k->words; w++) {
        if (k->row[0][w] == KIN_ABSENT || k->row[1][w] == KIN_ABSENT)
            continue;
        (*left)[*common] = k->row[0][w];
        (*right)[(*common)++] = k->row[1][w];
    }
    return KEDGE_OK;
}

kedge_status kin_find(pool *p, const kin_side *left, const kin_side *right,
                      kin *out, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    uint32_t *rows[2] = {NULL, NULL};
    size_t common = 0;
    match_side l, r;

    *out = (kin){0};
    TRY(kin_merge(left, right, out, err));
    TRY(kin_common(out, &rows[0], &rows[1], &common, err));
    TRY_MEM(out->distance = mem_new2(left->k, right->k, sizeof(double)));
    TRY_MEM(out->partner = mem_new(left->k, sizeof *out->partner));
    l = (match_side){left->b, left->k, rows[0], left->anchor};
    r = (match_side){right->b, right->k, rows[1], right->anchor};
    match_distances(p, &l, &r, common, out->distance);
    TRY(match_topics(&l, &r, common, out->distance, out->partner, err));
    for (size_t i = 0; i < left->k; i++)
        if (out->partner[i] != MATCH_NONE) {
            out->mean += out->distance[i * right->k + out->partner[i]];
            out->matched++;
        }
    if (out->matched > 0)
        out->mean /= (double)out->matched;
out:
    mem_free(rows[0]);
    mem_free(rows[1]);
    if (st != KEDGE_OK)
        kin_free(out);
    return st;
}

void kin_free(kin *k)
{
    mem_free(k->row[0]);
    mem_free(k->row[1]);
    mem_free(k->distance);
    mem_free(k->partner);
    *k = (kin){0};
}
