/* SPDX-License-Identifier: MIT */
#ifndef REPORT_PAGEDATA_H
#define REPORT_PAGEDATA_H
/*
 * What the page shows, as JSON inside of its script element; page/page.js reads
 * it. Topics, words and batches are numbers from 0 in it.
 */
#include <kedge/eval.h>
#include <kedge/kept.h>

#include "pipeline/models/siblings.h"
#include "pipeline/shares/batchshares.h"
#include "report/pagewords.h"
#include "report/textbuf.h"
#include "report/topicmap.h"

typedef struct pagedata {
    const kedge_model *m;
    pagewords words;
    topicmap map;
    batchshares batches;
    kedge_typical *typical; /* or NULL */
    sibling siblings[SIBLINGS_MOST];
    size_t sibling_count;
    size_t own;              /* of the siblings: the model itself */
    kedge_eval_result *eval; /* siblings, or NULL: not measured */
    kedge_eval_topic *each;  /* topics, or NULL likewise */
} pagedata;

/* ENOMEM; `out` is empty before, and after a failure. */
kedge_status pagedata_write(const pagedata *d, textbuf *out, kedge_error *err);

#endif
