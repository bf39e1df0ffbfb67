/* SPDX-License-Identifier: MIT */
#ifndef STORE_IDS_H
#define STORE_IDS_H
/* What a walk over all ids needs; the rest is in store.h. */
#include "store/kv.h"

/* The value that is stored under an id. ECORRUPT. */
kedge_status ids_read(span id, const uint8_t *value, size_t size,
                      store_place *out, kedge_error *err);

#define IDS_SHOWN 64

/* The beginning of an id for messages: what is not plain ASCII is a dot. */
void ids_show(span id, char to[IDS_SHOWN]);

#endif
