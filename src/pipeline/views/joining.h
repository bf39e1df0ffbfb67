/* SPDX-License-Identifier: MIT */
#ifndef PIPELINE_VIEWS_JOINING_H
#define PIPELINE_VIEWS_JOINING_H
/*
 * Documents with phrases: words that stand side by side and are a phrase become
 * one word, in rounds, from left to right.
 */
#include "base/docs.h"
#include "store/store.h"

/* A word of a document or, with symbol 0, a phrase. */
typedef struct joining_unit {
    uint32_t id;     /* JOINING_APART: not side by side */
    uint32_t symbol; /* its own in the order of words */
} joining_unit;

#define JOINING_APART UINT32_MAX

typedef struct joining {
    struct joining_slot *slot;
    size_t slots; /* a power of two, or 0: no phrases */
    uint32_t rounds;
    joining_unit *unit;
    size_t units, unit_capacity;
    uint32_t *phrase, *tally; /* of the document being made */
    size_t phrase_capacity, tally_capacity;
} joining;

/* An empty one is {0}. */
kedge_status joining_open(joining *j, const store_joins *joins,
                          kedge_error *err);
void joining_close(joining *j);

/* What document m is made of, in order, into j->unit; none when it has no
 * order. */
kedge_status joining_units(joining *j, const docs *d, size_t m,
                           kedge_error *err);

/* Appends document m to another batch, without an order. */
kedge_status joining_append(joining *j, const docs *d, size_t m, docs *out,
                            kedge_error *err);

#endif
