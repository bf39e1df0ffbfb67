/* SPDX-License-Identifier: MIT */
#ifndef STORE_INSIDE_H
#define STORE_INSIDE_H
/* The store as LMDB has it: what env.c, which opens it, and trees.c, which
 * reads and writes values, have in common. Nobody else looks inside. */
#include <lmdb.h>

#include "store/env.h"
#include "store/mapped.h"

struct kedge_store {
    directory dir;
    MDB_env *env; /* NULL: given up after a failure to grow the map */
    MDB_txn *txn; /* NULL: none open */
    bool writes;  /* the open transaction does */
    bool made;    /* the store, by this handle */
    kedge_open_mode mode;
    MDB_dbi db[DB_COUNT]; /* 0: not there */
    bool grew;            /* the open transaction made a database */
    store_frame scratch;
    mapped map;        /* of the data file */
    uint64_t id_pages; /* of the tree of ids, as of the last commit */
};

/* The one place where LMDB's codes become ours. */
kedge_status env_fail(const store *s, int code, const char *doing,
                      kedge_error *err);

/* Makes a database that is not in every store, in the open write
 * transaction. */
kedge_status env_make_db(store *s, env_db db, kedge_error *err);

#endif
