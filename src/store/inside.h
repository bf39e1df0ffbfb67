/* SPDX-License-Identifier: MIT */
#ifndef STORE_INSIDE_H
#define STORE_INSIDE_H
/* The store as LMDB has it: what env.c, which opens it, and trees.c, which
 * reads and writes values, have in common. Nobody else looks inside. */
#include <setjmp.h>

#include <lmdb.h>

#include "store/env.h"
#include "store/mapped.h"

struct kedge_store {
    directory dir;
    pid_t process; /* that opened it: a child by fork has no use of it */
    MDB_env *env;  /* NULL: given up after a failure */
    MDB_txn *hold; /* the writer's: keeps pages of states that are read, */
    volatile uint64_t *oldest; /* which is written here, in LMDB's lock file: */
    uint8_t *table;            /* mapped, */
    size_t table_size;
    int table_fd;
    char assertion[128]; /* of LMDB's that failed */
    MDB_txn *txn; /* NULL: none open */
    bool writes;  /* the open transaction does */
    bool made;    /* the store, by this handle */
    bool closed;  /* by the caller, */
    unsigned users; /* while so many have it */
    kedge_open_mode mode;
    MDB_dbi db[DB_COUNT]; /* 0: not there */
    bool grew;            /* the open transaction made a database */
    store_frame scratch;
    mapped map;        /* of the data file */
    uint64_t id_pages; /* of the tree of ids, as of the last commit */
    store_limits limits; /* of the open transaction, */
    bool limited;        /* once they are known */
};

/* The one place where LMDB's codes become ours. */
kedge_status env_fail(const store *s, int code, const char *doing,
                      kedge_error *err);

/*
 * LMDB ends the process when a page is not as it must be. The check of pages
 * keeps it from that; where another program changes the file under it, the call
 * comes back here instead, with MDB_CORRUPTED, and the environment is given up
 * as it is.
 */
extern _Thread_local jmp_buf *env_landing;
int env_land(store *s);

#define LMDB(s, rc, call)         \
    do {                          \
        jmp_buf landing_;         \
        env_landing = &landing_;  \
        if (setjmp(landing_) == 0) \
            (rc) = (call);        \
        else                      \
            (rc) = env_land(s);   \
        env_landing = NULL;       \
    } while (0)

/* Makes a database that is not in every store, in the open write
 * transaction. */
kedge_status env_make_db(store *s, env_db db, kedge_error *err);

#endif
