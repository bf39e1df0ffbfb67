/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include <libstemmer.h>
#include <stdio.h>
#include <utf8proc.h>

#include "base/chance.h"
#include "base/gate.h"
#include "hardtext.h"
#include "io/text/letters.h"
#include "io/text/tokenizer.h"

#define ROOM (1 << 17)

static void tokenizer_end(tokenizer **t)
{
    tokenizer_free(*t);
}

static tokenizer *make(const tokenizer_opts *opts)
{
    kedge_error err = {0};
    tokenizer *t = NULL;

    ck_ok(tokenizer_create(opts, &t, &err), err);
    return t;
}

static tokenizer *make_usual(unsigned shortest, bool digits)
{
    tokenizer_opts opts;

    tokenizer_opts_init(&opts);
    ck_assert_uint_eq(opts.shortest, 2);
    ck_assert_uint_eq(opts.longest, 64);
    ck_assert(!opts.digits && !opts.stopwords && !opts.stemmer);
    opts.shortest = shortest;
    opts.digits = digits;
    return make(&opts);
}

/* The words of a text with `gap` after each. The text is put at the end of
 * memory of its own, so that a sanitizer sees what is read behind it. */
static const char *words_of(tokenizer *t, span text, char gap)
{
    static char joined[ROOM];
    char *copy = malloc(text.size + 1);
    size_t size = 0;
    span word;

    memcpy(copy + 1, text.bytes, text.size);
    tokenizer_begin(t, span_of(copy + 1, text.size));
    while (tokenizer_next(t, &word)) {
        ck_assert(size + word.size + 1 < ROOM);
        ck_assert(word.size > 0);
        memcpy(joined + size, word.bytes, word.size);
        size += word.size;
        joined[size++] = gap;
    }
    ck_assert(!tokenizer_next(t, &word));
    joined[size] = '\0';
    free(copy);
    return joined;
}

/* ---- the table ----------------------------------------------------------- */

static void check_rows(tokenizer *t, const struct hard *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        char padded[4096];
        const size_t size = strlen(rows[i].text);
        const char *found = words_of(t, span_of(rows[i].text, size), '|');
        ck_assert_msg(strcmp(found, rows[i].words) == 0,
                      "row %zu, \"%s\": \"%s\", not \"%s\"", i, rows[i].text,
                      found, rows[i].words);
        /* The same far from the end of the text, for the quick path. */
        memcpy(padded, rows[i].text, size);
        memset(padded + size, ' ', 32);
        found = words_of(t, span_of(padded, size + 32), '|');
        ck_assert_msg(strcmp(found, rows[i].words) == 0,
                      "row %zu, \"%s\" and blanks: \"%s\"", i, rows[i].text,
                      found);
    }
}

TEST(hard_cases)
{
    tokenizer *t = make_usual(2, false), *all = make_usual(1, true);

    check_rows(t, hard_usual, sizeof hard_usual / sizeof *hard_usual);
    check_rows(all, hard_all, sizeof hard_all / sizeof *hard_all);
    ck_assert_str_eq(words_of(t, span_of("\0nu\0ll", 6), '|'), "nu|ll|");
    tokenizer_free(t);
    tokenizer_free(all);
}

/* ---- two paths ----------------------------------------------------------- */

/* What is ignored changes no word, but takes the quick path away: soft hyphens
 * within letters, where no tag, address or entity can be. */
TEST(both_paths_find_the_same_words)
{
    const struct {
        unsigned shortest, longest;
        bool digits;
    } kinds[] = {{2, 64, false}, {1, 256, true}, {1, 5, true}, {3, 9, false}};

    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        const tokenizer_opts opts = {kinds[k].shortest, kinds[k].longest,
                                     kinds[k].digits, NULL, NULL};
        OWN(tokenizer_end) tokenizer *t = make(&opts);
        for (uint64_t seed = 0; seed < 5000; seed++) {
            static const char signs[] = "abcdeStuv'. -\n,7!?;\"";
            chance c = {.key = seed};
            char plain[128], broken[512], quick[512];
            size_t size = 1 + chance_below(&c, 100), n = 0;
            for (size_t i = 0; i < size; i++) {
                plain[i] = signs[chance_below(&c, sizeof signs - 1)];
                broken[n++] = plain[i];
                if ((plain[i] | 32) >= 'a' && (plain[i] | 32) <= 'z') {
                    memcpy(broken + n, "\xc2\xad", 2);
                    n += 2;
                }
            }
            strcpy(quick, words_of(t, span_of(plain, size), '|'));
            ck_assert_str_eq(words_of(t, span_of(broken, n), '|'), quick);
        }
    }
}

/* ---- what stays the same ------------------------------------------------- */

/* The text in another form; it may hold no invalid bytes. */
static span normal_form(span text, unsigned option)
{
    utf8proc_uint8_t *out = NULL;
    const utf8proc_ssize_t n = utf8proc_map(
        (const utf8proc_uint8_t *)text.bytes, (utf8proc_ssize_t)text.size,
        &out, (utf8proc_option_t)(UTF8PROC_STABLE | option));

    ck_assert_int_ge(n, 0);
    return span_of((char *)out, (size_t)n);
}

TEST(same_in_both_forms)
{
    OWN(tokenizer_end) tokenizer *t = make_usual(1, true);

    for (unsigned seed = 0; seed < 20000; seed++) {
        char text[HARD_ROOM], before[ROOM];
        const span s = hard_valid(seed, text);
        const span composed = normal_form(s, UTF8PROC_COMPOSE);
        const span apart = normal_form(s, UTF8PROC_DECOMPOSE);
        strcpy(before, words_of(t, composed, '|'));
        const char *found = words_of(t, apart, '|');
        ck_assert_msg(strcmp(before, found) == 0,
                      "seed %u, \"%.*s\":\n%s\n%s", seed, (int)s.size, text,
                      before, found);
        free((void *)composed.bytes);
        free((void *)apart.bytes);
    }
}

TEST(words_give_themselves)
{
    OWN(tokenizer_end) tokenizer *t = make_usual(1, true);

    for (unsigned seed = 0; seed < 20000; seed++) {
        char text[HARD_ROOM], once[ROOM];
        const span s = hard_mixture(seed, text);
        strcpy(once, words_of(t, s, ' '));
        const char *twice = words_of(t, span_text(once), ' ');
        ck_assert_msg(strcmp(once, twice) == 0, "seed %u:\n%s\n%s", seed,
                      once, twice);
    }
}

/* Each character that may be in a word, between two letters. */
TEST(every_character_gives_itself)
{
    OWN(tokenizer_end) tokenizer *t = make_usual(1, true);

    for (uint32_t c = 1; c < 0x110000; c++) {
        char text[16] = "a", once[64], apart_words[64];
        if (c >= 0xd800 && c < 0xe000)
            continue;
        if (c > 0x323b0 && c < 0xe0000)
            continue;
        const unsigned size = utf8_put(text + 1, c);
        strcpy(text + 1 + size, "b");
        strcpy(once, words_of(t, span_text(text), ' '));
        ck_assert_str_eq(words_of(t, span_text(once), ' '), once);
        const span apart = normal_form(span_text(text), UTF8PROC_DECOMPOSE);
        strcpy(apart_words, words_of(t, apart, ' '));
        ck_assert_msg(strcmp(apart_words, once) == 0, "U+%04X: %s, %s", c,
                      once, apart_words);
        const span folded =
            normal_form(span_text(once), UTF8PROC_COMPOSE);
        ck_assert_str_eq(folded.bytes, once);
        free((void *)folded.bytes);
        free((void *)apart.bytes);
    }
}

/* ---- limits -------------------------------------------------------------- */

/* Words before and after a run of `unit`, repeated over 20 MB. */
static void check_long_line(const char *unit, const char *between,
                            const char *expected)
{
    const size_t size = 20 << 20, step = strlen(unit);
    OWNED char *text = malloc(size + 64);
    OWN(tokenizer_end) tokenizer *t = make_usual(2, false);
    size_t n = 0;

    n += (size_t)sprintf(text, "before %s", between);
    for (; n + step < size; n += step)
        memcpy(text + n, unit, step);
    n += (size_t)sprintf(text + n, " after");
    ck_assert_str_eq(words_of(t, span_of(text, n), '|'), expected);
}

TEST(lines_without_an_end)
{
    check_long_line("a", "", "before|after|");
    check_long_line("\u00e9", "", "before|after|");
    check_long_line("\u0301", "a", "before|after|");
    check_long_line("7", "", "before|after|");
    check_long_line("a-", "", "before|after|");
    check_long_line("a@", "", "before|after|");
    check_long_line("'", "a", "before|after|");
    check_long_line("\u00ad", "a'", "before|after|");
    check_long_line("<a b='", "", "before|after|");
    check_long_line("<!--", "", "before|after|");
    check_long_line("&amp;", "", "before|after|");
    check_long_line("a.", "", "before|after|");
    check_long_line("\u0301", "\u65e5", "before|after|");
    check_long_line("x/y", "http://", "before|after|");
    check_long_line("\x80", "", "before|after|");
}

TEST(lengths_are_of_characters)
{
    const tokenizer_opts opts = {3, 5, false, NULL, NULL};
    OWN(tokenizer_end) tokenizer *t = make(&opts);

    ck_assert_str_eq(words_of(t, span_text("ab abc abcde abcdef abcdefghijkl "
                                           "\u00e9\u00e9 \u00e9t\u00e9 "
                                           "e\u0301t\u00e9s \u00c9\u00c9\u00c9"
                                           "\u00c9\u00c9\u00c9 abcde's abc's "
                                           "stra\u00dfe str\u00e4\u00dfe "
                                           "\u65e5\u672c"),
                              '|'),
                     "abc|abcde|\u00e9t\u00e9|\u00e9t\u00e9s|abc|"
                     "\u65e5\u672c|");
}

/* What goes with an ideograph has a limit of its own, 32 with it. */
TEST(marks_of_an_ideograph_are_limited)
{
    const tokenizer_opts opts = {1, 5, false, NULL, NULL};
    OWN(tokenizer_end) tokenizer *t = make(&opts);

    for (size_t marks = 0; marks < 40; marks++) {
        char text[256] = "\u65e5", expected[300] = "";
        for (size_t i = 0; i < marks; i++)
            strcat(text, "\u0301");
        if (marks < 32)
            sprintf(expected, "%s\u672c|", text);
        else
            strcpy(expected, "\u672c|");
        strcat(text, "\u672c");
        ck_assert_str_eq(words_of(t, span_text(text), '|'), expected);
    }
}

TEST(limits_are_checked)
{
    const unsigned wrong[][2] = {{0, 64}, {3, 2}, {1, 257}};
    tokenizer *t = (tokenizer *)&wrong;
    kedge_error err = {0};

    for (size_t i = 0; i < 3; i++) {
        const tokenizer_opts opts = {wrong[i][0], wrong[i][1], false, NULL,
                                     NULL};
        ck_fails(tokenizer_create(&opts, &t, &err), KEDGE_EINVAL, err,
                 "expected limits from 1 to 256, the smaller first");
        ck_assert_ptr_null(t);
    }
}

/* ---- stop words and stems ------------------------------------------------ */

static void add_words(words *list, const char *text)
{
    for (const char *end; (end = strchr(text, '\n')) != NULL; text = end + 1)
        ck_assert(words_add(list, text, (size_t)(end - text)));
}

TEST(stop_words_are_left_out)
{
    words list = {0};
    tokenizer_opts opts;
    OWN(tokenizer_end) tokenizer *t = NULL;

    add_words(&list, "\nthe\ndon't\nexactly8\nabcdefgh\nabcdefghij\n"
                     "\u03b1\u03c2\n\u65e5\u672c\nthe\n");
    tokenizer_opts_init(&opts);
    opts.stopwords = &list;
    t = make(&opts);
    words_free(&list); /* it was copied */
    ck_assert_str_eq(
        words_of(t, span_text("The then THE's Don\u2019t donut abcdefgh "
                              "abcdefghi abcdefghij abcdefghik \u0391\u03a3 "
                              "\u65e5\u672c\u8a9e thE"),
                 '|'),
        "then|donut|abcdefghi|abcdefghik|\u672c\u8a9e|");
}

TEST(many_stop_words)
{
    OWN(words_free) words list = {0};
    tokenizer_opts opts;
    OWN(tokenizer_end) tokenizer *t = NULL;

    for (unsigned i = 0; i < 3000; i += 2) {
        char word[32];
        sprintf(word, "commonbegin%u", i);
        ck_assert(words_add(&list, word, strlen(word)));
    }
    tokenizer_opts_init(&opts);
    opts.stopwords = &list;
    opts.digits = true;
    t = make(&opts);
    for (unsigned i = 0; i < 3000; i++) {
        char word[32];
        sprintf(word, "commonbegin%u", i);
        ck_assert_int_eq(*words_of(t, span_text(word), '|') == '\0',
                         i % 2 == 0);
    }
}

TEST(words_are_stemmed)
{
    OWN(words_free) words list = {0};
    tokenizer_opts opts;
    tokenizer *t = NULL;
    kedge_error err = {0};

    add_words(&list, "running\n");
    tokenizer_opts_init(&opts);
    opts.stopwords = &list;
    opts.stemmer = "english";
    t = make(&opts);
    for (int i = 0; i < 3; i++) /* remembered or not */
        ck_assert_str_eq(
            words_of(t, span_text("Running runs the generalizations of "
                                  "Dogs' houses, caf\u00e9s too "), '|'),
            "run|the|general|of|dog|hous|caf\u00e9|too|");
    tokenizer_free(t);
    opts.stemmer = "klingon";
    ck_fails(tokenizer_create(&opts, &t, &err), KEDGE_EINVAL, err,
             "there is no stemmer \"klingon\": expected one of arabic "
             "armenian");
    ck_assert_ptr_nonnull(strstr(err.text, " english "));
    ck_assert_ptr_nonnull(strstr(err.text, " yiddish"));
    ck_assert_ptr_null(t);
}

/* Many words, against the library itself. */
TEST(stems_are_those_of_the_library)
{
    struct sb_stemmer *own = sb_stemmer_new("english", NULL);
    static const char *const ends[] = {"", "s", "ing", "ization", "fulness",
                                       "ed", "ly", "abilities"};
    tokenizer_opts opts;
    OWN(tokenizer_end) tokenizer *t = NULL;

    tokenizer_opts_init(&opts);
    opts.stemmer = "english";
    t = make(&opts);
    for (uint64_t i = 0; i < 50000; i++) {
        const uint64_t r = hash_stream(5, i) % 400;
        char word[64];
        sprintf(word, "%c%c%c%c%s%s", (int)('a' + r % 26),
                (int)('a' + r / 26 % 26), (int)('a' + r / 676 % 26),
                (int)('a' + r / 17576 % 26), ends[hash_mix(i) % 8],
                ends[hash_mix(~i) % 8]);
        const char *stem = (const char *)sb_stemmer_stem(
            own, (const unsigned char *)word, (int)strlen(word));
        char expected[64];
        sprintf(expected, "%s|", stem);
        strcat(word, "        , ");
        ck_assert_str_eq(words_of(t, span_text(word), '|'), expected);
    }
    sb_stemmer_delete(own);
}

TEST(single_words_are_folded)
{
    static const char *const cases[][2] = {
        {"The", "the"},    {"  Don\u2019t. ", "don't"}, {"it's", "it"},
        {"", ""},          {"?!", ""},                  {"two words", ""},
        {"a", "a"},        {"B2B", "b2b"},              {"x-y", ""},
        {"\u00c9tE\u0301", "\u00e9t\u00e9"},
        {"\u65e5\u672c", "\u65e5\u672c"},               {"a@b.c", ""},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char out[16];
        const size_t n = tokenizer_fold(span_text(cases[i][0]), out, 15);
        out[n] = '\0';
        ck_assert_str_eq(out, cases[i][1]);
        if (n > 0)
            ck_assert_uint_eq(
                tokenizer_fold(span_text(cases[i][0]), out, n - 1), 0);
    }
}

/* ---- side by side -------------------------------------------------------- */

/* The words of a text, "_" before those that stand side by side with the one
 * before and "|" before the others. */
static const char *side_runs(tokenizer *t, span text)
{
    static char joined[1 << 12];
    size_t size = 0;
    span word;

    tokenizer_begin(t, text);
    while (tokenizer_next(t, &word)) {
        joined[size++] = tokenizer_apart(t) ? '|' : '_';
        ck_assert_int_eq(tokenizer_apart(t), joined[size - 1] == '|');
        memcpy(joined + size, word.bytes, word.size);
        size += word.size;
    }
    joined[size] = '\0';
    return joined;
}

/* Numbers and single letters are left out. */
static const struct side {
    const char *text, *runs;
} side_table[] = {
    {"", ""},
    {"red", "|red"},
    {"  red fish", "|red_fish"},
    {"-red fish", "|red_fish"},
    {"red  fish", "|red_fish"},
    {"red \t fish", "|red_fish"},
    {"red\tfish", "|red_fish"},
    {"red\nfish", "|red_fish"},
    {"red \n  fish", "|red_fish"},
    {"red\r\nfish", "|red_fish"},
    {"red\n\nfish", "|red|fish"},
    {"red\r\n\r\nfish", "|red|fish"},
    {"red\n \t\nfish", "|red|fish"},
    {"red-fish", "|red_fish"},
    {"red--fish", "|red|fish"},
    {"red - fish", "|red|fish"},
    {"red- fish", "|red|fish"},
    {"red -fish", "|red|fish"},
    {"red-\nfish", "|red|fish"},
    {"red\xe2\x80\x90" "fish", "|red|fish"},
    {"red_fish", "|red|fish"},
    {"red,fish", "|red|fish"},
    {"red, fish", "|red|fish"},
    {"red. Fish", "|red|fish"},
    {"red.fish", "|red|fish"},
    {"red (fish)", "|red|fish"},
    {"\"red\" fish", "|red|fish"},
    {"red\ffish", "|red|fish"},
    {"red 12 fish", "|red|fish"},
    {"red12 fish blue", "|fish_blue"},
    {"red b2b fish", "|red|fish"},
    {"red x fish", "|red|fish"},
    {"red the fish", "|red|fish"},
    {"the red fish", "|red_fish"},
    {"red fish the", "|red_fish"},
    {"red the the fish blue", "|red|fish_blue"},
    {"red\xc2\xa0" "fish", "|red_fish"},
    {"red \xc2\xa0 fish", "|red_fish"},
    {"red\xc2\xa1" "fish", "|red|fish"},
    {"red\xe3\x80\x80" "fish", "|red|fish"}, /* an ideographic blank */
    {"red <b>fish</b> blue", "|red|fish|blue"},
    {"red<br>fish", "|red|fish"},
    {"red <!-- blue --> fish", "|red|fish"},
    {"red&nbsp;fish", "|red|fish"},
    {"red &amp; fish", "|red|fish"},
    {"red www.fish.org blue", "|red|blue"},
    {"red one@fish.org blue", "|red|blue"},
    {"dog's tail", "|dog_tail"},
    {"dogs' tail", "|dogs|tail"},
    {"red don't fish", "|red_don't_fish"},
    {"red l'amour", "|red_amour"},
    {"in U.S.A. now", "|in_u.s.a|now"},
    {"\xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e",
     "|\xe6\x97\xa5\xe6\x9c\xac|\xe6\x9c\xac\xe8\xaa\x9e"},
    {"red \xe6\x97\xa5\xe6\x9c\xac fish blue",
     "|red|\xe6\x97\xa5\xe6\x9c\xac|fish_blue"},
    {"\xe6\x97\xa5\xe6\x9c\xac \xe6\x97\xa5\xe6\x9c\xac",
     "|\xe6\x97\xa5\xe6\x9c\xac|\xe6\x97\xa5\xe6\x9c\xac"},
    {"\xc3\x89tude \xc3\xa9tude", "|\xc3\xa9tude_\xc3\xa9tude"},
    {"&eacute;tude red&eacute;", "|\xc3\xa9tude_red\xc3\xa9"},
    {"red\xff" "fish", "|red|fish"},
};

static void side_check_row(tokenizer *t, const struct side *row)
{
    const size_t size = strlen(row->text);
    char padded[256];
    const char *found = side_runs(t, span_of(row->text, size));

    ck_assert_msg(strcmp(found, row->runs) == 0, "\"%s\": \"%s\", not \"%s\"",
                  row->text, found, row->runs);
    /* The same far from the end of the text, for the quick path. */
    memcpy(padded, row->text, size);
    memset(padded + size, ' ', 32);
    found = side_runs(t, span_of(padded, size + 32));
    ck_assert_msg(strcmp(found, row->runs) == 0, "\"%s\" and blanks: \"%s\"",
                  row->text, found);
}

/* Words with things between them, of which is known what they do. */
static void side_check_gaps(tokenizer *t, uint64_t seed)
{
    static const char *const near[] = {" ", "  ", "-", "\n", " \r\n ", "\t",
                                       "\xc2\xa0", "\n\t  \t"};
    static const char *const far[] = {", ", ".", "; ", " 7 ", "\n\n", " -",
                                      "/", " the ", "<p>", " the-", "-the-",
                                      " \xe6\x97\xa5 "};
    chance c = {.key = seed};
    char text[512] = "", wanted[512] = "";

    for (size_t i = 0, n = 1 + chance_below(&c, 15); i < n; i++) {
        const bool apart = chance_below(&c, 2) == 0;
        const char *const gap =
            apart ? far[chance_below(&c, 12)] : near[chance_below(&c, 8)];
        char word[20] = "w";
        for (size_t k = 1 + chance_below(&c, 16); k > 0; k--)
            strcat(word, k % 3 == 0 ? "a" : k % 5 == 0 ? "b" : "c");
        strcat(strcat(text, i == 0 ? "" : gap), word);
        strcat(strcat(wanted, i == 0 || apart ? "|" : "_"), word);
    }
    ck_assert_str_eq(side_runs(t, span_text(text)), wanted);
}

/* "the" is a stop word, and so is one ideograph. */
TEST(words_stand_side_by_side)
{
    tokenizer_opts opts;
    OWN(words_free) words stop = {0};
    OWN(tokenizer_end) tokenizer *t = NULL;

    tokenizer_opts_init(&opts);
    ck_assert(words_add(&stop, "the", 3) &&
              words_add(&stop, "\xe6\x97\xa5", 3));
    opts.stopwords = &stop;
    t = make(&opts);
    for (size_t i = 0; i < sizeof side_table / sizeof *side_table; i++)
        side_check_row(t, &side_table[i]);
    for (uint64_t seed = 0; seed < 2000; seed++)
        side_check_gaps(t, seed);
}

/* ---- memory -------------------------------------------------------------- */

TEST(memory_may_fail)
{
    OWN(words_free) words list = {0};
    tokenizer_opts opts;
    kedge_status st = KEDGE_ENOMEM;

    add_words(&list, "the\n");
    tokenizer_opts_init(&opts);
    opts.stopwords = &list;
    opts.stemmer = "english";
    for (long k = 0; st != KEDGE_OK; k++) {
        OWN(tokenizer_end) tokenizer *t = (tokenizer *)&list;
        kedge_error err = {0};
        gate_allow(k);
        st = tokenizer_create(&opts, &t, &err);
        gate_open();
        ck_assert((st == KEDGE_OK) == (t != NULL));
        ck_assert(st == KEDGE_OK || st == KEDGE_ENOMEM);
        ck_assert(st == KEDGE_OK || strstr(err.text, "out of memory"));
        ck_assert(st != KEDGE_OK || k >= 3);
    }
    tokenizer_free(NULL);
}

/* Texts whose words nobody cuts are told. */
TEST(scripts_without_blanks_are_told)
{
    static const struct {
        const char *text;
        bool unbroken;
    } cases[] = {
        {"", false},
        {"plain words", false},
        {"\xe0\xb8\xa0\xe0\xb8\xb2\xe0\xb8\xa9\xe0\xb8\xb2", true}, /* Thai */
        {"\xe0\xba\xa5\xe0\xba\xb2\xe0\xba\xa7 a", true},      /* Lao */
        {"\xe1\x9e\x97\xe1\x9e\xb6", true},                     /* Khmer */
        {"\xe1\x80\x99\xe1\x80\xbc", true},                     /* Burmese */
        {"\xe1\x80\x99 and quite some words", false},
        {"\xe6\x97\xa5\xe6\x9c\xac", false},                    /* Han: pairs */
        {"\xe1\x83\x90\xe1\x83\x91", false},                    /* Georgian */
    };
    tokenizer_opts opts;
    OWN(tokenizer_end) tokenizer *t = NULL;
    kedge_error err = {0};
    span word;

    tokenizer_opts_init(&opts);
    ck_ok(tokenizer_create(&opts, &t, &err), err);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        tokenizer_begin(t, span_text(cases[i].text));
        while (tokenizer_next(t, &word))
            continue;
        ck_assert_msg(tokenizer_unbroken(t) == cases[i].unbroken, "%s",
                      cases[i].text);
    }
}
