/* SPDX-License-Identifier: MIT */
/* kedge repair: what follows from the documents is made again. */
#include <kedge/kedge.h>

#include "command.h"
#include "plaintext.h"

typedef struct repair {
    job job;
    kedge_repair_result result;
} repair;

static const option options[] = {OPTION_SUMMARY, {.name = NULL}};

static kedge_status work(void *data, kedge_store *store,
                         const kedge_control *control, kedge_error *err)
{
    return kedge_repair(store, control, &((repair *)data)->result, err);
}

static int run(void *data)
{
    repair *const r = data;
    const int code = job_work(&r->job);
    shell_word store;

    if (code != EXIT_OK || r->result.damaged == 0)
        return code;
    text_shell(&store, r->job.store);
    complain("models are still damaged, and repair cannot mend them: 'kedge "
             "verify %s' names them; fit them again, or delete them with "
             "'kedge drop %s --model NAME'", store.text, store.text);
    return EXIT_DAMAGED;
}

const command command_repair = {
    .name = "repair",
    .group = GROUP_REPAIR,
    .summary = "recompute counts and sketches",
    .operands = "STORE",
    .least = 1,
    .most = 1,
    .purpose =
        "Recomputes everything that follows from the documents: counts, "
        "totals, ids and sketches. This mends damage to any of these; a whole "
        "store stays the same to the last bit. Models stay; damaged ones are "
        "named, and the exit code is 3: fit them again. Damaged documents "
        "cannot be mended and are named by their block. A store of imported "
        "parts cannot be repaired: import the parts into a new one.",
    .examples = "  kedge repair news\n"
                "  kedge verify news\n",
    .writes = true,
    .options = options,
    .size = sizeof(repair),
    .run = run,
    .mode = KEDGE_OPEN_WRITE,
    .work = work,
    .result = "kedge_repair_result",
    .result_at = offsetof(repair, result),
};
