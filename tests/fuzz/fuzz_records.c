/* SPDX-License-Identifier: MIT */
/*
 * Stores with right checksums and wrong numbers: some records of a small store
 * are taken apart, changed and sealed again, as the input's bytes say, and then
 * kedge's commands work on it. They may refuse it, and give it back in pieces;
 * not crash, hang, abort, or ask for much memory. Sketch files likewise, which
 * are imported first, and lists that options take.
 */
#include "fuzz.h"

#include "stores.h"

/* With a list. */
static const char *const listing[] = {
    "ingest $/merged $/some --from ldac --vocab $/list --sketch-size 16",
    "ingest $/merged $/one --stopwords $/list",
    "ingest $/merged $/one --vocab $/list --sketch-size 16",
    "fit $/store -k 2 --keep-words $/list",
    "fit $/store -k 2 --drop-words $/list --min-df 1 --max-df 1",
    "fit $/store -k 3 --anchors $/list --min-df 1 --max-df 1",
    "fit $/store -k 2 --anchor-ban $/list --index 0",
    "fit $/store -k 2 --stopwords $/list --phrases 2",
    "sweep $/store -k 2,3 --labels $/list",
    "eval $/store --labels $/list",
    "sketch export $/store -o $/out-part --keep-words $/list",
    "infer $/store $/some --from ldac --vocab $/list",
    "remove $/store --ids $/list",
};

enum { LISTING = sizeof listing / sizeof *listing };

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    stores_make();
    return 0;
}

/* What commands are to work on; false where nothing is. */
static bool lay_out(chance *c)
{
    const uint64_t what = chance_below(c, 8);

    if (what < 5)
        return stores_lay_out(c) > 0;
    if (what < 7)
        return stores_lay_out_part(c) > 0 &&
               command_try("sketch import $/store $/foreign") == 0;
    stores_lay_out_list(c);
    for (size_t i = 0; i < LISTING; i++)
        if (chance_below(c, 3) == 0) {
            command_try(listing[i]);
            commands_clear();
        }
    return false;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 8)
        return 0;
    chance c = chance_of(data + 8, size - 8); /* after its number */

    *command_now = "making it";
    if (lay_out(&c))
        commands_some(&c);
    return 0;
}
