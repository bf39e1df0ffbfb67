/* SPDX-License-Identifier: MIT */
#ifndef COMPOSE_SCROLL_H
#define COMPOSE_SCROLL_H
/*
 * Rows of numbers that are too many for memory: a file without a name, gone
 * with the process, written and read a part at a time. What is in memory is
 * the caller's alone.
 */
#include <kedge/status.h>

#include <stddef.h>
#include <stdint.h>

typedef struct scroll {
    int file;
    size_t width; /* of a row */
} scroll;

#define SCROLL_CLOSED {-1, 0}

kedge_status scroll_open(scroll *s, const char *folder, size_t width,
                         kedge_error *err);
void scroll_close(scroll *s);

/* EIO: the disk is full, or fails. */
kedge_status scroll_write(const scroll *s, uint64_t first, size_t count,
                          const double *rows, kedge_error *err);
kedge_status scroll_read(const scroll *s, uint64_t first, size_t count,
                         double *rows, kedge_error *err);

#endif
