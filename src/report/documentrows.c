/* SPDX-License-Identifier: MIT */
/* Two files side by side, a row and a line for each document. */
#include "report/documentrows.h"

#include <errno.h>

#include "base/fail.h"
#include "pipeline/models/model.h"
#include "pipeline/shares/kept.h"
#include "report/idlines.h"
#include "report/newfile.h"
#include "report/npy.h"

static kedge_status write_all(newfile *rows, idlines *ids, kedge_kept *kept,
                              kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const kedge_kept_info *const about = kedge_kept_about(kept);
    const kedge_kept_document *d;

    errno = 0;
    if (!npy_begin(rows->out))
        TRY(newfile_failed(rows, err));
    for (;;) {
        TRY(kedge_kept_next(kept, &d, err));
        if (d == NULL)
            break;
        errno = 0;
        if (!npy_row(rows->out, d->shares, d->topics, false))
            TRY(newfile_failed(rows, err));
        TRY(idlines_add(ids, d->id, d->id_size, err));
    }
    errno = 0;
    if (!npy_end(rows->out, about->documents, about->topics, false))
        TRY(newfile_failed(rows, err));
out:
    return st;
}

static kedge_status write_files(kedge_kept *kept, const char *directory,
                                kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    newfile rows = {0};
    idlines ids = {0};

    TRY(newfile_open(&rows, directory, "compositions.npy", err));
    TRY(idlines_open(&ids, directory, err));
    TRY(write_all(&rows, &ids, kept, err));
    TRY(idlines_commit(&ids, err));
    TRY(newfile_commit(&rows, err));
out:
    newfile_discard(&rows);
    idlines_discard(&ids);
    return st;
}

kedge_status documentrows_write(kedge_store *s, const kedge_model *m,
                                const kedge_control *control,
                                const char *directory, kedge_kept_info *out,
                                bool *written, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    kedge_kept *kept = NULL;
    kedge_control usual;

    *written = false;
    kedge_control_init(&usual);
    st = kedge_kept_open(s, m->name, control != NULL ? control : &usual, &kept,
                         err);
    if (st == KEDGE_ENOTFOUND)
        return KEDGE_OK;
    TRY(st);
    if (!kedge_kept_about(kept)->current || kept_serial(kept) != m->serial)
        goto out;
    TRY(write_files(kept, directory, err));
    *out = *kedge_kept_about(kept);
    *written = true;
out:
    kedge_kept_close(kept);
    return st;
}
