/* SPDX-License-Identifier: MIT */
#ifndef TESTS_UNIT_OPS_PROGRAM_H
#define TESTS_UNIT_OPS_PROGRAM_H
/* The planted corpus as a program has it that hands its own documents over. */
#include "ops/planted.h"

typedef struct program {
    const docs *d;
    size_t next, count;
    char text[PLANTED_WORDS][16];
    const char *vocabulary[PLANTED_WORDS];
    kedge_source source;
} program;

static inline int program_next(void *data, kedge_given *out)
{
    program *g = data;
    const size_t m = g->next;

    if (m == g->count)
        return 0;
    g->next++;
    *out = (kedge_given){.numbers = g->d->word + g->d->start[m],
                         .counts = g->d->tally + g->d->start[m],
                         .size = g->d->start[m + 1] - g->d->start[m]};
    return 1;
}

/* As planted_write_words has the vocabulary. */
static inline void program_begin(program *g, const planted *p, size_t count)
{
    *g = (program){.d = &p->d, .count = count};
    for (size_t i = 0; i < PLANTED_WORDS; i++) {
        snprintf(g->text[i], sizeof g->text[i], "w%03zu",
                 i * 37 % PLANTED_WORDS);
        g->vocabulary[i] = g->text[i];
    }
    g->source = (kedge_source){.vocabulary = g->vocabulary,
                               .words = PLANTED_WORDS, .data = g,
                               .next = program_next};
}

#endif
