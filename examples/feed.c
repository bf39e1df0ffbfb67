/* SPDX-License-Identifier: MIT */
/*
 * Adds documents from the program's memory to a store.
 *
 *   cc feed.c $(pkg-config --cflags --libs kedge) -o feed
 *   ./feed STORE
 */
#include <stdio.h>
#include <string.h>

#include <kedge/kedge.h>

static const char *const texts[] = {
    "The pilot boards the ship off the harbour and brings it to the quay.",
    "Two tugs bring the ship to its quay in the wind.",
    "The orchestra plays, and the choir sings behind it.",
    "A choir of sixty sings with the orchestra tonight.",
};

#define TEXTS (sizeof texts / sizeof *texts)

/* kedge_source.next: fills in the next document; 0: there are no more. */
static int next(void *data, kedge_given *out)
{
    static char id[32];
    size_t *const at = (size_t *)data;

    if (*at == TEXTS)
        return 0;
    snprintf(id, sizeof id, "text-%zu", *at + 1);
    out->id = id;
    out->text = texts[*at];
    out->text_size = strlen(texts[*at]);
    ++*at;
    return 1;
}

int main(int argc, char **argv)
{
    size_t at = 0;
    const kedge_source source = {.name = "examples", .data = &at,
                                 .next = next};
    kedge_store *store = NULL;
    kedge_error err = {KEDGE_OK, ""};
    kedge_control control;
    kedge_ingest_opts opts;
    kedge_ingest_result read;
    kedge_status st;

    if (argc != 2)
        return fprintf(stderr, "feed STORE\n"), 2;
    kedge_control_init(&control);
    kedge_ingest_opts_init(&opts);
    opts.source = &source;
    opts.on_duplicate = KEDGE_DUPLICATE_SKIP;
    st = kedge_store_open(argv[1], KEDGE_OPEN_CREATE, &store, &err);
    if (st == KEDGE_OK)
        st = kedge_ingest(store, NULL, 0, &opts, &control, &read, &err);
    if (st == KEDGE_OK)
        printf("%llu documents added, %llu were there before\n",
               (unsigned long long)read.documents,
               (unsigned long long)read.resumed);
    kedge_store_close(store);
    if (st != KEDGE_OK)
        fprintf(stderr, "%s\n", err.text);
    return st != KEDGE_OK;
}
