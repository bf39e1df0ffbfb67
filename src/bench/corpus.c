/* SPDX-License-Identifier: MIT */
/*
 * Documents by their numbers: nothing that is random comes of anything but the
 * seed, the document's number and the place of a draw in it.
 *
 * The length is lognormal. Words are drawn until it is reached; each comes once
 * and then again with the chance `repeat`, so that a word which is there at all
 * is likely to be there twice, as it is in texts. A draw is of a general word,
 * or of a topic's. The topic follows a Dirichlet tree, whose shares are never
 * made: the urn that has them is drawn from instead. With j topical draws
 * before, the topic's group is new with the chance ROOT / (ROOT + j), else that
 * of one of the draws; with c of them in that group the topic is new with the
 * chance LEAF / (LEAF + c), else that of one of the c. One topical draw in
 * ten is of any topic and leaves the urn as it is, so that no word is of its
 * topics' documents alone.
 *
 * The entries come out by rising words without being sorted: bits of words that
 * were drawn, and bits of the words of bits that are not zero.
 */
#include <kedge/bench.h>

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "base/hash.h"
#include "base/mem.h"
#include "bench/planting.h"

#define STRAY      0.1 /* of topical draws, those of any topic */
#define ROOT       3.0 /* how evenly documents are made of groups, */
#define LEAF       2.0 /* and of a group's topics */
#define LONGEST    16  /* times the mean */
#define WORDS_MOST (UINT64_C(1) << 24)
#define ENTRY      20  /* bytes of an entry, and of the number before them */

/* What parts of a draw's 64 bits are for. */
enum { KIND_BITS = 16, TIMES_BITS = 12, TREE_BITS = 18 };
static_assert(KIND_BITS + TIMES_BITS + 2 * TREE_BITS == 64,
              "a draw uses 64 bits");

struct kedge_corpus {
    planting words;
    double log_mean, spread;
    size_t longest;           /* document, in tokens */
    uint64_t key, length_key;
    uint32_t topical, strays; /* draws of 2^KIND_BITS, strays among them */
    uint8_t times[1 << TIMES_BITS];
    /* of a document */
    uint16_t *topic;      /* of its topical draws, strays left out */
    uint32_t *in_group;   /* how many of them */
    uint32_t *tally;      /* of all words */
    uint64_t *drawn, *any; /* bits of words; bits of those */
    size_t any_size;
    uint32_t *word;       /* rising */
};

#define PROGRAM (UINT64_C(16) << 20) /* bytes: what any program takes */

/* ---- the options --------------------------------------------------------- */

void kedge_corpus_opts_init(kedge_corpus_opts *opts, kedge_shape shape)
{
    if (opts == NULL)
        return;
    static const kedge_corpus_opts shapes[] = {
        [KEDGE_SHAPE_NYTIMES] = {.documents = 300000, .vocabulary = 102660,
                                 .tokens = 331.8, .spread = 0.6,
                                 .exponent = 1.6, .shift = 150,
                                 .repeat = 0.01},
        [KEDGE_SHAPE_PUBMED] = {.documents = 8200000, .vocabulary = 141043,
                                .tokens = 90, .spread = 0.5,
                                .exponent = 1.9, .shift = 200,
                                .repeat = 0.235},
    };

    *opts = shapes[shape == KEDGE_SHAPE_PUBMED ? KEDGE_SHAPE_PUBMED
                                               : KEDGE_SHAPE_NYTIMES];
    opts->topics = 100;
    opts->seed = 1;
}

static kedge_status check_real(const char *name, double x, double least,
                               double most, kedge_error *err)
{
    if (x >= least && x <= most)
        return KEDGE_OK;
    return kedge_fail(err, KEDGE_EINVAL, "%s %g: %g to %g is possible", name,
                      x, least, most);
}

static kedge_status check(const kedge_corpus_opts *o, kedge_error *err)
{
    kedge_status st = KEDGE_OK;

    if (o->topics < 2 || o->topics > 2000)
        return kedge_fail(err, KEDGE_EINVAL,
                          "%" PRIu64 " topics: 2 to 2000 are possible",
                          o->topics);
    if (o->vocabulary < 32 * o->topics || o->vocabulary > WORDS_MOST)
        return kedge_fail(err, KEDGE_EINVAL,
                          "%" PRIu64 " words: 32 for each of the %" PRIu64
                          " topics or more are possible, up to %" PRIu64,
                          o->vocabulary, o->topics, WORDS_MOST);
    TRY(check_real("tokens", o->tokens, 1, 1e5, err));
    TRY(check_real("spread", o->spread, 0, 2, err));
    TRY(check_real("exponent", o->exponent, 0.1, 5, err));
    TRY(check_real("shift", o->shift, 0, 1e6, err));
    TRY(check_real("repeat", o->repeat, 0, 0.9, err));
out:
    return st;
}

/* ---- making and freeing -------------------------------------------------- */

/* How often a word comes, by so many random bits: at least once. */
static void fill_times(uint8_t *times, double repeat)
{
    const int count = 1 << TIMES_BITS;

    for (int i = 0; i < count; i++) {
        const double u = ((double)i + 0.5) / count;
        const double more = repeat > 0 ? floor(log(u) / log(repeat)) : 0;
        times[i] = (uint8_t)(1 + (more < 254 ? more : 254));
    }
}

static kedge_status make_room(kedge_corpus *c, kedge_error *err)
{
    const size_t bits = (c->words.words + 63) / 64;
    kedge_status st = KEDGE_OK;

    c->any_size = (bits + 63) / 64;
    TRY_MEM(c->topic = mem_new(c->longest, sizeof *c->topic));
    TRY_MEM(c->in_group = mem_new(c->words.groups, sizeof *c->in_group));
    TRY_MEM(c->tally = mem_new(c->words.words, sizeof *c->tally));
    TRY_MEM(c->drawn = mem_new(bits, sizeof *c->drawn));
    TRY_MEM(c->any = mem_new(c->any_size, sizeof *c->any));
    TRY_MEM(c->word = mem_new(c->longest, sizeof *c->word));
out:
    return st;
}

/* Lists of words are made before the room for a document is. */
uint64_t kedge_corpus_memusage(const kedge_corpus_opts *o)
{
    if (o == NULL)
        return 0;
    const uint64_t longest = (uint64_t)(LONGEST * o->tokens);

    return PROGRAM + planting_memusage(o->vocabulary, o->topics) +
           longest * (sizeof(uint16_t) + sizeof(uint32_t) + 2 * ENTRY);
}

static kedge_status check_memory(const kedge_corpus_opts *o, kedge_error *err)
{
    const uint64_t needed = kedge_corpus_memusage(o);

    if (o->memory == 0 || needed <= o->memory)
        return KEDGE_OK;
    return kedge_fail(err, KEDGE_EBUDGET,
                      "a corpus of %" PRIu64 " words takes %.0f MiB, the "
                      "budget (--memory) is %.0f MiB; raise it, or take fewer "
                      "words", o->vocabulary, ceil(ldexp((double)needed, -20)),
                      floor(ldexp((double)o->memory, -20)));
}

kedge_status kedge_corpus_create(const kedge_corpus_opts *opts,
                                 kedge_corpus **out, kedge_error *err)
{
    if (out != NULL)
        *out = NULL;
    API_ENTER(err, {"opts", opts}, {"out", out});

    const double all = 1 << KIND_BITS;
    kedge_status st = KEDGE_OK;
    kedge_corpus *c = NULL;

    TRY(check(opts, err));
    TRY(check_memory(opts, err));
    TRY_MEM(c = mem_new(1, sizeof *c));
    TRY(planting_make(opts, &c->words, err));
    c->spread = opts->spread;
    c->log_mean = log(opts->tokens) - opts->spread * opts->spread / 2;
    c->longest = (size_t)(LONGEST * opts->tokens);
    c->key = hash_stream(opts->seed, UINT32_MAX);
    c->length_key = hash_mix(c->key);
    c->topical = (uint32_t)(all * (1 - c->words.general));
    c->strays = (uint32_t)(STRAY * c->topical);
    fill_times(c->times, opts->repeat);
    TRY(make_room(c, err));
    *out = c;
    c = NULL;
out:
    kedge_corpus_free(c);
    return api_leave(st, err);
}

void kedge_corpus_free(kedge_corpus *corpus)
{
    if (corpus == NULL)
        return;
    planting_free(&corpus->words);
    mem_free(corpus->topic);
    mem_free(corpus->in_group);
    mem_free(corpus->tally);
    mem_free(corpus->drawn);
    mem_free(corpus->any);
    mem_free(corpus->word);
    mem_free(corpus);
}

const char *kedge_corpus_word(const kedge_corpus *corpus, uint64_t number,
                              char out[KEDGE_CORPUS_WORD])
{
    if (out == NULL)
        return NULL;
    *out = '\0';
    if (corpus == NULL || number >= corpus->words.words)
        return out;
    const planting *const p = &corpus->words;
    size_t used = 0;

    for (int h = 0; h < PLANTING_HOMES; h++) {
        const unsigned home = p->home[p->rank[number]][h];
        if (home != PLANTING_NONE)
            used += (size_t)snprintf(out + used, KEDGE_CORPUS_WORD - used,
                                     "t%u", home + 1);
    }
    snprintf(out + used, KEDGE_CORPUS_WORD - used, "w%u",
             p->rank[number] + 1);
    return out;
}

/* ---- a document ---------------------------------------------------------- */

/* Box and Muller. */
static size_t length_of(const kedge_corpus *c, uint64_t number)
{
    const uint64_t bits = hash_stream(c->length_key, number);
    const double u = ((double)(bits >> 32) + 0.5) * 0x1p-32;
    const double angle = 6.283185307179586 * 0x1p-32 * (double)(uint32_t)bits;
    const double normal = sqrt(-2 * log(u)) * cos(angle);
    const double length = exp(c->log_mean + c->spread * normal) + 0.5;

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
static uint16_t kth_in_group(const kedge_corpus *c, size_t group, uint32_t k)
{
    size_t i = 0;

    for (;; i++)
        if (planting_group(&c->words, c->topic[i]) == group && k-- == 0)
            return c->topic[i];
}

/* The topic of a draw that `count` have gone before. One of them is its topic
 * as well as its group: within the group it is as good as any. */
static uint16_t draw_topic(kedge_corpus *c, uint32_t count, uint64_t bits,
                           uint64_t more)
{
    const uint32_t earlier = from_urn(bits, count, ROOT);
    const bool new_group = earlier >= count;
    const uint32_t topic = new_group ? planting_topic(&c->words, more)
                                     : c->topic[earlier];
    const size_t group = planting_group(&c->words, topic);
    const uint32_t kin = c->in_group[group];
    const uint32_t like = from_urn(bits >> TREE_BITS, kin, LEAF);
    uint16_t chosen = (uint16_t)topic;

    if (new_group && like < kin)
        chosen = kth_in_group(c, group, like);
    else if (!new_group && like >= kin)
        chosen = (uint16_t)planting_kin(&c->words, group, more);
    c->topic[count] = chosen;
    c->in_group[group]++;
    return chosen;
}

static void count_word(kedge_corpus *c, uint32_t word, uint32_t times)
{
    c->tally[word] += times;
    c->drawn[word / 64] |= UINT64_C(1) << word % 64;
    c->any[word / 4096] |= UINT64_C(1) << word / 64 % 64;
}

/* Draws a document's words. */
static void draw(kedge_corpus *c, uint64_t number)
{
    const uint64_t key = hash_stream(c->key, number);
    uint32_t urn = 0;
    size_t left = length_of(c, number);

    memset(c->in_group, 0, c->words.groups * sizeof *c->in_group);
    for (uint64_t i = 0; left > 0; i++) {
        const uint64_t bits = hash_stream(key, 2 * i);
        const uint64_t which = hash_stream(key, 2 * i + 1);
        const uint32_t kind = bits & ((1 << KIND_BITS) - 1);
        const uint64_t tree = bits >> (KIND_BITS + TIMES_BITS);
        uint32_t times = c->times[bits >> KIND_BITS & ((1 << TIMES_BITS) - 1)];
        size_t list = 0;

        if (kind < c->strays)
            list = 1 + planting_topic(&c->words, hash_mix(which));
        else if (kind < c->topical)
            list = (size_t)1 + draw_topic(c, urn++, tree, hash_mix(which));
        if (times > left)
            times = (uint32_t)left;
        left -= times;
        count_word(c, planting_word(&c->words, list, which), times);
    }
}

/* The words that were drawn, rising; the bits are clear again. */
static size_t gather(kedge_corpus *c)
{
    size_t count = 0;

    for (size_t i = 0; i < c->any_size; i++)
        for (; c->any[i] != 0; c->any[i] &= c->any[i] - 1) {
            const size_t j = 64 * i + (size_t)__builtin_ctzll(c->any[i]);
            for (; c->drawn[j] != 0; c->drawn[j] &= c->drawn[j] - 1)
                c->word[count++] =
                    (uint32_t)(64 * j) +
                    (uint32_t)__builtin_ctzll(c->drawn[j]);
        }
    return count;
}

/* ---- lines --------------------------------------------------------------- */

static char *put_number(char *out, uint32_t n)
{
    char digits[10];
    int count = 0;

    do
        digits[count++] = (char)('0' + n % 10);
    while ((n /= 10) > 0);
    while (count > 0)
        *out++ = digits[--count];
    return out;
}

static char *put_line(kedge_corpus *c, uint64_t number, char *out)
{
    size_t count;

    draw(c, number);
    count = gather(c);
    out = put_number(out, (uint32_t)count);
    for (size_t i = 0; i < count; i++) {
        const uint32_t word = c->word[i];
        *out++ = ' ';
        out = put_number(out, word);
        *out++ = ':';
        out = put_number(out, c->tally[word]);
        c->tally[word] = 0;
    }
    *out++ = '\n';
    return out;
}

uint64_t kedge_corpus_line(const kedge_corpus *corpus)
{
    if (corpus == NULL)
        return 0;
    return ENTRY * ((uint64_t)corpus->longest + 1);
}

uint64_t kedge_corpus_lines(kedge_corpus *corpus, uint64_t *next, uint64_t end,
                            char *out, uint64_t room)
{
    if (corpus == NULL || next == NULL || out == NULL)
        return 0;
    const uint64_t longest = kedge_corpus_line(corpus);
    char *at = out;

    while (*next < end && room - (uint64_t)(at - out) >= longest) {
        at = put_line(corpus, *next, at);
        (*next)++;
    }
    return (uint64_t)(at - out);
}
