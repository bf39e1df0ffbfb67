/* SPDX-License-Identifier: MIT */
/*
 * One block of documents at a time: read, seen as the model sees it, and
 * composed a window at a time. Stored blocks are read in the one transaction
 * that lasts from open to close, each while the one before it is composed,
 * unless that is kept, in transactions of its own. Methods of all documents at
 * once read them twice: to learn them, before any is given out, and then to
 * give out what was found.
 */
#include "ops/infer/infer.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <kedge/methods.h>

#include "base/fail.h"
#include "base/mem.h"
#include "base/run.h"
#include "infer/compose.h"
#include "linalg/blas.h"
#include "ops/ingest/outside.h"
#include "ops/elsewhere.h"
#include "ops/plan.h"
#include "ops/infer/saved.h"
#include "ops/infer/walk.h"
#include "io/reader.h"

#define STEPS_MOST 1000000
#define FAR 1e9 /* of τ and ρ */

struct kedge_infer {
    store *s;
    store_txn *txn; /* that stored documents are read in, unless: keeping */
    const kedge_control *control;
    const kedge_infer_opts *opts;
    const compose_way *way; /* of the method */
    kedge_model *m;
    kedge_model *brought; /* of another store; or NULL: of this one */
    store_totals totals;
    uint64_t own; /* documents that are here */
    walk walk;
    pool *p;
    compose *compose;
    double *weight; /* by row: 1 / p(word), or NULL */
    bool outside;   /* documents are those of: */
    const char *given; /* the name of a program's own, which is one of them */
    outside_docs external;
    docs batch; /* of these */
    walk_part now, then; /* what is composed, and what was read meanwhile, */
    bool ahead;        /* if it was: */
    kedge_status ahead_status;
    kedge_error ahead_error;
    size_t first, count, at; /* of now: the window, and what comes next */
    saved_writer *keep; /* or NULL */
    kedge_doc_topics out;
    char id[STORE_ID_MAX + 1];
    kedge_infer_result result;
    double start, since; /* since: of the stage that goes on */
};

static const kedge_infer_opts defaults;

void kedge_infer_opts_init(kedge_infer_opts *opts)
{
    if (opts != NULL)
        *opts = defaults;
}

const char *kedge_doc_flag_name(kedge_doc_flag flag)
{
    static const char *const name[] = {"ok", "empty", "unknown", "single",
                                       "unsettled"};

    return (size_t)flag < sizeof name / sizeof *name ? name[flag] : NULL;
}

const char *kedge_infer_method_name(kedge_infer_method method)
{
    static const char *const name[] = {KEDGE_INFER_METHODS(KEDGE_METHOD_NAME)};

    return (size_t)method < sizeof name / sizeof *name ? name[method] : NULL;
}

static kedge_status infer_check(const kedge_infer_opts *o, kedge_error *err)
{
#define RULE(member, option, methods) {o->member > 0, option, methods},
    const struct {
        bool set;
        const char *option, *methods;
    } rule[] = {KEDGE_INFER_OPTIONS(RULE)};
#undef RULE
    const char *const method = kedge_infer_method_name(o->method);

    if (method == NULL)
        return kedge_fail(err, KEDGE_EINVAL, "unknown method: %d",
                          (int)o->method);
    if (o->iterations > STEPS_MOST)
        return kedge_fail(err, KEDGE_EINVAL, "%" PRIu64 " iterations: expected "
                                             "at most "
                                             "%d", o->iterations, STEPS_MOST);
    if (!(o->tolerance >= 0 && o->tolerance <= 1))
        return kedge_fail(err, KEDGE_EINVAL, "--tolerance is above 0 and at "
                                             "most 1");
    if (!(o->tau >= 0 && o->tau <= FAR) || !(o->rho >= 0 && o->rho <= FAR))
        return kedge_fail(err, KEDGE_EINVAL, "tau and rho are above 0 and up "
                          "to %g", FAR);
    for (size_t i = 0; i < sizeof rule / sizeof *rule; i++)
        if (rule[i].set && strstr(rule[i].methods, method) == NULL)
            return kedge_fail(err, KEDGE_EINVAL,
                              "--%s belongs to --method %s, not to %s",
                              rule[i].option, rule[i].methods, method);
    return KEDGE_OK;
}

/* ---- opening ------------------------------------------------------------- */

static kedge_status infer_plan(kedge_infer *f, kedge_error *err)
{
    const uint64_t all = f->totals.words, topics = f->m->topics;
    const uint64_t rows = f->m->words, text = words_bytes(&f->external.all);
    const uint64_t model = 8 * (rows * (topics + 3) + topics * topics);
    store_block_size largest = {.documents = STORE_BLOCK_DOCUMENTS,
                                .entries = STORE_BLOCK_ENTRIES + rows,
                                .bytes = 64 * STORE_BLOCK_DOCUMENTS};

    if (!f->outside)
        PASS(store_largest_block(f->txn, f->totals.blocks, &largest, err));
    walk_shape shape = {
        .what = "inferring",
        .threads = f->control->threads,
        .vocabulary = all,
        .word_bytes = text,
        .blocks = 1, /* as it is stored, or a batch of outside documents */
        .largest = f->outside ? (store_block_size){0} : largest,
        .read = f->opts->save ? 0
                              : model + text +
                                    (f->outside ? 0 : 2 * largest.stored),
        .more = model + (f->outside ? 1 : 2) * memory_batch(&largest) +
                memory_infer(rows, topics, f->control->threads,
                             f->opts->method) +
                memory_filter(rows, all, f->m->index.joined) +
                memory_sources(f->totals.sources) +
                (f->opts->save ? memory_keeping(topics) : 0),
    };

    if (!f->outside)
        return plan_walk(&shape, f->control, &f->result.planned_memory, err);
    shape.more += memory_outside(all);
    return plan_outside(&shape, f->control, &f->external.room,
                         &f->result.planned_memory, err);
}

/* What was asked for, as people read it. */
static void infer_describe(const kedge_infer *f, const compose_input *in,
                           char *out, size_t size)
{
    const kedge_infer_opts *const o = f->opts;
    const compose_way *const way = f->way;
    char steps[48] = "";

    if (!way->iterates) {
        snprintf(out, size, "no iterations%s",
                 o->as_published ? ", faithful" : "");
        return;
    }
    if (in->steps > 0)
        snprintf(steps, sizeof steps, "%zu iterations at most", in->steps);
    snprintf(out, size, "%s%s%s", in->steps > 0 ? steps : "no limit",
             o->weighted ? ", weighted" : "",
             o->as_published ? ", as published" : "");
    if (way->tolerance > 0)
        snprintf(out + strlen(out), size - strlen(out), ", tolerance %g",
                 in->tolerance);
    if (way->step != NULL)
        snprintf(out + strlen(out), size - strlen(out), ", %s %g", way->step,
                 in->step);
}

static kedge_status infer_prepare(kedge_infer *f, kedge_error *err)
{
    const kedge_infer_opts *const o = f->opts;
    const compose_way *const way = f->way;
    const tli_report *found;
    const kedge_model *const m = f->m;
    const double asked = o->tau > 0 ? o->tau : o->rho; /* one of the two */
    store_kept about = {.serial = m->serial, .topics = m->topics,
                        .blocks = f->totals.blocks};
    compose_input in = {.rows = m->words, .k = m->topics,
                        .b = m->probabilities, .a = m->correlations,
                        .documents = m->index.documents,
                        .method = o->method,
                        .steps = o->iterations > 0 ? o->iterations : way->steps,
                        .tolerance = o->tolerance > 0 ? o->tolerance
                                                      : way->tolerance,
                        .step = asked > 0      ? asked
                                : o->as_published ? way->step_faithful
                                              : way->step_usual,
                        .faithful = o->as_published,
                        .folder = store_path(f->s),
                        .control = f->control};

    if (o->weighted || way->of_all)
        PASS_MEM(f->weight = mem_new(m->words, sizeof *f->weight));
    for (size_t i = 0; i < m->words && f->weight != NULL; i++) {
        const double p = m->word_probability[i];
        f->weight[i] = p > 0 ? 1 / p : 0;
    }
    PASS(pool_open(f->control, &f->p, err));
    in.p = f->p;
    in.weight = f->weight;
    PASS(compose_create(&in, &f->compose, err));
    found = compose_inverse(f->compose);
    if (found != NULL) {
        f->result.largest = found->largest;
        f->result.bias = found->bias;
        f->result.gap = found->gap;
        f->result.biased = found->biased;
    }
    f->out.topics = m->topics;
    if (o->save) { /* documents are read in its transactions from here on */
        snprintf(about.method, sizeof about.method, "%s",
                 kedge_infer_method_name(o->method));
        infer_describe(f, &in, about.options, sizeof about.options);
        store_abort(&f->txn);
        PASS(saved_writer_open(f->s, m->name, &about, &f->keep, err));
    }
    kedge_model_free(f->m);
    f->m = NULL;
    return KEDGE_OK;
}

/* A method of all documents reads them twice. */
static kedge_status infer_check_sources(const kedge_infer_opts *o,
                                        const char *const *sources,
                                        size_t count, kedge_error *err)
{
    const bool twice = compose_ways[o->method].of_all;

    if (o->source != NULL && (count > 0 || o->vocabulary != NULL ||
                              o->format != KEDGE_FORMAT_AUTO))
        return kedge_fail(err, KEDGE_EINVAL, "documents come from memory: name "
                                             "no files, format or vocabulary");
    if (o->source != NULL && twice)
        return kedge_fail(err, KEDGE_EINVAL, "padd and pami read all documents "
                                             "twice: write those in memory to "
                                             "a file, or use --method "
                                             "linear-bayes");
    if (o->source != NULL)
        return reader_given_check(o->source, err);
    PASS(reader_find(sources, count, err));
    for (size_t i = 0; i < count && twice; i++)
        if (!outside_lasts(sources[i]))
            return kedge_fail(err, KEDGE_EINVAL, "%s: padd and pami read all "
                              "documents twice, which a pipe does not allow: "
                              "give a file, or use --method linear-bayes",
                              strcmp(sources[i], "-") == 0 ? "standard input"
                                                           : sources[i]);
    return KEDGE_OK;
}

/* Documents that are elsewhere are not gone through. */
static kedge_status infer_begin(kedge_infer *f, const char *const *sources,
                                size_t count, kedge_error *err)
{
    const kedge_infer_opts *const o = f->opts;

    if (o->save && f->outside)
        return kedge_fail(err, KEDGE_EINVAL, "only the proportions of stored "
                                             "documents can be saved: leave "
                                             "out --save or the files");
    if (o->save)
        PASS(store_check_writable(f->s, err));
    PASS(store_begin_read(f->s, &f->txn, err));
    PASS(store_get_totals(f->txn, &f->totals, err));
    PASS(elsewhere_own(f->txn, &f->totals, &f->own, err));
    if (f->own == 0 && !f->outside)
        PASS(elsewhere_refuse(&f->totals, "infer without FILE", err));
    if (f->totals.parts > 0 && !f->outside)
        run_log(f->control, "the documents of %" PRIu64 " part%s are "
                            "elsewhere: only %" PRIu64 " documents are here",
                f->totals.parts, f->totals.parts == 1 ? "" : "s", f->own);
    if (f->outside)
        PASS(outside_open(&f->external, f->txn, sources, count, o, f->control,
                          err));
    if (f->brought != NULL) {
        f->m = f->brought;
        f->brought = NULL;
        PASS(infer_plan(f, err));
    } else {
        PASS(model_open(f->txn, o->model, MODEL_HEADER, &f->m, err));
        PASS(infer_plan(f, err));
        kedge_model_free(f->m);
        f->m = NULL;
        PASS(model_open(f->txn, o->model, MODEL_COMPOSING, &f->m, err));
    }
    PASS(walk_open(&f->walk, f->txn, f->m, &f->totals,
                   f->outside ? 0 : f->totals.blocks, f->control, err));
    for (size_t i = 0; i < count; i++)
        PASS(sourcenames_add(&f->walk.names, sources[i], err));
    if (f->outside)
        store_abort(&f->txn);
    return infer_prepare(f, err);
}

/* ---- reading ------------------------------------------------------------- */

/* Of stored documents by how many are through, whatever is read ahead. */
static void infer_progress(const kedge_infer *f, const char *name,
                           uint64_t documents)
{
    run_progress(f->control,
                 &(kedge_progress){
                     .stage = name,
                     .done = f->outside ? f->external.counts.bytes_read
                                        : documents,
                     .total = f->outside ? f->external.counts.bytes_total
                                         : f->own,
                     .unit = f->outside ? "bytes" : "documents",
                     .documents = documents,
                     .seconds = clock_seconds() - f->since,
                 });
}

/* By any thread; who asks for the block reports its failure. */
static void infer_read_ahead(void *data)
{
    kedge_infer *const f = data;

    f->ahead = true;
    f->ahead_status = walk_next(&f->walk, f->txn, &f->then, &f->ahead_error);
}

/* The next block, or batch of outside documents. */
static kedge_status infer_read(kedge_infer *f, kedge_error *err)
{
    const walk_part was = f->now;
    sourcenames *const names = &f->walk.names;

    docs_clear(&f->now.seen);
    if (f->outside) {
        PASS(outside_next(&f->external, &f->batch, err));
        const uint32_t source = outside_source(&f->external);
        while (f->batch.count > 0 && names->list.count <= source)
            PASS(sourcenames_add(names,
                                 outside_path(&f->external,
                                              (uint32_t)names->list.count),
                                 err));
        return walk_show(&f->walk, &f->batch, source, &f->now, err);
    }
    if (!f->ahead)
        return walk_next(&f->walk, f->keep != NULL ? saved_writer_txn(f->keep)
                                                   : f->txn, &f->now, err);
    f->ahead = false;
    f->now = f->then;
    f->then = was;
    if (f->ahead_status != KEDGE_OK) {
        docs_clear(&f->now.seen);
        if (err != NULL)
            *err = f->ahead_error;
    }
    return f->ahead_status;
}

/* All documents, before any of them is given out. */
static kedge_status infer_learn(kedge_infer *f, kedge_error *err)
{
    kedge_infer_result *const r = &f->result;
    joint_report report;
    uint64_t learnt = 0;

    f->since = clock_seconds();
    do {
        PASS(run_check(f->control, err));
        infer_progress(f, "learning", learnt);
        PASS(infer_read(f, err));
        PASS(compose_learn(f->compose, &f->now.seen, err));
        learnt += f->now.seen.count;
    } while (f->now.seen.count > 0);
    f->walk.next = 0;
    if (f->outside)
        outside_rewind(&f->external);
    PASS(compose_settle(f->compose, f->control, &report, err));
    r->rounds = report.rounds;
    r->settled = report.settled;
    r->moved = report.moved;
    r->loss = report.loss;
    r->strayed = report.strayed;
    return KEDGE_OK;
}

/* ---- opening and closing ------------------------------------------------- */

/* Of the store, options and control in `with`; the model that is brought in it
 * is taken, whatever comes of it. */
static kedge_status infer_open(const kedge_infer *with,
                               const char *const *sources, size_t count,
                               kedge_infer **out, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const kedge_infer_opts *const opts = with->opts;
    kedge_model *brought = with->brought;
    kedge_infer *f = NULL;

    *out = NULL;
    TRY_MEM(f = mem_new(1, sizeof *f));
    *f = *with;
    store_share(f->s);
    brought = NULL;
    TRY(infer_check(opts, err));
    TRY(infer_check_sources(opts, sources, count, err));
    if (opts->source != NULL) {
        f->given = reader_given_name(opts->source);
        sources = &f->given;
        count = 1;
    }
    f->outside = count > 0;
    f->start = clock_seconds();
    f->way = &compose_ways[opts->method];
    /* of most methods, the thread that prepares calls the BLAS alone */
    st = blas_begin(f->way->blas ? f->control->threads : 1, err);
    if (st == KEDGE_OK)
        st = infer_begin(f, sources, count, err);
    if (st == KEDGE_OK && f->way->of_all)
        st = infer_learn(f, err);
    f->since = clock_seconds();
    blas_end();
    TRY(st);
    *out = f;
    f = NULL;
out:
    kedge_model_free(brought);
    kedge_infer_close(f);
    return st;
}

kedge_status kedge_infer_open(kedge_store *s, const char *const *sources,
                              size_t count, const kedge_infer_opts *opts,
                              const kedge_control *control, kedge_infer **out,
                              kedge_error *err)
{
    if (out != NULL)
        *out = NULL;
    API_ENTER(err, {"store", s}, {"out", out});
    API_TEXTS(err, "sources", sources, count);
    control = run_control(control);

    const kedge_infer with = {.s = s, .opts = opts != NULL ? opts : &defaults,
                              .control = control};

    return api_leave(infer_open(&with, sources, count, out, err), err);
}

kedge_status infer_open_brought(kedge_store *s, kedge_model *m,
                                const kedge_infer_opts *opts,
                                const kedge_control *control,
                                kedge_infer **out, kedge_error *err)
{
    const kedge_infer with = {.s = s, .opts = opts != NULL ? opts : &defaults,
                              .control = control,
                              .brought = m};

    return infer_open(&with, NULL, 0, out, err);
}

void kedge_infer_close(kedge_infer *f)
{
    if (f == NULL)
        return;
    store_abort(&f->txn);
    saved_writer_free(f->keep);
    compose_free(f->compose);
    pool_free(f->p);
    walk_close(&f->walk);
    outside_close(&f->external);
    kedge_model_free(f->m);
    kedge_model_free(f->brought);
    docs_free(&f->batch);
    walk_part_free(&f->now);
    walk_part_free(&f->then);
    mem_free(f->weight);
    store_release(f->s);
    mem_free(f);
}

uint64_t kedge_infer_topics(const kedge_infer *f)
{
    return f != NULL ? f->out.topics : 0;
}

/* ---- documents ----------------------------------------------------------- */

/* The next window; none after the last document. */
static kedge_status infer_fill(kedge_infer *f, kedge_error *err)
{
    const compose_aside read = {infer_read_ahead, f};
    bool alone;

    PASS(run_check(f->control, err));
    f->first += f->count;
    f->at = f->count = 0;
    infer_progress(f, "composing", f->result.documents);
    if (f->first == f->now.seen.count) {
        f->first = 0;
        PASS(infer_read(f, err));
    }
    alone = f->outside || f->keep != NULL || f->ahead;
    return compose_add(f->compose, &f->now.seen, f->first, alone ? NULL : &read,
                       &f->count, err);
}

static kedge_doc_flag infer_flag(const kedge_doc_topics *c, bool settled)
{
    if (c->tokens == 0)
        return c->oov > 0 ? KEDGE_DOC_UNKNOWN : KEDGE_DOC_EMPTY;
    if (c->tokens == 1)
        return KEDGE_DOC_SINGLE;
    return settled ? KEDGE_DOC_OK : KEDGE_DOC_UNSETTLED;
}

kedge_status kedge_infer_next(kedge_infer *f, const kedge_doc_topics **out,
                              kedge_error *err)
{
    if (out != NULL)
        *out = NULL;
    API_ENTER(err, {"infer", f}, {"out", out});

    kedge_status st = KEDGE_OK;
    kedge_infer_result *const r = &f->result;
    const composed *found;
    size_t m;

    if (f->at == f->count)
        TRY(infer_fill(f, err));
    if (f->count == 0) { /* after the last document */
        store_kept set;
        if (f->keep == NULL)
            return api_leave(KEDGE_OK, err);
        TRY(saved_writer_finish(f->keep, &set, err));
        r->saved = set.documents;
        r->saved_bytes = set.bytes;
        r->saved_error = set.moved;
        saved_writer_free(f->keep);
        f->keep = NULL;
        return api_leave(KEDGE_OK, err);
    }
    m = f->first + f->at;
    found = compose_found(f->compose, f->at);
    TRY(walk_id(&f->walk.names, &f->now.seen, m, f->now.source, f->id,
                &f->out.id_size, err));
    f->out.id = f->id;
    f->out.proportions = compose_shares(f->compose, f->at);
    f->out.tokens = found->tokens;
    f->out.oov = f->now.outside[m] + f->now.seen.length[m] -
                     found->tokens;
    f->out.misfit = found->residual;
    f->out.iterations = found->steps;
    f->out.flag = infer_flag(&f->out, found->settled);
    if (f->keep != NULL)
        TRY(saved_writer_add(f->keep, f->now.block, f->now.seen.position[m],
                             f->out.tokens, f->out.flag, f->out.proportions,
                             err));
    f->out.ready = f->count - ++f->at;
    r->documents++;
    r->empty += f->out.flag == KEDGE_DOC_EMPTY;
    r->unknown += f->out.flag == KEDGE_DOC_UNKNOWN;
    r->single += f->out.flag == KEDGE_DOC_SINGLE;
    r->unsettled += f->out.flag == KEDGE_DOC_UNSETTLED;
    r->iterations += f->out.iterations;
    r->tokens += f->out.tokens;
    r->oov += f->out.oov;
    *out = &f->out;
out:
    return api_leave(st, err);
}

void kedge_infer_get_result(const kedge_infer *f, kedge_infer_result *out)
{
    if (out != NULL)
        *out = (kedge_infer_result){0};
    if (f == NULL || out == NULL)
        return;
    *out = f->result;
    out->bad = f->external.counts.bad.count;
    out->unread = f->external.counts.unread.count;
    memcpy(out->first_unread, f->external.counts.unread.line[0],
           sizeof out->first_unread);
    out->not_utf8 = f->external.counts.not_utf8;
    memcpy(out->first_not_utf8, f->external.counts.first_not_utf8,
           sizeof out->first_not_utf8);
    out->bytes_read = f->external.counts.bytes_read;
    out->seconds = clock_seconds() - f->start;
    out->peak_memory = memory_peak();
}
