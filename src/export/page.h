/* SPDX-License-Identifier: MIT */
#ifndef EXPORT_PAGE_H
#define EXPORT_PAGE_H
/* What kedge report gathers for its page, and the page around it. */
#include <kedge/eval.h>
#include <kedge/saved.h>

#include "base/compare.h"
#include "ops/models/model.h"
#include "ops/infer/batchshares.h"
#include "export/text.h"

/* The page around the data, as page/embed.py put it together from page.html,
 * page.css and page.js when kedge was built: before it and after it. */
extern const unsigned char page_head[], page_tail[];
extern const size_t page_head_size, page_tail_size;

/* ---- words --------------------------------------------------------------- */

/*
 * Which words a page has: of each topic all that are among its first by some
 * relevance, so that the page can order them by any of these itself; and for
 * its search as many of the others as there is room for, the frequent first.
 */

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

/* The topics that hold the word, the ones that hold most of it first: rows
 * are topics, values p(topic | word), at least PAGE_HOLDS. Returns how many. */
#define PAGE_TOPICS 5
#define PAGE_HOLDS 0.05
size_t pagewords_holders(const kedge_model *m, uint64_t row,
                         scored_row out[PAGE_TOPICS]);

/* ---- order --------------------------------------------------------------- */

/*
 * Things put into a row so that those that are alike stand together, and cut
 * into groups of such.
 */

/*
 * `distance` (n x n) is symmetric and finite. order[i] is the thing at place i;
 * group[t] the group of thing t: there are `groups` of them, n where that is
 * fewer, numbered from 0 as they stand in the row, of which each is a stretch.
 * ENOMEM.
 */
kedge_status seriation_find(const double *distance, size_t n, size_t groups,
                            size_t *order, size_t *group, kedge_error *err);

/* ---- places -------------------------------------------------------------- */

/* Things of given sizes placed on a plane, those that are alike near. */

typedef struct placed {
    double x, y, r; /* of a circle */
} placed;

/*
 * `distance` (n x n) is symmetric and finite; `order` puts alike things side by
 * side, and is where placing begins from; areas are
 * proportional to `share`, which adds up to about one and is not negative.
 * Circles do not overlap, lie within 0 to 1 across, which they fill, and take
 * what they need from 0 down; *height is that. The same for the same numbers.
 * ENOMEM.
 */
kedge_status placement_find(const double *distance, const size_t *order,
                            const double *share, size_t n, placed *out,
                            double *height, kedge_error *err);

/* ---- the map ------------------------------------------------------------- */

/* How a model's topics lie to each other, for a picture of it. */

#define TOPICMAP_GROUPS 8 /* at most */

typedef struct topicmap {
    size_t topics;
    double *distance;    /* topics x topics: Hellinger's, 0 to 1, between the
                            weighted topics where there are weights */
    double *coefficient; /* topics x topics: how shares of topics go together in
                            documents, -1 to 1, by A */
    size_t *order;       /* topics that go together side by side */
    size_t *group;       /* topics: see above */
    placed *place;       /* topics: by distances */
    double height;       /* of the places; they are 1 wide */
    double *effective;   /* topics: how many words they are like, e^entropy */
    double *specificity; /* topics: KL(B_k || p(word)) */
    double *eigenvalues; /* topics, falling; NULL: there are none to tell */
    bool of_statistics;  /* those the fit kept; else of the model's own product
                            B A B', with words' weights */
} topicmap;

/* ENUMERIC, ENOMEM. The BLAS is single-threaded meanwhile. */
kedge_status topicmap_make(const kedge_model *m, topicmap *out,
                           kedge_error *err);
void topicmap_free(topicmap *t);

/* ---- the data ------------------------------------------------------------ */

/*
 * What the page shows, as JSON inside of its script element; page/page.js reads
 * it. Topics, words and batches are numbers from 0 in it.
 */

typedef struct pagedata {
    const kedge_model *m;
    pagewords words;
    topicmap map;
    batchshares batches;
    kedge_typical *typical; /* or NULL */
    comparable siblings[COMPARABLE_MOST];
    size_t sibling_count;
    size_t own;              /* of the siblings: the model itself */
    kedge_eval_result *eval; /* siblings, or NULL: not measured */
    kedge_eval_topic *each;  /* topics, or NULL as above */
} pagedata;

/* ENOMEM; `out` is empty before, and after a failure. */
kedge_status pagedata_write(const pagedata *d, textbuf *out, kedge_error *err);

#endif
