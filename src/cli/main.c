/* SPDX-License-Identifier: MIT */
/* kedge's command line: finds the command, runs it, checks its output. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <kedge/kedge.h>

#include "command.h"
#include "help.h"
#include "plaintext.h"

/* ---- the processor ------------------------------------------------------- */

/*
 * OpenBLAS chooses its kernels while it is loaded, by a list of processors. One
 * that is newer than the list gets those of the oldest, of two numbers at a
 * time, and takes twice as long for a fit. The choice can be made for it in the
 * environment, but only before it is loaded: so the program begins again.
 *
 * It also starts a thread for each processor while it is loaded. kedge has its
 * own threads and never uses those; where the system refuses one (ulimit -u) or
 * its memory (ulimit -v), OpenBLAS ends the program as if it were interrupted,
 * or tries again for ever. So its question how many threads the user wants is
 * answered here: the dynamic linker takes the program's function before the
 * library's own, which reads OPENBLAS_NUM_THREADS.
 */
/* Weak, for where OpenBLAS is linked into the program. */
__attribute__((weak, visibility("default"))) int openblas_num_threads_env(void);

int openblas_num_threads_env(void)
{
    return 1;
}

#define CHOICE "OPENBLAS_CORETYPE"

#ifdef __x86_64__
static const char *better_kernels(void)
{
    __builtin_cpu_init();
    if (strstr(kedge_library_versions(), "(Prescott)") == NULL ||
        !__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma"))
        return NULL;
    return __builtin_cpu_supports("avx512f") &&
                   __builtin_cpu_supports("avx512dq") &&
                   __builtin_cpu_supports("avx512bw") &&
                   __builtin_cpu_supports("avx512vl")
               ? "SkylakeX"
               : "Haswell";
}
#else
static const char *better_kernels(void)
{
    return NULL;
}
#endif

/* Begins the program again where the BLAS has taken kernels for a much older
 * processor than this one, and nobody told it which to take. Before anything
 * else: nothing of what was done is kept. */
static void suit_processor(char **argv)
{
    const char *const kernels =
        getenv(CHOICE) == NULL ? better_kernels() : NULL;
    char program[4096];
    ssize_t length;

    if (kernels == NULL)
        return;
    if (setenv(CHOICE, kernels, 1) != 0)
        no_memory(); /* other kernels round otherwise: no other bytes */
    length = readlink("/proc/self/exe", program, sizeof program - 1);
    if (length <= 0)
        return;
    program[length] = '\0';
    execv(program, argv);
    /* Where that is not possible, it goes on as it is. */
}

/* ---- commands ------------------------------------------------------------ */

static const command *find_command(const char *name, nearest *guess)
{
    nearest_begin(guess, name, strlen(name));
    for (size_t i = 0; commands[i] != NULL; i++) {
        if (strcmp(commands[i]->name, name) == 0)
            return commands[i];
        nearest_offer(guess, commands[i]->name);
    }
    return NULL;
}

/* Were a standard descriptor closed, the first file opened would take its place
 * and get what is printed. Writing to the one put here for standard output
 * fails, as it should. */
static void hold_descriptors(void)
{
    static const int modes[] = {O_RDONLY, O_RDONLY, O_WRONLY};

    for (int fd = 0; fd <= 2; fd++)
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", modes[fd]) != fd)
            _exit(EXIT_FAILED);
}

/* kedge help, or kedge help WHAT. */
static int help_with(int argc, char **argv)
{
    const char *const what = argv[0];
    nearest guess;
    const command *found;

    if (argc == 0 || help_asked(what)) {
        help_all();
        return EXIT_OK;
    }
    if (argc > 1 && !(argc == 2 && help_asked(argv[1])))
        return complain_usage(NULL, "help takes COMMAND or TOPIC: what is "
                              "'%s'?", argv[1 + help_asked(argv[1])]);
    found = find_command(what, &guess);
    if (found != NULL) {
        char *help[] = {(char[]){"--help"}, NULL};
        return command_call(found, 1, help);
    }
    if (help_topic(what, &guess))
        return EXIT_OK;
    if (guess.name != NULL)
        return complain_usage(NULL, "there is no help on '%s'; %s perhaps?",
                              what, guess.name);
    return complain_usage(NULL, "there is no help on '%s'", what);
}

static int run(int argc, char **argv)
{
    const char *name = argv[1];
    const command *found;
    nearest guess;

    if (help_asked(name)) {
        help_all();
        return EXIT_OK;
    }
    if (strcmp(name, "--help=json") == 0) {
        help_json();
        return EXIT_OK;
    }
    if (strcmp(name, "--version") == 0 || strcmp(name, "-V") == 0) {
        printf("kedge %s\n%s\n", kedge_version(), kedge_library_versions());
        return EXIT_OK;
    }
    if (name[0] == '-')
        return complain_usage(NULL, "'%s' stands before the command; write "
                              "kedge COMMAND STORE [OPTION...]", name);
    if (strcmp(name, "help") == 0)
        return help_with(argc - 2, argv + 2);
    found = find_command(name, &guess);
    if (found != NULL)
        return command_call(found, argc - 2, argv + 2);
    if (guess.name != NULL)
        return complain_usage(NULL, "there is no command '%s'; %s perhaps?",
                              name, guess.name);
    return complain_usage(NULL, "there is no command '%s'", name);
}

int main(int argc, char **argv)
{
    int code = EXIT_USAGE;

    hold_descriptors();
    suit_processor(argv);
    signal(SIGPIPE, SIG_IGN); /* a write that fails tells more than dying */
    signal(SIGXFSZ, SIG_IGN);
    text_setup();
    if (argc < 2)
        help_start(stderr);
    else
        code = run(argc, argv);
    code = finish_output(code);
#ifndef __SANITIZE_ADDRESS__
    /* Everything is flushed. Not exit(): under a tight limit of address space,
     * the BLAS's exit handler waits for a thread that waits for memory. */
    _exit(code);
#endif
    return code;
}
