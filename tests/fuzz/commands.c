/* SPDX-License-Identifier: MIT */
/*
 * What is done with a store that may be damaged.
 */
#include "fuzz.h"

#include "stores.h"

/* The first read alone. */
static const char *const reading[] = {
    "info $/store",
    "info $/store --format json --batches",
    "info $/store --model m-k3",
    "topics $/store --documents 3",
    "topics $/store --model plain --format json -n 0",
    "word $/store river network neural_network",
    "infer $/store --format tsv",
    "infer $/store --format jsonl --method least-squares --model m-k3",
    "infer $/store --method tli --format tsv",
    "infer $/store $/three --format jsonl",
    "eval $/store --format json",
    "diff $/store m-k3 m-k2",
    "diff $/store plain m-k2",
    ("export $/store -o $/out --also graphml,csv,counts,pyldavis,mallet "
     "--cooccurrence dense --model m-k3"),
    "export $/store -o $/out --spectrum --model m-k3 --cooccurrence sparse",
    "report $/store -o $/page.html",
    "cat $/store",
    "cat $/store --format text d1 d5 d24",
    "vocab $/store",
    "vocab $/store --index 3 --format json -n 0",
    "verify $/store",
    "merge $/merged $/store",
    "merge $/texts-copy $/store --on-duplicate replace",
};

static const char *const writing[] = {
    "fit $/store -k 2,3",
    "fit $/store -k 2 --index 0 --power-iter 1 --em-iter 1 --term-weight none",
    ("fit $/store -k 2 --phrases 2 --phrase-df 2 --min-df 1 --max-df 1 "
     "--model p"),
    "fit $/store -k 2 --ncut --cooccurrence dense --model n",
    "fit $/store -k 3 --align m-k3 --rectify ap --model l",
    "sweep $/store -k 2,3 --discard",
    "infer $/store --save",
    "infer $/store --method padd --save",
    "remove $/store d2 d5 d26",
    "remove $/store --batch b --no-sketch",
    "ingest $/store $/three --on-duplicate replace --dedupe",
    "ingest $/store $/others --from ldac --vocab $/words",
    "merge $/store $/behind --on-duplicate skip",
    "merge $/store $/more",
    "sketch export $/store -o $/out-part",
    "sketch export $/store -o $/out-part --all-words --sketch-size 16",
    "sketch import $/store $/another",
    "label $/store 1 other",
    "drop $/store --index 1",
    "compact $/store",
    "repair $/store",
    "fit $/store -k 2",
    "drop $/store --model k2",
    "verify $/store",
};

enum { READING = sizeof reading / sizeof *reading,
       WRITING = sizeof writing / sizeof *writing };

int command_try(const char *line)
{
    if (strstr(line, "texts-copy") != NULL)
        stores_copy(0, "texts-copy");
    const int code = command_run(line);
    PROMISE((code >= 0 && code <= 5) || code == 130); /* was asked to end */
    return code;
}

void commands_clear(void)
{
    char path[512];

    stores_remove(stores_path("merged", path));
    stores_remove(stores_path("texts-copy", path));
    stores_remove(stores_path("out", path));
}

void commands_some(chance *c)
{
    const uint64_t all = chance_below(c, 64); /* 0: every command */
    const size_t first = (size_t)chance_below(c, WRITING);

    for (size_t i = 0; i < READING; i++)
        if (all == 0 || chance_below(c, 4) == 0)
            command_try(reading[i]);
    for (size_t i = 0; i < WRITING; i++)
        if (all == 0 || chance_below(c, 6) == 0)
            command_try(writing[(first + i) % WRITING]);
    commands_clear();
}
