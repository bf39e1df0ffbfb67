/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"
#include "topics/law.h"

/* ---- those that are probabilities --------------------------------------- */

/*
 * The symmetric part of A is the nearest symmetric matrix, and what A differs
 * from it by is orthogonal to all of these. The nearest point of the simplex of
 * k² entries takes the same amount off all and cuts at zero, so it treats a_ij
 * and a_ji alike: the projection of the symmetric part is symmetric, and the
 * nearest of all that are. It need not be positive semidefinite, even where A
 * was.
 */
void legal_project(double *a, size_t k)
{
    double level = 0;

    for (size_t i = 0; i < k; i++)
        for (size_t j = 0; j < i; j++)
            a[i * k + j] = a[j * k + i] =
                0.5 * (a[i * k + j] + a[j * k + i]);
    simplex_project(a, k * k, &level);
}

/* ---- the Dirichlet of the same moments ---------------------------------- */

/*
 * The second moments of Dir(α) with total t = Σ α and mean μ = α / t are
 * (paper "Practical Correlated Topic Modeling and Analysis via the Rectified
 * Anchor Word Algorithm", Equation 2)
 *
 *   E w_k w_l = ρ μ_k μ_l + (1 - ρ) [k = l] μ_k,  ρ = t / (t + 1)
 *
 * on a line between μμ' and diag μ. With A scaled to sum to one and μ = A1, the
 * nearest point of the line is
 *
 *   ρ = <A - diag μ, μμ' - diag μ> / |μμ' - diag μ|²
 *
 * and t = ρ / (1 - ρ), α = t μ.
 */
bool dirichlet_match(const double *a, size_t k, double *alpha, double *misfit)
{
    double sum = 0, along = 0, length = 0, away = 0, size = 0, rho;
    double *const mean = alpha;
    bool found = true;

    for (size_t i = 0; i < k * k; i++)
        sum += a[i];
    for (size_t i = 0; i < k; i++) {
        mean[i] = 0;
        for (size_t j = 0; j < k; j++)
            mean[i] += a[i * k + j] / sum;
        found &= mean[i] > 0;
    }
    found &= sum > 0;
    for (size_t i = 0; found && i < k * k; i++) {
        const double own = i / k == i % k ? mean[i / k] : 0;
        const double line = mean[i / k] * mean[i % k] - own;
        along += (a[i] / sum - own) * line;
        length += line * line;
    }
    rho = along / length;
    for (size_t i = 0; found && i < k * k; i++) {
        const double own = i / k == i % k ? mean[i / k] : 0;
        const double at = own + rho * (mean[i / k] * mean[i % k] - own);
        away += (a[i] / sum - at) * (a[i] / sum - at);
        size += a[i] / sum * (a[i] / sum);
    }
    *misfit = 0;
    if (!(found && rho > 0 && rho < 1)) {
        memset(alpha, 0, k * sizeof *alpha);
        return false;
    }
    *misfit = sqrt(away / size);
    for (size_t i = 0; i < k; i++)
        alpha[i] = mean[i] * (rho / (1 - rho));
    return true;
}

kedge_status dirichlet_total(const double *a, size_t k, double *total,
                             double *misfit, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    double *alpha = NULL;

    *total = 0;
    TRY_MEM(alpha = mem_new(k, sizeof *alpha));
    dirichlet_match(a, k, alpha, misfit);
    for (size_t i = 0; i < k; i++)
        *total += alpha[i];
out:
    mem_free(alpha);
    return st;
}
