/* SPDX-License-Identifier: MIT */
/* kedge infer: which topics documents are made of. */
#include <assert.h>
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

#include "complain.h"
#include "figures.h"
#include "jsonout.h"
#include "options.h"
#include "patterns.h"
#include "plaintext.h"
#include "rankinfer.h"
#include "table.h"
#include "task.h"

static_assert(KEDGE_INFER_LINEAR == 0 && KEDGE_INFER_SQUARES == 1 &&
                  KEDGE_INFER_PADD == 2 && KEDGE_INFER_PAMI == 3 &&
                  KEDGE_INFER_FOLD == 4 && KEDGE_INFER_TLI == 5,
              "the choices of --method are in the order of the enum");

#define THRESHOLD 0.01
#define INPUT_WAIT_MS 100

enum { FORMAT_AUTO, FORMAT_TSV, FORMAT_JSONL, FORMAT_NPY, FORMAT_NONE };

typedef struct infer {
    kedge_infer_opts opts;
    const char *file;
    unsigned method, from, format, summary;
    bool dense, wide;
    bool among; /* other ranks */
    double threshold;
    common common;
    const char *const *sources;
    size_t source_count;
    uint64_t *order; /* topics by falling share */
    kedge_infer_result result;
} infer;

/* Whether there is an option that says how files are read. */
static bool is_of_files(const infer *n)
{
    const kedge_infer_opts *const o = &n->opts;

    return n->from != 0 || o->vocabulary != NULL || o->text_field != NULL ||
           o->id_field != NULL || o->skip_bad || o->encoding != NULL;
}

/* Options that are of some methods alone. */
static int check_method(const infer *n)
{
    const kedge_infer_opts *const o = &n->opts;
    const struct {
        bool set;
        const char *option, *methods;
    } rule[] = {
        {o->iterations > 0, "iterations", "lb, ls, padd, pami"},
        {o->tolerance > 0, "tolerance", "lb, padd, pami"},
        {o->weighted, "weighted", "ls"},
        {o->tau > 0, "tau", "padd"},
        {o->rho > 0, "rho", "pami"},
        {o->faithful, "faithful", "padd, pami, tli"},
    };
    const char *const method =
        kedge_infer_method_name((kedge_infer_method)n->method);

    for (size_t i = 0; i < sizeof rule / sizeof *rule; i++)
        if (rule[i].set && strstr(rule[i].methods, method) == NULL)
            return complain_usage("infer", "--%s is of --method %s, not of %s",
                                  rule[i].option, rule[i].methods, method);
    return GO_ON;
}

/* Each rank writes a file of its own, of the documents that it has. */
static int check_among(const infer *n, const arguments *a)
{
    if (n->among && (n->file == NULL || strcmp(n->file, "-") == 0))
        return complain_usage("infer", "several ranks write a file each, "
                                       "FILE.0, FILE.1 and so on: -o FILE was "
                                       "expected");
    if (n->among && a->operand_count > 1)
        return complain_usage("infer", "several ranks infer the documents "
                                       "that their stores have: no FILE to "
                                       "read was expected");
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

/* Options that do not go together. */
static int check_line(infer *n, const arguments *a)
{
    if (!n->among && (n->format == FORMAT_NPY) != (n->file != NULL))
        return complain_usage("infer", n->file == NULL
                                           ? "npy needs a file: -o FILE"
                                           : "-o is for --format npy: what "
                                             "else there is goes to standard "
                                             "output");
    if (n->wide && n->format != FORMAT_NPY)
        return complain_usage("infer", "--wide is of --format npy, which was "
                                       "expected beside");
    if (n->opts.keep && a->operand_count > 1)
        return complain_usage("infer", "--keep is of the documents that the "
                                       "store has: no FILE was expected "
                                       "beside");
    if (a->operand_count < 2 && is_of_files(n))
        return complain_usage("infer", "--from, --vocab, --text-field, "
                                       "--id-field and --skip-bad are of "
                                       "FILEs: one was expected beside");
    if (n->dense && !isnan(n->threshold))
        return complain_usage("infer", "--dense has the shares of all topics: "
                                       "no --threshold was expected beside");
    if (isnan(n->threshold))
        n->threshold = THRESHOLD;
    if (check_method(n) != GO_ON || check_among(n, a) != GO_ON)
        return EXIT_USAGE;
    if (n->format == FORMAT_AUTO)
        n->format = n->opts.keep ? FORMAT_NONE : FORMAT_TSV;
    return GO_ON;
}

static int read_line(infer *n, arguments *a, int argc, char **argv)
{
    kedge_infer_opts *o = &n->opts;
    const option options[] = {
        {.name = "model", .kind = OPTION_TEXT, .value = &o->model,
         .argument = "NAME", .unset = "the one fitted last",
         .help = "Which model; kedge info lists them."},
        {.name = "method", .kind = OPTION_CHOICE, .value = &n->method,
         .argument = "lb|ls|padd|pami|fold|tli",
         .help = "lb: the expected shares, given the words and what the model "
                 "knows of topics before (linear Bayes). ls: the shares whose "
                 "words are nearest to the document's (least squares). padd, "
                 "pami: near both to the document and, of all documents "
                 "together, to the model's correlations. fold: the mean of "
                 "what each word tells by itself, to compare and cluster "
                 "documents by. tli: a mean over words that has no bias, "
                 "without topics in doubt (thresholded linear inverse)."},
        {.name = "iterations", .kind = OPTION_COUNT, .value = &o->iterations,
         .argument = "N", .least = 1, .most = 1000000,
         .unset = "200 of lb, 50 of padd and pami, and as many as it takes of "
                  "ls; fold and tli have none",
         .help = "Of a document, and with padd and pami of all, at most."},
        {.name = "tolerance", .kind = OPTION_REAL, .value = &o->tolerance,
         .argument = "X", .to = 1,
         .unset = "0.01 of lb, 0.001 of padd and pami",
         .help = "lb ends when a document's shares move by less, all added "
                 "up; padd and pami when documents' do, on average."},
        {.name = "weighted", .kind = OPTION_FLAG, .value = &o->weighted,
         .help = "ls counts a word's error the more the rarer the word is."},
        {.name = "tau", .kind = OPTION_REAL, .value = &o->tau,
         .argument = "X", .to = 1e9, .unset = "0.1, and 0.05 with --faithful",
         .help = "The step of padd's price on pairs of topics."},
        {.name = "rho", .kind = OPTION_REAL, .value = &o->rho,
         .argument = "X", .to = 1e9, .unset = "1",
         .help = "How much correlations count with pami, beside what the "
                 "documents say."},
        {.name = "faithful", .kind = OPTION_FLAG, .value = &o->faithful,
         .help = "padd as it was printed: as least squares, more or less. "
                 "pami: words count the same. Else padd and pami count a "
                 "word's error the more the rarer the word is. tli: topics are "
                 "left out by a bound for any document, which few of them "
                 "pass."},
        {.name = "format", .kind = OPTION_CHOICE, .value = &n->format,
         .argument = "auto|tsv|jsonl|npy",
         .help = "What to write; see Output. npy needs -o. auto: tsv, and "
                 "nothing with --keep."},
        {.name = "output", .letter = 'o', .kind = OPTION_TEXT,
         .value = &n->file, .argument = "FILE", .unset = "none",
         .help = "Where npy goes; among several ranks, tsv and jsonl too."},
        {.name = "wide", .kind = OPTION_FLAG, .value = &n->wide,
         .help = "npy of float64 instead of float32."},
        {.name = "threshold", .kind = OPTION_REAL, .value = &n->threshold,
         .argument = "X", .to = 1, .unset = "0.01", .zero = true,
         .help = "tsv and jsonl leave out topics with a smaller share."},
        {.name = "dense", .kind = OPTION_FLAG, .value = &n->dense,
         .help = "tsv and jsonl have the shares of all topics in their "
                 "order."},
        {.name = "keep", .kind = OPTION_FLAG, .value = &o->keep,
         .help = "Keep the compositions of the stored documents in STORE, "
                 "beside their model: for kedge topics --documents and kedge "
                 "export."},
        {.name = "from", .kind = OPTION_CHOICE, .value = &n->from,
         .argument = "auto|uci|jsonl|lines|mallet|tsv|csv|svmlight|ldac|mtx|"
                     "vw|files",
         .help = "What the files hold, as in kedge ingest; a pipe must be "
                 "told."},
        {.name = "vocab", .kind = OPTION_TEXT, .value = &o->vocabulary,
         .argument = "FILE",
         .help = "The words, one a line, that uci, svmlight, ldac and mtx "
                 "have by number."},
        {.name = "encoding", .kind = OPTION_TEXT, .value = &o->encoding,
         .argument = "NAME", .unset = "utf-8, or as in STORE",
         .help = "How they and --vocab are encoded; see kedge ingest."},
        {.name = "text-field", .kind = OPTION_TEXT, .value = &o->text_field,
         .argument = "NAMES",
         .unset = "text, body, content or abstract, or as in STORE",
         .help = "Where jsonl, tsv and csv have the text."},
        {.name = "id-field", .kind = OPTION_TEXT, .value = &o->id_field,
         .argument = "NAME", .unset = "id, or as in STORE",
         .help = "Likewise the id."},
        {.name = "skip-bad", .kind = OPTION_FLAG, .value = &o->skip_bad,
         .help = "Count malformed records and go on instead of stopping at "
                 "the first."},
        {.name = "summary", .kind = OPTION_CHOICE, .value = &n->summary,
         .argument = "table|json",
         .help = "How the summary on standard error is written."},
    };

    a->options = options;
    a->count = sizeof options / sizeof *options;
    return options_read(a, argc, argv);
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

/* The topics that are shown, the largest first; gives how many. */
static uint64_t choose_topics(const infer *n, const kedge_composition *c)
{
    uint64_t count = 0;

    for (uint64_t t = 0; t < c->topics; t++)
        if (c->shares[t] >= n->threshold)
            n->order[count++] = t;
    sorted_by = c->shares;
    qsort(n->order, count, sizeof *n->order, compare_shares);
    return count;
}

static void print_tsv(const infer *n, const kedge_composition *c)
{
    uint64_t count;

    text_put_bytes(stdout, c->id, c->id_size);
    printf("\t%" PRIu64 "\t%" PRIu64 "\t%.4f\t%s", c->tokens, c->outside,
           c->residual, kedge_composed_name(c->flag));
    if (n->dense) {
        for (uint64_t t = 0; t < c->topics; t++)
            printf("\t%.6f", c->shares[t]);
    } else {
        count = choose_topics(n, c);
        for (uint64_t i = 0; i < count; i++)
            printf("%c%" PRIu64 ":%.4f", i == 0 ? '\t' : ' ',
                   n->order[i] + 1, c->shares[n->order[i]]);
        if (count == 0)
            putchar('\t');
    }
    putchar('\n');
}

static void print_head(const infer *n, uint64_t topics)
{
    printf("id\ttokens\toutside\tresidual\tflag");
    if (!n->dense)
        printf("\ttopics");
    for (uint64_t t = 0; n->dense && t < topics; t++)
        printf("\t%" PRIu64, t + 1);
    putchar('\n');
}

static void print_shares(const infer *n, const kedge_composition *c,
                         jsonout *j)
{
    char name[24];
    uint64_t count;

    json_key(j, n->dense ? "shares" : "topics");
    json_begin(j, n->dense ? '[' : '{');
    if (n->dense) {
        for (uint64_t t = 0; t < c->topics; t++)
            json_real(j, c->shares[t]);
    } else {
        count = choose_topics(n, c);
        for (uint64_t i = 0; i < count; i++) {
            snprintf(name, sizeof name, "%" PRIu64, n->order[i] + 1);
            json_key_real(j, name, c->shares[n->order[i]]);
        }
    }
    json_close(j, n->dense ? ']' : '}');
}

static void print_json(const infer *n, const kedge_composition *c)
{
    jsonout j = {.out = stdout};

    json_begin(&j, '{');
    json_key(&j, "id");
    json_bytes(&j, c->id, c->id_size);
    json_key_count(&j, "tokens", c->tokens);
    json_key_count(&j, "outside", c->outside);
    json_key_real(&j, "residual", c->residual);
    json_key_text(&j, "flag", kedge_composed_name(c->flag));
    print_shares(n, c, &j);
    json_close(&j, '}');
    json_end(&j);
}

/* What came through a pipe is answered before more of it is waited for. A
 * reader that left early is noticed by the stream's error. */
static kedge_status print_all(infer *n, kedge_infer *f, kedge_error *err)
{
    bool headed = n->format != FORMAT_TSV;
    const kedge_composition *c;

    n->order = claim(kedge_infer_topics(f), sizeof *n->order);
    while (n->opts.keep || !ferror(stdout)) {
        const kedge_status st = kedge_infer_next(f, &c, err);

        if (!headed && st == KEDGE_OK)
            print_head(n, kedge_infer_topics(f));
        headed = true;
        if (st != KEDGE_OK || c == NULL)
            return st;
        if (n->format == FORMAT_JSONL)
            print_json(n, c);
        else if (n->format == FORMAT_TSV)
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

/* Of padd and pami: how all documents together came out. */
static void tell_rounds(const kedge_infer_result *r)
{
    figure f;

    summary_line(stderr, "iterations", figure_count(&f, r->rounds),
                 r->settled ? "of all documents"
                            : "of all documents, which were not enough");
    summary_line(stderr, "  moved", figure_real(&f, r->moved),
                 "what shares moved by in the last, on average");
    summary_line(stderr, "  loss", figure_real(&f, r->loss),
                 "squares of words' errors, on average");
    summary_line(stderr, "  strayed", figure_real(&f, r->strayed),
                 "from the model's correlations");
}

/* What --keep did. */
static void tell_kept(const kedge_infer_result *r)
{
    char note[96];
    figure f, g;

    snprintf(note, sizeof note, "documents, in %s",
             figure_bytes(&g, r->kept_bytes));
    summary_line(stderr, "kept", figure_count(&f, r->kept), note);
    summary_line(stderr, "  moved", figure_real(&f, r->kept_moved),
                 "what keeping changed the shares of a document by, at most");
}

/* Of tli: how well topics can be told apart. */
static void tell_inverse(const kedge_infer_result *r)
{
    figure f;

    summary_line(stderr, "largest", figure_real(&f, r->largest),
                 "entry of the inverse of topics");
    summary_count("  biased", r->biased,
                  "topics, too near to mixtures of others");
}

static void tell_summary(const infer *n)
{
    const kedge_infer_result *r = &n->result;
    char note[640];
    figure f, g;

    snprintf(note, sizeof note, "in %.1f s, %s a second", r->seconds,
             figure_count(&g, r->seconds > 0
                                  ? (uint64_t)((double)r->documents /
                                               r->seconds)
                                  : r->documents));
    summary_line(stderr, "documents", figure_count(&f, r->documents), note);
    summary_count("  empty", r->empty, "without a word");
    summary_count("  unknown", r->unknown,
                  "without a word that the model has");
    summary_count("  single", r->single, "with one token");
    summary_count("  unsettled", r->unsettled,
                  "for which the iterations were not enough");
    summary_count("bad", r->bad,
                  figure_noun(r->bad, "malformed record, skipped",
                              "malformed records, skipped"));
    if (r->unread > 0) {
        snprintf(note, sizeof note, "%s, or cut short; the first: %s",
                 figure_noun(r->unread, "file", "files"), r->first_unread);
        summary_count("not read", r->unread, note);
    }
    summary_encoding(r->not_utf8, r->first_not_utf8, n->opts.encoding);
    if (r->rounds > 0)
        tell_rounds(r);
    else if (n->opts.method == KEDGE_INFER_TLI)
        tell_inverse(r);
    else
        summary_line(stderr, "iterations",
                     figure_real(&f, mean_iterations(r)),
                     "of a document, on average");
    summary_line(stderr, "tokens", figure_count(&f, r->tokens), NULL);
    summary_count("  outside", r->outside, "which the model does not have");
    if (n->opts.keep)
        tell_kept(r);
    snprintf(note, sizeof note, "peak; planned %s of %s",
             figure_memory(&f, r->planned_memory),
             figure_memory(&g, n->common.memory));
    summary_line(stderr, "memory", figure_memory(&f, r->peak_memory), note);
}

static void tell_rounds_json(const kedge_infer_result *r, jsonout *j)
{
    json_key_count(j, "rounds", r->rounds);
    json_key_bool(j, "settled", r->settled);
    json_key_real(j, "moved", r->moved);
    json_key_real(j, "loss", r->loss);
    json_key_real(j, "strayed", r->strayed);
}

static void tell_inverse_json(const kedge_infer_result *r, jsonout *j)
{
    json_key_real(j, "largest", r->largest);
    json_key_real(j, "bias", r->bias);
    json_key_real(j, "gap", r->gap);
    json_key_count(j, "biased", r->biased);
}

static void tell_json(const infer *n)
{
    const kedge_infer_result *r = &n->result;
    jsonout j = {.out = stderr, .lines = 1};

    json_begin(&j, '{');
    json_key_text(&j, "kedge", kedge_version());
    json_key_count(&j, "documents", r->documents);
    json_key_count(&j, "empty", r->empty);
    json_key_count(&j, "unknown", r->unknown);
    json_key_count(&j, "single", r->single);
    json_key_count(&j, "unsettled", r->unsettled);
    json_key_count(&j, "bad", r->bad);
    json_key_count(&j, "unread", r->unread);
    json_key_count(&j, "not_utf8", r->not_utf8);
    json_key_real(&j, "mean_iterations", mean_iterations(r));
    if (r->rounds > 0)
        tell_rounds_json(r, &j);
    if (n->opts.method == KEDGE_INFER_TLI)
        tell_inverse_json(r, &j);
    json_key_count(&j, "tokens", r->tokens);
    json_key_count(&j, "outside", r->outside);
    json_key_count(&j, "bytes_read", r->bytes_read);
    if (n->opts.keep) {
        json_key_count(&j, "kept", r->kept);
        json_key_count(&j, "kept_bytes", r->kept_bytes);
        json_key_real(&j, "kept_moved", r->kept_moved);
    }
    json_key_count(&j, "planned_memory", r->planned_memory);
    json_key_real(&j, "seconds", r->seconds);
    json_key_count(&j, "peak_memory", r->peak_memory);
    json_close(&j, '}');
    json_end(&j);
}

/* ---- the whole ----------------------------------------------------------- */

static kedge_status compose(void *data, kedge_store *store,
                            const kedge_control *control, kedge_error *err)
{
    infer *const n = data;
    kedge_infer *f;
    kedge_status st;

    st = kedge_infer_open(store, n->sources, n->source_count, &n->opts,
                          control, &f, err);
    if (st == KEDGE_OK) {
        st = n->format == FORMAT_NPY
                 ? kedge_infer_write(f, n->file, n->wide, err)
                 : print_all(n, f, err);
        kedge_infer_get_result(f, &n->result);
    }
    kedge_infer_close(f);
    return st;
}

static void tell_all(const infer *n)
{
    if (n->common.quiet)
        return;
    if (n->summary == SUMMARY_JSON)
        tell_json(n);
    else
        tell_summary(n);
}

static int infer_alone(infer *n, const char *path)
{
    kedge_error err = {0};
    const kedge_status st =
        task_run(path, n->opts.keep ? KEDGE_OPEN_WRITE : KEDGE_OPEN_READ,
                 &n->common, compose, n, &err);

    if (st == KEDGE_ECANCELED && n->opts.keep)
        snprintf(err.text, sizeof err.text, "stopped; compositions that were "
                 "kept before stay, and --keep begins anew");
    if (st == KEDGE_OK)
        tell_all(n);
    return complain_status(st, &err);
}

static kedge_status give(void *data, kedge_infer *f, const char *path,
                         kedge_error *err)
{
    infer *const n = data;

    return path != NULL ? kedge_infer_write(f, path, n->wide, err)
                        : print_all(n, f, err);
}

/* Of one rank among several; all have to come here. */
static int infer_among(infer *n, const team *t, const char *path)
{
    rankinfer r = {.t = t, .store = path, .file = n->file,
                   .whole = n->format == FORMAT_NPY, .opts = &n->opts,
                   .give = give, .data = n};
    const int code = rankinfer_run(&r, &n->common);

    if (code != GO_ON)
        return code;
    n->result = r.result;
    tell_all(n);
    return ranks_leave(t, EXIT_OK);
}

static int infer_where(infer *n, const command *self, int argc, char **argv,
                       const char *path)
{
    const team *t = NULL;
    const int code = ranks_join(self, argc, argv, &t);

    if (code != GO_ON)
        return code;
    return t != NULL ? infer_among(n, t, path) : infer_alone(n, path);
}

static int infer_run(const command *self, int argc, char **argv)
{
    infer n = {.threshold = NAN, .among = ranks_started() > 0};
    arguments a = {.self = self, .common = &n.common};
    glob_t files = {0};
    int code;

    common_init(&n.common);
    kedge_infer_opts_init(&n.opts);
    code = read_line(&n, &a, argc, argv);
    if (code == GO_ON)
        code = check_line(&n, &a);
    if (code != GO_ON)
        return code;
    n.opts.method = (kedge_infer_method)n.method;
    n.opts.format = (kedge_format)n.from;
    if (a.operand_count > 1 &&
        !patterns_expand(a.operands + 1, a.operand_count - 1, &files)) {
        globfree(&files);
        complain("out of memory (names of files)");
        return 1;
    }
    if (a.operand_count == 1 && !n.among && !n.common.quiet && input_waits())
        complain("standard input is not read: the answer is of the documents "
                 "in %s; 'kedge infer %s -' reads it", a.operands[0],
                 a.operands[0]);
    n.sources = (const char *const *)files.gl_pathv;
    n.source_count = files.gl_pathc;
    code = infer_where(&n, self, argc, argv, a.operands[0]);
    free(n.order);
    globfree(&files);
    return code;
}

const command command_infer = {
    .writes = true,
    .name = "infer",
    .summary = "tell which topics documents are made of",
    .operands = "STORE [FILE...]",
    .least = 1,
    .most = SIZE_MAX,
    .purpose =
        "Finds the composition of documents: the share that each topic of a "
        "model has. Of the documents that the store has, or of those in FILEs "
        "(- is standard input), which are not stored: texts are cut into words "
        "as the store's were. A part of the documents is in memory at a time, "
        "and what comes through a pipe is answered as it comes. The answer to "
        "a document depends on that document alone, but for padd and pami, "
        "which read all documents first and again for the answers, and take no "
        "pipe. With --keep compositions of the stored documents stay in STORE, "
        "where 'kedge topics --documents' and 'kedge export' find them.",
    .details =
        "Words that the model does not have are passed over. A document "
        "without a word, as a blank line is, gets the mean of all documents, "
        "and one of a single word hardly more is known of; both are flagged. "
        "lb begins with what "
        "the model's correlations tell of topics and learns the more of a "
        "document the longer it is; ls knows nothing before and gives short "
        "documents few topics, whatever they are about. fold is quick and "
        "smooth: it never says that a document has few topics, but documents "
        "that are alike come out alike, so that clusters are found best by "
        "it. tli begins with a matrix that turns words into shares, as near "
        "to the truth as one can be for any document, which takes a while for "
        "many words and topics; of each document it leaves out topics with a "
        "share below its standard error. It is for documents of hundreds of "
        "different words: of a few it is often wrong and does not know. padd "
        "and pami ask of all documents together that pairs of topics be as "
        "frequent as the model's correlations say, and so expect of FILEs what "
        "the store has, in the same mixture: of documents of a single kind "
        "they find other topics as well. What they know of documents is in a "
        "file without a name in STORE's folder, of some numbers for each "
        "document and topic, which is gone when they are done. "
        "A model has one set of kept compositions, or none. --keep replaces an "
        "earlier one at the end: until then, and when it is interrupted, that "
        "one stays. The set goes with the model, when it is forgotten or "
        "fitted again. It is of the documents that the store has now: those "
        "that are removed later are not shown any more, those that come later "
        "are not in it, and whatever uses it says how many these are, until "
        "--keep is done again. To be small, shares below 1/4096 (or a quarter "
        "of an even share, with more than 1024 topics) are left out and the "
        "others are multiples of 1/65536 that add up to one; residuals are "
        "not kept. "
        "mpirun -n R kedge infer STORE -o FILE has each of R ranks tell of the "
        "documents in its own store, STORE.0, STORE.1, ..., by a model of "
        "STORE, into a file of its own: FILE.0, FILE.1, ...",
    .output =
        "On standard output, in the order of the documents. tsv: a header, "
        "then id, tokens that the model knows, tokens outside it, residual, "
        "flag, and the topics as NUMBER:SHARE, largest first, or with --dense "
        "a column each; ids are exact: a spreadsheet must read them as text, "
        "or it runs one that begins with = as a formula. jsonl: an object a "
        "line of the same. The residual is "
        "how far the document's words are from those of its composition, from "
        "0 to 1 (total variation). The flag is ok, empty (no word), unknown "
        "(none that the model has), single (one token) or unsettled (the "
        "iterations were not enough). npy: a matrix for numpy.load, a document "
        "a row, in the order in which 'kedge cat' shows them. The summary is "
        "on standard error.",
    .examples =
        "  kedge infer news > topics.tsv\n"
        "  kedge infer news --format npy -o topics.npy\n"
        "  kedge infer news --keep\n"
        "  kedge infer news later.jsonl.zst --format jsonl --threshold 0.1\n"
        "  tail -f log | kedge infer news - --from lines --quiet\n",
    .run = infer_run,
};
