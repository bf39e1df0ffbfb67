/* SPDX-License-Identifier: MIT */
#include "ops/elsewhere.h"

#include <inttypes.h>

#include "base/fail.h"

kedge_status elsewhere_refuse(const store_totals *t, const char *what,
                              kedge_error *err)
{
    return t->parts == 0
               ? KEDGE_OK
               : kedge_fail(err, KEDGE_EINVAL,
                            "%s needs the documents, but those of %" PRIu64 " "
                            "part%s are elsewhere: the store has only their "
                            "counts and sketches", what, t->parts,
                            t->parts == 1 ? "" : "s");
}

kedge_status elsewhere_check(store *s, const char *what, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    store_txn *txn = NULL;
    store_totals totals;

    TRY(store_begin_read(s, &txn, err));
    TRY(store_get_totals(txn, &totals, err));
    TRY(elsewhere_refuse(&totals, what, err));
out:
    store_abort(&txn);
    return st;
}

kedge_status elsewhere_check_index(const store_totals *t, uint32_t number,
                                   const store_index *index, kedge_error *err)
{
    if (index->parts == 0 && t->parts > 0 && !store_index_has_rows(index))
        return kedge_fail(err, KEDGE_EINVAL,
                          "the sketch of index %" PRIu32 " is in %" PRIu64 " "
                          "other stores, with the documents: fit all stores "
                          "together (mpirun -n R kedge fit), or import their "
                          "sketches", number,
                          t->parts);
    return index->parts == t->parts
               ? KEDGE_OK
               : kedge_fail(err, KEDGE_EINVAL,
                            "index %" PRIu32 " has the sketches of only "
                            "%" PRIu64 " of the %" PRIu64 " parts whose "
                            "documents are elsewhere",
                            number, index->parts, t->parts);
}

kedge_status elsewhere_own(store_txn *txn, const store_totals *t, uint64_t *own,
                           kedge_error *err)
{
    store_part parts;

    PASS(store_sum_parts(txn, t, &parts, err));
    *own = t->documents - parts.documents;
    return KEDGE_OK;
}
