/* SPDX-License-Identifier: MIT */
#include "report/visrows.h"

#include "base/bytes.h"
#include "shown.h"

#define HEAD 128

static kedge_status write_rows(keeper *k, const kedge_model *m)
{
    return visrows_write(k->l.p.t.s, m, &k->l.p.c, k->l.p.t.root,
                         &k->l.p.t.err);
}

/* The file's numbers, behind a head of this type and shape. */
static char *open_array(const keeper *k, const char *name, const char *type,
                        const char *shape, size_t count)
{
    char expected[128];
    size_t size;
    char *const bytes = shown_file(k, name, &size);

    snprintf(expected, sizeof expected,
             "{'descr': '%s', 'fortran_order': False, 'shape': %s, }", type,
             shape);
    ck_assert_mem_eq(bytes + 10, expected, strlen(expected));
    ck_assert_uint_eq(size, HEAD + 8 * count);
    return bytes;
}

static void check_topics(const keeper *k, const kedge_model *m)
{
    char shape[64], *bytes;

    snprintf(shape, sizeof shape, "(%d, %zu)", KEEPER_TOPICS,
             (size_t)m->words);
    bytes = open_array(k, "topic_term_dists.npy", "<f8", shape,
                       m->words * KEEPER_TOPICS);
    for (size_t t = 0; t < KEEPER_TOPICS; t++)
        for (size_t i = 0; i < m->words; i++)
            ck_assert_double_eq(get_f64((uint8_t *)bytes + HEAD +
                                        8 * (t * m->words + i)),
                                m->probabilities[i * KEEPER_TOPICS + t]);
    free(bytes);
}

static void check_sums(const keeper *k, const kedge_model *m)
{
    char shape[64], *bytes;
    uint64_t *const sum = calloc(m->words, sizeof *sum);

    snprintf(shape, sizeof shape, "(%zu,)", k->count);
    bytes = open_array(k, "doc_lengths.npy", "<f8", shape, k->count);
    for (size_t d = 0; d < k->count; d++) {
        uint64_t length = 0;
        for (size_t i = 0; i < m->words; i++) {
            const uint32_t tally = shown_tally(k, m, d, i);
            length += tally;
            sum[i] += tally;
        }
        ck_assert_double_eq(get_f64((uint8_t *)bytes + HEAD + 8 * d),
                            (double)length);
    }
    free(bytes);
    snprintf(shape, sizeof shape, "(%zu,)", (size_t)m->words);
    bytes = open_array(k, "term_frequency.npy", "<u8", shape, m->words);
    for (size_t i = 0; i < m->words; i++)
        ck_assert_uint_eq(get_u64((uint8_t *)bytes + HEAD + 8 * i), sum[i]);
    free(bytes);
    free(sum);
}

START_TEST(arrays_are_of_the_documents)
{
    static keeper k;
    kedge_model *m;

    keeper_begin(&k, 100, LIVELY_SHARDS, false);
    lively_remove(&k.l, 1, 10, false);
    m = shown_model(&k);
    ck_fails(write_rows(&k, m), KEDGE_ENOTFOUND, k.l.p.t.err, "--keep");
    ck_assert(!shown_is_there(&k, "doc_lengths.npy"));
    keeper_keep(&k);
    ck_ok(write_rows(&k, m), k.l.p.t.err);
    check_topics(&k, m);
    check_sums(&k, m);
    kedge_model_free(m);
    keeper_end(&k);
}
END_TEST

START_TEST(what_fails_leaves_no_file)
{
    static keeper k;
    kedge_model *m;

    keeper_begin(&k, 100, 5, false);
    keeper_keep(&k);
    m = shown_model(&k);
    k.l.p.c.memory = 1;
    ck_assert_int_eq(write_rows(&k, m), KEDGE_EBUDGET);
    kedge_control_init(&k.l.p.c);
    ck_assert(!shown_is_there(&k, "doc_lengths.npy"));
    scene_starve(write_rows(&k, m), k.l.p.t.err);
    check_sums(&k, m);
    kedge_model_free(m);
    keeper_end(&k);
}
END_TEST

UNIT_SUITE("visrows",
    arrays_are_of_the_documents,
    what_fails_leaves_no_file)
