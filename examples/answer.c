/* SPDX-License-Identifier: MIT */
/*
 * Topic proportions of texts as they arrive, as in a service: prints the
 * largest topic of each line of standard input before it reads the next.
 *
 *   cc answer.c $(pkg-config --cflags --libs kedge) -o answer
 *   ./answer STORE < lines-of-text
 *
 * STORE must have a model; the one fitted last is used.
 */
#include <stdio.h>
#include <string.h>

#include <kedge/kedge.h>

static int next_line(void *data, kedge_given *out)
{
    FILE *const in = (FILE *)data;
    static char line[65536];

    if (fgets(line, sizeof line, in) == NULL)
        return ferror(in) ? -1 : 0;
    out->text = line;
    out->text_size = strlen(line);
    return 1;
}

static void answer(const kedge_doc_topics *c)
{
    uint64_t largest = 0;

    for (uint64_t t = 1; t < c->topics; t++)
        if (c->proportions[t] > c->proportions[largest])
            largest = t;
    printf("topic %llu has %.0f %% of %llu words (%s)\n",
           (unsigned long long)largest + 1, 100 * c->proportions[largest],
           (unsigned long long)c->tokens, kedge_doc_flag_name(c->flag));
    fflush(stdout);
}

int main(int argc, char **argv)
{
    const kedge_source source = {.data = stdin, .next = next_line,
                                 .one_by_one = true};
    const kedge_doc_topics *c = NULL;
    kedge_infer *infer = NULL;
    kedge_store *store = NULL;
    kedge_error err = {KEDGE_OK, ""};
    kedge_control control;
    kedge_infer_opts opts;
    kedge_status st;

    if (argc != 2)
        return fprintf(stderr, "answer STORE < lines-of-text\n"), 2;
    kedge_control_init(&control);
    kedge_infer_opts_init(&opts);
    opts.source = &source;
    st = kedge_store_open(argv[1], KEDGE_OPEN_READ, &store, &err);
    if (st == KEDGE_OK)
        st = kedge_infer_open(store, NULL, 0, &opts, &control, &infer, &err);
    while (st == KEDGE_OK) {
        st = kedge_infer_next(infer, &c, &err);
        if (st != KEDGE_OK || c == NULL)
            break;
        answer(c);
    }
    kedge_infer_close(infer);
    kedge_store_close(store);
    if (st != KEDGE_OK)
        fprintf(stderr, "%s\n", err.text);
    return st != KEDGE_OK;
}
