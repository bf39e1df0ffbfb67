/* SPDX-License-Identifier: MIT */
#ifndef KEDGE_STATUS_H
#define KEDGE_STATUS_H
/*
 * Status codes and error messages, and the rules that all functions share.
 *
 * Errors: every function that can fail returns a kedge_status. Its last
 * parameter is a kedge_error that the caller owns, or NULL. After a failure its
 * text has the reason, the place (file, line, record) and, where possible, what
 * to do next; after success it is empty. There is no global "last error".
 *
 * Headers list the statuses of each function without their prefix: EIO is
 * KEDGE_EIO. A handle that is used in the wrong state (opened for reading only,
 * after fork, while another call has it) is EMISUSE everywhere.
 *
 * Pointers: `opts` and `control` may be NULL for the defaults; an array may be
 * NULL if its count is 0. Any other pointer may be NULL only where its header
 * says so, otherwise NULL is EINVAL.
 *
 * Results: a function first sets what it returns through pointers to zero or
 * NULL, so the caller may read or free it after a failure too. Functions
 * without a status return 0 or NULL for a NULL handle, and free accepts NULL.
 *
 * Threads: a handle belongs to one thread at a time. Models and results never
 * change, so any number of threads may read them.
 */
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define KEDGE_API __attribute__((visibility("default")))
#define KEDGE_CHECKED __attribute__((warn_unused_result))
#define KEDGE_PRINTF(f, a) __attribute__((format(printf, f, a)))
#else
#define KEDGE_API
#define KEDGE_CHECKED
#define KEDGE_PRINTF(f, a)
#endif

/* name, value (pinned: they never change), meaning */
#define KEDGE_STATUS_TABLE(X)                                             \
    X(KEDGE_OK, 0, "no error")                                            \
    X(KEDGE_EINVAL, 1, "an argument or option is not valid")              \
    X(KEDGE_EMISUSE, 2, "calls in the wrong order")                       \
    X(KEDGE_ENOMEM, 3, "out of memory")                                   \
    X(KEDGE_EBUDGET, 4, "the memory budget is too small")                 \
    X(KEDGE_EIO, 5, "reading or writing failed")                          \
    X(KEDGE_EFORMAT, 6, "the input is not in the expected format")        \
    X(KEDGE_ECORRUPT, 7, "the store is damaged")                          \
    X(KEDGE_EVERSION, 8, "the store was made by another version")         \
    X(KEDGE_ENUMERIC, 9, "a numerical method failed")                     \
    X(KEDGE_ECANCELED, 10, "stopped on request; committed work stays")    \
    X(KEDGE_ENOTFOUND, 11, "the store has no such thing")                 \
    X(KEDGE_EBUSY, 12, "another process is writing to the store")

typedef enum kedge_status {
#define KEDGE_STATUS_ENUM(name, value, text) name = value,
    KEDGE_STATUS_TABLE(KEDGE_STATUS_ENUM)
#undef KEDGE_STATUS_ENUM
} kedge_status;

/* One failure, in words. */
typedef struct kedge_error {
    kedge_status status;
    char text[1024];
} kedge_error;

/* A few words for any integer; never NULL. Static: do not free. */
KEDGE_API const char *kedge_status_text(kedge_status status);

/* The version of kedge, like "0.1.0". Static: do not free. */
KEDGE_API const char *kedge_version(void);

/* The libraries in use, like "lmdb 0.9.24, zstd 1.5.4, ...". Static. */
KEDGE_API const char *kedge_library_versions(void);

#ifdef __cplusplus
}
#endif
#endif
