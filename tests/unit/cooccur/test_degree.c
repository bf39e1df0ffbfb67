/* SPDX-License-Identifier: MIT */
#include "cooccur/degree.h"

#include "base/gate.h"
#include "cooccur/corpus.h"

#define SHARE 0.5 /* of the mean degree, the least */

/* The nodes of the graph, one after the other: documents, or pieces of those
 * that the joint statistic cuts. y: nodes x rows. */
typedef struct graph {
    size_t nodes, rows;
    const double *weight; /* of words */
    bool damped;
    double *y, *degree;
    double mean;
} graph;

/* By the words' weights, and to unit length or to one in all. */
static void graph_add(void *data, const int64_t *x)
{
    graph *const g = data;
    double length = 0;

    g->y = realloc(g->y, (g->nodes + 1) * g->rows * sizeof *g->y);
    double *const y = g->y + g->nodes++ * g->rows;
    for (size_t i = 0; i < g->rows; i++) {
        y[i] = (double)x[i] * g->weight[i];
        length += g->damped ? y[i] * y[i] : y[i];
    }
    for (size_t i = 0; i < g->rows; i++)
        y[i] /= g->damped ? sqrt(length) : length;
}

/* Every similarity of two documents is multiplied out. */
static void graph_connect(graph *g)
{
    g->degree = calloc(g->nodes, sizeof *g->degree);
    for (size_t m = 0; m < g->nodes; m++)
        for (size_t j = 0; j < g->nodes; j++)
            for (size_t i = 0; i < g->rows; i++)
                g->degree[m] +=
                    g->y[m * g->rows + i] * g->y[j * g->rows + i];
    g->mean = 0;
    for (size_t m = 0; m < g->nodes; m++)
        g->mean += g->degree[m] / (double)g->nodes;
}

static void graph_make(graph *g, const docs *d, size_t rows, uint32_t kind,
                       const double *weight)
{
    *g = (graph){.rows = rows, .weight = weight,
                 .damped = statistic_damped(kind)};
    corpus_walk(d, rows, kind, 3, graph_add, g);
    graph_connect(g);
}

static void graph_free(graph *g)
{
    free(g->y);
    free(g->degree);
}

static double graph_factor(const graph *g, size_t node)
{
    return SHARE * g->mean / fmax(g->degree[node], SHARE * g->mean);
}

/* Of all documents, by words in the order of `order`. */
static void learn(degrees *g, const docs *d, const statistic *s, size_t rows,
                  const uint32_t *order, const double *weight)
{
    OWN(window_free) window w = {.statistic = s};
    kedge_error err = {0};

    ck_ok(degrees_open(g, rows, rows, order, weight, s->kind, &err), err);
    corpus_window(&w, d, rows, 3);
    ck_ok(degrees_add(g, &w, &err), err);
    degrees_finish(g, order);
}

/* Postings by pairs of word and document, in the order of both, have the
 * weights of the plain window times their documents' factors. */
static size_t check_factors(const window *plain, const window *cut,
                            const graph *g)
{
    size_t wrong = 0, node = 0;
    OWNED size_t *of = calloc(plain->documents + 1, sizeof *of);

    for (size_t m = 0; m < plain->documents; m++) {
        node += plain->parts[m] > 0 && m > 0;
        of[m] = node;
    }
    wrong += node + 1 != g->nodes || cut->documents != plain->documents;
    for (size_t at = 0; at < 2 * plain->first[plain->words]; at++) {
        const window_pair *const a = &plain->pair[at / 2];
        const window_pair *const b = &cut->pair[at / 2];
        const double was =
            (double)window_weight(a, at % 2, plain->limb_bits);
        const double now = (double)window_weight(b, at % 2, cut->limb_bits);
        const double factor = graph_factor(g, of[a->document[at % 2]]);
        wrong += a->document[at % 2] != b->document[at % 2];
        wrong += fabs(now - was * factor) > 1 + 1e-4 * now;
    }
    return wrong;
}

static void check_corpus(const docs *d, size_t rows, uint32_t kind)
{
    OWNED uint32_t *order = calloc(rows, sizeof *order);
    OWNED double *weight = calloc(rows, sizeof *weight);
    statistic s;
    OWN(window_free) window plain = {.statistic = &s}, cut = {.statistic = &s};
    OWN(degrees_close) degrees g;
    OWN(graph_free) graph dense;

    for (size_t i = 0; i < rows; i++) {
        order[i] = (uint32_t)i;
        weight[i] = 0.05 + (double)(i * 31 % 90) / 10;
    }
    statistic_open(&s, kind);
    learn(&g, d, &s, rows, order, weight);
    graph_make(&dense, d, rows, kind, weight);
    ck_assert_uint_eq(g.documents, dense.nodes);
    corpus_window(&plain, d, rows, 3);
    cut.degrees = &g;
    corpus_window(&cut, d, rows, 3);
    ck_assert_uint_eq(check_factors(&plain, &cut, &dense), 0);
}

TEST(factors_are_those_of_the_dense_graph)
{
    OWN(docs_free) docs d = {0};

    for (uint64_t seed = 0; seed < 30; seed++) {
        const corpus_opts o = {seed, 2 + 4 * seed, 20 + 31 * (seed % 9), 40,
                               seed % 3 == 0 ? 1 : 20};
        corpus_make(&d, &o);
        corpus_need(docs_begin(&d, d.count + 1) && docs_push(&d, 0, 3));
        check_corpus(&d, o.vocabulary, (uint32_t)seed % STATISTICS);
    }
}

/* Pieces of a document have degrees of their own, its parts have one. */
TEST(long_documents_have_theirs)
{
    chance c = {.key = 4};
    OWN(docs_free) docs d = {0};

    for (uint32_t kind = 0; kind < STATISTICS; kind++) {
        docs_clear(&d);
        corpus_long(&d, &c, 60, 3);
        corpus_long(&d, &c, 1500, 5);
        corpus_long(&d, &c, 3000, kind == STATISTIC_JOINT ? 9 : 70000);
        corpus_long(&d, &c, 2500, kind == STATISTIC_JOINT ? 30 : 4000000);
        corpus_long(&d, &c, 20, 2);
        check_corpus(&d, 3000, kind);
    }
}

/* The same documents in another order, one by one, under other ids. */
static void learn_turned(degrees *g, const docs *d, const statistic *s,
                         size_t all, size_t rows, const uint32_t *order,
                         const double *weight, const uint32_t *rank)
{
    OWN(window_free) window w = {.statistic = s, .rank = rank};
    OWN(docs_free) docs one = {0};
    kedge_error err = {0};

    ck_ok(degrees_open(g, all, rows, order, weight, s->kind, &err), err);
    for (size_t m = d->count; m-- > 0;) {
        docs_clear(&one);
        corpus_copy(&one, d, m);
        ck_assert(docs_renumber(&one, 0, order));
        corpus_window(&w, &one, all, 3);
        ck_ok(degrees_add(g, &w, &err), err);
    }
    degrees_finish(g, order);
}

TEST(order_ids_windows_and_other_words_leave_no_trace)
{
    enum { WORDS = 200, ALL = 249 }; /* some that no document has */
    uint32_t order[WORDS], id[WORDS], rank[ALL] = {0};
    double weight[WORDS];
    chance c = {.key = 3};
    OWN(docs_free) docs d = {0};

    for (uint32_t i = 0; i < WORDS; i++) {
        order[i] = i;
        id[i] = i * 37 % ALL;
        rank[id[i]] = i;
        weight[i] = 1 / (1 + (double)(i % 17));
    }
    for (uint32_t kind = 0; kind < STATISTICS; kind++) {
        const corpus_opts o = {kind, 90, WORDS, 40, 20};
        statistic s;
        OWN(degrees_close) degrees a, b;
        corpus_make(&d, &o);
        corpus_long(&d, &c, WORDS, 400); /* of pieces */
        statistic_open(&s, kind);
        learn(&a, &d, &s, WORDS, order, weight);
        learn_turned(&b, &d, &s, ALL, WORDS, id, weight, rank);
        ck_assert_uint_eq(a.documents, b.documents);
        ck_assert(memcmp(&a.least, &b.least, sizeof a.least) == 0);
        for (uint32_t i = 0; i < WORDS; i++) {
            ck_assert_uint_eq(a.sum[i], b.sum[id[i]]);
            ck_assert_uint_eq(a.pull[i], b.pull[id[i]]);
        }
    }
}

/* Nine documents of the first words, one of words of its own: it weighs more,
 * but no more than the bound lets it. */
TEST(odd_documents_are_bounded)
{
    static const uint32_t order[] = {0, 1, 2, 3, 4, 5, 6, 7};
    OWN(window_free) window w = {0};
    OWN(docs_free) docs d = {0};
    statistic s;
    OWN(degrees_close) degrees g;

    for (size_t m = 0; m < 10; m++) {
        const uint32_t from = m == 9 ? 4 : 0;
        corpus_need(docs_begin(&d, m + 1));
        for (uint32_t i = from; i < from + 4; i++)
            corpus_need(docs_push(&d, i, 1));
    }
    statistic_open(&s, STATISTIC_LOG);
    learn(&g, &d, &s, 8, order, NULL);
    /* degrees are 9 and 1, their mean 8.2, of which half is the least */
    w.statistic = &s;
    w.degrees = &g;
    corpus_window(&w, &d, 8, 3);
    ck_assert_uint_eq(g.pull[0], UINT32_C(1) << 31);
    ck_assert_double_eq_tol(g.pull[4] * 9.0 / g.pull[0], 1, 1e-6);
    for (size_t i = 0; i < 8; i++) { /* a quarter of 2^32 / 32, undivided */
        const int64_t a =
            window_weight(&w.pair[w.first[i]], 0, w.limb_bits);
        ck_assert_double_eq_tol((double)a / (1 << 25),
                                i < 4 ? SHARE * 8.2 / 9 : 1, 1e-6);
    }
}

TEST(nothing_has_a_least_degree_too)
{
    static const uint32_t order[] = {0, 1};
    docs d = {0};
    statistic s;
    OWN(degrees_close) degrees g;

    statistic_open(&s, STATISTIC_JOINT);
    learn(&g, &d, &s, 2, order, NULL);
    ck_assert_uint_eq(g.documents, 0);
    ck_assert_double_eq(g.least, 1);
}

/* Weights from 1 to a billionth: lengths and sums stay what they are. */
TEST(far_apart_weights_stay_in_range)
{
    static const uint32_t order[] = {0, 1, 2};
    static const double weight[] = {1e9, 1e4, 1};
    OWN(docs_free) docs d = {0};

    for (uint32_t i = 0; i < 3; i++)
        corpus_need(docs_begin(&d, i + 1) && docs_push(&d, i, 10000));
    for (uint32_t kind = 0; kind < STATISTICS; kind++) {
        statistic s;
        OWN(degrees_close) degrees g;
        statistic_open(&s, kind);
        learn(&g, &d, &s, 3, order, weight);
        for (size_t i = 0; i < 3; i++)
            ck_assert_uint_eq(g.sum[i], UINT64_C(1) << 32);
        ck_assert_double_gt(g.least, 0);
    }
}

TEST(too_many_documents_are_refused)
{
    static const uint32_t order[] = {0};
    OWN(window_free) window w = {0};
    OWN(docs_free) docs d = {0};
    OWN(degrees_close) degrees g;
    kedge_error err = {0};

    corpus_need(docs_begin(&d, 1) && docs_push(&d, 0, 3));
    ck_ok(degrees_open(&g, 1, 1, order, NULL, STATISTIC_JOINT, &err), err);
    corpus_window(&w, &d, 1, 2);
    g.documents = (UINT64_C(1) << 30) - 1;
    ck_ok(degrees_add(&g, &w, &err), err);
    ck_fails(degrees_add(&g, &w, &err), KEDGE_ENUMERIC, err,
             "too many documents");
}

TEST(degrees_without_memory)
{
    OWN(degrees_close) degrees g;

    gate_starve(degrees_open(&g, 100, 0, NULL, NULL, STATISTIC_LOG, NULL));
}
