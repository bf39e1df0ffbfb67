/* SPDX-License-Identifier: MIT */
/* kedge name: a topic gets a name of its own. */
#include <stdint.h>

#include <kedge/kedge.h>

#include "command.h"

typedef struct naming {
    job job;
    const char *model;
    uint64_t topic; /* from 1 */
} naming;

#define AT(member) offsetof(naming, member)

static const option options[] = {
    OPTION_OF_MODEL(AT(model)),
    {.name = NULL},
};

static int check(void *data)
{
    naming *const n = data;
    const option topic = {.kind = OPTION_COUNT, .value = &n->topic,
                          .least = 1, .most = UINT64_MAX};
    char why[256];

    if (!value_read(&topic, n->job.rest[0], why, sizeof why))
        return complain_usage("name", "TOPIC: %s", why);
    return GO_ON;
}

static kedge_status work(void *data, kedge_store *store,
                         const kedge_control *control, kedge_error *err)
{
    const naming *const n = data;

    (void)control;
    return kedge_name_topic(store, n->model, n->topic - 1, n->job.rest[1],
                            err);
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
    .output =
        "Nothing.",
    .examples = "  kedge name news 3 'Football'\n"
                "  kedge name news --model k50 17 'Interest rates'\n"
                "  kedge name news 3 ''\n",
    .options = options,
    .size = sizeof(naming),
    .check = check,
    .mode = KEDGE_OPEN_WRITE,
    .work = work,
};
