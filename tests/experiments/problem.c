/* SPDX-License-Identifier: MIT */
#include "problem.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"

_Noreturn void problem_fail(const char *text)
{
    fprintf(stderr, "%s\n", text);
    exit(1);
}

void *problem_room(size_t count, size_t size)
{
    void *const room = mem_new(count, size);

    if (room == NULL)
        problem_fail("no memory");
    return room;
}

double problem_number(const char *text)
{
    char *end;
    const double value = strtod(text, &end);

    if (end == text || *end != '\0' || !(value >= 0 && value <= 1e15))
        problem_fail("a number was expected");
    return value;
}

static void *problem_take(size_t count, size_t size)
{
    void *const room = problem_room(count, size);

    if (fread(room, size, count, stdin) != count)
        problem_fail("too little input");
    return room;
}

static void problem_check(const problem *p)
{
    for (uint64_t m = 0; m < p->documents; m++)
        if (p->start[m] > p->start[m + 1])
            problem_fail("documents do not follow one another");
    if (p->start[0] != 0 || p->start[p->documents] != p->entries)
        problem_fail("documents are not the entries");
    for (uint64_t e = 0; e < p->entries; e++)
        if (p->word[e] >= p->rows || p->tally[e] == 0)
            problem_fail("there is no such entry");
}

void problem_read(problem *p)
{
    uint64_t head[5];

    if (fread(head, sizeof *head, 5, stdin) != 5)
        problem_fail("too little input");
    for (int i = 0; i < 5; i++)
        if (head[i] > (uint64_t)1 << 32)
            problem_fail("this is too large");
    *p = (problem){head[0], head[1], head[2], head[3], head[4],
                   NULL, NULL, NULL, NULL, NULL, NULL};
    if (p->k == 0)
        problem_fail("there is no topic");
    p->b = problem_take(p->rows * p->k, sizeof *p->b);
    p->known = problem_take(p->numbers, sizeof *p->known);
    p->start = problem_take(p->documents + 1, sizeof *p->start);
    p->word = problem_take(p->entries, sizeof *p->word);
    p->tally = problem_take(p->entries, sizeof *p->tally);
    problem_check(p);
    p->shares = problem_room(p->documents * p->k, sizeof *p->shares);
}

void problem_tell(const double *answer, size_t count)
{
    if (fwrite(answer, sizeof *answer, count, stdout) != count ||
        fflush(stdout) != 0)
        problem_fail("the answer cannot be written");
}

void problem_write(const problem *p)
{
    problem_tell(p->shares, p->documents * p->k);
}

void problem_free(problem *p)
{
    mem_free(p->b);
    mem_free(p->known);
    mem_free(p->start);
    mem_free(p->word);
    mem_free(p->tally);
    mem_free(p->shares);
}
