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
#else
#define KERNEL_CLONES
#endif

#endif
