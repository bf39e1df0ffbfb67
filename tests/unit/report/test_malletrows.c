/* SPDX-License-Identifier: MIT */
#include "report/malletrows.h"

#include <math.h>
#include <zlib.h>

#include "shown.h"

static kedge_status write_rows(keeper *k, const kedge_model *m)
{
    return malletrows_write(k->l.p.t.s, m, &k->l.p.c, k->l.p.t.root,
                            &k->l.p.t.err);
}

/* ---- topics -------------------------------------------------------------- */

static void add_words(kedge_model *m)
{
    static const char *const text[] = {"a b", "back\\", "c", "tab\t"};

    for (size_t i = 0; i < 4; i++)
        ck_assert(words_add(&m->text, text[i], strlen(text[i])));
}

START_TEST(keys_have_escaped_words)
{
    static const double b[] = {0.5, 0.125, 0.25, 0.25, 0.25, 0, 0, 0.625};
    double shares[] = {0.75, 0.25}, alpha[] = {1.5, 0.1};
    kedge_model m = {.topics = 2, .words = 4, .probabilities = (double *)b,
                     .shares = shares, .mix = (double[]){1, 1, 1, 1}};
    static keeper k;
    size_t size;
    char *bytes;

    planted_begin(&k.l.p, 4);
    add_words(&m);
    ck_ok(malletrows_write_keys(&m, k.l.p.t.root, &k.l.p.t.err),
          k.l.p.t.err);
    bytes = shown_file(&k, "mallet-keys.txt", &size);
    ck_assert_str_eq(bytes, "0\t0.75\ta\\sb back\\\\ c\n"
                            "1\t0.25\ttab\\t back\\\\ a\\sb\n");
    free(bytes);
    m.alpha = alpha;
    scene_starve(malletrows_write_keys(&m, k.l.p.t.root, &k.l.p.t.err),
                 k.l.p.t.err);
    bytes = shown_file(&k, "mallet-keys.txt", &size);
    ck_assert_int_eq(strncmp(bytes, "0\t1.5\ta", 7), 0);
    ck_assert_ptr_nonnull(strstr(bytes, "\n1\t0.1\ttab"));
    free(bytes);
    words_free(&m.text);
    planted_end(&k.l.p);
}
END_TEST

/* ---- documents ----------------------------------------------------------- */

static void check_topics(const keeper *k)
{
    size_t size;
    char *const bytes = shown_file(k, "mallet-topics.txt", &size);
    char *at = bytes, id[64];

    for (size_t i = 0; i < k->count; i++) {
        size_t number;
        int read;
        ck_assert_int_eq(sscanf(at, "%zu\t%63s%n", &number, id, &read), 2);
        ck_assert_uint_eq(number, i);
        ck_assert_str_eq(id, k->d[i].id);
        at += read;
        for (size_t t = 0; t < KEEPER_TOPICS; t++) {
            ck_assert_int_eq(*at++, '\t');
            ck_assert(strtod(at, &at) == k->d[i].shares[t]);
        }
        ck_assert_int_eq(*at++, '\n');
    }
    ck_assert_ptr_eq(at, bytes + size);
    free(bytes);
}

/* Parts of n tokens, plainly: again and again to whom most is owing. */
static void give(const double *p, uint32_t n, uint32_t *out)
{
    double sum = 0, part[KEEPER_TOPICS];
    uint32_t left = n;

    for (size_t t = 0; t < KEEPER_TOPICS; t++)
        sum += p[t];
    for (size_t t = 0; t < KEEPER_TOPICS; t++) {
        part[t] = n * (p[t] / sum);
        out[t] = (uint32_t)part[t];
        left -= out[t];
    }
    for (; left > 0; left--) {
        size_t most = 0;
        for (size_t t = 0; t < KEEPER_TOPICS; t++)
            if (part[t] - floor(part[t]) > part[most] - floor(part[most]))
                most = t;
        out[most]++;
        part[most] = 0;
    }
}

static void expect(const keeper *k, const kedge_model *m, size_t i, size_t row,
                   uint32_t *out)
{
    double p[KEEPER_TOPICS], sum = 0;

    for (size_t t = 0; t < KEEPER_TOPICS; t++) {
        p[t] = m->probabilities[row * KEEPER_TOPICS + t] * k->d[i].shares[t];
        sum += p[t];
    }
    give(sum > 0 ? p : k->d[i].shares, shown_tally(k, m, i, row), out);
}

/* Every line, in its order. */
static void check_state(const keeper *k, const kedge_model *m)
{
    char path[96], line[256], expected[384];
    const gzFile f = gzopen(planted_path(&k->l.p, "mallet-state.gz", path),
                            "rb");

    ck_assert_ptr_nonnull(f);
    for (size_t i = 0; i < 3; i++)
        ck_assert_ptr_nonnull(gzgets(f, line, sizeof line));
    ck_assert_str_eq(line, "#beta : 0.01\n");
    for (size_t i = 0; i < k->count; i++) {
        size_t position = 0;
        for (size_t row = 0; row < m->words; row++) {
            uint32_t parts[KEEPER_TOPICS];
            if (shown_tally(k, m, i, row) == 0)
                continue;
            expect(k, m, i, row, parts);
            for (size_t t = 0; t < KEEPER_TOPICS; t++)
                for (uint32_t n = 0; n < parts[t]; n++) {
                    snprintf(expected, sizeof expected,
                             "%zu %s %zu %zu %s %zu\n", i, k->d[i].id,
                             position++, row, words_get(&m->text, row), t);
                    ck_assert_ptr_nonnull(gzgets(f, line, sizeof line));
                    ck_assert_str_eq(line, expected);
                }
        }
    }
    ck_assert_ptr_null(gzgets(f, line, sizeof line));
    ck_assert_int_eq(gzclose(f), Z_OK);
}

START_TEST(tokens_are_shared_out)
{
    static keeper k;
    kedge_model *m;

    keeper_begin(&k, 100, LIVELY_SHARDS, false);
    lively_remove(&k.l, 1, 10, false);
    m = shown_model(&k);
    ck_fails(write_rows(&k, m), KEDGE_ENOTFOUND, k.l.p.t.err, "--keep");
    keeper_keep(&k);
    ck_ok(write_rows(&k, m), k.l.p.t.err);
    check_topics(&k);
    check_state(&k, m);
    for (size_t i = 0; i < m->words; i++) /* known to no topic */
        memset(m->probabilities + i * KEEPER_TOPICS, 0,
               i % 3 == 0 ? KEEPER_TOPICS * sizeof(double) : 0);
    ck_ok(write_rows(&k, m), k.l.p.t.err);
    check_state(&k, m);
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
    ck_assert(!shown_is_there(&k, "mallet-topics.txt"));
    ck_assert(!shown_is_there(&k, "mallet-state.gz"));
    scene_starve(write_rows(&k, m), k.l.p.t.err);
    check_topics(&k);
    check_state(&k, m);
    kedge_model_free(m);
    keeper_end(&k);
}
END_TEST

UNIT_SUITE("malletrows",
    keys_have_escaped_words,
    tokens_are_shared_out,
    what_fails_leaves_no_file)
