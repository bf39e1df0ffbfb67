/* SPDX-License-Identifier: MIT */
#include <kedge/export.h>

#include <signal.h>
#include <sys/resource.h>

#include "base/gate.h"
#include "sample.h"

static const char *const plain_files[] = {
    "vocab.txt",            "topics.npy",  "topic_cooccurrence.npy",
    "word_probability.npy", "anchors.txt", "model.json"};
static const char *const spectrum_files[] = {"eigenvectors.npy",
                                             "eigenvalues.npy",
                                             "rectified.npy"};

#define PLAIN (sizeof plain_files / sizeof *plain_files)
#define SPECTRUM (sizeof spectrum_files / sizeof *spectrum_files)

static void check_array(const char *directory, const char *name, size_t rows,
                        size_t cols, const double *values)
{
    OWNED uint8_t *array = file_array(directory, name, "<f8", rows, cols);

    for (size_t i = 0; i < rows * (cols > 0 ? cols : 1); i++)
        ck_assert_double_eq(array_wide(array, i), values[i]);
}

static void check_text(const char *directory, const char *name,
                       const char *expected)
{
    size_t size;
    OWNED char *bytes = file_bytes(directory, name, &size);

    ck_assert_str_eq(bytes, expected);
}

TEST(export_writes_every_file)
{
    OWN(place_remove) place p = place_make();
    OWN(model_end) kedge_model *m = sample_new(true);
    OWNED char *directory = place_path(&p, "out");
    kedge_export_opts opts = {.spectrum = true};
    kedge_error err = {0};

    kedge_export_opts_init(&opts);
    ck_assert(!opts.spectrum);
    ck_ok(kedge_export(m, directory, &opts, &err), err);
    ck_assert_uint_eq(place_entries(directory), PLAIN);
    check_text(directory, "vocab.txt",
               "\x01\x1f\na \"b\" \\\nplain\nz\xff\xc3(\n\xc3\xa4pfel\n"
               "\xed\xa0\x80\n");
    check_text(directory, "anchors.txt", "a \"b\" \\\n\xc3\xa4pfel\n");
    check_array(directory, "topics.npy", 6, 2, m->probabilities);
    check_array(directory, "topic_cooccurrence.npy", 2, 2, m->correlations);
    check_array(directory, "word_probability.npy", 6, 0, m->word_probability);
    opts.spectrum = true;
    ck_ok(kedge_export(m, directory, &opts, &err), err);
    ck_assert_uint_eq(place_entries(directory), PLAIN + SPECTRUM);
    check_array(directory, "eigenvectors.npy", 6, 2, m->eigenvectors);
    check_array(directory, "eigenvalues.npy", 2, 0, m->eigenvalues);
    check_array(directory, "rectified.npy", 6, 2, m->rectified);
}

TEST(export_writes_weights)
{
    OWN(place_remove) place p = place_make();
    OWN(model_end) kedge_model *m = sample_new(false);
    OWNED char *directory = place_path(&p, "out");
    kedge_error err = {0};

    sample_weigh(m);
    ck_ok(kedge_export(m, directory, NULL, &err), err);
    ck_assert_uint_eq(place_entries(directory), PLAIN + 2);
    check_array(directory, "topics.npy", 6, 2, m->probabilities);
    check_array(directory, "weights.npy", 6, 0, m->weights);
    check_array(directory, "weighted_topics.npy", 6, 2, m->weighted);
}

/* Of topics alone: no store is needed. */
TEST(export_writes_what_others_take)
{
    OWN(place_remove) place p = place_make();
    OWN(model_end) kedge_model *m = sample_new(false);
    kedge_export_opts opts = {.also = KEDGE_EXPORT_GRAPHML | KEDGE_EXPORT_CSV};
    kedge_error err = {0};

    ck_ok(kedge_export(m, p.root, &opts, &err), err);
    ck_assert_uint_eq(place_entries(p.root), PLAIN + 2);
    check_text(p.root, "topic_cooccurrence.csv",
               "topic,1,2\n1,0.5,0.375\n2,0.25,0.125\n");
    opts.also = KEDGE_EXPORT_GRAPHML;
    ck_ok(kedge_export(m, p.root, &opts, &err), err);
    ck_assert_uint_eq(place_entries(p.root), PLAIN + 1);
    for (opts.also = KEDGE_EXPORT_COUNTS; opts.also <= KEDGE_EXPORT_ALL + 1;
         opts.also *= 2)
        ck_fails(kedge_export(m, p.root, &opts, &err), KEDGE_EINVAL, err,
                 "needs the store");
    ck_assert_uint_eq(place_entries(p.root), PLAIN + 1);
}

TEST(export_gives_the_text_of_model_json)
{
    OWN(place_remove) place p = place_make();
    OWN(model_end) kedge_model *m = sample_new(true);
    kedge_error err = {0};
    char *text;

    ck_ok(kedge_model_json(m, &text, &err), err);
    ck_ok(kedge_export(m, p.root, NULL, &err), err);
    check_text(p.root, "model.json", text);
    ck_assert_ptr_null(strstr(text, "\"index\": 3"));
    kedge_free(text);
    ck_ok(kedge_model_stored_json(m, &text, &err), err);
    ck_assert_ptr_nonnull(strstr(text, "\"index\": 3"));
    kedge_free(text);
}

static void check_same(const char *one, const char *other, const char *name)
{
    size_t size, size2;
    OWNED char *a = file_bytes(one, name, &size);
    OWNED char *b = file_bytes(other, name, &size2);

    ck_assert_uint_eq(size, size2);
    ck_assert_mem_eq(a, b, size);
}

TEST(export_repeats_byte_for_byte)
{
    const kedge_export_opts opts = {.spectrum = true};
    OWN(place_remove) place p = place_make();
    OWN(model_end) kedge_model *m = sample_new(true);
    OWNED char *one = place_path(&p, "one"), *two = place_path(&p, "two");
    kedge_error err = {0};

    ck_ok(kedge_export(m, one, &opts, &err), err);
    m->serial++;
    m->blocks++;
    m->figures.seconds = 3;
    ck_ok(kedge_export(m, two, &opts, &err), err);
    for (size_t i = 0; i < PLAIN; i++)
        check_same(one, two, plain_files[i]);
    for (size_t i = 0; i < SPECTRUM; i++)
        check_same(one, two, spectrum_files[i]);
}

TEST(export_refuses_what_makes_no_sense)
{
    const kedge_export_opts opts = {.spectrum = true};
    OWN(place_remove) place p = place_make();
    OWN(model_end) kedge_model *m = sample_new(false);
    kedge_error err = {0};

    ck_fails(kedge_export(m, p.root, &opts, &err), KEDGE_EINVAL, err,
             "--save-spectrum");
    ck_assert_uint_eq(place_entries(p.root), 0);
    ck_fails(kedge_export(m, "", NULL, &err), KEDGE_EINVAL, err,
             "directory");
    ck_fails(kedge_export(m, NULL, NULL, &err), KEDGE_EINVAL, err,
             "directory");
    ck_fails(kedge_export(NULL, p.root, NULL, &err), KEDGE_EINVAL, err,
             "model");
}

static void put_file(const char *directory, const char *name)
{
    char path[512];
    FILE *f;

    snprintf(path, sizeof path, "%.300s/%.100s", directory, name);
    f = fopen(path, "w");
    ck_assert_ptr_nonnull(f);
    fputs("{}", f);
    ck_assert_int_eq(fclose(f), 0);
}

TEST(export_leaves_nothing_of_an_earlier_one)
{
    const kedge_export_opts all = {.spectrum = true};
    OWN(place_remove) place p = place_make();
    OWN(model_end) kedge_model *rich = sample_new(true), *m = sample_new(false);
    kedge_error err = {0};

    sample_weigh(rich);
    ck_ok(kedge_export(rich, p.root, &all, &err), err);
    ck_assert_uint_eq(place_entries(p.root), PLAIN + SPECTRUM + 2);
    put_file(p.root, "doc_topics.npy");
    put_file(p.root, "documents.txt");
    put_file(p.root, "mine.npy");
    ck_ok(kedge_export(rich, p.root, NULL, &err), err);
    ck_assert_uint_eq(place_entries(p.root), PLAIN + 2 + 1);
    ck_assert(file_is_there(p.root, "weights.npy"));
    ck_assert(file_is_there(p.root, "mine.npy"));
    ck_ok(kedge_export(m, p.root, NULL, &err), err);
    ck_assert_uint_eq(place_entries(p.root), PLAIN + 1);
    ck_assert(file_is_there(p.root, "mine.npy"));
}

/* Whatever files of these names are of somebody else. */
TEST(export_leaves_the_files_of_others_alone)
{
    static const char *const names[] = {"weights.npy", "vocab.txt",
                                        "model.json", "data.mdb"};
    OWN(model_end) kedge_model *m = sample_new(false);
    kedge_error err = {0};

    for (size_t i = 0; i < 4; i++) {
        OWN(place_remove) place p = place_make();
        put_file(p.root, names[i]);
        ck_fails(kedge_export(m, p.root, NULL, &err), KEDGE_EINVAL, err,
                 "exists, and no export wrote it; name another");
        ck_assert(file_is_there(p.root, names[i]));
        ck_assert_uint_eq(place_entries(p.root), 1);
    }
}

/* Nothing is written where something could not be. */
TEST(export_looks_at_all_places_first)
{
    OWN(place_remove) place p = place_make();
    OWN(model_end) kedge_model *m = sample_new(false);
    OWNED char *path = place_path(&p, "anchors.txt");
    kedge_error err = {0};

    ck_assert_int_eq(mkdir(path, 0700), 0);
    ck_fails(kedge_export(m, p.root, NULL, &err), KEDGE_EINVAL, err,
             "anchors.txt exists and is not a regular file; name another");
    ck_assert_uint_eq(place_entries(p.root), 1);
}

TEST(export_tells_of_directories_that_are_none)
{
    OWN(place_remove) place p = place_make();
    OWN(model_end) kedge_model *m = sample_new(false);
    OWNED char *orphan = place_path(&p, "none/out");
    OWNED char *file = place_path(&p, "file");
    OWNED char *broken = place_path(&p, "broken");
    kedge_error err = {0};

    fclose(fopen(file, "w"));
    ck_assert_int_eq(symlink("nowhere", broken), 0);
    ck_fails(kedge_export(m, orphan, NULL, &err), KEDGE_EIO, err,
             "cannot make the directory: No such file or directory");
    ck_fails(kedge_export(m, file, NULL, &err), KEDGE_EINVAL, err,
             "/file is a file; an export is a directory: name another");
    ck_fails(kedge_export(m, broken, NULL, &err), KEDGE_EIO, err,
             "/broken: cannot make the directory: No such file");
    ck_fails(kedge_export(m, "/dev/full", NULL, &err), KEDGE_EINVAL, err,
             "/dev/full is a file");
    ck_assert_uint_eq(place_entries(p.root), 2);
}

TEST(export_tells_of_directories_that_are_closed)
{
    OWN(place_remove) place p = place_make();
    OWN(model_end) kedge_model *m = sample_new(false);
    kedge_error err = {0};

    if (geteuid() != 0) { /* nothing is closed to root */
        ck_assert_int_eq(chmod(p.root, 0500), 0);
        ck_fails(kedge_export(m, p.root, NULL, &err), KEDGE_EIO, err,
                 "vocab.txt: Permission denied");
        ck_assert_int_eq(chmod(p.root, 0700), 0);
        ck_assert_uint_eq(place_entries(p.root), 0);
    }
}

/* A limit of the file's size stands for a full disk. */
TEST(export_leaves_no_half_file_on_a_full_disk)
{
    const struct rlimit small = {200, 200};
    char unfinished[80];
    OWN(place_remove) place p = place_make();
    OWN(model_end) kedge_model *m = sample_new(false);
    kedge_error err = {0};

    if (strcmp(getenv("CK_FORK") ? getenv("CK_FORK") : "", "no") != 0) {
        signal(SIGXFSZ, SIG_IGN);
        ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &small), 0);
        ck_fails(kedge_export(m, p.root, NULL, &err), KEDGE_EIO, err,
                 "topics.npy: cannot write: File too large");
        ck_assert_uint_eq(place_entries(p.root), 2);
        snprintf(unfinished, sizeof unfinished,
                 "{\n  \"kedge\": \"%s\",\n  \"unfinished\": true\n}\n",
                 kedge_version());
        check_text(p.root, "model.json", unfinished);
        check_text(p.root, "vocab.txt",
                   "\x01\x1f\na \"b\" \\\nplain\nz\xff\xc3(\n\xc3\xa4pfel\n"
                   "\xed\xa0\x80\n");
    }
}

TEST(export_survives_that_memory_runs_out)
{
    const kedge_export_opts opts = {.spectrum = true,
                                    .also = KEDGE_EXPORT_GRAPHML |
                                            KEDGE_EXPORT_CSV};
    OWN(place_remove) place p = place_make();
    OWN(model_end) kedge_model *m = sample_new(true);
    kedge_error err = {0};

    gate_starve(kedge_export(m, p.root, &opts, &err));
    ck_assert_uint_eq(place_entries(p.root), PLAIN + SPECTRUM + 2);
}
