/* SPDX-License-Identifier: MIT */
#include "report/pairrows.h"

#include <errno.h>
#include <stdio.h>

#include "base/fail.h"
#include "base/mem.h"
#include "pipeline/fit/fit.h"
#include "report/newfile.h"
#include "report/npy.h"

static kedge_status write_dense(newfile *f, const double *c, size_t n,
                                kedge_error *err)
{
    errno = 0;
    return npy_write_f64(f->out, c, n, n) ? KEDGE_OK : newfile_failed(f, err);
}

/* Both sides are the same: the lower one, with the diagonal. */
static kedge_status write_sparse(newfile *f, const fit *c,
                                 double *room, kedge_error *err)
{
    const size_t n = c->view.words;
    uint64_t entries = 0;
    bool done;

    for (size_t i = 0; i < n; i++) {
        const double *const row = exact_row(c->exact, i, room);
        for (size_t j = 0; j <= i; j++)
            entries += row[j] != 0;
    }
    errno = 0;
    done = fprintf(f->out,
                   "%%%%MatrixMarket matrix coordinate real symmetric\n"
                   "%zu %zu %llu\n",
                   n, n, (unsigned long long)entries) > 0;
    for (size_t i = 0; i < n && done; i++) {
        const double *const row = exact_row(c->exact, i, room);
        for (size_t j = 0; j <= i && done; j++)
            if (row[j] != 0)
                done = fprintf(f->out, "%zu %zu %.17g\n", i + 1, j + 1,
                               row[j]) > 0;
    }
    return done ? KEDGE_OK : newfile_failed(f, err);
}

kedge_status pairrows_write(kedge_store *s, const kedge_model *m,
                            kedge_export_pairs pairs,
                            const kedge_control *control,
                            const char *directory, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const bool dense = pairs == KEDGE_EXPORT_PAIRS_DENSE;
    kedge_control usual;
    fit c = {0};
    newfile f = {0};
    double *room = NULL;

    kedge_control_init(&usual);
    TRY(fit_open_cooccurrence(&c, s, m, !dense,
                          control != NULL ? control : &usual, err));
    TRY_MEM(room = mem_new(c.view.words, sizeof *room));
    TRY(newfile_open(&f, directory,
                     dense ? "cooccurrence.npy" : "cooccurrence.mtx", err));
    TRY(dense ? write_dense(&f, exact_matrix(c.exact), c.view.words, err)
              : write_sparse(&f, &c, room, err));
    TRY(newfile_commit(&f, err));
out:
    newfile_discard(&f);
    fit_free(&c);
    mem_free(room);
    return st;
}
