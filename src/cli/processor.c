/* SPDX-License-Identifier: MIT */
/*
 * OpenBLAS chooses its kernels while it is loaded, by a list of processors. One
 * that is newer than the list gets those of the oldest, of two numbers at a
 * time, and takes twice as long for a fit. The choice can be made for it in the
 * environment, but only before it is loaded: so the program begins again.
 *
 * It also starts a thread for each processor while it is loaded. kedge has its
 * own threads and never uses those; where the system refuses one (ulimit -u) or
 * its memory (ulimit -v), OpenBLAS ends the program as if it were interrupted,
 * or tries again for ever. So its question how many threads the user wants is
 * answered here: the dynamic linker takes the program's function before the
 * library's own, which reads OPENBLAS_NUM_THREADS.
 */
#include "processor.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <kedge/kedge.h>

#include "complain.h"

/* Weak, for where OpenBLAS is linked into the program. */
__attribute__((weak, visibility("default"))) int openblas_num_threads_env(void);

int openblas_num_threads_env(void)
{
    return 1;
}

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
