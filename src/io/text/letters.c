/* SPDX-License-Identifier: MIT */
/*
 * The table has two stages: pages of 256 characters, of which equal ones are
 * kept once, for the planes that have letters. A page is made when one of its
 * characters comes; what does not fit is found out each time.
 */
#include "io/text/letters.h"

#include <assert.h>
#include <string.h>
#include <utf8proc.h>

#include "base/fail.h"
#include "base/mem.h"

#define SOFT_DOTTED_I 'i'
#define DOT_ABOVE 0x307
#define IOTA_BELOW 0x345
#define IOTA 0x3b9
#define ABOVE 230 /* the combining class of most marks above */

static_assert(sizeof(letter) == 8, "what the table has of a character");

/* ---- UTF-8 --------------------------------------------------------------- */

static bool is_tail(char byte)
{
    return ((unsigned char)byte & 0xc0) == 0x80;
}

unsigned utf8_take_any(const char *bytes, const char *end, uint32_t *point)
{
    static const uint32_t least[5] = {0, 0, 0x80, 0x800, 0x10000};
    const uint32_t first = (unsigned char)bytes[0];
    const unsigned size = first < 0x80   ? 1
                          : first < 0xc2 ? 0
                          : first < 0xe0 ? 2
                          : first < 0xf0 ? 3
                          : first < 0xf5 ? 4
                                         : 0;

    if (size == 0 || (size_t)(end - bytes) < size)
        return 0;
    *point = size == 1 ? first : first & (0x7fU >> size);
    for (unsigned i = 1; i < size; i++) {
        if (!is_tail(bytes[i]))
            return 0;
        *point = *point << 6 | ((unsigned char)bytes[i] & 0x3f);
    }
    if (*point < least[size] || *point > 0x10ffff ||
        (*point >= 0xd800 && *point <= 0xdfff))
        return 0;
    return size;
}

bool utf8_is(const char *bytes, size_t size)
{
    const char *at = bytes, *const end = bytes + size;
    uint32_t point;
    uint64_t eight;

    while (at < end) {
        if (end - at >= 8) {
            memcpy(&eight, at, 8);
            if ((eight & UINT64_C(0x8080808080808080)) == 0) {
                at += 8;
                continue;
            }
        }
        const unsigned n = utf8_take(at, end, &point);
        if (n == 0)
            return false;
        at += n;
    }
    return true;
}

/* ---- folding ------------------------------------------------------------- */

static bool is_ideograph(uint32_t c)
{
    return (c >= 0x3041 && c <= 0x3096) || c == 0x309d || c == 0x309e ||
           (c >= 0x3005 && c <= 0x3007) || (c >= 0x3400 && c <= 0x4dbf) ||
           (c >= 0x4e00 && c <= 0x9fff) || (c >= 0xf900 && c <= 0xfaff) ||
           (c >= 0x2f00 && c <= 0x2fd5) || (c >= 0x20000 && c < LETTERS_END);
}

/* Characters that are not to words what their category says. */
static bool special_kind(uint32_t c, letter_kind *kind)
{
    switch (c) {
    case '\'':
    case 0x2019: /* right single quotation mark */
    case 0x2bc:  /* modifier letter apostrophe */
    case 0xff07: /* fullwidth apostrophe */
    case 0xb7:   /* middle dot, of Catalan */
    case 0x387:  /* its twin, the Greek ano teleia */
    case 0x5f3:  /* Hebrew geresh */
    case 0x5f4:  /* and gershayim */
        *kind = LETTER_JOINER;
        return true;
    case '.':
        *kind = LETTER_DOT;
        return true;
    case 0x200b: /* the space of zero width is a space nevertheless */
        *kind = LETTER_NONE;
        return true;
    case 0x640: /* tatweel */
        *kind = LETTER_SILENT;
        return true;
    default:
        if (is_ideograph(c))
            *kind = LETTER_IDEOGRAPH;
        return is_ideograph(c);
    }
}

/* By category; what is folded to marks may still become a mark. */
static letter_kind plain_kind(uint32_t c)
{
    const utf8proc_property_t *p = utf8proc_get_property((int32_t)c);
    letter_kind kind;

    if (special_kind(c, &kind))
        return kind;
    if (p->ignorable)
        return LETTER_SILENT;
    switch (p->category) {
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LL:
    case UTF8PROC_CATEGORY_LT:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_LO:
        return LETTER_BASE;
    case UTF8PROC_CATEGORY_MN:
    case UTF8PROC_CATEGORY_MC:
        return LETTER_MARK;
    case UTF8PROC_CATEGORY_ND:
        return LETTER_DIGIT;
    default:
        return LETTER_NONE;
    }
}

static size_t expand_with(uint32_t c, unsigned options, int32_t *out,
                          size_t room)
{
    int boundary = 0;
    const utf8proc_ssize_t n = utf8proc_decompose_char(
        (int32_t)c, out, (utf8proc_ssize_t)room, options, &boundary);

    return n < 0 || (size_t)n > room ? 0 : (size_t)n;
}

/* The canonical decomposition comes first: an iota below has to be found as
 * the mark that it is, and is made a letter only when marks are in order. */
static size_t fold_with(uint32_t c, unsigned options, int32_t *out)
{
    int32_t whole[LETTER_POINTS];
    const size_t n = expand_with(c, UTF8PROC_DECOMPOSE, whole, LETTER_POINTS);
    size_t total = 0;

    for (size_t i = 0; i < n; i++) {
        size_t more = 1;
        if (whole[i] == IOTA_BELOW && total < LETTER_POINTS)
            out[total] = whole[i];
        else
            more = expand_with((uint32_t)whole[i],
                               options | UTF8PROC_DECOMPOSE, out + total,
                               LETTER_POINTS - total);
        if (more == 0)
            return 0;
        total += more;
    }
    return total;
}

/* Whether a word may hold all of these in place of a character of this kind. */
static bool fits(letter_kind kind, const int32_t *points, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const letter_kind k = plain_kind((uint32_t)points[i]);
        if (k != kind && k != LETTER_MARK &&
            !(kind == LETTER_MARK && k == LETTER_BASE))
            return false;
    }
    return count > 0 && (count == 1 || kind != LETTER_DIGIT);
}

size_t letter_expand(uint32_t point, int32_t out[LETTER_POINTS])
{
    const letter_kind kind = plain_kind(point);
    size_t n;

    if (kind == LETTER_JOINER) {
        out[0] = point == 0xb7 || point == 0x387      ? 0xb7
                 : point == 0x5f3 || point == 0x5f4 ? (int32_t)point
                                                    : '\'';
        return 1;
    }
    if (kind == LETTER_NONE) { /* a Roman numeral */
        n = fold_with(point, UTF8PROC_COMPAT | UTF8PROC_CASEFOLD, out);
        return fits(LETTER_BASE, out, n) ? n : 0;
    }
    n = fold_with(point, UTF8PROC_COMPAT | UTF8PROC_CASEFOLD, out);
    if (!fits(kind, out, n))
        n = fold_with(point, UTF8PROC_CASEFOLD, out);
    if (!fits(kind, out, n))
        n = fold_with(point, 0, out);
    return n;
}

/* ---- composing ----------------------------------------------------------- */

static unsigned order_of(int32_t point)
{
    if (point < 0x300) /* no marks yet */
        return 0;
    return (unsigned)utf8proc_get_property(point)->combining_class;
}

static void put_in_order(int32_t *points, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        const int32_t point = points[i];
        const unsigned order = order_of(point);
        size_t j = i;
        if (order == 0)
            continue;
        for (; j > 0 && order_of(points[j - 1]) > order; j--)
            points[j] = points[j - 1];
        points[j] = point;
    }
}

static size_t drop_dots(int32_t *points, size_t count)
{
    bool bare = false; /* an i without a mark above, so far */
    size_t kept = 0;

    for (size_t i = 0; i < count; i++) {
        const unsigned order = order_of(points[i]);
        if (points[i] == DOT_ABOVE && bare)
            continue;
        if (order == 0)
            bare = points[i] == SOFT_DOTTED_I;
        else if (order == ABOVE)
            bare = false;
        points[kept++] = points[i] == IOTA_BELOW ? IOTA : points[i];
    }
    return kept;
}

size_t letters_compose(int32_t *points, size_t count)
{
    put_in_order(points, count);
    count = drop_dots(points, count);
    const utf8proc_ssize_t n = utf8proc_normalize_utf32(
        points, (utf8proc_ssize_t)count, UTF8PROC_COMPOSE | UTF8PROC_STABLE);
    assert(n >= 0);
    return (size_t)n;
}

/* ---- the table ----------------------------------------------------------- */

/* Whether it may become one with what is before it. */
static bool may_join(int32_t point)
{
    const uint16_t joins = utf8proc_get_property(point)->comb_index;

    return (joins != UINT16_MAX && joins >= 0x8000) ||
           (point >= 0x1161 && point <= 0x1175) ||
           (point >= 0x11a8 && point <= 0x11c2) || point == IOTA_BELOW;
}

/* How many letters there are, marks apart. */
static size_t bases(const int32_t *points, size_t count)
{
    size_t n = 0;

    for (size_t i = 0; i < count; i++)
        n += plain_kind((uint32_t)points[i]) != LETTER_MARK ||
             points[i] == IOTA_BELOW;
    return n;
}

/* Writes the folded form into the letter, if it stands for itself. */
static void set_form(letter *a, uint32_t point, int32_t *points, size_t count)
{
    char bytes[4 * LETTER_POINTS], same[4];
    size_t size = 0;

    count = letters_compose(points, count);
    for (size_t i = 0; i < count; i++) {
        if (may_join(points[i]) || (count > 1 && order_of(points[i]) > 0))
            return;
        size += utf8_put(bytes + size, (uint32_t)points[i]);
    }
    a->count = count & 15;
    if (size == utf8_put(same, point) && memcmp(same, bytes, size) == 0) {
        a->size = LETTER_SAME;
    } else if (size <= sizeof a->bytes) {
        a->size = (uint8_t)size;
        memcpy(a->bytes, bytes, size);
    }
}

letter letter_find_out(uint32_t point)
{
    letter a = {.kind = plain_kind(point) & 15};
    int32_t points[LETTER_POINTS];
    bool iota = false;
    size_t n;

    if (a.kind == LETTER_SILENT || point > 0x10ffff)
        return a;
    if (a.kind == LETTER_NONE) {
        if (utf8proc_category((int32_t)point) != UTF8PROC_CATEGORY_NL ||
            letter_expand(point, points) == 0)
            return a;
        a.kind = LETTER_BASE;
    }
    n = letter_expand(point, points);
    if (plain_kind((uint32_t)points[0]) == LETTER_MARK)
        a.kind = LETTER_MARK;
    for (size_t i = 0; i < n; i++)
        iota |= points[i] == IOTA_BELOW;
    a.alone = bases(points, n) == (a.kind == LETTER_MARK ? 0 : 1);
    a.still = n == 1 && points[0] == (int32_t)point;
    if (n == 1)
        a.order = (uint8_t)order_of(points[0]);
    if (!iota)
        set_form(&a, point, points, n);
    return a;
}

static void fill_page(letters *l, uint32_t number)
{
    letter page[LETTERS_PAGE];
    unsigned i = 0;

    memset(page, 0, sizeof page);
    for (uint32_t c = 0; c < LETTERS_PAGE; c++)
        page[c] = letter_find_out(number * LETTERS_PAGE + c);
    while (i < l->pages && memcmp(l->page[i], page, sizeof page) != 0)
        i++;
    if (i == l->pages && i < LETTERS_PAGES) {
        memcpy(l->page[i], page, sizeof page);
        l->pages++;
    }
    l->index[number] = (uint16_t)i;
}

letter letters_make(letters *l, uint32_t point)
{
    fill_page(l, point / LETTERS_PAGE);
    return letters_get(l, point);
}

kedge_status letters_create(letters **out, kedge_error *err)
{
    letters *l = NULL;

    *out = NULL;
    PASS_MEM(l = mem_new(1, sizeof *l));
    for (size_t i = 0; i < LETTERS_END / LETTERS_PAGE; i++)
        l->index[i] = LETTERS_NEW;
    *out = l;
    return KEDGE_OK;
}

void letters_free(letters *l)
{
    mem_free(l);
}
