/* SPDX-License-Identifier: MIT */
#ifndef INFER_ROUNDING_H
#define INFER_ROUNDING_H
/*
 * A composition in few bytes: topics of some weight, with shares that are
 * multiples of 1 / ROUNDING_UNITS and add up to one exactly.
 */
#include <kedge/status.h>

#include <stddef.h>
#include <stdint.h>

#define ROUNDING_UNITS 65536
#define ROUNDING_TOPICS 16384 /* at most */

typedef struct rounding rounding;

/* EINVAL for more topics than that. */
kedge_status rounding_create(size_t topics, rounding **out, kedge_error *err);
void rounding_free(rounding *r); /* accepts NULL */

/* `shares` are not negative and of the sum one. Writes the topics that stay,
 * rising, and their units, at least 1 each; gives how many these are, at least
 * one. *moved: what was changed, all added up. `topic` and `units` have room
 * for all topics. */
size_t rounding_take(rounding *r, const double *shares, uint32_t *topic,
                     uint32_t *units, double *moved);

#endif
