/* SPDX-License-Identifier: MIT */
#include "base/run.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "base/fail.h"

#define DEFAULT_MEMORY (UINT64_C(2) << 30)

void kedge_control_init(kedge_control *control)
{
    if (control == NULL)
        return;
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);

    *control = (kedge_control){
        .threads = cores < 1 ? 1 : cores > 256 ? 256 : (unsigned)cores,
        .memory = DEFAULT_MEMORY,
    };
}

static kedge_control usual;
static pthread_once_t usual_once = PTHREAD_ONCE_INIT;

static void usual_fill(void)
{
    kedge_control_init(&usual);
}

const kedge_control *run_control(const kedge_control *control)
{
    if (control != NULL)
        return control;
    pthread_once(&usual_once, usual_fill);
    return &usual;
}

double clock_seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

uint64_t memory_peak(void)
{
    struct rusage usage;

    if (getrusage(RUSAGE_SELF, &usage) != 0)
        return 0;
    return (uint64_t)usage.ru_maxrss * 1024;
}

void run_log(const kedge_control *control, const char *format, ...)
{
    char line[512];
    va_list args;

    if (control->log == NULL)
        return;
    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    control->log(control->data, line);
}

void run_progress(const kedge_control *control, const kedge_progress *now)
{
    if (control->progress != NULL)
        control->progress(control->data, now);
}

kedge_status run_check(const kedge_control *control, kedge_error *err)
{
    if (control->stop != NULL && control->stop(control->data))
        return kedge_fail(err, KEDGE_ECANCELED,
                          "stopped; committed work stays, the same command "
                          "continues from there");
    return KEDGE_OK;
}

static void stage_tell(const stage *s, uint64_t done)
{
    if (s->control != NULL)
        run_progress(s->control,
                     &(kedge_progress){.stage = s->name, .done = done,
                                       .total = s->total, .unit = s->unit,
                                       .documents = s->documents,
                                       .seconds = clock_seconds() - s->start});
}

stage stage_begin(const kedge_control *control, const char *name,
                  uint64_t total, const char *unit)
{
    const stage s = {.control = control, .name = name, .unit = unit,
                     .total = total, .start = clock_seconds()};

    stage_tell(&s, 0);
    return s;
}

kedge_status stage_reach(const stage *s, uint64_t done, kedge_error *err)
{
    stage_tell(s, done);
    return s->control != NULL ? run_check(s->control, err) : KEDGE_OK;
}
