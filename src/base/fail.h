/* SPDX-License-Identifier: MIT */
#ifndef BASE_FAIL_H
#define BASE_FAIL_H
/*
 * How functions fail: a status is returned, its text goes to the caller's
 * kedge_error. The TRY ones go to a label `out` with a local `kedge_status st`,
 * the PASS ones return; those of memory need a parameter `err`.
 */
#include <stdint.h>

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

/* In functions that have nothing to clean up. */
#define PASS(expr)                          \
    do {                                    \
        const kedge_status pass_ = (expr);  \
        if (pass_ != KEDGE_OK)              \
            return pass_;                   \
    } while (0)

/* Memory that was asked for: a pointer that is not NULL, or true. */
#define FAIL_MEM(err) \
    kedge_fail(err, KEDGE_ENOMEM, "out of memory (%s)", __func__)
#define TRY_MEM(got)            \
    do {                        \
        if (!(got))             \
            TRY(FAIL_MEM(err)); \
    } while (0)
#define PASS_MEM(got)              \
    do {                           \
        if (!(got))                \
            return FAIL_MEM(err);  \
    } while (0)

/* Room for `count` elements of an array that grows (MEM_GROW). */
#define TRY_GROW(array, capacity, count) \
    TRY_MEM(MEM_GROW(array, capacity, count))
#define PASS_GROW(array, capacity, count) \
    PASS_MEM(MEM_GROW(array, capacity, count))

/* ---- public functions ------------------------------------------------------
 *
 * What kedge/status.h says of pointers. A public function begins with clearing
 * what it gives out, then API_ENTER with the pointers that must not be NULL, by
 * their names in the header, and API_ARRAY and API_TEXTS with arrays. It ends
 * with api_leave, so that a success has no text of something that was tried. */
typedef struct api_pointer {
    const char *name;
    const void *value;
} api_pointer;

kedge_status api_enter(kedge_error *err, const api_pointer *pointers,
                       size_t count);
kedge_status api_array(kedge_error *err, const char *name, const void *array,
                       uint64_t count);
kedge_status api_texts(kedge_error *err, const char *name,
                       const char *const *texts, uint64_t count);
kedge_status api_leave(kedge_status st, kedge_error *err);

#define API_ENTER(err, ...)                                      \
    PASS(api_enter(err, (const api_pointer[]){__VA_ARGS__},   \
                      sizeof (const api_pointer[]){__VA_ARGS__} / \
                          sizeof(api_pointer)))
#define API_ARRAY(err, name, array, count) \
    PASS(api_array(err, name, array, count))
#define API_TEXTS(err, name, texts, count) \
    PASS(api_texts(err, name, texts, count))

/* Options that are NULL become the usual ones, until the function ends. */
#define API_USUAL(type, opts)  \
    type api_usual_;           \
    type##_init(&api_usual_);  \
    opts = (opts) != NULL ? (opts) : &api_usual_

/* In teardown: the first failure is the one that is told. */
#define KEEP_FIRST(st, expr)                     \
    do {                                         \
        const kedge_status keep_first_ = (expr); \
        if ((st) == KEDGE_OK)                    \
            (st) = keep_first_;                  \
    } while (0)

#endif
