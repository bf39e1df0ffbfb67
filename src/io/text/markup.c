/* SPDX-License-Identifier: MIT */
/*
 * Bytes of ASCII decide everything, but for letters in addresses. Texts in
 * NFC and in NFD have to give the same words, and a bar across (U+0338) makes
 * another character of '<', '=' and '>': such a one is no part of a tag.
 */
#include "io/text/markup.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define NAME_MOST 32  /* bytes of an entity's name */
#define DIGITS_MOST 8 /* of its number */

static bool is_alpha(char c)
{
    return (unsigned char)((c | 0x20) - 'a') < 26;
}

static bool is_digit(char c)
{
    return (unsigned char)(c - '0') < 10;
}

static bool is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

/* ---- tags ---------------------------------------------------------------- */

/* Whether `c` is at `at` and not changed by a bar across. */
static bool is_at(const char *at, const char *end, char c)
{
    return at < end && *at == c &&
           !(end - at > 2 && at[1] == '\xcc' && at[2] == '\xb8');
}

static const char *skip_space(const char *at, const char *end)
{
    while (at < end && is_space(*at))
        at++;
    return at;
}

static const char *skip_name(const char *at, const char *end)
{
    while (at < end && (is_alpha(*at) || is_digit(*at) || *at == '-' ||
                        *at == ':' || *at == '_'))
        at++;
    return at;
}

static bool ends_value(const char *at, const char *end)
{
    return is_space(*at) || *at == '"' || *at == '\'' ||
           is_at(at, end, '<') || is_at(at, end, '=') || is_at(at, end, '>');
}

/* Behind name=value, name='value' or name="value"; NULL when it is none. */
static const char *attribute(const char *at, const char *end)
{
    const char *const from = at;

    while (at < end && !ends_value(at, end))
        at++;
    if (at == from || !is_at(at, end, '='))
        return NULL;
    if (++at == end)
        return NULL;
    if (*at == '"' || *at == '\'') {
        at = memchr(at + 1, *at, (size_t)(end - at) - 1);
        return at == NULL ? NULL : at + 1;
    }
    while (at < end && !ends_value(at, end))
        at++;
    return at;
}

static const char *element(const char *at, const char *end)
{
    at += *at == '/';
    if (at == end || !is_alpha(*at))
        return NULL;
    at = skip_name(at, end);
    while (at != NULL && at < end) {
        const char *const next = skip_space(at, end);
        if (is_at(next, end, '>'))
            return next + 1;
        if (next < end && *next == '/')
            at = next + 1;
        else
            at = next > at ? attribute(next, end) : NULL;
    }
    return NULL;
}

/* "<!name ...>" or "<?name ...>", without angle brackets in between. */
static const char *declaration(const char *at, const char *end)
{
    if (++at == end || !is_alpha(*at))
        return NULL;
    at = skip_name(at, end); /* a mark on its last letter makes it none */
    if (at < end && !is_space(*at) && !is_at(at, end, '>'))
        return NULL;
    while (at < end && !is_at(at, end, '<') && !is_at(at, end, '>'))
        at++;
    return is_at(at, end, '>') ? at + 1 : NULL;
}

static const char *comment(markup *m, const char *at, const char *end)
{
    const char *found;

    if (m->no_comment_end != NULL && at >= m->no_comment_end)
        return NULL;
    found = memmem(at, (size_t)(end - at), "-->", 3);
    while (found != NULL && !is_at(found + 2, end, '>'))
        found = memmem(found + 3, (size_t)(end - found) - 3, "-->", 3);
    if (found == NULL) {
        m->no_comment_end = at;
        return NULL;
    }
    return found + 3;
}

/* Behind a tag of this name, whatever its attributes are: as many have none but
 * a name; NULL where it is none. */
static const char *loose(const char *name, const char *at, const char *end)
{
    const size_t size = strlen(name);

    if (end - at <= (ptrdiff_t)size || strncasecmp(at, name, size) != 0)
        return NULL;
    at += size;
    if (!is_space(*at) && *at != '/' && !is_at(at, end, '>'))
        return NULL;
    while (at != NULL && at < end && !is_at(at, end, '>'))
        if (*at == '"' || *at == '\'') {
            at = memchr(at + 1, *at, (size_t)(end - at) - 1);
            at = at == NULL ? NULL : at + 1;
        } else {
            at++;
        }
    return at != NULL && at < end ? at + 1 : NULL;
}

/* Behind "</name>" from `at` on, NULL where there is none; then `*none` is
 * where that began. */
static const char *closing(const char *name, const char *at, const char *end,
                           const char **none)
{
    const char *p = at;

    if (*none != NULL && at >= *none)
        return NULL;
    while ((p = memmem(p, (size_t)(end - p), "</", 2)) != NULL) {
        const char *const most =
            end - p > MARKUP_TAG ? p + MARKUP_TAG : end;
        const char *const found = loose(name, p + 2, most);
        if (found != NULL)
            return found;
        p += 2;
    }
    *none = at;
    return NULL;
}

/* Behind a script or a style, which is no text, `at` being behind the '<' of
 * the tag that opens it; where nothing closes it, behind that tag; NULL where
 * it is none of these. */
static const char *hidden(markup *m, const char *at, const char *most,
                          const char *end)
{
    const char *const script = loose("script", at, most);
    const char *const tag = script != NULL ? script : loose("style", at, most);
    const char *found = NULL;

    if (tag == NULL || tag[-2] == '/')
        return tag;
    found = script != NULL ? closing("script", tag, end, &m->no_script_end)
                           : closing("style", tag, end, &m->no_style_end);
    return found != NULL ? found : tag;
}

const char *markup_tag(markup *m, const char *at, const char *end)
{
    const char *most, *tag;

    if (end - at < 3)
        return NULL;
    if (memcmp(at + 1, "!-", 2) == 0)
        return end - at > 3 && at[3] == '-' ? comment(m, at + 4, end) : NULL;
    most = end - at > MARKUP_TAG ? at + MARKUP_TAG : end;
    if (at[1] == '!' || at[1] == '?')
        return declaration(at + 1, most);
    tag = hidden(m, at + 1, most, end);
    return tag != NULL ? tag : element(at + 1, most);
}

/* ---- entities ------------------------------------------------------------ */

/* Those that have a part in words, by name; others stand between words. */
static const struct entity {
    const char *name;
    uint16_t point;
} named[] = {
    {"AElig", 0xc6}, {"Aacute", 0xc1}, {"Acirc", 0xc2}, {"Agrave", 0xc0},
    {"Alpha", 0x391}, {"Aring", 0xc5}, {"Atilde", 0xc3}, {"Auml", 0xc4},
    {"Beta", 0x392}, {"Ccaron", 0x10c}, {"Ccedil", 0xc7}, {"Chi", 0x3a7},
    {"Delta", 0x394}, {"ETH", 0xd0}, {"Eacute", 0xc9}, {"Ecirc", 0xca},
    {"Egrave", 0xc8}, {"Epsilon", 0x395}, {"Eta", 0x397}, {"Euml", 0xcb},
    {"Gamma", 0x393}, {"Iacute", 0xcd}, {"Icirc", 0xce}, {"Igrave", 0xcc},
    {"Iota", 0x399}, {"Iuml", 0xcf}, {"Kappa", 0x39a}, {"Lambda", 0x39b},
    {"Lstrok", 0x141}, {"Mu", 0x39c}, {"Ntilde", 0xd1}, {"Nu", 0x39d},
    {"OElig", 0x152}, {"Oacute", 0xd3}, {"Ocirc", 0xd4}, {"Ograve", 0xd2},
    {"Omega", 0x3a9}, {"Omicron", 0x39f}, {"Oslash", 0xd8}, {"Otilde", 0xd5},
    {"Ouml", 0xd6}, {"Phi", 0x3a6}, {"Pi", 0x3a0}, {"Psi", 0x3a8},
    {"Rho", 0x3a1}, {"Scaron", 0x160}, {"Sigma", 0x3a3}, {"THORN", 0xde},
    {"Tau", 0x3a4}, {"Theta", 0x398}, {"Uacute", 0xda}, {"Ucirc", 0xdb},
    {"Ugrave", 0xd9}, {"Upsilon", 0x3a5}, {"Uuml", 0xdc}, {"Xi", 0x39e},
    {"Yacute", 0xdd}, {"Yuml", 0x178}, {"Zcaron", 0x17d}, {"Zeta", 0x396},
    {"aacute", 0xe1}, {"acirc", 0xe2}, {"aelig", 0xe6}, {"agrave", 0xe0},
    {"alpha", 0x3b1}, {"apos", '\''}, {"aring", 0xe5}, {"atilde", 0xe3},
    {"auml", 0xe4}, {"beta", 0x3b2}, {"ccaron", 0x10d}, {"ccedil", 0xe7},
    {"chi", 0x3c7}, {"delta", 0x3b4}, {"eacute", 0xe9}, {"ecirc", 0xea},
    {"egrave", 0xe8}, {"epsilon", 0x3b5}, {"eta", 0x3b7}, {"eth", 0xf0},
    {"euml", 0xeb}, {"gamma", 0x3b3}, {"iacute", 0xed}, {"icirc", 0xee},
    {"igrave", 0xec}, {"iota", 0x3b9}, {"iuml", 0xef}, {"kappa", 0x3ba},
    {"lambda", 0x3bb}, {"lstrok", 0x142}, {"middot", 0xb7}, {"mu", 0x3bc},
    {"ntilde", 0xf1}, {"nu", 0x3bd}, {"oacute", 0xf3}, {"ocirc", 0xf4},
    {"oelig", 0x153}, {"ograve", 0xf2}, {"omega", 0x3c9}, {"omicron", 0x3bf},
    {"oslash", 0xf8}, {"otilde", 0xf5}, {"ouml", 0xf6}, {"phi", 0x3c6},
    {"pi", 0x3c0}, {"psi", 0x3c8}, {"rho", 0x3c1}, {"rsquo", 0x2019},
    {"scaron", 0x161}, {"shy", 0xad}, {"sigma", 0x3c3}, {"sigmaf", 0x3c2},
    {"szlig", 0xdf}, {"tau", 0x3c4}, {"theta", 0x3b8}, {"thorn", 0xfe},
    {"uacute", 0xfa}, {"ucirc", 0xfb}, {"ugrave", 0xf9}, {"upsilon", 0x3c5},
    {"uuml", 0xfc}, {"xi", 0x3be}, {"yacute", 0xfd}, {"yuml", 0xff},
    {"zcaron", 0x17e}, {"zeta", 0x3b6}, {"zwj", 0x200d}, {"zwnj", 0x200c},
};

static int compare_names(const void *key, const void *one)
{
    return strcmp(key, ((const struct entity *)one)->name);
}

/* 128 to 159 are, by custom, those of Windows-1252; here those for words. */
static uint32_t by_custom(uint32_t point)
{
    static const uint16_t letters_of[32] = {
        [0x03] = 0x192,  [0x0a] = 0x160, [0x0c] = 0x152, [0x0e] = 0x17d,
        [0x12] = 0x2019, [0x1a] = 0x161, [0x1c] = 0x153, [0x1e] = 0x17e,
        [0x1f] = 0x178,
    };
    const uint32_t other = point - 0x80 < 32 ? letters_of[point - 0x80] : 0;

    return other != 0 ? other : point;
}

/* Behind "#123;" or "#x7b;"; NULL when it is none. */
static const char *numbered_entity(const char *at, const char *end,
                                   uint32_t *point)
{
    char digits[DIGITS_MOST + 1] = "";
    const bool hex = end - at > 1 && (at[1] == 'x' || at[1] == 'X');
    size_t n = 0;

    at += hex ? 2 : 1;
    for (; at < end && (is_digit(*at) || (hex && is_alpha(*at) &&
                                          (*at | 0x20) <= 'f'));
         at++) {
        if (n == DIGITS_MOST)
            return NULL;
        digits[n++] = *at;
    }
    if (n == 0 || at == end || *at != ';')
        return NULL;
    *point = by_custom((uint32_t)strtoul(digits, NULL, hex ? 16 : 10));
    if (*point > 0x10ffff || (*point >= 0xd800 && *point <= 0xdfff))
        *point = 0;
    return at + 1;
}

static const char *named_entity(const char *at, const char *end,
                                uint32_t *point)
{
    char name[NAME_MOST + 1] = "";
    const struct entity *known;
    size_t n = 0;

    for (; at < end && (is_alpha(*at) || is_digit(*at)); at++) {
        if (n == NAME_MOST)
            return NULL;
        name[n++] = *at;
    }
    if (n == 0 || is_digit(name[0]) || at == end || *at != ';')
        return NULL;
    known = bsearch(name, named, sizeof named / sizeof *named, sizeof *named,
                    compare_names);
    *point = known == NULL ? 0 : known->point;
    return at + 1;
}

size_t markup_entity(const char *at, const char *end, uint32_t *point)
{
    const char *inner = at + 1, *next;

    *point = 0;
    while (end - inner >= 4 && memcmp(inner, "amp;", 4) == 0)
        inner += 4;
    if (inner == end)
        return (size_t)(inner - at);
    next = *inner == '#' ? numbered_entity(inner, end, point)
                         : named_entity(inner, end, point);
    return (size_t)((next != NULL ? next : inner) - at);
}

/* ---- addresses ----------------------------------------------------------- */

/* Bytes of the part of a word at `at`, 0 when it is none; no ideographs. */
static unsigned word_part(letters *l, const char *at, const char *end,
                          letter_kind *kind)
{
    uint32_t point;
    unsigned size;

    *kind = LETTER_BASE;
    if ((unsigned char)*at < 0x80)
        return is_alpha(*at) || is_digit(*at);
    size = utf8_take(at, end, &point);
    if (size == 0)
        return 0;
    *kind = (letter_kind)letters_get(l, point).kind;
    return *kind == LETTER_BASE || *kind == LETTER_MARK ||
                   *kind == LETTER_DIGIT || *kind == LETTER_SILENT
               ? size
               : 0;
}

const char *markup_page(letters *l, const char *at, const char *end)
{
    bool within = false; /* a word: where a mark may stand */

    while (at < end) {
        letter_kind kind;
        const unsigned size = word_part(l, at, end, &kind);
        const unsigned char c = (unsigned char)*at;
        if (size == 0 && (c <= ' ' || c >= 0x7f || c == '<' || c == '>' ||
                          c == '"'))
            break;
        if (kind == LETTER_MARK && !within)
            break;
        if (kind != LETTER_SILENT)
            within = size > 0;
        at += size > 0 ? size : 1;
    }
    return at;
}

/* Behind a host's name that has a dot, or NULL. */
static const char *host(letters *l, const char *at, const char *end)
{
    const char *last = NULL; /* behind a label after a dot */
    bool label = false, dot = false;

    while (at < end) {
        letter_kind kind;
        const unsigned size = word_part(l, at, end, &kind);
        if (size == 0 && (!label || (*at != '.' && *at != '-')))
            break;
        if (size == 0 && *at == '.') {
            dot = true;
            label = false;
        } else if (size > 0) {
            label = true;
        }
        at += size > 0 ? size : 1;
        if (dot && label)
            last = at;
    }
    return last;
}

const char *markup_mail(letters *l, const char *at, const char *end,
                        const char **plain)
{
    while (at < end) {
        letter_kind kind;
        const unsigned size = word_part(l, at, end, &kind);
        if (size == 0 && (*at == '\0' || strchr("._%+-'", *at) == NULL))
            break;
        at += size > 0 ? size : 1;
    }
    *plain = at;
    if (at == end || *at != '@')
        return NULL;
    *plain = at + 1;
    return host(l, at + 1, end);
}
