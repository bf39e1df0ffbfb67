/* SPDX-License-Identifier: MIT */
#include <kedge/bench.h>

#include <inttypes.h>
#include <math.h>

#include "base/gate.h"
#include "unit.h"

enum { ROOM = 1 << 20 };

/* What corpus.c has: how evenly documents are made of groups and of their
 * topics, and draws of any topic. */
static const double root = 3, leaf = 2, stray = 0.1;

static kedge_corpus *corpus_of(const kedge_corpus_opts *o)
{
    kedge_error err = {0};
    kedge_corpus *c;

    ck_ok(kedge_corpus_create(o, &c, &err), err);
    return c;
}

static kedge_corpus *corpus_like(kedge_shape shape)
{
    kedge_corpus_opts o;

    kedge_corpus_opts_init(&o, shape);
    return corpus_of(&o);
}

/* Lines of documents first .. first + count - 1, at most `room` at a time. */
static char *lines_of(kedge_corpus *c, uint64_t first, uint64_t count,
                      uint64_t room, size_t *size)
{
    uint64_t next = first, capacity = 0;
    char *text = NULL;

    *size = 0;
    while (next < first + count) {
        uint64_t got;
        if (capacity - *size < room) {
            capacity = 2 * capacity + room;
            text = realloc(text, capacity + 1);
        }
        got = kedge_corpus_lines(c, &next, first + count, text + *size, room);
        ck_assert_uint_gt(got, 0);
        *size += got;
    }
    text[*size] = '\0';
    return text;
}

typedef struct shape {
    double documents, tokens, nonzeros;
    uint32_t *tally; /* of words */
} shape;

static uint64_t take(const char **at, char end)
{
    char *after;
    const uint64_t n = strtoull(*at, &after, 10);

    ck_assert_int_eq(*after, end);
    *at = after + 1;
    return n;
}

/* Reads every line with care. */
static shape measure(const char *text, uint64_t words)
{
    shape s = {.tally = calloc(words, sizeof *s.tally)};

    while (*text != '\0') {
        char *after;
        const uint64_t count = strtoull(text, &after, 10);
        uint64_t last = UINT64_MAX;
        ck_assert_uint_gt(count, 0);
        for (uint64_t i = 0; i < count; i++) {
            uint64_t word, tally;
            text = after + 1;
            word = take(&text, ':');
            tally = strtoull(text, &after, 10);
            ck_assert_int_eq(*after, i + 1 < count ? ' ' : '\n');
            ck_assert_uint_lt(word, words);
            ck_assert(last == UINT64_MAX || word > last);
            ck_assert_uint_gt(tally, 0);
            last = word;
            s.tally[word] += (uint32_t)tally;
            s.tokens += (double)tally;
        }
        s.nonzeros += (double)count;
        s.documents++;
        text = after + 1;
    }
    return s;
}

START_TEST(the_same_comes_again_and_parts_are_as_the_whole)
{
    kedge_corpus *const one = corpus_like(KEDGE_SHAPE_PUBMED);
    kedge_corpus *const two = corpus_like(KEDGE_SHAPE_PUBMED);
    const uint64_t line = kedge_corpus_line(one);
    size_t whole_size, size, at = 0;
    char *const whole = lines_of(one, 1, 700, ROOM, &whole_size);
    static const uint64_t starts[] = {1, 2, 300, 301, 701};

    for (int i = 0; i < 4; i++) {
        char *const part = lines_of(two, starts[i], starts[i + 1] - starts[i],
                                    i % 2 == 0 ? line : 3 * line, &size);
        ck_assert_uint_le(at + size, whole_size);
        ck_assert_mem_eq(whole + at, part, size);
        at += size;
        free(part);
    }
    ck_assert_uint_eq(at, whole_size);
    free(whole);
    kedge_corpus_free(one);
    kedge_corpus_free(two);
}
END_TEST

START_TEST(another_seed_is_another_corpus)
{
    kedge_corpus_opts o;
    kedge_corpus *a, *b;
    size_t sizes[2];
    char *texts[2];

    kedge_corpus_opts_init(&o, KEDGE_SHAPE_NYTIMES);
    a = corpus_of(&o);
    o.seed++;
    b = corpus_of(&o);
    texts[0] = lines_of(a, 1, 10, ROOM, &sizes[0]);
    texts[1] = lines_of(b, 1, 10, ROOM, &sizes[1]);
    ck_assert_str_ne(texts[0], texts[1]);
    for (int i = 0; i < 2; i++)
        free(texts[i]);
    kedge_corpus_free(a);
    kedge_corpus_free(b);
}
END_TEST

static int falling(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return (x < y) - (x > y);
}

/* The slope of ln tally over ln (rank + shift), ranks as they are counted. */
static double exponent_of(uint32_t *tally, size_t words, double shift,
                          size_t most)
{
    double sx = 0, sy = 0, sxx = 0, sxy = 0;

    qsort(tally, words, sizeof *tally, falling);
    for (size_t r = 1; r <= most; r++) {
        const double x = log((double)r + shift), y = log(tally[r - 1]);
        sx += x, sy += y, sxx += x * x, sxy += x * y;
    }
    return -((double)most * sxy - sx * sy) / ((double)most * sxx - sx * sx);
}

START_TEST(corpora_have_the_shape_that_was_asked_for)
{
    /* of the collections: tokens of a document, different ones, documents */
    static const double wanted[][3] = {{331.8, 232.3, 6000},
                                       {90.0, 58.96, 20000}};

    for (int i = 0; i < 2; i++) {
        kedge_corpus_opts o;
        kedge_corpus *c;
        size_t size;
        char *text;
        shape s;
        kedge_corpus_opts_init(&o, (kedge_shape)i);
        c = corpus_of(&o);
        text = lines_of(c, 1, (uint64_t)wanted[i][2], ROOM, &size);
        s = measure(text, o.vocabulary);
        ck_assert_double_eq(s.documents, wanted[i][2]);
        ck_assert_double_eq_tol(s.tokens / s.documents / wanted[i][0], 1,
                                0.02);
        ck_assert_double_eq_tol(s.nonzeros / s.documents / wanted[i][1], 1,
                                0.02);
        ck_assert_double_eq_tol(
            exponent_of(s.tally, o.vocabulary, o.shift, 3000) / o.exponent, 1,
            0.04);
        free(s.tally);
        free(text);
        kedge_corpus_free(c);
    }
}
END_TEST

START_TEST(options_change_what_they_say)
{
    kedge_corpus_opts o;
    kedge_corpus *c;
    size_t size;
    char *text;
    shape s;

    kedge_corpus_opts_init(&o, KEDGE_SHAPE_NYTIMES);
    o = (kedge_corpus_opts){.documents = 1, .vocabulary = 3000, .topics = 7,
                            .seed = 3, .tokens = 50, .spread = 0,
                            .exponent = 1, .shift = 2.5, .repeat = 0.5};
    c = corpus_of(&o);
    text = lines_of(c, 1, 5000, ROOM, &size);
    s = measure(text, o.vocabulary);
    ck_assert_double_eq(s.tokens, 50 * 5000);
    ck_assert_double_lt(s.nonzeros, 0.55 * s.tokens);
    ck_assert_double_eq_tol(exponent_of(s.tally, 3000, 2.5, 1000), 1, 0.08);
    free(s.tally);
    free(text);
    kedge_corpus_free(c);
}
END_TEST

/* ---- topics -------------------------------------------------------------- */

/* A word's topic from 0, or -1 for general words and those of two. */
static int topic_of(const kedge_corpus *c, uint64_t number)
{
    char word[KEDGE_CORPUS_WORD];
    unsigned topic, rank;
    int used = 0;

    kedge_corpus_word(c, number, word);
    if (sscanf(word, "t%uw%u%n", &topic, &rank, &used) != 2 ||
        word[used] != '\0')
        return -1;
    return (int)topic - 1;
}

enum { GROUPS = 3, TOPICS = 12 };

typedef struct pairs {
    double all, group, topic; /* pairs of draws: the same group, topic */
} pairs;

/* Of one line's words of one topic. */
static const char *count_pairs(const int *topic, const char *text, pairs *p)
{
    int count[TOPICS] = {0}, group[GROUPS] = {0}, all = 0;

    text = strchr(text, ' ');
    while (*text != '\n') {
        char *after;
        const int t = topic[strtoull(text + 1, &after, 10)];
        if (t >= 0) {
            count[t]++;
            group[t % GROUPS]++;
            all++;
        }
        text = after + 1 + strcspn(after + 1, " \n");
    }
    p->all += all * (all - 1);
    for (int t = 0; t < TOPICS; t++)
        p->topic += count[t] * (count[t] - 1);
    for (int g = 0; g < GROUPS; g++)
        p->group += group[g] * (group[g] - 1);
    return text + 1;
}

/* Topics' shares, as planting.c has them. */
static void expect(double *group, double *topic)
{
    double share[TOPICS], of_group[GROUPS] = {0}, sum = 0;
    double even_group = 0, even_topic = 0, within = 0;

    for (int t = 0; t < TOPICS; t++)
        sum += share[t] = 1 / sqrt(t / GROUPS + 1);
    for (int t = 0; t < TOPICS; t++) {
        share[t] /= sum;
        of_group[t % GROUPS] += share[t];
        even_topic += share[t] * share[t];
    }
    for (int g = 0; g < GROUPS; g++)
        even_group += of_group[g] * of_group[g];
    for (int t = 0; t < TOPICS; t += GROUPS)
        within += pow(share[t] / of_group[0], 2);
    *group = (1 + root * even_group) / (1 + root);
    *topic = *group * (1 + leaf * within) / (1 + leaf);
    *group += (1 - pow(1 - stray, 2)) * (even_group - *group);
    *topic += (1 - pow(1 - stray, 2)) * (even_topic - *topic);
}

/* Two draws of a Dirichlet tree are of one group, and of one topic, as often as
 * that has it: words are even here, and hardly any comes twice. */
START_TEST(topics_go_together_as_the_tree_has_it)
{
    const kedge_corpus_opts o = {.documents = 1, .vocabulary = 400000,
                                 .topics = TOPICS, .seed = 5, .tokens = 120,
                                 .spread = 0, .exponent = 0.1};
    kedge_corpus *const c = corpus_of(&o);
    int *const topic = calloc(o.vocabulary, sizeof *topic);
    double group, same;
    pairs p = {0};
    size_t size;
    char *text;

    for (uint64_t i = 0; i < o.vocabulary; i++)
        topic[i] = topic_of(c, i);
    text = lines_of(c, 1, 10000, ROOM, &size);
    for (const char *at = text; *at != '\0';)
        at = count_pairs(topic, at, &p);
    expect(&group, &same);
    ck_assert_double_eq_tol(p.group / p.all, group, 0.01);
    ck_assert_double_eq_tol(p.topic / p.all, same, 0.01);
    free(text);
    free(topic);
    kedge_corpus_free(c);
}
END_TEST

START_TEST(words_are_told_apart)
{
    kedge_corpus_opts o;
    kedge_corpus *c;
    char word[KEDGE_CORPUS_WORD];
    bool *seen;

    kedge_corpus_opts_init(&o, KEDGE_SHAPE_PUBMED);
    c = corpus_of(&o);
    seen = calloc(o.vocabulary + 1, sizeof *seen);
    for (uint64_t i = 0; i < o.vocabulary; i++) {
        const char *rank;
        kedge_corpus_word(c, i, word);
        rank = strrchr(word, 'w');
        ck_assert_ptr_nonnull(rank);
        ck_assert_uint_le(strtoull(rank + 1, NULL, 10), o.vocabulary);
        ck_assert(!seen[strtoull(rank + 1, NULL, 10)]);
        seen[strtoull(rank + 1, NULL, 10)] = true;
    }
    ck_assert_str_eq(kedge_corpus_word(c, o.vocabulary, word), "");
    free(seen);
    kedge_corpus_free(c);
}
END_TEST

/* ---- what is refused ----------------------------------------------------- */

START_TEST(impossible_options_are_refused)
{
    kedge_corpus_opts good, o;
    kedge_error err = {0};
    kedge_corpus *c;

    kedge_corpus_opts_init(&good, KEDGE_SHAPE_NYTIMES);
#define REFUSED(member, value, why)                                         \
    o = good;                                                               \
    o.member = value;                                                       \
    ck_fails(kedge_corpus_create(&o, &c, &err), KEDGE_EINVAL, err, why);    \
    ck_assert_ptr_null(c)
    REFUSED(topics, 1, "1 topics: 2 to 2000");
    REFUSED(topics, 2001, "2001 topics: 2 to 2000");
    REFUSED(vocabulary, 3199, "3199 words: 32 for each of the 100 topics");
    REFUSED(vocabulary, (1 << 24) + 1, "up to 16777216");
    REFUSED(tokens, 0.5, "tokens 0.5: 1 to");
    REFUSED(tokens, NAN, "tokens nan");
    REFUSED(spread, -1, "spread -1");
    REFUSED(exponent, 0, "exponent 0");
    REFUSED(shift, -1, "shift -1");
    REFUSED(repeat, 1, "repeat 1");
#undef REFUSED
    o = good;
    o.vocabulary = 3200;
    ck_ok(kedge_corpus_create(&o, &c, &err), err);
    kedge_corpus_free(c);
    kedge_corpus_free(NULL);
}
END_TEST

/* Room for what is asked for is there, and a byte less is too little. */
START_TEST(memory_is_kept_to)
{
    kedge_corpus_opts o;
    kedge_error err = {0};
    kedge_corpus *c;

    kedge_corpus_opts_init(&o, KEDGE_SHAPE_PUBMED);
    ck_assert_uint_eq(o.memory, 0);
    o.memory = kedge_corpus_memusage(&o);
    ck_assert_uint_gt(o.memory, 40 * o.vocabulary);
    ck_ok(kedge_corpus_create(&o, &c, &err), err);
    kedge_corpus_free(c);
    o.memory--;
    ck_fails(kedge_corpus_create(&o, &c, &err), KEDGE_EBUDGET, err,
             "141043 words takes 22 MiB, the budget (--memory) is 21 MiB");
    ck_assert_ptr_null(c);
}
END_TEST

START_TEST(it_survives_that_memory_runs_out)
{
    kedge_status st = KEDGE_ENOMEM;
    kedge_corpus_opts o;
    kedge_error err = {0};
    kedge_corpus *c;

    kedge_corpus_opts_init(&o, KEDGE_SHAPE_NYTIMES);
    o.vocabulary = 3200;
    for (long k = 0; st == KEDGE_ENOMEM; k++) {
        ck_assert_int_lt(k, 300);
        gate_allow(k);
        st = kedge_corpus_create(&o, &c, &err);
        gate_open();
        ck_assert_int_eq(st == KEDGE_OK, c != NULL);
    }
    ck_ok(st, err);
    kedge_corpus_free(c);
}
END_TEST

UNIT_SUITE("corpus",
    the_same_comes_again_and_parts_are_as_the_whole,
    another_seed_is_another_corpus,
    corpora_have_the_shape_that_was_asked_for,
    options_change_what_they_say,
    topics_go_together_as_the_tree_has_it,
    words_are_told_apart,
    impossible_options_are_refused,
    memory_is_kept_to,
    it_survives_that_memory_runs_out)
