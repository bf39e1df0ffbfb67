/* SPDX-License-Identifier: MIT */
#ifndef OPS_UPKEEP_DOCUMENTS_H
#define OPS_UPKEEP_DOCUMENTS_H
/* What the library itself asks of kedge/documents.h. */
#include <kedge/documents.h>

#include "store/store.h"

/* Where the document is that was given last. */
store_place documents_place(const kedge_documents *d);

#endif
