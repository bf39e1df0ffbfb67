/* SPDX-License-Identifier: MIT */
#ifndef IO_TEXT_LETTERS_H
#define IO_TEXT_LETTERS_H
/*
 * What a character is to words, and what it is folded to. Folding is that of
 * NFKC_Casefold for letters and digits (full case folding; ligatures, wide and
 * narrow forms and the like are the letters they stand for), except that
 *
 * - what would become anything but letters, marks and digits is only case
 *   folded, or stays;
 * - a dot over an i is dropped unless another mark above comes first, so that
 *   the Turkish capital with a dot is a plain i (the one without stays);
 * - the Arabic tatweel, which only makes words longer, is ignored.
 *
 * Canonically equivalent texts fold to the same bytes, in NFC.
 */
#include <kedge/status.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LETTER_POINTS 16 /* at most, that one character is folded to */
#define LETTER_SAME 255  /* a size: the bytes are those of the text */
#define LETTERS_END 0x40000 /* from here on there are no letters */
#define LETTERS_PAGE 256
#define LETTERS_PAGES 160 /* Unicode 14 has 127 different ones */
#define LETTERS_NEW 161

typedef enum letter_kind {
    LETTER_NONE,   /* stands between words */
    LETTER_SILENT, /* as if it were not there: soft hyphen, joiners, BOM */
    LETTER_BASE,
    LETTER_MARK, /* goes with what is before it */
    LETTER_DIGIT,
    LETTER_JOINER,    /* an apostrophe or the like, within a word */
    LETTER_DOT,       /* within an abbreviation */
    LETTER_IDEOGRAPH, /* Han and Hiragana, written without spaces */
} letter_kind;

typedef struct letter {
    uint8_t kind : 4;
    uint8_t count : 4; /* characters, of what is folded to `size` bytes */
    uint8_t order;     /* the combining class */
    uint8_t alone : 1; /* one letter, or no letter but a mark */
    uint8_t still : 1; /* letter_expand gives the character itself */
    /* Folded and composed, when nothing but a mark of a lower order before it
     * can have a part in that; size 0: letters_compose has to do it. */
    uint8_t size;
    char bytes[4];
} letter;

typedef struct letters {
    unsigned pages;
    /* LETTERS_PAGES: in no page; LETTERS_NEW: not asked for so far */
    uint16_t index[LETTERS_END / LETTERS_PAGE];
    letter page[LETTERS_PAGES][LETTERS_PAGE];
} letters;

kedge_status letters_create(letters **out, kedge_error *err);
void letters_free(letters *l); /* accepts NULL */

/* The same without a table, slowly. */
letter letter_find_out(uint32_t point);

/* The same, of which the table's page is made. */
letter letters_make(letters *l, uint32_t point);

/* The table may be NULL. */
static inline letter letters_get(letters *l, uint32_t point)
{
    if (l != NULL && point < LETTERS_END) {
        const unsigned i = l->index[point / LETTERS_PAGE];
        if (i < LETTERS_PAGES)
            return l->page[i][point % LETTERS_PAGE];
        if (i == LETTERS_NEW)
            return letters_make(l, point);
    }
    return letter_find_out(point);
}

/* The points that a character of a word is folded to, decomposed. */
size_t letter_expand(uint32_t point, int32_t out[LETTER_POINTS]);

/* Orders and composes expanded points; returns how many are left. Its time
 * grows with the square of the number of marks in a row. */
size_t letters_compose(int32_t *points, size_t count);

/* The same of utf8_take for any character. */
unsigned utf8_take_any(const char *bytes, const char *end, uint32_t *point);

/* Bytes of the character at `bytes`, 0 when it is none: overlong, a surrogate,
 * too large, cut short. */
static inline unsigned utf8_take(const char *bytes, const char *end,
                                 uint32_t *point)
{
    const unsigned char first = (unsigned char)bytes[0];

    if (first < 0x80) {
        *point = first;
        return 1;
    }
    if (first >= 0xc2 && first < 0xe0 && end - bytes > 1 &&
        ((unsigned char)bytes[1] & 0xc0) == 0x80) {
        *point = (first & 0x1fU) << 6 | ((unsigned char)bytes[1] & 0x3fU);
        return 2;
    }
    return utf8_take_any(bytes, end, point);
}

/* Whether all of it is. */
bool utf8_is(const char *bytes, size_t size);

/* Writes a valid point, at most 4 bytes; returns how many. */
static inline unsigned utf8_put(char *out, uint32_t point)
{
    const unsigned size = point < 0x80      ? 1
                          : point < 0x800   ? 2
                          : point < 0x10000 ? 3
                                            : 4;

    if (size == 1) {
        out[0] = (char)point;
        return 1;
    }
    for (unsigned i = size - 1; i > 0; i--, point >>= 6)
        out[i] = (char)(0x80 | (point & 0x3f));
    out[0] = (char)(0xf00U >> size | point);
    return size;
}

#endif
