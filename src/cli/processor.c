/* SPDX-License-Identifier: MIT */
/*
 * OpenBLAS chooses its kernels while it is loaded, by a list of processors. One
 * that is newer than the list gets those of the oldest, of two numbers at a
 * time, and takes twice as long for a fit. The choice can be made for it in the
 * environment, but only before it is loaded: so the program begins again.
 */
#include "processor.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <kedge/kedge.h>

#include "complain.h"

#define CHOICE "OPENBLAS_CORETYPE"

#ifdef __x86_64__
static const char *better_kernels(void)
{
    __builtin_cpu_init();
    if (strstr(kedge_library_versions(), "(Prescott)") == NULL ||
        !__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma"))
        return NULL;
    return __builtin_cpu_supports("avx512f") &&
                   __builtin_cpu_supports("avx512dq") &&
                   __builtin_cpu_supports("avx512bw") &&
                   __builtin_cpu_supports("avx512vl")
               ? "SkylakeX"
               : "Haswell";
}
#else
static const char *better_kernels(void)
{
    return NULL;
}
#endif

void processor_suit(char **argv)
{
    const char *const kernels =
        getenv(CHOICE) == NULL ? better_kernels() : NULL;
    char program[4096];
    ssize_t length;

    if (kernels == NULL)
        return;
    if (setenv(CHOICE, kernels, 1) != 0)
        no_memory(); /* other kernels round otherwise: no other bytes */
    length = readlink("/proc/self/exe", program, sizeof program - 1);
    if (length <= 0)
        return;
    program[length] = '\0';
    execv(program, argv);
    /* Where that is not possible, it goes on as it is. */
}
