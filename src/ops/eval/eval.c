/* SPDX-License-Identifier: MIT */
/*
 * One walk over the blocks of documents. Each is seen as the models see it, for
 * they have the same words; a window is made of it for the probe's sketch and
 * for the sums over documents, halves of those that words are held out of, and
 * compositions of those that have a class.
 */
#include "ops/eval/eval.h"

#include <inttypes.h>
#include <string.h>

#include "base/fail.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/run.h"
#include "linalg/blas.h"
#include "ops/batch.h"
#include "ops/plan.h"
#include "ops/infer/walk.h"

#define TOP_USUAL 20
#define PROBES_CELLS (UINT64_C(1) << 24) /* numbers that they are, usually, */
#define PROBES_LEAST 128                 /* but so many columns at least */
#define COMPLETION_USUAL 0.1
#define CLUSTERED 10000  /* documents, about, */
#define CLUSTERED_MOST 11000 /* that is, hardly ever more */
#define CLASSES_MOST 500
/* What is drawn by chance is not what a sketch was drawn by. */
#define PROBE_SALT UINT64_C(0x6b7a1f0c9d3e5b42)
#define SAMPLE_SALT UINT64_C(0x1d8e4e27c47d124f)

typedef struct eval {
    store *s;
    kedge_eval_opts opts; /* with what stands for 0 */
    const kedge_control *control;
    size_t count;
    kedge_model **m;
    evaluand **each;
    store_totals totals;
    statistic statistic;
    uint64_t planned;
    pool *p;
    probe *z;
    walk walk;
    walk_part part;
    docs sampled;
    window w;
    halves halves;
    labels labels;
    bool clustered;
    uint32_t *class;      /* of the sampled */
    size_t class_capacity;
    uint32_t dense[CLASSES_MOST]; /* number of a class among those that some
                                     sampled document has, plus 1; 0: none */
    size_t classes;
    uint64_t documents, counted;
    double start;
} eval;

void kedge_eval_opts_init(kedge_eval_opts *opts)
{
    if (opts == NULL)
        return;
    *opts = (kedge_eval_opts){.top = TOP_USUAL,
                              .rank = KEDGE_RANK_RELEVANCE,
                              .completion = COMPLETION_USUAL,
                              .seed = 1};
}

#define REFUSE(wrong, ...)                                     \
    do {                                                       \
        if (wrong)                                             \
            return kedge_fail(err, KEDGE_EINVAL, __VA_ARGS__); \
    } while (0)

static kedge_status eval_check(const kedge_eval_opts *o, size_t count,
                               kedge_error *err)
{
    REFUSE(count < 1 || count > KEDGE_EVAL_MODELS_MOST,
           "%zu models: expected 1 to %d at a time", count,
           KEDGE_EVAL_MODELS_MOST);
    REFUSE(o->top < 2 || o->top > KEDGE_EVAL_TOP_MOST,
           "%" PRIu64 " first words: expected 2 to %d", o->top,
           KEDGE_EVAL_TOP_MOST);
    REFUSE(o->rank != KEDGE_RANK_PROBABILITY &&
               o->rank != KEDGE_RANK_RELEVANCE &&
               o->rank != KEDGE_RANK_WEIGHTED,
           "rank: expected probability, relevance or weighted");
    REFUSE(!(o->completion >= 0 && o->completion <= 1),
           "--completion %g: expected a share from 0 to 1", o->completion);
    REFUSE(o->probes > KEDGE_EVAL_PROBES_MOST || o->probes % 64 != 0,
           "%" PRIu64 " probes: expected a multiple of 64 up to %d",
           o->probes, KEDGE_EVAL_PROBES_MOST);
    return KEDGE_OK;
}

static kedge_status eval_find_statistic(const char *name, uint32_t *kind,
                                        kedge_error *err)
{
    if (name != NULL)
        *kind = statistic_find(name, strlen(name));
    REFUSE(*kind == STATISTIC_NONE,
           "--tf \"%.40s\": choose raw, log or sqrt", name);
    return KEDGE_OK;
}

static const char *rank_name(kedge_rank rank)
{
    return rank == KEDGE_RANK_RELEVANCE  ? "relevance"
           : rank == KEDGE_RANK_WEIGHTED ? "weighted"
                                         : "probability";
}

kedge_status eval_ready(store *s, const kedge_eval_opts *opts, size_t count,
                        kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    store_txn *txn = NULL;
    store_totals totals;
    labels l = {0};
    uint32_t any = STATISTIC_JOINT;

    TRY(eval_check(opts, count, err));
    TRY(eval_find_statistic(opts->tf, &any, err));
    TRY(store_begin_read(s, &txn, err));
    TRY(store_get_totals(txn, &totals, err));
    TRY(labels_open(&l, opts->labels, totals.documents, err));
out:
    labels_close(&l);
    store_abort(&txn);
    return st;
}

/* ---- the plan ------------------------------------------------------------ */

static uint64_t eval_probes(uint64_t rows)
{
    const uint64_t fit = PROBES_CELLS / (rows + 1) / 64 * 64;

    return fit > KEDGE_EVAL_PROBES_MOST ? KEDGE_EVAL_PROBES_MOST
           : fit < PROBES_LEAST         ? PROBES_LEAST
                                        : fit;
}

/* What the model and its measures take; their sketch and the documents are
 * those of all models. */
static uint64_t eval_model_memory(const eval *v, const kedge_model *m)
{
    const uint64_t clustered =
        v->clustered ? lesser(v->totals.documents, CLUSTERED_MOST) : 0;

    return model_memory(m, v->totals.word_bytes) +
           memory_measures(&v->opts, m->words, m->topics, v->control->threads,
                           clustered, CLASSES_MOST);
}

/* A block as it is stored, in a window, in halves, and as documents that are
 * clustered; and the sketch that models of these words are measured by. */
static uint64_t eval_documents_memory(const eval *v, const kedge_model *m,
                                      const store_block_size *largest)
{
    const unsigned threads = v->control->threads;
    /* parts of a document may share a word; pieces have theirs each */
    const uint64_t parts = largest->entries + WINDOW_PARTS * largest->documents;
    const uint64_t pieces =
        lesser(v->totals.tokens, 2 * STORE_BLOCK_ENTRIES);
    const uint64_t batches =
        (v->opts.completion > 0 ? 1u : 0u) + (v->clustered ? 1u : 0u);

    return memory_probe(m->words, v->opts.probes, threads,
                        largest->documents) +
           greater(memory_window(m->words, parts, true),
                   memory_window(m->words, pieces, false)) +
           batches * memory_batch(largest) +
           memory_filter(m->words, v->totals.words, m->index.joined);
}

/* Of models that are there, or of one that will be. */
static kedge_status eval_plan(eval *v, store_txn *txn,
                              const char *const *models,
                              const kedge_model *coming, kedge_error *err)
{
    const uint64_t bytes = v->totals.word_bytes;
    const unsigned threads = v->control->threads;
    const size_t count = coming != NULL ? 1 : v->count;
    uint64_t each = 0, all = 0;
    store_block_size largest;

    PASS(store_largest_block(txn, v->totals.blocks, &largest, err));
    for (size_t i = 0; i < count; i++) {
        kedge_model *m = NULL;
        const kedge_model *one = coming;
        if (coming == NULL) {
            PASS(model_open(txn, models[i], MODEL_HEADER, &m, err));
            one = m;
        }
        if (v->opts.probes == 0)
            v->opts.probes = eval_probes(one->words);
        each += eval_model_memory(v, one);
        if (i == 0)
            all = eval_documents_memory(v, one, &largest);
        kedge_model_free(m);
    }
    return plan_walk(&(walk_shape){.what = "evaluating",
                                   .threads = threads,
                                   .vocabulary = v->totals.words,
                                   .word_bytes = bytes,
                                   .blocks = 1,
                                   .read = 2 * largest.stored + bytes + each,
                                   .largest = largest,
                                   .more = threads * MEMORY_BLAS_THREAD +
                                           labels_bytes(&v->labels) +
                                           memory_sources(v->totals.sources) +
                                           each + all},
                     v->control, &v->planned, err);
}

/* ---- opening ------------------------------------------------------------- */

/* Whether the documents came with labels: some of the first block did. */
static kedge_status eval_find_labels(eval *v, store_txn *txn, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const uint64_t blocks = v->totals.blocks;
    store_block scratch = {0};
    store_order order = {0};
    docs *const d = &v->part.seen;
    uint32_t source;
    uint64_t first;

    v->clustered = v->opts.labels != NULL;
    if (v->clustered || v->totals.parts > 0)
        return KEDGE_OK;
    TRY(store_next_block(txn, 0, blocks, &first, err));
    if (first == blocks)
        return KEDGE_OK;
    TRY(store_read_block(txn, first, &scratch, &order, &source, d, err));
    for (size_t m = 0; m < d->count; m++)
        v->clustered |= docs_label(d, m).size > 0;
out:
    store_block_free(&scratch);
    store_order_free(&order);
    return st;
}

/* Models of the same words alone are measured side by side. */
static kedge_status eval_load(eval *v, const char *const *models,
                              kedge_error *err)
{
    for (size_t i = 0; i < v->count; i++) {
        const kedge_model *a, *b;
        PASS(kedge_model_load(v->s, models[i], v->control, &v->m[i], err));
        a = v->m[0];
        b = v->m[i];
        REFUSE(a->words != b->words ||
                   a->index.statistic != b->index.statistic ||
                   a->index.min_tokens != b->index.min_tokens ||
                   a->index.joined != b->index.joined ||
                   memcmp(a->ids, b->ids, a->words * sizeof *a->ids) != 0,
               "models %s and %s have different words or --tf and cannot be "
               "measured together: measure each by itself", a->name, b->name);
    }
    return KEDGE_OK;
}

static kedge_status eval_look(eval *v, store_txn *txn,
                              const char *const *models,
                              const kedge_model *coming, kedge_error *err)
{
    PASS(store_get_totals(txn, &v->totals, err));
    PASS(labels_open(&v->labels, v->opts.labels, v->totals.documents, err));
    PASS(eval_find_labels(v, txn, err));
    return eval_plan(v, txn, models, coming, err);
}

static kedge_status eval_begin(eval *v, const char *const *models,
                               kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    store_txn *txn = NULL;
    char total[16], budget[16];
    uint32_t kind;

    TRY(store_begin_read(v->s, &txn, err));
    TRY(eval_look(v, txn, models, NULL, err));
    run_log(v->control, "memory: %s at most, of a budget of %s",
            plan_size(v->planned, total),
            plan_size(v->control->memory, budget));
    if (v->totals.parts > 0)
        run_log(v->control, "the documents of %" PRIu64 " part%s are "
                            "elsewhere: measures of documents are left out",
                v->totals.parts, v->totals.parts == 1 ? "" : "s");
    store_abort(&txn);
    TRY_MEM(v->m = mem_new(v->count, sizeof(kedge_model *)));
    TRY_MEM(v->each = mem_new(v->count, sizeof(evaluand *)));
    TRY(eval_load(v, models, err));
    kind = v->m[0]->index.statistic;
    TRY(eval_find_statistic(v->opts.tf, &kind, err));
    statistic_open(&v->statistic, kind);
    v->w.statistic = &v->statistic;
    v->w.most = STORE_BLOCK_ENTRIES;
    TRY(pool_open(v->control, &v->p, err));
    TRY(probe_create(&v->m[0]->text, v->opts.probes,
                     hash_mix(v->opts.seed ^ PROBE_SALT), v->p, &v->z, err));
    for (size_t i = 0; i < v->count; i++)
        TRY(evaluand_create(v->m[i], &v->opts, v->clustered, v->p,
                            &v->each[i], err));
out:
    store_abort(&txn);
    return st;
}

/* ---- documents ----------------------------------------------------------- */

/* The documents of the block that are drawn, and their classes: numbers among
 * those that sampled documents have. */
static kedge_status eval_sample(eval *v, uint64_t key, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const docs *const d = &v->part.seen;
    const double share = (double)CLUSTERED / (double)v->totals.documents;

    docs_clear(&v->sampled);
    for (size_t m = 0; m < d->count && v->clustered; m++) {
        const uint64_t drawn = hash_stream(key, d->position[m]) >> 11;
        char id[STORE_ID_MAX + 1];
        uint32_t class;
        size_t size;
        TRY(walk_id(&v->walk.names, d, m, v->part.source, id, &size, err));
        TRY(labels_next(&v->labels, span_of(id, size), docs_label(d, m),
                        &class, err));
        if (class == LABELS_NONE || !((double)drawn < share * 0x1p53))
            continue;
        if (class >= CLASSES_MOST) {
            run_log(v->control, "documents have more than %d classes: they "
                    "are not clustered", CLASSES_MOST);
            v->clustered = false;
            v->classes = 0;
            break;
        }
        if (v->dense[class] == 0)
            v->dense[class] = (uint32_t)++v->classes;
        TRY_GROW(v->class, v->class_capacity, v->sampled.count + 1);
        TRY_MEM(docs_append(&v->sampled, d, m));
        v->class[v->sampled.count - 1] = v->dense[class] - 1;
    }
out:
    return st;
}

static kedge_status eval_block(eval *v, kedge_error *err)
{
    const docs *const d = &v->part.seen;
    const size_t rows = v->m[0]->words;
    const uint64_t least = v->m[0]->index.min_tokens;
    const uint64_t key = hash_stream(v->opts.seed ^ SAMPLE_SALT,
                                     v->part.source);

    v->documents += d->count;
    v->counted += d->count;
    PASS(window_fill(&v->w, d, rows, least, err));
    for (;;) {
        v->counted -= v->w.skipped;
        PASS(probe_add(v->z, &v->w, err));
        for (size_t i = 0; i < v->count; i++)
            evaluand_weigh(v->each[i], &v->w);
        if (!v->w.more)
            break;
        PASS(window_go_on(&v->w, d, rows, least, err));
    }
    PASS(halves_split(&v->halves, d, key, v->opts.completion, err));
    PASS(eval_sample(v, hash_mix(key), err));
    for (size_t i = 0; i < v->count; i++) {
        PASS(evaluand_add(v->each[i], d, &v->halves, err));
        if (v->clustered)
            PASS(evaluand_cluster(v->each[i], &v->sampled, v->class, err));
    }
    return KEDGE_OK;
}

static kedge_status eval_walk(eval *v, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    store_txn *txn = NULL;
    uint64_t blocks; /* measures of documents are of all, or are not there */
    stage progress;

    TRY(store_begin_read(v->s, &txn, err));
    TRY(store_get_totals(txn, &v->totals, err));
    blocks = v->totals.parts == 0 ? v->totals.blocks : 0;
    TRY(walk_open(&v->walk, txn, v->m[0], &v->totals, blocks, v->control,
                  err));
    progress = stage_begin(v->control, "measuring", blocks, "blocks");
    for (;;) {
        TRY(walk_next(&v->walk, txn, &v->part, err));
        if (v->part.seen.count == 0)
            break;
        TRY(eval_block(v, err));
        progress.documents = v->documents;
        TRY(stage_reach(&progress, v->walk.next, err));
    }
    probe_finish(v->z);
    if (v->labels.unmet > 0)
        run_log(v->control, "%zu of %zu ids in %s belong to no document",
                v->labels.unmet, v->labels.count, v->opts.labels);
out:
    store_abort(&txn);
    return st;
}

/* ---- the whole ----------------------------------------------------------- */

static kedge_status eval_finish(eval *v, kedge_eval_result *out,
                                kedge_error *err)
{
    const stage progress = stage_begin(v->control, "summing up", v->count,
                                   "models");

    for (size_t i = 0; i < v->count; i++) {
        const kedge_model *const m = v->m[i];
        kedge_eval_result *const r = &out[i];
        *r = (kedge_eval_result){
            .topics = m->topics, .words = m->words,
            .of_model = v->statistic.kind == m->index.statistic &&
                        !m->figures.ncut,
            .documents = v->documents, .counted = v->counted,
            .probes = v->opts.probes,
            .planned_memory = v->planned};
        memcpy(r->model, m->name, sizeof r->model);
        strncpy(r->tf, statistic_name(v->statistic.kind),
                sizeof r->tf - 1);
        strncpy(r->rank, rank_name(v->opts.rank), sizeof r->rank - 1);
        PASS(evaluand_finish(v->each[i], v->z, v->documents, v->classes, r,
                             err));
        PASS(stage_reach(&progress, i + 1, err));
    }
    if (v->opts.completion > 0 && v->documents > 0 &&
        out[0].completion_documents == 0)
        run_log(v->control, "document completion drew none of the %" PRIu64 " "
                            "documents: give a larger share "
                            "(--completion)", v->documents);
    for (size_t i = 0; i < v->count; i++) {
        out[i].peak_memory = memory_peak();
        out[i].seconds = clock_seconds() - v->start;
    }
    return KEDGE_OK;
}

static void eval_close(eval *v)
{
    for (size_t i = 0; v->each != NULL && i < v->count; i++)
        evaluand_free(v->each[i]);
    for (size_t i = 0; v->m != NULL && i < v->count; i++)
        kedge_model_free(v->m[i]);
    mem_free_all(v->each, v->m, v->class);
    probe_free(v->z);
    pool_free(v->p);
    walk_close(&v->walk);
    walk_part_free(&v->part);
    labels_close(&v->labels);
    window_free(&v->w);
    halves_free(&v->halves);
    docs_free(&v->sampled);
}

kedge_status kedge_eval(kedge_store *s, const char *const *models,
                        size_t count, const kedge_eval_opts *opts,
                        const kedge_control *control, kedge_eval_result *out,
                        kedge_error *err)
{
    if (out != NULL)
        memset(out, 0, count * sizeof *out);
    API_ENTER(err, {"store", s});
    API_ARRAY(err, "models", models, count); /* a NULL in it: the last */
    API_ARRAY(err, "out", out, count);
    API_USUAL(kedge_eval_opts, opts);
    control = run_control(control);

    kedge_status st = KEDGE_OK;
    eval v = {.s = s, .opts = *opts, .control = control, .count = count,
              .start = clock_seconds()};

    TRY(blas_begin(control->threads, err));
    TRY(eval_check(opts, count, err));
    TRY(eval_begin(&v, models, err));
    TRY(eval_walk(&v, err));
    TRY(eval_finish(&v, out, err));
out:
    eval_close(&v);
    blas_end();
    return api_leave(st, err);
}

kedge_status eval_foresee(kedge_store *s, const kedge_model *coming,
                          const kedge_eval_opts *opts,
                          const kedge_control *control, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    store_txn *txn = NULL;
    eval v = {.s = s, .opts = *opts, .control = control};

    TRY(store_begin_read(s, &txn, err));
    TRY(eval_look(&v, txn, NULL, coming, err));
out:
    store_abort(&txn);
    eval_close(&v);
    return st;
}
