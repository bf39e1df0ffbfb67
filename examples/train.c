/* SPDX-License-Identifier: MIT */
/*
 * Reads files of documents, fits twelve topics and prints their words.
 *
 *   cc train.c $(pkg-config --cflags --libs kedge) -o train
 *   ./train STORE VOCABULARY FILE...
 *
 * Run again, it skips the files that were read and prints the same topics.
 */
#include <stdio.h>

#include <kedge/kedge.h>

#define TOPICS 12
#define WORDS 8

static kedge_status learn(kedge_store *store, const char *vocabulary,
                          const char *const *files, size_t count,
                          kedge_error *err)
{
    const uint64_t topics = TOPICS;
    kedge_control control;
    kedge_ingest_opts ingest;
    kedge_ingest_result read;
    kedge_fit_opts fit;
    kedge_fit_result model;
    kedge_status st;

    kedge_control_init(&control);
    kedge_ingest_opts_init(&ingest);
    kedge_fit_opts_init(&fit);
    ingest.vocabulary = vocabulary;
    st = kedge_ingest(store, files, count, &ingest, &control, &read, err);
    if (st != KEDGE_OK)
        return st;
    printf("%llu documents read\n", (unsigned long long)read.documents);
    return kedge_fit(store, &topics, 1, &fit, &control, &model, err);
}

static kedge_status show(kedge_store *store, kedge_error *err)
{
    kedge_ranked_word word[WORDS];
    kedge_model *model = NULL;
    uint64_t got;
    kedge_status st = kedge_model_load(store, NULL, NULL, &model, err);

    for (uint64_t t = 0; st == KEDGE_OK && t < kedge_model_topics(model); t++) {
        st = kedge_model_top_words(model, t, KEDGE_RANK_RELEVANCE, word, WORDS,
                                   &got, err);
        printf("%2llu %5.1f %%", (unsigned long long)t + 1,
               100 * kedge_model_prevalence(model)[t]);
        for (uint64_t i = 0; st == KEDGE_OK && i < got; i++)
            printf(" %s", kedge_model_word(model, word[i].row));
        putchar('\n');
    }
    kedge_model_free(model);
    return st;
}

int main(int argc, char **argv)
{
    kedge_store *store = NULL;
    kedge_error err = {KEDGE_OK, ""};
    kedge_status st;

    if (argc < 4)
        return fprintf(stderr, "train STORE VOCABULARY FILE...\n"), 2;
    st = kedge_store_open(argv[1], KEDGE_OPEN_CREATE, &store, &err);
    if (st == KEDGE_OK)
        st = learn(store, argv[2], (const char *const *)argv + 3,
                   (size_t)argc - 3, &err);
    if (st == KEDGE_OK)
        st = show(store, &err);
    kedge_store_close(store);
    if (st != KEDGE_OK)
        fprintf(stderr, "%s\n", err.text);
    return st != KEDGE_OK;
}
