/* SPDX-License-Identifier: MIT */
/*
 * With M documents of n different words, N words, K topics, a sketch of L
 * columns, T threads:
 *
 *   ingest    M n (1 + L) / T, and N L to save the sketch
 *   spectrum  N L^2 + L^3 for the eigenpairs of the sketch, N L K for the
 *             vectors of K of them
 *   rectify   a round multiplies 10 K + 1000 rows by N, each of K
 *   topics    N K^2: pivoted QR, and a small problem of size K for each word
 *   infer     M n K, and N K to read the model
 *   memory    ingest N L; fit N + N K, and some L^2; infer N K
 *   store     M n + N L + N K
 */
#include "growth.h"

#include <math.h>

const char *const axis_names[AXES] = {"documents", "vocabulary", "topics",
                                      "width", "threads"};
const char *const stage_names[STAGES] = {
    "corpus", "ingest", "fit", "spectrum", "rectify", "topics", "infer"};
const char *const quantity_names[QUANTITIES] = {"seconds", "processor",
                                                "memory", "store"};

/* Of time. Processors' seconds are the same but for threads. */
static const foretold times[AXES][STAGES] = {
    [AXIS_DOCUMENTS] = {[STAGE_CORPUS] = {1, 1}, [STAGE_INGEST] = {1, 1},
                        [STAGE_INFER] = {1, 1}},
    [AXIS_VOCABULARY] = {[STAGE_INGEST] = {0, 1}, [STAGE_FIT] = {0, 1},
                         [STAGE_SPECTRUM] = {0, 1}, [STAGE_RECTIFY] = {1, 1},
                         [STAGE_TOPICS] = {1, 1}, [STAGE_INFER] = {0, 1}},
    [AXIS_TOPICS] = {[STAGE_FIT] = {0, 2}, [STAGE_SPECTRUM] = {0, 1},
                     [STAGE_RECTIFY] = {1, 2}, [STAGE_TOPICS] = {1, 2},
                     [STAGE_INFER] = {0, 1}},
    [AXIS_WIDTH] = {[STAGE_INGEST] = {0, 1}, [STAGE_FIT] = {0, 3},
                    [STAGE_SPECTRUM] = {2, 3}},
    [AXIS_THREADS] = {[STAGE_INGEST] = {-1, 0}, [STAGE_FIT] = {-1, 0},
                      [STAGE_SPECTRUM] = {-1, 0}, [STAGE_RECTIFY] = {-1, 0},
                      [STAGE_TOPICS] = {-1, 0}, [STAGE_INFER] = {-1, 0}},
};

/* Of memory; a process has some that does not grow. */
static const foretold memories[AXES][STAGES] = {
    [AXIS_VOCABULARY] = {[STAGE_INGEST] = {0, 1}, [STAGE_FIT] = {0, 1},
                         [STAGE_INFER] = {0, 1}},
    [AXIS_TOPICS] = {[STAGE_FIT] = {0, 1}, [STAGE_INFER] = {0, 1}},
    [AXIS_WIDTH] = {[STAGE_INGEST] = {0, 1}, [STAGE_FIT] = {0, 2}},
    [AXIS_THREADS] = {[STAGE_INGEST] = {0, 1}, [STAGE_FIT] = {0, 1},
                      [STAGE_INFER] = {0, 1}},
};

static const foretold stores[AXES] = {
    [AXIS_DOCUMENTS] = {0, 1},
    [AXIS_VOCABULARY] = {0, 1},
    [AXIS_TOPICS] = {0, 1},
    [AXIS_WIDTH] = {0, 1},
};

foretold growth_foretold(axis a, stage s, quantity q)
{
    if (q == STORE)
        return stores[a];
    if (q == MEMORY)
        return memories[a][s];
    if (q == PROCESSOR && a == AXIS_THREADS)
        return (foretold){0, 0};
    return times[a][s];
}

double growth_exponent(const double *x, const double *y, size_t count)
{
    double sx = 0, sy = 0, sxx = 0, sxy = 0, spread;

    for (size_t i = 0; i < count; i++) {
        const double u = log(x[i]), v = y[i] > 0 ? log(y[i]) : NAN;
        sx += u;
        sy += v;
        sxx += u * u;
        sxy += u * v;
    }
    spread = (double)count * sxx - sx * sx;
    return spread > 0 ? ((double)count * sxy - sx * sy) / spread : NAN;
}
