/* SPDX-License-Identifier: MIT */
#ifndef STORE_PAGES_H
#define STORE_PAGES_H
/*
 * Looks at LMDB's data file from outside. LMDB maps the file and follows what
 * it finds there: a cut or overwritten file would kill the process, where a
 * store must answer ECORRUPT.
 */
#include <stdint.h>

#include "base/fail.h"

/* The first two pages tell LMDB's sizes: ECORRUPT when they cannot be so. */
kedge_status pages_check_head(int fd, kedge_error *err);

#endif
