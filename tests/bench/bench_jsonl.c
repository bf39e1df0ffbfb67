/* SPDX-License-Identifier: MIT */
/*
 * How fast JSON Lines are read, on one thread:
 *
 *   bench_jsonl FILE [TIMES]
 *
 * prints "seconds  MB/s of the file  records  MB of text" for each time, first
 * for its lines alone, then for its records.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/run.h"
#include "io/format.h"

typedef struct figures {
    uint64_t records, text;
} figures;

static kedge_status read_lines(lines *l, figures *f, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    bool more = true;
    span line;

    while (st == KEDGE_OK && more) {
        st = lines_next(l, &line, &more, err);
        f->records += more;
        f->text += line.size;
    }
    return st;
}

static kedge_status read_records(lines *l, figures *f, kedge_error *err)
{
    const record_opts opts = {0};
    records from = {0};
    bool more = true;
    record r;
    kedge_status st = records_open(&format_jsonl, l, &opts, &from, err);

    while (st == KEDGE_OK && more) {
        st = records_next(&from, &r, &more, err);
        f->records += more;
        f->text += r.text.size;
    }
    records_close(&from);
    return st;
}

static int run(const char *path,
               kedge_status (*read)(lines *l, figures *f, kedge_error *err))
{
    const double start = clock_seconds();
    kedge_error err = {0};
    figures f = {0};
    stream_counts counts;
    stream *in = NULL;
    lines *l = NULL;

    if (stream_open(path, NULL, &in, &err) != KEDGE_OK ||
        lines_open(in, LINES_LIMIT, &l, &err) != KEDGE_OK ||
        read(l, &f, &err) != KEDGE_OK) {
        fprintf(stderr, "%s\n", err.text);
        return 1;
    }
    stream_get_counts(in, &counts);
    lines_close(l);
    stream_close(in);
    const double seconds = clock_seconds() - start;
    printf("%.3f  %.0f  %" PRIu64 "  %.1f\n", seconds,
           (double)counts.text / seconds * 1e-6, f.records,
           (double)f.text * 1e-6);
    return 0;
}

int main(int argc, char **argv)
{
    int failed = 0;

    if (argc < 2) {
        fputs("usage: bench_jsonl FILE [TIMES]\n", stderr);
        return 2;
    }
    const long times = argc > 2 ? strtol(argv[2], NULL, 10) : 3;
    for (long i = 0; i < times && !failed; i++)
        failed = run(argv[1], read_lines);
    for (long i = 0; i < times && !failed; i++)
        failed = run(argv[1], read_records);
    return failed;
}
