/* SPDX-License-Identifier: MIT */
#ifndef OPS_INFER_INFER_H
#define OPS_INFER_INFER_H
/* Compositions by a model that is not the store's own. */
#include <kedge/infer.h>

#include "ops/models/model.h"

/* As kedge_infer_open of the documents that the store has. The model is one as
 * MODEL_COMPOSING opens it, with this store's ids, and WALK_UNKNOWN for
 * words that the store has not. It is taken, whatever comes of it. */
kedge_status infer_open_brought(kedge_store *s, kedge_model *m,
                                const kedge_infer_opts *opts,
                                const kedge_control *control,
                                kedge_infer **out, kedge_error *err);

#endif
