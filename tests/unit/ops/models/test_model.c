/* SPDX-License-Identifier: MIT */
#include "ops/models/model.h"

#include "base/bytes.h"
#include "ops/planted.h"
#include "export/sample.h"
#include "store/format.h"

/* A store with the sample's words (in another order) and no model. */
static void begin(scene *t)
{
    OWN(words_free) words w = {0};

    scene_make(t);
    for (size_t i = SAMPLE_WORDS; i-- > 0;)
        ck_assert(words_add(&w, sample_word[i], strlen(sample_word[i])));
    scene_write(t);
    scene_put_words(t, &w, 0);
    scene_commit(t);
}

/* The sample, with what model_put needs and every field of the header. */
static kedge_model *full_sample(bool spectrum)
{
    kedge_model *const m = sample_new(spectrum);
    const size_t k = SAMPLE_TOPICS, c = SAMPLE_CHARACTERISTIC;

    m->ids = sample_array(SAMPLE_WORDS, SAMPLE_WORDS - 1, -1); /* see begin */
    m->serial = 21;
    m->blocks = 22;
    m->view_place = 8;
    m->refined = 2;
    m->polished = 9;
    m->ncut = 1;
    m->rectify = KEDGE_RECTIFY_NONE;
    m->correlations_kind = KEDGE_TOPIC_COOCCURRENCE_DIAGONAL;
    m->ways = (law_ways){.anchors = KEDGE_ANCHORS_FAST, .project = 54321,
                         .solver = KEDGE_SOLVER_EXPGRAD, .several = true,
                         .recover = KEDGE_RECOVER_INVERSE, .legal = true};
    m->keep_spectrum = spectrum;
    m->figures = (kedge_fit_result){
        .eigenspace_error = 0.25, .eigen_gap_error = 0.75,
        .unexplained = 0.125, .rectify_iter = 9, .last_change = 1e-4,
        .negative_share = 0.3, .anchor_min_df = 31, .candidates = 4,
        .sketch_size = m->view.width, .power_iter = 2, .ncut = true,
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

static void put(scene *t, const kedge_model *m)
{
    ck_ok(store_begin_write(t->s, &t->txn, &t->err), t->err);
    ck_ok(model_put(t->txn, m, &t->err), t->err);
    scene_commit(t);
}

static void check_header(const kedge_model *a, const kedge_model *b)
{
    const kedge_fit_result *const f = &a->figures, *const g = &b->figures;

    ck_assert_str_eq(a->name, b->name);
    ck_assert_uint_eq(a->topics, b->topics);
    ck_assert_uint_eq(a->words, b->words);
    ck_assert_uint_eq(a->serial, b->serial);
    ck_assert_uint_eq(a->blocks, b->blocks);
    ck_assert_uint_eq(a->view_place, b->view_place);
    ck_assert_mem_eq(&a->view, &b->view, sizeof a->view);
    ck_assert_mem_eq(a->digest, b->digest, sizeof a->digest);
    ck_assert_uint_eq(a->vocabulary_digest, b->vocabulary_digest);
    ck_assert_uint_eq(a->refined, b->refined);
    ck_assert_uint_eq(a->polished, b->polished);
    ck_assert_uint_eq(a->ncut, b->ncut);
    ck_assert(f->ncut == g->ncut);
    ck_assert_uint_eq(a->rectify, b->rectify);
    ck_assert_uint_eq(a->correlations_kind, b->correlations_kind);
    ck_assert_mem_eq(&a->ways, &b->ways, sizeof a->ways);
    ck_assert_uint_eq(g->anchors, b->ways.anchors);
    ck_assert_uint_eq(g->solver, b->ways.solver);
    ck_assert_uint_eq(g->recover, b->ways.recover);
    ck_assert(g->legal == b->ways.legal);
    ck_assert_double_eq(f->dirichlet, g->dirichlet);
    ck_assert(a->alpha == NULL && b->alpha == NULL); /* none is near */
    ck_assert_uint_eq(a->rounds_asked, b->rounds_asked);
    ck_assert_double_eq(a->tolerance, b->tolerance);
    ck_assert_uint_eq(a->keep_spectrum, b->keep_spectrum);
    ck_assert_uint_eq(a->characteristic_count, b->characteristic_count);
    ck_assert_double_eq(f->eigenspace_error, g->eigenspace_error);
    ck_assert_double_eq(f->eigen_gap_error, g->eigen_gap_error);
    ck_assert_double_eq(f->unexplained, g->unexplained);
    ck_assert_uint_eq(f->rectify_iter, g->rectify_iter);
    ck_assert_double_eq(f->last_change, g->last_change);
    ck_assert_double_eq(f->negative_share, g->negative_share);
    ck_assert_uint_eq(f->anchor_min_df, g->anchor_min_df);
    ck_assert_uint_eq(f->candidates, g->candidates);
    ck_assert_uint_eq(f->admm_steps, g->admm_steps);
    ck_assert_double_eq(f->cooccurrence_sum, g->cooccurrence_sum);
    ck_assert_double_eq(f->cooccurrence_negative, g->cooccurrence_negative);
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
        begin(&t);
        put(&t, m);
        scene_reopen(&t, KEDGE_OPEN_READ);
        ck_ok(kedge_model_load(t.s, "k2", NULL, &back, &t.err), t.err);
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

/* Weights are stored, the weighted topics made of them when loaded. */
TEST(weights_come_back_with_their_model)
{
    OWN(scene_end) scene t;
    kedge_model *const m = full_sample(true), *back;
    uint64_t plain, weighted;

    begin(&t);
    put(&t, m);
    scene_read(&t);
    ck_ok(model_digest(t.txn, "k2", &plain, &t.err), t.err);
    store_abort(&t.txn);
    ck_ok(kedge_model_load(t.s, "k2", NULL, &back, &t.err), t.err);
    ck_assert_int_eq(kedge_model_term_weight(back), KEDGE_TERM_WEIGHT_NONE);
    ck_assert_ptr_null(kedge_model_term_weights(back));
    ck_assert_ptr_null(kedge_model_weighted(back));
    kedge_model_free(back);
    sample_weigh(m);
    put(&t, m);
    scene_read(&t);
    ck_ok(model_digest(t.txn, "k2", &weighted, &t.err), t.err);
    store_abort(&t.txn);
    ck_assert_uint_ne(plain, weighted);
    ck_ok(kedge_model_load(t.s, "k2", NULL, &back, &t.err), t.err);
    ck_assert_int_eq(kedge_model_term_weight(back), KEDGE_TERM_WEIGHT_IDF);
    ck_assert_int_eq(back->figures.term_weight, KEDGE_TERM_WEIGHT_IDF);
    ck_assert(planted_same(m, back));
    kedge_model_free(back);
    kedge_model_free(m);
}

TEST(a_model_replaces_the_one_of_its_name)
{
    OWN(scene_end) scene t;
    OWN(model_end) kedge_model *m = full_sample(true), *back = NULL;

    begin(&t);
    put(&t, m);
    mem_free(m->eigenvectors);
    mem_free(m->rectified);
    mem_free(m->eigenvalues);
    m->eigenvectors = m->rectified = m->eigenvalues = NULL;
    m->keep_spectrum = 0;
    m->serial++;
    put(&t, m);
    ck_ok(kedge_model_load(t.s, NULL, NULL, &back, &t.err), t.err);
    ck_assert_uint_eq(back->serial, 22);
    ck_assert_ptr_null(kedge_model_eigenvectors(back));
}

/* Puts the header back with one 8-byte field changed. */
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

    begin(&t);
    put(&t, m);
    size = take_header(&t, header, sizeof header);
    ck_assert_uint_eq(size, 336);
    for (size_t at = 0; at < size; at += 5) {
        header[at] ^= 1;
        put_header(&t, header, size);
        header[at] ^= 1;
        ck_fails(kedge_model_load(t.s, "k2", NULL, &back, &t.err), KEDGE_ECORRUPT,
                 t.err, "damaged");
        ck_assert_ptr_null(back);
    }
    put_header(&t, header, size - 8);
    ck_fails(kedge_model_load(t.s, "k2", NULL, &back, &t.err), KEDGE_ECORRUPT,
             t.err, "damaged");
    put_header(&t, header, 0);
    ck_fails(kedge_model_load(t.s, "k2", NULL, &back, &t.err), KEDGE_ECORRUPT,
             t.err, "damaged");
    put_header(&t, header, size);
    ck_ok(kedge_model_load(t.s, "k2", NULL, &back, &t.err), t.err);
}

/* The hash is right, the field is not: `at` is its place in FORMAT.md. */
static kedge_status load_with(scene *t, size_t at, uint64_t value)
{
    uint8_t header[400], changed[400];
    const size_t size = take_header(t, header, sizeof header);
    kedge_model *back;
    kedge_status st;

    memcpy(changed, header, size);
    put_u64(changed + at, value);
    put_u64(changed + size - 8, hash_bytes(1, changed, size - 8));
    put_header(t, changed, size);
    st = kedge_model_load(t->s, "k2", NULL, &back, &t->err);
    kedge_model_free(back);
    put_header(t, header, size);
    return st;
}

TEST(headers_that_do_not_fit_are_refused)
{
    OWN(scene_end) scene t;
    OWN(model_end) kedge_model *m = full_sample(false);

    begin(&t);
    put(&t, m);
    ck_fails(load_with(&t, 0, 1), KEDGE_EVERSION, t.err, "another version");
    ck_fails(load_with(&t, 0, 5), KEDGE_EVERSION, t.err, "another version");
    ck_fails(load_with(&t, 0, 3), KEDGE_ECORRUPT, t.err, "damaged");
    ck_fails(load_with(&t, 152, 1), KEDGE_ECORRUPT, t.err, "damaged");
    for (unsigned at = 1; at < 6; at++) /* ways that there are not */
        ck_fails(load_with(&t, 152, (uint64_t)200 << 8 * at), KEDGE_ECORRUPT,
                 t.err, "damaged");
    ck_fails(load_with(&t, 0, 2), KEDGE_EVERSION, t.err, "another version");
    ck_fails(load_with(&t, 320, 1), KEDGE_ECORRUPT, t.err, "damaged");
    ck_fails(load_with(&t, 320, UINT64_MAX), KEDGE_ECORRUPT, t.err, "damaged");
    ck_fails(load_with(&t, 280, 1), KEDGE_ECORRUPT, t.err, "damaged");
    ck_assert_int_eq(load_with(&t, 8, 3), KEDGE_ECORRUPT);  /* topics */
    ck_assert_int_eq(load_with(&t, 16, 7), KEDGE_ECORRUPT); /* words */
    ck_assert_int_ne(load_with(&t, 8, UINT64_MAX / 16), KEDGE_OK);
    ck_assert_int_ne(load_with(&t, 16, UINT64_MAX), KEDGE_OK);
    ck_assert_int_eq(load_with(&t, 184, 5), KEDGE_ECORRUPT);
    ck_assert_int_ne(load_with(&t, 176, 1), KEDGE_OK); /* no such arrays */
    ck_assert_int_ne(load_with(&t, 288, 1), KEDGE_OK); /* nor weights */
    ck_fails(load_with(&t, 288, 3), KEDGE_ECORRUPT, t.err, "damaged");
    ck_fails(load_with(&t, 304, 2), KEDGE_ECORRUPT, t.err, "damaged");
    ck_fails(load_with(&t, 144, 768), KEDGE_ECORRUPT, t.err, "damaged");
    ck_ok(load_with(&t, 24, 9), t.err); /* serial */
}

/* Version 3 is for those that the kedges which wrote it could have made. */
TEST(versions_tell_what_is_not_usual)
{
    OWN(scene_end) scene t;
    OWN(model_end) kedge_model *m = full_sample(false);
    uint8_t header[400];

    begin(&t);
    put(&t, m);
    take_header(&t, header, sizeof header);
    ck_assert_uint_eq(get_u64(header), 4);
    m->ways = (law_ways){0};
    put(&t, m);
    take_header(&t, header, sizeof header);
    ck_assert_uint_eq(get_u64(header), 3);
    ck_assert_uint_eq(get_u64(header + 152), 1);
    ck_fails(load_with(&t, 0, 4), KEDGE_ECORRUPT, t.err, "damaged");
    ck_fails(load_with(&t, 144, 256), KEDGE_ECORRUPT, t.err, "damaged");
    ck_ok(load_with(&t, 152, 0), t.err);
}

/* They raise the version, and are damage in the one before. */
TEST(newer_methods_are_kept)
{
    OWN(scene_end) scene t;
    OWN(model_end) kedge_model *m = full_sample(false);
    OWN(model_end) kedge_model *back = NULL;

    begin(&t);
    m->cooccurrence = KEDGE_COOCCURRENCE_DENSE;
    m->rectify = KEDGE_RECTIFY_DR;
    m->ways.recover = KEDGE_RECOVER_ANCHOR_FREE;
    put(&t, m);
    ck_ok(kedge_model_load(t.s, "k2", NULL, &back, &t.err), t.err);
    ck_assert_uint_eq(back->rectify, m->rectify);
    ck_assert_uint_eq(back->cooccurrence, m->cooccurrence);
    ck_assert_uint_eq(back->ways.recover,
                      m->ways.recover);
    ck_fails(load_with(&t, 0, 3), KEDGE_ECORRUPT, t.err, "damaged");
    ck_fails(load_with(&t, 144, 6), KEDGE_ECORRUPT, t.err, "damaged");
    ck_fails(load_with(&t, 144, 768), KEDGE_ECORRUPT, t.err, "damaged");
    ck_fails(load_with(&t, 144, 1 << 16), KEDGE_ECORRUPT, t.err, "damaged");
    ck_fails(load_with(&t, 144, UINT64_C(1) << 24), KEDGE_ECORRUPT, t.err,
             "damaged");
}

TEST(the_rule_of_the_words_is_kept)
{
    static const size_t size[] = {1, 30, 159};

    for (size_t i = 0; i < 3; i++) {
        OWN(scene_end) scene t;
        OWN(model_end) kedge_model *m = full_sample(false);
        kedge_model *back;
        begin(&t);
        m->view.listed = true;
        memset(m->view.rule, 'r', size[i]);
        put(&t, m);
        ck_ok(kedge_model_load(t.s, "k2", NULL, &back, &t.err), t.err);
        check_header(m, back);
        kedge_model_free(back);
        /* A name beside it, and the header is written anew. */
        ck_ok(kedge_label_topic(t.s, "k2", 0, "first", &t.err), t.err);
        ck_ok(kedge_model_load(t.s, "k2", NULL, &back, &t.err), t.err);
        check_header(m, back);
        ck_assert_str_eq(kedge_model_label(back, 0), "first");
        kedge_model_free(back);
    }
}

/* As many bytes as the record has, but more than there may be. */
TEST(a_rule_that_is_too_long_is_damage)
{
    OWN(scene_end) scene t;
    kedge_model *const m = full_sample(false), *back;
    uint8_t header[400], changed[800];
    size_t size;

    begin(&t);
    put(&t, m);
    size = take_header(&t, header, sizeof header) - 8;
    memcpy(changed, header, size);
    memset(changed + size, 'r', 160);
    put_u64(changed + 320, 160);
    put_u64(changed + size + 160, hash_bytes(1, changed, size + 160));
    put_header(&t, changed, size + 168);
    ck_fails(kedge_model_load(t.s, "k2", NULL, &back, &t.err), KEDGE_ECORRUPT, t.err,
             "damaged");
    kedge_model_free(m);
}

/* The header with so many bytes of names for `topics`, and the right hash. */
static kedge_status load_names(scene *t, const char *names, size_t size)
{
    uint8_t header[400], changed[800];
    const size_t plain = take_header(t, header, sizeof header);
    kedge_model *back;
    kedge_status st;

    memcpy(changed, header, plain - 8);
    put_u64(changed + 280, size);
    memcpy(changed + plain - 8, names, size);
    put_u64(changed + plain - 8 + size,
            hash_bytes(1, changed, plain - 8 + size));
    put_header(t, changed, plain + size);
    st = kedge_model_load(t->s, "k2", NULL, &back, &t->err);
    if (st == KEDGE_OK)
        ck_assert_str_eq(kedge_model_label(back, 1), "xyz");
    kedge_model_free(back);
    put_header(t, header, plain);
    return st;
}

TEST(names_that_do_not_fit_are_refused)
{
    OWN(scene_end) scene t;
    OWN(model_end) kedge_model *m = full_sample(false);

    begin(&t);
    put(&t, m);
    ck_ok(load_names(&t, "\1a\3xyz", 6), t.err);
    ck_ok(load_names(&t, "\0\3xyz", 5), t.err);
    ck_fails(load_names(&t, "\1a\3xyz", 5), KEDGE_ECORRUPT, t.err,
             "names of model k2 are damaged");
    ck_fails(load_names(&t, "\1a\3xyz\0", 7), KEDGE_ECORRUPT, t.err, "names");
    ck_fails(load_names(&t, "\1\n\3xyz", 6), KEDGE_ECORRUPT, t.err, "names");
    ck_fails(load_names(&t, "\1\xff\3xyz", 6), KEDGE_ECORRUPT, t.err,
             "names");
}

TEST(names_come_back_with_their_model)
{
    OWN(scene_end) scene t;
    OWN(model_end) kedge_model *m = full_sample(true), *back = NULL;

    begin(&t);
    m->names = mem_new(SAMPLE_TOPICS, sizeof *m->names);
    ck_assert_ptr_nonnull(m->names);
    memset(m->names[1].text, 'n', 63);
    put(&t, m);
    ck_ok(kedge_model_load(t.s, "k2", NULL, &back, &t.err), t.err);
    check_header(m, back);
    ck_assert_str_eq(kedge_model_label(back, 0), "");
    ck_assert_str_eq(kedge_model_label(back, 1), m->names[1].text);
    ck_assert_ptr_null(kedge_model_label(back, 2));
}

TEST(topics_can_be_opened_alone)
{
    OWN(scene_end) scene t;
    OWN(model_end) kedge_model *m = full_sample(true), *back = NULL;

    begin(&t);
    put(&t, m);
    scene_read(&t);
    scene_starve(model_open_topics(t.txn, "k2", &back, &t.err), t.err);
    store_abort(&t.txn);
    check_header(m, back);
    ck_assert(planted_same_numbers(m->probabilities, back->probabilities, 12));
    ck_assert_mem_eq(m->anchors, back->anchors, 16);
    ck_assert_ptr_null(back->correlations);
    ck_assert_ptr_null(back->rectified);
}

TEST(rows_that_are_not_there_are_refused)
{
    static const double wrong[] = {6, 1e300, -1, NAN};

    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        for (size_t at = 0; at < 12; at += 11) {
            OWN(scene_end) scene t;
            kedge_model *const m = full_sample(false), *back;
            begin(&t);
            m->small[at] = wrong[i];
            put(&t, m);
            ck_fails(kedge_model_load(t.s, "k2", NULL, &back, &t.err),
                     KEDGE_ECORRUPT, t.err, "words that are not there");
            kedge_model_free(m);
        }
}

TEST(words_that_the_store_has_not_are_refused)
{
    static const double wrong[] = {SAMPLE_WORDS, 1e300, -1, NAN};

    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        OWN(scene_end) scene t;
        kedge_model *const m = full_sample(false), *back;
        begin(&t);
        m->ids[i] = wrong[i];
        put(&t, m);
        ck_fails(kedge_model_load(t.s, "k2", NULL, &back, &t.err), KEDGE_ECORRUPT,
                 t.err, "has a word that is none of the store's");
        kedge_model_free(m);
    }
}

TEST(the_latest_model_is_that_of_the_largest_serial)
{
    static const char *const name[] = {"b", "c", "a"};
    OWN(scene_end) scene t;
    kedge_model *const m = full_sample(false), *back;

    begin(&t);
    ck_fails(kedge_model_load(t.s, NULL, NULL, &back, &t.err), KEDGE_ENOTFOUND,
             t.err, "no model yet");
    for (size_t i = 0; i < 3; i++) {
        snprintf(m->name, sizeof m->name, "%s", name[i]);
        m->serial = 5 + i;
        put(&t, m);
        ck_ok(kedge_model_load(t.s, NULL, NULL, &back, &t.err), t.err);
        ck_assert_str_eq(kedge_model_name(back), name[i]);
        kedge_model_free(back);
    }
    ck_fails(kedge_model_load(t.s, "none", NULL, &back, &t.err), KEDGE_ENOTFOUND,
             t.err, "no model \"none\"");
    ck_assert_ptr_null(back);
    kedge_model_free(m);
    kedge_model_free(NULL);
}

static uint64_t digest_of(scene *t)
{
    uint64_t digest;

    scene_read(t);
    ck_ok(model_digest(t->txn, "k2", &digest, &t->err), t->err);
    store_abort(&t->txn);
    return digest;
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
    uint64_t *const told[] = {&m->view.seed, &m->view.documents,
                              &m->digest[1], &m->refined, &m->polished,
                              &m->figures.rectify_iter, &m->vocabulary_digest};
    double *const values[] = {m->probabilities, m->correlations,
                              m->word_probability, m->tf, m->df, m->small,
                              m->eigenvectors, m->rectified, m->eigenvalues};
    uint64_t digest;

    begin(&t);
    put(&t, m);
    digest = digest_of(&t);
    for (size_t i = 0; i < sizeof told / sizeof *told; i++)
        ck_assert_uint_ne(digest_with(&t, m, told[i]), digest);
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        values[i][1] += 1;
        put(&t, m);
        ck_assert_uint_ne(digest_of(&t), digest);
        values[i][1] -= 1;
    }
    m->ncut = 0;
    put(&t, m);
    ck_assert_uint_ne(digest_of(&t), digest);
    m->ncut = 1;
    ck_assert_uint_eq(digest_with(&t, m, &m->serial), digest);
    ck_assert_uint_eq(digest_with(&t, m, &m->blocks), digest);
    ck_assert_uint_eq(digest_with(&t, m, &m->view_place), digest);
    m->ids[0] += 1;
    put(&t, m);
    ck_assert_uint_eq(digest_of(&t), digest);
}

TEST(loading_without_memory)
{
    OWN(scene_end) scene t;
    OWN(model_end) kedge_model *m = full_sample(true), *back = NULL;

    begin(&t);
    put(&t, m);
    scene_starve(kedge_model_load(t.s, NULL, NULL, &back, &t.err), t.err);
    ck_assert(planted_same(m, back));
}
