/* SPDX-License-Identifier: MIT */
#ifndef BASE_FAIL_H
#define BASE_FAIL_H
/*
 * How functions fail: a status is returned, its text goes to the caller's
 * kedge_error. Three macros are all the vocabulary there is; they need a local
 * `kedge_status st` (and TRY_MEM a parameter `err`) and a label `out`.
 */
#include <kedge/status.h>

/* Writes the text and gives back `status`, so that it can be returned. */
KEDGE_PRINTF(3, 4)
kedge_status kedge_fail(kedge_error *err, kedge_status status,
                        const char *format, ...);

/* Puts words before a text that is already there: "where: what". */
KEDGE_PRINTF(2, 3)
void kedge_fail_context(kedge_error *err, const char *format, ...);

#define TRY(expr)                   \
    do {                            \
        if ((st = (expr)) != KEDGE_OK) \
            goto out;               \
    } while (0)

#define TRY_MEM(ptr)                                                  \
    do {                                                              \
        if ((ptr) == NULL) {                                          \
            st = kedge_fail(err, KEDGE_ENOMEM, "out of memory (%s)",  \
                            __func__);                                \
            goto out;                                                 \
        }                                                             \
    } while (0)

/* In teardown: the first failure is the one that is told. */
#define KEEP_FIRST(st, expr)                     \
    do {                                         \
        const kedge_status keep_first_ = (expr); \
        if ((st) == KEDGE_OK)                    \
            (st) = keep_first_;                  \
    } while (0)

#endif
