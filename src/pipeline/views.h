/* SPDX-License-Identifier: MIT */
#ifndef PIPELINE_VIEWS_H
#define PIPELINE_VIEWS_H
/*
 * Which view a model is made of: the one used last, one that is there with the
 * words that are asked for, or a new one, which is written down without a
 * sketch.
 */
#include <kedge/fit.h>

#include "base/words.h"
#include "store/store.h"

/* `all`: the store's words. No transaction may be open. */
kedge_status views_choose(store *s, const words *all,
                          const kedge_fit_opts *opts,
                          const kedge_control *control, uint32_t *number,
                          kedge_error *err);

#endif
