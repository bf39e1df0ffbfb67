/* SPDX-License-Identifier: MIT */
/*
 * Three paths find the same words. The quick one takes a run of ASCII letters,
 * eight at a time, that ends at a plain sign; it leaves anything else to the
 * second one, which walks over characters, knows what may stand within a word
 * and joins the folded bytes that the table has. Where marks have to be put in
 * order or composed, it walks again to collect code points (`careful`). Runs of
 * ideographs are the third. No text is copied but the word, in fixed memory.
 */
#include "io/text/tokenizer.h"

#include <assert.h>
#include <libstemmer.h>
#include <string.h>

#include "base/bytes.h"
#include "base/fail.h"
#include "base/hash.h"
#include "base/mem.h"
#include "io/text/letters.h"
#include "io/text/markup.h"
#include "io/text/stopset.h"

/* No character composes more than four decomposed ones. */
#define POINTS_ROOM (4 * TOKENIZER_LONGEST + LETTER_POINTS)
#define BYTES_ROOM (4 * (TOKENIZER_LONGEST + LETTER_POINTS) + 8)
#define PAIR_POINTS 32 /* of an ideograph with what goes with it */
#define QUICK_BYTES 8
#define STEMS 8192    /* that are remembered */
#define STEM_MOST 23  /* bytes of a word, and of a stem, that are */

/* A word and its stem: few words make up most of a text, and finding out takes
 * longer than everything else. */
typedef struct stem {
    uint8_t size, stem_size; /* 0: nothing here */
    char word[STEM_MOST], stem[STEM_MOST];
} stem;

struct tokenizer {
    const char *at, *end;
    const char *plain; /* before this no mail address ends */
    const char *begin;  /* of the word given last, */
    const char *behind; /* the end of that before; NULL: not known */
    markup markup;
    size_t whole;    /* bytes of the text */
    size_t unbroken; /* bytes of runs without blanks between their words */
    bool paired;     /* within a run of ideographs */
    size_t first;    /* bytes of the last one in `word` */
    bool lone;       /* it is the first of its run */
    letters *letters;
    stopset stop;
    struct sb_stemmer *stemmer;
    stem *stems; /* NULL without a stemmer */
    unsigned shortest, longest;
    bool digits;
    size_t size, count; /* of the word: bytes, characters */
    size_t points;
    char word[BYTES_ROOM];
    int32_t point[POINTS_ROOM];
};

/* A character of the text, or what stands for one. */
typedef struct unit {
    letter letter;
    uint32_t point;
    size_t size; /* bytes of the text */
} unit;

/* What a byte is at the beginning of a word. */
enum { BETWEEN, ALPHA, UNUSUAL };

/* What it is behind one. */
enum { PLAIN, DOT, MAYBE_MAIL, COLON, WITHIN };

static const uint8_t begins[256] = {
    ['A' ... 'Z'] = ALPHA,   ['a' ... 'z'] = ALPHA, ['0' ... '9'] = UNUSUAL,
    [0x80 ... 0xff] = UNUSUAL, ['<'] = UNUSUAL,       ['&'] = UNUSUAL,
};

static const uint8_t follows[256] = {
    ['.'] = DOT,        ['-'] = MAYBE_MAIL,      ['_'] = MAYBE_MAIL,
    ['%'] = MAYBE_MAIL, ['+'] = MAYBE_MAIL,      ['@'] = MAYBE_MAIL,
    [':'] = COLON,      ['0' ... '9'] = WITHIN,  ['\''] = WITHIN,
    ['&'] = WITHIN,     [0x80 ... 0xff] = WITHIN,
};

/* ---- characters ---------------------------------------------------------- */

static unit unit_at(const tokenizer *t, const char *at)
{
    unit u = {.size = 1};

    if (*at == '&') {
        u.size = markup_entity(at, t->end, &u.point);
    } else {
        const unsigned size = utf8_take(at, t->end, &u.point);
        if (size == 0)
            return u;
        u.size = size;
    }
    u.letter = letters_get(t->letters, u.point);
    return u;
}

/* Appends folded bytes; false when only letters_compose knows them, or when
 * a mark should come before what is there. What is too long for a word is
 * counted on, but not kept. */
static bool append(tokenizer *t, const unit *u, unsigned *order)
{
    const letter *a = &u->letter;

    if (a->size == 0 || (a->order != 0 && a->order < *order))
        return false;
    *order = a->order;
    if (t->count <= t->longest) {
        if (a->size == LETTER_SAME) {
            t->size += utf8_put(t->word + t->size, u->point);
        } else {
            memcpy(t->word + t->size, a->bytes, 4);
            t->size += a->size;
        }
        t->count += a->count;
    }
    return true;
}

/* How many code points a word may have before they are composed. */
static size_t points_most(const tokenizer *t)
{
    return 4 * (size_t)t->longest;
}

/* The same of code points: beyond `most` they are too many. */
static void append_points(tokenizer *t, const unit *u, size_t most)
{
    if (t->points > most)
        return;
    if (u->letter.still)
        t->point[t->points++] = (int32_t)u->point;
    else
        t->points += letter_expand(u->point, t->point + t->points);
}

/* An ASCII letter, either way. */
static void append_ascii(tokenizer *t, char c, bool points)
{
    if (points && t->points <= points_most(t))
        t->point[t->points++] = c | 0x20;
    if (!points && t->count <= t->longest) {
        t->word[t->size++] = (char)(c | 0x20);
        t->count++;
    }
}

static void compose(tokenizer *t)
{
    if (t->points > points_most(t)) {
        t->count = (size_t)t->longest + 1;
        return;
    }
    t->count = letters_compose(t->point, t->points);
    t->size = 0;
    if (t->count <= t->longest)
        for (size_t i = 0; i < t->count; i++)
            t->size += utf8_put(t->word + t->size, (uint32_t)t->point[i]);
}

/* ---- what stands within a word ------------------------------------------- */

/* Whether a letter comes next. */
static bool letter_ahead(const tokenizer *t, const char *at)
{
    while (at < t->end) {
        const unit u = unit_at(t, at);
        if (u.letter.kind != LETTER_SILENT)
            return u.letter.kind == LETTER_BASE;
        at += u.size;
    }
    return false;
}

/* Whether one letter comes next, with its marks, and no other. */
static bool single_ahead(const tokenizer *t, const char *at)
{
    bool seen = false;

    while (at < t->end) {
        const unit u = unit_at(t, at);
        const letter *a = &u.letter;
        if (a->kind == LETTER_BASE && !seen && a->alone)
            seen = true;
        else if (a->kind == LETTER_BASE || a->kind == LETTER_DIGIT)
            return false;
        else if (a->kind == LETTER_MARK && (!seen || !a->alone))
            return false;
        else if (a->kind != LETTER_MARK && a->kind != LETTER_SILENT)
            break;
        at += u.size;
    }
    return seen;
}

/* A run as it is walked over. */
typedef struct run {
    bool letter;    /* the last one, marks apart, is a letter */
    size_t letters; /* since the last dot; anything but one: two or more */
    bool digit;     /* it has one */
} run;

/* Whether the unit, which has its place at `at`, belongs to the run. */
static bool belongs(const tokenizer *t, run *r, const unit *u, const char *at)
{
    switch (u->letter.kind) {
    case LETTER_BASE:
        r->letters += u->letter.alone ? 1 : 2;
        r->letter = true;
        return true;
    case LETTER_MARK:
        r->letters += u->letter.alone ? 0 : 2;
        return true;
    case LETTER_DIGIT:
        r->letters += 2;
        r->letter = false;
        r->digit = true;
        return true;
    case LETTER_SILENT:
        return true;
    case LETTER_JOINER:
        return r->letter && letter_ahead(t, at + u->size);
    case LETTER_DOT:
        if (!r->letter || r->letters != 1 || !single_ahead(t, at + u->size))
            return false;
        r->letters = 0;
        return true;
    default:
        return false;
    }
}

/* Walks over the run at `at` and collects its bytes, else its code points.
 * Returns where it ends. */
static const char *walk(tokenizer *t, const char *at, bool *careful, run *r)
{
    const bool points = *careful;
    unsigned order = 0;

    *r = (run){0};
    t->size = t->count = t->points = 0;
    while (at < t->end) {
        if (begins[(unsigned char)*at] == ALPHA) {
            append_ascii(t, *at++, points);
            r->letters++;
            r->letter = true;
            order = 0;
            continue;
        }
        const unit u = unit_at(t, at);
        if (!belongs(t, r, &u, at))
            break;
        at += u.size;
        if (u.letter.kind == LETTER_SILENT)
            continue;
        if (points)
            append_points(t, &u, points_most(t));
        else if (!*careful)
            *careful = !append(t, &u, &order);
    }
    return at;
}

/* ---- words that are found ------------------------------------------------ */

static bool cut_front(tokenizer *t)
{
    static const char *const before[] = {
        "c'",    "d'",      "j'",      "l'",      "m'",    "n'",    "s'",
        "t'",    "qu'",     "jusqu'",  "lorsqu'", "puisqu'", "quoiqu'", "un'",
        "all'",  "dall'",   "dell'",   "nell'",   "sull'", "quell'",
    };

    for (size_t i = 0; i < sizeof before / sizeof *before; i++) {
        const size_t size = strlen(before[i]);
        if (t->size > size && memcmp(t->word, before[i], size) == 0) {
            t->size -= size;
            t->count -= size;
            memmove(t->word, t->word + size, t->size);
            return true;
        }
    }
    return false;
}

/* Cuts off what is no part of the word itself. */
static void cut(tokenizer *t)
{
    if (memchr(t->word, '\'', t->size) == NULL)
        return;
    while (t->size > 2 && memcmp(t->word + t->size - 2, "'s", 2) == 0) {
        t->size -= 2;
        t->count -= 2;
    }
    while (cut_front(t))
        continue;
}

/* The word's stem, if anything is left of it. */
static bool to_stem(tokenizer *t, uint64_t head, span *word)
{
    const span whole = *word;
    const uint64_t tail =
        whole.size > 8
            ? get_u64((const uint8_t *)whole.bytes + whole.size - 8) : 0;
    stem *const s =
        &t->stems[hash_mix(head + whole.size * HASH_GOLDEN + tail) % STEMS];
    const unsigned char *found;

    if (s->size == whole.size && memcmp(s->word, whole.bytes, s->size) == 0) {
        *word = span_of(s->stem, s->stem_size);
        return true;
    }
    found = sb_stemmer_stem(t->stemmer, (const unsigned char *)whole.bytes,
                            (int)whole.size);
    if (found == NULL) /* there is no memory: the word as it is */
        return true;
    *word = span_of((const char *)found, (size_t)sb_stemmer_length(t->stemmer));
    if (word->size == 0)
        return false;
    if (whole.size <= STEM_MOST && word->size <= STEM_MOST) {
        s->size = (uint8_t)whole.size;
        memcpy(s->word, whole.bytes, whole.size);
        s->stem_size = (uint8_t)word->size;
        memcpy(s->stem, word->bytes, word->size);
    }
    return true;
}

/* Gives the word out, unless it is a stop word. */
static inline bool give(tokenizer *t, bool stemmed, span *word)
{
    /* Eight bytes can always be read; those behind the word are none of it. */
    const uint64_t mask =
        t->size >= 8 ? UINT64_MAX : (UINT64_C(1) << 8 * t->size) - 1;
    const uint64_t head = get_u64((const uint8_t *)t->word) & mask;

    *word = span_of(t->word, t->size);
    return !stopset_has(&t->stop, head, *word) &&
           (!stemmed || t->stems == NULL || to_stem(t, head, word));
}

/* Where an address ends that the run up to `at` is part of, else NULL. */
static const char *address(tokenizer *t, const char *at)
{
    if (t->end - at >= 3 && memcmp(at, "://", 3) == 0)
        return markup_page(t->letters, at + 3, t->end);
    if (t->size == 3 && *at == '.' && memcmp(t->word, "www", 3) == 0)
        return markup_page(t->letters, at + 1, t->end);
    return at < t->plain ? NULL
                         : markup_mail(t->letters, at, t->end, &t->plain);
}

/* ---- runs of characters -------------------------------------------------- */

/* Whether a run begins with Thai or Lao (U+0E00 to 0EFF), Burmese (1000 to
 * 109F) or Khmer (1780 to 17FF). */
static bool begins_unbroken(const char *at, const char *end)
{
    const unsigned char *const p = (const unsigned char *)at;

    return end - at > 2 &&
           ((p[0] == 0xe0 && p[1] >= 0xb8 && p[1] <= 0xbb) ||
            (p[0] == 0xe1 && (p[1] <= 0x82 || (p[1] & 0xfe) == 0x9e)));
}

/* The run at t->at; whether it is a word to be given out. */
static bool any_run(tokenizer *t, span *word)
{
    bool careful = false;
    const char *behind, *at;
    run r;

    at = walk(t, t->at, &careful, &r);
    if (begins_unbroken(t->at, t->end))
        t->unbroken += (size_t)(at - t->at);
    const bool left_out = r.digit && !t->digits;
    if (careful && !left_out) {
        walk(t, t->at, &careful, &r);
        compose(t);
    }
    behind = at < t->end ? address(t, at) : NULL;
    t->at = behind != NULL ? behind : at;
    if (behind != NULL || left_out || t->count > t->longest)
        return false;
    cut(t);
    if (t->count < t->shortest)
        return false;
    if (t->count > 1 && memcmp(t->word + t->size - 2, "\xcf\x83", 2) == 0)
        t->word[t->size - 1] = '\x82'; /* the final sigma */
    return give(t, true, word);
}

/* Letters at `p`, in lower case to `out`, eight bytes at each. Returns how many
 * there are; behind them is nothing of use. */
static inline unsigned take_letters(const char *p, char *out)
{
    const uint64_t ones = UINT64_C(0x0101010101010101), high = ones << 7;
    const uint64_t v = get_u64((const uint8_t *)p), low = v | ones << 5;
    const uint64_t seven = low & ~high;
    /* The sums have bit 7 set from 'a' on, and beyond 'z'. */
    const uint64_t others = ~((seven + ones * (0x80 - 'a')) &
                              ~(seven + ones * (0x7f - 'z')) & ~v) &
                            high;

    put_u64((uint8_t *)out, low);
    return others == 0 ? 8 : (unsigned)__builtin_ctzll(others) >> 3;
}

/* Whether a word of `size` letters is whole before `p`, where text is left,
 * so that nothing but its letters matters. */
static inline bool stands_alone(const tokenizer *t, const char *p,
                                size_t size)
{
    switch (follows[(unsigned char)*p]) {
    case PLAIN:
        return true;
    case COLON:
        return t->end - p > 3 && p[1] != '/';
    case DOT:
        return size > 1 && t->end - p > 1 &&
               (p < t->plain || (begins[(unsigned char)p[1]] == BETWEEN &&
                                 follows[(unsigned char)p[1]] == PLAIN)) &&
               (size != 3 || memcmp(t->word, "www", 3) != 0);
    case MAYBE_MAIL:
        return p < t->plain;
    default:
        return false;
    }
}

enum found { FOUND, LEFT_OUT, NOT_QUICK };

/* The same of a plain run of ASCII. */
static inline enum found quick_run(tokenizer *t, span *word)
{
    const char *p = t->at;
    size_t size = 0;
    unsigned n = 8;

    while (n == 8) {
        if (t->end - p <= QUICK_BYTES || size > t->longest)
            return NOT_QUICK;
        n = take_letters(p, t->word + size);
        p += n;
        size += n;
    }
    if (!stands_alone(t, p, size))
        return NOT_QUICK;
    t->at = p;
    if (size < t->shortest || size > t->longest)
        return LEFT_OUT;
    t->size = size;
    return give(t, true, word) ? FOUND : LEFT_OUT;
}

/* ---- ideographs ---------------------------------------------------------- */

/* Whether it goes with the ideograph before it: a mark, or the sign that makes
 * a vowel of Hiragana long. */
static bool goes_with(const unit *u)
{
    return (u->letter.kind == LETTER_MARK && u->letter.alone) ||
           (u->letter.kind == LETTER_BASE &&
            (u->point == 0x30fc || u->point == 0xff70));
}

/* Appends an ideograph that nothing goes with. */
static bool take_bare(tokenizer *t, const unit *u)
{
    const char *const next = t->at + u->size;
    unsigned order = 0;

    if (u->letter.kind != LETTER_IDEOGRAPH)
        return false;
    if (next < t->end) {
        const unit v = unit_at(t, next);
        if (v.letter.kind == LETTER_SILENT || goes_with(&v))
            return false;
    }
    t->count = 0;
    if (!append(t, u, &order))
        return false;
    t->at = next;
    return true;
}

/* The ideograph at t->at with what goes with it, appended to the word, and its
 * bytes; 0 when the run ends here, as it does behind one that has too much. */
static size_t take_ideograph(tokenizer *t)
{
    const size_t from = t->size;

    t->points = 0;
    while (t->at < t->end) {
        const unit u = unit_at(t, t->at);
        const bool silent = u.letter.kind == LETTER_SILENT;
        if (t->points == 0 && take_bare(t, &u))
            return t->size - from;
        if (!silent && !(t->points == 0 ? u.letter.kind == LETTER_IDEOGRAPH
                                        : goes_with(&u)))
            break;
        if (!silent)
            append_points(t, &u, PAIR_POINTS);
        t->at += u.size;
    }
    if (t->points == 0 || t->points > PAIR_POINTS)
        return 0;
    t->points = letters_compose(t->point, t->points);
    for (size_t i = 0; i < t->points; i++)
        t->size += utf8_put(t->word + t->size, (uint32_t)t->point[i]);
    return t->size - from;
}

/* The next pair of the run, or what it has alone; whether it is to be given
 * out. Each call gets on, or ends the run. */
static bool pair(tokenizer *t, span *word)
{
    const bool whole = t->first > 0;
    size_t size;

    /* What was the second is now the first. */
    memmove(t->word, t->word + t->size - t->first, t->first);
    t->size = t->first;
    size = take_ideograph(t);
    t->paired = size > 0;
    if (size > 0) {
        t->first = size;
        t->lone = !whole;
        return whole && give(t, false, word);
    }
    return whole && t->lone && give(t, false, word);
}

/* ---- the face ------------------------------------------------------------ */

void tokenizer_opts_init(tokenizer_opts *opts)
{
    *opts = (tokenizer_opts){.shortest = 2, .longest = 64};
}

static kedge_status no_stemmer(const char *language, kedge_error *err)
{
    char known[512] = "";
    size_t size = 0;

    for (const char **name = sb_stemmer_list(); *name != NULL; name++) {
        const size_t more = strlen(*name);
        if (size + more + 2 > sizeof known)
            break;
        if (size > 0)
            known[size++] = ' ';
        memcpy(known + size, *name, more);
        size += more;
    }
    return kedge_fail(err, KEDGE_EINVAL,
                      "there is no stemmer \"%.40s\": expected one of "
                      "%s",
                      language, known);
}

kedge_status tokenizer_create(const tokenizer_opts *opts, tokenizer **out,
                              kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    tokenizer *t = NULL;

    *out = NULL;
    if (opts->shortest < 1 || opts->shortest > opts->longest ||
        opts->longest > TOKENIZER_LONGEST)
        return kedge_fail(err, KEDGE_EINVAL,
                          "words of %u to %u characters: expected limits from "
                          "1 to %d, the smaller first",
                          opts->shortest, opts->longest, TOKENIZER_LONGEST);
    TRY_MEM(t = mem_new(1, sizeof *t));
    t->shortest = opts->shortest;
    t->longest = opts->longest;
    t->digits = opts->digits;
    TRY(stopset_create(&t->stop, opts->stopwords, err));
    if (opts->stemmer != NULL) {
        t->stemmer = sb_stemmer_new(opts->stemmer, "UTF_8");
        if (t->stemmer == NULL)
            TRY(no_stemmer(opts->stemmer, err));
        TRY_MEM(t->stems = mem_new(STEMS, sizeof *t->stems));
    }
    TRY(letters_create(&t->letters, err));
    tokenizer_begin(t, span_of("", 0));
    *out = t;
    t = NULL;
out:
    tokenizer_free(t);
    return st;
}

void tokenizer_free(tokenizer *t)
{
    if (t == NULL)
        return;
    letters_free(t->letters);
    sb_stemmer_delete(t->stemmer);
    mem_free(t->stems);
    stopset_free(&t->stop);
    mem_free(t);
}

void tokenizer_begin(tokenizer *t, span text)
{
    t->at = t->plain = text.bytes;
    t->begin = t->behind = NULL;
    t->end = text.bytes + text.size;
    t->whole = text.size;
    t->unbroken = 0;
    t->markup = (markup){0};
    t->paired = false;
}

/* At what is not a letter of ASCII: passes over it when no word begins. */
static bool unusual(tokenizer *t, span *word)
{
    const unit u = unit_at(t, t->at);
    const char *tag;

    switch (u.letter.kind) {
    case LETTER_BASE:
    case LETTER_DIGIT:
        return any_run(t, word);
    case LETTER_IDEOGRAPH:
        t->first = t->size = 0;
        return pair(t, word);
    default:
        tag = *t->at == '<' ? markup_tag(&t->markup, t->at, t->end) : NULL;
        t->at = tag != NULL ? tag : t->at + u.size;
        return false;
    }
}

/* Where the word begins goes into t->begin; NULL for a pair of ideographs. */
static bool find_word(tokenizer *t, span *word)
{
    t->begin = NULL;
    while (t->paired)
        if (pair(t, word))
            return true;
    for (;;) {
        const char *p = t->at;
        while (p < t->end && begins[(unsigned char)*p] == BETWEEN)
            p++;
        t->at = t->begin = p;
        if (p == t->end)
            return false;
        const enum found found = begins[(unsigned char)*p] == ALPHA
                                     ? quick_run(t, word)
                                     : NOT_QUICK;
        if (found == FOUND || (found == NOT_QUICK && unusual(t, word))) {
            if (t->paired)
                t->begin = NULL;
            return true;
        }
        t->begin = NULL;
        while (t->paired)
            if (pair(t, word))
                return true;
    }
}

bool tokenizer_next(tokenizer *t, span *word)
{
    t->behind = t->begin == NULL ? NULL : t->at;
    return find_word(t, word);
}

/* A blank, be it one that does not break. */
static size_t blank_at(const char *at, const char *end)
{
    if (*at == ' ' || *at == '\t' || *at == '\r' || *at == '\n')
        return 1;
    return end - at > 1 && memcmp(at, "\xc2\xa0", 2) == 0 ? 2 : 0;
}

bool tokenizer_apart(const tokenizer *t)
{
    const char *at = t->behind;
    unsigned lines = 0;

    if (at == NULL || t->begin == NULL)
        return true;
    if (t->begin - at == 1 && (*at == ' ' || *at == '-'))
        return false;
    for (size_t n; at < t->begin; at += n) {
        n = blank_at(at, t->begin);
        lines += *at == '\n';
        if (n == 0 || lines > 1)
            return true;
    }
    return false;
}

bool tokenizer_unbroken(const tokenizer *t)
{
    return t->unbroken > t->whole / 2;
}

size_t tokenizer_fold(span word, char *out, size_t room)
{
    tokenizer t = {.stop = stopset_empty(), .shortest = 1,
                   .longest = TOKENIZER_LONGEST, .digits = true};
    span first, second;

    tokenizer_begin(&t, word);
    if (!tokenizer_next(&t, &first) || first.size > room)
        return 0;
    memcpy(out, first.bytes, first.size);
    return tokenizer_next(&t, &second) ? 0 : first.size;
}
