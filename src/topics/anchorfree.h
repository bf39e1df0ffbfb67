/* SPDX-License-Identifier: MIT */
#ifndef TOPICS_ANCHORFREE_H
#define TOPICS_ANCHORFREE_H
/*
 * AnchorFree (paper "Anchor-Free Correlated Topic Modeling: Identifiability and
 * Algorithm", Algorithm 2): topics without a word that is one topic's alone,
 * from the same rows and to the same output as law_fit.
 */
#include <kedge/control.h>

#include "topics/law.h"

/* `steps` of the output are the turns that were made, of all starts. A topic's
 * anchor is here the word, of those that could be one, that is most its own,
 * and its residual is 0; characteristic words co-occur most with the topic as a
 * whole. What `diagonal` and ADMM are told is not looked at. */
kedge_status anchorfree_fit(pool *p, const law_input *in,
                            const kedge_control *control, law_output *out,
                            kedge_error *err);

#endif
