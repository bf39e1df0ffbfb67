/* SPDX-License-Identifier: MIT */
#ifndef TOPICS_XRAY_H
#define TOPICS_XRAY_H
/* XRAY: the extreme rays of a cone. */
#include "topics/anchors.h"

/* As anchors_find, which see. residual[]: how far the row that is farthest from
 * the cone of those chosen before was from it. */
kedge_status xray_find(pool *p, const anchors_input *in, uint64_t *chosen,
                       double *residual, kedge_error *err);

#endif
