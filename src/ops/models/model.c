/* SPDX-License-Identifier: MIT */
/*
 * The header is a table of fields; then come the topics' names and the rule of
 * the index's words, where there are any, and a hash closes it.
 */
#include "ops/models/model.h"

#include <float.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "base/fail.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/run.h"
#include "metrics/ranking.h"
#include "ops/plan.h"
#include "store/schema.h"

#define HEADER_VERSION 3
#define HEADER_METHODS 4 /* with a method that version 3 has not */
#define HEADER_SEED    1
#define NAMES_SHOWN    10 /* models that an error lists */
#define NAMES_ROOM     800
#define HEADER_NAMES   328 /* where they begin */
#define HEADER_SIZE    (HEADER_NAMES + 8) /* without names and rule */

/* A model as its header's fields have it. */
typedef struct header {
    kedge_model m;
    uint64_t version;
    uint64_t methods; /* rectification in a byte, co-occurrence in the next,
                         preset in the one after that */
    uint8_t correlations[1];
    uint8_t ways[METHODS_BYTES];
} header;

#define ANY UINT64_MAX

#define IN_HEADER(member) FIELD_NAMED(#member, header, member, 0, ANY)
#define OF_MODEL(member)  IN_MODEL(member, 0, ANY)
#define IN_MODEL(member, least, most) \
    FIELD_NAMED(#member, header, m.member, least, most)
#define IN_FIGURES(member, most) \
    FIELD_NAMED(#member, header, m.figures.member, 0, most)

static const field header_fields[] = {
    IN_HEADER(version),
    IN_MODEL(topics, 2, KEDGE_TOPICS_MOST),
    IN_MODEL(words, 1, UINT32_MAX),
    OF_MODEL(serial),
    OF_MODEL(blocks),
    IN_MODEL(index.statistic, 0, 2),
    OF_MODEL(index.weight_bits),
    OF_MODEL(index.value_bits),
    IN_MODEL(index.width, 0, STORE_WIDTH_MOST),
    OF_MODEL(index.seed),
    IN_MODEL(index.min_tokens, 0, STORE_MIN_TOKENS_MOST),
    OF_MODEL(index.documents),
    OF_MODEL(index.skipped),
    OF_MODEL(index.tokens),
    OF_MODEL(digest[0]),
    OF_MODEL(digest[1]),
    OF_MODEL(vocabulary_digest),
    IN_FIGURES(power_iter, ANY),
    IN_HEADER(methods),
    IN_HEADER(correlations),
    IN_HEADER(ways),
    OF_MODEL(rounds_asked),
    OF_MODEL(tolerance),
    IN_MODEL(keep_spectrum, 0, 1),
    IN_MODEL(characteristic_count, 0, LAW_CHARACTERISTIC),
    OF_MODEL(figures.sketch_error),
    OF_MODEL(figures.sketch_error_last),
    OF_MODEL(figures.unexplained),
    OF_MODEL(figures.rectify_iter),
    OF_MODEL(figures.rectify_change),
    OF_MODEL(figures.negative_share),
    OF_MODEL(figures.anchor_min_df),
    OF_MODEL(figures.candidates),
    OF_MODEL(figures.solver_iter),
    OF_MODEL(figures.topic_cooccurrence_sum),
    OF_MODEL(figures.topic_cooccurrence_negative),
    OF_MODEL(names_size),
    IN_FIGURES(term_weight, KEDGE_TERM_WEIGHT_SQRT),
    IN_FIGURES(em_iter, KEDGE_EM_ITER_MOST),
    IN_FIGURES(ncut, 1),
    IN_MODEL(index_place, 0, (uint64_t)UINT32_MAX + 1),
    OF_MODEL(rule_size),
};

const struct schema model_schema = {
    "KMOD", header_fields, sizeof header_fields / sizeof *header_fields};

static bool model_is_plain(const kedge_model *m)
{
    return m->figures.rectify <= KEDGE_RECTIFY_NONE &&
           m->figures.cooccurrence == KEDGE_COOCCURRENCE_SKETCH &&
           m->figures.preset == KEDGE_PRESET_NONE &&
           methods_plain(&m->ways);
}

static void model_write_fields(const kedge_model *m, uint8_t to[HEADER_NAMES])
{
    header h = {
        .m = *m,
        .version = model_is_plain(m) ? HEADER_VERSION : HEADER_METHODS,
        .methods = m->figures.rectify |
                   (uint64_t)m->figures.cooccurrence << 8 |
                   (uint64_t)m->figures.preset << 16,
        .correlations = {(uint8_t)m->correlations_kind},
    };

    methods_pack(&m->ways, h.ways);
    schema_write(&model_schema, &h, to);
}

/* false where they are no fields of a model. */
static bool model_read_fields(const uint8_t *from, kedge_model *out)
{
    header h = {.m = *out};

    if (schema_read(&model_schema, from, &h, "it", NULL) != KEDGE_OK ||
        !methods_unpack(h.ways, &h.m.ways) ||
        (h.methods & 0xff) > KEDGE_RECTIFY_DR ||
        h.correlations[0] > KEDGE_TOPIC_COOCCURRENCE_DIAGONAL ||
        (h.methods >> 8 & 0xff) > KEDGE_COOCCURRENCE_SPARSE ||
        h.methods >> 16 > KEDGE_PRESET_AW)
        return false;
    *out = h.m;
    out->figures.rectify = (kedge_rectify)(h.methods & 0xff);
    out->figures.cooccurrence = (kedge_cooccurrence)(h.methods >> 8 & 0xff);
    out->figures.preset = (kedge_preset)(h.methods >> 16);
    out->correlations_kind = h.correlations[0];
    return h.version == (model_is_plain(out) ? HEADER_VERSION
                                             : HEADER_METHODS);
}

#define AT(member) offsetof(kedge_model, member)
#define APART      MODEL_TOPICS
#define COMPOSING  MODEL_COMPOSING

/* The arrays: where each is in the model, what it is of, when it is there, what
 * is checked of it when it is loaded (CHECKED_LATER: by who uses it), and what
 * for it is loaded without the others. */
static const struct model_array {
    const char *name;
    size_t member;
    enum { WORDS, TOPICS, WORDS_TOPICS, TOPICS_TOPICS, SMALL } shape;
    enum { ALWAYS, SPECTRUM, WEIGHTS } when;
    enum { NUMBERS, COUNTS, POSITIVE, CHECKED_LATER } holds;
    unsigned use;
} model_array[] = {
    {"topics", AT(probabilities), WORDS_TOPICS, ALWAYS, NUMBERS,
     APART | COMPOSING},
    {"correlations", AT(correlations), TOPICS_TOPICS, ALWAYS, NUMBERS,
     COMPOSING},
    {"words", AT(word_probability), WORDS, ALWAYS, NUMBERS, COMPOSING},
    {"tf", AT(tf), WORDS, ALWAYS, COUNTS, 0},
    {"df", AT(df), WORDS, ALWAYS, COUNTS, 0},
    {"ids", AT(ids), WORDS, ALWAYS, CHECKED_LATER,
     APART | COMPOSING | MODEL_IDS},
    {"small", AT(small), SMALL, ALWAYS, CHECKED_LATER, APART},
    {"eigenvectors", AT(eigenvectors), WORDS_TOPICS, SPECTRUM, NUMBERS, 0},
    {"rectified", AT(rectified), WORDS_TOPICS, SPECTRUM, NUMBERS, 0},
    {"eigenvalues", AT(eigenvalues), TOPICS, SPECTRUM, NUMBERS, 0},
    {"weights", AT(weights), WORDS, WEIGHTS, POSITIVE, 0}};

#define ARRAYS (sizeof model_array / sizeof *model_array)

static double **array_of(kedge_model *m, size_t i)
{
    return (double **)(void *)((char *)m + model_array[i].member);
}

static size_t array_count(const kedge_model *m, size_t i)
{
    const size_t n = m->words, k = m->topics;
    const size_t count[] = {
        [WORDS] = n, [TOPICS] = k, [WORDS_TOPICS] = n * k,
        [TOPICS_TOPICS] = k * k, [SMALL] = k * (2 + m->characteristic_count)};

    return count[model_array[i].shape];
}

static bool model_has(const kedge_model *m, size_t i)
{
    const bool there[] = {
        [ALWAYS] = true, [SPECTRUM] = m->keep_spectrum != 0,
        [WEIGHTS] = m->figures.term_weight != KEDGE_TERM_WEIGHT_NONE};

    return there[model_array[i].when];
}

kedge_status model_write_header(const kedge_model *m, uint8_t **bytes,
                                size_t *size, kedge_error *err)
{
    kedge_model copy = *m;
    uint8_t *to;

    copy.names_size = naming_size(m->names, m->topics);
    copy.rule_size = strlen(m->index.rule);
    *size = HEADER_SIZE + copy.names_size + copy.rule_size;
    PASS_MEM(*bytes = to = mem_new(*size, 1));
    model_write_fields(&copy, to);
    naming_write(m->names, m->topics, to + HEADER_NAMES);
    memcpy(to + HEADER_NAMES + copy.names_size, m->index.rule, copy.rule_size);
    put_u64(to + *size - 8, hash_bytes(HEADER_SEED, to, *size - 8));
    return KEDGE_OK;
}

kedge_status model_put_header(store_txn *txn, const kedge_model *m,
                              kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    uint8_t *bytes = NULL;
    size_t size;

    TRY(model_write_header(m, &bytes, &size, err));
    TRY(store_put_model(txn, m->name, bytes, size, err));
out:
    mem_free(bytes);
    return st;
}

kedge_status model_put(store_txn *txn, const kedge_model *m, kedge_error *err)
{
    kedge_model copy = *m;

    PASS(store_drop_model(txn, m->name, err));
    PASS(model_put_header(txn, m, err));
    for (size_t i = 0; i < ARRAYS; i++)
        if (*array_of(&copy, i) != NULL)
            PASS(store_put_array(txn, m->name, model_array[i].name,
                                 *array_of(&copy, i), array_count(m, i), err));
    return KEDGE_OK;
}

kedge_status model_read_header(const uint8_t *from, size_t size,
                               const char *name, uint64_t words_most,
                               kedge_model *out, kedge_error *err)
{
    const bool whole =
        size >= HEADER_SIZE &&
        get_u64(from + size - 8) == hash_bytes(HEADER_SEED, from, size - 8);
    const uint64_t rest = whole ? size - HEADER_SIZE : 0; /* names and rule */

    *out = (kedge_model){0};
    snprintf(out->name, sizeof out->name, "%s", name);
    if (whole && get_u64(from) != HEADER_VERSION &&
        get_u64(from) != HEADER_METHODS)
        return kedge_fail(err, KEDGE_EVERSION,
                          "model %s was written by another version; fit it "
                          "again",
                          name);
    if (!whole || !model_read_fields(from, out) || out->words > words_most ||
        out->characteristic_count > out->words ||
        out->names_size > rest || rest - out->names_size != out->rule_size ||
        out->rule_size >= sizeof out->index.rule)
        return kedge_fail(err, KEDGE_ECORRUPT,
                          "the header of model %s is damaged; fit it again",
                          name);
    memcpy(out->index.rule, from + HEADER_NAMES + out->names_size,
           out->rule_size);
    out->index.listed = out->rule_size > 0;
    out->figures.topics = out->topics;
    out->figures.words = out->words;
    out->figures.sketch_size = out->index.width;
    out->figures.anchors = out->ways.anchors;
    out->figures.solver = out->ways.solver;
    out->figures.recover = out->ways.recover;
    out->figures.legal = out->ways.legal;
    snprintf(out->figures.model, sizeof out->figures.model, "%s", name);
    return KEDGE_OK;
}

kedge_status model_get_header(store_txn *txn, const char *name,
                              kedge_model *out, kedge_error *err)
{
    const uint8_t *bytes;
    store_limits limits;
    size_t size;

    *out = (kedge_model){0};
    PASS(store_get_model_header(txn, name, &bytes, &size, err));
    PASS(store_get_limits(txn, &limits, err));
    return model_read_header(bytes, size, name, limits.words, out, err);
}

/* ---- the digest ---------------------------------------------------------- */

kedge_status model_digest(store_txn *txn, const char *name, uint64_t *digest,
                          kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    uint8_t fields[HEADER_NAMES];
    kedge_model m;
    double *values = NULL;

    PASS(model_get_header(txn, name, &m, err));
    m.serial = m.blocks = m.names_size = m.index_place = m.rule_size = 0;
    m.figures.preset = KEDGE_PRESET_NONE; /* another way to ask for it */
    model_write_fields(&m, fields);
    *digest = hash_bytes(HEADER_SEED, fields, sizeof fields);
    for (size_t i = 0; i < ARRAYS; i++) {
        const size_t count = array_count(&m, i);
        /* rows' ids are those of one store */
        if (!model_has(&m, i) || model_array[i].member == AT(ids))
            continue;
        TRY_MEM(values = mem_new(count, sizeof *values));
        TRY(store_get_array(txn, m.name, model_array[i].name, values, count,
                            err));
        *digest = hash_bytes(*digest, values, count * sizeof *values);
        mem_free(values);
        values = NULL;
    }
out:
    mem_free(values);
    return st;
}

/* ---- loading ------------------------------------------------------------- */

static kedge_status model_load_array(store_txn *txn, kedge_model *m, size_t i,
                                     kedge_error *err)
{
    const struct model_array *const a = &model_array[i];
    const size_t count = array_count(m, i);
    double *value;
    bool fine = true;

    PASS_MEM(*array_of(m, i) = value = mem_new(count, sizeof *value));
    PASS(store_get_array(txn, m->name, a->name, value, count, err));
    for (size_t e = 0; e < count && a->holds != CHECKED_LATER; e++)
        fine &= value[e] >= -DBL_MAX && value[e] <= DBL_MAX &&
                (a->holds != COUNTS || (value[e] >= 0 && value[e] < 0x1p63)) &&
                (a->holds != POSITIVE || value[e] > 0);
    return fine ? KEDGE_OK
                : kedge_fail(err, KEDGE_ECORRUPT,
                             "array \"%s\" of model \"%s\" is damaged (its "
                             "numbers)", a->name, m->name);
}

/* The header has been looked at already, and is what it was. */
static kedge_status model_load_names(store_txn *txn, kedge_model *m,
                                     kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const uint8_t *bytes;
    size_t size;

    if (m->names_size == 0)
        return KEDGE_OK;
    TRY(store_get_model_header(txn, m->name, &bytes, &size, err));
    TRY_MEM(m->names = mem_new(m->topics, sizeof *m->names));
    if (!naming_read(m->names, m->topics, bytes + HEADER_NAMES,
                     m->names_size))
        st = kedge_fail(err, KEDGE_ECORRUPT,
                        "the topics' names of model %s are damaged; fit it "
                        "again",
                        m->name);
out:
    return st;
}

kedge_status model_bad_row(const kedge_model *m, size_t row, size_t all,
                           kedge_error *err)
{
    return kedge_fail(err, KEDGE_ECORRUPT, "row %zu of model %s has a word "
                      "that is none of the store's %zu", row, m->name, all);
}

kedge_status model_order(const kedge_model *m, size_t all, uint32_t **order,
                         kedge_error *err)
{
    PASS_MEM(*order = mem_new(m->words, sizeof **order));
    for (size_t r = 0; r < m->words; (*order)[r] = (uint32_t)m->ids[r], r++)
        if (!(m->ids[r] >= 0 && m->ids[r] < (double)all))
            PASS(model_bad_row(m, r, all, err));
    return KEDGE_OK;
}

kedge_status model_load_words(store_txn *txn, kedge_model *m, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    store_totals totals;
    uint32_t *order = NULL;

    TRY(store_get_totals(txn, &totals, err));
    TRY(model_order(m, totals.words, &order, err));
    TRY(store_pick_words(txn, order, m->words, &m->text, err));
    for (size_t r = 1; r < m->words; r++)
        if (words_compare(&m->text, r - 1, r) >= 0)
            TRY(kedge_fail(err, KEDGE_ECORRUPT,
                           "the words of model %s are damaged (row %zu)",
                           m->name, r));
out:
    mem_free(order);
    return st;
}

/* What `small` holds: anchors, residuals and characteristic words. Words are
 * rows, small integers in an array of doubles. */
static kedge_status model_unfold(kedge_model *m, kedge_error *err)
{
    const size_t k = m->topics, c = m->characteristic_count;

    for (size_t i = 0; i < k * (2 + c); i++)
        if ((i < k || i >= 2 * k) &&
            !(m->small[i] >= 0 && m->small[i] < (double)m->words))
            return kedge_fail(err, KEDGE_ECORRUPT,
                              "model %s names words that are not there",
                              m->name);
    PASS_MEM(m->anchors = mem_new(k, sizeof *m->anchors));
    PASS_MEM(m->residuals = mem_new(k, sizeof *m->residuals));
    PASS_MEM(m->characteristic = mem_new2(k, c, sizeof *m->characteristic));
    for (size_t t = 0; t < k; t++) {
        m->anchors[t] = (uint64_t)m->small[t];
        m->residuals[t] = m->small[k + t];
    }
    for (size_t i = 0; i < k * c; i++)
        m->characteristic[i] = (uint64_t)m->small[2 * k + i];
    return KEDGE_OK;
}

/* D B, its columns scaled to one. */
static kedge_status model_weigh(kedge_model *m, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    const size_t k = m->topics;
    double *sum = NULL;

    if (m->weights == NULL)
        return KEDGE_OK;
    TRY_MEM(m->weighted = mem_new2(m->words, k, sizeof *m->weighted));
    TRY_MEM(sum = mem_new(k, sizeof *sum));
    for (size_t i = 0; i < m->words; i++)
        for (size_t t = 0; t < k; t++)
            sum[t] += m->weighted[i * k + t] =
                m->weights[i] * m->probabilities[i * k + t];
    for (size_t i = 0; i < m->words; i++)
        for (size_t t = 0; t < k; t++)
            m->weighted[i * k + t] /= sum[t];
out:
    mem_free(sum);
    return st;
}

/* Shares of topics, weighted topics and the Dirichlet that comes near A. */
static kedge_status model_derive(kedge_model *m, kedge_error *err)
{
    const size_t k = m->topics;
    double sum = 0;

    PASS(model_unfold(m, err));
    PASS_MEM(m->shares = mem_new(k, sizeof *m->shares));
    PASS_MEM(m->mix = mem_new(m->words, sizeof *m->mix));
    PASS_MEM(m->alpha = mem_new(k, sizeof *m->alpha));
    for (size_t t = 0; t < k; t++) {
        for (size_t l = 0; l < k; l++)
            m->shares[t] += m->correlations[t * k + l];
        sum += m->shares[t];
    }
    for (size_t t = 0; t < k; t++)
        m->shares[t] /= sum;
    if (!dirichlet_match(m->correlations, k, m->alpha,
                         &m->figures.dirichlet_error)) {
        mem_free(m->alpha);
        m->alpha = NULL;
    }
    for (size_t t = 0; m->alpha != NULL && t < k; t++)
        m->figures.dirichlet += m->alpha[t];
    ranking_mix(m->probabilities, m->shares, m->words, k, m->mix);
    return model_weigh(m, err);
}

/* ": a, b, c, ... (12 in all)": the first ten of the store, or of those that
 * were fitted by sweeps; "" where there is none. */
static void model_names(store_txn *txn, bool swept, char *out, size_t room)
{
    char name[64];
    kedge_model m;
    size_t shown = 0, all = 0, at = 0;

    out[0] = '\0';
    for (uint64_t i = 0;
         store_get_model_name(txn, i, name, NULL) == KEDGE_OK; i++) {
        if (swept && (model_get_header(txn, name, &m, NULL) != KEDGE_OK ||
                      !(m.serial & MODEL_SWEPT)))
            continue;
        all++;
        if (shown < NAMES_SHOWN && at < room)
            at += (size_t)snprintf(out + at, room - at, "%s%s",
                                   shown++ > 0 ? ", " : ": ", name);
    }
    if (all > shown && at < room)
        snprintf(out + at, room - at, ", ... (%zu in all)", all);
}

kedge_status model_missing(store_txn *txn, const char *name, kedge_error *err)
{
    char names[NAMES_ROOM];

    model_names(txn, false, names, sizeof names);
    return names[0] == '\0'
               ? kedge_fail(err, KEDGE_ENOTFOUND,
                            "the store has no model \"%s\", and no other yet; "
                            "make one with 'kedge fit STORE -k TOPICS'", name)
               : kedge_fail(err, KEDGE_ENOTFOUND,
                            "the store has no model \"%s\"; its models%s", name,
                            names);
}

/* The name of the model that was fitted last, but not by a sweep, whose last
 * model is only the one of the most topics. */
static kedge_status model_latest(store_txn *txn, char name[64],
                                 kedge_error *err)
{
    kedge_status st;
    uint64_t latest = 0;
    char candidate[64], names[NAMES_ROOM];
    bool swept = false;
    kedge_model m;

    name[0] = '\0';
    for (uint64_t i = 0; (st = store_get_model_name(txn, i, candidate, err)) ==
                         KEDGE_OK; i++) {
        PASS(model_get_header(txn, candidate, &m, err));
        if (m.serial & MODEL_SWEPT) {
            swept = true;
        } else if (name[0] == '\0' || m.serial >= latest) {
            latest = m.serial;
            memcpy(name, candidate, sizeof candidate);
        }
    }
    if (st != KEDGE_ENOTFOUND)
        return st;
    if (name[0] != '\0')
        return KEDGE_OK;
    if (!swept)
        return kedge_fail(err, KEDGE_ENOTFOUND,
                          "the store has no model yet; make one with 'kedge "
                          "fit STORE -k TOPICS'");
    model_names(txn, true, names, sizeof names);
    return kedge_fail(err, KEDGE_ENOTFOUND,
                      "which model? The store has only those of a sweep%s; "
                      "choose one with --model", names);
}

kedge_status kedge_model_latest(kedge_store *s, char out[64], kedge_error *err)
{
    if (out != NULL)
        memset(out, 0, 64);
    API_ENTER(err, {"store", s}, {"out", out});

    kedge_status st = KEDGE_OK;
    store_txn *txn = NULL;

    TRY(store_begin_read(s, &txn, err));
    TRY(model_latest(txn, out, err));
out:
    store_abort(&txn);
    return api_leave(st, err);
}

kedge_status model_open(store_txn *txn, const char *name, unsigned use,
                        kedge_model **out, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    kedge_model *m = NULL;
    char latest[64];

    *out = NULL;
    if (name == NULL) {
        TRY(model_latest(txn, latest, err));
        name = latest;
    }
    TRY_MEM(m = mem_new(1, sizeof *m));
    st = model_get_header(txn, name, m, err);
    if (st == KEDGE_ENOTFOUND)
        st = model_missing(txn, name, err);
    TRY(st);
    TRY(model_load_names(txn, m, err));
    for (size_t i = 0; i < ARRAYS; i++)
        if (model_array[i].use & use)
            TRY(model_load_array(txn, m, i, err));
    if (use & MODEL_TOPICS)
        TRY(model_unfold(m, err));
    *out = m;
    m = NULL;
out:
    kedge_model_free(m);
    return st;
}

/* Chunks of words are gone through, twice as large while they are opened. How
 * long the model's own are is only seen then. */
static kedge_status model_plan(const kedge_model *m, const store_totals *t,
                               const kedge_control *control, kedge_error *err)
{
    uint64_t own = m->words * (uint64_t)(WORD_MAX + 1), total;
    uint64_t chunk = STORE_WORDS_CHUNK * (uint64_t)(WORD_MAX + 1);

    own = own < t->word_bytes ? own : t->word_bytes;
    chunk = chunk < t->word_bytes ? chunk : t->word_bytes;
    return plan_walk(&(walk_shape){.what = "loading a model",
                                   .read = MEMORY_MAP,
                                   .more = model_memory(m, 2 * own) +
                                           3 * chunk},
                     control, &total, err);
}

kedge_status kedge_model_load(kedge_store *s, const char *name,
                              const kedge_control *control,
                              kedge_model **out, kedge_error *err)
{
    if (out != NULL)
        *out = NULL;
    API_ENTER(err, {"store", s}, {"out", out});

    control = run_control(control);

    kedge_status st = KEDGE_OK;
    store_txn *txn = NULL;
    kedge_model *m = NULL;
    store_totals totals;
    const char *quote;

    TRY(store_begin_read(s, &txn, err));
    TRY(model_open(txn, name, MODEL_HEADER, &m, err));
    quote = naming_quote(m->name);
    TRY(store_get_totals(txn, &totals, err));
    TRY(model_plan(m, &totals, control, err));
    if (memcmp(m->digest, totals.digest, sizeof totals.digest) != 0)
        run_log(control,
                "model %s is behind the store: documents were added or removed "
                "since it was fitted; 'kedge fit STORE -k %" PRIu64
                " --model %s%s%s' with the same options brings it up to date",
                m->name, m->topics, quote, m->name, quote);
    for (size_t i = 0; i < ARRAYS; i++)
        if (model_has(m, i))
            TRY(model_load_array(txn, m, i, err));
    TRY(model_load_words(txn, m, err));
    TRY(model_derive(m, err));
    *out = m;
    m = NULL;
out:
    store_abort(&txn);
    kedge_model_free(m);
    return api_leave(st, err);
}

void kedge_model_free(kedge_model *m)
{
    if (m == NULL)
        return;
    for (size_t i = 0; i < ARRAYS; i++)
        mem_free(*array_of(m, i));
    mem_free_all(m->anchors, m->residuals, m->characteristic, m->shares,
                 m->alpha, m->mix, m->weighted, m->names);
    words_free(&m->text);
    mem_free(m);
}

uint64_t model_memory(const kedge_model *m, uint64_t word_bytes)
{
    return memory_model(m->words, m->topics,
                        m->figures.term_weight != KEDGE_TERM_WEIGHT_NONE,
                        m->keep_spectrum, m->characteristic_count, word_bytes);
}

uint64_t kedge_model_memory(const kedge_model *m)
{
    return m == NULL ? 0 : model_memory(m, words_bytes(&m->text));
}

/* ---- looking ------------------------------------------------------------- */

/* Each gives this, or 0, NULL or KEDGE_TERM_WEIGHT_NONE where there is no
 * model. */
#define GETTER(type, function, member)           \
    type function(const kedge_model *m)          \
    {                                            \
        return m != NULL ? (type)m->member : 0;  \
    }

GETTER(const char *, kedge_model_name, name)
GETTER(uint64_t, kedge_model_topics, topics)
GETTER(uint64_t, kedge_model_words, words)
GETTER(kedge_term_weight, kedge_model_term_weight, figures.term_weight)
GETTER(const double *, kedge_model_probabilities, probabilities)
GETTER(const double *, kedge_model_topic_cooccurrence, correlations)
GETTER(const double *, kedge_model_term_weights, weights)
GETTER(const double *, kedge_model_weighted, weighted)
GETTER(const double *, kedge_model_word_probability, word_probability)
GETTER(const double *, kedge_model_prevalence, shares)
GETTER(const double *, kedge_model_alpha, alpha)
GETTER(const uint64_t *, kedge_model_anchors, anchors)
GETTER(const double *, kedge_model_residuals, residuals)
GETTER(const double *, kedge_model_eigenvectors, eigenvectors)
GETTER(const double *, kedge_model_rectified, rectified)
GETTER(const double *, kedge_model_eigenvalues, eigenvalues)

const char *kedge_model_label(const kedge_model *m, uint64_t topic)
{
    if (m == NULL || topic >= m->topics)
        return NULL;
    return m->names != NULL ? m->names[topic].text : "";
}

const char *kedge_model_word(const kedge_model *m, uint64_t row)
{
    return m != NULL && row < m->words ? words_get(&m->text, row) : NULL;
}

uint64_t kedge_model_df(const kedge_model *m, uint64_t row)
{
    return m != NULL && row < m->words ? (uint64_t)m->df[row] : 0;
}

uint64_t kedge_model_tf(const kedge_model *m, uint64_t row)
{
    return m != NULL && row < m->words ? (uint64_t)m->tf[row] : 0;
}
