/* SPDX-License-Identifier: MIT */
#ifndef KEDGE_STATUS_H
#define KEDGE_STATUS_H
/*
 * What a call into kedge can answer.
 *
 * Every function that can fail returns a kedge_status and takes, as its last
 * parameter, a kedge_error that the caller owns and may leave NULL. On failure
 * its text says what went wrong, where (file, line, record) and, where there is
 * one, what to do next; on success it is empty. There is no global "last
 * error".
 *
 * Pointers, everywhere: `opts` and `control` may be NULL for the defaults, and
 * so may an array of no elements. Any other may be NULL where the header says
 * so; else it is EINVAL.
 * What a function gives out is zero or NULL as soon as it is called, so that it
 * can be looked at, and freed, whatever the answer was. Functions that answer
 * no status take a handle that is NULL for an empty one: they give 0 or NULL,
 * and free nothing.
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
    X(KEDGE_ENOMEM, 3, "the system gave no memory")                       \
    X(KEDGE_EBUDGET, 4, "the memory budget is too small")                 \
    X(KEDGE_EIO, 5, "reading or writing failed")                          \
    X(KEDGE_EFORMAT, 6, "the input is not what its format asks for")      \
    X(KEDGE_ECORRUPT, 7, "the store is damaged")                          \
    X(KEDGE_EVERSION, 8, "the store was made by another version")         \
    X(KEDGE_ENUMERIC, 9, "a numerical method failed")                     \
    X(KEDGE_ECANCELED, 10, "stopped on request; what was committed stays") \
    X(KEDGE_ENOTFOUND, 11, "there is no such thing in the store")         \
    X(KEDGE_EBUSY, 12, "another process is writing to the store")

typedef enum kedge_status {
#define KEDGE_STATUS_ENUM(name, value, text) name = value,
    KEDGE_STATUS_TABLE(KEDGE_STATUS_ENUM)
#undef KEDGE_STATUS_ENUM
} kedge_status;

/* One failure, described for people. */
typedef struct kedge_error {
    kedge_status status;
    char text[1024];
} kedge_error;

/* The meaning of a status; never NULL, never freed, for any integer. */
KEDGE_API const char *kedge_status_text(kedge_status status);

/* kedge's own version, as "0.1.0". Never freed. */
KEDGE_API const char *kedge_version(void);

/* The versions of the libraries in use, as "lmdb 0.9.24, zstd 1.5.4, ...". */
KEDGE_API const char *kedge_library_versions(void);

#ifdef __cplusplus
}
#endif
#endif
