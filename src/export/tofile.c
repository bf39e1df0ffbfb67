/* SPDX-License-Identifier: MIT */
/* What others make a piece at a time, as files. */
#include <kedge/infer.h>
#include <kedge/parts.h>

#include "base/fail.h"
#include "base/run.h"
#include "export/newfile.h"

kedge_status kedge_infer_write(kedge_infer *infer, const char *path, bool wide,
                               kedge_error *err)
{
    API_ENTER(err, {"infer", infer}, {"path", path});

    kedge_status st = KEDGE_OK;
    const kedge_doc_topics *c;
    newfile file = {0};
    size_t rows = 0;

    TRY(newfile_open_path(&file, path, err));
    TRY(npy_begin(&file, err));
    for (;; rows++) {
        TRY(kedge_infer_next(infer, &c, err));
        if (c == NULL)
            break;
        TRY(npy_row(&file, c->proportions, c->topics, wide, err));
    }
    TRY(npy_end(&file, rows, kedge_infer_topics(infer), wide, err));
    TRY(newfile_commit(&file, err));
out:
    newfile_discard(&file);
    return api_leave(st, err);
}

static bool file_write(void *data, const void *bytes, size_t size)
{
    const newfile *const f = data;

    return fwrite(bytes, 1, size, f->out) == size;
}

kedge_status kedge_sketch_export_file(kedge_store *store, const char *path,
                                      const kedge_sketch_export_opts *opts,
                                      const kedge_control *control,
                                      kedge_sketch_export_result *out,
                                      kedge_error *err)
{
    if (out != NULL)
        *out = (kedge_sketch_export_result){0};
    API_ENTER(err, {"store", store}, {"path", path}, {"out", out});
    API_USUAL(kedge_sketch_export_opts, opts);
    control = run_control(control);

    kedge_status st = KEDGE_OK;
    newfile file = {0};

    TRY(newfile_open_path(&file, path, err));
    st = kedge_sketch_export(store, file_write, &file, opts, control, out,
                             err);
    if (st != KEDGE_OK && ferror(file.out))
        kedge_fail_context(err, "%s", path);
    TRY(st);
    TRY(newfile_commit(&file, err));
out:
    newfile_discard(&file);
    return api_leave(st, err);
}
