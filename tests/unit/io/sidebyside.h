/* SPDX-License-Identifier: MIT */
#ifndef TESTS_UNIT_IO_SIDEBYSIDE_H
#define TESTS_UNIT_IO_SIDEBYSIDE_H
/* Which words stand side by side: a table, and things that are known to part
 * words or not. "the" is a stop word, and so is one ideograph. */
#include <stdio.h>

#include "base/chance.h"
#include "io/text/tokenizer.h"
#include "unit.h"

/* The words of a text, "_" before those that stand side by side with the one
 * before and "|" before the others. */
static inline const char *side_runs(tokenizer *t, span text)
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

static inline void side_check_row(tokenizer *t, const struct side *row)
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
static inline void side_check_gaps(tokenizer *t, uint64_t seed)
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

#endif
