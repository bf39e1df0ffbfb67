/* SPDX-License-Identifier: MIT */
#ifndef TESTS_UNIT_UNIT_H
#define TESTS_UNIT_UNIT_H
/*
 * What unit tests share. A test file defines its cases with TEST; the files of
 * a folder make one program (unit.c). Each case runs in a process of its own,
 * unless CK_FORK=no.
 */
#include <check.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <kedge/model.h>

#include "base/pool.h"

/* What an assertion that holds does: nothing. Check's own tells its first
 * process, by a call of the system, which took most of the tests' time. */
#define _mark_point(file, line) ((void)0)

/* Adds a case to the suite <name> of a file test_<name>.c. */
void unit_add(const TTest *test);

/* A case, which is one of its file's suite wherever it stands. */
#define TEST(name)                                                    \
    static void name(int);                                            \
    __attribute__((constructor)) static void name##_add(void)         \
    {                                                                 \
        static const TTest test = {#name, name, __BASE_FILE__, __LINE__};  \
        unit_add(&test);                                         \
    }                                                                 \
    static void name(int i_ __attribute__((unused)))

/* What a variable holds is released where its scope ends; the last of them
 * first. `release` takes the variable's address. */
#define OWN(release) __attribute__((cleanup(release), unused))

/* The same of what free() or mem_free() releases. */
#define OWNED OWN(unit_free)

static inline void unit_free(void *variable)
{
    free(*(void **)variable);
}

/* <name>_end for OWN, of pointers that `release` takes. */
#define UNIT_END(name, type, release)            \
    static inline void name##_end(type **x)      \
    {                                            \
        release(*x);                             \
    }

UNIT_END(pool, pool, pool_free)
UNIT_END(model, kedge_model, kedge_model_free)

/* The file that Check tells its own process in what was asserted becomes
 * nobody's. */
static inline void unit_mute(void)
{
    DIR *const open_files = opendir("/proc/self/fd");
    const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    const struct dirent *e;
    char link[64], path[256];

    while (open_files != NULL && (e = readdir(open_files)) != NULL) {
        ssize_t size;
        snprintf(link, sizeof link, "/proc/self/fd/%.16s", e->d_name);
        size = readlink(link, path, sizeof path - 1);
        path[size < 0 ? 0 : size] = 0;
        if (strstr(path, "/check_") != NULL)
            dup2(nowhere, atoi(e->d_name));
    }
    if (open_files != NULL)
        closedir(open_files);
    close(nowhere);
}

/* A process that a test makes. When it is killed it may be telling Check
 * something, and half of a message would spoil all that follow: so it tells
 * nothing but its exit code, which is not 0 when an assertion failed. */
static inline pid_t unit_fork(void)
{
    const pid_t child = fork();

    if (child == 0)
        unit_mute();
    return child;
}

/* Asserts KEDGE_OK and shows the error's text when it is not. */
#define ck_ok(expr, err)                                                  \
    do {                                                                  \
        const kedge_status ck_status_ = (expr);                           \
        ck_assert_msg(ck_status_ == KEDGE_OK, "%s: %d %s", #expr,         \
                      (int)ck_status_, (err).text);                       \
    } while (0)

/* Asserts a failure of this status whose text contains `part`. */
#define ck_fails(expr, expected, err, part)                               \
    do {                                                                  \
        const kedge_status ck_status_ = (expr);                           \
        ck_assert_msg(ck_status_ == (expected), "%s: status %d, not %d",  \
                      #expr, (int)ck_status_, (int)(expected));           \
        ck_assert_msg(strstr((err).text, part) != NULL,                   \
                      "%s: \"%s\" does not say \"%s\"", #expr,            \
                      (err).text, part);                                  \
    } while (0)

#endif
