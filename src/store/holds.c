/* SPDX-License-Identifier: MIT */
#include "store/files.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#define ALL_STATES (UINT64_C(1) << 62) /* and each one behind it */
#define COMMITS    (UINT64_C(1) << 61)
#define SOUND      (UINT64_C(1) << 60)

static bool set(int fd, int type, uint64_t from, uint64_t bytes)
{
    struct flock l = {.l_type = (short)type, .l_whence = SEEK_SET,
                      .l_start = (off_t)from, .l_len = (off_t)bytes};
    int code;

    do
        code = fcntl(fd, F_OFD_SETLK, &l);
    while (code != 0 && errno == EINTR);
    return code == 0;
}

/* Whether somebody else's lock is in the way of one of this type; *at is where
 * it begins. What cannot be asked counts as one, at the beginning. */
static bool meets(int fd, int type, uint64_t from, uint64_t bytes,
                  uint64_t *at)
{
    struct flock l = {.l_type = (short)type, .l_whence = SEEK_SET,
                      .l_start = (off_t)from, .l_len = (off_t)bytes};
    const bool asked = fcntl(fd, F_OFD_GETLK, &l) == 0;

    *at = asked ? (uint64_t)l.l_start : from;
    return !asked || l.l_type != F_UNLCK;
}

bool holds_enter(int fd)
{
    return set(fd, F_RDLCK, ALL_STATES, 1);
}

bool holds_state(int fd, uint64_t transaction)
{
    return set(fd, F_RDLCK, ALL_STATES + 1 + transaction, 1) &&
           set(fd, F_UNLCK, ALL_STATES, 1);
}

void holds_leave(int fd)
{
    set(fd, F_UNLCK, ALL_STATES, 0);
}

uint64_t holds_oldest(int fd, uint64_t newest)
{
    uint64_t at;

    while (meets(fd, F_WRLCK, ALL_STATES, 1 + newest, &at)) {
        if (at <= ALL_STATES)
            return 0;
        newest = at - ALL_STATES - 1;
    }
    return newest;
}

void holds_commit(int fd, uint64_t transaction, bool begins)
{
    set(fd, begins ? F_WRLCK : F_UNLCK, COMMITS + transaction, 1);
}

bool holds_is_committing(int fd, uint64_t transaction)
{
    uint64_t at;

    return meets(fd, F_RDLCK, COMMITS + transaction, 1, &at);
}

void holds_sound(int fd)
{
    set(fd, F_WRLCK, SOUND, 1);
}

/* Only who may write to the file can have this lock. */
bool holds_is_sound(int fd)
{
    struct flock l = {.l_type = F_RDLCK, .l_whence = SEEK_SET,
                      .l_start = (off_t)SOUND, .l_len = 1};

    return fcntl(fd, F_OFD_GETLK, &l) == 0 && l.l_type == F_WRLCK;
}

void holds_drop(int fd)
{
    set(fd, F_UNLCK, 0, 0);
}
