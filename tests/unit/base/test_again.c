/* SPDX-License-Identifier: MIT */
/* The calls are the test's own: interrupted, or short, or failing. */
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/chance.h"

enum { FILE_BYTES = 4096 };

static struct {
    chance c;
    long left;     /* calls until one fails with EIO; below 0: none */
    unsigned cuts; /* interrupted or short */
    uint8_t file[FILE_BYTES];
    size_t size; /* of the file, at most */
} rigged;

static const int rigged_fd = 77;

static int failing(int error)
{
    errno = error;
    return -1;
}

/* 0: the call may go on. */
static int rigged_call(void)
{
    if (rigged.left >= 0 && rigged.left-- == 0)
        return failing(EIO);
    if (chance_below(&rigged.c, 3) > 0)
        return 0;
    rigged.cuts++;
    return failing(EINTR);
}

/* How many bytes of `size` at `at` there are, or a part of them. */
static size_t rigged_part(size_t size, off_t at)
{
    const size_t left = (size_t)at < rigged.size ? rigged.size - (size_t)at : 0;
    const size_t most = size < left ? size : left;
    const size_t part = most == 0 ? 0 : 1 + chance_below(&rigged.c, most);

    rigged.cuts += part < most;
    return part;
}

static ssize_t rigged_pread(int fd, void *to, size_t size, off_t at)
{
    const int code = rigged_call();
    const size_t n = rigged_part(size, at);

    ck_assert_int_eq(fd, rigged_fd);
    if (code != 0)
        return code;
    memcpy(to, rigged.file + at, n);
    return (ssize_t)n;
}

static ssize_t rigged_pwrite(int fd, const void *from, size_t size, off_t at)
{
    const int code = rigged_call();
    const size_t n = rigged_part(size, at);

    ck_assert_int_eq(fd, rigged_fd);
    if (code != 0)
        return code;
    memcpy(rigged.file + at, from, n);
    return (ssize_t)n;
}

static int rigged_fsync(int fd)
{
    ck_assert_int_eq(fd, rigged_fd);
    return rigged_call();
}

static bool opens_truly;

static int rigged_open(const char *path, int flags, unsigned mode)
{
    const int code = rigged_call();

    ck_assert((flags & O_CLOEXEC) != 0);
    if (code != 0)
        return code;
    return opens_truly ? open(path, flags, mode) : rigged_fd;
}

#define pread  rigged_pread
#define pwrite rigged_pwrite
#define fsync  rigged_fsync
#define open   rigged_open
#include "base/again.h"
#undef pread
#undef pwrite
#undef fsync
#undef open

static void rig(uint64_t seed, long left)
{
    memset(&rigged, 0, sizeof rigged);
    rigged.c = (chance){.key = seed};
    rigged.left = left;
    rigged.size = FILE_BYTES;
}

static void fill(uint8_t *bytes, size_t size, uint64_t seed)
{
    chance c = {.key = seed};

    for (size_t i = 0; i < size; i++)
        bytes[i] = (uint8_t)chance_bits(&c);
}

TEST(all_is_written_and_read_however_it_is_cut)
{
    unsigned cuts = 0;

    for (uint64_t seed = 1; seed <= 300; seed++) {
        chance c = {.key = seed};
        const size_t size = chance_below(&c, 1000);
        const size_t at = chance_below(&c, FILE_BYTES - 1000);
        uint8_t bytes[1000], back[1000] = {0}, twin[FILE_BYTES] = {0};
        rig(seed, -1);
        fill(bytes, size, seed);
        memcpy(twin + at, bytes, size);
        ck_assert(again_write_at(rigged_fd, bytes, size, at));
        ck_assert_mem_eq(rigged.file, twin, sizeof twin);
        ck_assert(again_read_at(rigged_fd, back, size, at));
        ck_assert_mem_eq(back, bytes, size);
        cuts += rigged.cuts;
    }
    ck_assert_uint_gt(cuts, 300);
}

TEST(what_ends_too_early_is_no_error_of_the_system)
{
    uint8_t bytes[100] = {0};

    for (uint64_t seed = 1; seed <= 50; seed++) {
        rig(seed, -1);
        rigged.size = seed;
        errno = EIO;
        ck_assert(!again_read_at(rigged_fd, bytes, 51, 0));
        ck_assert_int_eq(errno, 0);
        errno = EIO;
        ck_assert(!again_write_at(rigged_fd, bytes, 51, 0));
        ck_assert_int_eq(errno, 0);
    }
}

TEST(other_failures_are_not_tried_again)
{
    uint8_t bytes[100] = {0};

    for (uint64_t seed = 1; seed <= 50; seed++) {
        rig(seed, 0);
        ck_assert(!again_read_at(rigged_fd, bytes, 100, 0));
        ck_assert_int_eq(errno, EIO);
        rig(seed, 0);
        ck_assert(!again_write_at(rigged_fd, bytes, 100, 0));
        ck_assert_int_eq(errno, EIO);
        rig(seed, 0);
        ck_assert_int_eq(again_sync(rigged_fd), -1);
        ck_assert_int_eq(errno, EIO);
        rig(seed, 0);
        ck_assert_int_eq(again_open("file", O_RDONLY), -1);
        ck_assert_int_eq(errno, EIO);
        rig(seed, 0);
        ck_assert_int_eq(again_open_nameless("."), -1);
        ck_assert_int_eq(errno, EIO);
    }
}

TEST(opening_and_syncing_outlast_signals)
{
    unsigned cuts = 0;

    for (uint64_t seed = 1; seed <= 50; seed++) {
        rig(seed, -1);
        ck_assert_int_eq(again_open("file", O_RDONLY), rigged_fd);
        ck_assert_int_eq(again_open_nameless("."), rigged_fd);
        ck_assert_int_eq(again_sync(rigged_fd), 0);
        cuts += rigged.cuts;
    }
    ck_assert_uint_gt(cuts, 10);
}

TEST(a_nameless_file_has_no_name_and_nobody_else_reads_it)
{
    struct stat info;
    char byte = 'x';
    int fd;

    rig(1, -1);
    opens_truly = true;
    fd = again_open_nameless("/tmp");
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(fstat(fd, &info), 0);
    ck_assert_uint_eq(info.st_nlink, 0);
    ck_assert_uint_eq(info.st_mode & 0777, 0600);
    ck_assert_int_eq(pwrite(fd, &byte, 1, 0), 1);
    ck_assert_int_eq(pread(fd, &byte, 1, 0), 1);
    close(fd);
}
