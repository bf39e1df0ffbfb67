/* SPDX-License-Identifier: MIT */
#include "complain.h"

#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "plaintext.h"

static const char *speaker; /* NULL: the only one */

void complain_as(const char *who)
{
    speaker = who;
}

static void say(const char *format, va_list args)
{
    char text[8192];
    int begun = 0;

    if (speaker != NULL)
        begun = snprintf(text, sizeof text, "%s: ", speaker);
    vsnprintf(text + begun, sizeof text - (size_t)begun, format, args);
    fputs("kedge: ", stderr);
    if (isatty(STDERR_FILENO)) {
        flow f = {.out = stderr, .indent = 2, .column = 7,
                  .width = text_flow(stderr), .whole = true};
        flow_text(&f, text);
        flow_end(&f);
    } else {
        text_put(stderr, text, TEXT_WHOLE);
        fputc('\n', stderr);
    }
}

void complain(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    say(format, args);
    va_end(args);
}

int complain_usage(const char *command, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    say(format, args);
    va_end(args);
    fprintf(stderr, "Try 'kedge %s%s--help'.\n", command ? command : "",
            command ? " " : "");
    return EXIT_USAGE;
}

static int exit_code(kedge_status status)
{
    switch (status) {
    case KEDGE_OK:
        return EXIT_OK;
    case KEDGE_EINVAL:
        return EXIT_USAGE;
    case KEDGE_ECORRUPT:
    case KEDGE_EVERSION:
        return EXIT_DAMAGED;
    case KEDGE_EBUDGET:
        return EXIT_BUDGET;
    case KEDGE_ENUMERIC:
        return EXIT_NUMERIC;
    case KEDGE_ECANCELED:
        return EXIT_INTERRUPTED;
    case KEDGE_EMISUSE:
    case KEDGE_ENOMEM:
    case KEDGE_EIO:
    case KEDGE_EFORMAT:
    case KEDGE_ENOTFOUND:
    case KEDGE_EBUSY:
        break;
    }
    return EXIT_FAILED;
}

int complain_status(kedge_status status, const kedge_error *err)
{
    const char *const text =
        err->text[0] != '\0' ? err->text : kedge_status_text(status);
    const char *advice = "";

    if (status == KEDGE_ECORRUPT)
        advice = "; 'kedge verify STORE' finds all damage";
    if (status == KEDGE_ENOMEM)
        advice = "; the system has less than --memory allows: raise its limit "
                 "(ulimit -v), free some, or lower --memory or --threads";
    if (status != KEDGE_OK)
        complain("%s%s", text, strchr(text, ';') == NULL ? advice : "");
    return exit_code(status);
}

kedge_status system_failed(const char *what, kedge_error *err)
{
    snprintf(err->text, sizeof err->text, "%s: %s", what, strerror(errno));
    return err->status = KEDGE_EIO;
}

_Noreturn void no_memory(void)
{
    _exit(complain_status(KEDGE_ENOMEM, &(kedge_error){0}));
}

void *claim(size_t count, size_t size)
{
    void *memory = calloc(count > 0 ? count : 1, size);

    if (memory == NULL)
        no_memory();
    return memory;
}

char *claim_text(const char *text)
{
    const size_t size = strlen(text) + 1;

    return memcpy(claim(size, 1), text, size);
}

/* stdio drops why an earlier write failed, but a pipe without a reader still
 * says so. */
static int reader_left(void)
{
    struct pollfd fd = {.fd = STDOUT_FILENO, .events = POLLOUT};

    return poll(&fd, 1, 0) == 1 && (fd.revents & POLLERR) != 0;
}

int finish_output(int code)
{
    const int left = reader_left();
    int failed = ferror(stdout);

    errno = 0;
    failed |= fclose(stdout);
    if (failed == 0 || left || errno == EPIPE)
        return code;
    if (errno != 0)
        complain("standard output: %s", strerror(errno));
    else
        complain("standard output: writing failed; is the disk full?");
    return code == EXIT_OK ? EXIT_FAILED : code;
}
