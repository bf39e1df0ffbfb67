/* SPDX-License-Identifier: MIT */
#ifndef TOPICS_SNPA_H
#define TOPICS_SNPA_H
/* The successive non-negative projection algorithm. */
#include "topics/anchors.h"

/* As anchors_find, which see. residual[]: how far the row was from the hull of
 * those chosen before, and zero. */
kedge_status snpa_find(pool *p, const anchors_input *in, uint64_t *chosen,
                       double *residual, kedge_error *err);

#endif
