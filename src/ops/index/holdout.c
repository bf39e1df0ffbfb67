/* SPDX-License-Identifier: MIT */
#include "ops/index/holdout.h"

#include <math.h>

#include "base/fail.h"
#include "base/hash.h"
#include "base/mem.h"

/* Independent of the sketch and of the halves of documents. */
#define SALT UINT64_C(0x3b94d1f2c86e507a)

kedge_status holdout_open(holdout *h, const words *all, double share,
                          uint64_t seed, kedge_error *err)
{
    *h = (holdout){.share = share, .key = hash_mix(seed ^ SALT)};
    return digests_learn(&h->words, all, err);
}

void holdout_close(holdout *h)
{
    digests_free(&h->words);
}

static bool holdout_takes(const holdout *h, const docs *d, size_t m)
{
    const uint64_t drawn = hash_mix(digest_document(&h->words, d, m) + h->key);

    return (double)(drawn >> 11) < ldexp(h->share, 53);
}

kedge_status holdout_keep(const holdout *h, docs *d, size_t first, bool held,
                          kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const size_t count = d->count - first;
    uint32_t *others = NULL;
    size_t n = 0;

    TRY_MEM(others = mem_new(count, sizeof *others));
    for (size_t e = count > 0 ? d->start[first] : 0; e < docs_entries(d); e++)
        if (d->word[e] >= h->words.count)
            TRY(kedge_fail(err, KEDGE_ECORRUPT,
                           "a document has word %u of %zu", d->word[e],
                           h->words.count));
    for (uint32_t m = 0; m < count; m++)
        if (holdout_takes(h, d, first + m) != held)
            others[n++] = m;
    docs_drop(d, first, others, n);
out:
    mem_free(others);
    return st;
}
