/* SPDX-License-Identifier: MIT */
#ifndef REPORT_TOPICMAP_H
#define REPORT_TOPICMAP_H
/* How a model's topics lie to each other, for a picture of it. */
#include "pipeline/models/model.h"
#include "report/placement.h"

#define TOPICMAP_GROUPS 8 /* at most */

typedef struct topicmap {
    size_t topics;
    double *distance;    /* topics x topics: Hellinger's, 0 to 1, between the
                            weighted topics where there are weights */
    double *coefficient; /* topics x topics: how shares of topics go together in
                            documents, -1 to 1, by A */
    size_t *order;       /* topics that go together side by side */
    size_t *group;       /* topics: see report/seriation.h */
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

#endif
