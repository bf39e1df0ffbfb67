/* SPDX-License-Identifier: MIT */
/* kedge label: a topic gets a name of its own. */
#include <inttypes.h>
#include <stdint.h>

#include <kedge/kedge.h>

#include "command.h"

typedef struct naming {
    job job;
    const char *model; /* NULL: the one fitted last */
    char name[64];     /* of that */
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
        return complain_usage("label", "TOPIC: %s", why);
    return GO_ON;
}

static kedge_status work(void *data, kedge_store *store,
                         const kedge_control *control, kedge_error *err)
{
    naming *const n = data;

    (void)control;
    if (n->model == NULL) {
        const kedge_status st = kedge_model_latest(store, n->name, err);
        if (st != KEDGE_OK)
            return st;
        n->model = n->name;
    }
    return kedge_label_topic(store, n->model, n->topic - 1, n->job.rest[1],
                             err);
}

static void tell(void *data)
{
    const naming *const n = data;
    const char *const label = n->job.rest[1];

    if (n->job.common.quiet)
        return;
    if (label[0] != '\0')
        complain("model %s: topic %" PRIu64 " is now \"%s\"", n->model,
                 n->topic, label);
    else
        complain("model %s: topic %" PRIu64 " has no label now", n->model,
                 n->topic);
}

const command command_label = {
    .name = "label",
    .group = GROUP_CHANGE,
    .summary = "label a topic",
    .operands = "STORE TOPIC LABEL",
    .least = 3,
    .most = 3,
    .purpose =
        "Gives the topic of this number a label, which topics, diff, report "
        "and export show, and which stays with the topic when the model is "
        "fitted again. A label has up to 63 bytes of UTF-8; an empty one, '', "
        "removes it.",
    .examples = "  kedge label news 3 'Football'\n"
                "  kedge label news --model k50 17 'Interest rates'\n",
    .writes = true,
    .last_may_be_empty = true,
    .options = options,
    .size = sizeof(naming),
    .check = check,
    .mode = KEDGE_OPEN_WRITE,
    .work = work,
    .tell = tell,
};
