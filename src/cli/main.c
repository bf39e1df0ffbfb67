/* SPDX-License-Identifier: MIT */
/* kedge's command line: finds the command, runs it, checks its output. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "complain.h"
#include "completing.h"
#include "guidance.h"
#include "manual.h"
#include "nearest.h"
#include "plaintext.h"
#include "processor.h"

static const command *const commands[] = {
    &command_ingest, &command_fit,     &command_topics, &command_infer,
    &command_eval,   &command_sweep,
    &command_name,   &command_diff,    &command_report, &command_export,
    &command_info,
    &command_cat,    &command_vocab,   &command_word,
    &command_remove, &command_forget,
    &command_merge,  &command_sketch,  &command_verify,  &command_compact,
    &command_rebuild, NULL,
};

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

/* The help of a command, which knows its own options. */
static void guide_one(const command *c, const char *style)
{
    char argument[16];
    char *help[] = {argument, NULL};

    snprintf(argument, sizeof argument, "%s", style);
    c->run(c, 1, help);
}

/* All of kedge. */
static void guide_as(const char *asked)
{
    const guide_style style = guide_asked(asked);

    if (style == GUIDE_TEXT) {
        guide_all(commands);
    } else if (style == GUIDE_MAN) {
        manual_all(commands);
    } else {
        completing_begin(style, commands);
        for (size_t i = 0; commands[i] != NULL; i++)
            guide_one(commands[i], asked);
        completing_end(style);
    }
}

/* kedge help WHAT; `style` is "--help", or "--help=man" and the like. */
static int help_with(const char *what, const char *style)
{
    const helptopic *const topic = helptopic_find(what);
    nearest guess;
    const command *const found = find_command(what, &guess);

    if (found != NULL) {
        guide_one(found, style);
        return EXIT_OK;
    }
    if (topic != NULL) {
        if (guide_asked(style) == GUIDE_MAN)
            manual_topic(topic);
        else
            guide_topic(topic);
        return EXIT_OK;
    }
    for (size_t i = 0; helptopic_get(i) != NULL; i++)
        nearest_offer(&guess, helptopic_get(i)->name);
    if (guess.name != NULL)
        return complain_usage(NULL, "there is no help on '%s'; %s perhaps?",
                              what, guess.name);
    return complain_usage(NULL, "there is no help on '%s'", what);
}

/* WHAT, and how: "--help" and the like. */
static int help_asked(int argc, char **argv)
{
    const bool styled = argc > 1 && guide_asked(argv[1]) != GUIDE_NONE;

    if (argc > 1 + styled)
        return complain_usage(NULL, "help takes COMMAND or TOPIC: what is "
                              "'%s'?", argv[1 + styled]);
    return help_with(argv[0], styled ? argv[1] : "--help");
}

static int run(int argc, char **argv)
{
    const char *name = argv[1];
    const command *found;
    nearest guess;

    if (guide_asked(name) != GUIDE_NONE) {
        guide_as(name);
        return EXIT_OK;
    }
    if (strcmp(name, "help") == 0 && (argc == 2 || guide_asked(argv[2]))) {
        guide_all(commands);
        return EXIT_OK;
    }
    if (strcmp(name, "--version") == 0 || strcmp(name, "-V") == 0) {
        guide_version();
        return EXIT_OK;
    }
    if (name[0] == '-')
        return complain_usage(NULL, "'%s' stands before the command; write "
                              "kedge COMMAND STORE [OPTION...]", name);
    if (strcmp(name, "help") == 0)
        return help_asked(argc - 2, argv + 2);
    found = find_command(name, &guess);
    if (found != NULL)
        return found->run(found, argc - 2, argv + 2);
    if (guess.name != NULL)
        return complain_usage(NULL, "there is no command '%s'; %s perhaps?",
                              name, guess.name);
    return complain_usage(NULL, "there is no command '%s'", name);
}

int main(int argc, char **argv)
{
    int code = EXIT_USAGE;

    hold_descriptors();
    processor_suit(argv);
    signal(SIGPIPE, SIG_IGN); /* a write that fails tells more than dying */
    signal(SIGXFSZ, SIG_IGN);
    text_setup();
    if (argc < 2)
        guide_start(stderr);
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
