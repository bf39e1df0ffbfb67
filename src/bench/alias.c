/* SPDX-License-Identifier: MIT */
/*
 * Walker's alias method as Vose makes the table: a cell that has less than the
 * mean is filled up by an item that has more, which then has less itself.
 */
#include "bench/alias.h"

#include <assert.h>

#include "base/fail.h"
#include "base/mem.h"

/* Weights become multiples of their mean. */
static void scale(double *weight, size_t count)
{
    double sum = 0;

    for (size_t i = 0; i < count; i++)
        sum += weight[i];
    assert(sum > 0);
    for (size_t i = 0; i < count; i++)
        weight[i] *= (double)count / sum;
}

static uint32_t share_of(double part)
{
    return part >= 1 ? UINT32_MAX : (uint32_t)(part * 0x1p32);
}

kedge_status alias_build(const uint32_t *item, double *weight, size_t count,
                         alias_cell *cells, kedge_error *err)
{
    size_t poor = 0, rich = count;
    kedge_status st = KEDGE_OK;
    size_t *stack; /* poor ones from the front, rich ones from the back */

    TRY_MEM(stack = mem_new(count, sizeof *stack));
    scale(weight, count);
    for (size_t i = 0; i < count; i++) {
        cells[i] = (alias_cell){item[i], item[i], UINT32_MAX};
        if (weight[i] < 1)
            stack[poor++] = i;
        else
            stack[--rich] = i;
    }
    while (poor > 0 && rich < count) {
        const size_t p = stack[--poor], r = stack[rich];

        cells[p].share = share_of(weight[p]);
        cells[p].other = item[r];
        weight[r] -= 1 - weight[p];
        if (weight[r] < 1) {
            rich++;
            stack[poor++] = r;
        }
    }
out:
    mem_free(stack);
    return st;
}
