/* SPDX-License-Identifier: MIT */
#ifndef TESTS_UNIT_EXPORT_SAMPLE_H
#define TESTS_UNIT_EXPORT_SAMPLE_H
/*
 * A model made by hand, and a directory of its own for each case. Numbers are
 * small binary fractions, so that sums are exact.
 */
#include <dirent.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "files.h"
#include "metrics/ranking.h"
#include "ops/models/model.h"
#include "unit.h"

#define SAMPLE_WORDS 6
#define SAMPLE_TOPICS 2
#define SAMPLE_CHARACTERISTIC 4

/* In the order of their bytes: controls, quotes, not UTF-8, UTF-8. */
static const char *const sample_word[SAMPLE_WORDS] = {
    "\x01\x1f", "a \"b\" \\", "plain", "z\xff\xc3(", "\xc3\xa4pfel",
    "\xed\xa0\x80"};

static inline double *sample_array(size_t count, double first, double step)
{
    double *const a = mem_new(count, sizeof *a);

    ck_assert_ptr_nonnull(a);
    for (size_t i = 0; i < count; i++)
        a[i] = first + step * (double)i;
    return a;
}

static inline void sample_derive(kedge_model *m)
{
    m->anchors = mem_new(m->topics, sizeof *m->anchors);
    m->characteristic = mem_new(SAMPLE_TOPICS * SAMPLE_CHARACTERISTIC,
                                sizeof *m->characteristic);
    m->anchors[0] = 1;
    m->anchors[1] = 4;
    for (size_t i = 0; i < SAMPLE_TOPICS * SAMPLE_CHARACTERISTIC; i++)
        m->characteristic[i] = SAMPLE_WORDS - 1 - i % SAMPLE_WORDS;
    m->characteristic_count = SAMPLE_CHARACTERISTIC;
    m->residuals = sample_array(m->topics, 0.5, -0.25);
    m->shares = sample_array(m->topics, 0.75, -0.5);
    m->mix = sample_array(m->words, 0, 0);
    ranking_mix(m->probabilities, m->shares, m->words, m->topics, m->mix);
}

static inline kedge_model *sample_new(bool spectrum)
{
    static const double b[SAMPLE_WORDS * SAMPLE_TOPICS] = {
        0.25, 0.125, 0.5, 0, 0.125, 0.25, 0, 0.0625, 0, 0.5, 0.125, 0.0625};
    kedge_model *const m = mem_new(1, sizeof *m);

    ck_assert_ptr_nonnull(m);
    snprintf(m->name, sizeof m->name, "k2");
    m->topics = SAMPLE_TOPICS;
    m->words = SAMPLE_WORDS;
    m->index = (store_index){.width = 5, .seed = UINT64_MAX, .min_tokens = 2,
                             .weight_bits = 40, .documents = 11, .skipped = 3,
                             .tokens = 99};
    m->index_place = 4;
    m->digest[0] = 0xabc;
    m->digest[1] = UINT64_C(0xfedcba9876543210);
    m->vocabulary_digest = 7;
    m->rounds_asked = 15;
    m->figures.em_iter = 3;
    m->tolerance = 1e-7;
    m->figures.sketch_error = 1.0 / 3;
    m->probabilities = sample_array(SAMPLE_WORDS * SAMPLE_TOPICS, 0, 0);
    memcpy(m->probabilities, b, sizeof b);
    m->correlations = sample_array(4, 0.5, -0.125);
    m->word_probability = sample_array(SAMPLE_WORDS, 0.25, 0.5);
    m->tf = sample_array(SAMPLE_WORDS, 100, 1);
    m->df = sample_array(SAMPLE_WORDS, 10, 1);
    if (spectrum) {
        m->eigenvectors = sample_array(SAMPLE_WORDS * SAMPLE_TOPICS, -1, 0.5);
        m->rectified = sample_array(SAMPLE_WORDS * SAMPLE_TOPICS, 3, 0.5);
        m->eigenvalues = sample_array(SAMPLE_TOPICS, 2, -1);
    }
    for (size_t i = 0; i < SAMPLE_WORDS; i++)
        ck_assert(words_add(&m->text, sample_word[i],
                            strlen(sample_word[i])));
    sample_derive(m);
    return m;
}

/* The sample with weights 1, 2, 4, 1, 2, 4. */
static inline void sample_weigh(kedge_model *m)
{
    double sum[SAMPLE_TOPICS] = {0};

    m->figures.term_weight = KEDGE_TERM_WEIGHT_IDF;
    m->weights = sample_array(SAMPLE_WORDS, 0, 0);
    m->weighted = sample_array(SAMPLE_WORDS * SAMPLE_TOPICS, 0, 0);
    for (size_t i = 0; i < SAMPLE_WORDS; i++)
        m->weights[i] = (double)(1 << i % 3);
    for (size_t i = 0; i < SAMPLE_WORDS * SAMPLE_TOPICS; i++)
        sum[i % 2] += m->weights[i / 2] * m->probabilities[i];
    for (size_t i = 0; i < SAMPLE_WORDS * SAMPLE_TOPICS; i++)
        m->weighted[i] =
            m->weights[i / 2] * m->probabilities[i] / sum[i % 2];
}

/* ---- directories and files ----------------------------------------------- */

typedef struct place {
    char root[64];
} place;

static inline place place_make(void)
{
    const char *const tmp = getenv("TMPDIR");
    place p;

    snprintf(p.root, sizeof p.root, "%.40s/kedge-XXXXXX",
             tmp != NULL && strlen(tmp) <= 40 ? tmp : "/tmp");
    ck_assert_ptr_nonnull(mkdtemp(p.root));
    return p;
}

static inline char *place_path(const place *p, const char *name)
{
    char *const path = mem_new(strlen(p->root) + strlen(name) + 2, 1);

    snprintf(path, strlen(p->root) + strlen(name) + 2, "%s/%s", p->root,
             name);
    return path;
}

/* Names in the directory, those of directories too. */
static inline size_t place_entries(const char *directory)
{
    DIR *const d = opendir(directory);
    const struct dirent *e;
    size_t count = 0;

    ck_assert_ptr_nonnull(d);
    while ((e = readdir(d)) != NULL)
        count += strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0;
    closedir(d);
    return count;
}

static inline void place_empty(const char *directory)
{
    DIR *const d = opendir(directory);
    const struct dirent *e;

    ck_assert_ptr_nonnull(d);
    while ((e = readdir(d)) != NULL) {
        char path[512];
        snprintf(path, sizeof path, "%.200s/%.255s", directory, e->d_name);
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
            continue;
        if (unlink(path) != 0 && rmdir(path) != 0) {
            place_empty(path);
            ck_assert_int_eq(rmdir(path), 0);
        }
    }
    closedir(d);
}

static inline void place_remove(place *p)
{
    place_empty(p->root);
    ck_assert_int_eq(rmdir(p->root), 0);
}

#endif
