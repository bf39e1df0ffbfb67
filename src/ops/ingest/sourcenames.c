/* SPDX-License-Identifier: MIT */
#include "ops/ingest/sourcenames.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"

#define NAME_ROOM (STORE_ID_MAX - 21) /* beside a colon and a position */

void sourcenames_close(sourcenames *n)
{
    words_free(&n->list);
    wordmap_close(&n->map);
}

/* The end of a name that is too long, which says more than its beginning. */
static const char *sourcenames_tail(const char *name, size_t room)
{
    const size_t size = strlen(name);

    if (size <= room)
        return name;
    name += size - room;
    while ((*name & 0xC0) == 0x80)
        name++;
    return name;
}

kedge_status sourcenames_add(sourcenames *n, const char *source,
                             kedge_error *err)
{
    const size_t known = n->list.count;
    char name[NAME_ROOM + 1];
    int size = snprintf(name, sizeof name, "%s",
                        sourcenames_tail(source, NAME_ROOM));
    uint32_t id;

    for (unsigned twin = 2;; twin++) {
        if (!wordmap_add(&n->map, span_of(name, (size_t)size), &id))
            return kedge_fail(err, KEDGE_ENOMEM, "out of memory (sources)");
        if (n->list.count > known)
            return KEDGE_OK;
        size = snprintf(name, sizeof name, "%s#%u",
                        sourcenames_tail(source, NAME_ROOM - 11), twin);
    }
}

kedge_status sourcenames_open(sourcenames *n, store_txn *txn, uint64_t count,
                              kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    store_source r;

    TRY_MEM(wordmap_open(&n->map, &n->list));
    for (uint64_t i = 0; i < count; i++) {
        TRY(store_get_source_record(txn, i, &r, err));
        TRY(sourcenames_add(n, r.name, err));
    }
out:
    return st;
}

uint32_t sourcenames_find(const sourcenames *n, span name)
{
    return wordmap_find(&n->map, name);
}

size_t sourcenames_id(const sourcenames *n, uint32_t source, uint64_t position,
                      char out[STORE_ID_MAX + 1])
{
    return (size_t)snprintf(out, STORE_ID_MAX + 1, "%s:%" PRIu64,
                            words_get(&n->list, source), position);
}
