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
#define COMPOSITION "kedge_composition"

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
    OPTION(CHOICE, "method", AT(opts.method), "lb|ls|padd|pami|fold|tli",
           "lb: the expected shares, given the words and what the model knows "
           "of topics before (linear Bayes). ls: the shares whose words are "
           "nearest to the document's (least squares). padd, pami: near both "
           "to the document and, of all documents together, to the model's "
           "correlations. fold: the mean of what each word tells by itself, "
           "to compare and cluster documents by. tli: a mean over words that "
           "has no bias, without topics in doubt (thresholded linear "
           "inverse)."),
    OPTION(COUNT, "iterations", AT(opts.iterations), "N",
           "Of a document, and with padd and pami of all, at most.",
           .least = 1, .most = 1000000,
           .unset = "200 of lb, 50 of padd and pami, and as many as it takes "
                    "of ls; fold and tli have none"),
    OPTION(REAL, "tolerance", AT(opts.tolerance), "X",
           "lb ends when a document's shares move by less, all added up; padd "
           "and pami when documents' do, on average.", .to = 1,
           .unset = "0.01 of lb, 0.001 of padd and pami"),
    OPTION(FLAG, "weighted", AT(opts.weighted), NULL,
           "ls counts a word's error the more the rarer the word is."),
    OPTION(REAL, "tau", AT(opts.tau), "X",
           "The step of padd's price on pairs of topics.", .to = 1e9,
           .unset = "0.1, and 0.05 with --faithful"),
    OPTION(REAL, "rho", AT(opts.rho), "X",
           "How much correlations count with pami, beside what the documents "
           "say.", .to = 1e9, .unset = "1"),
    OPTION(FLAG, "faithful", AT(opts.faithful), NULL,
           "padd as it was printed: as least squares, more or less. pami: "
           "words count the same. Else padd and pami count a word's error the "
           "more the rarer the word is. tli: topics are left out by a bound "
           "for any document, which few of them pass."),
    OPTION(CHOICE, "format", AT(out), "auto|tsv|jsonl|npy",
           "What to write; see Output. npy needs -o. auto: tsv, and nothing "
           "with --keep."),
    OPTION(TEXT, "output", AT(file), "FILE",
           "Where npy goes; among several ranks, tsv and jsonl too.",
           .letter = 'o', .unset = "none"),
    OPTION(FLAG, "wide", AT(wide), NULL,
           "npy of float64 instead of float32."),
    OPTION(REAL, "threshold", AT(threshold), "X",
           "tsv and jsonl leave out topics with a smaller share.", .to = 1,
           .unset = "0.01", .zero = true),
    OPTION(FLAG, "dense", AT(dense), NULL,
           "tsv and jsonl have the shares of all topics in their order."),
    OPTION(FLAG, "keep", AT(opts.keep), NULL,
           "Keep the compositions of the stored documents in STORE, beside "
           "their model: for kedge topics --documents and kedge export."),
    OPTION(CHOICE, "from", AT(opts.format),
           "auto|uci|jsonl|lines|mallet|tsv|csv|svmlight|ldac|mtx|vw|files",
           "What the files hold, as in kedge ingest; a pipe must be told."),
    OPTION(TEXT, "vocab", AT(opts.vocabulary), "FILE",
           "The words, one a line, that uci, svmlight, ldac and mtx have by "
           "number."),
    OPTION(TEXT, "encoding", AT(opts.encoding), "NAME",
           "How they and --vocab are encoded; see kedge ingest.",
           .unset = "utf-8, or as in STORE"),
    OPTION(TEXT, "text-field", AT(opts.text_field), "NAMES",
           "Where jsonl, tsv and csv have the text.",
           .unset = "text, body, content or abstract, or as in STORE"),
    OPTION(TEXT, "id-field", AT(opts.id_field), "NAME",
           "Likewise the id.", .unset = "id, or as in STORE"),
    OPTION(FLAG, "skip-bad", AT(opts.skip_bad), NULL,
           "Count malformed records and go on instead of stopping at the "
           "first."),
    OPTION(CHOICE, "summary", AT(summary), "table|json",
           "How the summary on standard error is written."),
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
        kedge_infer_method_name(n->opts.method);

    for (size_t i = 0; i < sizeof rule / sizeof *rule; i++)
        if (rule[i].set && strstr(rule[i].methods, method) == NULL)
            return complain_usage("infer", "--%s is of --method %s, not of %s",
                                  rule[i].option, rule[i].methods, method);
    return GO_ON;
}

/* Each rank writes a file of its own, of the documents that it has. */
static int check_among(const infer *n)
{
    if (n->file == NULL || strcmp(n->file, "-") == 0)
        return complain_usage("infer", "several ranks write a file each, "
                                       "FILE.0, FILE.1 and so on: -o FILE was "
                                       "expected");
    if (n->job.rest_count > 0)
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

static int check(void *data)
{
    infer *const n = data;
    const bool files = n->job.rest_count > 0, among = ranks_started() > 0;

    if (!among && (n->out == OUT_NPY) != (n->file != NULL))
        return complain_usage("infer", n->file == NULL
                                           ? "npy needs a file: -o FILE"
                                           : "-o is for --format npy: what "
                                             "else there is goes to standard "
                                             "output");
    if (n->wide && n->out != OUT_NPY)
        return complain_usage("infer", "--wide is of --format npy, which was "
                                       "expected beside");
    if (n->opts.keep && files)
        return complain_usage("infer", "--keep is of the documents that the "
                                       "store has: no FILE was expected "
                                       "beside");
    if (!files && is_of_files(n))
        return complain_usage("infer", "--from, --vocab, --text-field, "
                                       "--id-field and --skip-bad are of "
                                       "FILEs: one was expected beside");
    if (n->dense && !isnan(n->threshold))
        return complain_usage("infer", "--dense has the shares of all topics: "
                                       "no --threshold was expected beside");
    if (isnan(n->threshold))
        n->threshold = THRESHOLD;
    if (check_method(n) != GO_ON || (among && check_among(n) != GO_ON))
        return EXIT_USAGE;
    if (n->out == OUT_AUTO)
        n->out = n->opts.keep ? OUT_NONE : OUT_TSV;
    if (!files && !among && !n->job.common.quiet && input_waits())
        complain("standard input is not read: the answer is of the documents "
                 "in %s; 'kedge infer %s -' reads it", n->job.store,
                 n->job.store);
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
    const kedge_composition *c;

    n->order = claim(kedge_infer_topics(f), sizeof *n->order);
    while (n->opts.keep || !ferror(stdout)) {
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
                     "of a document, on average");
    summary_fields(stderr, RESULT, r, parts);
}

static void tell(void *data)
{
    const infer *const n = data;
    unsigned parts = PART(TOKENS) | PART(COSTS);

    if (n->job.common.quiet)
        return;
    if (n->result.rounds > 0)
        parts |= PART(ALL_DOCUMENTS);
    if (n->opts.method == KEDGE_INFER_TLI)
        parts |= PART(INVERSE);
    if (n->opts.keep)
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
                 n->opts.keep ? KEDGE_OPEN_WRITE : KEDGE_OPEN_READ,
                 &n->job.common, work, n, err);

    if (st == KEDGE_ECANCELED && n->opts.keep)
        snprintf(err->text, sizeof err->text, "stopped; compositions that "
                 "were kept before stay, and --keep begins anew");
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
        st = kedge_team_infer_open(&self, &n->opts, control, &f, err);
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
    .writes = true,
    .name = "infer",
    .summary = "tell which topics documents are made of",
    .operands = "STORE [FILE...]",
    .least = 1,
    .most = SIZE_MAX,
    .purpose =
        "Finds the composition of documents: the share that each topic of a "
        "model has. Of the documents that the store has, or of those in FILEs "
        "(- is standard input), which are not stored: texts are cut into "
        "words as the store's were. A part of the documents is in memory at a "
        "time, and what comes through a pipe is answered as it comes. The "
        "answer to a document depends on that document alone, but for padd "
        "and pami, which read all documents first and again for the answers, "
        "and take no pipe. With --keep compositions of the stored documents "
        "stay in STORE, where 'kedge topics --documents' and 'kedge export' "
        "find them.",
    .details =
        "Words that the model does not have are passed over. A document "
        "without a word, as a blank line is, gets the mean of all documents, "
        "and one of a single word hardly more is known of; both are flagged. "
        "lb begins with what the model's correlations tell of topics and "
        "learns the more of a document the longer it is; ls knows nothing "
        "before and gives short documents few topics, whatever they are "
        "about. fold is quick and smooth: it never says that a document has "
        "few topics, but documents that are alike come out alike, so that "
        "clusters are found best by it. tli begins with a matrix that turns "
        "words into shares, as near to the truth as one can be for any "
        "document, which takes a while for many words and topics; of each "
        "document it leaves out topics with a share below its standard error. "
        "It is for documents of hundreds of different words: of a few it is "
        "often wrong and does not know. padd and pami ask of all documents "
        "together that pairs of topics be as frequent as the model's "
        "correlations say, and so expect of FILEs what the store has, in the "
        "same mixture: of documents of a single kind they find other topics "
        "as well. What they know of documents is in a file without a name in "
        "STORE's folder, of some numbers for each document and topic, which "
        "is gone when they are done. A model has one set of kept "
        "compositions, or none. --keep replaces an earlier one at the end: "
        "until then, and when it is interrupted, that one stays. The set goes "
        "with the model, when it is forgotten or fitted again. It is of the "
        "documents that the store has now: those that are removed later are "
        "not shown any more, those that come later are not in it, and "
        "whatever uses it says how many these are, until --keep is done "
        "again. To be small, shares below 1/4096 (or a quarter of an even "
        "share, with more than 1024 topics) are left out and the others are "
        "multiples of 1/65536 that add up to one; residuals are not kept. "
        "mpirun -n R kedge infer STORE -o FILE has each of R ranks tell of "
        "the documents in its own store, STORE.0, STORE.1, ..., by a model of "
        "STORE, into a file of its own: FILE.0, FILE.1, ...",
    .output =
        "On standard output, in the order of the documents. tsv: a header, "
        "then id, tokens that the model knows, tokens outside it, residual, "
        "flag, and the topics as NUMBER:SHARE, largest first, or with --dense "
        "a column each; ids are exact, but for control characters, which "
        "become '?' (jsonl has them as they are): a spreadsheet must read them "
        "as text, or it runs one that begins with = as a formula. jsonl: an object a "
        "line of the same. The residual is how far the document's words are "
        "from those of its composition, from 0 to 1 (total variation). The "
        "flag is ok, empty (no word), unknown (none that the model has), "
        "single (one token) or unsettled (the iterations were not enough). "
        "npy: a matrix for numpy.load, a document a row, in the order in "
        "which 'kedge cat' shows them. The summary is on standard error.",
    .examples =
        "  kedge infer news > topics.tsv\n"
        "  kedge infer news --format npy -o topics.npy\n"
        "  kedge infer news --keep\n"
        "  kedge infer news later.jsonl.zst --format jsonl --threshold 0.1\n"
        "  tail -f log | kedge infer news - --from lines --quiet\n",
    .files = true,
    .options = options,
    .size = sizeof(infer),
    .begin = begin,
    .check = check,
    .run = run,
    .end = end,
};
