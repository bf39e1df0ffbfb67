/* SPDX-License-Identifier: MIT */
/*
 * Synthetic corpora of any size, to measure with:
 *
 *   corpus [--shape nytimes|pubmed] [-d DOCUMENTS] [--first A]
 *          [--vocabulary N] [-k TOPICS] [--words]
 *
 * prints a line for each document, "entries word:count ...", which ingest takes
 * as --from ldac, or with --words the words, one a line. These tell what is
 * planted: w17 is a general word, the 17th most frequent of all, t3w204 is of
 * topic 3, and t3t40w98 of topics 3 and 40. Documents have numbers, from A on;
 * one depends on the shape, the words, the topics and its number alone, so that
 * parts can be made apart.
 *
 * Words: p(rank r) ~ (r + 1 + shift)^-exponent, the law of Zipf and Mandelbrot.
 * Half of them, at random, are general ones and in every document alike. The
 * others are at home in one topic, or, three in ten of them, in two, which
 * share them evenly. As lists of words are drawn from as often as their words
 * weigh together, all of it keeps the law. First homes go round by the golden
 * ratio, so that each topic has its share of frequent and of rare words and
 * none is left without. Topics are in √T groups, and of unequal shares,
 * 1 / √place in the group. Numbers of words are ranks that were shuffled.
 *
 * A document's length is lognormal. Words are drawn until it is reached; each
 * comes once and then again with the chance `repeat`, so that a word which is
 * there at all is likely to be there twice, as it is in texts. A draw is of a
 * general word, or of a topic's. The topic follows a Dirichlet tree, whose
 * shares are never made: the urn that has them is drawn from instead. With j
 * topical draws before, the topic's group is new with the chance
 * ROOT / (ROOT + j), else that of one of the draws; with c of them in that
 * group the topic is new with the chance LEAF / (LEAF + c), else that of one of
 * the c. One topical draw in ten is of any topic and leaves the urn as it is,
 * so that no word is of its topics' documents alone.
 */
#include <assert.h>
#include <getopt.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

#define GENERAL_WORDS 0.5
#define SECOND_HOMES  0.3
#define GOLDEN_TURN   0.61803398874989485
#define STRAY         0.1 /* of topical draws, those of any topic */
#define ROOT          3.0 /* how evenly documents are made of groups, */
#define LEAF          2.0 /* and of a group's topics */

enum {
    SEED = 1,
    LONGEST = 16,            /* document: times the mean */
    WORDS_MOST = 1 << 24,
    TOPICS_MOST = 2000,
    LEAST_WORDS = 32,        /* for each topic */
    NO_TOPIC = UINT16_MAX,
    /* what parts of a draw's 64 bits are for */
    KIND_BITS = 16, TIMES_BITS = 12, TREE_BITS = 18
};
static_assert(KIND_BITS + TIMES_BITS + 2 * TREE_BITS == 64,
              "a draw uses 64 bits");

/* Streams of the seed. */
enum { OF_KIND, OF_SECOND, OF_WHICH, OF_ORDER };

typedef struct shape {
    const char *name;
    uint64_t documents, vocabulary;
    double tokens;          /* of a document on average */
    double spread;          /* standard deviation of their logarithm */
    double exponent, shift;
    double repeat;
} shape;

static const shape shapes[] = {
    {"nytimes", 300000, 102660, 331.8, 0.6, 1.6, 150, 0.01},
    {"pubmed", 8200000, 141043, 90, 0.5, 1.9, 200, 0.235},
};

typedef struct cell {
    uint32_t own, other;
    uint32_t share; /* of its own, of 2^32 */
} cell;

typedef struct corpus {
    shape shape;
    size_t words, topics, groups;
    double general;       /* the share of tokens that belong to no topic */
    uint32_t *rank;       /* of a word */
    uint16_t (*home)[2];  /* of a rank; general words have none */
    double *upto;         /* of all topical tokens, those of topics 0 to t */
    cell *cells;          /* words: general ones first, then each topic's, */
    size_t *list_at;      /* whose begin here: topics + 2 */
    cell *any;            /* topics */
    cell *grouped;        /* those of group g are grouped[group_at[g] ..] */
    size_t *group_at;     /* groups + 1 */
    /* for draws */
    double log_mean;
    size_t longest;           /* document, in tokens */
    uint64_t key, length_key;
    uint32_t topical, strays; /* draws of 2^KIND_BITS, strays among them */
    uint8_t times[1 << TIMES_BITS];
    /* of a document */
    uint16_t *topic;       /* of its topical draws, strays left out */
    uint32_t *in_group;    /* how many of them */
    uint32_t *tally;       /* of all words */
    uint64_t *drawn, *any_drawn; /* bits of words; bits of those */
    size_t any_size;
} corpus;

static void *claim(size_t count, size_t size)
{
    void *const p = calloc(count, size);

    if (p == NULL) {
        perror("corpus");
        exit(1);
    }
    return p;
}

/* ---- draws by weights ---------------------------------------------------- */

static uint32_t share_of(double part)
{
    return part >= 1 ? UINT32_MAX : (uint32_t)(part * 0x1p32);
}

/* Walker's alias method as Vose makes the table: a cell that has less than the
 * mean is filled up by an item that has more, which then has less itself.
 * Overwrites the weights, of which not all are 0. */
static void build_cells(const uint32_t *item, double *weight, size_t count,
                        cell *cells)
{
    size_t *const stack = claim(count, sizeof *stack); /* poor ones from the
                                                          front, rich ones from
                                                          the back */
    size_t poor = 0, rich = count;
    double sum = 0;

    for (size_t i = 0; i < count; i++)
        sum += weight[i];
    assert(sum > 0);
    for (size_t i = 0; i < count; i++) {
        weight[i] *= (double)count / sum;
        cells[i] = (cell){item[i], item[i], UINT32_MAX};
        if (weight[i] < 1)
            stack[poor++] = i;
        else
            stack[--rich] = i;
    }
    while (poor > 0 && rich < count) {
        const size_t p = stack[--poor], r = stack[rich];

        cells[p].share = share_of(weight[p]);
        cells[p].other = item[r];
        weight[r] -= 1 - weight[p];
        if (weight[r] < 1) {
            rich++;
            stack[poor++] = r;
        }
    }
    free(stack);
}

/* An item, from 64 random bits. */
static uint32_t draw_item(const cell *cells, size_t count, uint64_t bits)
{
    const cell *const c = &cells[((bits >> 32) * count) >> 32];

    return (uint32_t)bits < c->share ? c->own : c->other;
}

/* A topic: any, or one of a group. */
static uint32_t any_topic(const corpus *c, uint64_t bits)
{
    return draw_item(c->any, c->topics, bits);
}

static uint32_t topic_of_group(const corpus *c, size_t group, uint64_t bits)
{
    const size_t at = c->group_at[group];

    return draw_item(c->grouped + at, c->group_at[group + 1] - at, bits);
}

/* A general word, or a topic's. */
static uint32_t word_of_list(const corpus *c, size_t list, uint64_t bits)
{
    const size_t at = c->list_at[list];

    return draw_item(c->cells + at, c->list_at[list + 1] - at, bits);
}

/* ---- topics -------------------------------------------------------------- */

static double topic_share(const corpus *c, size_t topic)
{
    return topic == 0 ? c->upto[0] : c->upto[topic] - c->upto[topic - 1];
}

static void build_topics(corpus *c)
{
    uint32_t *const item = claim(c->topics, sizeof *item);
    double *const weight = claim(c->topics, sizeof *weight);
    double sum = 0;
    size_t at = 0;

    for (size_t t = 0; t < c->topics; t++) {
        sum += 1 / sqrt((double)(t / c->groups) + 1);
        c->upto[t] = sum;
    }
    for (size_t t = 0; t < c->topics; t++)
        c->upto[t] /= sum;
    for (size_t g = 0; g < c->groups; g++) {
        size_t count = 0;
        c->group_at[g] = at;
        for (size_t t = g; t < c->topics; t += c->groups, count++) {
            item[count] = (uint32_t)t;
            weight[count] = topic_share(c, t);
        }
        build_cells(item, weight, count, c->grouped + at);
        at += count;
    }
    c->group_at[c->groups] = at;
    for (size_t t = 0; t < c->topics; t++) {
        item[t] = (uint32_t)t;
        weight[t] = topic_share(c, t);
    }
    build_cells(item, weight, c->topics, c->any);
    free(item);
    free(weight);
}

/* The topic at this place of all, which is from 0 to 1. */
static uint16_t topic_at(const corpus *c, double place)
{
    size_t low = 0, high = c->topics - 1;

    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (place < c->upto[middle])
            high = middle;
        else
            low = middle + 1;
    }
    return (uint16_t)low;
}

/* ---- words --------------------------------------------------------------- */

static double uniform(uint64_t stream, uint64_t i)
{
    return (double)(hash_stream(hash_stream(SEED, stream), i) >> 11) * 0x1p-53;
}

static void find_homes(corpus *c)
{
    double turn = 0;

    for (size_t r = 0; r < c->words; r++) {
        uint16_t *const home = c->home[r];
        home[0] = home[1] = NO_TOPIC;
        if (r == 0 || uniform(OF_KIND, r) < GENERAL_WORDS)
            continue; /* there is a general word at least */
        turn += GOLDEN_TURN;
        turn -= floor(turn);
        home[0] = topic_at(c, turn);
        if (uniform(OF_SECOND, r) < SECOND_HOMES)
            home[1] = topic_at(c, uniform(OF_WHICH, r));
        if (home[1] == home[0])
            home[1] = NO_TOPIC;
    }
}

/* Fisher and Yates. */
static void shuffle(uint32_t *rank, size_t count)
{
    const uint64_t key = hash_stream(SEED, OF_ORDER);

    for (size_t i = 0; i < count; i++) {
        const size_t j = ((hash_stream(key, i) >> 32) * (i + 1)) >> 32;
        rank[i] = rank[j];
        rank[j] = (uint32_t)i;
    }
}

static double weight_of(const shape *s, size_t rank)
{
    return pow((double)rank + 1 + s->shift, -s->exponent);
}

/* How many words each list has, as list_at; and what of all weight is in the
 * first. */
static size_t measure_lists(corpus *c)
{
    double general = 0, sum = 0;

    for (size_t r = 0; r < c->words; r++) {
        const double weight = weight_of(&c->shape, r);
        sum += weight;
        if (c->home[r][0] == NO_TOPIC) {
            general += weight;
            c->list_at[1]++;
            continue;
        }
        for (int h = 0; h < 2; h++)
            if (c->home[r][h] != NO_TOPIC)
                c->list_at[c->home[r][h] + 2]++;
    }
    c->general = general / sum;
    for (size_t list = 0; list <= c->topics; list++)
        c->list_at[list + 1] += c->list_at[list];
    return c->list_at[c->topics + 1];
}

static void put_in_lists(const corpus *c, size_t *next, uint32_t *item,
                         double *weight)
{
    for (size_t word = 0; word < c->words; word++) {
        const uint16_t *const home = c->home[c->rank[word]];
        const double whole = weight_of(&c->shape, c->rank[word]);
        const bool two = home[1] != NO_TOPIC;
        for (int h = 0; h < 1 + two; h++) {
            const size_t list = home[0] == NO_TOPIC ? 0 : (size_t)home[h] + 1;
            item[next[list]] = (uint32_t)word;
            weight[next[list]++] = two ? whole / 2 : whole;
        }
    }
}

static void build_lists(corpus *c)
{
    const size_t count = measure_lists(c);
    size_t *const next = claim(c->topics + 1, sizeof *next);
    uint32_t *const item = claim(count, sizeof *item);
    double *const weight = claim(count, sizeof *weight);

    c->cells = claim(count, sizeof *c->cells);
    memcpy(next, c->list_at, (c->topics + 1) * sizeof *next);
    put_in_lists(c, next, item, weight);
    for (size_t list = 0; list <= c->topics; list++) {
        const size_t at = c->list_at[list];
        build_cells(item + at, weight + at, c->list_at[list + 1] - at,
                    c->cells + at);
    }
    free(next);
    free(item);
    free(weight);
}

/* ---- the whole ----------------------------------------------------------- */

/* How often a word comes, by so many random bits: at least once. */
static void fill_times(uint8_t *times, double repeat)
{
    const int count = 1 << TIMES_BITS;

    for (int i = 0; i < count; i++) {
        const double u = ((double)i + 0.5) / count;
        const double more = floor(log(u) / log(repeat));
        times[i] = (uint8_t)(1 + (more < 254 ? more : 254));
    }
}

static void make_words(corpus *c, const shape *s, uint64_t topics)
{
    *c = (corpus){.shape = *s, .words = s->vocabulary, .topics = topics,
                  .groups = (size_t)sqrt((double)topics)};
    c->rank = claim(c->words, sizeof *c->rank);
    c->home = claim(c->words, sizeof *c->home);
    c->upto = claim(c->topics, sizeof *c->upto);
    c->list_at = claim(c->topics + 2, sizeof *c->list_at);
    c->any = claim(c->topics, sizeof *c->any);
    c->grouped = claim(c->topics, sizeof *c->grouped);
    c->group_at = claim(c->groups + 1, sizeof *c->group_at);
    build_topics(c);
    find_homes(c);
    shuffle(c->rank, c->words);
    build_lists(c);
}

static void make_room(corpus *c)
{
    const shape *const s = &c->shape;
    const double all = 1 << KIND_BITS;
    const size_t bits = (c->words + 63) / 64;

    c->log_mean = log(s->tokens) - s->spread * s->spread / 2;
    c->longest = (size_t)(LONGEST * s->tokens);
    c->key = hash_stream(SEED, UINT32_MAX);
    c->length_key = hash_mix(c->key);
    c->topical = (uint32_t)(all * (1 - c->general));
    c->strays = (uint32_t)(STRAY * c->topical);
    fill_times(c->times, s->repeat);
    c->any_size = (bits + 63) / 64;
    c->topic = claim(c->longest, sizeof *c->topic);
    c->in_group = claim(c->groups, sizeof *c->in_group);
    c->tally = claim(c->words, sizeof *c->tally);
    c->drawn = claim(bits, sizeof *c->drawn);
    c->any_drawn = claim(c->any_size, sizeof *c->any_drawn);
}

static void free_corpus(corpus *c)
{
    void *const all[] = {c->rank, c->home, c->upto, c->cells, c->list_at,
                         c->any, c->grouped, c->group_at, c->topic,
                         c->in_group, c->tally, c->drawn, c->any_drawn};

    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
}

static void print_words(const corpus *c)
{
    for (size_t word = 0; word < c->words; word++) {
        for (int h = 0; h < 2; h++) {
            const unsigned home = c->home[c->rank[word]][h];
            if (home != NO_TOPIC)
                printf("t%u", home + 1);
        }
        printf("w%" PRIu32 "\n", c->rank[word] + 1);
    }
}

/* ---- a document ---------------------------------------------------------- */

/* Box and Muller. */
static size_t length_of(const corpus *c, uint64_t number)
{
    const uint64_t bits = hash_stream(c->length_key, number);
    const double u = ((double)(bits >> 32) + 0.5) * 0x1p-32;
    const double angle = 6.283185307179586 * 0x1p-32 * (double)(uint32_t)bits;
    const double normal = sqrt(-2 * log(u)) * cos(angle);
    const double length = exp(c->log_mean + c->shape.spread * normal) + 0.5;

    if (length < 1)
        return 1;
    return length < (double)c->longest ? (size_t)length : c->longest;
}

/* A draw of an urn of `count` beside what is new, which is as much as `fresh`:
 * below `count` one of these. */
static inline uint32_t from_urn(uint64_t bits, uint32_t count, double fresh)
{
    return (uint32_t)((double)(bits & ((1 << TREE_BITS) - 1)) *
                      (1.0 / (1 << TREE_BITS)) * ((double)count + fresh));
}

/* The k-th of the draws whose topics are in a group. */
static uint16_t kth_in_group(const corpus *c, size_t group, uint32_t k)
{
    size_t i = 0;

    for (;; i++)
        if (c->topic[i] % c->groups == group && k-- == 0)
            return c->topic[i];
}

/* The topic of a draw that `count` have gone before. One of them is its topic
 * as well as its group: within the group it is as good as any. */
static uint16_t draw_topic(corpus *c, uint32_t count, uint64_t bits,
                           uint64_t more)
{
    const uint32_t earlier = from_urn(bits, count, ROOT);
    const bool new_group = earlier >= count;
    const uint32_t topic = new_group ? any_topic(c, more)
                                     : c->topic[earlier];
    const size_t group = topic % c->groups;
    const uint32_t kin = c->in_group[group];
    const uint32_t like = from_urn(bits >> TREE_BITS, kin, LEAF);
    uint16_t chosen = (uint16_t)topic;

    if (new_group && like < kin)
        chosen = kth_in_group(c, group, like);
    else if (!new_group && like >= kin)
        chosen = (uint16_t)topic_of_group(c, group, more);
    c->topic[count] = chosen;
    c->in_group[group]++;
    return chosen;
}

static void count_word(corpus *c, uint32_t word, uint32_t times)
{
    c->tally[word] += times;
    c->drawn[word / 64] |= UINT64_C(1) << word % 64;
    c->any_drawn[word / 4096] |= UINT64_C(1) << word / 64 % 64;
}

/* Draws a document's words. */
static void draw(corpus *c, uint64_t number)
{
    const uint64_t key = hash_stream(c->key, number);
    uint32_t urn = 0;
    size_t left = length_of(c, number);

    memset(c->in_group, 0, c->groups * sizeof *c->in_group);
    for (uint64_t i = 0; left > 0; i++) {
        const uint64_t bits = hash_stream(key, 2 * i);
        const uint64_t which = hash_stream(key, 2 * i + 1);
        const uint32_t kind = bits & ((1 << KIND_BITS) - 1);
        const uint64_t tree = bits >> (KIND_BITS + TIMES_BITS);
        uint32_t times = c->times[bits >> KIND_BITS & ((1 << TIMES_BITS) - 1)];
        size_t list = 0;

        if (kind < c->strays)
            list = 1 + any_topic(c, hash_mix(which));
        else if (kind < c->topical)
            list = (size_t)1 + draw_topic(c, urn++, tree, hash_mix(which));
        if (times > left)
            times = (uint32_t)left;
        left -= times;
        count_word(c, word_of_list(c, list, which), times);
    }
}

static void print_count(size_t word, uint32_t count)
{
    char text[24], *at = text + sizeof text;
    uint64_t rest[] = {count, word};

    for (int i = 0; i < 2; i++) {
        do
            *--at = (char)('0' + rest[i] % 10);
        while ((rest[i] /= 10) > 0);
        *--at = ": "[i];
    }
    fwrite(at, 1, (size_t)(text + sizeof text - at), stdout);
}

static size_t different(const corpus *c)
{
    size_t count = 0;

    for (size_t i = 0; i < c->any_size; i++)
        for (uint64_t any = c->any_drawn[i]; any != 0; any &= any - 1)
            count += (size_t)__builtin_popcountll(
                c->drawn[64 * i + (size_t)__builtin_ctzll(any)]);
    return count;
}

/* Words rise without being sorted: by bits of those that were drawn, and bits
 * of the words of bits that are not zero. All is clear again then. */
static void print_document(corpus *c, uint64_t number)
{
    draw(c, number);
    printf("%zu", different(c));
    for (size_t i = 0; i < c->any_size; i++)
        for (; c->any_drawn[i] != 0; c->any_drawn[i] &= c->any_drawn[i] - 1) {
            const size_t j =
                64 * i + (size_t)__builtin_ctzll(c->any_drawn[i]);
            for (; c->drawn[j] != 0; c->drawn[j] &= c->drawn[j] - 1) {
                const size_t word =
                    64 * j + (size_t)__builtin_ctzll(c->drawn[j]);
                print_count(word, c->tally[word]);
                c->tally[word] = 0;
            }
        }
    putchar('\n');
}

/* ---- the command line ---------------------------------------------------- */

static void refuse(const char *what, const char *text)
{
    fprintf(stderr, "corpus: %s %s is not possible; see the head of "
                    "tests/bench/corpus.c\n", what, text);
    exit(2);
}

static const shape *find_shape(const char *name)
{
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        if (strcmp(shapes[i].name, name) == 0)
            return &shapes[i];
    refuse("--shape", name);
    return NULL;
}

static uint64_t number(const char *text, uint64_t least, uint64_t most)
{
    char *end;
    const uint64_t n = strtoull(text, &end, 10);

    if (*text < '0' || *text > '9' || *end != '\0' || n < least || n > most)
        refuse("the number", text);
    return n;
}

int main(int argc, char **argv)
{
    static const struct option options[] = {
        {"shape", required_argument, NULL, 's'},
        {"documents", required_argument, NULL, 'd'},
        {"first", required_argument, NULL, 'f'},
        {"vocabulary", required_argument, NULL, 'v'},
        {"topics", required_argument, NULL, 'k'},
        {"words", no_argument, NULL, 'w'},
        {0},
    };
    uint64_t first = 1, documents = 0, vocabulary = 0, topics = 100;
    shape s = shapes[0];
    bool words = false;
    corpus c;
    int got;

    while ((got = getopt_long(argc, argv, "d:k:", options, NULL)) != -1)
        if (got == 's')
            s = *find_shape(optarg);
        else if (got == 'd')
            documents = number(optarg, 1, UINT64_C(1) << 40);
        else if (got == 'f')
            first = number(optarg, 1, UINT64_C(1) << 40);
        else if (got == 'v')
            vocabulary = number(optarg, 1, WORDS_MOST);
        else if (got == 'k')
            topics = number(optarg, 2, TOPICS_MOST);
        else if (got == 'w')
            words = true;
        else
            return 2;
    if (optind < argc)
        refuse("the operand", argv[optind]);
    if (documents > 0)
        s.documents = documents;
    if (vocabulary > 0)
        s.vocabulary = vocabulary;
    if (s.vocabulary < LEAST_WORDS * topics)
        refuse("so many topics", "for these words");
    make_words(&c, &s, topics);
    if (words) {
        print_words(&c);
    } else {
        make_room(&c);
        for (uint64_t i = 0; i < s.documents && !ferror(stdout); i++)
            print_document(&c, first + i);
    }
    free_corpus(&c);
    if (fflush(stdout) != 0 || ferror(stdout) != 0) {
        perror("corpus");
        return 1;
    }
    return 0;
}
