/* SPDX-License-Identifier: MIT */
#ifndef STORE_CENSUS_H
#define STORE_CENSUS_H
/* The part of a scan that is about documents: they are counted and found. */
#include "store/scan.h"

kedge_status census_check_block(scan *c, const kv_value *v, char *what,
                                kedge_error *why);
kedge_status census_check_order(scan *c, const kv_value *v, char *what,
                                kedge_error *why);
kedge_status census_check_gone(scan *c, const kv_value *v, char *what,
                               kedge_error *why);
kedge_status census_check_removal(scan *c, const kv_value *v, char *what,
                                  kedge_error *why);
kedge_status census_check_id(scan *c, const kv_value *v, char *what,
                             kedge_error *why);

/* Tells of the ids that lead to no document, when there are any. */
kedge_status census_find_strays(scan *c, kedge_error *err);

#endif
