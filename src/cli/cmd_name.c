/* SPDX-License-Identifier: MIT */
/* kedge name: a topic gets a name of its own. */
#include <stdio.h>

#include <kedge/kedge.h>

#include "complain.h"
#include "options.h"
#include "task.h"
#include "values.h"

typedef struct naming {
    const char *model, *path, *name;
    uint64_t topic; /* from 1 */
    common common;
} naming;

static int read_line(naming *n, arguments *a, int argc, char **argv)
{
    const option options[] = {
        {.name = "model", .kind = OPTION_TEXT, .value = &n->model,
         .argument = "NAME", .unset = "the one fitted last",
         .help = "Which model; kedge info lists them."},
    };

    a->options = options;
    a->count = sizeof options / sizeof *options;
    return options_read(a, argc, argv);
}

static int read_topic(naming *n, const command *self, const char *text)
{
    const option topic = {.kind = OPTION_COUNT, .value = &n->topic,
                          .least = 1, .most = UINT64_MAX};
    char why[256];

    if (!value_read(&topic, text, why, sizeof why))
        return complain_usage(self->name, "TOPIC: %s", why);
    return GO_ON;
}

static kedge_status name_topic(const naming *n, kedge_error *err)
{
    kedge_store *store;
    kedge_status st;

    st = task_open(n->path, KEDGE_OPEN_WRITE, &n->common, &store, err);
    if (st != KEDGE_OK)
        return st;
    st = kedge_name_topic(store, n->model, n->topic - 1, n->name, err);
    kedge_store_close(store);
    return st;
}

static int name_run(const command *self, int argc, char **argv)
{
    naming n = {0};
    arguments a = {.self = self, .common = &n.common};
    kedge_error err = {0};
    int code;

    common_init(&n.common);
    code = read_line(&n, &a, argc, argv);
    if (code == GO_ON)
        code = read_topic(&n, self, a.operands[1]);
    if (code != GO_ON)
        return code;
    n.path = a.operands[0];
    n.name = a.operands[2];
    return complain_status(name_topic(&n, &err), &err);
}

const command command_name = {
    .writes = true,
    .name = "name",
    .summary = "give a topic a name",
    .operands = "STORE TOPIC NAME",
    .least = 3,
    .most = 3,
    .last_may_be_empty = true,
    .purpose =
        "Gives the topic of that number a name of its own, which topics, diff "
        "and export show, and which stays with the topic when the model is "
        "fitted again. A name has up to 63 bytes of UTF-8 and no control "
        "characters; an empty one, '', takes the name away.",
    .output = "Nothing.",
    .examples = "  kedge name news 3 'Football'\n"
                "  kedge name news --model k50 17 'Interest rates'\n"
                "  kedge name news 3 ''\n",
    .run = name_run,
};
