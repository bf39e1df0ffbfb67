/* SPDX-License-Identifier: MIT */
/* What holds for all ways to choose anchors. */
#include "topics/simplices.h"

static const kedge_anchors kinds[] = {
    KEDGE_ANCHORS_QR, KEDGE_ANCHORS_FAST, KEDGE_ANCHORS_SPA,
    KEDGE_ANCHORS_SNPA, KEDGE_ANCHORS_XRAY};

static void for_all(void (*check)(kedge_anchors kind))
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        check(kinds[i]);
}

/* The anchors are the vertices, for many simplices. */
static void check_vertices(kedge_anchors kind)
{
    kedge_error err = {0};

    for (uint64_t seed = 0; seed < 20; seed++) {
        const size_t k = 2 + seed % 11;
        simplices s = simplices_make(k, k, 400 + 60 * seed, seed);
        const anchors_input in = simplices_input(&s, kind);
        uint64_t chosen[16];
        double residual[16];
        bool found[16] = {false};
        pool *p = dense_pool(1 + (unsigned)seed % 3);
        ck_ok(anchors_find(p, &in, chosen, residual, &err), err);
        for (size_t a = 0; a < k; a++) {
            ck_assert(residual[a] > 0);
            for (size_t v = 0; v < k; v++)
                found[v] |= chosen[a] == simplices_place(&s, v);
        }
        for (size_t v = 0; v < k; v++)
            ck_assert_msg(found[v], "seed %u: vertex %zu is not found",
                          (unsigned)seed, v);
        pool_free(p);
        simplices_free(&s);
    }
}

TEST(vertices_are_found)
{
    for_all(check_vertices);
}

static void check_threads(kedge_anchors kind)
{
    kedge_error err = {0};
    simplices s = simplices_cloud(12, 5000, 5);
    const anchors_input in = simplices_input(&s, kind);
    uint64_t one[12], chosen[12];
    double first[12], residual[12];

    for (unsigned threads = 1; threads <= 3; threads++) {
        pool *p = dense_pool(threads);
        ck_ok(anchors_find(p, &in, threads == 1 ? one : chosen,
                           threads == 1 ? first : residual, &err), err);
        pool_free(p);
        if (threads == 1)
            continue;
        ck_assert_mem_eq(one, chosen, sizeof one);
        ck_assert_mem_eq(first, residual, sizeof first);
    }
    simplices_free(&s);
}

TEST(threads_leave_no_trace)
{
    for_all(check_threads);
}

/* Rows that mix fewer vertices than anchors are wanted, some of them twice and
 * some zero: it is said how many there are. */
static void check_rank(kedge_anchors kind)
{
    kedge_error err = {0};
    const size_t k = 6;

    for (size_t of = 1; of < k; of++) {
        simplices s = simplices_make(k, of, 300, of);
        const anchors_input in = simplices_input(&s, kind);
        uint64_t chosen[6];
        double residual[6];
        char says[40];
        pool *p = dense_pool(2);
        memcpy(s.x + 200 * k, s.x + simplices_place(&s, 0) * k,
               k * sizeof *s.x);
        memset(s.x + 210 * k, 0, 5 * k * sizeof *s.x);
        snprintf(says, sizeof says, "only %zu of 6", of);
        ck_fails(anchors_find(p, &in, chosen, residual, &err), KEDGE_ENUMERIC,
                 err, says);
        pool_free(p);
        simplices_free(&s);
    }
}

TEST(too_few_vertices_are_told)
{
    for_all(check_rank);
}

static void check_memory(kedge_anchors kind)
{
    simplices s = simplices_make(4, 4, 100, 1);
    const anchors_input in = simplices_input(&s, kind);
    kedge_error err = {0};
    uint64_t chosen[4];
    double residual[4];
    pool *p = dense_pool(2);

    GATE_LOOP {
        GATE_TRY(anchors_find(p, &in, chosen, residual, &err));
    }
    pool_free(p);
    simplices_free(&s);
}

TEST(no_memory_is_survived)
{
    for_all(check_memory);
}

/* Vertices that depend on each other are found all the same. */
static void check_plane(kedge_anchors kind)
{
    kedge_error err = {0};

    for (size_t k = 4; k < 8; k++) {
        simplices s = simplices_plane(k, 300);
        anchors_input in = simplices_input(&s, kind);
        uint64_t chosen[8];
        double residual[8];
        pool *p = dense_pool(2);
        ck_ok(anchors_find(p, &in, chosen, residual, &err), err);
        for (size_t a = 0; a < k; a++) {
            bool is = false;
            for (size_t v = 0; v < k; v++)
                is |= chosen[a] == simplices_place(&s, v);
            ck_assert(is);
            for (size_t b = 0; b < a; b++)
                ck_assert_uint_ne(chosen[a], chosen[b]);
        }
        in.kind = KEDGE_ANCHORS_QR;
        ck_fails(anchors_find(p, &in, chosen, residual, &err), KEDGE_ENUMERIC,
                 err, "only 3 of");
        pool_free(p);
        simplices_free(&s);
    }
}

TEST(vertices_that_depend_on_each_other_are_found)
{
    check_plane(KEDGE_ANCHORS_SNPA);
    check_plane(KEDGE_ANCHORS_XRAY);
}
