/* SPDX-License-Identifier: MIT */
#include "pipeline/fit/rowarrays.h"

#include "base/fail.h"
#include "base/hash.h"
#include "base/mem.h"

uint64_t rowarrays_digest(const words *list, const uint32_t *order,
                          size_t count)
{
    uint64_t digest = 0;

    for (size_t r = 0; r < count; r++)
        digest = hash_bytes(digest, words_get(list, order[r]),
                            words_size(list, order[r]));
    return digest;
}

kedge_status rowarrays_make(const rowarrays_input *in, kedge_model *m,
                            kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const size_t n = m->words;
    double sum = 0;

    TRY_MEM(m->word_probability = mem_new(n, sizeof(double)));
    TRY_MEM(m->ids = mem_new(n, sizeof(double)));
    TRY_MEM(m->tf = mem_new(n, sizeof(double)));
    TRY_MEM(m->df = mem_new(n, sizeof(double)));
    for (size_t i = 0; i < n; i++)
        sum += in->sums[i];
    for (size_t i = 0; i < n; i++) {
        m->word_probability[i] = in->sums[i] / sum;
        m->ids[i] = in->ids[i];
        m->tf[i] = (double)in->tf[i];
        m->df[i] = (double)in->df[i];
    }
out:
    return st;
}

kedge_status rowarrays_small(const law_output *t, kedge_model *m,
                             kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const size_t k = m->topics, c = t->characteristic_count;

    TRY_MEM(m->small = mem_new2(k, 2 + c, sizeof *m->small));
    m->characteristic_count = c;
    for (size_t i = 0; i < k; i++) {
        m->small[i] = (double)t->anchor[i];
        m->small[k + i] = t->residual[i];
        for (size_t j = 0; j < c; j++)
            m->small[2 * k + i * c + j] =
                (double)t->characteristic[i * LAW_CHARACTERISTIC + j];
    }
out:
    return st;
}
