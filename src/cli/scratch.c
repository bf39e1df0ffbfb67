/* SPDX-License-Identifier: MIT */
#include "scratch.h"

#include <errno.h>
#include <fts.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "complain.h"

enum { BLOCK = 512 }; /* bytes of st_blocks, whatever the file system's */

kedge_status scratch_make(scratch *s, const char *folder, kedge_error *err)
{
    if (folder == NULL)
        folder = getenv("TMPDIR");
    if (folder == NULL || *folder == '\0')
        folder = "/tmp";
    if ((size_t)snprintf(s->path, sizeof s->path, "%s/kedge-bench-XXXXXX",
                         folder) >= sizeof s->path)
        errno = ENAMETOOLONG;
    else if (mkdtemp(s->path) != NULL)
        return KEDGE_OK;
    *s->path = '\0';
    return system_failed(folder, err);
}

static FTS *walk(const char *path)
{
    char *const paths[] = {(char *)(uintptr_t)path, NULL};

    return fts_open(paths, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
}

uint64_t scratch_bytes(const char *path)
{
    FTS *const tree = walk(path);
    uint64_t bytes = 0;
    FTSENT *e;

    while (tree != NULL && (e = fts_read(tree)) != NULL)
        if (e->fts_info == FTS_F || e->fts_info == FTS_D)
            bytes += BLOCK * (uint64_t)e->fts_statp->st_blocks;
    if (tree != NULL)
        fts_close(tree);
    return bytes;
}

void scratch_clear(const char *path)
{
    FTS *const tree = walk(path);
    FTSENT *e;

    while (tree != NULL && (e = fts_read(tree)) != NULL)
        if (e->fts_info == FTS_DP)
            rmdir(e->fts_accpath);
        else if (e->fts_info != FTS_D)
            unlink(e->fts_accpath);
    if (tree != NULL)
        fts_close(tree);
}

void scratch_remove(scratch *s)
{
    if (*s->path != '\0')
        scratch_clear(s->path);
    *s->path = '\0';
}
