/* SPDX-License-Identifier: MIT */
#ifndef CLI_PROCESSOR_H
#define CLI_PROCESSOR_H

/* Begins the program again where the BLAS has taken kernels for a much older
 * processor than this one, and nobody told it which to take. Before anything
 * else: nothing of what was done is kept. */
void processor_suit(char **argv);

#endif
