/* SPDX-License-Identifier: MIT */
/* kedge infer: which topics documents are made of. */
#include <inttypes.h>
#include <math.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <kedge/kedge.h>

#include "command.h"
#include "plaintext.h"
#include "ranks.h"

#define THRESHOLD 0.01
#define INPUT_WAIT_MS 100

#define RESULT      "kedge_infer_result"
#define COMPOSITION "kedge_doc_topics"

enum { ALL_DOCUMENTS = 1, INVERSE, TOKENS, KEPT, COSTS }; /* parts of it */

enum { OUT_AUTO, OUT_TSV, OUT_JSONL, OUT_NPY, OUT_NONE };

typedef struct infer {
    job job;
    kedge_infer_opts opts;
    const char *file;
    unsigned out, summary;
    bool dense, wide;
    double threshold;
    uint64_t *order; /* topics by falling share */
    kedge_infer_result result;
    const team *among; /* or NULL */
} infer;

#define AT(member) offsetof(infer, member)

static const option options[] = {
    OPTION_OF_MODEL(AT(opts.model)),
    SECTION("Output (kedge help files)"),
    OPTION(CHOICE, "format", AT(out), "FORMAT", "auto: tsv, none with --save",
           .choices = "auto|tsv|jsonl|npy|none", .main = true),
    OPTION(TEXT, "output", AT(file), "FILE",
           "file for --format npy", .letter = 'o',
           .main = true),
    OPTION(FLAG, "save", AT(opts.save), NULL,
           "save the stored documents' proportions in STORE", .main = true),
    OPTION(REAL, "threshold", AT(threshold), "X",
           "leave out topics below X; rest is their "
           "sum", .to = 1, .unset = "0.01",
           .zero = true, .main = true),
    OPTION(FLAG, "dense", AT(dense), NULL, "all topics, in their order",
           .main = true),
    OPTION(FLAG, "wide", AT(wide), NULL, "npy of float64, not float32"),
    OPTION(CHOICE, "summary", AT(summary), "FORMAT", "the summary on stderr",
           .choices = "table|json"),
    SECTION("Method (kedge help methods)"),
    OPTION(CHOICE, "method", AT(opts.method), "METHOD",
           "how proportions are found",
           .choices = KEDGE_METHODS_OF(KEDGE_INFER_METHODS),
           .aliases = "lb|ls", .main = true),
    OPTION(COUNT, "iterations", AT(opts.iterations), "N", "most iterations",
           .least = 1, .most = 1000000, .unset = "by method"),
    OPTION(REAL, "tolerance", AT(opts.tolerance), "X",
           "stop when proportions move less", .to = 1, .unset = "by method"),
    OPTION(FLAG, "weighted", AT(opts.weighted), NULL,
           "least-squares: rare words count more"),
    OPTION(REAL, "tau", AT(opts.tau), "X", "padd: step size", .to = 1e9,
           .unset = "0.1"),
    OPTION(REAL, "rho", AT(opts.rho), "X",
           "pami: weight of the topic co-occurrence", .to = 1e9,
           .unset = "1"),
    OPTION(FLAG, "as-published", AT(opts.as_published), NULL,
           "padd, pami, tli exactly as in their papers"),
    SECTION("Documents in FILEs (kedge help formats)"),
    OPTION(CHOICE, "from", AT(opts.format), "FORMAT", "format of FILEs",
           .choices = FORMATS, .main = true),
    OPTION(TEXT, "vocab", AT(opts.vocabulary), "FILE",
           "words of uci, svmlight, ldac, mtx"),
    OPTION(TEXT, "text-field", AT(opts.text_field), "NAMES",
           "field of the text", .unset = "as STORE"),
    OPTION(TEXT, "id-field", AT(opts.id_field), "NAME", "field of the id",
           .unset = "as STORE"),
    OPTION(TEXT, "encoding", AT(opts.encoding), "NAME",
           "of input that is not UTF-8", .unset = "as STORE"),
    OPTION(FLAG, "skip-bad", AT(opts.skip_bad), NULL,
           "count malformed records and go on", .main = true),
    {.name = NULL},
};

static void begin(void *data)
{
    infer *const n = data;

    kedge_infer_opts_init(&n->opts);
    n->threshold = NAN;
}

/* ---- options that do not go together ------------------------------------- */

/* Whether there is an option that says how files are read. */
static bool is_of_files(const infer *n)
{
    const kedge_infer_opts *const o = &n->opts;

    return o->format != KEDGE_FORMAT_AUTO || o->vocabulary != NULL ||
           o->text_field != NULL || o->id_field != NULL || o->skip_bad ||
           o->encoding != NULL;
}

/* Options that are of some methods alone. */
static int check_method(const infer *n)
{
    const kedge_infer_opts *const o = &n->opts;
#define RULE(member, option, methods) {o->member > 0, option, methods},
    const struct {
        bool set;
        const char *option, *methods;
    } rule[] = {KEDGE_INFER_OPTIONS(RULE)};
#undef RULE
    const char *const method =
        kedge_infer_method_name(n->opts.method);

    for (size_t i = 0; i < sizeof rule / sizeof *rule; i++)
        if (rule[i].set && strstr(rule[i].methods, method) == NULL)
            return complain_usage("infer", "--%s belongs to --method %s, not "
                                           "to %s",
                                  rule[i].option, rule[i].methods, method);
    return GO_ON;
}

/* Each rank writes a file of its own, of the documents that it has. */
static int check_among(const infer *n)
{
    if (n->file == NULL || strcmp(n->file, "-") == 0)
        return complain_usage("infer", "each rank writes its own file, FILE.0, "
                                       "FILE.1 and so on: give -o FILE");
    if (n->job.rest_count > 0)
        return complain_usage("infer", "ranks infer only the documents of "
                                       "their stores: name no FILE to read");
    return GO_ON;
}

/* Whether somebody hands us documents that nobody asked us to read: a file, or
 * a pipe that has something, for which its writer may need a moment. */
static bool input_waits(void)
{
    struct pollfd in = {.fd = STDIN_FILENO, .events = POLLIN};
    struct stat about;
    int size = 0;

    if (fstat(STDIN_FILENO, &about) != 0)
        return false;
    if (S_ISREG(about.st_mode))
        return lseek(STDIN_FILENO, 0, SEEK_CUR) < about.st_size;
    return S_ISFIFO(about.st_mode) && poll(&in, 1, INPUT_WAIT_MS) > 0 &&
           ioctl(STDIN_FILENO, FIONREAD, &size) == 0 && size > 0;
}

static int check(void *data)
{
    infer *const n = data;
    const bool files = n->job.rest_count > 0, among = ranks_started() > 0;
    shell_word store;

    if (!among && (n->out == OUT_NPY) != (n->file != NULL))
        return complain_usage("infer", n->file == NULL
                                           ? "npy needs a file: -o FILE"
                                           : "-o is for --format npy: other "
                                             "formats go to standard output");
    if (n->out == OUT_NONE && !n->opts.save)
        return complain_usage("infer", "--format none prints nothing: it needs "
                                       "--save");
    if (n->wide && n->out != OUT_NPY)
        return complain_usage("infer", "--wide needs --format npy");
    if (n->opts.save && files)
        return complain_usage("infer", "--save keeps the proportions of stored "
                                       "documents: name no FILE");
    if (!files && is_of_files(n))
        return complain_usage("infer", "--from, --vocab, --text-field, "
                                       "--id-field and --skip-bad need a "
                                       "FILE");
    if (n->dense && !isnan(n->threshold))
        return complain_usage("infer", "--dense writes all topics: leave out "
                                       "--threshold");
    if (n->out == OUT_AUTO)
        n->out = n->opts.save ? OUT_NONE : OUT_TSV;
    if ((n->out == OUT_NPY || n->out == OUT_NONE) && !isnan(n->threshold))
        return complain_usage("infer", "--threshold is for tsv and jsonl, "
                                       "not for %s",
                              n->out == OUT_NPY ? "npy" : "--save");
    if (isnan(n->threshold))
        n->threshold = THRESHOLD;
    if (check_method(n) != GO_ON || (among && check_among(n) != GO_ON))
        return EXIT_USAGE;
    if (!files && !among && !n->job.common.quiet && input_waits())
        complain("standard input is not read: these are the documents in %s; "
                 "'kedge infer %s -' reads standard input", n->job.store,
                 text_shell(&store, n->job.store));
    return GO_ON;
}

/* ---- a composition ------------------------------------------------------- */

/* For the topics of one document, which are few. */
static const double *sorted_by;

static int compare_shares(const void *left, const void *right)
{
    const uint64_t i = *(const uint64_t *)left, j = *(const uint64_t *)right;
    const double a = sorted_by[i], b = sorted_by[j];

    return a != b ? (a < b) - (a > b) : (i > j) - (i < j);
}

/* The topics that are shown, the largest first; gives how many, and the sum of
 * the others. */
static uint64_t choose_topics(const infer *n, const kedge_doc_topics *c,
                              double *rest)
{
    uint64_t count = 0;

    *rest = 0;
    for (uint64_t t = 0; t < c->topics; t++)
        if (c->proportions[t] >= n->threshold)
            n->order[count++] = t;
        else
            *rest += c->proportions[t];
    sorted_by = c->proportions;
    qsort(n->order, count, sizeof *n->order, compare_shares);
    return count;
}

static void print_tsv(const infer *n, const kedge_doc_topics *c)
{
    uint64_t count;
    double rest;

    text_put_bytes(stdout, c->id, c->id_size);
    printf("\t%" PRIu64 "\t%" PRIu64 "\t%.4f\t%s", c->tokens, c->oov,
           c->misfit, kedge_doc_flag_name(c->flag));
    if (n->dense) {
        for (uint64_t t = 0; t < c->topics; t++)
            printf("\t%.6f", c->proportions[t]);
    } else {
        count = choose_topics(n, c, &rest);
        for (uint64_t i = 0; i < count; i++)
            printf("%c%" PRIu64 ":%.4f", i == 0 ? '\t' : ' ',
                   n->order[i] + 1, c->proportions[n->order[i]]);
        printf("%s\t%.4f", count == 0 ? "\t" : "", rest);
    }
    putchar('\n');
}

static void print_head(const infer *n, uint64_t topics)
{
    printf("id\ttokens\toov\tmisfit\tflag");
    if (!n->dense)
        printf("\ttopics\trest");
    for (uint64_t t = 0; n->dense && t < topics; t++)
        printf("\t%" PRIu64, t + 1);
    putchar('\n');
}

static void print_shares(const infer *n, const kedge_doc_topics *c,
                         jsonout *j)
{
    char name[24];
    uint64_t count;
    double rest = 0;

    json_key(j, n->dense ? "proportions" : "topics");
    json_begin(j, n->dense ? '[' : '{');
    if (n->dense) {
        for (uint64_t t = 0; t < c->topics; t++)
            json_real(j, c->proportions[t]);
    } else {
        count = choose_topics(n, c, &rest);
        for (uint64_t i = 0; i < count; i++) {
            snprintf(name, sizeof name, "%" PRIu64, n->order[i] + 1);
            json_key_real(j, name, c->proportions[n->order[i]]);
        }
    }
    json_close(j, n->dense ? ']' : '}');
    if (!n->dense)
        json_key_real(j, "rest", rest);
}

static void print_json(const infer *n, const kedge_doc_topics *c)
{
    jsonout j = {.out = stdout};

    json_begin(&j, '{');
    json_key_bytes(&j, "id", c->id, c->id_size);
    json_fields(&j, COMPOSITION, c, ALL_PARTS);
    print_shares(n, c, &j);
    json_finish(&j);
}

/* What came through a pipe is answered before more of it is waited for. A
 * reader that left early is noticed by the stream's error. */
static kedge_status print_all(infer *n, kedge_infer *f, kedge_error *err)
{
    bool headed = n->out != OUT_TSV;
    const kedge_doc_topics *c;

    n->order = claim(kedge_infer_topics(f), sizeof *n->order);
    while (n->opts.save || !ferror(stdout)) {
        const kedge_status st = kedge_infer_next(f, &c, err);

        if (!headed && st == KEDGE_OK)
            print_head(n, kedge_infer_topics(f));
        headed = true;
        if (st != KEDGE_OK || c == NULL)
            return st;
        if (n->out == OUT_JSONL)
            print_json(n, c);
        else if (n->out == OUT_TSV)
            print_tsv(n, c);
        if (c->ready == 0)
            fflush(stdout);
    }
    return KEDGE_OK;
}

/* ---- the summary --------------------------------------------------------- */

static double mean_iterations(const kedge_infer_result *r)
{
    return r->documents > 0 ? (double)r->iterations / (double)r->documents : 0;
}

static void tell_json(const infer *n, unsigned parts)
{
    const kedge_infer_result *const r = &n->result;
    jsonout j = json_document(stderr, 1);

    json_fields(&j, RESULT, r, PART(0));
    json_key_real(&j, "mean_iterations", mean_iterations(r));
    json_fields(&j, RESULT, r, parts);
    json_finish(&j);
}

static void tell_table(const infer *n, unsigned parts)
{
    const kedge_infer_result *const r = &n->result;
    char note[sizeof r->first_not_utf8 + 16];
    figure f;

    summary_fields(stderr, RESULT, r, PART(0));
    snprintf(note, sizeof note, "the first: %s", r->first_not_utf8);
    if (r->not_utf8 > 0)
        summary_line(stderr, "", "", note);
    if (r->rounds == 0 && n->opts.method != KEDGE_INFER_TLI)
        summary_line(stderr, "iterations",
                     figure_real(&f, mean_iterations(r)),
                     "per document, on average");
    summary_fields(stderr, RESULT, r, parts);
}

static void tell(void *data)
{
    const infer *const n = data;
    unsigned parts = PART(TOKENS) | PART(COSTS);

    if (n->job.common.quiet && n->summary != SUMMARY_JSON)
        return;
    if (n->result.rounds > 0)
        parts |= PART(ALL_DOCUMENTS);
    if (n->opts.method == KEDGE_INFER_TLI)
        parts |= PART(INVERSE);
    if (n->opts.save)
        parts |= PART(KEPT);
    if (n->summary == SUMMARY_JSON)
        tell_json(n, parts);
    else
        tell_table(n, parts);
}

/* ---- one process --------------------------------------------------------- */

static kedge_status compose(infer *n, kedge_infer *f, const char *path,
                            kedge_error *err)
{
    return n->out == OUT_NPY ? kedge_infer_write(f, path, n->wide, err)
                             : print_all(n, f, err);
}

static kedge_status work(void *data, kedge_store *store,
                         const kedge_control *control, kedge_error *err)
{
    infer *const n = data;
    kedge_infer *f;
    kedge_status st;

    st = kedge_infer_open(store, n->job.rest, n->job.rest_count, &n->opts,
                          control, &f, err);
    if (st == KEDGE_OK) {
        st = compose(n, f, n->file, err);
        kedge_infer_get_result(f, &n->result);
    }
    kedge_infer_close(f);
    return st;
}

static int run_alone(infer *n)
{
    kedge_error *const err = &n->job.err;
    const kedge_status st =
        task_run(n->job.store,
                 n->opts.save ? KEDGE_OPEN_WRITE : KEDGE_OPEN_READ,
                 &n->job.common, work, n, err);

    if (st == KEDGE_ECANCELED && n->opts.save)
        snprintf(err->text, sizeof err->text, "stopped; earlier saved "
                                              "proportions stay, and --save "
                                              "starts again from the first "
                                              "document");
    if (st == KEDGE_OK)
        tell(n);
    return complain_status(st, err);
}

/* ---- one rank among several ---------------------------------------------- */

/* FILE.0 and so on; a text takes its name when it is whole. */
static kedge_status compose_own(infer *n, kedge_infer *f, kedge_error *err)
{
    const size_t room = strlen(n->file) + 24;
    char *const path = claim(room, 1), *const coming = claim(room, 1);
    kedge_status st;

    snprintf(path, room, "%s.%u", n->file, n->among->rank);
    snprintf(coming, room, "%s.part", path);
    if (n->out == OUT_NPY) {
        st = compose(n, f, path, err);
    } else if (freopen(coming, "w", stdout) == NULL) {
        st = system_failed(coming, err);
    } else {
        st = compose(n, f, NULL, err);
        if (st == KEDGE_OK && (fflush(stdout) != 0 || ferror(stdout) ||
                               rename(coming, path) != 0))
            st = system_failed(path, err);
        if (st != KEDGE_OK)
            remove(coming);
    }
    free(path);
    free(coming);
    return st;
}

/* Rank 0 has the store with the model beside its own. */
static kedge_status work_among(void *data, kedge_store *own,
                               const kedge_control *control, kedge_error *err)
{
    infer *const n = data;
    kedge_member self = {n->among->together, own, NULL, NULL};
    kedge_infer *f = NULL;
    kedge_status st = KEDGE_OK;

    if (n->among->rank == 0)
        st = kedge_store_open(n->job.store, KEDGE_OPEN_READ, &self.sum, err);
    if (st == KEDGE_OK)
        st = kedge_comm_infer_open(&self, &n->opts, control, &f, err);
    if (f != NULL) {
        st = compose_own(n, f, err);
        kedge_infer_get_result(f, &n->result);
    }
    kedge_infer_close(f);
    kedge_store_close(self.sum);
    return st;
}

/* All have to come here. The results of all are added up; what TLI's matrix is
 * like all know. */
static int run_among(infer *n)
{
    const team *const t = n->among;
    kedge_infer_result *all;
    int code = ranks_task(t, &n->job, KEDGE_OPEN_READ, work_among, n);

    if (code != GO_ON)
        return code;
    all = claim(t->size, sizeof *all);
    t->gather(&n->result, sizeof n->result, all);
    n->result = all[0];
    for (unsigned r = 1; r < t->size; r++) {
        n->result.iterations += all[r].iterations;
        add_fields(RESULT, &all[r], &n->result,
                   PART(0) | PART(TOKENS) | PART(COSTS));
    }
    free(all);
    if (t->rank == 0)
        tell(n);
    return ranks_leave(t, EXIT_OK);
}

static int run(void *data)
{
    infer *const n = data;
    const int code = ranks_join(&n->job, &n->among);

    if (code != GO_ON)
        return code;
    return n->among != NULL ? run_among(n) : run_alone(n);
}

static void end(void *data)
{
    free(((infer *)data)->order);
}

const command command_infer = {
    .name = "infer",
    .group = GROUP_START,
    .summary = "find the topics of documents",
    .operands = "STORE [FILE...]",
    .least = 1,
    .most = SIZE_MAX,
    .purpose =
        "Finds the topic proportions of the documents in the store, or of "
        "those in FILEs (- is standard input), which are not stored. Documents "
        "are streamed, and a pipe is answered as it comes. A document's "
        "proportions depend on this document only, except with padd and pami, "
        "which read all documents twice.",
    .examples = "  kedge infer news > topics.tsv\n"
                "  kedge infer news - --from lines < new.txt\n",
    .see = "methods, files, formats",
    .writes = true,
    .files = true,
    .options = options,
    .size = sizeof(infer),
    .begin = begin,
    .check = check,
    .run = run,
    .end = end,
};
