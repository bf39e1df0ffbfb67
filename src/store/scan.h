/* SPDX-License-Identifier: MIT */
#ifndef STORE_SCAN_H
#define STORE_SCAN_H
/* What the parts of a scan share. */
#include "store/kv.h"

enum { SCAN_WHAT = 128 };

/* A view, as far as its rows go by it. */
typedef struct shape {
    uint32_t rows;
    uint64_t words, width;
} shape;

/* An id on its way to its document. */
typedef struct stray {
    uint64_t block, position, place;
} stray;

typedef struct scan {
    store_txn *txn;
    const store_watcher *watcher;
    uint64_t total;      /* records of all databases */
    store_scanned *counts;
    kedge_status st;     /* not OK: the scan cannot go on */
    kedge_error failure; /* its text */
    bool stopped;        /* by the watcher */
    store_totals totals; /* no limits where they cannot be read */
    bool has_totals;
    bool recounted; /* every document could be counted */
    uint64_t seen;  /* records of the database that is walked */
    uint64_t hits;  /* documents that were found under their ids */
    uint64_t ordered; /* blocks that have an order beside them */
    store_block block;
    store_order order;
    docs batch;
    store_gone gone, others;
    int64_t *values; /* of a chunk of rows */
    size_t values_capacity;
    shape *views;
    size_t view_count, view_capacity;
    store_list list;
    store_joins joins;
    store_portion portion;
    stray *strays;
    size_t stray_count;
} scan;

/* Checks one record; names it in `what`. */
typedef kedge_status (*checker)(scan *c, const kv_value *v, char *what,
                                kedge_error *why);

bool scan_is_damage(kedge_status st);

/* Damage of another record, which is told where that one is walked, is OK. */
kedge_status scan_pass_over(kedge_status st);

/* Tells of damage; false when the scan is over. */
bool scan_note(scan *c, kedge_status st, const char *what,
               const kedge_error *why);

/* ECORRUPT with this text. */
KEDGE_PRINTF(2, 3)
kedge_status scan_damage(kedge_error *why, const char *format, ...);

/* Records of one kind whose key is one number. */
typedef struct scan_kind {
    size_t key;       /* its bytes, 4 or 8 */
    const char *any;  /* what one is called as long as its number is unknown, */
    const char *name; /* and before its number */
} scan_kind;

/* The number, and what the record is called; the key must have its size. */
kedge_status scan_number(const kv_value *v, scan_kind kind, char *what,
                         uint64_t *number, kedge_error *why);
kedge_status scan_key_is(const kv_value *v, size_t size, kedge_error *why);
kedge_status scan_below(uint64_t number, uint64_t limit, const char *what,
                        kedge_error *why);

#endif
