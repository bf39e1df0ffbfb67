/* SPDX-License-Identifier: MIT */
/*
 * How many entries there are is known after the last, and stands before the
 * first. So the head has a comment, filled up with blanks as far as any numbers
 * could need, and is written twice.
 */
#include "report/countrows.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "pipeline/shares/showing.h"
#include "report/idlines.h"

#define HEAD 192

typedef struct countrows {
    newfile f;
    idlines ids;
    bool named; /* ids are written */
    uint64_t rows, cols, entries;
} countrows;

static bool write_head(const countrows *c)
{
    static const char begins[] =
        "%%MatrixMarket matrix coordinate integer general\n"
        "% rows as in documents.txt, columns as in vocab.txt";
    char head[HEAD], sizes[72];
    const int size = snprintf(sizes, sizeof sizes,
                              "\n%" PRIu64 " %" PRIu64 " %" PRIu64 "\n",
                              c->rows, c->cols, c->entries);

    static_assert(sizeof begins + sizeof sizes <= HEAD, "the head has room");
    memset(head, ' ', HEAD);
    memcpy(head, begins, sizeof begins - 1);
    memcpy(head + HEAD - size, sizes, (size_t)size);
    return fseek(c->f.out, 0, SEEK_SET) == 0 &&
           fwrite(head, 1, HEAD, c->f.out) == HEAD;
}

static kedge_status add_row(countrows *c, const showing_document *d,
                            kedge_error *err)
{
    c->rows++;
    c->entries += d->count;
    errno = 0;
    for (size_t i = 0; i < d->count; i++)
        if (fprintf(c->f.out, "%" PRIu64 " %" PRIu64 " %" PRIu32 "\n",
                    c->rows, (uint64_t)d->row[i] + 1, d->tally[i]) < 0)
            return newfile_failed(&c->f, err);
    return c->named ? idlines_add(&c->ids, d->id, d->id_size, err) : KEDGE_OK;
}

static kedge_status write_rows(countrows *c, showing *w, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const showing_document *d;

    errno = 0;
    if (!write_head(c))
        TRY(newfile_failed(&c->f, err));
    for (;;) {
        TRY(showing_next(w, &d, err));
        if (d == NULL)
            break;
        TRY(add_row(c, d, err));
    }
    errno = 0;
    if (!write_head(c))
        TRY(newfile_failed(&c->f, err));
out:
    return st;
}

kedge_status countrows_write(kedge_store *s, const kedge_model *m,
                             const kedge_control *control,
                             const char *directory, bool kept,
                             kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    countrows c = {.named = !kept, .cols = m->words};
    showing w = {0};

    TRY(showing_open(&w, &(showing_input){.s = s, .m = m, .control = control,
                                          .stage = "counts",
                                          .composed = kept}, err));
    TRY(newfile_open(&c.f, directory, "counts.mtx", err));
    if (c.named)
        TRY(idlines_open(&c.ids, directory, err));
    TRY(write_rows(&c, &w, err));
    if (c.named)
        TRY(idlines_commit(&c.ids, err));
    TRY(newfile_commit(&c.f, err));
out:
    newfile_discard(&c.f);
    idlines_discard(&c.ids);
    showing_close(&w);
    return st;
}
