/* SPDX-License-Identifier: MIT */
/*
 * Makes system calls and allocations fail, for LD_PRELOAD.
 *
 * A call counts when one of the objects under test makes it (kedge, LMDB, zstd,
 * zlib, LAPACKE, or libc on behalf of one) and, for files, when the file is in
 * a folder of the test. Its name is OWNER:CALL, as in lmdb:pwrite.
 *
 *   KEDGE_INJECT_UNDER    the folder
 *   KEDGE_INJECT_CALL     which call is to fail, and
 *   KEDGE_INJECT_AT       the how many-th of them, from 1
 *   KEDGE_INJECT_WHAT     ENOSPC, EIO, ENOMEM, EINTR: it fails, without effect;
 *                         SHORT: reads or writes half; KILL: SIGKILL instead;
 *                         TORN: half is written, then SIGKILL; POWER: SIGKILL
 *                         after some of what was written and not synced is lost
 *   KEDGE_INJECT_LASTS    set: all those after it as well
 *   KEDGE_INJECT_REPORT   a file; "fired" when it happened, and at the end a
 *                         line for each call: its name and how often
 */
#undef _FILE_OFFSET_BITS /* open() is to be defined here, not open64() */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#define EXPORT   __attribute__((visibility("default")))
#define ALIAS(f) __attribute__((visibility("default"), alias(f)))
#define OBJECTS  64

enum owner { KEDGE, LMDB, ZSTD, ZLIB, LAPACKE, LIBC, OWNERS };

static const char *const owner_names[OWNERS] = {
    "kedge", "lmdb", "zstd", "zlib", "lapacke", "libc",
};

#define CALLS(X)                                                              \
    X(open) X(openat) X(mkdir) X(read) X(pread) X(write) X(pwrite) X(writev)  \
    X(pwritev) X(fwrite) X(fflush) X(fclose) X(fsync) X(fdatasync) X(msync)   \
    X(ftruncate) X(posix_fallocate) X(mmap) X(munmap) X(rename) X(unlink)     \
    X(link) X(chmod) X(flock) X(fcntl) X(close) X(malloc) X(calloc)           \
    X(realloc) X(aligned_alloc) X(posix_memalign)

#define AS_ENUM(name) CALL_##name,
#define AS_TEXT(name) #name,

enum call { CALLS(AS_ENUM) CALL_COUNT };

static const char *const call_names[] = {CALLS(AS_TEXT)};

typedef enum fault { NONE, FAILS, HALF, TORN } fault;

/* Where the code of an object under test is. */
static struct object {
    uintptr_t from, to;
    enum owner owner;
} objects[OBJECTS];
static size_t object_count;

static atomic_ulong counts[OWNERS][CALL_COUNT];
static char under[4096];
static size_t under_size;
static enum owner fail_owner;
static enum call fail_call;
static unsigned long fail_at; /* 0: only count */
static const char *fail_what = "";
static bool fail_lasts;
static const char *report;

/* ---- the calls themselves ------------------------------------------------ */

#define CALLER     __builtin_return_address(0)
#define REAL(name) ((__typeof__(&name))real_of(CALL_##name))

static void *real[CALL_COUNT];

static void *real_of(enum call call)
{
    if (real[call] == NULL)
        real[call] = dlsym(RTLD_NEXT, call_names[call]);
    return real[call];
}

/* ---- who calls ----------------------------------------------------------- */

static int owner_of_file(const char *path)
{
    static const char *const parts[OWNERS] = {
        "/libkedge.so", "/liblmdb.so", "/libzstd.so", "/libz.so",
        "/liblapacke.so", "/libc.so",
    };

    if (path[0] == '\0') /* the program */
        return KEDGE;
    for (int i = 0; i < OWNERS; i++)
        if (strstr(path, parts[i]) != NULL)
            return i;
    return -1;
}

static int note_object(struct dl_phdr_info *info, size_t size, void *data)
{
    const int owner = owner_of_file(info->dlpi_name);

    (void)size;
    (void)data;
    for (int i = 0; owner >= 0 && i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *const part = &info->dlpi_phdr[i];
        if (part->p_type != PT_LOAD || object_count == OBJECTS)
            continue;
        objects[object_count++] = (struct object){
            info->dlpi_addr + part->p_vaddr,
            info->dlpi_addr + part->p_vaddr + part->p_memsz,
            (enum owner)owner,
        };
    }
    return 0;
}

static int owner_of(const void *caller)
{
    const uintptr_t at = (uintptr_t)caller;

    for (size_t i = 0; i < object_count; i++)
        if (at >= objects[i].from && at < objects[i].to)
            return (int)objects[i].owner;
    return -1;
}

/* ---- which files --------------------------------------------------------- */

static bool path_is_under(const char *path)
{
    return under_size > 0 && strncmp(path, under, under_size) == 0 &&
           (path[under_size] == '/' || path[under_size] == '\0');
}

static bool fd_is_under(int fd)
{
    const int before = errno;
    char link[64], path[4096];
    ssize_t size;

    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    size = readlink(link, path, sizeof path - 1);
    errno = before;
    if (size < 0)
        return false;
    path[size] = '\0';
    return path_is_under(path);
}

/* ---- what was written and is not synced yet ------------------------------ */

typedef struct lost {
    struct lost *next;
    dev_t device;
    ino_t file;
    int fd;      /* a copy of the writer's, to write with */
    off_t at;
    size_t size; /* of what was there; the file ended after it */
    size_t written;
    char bytes[];
} lost;

static lost *unsynced;
static atomic_flag unsynced_busy = ATOMIC_FLAG_INIT;

static bool keeps_history(void)
{
    return fail_at > 0 && strcmp(fail_what, "POWER") == 0;
}

static void lock_history(void)
{
    while (atomic_flag_test_and_set(&unsynced_busy))
        ;
}

static void remember(int fd, off_t at, size_t size)
{
    struct stat file;
    lost *l;

    if (fstat(fd, &file) != 0 || !S_ISREG(file.st_mode) ||
        (REAL(fcntl)(fd, F_GETFL) & O_DSYNC) != 0)
        return;
    l = mmap(NULL, sizeof *l + size, PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (l == MAP_FAILED)
        return;
    *l = (lost){.device = file.st_dev, .file = file.st_ino, .at = at,
                .written = size};
    l->fd = (int)syscall(SYS_dup, fd);
    for (ssize_t got = 1; got > 0 && l->size < size; l->size += (size_t)got) {
        char path[64];
        snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
        const int in = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDONLY, 0);
        got = syscall(SYS_pread64, in, l->bytes + l->size, size - l->size,
                      at + (off_t)l->size);
        syscall(SYS_close, in);
        if (got <= 0)
            break;
    }
    lock_history();
    l->next = unsynced;
    unsynced = l;
    atomic_flag_clear(&unsynced_busy);
}

static void drop(int fd)
{
    struct stat file;

    if (!keeps_history() || fstat(fd, &file) != 0)
        return;
    lock_history();
    for (lost **l = &unsynced; *l != NULL;)
        if ((*l)->device == file.st_dev && (*l)->file == file.st_ino) {
            syscall(SYS_close, (*l)->fd);
            *l = (*l)->next;
        } else {
            l = &(*l)->next;
        }
    atomic_flag_clear(&unsynced_busy);
}

/* The newest first, so that what is undone twice ends as the oldest. A piece
 * that was new becomes zeros: the file's length is known, its bytes are not. */
static void lose_power(void)
{
    static const char zeros[4096];
    uint64_t dice = fail_at * UINT64_C(0x9e3779b97f4a7c15) + 1;

    for (lost *l = unsynced; l != NULL; l = l->next) {
        dice = dice * UINT64_C(6364136223846793005) + 1442695040888963407u;
        if (dice >> 63 != 0)
            continue;
        syscall(SYS_pwrite64, l->fd, l->bytes, l->size, l->at);
        for (size_t i = l->size; i < l->written; i += sizeof zeros)
            syscall(SYS_pwrite64, l->fd, zeros,
                    l->written - i < sizeof zeros ? l->written - i
                                                  : sizeof zeros,
                    l->at + (off_t)i);
    }
}

/* ---- the decision -------------------------------------------------------- */

static void tell(const char *text, size_t size)
{
    const int fd = report == NULL
                       ? -1
                       : (int)syscall(SYS_openat, AT_FDCWD, report,
                                      O_WRONLY | O_CREAT | O_APPEND, 0666);

    if (fd < 0)
        return;
    syscall(SYS_write, fd, text, size);
    syscall(SYS_close, fd);
}

static void die(void)
{
    syscall(SYS_kill, syscall(SYS_getpid), SIGKILL);
    for (;;)
        pause();
}

static fault strike(bool first)
{
    static const struct { const char *name; int code; } errors[] = {
        {"ENOSPC", ENOSPC}, {"EIO", EIO}, {"ENOMEM", ENOMEM}, {"EINTR", EINTR},
    };

    if (first)
        tell("fired\n", 6);
    if (strcmp(fail_what, "POWER") == 0)
        lose_power();
    if (strcmp(fail_what, "KILL") == 0 || strcmp(fail_what, "POWER") == 0)
        die();
    if (strcmp(fail_what, "SHORT") == 0)
        return HALF;
    if (strcmp(fail_what, "TORN") == 0)
        return TORN;
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
        if (strcmp(fail_what, errors[i].name) == 0)
            errno = errors[i].code;
    return FAILS;
}

static fault count(enum call call, const void *caller)
{
    const int owner = owner_of(caller);
    unsigned long n;

    if (owner < 0)
        return NONE;
    n = atomic_fetch_add(&counts[owner][call], 1) + 1;
    if (fail_at == 0 || owner != (int)fail_owner || call != fail_call ||
        n < fail_at || (n > fail_at && !fail_lasts))
        return NONE;
    return strike(n == fail_at);
}

static fault count_fd(enum call call, int fd, const void *caller)
{
    return under_size > 0 && owner_of(caller) >= 0 && fd_is_under(fd)
               ? count(call, caller)
               : NONE;
}

static fault count_path(enum call call, const char *path, const void *caller)
{
    return path_is_under(path) ? count(call, caller) : NONE;
}

static size_t half(size_t size)
{
    return size > 1 ? size / 2 : size;
}

/* ---- start and end ------------------------------------------------------- */

static void read_call(const char *text)
{
    const char *const colon = strchr(text, ':');

    for (int i = 0; colon != NULL && i < OWNERS; i++)
        if (strncmp(text, owner_names[i], (size_t)(colon - text)) == 0 &&
            owner_names[i][colon - text] == '\0')
            fail_owner = (enum owner)i;
    for (int i = 0; colon != NULL && i < CALL_COUNT; i++)
        if (strcmp(colon + 1, call_names[i]) == 0)
            fail_call = (enum call)i;
}

__attribute__((constructor)) static void start(void)
{
    const char *const folder = getenv("KEDGE_INJECT_UNDER");
    const char *const call = getenv("KEDGE_INJECT_CALL");
    const char *const at = getenv("KEDGE_INJECT_AT");
    const char *const what = getenv("KEDGE_INJECT_WHAT");

    for (enum call i = 0; i < CALL_COUNT; i++)
        real_of(i);
    report = getenv("KEDGE_INJECT_REPORT");
    fail_lasts = getenv("KEDGE_INJECT_LASTS") != NULL;
    if (call != NULL && at != NULL && what != NULL) {
        read_call(call);
        fail_what = what;
        fail_at = strtoul(at, NULL, 10);
    }
    if (folder != NULL && strlen(folder) < sizeof under) {
        strcpy(under, folder);
        under_size = strlen(under);
    }
    dl_iterate_phdr(note_object, NULL);
}

static void tell_counts(void)
{
    char line[128];

    for (int o = 0; o < OWNERS; o++)
        for (int c = 0; c < CALL_COUNT; c++)
            if (counts[o][c] > 0)
                tell(line, (size_t)snprintf(line, sizeof line, "%s:%s %lu\n",
                                            owner_names[o], call_names[c],
                                            counts[o][c]));
}

/* The program ends here, without destructors. */
EXPORT _Noreturn void _exit(int code)
{
    tell_counts();
    for (;;)
        syscall(SYS_exit_group, code);
}

/* ---- files by path ------------------------------------------------------- */

EXPORT int open(const char *path, int flags, ...)
{
    mode_t mode = 0;
    va_list args;

    va_start(args, flags);
    if ((flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE)
        mode = va_arg(args, mode_t);
    va_end(args);
    if (count_path(CALL_open, path, CALLER) != NONE)
        return -1;
    return REAL(open)(path, flags, mode);
}

EXPORT int openat(int at, const char *path, int flags, ...)
{
    mode_t mode = 0;
    va_list args;

    va_start(args, flags);
    if ((flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE)
        mode = va_arg(args, mode_t);
    va_end(args);
    if (count_path(CALL_openat, path, CALLER) != NONE)
        return -1;
    return REAL(openat)(at, path, flags, mode);
}

EXPORT int mkdir(const char *path, mode_t mode)
{
    if (count_path(CALL_mkdir, path, CALLER) != NONE)
        return -1;
    return REAL(mkdir)(path, mode);
}

EXPORT int rename(const char *from, const char *to)
{
    if (count_path(CALL_rename, from, CALLER) != NONE)
        return -1;
    return REAL(rename)(from, to);
}

EXPORT int unlink(const char *path)
{
    if (count_path(CALL_unlink, path, CALLER) != NONE)
        return -1;
    return REAL(unlink)(path);
}

EXPORT int link(const char *from, const char *to)
{
    if (count_path(CALL_link, to, CALLER) != NONE)
        return -1;
    return REAL(link)(from, to);
}

EXPORT int chmod(const char *path, mode_t mode)
{
    if (count_path(CALL_chmod, path, CALLER) != NONE)
        return -1;
    return REAL(chmod)(path, mode);
}

/* ---- reading and writing ------------------------------------------------- */

EXPORT ssize_t read(int fd, void *to, size_t size)
{
    const fault f = count_fd(CALL_read, fd, CALLER);

    return f == FAILS ? -1
                      : REAL(read)(fd, to, f == HALF ? half(size) : size);
}

EXPORT ssize_t pread(int fd, void *to, size_t size, off_t at)
{
    const fault f = count_fd(CALL_pread, fd, CALLER);

    return f == FAILS ? -1
                      : REAL(pread)(fd, to, f == HALF ? half(size) : size, at);
}

static off_t place_of(int fd)
{
    return (off_t)syscall(SYS_lseek, fd, 0, SEEK_CUR);
}

EXPORT ssize_t write(int fd, const void *from, size_t size)
{
    const fault f = count_fd(CALL_write, fd, CALLER);
    ssize_t put;

    if (f == FAILS)
        return -1;
    if (keeps_history() && fd_is_under(fd))
        remember(fd, place_of(fd), size);
    put = REAL(write)(fd, from, f == NONE ? size : half(size));
    if (f == TORN)
        die();
    return put;
}

EXPORT ssize_t pwrite(int fd, const void *from, size_t size, off_t at)
{
    const fault f = count_fd(CALL_pwrite, fd, CALLER);
    ssize_t put;

    if (f == FAILS)
        return -1;
    if (keeps_history() && fd_is_under(fd))
        remember(fd, at, size);
    put = REAL(pwrite)(fd, from, f == NONE ? size : half(size), at);
    if (f == TORN)
        die();
    return put;
}

static size_t size_of(const struct iovec *parts, int n)
{
    size_t size = 0;

    for (int i = 0; i < n; i++)
        size += parts[i].iov_len;
    return size;
}

EXPORT ssize_t writev(int fd, const struct iovec *parts, int n)
{
    const fault f = count_fd(CALL_writev, fd, CALLER);
    ssize_t put;

    if (f == FAILS)
        return -1;
    if (keeps_history() && fd_is_under(fd))
        remember(fd, place_of(fd), size_of(parts, n));
    if (f == NONE)
        return REAL(writev)(fd, parts, n);
    put = REAL(write)(fd, parts[0].iov_base, half(parts[0].iov_len));
    if (f == TORN)
        die();
    return put;
}

EXPORT ssize_t pwritev(int fd, const struct iovec *parts, int n, off_t at)
{
    const fault f = count_fd(CALL_pwritev, fd, CALLER);
    ssize_t put;

    if (f == FAILS)
        return -1;
    if (keeps_history() && fd_is_under(fd))
        remember(fd, at, size_of(parts, n));
    if (f == NONE)
        return REAL(pwritev)(fd, parts, n, at);
    put = REAL(pwrite)(fd, parts[0].iov_base, half(parts[0].iov_len), at);
    if (f == TORN)
        die();
    return put;
}

EXPORT size_t fwrite(const void *from, size_t size, size_t n, FILE *file)
{
    if (count_fd(CALL_fwrite, fileno(file), CALLER) != NONE)
        return 0;
    return REAL(fwrite)(from, size, n, file);
}

EXPORT int fflush(FILE *file)
{
    if (file != NULL && count_fd(CALL_fflush, fileno(file), CALLER) != NONE)
        return EOF;
    return REAL(fflush)(file);
}

/* It is closed all the same. */
EXPORT int fclose(FILE *file)
{
    const fault f = count_fd(CALL_fclose, fileno(file), CALLER);
    const int code = errno, result = REAL(fclose)(file);

    if (f == NONE)
        return result;
    errno = code;
    return EOF;
}

EXPORT int close(int fd)
{
    const fault f = count_fd(CALL_close, fd, CALLER);
    const int code = errno, result = REAL(close)(fd);

    if (f == NONE)
        return result;
    errno = code;
    return -1;
}

/* ---- to the disk --------------------------------------------------------- */

EXPORT int fsync(int fd)
{
    if (count_fd(CALL_fsync, fd, CALLER) != NONE)
        return -1;
    drop(fd);
    return REAL(fsync)(fd);
}

EXPORT int fdatasync(int fd)
{
    if (count_fd(CALL_fdatasync, fd, CALLER) != NONE)
        return -1;
    drop(fd);
    return REAL(fdatasync)(fd);
}

EXPORT int msync(void *at, size_t size, int flags)
{
    if (count(CALL_msync, CALLER) != NONE)
        return -1;
    return REAL(msync)(at, size, flags);
}

EXPORT int ftruncate(int fd, off_t size)
{
    if (count_fd(CALL_ftruncate, fd, CALLER) != NONE)
        return -1;
    return REAL(ftruncate)(fd, size);
}

EXPORT int posix_fallocate(int fd, off_t at, off_t size)
{
    if (count_fd(CALL_posix_fallocate, fd, CALLER) != NONE)
        return errno;
    return REAL(posix_fallocate)(fd, at, size);
}

/* ---- maps and locks ------------------------------------------------------ */

EXPORT void *mmap(void *at, size_t size, int protection, int flags, int fd,
                  off_t from)
{
    const void *const caller = CALLER;
    const int owner = owner_of(caller);

    if ((owner == KEDGE || owner == LMDB) && count(CALL_mmap, caller) != NONE)
        return MAP_FAILED;
    return (void *)syscall(SYS_mmap, at, size, protection, flags, fd, from);
}

EXPORT int munmap(void *at, size_t size)
{
    const void *const caller = CALLER;
    const int owner = owner_of(caller);

    if ((owner == KEDGE || owner == LMDB) &&
        count(CALL_munmap, caller) != NONE)
        return -1;
    return (int)syscall(SYS_munmap, at, size);
}

EXPORT int flock(int fd, int how)
{
    if (count_fd(CALL_flock, fd, CALLER) != NONE)
        return -1;
    return REAL(flock)(fd, how);
}

/* Locks alone count. */
EXPORT int fcntl(int fd, int command, ...)
{
    va_list args;
    void *arg;

    va_start(args, command);
    arg = va_arg(args, void *);
    va_end(args);
    if ((command == F_SETLK || command == F_SETLKW || command == F_GETLK) &&
        count_fd(CALL_fcntl, fd, CALLER) != NONE)
        return -1;
    return REAL(fcntl)(fd, command, arg);
}

/* ---- allocations --------------------------------------------------------- */

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *old, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

EXPORT void *malloc(size_t size)
{
    return count(CALL_malloc, CALLER) != NONE ? NULL : __libc_malloc(size);
}

EXPORT void *calloc(size_t n, size_t size)
{
    return count(CALL_calloc, CALLER) != NONE ? NULL : __libc_calloc(n, size);
}

EXPORT void *realloc(void *old, size_t size)
{
    return count(CALL_realloc, CALLER) != NONE ? NULL
                                               : __libc_realloc(old, size);
}

EXPORT void *aligned_alloc(size_t alignment, size_t size)
{
    return count(CALL_aligned_alloc, CALLER) != NONE
               ? NULL
               : __libc_memalign(alignment, size);
}

EXPORT int posix_memalign(void **out, size_t alignment, size_t size)
{
    void *const memory = count(CALL_posix_memalign, CALLER) != NONE
                             ? NULL
                             : __libc_memalign(alignment, size);

    if (memory == NULL)
        return ENOMEM;
    *out = memory;
    return 0;
}

/* ---- the same under their other names ------------------------------------ */

ALIAS("open") int open64(const char *path, int flags, ...);
ALIAS("openat") int openat64(int at, const char *path, int flags, ...);
ALIAS("pread") ssize_t pread64(int fd, void *to, size_t size, off_t at);
ALIAS("pwrite") ssize_t pwrite64(int fd, const void *from, size_t size,
                                 off_t at);
ALIAS("pwritev") ssize_t pwritev64(int fd, const struct iovec *parts, int n,
                                   off_t at);
ALIAS("ftruncate") int ftruncate64(int fd, off_t size);
ALIAS("posix_fallocate") int posix_fallocate64(int fd, off_t at, off_t size);
ALIAS("mmap") void *mmap64(void *at, size_t size, int protection, int flags,
                           int fd, off_t from);
ALIAS("fcntl") int fcntl64(int fd, int command, ...);
