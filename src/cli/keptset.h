/* SPDX-License-Identifier: MIT */
#ifndef CLI_KEPTSET_H
#define CLI_KEPTSET_H
/* What is said of compositions that are kept with a model. */
#include <kedge/kept.h>

/* "3 of the documents are gone and 12 came since ..." on standard error, unless
 * the set is current. */
void keptset_warn(const kedge_kept_info *k);

/* A paragraph of a table, which begins with the model's name. */
void keptset_print(const kedge_kept_info *k);

#endif
