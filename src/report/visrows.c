/* SPDX-License-Identifier: MIT */
/* Lengths and frequencies are those of the documents that are there, which a
 * model need not have been fitted of. */
#include "report/visrows.h"

#include <errno.h>

#include "base/fail.h"
#include "base/mem.h"
#include "pipeline/shares/showing.h"
#include "report/newfile.h"
#include "report/npy.h"

/* The topics as rows, one at a time. */
static kedge_status write_topics(const kedge_model *m, const char *directory,
                                 kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    newfile f = {0};
    double *row = NULL;
    bool done;

    TRY(newfile_open(&f, directory, "topic_term_dists.npy", err));
    TRY_MEM(row = mem_new(m->words, sizeof *row));
    errno = 0;
    done = npy_begin(f.out);
    for (size_t k = 0; k < m->topics && done; k++) {
        for (size_t i = 0; i < m->words; i++)
            row[i] = m->probabilities[i * m->topics + k];
        done = npy_row(f.out, row, m->words, true);
    }
    if (!done || !npy_end(f.out, m->topics, m->words, true))
        TRY(newfile_failed(&f, err));
    TRY(newfile_commit(&f, err));
out:
    newfile_discard(&f);
    mem_free(row);
    return st;
}

/* Lengths into the file, and how often each word is there. */
static kedge_status walk(newfile *f, showing *w, uint64_t *frequency,
                         kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const showing_document *d;

    errno = 0;
    if (!npy_begin(f->out))
        TRY(newfile_failed(f, err));
    for (;;) {
        double length;
        TRY(showing_next(w, &d, err));
        if (d == NULL)
            break;
        length = (double)d->tokens;
        errno = 0;
        if (!npy_row(f->out, &length, 1, true))
            TRY(newfile_failed(f, err));
        for (size_t i = 0; i < d->count; i++)
            frequency[d->row[i]] += d->tally[i];
    }
    errno = 0;
    if (!npy_end(f->out, w->shown, 0, true))
        TRY(newfile_failed(f, err));
out:
    return st;
}

static kedge_status write_frequency(const kedge_model *m,
                                    const uint64_t *frequency,
                                    const char *directory, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    newfile f = {0};

    TRY(newfile_open(&f, directory, "term_frequency.npy", err));
    errno = 0;
    if (!npy_write_u64(f.out, frequency, m->words, 0))
        TRY(newfile_failed(&f, err));
    TRY(newfile_commit(&f, err));
out:
    newfile_discard(&f);
    return st;
}

kedge_status visrows_write(kedge_store *s, const kedge_model *m,
                           const kedge_control *control, const char *directory,
                           kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    showing w = {0};
    newfile f = {0};
    uint64_t *frequency = NULL;

    TRY(write_topics(m, directory, err));
    TRY(showing_open(&w, &(showing_input){.s = s, .m = m, .control = control,
                                          .stage = "lengths",
                                          .composed = true,
                                          .more = 8 * m->words}, err));
    TRY_MEM(frequency = mem_new(m->words, sizeof *frequency));
    TRY(newfile_open(&f, directory, "doc_lengths.npy", err));
    TRY(walk(&f, &w, frequency, err));
    TRY(newfile_commit(&f, err));
    TRY(write_frequency(m, frequency, directory, err));
out:
    newfile_discard(&f);
    mem_free(frequency);
    showing_close(&w);
    return st;
}
