/* SPDX-License-Identifier: MIT */
#ifndef BASE_CLONES_H
#define BASE_CLONES_H
/*
 * KERNEL_CLONES before a plain loop compiles it for several widths of vector
 * and lets the loader choose. Where the compiler cannot, the loop stays as it
 * is. For code whose speed matters and whose callees are all inlined.
 */
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && \
    __GNUC__ >= 12 && !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__)
#define KERNEL_CLONES \
    __attribute__((   \
        target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))

/* Which of them this processor gets. */
static inline const char *clones_level(void)
{
    __builtin_cpu_init();
    return __builtin_cpu_supports("x86-64-v4")   ? "x86-64-v4"
           : __builtin_cpu_supports("x86-64-v3") ? "x86-64-v3"
                                                 : "one width";
}
#else
#define KERNEL_CLONES

static inline const char *clones_level(void)
{
    return "one width";
}
#endif

#endif
