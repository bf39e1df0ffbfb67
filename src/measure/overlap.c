/* SPDX-License-Identifier: MIT */
/* With n(w) the lists that have word w: a word is in n (n - 1) / 2 pairs. */
#include "measure/overlap.h"

#include "base/fail.h"
#include "base/mem.h"

kedge_status overlap_find(const uint32_t *word, size_t stride,
                          const size_t *count, size_t lists, size_t rows,
                          overlap *out, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    uint32_t *n = NULL;
    size_t places = 0, alone = 0, distinct = 0, shared = 0;

    *out = (overlap){0};
    TRY_MEM(n = mem_new(rows, sizeof *n));
    for (size_t l = 0; l < lists; l++)
        for (size_t i = 0; i < count[l]; i++)
            shared += n[word[l * stride + i]]++;
    for (size_t r = 0; r < rows; r++) {
        places += n[r];
        distinct += n[r] > 0;
        alone += n[r] == 1;
    }
    out->alone = lists > 0 ? (double)alone / (double)lists : 0;
    out->shared = (double)shared;
    out->distinct = places > 0 ? (double)distinct / (double)places : 0;
out:
    mem_free(n);
    return st;
}
