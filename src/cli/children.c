/* SPDX-License-Identifier: MIT */
/*
 * A child holds the end of a pipe that nobody writes to: that it has ended is
 * seen at once there, and a wait for it can be broken off.
 */
#include "children.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "complain.h"
#include "watch.h"

enum { LOOK_MILLISECONDS = 100, NO_PROGRAM = 127 };

/* The descriptor `wanted` becomes a copy of `fd`. */
static void redirect(int fd, int wanted)
{
    if (fd < 0)
        fd = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (fd < 0 || dup2(fd, wanted) < 0)
        _exit(NO_PROGRAM);
}

/* Nothing here but system calls: other threads were lost in the fork. */
_Noreturn static void become(const char *const *argv, int in, int out,
                             int alive)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    setpgid(0, 0);
    redirect(in, STDIN_FILENO);
    redirect(out, STDOUT_FILENO);
    fcntl(alive, F_SETFD, 0);
    execv("/proc/self/exe", (char *const *)(uintptr_t)argv);
    _exit(NO_PROGRAM);
}

kedge_status child_start(child *c, const char *const *argv, int in, int out,
                         kedge_error *err)
{
    int ends[2];

    *c = (child){0};
    if (pipe2(ends, O_CLOEXEC) != 0)
        return system_failed("a pipe", err);
    c->began = watch_clock();
    c->alive = ends[0];
    c->pid = fork();
    if (c->pid == 0)
        become(argv, in, out, ends[1]);
    close(ends[1]);
    if (c->pid > 0)
        return KEDGE_OK;
    close(ends[0]);
    *c = (child){0};
    return system_failed("a process", err);
}

static double seconds_of(struct timeval t)
{
    return (double)t.tv_sec + 1e-6 * (double)t.tv_usec;
}

/* It has ended, or soon will. */
static int reap(child *c, cost *took)
{
    struct rusage used = {0};
    int status = 0;

    while (wait4(c->pid, &status, 0, &used) < 0 && errno == EINTR)
        continue;
    *took = (cost){
        .seconds = watch_clock() - c->began,
        .processor = seconds_of(used.ru_utime) + seconds_of(used.ru_stime),
        .memory = 1024 * (uint64_t)used.ru_maxrss,
    };
    close(c->alive);
    *c = (child){0};
    return status;
}

void child_end(child *c)
{
    cost unseen;

    if (c->pid == 0)
        return;
    kill(c->pid, SIGKILL);
    reap(c, &unseen);
}

kedge_status child_wait(child *c, const kedge_control *control, cost *took,
                        int *code, kedge_error *err)
{
    struct pollfd alive = {.fd = c->alive, .events = POLLIN};
    int status;

    *code = 0;
    while (poll(&alive, 1, LOOK_MILLISECONDS) <= 0)
        if (control->stop(control->data)) {
            child_end(c);
            snprintf(err->text, sizeof err->text, "stopped");
            return err->status = KEDGE_ECANCELED;
        }
    status = reap(c, took);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return KEDGE_OK;
    *code = WIFEXITED(status) ? WEXITSTATUS(status) : 1;
    if (WIFSIGNALED(status))
        snprintf(err->text, sizeof err->text, "ended by signal %d",
                 WTERMSIG(status));
    else
        snprintf(err->text, sizeof err->text, "ended with %d", *code);
    return err->status = KEDGE_EIO;
}
