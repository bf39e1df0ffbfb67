/* SPDX-License-Identifier: MIT */
#ifndef REPORT_PAGEWORDS_H
#define REPORT_PAGEWORDS_H
/*
 * Which words a page has: of each topic all that are among its first by some
 * relevance, so that the page can order them by any of these itself; and for
 * its search as many of the others as there is room for, the frequent first.
 */
#include "pipeline/models/model.h"

#define PAGE_FIRST 30    /* words of a topic that are shown, */
#define PAGE_LAMBDAS 21  /* by each of 0, 0.05, ..., 1 */
#define PAGE_CHARACTERISTIC 20

typedef struct pagewords {
    size_t count;    /* words of the page: numbers below it */
    size_t shown;    /* of these, the first so many are of topics */
    uint64_t *row;   /* count */
    uint64_t *start; /* topics + 1: where each topic's begin, */
    uint32_t *word;  /* numbers of its words, by falling p(word | topic), */
    uint32_t *place; /* rows: number in the page, or PAGE_NOWHERE */
} pagewords;

#define PAGE_NOWHERE UINT32_MAX

/* `room`: bytes for the words of the search, about. ENOMEM. */
kedge_status pagewords_find(const kedge_model *m, uint64_t room,
                            pagewords *out, kedge_error *err);
void pagewords_free(pagewords *w);

/* The topics that hold the word, the ones that hold most of it first: pairs of
 * topic and p(topic | word), at least PAGE_HOLDS of it. Returns how many. */
#define PAGE_TOPICS 5
#define PAGE_HOLDS 0.05
typedef struct pageholder {
    size_t topic;
    double share;
} pageholder;
size_t pagewords_holders(const kedge_model *m, uint64_t row,
                         pageholder out[PAGE_TOPICS]);

#endif
