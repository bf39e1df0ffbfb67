/* SPDX-License-Identifier: MIT */
#include "pipeline/parts/partfacts.h"

#include <string.h>

#include "base/fail.h"
#include "base/mem.h"

/* The last name of the store's path. */
static kedge_status facts_name(store_txn *txn, const char *name, char out[64],
                               kedge_error *err)
{
    const char *path = name, *from;
    size_t size;

    memset(out, 0, 64);
    if (path != NULL) {
        memcpy(out, path, strlen(path));
        return KEDGE_OK;
    }
    path = store_path(store_of(txn));
    size = strlen(path);
    while (size > 0 && path[size - 1] == '/')
        size--;
    for (from = path + size; from > path && from[-1] != '/';)
        from--;
    size -= (size_t)(from - path);
    if (size == 0 || size > 63 || strspn(from, ".") == size)
        return kedge_fail(err, KEDGE_EINVAL,
                          "%s: a part needs a name of 1 to 63 bytes (--name)",
                          path);
    memcpy(out, from, size);
    return KEDGE_OK;
}

/* The store's own documents, and what came from elsewhere. */
static kedge_status facts_parts(store_txn *txn, const store_totals *t,
                                const char *name, partfile_facts *f,
                                kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    store_part sum;

    TRY(store_sum_parts(txn, t, &sum, err));
    TRY_MEM(f->part = mem_new(t->parts + 1, sizeof *f->part));
    for (; f->parts < t->parts; f->parts++) {
        TRY(store_get_part(txn, f->parts, &f->part[f->parts], err));
        f->part[f->parts].when = 0;
    }
    if (t->documents == sum.documents)
        goto out;
    store_part *const own = &f->part[f->parts++];
    *own = (store_part){.digest = {t->digest[0] - sum.digest[0],
                                   t->digest[1] - sum.digest[1]},
                        .documents = t->documents - sum.documents,
                        .tokens = t->tokens - sum.tokens,
                        .nonzeros = t->nonzeros - sum.nonzeros};
    TRY(facts_name(txn, name, own->name, err));
out:
    return st;
}

kedge_status partfacts_of(store_txn *txn, const store_totals *t,
                          const char *name, partfile_facts *out,
                          kedge_error *err)
{
    kedge_status st = KEDGE_OK;

    out->documents = t->documents;
    out->tokens = t->tokens;
    out->nonzeros = t->nonzeros;
    memcpy(out->digest, t->digest, sizeof out->digest);
    TRY(text_settings_load(&out->tokenizing, txn, err));
    TRY(facts_parts(txn, t, name, out, err));
out:
    return st;
}
