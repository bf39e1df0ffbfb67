/* SPDX-License-Identifier: MIT */
#ifndef TESTS_UNIT_IO_HARDTEXT_H
#define TESTS_UNIT_IO_HARDTEXT_H
/*
 * Text that is hard to cut into words: a table of it, with the words by '|',
 * and mixtures by chance.
 */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/chance.h"
#include "base/span.h"
#include "io/text/letters.h"

#define HARD_ROOM 2048

static const struct hard {
    const char *text, *words;
} hard_usual[] = {
    /* plain */
    {"", ""},
    {"   ", ""},
    {"a", ""},
    {"Hello, World", "hello|world|"},
    {"one two\r\nthree\tfour\fsix", "one|two|three|four|six|"},
    {"(parentheses) [brackets] {braces}", "parentheses|brackets|braces|"},
    {"antidisestablishmentarianism", "antidisestablishmentarianism|"},
    {"sevenab eightabc ninenines", "sevenab|eightabc|ninenines|"},
    /* digits */
    {"b2b 3rd 2019 covid-19 mp3s word", "covid|word|"},
    {"a1 1a abcdefgh1 abcdefghi1j", ""},
    {"\xd9\xa3\xd9\xa4 \xef\xbc\x91\xef\xbc\x92 caf\u00e92", ""},
    {"x\u00b2 metre\u00b2 H\u2082O", "metre|"},
    {"\u2163 chapter \u216bii", "iv|chapter|xiiii|"},
    /* apostrophes */
    {"don't Don\u2019t DON\u02bcT don\uff07t", "don't|don't|don't|don't|"},
    {"the dog's dogs' DOG'S dog\u2019s", "the|dog|dogs|dog|dog|"},
    {"it's let's I'm we'll", "it|let|i'm|we'll|"},
    {"'quoted' \u2018single\u2019 ''twice''", "quoted|single|twice|"},
    {"rock'n'roll o'clock y'all", "rock'n'roll|o'clock|y'all|"},
    {"l'amour d\u2019accord qu'il jusqu'ici", "amour|accord|il|ici|"},
    {"aujourd'hui presqu'\u00eele dell'arte", "aujourd'hui|presqu'\u00eele|arte|"},
    {"don''t x's's n'", "don|"},
    {"'tis '90s 90's ain't", "tis|ain't|"},
    {"col\u00b7lecci\u00f3 col\u00b7 \u05e6\u05d4\u05f4\u05dc",
     "col\u00b7lecci\u00f3|col|\u05e6\u05d4\u05f4\u05dc|"},
    /* hyphens and other signs */
    {"state-of-the-art self\u2010made a\u2014b", "state|of|the|art|self|made|"},
    {"snake_case _emphasis_ __init__", "snake|case|emphasis|init|"},
    {"and/or yes\\no 50% C++ C# R&D", "and|or|yes|no|"},
    {"#hashtag @user user@host $cash", "hashtag|user|user|host|cash|"},
    {"co\u00adoperate zero\u200bwidth word\u2060join", "cooperate|zero|width|wordjoin|"},
    /* dots */
    {"U.S.A. u.s. e.g. Ph.D. a.m", "u.s.a|u.s|e.g|ph|a.m|"},
    {"end.Next I.Am J.R.R. Tolkien", "end|next|am|j.r.r|tolkien|"},
    {"wait...what 3.14 v1.2.x", "wait|what|"},
    {"\u00e9.\u00e8. \u0415.\u0411.", "\u00e9.\u00e8|\u0435.\u0431|"},
    {"a.bc ab.c a.b'c U.S.'s u.s's", "bc|ab|a.b'c|u.s|u.s|"},
    {"\ufb01.x \u00df.x", "fi|ss|"},
    /* addresses */
    {"see http://x.org/a?b=c&d=e#f now", "see|now|"},
    {"https://\u00e9.fr/\u00c9t\u00e9, (ftp://a.b) word", "word|"},
    {"HTTP://X.Y s3://bucket/key file:///etc", ""},
    {"www.example.com WWW.x.y/z www. www", "www|"},
    {"<http://x.y/z> \"http://q\"quoted", "quoted|"},
    {"http: //x http:/ http://", "http|http|"},
    {"\u8bf7\u770bhttp://x.com/a\u3002\u8c22\u8c22", "\u8bf7\u770b|\u8c22\u8c22|"},
    {"mail a@b.c or john.o'hara+x@mail.example.org.", "mail|or|"},
    {"mailto:a@b.c <first.last@host.edu>", "mailto|"},
    {"a@b @b.c one@two one@ two.three@four.five", "b.c|one|two|one|"},
    {"b2b@example.com 7up@drinks.uk ok", "ok|"},
    {"\u00e9t\u00e9@caf\u00e9.fr et", "et|"},
    {"well-known@host.org well-known", "well|known|"},
    {"time@noon. Then", "time|noon|then|"},
    {"a:b c:d key:value key://value", "key|value|"},
    /* HTML */
    {"<b>bold</b> <br/>next<br />line", "bold|next|line|"},
    {"<p class=\"x y\">text</p> <a href='u>v' id=n>link</a>", "text|link|"},
    {"a < b and cc>dd, x<yy", "and|cc|dd|yy|"},
    {"if aa <bb and cc> dd", "if|aa|bb|and|cc|dd|"},
    {"<!-- a comment > here --> seen <!-- open", "seen|open|"},
    {"<!DOCTYPE html> <?xml version=\"1.0\"?> body <!no", "body|no|"},
    {"<3 love <> <- arrow </ <a", "love|arrow|"},
    {"<unclosed word", "unclosed|word|"},
    {"<jats:p>para</jats:p><x-y>zz</x-y>", "para|zz|"},
    {"un<i>believ</i>able", "un|believ|able|"},
    {"AT&amp;T at&T; R&amp;D caf&eacute; &copy;copy", "at|at|caf\u00e9|copy|"},
    {"don&#8217;t don&#x27;t don&apos;t don&#146;t don&rsquo;t",
     "don't|don't|don't|don't|don't|"},
    {"one&nbsp;two &lt;bb&gt; &amp;amp;ok &amp;nbsp; &amp;eacute;t&eacute;",
     "one|two|bb|ok|\u00e9t\u00e9|"},
    {"&#233;t&#xE9; &#0; &#99999999; &#xd800; &#; &;", "\u00e9t\u00e9|"},
    {"fish & chips &c &verylongnamethatisnoentityatallreally;",
     "fish|chips|verylongnamethatisnoentityatallreally|"},
    /* folding */
    {"\u00c9COLE e\u0301cole \u00e9cole", "\u00e9cole|\u00e9cole|\u00e9cole|"},
    {"Stra\u00dfe STRASSE stra\u1e9ee", "strasse|strasse|strasse|"},
    {"\u0130stanbul istanbul I\u0307stanbul", "istanbul|istanbul|istanbul|"},
    {"\u0131l\u0131k ILIK", "\u0131l\u0131k|ilik|"},
    {"i\u0307\u0301x i\u0301\u0307x \u012f\u0307x",
     "\u00edx|\u00ed\u0307x|\u012fx|"},
    {"\u039b\u039f\u0393\u039f\u03a3 "
     "\u03bb\u03cc\u03b3\u03bf\u03c2, \u03c3\u03bf\u03c6\u03cc\u03c3",
     "\u03bb\u03bf\u03b3\u03bf\u03c2|"
     "\u03bb\u03cc\u03b3\u03bf\u03c2|\u03c3\u03bf\u03c6\u03cc\u03c2|"},
    {"\u1fb3\u1f00 \u03b1\u0345\u0323 \u03b1\u0323\u0345",
     "\u03b1\u03b9\u1f00|\u03b1\u0323\u03b9|\u03b1\u0323\u03b9|"},
    {"\ufb01ve o\ufb03ce \ufb02at", "five|office|flat|"},
    {"\uff26\uff55\uff4c\uff4c \uff57idth", "full|width|"},
    {"\U0001d400\U0001d401 \u017ftop \u01c4ep \u212aelvin",
     "ab|stop|d\u017eep|kelvin|"},
    {"\u041c\u041e\u0421\u041a\u0412\u0410 \u0401\u043b\u043a\u0430",
     "\u043c\u043e\u0441\u043a\u0432\u0430|\u0451\u043b\u043a\u0430|"},
    {"\u1e9b\u0323x q\u0307\u0323 q\u0323\u0307",
     "\u1e69x|q\u0323\u0307|q\u0323\u0307|"},
    /* other scripts */
    {"\u0645\u064f\u062d\u064e\u0645\u0651\u064e\u062f "
     "\u0643\u0640\u0640\u062a\u0627\u0628",
     "\u0645\u064f\u062d\u064e\u0645\u064e\u0651\u062f|"
     "\u0643\u062a\u0627\u0628|"},
    {"\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",
     "\u0645\u06cc\u062e\u0648\u0627\u0647\u0645|"},
    {"\ufefb\ufe8e \u05e9\u05b8\u05c1\u05dc\u05d5\u05b9\u05dd",
     "\u0644\u0627\u0627|\u05e9\u05b8\u05c1\u05dc\u05d5\u05b9\u05dd|"},
    {"\u0939\u093f\u0928\u094d\u0926\u0940 "
     "\u0915\u094d\u200d\u0937 \u0958\u093e",
     "\u0939\u093f\u0928\u094d\u0926\u0940|"
     "\u0915\u094d\u0937|\u0915\u093c\u093e|"},
    {"\u65e5\u672c\u8a9e \u732b \u4e2d\u6587", "\u65e5\u672c|\u672c\u8a9e|\u732b|\u4e2d\u6587|"},
    {"\u6771\u4eac\u3078\u884c\u304f", "\u6771\u4eac|\u4eac\u3078|\u3078\u884c|\u884c\u304f|"},
    {"\u30c7\u30fc\u30bf\u69cb\u9020 \uff76\uff9e\uff7d",
     "\u30c7\u30fc\u30bf|\u69cb\u9020|\u30ac\u30b9|"},
    {"\u3089\u30fc\u3081\u3093T\u30b7\u30e3\u30c4",
     "\u3089\u30fc\u3081|\u3081\u3093|t\u30b7\u30e3\u30c4|"},
    {"\u304b\u3099\u4eba \u304c\u4eba \u2fb8\u5730", "\u304c\u4eba|\u304c\u4eba|\u9996\u5730|"},
    {"\U00020000\U00020001\u4e00 \uf900\u3005",
     "\U00020000\U00020001|\U00020001\u4e00|\u8c48\u3005|"},
    {"\u4e2d\u00ad\u6587\ufe00\u5b57 abc\u4e2d\u6587def",
     "\u4e2d\u6587|\u6587\u5b57|abc|\u4e2d\u6587|def|"},
    {"\ud55c\uad6d\uc5b4 \u1112\u1161\u11ab\u1100\u116e\u11a8", "\ud55c\uad6d\uc5b4|\ud55c\uad6d|"},
    {"\u0e44\u0e17\u0e22\u200b\u0e04\u0e33", "\u0e44\u0e17\u0e22|\u0e04\u0e4d\u0e32|"},
    /* no words */
    {"\U0001f600 \U0001f468\u200d\U0001f469 \U0001f44d\U0001f3fd 1\ufe0f\u20e3", ""},
    {"ok\U0001f600ok \u2122 Linux\u2122 \u24b6", "ok|ok|linux|"},
    {"\u0301abc \u0301\u0302 x\u20ddyz", "abc|yz|"},
    {"\ufeffbom bo\ufeffm", "bom|bom|"},
    /* bytes that are no characters */
    {"ab\xff" "cd\x80" "ef", "ab|cd|ef|"},
    {"ab\xc0\xaf" "cd \xe0\x80\xaf ef", "ab|cd|ef|"},
    {"ab\xed\xa0\x80" "cd \xed\xa0\xbd\xed\xb8\x80", "ab|cd|"},
    {"ab\xf4\x90\x80\x80" "cd\xf8\x88\x80\x80\x80", "ab|cd|"},
    {"cut\xe2\x82", "cut|"},
    {"cut\xc3", "cut|"},
    {"caf\xe9 latin", "caf|latin|"},
}, hard_all[] = {
    {"b2b 3rd 2019 3.14 1,000 U2", "b2b|3rd|2019|3|14|1|000|u2|"},
    {"90's '90s x1'y a1b.c", "90|s|90s|x1|y|a1b|c|"},
    {"\u0663\u0664 \uff11\uff12 \U0001d7d8", "\u0663\u0664|12|0|"},
    {"a I x", "a|i|x|"},
    {"s' d' l'a d'it's", "s|d|a|it|"},
    {"\u2260a a\u2260b =\u0338a a=\u0338b", "a|a|b|a|a|b|"},
    {"<a b>\u0338c <a>\u0338d \u226eb>", "a|b|c|a|d|b|"},
    {"http://x=\u0338y http://x\u2260y", "y|y|"},
    {"word\u00b9 1\u0338 \u00bd", "word|1\u0338|"},
    {"\u03a3 \u03a3\u0391\u03a3", "\u03c3|\u03c3\u03b1\u03c2|"},
};

/* ---- mixtures ------------------------------------------------------------ */

/* Pieces that mean something beside others. */
static const char *const hard_piece[] = {
    " ", " ", " ", "\n", "a", "I", "word", "Words ", "o'", "'s", "'", "\u2019",
    ".", ".", "U.S.", "@", "-", "_", ":", "://", "http://", "www.", "/", "&",
    "&amp;", "&eacute;", "&#39;", "&#769;", "&shy;", "&lt;", ";", "amp;", "<",
    ">", "<b>", "</b>", "<a b=\"", "\"", "<!--", "-->", "=", "7", "42nd",
    "l'", "qu'", "\u00ad", "\u200d", "\ufeff", "\u00e9", "\u00c9", "e\u0301",
    "\u0301", "\u0323", "\u0307", "\u0345", "\u0338", "\u0327", "\u0342",
    "i\u0307", "\u0130", "\u0131", "\u00df", "\ufb01", "\u03a3", "\u03c2",
    "\u1f82", "\u0391", "\u03b7", "\u0416", "\u0438\u0306", "\u65e5", "\u672c",
    "\u304b", "\u3099", "\u30fc", "\u30ab", "\uff76", "\uff9e", "\ud55c",
    "\u1112", "\u1161", "\u11ab", "\u0915", "\u093c", "\u094d", "\u093f",
    "\u09c7", "\u09be", "\u0644", "\u0651", "\u064e", "\u05e9", "\u05c1",
    "\u0e33", "\U0001f600", "\U0001d400", "\U00020000", "\u2260", "\u226f",
    "\u00b7", "\u05f4", "\u2163", "\u0663", "\uff12", "abcdefgh", "the ",
    "\u1fb4", "\u0f73", "\u0f71", "\u0f72", "\u0149", "\u0140", "\u0640",
    "averyveryveryveryveryveryveryverylongwordindeedthatdoesnotendsoonenough",
};

static const char *const hard_garbage[] = {
    "\xff", "\x80", "\xc3", "\xe2\x82", "\xc0\x80", "\xed\xa0\x80",
    "\xf4\x90\x80\x80", "\x01",
};

static inline void hard_add(char *text, size_t *size, const char *piece)
{
    memcpy(text + *size, piece, strlen(piece));
    *size += strlen(piece);
}

/* Any character there is, of the planes in use more often. */
static inline void hard_any(chance *c, char *text, size_t *size)
{
    static const uint32_t most[] = {0x250, 0x2000, 0x2000, 0x10000, 0x20000,
                                    0x110000};
    const uint32_t point = (uint32_t)chance_below(c, most[chance_below(c, 6)]);

    if (point > 0 && (point < 0xd800 || point > 0xdfff))
        *size += utf8_put(text + *size, point);
}

static inline span hard_mix(uint64_t seed, char text[HARD_ROOM], bool garbage)
{
    chance c = {.key = seed};
    const size_t pieces = 1 + chance_below(&c, 24);
    size_t size = 0;

    for (size_t i = 0; i < pieces; i++) {
        const size_t dice = chance_below(&c, 20);
        if (dice == 0 && garbage)
            hard_add(text, &size, hard_garbage[chance_below(&c, 8)]);
        else if (dice < 3)
            hard_any(&c, text, &size);
        else
            hard_add(text, &size,
                     hard_piece[chance_below(&c, sizeof hard_piece /
                                                     sizeof *hard_piece)]);
    }
    return span_of(text, size);
}

static inline span hard_mixture(uint64_t seed, char text[HARD_ROOM])
{
    return hard_mix(seed, text, true);
}

/* The same without invalid bytes. */
static inline span hard_valid(uint64_t seed, char text[HARD_ROOM])
{
    return hard_mix(seed, text, false);
}

#endif
