/* SPDX-License-Identifier: MIT */
/*
 * Inode numbers and times alone could be those of another machine's disk, so
 * the machine is in it too. Nobody can choose the time of a file's last change
 * of status, so a file that was unpacked, copied or written to by another
 * program does not fit. The stamp is believed when it belongs to the user or to
 * root, and nobody else may write to it.
 */
#include "store/files.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/again.h"
#include "base/hash.h"

enum { FIELDS = 10 };

static const char magic[8] = "KSTAMP1";

/* One file's content, hashed; 0 where there is none. */
static uint64_t hash_file(const char *path)
{
    char text[128];
    const int fd = again_open(path, O_RDONLY);
    const ssize_t size = fd >= 0 ? read(fd, text, sizeof text) : -1;

    if (fd >= 0)
        close(fd);
    return size > 1 ? hash_bytes(0, text, (size_t)size) : 0;
}

/* Where the machine has no name of its own, one until it starts again. */
static uint64_t this_machine(void)
{
    const uint64_t id = hash_file("/etc/machine-id");

    return id != 0 ? id : hash_file("/proc/sys/kernel/random/boot_id");
}

static void fill(uint64_t *fields, const struct stat *data,
                 uint64_t transaction)
{
    memcpy(&fields[0], magic, sizeof magic);
    fields[1] = this_machine();
    fields[2] = (uint64_t)data->st_dev;
    fields[3] = (uint64_t)data->st_ino;
    fields[4] = (uint64_t)data->st_size;
    fields[5] = (uint64_t)data->st_mtim.tv_sec;
    fields[6] = (uint64_t)data->st_mtim.tv_nsec;
    fields[7] = (uint64_t)data->st_ctim.tv_sec;
    fields[8] = (uint64_t)data->st_ctim.tv_nsec;
    fields[9] = transaction;
}

stamp_fit stamp_look(const directory *d, const struct stat *data,
                     uint64_t transaction)
{
    uint64_t now[FIELDS], then[FIELDS];
    stamp_fit fit = STAMP_NONE;
    struct stat own;
    int fd;

    if (directory_open_file(d, DIRECTORY_STAMP, O_RDONLY, &fd, NULL) !=
        KEDGE_OK)
        return STAMP_NONE;
    fill(now, data, transaction);
    if (fstat(fd, &own) == 0 && own.st_size == (off_t)sizeof then &&
        again_read_at(fd, then, sizeof then, 0) &&
        memcmp(now, then, 4 * sizeof *now) == 0) {
        fit = memcmp(now, then, (FIELDS - 1) * sizeof *now) == 0 &&
                      then[FIELDS - 1] >= transaction
                  ? STAMP_STATE
                  : STAMP_FILE;
        if ((own.st_uid != geteuid() && own.st_uid != 0) ||
            (own.st_mode & 022) != 0)
            fit = fit == STAMP_STATE ? STAMP_FOREIGN : STAMP_NONE;
    }
    close(fd);
    return fit;
}

void stamp_write(const directory *d, const struct stat *data,
                 uint64_t transaction)
{
    uint64_t fields[FIELDS];
    int fd;

    fill(fields, data, transaction);
    unlinkat(d->fd, DIRECTORY_NEW_STAMP, 0); /* of a process killed just then */
    if (directory_open_file(d, DIRECTORY_NEW_STAMP,
                            O_WRONLY | O_CREAT | O_EXCL, &fd, NULL) != KEDGE_OK)
        return;
    const bool whole = fchmod(fd, 0644) == 0 &&
                       again_write_at(fd, fields, sizeof fields, 0);
    if (close(fd) != 0 || !whole ||
        renameat(d->fd, DIRECTORY_NEW_STAMP, d->fd, DIRECTORY_STAMP) != 0)
        unlinkat(d->fd, DIRECTORY_NEW_STAMP, 0);
}
