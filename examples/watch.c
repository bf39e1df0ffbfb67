/* SPDX-License-Identifier: MIT */
/*
 * Reads files with progress messages. Ctrl-C stops it: committed documents
 * stay, and the same command continues there.
 *
 *   cc watch.c $(pkg-config --cflags --libs kedge) -o watch
 *   ./watch STORE VOCABULARY FILE...
 */
#include <signal.h>
#include <stdio.h>

#include <kedge/kedge.h>

static volatile sig_atomic_t interrupted;

static void interrupt(int signal)
{
    (void)signal;
    interrupted = 1;
}

/* Called often, so it only reads a flag. */
static int stop(void *data)
{
    (void)data;
    return interrupted;
}

static void progress(void *data, const kedge_progress *now)
{
    (void)data;
    fprintf(stderr, "%s: %llu", now->stage, (unsigned long long)now->done);
    if (now->total > 0)
        fprintf(stderr, " of %llu", (unsigned long long)now->total);
    fprintf(stderr, " %s, %.1f s\n", now->unit, now->seconds);
}

static void tell(void *data, const char *line)
{
    (void)data;
    fprintf(stderr, "%s\n", line);
}

int main(int argc, char **argv)
{
    kedge_store *store = NULL;
    kedge_error err = {KEDGE_OK, ""};
    kedge_control control;
    kedge_ingest_opts opts;
    kedge_ingest_result read;
    kedge_status st;

    if (argc < 4)
        return fprintf(stderr, "watch STORE VOCABULARY FILE...\n"), 2;
    signal(SIGINT, interrupt);
    kedge_control_init(&control);
    control.progress = progress;
    control.log = tell;
    control.stop = stop;
    kedge_ingest_opts_init(&opts);
    opts.vocabulary = argv[2];
    st = kedge_store_open(argv[1], KEDGE_OPEN_CREATE, &store, &err);
    if (st == KEDGE_OK) {
        st = kedge_ingest(store, (const char *const *)argv + 3,
                          (size_t)argc - 3, &opts, &control, &read, &err);
        printf("%llu documents added\n", (unsigned long long)read.documents);
    }
    kedge_store_close(store);
    if (st != KEDGE_OK)
        fprintf(stderr, "%s\n", err.text);
    return st == KEDGE_OK ? 0 : st == KEDGE_ECANCELED ? 130 : 1;
}
