/* SPDX-License-Identifier: MIT */
#include "compose/scroll.h"

#include <string.h>

#include "base/again.h"
#include "base/fail.h"

kedge_status scroll_open(scroll *s, const char *folder, size_t width,
                         kedge_error *err)
{
    *s = (scroll){again_open_nameless(folder), width};
    return s->file >= 0
               ? KEDGE_OK
               : kedge_fail(err, KEDGE_EIO, "%s: cannot make a file for "
                            "compositions: %s", folder, strerror(errno));
}

void scroll_close(scroll *s)
{
    if (s->file >= 0)
        close(s->file);
    s->file = -1;
}

kedge_status scroll_write(const scroll *s, uint64_t first, size_t count,
                          const double *rows, kedge_error *err)
{
    const size_t bytes = s->width * sizeof *rows;

    return again_write_at(s->file, rows, count * bytes, first * bytes)
               ? KEDGE_OK
               : kedge_fail(err, KEDGE_EIO, "cannot write the file of "
                            "compositions: %s", strerror(errno));
}

kedge_status scroll_read(const scroll *s, uint64_t first, size_t count,
                         double *rows, kedge_error *err)
{
    const size_t bytes = s->width * sizeof *rows;

    return again_read_at(s->file, rows, count * bytes, first * bytes)
               ? KEDGE_OK
               : kedge_fail(err, KEDGE_EIO, "cannot read the file of "
                            "compositions: %s",
                            errno != 0 ? strerror(errno) : "it ends");
}
