/* SPDX-License-Identifier: MIT */
#ifndef STORE_HOLDS_H
#define STORE_HOLDS_H
/*
 * Which states of the data file are being read, told by locks on the file
 * itself: open file description locks on bytes far behind its end, one byte for
 * each transaction. LMDB's own table of readers goes by process ids, which two
 * containers share; its locks are those of a whole process, so that closing one
 * handle drops those of another; it has a fixed number of places, which killed
 * readers keep; and it must be written by readers. These locks need nothing but
 * a file that is open for reading, and the kernel drops them with it.
 */
#include <stdbool.h>
#include <stdint.h>

/* Reading begins: enter, take LMDB's snapshot, `holds_state`. In between no
 * state's pages are used again. It ends by `holds_leave`. false: errno. */
bool holds_enter(int fd);
bool holds_state(int fd, uint64_t transaction);
void holds_leave(int fd);

/* For the writer: the oldest state that somebody reads; `newest` when none of
 * those before is read. */
uint64_t holds_oldest(int fd, uint64_t newest);

/* The writer marks the transaction that it is committing: a reader that sees
 * its meta page meanwhile may see half of it. */
void holds_commit(int fd, uint64_t transaction, bool begins);
bool holds_is_committing(int fd, uint64_t transaction);

/* The writer tells that it has found the pages sound, and goes on telling until
 * the file is closed. */
void holds_sound(int fd);
bool holds_is_sound(int fd);

/* Drops all of these. */
void holds_drop(int fd);

#endif
