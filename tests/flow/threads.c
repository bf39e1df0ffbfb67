/* SPDX-License-Identifier: MIT */
/*
 * What include/kedge promises of threads: handles of their own at the same
 * time, and one model read by all. Made for a thread sanitizer; without one it
 * still compares what comes out.
 *
 *   threads FOLDER VOCABULARY DOCUMENTS
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <kedge/kedge.h>

#define THREADS 3
#define TOPICS 6
#define WORDS 10

typedef struct worker {
    unsigned number;
    const char *folder, *vocabulary, *documents;
    const kedge_model *shared;
    uint64_t word[TOPICS][WORDS]; /* of the shared model */
    double shares[TOPICS];        /* of all documents, by the own one */
    uint64_t composed;
    kedge_error err;
    kedge_status st;
} worker;

static kedge_status learn(const worker *w, kedge_store *store,
                          const kedge_control *control, kedge_error *err)
{
    const uint64_t topics = TOPICS;
    kedge_ingest_opts ingest;
    kedge_ingest_result read;
    kedge_fit_opts fit;
    kedge_fit_result model;
    kedge_status st;

    kedge_ingest_opts_init(&ingest);
    kedge_fit_opts_init(&fit);
    ingest.vocabulary = w->vocabulary;
    st = kedge_ingest(store, &w->documents, 1, &ingest, control, &read, err);
    return st != KEDGE_OK ? st
                          : kedge_fit(store, &topics, 1, &fit, control, &model,
                                      err);
}

static kedge_status compose(worker *w, kedge_store *store,
                            const kedge_control *control, kedge_error *err)
{
    const kedge_doc_topics *c = NULL;
    kedge_infer_opts opts;
    kedge_infer *infer;
    kedge_status st;

    kedge_infer_opts_init(&opts);
    st = kedge_infer_open(store, NULL, 0, &opts, control, &infer, err);
    while (st == KEDGE_OK) {
        st = kedge_infer_next(infer, &c, err);
        if (st != KEDGE_OK || c == NULL)
            break;
        for (size_t t = 0; t < TOPICS; t++)
            w->shares[t] += c->proportions[t];
        w->composed++;
    }
    kedge_infer_close(infer);
    return st;
}

static kedge_status look(worker *w)
{
    kedge_ranked_word ranked[WORDS];
    kedge_status st = KEDGE_OK;
    uint64_t got;

    for (uint64_t t = 0; st == KEDGE_OK && t < TOPICS; t++) {
        st = kedge_model_top_words(w->shared, t, KEDGE_RANK_RELEVANCE, ranked,
                                   WORDS, &got, &w->err);
        for (size_t i = 0; st == KEDGE_OK && i < WORDS; i++)
            w->word[t][i] = ranked[i].row;
    }
    return st;
}

static void *work(void *data)
{
    worker *const w = data;
    kedge_store *store = NULL;
    kedge_control control;
    char path[512];

    kedge_control_init(&control);
    control.threads = 2;
    snprintf(path, sizeof path, "%s/store-%u", w->folder, w->number);
    w->st = kedge_store_open(path, KEDGE_OPEN_CREATE, &store, &w->err);
    if (w->st == KEDGE_OK)
        w->st = learn(w, store, &control, &w->err);
    if (w->st == KEDGE_OK)
        w->st = compose(w, store, &control, &w->err);
    if (w->st == KEDGE_OK && w->shared != NULL)
        w->st = look(w);
    kedge_store_close(store);
    return NULL;
}

/* The model of store 0, which a first worker made. */
static kedge_model *first_model(const char *folder)
{
    kedge_error err = {0};
    kedge_store *store = NULL;
    kedge_model *model = NULL;
    char path[512];

    snprintf(path, sizeof path, "%s/store-0", folder);
    if (kedge_store_open(path, KEDGE_OPEN_READ, &store, &err) != KEDGE_OK ||
        kedge_model_load(store, NULL, NULL, &model, &err) != KEDGE_OK)
        fprintf(stderr, "%s\n", err.text);
    kedge_store_close(store);
    return model;
}

static int compare(const worker *w)
{
    int bad = 0;

    for (size_t i = 0; i <= THREADS; i++) {
        if (w[i].st != KEDGE_OK)
            fprintf(stderr, "%zu: %s\n", i, w[i].err.text);
        bad |= w[i].st != KEDGE_OK || w[i].composed != w[0].composed ||
               memcmp(w[i].shares, w[0].shares, sizeof w->shares) != 0;
        if (i > 1)
            bad |= memcmp(w[i].word, w[1].word, sizeof w->word) != 0;
    }
    printf("%llu documents, %d threads: %s\n",
           (unsigned long long)w[0].composed, THREADS, bad ? "differ" : "same");
    return bad;
}

int main(int argc, char **argv)
{
    worker w[THREADS + 1] = {0};
    pthread_t thread[THREADS + 1];
    kedge_model *model;

    if (argc != 4)
        return 2;
    for (unsigned i = 0; i <= THREADS; i++) {
        w[i].number = i;
        w[i].folder = argv[1];
        w[i].vocabulary = argv[2];
        w[i].documents = argv[3];
    }
    work(&w[0]);
    model = first_model(argv[1]);
    if (model == NULL)
        return 1;
    for (unsigned i = 1; i <= THREADS; i++) {
        w[i].shared = model;
        if (pthread_create(&thread[i], NULL, work, &w[i]) != 0)
            return 1;
    }
    for (unsigned i = 1; i <= THREADS; i++)
        pthread_join(thread[i], NULL);
    kedge_model_free(model);
    return compare(w);
}
