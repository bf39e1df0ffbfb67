/* SPDX-License-Identifier: MIT */
#ifndef PIPELINE_PARTS_PARTSUM_H
#define PIPELINE_PARTS_PARTSUM_H
/*
 * Stores whose documents are all elsewhere, for merging: they have nothing to
 * be read again, and are added up as parts are.
 */
#include <kedge/parts.h>

#include "store/store.h"

/* Whether the store at `path` is one; EINVAL when only some of its documents
 * are elsewhere: then neither way does. */
kedge_status partsum_is(const char *path, bool *is, kedge_error *err);

/* Adds all that it has; as kedge_sketch_import. */
kedge_status partsum_add(store *into, const char *path,
                         const kedge_control *control,
                         kedge_sketch_import_result *out, kedge_error *err);

#endif
