/* SPDX-License-Identifier: MIT */
#ifndef PIPELINE_INTAKE_BESIDE_H
#define PIPELINE_INTAKE_BESIDE_H
/*
 * Views of all words beside the first one, that count occurrences otherwise.
 */
#include "store/store.h"

/* By these statistics (names between commas), written down where they are not
 * there yet: views_follow makes their sketches. They have the first one's
 * width, seed and least tokens; nothing happens where there is no first one. No
 * transaction may be open. */
kedge_status beside_add(store *s, const char *statistics, kedge_error *err);

#endif
