/* SPDX-License-Identifier: MIT */
#ifndef TESTS_UNIT_REPORT_SHOWN_H
#define TESTS_UNIT_REPORT_SHOWN_H
/* A keeper's documents as its model sees them, and its files. */
#include "pipeline/keeper.h"
#include "pipeline/models/model.h"

static inline kedge_model *shown_model(keeper *k)
{
    kedge_model *m;

    ck_ok(kedge_model_load(k->l.p.t.s, KEEPER_MODEL, NULL, &m, &k->l.p.t.err),
          k->l.p.t.err);
    return m;
}

/* The planted document of this id. */
static inline size_t shown_place(const keeper *k, const char *id)
{
    char own[16];
    size_t m = 0;

    while (m < k->l.p.d.count && strcmp(lively_id(m, own), id) != 0)
        m++;
    ck_assert_uint_lt(m, k->l.p.d.count);
    return m;
}

/* How often document d of the table has the model's word `row`. */
static inline uint32_t shown_tally(const keeper *k, const kedge_model *m,
                                   size_t d, size_t row)
{
    const docs *const all = &k->l.p.d;
    const size_t place = shown_place(k, k->d[d].id);

    for (size_t e = all->start[place]; e < all->start[place + 1]; e++) {
        char word[16];
        snprintf(word, sizeof word, "w%03u",
                 all->word[e] * 37 % PLANTED_WORDS);
        if (strcmp(word, words_get(&m->text, row)) == 0)
            return all->tally[e];
    }
    return 0;
}

/* A file beside the store: its bytes and a zero, for free(). */
static inline char *shown_file(const keeper *k, const char *name, size_t *size)
{
    char path[96], *const bytes = calloc(1, 1 << 22);
    FILE *const f = fopen(planted_path(&k->l.p, name, path), "rb");

    ck_assert_ptr_nonnull(bytes);
    ck_assert_msg(f != NULL, "%s is not there", path);
    *size = fread(bytes, 1, (1 << 22) - 1, f);
    fclose(f);
    return bytes;
}

static inline bool shown_is_there(const keeper *k, const char *name)
{
    char path[96];

    return access(planted_path(&k->l.p, name, path), F_OK) == 0;
}

#endif
