/* SPDX-License-Identifier: MIT */
#include "report/idlines.h"

#include <string.h>

void idlines_escape(textbuf *t, const char *name, size_t size, bool blanks)
{
    static const char divides[] = "\\\n\r \t\v\f", letters[] = "\\nrstvf";
    const size_t kinds = blanks ? sizeof divides - 1 : 3;

    for (size_t i = 0, end; i < size; i = end + 1) {
        const char *kind = NULL;
        for (end = i; end < size; end++)
            if ((kind = memchr(divides, name[end], kinds)) != NULL)
                break;
        textbuf_add(t, name + i, end - i);
        if (kind != NULL) {
            textbuf_add(t, "\\", 1);
            textbuf_add(t, letters + (kind - divides), 1);
        }
    }
}

kedge_status idlines_open(idlines *l, const char *directory, kedge_error *err)
{
    l->line = (textbuf){0};
    return newfile_open(&l->f, directory, "documents.txt", err);
}

kedge_status idlines_add(idlines *l, const char *id, size_t size,
                         kedge_error *err)
{
    idlines_escape(&l->line, id, size, false);
    textbuf_add(&l->line, "\n", 1);
    return newfile_flush(&l->f, &l->line, err);
}

kedge_status idlines_commit(idlines *l, kedge_error *err)
{
    return newfile_commit(&l->f, err);
}

void idlines_discard(idlines *l)
{
    newfile_discard(&l->f);
    textbuf_free(&l->line);
}
