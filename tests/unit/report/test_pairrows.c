/* SPDX-License-Identifier: MIT */
#include "report/pairrows.h"

#include "pipeline/planted.h"

#define PAIRS (PLANTED_WORDS * PLANTED_WORDS)

static char *read_file(const planted *p, const char *name, size_t *size)
{
    char path[96];
    FILE *f = fopen(planted_path(p, name, path), "rb");
    char *bytes = calloc(1, 1 << 22);

    ck_assert_ptr_nonnull(f);
    *size = fread(bytes, 1, (1 << 22) - 1, f);
    fclose(f);
    return bytes;
}

/* Both files hold the same, to the last bit, and so does the lower half of the
 * one what the upper has. */
START_TEST(both_files_hold_the_same)
{
    planted p;
    size_t size, entries = 0, told = 0, n = 0;
    double *c = calloc(PAIRS, sizeof *c), *read = calloc(PAIRS, sizeof *c);

    planted_begin(&p, PLANTED_DOCUMENTS);
    planted_fill(&p);
    kedge_model *const m = planted_fit(&p, 4, NULL, NULL);
    for (int pairs = 1; pairs <= 2; pairs++)
        ck_ok(pairrows_write(p.t.s, m, (kedge_export_pairs)pairs, &p.c,
                             p.t.root, &p.t.err), p.t.err);
    char *const dense = read_file(&p, "cooccurrence.npy", &size);
    ck_assert_uint_gt(size, PAIRS * sizeof *c);
    ck_assert_ptr_nonnull(strstr(dense + 10, "(150, 150)"));
    memcpy(c, dense + size - PAIRS * sizeof *c, PAIRS * sizeof *c);
    char *const sparse = read_file(&p, "cooccurrence.mtx", &size);
    char *line = strchr(sparse, '\n');
    ck_assert_int_eq(strncmp(sparse, "%%MatrixMarket matrix coordinate real "
                                     "symmetric\n", 48), 0);
    ck_assert_int_eq(sscanf(line + 1, "%zu %*u %zu", &n, &told), 2);
    ck_assert_uint_eq(n, PLANTED_WORDS);
    for (line = strchr(line + 1, '\n'); line[1] != '\0';
         line = strchr(line + 1, '\n'), entries++) {
        size_t i, j;
        double x;
        ck_assert_int_eq(sscanf(line + 1, "%zu %zu %lg", &i, &j, &x), 3);
        ck_assert(1 <= j && j <= i && i <= n && x != 0);
        read[(i - 1) * n + j - 1] = read[(j - 1) * n + i - 1] = x;
    }
    ck_assert_uint_eq(entries, told);
    ck_assert_mem_eq(c, read, PAIRS * sizeof *c);
    free(dense);
    free(sparse);
    free(c);
    free(read);
    kedge_model_free(m);
    planted_end(&p);
}
END_TEST

START_TEST(what_fails_leaves_no_file)
{
    planted p;
    size_t size = 0;
    char path[96];

    planted_begin(&p, PLANTED_DOCUMENTS);
    planted_fill(&p);
    kedge_model *const m = planted_fit(&p, 4, NULL, NULL);
    p.c.memory = 1;
    ck_assert_int_eq(pairrows_write(p.t.s, m, KEDGE_EXPORT_PAIRS_DENSE, &p.c,
                                    p.t.root, &p.t.err), KEDGE_EBUDGET);
    ck_assert_int_ne(access(planted_path(&p, "cooccurrence.npy", path), F_OK),
                     0);
    scene_starve(pairrows_write(p.t.s, m, KEDGE_EXPORT_PAIRS_SPARSE, NULL,
                                p.t.root, &p.t.err), p.t.err);
    free(read_file(&p, "cooccurrence.mtx", &size));
    ck_assert_uint_gt(size, 1000);
    kedge_model_free(m);
    planted_end(&p);
}
END_TEST

UNIT_SUITE("pairrows",
    both_files_hold_the_same,
    what_fails_leaves_no_file)
