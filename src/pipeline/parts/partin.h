/* SPDX-License-Identifier: MIT */
#ifndef PIPELINE_PARTS_PARTIN_H
#define PIPELINE_PARTS_PARTIN_H
#include <kedge/parts.h>

#include "store/parcel.h"

/* kedge_sketch_import from anywhere; messages call it `name`. Of a part that is
 * known only the beginning is read. */
kedge_status partin_take(store *s, const parcel_source *from, const char *name,
                         const kedge_control *control,
                         kedge_sketch_import_result *out, kedge_error *err);

#endif
