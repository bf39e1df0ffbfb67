/* SPDX-License-Identifier: MIT */
#ifndef STORE_PAGES_H
#define STORE_PAGES_H
/*
 * Looks at LMDB's data file from outside. LMDB maps the file and follows what
 * it finds there without a checksum: a cut or overwritten file would kill the
 * process, where a store must answer ECORRUPT.
 */
#include <stdbool.h>
#include <stdint.h>

#include "base/fail.h"

/* The first two pages, before LMDB maps the file: ECORRUPT, EVERSION, EIO. */
kedge_status pages_check_head(int fd, kedge_error *err);

/* Whether this is what a process leaves that ended while it made the file: it
 * is small, and its first pages have at most what LMDB puts there before the
 * first transaction. Whoever holds the writer's lock may cut such a file off
 * and begin again. */
bool pages_unborn(int fd);

/*
 * The whole check: every page of every tree as of the transaction `snapshot`,
 * which must be open meanwhile, so that no writer takes its pages. Nodes lie in
 * their page without gap or overlap, keys rise, values are within the file, no
 * page is used twice or is used and free, and what trees count is right. After
 * it, LMDB can follow and change the file without harm. Values are left to
 * their own checksums, so this costs a read for a hundred of them or so.
 * *moved is set, and nothing was checked, when writers have overwritten the
 * snapshot's root since: take a new one. ECORRUPT, ENOMEM, EIO.
 */
kedge_status pages_check(int fd, uint64_t snapshot, bool *moved,
                         kedge_error *err);

#endif
