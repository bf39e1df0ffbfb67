/* SPDX-License-Identifier: MIT */
#include "measure/coherence.h"

#include <math.h>

#define UMASS_EPSILON 0.01
#define CV_EPSILON 1e-12

double coherence_umass(const together *t, size_t list, size_t count)
{
    double sum = 0;

    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < count; j++) {
            const double both = (double)together_documents(t, list, i, j);
            const double one = (double)together_documents(t, list, j, j);
            if (i != j)
                sum += log((both + UMASS_EPSILON) / fmax(one, 1));
        }
    return sum;
}

/* Of two words with p(i, j) = both, p(i) p(j) = product. */
static double normalised(double both, double product)
{
    if (!(both > 0))
        return -1;
    return both < 1 ? log(both / product) / -log(both) : 0;
}

double coherence_npmi(const together *t, size_t list, size_t count,
                      uint64_t documents)
{
    const double m = (double)documents;
    double sum = 0;

    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < i; j++)
            sum += normalised(
                (double)together_documents(t, list, i, j) / m,
                (double)together_documents(t, list, i, i) / m *
                    ((double)together_documents(t, list, j, j) / m));
    return count < 2 ? NAN : sum / ((double)(count * (count - 1)) / 2);
}

/* With the epsilon that the measure was published with. */
static double cv_entry(const together *t, size_t list, size_t i, size_t j,
                       double m)
{
    const double a = (double)together_documents(t, list, i, i) / m;
    const double b = (double)together_documents(t, list, j, j) / m;
    const double p =
        (double)together_documents(t, list, i, j) / m + CV_EPSILON;

    if (!(a > 0 && b > 0) || !(p < 1))
        return 0;
    return log(p / (a * b)) / -log(p);
}

double coherence_cv(const together *t, size_t list, size_t count,
                    uint64_t documents)
{
    double v[TOGETHER_MOST][TOGETHER_MOST], all[TOGETHER_MOST] = {0};
    double sum = 0, length = 0;

    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < count; j++)
            all[j] += v[i][j] = cv_entry(t, list, i, j, (double)documents);
    for (size_t j = 0; j < count; j++)
        length += all[j] * all[j];
    for (size_t i = 0; i < count; i++) {
        double dot = 0, own = 0;
        for (size_t j = 0; j < count; j++) {
            dot += v[i][j] * all[j];
            own += v[i][j] * v[i][j];
        }
        sum += own > 0 && length > 0 ? dot / sqrt(own * length) : 0;
    }
    return count < 2 ? NAN : sum / (double)count;
}

static double tree_edge(const together *t, size_t list, size_t i, size_t j,
                        double mass, const double *sums)
{
    const double both =
        mass > 0 ? together_weight(t, list, i, j) / mass : 0;

    return fmax((1 - normalised(both, sums[i] * sums[j])) / 2, 0);
}

/* Prim's: the nearest word outside of the tree is the next one in it. */
double coherence_tree(const together *t, size_t list, const size_t *slot,
                      size_t count, double mass, const double *sums)
{
    double near[TOGETHER_MOST], length = 0;
    size_t last = 0;

    for (size_t i = 0; i < count; i++)
        near[i] = INFINITY;
    for (size_t joined = 1; joined < count; joined++) {
        size_t next = count;
        near[last] = -1;
        for (size_t i = 0; i < count; i++) {
            if (near[i] < 0)
                continue;
            near[i] = fmin(near[i], tree_edge(t, list, slot[last], slot[i],
                                              mass, sums));
            if (next == count || near[i] < near[next])
                next = i;
        }
        length += near[next];
        last = next;
    }
    return length;
}
