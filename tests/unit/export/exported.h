/* SPDX-License-Identifier: MIT */
#ifndef TESTS_UNIT_EXPORT_EXPORTED_H
#define TESTS_UNIT_EXPORT_EXPORTED_H
/* A keeper's documents as its model sees them, and its export, in the folder
 * "out" beside the store. */
#include <kedge/export.h>

#include "files.h"
#include "ops/keeper.h"
#include "ops/models/model.h"

static inline kedge_model *exported_model(keeper *k)
{
    kedge_model *m;

    ck_ok(kedge_model_load(k->l.p.t.s, KEEPER_MODEL, NULL, &m, &k->l.p.t.err),
          k->l.p.t.err);
    return m;
}

static inline kedge_status exported_try(keeper *k, const kedge_model *m,
                                        unsigned also)
{
    const kedge_export_opts o = {.also = also, .store = k->l.p.t.s,
                                 .control = &k->l.p.c};
    char path[96];

    return kedge_export(m, planted_path(&k->l.p, "out", path), &o,
                        &k->l.p.t.err);
}

/* How often document d of the table has the model's word `row`. */
static inline uint32_t exported_tally(const keeper *k, const kedge_model *m,
                                      size_t d, size_t row)
{
    const docs *const all = &k->l.p.d;
    char text[16];
    size_t place = 0;

    while (place < all->count &&
           strcmp(lively_id(place, text), k->d[d].id) != 0)
        place++;
    ck_assert_uint_lt(place, all->count);
    for (size_t e = all->start[place]; e < all->start[place + 1]; e++) {
        snprintf(text, sizeof text, "w%03u",
                 all->word[e] * 37 % PLANTED_WORDS);
        if (strcmp(text, words_get(&m->text, row)) == 0)
            return all->tally[e];
    }
    return 0;
}

static inline const char *exported_out(const keeper *k)
{
    static char path[96];

    return planted_path(&k->l.p, "out", path);
}

#endif
