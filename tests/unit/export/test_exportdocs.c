/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <zlib.h>

#include "export/text.h"
#include "exported.h"

#define HEAD 192     /* of counts.mtx */
#define DOCUMENTS                                                     \
    (KEDGE_EXPORT_COUNTS | KEDGE_EXPORT_PYLDAVIS | KEDGE_EXPORT_MALLET)

/* ---- against the documents of the table ---------------------------------- */

static void check_file(const keeper *k, const char *name,
                       const textbuf *expected)
{
    size_t size;
    OWNED char *bytes = file_bytes(exported_out(k), name, &size);

    ck_assert_uint_eq(size, expected->size);
    ck_assert_mem_eq(bytes, expected->bytes, size);
}

static void check_ids(const keeper *k)
{
    OWN(textbuf_free) textbuf expected = {0};

    for (size_t i = 0; i < k->count; i++)
        textbuf_print(&expected, "%s\n", k->d[i].id);
    check_file(k, "documents.txt", &expected);
}

static void check_counts(const keeper *k, const kedge_model *m)
{
    OWN(textbuf_free) textbuf expected = {0}, lines = {0};
    size_t entries = 0;
    char sizes[64];

    for (size_t i = 0; i < k->count; i++)
        for (size_t row = 0; row < m->words; row++) {
            const uint32_t tally = exported_tally(k, m, i, row);
            if (tally == 0)
                continue;
            textbuf_print(&lines, "%zu %zu %u\n", i + 1, row + 1, tally);
            entries++;
        }
    snprintf(sizes, sizeof sizes, "\n%zu %zu %zu\n", k->count,
             (size_t)m->words, entries);
    textbuf_print(&expected, "%-*s%s", HEAD - (int)strlen(sizes),
                  "%%MatrixMarket matrix coordinate integer general\n"
                  "% rows as in documents.txt, columns as in vocab.txt",
                  sizes);
    textbuf_add(&expected, lines.bytes, lines.size);
    check_file(k, "counts.mtx", &expected);
}

static void check_compositions(const keeper *k)
{
    OWNED uint8_t *shares = file_array(exported_out(k), "doc_topics.npy",
                                      "<f4", k->count, KEEPER_TOPICS);

    for (size_t i = 0; i < k->count * KEEPER_TOPICS; i++)
        ck_assert((double)array_single(shares, i) ==
                  k->d[i / KEEPER_TOPICS].shares[i % KEEPER_TOPICS]);
}

static void check_pyldavis(const keeper *k, const kedge_model *m)
{
    const char *const out = exported_out(k);
    const size_t n = m->words;
    OWNED uint64_t *sum = calloc(n, sizeof *sum);
    OWNED uint8_t *topics = file_array(out, "topic_term_dists.npy", "<f8",
                                       KEEPER_TOPICS, n);
    OWNED uint8_t *lengths = file_array(out, "doc_lengths.npy", "<f8",
                                        k->count, 0);
    OWNED uint8_t *terms = file_array(out, "term_frequency.npy", "<u8", n, 0);

    for (size_t i = 0; i < KEEPER_TOPICS * n; i++)
        ck_assert_double_eq(array_wide(topics, i),
                            m->probabilities[i % n * KEEPER_TOPICS + i / n]);
    for (size_t d = 0; d < k->count; d++) {
        uint64_t length = 0;
        for (size_t i = 0; i < n; i++) {
            const uint32_t tally = exported_tally(k, m, d, i);
            length += tally;
            sum[i] += tally;
        }
        ck_assert_double_eq(array_wide(lengths, d), (double)length);
    }
    for (size_t i = 0; i < n; i++)
        ck_assert_uint_eq(get_u64(terms + NPY_HEAD + 8 * i), sum[i]);
}

static void check_keys(const keeper *k, const kedge_model *m)
{
    OWN(textbuf_free) textbuf expected = {0};

    for (size_t t = 0; t < KEEPER_TOPICS; t++) {
        kedge_ranked_word first[20];
        kedge_error err = {0};
        uint64_t got;
        ck_ok(kedge_model_top_words(m, t, KEDGE_RANK_PROBABILITY, first, 20,
                                    &got, &err), err);
        textbuf_print(&expected, "%zu\t", t);
        textbuf_real(&expected, m->alpha != NULL ? m->alpha[t] : m->shares[t]);
        for (uint64_t i = 0; i < got; i++)
            textbuf_print(&expected, "%c%s", i == 0 ? '\t' : ' ',
                          words_get(&m->text, first[i].row));
        textbuf_text(&expected, "\n");
    }
    check_file(k, "mallet-keys.txt", &expected);
}

static void check_topics(const keeper *k)
{
    size_t size;
    OWNED char *bytes = file_bytes(exported_out(k), "mallet-topics.txt", &size);
    char *at = bytes, id[64];

    for (size_t i = 0; i < k->count; i++) {
        size_t number;
        int read;
        ck_assert_int_eq(sscanf(at, "%zu\t%63s%n", &number, id, &read), 2);
        ck_assert_uint_eq(number, i);
        ck_assert_str_eq(id, k->d[i].id);
        at += read;
        for (size_t t = 0; t < KEEPER_TOPICS; t++) {
            ck_assert_int_eq(*at++, '\t');
            ck_assert(strtod(at, &at) == k->d[i].shares[t]);
        }
        ck_assert_int_eq(*at++, '\n');
    }
    ck_assert_ptr_eq(at, bytes + size);
}

/* Parts of n tokens, plainly: again and again to whom most is owing. */
static void give(const double *p, uint32_t n, uint32_t *out)
{
    double sum = 0, part[KEEPER_TOPICS];
    uint32_t left = n;

    for (size_t t = 0; t < KEEPER_TOPICS; t++)
        sum += p[t];
    for (size_t t = 0; t < KEEPER_TOPICS; t++) {
        part[t] = n * (p[t] / sum);
        out[t] = (uint32_t)part[t];
        left -= out[t];
    }
    for (; left > 0; left--) {
        size_t most = 0;
        for (size_t t = 0; t < KEEPER_TOPICS; t++)
            if (part[t] - floor(part[t]) > part[most] - floor(part[most]))
                most = t;
        out[most]++;
        part[most] = 0;
    }
}

static void expect(const keeper *k, const kedge_model *m, size_t i, size_t row,
                   uint32_t *out)
{
    double p[KEEPER_TOPICS], sum = 0;

    for (size_t t = 0; t < KEEPER_TOPICS; t++) {
        p[t] = m->probabilities[row * KEEPER_TOPICS + t] * k->d[i].shares[t];
        sum += p[t];
    }
    give(sum > 0 ? p : k->d[i].shares, exported_tally(k, m, i, row), out);
}

/* Every line, in its order. */
static void check_state(const keeper *k, const kedge_model *m)
{
    char path[128], line[256], expected[384];

    snprintf(path, sizeof path, "%.100s/mallet-state.gz", exported_out(k));
    const gzFile f = gzopen(path, "rb");

    ck_assert_ptr_nonnull(f);
    for (size_t i = 0; i < 3; i++)
        ck_assert_ptr_nonnull(gzgets(f, line, sizeof line));
    ck_assert_str_eq(line, "#beta : 0.01\n");
    for (size_t i = 0; i < k->count; i++) {
        size_t position = 0;
        for (size_t row = 0; row < m->words; row++) {
            uint32_t parts[KEEPER_TOPICS];
            if (exported_tally(k, m, i, row) == 0)
                continue;
            expect(k, m, i, row, parts);
            for (size_t t = 0; t < KEEPER_TOPICS; t++)
                for (uint32_t n = 0; n < parts[t]; n++) {
                    snprintf(expected, sizeof expected,
                             "%zu %s %zu %zu %s %zu\n", i, k->d[i].id,
                             position++, row, words_get(&m->text, row), t);
                    ck_assert_ptr_nonnull(gzgets(f, line, sizeof line));
                    ck_assert_str_eq(line, expected);
                }
        }
    }
    ck_assert_ptr_null(gzgets(f, line, sizeof line));
    ck_assert_int_eq(gzclose(f), Z_OK);
}

/* ---- cases --------------------------------------------------------------- */

TEST(files_are_of_the_documents)
{
    static keeper k;
    OWN(model_end) kedge_model *m = NULL;

    keeper_begin(&k, 100, LIVELY_SHARDS, false);
    lively_remove(&k.l, 1, 10, false);
    keeper_keep(&k);
    m = exported_model(&k);
    ck_ok(exported_try(&k, m, DOCUMENTS), k.l.p.t.err);
    check_ids(&k);
    check_counts(&k, m);
    check_compositions(&k);
    check_pyldavis(&k, m);
    check_keys(&k, m);
    check_topics(&k);
    check_state(&k, m);
    for (size_t i = 0; i < m->words; i++) /* known to no topic */
        memset(m->probabilities + i * KEEPER_TOPICS, 0,
               i % 3 == 0 ? KEEPER_TOPICS * sizeof(double) : 0);
    ck_ok(exported_try(&k, m, KEDGE_EXPORT_MALLET), k.l.p.t.err);
    check_state(&k, m);
    ck_assert(!file_is_there(exported_out(&k), "counts.mtx"));
    keeper_end(&k);
}

/* A set that is not of all documents, or of another model, is not written, and
 * what needs one fails; counts come by themselves then. */
TEST(compositions_are_of_all_documents)
{
    static const struct {
        kedge_status status;
        const char *part;
    } none[] = {
        {KEDGE_ENOTFOUND, "'kedge infer STORE --save --model k4'"},
        {KEDGE_EINVAL, "'kedge infer STORE --save --model k4'"},
        {KEDGE_EINVAL, "saves new ones"},
    };
    static keeper k;
    OWN(model_end) kedge_model *m = NULL;

    keeper_begin(&k, 200, 5, false);
    m = exported_model(&k);
    for (size_t i = 0; i < 3; i++) {
        if (i == 1) {
            keeper_keep(&k);
            ck_ok(exported_try(&k, m, 0), k.l.p.t.err);
            check_compositions(&k);
            check_ids(&k);
            keeper_add(&k); /* later ones */
        } else if (i == 2) {
            keeper_fit(&k); /* another model of the name */
            keeper_keep(&k);
        }
        ck_fails(exported_try(&k, m, KEDGE_EXPORT_PYLDAVIS), none[i].status,
                 k.l.p.t.err, none[i].part);
        ck_fails(exported_try(&k, m, KEDGE_EXPORT_MALLET), none[i].status,
                 k.l.p.t.err, none[i].part);
        ck_ok(exported_try(&k, m, KEDGE_EXPORT_COUNTS), k.l.p.t.err);
        ck_assert(!file_is_there(exported_out(&k), "doc_topics.npy"));
        keeper_expect(&k);
        check_counts(&k, m);
        check_ids(&k);
        ck_ok(exported_try(&k, m, 0), k.l.p.t.err);
        ck_assert(!file_is_there(exported_out(&k), "documents.txt"));
    }
    keeper_end(&k);
}

/* Ids of any bytes are lines nevertheless. */
TEST(ids_are_told_in_a_line)
{
    static keeper k;
    OWN(model_end) kedge_model *m = NULL;
    char path[96], *bytes;
    size_t size;
    FILE *f;

    keeper_begin(&k, 200, 1, false);
    f = planted_file(planted_path(&k.l.p, "odd", path));
    fputs("{\"id\":\"a\\nb\\\\c d\\r\\n\",\"text\":{\"w005\":3}}\n"
          "{\"id\":\"\\\\\",\"text\":{\"w005\":2}}\n", f);
    ck_assert_int_eq(fclose(f), 0);
    ck_ok(planted_ingest(&k.l.p, path), k.l.p.t.err);
    ck_ok(keeper_run(&k, 0), k.l.p.t.err);
    m = exported_model(&k);
    ck_ok(exported_try(&k, m, KEDGE_EXPORT_MALLET), k.l.p.t.err);
    bytes = file_bytes(exported_out(&k), "documents.txt", &size);
    ck_assert_ptr_nonnull(strstr(bytes, "\na\\nb\\\\c d\\r\\n\n\\\\\n"));
    free(bytes);
    bytes = file_bytes(exported_out(&k), "mallet-topics.txt", &size);
    ck_assert_ptr_nonnull(strstr(bytes, "\ta\\nb\\\\c\\sd\\r\\n\t"));
    free(bytes);
    keeper_end(&k);
}

static int stop_now(void *data)
{
    (void)data;
    return 1;
}

TEST(what_fails_leaves_no_file)
{
    static const char *const files[] = {"counts.mtx", "doc_topics.npy",
                                        "doc_lengths.npy", "mallet-state.gz"};
    static keeper k;
    OWN(model_end) kedge_model *m = NULL;

    keeper_begin(&k, 60, 3, false);
    keeper_keep(&k);
    m = exported_model(&k);
    k.l.p.c.memory = 1;
    ck_fails(exported_try(&k, m, DOCUMENTS), KEDGE_EBUDGET, k.l.p.t.err,
             "exporting documents");
    kedge_control_init(&k.l.p.c);
    k.l.p.c.stop = stop_now;
    ck_assert_int_eq(exported_try(&k, m, DOCUMENTS), KEDGE_ECANCELED);
    k.l.p.c.stop = NULL;
    for (size_t i = 0; i < 4; i++)
        ck_assert(!file_is_there(exported_out(&k), files[i]));
    gate_starve(exported_try(&k, m, DOCUMENTS));
    check_counts(&k, m);
    check_compositions(&k);
    check_pyldavis(&k, m);
    check_topics(&k);
    check_state(&k, m);
    keeper_end(&k);
}

/* ---- the co-occurrence --------------------------------------------------- */

#define PAIRS (PLANTED_WORDS * PLANTED_WORDS)

static kedge_status export_pairs(planted *p, const kedge_model *m,
                                 kedge_export_pairs pairs)
{
    const kedge_export_opts o = {.pairs = pairs, .store = p->t.s,
                                 .control = &p->c};
    char path[96];

    planted_path(p, pairs == KEDGE_EXPORT_PAIRS_DENSE ? "dense" : "sparse",
                 path);
    return kedge_export(m, path, &o, &p->t.err);
}

/* Both files hold the same, to the last bit, and so does the lower half of the
 * one what the upper has. */
TEST(co_occurrence_is_the_same_dense_and_sparse)
{
    OWN(planted_end) planted p;
    size_t size, entries = 0, told = 0, n = 0;
    OWNED double *c = calloc(PAIRS, sizeof *c);
    OWNED double *read = calloc(PAIRS, sizeof *c);

    planted_begin(&p, PLANTED_DOCUMENTS);
    planted_fill(&p);
    OWN(model_end) kedge_model *m = planted_fit(&p, 4, NULL, NULL);
    p.c.memory = 1;
    ck_assert_int_eq(export_pairs(&p, m, KEDGE_EXPORT_PAIRS_DENSE),
                     KEDGE_EBUDGET);
    kedge_control_init(&p.c);
    gate_starve(export_pairs(&p, m, KEDGE_EXPORT_PAIRS_DENSE));
    gate_starve(export_pairs(&p, m, KEDGE_EXPORT_PAIRS_SPARSE));
    OWNED char *dense = file_bytes(p.t.root, "dense/cooccurrence.npy", &size);
    ck_assert_ptr_nonnull(strstr(dense + 10, "(150, 150)"));
    memcpy(c, dense + size - PAIRS * sizeof *c, PAIRS * sizeof *c);
    OWNED char *sparse = file_bytes(p.t.root, "sparse/cooccurrence.mtx", &size);
    char *line = strchr(sparse, '\n');
    ck_assert_int_eq(strncmp(sparse, "%%MatrixMarket matrix coordinate real "
                                     "symmetric\n", 48), 0);
    ck_assert_int_eq(sscanf(line + 1, "%zu %*u %zu", &n, &told), 2);
    ck_assert_uint_eq(n, PLANTED_WORDS);
    for (line = strchr(line + 1, '\n'); line[1] != '\0';
         line = strchr(line + 1, '\n'), entries++) {
        size_t i, j;
        double x;
        ck_assert_int_eq(sscanf(line + 1, "%zu %zu %lg", &i, &j, &x), 3);
        ck_assert(1 <= j && j <= i && i <= n && x != 0);
        read[(i - 1) * n + j - 1] = read[(j - 1) * n + i - 1] = x;
    }
    ck_assert_uint_eq(entries, told);
    ck_assert_mem_eq(c, read, PAIRS * sizeof *c);
}
