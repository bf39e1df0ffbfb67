/* SPDX-License-Identifier: MIT */
/*
 * What kedge/control.h and kedge/source.h promise: every callback comes on the
 * thread that called. All operations that take a control are done here, with
 * three threads; test_callers.py looks whether one is missing.
 *
 *   callers FOLDER
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <kedge/kedge.h>

#define DOCUMENTS 30000
#define FEW 400

static pthread_t caller;
static unsigned long told, logged, asked, given, elsewhere;
static const char *doing;

static void heard(unsigned long *count)
{
    if (!pthread_equal(pthread_self(), caller)) {
        if (elsewhere++ < 10)
            fprintf(stderr, "%s: a callback on another thread\n", doing);
        return;
    }
    (*count)++;
}

static void progress(void *data, const kedge_progress *now)
{
    (void)data;
    (void)now;
    heard(&told);
}

static void hear(void *data, const char *line)
{
    (void)data;
    (void)line;
    heard(&logged);
}

static int stop(void *data)
{
    (void)data;
    heard(&asked);
    return 0;
}

/* ---- documents ----------------------------------------------------------- */

typedef struct maker {
    unsigned long next, end;
    char text[1024], id[32];
} maker;

static int make(void *data, kedge_given *out)
{
    static const char *const words[2] = {
        "sail harbour anchor deck wave mast tide crew",
        "oven flour butter dough yeast bread cake salt"};
    maker *const m = data;
    size_t used = 0;

    heard(&given);
    if (m->next == m->end)
        return 0;
    for (unsigned i = 0; i < 12; i++) {
        char word[128];
        unsigned skip = (unsigned)(m->next * 7 + i * i) % 8;
        const char *at = words[(m->next + i / 11) % 2];
        while (skip-- > 0)
            at = strchr(at, ' ') + 1;
        snprintf(word, sizeof word, "%.*s x%c%c", (int)strcspn(at, " "), at,
                 (char)('a' + m->next % 26), (char)('a' + i));
        used += (size_t)snprintf(m->text + used, sizeof m->text - used, "%s ",
                                 word);
    }
    snprintf(m->id, sizeof m->id, "d%lu", m->next++);
    out->id = m->id;
    out->text = m->text;
    out->text_size = used;
    return 1;
}

/* Into a pipe, with a pause in which kedge waits. */
static void *feed(void *path)
{
    FILE *const out = fopen(path, "w");

    for (int i = 0; out != NULL && i < 20; i++) {
        fprintf(out, "sail oven wave salt crew %s\n", i % 2 ? "mast" : "cake");
        fflush(out);
        if (i % 10 == 0)
            nanosleep(&(struct timespec){0, 250000000}, NULL);
    }
    if (out != NULL)
        fclose(out);
    return NULL;
}

static bool put_part(void *data, const void *bytes, size_t size)
{
    heard(&given);
    return fwrite(bytes, 1, size, data) == size;
}

static void found_damage(void *data, const char *what, const char *why)
{
    (void)data;
    heard(&given);
    fprintf(stderr, "%s: %s\n", what, why);
}

/* ---- all of them --------------------------------------------------------- */

static const kedge_control control = {.threads = 3,
                                      .memory = UINT64_C(1) << 30,
                                      .progress = progress,
                                      .log = hear,
                                      .stop = stop};
static kedge_error err;
static char place[6][512];

#define DO(call)                                                           \
    do {                                                                   \
        doing = #call;                                                     \
        if ((call) != KEDGE_OK) {                                          \
            fprintf(stderr, "%s\n%s\n", doing, err.text);                  \
            exit(1);                                                       \
        }                                                                  \
    } while (0)

static void read_in(kedge_store *s)
{
    maker m = {.end = DOCUMENTS};
    const kedge_source source = {.name = "made", .data = &m, .next = make};
    const char *const pipe = place[1], *const again = "/dev/null";
    kedge_ingest_opts opts;
    kedge_ingest_result r;
    pthread_t feeder;
    uint64_t number;

    kedge_ingest_opts_init(&opts);
    opts.source = &source;
    opts.on_duplicate = KEDGE_DUPLICATE_SKIP;
    DO(kedge_ingest(s, NULL, 0, &opts, &control, &r, &err));
    opts.source = NULL;
    opts.format = KEDGE_FORMAT_LINES;
    opts.batch = "pipe";
    if (mkfifo(pipe, 0600) != 0 ||
        pthread_create(&feeder, NULL, feed, place[1]) != 0)
        exit(1);
    DO(kedge_ingest(s, &pipe, 1, &opts, &control, &r, &err));
    pthread_join(feeder, NULL);
    DO(kedge_ingest_find(s, &again, 1, &opts, &control, &number, &err));
}

static void fit(kedge_store *s)
{
    static double eigenvalue[4];
    const uint64_t topics[] = {2, 3};
    kedge_fit_opts opts;
    kedge_fit_result r[2];
    kedge_sweep_opts sweep;
    kedge_sweep_result swept;

    kedge_fit_opts_init(&opts);
    opts.eigenvalues = eigenvalue;
    opts.max_df = 1;
    opts.phrases = 2;
    opts.phrase_score = -1;
    DO(kedge_fit(s, topics, 2, &opts, &control, r, &err));
    kedge_fit_opts_init(&opts);
    opts.max_df = 1;
    opts.name = "more";
    opts.power_iter = 1;
    opts.ncut = true;
    opts.em_iter = 1;
    DO(kedge_fit(s, topics, 1, &opts, &control, r, &err));
    opts.power_iter = opts.em_iter = 0;
    opts.ncut = false;
    opts.name = "dense";
    opts.cooccurrence = KEDGE_COOCCURRENCE_SPARSE;
    opts.recover = KEDGE_RECOVER_ANCHOR_FREE;
    DO(kedge_fit(s, topics, 1, &opts, &control, r, &err));
    kedge_sweep_opts_init(&sweep);
    sweep.topics = topics;
    sweep.count = 2;
    sweep.fit.name = "swept";
    DO(kedge_sweep(s, &sweep, &control, &swept, &err));
    kedge_sweep_free(&swept);
}

static void compose(kedge_store *s)
{
    const kedge_doc_topics *c;
    kedge_infer_opts opts;
    kedge_infer *infer;

    kedge_infer_opts_init(&opts);
    for (int method = KEDGE_INFER_LINEAR_BAYES; method <= KEDGE_INFER_TLI;
         method++) {
        maker m = {.end = FEW};
        const kedge_source source = {.data = &m, .next = make};
        const bool again = method != KEDGE_INFER_PADD &&
                           method != KEDGE_INFER_PAMI;
        opts.method = (kedge_infer_method)method;
        for (int outside = 0; outside <= again; outside++) {
            opts.source = outside ? &source : NULL;
            opts.save = method == KEDGE_INFER_LINEAR_BAYES && !outside;
            DO(kedge_infer_open(s, NULL, 0, &opts, &control, &infer, &err));
            do
                DO(kedge_infer_next(infer, &c, &err));
            while (c != NULL);
            kedge_infer_close(infer);
        }
    }
}

static void look(kedge_store *s)
{
    const char *const names[] = {"k2", "more"}, *const text = "sail";
    const kedge_saved_document *one;
    const kedge_document *document;
    kedge_eval_result figures[2];
    kedge_diff_result changes;
    kedge_verify_result sound;
    kedge_report_result page;
    kedge_model *a, *b;
    kedge_documents *documents;
    kedge_words_answer *answer;
    kedge_wordlist *list;
    kedge_typical *typical;
    kedge_eval_opts eval;
    kedge_saved *kept;

    kedge_eval_opts_init(&eval);
    DO(kedge_eval(s, names + 1, 1, &eval, &control, figures, &err));
    DO(kedge_model_load(s, names[0], NULL, &a, &err));
    DO(kedge_model_load(s, names[1], NULL, &b, &err));
    DO(kedge_diff(a, b, NULL, &control, &changes, &err));
    kedge_diff_free(&changes);
    DO(kedge_report(s, a, place[2], NULL, &control, &page, &err));
    kedge_model_free(a);
    kedge_model_free(b);
    DO(kedge_documents_open(s, NULL, 0, &control, &documents, &err));
    do
        DO(kedge_documents_next(documents, &document, &err));
    while (document != NULL);
    kedge_documents_close(documents);
    DO(kedge_wordlist_load(s, NULL, &control, &list, &err));
    kedge_wordlist_free(list);
    DO(kedge_words_ask(s, &text, 1, NULL, &control, &answer, &err));
    kedge_words_free(answer);
    DO(kedge_saved_open(s, NULL, &control, &kept, &err));
    do
        DO(kedge_saved_next(kept, &one, &err));
    while (one != NULL);
    kedge_saved_close(kept);
    DO(kedge_typical_find(s, NULL, 3, &control, &typical, &err));
    kedge_typical_free(typical);
    DO(kedge_verify(s, found_damage, NULL, &control, &sound, &err));
    kedge_verify_free(&sound);
}

/* A team of one. */
static void together(kedge_store *own)
{
    const uint64_t topics = 2;
    uint64_t bytes = 0;
    kedge_comm team = {.size = 1, .heard = &bytes};
    kedge_member self = {.team = &team, .own = own};
    const kedge_doc_topics *c;
    kedge_infer_opts infer;
    kedge_fit_result r;
    kedge_fit_opts fit;
    kedge_infer *handle;

    kedge_fit_opts_init(&fit);
    kedge_infer_opts_init(&infer);
    DO(kedge_store_open(place[5], KEDGE_OPEN_CREATE, &self.sum, &err));
    DO(kedge_comm_fit(&self, &topics, 1, &fit, &control, &r, &err));
    DO(kedge_comm_infer_open(&self, &infer, &control, &handle, &err));
    do
        DO(kedge_infer_next(handle, &c, &err));
    while (c != NULL);
    kedge_infer_close(handle);
    kedge_store_close(self.sum);
}

static void change(kedge_store *s)
{
    const char *const here = place[0];
    kedge_sketch_export_opts opts;
    kedge_sketch_export_result went;
    kedge_sketch_import_result came;
    kedge_remove_opts remove;
    kedge_remove_result removed;
    kedge_merge_result merged;
    kedge_repair_result rebuilt;
    kedge_compact_result compact;
    kedge_store *other;
    FILE *null;

    kedge_sketch_export_opts_init(&opts);
    opts.counts = true;
    DO(kedge_sketch_export_file(s, place[3], &opts, &control, &went, &err));
    null = fopen("/dev/null", "w");
    DO(kedge_sketch_export(s, put_part, null, &opts, &control, &went, &err));
    fclose(null);
    kedge_remove_opts_init(&remove);
    remove.batch = "pipe";
    DO(kedge_remove(s, &remove, &control, &removed, &err));
    DO(kedge_repair(s, &control, &rebuilt, &err));
    DO(kedge_compact(s, &control, &compact, &err));
    together(s);
    kedge_store_close(s);
    DO(kedge_store_open(place[4], KEDGE_OPEN_CREATE, &other, &err));
    DO(kedge_merge(other, &here, 1, KEDGE_DUPLICATE_ERROR, &control, &merged,
                   &err));
    kedge_store_close(other);
    strcat(place[4], "-too");
    DO(kedge_store_open(place[4], KEDGE_OPEN_CREATE, &other, &err));
    DO(kedge_sketch_import(other, place[3], &control, &came, &err));
    kedge_store_close(other);
}

int main(int argc, char **argv)
{
    static const char *const name[] = {"store", "pipe",  "page.html",
                                       "part",  "other", "sum"};
    kedge_store *s;

    if (argc != 2)
        return 2;
    caller = pthread_self();
    for (int i = 0; i < 6; i++)
        snprintf(place[i], sizeof place[i] - 8, "%s/%s", argv[1], name[i]);
    DO(kedge_store_open(place[0], KEDGE_OPEN_CREATE, &s, &err));
    read_in(s);
    fit(s);
    compose(s);
    look(s);
    change(s);
    printf("progress %s, log %s, stop %s, own %s, elsewhere %lu\n",
           told > 100 ? "yes" : "no", logged > 0 ? "yes" : "no",
           asked > 100 ? "yes" : "no", given > DOCUMENTS ? "yes" : "no",
           elsewhere);
    return elsewhere > 0;
}
