/* SPDX-License-Identifier: MIT */
#include <errno.h>

#include <kedge/infer.h>

#include "base/fail.h"
#include "report/newfile.h"
#include "report/npy.h"

static kedge_status write_rows(newfile *file, kedge_infer *infer, bool wide,
                               size_t *rows, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const kedge_composition *c;

    for (*rows = 0;; ++*rows) {
        TRY(kedge_infer_next(infer, &c, err));
        if (c == NULL)
            return KEDGE_OK;
        errno = 0;
        if (!npy_row(file->out, c->shares, c->topics, wide))
            TRY(newfile_failed(file, err));
    }
out:
    return st;
}

kedge_status kedge_infer_write(kedge_infer *infer, const char *path, bool wide,
                               kedge_error *err)
{
    API_ENTER(err, {"infer", infer}, {"path", path});

    kedge_status st = KEDGE_OK;
    newfile file = {0};
    size_t rows;

    TRY(newfile_open_path(&file, path, err));
    errno = 0;
    if (!npy_begin(file.out))
        TRY(newfile_failed(&file, err));
    TRY(write_rows(&file, infer, wide, &rows, err));
    errno = 0;
    if (!npy_end(file.out, rows, kedge_infer_topics(infer), wide))
        TRY(newfile_failed(&file, err));
    TRY(newfile_commit(&file, err));
out:
    newfile_discard(&file);
    return api_leave(st, err);
}
