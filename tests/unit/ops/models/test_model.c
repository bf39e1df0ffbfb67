/* SPDX-License-Identifier: MIT */
#include "ops/models/model.h"

#include "base/bytes.h"
#include "ops/planted.h"
#include "export/sample.h"
#include "store/format.h"

/* A store with the sample's words (in another order), and the model. */
static void put(scene *t, const kedge_model *m)
{
    ck_ok(store_begin_write(t->s, &t->txn, &t->err), t->err);
    ck_ok(model_put(t->txn, m, &t->err), t->err);
    scene_commit(t);
}

static void begin(scene *t, const kedge_model *m)
{
    OWN(words_free) words w = {0};

    scene_make(t);
    for (size_t i = SAMPLE_WORDS; i-- > 0;)
        ck_assert(words_add(&w, sample_word[i], strlen(sample_word[i])));
    scene_write(t);
    scene_put_words(t, &w, 0);
    scene_commit(t);
    put(t, m);
}

static kedge_model *load(scene *t, const char *name)
{
    kedge_model *m;

    ck_ok(kedge_model_load(t->s, name, NULL, &m, &t->err), t->err);
    return m;
}

static void check_damaged(scene *t, const char *part)
{
    kedge_model *m;

    ck_fails(kedge_model_load(t->s, "k2", NULL, &m, &t->err), KEDGE_ECORRUPT,
             t->err, part);
    ck_assert_ptr_null(m);
}

/* The sample, with what model_put needs and every field of the header. */
static kedge_model *full_sample(bool spectrum)
{
    kedge_model *const m = sample_new(spectrum);
    const size_t k = SAMPLE_TOPICS, c = SAMPLE_CHARACTERISTIC;

    m->ids = sample_array(SAMPLE_WORDS, SAMPLE_WORDS - 1, -1); /* see begin */
    m->serial = 21;
    m->blocks = 22;
    m->index_place = 8;
    m->correlations_kind = KEDGE_TOPIC_COOCCURRENCE_DIAGONAL;
    m->ways = (law_ways){.anchors = KEDGE_ANCHORS_FAST, .project = 54321,
                         .solver = KEDGE_SOLVER_EXPGRAD, .several = true,
                         .recover = KEDGE_RECOVER_INVERSE, .legal = true};
    m->keep_spectrum = spectrum;
    m->figures = (kedge_fit_result){
        .eigenspace_error = 0.25, .eigen_gap_error = 0.75,
        .unexplained = 0.125, .rectify_iter = 9, .last_change = 1e-4,
        .negative_share = 0.3, .anchor_min_df = 31, .candidates = 4,
        .sketch_size = m->index.width, .power_iter = 2, .em_iter = 9,
        .ncut = true, .rectify = KEDGE_RECTIFY_NONE,
        .admm_steps = 77, .cooccurrence_sum = 1.5,
        .cooccurrence_negative = -0.5};
    m->shares[0] = 0.875 / 1.25; /* as in the correlations */
    m->shares[1] = 0.375 / 1.25;
    m->small = sample_array(k * (2 + c), 0, 0);
    for (size_t t = 0; t < k; t++) {
        m->small[t] = (double)m->anchors[t];
        m->small[k + t] = m->residuals[t];
    }
    for (size_t i = 0; i < k * c; i++)
        m->small[2 * k + i] = (double)m->characteristic[i];
    return m;
}

/* Field by field, as they are written; and what follows from them. */
static void check_header(const kedge_model *a, const kedge_model *b)
{
    const kedge_fit_result *const g = &b->figures;
    OWNED uint8_t *left = NULL, *right = NULL;
    size_t size, other;
    kedge_error err = {0};

    ck_ok(model_write_header(a, &left, &size, &err), err);
    ck_ok(model_write_header(b, &right, &other, &err), err);
    ck_assert_uint_eq(size, other);
    ck_assert_mem_eq(left, right, size);
    ck_assert_str_eq(a->name, b->name);
    ck_assert_mem_eq(&a->index, &b->index, sizeof a->index);
    ck_assert_mem_eq(&a->ways, &b->ways, sizeof a->ways);
    ck_assert(g->anchors == b->ways.anchors && g->solver == b->ways.solver &&
              g->recover == b->ways.recover && g->legal == b->ways.legal);
    ck_assert(a->alpha == NULL && b->alpha == NULL); /* none is near */
}

TEST(the_format_has_the_same_fields)
{
    format_check(&model_schema);
}

TEST(models_come_back_whole)
{
    for (int spectrum = 0; spectrum < 2; spectrum++) {
        OWN(scene_end) scene t;
        OWN(model_end) kedge_model *m = full_sample(spectrum != 0);
        OWN(model_end) kedge_model *back = NULL;
        begin(&t, m);
        scene_reopen(&t, KEDGE_OPEN_READ);
        back = load(&t, "k2");
        check_header(m, back);
        ck_assert(planted_same(m, back));
        for (size_t i = 0; i < SAMPLE_WORDS; i++) {
            ck_assert_str_eq(kedge_model_word(back, i), sample_word[i]);
            ck_assert_uint_eq(kedge_model_tf(back, i), 100 + i);
            ck_assert_uint_eq(kedge_model_df(back, i), 10 + i);
        }
        ck_assert_ptr_null(kedge_model_word(back, SAMPLE_WORDS));
        ck_assert(planted_same_numbers(kedge_model_eigenvalues(m),
                                       kedge_model_eigenvalues(back), 2));
        ck_assert_uint_eq(kedge_model_anchors(back)[1], 4);
        ck_assert_double_eq(back->residuals[1], 0.25);
        ck_assert_mem_eq(back->characteristic, m->characteristic, 64);
        ck_assert_mem_eq(kedge_model_prevalence(back), m->shares, 16);
    }
}

static uint64_t digest_of(scene *t)
{
    uint64_t digest;

    scene_read(t);
    ck_ok(model_digest(t->txn, "k2", &digest, &t->err), t->err);
    store_abort(&t->txn);
    return digest;
}

/* Weights are stored, the weighted topics made of them when loaded. */
TEST(weights_come_back_with_their_model)
{
    OWN(scene_end) scene t;
    OWN(model_end) kedge_model *m = full_sample(true), *plain = NULL;
    OWN(model_end) kedge_model *weighted = NULL;

    begin(&t, m);
    const uint64_t before = digest_of(&t);
    plain = load(&t, "k2");
    ck_assert_int_eq(kedge_model_term_weight(plain), KEDGE_TERM_WEIGHT_NONE);
    ck_assert_ptr_null(kedge_model_term_weights(plain));
    ck_assert_ptr_null(kedge_model_weighted(plain));
    sample_weigh(m);
    put(&t, m);
    ck_assert_uint_ne(digest_of(&t), before);
    weighted = load(&t, "k2");
    ck_assert_int_eq(kedge_model_term_weight(weighted), KEDGE_TERM_WEIGHT_IDF);
    ck_assert(planted_same(m, weighted));
}

TEST(a_model_replaces_the_one_of_its_name)
{
    OWN(scene_end) scene t;
    OWN(model_end) kedge_model *m = full_sample(true), *back = NULL;

    begin(&t, m);
    mem_free_all(m->eigenvectors, m->rectified, m->eigenvalues);
    m->eigenvectors = m->rectified = m->eigenvalues = NULL;
    m->keep_spectrum = 0;
    m->serial++;
    put(&t, m);
    back = load(&t, NULL);
    ck_assert_uint_eq(back->serial, 22);
    ck_assert_ptr_null(kedge_model_eigenvectors(back));
}

static void put_header(scene *t, const uint8_t *header, size_t size)
{
    scene_write(t);
    ck_ok(store_put_model(t->txn, "k2", header, size, &t->err), t->err);
    scene_commit(t);
}

static size_t take_header(scene *t, uint8_t *out, size_t room)
{
    const uint8_t *header;
    size_t size;

    scene_read(t);
    ck_ok(store_get_model_header(t->txn, "k2", &header, &size, &t->err),
          t->err);
    ck_assert_uint_le(size, room);
    memcpy(out, header, size);
    store_abort(&t->txn);
    return size;
}

TEST(a_damaged_header_is_found)
{
    OWN(scene_end) scene t;
    OWN(model_end) kedge_model *m = full_sample(false), *back = NULL;
    uint8_t header[400];
    size_t size;

    begin(&t, m);
    size = take_header(&t, header, sizeof header);
    ck_assert_uint_eq(size, 336);
    for (size_t at = 0; at < size; at += 5) {
        header[at] ^= 1;
        put_header(&t, header, size);
        header[at] ^= 1;
        check_damaged(&t, "damaged");
    }
    put_header(&t, header, size - 8);
    check_damaged(&t, "damaged");
    put_header(&t, header, 0);
    check_damaged(&t, "damaged");
    put_header(&t, header, size);
    back = load(&t, "k2");
}

/* What comes of loading a header of these bytes, with the right hash after
 * them. The one that was there is put back. */
static kedge_status load_as(scene *t, const uint8_t *bytes, size_t size)
{
    uint8_t header[400], changed[800];
    const size_t before = take_header(t, header, sizeof header);
    kedge_model *back;
    kedge_status st;

    memcpy(changed, bytes, size);
    put_u64(changed + size, hash_bytes(1, changed, size));
    put_header(t, changed, size + 8);
    st = kedge_model_load(t->s, "k2", NULL, &back, &t->err);
    if (back != NULL && back->names != NULL)
        ck_assert_str_eq(kedge_model_label(back, 1), "xyz");
    kedge_model_free(back);
    put_header(t, header, before);
    return st;
}

/* One field is another: `at` is its place in FORMAT.md. */
static kedge_status load_with(scene *t, size_t at, uint64_t value)
{
    uint8_t header[400];
    const size_t size = take_header(t, header, sizeof header);

    put_u64(header + at, value);
    return load_as(t, header, size - 8);
}

/* So many bytes follow the fields, of which the field at `at` says how many. */
static kedge_status load_tail(scene *t, size_t at, const void *tail,
                              size_t size)
{
    uint8_t header[700];
    const size_t plain = take_header(t, header, sizeof header) - 8;

    put_u64(header + at, size);
    memcpy(header + plain, tail, size);
    return load_as(t, header, plain + size);
}

typedef struct wrong {
    size_t at;
    uint64_t value;
    kedge_status status;
    const char *part;
} wrong;

static void check_wrong(scene *t, const wrong *w, size_t count)
{
    for (size_t i = 0; i < count; i++)
        ck_fails(load_with(t, w[i].at, w[i].value), w[i].status, t->err,
                 w[i].part);
}

TEST(headers_that_do_not_fit_are_refused)
{
    static const wrong wrongs[] = {
        {0, 1, KEDGE_EVERSION, "another version"},
        {0, 2, KEDGE_EVERSION, "another version"},
        {0, 5, KEDGE_EVERSION, "another version"},
        {0, 3, KEDGE_ECORRUPT, "damaged"}, /* it has methods of version 4 */
        {152, 1, KEDGE_ECORRUPT, "damaged"},
        {320, 1, KEDGE_ECORRUPT, "damaged"},
        {320, UINT64_MAX, KEDGE_ECORRUPT, "damaged"},
        {280, 1, KEDGE_ECORRUPT, "damaged"},
        {8, 3, KEDGE_ECORRUPT, ""},  /* topics */
        {16, 7, KEDGE_ECORRUPT, ""}, /* words */
        {184, 5, KEDGE_ECORRUPT, ""},
        {288, 3, KEDGE_ECORRUPT, "damaged"},
        {304, 2, KEDGE_ECORRUPT, "damaged"},
        {144, 768, KEDGE_ECORRUPT, "damaged"},
    };
    static const wrong lacking[] = {
        {8, UINT64_MAX / 16, 0, ""}, {16, UINT64_MAX, 0, ""},
        {176, 1, 0, ""}, {288, 1, 0, ""}}; /* no such arrays, nor weights */
    OWN(scene_end) scene t;
    OWN(model_end) kedge_model *m = full_sample(false);

    begin(&t, m);
    check_wrong(&t, wrongs, sizeof wrongs / sizeof *wrongs);
    for (unsigned at = 1; at < 6; at++) /* ways that there are not */
        ck_fails(load_with(&t, 152, (uint64_t)200 << 8 * at), KEDGE_ECORRUPT,
                 t.err, "damaged");
    for (size_t i = 0; i < 4; i++)
        ck_assert_int_ne(load_with(&t, lacking[i].at, lacking[i].value),
                         KEDGE_OK);
    ck_ok(load_with(&t, 24, 9), t.err); /* serial */
}

/* Version 3 is for those that the kedges which wrote it could have made; other
 * methods raise it, and are damage in the one before. */
TEST(versions_tell_what_is_not_usual)
{
    static const wrong usual[] = {{0, 4, KEDGE_ECORRUPT, "damaged"},
                                  {144, 256, KEDGE_ECORRUPT, "damaged"}};
    static const wrong newer[] = {
        {0, 3, KEDGE_ECORRUPT, "damaged"},
        {144, 6, KEDGE_ECORRUPT, "damaged"},
        {144, 768, KEDGE_ECORRUPT, "damaged"},
        {144, 4 << 16, KEDGE_ECORRUPT, "damaged"},
        {144, UINT64_C(1) << 24, KEDGE_ECORRUPT, "damaged"}};
    OWN(scene_end) scene t;
    OWN(model_end) kedge_model *m = full_sample(false), *back = NULL;
    uint8_t header[400];

    begin(&t, m);
    take_header(&t, header, sizeof header);
    ck_assert_uint_eq(get_u64(header), 4);
    m->ways = (law_ways){0};
    put(&t, m);
    take_header(&t, header, sizeof header);
    ck_assert_uint_eq(get_u64(header), 3);
    ck_assert_uint_eq(get_u64(header + 152), 1);
    check_wrong(&t, usual, 2);
    ck_ok(load_with(&t, 152, 0), t.err);
    m->figures.cooccurrence = KEDGE_COOCCURRENCE_DENSE;
    m->figures.rectify = KEDGE_RECTIFY_DR;
    m->figures.preset = KEDGE_PRESET_AW;
    m->ways.recover = KEDGE_RECOVER_ANCHOR_FREE;
    put(&t, m);
    back = load(&t, "k2");
    check_header(m, back);
    ck_assert_int_eq(back->figures.preset, KEDGE_PRESET_AW);
    check_wrong(&t, newer, 5);
}

TEST(the_rule_of_the_words_is_kept)
{
    static const size_t size[] = {1, 30, 159};

    for (size_t i = 0; i < 3; i++) {
        OWN(scene_end) scene t;
        OWN(model_end) kedge_model *m = full_sample(false), *back = NULL;
        OWN(model_end) kedge_model *named = NULL;
        m->index.listed = true;
        memset(m->index.rule, 'r', size[i]);
        begin(&t, m);
        back = load(&t, "k2");
        check_header(m, back);
        /* A name beside it, and the header is written again. */
        ck_ok(kedge_label_topic(t.s, "k2", 0, "first", &t.err), t.err);
        named = load(&t, "k2");
        ck_assert_str_eq(named->index.rule, m->index.rule);
        ck_assert_str_eq(kedge_model_label(named, 0), "first");
    }
}

/* As many bytes as the record has, but more than there may be. */
TEST(a_rule_that_is_too_long_is_damage)
{
    OWN(scene_end) scene t;
    OWN(model_end) kedge_model *m = full_sample(false);
    uint8_t rule[160];

    begin(&t, m);
    memset(rule, 'r', sizeof rule);
    ck_ok(load_tail(&t, 320, rule, 159), t.err);
    ck_fails(load_tail(&t, 320, rule, 160), KEDGE_ECORRUPT, t.err, "damaged");
}

TEST(names_that_do_not_fit_are_refused)
{
    static const struct {
        const char *names;
        size_t size;
    } wrongs[] = {{"\1a\3xyz", 5}, {"\1a\3xyz\0", 7}, {"\1\n\3xyz", 6},
                  {"\1\xff\3xyz", 6}, {"\2a\0\3xyz", 7}, {"\100a", 2},
                  {"\1a\4xyz", 6}, {"\1a", 2}};
    OWN(scene_end) scene t;
    OWN(model_end) kedge_model *m = full_sample(false);

    begin(&t, m);
    ck_ok(load_tail(&t, 280, "\1a\3xyz", 6), t.err);
    ck_ok(load_tail(&t, 280, "\0\3xyz", 5), t.err);
    for (size_t i = 0; i < 8; i++)
        ck_fails(load_tail(&t, 280, wrongs[i].names, wrongs[i].size),
                 KEDGE_ECORRUPT, t.err, "names of model k2 are damaged");
}

TEST(names_come_back_with_their_model)
{
    OWN(scene_end) scene t;
    OWN(model_end) kedge_model *m = full_sample(true), *back = NULL;

    m->names = mem_new(SAMPLE_TOPICS, sizeof *m->names);
    ck_assert_ptr_nonnull(m->names);
    memset(m->names[1].text, 'n', 63);
    begin(&t, m);
    back = load(&t, "k2");
    check_header(m, back);
    ck_assert_str_eq(kedge_model_label(back, 0), "");
    ck_assert_str_eq(kedge_model_label(back, 1), m->names[1].text);
    ck_assert_ptr_null(kedge_model_label(back, 2));
}

TEST(topics_can_be_opened_alone)
{
    OWN(scene_end) scene t;
    OWN(model_end) kedge_model *m = full_sample(true), *back = NULL;

    begin(&t, m);
    scene_read(&t);
    scene_starve(model_open(t.txn, "k2", MODEL_TOPICS, &back, &t.err), t.err);
    store_abort(&t.txn);
    check_header(m, back);
    ck_assert(planted_same_numbers(m->probabilities, back->probabilities, 12));
    ck_assert_mem_eq(m->anchors, back->anchors, 16);
    ck_assert_ptr_null(back->correlations);
    ck_assert_ptr_null(back->rectified);
}

/* Rows of the model, or words of the store. */
TEST(words_that_are_not_there_are_refused)
{
    static const double bad[] = {SAMPLE_WORDS, 1e300, -1, NAN};

    for (size_t i = 0; i < 12; i++) {
        OWN(scene_end) scene t;
        OWN(model_end) kedge_model *m = full_sample(false);
        if (i < 8)
            m->small[i < 4 ? 0 : 11] = bad[i % 4];
        else
            m->ids[i - 8] = bad[i % 4];
        begin(&t, m);
        check_damaged(&t, i < 8 ? "words that are not there"
                                : "has a word that is none of the store's");
    }
}

TEST(the_latest_model_is_that_of_the_largest_serial)
{
    static const char *const name[] = {"b", "c", "a"};
    OWN(scene_end) scene t;
    OWN(model_end) kedge_model *m = full_sample(false);
    kedge_model *back;

    scene_make(&t);
    ck_fails(kedge_model_load(t.s, NULL, NULL, &back, &t.err), KEDGE_ENOTFOUND,
             t.err, "no model yet");
    scene_end(&t);
    begin(&t, m);
    for (size_t i = 0; i < 3; i++) {
        snprintf(m->name, sizeof m->name, "%s", name[i]);
        m->serial = 25 + i;
        put(&t, m);
        back = load(&t, NULL);
        ck_assert_str_eq(kedge_model_name(back), name[i]);
        kedge_model_free(back);
    }
    ck_fails(kedge_model_load(t.s, "none", NULL, &back, &t.err),
             KEDGE_ENOTFOUND, t.err, "no model \"none\"");
    ck_assert_ptr_null(back);
    kedge_model_free(NULL);
}

/* The digest after one number of the model was changed by one, and back. */
static uint64_t digest_with(scene *t, kedge_model *m, uint64_t *number)
{
    uint64_t digest;

    ++*number;
    put(t, m);
    digest = digest_of(t);
    --*number;
    return digest;
}

TEST(a_digest_tells_what_a_model_is)
{
    OWN(scene_end) scene t;
    OWN(model_end) kedge_model *m = full_sample(true);
    uint64_t *const told[] = {&m->index.seed, &m->index.documents,
                              &m->digest[1], &m->figures.power_iter,
                              &m->figures.em_iter, &m->figures.rectify_iter,
                              &m->vocabulary_digest};
    uint64_t *const untold[] = {&m->serial, &m->blocks, &m->index_place};
    double *const values[] = {m->probabilities, m->correlations,
                              m->word_probability, m->tf, m->df, m->small,
                              m->eigenvectors, m->rectified, m->eigenvalues};
    uint64_t digest;

    begin(&t, m);
    digest = digest_of(&t);
    for (size_t i = 0; i < sizeof told / sizeof *told; i++)
        ck_assert_uint_ne(digest_with(&t, m, told[i]), digest);
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        values[i][1] += 1;
        put(&t, m);
        ck_assert_uint_ne(digest_of(&t), digest);
        values[i][1] -= 1;
    }
    m->figures.ncut = false;
    put(&t, m);
    ck_assert_uint_ne(digest_of(&t), digest);
    m->figures.ncut = true;
    for (size_t i = 0; i < 3; i++)
        ck_assert_uint_eq(digest_with(&t, m, untold[i]), digest);
    m->ids[0] += 1;
    put(&t, m);
    ck_assert_uint_eq(digest_of(&t), digest);
}

TEST(loading_without_memory)
{
    OWN(scene_end) scene t;
    OWN(model_end) kedge_model *m = full_sample(true), *back = NULL;

    begin(&t, m);
    scene_starve(kedge_model_load(t.s, NULL, NULL, &back, &t.err), t.err);
    ck_assert(planted_same(m, back));
}
