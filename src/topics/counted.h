/* SPDX-License-Identifier: MIT */
#ifndef TOPICS_COUNTED_H
#define TOPICS_COUNTED_H
/* Pivoted QR of the normalised rows of C itself, which stays as it is. */
#include "topics/anchors.h"

/* As anchors_find, of in->counted. What is as long as the longest up to 1e-9 is
 * a tie. Rows of no sum are no anchors. */
kedge_status counted_find(const anchors_input *in, uint64_t *chosen,
                          double *residual, kedge_error *err);

#endif
