/* SPDX-License-Identifier: MIT */
#ifndef TOPICS_SPA_H
#define TOPICS_SPA_H
/* The successive projection algorithm. */
#include "topics/anchors.h"

/* As anchors_find, which see. residual[]: the part outside the span of those
 * chosen before. */
kedge_status spa_find(pool *p, const anchors_input *in, uint64_t *chosen,
                      double *residual, kedge_error *err);

#endif
